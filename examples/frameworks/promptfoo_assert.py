"""An assertion for promptfoo: the field view is the reason of a failure.

assert:
  - type: python
    value: file://promptfoo_assert.py
    config: {threshold: 0.9}
"""

from typing import Any

from receipt import FORM, named_scores


def get_assert(output: str, context: dict[str, Any]) -> dict[str, Any]:
    """promptfoo calls this with what the model wrote; the test's variables hold the reference."""
    reference = context["vars"]["reference"]
    score = FORM.score(output, reference)
    return {
        "pass": score.f1 >= context.get("config", {}).get("threshold", 1),
        "score": score.f1,
        "reason": "\n".join([str(FORM.align(output, reference)), *map(str, score.faults)]),
        "named_scores": named_scores(score),
    }

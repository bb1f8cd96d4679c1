"""A task for Inspect: what stands on a receipt, scored field by field.

inspect eval examples/inspect/receipts.py --model openai/gpt-5-mini
python examples/inspect/receipts.py     # offline: Inspect's mock model says what a model once said
"""

import json
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated, TypedDict

from inspect_ai import Task, eval, task
from inspect_ai.dataset import Sample
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, system_message

import matchwise as mw
from matchwise.integrations.inspect import structured_score
from matchwise.tasks import documents

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "receipts.completions.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


class Receipt(TypedDict):
    shop: Annotated[str, mw.edit()]
    issued: str
    total: Annotated[float, mw.close(abs=0.01)]


@task
def receipts() -> Task:
    return Task(
        dataset=[Sample(input=row["prompt"], target=json.dumps(row["reference"])) for row in ROWS],
        solver=[system_message("Answer with JSON: shop, issued (YYYY-MM-DD), total."), generate()],
        scorer=structured_score(documents.form(Receipt)),
    )


def mock() -> Model:
    """A model that says what was stored, in order."""
    outputs = [ModelOutput.from_content("mockllm/model", row["completion"]) for row in ROWS]
    for output in outputs:
        output.usage = ModelUsage()  # or Inspect would fetch a tokenizer to count it
    return get_model("mockllm/model", custom_outputs=outputs)


def main() -> None:
    (log,) = eval(receipts(), model=mock(), max_samples=1, display="none", log_dir=mkdtemp())
    if log.results is None or not log.samples:
        raise SystemExit(f"the evaluation failed: {log.error}")
    for scored in log.results.scores:
        for name, found in scored.metrics.items():
            print(f"{name:<16} {found.value:.4f}")
    print()
    print(log.samples[1].scores["matchwise"].explanation)


if __name__ == "__main__":
    main()

"""A metric for DSPy and GEPA: the score of a prediction, and as feedback what was wrong in it.

optimizer = dspy.GEPA(metric=feedback_metric(form, field="receipt"), auto="light")
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dspy

from matchwise.corpus.suite import Scorable
from matchwise.integrations.feedback import feedback


def feedback_metric(metric: Scorable, *, field: str) -> Callable[..., Any]:
    """Compare a field of the prediction with the same field of the example, by a form, a suite or a metric."""
    judge = feedback(metric)

    def score(gold: Any, pred: Any, trace: Any = None, pred_name: Any = None, pred_trace: Any = None) -> Any:
        found = judge(getattr(pred, field), getattr(gold, field))
        return dspy.Prediction(score=found.score, feedback=found.text)

    return score

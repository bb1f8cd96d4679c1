"""An evaluator for pydantic-evals: a case has the score of its document, and the reason shows what was wrong.

dataset = Dataset(cases=[Case(inputs=scan, expected_output=receipt)], evaluators=[Structured(form)])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext

from matchwise.corpus.suite import Scorable
from matchwise.integrations.feedback import feedback


@dataclass(repr=False)
class Structured(Evaluator[Any, Any, Any]):
    """Scores the output against the expected output by a form, a suite or a metric."""

    metric: Scorable

    def evaluate(self, ctx: EvaluatorContext[Any, Any, Any]) -> EvaluationReason:
        found = feedback(self.metric)(ctx.output, ctx.expected_output)
        return EvaluationReason(value=found.score, reason=found.text)

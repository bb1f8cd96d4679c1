"""A metric for DeepEval: deterministic, without a model that judges."""

from typing import Any

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase
from receipt import FORM

from matchwise.tasks.documents import Form


class FieldsMetric(BaseMetric):
    """F1 of the fields of the expected output; the reason shows which field was matched with which."""

    def __init__(self, form: Form = FORM, threshold: float = 0.9) -> None:
        self.form = form
        self.threshold = threshold
        self.async_mode = False

    def measure(self, test_case: LLMTestCase, *args: Any, **options: Any) -> float:
        pred, ref = test_case.actual_output, test_case.expected_output
        self.score = self.form.score(pred, ref).f1
        self.reason = str(self.form.align(pred, ref))
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **options: Any) -> float:
        return self.measure(test_case)

    def is_successful(self) -> bool:
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return "Fields"

"""An evaluation by DeepEval, of a right and of an unreadable output; prints the scores."""

import json

from deepeval import evaluate
from deepeval.test_case import LLMTestCase
from deepeval_metric import FieldsMetric

GOLD = {"shop": "Bakery Lund", "issued": "2026-03-14", "total": 12.4}


def case(text: str) -> LLMTestCase:
    return LLMTestCase(input="receipt 1", actual_output=text, expected_output=json.dumps(GOLD))


metric = FieldsMetric()
near = metric.measure(case(json.dumps({**GOLD, "total": 1})))
assert not metric.is_successful()
assert "≠ total  1          12.4" in str(metric.reason)
found = evaluate([case(json.dumps(GOLD)), case("Sorry.")], [FieldsMetric()])
scores = sorted(one.score for result in found.test_results for one in result.metrics_data)
print(json.dumps({"near": near, "scores": scores}))

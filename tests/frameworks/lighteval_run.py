"""The metric for LightEval, computed by LightEval for each sample and for all; prints the score."""

import json
from pathlib import Path

from lighteval.metrics import apply_metric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc
from lighteval_metric import fields_f1

DATA = Path(__file__).parents[2] / "examples" / "data" / "receipts.completions.jsonl"
ROWS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
docs = [Doc(query=row["prompt"], choices=[json.dumps(row["reference"])], gold_index=0) for row in ROWS]
said = [ModelResponse(text=[row["completion"]]) for row in ROWS]
samples = apply_metric(docs=docs, responses=said, metrics=[fields_f1])
aggregate = fields_f1.get_corpus_aggregations()["fields_f1"]
print(json.dumps({"fields_f1": aggregate([one["fields_f1"] for one in samples])}))

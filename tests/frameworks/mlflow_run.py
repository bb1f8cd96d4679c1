"""An evaluation by MLflow in a database of its own: mlflow_run.py FOLDER; prints the metrics."""

import json
import sys

import mlflow
from mlflow_scorer import fields

GOLD = {"shop": "Bakery Lund", "issued": "2026-03-14", "total": 12.4}

mlflow.set_tracking_uri(f"sqlite:///{sys.argv[1]}/mlflow.db")
mlflow.create_experiment("receipts", artifact_location=sys.argv[1])
mlflow.set_experiment("receipts")
found = mlflow.genai.evaluate(
    data=[
        {"inputs": {"scan": "1"}, "outputs": json.dumps(GOLD), "expectations": {"reference": GOLD}},
        {"inputs": {"scan": "2"}, "outputs": "Sorry.", "expectations": {"reference": GOLD}},
    ],
    scorers=[fields],
)
print(json.dumps(found.metrics))

"""A task of lm-evaluation-harness with a model that says what was stored: lm_eval_run.py FOLDER; prints the results."""

import json
from pathlib import Path
from typing import Any

import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

EXAMPLES = Path(__file__).parents[2] / "examples"
ROWS = [json.loads(line) for line in (EXAMPLES / "data/receipts.completions.jsonl").read_text("utf-8").splitlines()]


class Stored(LM):
    """Says what a model once said, in the order of the documents."""

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        return [ROWS[request.doc_id]["completion"] for request in requests]

    def loglikelihood(self, requests: list[Any]) -> Any:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: list[Any]) -> Any:
        raise NotImplementedError


tasks = TaskManager(include_path=str(EXAMPLES / "frameworks"), include_defaults=False)
found = lm_eval.simple_evaluate(model=Stored(), tasks=["receipts"], task_manager=tasks, bootstrap_iters=0)
print(json.dumps({name: found["results"]["receipts"][f"{name},none"] for name in ("fields", "f1")}))

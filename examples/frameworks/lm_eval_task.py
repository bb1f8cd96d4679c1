"""What a task of lm-evaluation-harness computes: a score for each document, and F1 of all of them together."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset
from receipt import FORM

import matchwise as mw

DATA = Path(__file__).parents[1] / "data" / "receipts.completions.jsonl"


def load_rows(**_: Any) -> dict[str, Dataset]:
    """The documents as they are: the JSON reader of `datasets` would make timestamps of dates."""
    return {"test": Dataset.from_list([json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()])}


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Any]:
    """The score of a document, whose mean is the macro score, and its two sides."""
    pair = results[0], doc["reference"]
    return {"fields": FORM.score(*pair).f1, "f1": pair}


def corpus_f1(pairs: Sequence[tuple[str, Any]]) -> float:
    """F1 of the sum of counts of all documents."""
    preds, refs = map(list, zip(*pairs, strict=True))
    return mw.Metric(FORM).compute(predictions=preds, references=refs)["score"]

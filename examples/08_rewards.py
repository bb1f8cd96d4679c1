"""A reward for reinforcement learning, tried on stored completions: no GPU, no trainer, no model.

python examples/08_rewards.py

In a training run the same function goes to the trainer: `GRPOTrainer(..., reward_funcs=[score])`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, TypedDict

import matchwise as mw
from matchwise.tasks import documents

DATA = Path(__file__).parent / "data"


class Receipt(TypedDict):
    shop: Annotated[str, mw.edit()]
    issued: str
    total: Annotated[float, mw.close(abs=0.01)]


def main() -> None:
    lines = (DATA / "receipts.completions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    completions, columns = [row["completion"] for row in rows], {"reference": [row["reference"] for row in rows]}

    form = documents.form(Receipt)
    rewards = {
        "fields": mw.reward(form),
        "mixed": mw.reward(form, weights={"format": 1, "fields": 3, "exactness": 1}),
        "gated": mw.reward(form, floor=0.5, gates=["format"]),
    }
    found = {name: score(completions, **columns) for name, score in rewards.items()}

    print(*(f"{name:>7}" for name in rewards), " completion")
    for place, completion in enumerate(completions):
        shown = " ".join(completion.split())
        print(*(f"{values[place]:7.4f}" for values in found.values()), "", shown[:70])


if __name__ == "__main__":
    main()

"""Rewards in a training loop: completions a second of a form with ten fields, read, scored and weighed on one core.

Small things often: one call for one small document, beside a plain Python function that computes the same number.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import TypedDict

from workload.clock import seconds
from workload.table import Table, duration

from matchwise import Metric, Tally, eq, f1, reward
from matchwise import score as mw_score
from matchwise.tasks import documents

COMPLETIONS = 8_192


class Receipt(TypedDict):
    number: str
    shop: str
    street: str
    city: str
    issued: str
    currency: str
    net: float
    tax: float
    total: float
    items: int


FORM = documents.form(Receipt, fences="strip")


def rollouts(number: int, generations: int = 8) -> tuple[list[str], list[Receipt]]:
    """Several completions of each reference; of a hundred, about ten are no JSON and ten are in a fence."""
    draw = Random(11)
    texts, refs = [], []
    for _ in range(number // generations):
        net = draw.randrange(100, 90_000) / 100
        ref = Receipt(
            number=f"R-{draw.randrange(9999)}", shop=draw.choice(["Aldine", "Bruch & Co"]), street="Lange Gasse 7",
            city=draw.choice(["Ghent", "Basel", "Graz"]), issued=f"2026-03-{draw.randrange(1, 29):02}", currency="EUR",
            net=net, tax=round(net / 5, 2), total=round(net * 1.2, 2), items=draw.randrange(1, 9),
        )  # fmt: skip
        for _ in range(generations):
            pred = {name: value if draw.random() < 0.8 else "?" for name, value in ref.items()}
            text, luck = json.dumps(pred), draw.random()
            texts.append(text[:-9] if luck < 0.1 else f"```json\n{text}\n```" if luck < 0.2 else text)
            refs.append(ref)
    return texts, refs


def main() -> None:
    table = Table("rewards and metrics in loops")
    texts, refs = rollouts(COMPLETIONS)
    score = reward(FORM, weights={"format": 1, "fields": 3, "exactness": 1})
    score(texts[:8], reference=refs[:8])
    for size in (8, 64, 1024):
        parts = [slice(at, at + size) for at in range(0, COMPLETIONS, size)]
        took = seconds(lambda parts=parts: [score(texts[at], reference=refs[at]) for at in parts], times=3)
        rate = COMPLETIONS / took
        row = f"reward of a form of 10 fields, {size} completions at a time"
        table.add(row, f"{rate:,.0f}/s", "≥ 5,000/s", rate >= 5_000)
    pairs = [({"xs": [1, 2, 3]}, {"xs": [2, 3, 4]})] * 64
    metric = Metric(f1("xs", eq()))
    batch = [pred for pred, _ in pairs], [ref for _, ref in pairs]
    table.add("Metric.update of 64 small documents", duration(seconds(lambda: metric.update(*batch), times=50)))
    _small(texts[0], refs[0])


OVER = 10e-6
"""What a call may take beyond the plain function."""


def _small(text: str, ref: Receipt) -> None:
    table = Table("one call for one small document, beside a plain function")
    pred_set, ref_set = {1, 2, 3, 4, 5}, {4, 5, 6, 7, 8}
    phi = f1()
    assert mw_score(phi, pred_set, ref_set) == plain_f1(pred_set, ref_set) == 0.4
    pair = {"xs": [1, 2, 3, 4, 5]}, {"xs": [4, 5, 6, 7, 8]}
    tally, sums = Tally(f1("xs")), Tally(f1("xs"), keep="sums")
    one = reward(FORM)
    [value] = one([text], reference=[ref])
    assert abs(value - plain_fields(text, ref)) < 1e-12, (value, plain_fields(text, ref))
    rows: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
        ("score() of sets of five", lambda: mw_score(phi, pred_set, ref_set), lambda: plain_f1(pred_set, ref_set)),
        ("Tally.add of lists of five", lambda: tally.add(*pair), lambda: plain_counts(*pair)),
        ('Tally(keep="sums").add of lists of five', lambda: sums.add(*pair), lambda: plain_counts(*pair)),
        ("reward of a form of 10 fields", lambda: one([text], reference=[ref]), lambda: plain_fields(text, ref)),
    ]
    for name, ours, plain in rows:
        mine, other = (
            seconds(lambda call=call: [call() for _ in range(100)], times=30) / 100 for call in (ours, plain)
        )
        table.add(
            name,
            duration(mine),
            "≤ 10 µs over",
            mine - other <= OVER,
            peer=duration(other),
            ratio=f"{other / mine:.2f}×",
        )


def plain_f1(pred: set[int], ref: set[int]) -> float:
    return 2 * len(pred & ref) / (len(pred) + len(ref))


def plain_counts(pred: dict[str, list[int]], ref: dict[str, list[int]]) -> tuple[int, int, int]:
    mine, theirs = Counter(pred["xs"]), Counter(ref["xs"])
    return sum((mine & theirs).values()), len(pred["xs"]), len(ref["xs"])


def plain_fields(text: str, ref: Receipt) -> float:
    """Two of the right fields over all fields of both sides."""
    pred = json.loads(text)
    right = sum(pred.get(name) == value for name, value in ref.items())
    return 2 * right / (len(pred) + len(ref))


if __name__ == "__main__":
    main()

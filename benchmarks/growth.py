"""How the time of each operator grows from 2,000 to 8,000 elements, beside what `plan` promises.

A promise without n·m is kept if the exponent is below 1.5, one with it if the exponent is below 2.5.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any

from workload.clock import exponent, seconds
from workload.table import Table, duration

import matchwise as mw

SIZES = [2_000, 4_000, 8_000]
LINEAR, QUADRATIC = 1.5, 2.5

Maker = Callable[[Random, int], list[Any]]


def words(random: Random, n: int) -> list[str]:
    return ["".join(random.choices("abcdefgh", k=12)) for _ in range(n)]


def numbers(random: Random, n: int) -> list[float]:
    return [round(random.random() * n * 10, 2) for _ in range(n)]


def dates(random: Random, n: int) -> list[date]:
    return [date(1, 1, 1) + timedelta(days=random.randrange(20 * n)) for _ in range(n)]


def spans(random: Random, n: int) -> list[tuple[int, int]]:
    return [(start, start + random.randint(1, 9)) for start in (random.randrange(20 * n) for _ in range(n))]


def mixed(random: Random, n: int) -> list[Any]:
    return [value for pair in zip(numbers(random, n // 2), words(random, n // 2), strict=True) for value in pair]


def bags(random: Random, n: int) -> list[list[int]]:
    return [random.choices(range(n), k=3) for _ in range(n)]


CASES: list[tuple[str, mw.Similarity, Maker]] = [
    ("equality", mw.f1("xs"), words),
    ("equality, N:1", mw.overlap("xs", match="N:1"), words),
    ("bags of bags", mw.f1("xs", mw.f1()), bags),
    ("index, edit", mw.overlap("xs", mw.edit(), order="index"), words),
    ("sequence", mw.overlap("xs", order="sequence"), words),
    ("sequence, N:1", mw.overlap("xs", order="sequence", match="N:1"), words),
    ("close", mw.f1("xs", mw.close(abs=0.5)), numbers),
    ("within 3 days", mw.f1("xs", mw.within(days=3)), dates),
    ("spans that touch", mw.f1("xs", mw.touch()), spans),
    ("IoU of spans", mw.f1("xs", mw.iou()), spans),
    ("IoU of spans > 0.5", mw.f1("xs", mw.iou() > 0.5), spans),
    ("union with close", mw.f1("xs", mw.union(None, {float: mw.close(abs=0.5), str: mw.eq()})), mixed),
    ("best, equality", mw.best("xs"), words),
    ("best, close", mw.best("xs", mw.close(abs=0.5)), numbers),
]


def main(wanted: list[str]) -> None:
    table = Table("growth from 2,000 to 8,000 elements: the exponent, and what plan promises")
    for name, phi, make in CASES:
        if not wanted or name in wanted:
            grow(table, name, phi, make)


def grow(table: Table, name: str, phi: mw.Similarity, make: Maker) -> None:
    times = []
    for size in SIZES:
        random = Random(size)
        ref = make(random, size)
        pred = [value if random.random() < 0.8 else other for value, other in zip(ref, make(random, size), strict=True)]
        random.shuffle(pred)
        times.append(seconds(lambda pred=pred, ref=ref: mw.score(phi, {"xs": pred}, {"xs": ref}), times=2))
    found, promise = exponent(SIZES, times), str(mw.plan(phi)).splitlines()[0].split("  ")[-1].strip()
    kept = found < (QUADRATIC if "n·m" in promise else LINEAR)
    table.add(f"{name}: n^{found:.2f}", duration(times[-1]), promise, kept)


if __name__ == "__main__":
    main(sys.argv[1:])

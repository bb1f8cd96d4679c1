"""Whether two results are equal whatever the order of columns and rows, beside trying orders of the columns."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random
from time import perf_counter

from workload.clock import seconds
from workload.table import Table, duration

import matchwise as mw
from matchwise.tasks import results

Rows = list[tuple[int, ...]]
PATIENCE = 5.0
"""Seconds after which trying is given up."""


def pair(random: Random, rows: int, columns: int, values: int) -> tuple[Rows, Rows]:
    """A result, and the same with its columns and its rows in another order."""
    ref = [tuple(random.randrange(values) for _ in range(columns)) for _ in range(rows)]
    order = random.sample(range(columns), columns)
    return [tuple(row[place] for place in order) for row in random.sample(ref, rows)], ref


def try_orders(pred: Rows, ref: Rows) -> bool | None:
    """As test-suite-sql-eval does: each order of the columns whose values occur. None if that takes too long."""
    width, start = len(ref[0]), perf_counter()
    here, there = ([{row[place] for row in side} for place in range(width)] for side in (ref, pred))
    for order in product(*([place for place in range(width) if there[place] <= known] for known in here)):
        if len(set(order)) == width and Counter(ref) == Counter(tuple(row[place] for place in order) for row in pred):
            return True
        if perf_counter() - start > PATIENCE:
            return None
    return False


def main() -> None:
    random, phi = Random(1), results.suite("spider")["exact"]
    table = Table("are two results equal, columns and rows in any order", width=66)
    for rows, columns, values in ((50, 4, 3), (200, 6, 4), (1000, 8, 5), (100, 26, 9)):
        pred, ref = pair(random, rows, columns, values)
        assert mw.score(phi, pred, ref) == 1
        ours = seconds(lambda pred=pred, ref=ref: mw.score(phi, pred, ref), times=5)
        start = perf_counter()
        ended = try_orders(pred, ref)
        peer = perf_counter() - start
        more, ratio = ("", f"{peer / ours:.1f}×") if ended else ("more than ", f"> {peer / ours:.0f}×")
        target = columns < 6 or peer > 2 * ours
        table.add(f"{rows} × {columns}", duration(ours), "≥ 2×", target, peer=more + duration(peer), ratio=ratio)
    cells = results.suite(columns="names")["cells"]
    _, ref = pair(random, 1000, 30, 50)
    apart = [random.sample(column, 1000) for column in zip(*ref, strict=True)]
    scrambled = list(zip(*apart, strict=True))
    assert mw.score(phi, scrambled, ref) == 0
    ours = seconds(lambda: mw.score(phi, scrambled, ref), times=3)
    table.add("1000 × 30, each column in another order", duration(ours), "≤ 1 s", ours <= 1)
    pred = [tuple(value if random.random() < 0.95 else random.randrange(50) for value in row) for row in ref]
    random.shuffle(pred)
    ours = seconds(lambda: mw.score(cells, pred, ref), times=3)
    table.add("F1 of 1000 × 30 cells, columns by name", duration(ours), "≤ 1 s", ours <= 1)
    free = results.suite()["cells"]
    ours = seconds(lambda: mw.plan(free).bounds(pred, ref, time_limit=10), times=1)
    found = mw.plan(free).bounds(pred, ref, time_limit=10)
    table.add(f"… columns free: {found}", duration(ours), "≤ 12 s", ours <= 12)


if __name__ == "__main__":
    main()

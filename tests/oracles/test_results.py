"""Results beside the official scorers, whose verdicts on random tables are frozen here.

test-suite-sql-eval e97acc5 (`result_eq`), BIRD's mini_dev 4d970a9 (`calculate_ex`, `calculate_f1_score`) and Spider2
e12c5f1 (`compare_pandas_table`, with pandas 3.1.1) were called on `tables(seed)` for each seed; a bit is a verdict.
"""

import random
from io import StringIO
from itertools import permutations
from typing import Any

import pytest

import matchwise as mw
from matchwise.formats.results import read_file
from matchwise.tasks import results

Rows = list[tuple[Any, ...]]

POOLS: list[list[Any]] = [
    [0, 1],
    [1, 2, "a", "b"],
    [1, 1.0, 2, 2.5, "1", None],
    [10, 1, 1.0, 10.0, 2.25],
    ["x", "y", None],
    [0.999, 1.0, 1.005, 1.01, 9.999, 10.0, 10],
]


def tables(seed: int) -> tuple[Rows, Rows, bool]:
    """A prediction, a reference that it was made from, and whether the order matters."""
    rng = random.Random(seed)
    height, width, pool = rng.randrange(5), rng.randrange(1, 5), rng.choice(POOLS)
    ref: Rows = [tuple(rng.choice(pool) for _ in range(width)) for _ in range(height)]
    pred = list(ref)
    if rng.random() < 0.7:
        places = rng.sample(range(width), width)
        pred = [tuple(row[place] for place in places) for row in pred]
    if rng.random() < 0.6:
        rng.shuffle(pred)
    if rng.random() < 0.2 and pred:
        pred[rng.randrange(len(pred))] = tuple(rng.choice(pool) for _ in range(width))
    if rng.random() < 0.1 and pred:
        pred.append(rng.choice(pred))
    if rng.random() < 0.1 and width > 1:
        pred = [row[:-1] for row in pred]
    if rng.random() < 0.2:
        pred = [tuple(float(value) if isinstance(value, int) else value for value in row) for row in pred]
    if rng.random() < 0.2:
        pred = [tuple(value + 0.004 if isinstance(value, float) else value for value in row) for row in pred]
    return pred, ref, rng.random() < 0.3


def as_csv(rows: Rows) -> str:
    """A result as a file that pandas reads."""
    head = ",".join(f"c{place}" for place in range(len(rows[0])))
    return "\n".join([head, *(",".join("" if value is None else str(value) for value in row) for row in rows)]) + "\n"


SEEDS = range(480)
SPIDER = (
    "e94c82df17f7e878cef04ef6c5b5bef8fdb933f8dfbddca6eff77b55dcda"
    "077dddd7e3ff77d8c787de6c55aefb0d5fc7344f8fc599f35978faf55dea"
)
BIRD = (
    "f94c8adb13f7a8f9dff44ef0c0d527f938ab33645f3edebce7b5f9ddddf8"
    "960dc5d3a3ffe55c472fde5c5764f9cd57c4b50b5b97bb634839fae74de8"
)
SPIDER2 = (
    "ad5862c60f2bc55808eccb5fe5e79e50fd18b9f88ca9a582db4373dbe4d2"
    "63771d9d691e77e1e5b2537d01bed6201c23144484c5d8fb7f6833bf313a"
)
SOFT = [
    0.833333333333333,
    1.0,
    0.333333333333333,
    1.0,
    1.0,
    1.0,
    0.666666666666667,
    1.0,
    0.823529411764706,
    1.0,
    1.0,
    1.0,
    1.0,
    0.125,
    1.0,
    0.8,
    1.0,
    0.545454545454546,
    0.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    0.25,
    1.0,
    0.333333333333333,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    0.4,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    1.0,
    0.0,
    1.0,
    1.0,
    1.0,
    1.0,
]
"""Of each tenth seed."""


def bits(text: str) -> list[bool]:
    return [bool(int(digit, 16) >> place & 1) for digit in text for place in range(4)]


@pytest.mark.parametrize(("preset", "frozen"), [("spider", SPIDER), ("bird", BIRD)])
def test_verdicts_are_those_of_the_official_program(preset: str, frozen: str) -> None:
    phi = results.suite(preset)["exact"]  # type: ignore[arg-type]
    for seed, verdict in zip(SEEDS, bits(frozen), strict=True):
        pred, ref, ordered = tables(seed)
        assert mw.score(phi, pred, {"rows": ref, "ordered": ordered}) == verdict, seed


def test_spider2_says_of_files_what_pandas_and_its_program_say() -> None:
    phi = results.suite("spider2")["exact"]
    for seed, verdict in zip(SEEDS, bits(SPIDER2), strict=True):
        pred, ref, ordered = tables(seed)
        if pred and ref:
            [mine], [theirs] = read_file(StringIO(as_csv(pred))), read_file(StringIO(as_csv(ref)))
            table = {"columns": theirs.columns, "rows": theirs.rows, "ordered": ordered}
            assert mw.score(phi, mine, table) == verdict, seed


def test_soft_f1_is_that_of_bird() -> None:
    for seed, value in zip(SEEDS[::10], SOFT, strict=True):
        pred, ref, _ = tables(seed)
        assert results.soft_f1(pred, ref) == pytest.approx(value, abs=1e-12), seed


def most_cells(pred: Rows, ref: Rows, ordered: bool) -> int:
    """The most equal cells, by all orders of columns and of rows."""
    few, many = sorted((pred, ref), key=lambda rows: len(rows[0]))
    best = 0
    for columns in permutations(range(len(many[0])), len(few[0])):
        moved = [tuple(row[place] for place in columns) for row in many]
        short, long = sorted((few, moved), key=len)
        same = {(i, j): sum(map(equal, short[i], long[j])) for i in range(len(short)) for j in range(len(long))}
        orders = [range(len(short))] if ordered else permutations(range(len(long)), len(short))
        best = max(best, *(sum(same[i, j] for i, j in enumerate(order)) for order in orders))
    return best


def equal(one: Any, other: Any) -> bool:
    return bool(one == other)


def test_cells_are_those_of_the_best_of_all_orders() -> None:
    suite = results.suite()
    for seed in SEEDS:
        pred, ref, ordered = tables(seed)
        if pred and ref:
            report = mw.Tally(suite).add(pred, {"rows": ref, "ordered": ordered}).report()
            assert report["cells"].counts.matched == most_cells(pred, ref, ordered), seed

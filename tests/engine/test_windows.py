"""Values that are far apart are never compared, and nothing that scores is left out."""

from datetime import date, timedelta
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import matchwise as mw
from matchwise.algebra.nodes import Leaf
from matchwise.engine.many.frame import run
from matchwise.engine.operators.leaves import Windows
from matchwise.engine.plan import plan
from matchwise.engine.reference import score as reference

ends = st.tuples(st.integers(-5, 5), st.integers(0, 4), st.integers(0, 1)).map(
    lambda one: (one[0], one[0] + one[1], one[2])
)


@given(st.lists(ends, max_size=8), st.lists(ends, max_size=8))
def test_intervals_of_one_document_that_meet_are_all_found_once(mine: list[Any], theirs: list[Any]) -> None:
    sides = [tuple(np.array([row[k] for row in side], dtype=int) for k in range(3)) for side in (mine, theirs)]
    windows = Windows(*sides)  # type: ignore[arg-type]
    i, j = windows.pairs()
    expected = [
        (a, b)
        for a, (start, end, document) in enumerate(mine)
        for b, (low, high, other) in enumerate(theirs)
        if document == other and start <= high and low <= end
    ]
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == expected
    assert windows.count() == len(expected)


LEAVES: list[tuple[mw.Similarity, Any]] = [
    (mw.close(abs=0.3), st.floats(-3, 3) | st.integers(-3, 3)),
    (mw.close(rel=0.2), st.floats(-3, 3) | st.sampled_from([0.1, 0.125, 1e300, -1e300, 5e-324])),
    (mw.within(days=2), st.dates(date(2020, 1, 1), date(2020, 1, 20))),
    (mw.iou(), st.tuples(st.integers(0, 6), st.integers(0, 3)).map(lambda one: (one[0], sum(one)))),
    (
        mw.touch(),
        st.tuples(st.integers(0, 6), st.integers(0, 3)).map(lambda one: [(one[0], sum(one)), (9, 9 + one[1])]),
    ),
]


@pytest.mark.parametrize(("phi", "values"), LEAVES)
@given(data=st.data())
def test_values_out_of_reach_score_0(phi: Leaf, values: Any, data: st.DataObject) -> None:
    x, y = data.draw(values), data.draw(values)
    options = dict(phi.options)
    assert phi.kind.reach is not None
    found = phi.kind.reach([phi.kind.feature(x, options), phi.kind.feature(y, options)], options)
    assert found is not None
    (start, other), (end, another) = found
    assert (start <= another and other <= end) or reference(phi, x, y) == 0


def numbers(random: Random) -> list[Any]:
    return [round(random.random() * 400, 1) for _ in range(90)]


def moments(random: Random) -> list[Any]:
    return [date(2020, 1, 1) + timedelta(days=random.randrange(900)) for _ in range(90)]


def spans(random: Random) -> list[Any]:
    return [(start, start + random.randrange(8)) for start in (random.randrange(900) for _ in range(90))]


def parity(span: Any) -> int:
    """What many spans have in common."""
    return int(span[0] % 2)


INNER = [
    (mw.close(abs=0.5), numbers),
    (mw.close(rel=0.01), numbers),
    (mw.union(None, {float: mw.close(abs=0.5), str: mw.eq()}), numbers),
    (mw.within(days=3), moments),
    (mw.iou(), spans),
    (mw.touch(), spans),
    (mw.iou() > 0.4, spans),
    (mw.iou() - 0.2, spans),
    (mw.iou() + mw.touch(), spans),
    (mw.mean(mw.eq(), mw.touch()), spans),
    (mw.mean(mw.iou(), 3 * mw.touch()), spans),
    (mw.eq(parity) * mw.touch(), spans),
    (mw.eq(parity) * mw.touch() * mw.iou(), spans),
]


@pytest.mark.parametrize(("inner", "make"), INNER)
def test_long_lists_score_as_all_pairs_by_the_reference_say(inner: mw.Similarity, make: Any) -> None:
    random = Random(1)
    pred, ref = {"xs": make(random)}, {"xs": make(random)}
    pred["xs"][:30] = ref["xs"][40:70]
    table = np.array([[float(reference(inner, x, y)) for y in ref["xs"]] for x in pred["xs"]])
    for phi, expected in (
        (mw.overlap("xs", inner), table[linear_sum_assignment(table, maximize=True)].sum()),
        (mw.overlap("xs", inner, match="N:1"), table.max(axis=1).sum()),
        (mw.overlap("xs", inner, match="N:N"), table.sum()),
        (mw.best("xs", inner), table.max()),
    ):
        assert run(plan(phi).operator.table, [pred], [ref]).item() == pytest.approx(expected, rel=1e-12)


def test_moments_of_two_kinds_are_still_refused() -> None:
    xs = [date(2020, 1, 1) + timedelta(days=k) for k in range(80)]
    with pytest.raises(mw.DataError, match="cannot compare a"):
        mw.score(mw.f1("xs", mw.within(days=1)), {"xs": xs}, {"xs": [*xs[:-1], "12:30"]})


def test_a_list_that_is_too_long_to_compare_all_pairs_takes_its_time_from_the_pairs_in_reach() -> None:
    xs = [10.0 * k for k in range(30_000)]
    assert mw.score(mw.f1("xs", mw.close(abs=0.5)), {"xs": xs}, {"xs": [x + 0.25 for x in xs]}) == 1


@pytest.mark.parametrize(
    ("inner", "expected"),
    [(mw.mean(mw.eq("span"), mw.touch("span")), 0.5), (mw.eq("type") * mw.touch("span"), 1)],
)
def test_spans_of_one_type_take_their_memory_from_the_pairs_in_reach(inner: mw.Similarity, expected: float) -> None:
    xs = [{"span": (10 * k, 10 * k + 4), "type": "A"} for k in range(30_000)]  # a table of all pairs has 7 GB
    ys = [{"span": (10 * k + 1, 10 * k + 4), "type": "A"} for k in range(30_000)]
    assert mw.score(mw.f1("xs", inner), {"xs": xs}, {"xs": ys}) == expected


def test_a_factor_compares_only_the_elements_of_the_pairs_that_another_one_leaves() -> None:
    asked = []

    def alike(pred: int, ref: int) -> float:
        asked.append((pred, ref))
        return float(pred == ref)

    inner = mw.eq("page") * mw.custom(alike, "at", facts=("unit",))
    metric = mw.f1("cells", mw.eq("pair") * mw.best("boxes", inner))
    document = {"cells": [{"pair": n, "boxes": [{"page": 1, "at": n}]} for n in range(60)]}
    assert mw.evaluate(mw.Suite(cells=metric), [document], [document])["cells"].counts.matched == 60
    assert len(set(asked)) == 60

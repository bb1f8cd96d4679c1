"""Leaves that compare given pairs: the same numbers as one pair by itself, and as a matrix, to the last bit."""

from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from leaf_tables import table_of

from matchwise.algebra.nodes import Leaf
from matchwise.similarities.vocabulary import close, edit, embedding, iou, jaro, judge, tokens, touch, within

WORDS = st.text("ab c", max_size=6)
NUMBERS = st.one_of(st.integers(-3, 3), st.sampled_from([0.1, 0.2, 0.30000000000000004, 1e300, 10**400, 1.01]))
DAYS = st.dates().map(str)
NEAR = st.dates(date(2024, 2, 26), date(2024, 3, 4)).map(str)
POSITIONS = st.one_of(st.integers(0, 9), st.sampled_from([0.1, 0.2, 0.30000000000000004, 2**60, 2**60 + 1]))
SPANS = st.tuples(POSITIONS, POSITIONS).map(lambda ends: tuple(sorted(ends)))


def letters(texts: list[str]) -> list[list[float]]:
    return [[text.count("a") + 0.1, text.count("b") / 3, 2.0 - len(text)] for text in texts]


def same_length(pairs: list[tuple[str, str]]) -> list[bool]:
    return [len(pred) == len(ref) for pred, ref in pairs]


LEAVES = [
    (embedding(letters, version="1"), WORDS),
    (embedding(letters, version="1", scale="shift", floor=0.6), WORDS),
    (judge(same_length, version="1"), WORDS),
    (edit(), WORDS),
    (edit(floor=0.5), WORDS),
    (jaro(), WORDS),
    (tokens(), WORDS),
    (close(abs=0.1), NUMBERS),
    (close(rel=0.1), NUMBERS),
    (within(days=3), DAYS),
    (within(days=3), NEAR),
    (iou(), SPANS),
    (touch(), SPANS),
    (iou(), st.lists(SPANS, min_size=1, max_size=3)),
    (touch(), st.lists(SPANS, min_size=1, max_size=3)),
]


@pytest.mark.parametrize(("leaf", "values"), LEAVES, ids=[repr(leaf) for leaf, _ in LEAVES])
@given(data=st.data())
def test_pairs_score_alone_as_they_do_together(leaf: Leaf, values: Any, data: st.DataObject) -> None:
    pairs = data.draw(st.lists(st.tuples(values, values), min_size=1, max_size=5))
    options = dict(leaf.options)
    xs, ys = ([leaf.kind.feature(pair[side], options) for pair in pairs] for side in (0, 1))
    assert leaf.kind.paired is not None
    places = np.array([*range(len(pairs)), 0]), np.array([*range(len(pairs)), len(pairs) - 1])
    found = leaf.kind.paired(xs, ys, *places, options).tolist()
    wanted = zip([*xs, xs[0]], [*ys, ys[-1]], strict=True)
    assert found == [leaf.kind.compare(x, y, options) for x, y in wanted]
    assert found == table_of(leaf.kind, xs, ys, options)[places].tolist()

"""Many pairs of spans at once are compared as each pair is by itself."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from matchwise.similarities.spans import compare_iou, compare_touch, paired_iou, paired_touch, pieces

places = st.integers(-5, 9) | st.floats(-5, 9, width=16)
span = st.tuples(places, places).map(lambda pair: pieces(tuple(sorted(pair))))
several = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=3).map(
    lambda parts: pieces([(left, left + width) for left, width in parts])
)


@given(st.lists(st.tuples(span, span), max_size=20))
def test_spans_of_one_piece(pairs: list[tuple[object, object]]) -> None:
    _check(pairs)


@given(st.lists(st.tuples(span | several, span | several), max_size=20))
def test_spans_of_several_pieces(pairs: list[tuple[object, object]]) -> None:
    _check(pairs)


def _check(pairs) -> None:  # type: ignore[no-untyped-def]
    fs, gs, places = [f for f, _ in pairs], [g for _, g in pairs], np.arange(len(pairs))
    assert paired_iou(fs, gs, places, places, {}).tolist() == [compare_iou(f, g, {}) for f, g in pairs]
    assert paired_touch(fs, gs, places, places, {}).tolist() == [compare_touch(f, g, {}) for f, g in pairs]


def test_spans_of_many_pieces_share_what_their_pieces_share() -> None:
    random = Random(3)
    drawn = [sorted(random.sample(range(900), 2 * random.choice([1, 5, 60, 200]))) for _ in range(24)]
    spans = [pieces(list(zip(ends[::2], ends[1::2], strict=True))) for ends in drawn]
    for f in spans:
        for g in spans:
            shared = sum(max(0, min(b, d) - max(a, c)) for a, b in f for c, d in g)
            total = sum(b - a for a, b in (*f, *g)) - shared
            assert compare_iou(f, g, {}) == shared / total
            assert compare_touch(f, g, {}) == (shared > 0)
    _check([(f, g) for f in spans for g in spans])

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

import matchwise as mw
from matchwise.similarities.spans import compare_iou, compare_touch, head, iou, left, pieces, right, touch


@dataclass(frozen=True)
class Mention:
    left: int
    right: int
    head: Any = None


class Span(NamedTuple):
    start: int
    end: int


FORMS = [
    Mention(2, 6),
    Span(2, 6),
    {"start": 2, "end": 6},
    {"left": 2, "right": 6},
    range(2, 6),
    (2, 6),
    [2, 6],
    [(2, 6)],
]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_every_form_of_a_span_is_the_same_span(score, form):
    assert score(iou(), (0, 4), form) == 2 / 6


@pytest.mark.parametrize(
    ("pred", "ref", "value"),
    [
        ((0, 4), (4, 8), 0),
        ((0, 4), (0, 4), 1),
        ((0, 10), (2, 4), 2 / 10),
        ([(0, 2), (5, 8)], (1, 6), 2 / 8),
        ([(0, 2), (2, 4)], (0, 4), 1),
        ([(5, 8), (0, 2)], [range(2), Span(5, 8)], 1),
        ([(0, 3), (1, 2)], (0, 3), 1),
        ((0.5, 1.5), (1.0, 1.5), 0.5),
        ((3, 3), (3, 3), 1),
        ((3, 3), (4, 4), 0),
        ((3, 3), (0, 9), 0),
        ([(0, 2), (3, 3)], (0, 2), 1),
        ([(3, 3), (3, 3)], (3, 3), 1),
        ((np.int64(0), np.int64(4)), (2, 6), 2 / 6),
        ((-4, 0), (-2, 2), 2 / 6),
    ],
)
def test_iou_is_the_shared_part_of_the_joint_extent(score, pred, ref, value):
    assert score(iou(), pred, ref) == value


@pytest.mark.parametrize(
    ("pred", "ref", "value"),
    [((0, 4), (3, 9), 1), ((0, 4), (4, 9), 0), ([(0, 1), (8, 9)], (2, 8), 0), ((3, 3), (3, 3), 1), ((3, 3), (2, 4), 0)],
)
def test_touch_asks_for_one_shared_position(score, pred, ref, value):
    assert score(touch(), pred, ref) == value


def test_left_and_right_compare_the_outer_ends(score):
    assert (score(left(), (0, 4), [(0, 1), (3, 9)]), score(right(), (0, 4), (0, 9))) == (1, 0)
    assert (score(left(), (1, 4), (0, 4)), score(right(), Mention(1, 4), range(4))) == (0, 1)


def test_head_compares_the_head_of_objects_and_mappings(score):
    assert score(head(), Mention(0, 4, head=2), {"head": 2}) == 1
    assert score(head(), Mention(0, 4, head="man"), Mention(0, 4, head="dog")) == 0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ((6, 2), r"expected a span with start ≤ end, found \[6, 2\)"),
        (3, r"expected a span \(start and end, a range, or a pair\), found int 3"),
        (None, r"expected a span \(start and end, a range, or a pair\), found None"),
        ([], r"expected a span \(start and end, a range, or a pair\), found list \[\]"),
        ("ab", r"expected a span \(start and end, a range, or a pair\), found str 'ab'"),
        (range(0, 9, 2), r"expected a span \(start and end, a range, or a pair\), found range range\(0, 9, 2\)"),
        (range(0, 4, 2), r"expected a span \(start and end, a range, or a pair\), found range range\(0, 4, 2\)"),
        ({"start": 1}, r"expected a span \(start and end, a range, or a pair\), found dict {'start': 1}"),
        ((1, None), r"expected a position \(a finite number\), found None"),
        ((True, 2), r"expected a position \(a finite number\), found bool True"),
        ((float("nan"), 2), r"expected a position \(a finite number\), found float nan"),
        ([(1, 2), 3, 4], "expected a list of spans, found int 3 in it"),
    ],
)
def test_what_is_no_span_is_refused(score, value, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        score(iou(), value, (0, 1))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ((0, 1), r"expected a span with a head, found tuple \(0, 1\)"),
        (Mention(0, 1), "expected a name, found None"),
        (Mention(0, 1, head=[]), r"expected a hashable name, found list \[\]"),
    ],
)
def test_a_span_without_a_usable_head_is_refused(score, value, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        score(head(), value, Mention(0, 1, head=0))


def test_adjacent_and_overlapping_pieces_are_joined_and_others_are_not() -> None:
    assert pieces([(4, 6), (0, 2), (2, 3), (5, 7)]) == ((0, 3), (4, 7))


def test_pieces_of_no_width_beside_others_are_left_out() -> None:
    assert pieces([(0, 2), (3, 3), (5, 6)]) == ((0, 2), (5, 6))
    assert pieces([(0, 0), (5, 8), (8, 8), (9, 9)]) == ((5, 8),)
    assert pieces([(3, 3), (1, 1), (3, 3)]) == ((1, 1), (3, 3))
    assert pieces([(4, 4)]) == pieces((4, 4)) == ((4, 4),)


def test_three_numbers_are_no_span():
    with pytest.raises(ValueError, match="span"):
        pieces((1, 2, 3))


def test_positions_beyond_what_floats_add_are_shared_exactly():
    phi = mw.parse('f1("xs", iou() > 0.999999)')
    start = 2**60
    pred, ref = {"xs": [(start, start + 3)] * 40}, {"xs": [(start, start + 4)] * 40}
    assert mw.score(phi, pred, ref) == 0.0
    assert mw.score(phi, ref, ref) == 1.0


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

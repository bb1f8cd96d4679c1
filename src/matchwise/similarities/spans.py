"""Spans of text or time, half-open [start, end): how much of them is shared, where they begin, where they end.

A span is an object or a mapping with `start` and `end` (or `left` and `right`), a `range`, or a pair; a list of such
pieces is a discontinuous span. A span of no width is equal to itself and shares nothing with any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra.build import Selectable, selector, word
from matchwise.algebra.leaves import LeafKind, always
from matchwise.algebra.nodes import Leaf, Similarity
from matchwise.arrays import Floats, Integers
from matchwise.similarities import boxes
from matchwise.similarities.values import describe_value, name, same

Position: TypeAlias = int | float
Pieces: TypeAlias = tuple[tuple[Position, Position], ...]
"""The pieces of a span from left to right, none of which touches the next."""

_PLAIN = (int, float)


@word
def iou(sel: Selectable = None, *, box: boxes.BoxForm | None = None) -> Similarity:
    """Intersection over union of two spans, or of two boxes: |x ∩ y| / |x ∪ y|.

    `box` says what the four numbers of a box are: `"xyxy"`, `"xywh"` (COCO) or `"cxcywh"` (YOLO).

    >>> import matchwise as mw
    >>> mw.score(mw.iou(), (0, 4), range(2, 6)) == 2 / 6
    True
    >>> mw.score(mw.iou(box="xyxy"), [0, 0, 4, 4], [2, 0, 6, 4]) == 8 / 24
    True
    """
    return Leaf(IOU, selector(sel)) if box is None else Leaf(boxes.IOU, selector(sel), boxes.form_of(box))


@word
def touch(sel: Selectable = None) -> Similarity:
    """1 if two spans share a position: ⟦x ∩ y ≠ ∅ or x = y⟧.

    >>> import matchwise as mw
    >>> mw.score(mw.touch(), (0, 4), (3, 9)), mw.score(mw.touch(), (0, 4), (4, 9))
    (1.0, 0.0)
    """
    return Leaf(TOUCH, selector(sel))


@word
def left(sel: Selectable = None) -> Similarity:
    """1 if two spans begin at the same place.

    >>> import matchwise as mw
    >>> mw.score(mw.left(), (2, 5), (2, 4))
    1.0
    """
    return Leaf(LEFT, selector(sel))


@word
def right(sel: Selectable = None) -> Similarity:
    """1 if two spans end at the same place.

    >>> import matchwise as mw
    >>> mw.score(mw.right(), (2, 5), (2, 4))
    0.0
    """
    return Leaf(RIGHT, selector(sel))


@word
def head(sel: Selectable = None) -> Similarity:
    """1 if two spans have the same `head`: a position, a word, or anything that hashes.

    >>> import matchwise as mw
    >>> mw.score(mw.head("m"), {"m": {"head": 3}}, {"m": {"head": 3}})
    1.0
    """
    return Leaf(HEAD, selector(sel))


def pieces(value: Any, options: dict[str, Any] | None = None) -> Pieces:
    """The pieces of a span, sorted; overlapping and adjacent ones joined.

    >>> pieces([(5, 8), range(0, 2), (7, 9)]), pieces({"left": 3, "right": 4})
    (((0, 2), (5, 9)), ((3, 4),))
    """
    if (
        type(value) is tuple
        and len(value) == 2
        and type(value[0]) is type(value[1]) in _PLAIN
        and -inf < value[0] <= value[1] < inf
    ):
        return (value,)
    piece = _piece(value)
    if piece is not None:
        return (piece,)
    if not isinstance(value, list | tuple) or not value:
        raise ValueError(f"expected a span (start and end, a range, or a pair), found {describe_value(value)}")
    several = [_piece(part) for part in value]
    if None in several:
        part = value[several.index(None)]
        raise ValueError(f"expected a list of spans, found {describe_value(part)} in it")
    return _join(sorted(piece for piece in several if piece is not None))


def _piece(value: Any) -> tuple[Position, Position] | None:
    """One piece, or None if the value is none."""
    for names in (("start", "end"), ("left", "right")):
        if isinstance(value, Mapping):
            if all(key in value for key in names):
                return _order(*(value[key] for key in names))
        elif all(hasattr(value, key) for key in names):
            return _order(*(getattr(value, key) for key in names))
    match value:
        case range():
            return _order(value.start, value.stop) if value.step == 1 else None
        case [start, end] if not isinstance(start, list | tuple | range | Mapping) and _piece(start) is None:
            return _order(start, end)
    return None


def _order(start: Any, end: Any) -> tuple[Position, Position]:
    start, end = _position(start), _position(end)
    if start > end:
        raise ValueError(f"expected a span with start ≤ end, found [{start}, {end})")
    return start, end


def _position(value: Any) -> Position:
    match value:
        case bool():
            pass
        case Integral():
            return int(value)
        case float() if value - value == 0:  # neither NaN nor infinite
            return float(value)
    raise ValueError(f"expected a position (a finite number), found {describe_value(value)}")


def _join(several: list[tuple[Position, Position]]) -> Pieces:
    wide = [piece for piece in several if piece[0] < piece[1]]
    joined: list[tuple[Position, Position]] = []
    for start, end in wide or several:
        if joined and start <= joined[-1][1] and wide:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        elif not joined or joined[-1] != (start, end):
            joined.append((start, end))
    return tuple(joined)


def start_of(value: Any, options: dict[str, Any]) -> Position:
    return pieces(value)[0][0]


def end_of(value: Any, options: dict[str, Any]) -> Position:
    return pieces(value)[-1][1]


def head_of(value: Any, options: dict[str, Any]) -> Any:
    if isinstance(value, Mapping) and "head" in value:
        return name(value["head"])
    if not isinstance(value, Mapping) and hasattr(value, "head"):
        return name(value.head)
    raise ValueError(f"expected a span with a head, found {describe_value(value)}")


def reach(fs: list[Pieces], options: dict[str, Any]) -> tuple[list[float], list[float]] | None:
    """From the start of the first piece to the end of the last."""
    try:
        return [float(f[0][0]) for f in fs], [float(f[-1][1]) for f in fs]
    except OverflowError:
        return None


def compare_iou(f: Pieces, g: Pieces, options: dict[str, Any]) -> float:
    if f == g:
        return 1.0
    shared = _shared_length(f, g)
    return shared / (_width(f) + _width(g) - shared) if shared else 0.0


def compare_touch(f: Pieces, g: Pieces, options: dict[str, Any]) -> int:
    return int(f == g or _shared_length(f, g) > 0)


def paired_touch(fs: list[Pieces], gs: list[Pieces], a: Integers, b: Integers, options: dict[str, Any]) -> Floats:
    """Spans of one piece are compared as arrays: tcpWER of a meeting takes half of the time."""
    i, j = np.broadcast_arrays(a, b)
    (starts, ends), (others, lasts) = (
        np.array([(f[0][0], f[-1][1]) for f in some]).reshape(-1, 2).T for some in (fs, gs)
    )
    made = np.maximum(starts[i], others[j]) < np.minimum(ends[i], lasts[j])
    made |= (starts[i] == others[j]) & (ends[i] == lasts[j])
    several = [np.array([len(f) > 1 or max(map(abs, f[0])) > 2**53 for f in some], bool) for some in (fs, gs)]
    for place in zip(*np.nonzero(several[0][i] | several[1][j]), strict=True):
        made[place] = compare_touch(fs[i[place]], gs[j[place]], options)
    found: Floats = made.astype(np.float64)
    return found


def _shared_length(f: Pieces, g: Pieces) -> Position:
    """|f ∩ g|: the pieces are in order, so that those which end too early are passed over once."""
    shared: Position = 0
    first = 0
    for a, b in f:
        while first < len(g) and g[first][1] <= a:
            first += 1
        for c, d in g[first:]:
            if c >= b:
                break
            shared += min(b, d) - max(a, c)
    return shared


def _width(f: Pieces) -> Position:
    return sum(end - start for start, end in f)


facts_iou = always(
    bounded="|x ∩ y| ≤ |x ∪ y|",
    symmetric="∩ and ∪ are symmetric",
    unit="|x ∩ x| = |x ∪ x|, and spans of no width are equal to themselves",
    kernel="Jaccard (Lemma 8) of |x ∩ y|, which is a kernel",
    triangle="1 − φ is the Jaccard distance (Steinhaus)",
)
facts_touch = always(bounded="the values are 0 and 1", symmetric="∩ is symmetric", unit="x = x")

IOU = LeafKind("iou", pieces, compare_iou, facts_iou, reach=reach)
TOUCH = LeafKind("touch", pieces, compare_touch, facts_touch, paired_touch, reach=reach)
LEFT = LeafKind("left", start_of, same, discrete=True)
RIGHT = LeafKind("right", end_of, same, discrete=True)
HEAD = LeafKind("head", head_of, same, discrete=True)

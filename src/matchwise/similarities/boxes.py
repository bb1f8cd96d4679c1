"""Boxes of an image or a page: how much of their area is shared, how far apart their centres are.

A box is four numbers, of which the option `box` says what they are, or an object or mapping that names them. IoU and
GIoU are ratios of areas: pixels and shares of the page give the same number, if both sides use the same. A box of no
area is equal to itself and shares nothing with any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from math import inf, sqrt
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from matchwise.algebra.build import Selectable, selector, word
from matchwise.algebra.leaves import LeafKind, always
from matchwise.algebra.nodes import Leaf, Number, Similarity, _number
from matchwise.arrays import Floats, Integers
from matchwise.errors import ExpressionError, suggestion
from matchwise.similarities.values import Scale, check_scale, describe_value

BoxForm: TypeAlias = Literal["xyxy", "xywh", "cxcywh"]
"""What four numbers are: two corners; a corner, width and height (COCO); the centre, width and height (YOLO)."""


class Corners(NamedTuple):
    """A box as it is compared; the area is the product of width and height as they were given."""

    left: float
    top: float
    right: float
    bottom: float
    area: float


@word
def giou(sel: Selectable = None, *, box: BoxForm = "xyxy", scale: Scale = "clip") -> Similarity:
    """Generalised IoU of two boxes, max(0, IoU − |C ∖ (x ∪ y)| / |C|), where C is the smallest box around both.

    `scale="shift"` gives (1 + GIoU) / 2, so that boxes that do not touch earn the more the closer they are.

    >>> import matchwise as mw
    >>> mw.score(mw.giou(), [0, 0, 4, 4], [0, 0, 4, 2]), mw.score(mw.giou(scale="shift"), [0, 0, 2, 2], [6, 0, 8, 2])
    (0.5, 0.25)
    """
    check_scale(scale)
    return Leaf(GIOU, selector(sel), (*form_of(box), ("scale", scale)))


@word
def centre(sel: Selectable = None, *, within: Number, box: BoxForm = "xyxy") -> Similarity:
    """Closeness of the centres of two boxes, max(0, 1 − distance / within).

    `centre("box", within=2) > 0` asks for less than a distance of 2.

    >>> import matchwise as mw
    >>> mw.score(mw.centre(within=20), [0, 0, 4, 4], [3, 4, 7, 8])
    0.75
    """
    number = _number(within, "set within to", "centre(within=20)")
    if not number:
        raise ExpressionError("within=0 leaves no distance; write centre(within=20)")
    return Leaf(CENTRE, selector(sel), (("within", number), *form_of(box)))


def form_of(box: object) -> tuple[tuple[str, Any], ...]:
    """The option that says what the four numbers are."""
    if box not in get_args(BoxForm):
        raise ExpressionError(f"box={box!r}{suggestion(str(box), get_args(BoxForm))}")
    return (("box", box),)


NAMED: dict[BoxForm, tuple[tuple[str, str, str, str], ...]] = {
    "xyxy": (
        ("x1", "y1", "x2", "y2"),
        ("xmin", "ymin", "xmax", "ymax"),
        ("left", "top", "right", "bottom"),
        ("x0", "y0", "x1", "y1"),
    ),
    "xywh": (("x", "y", "width", "height"), ("x", "y", "w", "h"), ("left", "top", "width", "height")),
    "cxcywh": (("cx", "cy", "width", "height"), ("cx", "cy", "w", "h")),
}
"""How the numbers of a box are named, if they are: the names say the form."""

LARGEST = 1e100
"""The largest coordinate: areas beyond are infinite."""


def corners(value: Any, options: dict[str, Any]) -> Corners:
    """The corners and the area of a box.

    >>> corners({"x": 1, "y": 2, "w": 3, "h": 4}, {"box": "xyxy"})
    Corners(left=1.0, top=2.0, right=4.0, bottom=6.0, area=12.0)
    """
    form, four = options["box"], value
    if isinstance(value, np.ndarray):
        four = value.tolist()
    elif not isinstance(value, list | tuple):
        form, four = _find_named(value)
    if not isinstance(four, list | tuple) or len(four) != 4:
        raise ValueError(f"expected a box of four numbers ({form}), found {describe_value(value)}")
    a, b, c, d = map(_coordinate, four)
    width, height = (c - a, d - b) if form == "xyxy" else (c, d)
    if width < 0 or height < 0:
        needed = "x1 ≤ x2 and y1 ≤ y2" if form == "xyxy" else "a width and a height of at least 0"
        raise ValueError(f"expected a box with {needed} ({form}), found {describe_value(list(four))}")
    match form:
        case "xyxy":
            return Corners(a, b, c, d, width * height)
        case "xywh":
            return Corners(a, b, a + c, b + d, width * height)
        case _:
            return Corners(a - c / 2, b - d / 2, a + c / 2, b + d / 2, width * height)


def _coordinate(number: Any) -> float:
    if type(number) is float and -LARGEST <= number <= LARGEST:
        return number
    if not isinstance(number, bool) and isinstance(number, float | int | Real):  # most are found without asking Real
        try:
            found = float(number)
        except OverflowError:
            found = inf
        if abs(found) <= LARGEST:
            return found
    raise ValueError(f"expected a box of four finite numbers, found {describe_value(number)} in it")


def _find_named(value: Any) -> tuple[BoxForm, Any]:
    for form, several in NAMED.items():
        for names in several:
            if isinstance(value, Mapping):
                if all(name in value for name in names):
                    return form, [value[name] for name in names]
            elif all(hasattr(value, name) for name in names):
                return form, [getattr(value, name) for name in names]
    raise ValueError(
        f"expected a box (four numbers, or x1, y1, x2, y2, or x, y, width, height), found {describe_value(value)}"
    )


def _shared_area(f: Corners, g: Corners) -> float:
    width = min(f.right, g.right) - max(f.left, g.left)
    height = min(f.bottom, g.bottom) - max(f.top, g.top)
    return width * height if width > 0 and height > 0 else 0.0


def compare_iou(f: Corners, g: Corners, options: dict[str, Any]) -> float:
    if f == g:
        return 1.0
    shared = _shared_area(f, g)
    union = f.area + g.area - shared
    return 0.0 if shared == 0 else 1.0 if shared >= union else shared / union


def compare_giou(f: Corners, g: Corners, options: dict[str, Any]) -> float:
    if f == g:
        return 1.0
    around = (max(f.right, g.right) - min(f.left, g.left)) * (max(f.bottom, g.bottom) - min(f.top, g.top))
    union = f.area + g.area - _shared_area(f, g)
    empty = 1.0 if around == 0 else max(0.0, (around - union) / around)
    found = compare_iou(f, g, options) - empty
    return max(0.0, found) if options["scale"] == "clip" else max(0.0, (1 + found) / 2)


def compare_centre(f: Corners, g: Corners, options: dict[str, Any]) -> float:
    across = (f.left + f.right) / 2 - (g.left + g.right) / 2
    down = (f.top + f.bottom) / 2 - (g.top + g.bottom) / 2
    return max(0.0, 1 - sqrt(across * across + down * down) / float(options["within"]))


def _columns(
    fs: list[Corners], gs: list[Corners], a: Integers, b: Integers
) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
    """Left, top, right, bottom and area of the boxes at places that go together."""
    f, g = (np.fromiter(chain.from_iterable(some), np.float64, 5 * len(some)).reshape(-1, 5).T for some in (fs, gs))
    return tuple(column[a] for column in f), tuple(column[b] for column in g)


def paired_iou(fs: list[Corners], gs: list[Corners], a: Integers, b: Integers, options: dict[str, Any]) -> Floats:
    f, g = _columns(fs, gs, a, b)
    return _iou(f, g)[0]


def _iou(f: tuple[Floats, ...], g: tuple[Floats, ...]) -> tuple[Floats, Floats, Any]:
    """IoU, the union, and where two boxes are equal."""
    width = np.minimum(f[2], g[2]) - np.maximum(f[0], g[0])
    height = np.minimum(f[3], g[3]) - np.maximum(f[1], g[1])
    shared = np.where((width > 0) & (height > 0), width * height, 0.0)
    union = f[4] + g[4] - shared
    with np.errstate(divide="ignore", invalid="ignore"):
        made = np.where(shared == 0, 0.0, np.where(shared >= union, 1.0, shared / union))
    equal = np.logical_and.reduce([x == y for x, y in zip(f, g, strict=True)])
    made[equal] = 1.0
    return made, union, equal


def paired_giou(fs: list[Corners], gs: list[Corners], a: Integers, b: Integers, options: dict[str, Any]) -> Floats:
    f, g = _columns(fs, gs, a, b)
    around = (np.maximum(f[2], g[2]) - np.minimum(f[0], g[0])) * (np.maximum(f[3], g[3]) - np.minimum(f[1], g[1]))
    made, union, equal = _iou(f, g)
    with np.errstate(divide="ignore", invalid="ignore"):
        empty = np.where(around == 0, 1.0, np.maximum(0.0, (around - union) / around))
    made = np.maximum(0.0, made - empty if options["scale"] == "clip" else (1 + (made - empty)) / 2)
    made[equal] = 1.0
    return made


def paired_centre(fs: list[Corners], gs: list[Corners], a: Integers, b: Integers, options: dict[str, Any]) -> Floats:
    f, g = _columns(fs, gs, a, b)
    across = (f[0] + f[2]) / 2 - (g[0] + g[2]) / 2
    down = (f[1] + f[3]) / 2 - (g[1] + g[3]) / 2
    return np.maximum(0.0, 1 - np.sqrt(across * across + down * down) / float(options["within"]))


def reach(fs: list[Corners], options: dict[str, Any]) -> tuple[list[float], list[float]] | None:
    """From left to right, or from top to bottom if fewer boxes meet there; None if boxes apart may score, too."""
    if options.get("scale") == "shift" or not fs:
        return None
    across, down = (([f[k] for f in fs], [f[k + 2] for f in fs]) for k in (0, 1))
    return min((across, down), key=_crowding)


def _crowding(sides: tuple[list[float], list[float]]) -> float:
    """The length of all boxes as a share of what they cover together."""
    starts, ends = sides
    return (sum(ends) - sum(starts)) / (max(ends) - min(starts) or 1)


def reach_centre(fs: list[Corners], options: dict[str, Any]) -> tuple[list[float], list[float]]:
    """Half of the distance to both sides, and a little more than rounding."""
    middles = [(f.left + f.right) / 2 for f in fs]
    widths = [float(options["within"]) * (0.5 + 1e-9) + abs(middle) * 1e-12 for middle in middles]
    return [x - w for x, w in zip(middles, widths, strict=True)], [x + w for x, w in zip(middles, widths, strict=True)]


facts_iou = always(
    bounded="|x ∩ y| ≤ |x ∪ y|",
    symmetric="∩ and ∪ are symmetric",
    unit="|x ∩ x| = |x ∪ x|, and boxes of no area are equal to themselves",
    kernel="Jaccard (Lemma 8) of |x ∩ y|, which is a kernel",
    triangle="1 − φ is the Jaccard distance (Steinhaus)",
)
facts_giou = always(
    bounded="GIoU ≤ IoU ≤ 1", symmetric="the smallest box around both is symmetric", unit="C = x ∪ x leaves nothing"
)
facts_centre = always(
    bounded="distances are at least 0",
    symmetric="the distance is symmetric",
    unit="a centre is at distance 0 from itself",
    triangle="1 − φ is a distance, cut off at 1",
)

IOU = LeafKind("iou", corners, compare_iou, facts_iou, paired_iou, reach)
GIOU = LeafKind("giou", corners, compare_giou, facts_giou, paired_giou, reach)
CENTRE = LeafKind("centre", corners, compare_centre, facts_centre, paired_centre, reach_centre)

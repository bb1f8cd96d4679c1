"""Boxes and masks of an image, and what reads them from lists, dictionaries and the answers of models.

>>> found = image('Here: ```json [{"bbox_2d": [10, 20, 40, 60], "label": "stamp"}] ```')
>>> found.boxes
(Region(bbox=(10.0, 20.0, 30.0, 40.0), label='stamp'),)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from matchwise.similarities.boxes import NAMED, corners
from matchwise.tasks.lists import ANSWERS, find_list, missing_key, read_each
from matchwise.views.words import Marked, Words

Regions: TypeAlias = Literal["boxes", "masks"]
"""What is compared of two regions."""

Rectangle: TypeAlias = tuple[float, float, float, float]
"""Left, top, width and height."""

Mask: TypeAlias = tuple[tuple[int, int], ...]
"""The pixels of a region, column by column, as stretches [start, end)."""


@dataclass(frozen=True, slots=True, repr=False)
class Region:
    """A box with its label; detections have a score, and regions of other shapes a mask."""

    bbox: Rectangle
    label: str = ""
    score: float | None = None
    crowd: bool = False
    """Many things that nobody counted: what is found there is neither right nor wrong."""
    area: float | None = None
    """The area by which COCO calls a box small, medium or large, where it is not width times height."""
    mask: Mask | None = None

    @property
    def size(self) -> float:
        return self.bbox[2] * self.bbox[3] if self.area is None else self.area

    def in_words(self, words: Words) -> str:
        """`stamp 10, 20, 30 × 40`."""
        x, y, width, height = (f"{number:.4g}" for number in self.bbox)
        return f"{self.label} {x}, {y}, {width} × {height}".strip()

    def marks(self) -> Marked:
        """Nothing: a box stands on no words."""
        return ()

    def __repr__(self) -> str:
        values = ((name, getattr(self, name)) for name in ("label", "score", "crowd", "area", "mask"))
        said = [f"{name}={value!r}" for name, value in values if value not in ("", None, False)]
        return f"Region({', '.join([f'bbox={self.bbox!r}', *said])})"


@dataclass(frozen=True, slots=True)
class ImageBoxes:
    """The boxes of an image or a page."""

    boxes: tuple[Region, ...] = ()
    id: str | int | None = None
    width: float | None = None
    height: float | None = None
    names: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Number of a class -> its name, where labels are numbers (COCO, YOLO)."""

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            require_number(getattr(self, name), f"{name} of the image")


@dataclass(frozen=True, slots=True)
class UnreadImage:
    """An image as JSON has it; what its numbers mean is said when it is scored."""

    value: Any
    id: str | int | None = None


LISTS = ("boxes", "objects", "detections", "annotations", "predictions", "bboxes", "regions")
LABELS = ("label", "category", "class", "class_name", "name", "type", "category_id", "class_id")
SCORES = ("score", "confidence", "conf", "probability")


def image(document: Any, form: str = "xyxy", *, is_predicted: bool = True) -> ImageBoxes:
    """The boxes of a document: itself, a list, a dictionary that has one, or the text of a model with JSON in it.

    A predicted box whose corners are exchanged is one without any area, and so wrong; in a reference it is an error.
    """
    if isinstance(document, ImageBoxes):
        return document
    if document is None:
        return ImageBoxes()
    if isinstance(document, UnreadImage):
        return image(document.value, form, is_predicted=is_predicted)
    if isinstance(document, str):
        return image(_load(document), form, is_predicted=is_predicted)
    found: Any = document
    about: Mapping[str, Any] = {}
    if isinstance(document, Mapping):
        about, found = document, find_list(document, LISTS)
        if found is None and _find_numbers(document, form) is not None:
            found = [document]
        elif found is None:
            key = next((key for key in ANSWERS if key in document), None)
            if key is None:
                raise missing_key("an image with boxes", document)
            found = _load(document[key])
    if isinstance(found, Mapping):
        found = find_list(found, LISTS) or [found]
    if not isinstance(found, list | tuple):
        raise ValueError(f"expected a list of boxes, found {type(found).__name__}")
    size = about.get("width"), about.get("height")
    made = read_each(lambda one: read_box(one, form, *size, is_predicted=is_predicted), found, "boxes")
    return ImageBoxes(made, about.get("id"), *size)


def _load(text: Any) -> Any:
    from matchwise.tasks.documents.loading import load

    if not isinstance(text, str):
        return text
    value, faults = load(text, fences="find", kinds=list)
    if value is None:
        raise ValueError(f"expected JSON with boxes, but it is {faults[0]}")
    return value


def read_box(
    value: Any, form: str = "xyxy", width: Any = None, height: Any = None, *, is_predicted: bool = True
) -> Region:
    """A box, from four numbers or from a dictionary; `form` says what numbers mean that are not named.

    The width and height of the image are asked for by polygons.

    >>> read_box({"x": 1, "y": 2, "width": 3, "height": 4, "class": "cat", "score": 0.9})
    Region(bbox=(1.0, 2.0, 3.0, 4.0), label='cat', score=0.9)
    """
    if isinstance(value, Region):
        return value
    if not isinstance(value, Mapping):
        return Region(rectangle(value, form, is_predicted=is_predicted))
    found, size = _find_numbers(value, form), value.get("segmentation", value.get("mask"))
    mask = None if size in (None, []) else read_mask(size, width, height)
    if found is None and mask is None:
        raise missing_key("a box with bbox (or bbox_2d, or x, y, width and height)", value)
    label, score = (next((value[key] for key in keys if value.get(key) is not None), None) for keys in (LABELS, SCORES))
    crowd = value.get("iscrowd", value.get("crowd"))
    if crowd not in (0, 1, None):
        raise ValueError(f"expected 0 or 1 as iscrowd, found {crowd!r}")
    if label is not None and not isinstance(label, str | int):
        raise ValueError(f"expected the name or number of a class, found {label!r}")
    return Region(
        rectangle(*found, is_predicted=is_predicted) if found is not None else bounds_of(size, mask or ()),
        "" if label is None else str(label),
        require_number(score, "score"),
        bool(crowd),
        require_number(value.get("area"), "area"),
        mask,
    )


def require_number(value: Any, what: str) -> Any:
    """A number, or None where it is not said."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e100):
        raise ValueError(f"expected a number as the {what}, found {value!r}")
    return value


def _find_numbers(value: Mapping[str, Any], form: str) -> tuple[Any, str] | None:
    """The numbers of a box, and what they mean: Qwen writes bbox_2d, Gemini box_2d with y before x."""
    for key, meant in (("bbox_2d", "xyxy"), ("box_2d", "yxyx"), ("bbox", form), ("box", form), ("rect", form)):
        if value.get(key) is not None:
            return value[key], meant
    named = any(all(name in value for name in names) for several in NAMED.values() for names in several)
    return (value, form) if named else None


def rectangle(value: Any, form: str, *, is_predicted: bool = True) -> Rectangle:
    """Left, top, width and height of four numbers, or of an object that names them."""
    if form == "yxyx" and isinstance(value, list | tuple) and len(value) == 4:
        value, form = [value[1], value[0], value[3], value[2]], "xyxy"
    try:
        made = corners(value, {"box": form})
    except ValueError as error:
        if is_predicted and "x1 ≤ x2" in str(error):
            left, top = value[:2] if isinstance(value, list | tuple) else (0, 0)
            return float(left), float(top), 0.0, 0.0
        raise
    if form != "xyxy" and isinstance(value, list | tuple):  # as exact as they were written
        return made.left, made.top, float(value[2]), float(value[3])
    return made.left, made.top, made.right - made.left, made.bottom - made.top


def read_mask(value: Any, width: Any = None, height: Any = None) -> Mask:
    """The pixels of COCO's run lengths; polygons are drawn by pycocotools.

    >>> read_mask({"size": [2, 3], "counts": [1, 2, 3]}), read_mask({"size": [2, 3], "counts": "123"})
    (((1, 3),), ((1, 3),))
    """
    if isinstance(value, list | tuple):
        try:
            from pycocotools import mask  # type: ignore[import-untyped,unused-ignore]  # it has no types
        except ImportError:
            raise ValueError("polygons are drawn by pycocotools: pip install pycocotools, or write masks") from None
        if not isinstance(width, int) or not isinstance(height, int):
            raise ValueError("expected the width and height of the image beside a polygon")
        value = mask.merge(mask.frPyObjects([list(one) for one in value], height, width))
    if not isinstance(value, Mapping) or not {"size", "counts"} <= value.keys():
        raise ValueError(f"expected a mask with size and counts, found {value!r:.60}")
    size = value["size"]
    if not isinstance(size, list | tuple) or len(size) != 2 or not all(isinstance(n, int) and n > 0 for n in size):
        raise ValueError(f"expected height and width as the size of a mask, found {size!r:.60}")
    counts = value["counts"].encode() if isinstance(value["counts"], str) else value["counts"]
    lengths = list(_unpack(counts)) if isinstance(counts, bytes) else counts
    if not isinstance(lengths, list) or not all(isinstance(length, int) and length >= 0 for length in lengths):
        raise ValueError(f"expected run lengths from 0 as counts, found {counts!r:.60}")
    ends = [0]
    for length in lengths:
        ends.append(ends[-1] + length)
    return tuple(span for place, span in enumerate(pairwise(ends)) if place % 2 and span[0] < span[1])


def _unpack(counts: bytes) -> Iterator[int]:
    """The run lengths of COCO's text: five bits a letter; from the third on, the difference to the last but one."""
    made, value, shift = list[int](), 0, 0
    for letter in counts:
        value |= (letter - 48 & 31) << shift
        shift += 5
        if letter - 48 & 32:
            continue
        value -= (1 << shift) if letter - 48 & 16 else 0
        made.append(value + (made[-2] if len(made) > 2 else 0))
        yield made[-1]
        value = shift = 0


def bounds_of(value: Any, mask: Mask) -> Rectangle:
    """The smallest box around a mask, or around polygons."""
    if not mask:
        return 0.0, 0.0, 0.0, 0.0
    if not isinstance(value, Mapping):
        xs, ys = ([float(number) for one in value for number in one[axis::2]] for axis in (0, 1))
        return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)
    height = int(value["size"][0])
    left, right = mask[0][0] // height, (mask[-1][1] - 1) // height + 1
    rows = [(a % height, (b - 1) % height + 1) if a // height == (b - 1) // height else (0, height) for a, b in mask]
    top, bottom = min(a for a, _ in rows), max(b for _, b in rows)
    return float(left), float(top), float(right - left), float(bottom - top)

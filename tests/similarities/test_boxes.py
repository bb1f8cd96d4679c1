from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

import matchwise as mw
from matchwise import ExpressionError, centre, eq, f1, giou, iou


@dataclass(frozen=True)
class Rectangle:
    left: float
    top: float
    right: float
    bottom: float


FORMS = [
    ("xyxy", [2, 0, 6, 4]),
    ("xyxy", (2.0, 0, 6, 4)),
    ("xyxy", np.array([2, 0, 6, 4])),
    ("xyxy", [np.float32(2), np.int64(0), 6, 4]),
    ("xywh", [2, 0, 4, 4]),
    ("cxcywh", [4, 2, 4, 4]),
    ("xywh", Rectangle(2, 0, 6, 4)),
    ("xywh", {"x1": 2, "y1": 0, "x2": 6, "y2": 4}),
    ("xywh", {"x0": 2, "y0": 0, "x1": 6, "y1": 4}),
    ("xywh", {"xmin": 2, "ymin": 0, "xmax": 6, "ymax": 4}),
    ("xyxy", {"x": 2, "y": 0, "width": 4, "height": 4}),
    ("xyxy", {"left": 2, "top": 0, "width": 4, "height": 4}),
    ("xyxy", {"cx": 4, "cy": 2, "w": 4, "h": 4}),
]


@pytest.mark.parametrize(("form", "box"), FORMS, ids=str)
def test_every_form_of_a_box_is_the_same_box(score, form, box):
    assert score(iou(box=form), {"x": 0, "y": 0, "w": 4, "h": 4}, box) == 8 / 24


@pytest.mark.parametrize(
    "names",
    [
        ("x1", "y1", "x2", "y2"), ("xmin", "ymin", "xmax", "ymax"), ("left", "top", "right", "bottom"),
        ("x0", "y0", "x1", "y1"), ("x", "y", "width", "height"), ("x", "y", "w", "h"),
        ("left", "top", "width", "height"), ("cx", "cy", "width", "height"), ("cx", "cy", "w", "h"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_names_say_which_number_is_which_of_a_box_that_is_wider_than_high(score, names):
    """A box from (1, 2) to (7, 4) and one of the same corner that is 2 wide and 4 high share 4 of 16."""
    numbers = {"xy": (1, 2, 7, 4), "xw": (1, 2, 6, 2), "cx": (4, 3, 6, 2)}
    form = "cx" if names[0] == "cx" else "xw" if names[2] in ("w", "width") else "xy"
    named = dict(zip(names, numbers[form], strict=True))
    for box in (named, type("Box", (), named)()):
        assert score(iou(box="xyxy"), box, [1, 2, 3, 6]) == score(iou(box="xywh"), [1, 2, 2, 4], box) == 4 / 16
        assert score(iou(box="cxcywh"), box, [4, 3, 6, 2]) == 1


@pytest.mark.parametrize(
    ("ref", "value"),
    [
        ([0, 0, 4, 4], 1),
        ([4, 0, 8, 4], 0),
        ([0, 4, 4, 8], 0),
        ([9, 9, 12, 12], 0),
        ([1, 1, 3, 3], 4 / 16),
        ([-4, -4, 8, 8], 16 / 144),
        ([3, 3, 5, 5], 1 / 19),
        ([2, 2, 2, 2], 0),
    ],
)
def test_iou_is_the_shared_area_of_the_joint_area(score, ref, value):
    assert score(iou(box="xyxy"), [0, 0, 4, 4], ref) == value


def test_a_box_of_no_area_is_equal_to_itself_only(score):
    assert score(iou(box="xyxy"), [2, 2, 2, 5], [2, 2, 2, 5]) == 1
    assert score(iou(box="xyxy"), [2, 2, 2, 5], [2, 2, 2, 4]) == 0
    assert score(giou(), [2, 2, 2, 5], [2, 2, 2, 4]) == 0


def test_iou_and_giou_do_not_depend_on_the_unit(score):
    pred, ref = [64, 32, 256, 128], [32, 32, 256, 64]
    shares = [[x / 512 for x in box] for box in (pred, ref)]
    for phi in (iou(box="xyxy"), giou(), giou(scale="shift")):
        assert score(phi, pred, ref) == score(phi, *shares)


@pytest.mark.parametrize(
    ("ref", "value"),
    [
        ([0, 0, 4, 4], 1),
        ([0, 0, 4, 2], 0.5),
        ([2, 0, 6, 4], 8 / 24),
        ([2, 2, 6, 6], 4 / 28 - 8 / 36),
        ([4, 4, 8, 8], -0.5),
    ],
)
def test_giou_subtracts_what_neither_covers_of_the_box_around_both(score, ref, value):
    assert score(giou(), [0, 0, 4, 4], ref) == max(0, value)
    assert score(giou(scale="shift"), [0, 0, 4, 4], ref) == (1 + value) / 2


def test_centre_falls_with_the_distance_and_ends_at_within(score):
    found = [score(centre(within=10), [0, 0, 4, 4], [x, y, x + 4, y + 4]) for x, y in ((0, 0), (3, 4), (0, 10), (9, 9))]
    assert found == [1, 0.5, 0, 0]


@pytest.mark.parametrize(
    "phi", [iou("b", box="xywh"), giou("b", box="xywh"), centre("b", within=30, box="xywh")], ids=repr
)
def test_thousands_of_boxes_are_joined_by_their_reach_and_score_as_pair_by_pair(phi):
    draw = Random(3)
    sides = [
        {"boxes": [{"b": [draw.uniform(0, 900), draw.uniform(0, 900), draw.uniform(1, 60), 30.0]} for _ in range(200)]}
        for _ in range(2)
    ]
    metric = f1("boxes", phi, match="N:N")
    wanted = [mw.score(phi, p, r) for p in sides[0]["boxes"] for r in sides[1]["boxes"]]
    assert sum(value > 0 for value in wanted) < len(wanted) / 20
    assert mw.score(mw.overlap("boxes", phi, match="N:N"), *sides) == pytest.approx(sum(wanted), abs=1e-9)
    assert mw.evaluate(metric, sides[:1], sides[1:])["score"].value == mw.score(metric, *sides)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([0, 0, 4], r"expected a box of four numbers \(xyxy\), found list \[0, 0, 4\]"),
        ("0 0 4 4", "expected a box .four numbers, or x1, y1, x2, y2, or x, y, width, height., found str '0 0 4 4'"),
        ({"x": 1, "y": 2}, "expected a box .four numbers"),
        ([0, 0, float("nan"), 4], "expected a box of four finite numbers, found float nan in it"),
        ([0, 0, True, 4], "expected a box of four finite numbers, found bool True in it"),
        ([0, 0, "4", 4], "expected a box of four finite numbers, found str '4' in it"),
        ([0, 0, 1e300, 4], "expected a box of four finite numbers, found float 1e.300 in it"),
        ([4, 0, 0, 4], r"expected a box with x1 ≤ x2 and y1 ≤ y2 \(xyxy\), found list \[4, 0, 0, 4\]"),
        ({"x": 0, "y": 0, "w": -1, "h": 1}, r"expected a box with a width and a height of at least 0 \(xywh\)"),
    ],
)
def test_a_value_that_is_no_box_is_refused_with_its_place(value, message):
    with pytest.raises(mw.DataError, match=rf"boxes\[0\]\.bbox: {message}"):
        mw.score(
            f1("boxes", iou("bbox", box="xyxy")), {"boxes": [{"bbox": value}]}, {"boxes": [{"bbox": [0, 0, 4, 4]}]}
        )


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: iou(box="xyhw"), "box='xyhw'; did you mean 'xywh'"),
        (lambda: giou(scale="shft"), "scale='shft'; did you mean 'shift'"),
        (lambda: centre(within=0), "within=0 leaves no distance; write centre.within=20."),
        (lambda: centre(within=-1), "-1"),
    ],
)
def test_a_wrong_option_is_refused_when_the_leaf_is_built(build, message):
    with pytest.raises(ExpressionError, match=message):
        build()


def test_iou_of_spans_and_of_boxes_are_two_leaves_of_one_word():
    assert iou("x") != iou("x", box="xyxy")
    assert repr(iou("x", box="xyxy") * eq("label")) == 'iou("x", box="xyxy") * eq("label")'
    assert mw.parse('iou("x", box="xywh")') == iou("x", box="xywh")

"""The task boxes: what is read, what counts, which errors there are, and what is drawn."""

from __future__ import annotations

import pytest

import matchwise as mw
from matchwise.tasks import boxes
from matchwise.tasks.boxes import ImageBoxes, Region
from matchwise.tasks.views import view_of
from matchwise.views.html import to_html
from matchwise.views.text import to_text

STAMP = {"bbox": [0, 0, 10, 10], "label": "stamp"}


def value(preset="iou", metric="boxes", *, pred, ref, **options):
    return mw.score(boxes.suite(preset, **options)[metric], pred, ref)


@pytest.mark.parametrize(
    "pred",
    [
        [{"bbox": [10, 20, 40, 60], "label": "cup"}],
        [{"bbox_2d": [10, 20, 40, 60], "label": "cup"}],
        [{"box_2d": [20, 10, 60, 40], "label": "cup"}],
        [{"x": 10, "y": 20, "width": 30, "height": 40, "class": "cup"}],
        {"objects": [{"box": {"xmin": 10, "ymin": 20, "xmax": 40, "ymax": 60}, "name": "cup"}]},
        {"bbox_2d": [10, 20, 40, 60], "label": "cup"},
        '[{"bbox_2d": [10, 20, 40, 60], "label": "cup"}]',
        'A cup: ```json\n[{"bbox_2d": [10, 20, 40, 60], "label": "cup"}]\n```',
        {"id": 1, "response": '<think>[1]</think> {"boxes": [{"bbox": [10, 20, 40, 60], "label": "cup"}]}'},
        ImageBoxes((Region((10, 20, 30, 40), "cup"),)),
    ],
    ids=str,
)
def test_every_way_to_write_a_box_is_the_same_box(pred):
    assert value(pred=pred, ref=[Region((10, 20, 30, 40), "cup")]) == 1


@pytest.mark.parametrize(
    ("form", "four"), [("xyxy", [4, 6, 10, 14]), ("xywh", [4, 6, 6, 8]), ("cxcywh", [7, 10, 6, 8])]
)
def test_box_says_what_four_numbers_are(form, four):
    assert value(pred=[four], ref=[four], box=form) == 1
    assert boxes.image([four], form).boxes == (Region((4.0, 6.0, 6.0, 8.0)),)


def test_a_scale_turns_predictions_into_pixels_of_the_image():
    ref = {"width": 640, "height": 480, "boxes": [{"bbox": [64, 48, 320, 240], "label": "cup"}]}
    pred = [{"bbox_2d": [100, 100, 500, 500], "label": "cup"}]
    assert value(pred=pred, ref=ref, scale=1000) == 1
    assert value(pred=pred, ref=ref) == 0
    with pytest.raises(mw.DataError, match="expected the width and height of the image"):
        value(pred=pred, ref=[STAMP], scale=1000)


def test_a_predicted_box_whose_corners_are_exchanged_is_wrong_and_a_reference_is_refused():
    pred = [{"bbox": [10, 10, 0, 0], "label": "stamp"}]
    assert mw.evaluate(boxes.suite(), [pred], [[STAMP]])["boxes"].counts == mw.Counts(0, 1, 1)
    with pytest.raises(mw.DataError, match=r"reference: boxes\[0\]: expected a box with x1 ≤ x2"):
        value(pred=[STAMP], ref=pred)


@pytest.mark.parametrize(
    ("pred", "message"),
    [
        ("no boxes here", "expected JSON with boxes, but it is not JSON"),
        ({"id": 1, "width": 4}, "expected an image with boxes, found the keys id, width"),
        ([{"label": "cup"}], r"boxes\[0\]: expected a box with bbox .*, found the keys label"),
        ([{**STAMP, "score": "high"}], r"boxes\[0\]: expected a number as the score, found 'high'"),
        ([{**STAMP, "label": ["cup"]}], r"boxes\[0\]: expected the name or number of a class, found"),
        ([{"bbox": [1, 2, 3]}], r"boxes\[0\]: expected a box of four numbers \(xyxy\)"),
        (7, "expected a list of boxes, found int"),
        ([{"mask": [[0, 0, 4, 0, 4, 4]]}], r"boxes\[0\]: expected the width and height of the image beside a polygon"),
        ([{"mask": {"size": [2, 2], "counts": [1, -2]}}], r"boxes\[0\]: expected run lengths from 0 as counts, found"),
        ([{"mask": 4}], r"boxes\[0\]: expected a mask with size and counts, found 4"),
    ],
    ids=str,
)
def test_what_is_no_box_is_refused_with_its_place(pred, message):
    with pytest.raises(mw.DataError, match=f"prediction: {message}"):
        value(pred=pred, ref=[STAMP])


def test_labels_and_places_are_scored_by_themselves():
    pred = [{"bbox": [0, 0, 10, 8], "label": "logo"}]
    report = mw.evaluate(boxes.suite(), [pred], [[STAMP]])
    assert [report[name].f1 for name in ("boxes", "places", "overlap")] == [0, 1, 0]
    assert value(pred=pred, ref=[STAMP], iou=0.8, metric="places") == 1
    assert value(pred=pred, ref=[STAMP], iou=0.85, metric="places") == 0
    kinds = mw.ontology({"logo": "stamp"}, "label")
    assert value(pred=pred, ref=[STAMP], labels=kinds) == 0.5


def test_the_best_matching_gives_each_detection_a_box_where_greedy_does_not():
    ref = [{"bbox": [0, 0, 10, 10]}, {"bbox": [4, 0, 14, 10]}]
    pred = [{"bbox": [3, 0, 13, 10], "score": 0.9}, {"bbox": [6, 0, 16, 10], "score": 0.8}]
    found = {name: mw.evaluate(boxes.suite(name), [pred], [ref])["at50"].counts for name in ("coco", "optimal")}
    assert found["coco"].matched == 1
    assert found["optimal"].matched == mw.evaluate(boxes.suite(), [pred], [ref])["boxes"].counts.matched == 2


def test_a_crowd_is_neither_missed_nor_wrong_to_find():
    ref = [STAMP, {"bbox": [20, 0, 60, 40], "label": "stamp", "iscrowd": 1}]
    pred = [{**STAMP, "score": 0.9}, {"bbox": [22, 2, 30, 10], "label": "stamp", "score": 0.8}]
    for preset, metric in (("iou", "boxes"), ("coco", "at50"), ("optimal", "at50"), ("panoptic", "rq")):
        assert mw.evaluate(boxes.suite(preset), [pred], [ref])[metric].counts == mw.Counts(1, 1, 1)
    for left, counted in ((14, 1), (15, 1), (16, 0)):  # it is in the crowd if more than half of it is
        near = [{"bbox": [left, 0, left + 10, 10], "label": "stamp"}]
        assert mw.evaluate(boxes.suite(), [near], [ref[1:]])["boxes"].counts == mw.Counts(0, counted, 0)
    other = [*pred, {"bbox": [22, 2, 30, 10], "label": "logo", "score": 0.8}]
    assert mw.evaluate(boxes.suite(), [other], [ref])["boxes"].counts == mw.Counts(1, 2, 1)


def test_coco_needs_a_score_of_each_detection():
    with pytest.raises(
        mw.DataError, match=r"boxes\[0\]: expected a box with a score, by which COCO ranks; use the preset"
    ):
        value("coco", "at50", pred=[STAMP], ref=[STAMP])


def test_coco_numbers_are_those_of_the_presets_that_rank():
    with pytest.raises(mw.ExpressionError, match="write --preset coco"):
        boxes.report(boxes.suite(), [])
    found = boxes.report(boxes.suite("coco"), [([{**STAMP, "score": 0.5}], [STAMP])])
    assert (found["ap_small"], found["ap_large"]) == (pytest.approx(1), -1)
    assert found.labels == {"stamp": pytest.approx(1)}
    assert str(found).startswith(" Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 1.000\n")


def test_masks_are_compared_pixel_by_pixel():
    square, half = ({"size": [4, 4], "counts": counts} for counts in ([0, 8, 8], [0, 4, 12]))
    assert value("panoptic", "pq", pred=[{"mask": square}], ref=[{"mask": square}], regions="masks") == 1
    assert value(metric="overlap", pred=[{"mask": half}], ref=[{"mask": square}], regions="masks") == 0.5
    assert boxes.read_box({"mask": half}).bbox == (0, 0, 1, 4)
    with pytest.raises(mw.DataError, match=r"reference: boxes\[0\]: expected a mask under segmentation or mask"):
        value(pred=[{"mask": half}], ref=[STAMP], regions="masks")


REF = [
    {"bbox": [0, 0, 10, 10], "label": "a"},
    {"bbox": [20, 0, 30, 10], "label": "b"},
    {"bbox": [40, 0, 50, 10], "label": "c"},
    {"bbox": [60, 0, 70, 10], "label": "d"},
    {"bbox": [80, 0, 90, 10], "label": "e"},
]
PRED = [
    {"bbox": [0, 0, 10, 9], "label": "a"},
    {"bbox": [0, 0, 10, 8], "label": "a"},
    {"bbox": [20, 0, 30, 9], "label": "x"},
    {"bbox": [40, 0, 50, 4], "label": "c"},
    {"bbox": [60, 0, 70, 4], "label": "x"},
    {"bbox": [0, 50, 10, 60], "label": "a"},
]


@pytest.mark.parametrize("metric", ["boxes", "overlap"])
def test_errors_have_the_kinds_of_tide(metric):
    [levels] = boxes.errors(boxes.suite(), metric)([PRED], [REF])
    wanted = ["class", "class and location", "duplicate", "location", "missed", "spurious"]
    found = {case.kind for case in levels[0].cases}
    assert found == set(wanted)
    if metric == "boxes":
        assert sorted(case.kind for case in levels[0].cases) == wanted


def test_errors_of_ranked_and_panoptic_presets_add_up():
    ranked = [{**one, "score": 0.5} for one in PRED]
    for preset, metric in (("coco", "at50"), ("optimal", "at75"), ("panoptic", "rq"), ("panoptic", "sq")):
        [levels] = boxes.errors(boxes.suite(preset), metric)([ranked], [REF])
        assert (levels[0].matched, levels[0].predicted, levels[0].reference) == (1, 6, 5)


def test_a_view_draws_the_boxes_of_both_sides():
    pred, ref = {"boxes": PRED}, {"width": 200, "height": 100, "boxes": REF}
    made = view_of("boxes", boxes.suite(), "boxes", pred, ref)
    drawn = to_html(made)
    assert '<svg class="mw-picture" viewBox="0 0 200 100"' in drawn
    assert drawn.count('<g class="') == len(PRED) + len(REF)
    assert "predicted: x (wrong)" in drawn
    assert "<svg" not in to_text(made)
    assert "duplicate" in to_text(made)


def test_labels_of_a_picture_are_escaped():
    [evil] = [{"bbox": [0, 0, 1, 1], "label": "<script>"}]
    assert "<script>" not in to_html(view_of("boxes", boxes.suite(), "boxes", [evil], [evil]))


def test_a_box_without_a_score_is_named_by_its_place_in_the_prediction():
    pred = [{**STAMP, "score": 0.5}, {"bbox": [0, 0, 1, 1], "label": "logo"}]
    with pytest.raises(mw.DataError, match=r"prediction: boxes\[1\]: expected a box with a score, by which COCO ranks"):
        value("coco", "at50", pred=pred, ref=[STAMP])
    with pytest.raises(mw.DataError, match=r"prediction: boxes\[1\]: expected a box with a score"):
        boxes.report(boxes.suite("coco"), [(pred, [STAMP])])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"iscrowd": "0"}, "expected 0 or 1 as iscrowd, found '0'"),
        ({"area": [100]}, r"expected a number as the area, found \[100\]"),
        ({"score": float("nan")}, "expected a number as the score, found nan"),
        ({"bbox": [0, 0, 10**400, 5]}, "expected a box of four finite numbers, found int 1000"),
    ],
)
def test_parts_of_a_box_that_are_no_numbers_are_refused(more, message):
    with pytest.raises(mw.DataError, match=message):
        value(pred=[STAMP], ref=[{**STAMP, **more}])


def test_the_box_around_a_mask_begins_where_the_mask_does():
    mask = {"size": [4, 5], "counts": [5, 2, 2, 2, 2, 1, 6]}  # rows 1 and 2 of the columns 1 and 2, row 1 of column 3
    [found] = boxes.image([{"mask": mask}]).boxes
    assert found.bbox == (1.0, 1.0, 3.0, 2.0)


def test_the_size_of_an_image_is_a_number():
    with pytest.raises(mw.DataError, match="expected a number as the width of the image, found '640'"):
        value(pred=[STAMP], ref={"width": "640", "height": 480, "boxes": [STAMP]}, scale=1000)


def test_a_predicted_box_with_names_whose_corners_are_exchanged_is_wrong():
    pred = [{"bbox": {"x1": 10, "y1": 10, "x2": 0, "y2": 0}, "label": "stamp"}]
    assert mw.evaluate(boxes.suite(), [pred], [[STAMP]])["boxes"].counts == mw.Counts(0, 1, 1)


@pytest.mark.parametrize("key", ["iscrowd", "crowd"])
def test_a_crowd_has_one_of_two_keys(key: str) -> None:
    assert boxes.read_box({"bbox": [0, 0, 1, 1], key: 1}).crowd
    assert not boxes.read_box({"bbox": [0, 0, 1, 1], key: 0}).crowd
    with pytest.raises(ValueError, match="expected 0 or 1 as iscrowd, found 2"):
        boxes.read_box({"bbox": [0, 0, 1, 1], key: 2})


@pytest.mark.parametrize(
    ("side", "areas"),
    [(31, "small"), (32, "small medium"), (33, "medium"), (95, "medium"), (96, "medium large"), (97, "large")],
)
def test_an_area_includes_both_of_its_ends(side: int, areas: str) -> None:
    ref = ImageBoxes((Region((0, 0, side, side), "cup"),))
    pred = ImageBoxes((Region((0, 0, side, side), "cup", 0.9),))
    found = boxes.report(boxes.suite("coco"), [(pred, ref)])
    assert [name for name in ("small", "medium", "large") if found[f"ap_{name}"] > 0.999] == areas.split()
    assert [name for name in ("small", "medium", "large") if found[f"ar_{name}"] > 0.999] == areas.split()


def test_polygons_of_json_are_drawn_in_their_image_and_have_a_box() -> None:
    one = {"width": 100, "height": 100, "boxes": [{"segmentation": [[10, 10, 60, 20, 50, 70, 5, 60]]}]}
    other = {"width": 100, "height": 100, "boxes": [{"segmentation": [[12, 10, 62, 20, 52, 70, 7, 60]]}]}
    assert boxes.image(one).boxes[0].bbox == (5, 10, 55, 60)
    found = {regions: mw.score(boxes.suite(regions=regions)["overlap"], one, other) for regions in ("boxes", "masks")}
    assert found == pytest.approx({"boxes": 53 / 57, "masks": 233 / 257}, abs=1e-12)


def test_a_box_without_any_polygon_has_no_mask() -> None:
    one = {"bbox": [0, 0, 4, 4], "label": "cup", "segmentation": []}
    assert boxes.read_box(one).mask is None
    assert mw.evaluate(boxes.suite(), [[one]], [[one]])["boxes"].f1 == 1
    with pytest.raises(mw.DataError, match=r"prediction: boxes\[0\]: expected a mask under segmentation or mask"):
        mw.evaluate(boxes.suite(regions="masks"), [[one]], [[one]])


def test_only_the_best_hundred_detections_of_a_label_in_an_image_count():
    wrong = [{"bbox": [100, 100, 110, 110], "label": "stamp", "score": 0.9}] * 100
    right = {**STAMP, "score": 0.5}
    pairs = [([*wrong, right], [STAMP]), ([*wrong[1:], right], [STAMP])]
    assert boxes.report(boxes.suite("coco"), pairs)["ar100"] == 0.5

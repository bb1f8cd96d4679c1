"""Files of boxes: coco, yolo, labelstudioboxes and boxlines."""

from __future__ import annotations

import json
from io import StringIO

import pytest

from matchwise.cli import main
from matchwise.errors import FormatError
from matchwise.formats import format_of
from matchwise.formats.boxes import LABELSTUDIOBOXES, read_boxlines, read_coco, read_labelstudio, read_yolo
from matchwise.tasks import boxes
from matchwise.tasks.boxes import Region

GOLD = {
    "images": [{"id": 9, "width": 640, "height": 480}, {"id": 2, "width": 64, "height": 48}],
    "categories": [{"id": 3, "name": "car"}],
    "annotations": [
        {"id": 1, "image_id": 9, "category_id": 3, "bbox": [0, 0, 5, 5], "area": 20, "iscrowd": 0},
        {"id": 2, "image_id": 9, "category_id": 3, "bbox": [50, 0, 90, 50], "area": 45, "iscrowd": 1},
    ],
}


def read(value):
    return list(read_coco(StringIO(json.dumps(value))))


def test_coco_has_all_images_in_the_order_of_their_ids():
    small, large = read(GOLD)
    assert (small.id, small.boxes, large.id, large.width) == (2, (), 9, 640)
    assert [(one.size, one.crowd) for one in large.boxes] == [(20, False), (45, True)]


def test_results_of_coco_meet_annotations_by_the_names_of_classes(tmp_path, capsys):
    gold, system = tmp_path / "gold.json", tmp_path / "run.json"
    gold.write_text(json.dumps(GOLD, indent=1))
    system.write_text(json.dumps([{"image_id": 9, "category_id": 3, "bbox": [0, 0, 5, 5], "score": 0.9}]))
    assert main(["score", "boxes", str(system), "-r", str(gold), "--by", "label", "--format", "csv"]) == 0
    assert "car" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bbox": [0, 0, -5, 5]}, r"annotations\[0\]: expected a box with a width and a height of at least 0"),
        ({"bbox": [0, 0]}, r"annotations\[0\]: expected a box of four numbers \(xywh\)"),
        ({"category_id": {}}, r"annotations\[0\]: expected the name or number of a class"),
    ],
)
def test_a_broken_annotation_is_named(change, message):
    broken = {**GOLD, "annotations": [{**GOLD["annotations"][0], **change}]}
    with pytest.raises(FormatError, match=message):
        read(broken)


def test_a_folder_of_yolo_has_an_image_for_each_file(tmp_path, capsys):
    (tmp_path / "classes.txt").write_text("cup\nplate\n")
    (tmp_path / "a.txt").write_text("0 0.5 0.5 0.2 0.4 0.9\n\n")
    (tmp_path / "b.txt").write_text("")
    first, second = read_yolo(tmp_path)
    assert (first.id, first.boxes, second.boxes) == ("a", (Region((0.4, 0.3, 0.2, 0.4), "0", 0.9),), ())
    assert boxes.suite().steps[0](first, first)[0].boxes[0].label == "cup"
    assert format_of(str(tmp_path), "boxes") == "yolo"
    (tmp_path / "c.txt").write_text("0 0.5 0.5\n")
    with pytest.raises(FormatError, match=r"c\.txt:1: found 3 columns, expected class x y width height"):
        list(read_yolo(tmp_path))


def test_rectangles_of_label_studio_are_in_percent_and_may_be_rotated():
    def task(rotation, key="annotations"):
        value = {"x": 50, "y": 25, "width": 10, "height": 20, "rotation": rotation, "rectanglelabels": ["cup"]}
        regions = [{"original_width": 200, "original_height": 100, "value": value}, {"value": {"text": ["a"]}}]
        return {"id": 4, key: [{"result": regions}, {"was_cancelled": True, "result": regions}]}

    [found] = read_labelstudio(StringIO(json.dumps([task(0)])))
    assert (found.id, found.width, found.boxes) == (4, 200, (Region((100.0, 25.0, 20.0, 20.0), "cup"),))
    [turned] = read_labelstudio(StringIO(json.dumps([task(90)])))
    assert turned.boxes[0].bbox == pytest.approx((80, 25, 20, 20))
    both = StringIO(json.dumps([{**task(0), **task(90, "predictions")}]))
    [predicted] = list(read_labelstudio(both))[:1]
    assert predicted.boxes == turned.boxes


def test_polygons_of_label_studio_are_in_percent_and_other_shapes_are_refused():
    def read_one(value):
        region = {"original_width": 200, "original_height": 100, "value": value}
        return next(read_labelstudio(StringIO(json.dumps([{"id": 4, "annotations": [{"result": [region]}]}]))))

    [found] = read_one({"points": [[0, 0], [50, 0], [50, 100], [0, 100]], "polygonlabels": ["cup"]}).boxes
    assert (found.label, found.bbox, found.mask) == ("cup", (0.0, 0.0, 100.0, 100.0), ((0, 10_000),))
    with pytest.raises(FormatError, match=r"result\[0\]: found a brush, expected a rectangle or a polygon; export"):
        read_one({"rle": [1], "brushlabels": ["cup"]})
    with pytest.raises(
        FormatError, match=r"result\[0\]: expected the points of a polygon as pairs of numbers, found \[1, 2\]"
    ):
        read_one({"points": [1, 2], "polygonlabels": ["cup"]})
    head = '[{"id": 1, "annotations": [{"result": [{"value": {"points": [], "polygonlabels": ["a"]}}]}]}]'
    assert LABELSTUDIOBOXES.sniff(head, "a.json")
    assert not LABELSTUDIOBOXES.sniff(head.replace("polygonlabels", "labels"), "a.json")


def test_an_answer_that_has_no_boxes_is_an_error_of_its_document(tmp_path, capsys):
    run, gold = tmp_path / "run.jsonl", tmp_path / "gold.jsonl"
    run.write_text('{"id": 1, "response": "I see nothing."}\n{"id": 2, "boxes": [[0, 0, 4, 4]]}\n')
    gold.write_text('{"id": 1, "boxes": [[0, 0, 4, 4]]}\n{"id": 2, "boxes": [[0, 0, 4, 4]]}\n')
    assert [one.id for one in read_boxlines(str(run))] == [1, 2]
    assert main(["score", "boxes", str(run), "-r", str(gold), "--on-error", "skip", "--format", "csv"]) == 4
    assert "expected JSON with boxes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("form", "box"), [("xyxy", (2, 4, 4, 6)), ("xywh", (2, 4, 6, 10)), ("cxcywh", (-1, -1, 6, 10))]
)
def test_four_numbers_of_a_line_mean_what_the_option_says(form, box):
    [found] = read_boxlines(StringIO('{"id": 7, "boxes": [[2, 4, 6, 10]]}'))
    assert boxes.image(found, form).boxes == (Region(tuple(map(float, box))),)


def test_check_asks_the_reference_for_the_size_that_a_scale_needs(tmp_path, capsys):
    gold, system = tmp_path / "gold.json", tmp_path / "run.jsonl"
    gold.write_text(json.dumps(GOLD, indent=1))
    system.write_text('{"id": 2, "boxes": []}\n{"id": 9, "boxes": [{"bbox_2d": [0, 0, 9, 9], "label": "car"}]}\n')
    assert main(["check", "boxes", str(system), "-r", str(gold), "--option", "scale=1000"]) == 0
    assert capsys.readouterr().out == f"{system}: ok, 2 documents\n"


def test_a_task_of_label_studio_may_have_a_strange_id():
    task = {"id": [1, 2], "annotations": [{"result": []}]}
    assert next(read_labelstudio(StringIO(json.dumps([task])))).id is None


def test_a_reference_of_label_studio_is_what_people_drew_and_a_prediction_what_the_model_did():
    def drawn(label):
        value = {"x": 0, "y": 0, "width": 10, "height": 10, "rectanglelabels": [label]}
        return [{"result": [{"original_width": 100, "original_height": 100, "value": value}]}]

    text = json.dumps([{"id": 1, "annotations": drawn("gold"), "predictions": drawn("guess")}])
    labels = {side: next(read_labelstudio(StringIO(text), side=side)).boxes[0].label for side in ("pred", "gold")}
    assert labels == {"pred": "guess", "gold": "gold"}

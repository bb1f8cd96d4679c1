"""Boxes in files, and tracks of boxes: COCO, folders of YOLO, exports of Label Studio, MOTChallenge, and JSON lines.

coco              {"images": [{"id": 1, …}], "categories": [{"id": 3, "name": "car"}], "annotations": [
                      {"image_id": 1, "category_id": 3, "bbox": [x, y, width, height], "iscrowd": 0, "area": 9}]}
                  [{"image_id": 1, "category_id": 3, "bbox": [x, y, width, height], "score": 0.9}]
yolo              a folder with a file for each image: class, centre, width and height as shares, and confidence;
                  classes.txt has the names
labelstudioboxes  [{"id": 1, "annotations": [{"result": [{"original_width": 640, "original_height": 480, "value": {
                      "x": 10, "y": 5, "width": 30, "height": 20, "rectanglelabels": ["car"]}}]}]}]
boxlines          {"id": 1, "boxes": [{"bbox": [0, 0, 5, 5], "label": "car"}]}, or {"id": 1, "response": "…"}
                  with the answer of a model, which has JSON in it
mot               frame, track, left, top, width, height, confidence, …    of a tracker, a file for each video
                  frame, track, left, top, width, height, flag, class, …   of a reference, or gt/gt.txt in its folder
tracklines        {"id": "video 1", "boxes": [{"frame": 1, "track": 7, "bbox": [left, top, width, height]}, …]}
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial
from math import cos, radians, sin
from typing import TYPE_CHECKING, Any, Literal

from matchwise.errors import shorten
from matchwise.formats import Format, has_keys, has_line, objects
from matchwise.formats.io.records import fields, get_list, get_objects, id_of, require, values
from matchwise.formats.io.source import Text, files_of, name_of, open_text, place_errors
from matchwise.tasks.boxes.regions import LISTS, ImageBoxes, Rectangle, Region, UnreadImage, read_box, rectangle
from matchwise.tasks.lists import ANSWERS, read_each

if TYPE_CHECKING:
    from matchwise.tasks.tracks import Counted, TrackSet  # which boxes do without


def read_coco(source: Text) -> Iterator[ImageBoxes]:
    """The images of annotations or results, by their ids; results have those images in which something was found.

    >>> from io import StringIO
    >>> list(read_coco(StringIO('[{"image_id": 7, "category_id": 3, "bbox": [0, 0, 5, 5], "score": 0.9}]')))
    [ImageBoxes(boxes=(Region(bbox=(0.0, 0.0, 5.0, 5.0), label='3', score=0.9),), id=7, width=None, height=None)]
    """
    found: list[tuple[int, dict[str, Any]]] = []
    images: dict[Any, dict[str, Any]] = {}
    names: dict[str, str] = {}
    for number, value in values(source):
        with place_errors(name_of(source), number):
            one = fields(value, "annotations or a result")
            if "image_id" in one:
                found.append((number, one))
                continue
            found += [(number, each) for each in get_objects(one, "annotations", "an annotation")]
            images |= {_image(each, "id", "an image"): each for each in get_objects(one, "images", "an image")}
            names |= {
                str(require(each, "id", "a category")): str(require(each, "name", "a category"))
                for each in get_objects(one, "categories", "a category")
            }
    boxes: dict[Any, list[Region]] = {image: [] for image in images}
    for place, (number, one) in enumerate(found):
        try:
            id = _image(one, "image_id", "an annotation")
            size = [images.get(id, {}).get(side, one.get(side)) for side in ("width", "height")]
            boxes.setdefault(id, []).append(read_box(one, "xywh", *size, is_predicted="score" in one))
        except Exception:
            with place_errors(name_of(source), number, f"annotations[{place}]" if images else ""):
                raise
    for id in sorted(boxes, key=lambda id: (isinstance(id, str), id)):
        about = images.get(id, {})
        with place_errors(name_of(source), None, f"image {id}"):
            made = ImageBoxes(tuple(boxes[id]), id, about.get("width"), about.get("height"), names)
        yield made


def _image(found: dict[str, Any], key: str, what: str) -> int | str:
    id = require(found, key, what)
    if not isinstance(id, int | str):
        raise ValueError(f"expected {key} of {what} as a number or a text, found {id!r}")
    return id


def read_yolo(source: Text) -> Iterator[ImageBoxes]:
    """The images of a folder, each named by its file, or the image of one file."""
    found, names = files_of(source, ".txt"), dict[str, str]()
    if found is None:
        yield ImageBoxes(tuple(_yolo_lines(source)), None, 1, 1)
    files = {id: path for path, id in found or ()}
    if "classes" in files:
        with open_text(files.pop("classes")) as lines:
            names = {str(place): line.strip() for place, line in enumerate(lines)}
    for id, path in files.items():
        yield ImageBoxes(tuple(_yolo_lines(path)), id, 1, 1, names)


def _yolo_lines(source: Text) -> Iterator[Region]:
    with open_text(source) as lines:
        for number, line in enumerate(lines, 1):
            kind, *numbers = line.split() or [""]
            if not kind:
                continue
            with place_errors(name_of(source), number):
                if len(numbers) not in (4, 5):
                    raise ValueError(f"found {len(numbers) + 1} columns, expected class x y width height [confidence]")
                four, score = list(map(float, numbers[:4])), float(numbers[4]) if len(numbers) > 4 else None
                yield read_box({"bbox": four, "label": kind, "score": score}, "cxcywh", is_predicted=False)


def read_labelstudio(source: Text, *, side: Literal["pred", "gold"] = "pred") -> Iterator[ImageBoxes]:
    """The rectangles and polygons of each annotation; a rotated rectangle is the smallest upright box around it."""
    for number, value in values(source):
        with place_errors(name_of(source), number):
            task = fields(value, "a task")
            key = "predictions" if side == "pred" and task.get("predictions") else "annotations"
            for one in get_objects(task, key, "an annotation"):
                if not one.get("was_cancelled"):
                    regions = [part for part in get_objects(one, "result", "a region") if _shape(part)]
                    sizes = [(part.get("original_width"), part.get("original_height")) for part in regions]
                    made = read_each(_region, regions, "result")
                    yield ImageBoxes(made, id_of(task, ("id",)), *(sizes[0] if sizes else (None, None)))


def _shape(region: dict[str, Any]) -> str | None:
    """`rectangle`, `polygon`, `brush`, …; None of what marks no place, such as a choice."""
    value = region.get("value")
    named = value.items() if isinstance(value, dict) else ()
    return next((key.removesuffix("labels") for key, labels in named if key.endswith("labels") and labels), None)


def _region(region: dict[str, Any]) -> Region:
    value, shape = region["value"], _shape(region)
    numbers = {f"original_{side}": region.get(f"original_{side}") for side in ("width", "height")}
    for key, number in (*numbers.items(), ("rotation", value.get("rotation"))):
        if not isinstance(number, int | float | None):
            raise ValueError(f"{key}: expected a number, found {shorten(number)}")
    across, down = ((number or 100) / 100 for number in numbers.values())
    [label, *_] = get_list(value, f"{shape}labels")
    found: dict[str, Any] = {"label": label, "score": region.get("score")}
    if shape == "rectangle":
        four = [require(value, key, "a rectangle") for key in ("x", "y", "width", "height")]
        left, top, width, height = rectangle(four, "xywh", is_predicted=False)
        left, top, width, height = left * across, top * down, width * across, height * down
        turn = radians(value.get("rotation") or 0)  # around the upper left corner
        xs = [0, width * cos(turn), -height * sin(turn), width * cos(turn) - height * sin(turn)]
        ys = [0, width * sin(turn), height * cos(turn), width * sin(turn) + height * cos(turn)]
        found["bbox"] = [left + min(xs), top + min(ys), max(xs) - min(xs), max(ys) - min(ys)]
    elif shape == "polygon":
        points = require(value, "points", "a polygon")
        try:
            found["segmentation"] = [[number for x, y in points for number in (x * across, y * down)]]
        except (TypeError, ValueError):
            raise ValueError(f"expected the points of a polygon as pairs of numbers, found {points!r:.60}") from None
    else:
        raise ValueError(f"found a {shape}, expected a rectangle or a polygon; export the project as COCO")
    return read_box(found, "xywh", *numbers.values(), is_predicted=False)


def read_boxlines(source: Text) -> Iterator[UnreadImage]:
    """The images of JSON lines, as they are written."""
    for number, value in values(source):
        with place_errors(name_of(source), number):
            yield UnreadImage(
                value, id_of(value, ("id", "image_id", "image", "file_name")) if isinstance(value, dict) else None
            )


def _has_rectangles(head: str, name: str) -> bool:
    found = objects(head)
    return bool(re.search("(rectangle|polygon)labels", head)) and any(
        "annotations" in one or "predictions" in one for one in found
    )


_YOLO_LINE = has_line(r"\A\d+( +[\d.eE+-]+){4,5} *(\n|\Z)")

DISTRACTORS = {"MOT15": frozenset[int](), "MOT17": frozenset({2, 7, 8, 12}), "MOT20": frozenset({2, 6, 7, 8, 12})}
"""Benchmark -> classes of the reference that are neither right nor wrong to track: a person on a vehicle, a static
person, a distractor, a reflection, and in MOT20 a vehicle without a motor."""

PEDESTRIAN = 1.0


def read_mot(source: Text, *, benchmark: str = "MOT17", is_reference: bool = False) -> Iterator[TrackSet]:
    """The tracks of a file, or of each file in a folder; in a reference, what does not count is left out.

    >>> from io import StringIO
    >>> next(read_mot(StringIO("1,7,10,20,30,40,1,-1,-1,-1"))).boxes
    (TrackedBox(frame=1, track=7, bbox=(10.0, 20.0, 30.0, 40.0), counts='yes'),)
    """
    if benchmark not in DISTRACTORS:
        raise ValueError(f"benchmark={benchmark} is unknown; write {', '.join(DISTRACTORS)}")
    if (files := _videos(source)) is None:
        found = _read_video(source, None, benchmark, is_reference)
        if found.boxes:
            yield found
    for path, id in files or ():
        yield _read_video(path, id, benchmark, is_reference)


def _videos(source: Text) -> list[tuple[str, str]] | None:
    """The files of a folder, or gt/gt.txt in the folder of each video, and their names; None if it is no folder."""
    if (files := files_of(source, ".txt")) is None:
        return None
    folder = name_of(source)
    nested = [(os.path.join(folder, id, "gt", "gt.txt"), id) for id in sorted(os.listdir(folder))]
    return [one for one in nested if os.path.isfile(one[0])] or files


def _read_video(source: Text, id: str | None, benchmark: str, is_reference: bool) -> TrackSet:
    from matchwise.tasks.tracks import TrackedBox, TrackSet

    made: dict[tuple[int, int], TrackedBox] = {}
    with open_text(source) as lines:
        for number, line in enumerate(lines, 1):
            columns = line.replace(",", " ").split()
            if not columns:
                continue
            try:
                frame, track, bbox, counts = _read_row(columns, benchmark, is_reference)
                if (frame, track) in made:
                    raise ValueError(f"track {track} has two boxes in frame {frame}, expected one")
            except ValueError:
                with place_errors(name_of(source), number):
                    raise
            made[frame, track] = TrackedBox(frame, track, bbox, counts)
    return TrackSet(tuple(made.values()), id)


def _read_row(columns: list[str], benchmark: str, is_reference: bool) -> tuple[int, int, Rectangle, Counted]:
    """The frame, the track, the rectangle, and whether the box counts."""
    if len(columns) < 6:
        raise ValueError(f"found {','.join(columns)!r}, expected frame,track,left,top,width,height")
    frame, track, *four = map(float, columns[:6])
    if not frame.is_integer() or not track.is_integer():
        raise ValueError(f"expected whole numbers as the frame and the track, found {columns[0]}, {columns[1]}")
    more = list(map(float, columns[6:]))
    flag, kind = (*more[:2], *(1.0, PEDESTRIAN)[len(more[:2]) :]) if is_reference else (1.0, PEDESTRIAN)
    is_left_out = flag == 0 or (benchmark != "MOT15" and kind not in (PEDESTRIAN, -1))
    counts: Counted = "distractor" if kind in DISTRACTORS[benchmark] else "no" if is_left_out else "yes"
    return int(frame), int(track), rectangle(four, "xywh", is_predicted=False), counts


COCO = Format(
    name="coco",
    title="COCO's annotations and results",
    looks='"images", "annotations" and "categories", or "image_id" with "bbox" and "score"',
    read=read_coco,
    leaves_out_empty=True,
    sniff=lambda head, name: (
        any("image_id" in one or ("annotations" in one and "images" in one) for one in objects(head))
        or ('"annotations"' in head and '"image_id"' in head)
    ),
)
YOLO = Format(
    name="yolo",
    title="a folder of YOLO's label files",
    looks="files of lines: class x y width height",
    read=read_yolo,
    sniff=lambda head, name: _YOLO_LINE(head, name) or bool(files_of(name, ".txt")),
)
LABELSTUDIOBOXES = Format(
    name="labelstudioboxes",
    title="rectangles and polygons of Label Studio",
    looks='"annotations" with "rectanglelabels" or "polygonlabels"',
    read=read_labelstudio,
    read_reference=partial(read_labelstudio, side="gold"),
    sniff=_has_rectangles,
)
BOXLINES = Format(
    name="boxlines",
    title="JSON lines with boxes, or with the answers of models",
    looks='"boxes" with "bbox" and "label", or "response"',
    read=read_boxlines,
    sniff=has_keys(*LISTS, *ANSWERS),
)


MOT = Format(
    name="mot",
    title="MOTChallenge",
    looks="lines: frame,track,left,top,width,height,confidence",
    read=read_mot,
    read_reference=partial(read_mot, is_reference=True),
    settings=("benchmark",),
    sniff=lambda head, name: (
        has_line(r"\A\d+(\.\d+)?[, ]+-?\d+(\.\d+)?([, ]+-?[\d.eE+-]+){4,}")(head, name) or bool(_videos(name))
    ),
)
TRACKLINES = Format(
    name="tracklines",
    title="JSON lines with tracked boxes",
    looks='"boxes" with "frame", "track" and "bbox"',
    read=read_boxlines,
    sniff=lambda head, name: '"frame"' in head and any("boxes" in one or "tracks" in one for one in objects(head)),
)

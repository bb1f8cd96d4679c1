"""Boxes beside pycocotools and faster-coco-eval, which run here, and panoptica, whose answers are frozen."""

from __future__ import annotations

import contextlib
import io
import json
from random import Random
from typing import Any

import numpy as np
import pytest
from faster_coco_eval import COCO as FasterCOCO
from faster_coco_eval import COCOeval_faster
from pycocotools import mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import matchwise as mw
from matchwise.formats.boxes import read_coco
from matchwise.tasks import boxes

Corpus = tuple[dict[str, Any], list[dict[str, Any]]]


def corpus(seed: int, images: int = 10, labels: int = 3, crowds: float = 0.15) -> Corpus:
    """Annotations and results: small to large boxes, whole and broken numbers, crowds, repetitions, ties, strays."""
    draw = Random(seed)
    shown = [{"id": place * 7 % 31 + 1, "width": 640, "height": 480} for place in range(images)]
    annotations: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []

    def box() -> list[float]:
        size = draw.choice([8, 30, 60, 150, 300])
        width, height = draw.uniform(size / 2, size), draw.uniform(size / 2, size)
        made = [draw.uniform(0, 640 - width), draw.uniform(0, 480 - height), width, height]
        return [float(round(number)) for number in made] if draw.random() < 0.3 else made

    def move(four: list[float]) -> list[float]:
        x, y, width, height = four
        moved = [x + draw.gauss(0, width * 0.12), y + draw.gauss(0, height * 0.12)]
        moved += [max(1.0, side * draw.gauss(1, 0.12)) for side in (width, height)]
        return list(four) if draw.random() < 0.1 else moved

    for one in shown:
        for _ in range(draw.randint(0, 8)):
            label, four = draw.randint(1, labels), box()
            if annotations and draw.random() < 0.3:  # close to another, so that two boxes contest a detection
                four = move(annotations[-1]["bbox"])
            area = four[2] * four[3] * draw.choice([1, 1, 0.6])
            about = {"image_id": one["id"], "category_id": label, "bbox": four}
            crowd = int(draw.random() < crowds)
            annotations.append({"id": len(annotations) + 1, **about, "area": area, "iscrowd": crowd})
            for _ in range(draw.randint(0, 4)):
                label = label if draw.random() < 0.9 else draw.randint(1, labels)
                results.append({**about, "category_id": label, "bbox": move(four), "score": round(draw.random(), 2)})
        for _ in range(draw.randint(0, 120 if seed % 7 == 0 else 3)):
            label = draw.randint(1, labels)
            results.append({"image_id": one["id"], "category_id": label, "bbox": box(), "score": draw.random()})
    draw.shuffle(results)
    kinds = [{"id": label, "name": f"class {label}"} for label in range(1, labels + 1)]
    return {"images": shown, "annotations": annotations, "categories": kinds}, results


def with_masks(found: Corpus) -> Corpus:
    """The same with an ellipse in each box, as run lengths."""

    def draw(one: dict[str, Any]) -> dict[str, Any]:
        x, y, width, height = one["bbox"]
        down, across = np.mgrid[:480, :640]
        inside = ((across - x - width / 2) / (width / 2)) ** 2 + ((down - y - height / 2) / (height / 2)) ** 2 <= 1
        made = mask.encode(np.asfortranarray(inside.astype(np.uint8)))
        return {**one, "segmentation": {"size": made["size"], "counts": made["counts"].decode()}}

    gold, results = found
    drawn = [{key: value for key, value in draw(one).items() if key != "bbox"} for one in results]
    return {**gold, "annotations": list(map(draw, gold["annotations"]))}, drawn


def official(found: Corpus, kind: str = "bbox") -> list[float]:
    gold, results = json.loads(json.dumps(found))
    with contextlib.redirect_stdout(io.StringIO()):
        annotations = COCO()
        annotations.dataset = gold
        annotations.createIndex()
        made = COCOeval(annotations, annotations.loadRes(results), kind)
        made.evaluate()
        made.accumulate()
        made.summarize()
    return [float(value) for value in made.stats]


def ours(found: Corpus, preset: str = "coco", **options: Any) -> dict[str, float]:
    gold, results = (list(read_coco(io.StringIO(json.dumps(side)))) for side in found)
    by_id = {one.id: one for one in results}
    pairs = [(by_id.get(one.id), one) for one in gold]
    return boxes.report(boxes.suite(preset, **options), pairs).scores


@pytest.mark.parametrize("seed", range(30))
def test_coco_is_pycocotools_to_the_last_bit(seed):
    found = corpus(seed)
    assert list(ours(found).values()) == pytest.approx(official(found), abs=1e-15)


@pytest.mark.parametrize("seed", range(10))
def test_coco_is_faster_coco_eval(seed):
    gold, results = found = corpus(seed)
    with contextlib.redirect_stdout(io.StringIO()):
        annotations = FasterCOCO(json.loads(json.dumps(gold)))
        made = COCOeval_faster(annotations, annotations.loadRes(json.loads(json.dumps(results))), "bbox")
        made.evaluate()
        made.accumulate()
        made.summarize()
    assert list(ours(found).values()) == pytest.approx([float(value) for value in made.stats[:12]], abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_masks_are_compared_as_pycocotools_compares_them(seed):
    found = with_masks(corpus(seed, images=4))
    assert list(ours(found, regions="masks").values()) == pytest.approx(official(found, "segm"), abs=1e-15)


def test_a_polygon_is_drawn_by_pycocotools():
    corner = [10.0, 10.0, 90.5, 12.0, 60.0, 80.0]
    drawn = mask.merge(mask.frPyObjects([corner], 100, 120))
    runs = boxes.read_mask({"size": drawn["size"], "counts": drawn["counts"]})
    assert boxes.read_mask([corner], 120, 100) == runs
    assert sum(end - start for start, end in runs) == mask.area(drawn)


def test_optimal_finds_at_least_as_much_as_greedy_and_sometimes_more():
    more = 0
    for seed in range(30):
        found = corpus(seed, crowds=0)
        greedy, optimal = ours(found), ours(found, "optimal")
        assert all(optimal[name] >= greedy[name] - 1e-12 for name in ("ap", "ap50", "ap75", "ar100"))
        more += optimal["ap"] > greedy["ap"]
    assert more > 5


@pytest.mark.parametrize("seed", range(8))
def test_optimal_agrees_with_average_precision_where_every_confidence_differs(seed):
    gold, results = corpus(seed, crowds=0)
    results = [{**one, "score": place / len(results)} for place, one in enumerate(results)][:200]
    sides = [
        [{"boxes": [one for one in side if one["image_id"] == image["id"]]} for image in gold["images"]]
        for side in (results, gold["annotations"])
    ]
    phi = mw.f1("boxes", mw.eq("category_id") * mw.iou("bbox", box="xywh"))
    for assign, preset in (("optimal", "optimal"), ("greedy", "coco")):
        levels = (0.5, 0.75)
        found = mw.average_precision(
            phi, *sides, confidence="score", similarities=levels, by="category_id", assign=assign
        )
        mine = ours((gold, results), preset)
        assert [found[level] for level in levels] == pytest.approx([mine["ap50"], mine["ap75"]], abs=1e-12)


PANOPTICA = {  # panoptica 2.1.7, NaiveThresholdMatching(0.5000001): run lengths of 24 × 32 label maps -> PQ, SQ, RQ
    (
        (
            (53, 3, 21, 3, 21, 3, 664),
            (507, 1, 23, 1, 23, 1, 23, 6, 18, 6, 18, 6, 18, 6, 18, 6, 87),
            (393, 2, 22, 2, 22, 2, 22, 2, 22, 2, 23, 1, 23, 6, 224),
            (347, 3, 21, 3, 21, 5, 19, 5, 19, 5, 19, 5, 19, 5, 19, 5, 248),
            (508, 6, 18, 6, 18, 6, 206),
            (278, 4, 20, 4, 20, 4, 20, 4, 20, 4, 390),
        ),
        (
            (376, 4, 20, 4, 20, 4, 20, 4, 316),
            (29, 3, 21, 3, 21, 3, 688),
            (483, 1, 23, 1, 23, 1, 23, 6, 18, 6, 18, 6, 18, 6, 18, 6, 111),
            (369, 2, 22, 2, 22, 2, 22, 2, 22, 2, 23, 1, 23, 6, 248),
            (323, 5, 19, 5, 19, 5, 19, 5, 19, 5, 19, 5, 19, 5, 19, 5, 272),
            (484, 6, 18, 6, 18, 6, 230),
        ),
    ): (0.23019943019943018, 0.6905982905982906, 0.3333333333333333),
    (
        (
            (320, 6, 18, 3, 21, 3, 21, 3, 21, 6, 18, 6, 18, 6, 18, 6, 274),
            (196, 7, 17, 7, 17, 7, 17, 7, 17, 7, 469),
            (508, 4, 20, 4, 20, 4, 20, 4, 20, 4, 160),
            (347, 3, 21, 3, 21, 3, 370),
            (471, 7, 17, 7, 17, 7, 17, 7, 17, 7, 17, 7, 170),
            (41, 4, 20, 4, 20, 4, 20, 4, 20, 4, 627),
        ),
        (
            (296, 6, 18, 3, 21, 3, 21, 3, 21, 6, 18, 6, 18, 6, 18, 6, 298),
            (72, 7, 17, 7, 17, 7, 17, 7, 17, 4, 20, 4, 20, 4, 20, 4, 524),
            (172, 7, 17, 7, 17, 7, 17, 7, 17, 7, 493),
            (484, 4, 20, 4, 20, 4, 20, 4, 20, 4, 184),
            (323, 3, 21, 3, 21, 3, 394),
            (447, 7, 17, 7, 17, 7, 17, 7, 17, 7, 17, 7, 194),
        ),
    ): (0.4454365079365079, 0.6681547619047619, 0.6666666666666666),
    (
        (
            (159, 2, 22, 3, 21, 3, 21, 3, 534),
            (535, 5, 228),
            (369, 4, 20, 4, 17, 7, 17, 7, 17, 7, 17, 7, 17, 7, 251),
            (155, 3, 21, 3, 20, 4, 20, 4, 20, 4, 20, 4, 490),
            (341, 4, 20, 4, 20, 4, 375),
            (79, 4, 20, 4, 20, 4, 20, 4, 20, 4, 589),
        ),
        (
            (159, 2, 22, 3, 21, 3, 21, 3, 534),
            (535, 5, 228),
            (369, 4, 20, 4, 17, 7, 17, 7, 17, 7, 17, 7, 17, 7, 251),
            (113, 7, 17, 7, 17, 7, 600),
            (154, 4, 20, 4, 20, 4, 20, 4, 20, 4, 20, 4, 490),
            (341, 4, 20, 4, 20, 4, 375),
        ),
    ): (0.8194444444444443, 0.9833333333333332, 0.8333333333333334),
    (
        (
            (483, 7, 17, 7, 17, 7, 17, 7, 20, 4, 20, 4, 158),
            (48, 4, 20, 4, 20, 4, 20, 4, 20, 4, 620),
            (444, 3, 21, 3, 21, 3, 273),
            (224, 7, 17, 7, 17, 7, 17, 7, 17, 7, 17, 7, 417),
            (578, 4, 20, 4, 20, 4, 20, 4, 20, 4, 90),
        ),
        (
            (62, 3, 21, 3, 21, 3, 21, 3, 631),
            (483, 7, 17, 7, 17, 7, 17, 7, 17, 7, 17, 7, 158),
            (48, 4, 20, 4, 20, 4, 20, 4, 20, 4, 620),
            (444, 3, 21, 3, 21, 3, 273),
            (224, 7, 17, 7, 17, 7, 17, 7, 17, 7, 17, 7, 417),
        ),
    ): (0.7714285714285715, 0.9642857142857143, 0.8),
}


@pytest.mark.parametrize("runs", PANOPTICA)
def test_panoptic_quality_is_that_of_panoptica(runs):
    pred, ref = ([{"mask": {"size": [24, 32], "counts": list(one)}} for one in side] for side in runs)
    report = mw.evaluate(boxes.suite("panoptic", regions="masks"), [pred], [ref])
    assert [report[name].value for name in ("pq", "sq", "rq")] == pytest.approx(PANOPTICA[runs], abs=1e-12)


def test_panoptic_quality_of_a_corpus_is_the_mean_over_labels():
    """panopticapi: PQ of each class from its sums over all images, then the mean over classes that occur."""
    ref = [[{"bbox": [0, 0, 10, 10], "label": "sky"}, {"bbox": [20, 0, 30, 10], "label": "road"}]]
    pred = [[{"bbox": [0, 0, 10, 8], "label": "sky"}, {"bbox": [50, 0, 60, 10], "label": "car"}]]
    report = mw.evaluate(boxes.suite("panoptic"), pred, ref, by="label")
    assert report.over_labels("pq") == pytest.approx((0.8 + 0 + 0) / 3)
    assert report["pq"].f1 == pytest.approx(2 * 0.8 / 4)

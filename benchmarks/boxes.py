"""COCO's numbers from JSON to average precision, beside pycocotools and faster-coco-eval; many boxes of one image."""

from __future__ import annotations

import contextlib
import io
import json
from random import Random
from typing import Any

from faster_coco_eval import COCO as FasterCOCO
from faster_coco_eval import COCOeval_faster
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from workload.clock import seconds
from workload.table import Table, duration

import matchwise as mw
from matchwise.formats.boxes import read_coco
from matchwise.tasks import boxes

IMAGES, LABELS = 1_000, 80


def corpus(random: Random) -> tuple[str, str]:
    """Seven things in an image, as in COCO, and 30 detections: most things twice or thrice, and strays."""
    images = [{"id": number, "width": 640, "height": 480} for number in range(1, IMAGES + 1)]
    gold: list[dict[str, Any]] = []
    found: list[dict[str, Any]] = []

    def box() -> list[float]:
        size = random.choice([12, 30, 60, 150, 300])
        return [
            random.uniform(0, 500),
            random.uniform(0, 400),
            size * random.uniform(0.5, 1),
            size * random.random() + 1,
        ]

    for image in images:
        for _ in range(random.randint(2, 12)):
            about = {"image_id": image["id"], "category_id": random.randint(1, LABELS), "bbox": box()}
            area = about["bbox"][2] * about["bbox"][3]
            gold.append({"id": len(gold) + 1, **about, "area": area, "iscrowd": int(random.random() < 0.01)})
            for _ in range(random.randint(0, 4)):
                moved = [number * random.gauss(1, 0.05) for number in about["bbox"]]
                found.append({**about, "bbox": moved, "score": random.random()})
        for _ in range(16):
            label = random.randint(1, LABELS)
            found.append({"image_id": image["id"], "category_id": label, "bbox": box(), "score": random.random() / 2})
    kinds = [{"id": label, "name": f"c{label}"} for label in range(1, LABELS + 1)]
    return json.dumps({"images": images, "annotations": gold, "categories": kinds}), json.dumps(found)


def peer(gold: str, found: str) -> list[float]:
    annotations = COCO()
    annotations.dataset = json.loads(gold)
    annotations.createIndex()
    return finish(COCOeval(annotations, annotations.loadRes(json.loads(found)), "bbox"))


def faster(gold: str, found: str) -> list[float]:
    annotations = FasterCOCO(json.loads(gold))
    return finish(COCOeval_faster(annotations, annotations.loadRes(json.loads(found)), "bbox"))


def finish(made: Any) -> list[float]:
    made.evaluate()
    made.accumulate()
    made.summarize()
    return list(map(float, made.stats[:12]))


def ours(gold: str, found: str) -> list[float]:
    by_id = {one.id: one for one in read_coco(io.StringIO(found))}
    pairs = [(by_id.get(one.id), one) for one in read_coco(io.StringIO(gold))]
    return list(boxes.report(boxes.suite("coco"), pairs).scores.values())


def main() -> None:
    files = corpus(Random(1))
    table = Table(f"COCO's twelve numbers of {IMAGES} images, from JSON", width=66)
    with contextlib.redirect_stdout(io.StringIO()):
        wanted = peer(*files)
        assert max(abs(a - b) for a, b in zip(ours(*files), wanted, strict=True)) < 1e-12
        mine = seconds(lambda: ours(*files), times=3)
        beside = {one.__name__: seconds(lambda one=one: one(*files), times=3) for one in (peer, faster)}
    for name, target in (("peer", 2.0), ("faster", 0.5)):
        said, ratio = {"peer": "pycocotools", "faster": "faster-coco-eval"}[name], beside[name] / mine
        table.add(
            said, duration(mine), f"≥ {target:g}×", ratio >= target, peer=duration(beside[name]), ratio=f"{ratio:.1f}×"
        )
    table = Table("F1 at IoU 0.5, boxes of one image", width=66)
    random = Random(2)
    for number in (1_000, 20_000):
        ref = [
            [x, y, x + 30, y + 12]
            for x, y in ((random.uniform(0, 2000), random.uniform(0, number)) for _ in range(number))
        ]
        pred = [[place + random.gauss(0, 2) for place in one] for one in ref]
        taken = seconds(lambda ref=ref, pred=pred: mw.evaluate(boxes.suite(), [pred], [ref]), times=1)
        table.add(f"{number:,} boxes on each side", duration(taken), "≤ 3 s", taken <= 3)


if __name__ == "__main__":
    main()

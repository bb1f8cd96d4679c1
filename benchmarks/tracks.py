"""HOTA, MOTA and IDF1 of a video from a MOTChallenge file, beside motmetrics."""

from __future__ import annotations

from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import motmetrics
import numpy as np
from workload.clock import seconds
from workload.table import Table, duration

import matchwise as mw
from matchwise.formats.boxes import read_mot
from matchwise.tasks import tracks
from matchwise.tasks.boxes.coco import box_overlaps

FRAMES, THINGS = 1_000, 25


def video(random: Random) -> tuple[str, str]:
    """People who walk on, a tracker that misses a tenth of them, loses their name, and sees ghosts."""
    state = [[random.uniform(0, 1800), random.uniform(0, 900), random.gauss(0, 3), thing] for thing in range(THINGS)]
    last, ref, pred = THINGS, list[str](), list[str]()
    for frame in range(1, FRAMES + 1):
        for thing, one in enumerate(state):
            one[0] = (one[0] + one[2]) % 1800
            if random.random() < 0.01:
                last += 1
                one[3] = last
            ref.append(f"{frame},{thing + 1},{one[0]:.2f},{one[1]:.2f},60,150,1,1,1")
            if random.random() > 0.1:
                left, top = one[0] + random.gauss(0, 4), one[1] + random.gauss(0, 8)
                pred.append(f"{frame},{one[3] + 1:.0f},{left:.2f},{top:.2f},62,148,0.9,-1,-1,-1")
        last += 1
        pred.append(
            f"{frame},{last + 1},{random.uniform(0, 1800):.2f},{random.uniform(0, 900):.2f},60,150,0.4,-1,-1,-1"
        )
    return "\n".join(pred), "\n".join(ref)


def ours(pred: str, ref: str, preset: str) -> dict[str, float]:
    report = mw.evaluate(tracks.suite(preset), list(read_mot(pred)), list(read_mot(ref, is_reference=True)))
    return {name: report[name].value for name in ("mota", "idf1")}


def peer(pred: str, ref: str) -> dict[str, float]:
    """motmetrics, whose own IoU does not run with NumPy 2."""
    boxes: tuple[dict[int, list[Any]], dict[int, list[Any]]] = {}, {}
    for side, path in zip(boxes, (pred, ref), strict=True):
        with open(path) as file:
            for line in file:
                frame, track, *numbers = map(float, line.split(",")[:6])
                side.setdefault(int(frame), []).append((int(track), numbers))
    seen = motmetrics.MOTAccumulator(auto_id=True)
    for frame in sorted({*boxes[0], *boxes[1]}):
        mine, theirs = (side.get(frame, []) for side in boxes)
        places = [side.ravel() for side in np.indices((len(theirs), len(mine)))]
        sides = [np.array([one[1] for one in side], dtype=float).reshape(-1, 4) for side in (theirs, mine)]
        found = box_overlaps(sides[0], sides[1], places[0], places[1]).reshape(len(theirs), len(mine))
        distances = np.where(found >= 0.5, 1 - found, np.nan)
        seen.update([one[0] for one in theirs], [one[0] for one in mine], distances)
    made = motmetrics.metrics.create().compute(seen, metrics=["mota", "idf1"], name="all").loc["all"]
    return {name: float(made[name]) for name in ("mota", "idf1")}


def main() -> None:
    table = Table(f"a video of {FRAMES} frames, {THINGS} people", width=66)
    with TemporaryDirectory() as folder:
        paths = [f"{folder}/{name}.txt" for name in ("run", "gold")]
        for path, text in zip(paths, video(Random(1)), strict=True):
            with open(path, "w") as file:
                file.write(text)
        wanted = peer(*paths)
        found = ours(*paths, "motmetrics")
        assert all(abs(found[name] - wanted[name]) < 1e-12 for name in wanted)
        beside = seconds(lambda: peer(*paths), times=1)
        for preset, target in (("motmetrics", 0.5), ("trackeval", 0.5)):
            mine = seconds(lambda preset=preset: ours(*paths, preset), times=3)
            ratio = beside / mine
            what = "MOTA and IDF1" if preset == "motmetrics" else "HOTA, MOTA and IDF1 (motmetrics without HOTA)"
            table.add(
                what, duration(mine), f"≥ {target:g}×", ratio >= target, peer=duration(beside), ratio=f"{ratio:.1f}×"
            )


if __name__ == "__main__":
    main()

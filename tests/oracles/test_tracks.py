"""Tracks beside motmetrics, which runs here, and TrackEval 1.0.0, whose answers are frozen: it needs NumPy 1.

They are those of `eval_sequence` and `combine_sequences` of its HOTA, CLEAR and Identity, and of
`MotChallenge2DBox` with DO_PREPROC for the benchmarks.
"""

from __future__ import annotations

from random import Random
from typing import Any

import motmetrics
import numpy as np
import pytest

import matchwise as mw
from matchwise.formats.boxes import MOT
from matchwise.tasks import tracks
from matchwise.tasks.boxes.coco import box_overlaps

Rows = list[list[Any]]


def video(seed: int, frames: int = 25, things: int = 5) -> tuple[Rows, Rows]:
    """Predicted and reference rows of frame, track and box: gaps, lost boxes, new and stolen tracks, strays."""
    draw = Random(seed)
    ref: Rows = []
    pred: Rows = []
    last = 100
    for thing in range(things):
        x, y = draw.uniform(0, 120), draw.uniform(0, 80)
        across, down = draw.gauss(0, 4), draw.gauss(0, 3)
        first, end = sorted((draw.randint(1, frames), draw.randint(1, frames)))
        last += 1
        track = last
        for frame in range(first, end + 1):
            x, y = x + across, y + down
            if draw.random() < 0.1:
                continue
            ref.append([frame, thing + 1, x, y, 30.0, 40.0])
            if draw.random() < 0.15:
                continue
            if draw.random() < 0.1:
                last += 1
                track = last
            if draw.random() < 0.05 and pred:
                track = pred[-1][1]
            if any(row[:2] == [frame, track] for row in pred):
                continue
            moved = x + draw.gauss(0, 4), y + draw.gauss(0, 4), 30 * draw.gauss(1, 0.1), 40 * draw.gauss(1, 0.1)
            pred.append([frame, track, *moved])
    for _ in range(draw.randint(0, 6)):
        last += 1
        pred.append([draw.randint(1, frames), last, draw.uniform(0, 120), draw.uniform(0, 80), 30.0, 40.0])
    return pred, ref


def documents(videos: list[tuple[Rows, Rows]]) -> tuple[list[Any], list[Any]]:
    preds, refs = ([[(row[0], row[1], row[2:]) for row in rows] for rows in side] for side in zip(*videos, strict=True))
    return preds, refs


TRACKEVAL = {
    0: {
        "hota": 0.44039140638581314,
        "deta": 0.5156238716572933,
        "assa": 0.3812647192809689,
        "mota": 0.5263157894736842,
        "motp": 0.6621339788871152,
        "idf1": 0.5915492957746479,
    },
    1: {
        "hota": 0.4385715830874197,
        "deta": 0.4995044676030852,
        "assa": 0.3929357900349084,
        "mota": 0.4939759036144578,
        "motp": 0.6729221692017553,
        "idf1": 0.6,
    },
    2: {
        "hota": 0.4429253564956978,
        "deta": 0.4900858354283844,
        "assa": 0.40376301725062463,
        "mota": 0.4695121951219512,
        "motp": 0.6974303239045384,
        "idf1": 0.6050955414012739,
    },
    3: {
        "hota": 0.3759371130154047,
        "deta": 0.4791972790842118,
        "assa": 0.29710908333604424,
        "mota": 0.30357142857142855,
        "motp": 0.7077376168568279,
        "idf1": 0.41818181818181815,
    },
    4: {
        "hota": 0.4592244588377489,
        "deta": 0.48715168879736764,
        "assa": 0.43895889048321707,
        "mota": 0.5,
        "motp": 0.6861955654272959,
        "idf1": 0.6165413533834586,
    },
    5: {
        "hota": 0.4353560094664392,
        "deta": 0.49242911537303297,
        "assa": 0.3890558781268808,
        "mota": 0.5285714285714286,
        "motp": 0.6685121913058618,
        "idf1": 0.6240601503759399,
    },
    6: {
        "hota": 0.5280718528816714,
        "deta": 0.5179887002684715,
        "assa": 0.5408576422722517,
        "mota": 0.7297297297297297,
        "motp": 0.6924145526249527,
        "idf1": 0.8484848484848485,
    },
    7: {
        "hota": 0.3931484257931606,
        "deta": 0.5546670780808507,
        "assa": 0.2829689185829805,
        "mota": 0.575,
        "motp": 0.6959087718702908,
        "idf1": 0.47368421052631576,
    },
}
"""Number of a corpus -> TrackEval's numbers of its videos."""


@pytest.mark.parametrize("number", TRACKEVAL)
def test_trackeval_has_the_numbers_of_trackeval(number):
    found = documents([video(10 * number + place) for place in range(1 + number % 3)])
    report = mw.evaluate(tracks.suite(), *found)
    assert {name: report[name].value for name in TRACKEVAL[number]} == pytest.approx(TRACKEVAL[number], abs=1e-12)


BENCHMARKS = {
    "MOT15": (0.3699355773908588, 0.06876790830945559, 0.48702101359703337),
    "MOT17": (0.3174342831536511, -0.45664739884393063, 0.4007936507936508),
    "MOT20": (0.3301195252997853, -0.2947976878612717, 0.42436974789915966),
}
"""Benchmark -> HOTA, MOTA and IDF1 of TrackEval after its preprocessing."""


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_distractors_and_other_classes_are_left_out_as_in_trackeval(benchmark, tmp_path):
    for seed in range(40, 52):
        draw, (pred, ref) = Random(seed), video(seed)
        kinds = [(1, 1), (1, 1), (1, 1), (1, 0), (12, 1), (8, 0), (3, 1), (6, 1)]
        kind = {track: draw.choice(kinds) for track in {row[1] for row in ref}}
        folder = tmp_path / "gt" / f"S{seed}" / "gt"
        folder.mkdir(parents=True)
        (tmp_path / "run").mkdir(exist_ok=True)
        lines = ([*row, kind[row[1]][1], kind[row[1]][0], 1] for row in ref)
        (folder / "gt.txt").write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
        lines = ([*row, 0.9, -1, -1, -1] for row in pred)
        (tmp_path / "run" / f"S{seed}.txt").write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    assert MOT.read_reference is not None
    preds = list(MOT.read(tmp_path / "run", benchmark=benchmark))
    refs = list(MOT.read_reference(tmp_path / "gt", benchmark=benchmark))
    report = mw.evaluate(tracks.suite(), preds, refs)
    assert [report[name].value for name in ("hota", "mota", "idf1")] == pytest.approx(BENCHMARKS[benchmark], abs=1e-12)


def distances(ref: Rows, pred: Rows) -> np.ndarray:
    places = [side.ravel() for side in np.indices((len(ref), len(pred)))]
    sides = [np.array([row[2:] for row in rows], dtype=float).reshape(-1, 4) for rows in (ref, pred)]
    found = box_overlaps(sides[0], sides[1], places[0], places[1]).reshape(len(ref), len(pred))
    return np.where(found >= 0.5, 1 - found, np.nan)


@pytest.mark.parametrize("number", range(12))
def test_motmetrics_has_the_numbers_of_motmetrics(number):
    videos = [video(10 * number + place) for place in range(1 + number % 3)]
    seen = []
    for pred, ref in videos:
        one = motmetrics.MOTAccumulator(auto_id=True)
        for frame in sorted({row[0] for row in pred + ref}):
            mine, theirs = ([row for row in rows if row[0] == frame] for rows in (pred, ref))
            one.update([row[1] for row in theirs], [row[1] for row in mine], distances(theirs, mine))
        seen.append(one)
    made = motmetrics.metrics.create().compute_many(seen, metrics=["idf1", "mota", "motp"], generate_overall=True)
    wanted = made.loc["OVERALL"]
    report = mw.evaluate(tracks.suite("motmetrics"), *documents(videos))
    found = [report["idf1"].f1, report["mota"].value, 1 - report["motp"].value]
    assert found == pytest.approx([wanted.idf1, wanted.mota, wanted.motp], abs=1e-12)


def test_the_two_packages_differ_where_a_track_was_lost_for_a_while():
    """After a gap motmetrics goes back to the old partner, and TrackEval takes the better one: a switch."""
    ref = [(frame, 1, [0, 0, 20, 20]) for frame in (1, 2, 3)]
    pred = [(1, 7, [0, 0, 20, 20]), (2, 9, [90, 0, 20, 20]), (3, 7, [4, 0, 20, 20]), (3, 8, [0, 0, 20, 20])]
    found = {name: mw.evaluate(tracks.suite(name), [pred], [ref])["mota"].value for name in ("trackeval", "motmetrics")}
    assert found == pytest.approx({"trackeval": 1 - 4 / 3, "motmetrics": 1 - 3 / 3})

"""Sound events as sed_eval counts them (frozen, see sed_eval/freeze.py), and notes as mir_eval has them."""

import json
import random
from pathlib import Path
from typing import Any

import mir_eval
import numpy as np
import pytest

import matchwise as mw
from matchwise.tasks import sounds

CASES = json.loads((Path(__file__).parent / "sed_eval" / "cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("matching", ["optimal", "greedy"])
def test_events_are_counted_as_sed_eval_counts_them(matching: Any) -> None:
    suite = sounds.suite(matching=matching)
    for case in CASES:
        report = mw.evaluate(suite, [case["pred"]], [case["ref"]])
        for name in suite:
            counts = report[name].counts
            assert [counts.matched, counts.predicted, counts.reference] == case["counts"][f"{name} {matching}"]


def test_labels_are_counted_as_sed_eval_counts_them() -> None:
    for case in CASES:
        rows = mw.evaluate(sounds.suite(), [case["pred"]], [case["ref"]], by="label").by
        found = {name: row["events"].counts for name, row in rows.items()}
        for name, want in case["labels"].items():
            if want != [0, 0, 0]:
                assert [found[name].matched, found[name].predicted, found[name].reference] == want


def test_the_greedy_matching_of_sed_eval_finds_less_somewhere() -> None:
    fewer = [case for case in CASES if case["counts"]["events greedy"] < case["counts"]["events optimal"]]
    assert len(fewer) == 1


def play(r: random.Random) -> tuple[list[tuple[float, float, float]], list[tuple[float, float, float]]]:
    refs, preds = [], []
    for _ in range(r.randint(1, 25)):
        onset = round(r.uniform(0, r.choice([1, 5])), r.choice([1, 2, 3, 4]))
        refs.append((onset, onset + round(r.uniform(0.02, 0.6), 2), 440 * 2 ** (r.randint(-6, 6) / 12)))
    for onset, offset, pitch in refs:
        if r.random() < 0.85:
            moved = max(0.0, onset + r.choice([0, 0.05, -0.05, 0.049, 0.1, r.uniform(-0.08, 0.08)]))
            end = max(moved + 0.01, offset + r.choice([0, 0.05, -0.05, 0.1, r.uniform(-0.1, 0.1)]))
            preds.append((moved, end, pitch * 2 ** (r.choice([0, 0, 0.3, 0.5, 0.6, -1]) / 12)))
    r.shuffle(preds)
    return preds or [(0.0, 1.0, 440.0)], refs


def test_notes_are_scored_as_mir_eval_scores_them() -> None:
    suite, transcription = sounds.suite("mir_eval"), mir_eval.transcription
    for seed in range(150):
        preds, refs = play(random.Random(seed))
        (theirs, pitches), (mine, others) = (
            (np.array([note[:2] for note in side]), np.array([note[2] for note in side])) for side in (refs, preds)
        )
        notes = theirs, pitches, mine, others
        want = {
            "notes": transcription.precision_recall_f1_overlap(*notes)[:3],
            "no_offset": transcription.precision_recall_f1_overlap(*notes, offset_ratio=None)[:3],
            "onset": transcription.onset_precision_recall_f1(theirs, mine),
            "offset": transcription.offset_precision_recall_f1(theirs, mine),
        }
        report = mw.evaluate(suite, [preds], [refs])
        for name, scores in want.items():
            found = report[name].precision, report[name].recall, report[name].f1
            assert found == pytest.approx(scores, abs=1e-12), (seed, name)

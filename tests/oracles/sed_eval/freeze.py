"""Make `cases.json`: random recordings, and what sed_eval 0.2.1 counts in them.

    pip install sed_eval==0.2.1 && python tests/oracles/sed_eval/freeze.py > tests/oracles/sed_eval/cases.json

sed_eval needs librosa and numba, some 300 MB, so that the tests read what it said.
"""

import json
import random

import sed_eval

LABELS = ["dog", "speech", "door"]
METRICS = {"events": (True, True), "onset": (True, False), "offset": (False, True)}


def recording(r: random.Random, grid: int) -> tuple[list[list], list[list]]:
    """Events on a grid of tenths, where floats decide, or anywhere; predictions are near them."""
    refs, preds = [], []
    for _ in range(r.randint(1, 12)):
        onset = round(r.uniform(0, 6), grid)
        refs.append([onset, round(onset + r.uniform(0.1, 2), grid), r.choice(LABELS)])
    for onset, offset, label in refs:
        if r.random() < 0.85:
            moved = max(0, round(onset + r.choice([0, 0.1, -0.1, 0.2, -0.2, 0.3]), grid))
            end = max(moved + 0.1, round(offset + r.choice([0, 0.2, -0.2, 0.5]), grid))
            preds.append([moved, end, label if r.random() < 0.9 else r.choice(LABELS)])
    preds += [[one[0], one[1], one[2]] for one in refs if r.random() < 0.2]
    r.shuffle(preds)
    return preds or [[0, 1, "dog"]], refs


def count(preds: list, refs: list, onset: bool, offset: bool, matching: str) -> tuple[list[int], dict[str, list[int]]]:
    metric = sed_eval.sound_event.EventBasedMetrics(
        LABELS, evaluate_onset=onset, evaluate_offset=offset, event_matching_type=matching
    )
    as_dicts = [
        [{"event_onset": a, "event_offset": b, "event_label": label, "file": "a"} for a, b, label in side]
        for side in (refs, preds)
    ]
    metric.evaluate(*as_dicts)
    labels = {name: [int(one["Ntp"]), int(one["Nsys"]), int(one["Nref"])] for name, one in metric.class_wise.items()}
    return [int(metric.overall[name]) for name in ("Ntp", "Nsys", "Nref")], labels


cases = []
for seed in range(80):
    preds, refs = recording(random.Random(seed), 1 if seed % 2 else 3)
    found = {
        f"{name} {matching}": count(preds, refs, *asked, matching)
        for name, asked in METRICS.items()
        for matching in ("optimal", "greedy")
    }
    cases.append(
        {
            "pred": preds,
            "ref": refs,
            "counts": {name: one[0] for name, one in found.items()},
            "labels": found["events optimal"][1],
        }
    )
print("[" + ",\n".join(map(json.dumps, cases)) + "]")

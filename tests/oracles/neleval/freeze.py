"""Make `cases.json`: random links, and what neleval 3.1.1 counts in them.

    pip install neleval==3.1.1 && python tests/oracles/neleval/freeze.py > tests/oracles/neleval/cases.json

neleval imports a name that Python 3.10 moved, so that the tests read what it said.
"""

import collections
import collections.abc
import json
import random

collections.Sequence = collections.abc.Sequence

from neleval.annotation import Annotation  # noqa: E402
from neleval.configs import MEASURES  # noqa: E402

NAMES = {
    "all": "strong_all_match",
    "link": "strong_link_match",
    "nil": "strong_nil_match",
    "mention": "strong_mention_match",
    "linked_mention": "strong_linked_mention_match",
    "typed_mention": "strong_typed_mention_match",
    "typed_all": "strong_typed_all_match",
    "typed_link": "strong_typed_link_match",
    "typed_nil": "strong_typed_nil_match",
    "entity": "entity_match",
    "weak_mention": "strong_mention_match",
    "weak_link": "strong_link_match",
}


def draw(r: random.Random) -> list[str]:
    lines = []
    for _ in range(r.randint(0, 9)):
        start = r.randint(0, 25)
        entity = r.choice(["Q1", "Q2", "Q3", "NIL1", "NIL2"])
        lines.append(f"d\t{start}\t{start + r.randint(0, 4)}\t{entity}\t1.0\t{r.choice(['PER', 'LOC'])}")
    return lines


def vary(r: random.Random, lines: list[str]) -> list[str]:
    made = []
    for line in lines:
        d, start, end, entity, score, kind = line.split("\t")
        if r.random() < 0.2:
            entity = r.choice(["Q1", "Q2", "NIL7"])
        if r.random() < 0.2:
            end = str(int(end) + 1)
        if r.random() < 0.85:
            made.append("\t".join([d, start, end, entity, score, kind]))
    return made + draw(r)[:2]


def weak(annotations: list[Annotation]) -> list[Annotation]:
    """What `neleval weak` writes; its own reader is of Python 2."""
    return [Annotation(a.docid, i, i + 1, a.candidates) for a in annotations for i in range(a.start, a.end + 1)]


cases = []
for seed in range(60):
    r = random.Random(seed)
    ref = draw(r)
    pred = vary(r, ref)
    mine, theirs = ([Annotation.from_string(line) for line in lines] for lines in (pred, ref))
    counts = {}
    for name, measure in NAMES.items():
        sides = (weak(mine), weak(theirs)) if name.startswith("weak") else (mine, theirs)
        tp, fp, fn = MEASURES[measure].count_matches(*sides)
        counts[name] = [tp, tp + fp, tp + fn]
    cases.append({"pred": pred, "ref": ref, "counts": counts})
print("[" + ",\n".join(map(json.dumps, cases)) + "]")

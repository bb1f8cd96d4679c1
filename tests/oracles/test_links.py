"""Entity linking as neleval counts it (frozen, see neleval/freeze.py)."""

import json
from io import StringIO
from pathlib import Path

import matchwise as mw
from matchwise.formats import neleval
from matchwise.tasks import ner

CASES = json.loads((Path(__file__).parent / "neleval" / "cases.json").read_text(encoding="utf-8"))


def test_links_are_counted_as_neleval_counts_them() -> None:
    suite = ner.suite("neleval")
    for case in CASES:
        pred, ref = (next(neleval.read(StringIO("\n".join(case[side]))), ner.Extraction()) for side in ("pred", "ref"))
        report = mw.evaluate(suite, [pred], [ref])
        found = {name: report[name].counts for name in case["counts"]}
        assert {name: [one.matched, one.predicted, one.reference] for name, one in found.items()} == case["counts"]


def test_touching_links_are_at_least_the_strong_ones() -> None:
    suite = ner.suite("neleval")
    for case in CASES:
        pred, ref = (next(neleval.read(StringIO("\n".join(case[side]))), ner.Extraction()) for side in ("pred", "ref"))
        assert mw.score(suite["touching_link"], pred, ref) >= mw.score(suite["link"], pred, ref)

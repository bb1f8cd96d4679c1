"""Every metric of every preset, with documents as a user has them: scored, aligned, evaluated, written and read."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import matchwise as mw
from matchwise.algebra.steps import split_step
from matchwise.corpus.pairing import add_missing
from matchwise.corpus.suite import Suite
from matchwise.tasks import list_tasks, task
from matchwise.tasks.coref import CorefMention, Entity, EntitySet
from matchwise.tasks.tracks import LEVELS


def clusters(entities: list[list[int]]) -> EntitySet:
    """Mentions of one word each, which is their head."""
    return EntitySet(tuple(Entity(tuple(CorefMention(at, at + 1, (at, 0)) for at in one)) for one in entities))


EXAMPLES: dict[str, tuple[Any, Any]] = {
    "amr": (
        [("x", "instance", "want-01"), ("y", "instance", "girl"), ("y", "ARG0-of", "x")],
        [("w", "instance", "want-01"), ("b", "instance", "boy"), ("w", "ARG0", "b")],
    ),
    "boxes": (
        [{"bbox": [0, 0, 10, 8], "label": "cup", "score": 0.9}, {"bbox": [5, 5, 9, 9], "label": "pen", "score": 0.5}],
        [{"bbox": [0, 0, 10, 10], "label": "cup", "score": 1}, {"bbox": [5, 20, 9, 24], "label": "pen", "score": 1}],
    ),
    "constituency": (
        "(S (NP (DT the) (NN man)) (NP (VBZ sleeps)) (. .))",
        "(S (NP (DT the) (NN man)) (VP (VBZ sleeps)) (. .))",
    ),
    "coref": (clusters([[0, 4], [7]]), clusters([[0, 4, 7]])),
    "dependencies": (
        [(2, "nsubj"), (0, "root"), (1, "obj")],
        [(2, "nsubj"), (0, "root"), (2, "obj")],
    ),
    "documents": ('{"number": "R-1", "total": 9}', {"number": "R-1", "total": 9.5}),
    "drs": (
        [["k", "male", '"n.02"', "u"], ["k", "grin", '"v.01"', "v"], ["k", "Agent", "v", "u"]],
        [["b1", "male", '"n.02"', "x1"], ["b2", "grin", '"v.01"', "e1"], ["b2", "Agent", "e1", "x1"]],
    ),
    "events": (
        [{"type": "Attack", "trigger": [3, 4], "args": [(0, 1, "Agent"), (5, 7, "Target")]}],
        [{"type": "Attack", "trigger": [3, 4], "args": [(0, 1, "Agent"), (5, 6, "Target")]}],
    ),
    "nary": (
        [("result", {"Task": [[0, 3]], "Method": [[9, 10]], "Material": [[30, 31]]})],
        [("result", {"Task": [[0, 2]], "Method": [[5, 6], [9, 10]], "Material": [[20, 23]]})],
    ),
    "ner": (["B-PER", "I-PER", "O", "B-LOC"], ["B-PER", "I-PER", "I-PER", "B-LOC"]),
    "relations": (
        [{"type": "capital", "subj": {"start": 0, "end": 1, "type": "LOC"}, "obj": {"start": 5, "end": 7}}],
        [{"type": "capital", "subj": {"start": 0, "end": 1, "type": "LOC"}, "obj": {"start": 5, "end": 6}}],
    ),
    "role_mentions": ({"Target": [["bank"], ["the branch"]]}, {"Target": [["bank", "the branch"]]}),
    "roles": (
        {"PerpInd": [["rebels", "soldiers"]], "Target": [["bank"]]},
        {"PerpInd": [["guerrillas", "rebels"]], "Target": [["bank"], ["bus"]]},
    ),
    "sdp": (
        {"tops": [1], "edges": [(1, 0, "ARG1"), (1, 2, "ARG3")]},
        {"tops": [1], "edges": [(1, 0, "ARG1"), (1, 2, "ARG2")]},
    ),
    "results": (
        {"columns": ["n", "city"], "rows": [[3, "Rome"], [2, "Paris"]]},
        {"columns": ["city", "n"], "rows": [["Rome", 3], ["Paris", 4], ["Oslo", 1]]},
    ),
    "sequences": (["a", "b", "c"], ["a", "c"]),
    "sets": (["a", "b"], ["b", "c"]),
    "sounds": (
        [(0.3, 1.2, 440.0), {"onset": 2, "offset": 2.5, "midi": 60}],
        [(0.3, 1.25, 442.0), {"onset": 2.02, "offset": 2.5, "midi": 60}],
    ),
    "srl": (
        [{"predicate": 1, "verb": "say", "args": [(0, 1, "A0"), (2, 4, "A1")]}],
        [{"predicate": 1, "verb": "say", "args": [(0, 1, "A0"), (2, 4, "A1"), (6, 8, "C-A1")]}],
    ),
    "tables": (
        [["item", "price"], ["tea", "2.00"], ["coffee", "2.40"]],
        [["item", "price"], ["coffee", "2.40"], ["tea", "2.50"]],
    ),
    "toolcalls": (
        '[search(query="tea", limit=10), buy(count=2)]',
        [{"name": "search", "arguments": {"query": "tea", "limit": 5}}, {"name": "buy", "arguments": {"count": 2}}],
    ),
    "tracks": (
        [(1, 7, [0, 0, 20, 20]), (2, 8, [2, 0, 20, 20]), (2, 9, [90, 0, 20, 20])],
        [(1, 1, [0, 0, 20, 20]), (2, 1, [0, 0, 20, 20])],
    ),
    "transcripts": (
        [{"speaker": "x", "start": 0.1, "end": 2, "text": "a black cat"}],
        [
            {"speaker": "A", "start": 0, "end": 2, "text": "the cat"},
            {"speaker": "B", "start": 2, "end": 3, "text": "yes"},
        ],
    ),
    "triples": (
        [("Ada_Lovelace", "birthPlace", "London"), ("Ada_Lovelace", "father", "Byron"), ("Ada", "likes", "tea")],
        [("Ada_Lovelace", "birthPlace", "London"), ("Ada_Lovelace", "father", "Lord Byron")],
    ),
    "templates": (
        [("bombing", {"perpetrator": ["the rebels"], "victim": ["the mayor"]})],
        [("bombing", {"perpetrator": [["guerrillas", "rebels"]], "victim": ["mayor of Lima", "driver"]})],
    ),
}

OTHERS: dict[str, dict[str, Any]] = {
    "fields": {"schema": {"properties": {"number": {"type": "string"}, "total": {"type": "number"}}}},
}
"""Options without which a preset has no suite."""

SHOWN = {
    ("documents", "dst"): ({"hotel-area": "north"}, {"hotel-area": ["north", "centre"], "hotel-day": "friday"}),
    ("documents", "anls_star"): ({"number": "R-1"}, {"number": "R-2"}),
    ("documents", "extractbench"): (
        {"extracted_data": {"a": 1}, "field_citations": [{"field_path": "a", "page": 1, "bbox": [0, 0, 1, 1]}]},
        {"expected_output": {"a": 1}, "_field_rules": {"a": {"evidence": [{"page": 1, "bbox": [0, 0, 1, 2]}]}}},
    ),
    ("documents", "json_diff"): ({"number": "R-1"}, {"number": "R-2"}),
    ("sets", "squad"): ("the bank", ["a bank", "the branch"]),
}


def presets() -> list[tuple[str, str]]:
    return [(name, preset) for name in list_tasks() for preset in task(name).presets]


def example(name: str, preset: str) -> tuple[Suite, Any, Any]:
    made: Suite = task(name).suite(preset, **OTHERS.get(preset, {}))
    return made, *SHOWN.get((name, preset), EXAMPLES[name])


@pytest.mark.parametrize(("name", "preset"), presets())
def test_the_score_of_a_pair_is_that_of_a_corpus_of_one_document(name: str, preset: str) -> None:
    suite, pred, ref = example(name, preset)
    report = mw.evaluate(suite, [pred], [ref])
    for metric, phi in suite.metrics.items():
        assert mw.score(phi, pred, ref) == pytest.approx(report[metric].value, abs=1e-12), metric


@pytest.mark.parametrize(("name", "preset"), presets())
def test_a_reference_is_scored_against_itself(name: str, preset: str) -> None:
    suite, _, ref = example(name, preset)
    if (name, preset) == ("sets", "squad"):
        ref = ref[0]
    for phi in suite.metrics.values():
        assert mw.score(phi, ref, ref) >= 0


BY_VALUE = {
    "amr",
    "documents",
    "results",
    "sdp",
    "sequences",
    "sets",
    "srl",
    "tables",
    "toolcalls",
    "transcripts",
    "triples",
}
"""Tasks with metrics whose empty document is not without elements; their own tests say what it counts."""


PAIRED = {"matched", "matched_spurious", "shares", "sq", *(f"assa_{level}" for level in LEVELS)}
"""Metrics of what was paired, of which there is nothing without a prediction."""


@pytest.mark.parametrize(("name", "preset"), [one for one in presets() if one[0] not in BY_VALUE])
def test_a_missing_prediction_counts_as_empty(name: str, preset: str) -> None:
    suite, _, ref = example(name, preset)
    found, whole = add_missing(mw.Tally(suite), ref).report(), mw.Tally(suite).add(ref, ref).report()
    for metric in set(suite.metrics) - PAIRED if preset != "scirex" else ():
        counts = found[metric].counts
        assert (counts.matched, counts.predicted, counts.reference) == (0, 0, whole[metric].counts.reference), metric


@pytest.mark.parametrize("name", list_tasks())
def test_an_unknown_preset_is_refused(name: str) -> None:
    first = next(iter(task(name).presets))
    with pytest.raises(mw.ExpressionError, match=f"{name} has no preset '{first}x'; did you mean '{first}'"):
        task(name).suite(f"{first}x")


@pytest.mark.parametrize(("name", "preset"), presets())
def test_an_alignment_has_the_score_of_its_metric(name: str, preset: str) -> None:
    suite, pred, ref = example(name, preset)
    for metric, phi in suite.metrics.items():
        assert mw.align(phi, pred, ref).score == pytest.approx(mw.score(phi, pred, ref), abs=1e-12), metric


@pytest.mark.parametrize(("name", "preset"), presets())
def test_the_text_of_a_metric_is_read_back(name: str, preset: str) -> None:
    suite, _, _ = example(name, preset)
    for phi in suite.metrics.values():
        again = mw.parse(str(phi))
        assert again == phi
        assert hash(again) == hash(phi)
        assert mw.signature(again) == mw.signature(phi)


@pytest.mark.parametrize(("name", "preset"), presets())
def test_a_metric_is_planned_written_as_an_equation_and_checked(name: str, preset: str) -> None:
    suite, _, _ = example(name, preset)
    for phi in suite.metrics.values():
        assert str(mw.plan(phi))
        assert mw.latex(phi)
        assert str(mw.facts(phi))
        mw.check(phi, object)


@pytest.mark.parametrize(("name", "preset"), presets())
def test_a_signature_is_one_line_that_ends_in_a_digest(name: str, preset: str) -> None:
    suite, _, _ = example(name, preset)
    line = suite.signature
    assert "\n" not in line
    assert len(line.rsplit("|", 1)[1]) == 8


@pytest.mark.parametrize(("name", "preset"), presets())
def test_a_signature_names_functions_by_the_module_of_their_task(name: str, preset: str) -> None:
    suite, _, _ = example(name, preset)
    for phi in suite.metrics.values():
        for module, function in re.findall(r"(matchwise\.tasks[\w.]*):(\w+)", mw.signature(phi)):
            assert module.count(".") == 2
            assert callable(getattr(import_module(module), function))


def test_a_step_stands_at_the_root_only() -> None:
    metric = task("constituency").suite()["labelled"]
    with pytest.raises(mw.ExpressionError, match="a step stands at the root of a metric"):
        metric * mw.eq("x")


EQUATION = {
    "events": ("paper",),
    "nary": ("paper",),
    "relations": ("paper",),
    "role_mentions": ("paper", "coverage"),
    "roles": ("paper",),
    "srl": (),
    "templates": ("paper",),
}
"""Task -> the presets in which 0/0 is 1; in all others it is 0."""


@pytest.mark.parametrize(("name", "preset"), [one for one in presets() if one[0] in EQUATION])
def test_nothing_against_nothing_scores_1_by_the_equation_and_0_in_official_scorers(name: str, preset: str) -> None:
    report = mw.evaluate(task(name).suite(preset), [[]], [[]])
    expected = 1 if preset in EQUATION[name] else 0
    exact = {"exact": 1} if "exact" in report else {}  # an empty graph is right as a whole
    assert {metric: report[metric].value for metric in report} == dict.fromkeys(report, expected) | exact


FIELDS = (Path(__file__).parents[2] / "docs" / "fields.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| \[.*?\| `(\w+) (\w+) (\w+)` \| `(.*?)` \| (.*?) \|", FIELDS, re.MULTILINE)


@pytest.mark.parametrize(("name", "preset", "metric", "expression", "equation"), ROWS, ids=lambda cell: cell)
def test_a_row_of_the_page_of_fields_runs_and_shows_the_metric(
    name: str, preset: str, metric: str, expression: str, equation: str
) -> None:
    suite, pred, ref = example(name, preset)
    assert mw.score(suite.metrics[metric], pred, ref) >= 0
    _, phi = split_step(suite.metrics[metric])
    shown = re.sub(r", (?:empty=0|unnormalized=True|facts=\([^)]*\))", "", str(phi))
    assert f"`{expression}` | {equation}" == f"`{shown}` | {mw.unicode(phi)}"


def test_every_task_has_a_row_on_the_page_of_fields() -> None:
    assert set(list_tasks()) - {row[0] for row in ROWS} == {"role_mentions", "sequences"}
    assert len(ROWS) == len(re.findall(r"^\| \[", FIELDS, re.MULTILINE))

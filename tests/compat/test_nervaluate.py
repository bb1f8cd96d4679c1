"""`matchwise.compat.nervaluate` beside nervaluate 1.2.1: the same results, places, text and CSV."""

from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import pytest
from nervaluate.evaluator import Evaluator as Theirs

from matchwise.compat.nervaluate import Evaluator

TYPES = ["PER", "LOC", "ORG"]


def spans(seed: int) -> list[list[dict[str, Any]]]:
    """Nested and overlapping spans, in any order, some of them twice, some of a type that is not asked for."""
    random = Random(seed)

    def one() -> dict[str, Any]:
        start = random.randint(0, 8)
        return {"label": random.choice([*TYPES, "X"]), "start": start, "end": start + random.randint(0, 5)}

    return [[one() for _ in range(random.randint(1 if number == 0 else 0, 5))] for number in range(80)]


def tags(seed: int) -> list[list[str]]:
    random = Random(seed)
    return [[random.choice(["O", *(f"{p}-{t}" for p in "BI" for t in TYPES)]) for _ in range(12)] for _ in range(60)]


def plain(found: Any) -> Any:
    """Dictionaries and dataclasses as plain data."""
    return {key: plain(one) for key, one in found.items()} if isinstance(found, dict) else asdict(found)


@pytest.mark.parametrize("percent", [1.0, 50.0])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [spans, tags])
def test_all_results_and_places_are_the_same(make: Any, seed: int, percent: float) -> None:
    refs, preds = make(seed), make(seed + 100)
    options: dict[str, Any] = {"tags": TYPES, "min_overlap_percentage": percent}
    assert plain(Evaluator(refs, preds, **options).evaluate()) == plain(Theirs(refs, preds, **options).evaluate())


@pytest.mark.parametrize("seed", range(3))
def test_the_summary_is_the_same_text(seed: int) -> None:
    refs, preds = spans(seed), spans(seed + 100)
    ours, theirs = Evaluator(refs, preds, TYPES), Theirs(refs, preds, TYPES)
    assert ours.summary_report() == theirs.summary_report()
    for scenario in ("strict", "ent_type", "partial", "exact"):
        assert ours.summary_report("entities", scenario, digits=4) == theirs.summary_report("entities", scenario, 4)  # type: ignore[arg-type]


def test_the_csv_is_the_same_returned_and_written(tmp_path: Path) -> None:
    refs, preds = spans(1), spans(101)
    ours, theirs = Evaluator(refs, preds, TYPES), Theirs(refs, preds, TYPES)
    assert ours.results_to_csv() == theirs.results_to_csv()
    mine, other = ours.results_to_csv("entities", "partial"), theirs.results_to_csv("entities", "partial")
    assert mine is not None
    assert other is not None
    assert sorted(mine.splitlines()) == sorted(other.splitlines())
    ours.results_to_csv(file_path=str(tmp_path / "ours.csv"))
    theirs.results_to_csv(file_path=str(tmp_path / "theirs.csv"))
    assert (tmp_path / "ours.csv").read_bytes() == (tmp_path / "theirs.csv").read_bytes()


def test_conll_text_is_read_alike() -> None:
    refs, preds = "a\tB-PER\nb\tI-PER\nc\tO\n\nd\tB-LOC\n", "a\tB-PER\nb\tO\nc\tO\n\nd\tB-LOC\n"
    for loader in ("default", "conll"):
        ours = Evaluator(refs, preds, TYPES, loader=loader).evaluate()
        assert plain(ours) == plain(Theirs(refs, preds, TYPES, loader=loader).evaluate())


@pytest.mark.parametrize(
    ("true", "pred", "problem"),
    [
        ([["O"]], [["O"], ["O"]], "found 2 predicted documents, expected 1"),
        ([["O"], ["O", "O"]], [["O"], ["O"]], "Document 1 has different lengths: true=2, pred=1"),
        ([[{"label": "A"}]], [[]], "expected a dictionary with label, start and end, found {'label': 'A'}"),
        ("a B-PER", "a B-PER", "expected a token, a tab and a tag, found 'a B-PER'"),
        ({}, {}, "expected a list of documents"),
    ],
)
def test_what_cannot_be_read_is_refused(true: Any, pred: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Evaluator(true, pred, TYPES)


@pytest.mark.parametrize("percent", [0.5, 101.0])
def test_an_overlap_outside_of_1_to_100_percent_is_refused(percent: float) -> None:
    with pytest.raises(ValueError, match="min_overlap_percentage must be between 1"):
        Evaluator([["O"]], [["O"]], TYPES, min_overlap_percentage=percent)


def test_no_document_at_all_has_no_mention() -> None:
    found = Evaluator([], [], TYPES, loader="list").evaluate()
    assert (found["overall"]["strict"].f1, found["entities"]) == (0, {})


def test_an_unknown_mode_or_scenario_is_refused() -> None:
    evaluator = Evaluator([["B-A"]], [["B-A"]], ["A"])
    with pytest.raises(ValueError, match="Invalid mode: must be one of overall, entities, found 'all'"):
        evaluator.summary_report("all")
    with pytest.raises(
        ValueError, match="Invalid scenario: must be one of strict, partial, ent_type, exact, found 'type'"
    ):
        evaluator.summary_report("entities", "type")  # type: ignore[arg-type]

"""nervaluate 1.2.1 side by side: its four schemes, its categories, its rows per type, on tags and on nested spans."""

from random import Random
from typing import Any

import pytest
from nervaluate.evaluator import Evaluator

from matchwise.corpus.categories import Categories
from matchwise.runners.runner import evaluate
from matchwise.tasks import ner

TYPES = ("PER", "LOC", "ORG")
NAMES = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}

Spans = list[list[tuple[int, int, str]]]


def spans(seed: int, number: int = 150) -> Spans:
    """Nested and overlapping spans, in any order, some of them twice."""
    random = Random(seed)

    def one() -> tuple[int, int, str]:
        left = random.randint(0, 8)
        return left, left + random.randint(1, 6), random.choice(TYPES)

    return [[one() for _ in range(random.randint(0, 5))] for _ in range(number)]


def official(preds: Spans, refs: Spans, tags: tuple[str, ...] = TYPES, **options: Any) -> dict[str, Any]:
    """nervaluate's ends are inclusive."""
    documents = [
        [[{"label": kind, "start": left, "end": right - 1} for left, right, kind in one] for one in side]
        for side in (refs, preds)
    ]
    return Evaluator(*documents, tags=list(tags), loader="dict", **options).evaluate()


@pytest.mark.parametrize("seed", range(8))
def test_the_four_schemes_agree_on_nested_and_repeated_spans(seed: int) -> None:
    preds, refs = spans(seed), spans(seed + 100)
    report, expected = evaluate(ner.suite("nervaluate"), preds, refs), official(preds, refs)["overall"]
    for mine, theirs in NAMES.items():
        found, row = report[mine], expected[theirs]
        assert (found.precision, found.recall, found.f1) == pytest.approx(
            (row.precision, row.recall, row.f1), abs=1e-12
        )


@pytest.mark.parametrize("seed", range(4))
def test_the_categories_agree(seed: int) -> None:
    preds, refs = spans(seed), spans(seed + 100)
    expected = official(preds, refs)["overall"]
    for name, grading in ner.gradings("nervaluate").items():
        categories = Categories(grading)
        for pred, ref in zip(preds, refs, strict=True):
            categories.add(pred, ref)
        assert categories.total() == {
            category: getattr(expected[NAMES[name]], category) for category in categories.total()
        }


@pytest.mark.parametrize("kind", TYPES)
def test_its_row_for_a_type_leaves_out_all_other_types_first(kind: str) -> None:
    preds, refs = spans(3), spans(103)
    report, expected = (
        evaluate(ner.suite("nervaluate", only=kind), preds, refs),
        official(preds, refs)["entities"][kind],
    )
    for mine, theirs in NAMES.items():
        assert report[mine].f1 == pytest.approx(expected[theirs].f1, abs=1e-12)


@pytest.mark.parametrize("percent", [1, 25, 50, 100])
def test_the_share_of_a_reference_that_must_be_covered_is_an_option(percent: int) -> None:
    preds, refs = spans(5), spans(105)
    report = evaluate(ner.suite("nervaluate", percent=percent), preds, refs)
    expected = official(preds, refs, min_overlap_percentage=float(percent))["overall"]
    for mine, theirs in NAMES.items():
        assert report[mine].f1 == pytest.approx(expected[theirs].f1, abs=1e-12)


def test_tags_are_read_alike() -> None:
    random = Random(11)
    tags = [["O", *(f"{p}-{t}" for p in "BI" for t in TYPES)]] * 200
    preds, refs = ([[random.choice(one) for _ in range(12)] for one in tags] for _ in range(2))
    report = evaluate(ner.suite("nervaluate"), preds, refs)
    expected = Evaluator(refs, preds, tags=list(TYPES), loader="list").evaluate()["overall"]
    for mine, theirs in NAMES.items():
        assert report[mine].f1 == pytest.approx(expected[theirs].f1, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_optimal_matching_is_never_worse(seed: int) -> None:
    preds, refs = spans(seed), spans(seed + 100)
    optimal, greedy = evaluate(ner.suite(), preds, refs), evaluate(ner.suite("nervaluate"), preds, refs)
    assert all(optimal[name].f1 >= greedy[name].f1 for name in NAMES)
    assert optimal["type"].f1 > greedy["type"].f1


CATEGORIES = ("correct", "incorrect", "partial", "missed", "spurious")


@pytest.mark.parametrize("percent", [1, 50])
@pytest.mark.parametrize("seed", range(4))
def test_its_table_by_type_comes_from_one_run(seed: int, percent: int) -> None:
    preds, refs = spans(seed), spans(seed + 100)
    suite = ner.suite("nervaluate", by_type=True, percent=percent)
    report = evaluate(suite, preds, refs, by="type")
    expected = official(preds, refs, min_overlap_percentage=float(percent))
    assert set(report.by) == set(expected["entities"]) == set(TYPES)
    for mine, theirs in NAMES.items():
        assert report[mine].f1 == pytest.approx(expected["overall"][theirs].f1, abs=1e-12)
        for kind, rows in expected["entities"].items():
            found, row = report.by[kind][f"{mine}_by_type"], rows[theirs]
            assert (found.precision, found.recall, found.f1) == pytest.approx(
                (row.precision, row.recall, row.f1), abs=1e-12
            )


def test_the_categories_of_its_table_by_type_agree() -> None:
    preds, refs = spans(2), spans(102)
    expected = official(preds, refs)["entities"]
    gradings = ner.gradings("nervaluate", by_type=True)
    for mine, theirs in NAMES.items():
        categories = Categories(gradings[f"{mine}_by_type"])
        for pred, ref in zip(preds, refs, strict=True):
            categories.add(pred, ref)
        rows = categories.by_label()
        assert {kind: {name: row[name] for name in CATEGORIES} for kind, row in rows.items()} == {
            kind: {name: getattr(expected[kind][theirs], name) for name in CATEGORIES} for kind in rows
        }


def test_the_table_by_type_of_tags_agrees_however_many_sentences_there_are() -> None:
    random = Random(13)
    tags = [["O", *(f"{p}-{t}" for p in "BI" for t in TYPES)]] * 200
    preds, refs = ([[random.choice(one) for _ in range(12)] for one in tags] for _ in range(2))
    report = evaluate(ner.suite("nervaluate", by_type=True), preds, refs, by="type")
    expected = Evaluator(refs, preds, tags=list(TYPES), loader="list").evaluate()["entities"]
    for mine, theirs in NAMES.items():
        for kind, rows in expected.items():
            assert report.by[kind][f"{mine}_by_type"].f1 == pytest.approx(rows[theirs].f1, abs=1e-12)

"""Edges of what is counted, compared and saved; each test was written for a planted mistake that survived."""

import numpy as np
import pytest

import matchwise as mw
from matchwise import MatchwiseError, eq, f1, touch
from matchwise.algebra.steps import step
from matchwise.corpus.categories import Categories, Grading
from matchwise.corpus.estimates import lowest_p
from matchwise.corpus.resampling import p_values
from matchwise.corpus.table import Table
from matchwise.corpus.tally import Tally
from matchwise.tasks import ner


@step
def shout(pred: object, ref: object) -> tuple[object, object]:
    return tuple({"xs": [text.upper() for text in side["xs"]]} for side in (pred, ref))  # type: ignore[index]


def test_per_element_documents_are_compared_after_the_step_of_the_metric() -> None:
    refs = [{"xs": ["A", "b"]}, {"xs": ["a", "c"]}]
    found = mw.evaluate(shout() | f1("xs"), [{"xs": ["a", "C", "d"]}], [refs], references="any", per="element")
    assert found["score"].counts == mw.Counts(2, 3, 2)


def test_per_element_the_collection_may_lie_deep_in_the_document() -> None:
    def deep(*xs: str) -> dict[str, object]:
        return {"a": {"b": {"xs": list(xs)}}}

    found = mw.evaluate(f1("a.b.xs"), [deep("x", "z")], [[deep("x"), deep("x", "y")]], references="any", per="element")
    assert found["score"].counts == mw.Counts(1, 2, 1)


def test_labels_alone_and_fields_alone_are_those_of_the_reference_that_counts() -> None:
    phi = f1("xs", eq("type") + eq("name"))
    pred = {"xs": [{"type": "a", "name": 1}]}
    refs = [{"xs": [{"type": "b", "name": 2}]}, {"xs": [{"type": "a", "name": 2}]}]
    labels = mw.evaluate(phi, [pred], [refs], by="type", references="any")
    assert labels.by["a"]["score"].counts == mw.Counts(1, 2, 2)
    fields = mw.evaluate(phi, [pred], [refs], fields=True, references="any")
    assert {row.path: row.right for row in fields.fields()} == {"xs[].type": 1, "xs[].name": 0}


def test_one_document_without_a_list_of_references_is_named_and_the_others_are_counted() -> None:
    refs = [[{"xs": [1]}], {"xs": [1]}, [{"xs": [2]}]]
    report = mw.evaluate(f1("xs"), [{"xs": [1]}] * 3, refs, ids=list("abc"), references="any", on_error="skip")
    assert [id for id, _ in report.errors] == ["b"]
    assert report["score"].counts == mw.Counts(1, 2, 2)


def test_documents_keep_their_ids_beside_one_that_cannot_be_scored() -> None:
    preds = [{"xs": ["a"]}, {"xs": 5}, {"xs": ["b"]}]
    table = mw.evaluate(f1("xs"), preds, [{"xs": ["a"]}] * 3, ids=["one", "two", "three"], on_error="skip").table()
    assert list(table.ids) == ["one", "three"]
    unnamed = mw.evaluate(f1("xs"), preds, [{"xs": ["a"]}] * 3, on_error="skip").table()
    assert list(unnamed.ids) == [0, 2]


@pytest.mark.parametrize("n", [9, 16, 17, 30])
def test_every_document_is_exchanged_in_half_of_the_resamples(n: int) -> None:
    first, seen = np.diag(np.arange(1.0, n + 1)), []

    def value(sums):
        seen.append(sums)
        return sums[..., 0]

    p_values([value], first, 0 * first, 500, 3)
    *_, moved = seen  # the second system is 0 everywhere, so that it has what was exchanged
    shares = (moved != 0).mean(axis=0)
    assert len(moved) == 500
    assert 0.4 < shares.min() < 0.5 < shares.max() < 0.6


@pytest.mark.parametrize("n", [7, 10])
def test_a_system_that_is_better_everywhere_has_the_lowest_p_there_is(n: int) -> None:
    refs = [{"xs": [place]} for place in range(n)]
    systems = {"bad": [{"xs": []}] * n, "good": refs}
    scored = {name: mw.evaluate(f1("xs"), preds, refs) for name, preds in systems.items()}
    [row] = mw.compare(scored, resamples=2**n).rows
    assert row.p == lowest_p(n, 2**n) == 2.0 ** (1 - n)
    assert lowest_p(n, 2**n - 1) == 2.0**-n


@pytest.mark.parametrize("risk", [-0.01, 1.01])
def test_a_risk_is_a_share(risk: float) -> None:
    with pytest.raises(MatchwiseError, match="write a share from 0 to 1"):
        mw.risk_coverage(f1("xs"), [{"xs": [1], "p": 0.5}], [{"xs": [1]}], confidence="p").coverage_at(risk)


@pytest.mark.parametrize("level", [0, 1, 1.5])
def test_a_level_lies_between_nothing_and_certainty(level: float) -> None:
    found = mw.curve(f1("xs", eq("n")), [{"xs": [{"n": 1, "p": 0.5}]}], [{"xs": [{"n": 1}]}], confidence="p")
    with pytest.raises(MatchwiseError, match="write a share between 0 and 1"):
        found.best(level=level)


def test_documents_may_be_half_right_when_their_confidences_are_judged() -> None:
    preds = [{"xs": [1, 9], "p": 0.75}, {"xs": [9], "p": 0.25}]
    found = mw.calibration(f1("xs"), preds, [{"xs": [1, 2]}, {"xs": [1]}], document="p")
    assert found["documents"].error == 0.25
    with pytest.raises(MatchwiseError, match="need a metric from 0 to 1"):
        mw.calibration(mw.overlap("xs"), [{"xs": [1, 2], "p": 1}], [{"xs": [1, 2]}], document="p")


def test_cells_of_a_confusion_that_are_as_large_stand_in_the_order_of_their_labels() -> None:
    strict = Grading(ner.mentions, credit=eq("span") * eq("type"), meets=touch("span"))
    pred, ref = ([(at, at + 1, label) for at, label in enumerate(labels)] for labels in ("bacc", "cbaa"))
    found = Categories(strict).add(pred, ref).confusion()
    assert [(row["predicted"], row["reference"], row["count"]) for row in found.to_dict()] == [
        ("c", "a", 2),
        ("a", "b", 1),
        ("b", "c", 1),
    ]


def test_a_table_without_documents_is_something() -> None:
    assert Tally(f1("xs")).table()


def initial(element: dict[str, str]) -> str:
    return element["name"][0]


def test_a_table_by_a_function_is_saved_with_its_name(tmp_path) -> None:
    docs = [{"xs": [{"name": "ann"}, {"name": "bob"}]}]
    report = mw.evaluate(f1("xs", eq("name")), docs, docs, by=initial)
    report.table().save(tmp_path / "scores.jsonl")
    again = Table.load(tmp_path / "scores.jsonl").report()
    assert {label: found["score"].counts for label, found in again.by.items()} == {
        "a": mw.Counts(1, 1, 1),
        "b": mw.Counts(1, 1, 1),
    }

"""Results as frames, and the short lines that stand for them."""

import pytest

from matchwise import Suite, compare, eq, evaluate, f1, intervals
from matchwise.corpus.categories import Categories, Grading
from matchwise.errors import MatchwiseError

SUITE = Suite(ents=f1("xs", eq("t") * eq("n")))
REFS = [{"xs": [{"t": "A", "n": number}, {"t": "B", "n": 1}]} for number in range(20)]
PREDS = [{"xs": [{"t": "A", "n": number}, {"t": "B", "n": number % 2}]} for number in range(20)]
REPORT = evaluate(SUITE, PREDS, REFS, by="t")
COMPARISON = compare({"old": REPORT, "new": evaluate(SUITE, REFS, REFS, by="t")})
GRADING = Grading("xs", credit=eq("t") * eq("n"), meets=eq("n"), label="t")
CATEGORIES = Categories(GRADING).add(PREDS[0], REFS[0])


def test_the_metrics_are_the_first_table() -> None:
    found = REPORT.to_pandas()
    assert found.to_dict("records") == [
        {"metric": "ents", "precision": 0.75, "recall": 0.75, "f1": 0.75, "matched": 30, "predicted": 40,
         "reference": 40},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "rows", "columns"),
    [
        ("labels", 2, {"t", "metric", "f1"}),
        ("documents", 20, {"document", "metric", "value"}),
        ("intervals", 9, {"metric", "score", "low", "high"}),
    ],
)
def test_every_table_is_a_frame_of_every_library(table, rows, columns) -> None:
    frames = REPORT.to_pandas(table), REPORT.to_polars(table), REPORT.to_arrow(table)
    assert [len(frame) for frame in frames] == [rows] * 3
    assert columns <= set(frames[0].columns)
    assert list(frames[0].columns) == frames[1].columns == frames[2].column_names
    assert frames[1].rows() == [tuple(row.values()) for row in frames[2].to_pylist()]


def test_differences_and_elements_are_frames() -> None:
    assert COMPARISON.to_pandas()["difference"].tolist() == [0.25, 0.0, 0.5]
    assert CATEGORIES.to_polars()["label"].to_list() == ["A", "B"]
    assert CATEGORIES.confusion().to_arrow().to_pylist() == [
        {"predicted": "A", "reference": "A", "count": 1},
        {"predicted": "B", "reference": None, "count": 1},
        {"predicted": None, "reference": "B", "count": 1},
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_categories_and_confusion_are_tables_of_a_report_that_was_asked_for_them(jobs) -> None:
    report = evaluate(SUITE, PREDS, REFS, categories={"ents": GRADING, "others": GRADING}, jobs=jobs)
    assert report.to_pandas("categories").to_dict("records") == [
        {"metric": "ents", "t": "A", "correct": 20, "incorrect": 0, "partial": 0, "missed": 0, "spurious": 0,
         "predicted": 20, "reference": 20},
        {"metric": "ents", "t": "B", "correct": 10, "incorrect": 0, "partial": 0, "missed": 10, "spurious": 10,
         "predicted": 20, "reference": 20},
        {"metric": "ents", "t": "(all)", "correct": 30, "incorrect": 0, "partial": 0, "missed": 10, "spurious": 10,
         "predicted": 40, "reference": 40},
    ]  # fmt: skip
    assert report.to_arrow("confusion").to_pylist() == [
        {"metric": "ents", "predicted label": "A", "reference label": "A", "count": 20},
        {"metric": "ents", "predicted label": "B", "reference label": "B", "count": 10},
        {"metric": "ents", "predicted label": "B", "reference label": None, "count": 10},
        {"metric": "ents", "predicted label": None, "reference label": "B", "count": 10},
    ]
    assert "confusion of ents: reference down, predicted across" in str(report)
    assert report.to_dict()["categories"]["ents"] == report.categories["ents"].to_dict()


def test_categories_of_other_metrics_are_refused() -> None:
    with pytest.raises(MatchwiseError, match="categories= has others, but the suite has ents"):
        evaluate(SUITE, PREDS, REFS, categories={"others": GRADING})
    with pytest.raises(MatchwiseError, match="categories compare with one reference; leave out categories="):
        evaluate(SUITE, PREDS, [[ref] for ref in REFS], references="any", categories={"ents": GRADING})
    with pytest.raises(MatchwiseError, match=r"no table 'confusion'.*evaluate\(suite, preds, refs, categories=ner"):
        REPORT.to_pandas("confusion")


def test_an_unknown_table_says_which_there_are_and_what_to_write() -> None:
    with pytest.raises(MatchwiseError, match="no table 'label'; did you mean 'labels'"):
        REPORT.to_pandas("label")
    with pytest.raises(MatchwiseError, match=r"no table 'fields'.*write evaluate\(suite, preds, refs, fields=True\)"):
        REPORT.to_pandas("fields")


def test_a_result_is_one_short_line() -> None:
    assert repr(REPORT) == "<Report of 20 documents: ents 0.7500>"
    assert repr(REPORT["ents"]) == "<f1 0.7500: Counts(matched=30, predicted=40, reference=40)>"
    assert repr(COMPARISON) == "<Comparison of old, new on 20 documents>"
    assert repr(intervals(REPORT)) == "<Intervals of ents 0.7500>"
    assert repr(CATEGORIES) == "<Categories of 1 document: 1 correct, 1 missed, 1 spurious>"
    assert repr(CATEGORIES.confusion()) == "<Confusion of 3 elements>"


def test_notebooks_get_html_and_papers_latex() -> None:
    for shown in (REPORT, COMPARISON, intervals(REPORT), CATEGORIES, CATEGORIES.confusion()):
        assert shown._repr_html_().startswith('<div class="mw"><style>')
        assert shown._repr_latex_() == shown.to_latex()
        assert shown.to_html().startswith("<!DOCTYPE html>")
        assert shown.to_markdown().startswith("| ")
    assert '<td class="n">0.7500</td>' in REPORT._repr_html_()

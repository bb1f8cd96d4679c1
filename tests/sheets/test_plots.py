"""Plots by matplotlib, and a notebook that is really run."""

from dataclasses import replace

import matplotlib
import pytest

from matchwise import Suite, calibration, compare, curve, eq, evaluate, f1, facts, intervals, recall
from matchwise.corpus.report import Report
from matchwise.errors import MatchwiseError
from matchwise.sheets.html import Spread
from matchwise.tasks.views import explain

matplotlib.use("Agg")

SUITE = Suite(ents=f1("xs"), types=f1("xs", eq("t")))
REFS = [{"xs": [{"t": "A", "n": number}, {"t": "B", "n": 1}]} for number in range(20)]
PREDS = [{"xs": [{"t": "A", "n": number}, {"t": "B", "n": number % 2}]} for number in range(20)]
REPORT = evaluate(SUITE, PREDS, REFS)


def words(ax) -> list[str]:
    return [ax.get_title(), ax.get_xlabel(), ax.get_ylabel()]


def test_a_score_stands_in_the_bar_that_begins_with_it() -> None:
    report = evaluate(recall("xs"), [{"xs": [0, 1, 2]}] * 4, [{"xs": list(range(20))}] * 4)
    assert report["score"].per_document == [0.15] * 4
    assert [patch.get_height() for patch in report.plot().patches].index(4) == 3


def test_a_report_is_a_histogram_of_its_documents() -> None:
    ax = REPORT.plot()
    assert words(ax) == ["Scores of 20 documents", "ents", "documents"]
    assert sum(patch.get_height() for patch in ax.patches) == 20


def test_unreadable_documents_are_counted_beside_a_histogram_and_are_not_zeros_in_it() -> None:
    report = evaluate(f1("xs"), [{"xs": [1]}, {"xs": []}], [{"xs": [1]}, {"xs": [1]}])
    found = Report(replace(report.scores, unreadable=[1]))
    ax = found.plot()
    assert words(ax)[0] == "Scores of 1 document, 1 unreadable"
    assert [patch.get_height() for patch in ax.patches] == [0] * 19 + [1]
    assert found.spread("run") == Spread("run", [1.0], 1)


def test_a_comparison_is_a_forest_of_differences() -> None:
    ax = compare({"old": REPORT, "new": evaluate(SUITE, REFS, REFS)}).plot()
    assert words(ax) == ["new against old", "difference, 95 % intervals; ● p ≤ 0.05", ""]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["types", "ents"]


def test_a_difference_is_filled_if_it_is_significant_after_the_correction() -> None:
    refs = [{"xs": [number]} for number in range(40)]
    right = [{"xs": [number if number > 6 else -1]} for number in range(40)]
    three = {name: evaluate(f1("xs"), preds, refs) for name, preds in (("a", right), ("b", refs), ("c", refs))}
    found = compare(three)
    assert [(row.p <= 0.05, row.p_holm <= 0.05) for row in found.headlines()] == [(True, True)] * 2
    narrow = replace(found, rows=tuple(replace(row, p_holm=0.06) for row in found.rows))
    faces = [[line.get_markerfacecolor() for line in one.plot().lines] for one in (found, narrow)]
    assert faces[0] != faces[1]


def test_errors_are_bars_by_kind() -> None:
    ax = explain("ner", [["B-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "B-ORG"]]).plot()
    assert words(ax) == ["Errors in 1 document", "errors", ""]
    assert [text.get_text() for text in ax.texts] == ["1 (50% of the loss)", "1 (50% of the loss)"]


def test_what_has_no_plot_says_so() -> None:
    found = intervals(REPORT)
    with pytest.raises(
        MatchwiseError, match="no plot of Intervals; plot a report, a comparison, errors, a curve, a calibr"
    ):
        found.plot()


def test_expressions_are_equations_in_notebooks() -> None:
    phi = f1("xs", eq("a<b"))
    assert phi._repr_latex_().startswith(r"$\displaystyle \mathsf{F}")
    assert ', monospace">f1(&quot;xs&quot;, eq(&quot;a&lt;b&quot;))</code>' in phi._repr_html_()


def test_facts_are_a_table_with_reasons() -> None:
    found = facts(f1("xs"))
    assert repr(found) == "<Facts: bounded, symmetric, unit, left, right, kernel>"
    html = found._repr_html_()
    assert html.count("<tr>") == 11
    assert "<tr><td>symmetric</td><td>yes</td><td>what is normalised is</td></tr>" in html
    assert "<tr><td>strong</td><td>no</td><td>F has values in between</td></tr>" in html


def test_a_single_score_is_a_table_of_one_row() -> None:
    html = REPORT["ents"]._repr_html_()
    assert [title for title in ("precision", "recall", "f1", "matched") if f">{title}</th>" in html] == [
        "precision", "recall", "f1", "matched",
    ]  # fmt: skip
    assert html.count("<tr>") == 2
    assert '<td class="n">0.7500</td>' in html


def test_charts_in_notebooks_need_no_matplotlib() -> None:
    html = REPORT._repr_html_()
    assert 'aria-label="Documents by ents: 10 from 0.5, 10 from 0.95"' in html
    assert "<p>documents by ents</p><svg " in html
    assert "<title>10 documents from 0.5 to 0.55</title>" in html
    forest = compare({"old": REPORT, "new": evaluate(SUITE, REFS, REFS)})._repr_html_()
    assert 'aria-label="Differences: ents +0.2500; types +0.0000"' in forest
    found = explain("ner", [["B-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "B-ORG"]])._repr_html_()
    assert '<th scope="row" data-kind="boundary">boundary</th>' in found
    assert found.count('<rect class="mw-s0" y="0" width="50.0" height="7"/>') == 2  # half of the loss each


CELLS = """
import matchwise as mw
mw.f1("xs", mw.eq("t"))
---
report = mw.evaluate(mw.f1("xs"), [{"xs": [1, 2]}] * 12, [{"xs": [1, 3]}] * 12)
report
---
mw.intervals(report)
---
mw.compare({"a": report, "b": report})
---
mw.align(mw.f1("xs"), {"xs": [1]}, {"xs": [2]})
---
mw.plan(mw.f1("xs"))
---
mw.facts(mw.f1("xs"))
---
report["score"]
---
mw.explain("ner", [["B-PER", "O"]], [["B-PER", "I-PER"]])
---
mw.duplicates(mw.edit(), ["cat", "cats"], threshold=0.7)
"""


def test_a_notebook_shows_every_result_as_html() -> None:
    import nbformat
    from nbclient import NotebookClient

    cells = [nbformat.v4.new_code_cell(text.strip()) for text in CELLS.split("---")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=120).execute()
    shown = [cell.outputs[-1].data for cell in notebook.cells]
    assert ["text/html" in data for data in shown] == [True] * 10
    assert [data["text/html"].count("<svg") for data in shown] == [0, 1, 0, 1, 0, 0, 0, 0, 1, 0]
    assert shown[1]["text/plain"] == "<Report of 12 documents: score 0.5000>"
    assert "text/latex" in shown[0]


def test_axes_of_curves_and_calibrations_end_just_beyond_one() -> None:
    preds, refs = [{"xs": [{"a": 1, "p": 0.5}]}], [{"xs": [{"a": 1}]}]
    phi = f1("xs", eq("a"))
    curve_axes = curve(phi, preds, refs, confidence="p").plot()
    bins_axes = calibration(phi, preds, refs, confidence="p", resamples=20)["elements"].plot()
    for ax, labels in ((curve_axes, ("recall", "precision")), (bins_axes, ("confidence", "credit"))):
        assert (ax.get_xlim(), ax.get_ylim()) == ((0, 1.02), (0, 1.02))
        assert (ax.get_xlabel(), ax.get_ylabel()) == labels

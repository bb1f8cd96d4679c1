"""Curves, calibrations, agreements and the like: as HTML, as frames, as one line, and drawn."""

from dataclasses import dataclass
from typing import Any

import matplotlib
import pytest

import matchwise as mw
from matchwise.sheets.html import read_asset
from matchwise.sheets.shown import Tabled
from matchwise.sheets.table import PLAIN, PrintedTable, Sheet, print_rows, render
from matchwise.tasks import documents

matplotlib.use("Agg")

IDS = mw.f1("xs", mw.eq("id"))
PREDS = [
    {"xs": [{"id": 1, "p": 0.9, "t": "A"}, {"id": 7, "p": 0.6, "t": "B"}]},
    {"xs": [{"id": 2, "p": 0.3, "t": "A"}]},
]
REFS = [{"xs": [{"id": 1, "t": "A"}]}, {"xs": [{"id": 2, "t": "A"}]}]
BILLS = documents.form({"properties": {"number": {"type": "string"}, "total": {"type": "number"}}})
RUN = documents.evaluate(
    BILLS,
    ['{"number": "1", "total": "n/a"}', "no idea", {"number": "3"}],
    [{"number": str(number), "total": 2} for number in (1, 2, 3)],
)
SPANS = [{"xs": [{"span": (0, 4), "type": "a"}, {"span": (6, 9), "type": "b"}]}]
CURVE = mw.curve(IDS, PREDS, REFS, confidence="p", by="t")
CALIBRATION = mw.calibration(IDS, PREDS, REFS, confidence="p", bins=2)["elements"]
ANNOTATED = {"ann": [{"xs": ["a"]}, {"xs": ["b"]}], "bob": [{"xs": ["a"]}, {"xs": ["c"]}]}
AGREEMENT = mw.agreement(mw.f1("xs"), ANNOTATED, resamples=0)
GAMMA = mw.gamma({"ann": SPANS, "bob": SPANS}, "xs", category="type")
CONSENSUS = mw.consensus(mw.f1("xs"), [{"xs": ["a", "b"]}, {"xs": ["a"]}, {"xs": ["a", "<c>"]}])
DUPLICATES = mw.duplicates(mw.edit(), ["cat", "cats", "dog"], threshold=0.7)
RISK = CURVE.risk_coverage()
UNREAD = 'not JSON: found "no idea" (line 1, column 1: Expecting value)'
EVERY = (CURVE, CALIBRATION, AGREEMENT, GAMMA, CONSENSUS, DUPLICATES, RISK, RUN)


@pytest.mark.parametrize(
    ("shown", "table", "rows"),
    [
        (CURVE, None, [
            {"threshold": 0.9, "precision": 1.0, "recall": 0.5, "f1": 2 / 3, "matched": 1, "predicted": 1},
            {"threshold": 0.6, "precision": 0.5, "recall": 0.5, "f1": 0.5, "matched": 1, "predicted": 2},
            {"threshold": 0.3, "precision": 2 / 3, "recall": 1.0, "f1": 0.8, "matched": 2, "predicted": 3},
        ]),
        (CURVE, "labels", [
            {"label": "A", "average_precision": 1.0, "reference": 2},
            {"label": "B", "average_precision": 0.0, "reference": 0},
        ]),
        (CALIBRATION, None, [
            {"low": 0.0, "high": 0.5, "n": 1, "confidence": 0.3, "credit": 1.0, "gap": 0.7},
            {"low": 0.5, "high": 1.0, "n": 2, "confidence": 0.75, "credit": 0.5, "gap": -0.25},
        ]),
        (AGREEMENT, None, [
            {"first": "ann", "second": "bob", "value": 0.5, "low": None, "high": None, "documents": 2},
        ]),
        (AGREEMENT, "documents", [{"document": 1, "value": 0.0}, {"document": 0, "value": 1.0}]),
        (GAMMA, None, [{"document": 0, "gamma": 1.0}]),
        (CONSENSUS, None, [{"path": "xs[0]", "support": 1.0}]),
        (DUPLICATES, None, [{"first": 0, "second": 1, "score": 0.75}]),
        (DUPLICATES, "clusters", [{"cluster": 1, "object": 0}, {"cluster": 1, "object": 1}]),
        (RISK, None, [
            {"threshold": 0.9, "coverage": 1 / 3, "risk": 0.0},
            {"threshold": 0.6, "coverage": 2 / 3, "risk": 0.5},
            {"threshold": 0.3, "coverage": 1.0, "risk": 1 / 3},
        ]),
        (RUN, "faults", [
            {"document": 0, "side": "prediction", "path": "total", "problem": '"n/a" is not a number'},
            {"document": 1, "side": "prediction", "path": "", "problem": UNREAD},
        ]),
    ],
)  # fmt: skip
def test_every_result_is_a_frame(shown: Tabled, table: str | None, rows: list[dict[str, Any]]) -> None:
    assert shown.to_arrow(table).to_pylist() == rows
    assert list(shown.to_pandas(table).columns) == shown.to_polars(table).columns == list(rows[0])


def test_the_scores_of_a_run_are_those_of_its_report() -> None:
    assert RUN.to_arrow().to_pylist() == RUN.report.to_arrow().to_pylist()
    assert "<caption>fields</caption>" in RUN._repr_html_()
    assert '<td>total: not a number</td><td class="n">1</td>' in RUN._repr_html_()
    assert "<p>1 prediction without readable JSON, counted as empty</p>" in RUN._repr_html_()
    assert "Documents by score: " in RUN._repr_html_()


@pytest.mark.parametrize("shown", EVERY, ids=lambda shown: type(shown).__name__)
def test_every_result_is_html_markdown_and_latex(shown: Tabled) -> None:
    html = shown._repr_html_()
    assert html.startswith('<div class="mw"><style>')
    assert html.count("<table") >= 1
    assert html.count("<td") == html.count("</td>")
    for note in shown.notes():
        assert note.split("\n")[0].split(" <")[0] in html.replace("&#x27;", "'")
    assert shown.to_html().startswith("<!DOCTYPE html>")
    assert shown.to_markdown().startswith(("| ", "**"))
    assert r"\begin{tabular}" in shown.to_latex()


def test_the_value_of_a_consensus_is_shown_and_is_no_markup() -> None:
    found = mw.consensus(mw.f1("xs"), [{"xs": ["<b>"]}, {"xs": ["<b>"]}])
    assert "<p>value: {&#x27;xs&#x27;: [&#x27;&lt;b&gt;&#x27;]}</p>" in found._repr_html_()


def test_a_result_is_one_short_line() -> None:
    assert [repr(shown) for shown in EVERY] == [
        "<Curve of 2 documents: average precision 0.8333>",
        "<Calibration of 3 predictions: ECE 0.4000>",
        "<Agreement of 2 annotators on 2 documents: mean score 0.5000>",
        str(GAMMA),
        f"<Consensus {CONSENSUS}>",
        "<Duplicates of 3 objects: 1 pair at 0.7 or above, in 1 cluster; 3 of 3 pairs compared>",
        "<RiskCoverage: area 0.2778, excess 0.1667>",
        "<Run of 3 documents: score 0.4444, 2 with faults>",
    ]


def test_a_run_without_faults_says_nothing_of_faults() -> None:
    run = documents.evaluate(documents.form({"properties": {"n": {"type": "number"}}}), [{"n": 1}], [{"n": 1}])
    assert repr(run) == "<Run of 1 document: score 1.0000>"


def test_of_many_rows_people_see_some_and_frames_have_all() -> None:
    found = mw.duplicates(mw.eq(), ["same"] * 40, threshold=1)
    assert len(repr(found)) < 120
    html = found._repr_html_()
    assert html.count("<tr>") == 1 + 20 + 1 + 1
    assert "<p>pairs: 760 more; to_pandas(&quot;pairs&quot;) has all</p>" in html
    assert "17, 18, 19 and 20 more</td>" in html
    assert len(found.to_pandas()) == 780
    points = mw.curve(IDS, [{"xs": [{"id": n, "p": n / 99} for n in range(99)]}], [{"xs": [{"id": 3}]}], confidence="p")
    assert points._repr_html_().count("<tr>") == 1 + 11
    assert len(points.to_pandas()) == 99
    assert points.risk_coverage()._repr_html_().count("<tr>") == 1 + 11


def test_a_curve_is_drawn_as_steps_whose_area_is_the_average_precision() -> None:
    ax = CURVE.plot()
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == ("Average precision 0.833", "recall", "precision")
    [line] = ax.get_lines()
    assert line.get_xdata().tolist() == [0.0, 0.5, 0.5, 1.0]
    assert line.get_ydata().tolist() == [1.0, 1.0, 0.5, 2 / 3]
    assert line.get_drawstyle() == "steps-pre"


def test_a_calibration_is_drawn_beside_the_diagonal() -> None:
    ax = CALIBRATION.plot()
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == ("ECE 0.400 of 3 predictions", "confidence", "credit")
    _, found = ax.get_lines()
    assert found.get_xydata().tolist() == [[0.3, 1.0], [0.75, 0.5]]
    assert [text.get_text() for text in ax.texts] == ["1", "2"]


def test_an_agreement_is_drawn_pair_by_pair_around_its_mean() -> None:
    ax = AGREEMENT.plot()
    assert (ax.get_title(), ax.get_xlabel()) == ("Agreement of 1 pair of annotators: mean 0.500", "score")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["ann ~ bob"]


def test_a_run_is_drawn_as_its_report() -> None:
    assert RUN.plot().get_title() == "Scores of 2 documents, 1 unreadable"


def test_results_are_written_in_a_line_or_a_table_never_as_data_classes() -> None:
    preds = [{"xs": [{"a": "a", "c": 0.5}]}, {"xs": [{"a": "b", "c": 0.7}]}] * 6
    refs = [{"xs": [{"a": "a"}]}] * 12
    phi = mw.f1("xs", mw.eq("a"))
    found = [
        mw.agreement(phi, {"ann": preds, "bob": refs}),
        mw.consensus(phi, [preds[0], refs[0]]),
        mw.duplicates(phi, refs, threshold=0.5),
        mw.curve(phi, preds, refs, confidence="c"),
        mw.calibration(phi, preds, refs, confidence="c", resamples=20)["elements"],
        mw.intervals(mw.evaluate(phi, preds, refs)),
        mw.compare({"a": mw.evaluate(phi, preds, refs), "b": mw.evaluate(phi, refs, refs)}, resamples=100),
    ]
    assert not any(f"{name}=" in repr(one) for one in found for name in ("annotations", "observed", "rows", "ranked"))


def test_a_score_that_is_unknown_has_a_dash_and_a_count_or_a_text_is_left_blank() -> None:
    known = {"metric": "a", "f1": 0.5, "matched": 3}
    written = PrintedTable("", (known, dict.fromkeys(known), {})).write(PLAIN)
    assert {column.name: column.texts for column in written} == {
        "metric": ("a", "", ""),
        "f1": ("0.5000", "–", ""),
        "matched": ("3", "", ""),
    }


def test_faults_are_listed_by_the_side_that_has_them() -> None:
    @dataclass
    class Pair:
        a: int
        b: str

    run = documents.evaluate(documents.form(Pair), ['{"a": "x", "b": "y"}'], ['{"a": 1, "b": 2}'])
    assert [(row["side"], row["path"]) for row in run.tables()["faults"]] == [("prediction", "a"), ("reference", "b")]
    assert run.tables(brief=True)["faults"] == [
        {"side": "prediction", "fault": "a: not an integer", "count": 1},
        {"side": "reference", "fault": "b: not a text", "count": 1},
    ]


def test_charts_have_their_style_and_alignments_do_without() -> None:
    task, preds, refs = "ner", [["B-PER", "O"]], [["O", "B-PER"]]
    assert read_asset("charts.css") in mw.explain(task, preds, refs)._repr_html_()
    assert read_asset("charts.css") not in mw.align(mw.f1(), preds[0], refs[0])._repr_html_()


def test_the_page_of_a_result_has_its_tables_as_markup() -> None:
    assert "<main><div" in CURVE.to_html()
    assert "&lt;table" not in CURVE.to_html()


def test_columns_that_no_other_table_has_are_told_apart_by_what_they_hold() -> None:
    rows: list[dict[str, Any]] = [{"a_b": 1, "c": 0.5, "d": "x", "value": 1}, {"a_b": None, "c": 1, "d": 2, "value": 0}]
    columns = print_rows("rows", rows).write(PLAIN)
    assert [(one.title, one.kind, one.texts) for one in columns] == [
        ("a b", "count", ("1", "")),
        ("c", "score", ("0.5000", "1.0000")),
        ("d", "text", ("x", "2")),
        ("value", "score", ("1.0000", "0.0000")),
    ]


LONG = [
    {"system": "s" * 20, "metric": "m" * 18, "field": f"field{place}{'f' * 12}", **numbers}
    for place in range(2)
    for numbers in [
        {"precision": 0.5, "recall": 0.25, "f1": 1 / 3, "matched": 3, "predicted": 4 + place, "reference": 5}
    ]
]


def test_what_every_row_says_stands_below_a_table_that_is_too_wide_the_last_column_first() -> None:
    notes = ("a note\nof two\tlines",)
    assert render(Sheet((PrintedTable("scores", tuple(LONG)),), notes, "f1|matchwise:1|abc")).splitlines() == [
        "field               precision  recall      f1  matched  predicted  reference",
        "field0ffffffffffff     0.5000  0.2500  0.3333        3          4          5",
        "field1ffffffffffff     0.5000  0.2500  0.3333        3          5          5",
        f"(metric of every row: {'m' * 18})",
        f"(system of every row: {'s' * 20})",
        "",
        "a note",
        "of two⇥lines",
        "f1|matchwise:1|abc",
    ]
    alike = tuple(row | {"field": "f\n"} for row in LONG)
    assert render(Sheet((PrintedTable("fields of\nx", alike),))).splitlines() == [
        "fields of⏎x",
        "system                precision  recall      f1  matched  predicted  reference",
        "ssssssssssssssssssss     0.5000  0.2500  0.3333        3          4          5",
        "ssssssssssssssssssss     0.5000  0.2500  0.3333        3          5          5",
        "(field of every row: f⏎)",
        f"(metric of every row: {'m' * 18})",
    ]


def test_long_names_are_cut_at_their_beginning_the_longest_first() -> None:
    rows = tuple({"field": "y" * 90 + str(place), "metric": "z" * 40 + str(place), "f1": 0.5} for place in range(2))
    assert render(Sheet((PrintedTable("scores", rows),))).splitlines() == [
        "field                                metric                                   f1",
        *(f"…{'y' * 33}{place}  …{'z' * 33}{place}  0.5000" for place in range(2)),
    ]

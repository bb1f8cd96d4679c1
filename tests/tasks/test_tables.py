"""Tables: what is read as a table, TEDS and its conventions, GriTS, records, and what is said to be wrong."""

from typing import Any

import pytest

import matchwise as mw
from matchwise.errors import DataError
from matchwise.tasks import tables
from matchwise.tasks.tables import MarkupTable, TableNode, table
from matchwise.tasks.tables.grids import sign_of, tables_of

GREEK = "alpha beta delta Delta eta theta lambda mu pi rho sigma tau omega"

TEA = "<table><tr><td>tea</td><td>2.00</td></tr><tr><td>coffee</td><td>2.40</td></tr></table>"


def value(pred: Any, ref: Any, metric: str = "teds", preset: Any = "teds") -> float:
    return mw.score(tables.suite(preset)[metric], pred, ref)


@pytest.mark.parametrize(
    "document",
    [
        "<html><body><p>Here:</p>" + TEA + "</body></html>",
        "Sure!\n```html\n" + TEA.replace("</td>", "").replace("</tr>", "") + "\n```",
        "<TABLE><TR><TD>tea</TD><TD>2.00<TR><TD>coffee<TD>2.40</TABLE>",
        [["tea", "2.00"], ["coffee", "2.40"]],
        "| tea | 2.00 |\n| coffee | 2.40 |",
        "<otsl><fcel>tea<fcel>2.00<nl><fcel>coffee<fcel>2.40<nl></otsl>",
        {"html": TEA},
        {"html": {"structure": {"tokens": ["<tr>", "<td>", "</td>", "<td>", "</td>", "</tr>"] * 2}, "cells": [
            {"tokens": list("tea")}, {"tokens": list("2.00")}, {"tokens": list("coffee")}, {"tokens": list("2.40")},
        ]}},
        {"cells": [
            {"row_nums": [i], "column_nums": [j], "cell_text": text}
            for (i, j), text in {(1, 1): "2.40", (0, 0): "tea", (0, 1): "2.00", (1, 0): "coffee"}.items()
        ]},
        {"table": [["tea", "2.00"], ["coffee", "2.40"]], "id": 3},
    ],
)  # fmt: skip
def test_a_table_is_the_same_in_every_form(document: Any) -> None:
    assert table(document).cells == table(TEA).cells
    assert value(document, TEA) == 1.0


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("no table here", "expected a table in HTML or Markdown, found 'no table here'"),
        ({"a": 1}, "expected a key such as table, html, rows or cells, found a"),
        ({"cells": [{"text": "a"}]}, "expected a cell with row_nums and column_nums"),
        (3, "expected HTML, Markdown, a list of rows or cells, found int"),
    ],
)
def test_what_is_not_a_table_is_refused(document: Any, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        value(document, TEA)


def test_characters_may_be_written_by_name_or_number() -> None:
    [cell] = table("<table><tr><td>A &amp; B &#60; C</td></tr></table>").cells
    assert cell.text == "A & B < C"


def test_cells_stand_in_the_first_free_column() -> None:
    found = table("<table><tr><td rowspan=2>a<td colspan=2>b<tr><td>c<td>d<tr><th>e</table>").cells
    assert [(cell.text, cell.row, cell.column) for cell in found] == [
        ("a", 0, 0), ("b", 0, 1), ("c", 1, 1), ("d", 1, 2), ("e", 2, 0),
    ]  # fmt: skip
    assert [cell.is_header for cell in found] == [False, False, False, False, True]


def test_spans_of_otsl_are_read_from_the_cells_that_continue() -> None:
    found = table("<fcel>a<lcel><nl><ucel><xcel><nl><fcel>b<ecel><nl>").cells
    assert [(cell.text, cell.rowspan, cell.colspan) for cell in found] == [("a", 2, 2), ("b", 1, 1), ("", 1, 1)]


def test_a_span_is_a_number_within_limits() -> None:
    found = table("<table><tr><td colspan=x>a<td colspan=99999>b<td rowspan=0>c</table>").cells
    assert [(cell.colspan, cell.rowspan) for cell in found] == [(1, 1), (1000, 1), (1, 1)]


def test_a_changed_text_costs_its_edit_distance_and_a_changed_span_a_whole_element() -> None:
    assert value(TEA.replace("2.00", "2.50"), TEA) == 1 - (1 / 4) / 6
    assert value(TEA.replace("<td>2.00", "<td colspan=2>2.00"), TEA) == 1 - 1 / 6
    assert value(TEA.replace("2.00", "2.50"), TEA, "structure") == 1.0
    assert value("", TEA) == 0.0
    assert value("", "") == 0.0


def test_the_presets_differ_in_what_the_size_is() -> None:
    bold = TEA.replace("2.00", "<b>2.00</b>")
    distance = 2 / 6  # two tags of six tokens
    assert value(TEA, bold) == pytest.approx(1 - distance / 7, abs=1e-12)
    assert value(TEA, bold, preset="table_recognition_metric") == pytest.approx(1 - distance / 7, abs=1e-12)
    assert value(TEA, bold, preset="omnidocbench") == pytest.approx(1 - distance / 7, abs=1e-12)
    short = TEA.replace("2.00", "2.50")
    assert value(short, TEA, preset="table_recognition_metric") == 1 - (1 / 4) / 7


def test_omnidocbench_reads_heading_cells_and_leaves_sections_out() -> None:
    head, body = TEA[len("<table>") : TEA.index("</tr>") + 5], TEA[TEA.index("</tr>") + 5 : -len("</table>")]
    headed = f"<table><thead>{head.replace('td>', 'th>')}</thead><tbody>{body}</tbody></table>"
    assert value(headed, TEA, preset="omnidocbench") == 1.0
    assert value(headed, TEA) == pytest.approx(1 - 4 / 8, abs=1e-12)


def test_grits_compares_the_squares_of_aligned_rows_and_columns() -> None:
    ref = [["a", "b", "c"], ["d", "e", "f"]]
    report = mw.evaluate(tables.suite("grits"), [[["a", "c"], ["d", "f"]]], [ref])
    assert report["con"].counts == mw.Counts(4, 4, 6)
    assert report["top"].counts == mw.Counts(4, 4, 6)
    merged = "<table><tr><td colspan=2>a b</td><td>c</td></tr><tr><td>d</td><td>e</td><td>f</td></tr></table>"
    assert mw.evaluate(tables.suite("grits"), [merged], [ref])["top"].counts == mw.Counts(5.0, 6, 6)


def test_grits_of_boxes_is_an_option() -> None:
    def cells(shift: int) -> dict[str, Any]:
        return {
            "cells": [
                {"row_nums": [0], "column_nums": [j], "bbox": [10 * j + shift, 0, 10 * j + 10, 5]} for j in (0, 1)
            ]
        }

    report = mw.evaluate(tables.suite("grits", boxes=True), [cells(5)], [cells(0)])
    assert report["loc"].counts == mw.Counts(1.0, 2, 2)
    assert list(tables.suite("grits")) == ["top", "con"]


def test_records_are_matched_in_any_order_and_compared_by_column() -> None:
    ref = "| item | price |\n|---|---|\n| tea | 2 |\n| coffee | 3 |"
    pred = "| price | item |\n|---|---|\n| 3 | coffee |\n| 9 | tea |"
    report = mw.evaluate(tables.suite("records"), [pred], [ref])
    assert report["records"].counts == mw.Counts(3, 4, 4)
    assert report["rows"].counts == mw.Counts(1, 2, 2)


def kinds(pred: Any, ref: Any) -> dict[str, int]:
    [[level]] = tables.errors(tables.suite(), "teds")([pred], [ref])
    found = [case.kind for case in level.cases]
    return {kind: found.count(kind) for kind in sorted(set(found))}


@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        (TEA, {}),
        (TEA.replace("2.00", "2.50"), {"wrong text": 1}),
        (TEA.replace("2.00", "<b>2.00</b>"), {"wrong markup": 1}),
        (TEA.replace("<td>2.00", "<td colspan=2>2.00"), {"merged cells": 1}),
        (TEA.replace("<tr><td>tea</td><td>2.00</td></tr>", ""), {"missed row": 1}),
        (TEA.replace("</table>", "<tr><td>milk</td><td>1</td></tr></table>"), {"spurious row": 1}),
        (TEA.replace("<td>2.00</td>", "").replace("<td>2.40</td>", ""), {"missed column": 1}),
        (TEA.replace("<td>2.00</td>", ""), {"missed cell": 1}),
        (TEA.replace("<td>tea</td>", "<th>tea</th>"), {"header": 1}),
    ],
)
def test_errors_are_named_and_whole_rows_and_columns_are_one(pred: str, expected: dict[str, int]) -> None:
    assert kinds(pred, TEA) == expected


def test_a_merged_cell_that_was_split_is_named() -> None:
    whole = TEA.replace("<td>2.00", "<td colspan=2>2.00")
    assert kinds(TEA, whole) == {"split cell": 1}


def test_both_tables_are_drawn_with_the_status_of_each_cell() -> None:
    shown = str(mw.align(tables.suite()["teds"], TEA.replace("2.00", "2.50"), TEA))
    assert "≈ wrong text  2.‹5›0 (row 1, column 2)  2.‹0›0 (row 1, column 2)" in shown
    assert "reference\n≈ | tea | 2.00 |\n  | coffee | 2.40 |" in shown


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("<table>" * 3000, "found elements inside each other more than 200 deep"),
        ("<table><tr>" + "<td colspan=1000 rowspan=1000>a" * 2, "found cells that span more than 1,000,000 squares"),
    ],
)
def test_tables_beyond_all_measure_are_refused(document: str, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        value(document, TEA)


def test_tags_out_of_order_are_read() -> None:
    assert [cell.text for cell in table("<td>a</table><table></td><tr><td>b</tr></td><tr></table><td>c").cells] == ["b"]


def test_texts_may_be_compared_in_another_way() -> None:
    exact = tables.suite(text=mw.eq("text"))
    assert mw.score(exact["teds"], TEA.replace("2.00", "2.50"), TEA) == 1 - 1 / 6
    assert exact.title == 'tables:teds|text:eq("text")'


def test_the_answer_of_a_model_has_a_table_in_it() -> None:
    answer = {"id": 1, "response": "Here it is:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"}
    assert [cell.text for cell in tables.table(answer).cells] == ["a", "b", "1", "2"]


def test_locations_need_a_box_of_each_cell_that_has_a_text() -> None:
    cells = [{"row_nums": [0], "column_nums": [0], "cell_text": "tea"}, {"row_nums": [0], "column_nums": [1]}]
    with pytest.raises(mw.DataError, match=r"expected a bbox of each cell that has a text .* found none of 'tea'"):
        mw.score(tables.suite("grits", boxes=True)["loc"], {"cells": cells}, {"cells": cells})
    cells[0]["bbox"] = [0, 0, 4, 4]
    assert mw.score(tables.suite("grits", boxes=True)["loc"], {"cells": cells}, {"cells": cells}) == 1


@pytest.mark.parametrize("said", ["-", "–", "−", "—", "<sup>—</sup>", "<sub>—</sub>", "<div>-</div>", "<p>–</p>"])
def test_dashes_are_one_and_some_markup_is_left_out_in_omnidocbench(said: str) -> None:
    phi = tables.suite("omnidocbench")["teds"]
    made, known = (f"<table><tr><th>{one}</th><td>a</td></tr></table>" for one in (said, "<span>—</span>"))
    assert mw.score(phi, made, known) == 1
    assert mw.score(phi, made.replace("<td>a", "<td><b>a</b>"), known) < 1


@pytest.mark.parametrize(
    ("written", "symbol"),
    [
        *(("√", one) for one in (r"\checkmark", r"\checked", r"\surd", "✓", "✔", "☑", "✅", "🗸")),
        *(("×", one) for one in (r"\times", r"\xmark", r"\crossmark", *"✗✘✕✖☒❌╳⨯")),
        *(("∅", one) for one in (r"\varnothing", r"\emptyset", "Ø")),
        *(("～", one) for one in (r"\sim", "∼", "〜")),
        *zip("±∓∂%#&_", (r"\pm", r"\mp", r"\partial", r"\%", r"\#", r"\&", r"\_"), strict=True),
        *((one, rf"\{name}") for one, name in zip("αβδΔηθλμπρστω", GREEK.split(), strict=True)),
        *(("γ", one) for one in (r"\gamma", r"\gama")),
        *(("ε", one) for one in (r"\epsilon", r"\varepsilon")),
        *(("φ", one) for one in (r"\phi", r"\varphi")),
        ("ab", "a\u200bb"),
        ("5 ± 1", r"$5 \pm 1$"),
        ("x", r"$$ \(\[x\]\) $$"),
        ("x y", "x \n y"),
    ],
)
def test_a_symbol_is_read_as_omnidocbench_reads_it(written: str, symbol: str) -> None:
    made, known = (MarkupTable(TableNode("table", children=(TableNode("td", text=one),))) for one in (symbol, written))
    [[mine], [theirs]] = [side.tree for side in tables.trees(normalize=True)(made, known)]
    assert mine.text == theirs.text != symbol


def test_a_cell_ends_where_the_next_begins() -> None:
    cells = table("<table><tr><th>a<td>b<th>c<td>d<tr><td>e</table>").cells
    assert [(cell.text, cell.row, cell.column, cell.is_header) for cell in cells] == [
        ("a", 0, 0, True),
        ("b", 0, 1, False),
        ("c", 0, 2, True),
        ("d", 0, 3, False),
        ("e", 1, 0, False),
    ]


def test_an_end_tag_closes_the_innermost_element_of_its_name() -> None:
    [made] = tables_of("<table><tr><td><div><div>a</div>b</div>c</td></tr></table>")
    begin, end = sign_of("<div>"), sign_of("</div>")
    assert made.children[0].children[0].text == f"{begin}{begin}a{end}b{end}c"

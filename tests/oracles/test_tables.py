"""TEDS beside table-recognition-metric 0.0.6 (apted), and GriTS beside frozen outputs of grits.py.

PubTabNet's own program differs from the package in its size only: all elements below the root, those inside cells
included. The outputs of GriTS are those of `grits_from_html(ref, pred)` and `grits_loc` of Table Transformer's
src/grits.py (with PyMuPDF 1.26), those of OmniDocBench are of its version 1.6 (147cd5a). Both were also run beside ours
on 1,200 random scores each, without a difference above 4e-16.
"""

import re
from random import Random
from typing import Any

import pytest
from lxml import html
from table_recognition_metric import TEDS

import matchwise as mw
from matchwise.tasks import tables

TEXTS = ["tea", "coffee", "2.00", "2.50", "", "x<b>y</b>z", "<i>q</i>", "n&amp;m", "long text here"]


def random_table(random: Random) -> str:
    """A table with spans, headings, sections, and markup inside cells."""
    rows, columns = random.randint(1, 5), random.randint(1, 4)

    def cell(row: int) -> str:
        tag = "th" if random.random() < 0.2 else "td"
        spans = ' colspan="2"' if random.random() < 0.15 else ""
        spans += ' rowspan="2"' if random.random() < 0.1 and row < rows - 1 else ""
        return f"<{tag}{spans}>{random.choice(TEXTS)}</{tag}>\n"

    lines = [f"<tr>{''.join(cell(row) for _ in range(columns))}</tr>" for row in range(rows)]
    if random.random() < 0.5:
        return f"<thead>{lines[0]}</thead><tbody>{''.join(lines[1:])}</tbody>"
    return "".join(lines)


def pair(seed: int) -> tuple[str, str]:
    random = Random(seed)
    ref = random_table(random)
    pred = random_table(random) if seed % 2 else ref.replace("tea", "tee").replace("<td>", '<td colspan="2">', 1)
    return tuple(f"<html><body><table>{one}</table></body></html>" for one in (pred, ref))  # type: ignore[return-value]


@pytest.mark.parametrize(("metric", "structure_only"), [("teds", False), ("structure", True)])
def test_trees_of_the_package_have_the_same_similarity(metric: str, structure_only: bool) -> None:
    ours, theirs = tables.suite("table_recognition_metric")[metric], TEDS(structure_only=structure_only)
    for seed in range(80):
        pred, ref = pair(seed)
        assert mw.score(ours, pred, ref) == pytest.approx(max(0, theirs(pred, ref)), abs=1e-12)


@pytest.mark.parametrize(("metric", "structure_only"), [("teds", False), ("structure", True)])
def test_pubtabnet_divides_by_all_elements_below_the_root(metric: str, structure_only: bool) -> None:
    theirs = TEDS(structure_only=structure_only)
    for seed in range(80):
        pred, ref = pair(seed)
        roots = [html.fromstring(one).xpath("body/table")[0] for one in (pred, ref)]
        nodes = max(theirs.load_html_tree(root).size() for root in roots)  # type: ignore[union-attr]
        elements = max(len(root.xpath(".//*")) for root in roots)
        expected = 1 - (1 - theirs(pred, ref)) * nodes / elements
        assert mw.score(tables.suite()[metric], pred, ref) == pytest.approx(max(0, expected), abs=1e-12)


GRITS = [
    ("2.00|2.50@1x2|tea", "a b c/2.50", 0.3333333333333333, 0.3333333333333333),
    ("coffee/2.00/a b c", "@1x2|coffee@2x1/2.00|coffee", 0.3333333333333333, 0.2222222222222222),
    ("coffee|coffee/tea|2.00", "tea@1x2|tea", 0.42857142857142855, 0.28571428571428575),
    ("coffee@1x2", "tea/2.00/a b c", 0.2, 0.08888888888888888),
    ("coffee@1x2|2.50|coffee", "coffee@1x2|2.00@1x2|coffee", 0.7777777777777777, 0.8333333333333334),
    ("@1x2|a b c@1x2", "|coffee@1x2|2.50", 0.625, 0.34090909090909094),
    ("tea|tea/tea|tea/coffee|tea", "tea|a b c/2.50|a b c", 0.8, 0.3),
]
"""Prediction and reference (rows, cells and spans as `a|b@2x1/c`), GriTS_Top, GriTS_Con."""


def markup(written: str) -> str:
    """The HTML of a table that is written in short."""
    rows = []
    for row in re.split(r"(?<!<)/", written):
        cells = [(*cell.split("@"), "1x1")[:2] for cell in row.split("|")]
        spans = [(text, *size.split("x")) for text, size in cells]
        rows.append("".join(f'<td rowspan="{down}" colspan="{across}">{text}</td>' for text, down, across in spans))
    return f"<table><tr>{'</tr><tr>'.join(rows)}</tr></table>"


@pytest.mark.parametrize(("pred", "ref", "top", "con"), GRITS)
def test_grits_is_that_of_its_program(pred: str, ref: str, top: float, con: float) -> None:
    suite = tables.suite("grits")
    found = [mw.score(suite[name], markup(pred), markup(ref)) for name in ("top", "con")]
    assert found == pytest.approx([top, con], abs=1e-12)


LOCATIONS = [
    ("0:0,0.5,10,3 1:0,5,10,9.5 2+3:1,10.5,10,19", "0:1,1,9,4.5 1:0,5,9,10", 0.4033333333333333),
    ("0:0,0,10,5 1:0,5,8,9.5 2:0,10.5,10,15 3:0,15,10,20", "0:0,0,9.5,5 0:11,0,19,4.5", 0.3166666666666667),
    ("0:0,0,9,5 0:10,0,20,5 0:20.5,2,29,5", "0:0,0,10,5 1:0.5,5,9.5,10", 0.36000000000000004),
    (  # in 64 bits it is 0.868455986…
        "0:0.1,0.2,9.7,5.3 0:10.1,0.3,19.9,5.2 1:0.3,5.1,9.9,9.7 1:10.3,5.2,20.7,9.9",
        "0:0.2,0.1,9.9,5.1 0:10.2,0.1,20.1,5.3 1:0.1,5.3,10.1,10.1 1:10.1,5.1,19.7,10.3",
        0.8684558867480897,
    ),
]
"""Prediction and reference: the rows of each cell and its box; GriTS_Loc."""


def placed(written: str) -> dict[str, list[dict[str, Any]]]:
    """The cells of a table that is written in short; cells of one row stand beside each other."""
    cells: list[dict[str, Any]] = []
    for cell in written.split():
        rows, box = cell.split(":")
        down = [int(row) for row in rows.split("+")]
        across = [sum(one["row_nums"] == down for one in cells)]
        cells.append({"row_nums": down, "column_nums": across, "bbox": list(map(float, box.split(",")))})
    return {"cells": cells}


@pytest.mark.parametrize(("pred", "ref", "loc"), LOCATIONS)
def test_grits_of_locations_is_that_of_its_program(pred: str, ref: str, loc: float) -> None:
    found = mw.score(tables.suite("grits", boxes=True)["loc"], placed(pred), placed(ref))
    assert found == pytest.approx(loc, abs=1e-12)


OMNIDOCBENCH = [
    (r"$5 \pm 1$", "5 ± 1", 1.0),
    ("-|–", "—|x", 2 / 3),
    ("a <sup>2</sup> b", "a2b", 1.0),
    ("x<b>y</b>z", "xyz", 1 - 2 / 5 / 3),
    ("✓|❌ no", r"\checkmark|$\times$", 0.75),
    (r"\(\alpha\)|50\%", r"\beta|50%", 2 / 3),
    ("a<br>b|1", "a b|2", 0.625),
    ("$$x_1$$| two  words ", "x_1|two words", 1.0),
    (r"\simeq", "～eq", 1.0),
    ("H<sub>2</sub>O", "$H_2O$", 0.875),
    ('<math alttext="5 \\pm 1"><mn>5</mn></math>', "5 ± 1", 1.0),
    ('a <math alttext="x^2"><mi>x</mi></math> b|1', "a $x^2$ b|2", 2 / 3),
    ("<math><mi>y<i></i></mi></math>", "y", 0.5),
]
"""The cells of a row of the prediction and of the reference, and TEDS."""


@pytest.mark.parametrize(("pred", "ref", "teds"), OMNIDOCBENCH)
def test_omnidocbench_writes_symbols_in_one_way(pred: str, ref: str, teds: float) -> None:
    found = mw.score(tables.suite("omnidocbench")["teds"], markup(pred), markup(ref))
    assert found == pytest.approx(teds, abs=1e-12)

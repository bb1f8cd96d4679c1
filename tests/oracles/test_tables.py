"""TEDS beside table-recognition-metric 0.0.6 (apted), and GriTS beside frozen outputs of grits.py.

PubTabNet's own program differs from the package in its size only: all elements below the root, those inside cells
included. The outputs of GriTS are those of `grits_from_html(ref, pred)` of Table Transformer's src/grits.py.
"""

from random import Random

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
    for row in written.split("/"):
        cells = [(*cell.split("@"), "1x1")[:2] for cell in row.split("|")]
        spans = [(text, *size.split("x")) for text, size in cells]
        rows.append("".join(f'<td rowspan="{down}" colspan="{across}">{text}</td>' for text, down, across in spans))
    return f"<table><tr>{'</tr><tr>'.join(rows)}</tr></table>"


@pytest.mark.parametrize(("pred", "ref", "top", "con"), GRITS)
def test_grits_is_that_of_its_program(pred: str, ref: str, top: float, con: float) -> None:
    suite = tables.suite("grits")
    found = [mw.score(suite[name], markup(pred), markup(ref)) for name in ("top", "con")]
    assert found == pytest.approx([top, con], abs=1e-12)

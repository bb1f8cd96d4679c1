"""Tables from documents and images: TEDS and S-TEDS as tree edit similarities, GriTS, and records by column.

>>> from matchwise.corpus.tally import Tally
>>> ref = "<table><tr><td>tea</td><td>2.00</td></tr></table>"
>>> pred = "<table><tr><td>tea</td><td>2.50</td></tr></table>"
>>> round(Tally(suite()).add(pred, ref).report()["teds"].value, 4)
0.9167
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from matchwise.algebra.build import custom, eq, f1, normalize, overlap, substitute
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Suite
from matchwise.engine.plan import score
from matchwise.similarities.strings import edit
from matchwise.tasks import Analyse, Option, Task, similarity_option
from matchwise.tasks.tables.grids import CellLine as CellLine
from matchwise.tasks.tables.grids import MarkupTable as MarkupTable
from matchwise.tasks.tables.grids import TableCell as TableCell
from matchwise.tasks.tables.grids import TableNode as TableNode
from matchwise.tasks.tables.grids import table as table
from matchwise.tasks.tables.grids import tables_of as tables_of
from matchwise.tasks.tables.steps import RecordField as RecordField
from matchwise.tasks.tables.steps import TreeNode, Trees
from matchwise.tasks.tables.steps import common_blocks as common_blocks
from matchwise.tasks.tables.steps import enclosed as enclosed
from matchwise.tasks.tables.steps import grits as grits
from matchwise.tasks.tables.steps import records as records
from matchwise.tasks.tables.steps import trees as trees

if TYPE_CHECKING:
    from matchwise.views.errors import Case, Level
    from matchwise.views.model import Status, View, ViewLine

SAME = eq("tag") * eq("colspan") * eq("rowspan")
"""Whether two elements are of one kind and size."""

STEPS = {
    "teds": Trees(),
    "omnidocbench": Trees(normalize=True),
    "table_recognition_metric": Trees(size="nodes"),
}


def suite(
    preset: Literal["teds", "omnidocbench", "table_recognition_metric", "grits", "records"] = "teds",
    *,
    text: Similarity | None = None,
    boxes: bool = False,
) -> Suite:
    """The metrics of a preset, for tables, HTML, Markdown, OTSL, lists of rows and lists of cells.

    >>> suite("records")["records"]
    tables.records() | f1("rows", overlap(None, eq("column") * edit("text")))
    """
    TASK.check(preset, text=text, boxes=boxes)
    if preset == "grits":
        box = custom(enclosed, "value", facts=("symmetric",))
        metrics = {"top": f1("top", eq("pair") * box), "con": f1("con", eq("pair") * custom(common_blocks, "value"))}
        if boxes:
            metrics["loc"] = f1("loc", eq("pair") * box)
        return TASK.make_suite(preset, metrics, grits(boxes), cited=("smock-2023",))
    alike = edit("text") if text is None else text
    if preset == "records":
        metrics = {"records": f1("rows", overlap(None, eq("column") * alike)), "rows": f1("rows", f1() >= 1)}
        return TASK.make_suite(preset, metrics, records(), title={"text": "edit" if text is None else text})
    metrics = {"teds": _similarity(SAME * alike), "structure": _similarity(SAME)}
    return TASK.make_suite(
        preset,
        metrics,
        trees.of(STEPS[preset]),
        cited=("zhong-2020",),
        title={"text": "edit" if text is None else text},
    )


def _similarity(same: Similarity) -> Similarity:
    """1 − d / max(|x|, |y|), where an element costs 1 to add or remove, and 1 − φ to change."""
    return normalize(overlap("tree", substitute(same), order="tree"), "edit", empty=0)


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a table, cell by cell; a row or a column that is missing as a whole is one error."""

    from matchwise.tasks.errors import analyse_alone
    from matchwise.views.errors import Level

    def levels(pred: Any, ref: Any) -> list[Level]:
        mine, theirs, cases, right = _sort_out(pred, ref)
        matched = sum(score(edit(), a.text, b.text) for a, b in right) + sum(
            1 - case.lost for case in cases if case.pred is not None and case.ref is not None
        )
        return [Level("cells", matched, mine, theirs, tuple(cases), tuple(right))]

    return analyse_alone(levels)


def _sort_out(pred: Any, ref: Any) -> tuple[int, int, list[Case], list[tuple[TableCell, TableCell]]]:
    """The number of cells of both sides, the errors, and the pairs of cells that are right."""
    from matchwise.views.alignment import align
    from matchwise.views.errors import Case

    mine, theirs = (table(side).cells for side in (pred, ref))
    found = align(overlap("tree", substitute(SAME * edit("text")), order="tree"), *Trees()(pred, ref))
    pairs = [(one.pred, one.ref) for one in found.pairs if one.pred.cell and one.ref.cell]
    cases, right = [], []
    for one, other in pairs:
        kind = _kind(one, other)
        if kind is None:
            right.append((one.cell, other.cell))
        else:
            credit = score(SAME * edit("text"), one, other)
            cases.append(Case(kind, one.cell, other.cell, 1 - credit, is_partial=credit > 0))
    for kind, side, taken in (
        ("missed", theirs, {other.cell for _, other in pairs}),
        ("spurious", mine, {one.cell for one, _ in pairs}),
    ):
        for name, cells in _together([cell for cell in side if cell not in taken], side):
            said = CellLine(cells) if len(cells) > 1 else cells[0]
            lost = len(cells)
            case = Case("missed", ref=said, lost=lost) if kind == "missed" else Case("spurious", said, lost=lost)
            cases.append(replace(case, kind=f"{kind} {name}"))
    return len(mine), len(theirs), cases, right


def _kind(pred: TreeNode, ref: TreeNode) -> str | None:
    """What is wrong with two cells that were matched."""
    if pred.tag != ref.tag:
        return "header"
    mine, theirs = pred.cell, ref.cell
    assert mine is not None
    assert theirs is not None
    sizes = mine.rowspan * mine.colspan, theirs.rowspan * theirs.colspan
    if (mine.rowspan, mine.colspan) != (theirs.rowspan, theirs.colspan):
        return "merged cells" if sizes[0] > sizes[1] else "split cell" if sizes[0] < sizes[1] else "wrong span"
    if pred.text != ref.text:
        return "wrong text" if mine.text != theirs.text else "wrong markup"
    return None


def _together(lone: list[TableCell], side: tuple[TableCell, ...]) -> Iterator[tuple[str, tuple[TableCell, ...]]]:
    """The cells without a partner: whole rows, then whole columns, then single ones."""
    left = dict.fromkeys(lone)
    for name in ("row", "column"):
        for place in sorted({getattr(cell, name) for cell in side}):
            cells = tuple(cell for cell in side if getattr(cell, name) == place)
            if len(cells) > 1 and all(cell in left for cell in cells):
                yield name, cells
                for cell in cells:
                    del left[cell]
    yield from (("cell", (cell,)) for cell in left)


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """The cells that are wrong, and both tables with the status of each cell."""
    from matchwise.tasks.views import view_of_levels
    from matchwise.views.model import ViewLines

    [levels], value = errors(suite, metric)([pred], [ref]), score(suite.metrics[metric], pred, ref)
    status: list[dict[TableCell, Status]] = [{}, {}]
    for case in levels[0].cases:
        for side, said in enumerate((case.pred, case.ref)):
            for cell in () if said is None else said.cells if isinstance(said, CellLine) else (said,):
                status[side][cell] = case.status
    drawn = [
        ViewLines(name, tuple(_lines(table(side).cells, status[place])))
        for place, (name, side) in enumerate((("predicted", pred), ("reference", ref)))
    ]
    return view_of_levels(levels, metric, value, drawn=drawn)


def _lines(cells: tuple[TableCell, ...], status: dict[TableCell, Status]) -> Iterator[ViewLine]:
    """A line for each row, its cells between bars."""
    from matchwise.views.model import Chunk, ViewLine

    for row in sorted({cell.row for cell in cells}):
        mine = [cell for cell in cells if cell.row == row]
        chunks = [Chunk(cell.text or " ", status.get(cell)) for cell in mine]
        bars = [Chunk("| "), *(part for chunk in chunks for part in (chunk, Chunk(" | ")))]
        found: list[Status] = [status[cell] for cell in mine if cell in status]
        yield ViewLine(tuple(bars), status=found[0] if found else "right")


TASK = Task(
    name="tables",
    title="tables of documents and images: TEDS, S-TEDS, GriTS, and records by column",
    presets={
        "teds": (
            "PubTabNet's TEDS and S-TEDS (structure): the edit similarity of the HTML trees, where two cells differ by "
            "the edit distance of their texts. The root does not count, elements inside cells count in the size, and "
            "the text of th is not read. A table is read wherever it stands, where the program gives 0 without "
            "<html><body>, and what it puts below 0 is 0."
        ),
        "omnidocbench": (
            "TEDS after OmniDocBench's normalisation (1.6): th is td, thead, tbody and some markup inside cells are "
            "left out, formulas and symbols are written in one way; MathML is its alttext."
        ),
        "table_recognition_metric": "table-recognition-metric 0.0.6: TEDS whose size is all nodes, with the root.",
        "grits": (
            "GriTS of Table Transformer: topology, content and location of a grid's squares under the factored "
            "alignment of rows and columns, which is a heuristic; F1 is over all squares of a corpus."
        ),
        "records": "our own: rows are matched in any order, and their cells compared by the name of the column.",
    },
    suite=suite,
    options=(
        similarity_option(
            "text",
            "cells",
            "when two texts agree",
            default='edit("text")',
            example='edit("text", normalize="space")',
            presets=("teds", "omnidocbench", "table_recognition_metric", "records"),
        ),
        Option("boxes", help="also compare where cells stand on the page (GriTS_Loc)", presets=("grits",)),
    ),
    formats=("htmltables", "csvtable", "pubtabnet"),
    references={"teds": ("zhong-2020",), "grits": ("smock-2023",)},
    example="matchwise score tables system.jsonl -r gold.jsonl",
    view=view,
    errors=errors,
)

"""What TEDS, GriTS and a comparison of records make of two tables before anything is compared.

OmniDocBench compares tables in a form of its own (`normalize_table`): cells alike, sections and some markup left out,
symbols written in one way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from html import unescape
from typing import Any, Literal, NamedTuple, TypeAlias
from unicodedata import normalize

import numpy as np

from matchwise.algebra.steps import StepKind, read_sides, step
from matchwise.arrays import Floats
from matchwise.tasks.lists import Numbered, pair_up
from matchwise.tasks.tables.grids import TAGS, Box, MarkupTable, TableCell, TableNode, sign_of, table


class TreeNode(NamedTuple):
    """An element of a table as TEDS compares it: only cells (td) have spans and text; `cell` is its place."""

    tag: str
    colspan: int
    rowspan: int
    text: str
    children: tuple[TreeNode, ...]
    cell: TableCell | None = None


class TableTree(NamedTuple):
    """The elements of a table below its root, or the root."""

    tree: tuple[TreeNode, ...]


Size: TypeAlias = Literal["elements", "nodes"]


@dataclass(frozen=True, slots=True)
class Trees:
    """Both tables as trees.

    With `size="elements"` TEDS divides by the number of HTML elements below the root, those inside cells included, as
    PubTabNet's program does; inside of a cell they are text. Let the larger side have m elements more than nodes: m
    nodes that are the same are added to both sides. They change no distance, and the size is that of the program. With
    `size="nodes"` it divides by the number of nodes, the root included (table-recognition-metric).
    """

    size: Size = "elements"
    normalize: bool = False
    """Whether both sides are first brought to OmniDocBench's form."""

    def __call__(self, pred: Any, ref: Any) -> tuple[TableTree, TableTree]:
        mine, theirs = read_sides(table, pred, ref)
        if self.normalize:
            mine, theirs = (MarkupTable(normalize_table(one.root)) for one in (mine, theirs))
        if self.size == "nodes":
            return TableTree((_tree(mine.root, iter(mine.cells)),)), TableTree(
                (_tree(theirs.root, iter(theirs.cells)),)
            )
        roots = mine.root, theirs.root
        more = max(root.elements for root in roots) - max(root.size for root in roots)
        same = (TreeNode("(markup)", 1, 1, "", ()),) * more
        p, r = ((*_tree(one.root, iter(one.cells)).children, *same) for one in (mine, theirs))
        return TableTree(p), TableTree(r)


trees = StepKind("trees", Trees, gives=TableTree)
"""`tables.trees()`: both tables as TEDS compares them."""


def _tree(node: TableNode, cells: Iterator[TableCell]) -> TreeNode:
    cell = next(cells, None) if node.tag in ("td", "th") else None
    said = (node.colspan, node.rowspan, node.text) if node.tag == "td" else (1, 1, "")
    return TreeNode(node.tag, *said, tuple(_tree(child, cells) for child in node.children), cell)


class Grids(NamedTuple):
    """The squares of a table for each kind of GriTS: its topology, its content, and its location on the page."""

    top: tuple[Numbered, ...]
    con: tuple[Numbered, ...]
    loc: tuple[Numbered, ...] = ()


@dataclass(frozen=True, slots=True)
class AlignedGrids:
    """Align rows and columns as grits.py does: the best rows, then the best columns, each by themselves.

    The most similar substructures of two grids are hard to find; this is the heuristic that GriTS is defined by (the
    "factored" 2D-MSS), with its choice among equal alignments.

    >>> left, right = AlignedGrids()([["a", "b"]], [["a"], ["b"]])
    >>> [square.pair for square in left.con], [square.pair for square in right.con]
    ([-1, 1], [0, 1])
    """

    boxes: bool = False
    """Whether the boxes of cells are compared, too; then each has one, or no text."""

    def __call__(self, pred: Any, ref: Any) -> tuple[Grids, Grids]:
        mine, theirs = read_sides(self._read, pred, ref)
        made = [
            _align(_squares(mine, kind), _squares(theirs, kind), *how) for kind, *how in KINDS[: 3 if self.boxes else 2]
        ]
        return Grids(*(one for one, _ in made)), Grids(*(other for _, other in made))

    def _read(self, document: Any) -> MarkupTable:
        found = table(document)
        lacking = next((cell.text for cell in found.cells if cell.text and cell.box is None), None)
        if self.boxes and lacking is not None:
            raise ValueError(f"expected a bbox of each cell that has a text (boxes=true), found none of {lacking!r}")
        return found


grits = StepKind("grits", AlignedGrids, gives=Grids)
"""`tables.grits()`: the squares of both tables, aligned as GriTS does."""

Kind: TypeAlias = Callable[[TableCell, int, int], Any]
"""What is compared of a cell at one of its squares; None if that is not known."""


def _squares(one: MarkupTable, kind: Kind) -> dict[tuple[int, int], Any]:
    found = {
        (i, j): kind(cell, i, j)
        for cell in one.cells
        for i in range(cell.row, cell.row + cell.rowspan)
        for j in range(cell.column, cell.column + cell.colspan)
    }
    return {place: found[place] for place in sorted(found) if found[place] is not None}


def _align(
    mine: dict[tuple[int, int], Any],
    theirs: dict[tuple[int, int], Any],
    credit: Callable[[Any, Any], float],
    empty: Any,
) -> tuple[tuple[Numbered, ...], tuple[Numbered, ...]]:
    pairs = list[tuple[int, int]]()
    if mine and theirs:
        shapes = [[max(place[axis] for place in side) + 1 for axis in (0, 1)] for side in (theirs, mine)]
        wanted, found = (
            [side.get(place, empty) for place in np.ndindex(*shape)]
            for side, shape in zip((theirs, mine), shapes, strict=True)
        )
        rewards = np.array([[credit(other, one) for other in found] for one in wanted]).reshape(*shapes[0], *shapes[1])
        rows, columns = (dict(_best(_inner(one))) for one in (rewards, rewards.transpose(1, 0, 3, 2)))
        places = {place: number for number, place in enumerate(mine)}
        met = [(places.get((rows.get(i, -1), columns.get(j, -1)), -1), n) for n, (i, j) in enumerate(theirs)]
        pairs = [(i, j) for i, j in met if i >= 0]
    return pair_up(list(mine.values()), list(theirs.values()), pairs)


def _inner(rewards: Floats) -> Floats:
    """For each pair of rows the best total of their squares in order; all pairs of rows at once."""
    above = [np.zeros(rewards.shape[::2])] * (rewards.shape[3] + 1)
    for j in range(rewards.shape[1]):
        row = [above[0]]
        for m in range(rewards.shape[3]):
            row.append(np.maximum(above[m] + rewards[:, j, :, m], np.maximum(above[m + 1], row[m])))
        above = row
    return above[-1]


def _best(rewards: Floats) -> list[tuple[int, int]]:
    """The best alignment of two sequences; among equal ones a pair comes first, then what skips the reference."""
    total = np.zeros((rewards.shape[0] + 1, rewards.shape[1] + 1))
    for i, row in enumerate(rewards):
        for k, reward in enumerate(row):
            total[i + 1, k + 1] = max(total[i, k] + reward, total[i, k + 1], total[i + 1, k])
    found, i, k = [], *rewards.shape
    while i and k:
        if total[i - 1, k - 1] + rewards[i - 1, k - 1] == total[i, k]:
            i, k = i - 1, k - 1
            found.append((i, k))
        elif total[i - 1, k] == total[i, k]:
            i -= 1
        else:
            k -= 1
    return found[::-1]


def enclosed(pred: Any, ref: Any) -> float:
    """The area that two boxes share, as a part of the smallest box around both.

    >>> enclosed((0, 0, 2, 1), (1, 0, 3, 1)) == 1 / 3
    True
    """
    inner = [max(pred[0], ref[0]), max(pred[1], ref[1]), min(pred[2], ref[2]), min(pred[3], ref[3])]
    outer = [min(pred[0], ref[0]), min(pred[1], ref[1]), max(pred[2], ref[2]), max(pred[3], ref[3])]
    shared, around = (max(0, box[2] - box[0]) * max(0, box[3] - box[1]) for box in (inner, outer))
    return shared / around if around else 0.0


@lru_cache(maxsize=1 << 16)
def common_blocks(pred: str, ref: str) -> float:
    """The share of common blocks of two texts, as difflib finds them; they depend on which text comes first.

    >>> common_blocks("abcd", "bcde")
    0.75
    """
    return SequenceMatcher(None, ref, pred).ratio()


def _topology(cell: TableCell, i: int, j: int) -> tuple[int, ...]:
    """How far the ends of the cell are from a square of it: left, top, right and bottom."""
    left, top = cell.column - j, cell.row - i
    return left, top, left + cell.colspan, top + cell.rowspan


def _in_singles(box: Box | None) -> Box | None:
    """A box in 32-bit numbers, as PyMuPDF has them, with which grits.py computes."""
    return None if box is None else tuple(np.array(box, np.float32).tolist())


KINDS: tuple[tuple[Kind, Callable[[Any, Any], float], Any], ...] = (
    (_topology, enclosed, (0, 0, 0, 0)),
    (lambda cell, i, j: cell.text, common_blocks, ""),
    (lambda cell, i, j: _in_singles(cell.box), enclosed, (0, 0, 0, 0)),
)
"""What is compared, the credit of two, and what stands where no cell is."""


class RecordField(NamedTuple):
    """A cell of a record, by the name of its column."""

    column: str
    text: str


class Records(NamedTuple):
    """The rows of a table below its head."""

    rows: tuple[tuple[RecordField, ...], ...]


@step(symmetric=True, separate=True, gives=Records)
def records(pred: Any, ref: Any) -> tuple[Records, Records]:
    """Both tables as records: the head (or else the first row) names the columns, a merged cell stands in each row.

    >>> records()([["item", "price"], ["tea", "2"]], [])[0].rows
    ((RecordField(column='item', text='tea'), RecordField(column='price', text='2')),)
    """
    mine, theirs = read_sides(_records, pred, ref)
    return mine, theirs


def _records(document: Any) -> Records:
    squares = _squares(table(document), lambda cell, i, j: cell)
    heads = {i for (i, _), cell in squares.items() if cell.is_header} or {0}
    names: dict[int, list[str]] = {}
    rows: dict[int, list[RecordField]] = {}
    for (i, j), cell in squares.items():
        if i in heads:
            names[j] = [*(name for name in names.get(j, []) if name != cell.text), cell.text]
        else:
            rows.setdefault(i, []).append(RecordField(" ".join(names.get(j, [str(j + 1)])), cell.text))
    return Records(tuple(map(tuple, rows.values())))


SYMBOLS = {
    "√": (r"\checkmark", r"\checked", r"\surd", "✓", "✔", "☑", "✅", "🗸"),
    "×": (r"\times", r"\xmark", r"\crossmark", "✗", "✘", "✕", "✖", "☒", "❌", "╳", "⨯"),
    "∅": (r"\varnothing", r"\emptyset", "Ø"),
    "～": (r"\sim", "∼", "〜"),
    "±": (r"\pm",), "∓": (r"\mp",), "∂": (r"\partial",), "%": (r"\%",), "#": (r"\#",), "&": (r"\&",), "_": (r"\_",),
    "α": (r"\alpha",), "β": (r"\beta",), "γ": (r"\gamma", r"\gama"), "δ": (r"\delta",), "Δ": (r"\Delta",),
    "ε": (r"\epsilon", r"\varepsilon"), "η": (r"\eta",), "θ": (r"\theta",), "λ": (r"\lambda",), "μ": (r"\mu",),
    "π": (r"\pi",), "ρ": (r"\rho",), "σ": (r"\sigma",), "τ": (r"\tau",), "φ": (r"\phi", r"\varphi"), "ω": (r"\omega",),
    "": ("\u200b",),
}  # fmt: skip
"""A symbol, and what is read as it, also at the beginning of a longer command."""

WRITTEN = {written: symbol for symbol, several in SYMBOLS.items() for written in several}
_WRITTEN = re.compile("|".join(map(re.escape, WRITTEN)))

FORMULAS = [re.compile(rf"{left}([^$<>]{{1,128}}){right}", re.DOTALL) for left, right in (
    (r"\$\$", r"\$\$"), (r"\\\[", r"\\\]"), (r"\\\(", r"\\\)"), (r"\$", r"\$"),
)]  # fmt: skip
"""A text that is a formula as a whole."""

MATHML = re.compile(f"{sign_of('<math>')}.*?{sign_of('</math>')}", re.DOTALL)

DASHES = ("-", "–", "−", "—")
"""Each stands for nothing where it is the text of a cell: they are one dash."""


def _signs(*tags: str) -> dict[int, None]:
    return {ord(sign_of(f"<{end}{tag}>")): None for tag in tags for end in ("", "/")}


JOINED, LEFT_OUT = _signs("span"), _signs("sup", "sub", "div", "p")
"""Elements inside cells that are left out, the first before texts are normalised."""


def normalize_table(node: TableNode) -> TableNode:
    """The table in OmniDocBench's form; what it does with entities inside entities is not done."""
    if node.tag in ("td", "th"):
        formulas = iter(node.formulas)
        said = MATHML.sub(lambda found: f"${next(formulas)}$", node.text).translate(JOINED)
        pieces = re.split(f"({TAGS.pattern})", said)
        said = "".join(piece if TAGS.match(piece) else _normalize_text(piece) for piece in pieces)
        text = normalize("NFKC", unescape(said.translate(LEFT_OUT)))
        return TableNode("td", node.colspan, node.rowspan, text, (), len(TAGS.findall(text)) // 2)
    inside = [normalize_table(child) for child in node.children if child.tag != "colgroup"]
    children = [one for child in inside for one in (child.children if child.tag in ("thead", "tbody") else (child,))]
    return TableNode(node.tag, children=tuple(children))


def _normalize_text(text: str) -> str:
    """A piece of a cell's text: symbols for what is written in LaTeX, one dash, one blank.

    >>> _normalize_text(r"$5 \\pm 1$"), _normalize_text(" - ")
    ('5 ± 1', '—')
    """
    text = _WRITTEN.sub(_symbol, normalize("NFKC", text)).strip()
    while inside := next((found[1].strip() for way in FORMULAS if (found := way.fullmatch(text))), None):
        text = inside
    text = _WRITTEN.sub(_symbol, text)
    return "—" if text in DASHES else re.sub(r"\s+", " ", text)


def _symbol(found: re.Match[str]) -> str:
    return WRITTEN[found[0]]

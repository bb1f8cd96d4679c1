"""Tables: the tree of a table's markup, its cells on a grid, and what reads both from HTML, Markdown, OTSL and rows.

>>> table("<table><tr><td colspan=2>Price</td></tr><tr><td>1</td><td>2</td></tr></table>").cells[0]
TableCell(row=0, column=0, rowspan=1, colspan=2, text='Price', is_header=False, box=None)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, NamedTuple
from zlib import crc32

from matchwise.tasks.lists import ANSWERS

Box = tuple[float, float, float, float]


class TableNode(NamedTuple):
    """An element of a table's markup; the text of a cell has one private character for each tag inside."""

    tag: str
    colspan: int = 1
    rowspan: int = 1
    text: str = ""
    children: tuple[TableNode, ...] = ()
    markup: int = 0
    """How many elements are inside a cell, which are not nodes of their own."""
    formulas: tuple[str, ...] = ()
    """What each formula in MathML inside a cell says in LaTeX."""

    @property
    def size(self) -> int:
        return 1 + sum(child.size for child in self.children)

    @property
    def elements(self) -> int:
        """The elements of the HTML from here on."""
        return 1 + self.markup + sum(child.elements for child in self.children)


class TableCell(NamedTuple):
    """A cell on the grid; `text` is without markup, its pieces joined by blanks."""

    row: int
    column: int
    rowspan: int
    colspan: int
    text: str
    is_header: bool = False
    box: Box | None = None

    def in_words(self, words: Any) -> str:
        """`1.5 (row 2, column 3)`."""
        size = f", {self.rowspan}×{self.colspan}" if self.rowspan * self.colspan > 1 else ""
        return f"{self.text or 'an empty cell'} (row {self.row + 1}, column {self.column + 1}{size})"

    def marks(self) -> tuple[Any, ...]:
        """It stands in no running text."""
        return ()


class CellLine(NamedTuple):
    """A row or a column as a whole."""

    cells: tuple[TableCell, ...]

    def in_words(self, words: Any) -> str:
        """`tea | 2.00 (row 2)`."""
        first = self.cells[0]
        line = f"row {first.row + 1}" if self.cells[-1].row == first.row else f"column {first.column + 1}"
        return f"{' | '.join(cell.text for cell in self.cells)} ({line})"

    def marks(self) -> tuple[Any, ...]:
        """It stands in no running text."""
        return ()


@dataclass(frozen=True, slots=True)
class MarkupTable:
    """One table: the root of its markup, and the boxes of its cells in order, where they are known."""

    root: TableNode
    id: str | int | None = None
    boxes: tuple[Box | None, ...] = ()
    cells: tuple[TableCell, ...] = field(init=False, compare=False)
    """The cells in the order of the text; a cell stands in the first free column of its row."""

    def __post_init__(self) -> None:
        found, taken, row = list[TableCell](), set[tuple[int, int]](), -1
        waiting = [(self.root, False)]
        while waiting:
            node, in_head = waiting.pop()
            row += node.tag == "tr"
            in_head = in_head or node.tag in ("thead", "th")
            if node.tag in ("td", "th"):
                column = next(place for place in range(len(taken) + 1) if (row, place) not in taken)
                if len(taken) + node.rowspan * node.colspan > SQUARES:
                    raise ValueError(f"found cells that span more than {SQUARES:,} squares, expected a table")
                spans = range(row, row + node.rowspan), range(column, column + node.colspan)
                taken |= {(i, j) for i in spans[0] for j in spans[1]}
                box = self.boxes[len(found)] if len(found) < len(self.boxes) else None
                text = " ".join(filter(None, TAGS.split(node.text)))
                found.append(TableCell(row, column, node.rowspan, node.colspan, text, in_head, box))
            else:
                waiting += [(child, in_head) for child in reversed(node.children)]
        object.__setattr__(self, "cells", tuple(found))


FIRST, PLACES = 0xF0000, 0xFFFD
"""The private characters that stand for tags."""

TAGS = re.compile(f"[{chr(FIRST)}-{chr(FIRST + PLACES)}]")

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
SECTIONS = ("thead", "tbody", "tfoot")
CLOSES = {
    "td": ("td", "th"), "th": ("td", "th"), "tr": ("td", "th", "tr"),
    **dict.fromkeys(SECTIONS, ("td", "th", "tr", *SECTIONS)),
}  # fmt: skip
"""Tag -> the open elements that it ends, as browsers do."""

LARGEST = 1000
"""Rows or columns that a cell may span, as in HTML's standard."""

SQUARES, DEEPEST = 1_000_000, 200
"""Squares of a grid, and elements inside each other, that a table may have."""


class _TableReader(HTMLParser):
    """The first table of an HTML text as a tree of lists [tag, attributes, parts]; whatever is left open is closed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[Any] = []
        self.open: list[Any] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self.open and tag != "table":
            return
        if len(self.open) == DEEPEST:
            raise ValueError(f"found elements inside each other more than {DEEPEST} deep, expected a table")
        self._close(CLOSES.get(tag, ()))
        made: list[Any] = [tag, dict(attrs), []]
        (self.open[-1][2] if self.open else self.tables).append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_endtag(self, tag: str) -> None:
        inner = self._inner()
        tags = [one[0] for one in self.open[inner:]]
        if tag in tags:
            del self.open[inner + len(tags) - 1 - tags[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        if self.open:
            self.open[-1][2].append(data)

    def _close(self, tags: Iterable[str]) -> None:
        inner = self._inner()
        places = [place for place in range(inner, len(self.open)) if self.open[place][0] in tags]
        if places:
            del self.open[places[0] :]

    def _inner(self) -> int:
        """The innermost open table."""
        return max((place for place, one in enumerate(self.open) if one[0] == "table"), default=0)


def tables_of(text: str) -> list[TableNode]:
    """The tables of an HTML text, or of Markdown or LLM output with HTML in it, each as a tree."""
    reader = _TableReader()
    reader.feed(text)
    reader.close()
    return [_node(*one) for one in reader.tables]


def _node(tag: str, attributes: dict[str, str | None], parts: list[Any]) -> TableNode:
    if tag not in ("td", "th"):
        return TableNode(tag, children=tuple(_node(*part) for part in parts if not isinstance(part, str)))
    inside = list(_elements(parts))
    formulas = tuple([about.get("alttext") or "" for name, about, _ in inside if name == "math"])
    nodes = () if tag == "td" else tuple(_node(*part) for part in parts if not isinstance(part, str))
    spans = _span(attributes, "colspan"), _span(attributes, "rowspan")
    return TableNode(tag, *spans, _text(parts), nodes, len(inside) if tag == "td" else 0, formulas)


def _elements(parts: list[Any]) -> Iterator[list[Any]]:
    for part in parts:
        if not isinstance(part, str):
            yield part
            yield from _elements(part[2])


def _text(parts: list[Any]) -> str:
    """The text of a cell, each tag as one character."""
    made = list[str]()
    for part in parts:
        if isinstance(part, str):
            made.append(part)
        else:
            ends = [] if part[0] == "unk" else [sign_of(f"</{part[0]}>")]
            made += [sign_of(f"<{part[0]}>"), _text(part[2]), *ends]
    return "".join(made)


def sign_of(tag: str) -> str:
    """The private character that stands for a tag."""
    return chr(FIRST + crc32(tag.encode()) % PLACES)


def _span(attributes: Mapping[str, str | None], name: str) -> int:
    found = (attributes.get(name) or "1").strip()
    return min(max(int(found), 1), LARGEST) if found.isascii() and found.isdecimal() else 1


KEYS = ("table", "html", "rows", "markdown", "otsl")
"""Where a document has its table."""


def table(document: Any) -> MarkupTable:
    """A table, from a table, HTML or Markdown text, OTSL, a list of rows, or a dictionary that has one of these.

    >>> [cell.text for cell in table("| a | b |\\n|---|---|\\n| 1 | 2 |").cells]
    ['a', 'b', '1', '2']
    >>> [cell.colspan for cell in table("<otsl><fcel>a<lcel><nl><fcel>1<fcel>2<nl></otsl>").cells]
    [2, 1, 1]
    """
    match document:
        case MarkupTable():
            return document
        case None | "" | []:
            return MarkupTable(TableNode("table"))
        case str() if "<nl>" in document or "<fcel>" in document:
            return MarkupTable(_otsl(document))
        case str():
            found = tables_of(document)
            return MarkupTable(found[0] if found else _pipes(document))
        case {"structure": {"tokens": [*tokens]}}:
            return _pubtabnet(tokens, document.get("cells") or ())
        case {"cells": [*cells]}:
            return _table_of_cells(cells)
        case Mapping():
            for key in (*KEYS, "pred", "gt", *ANSWERS):
                if document.get(key) is not None:
                    return table(document[key])
            keys = ", ".join(map(str, document)) or "none"
            raise ValueError(f"expected a key such as table, html, rows or cells, found {keys}")
        case [*rows] if all(isinstance(row, Sequence) and not isinstance(row, str) for row in rows):
            return MarkupTable(_of_rows([[("" if cell is None else str(cell)) for cell in row] for row in rows]))
    raise ValueError(f"expected HTML, Markdown, a list of rows or cells, found {type(document).__name__}")


def _of_rows(rows: Iterable[Iterable[str]], head: int = 0) -> TableNode:
    """Rows of texts; the first `head` rows are the head of the table."""
    made = [TableNode("tr", children=tuple(TableNode("td", text=cell) for cell in row)) for row in rows]
    if not head:
        return TableNode("table", children=tuple(made))
    parts = TableNode("thead", children=tuple(made[:head])), TableNode("tbody", children=tuple(made[head:]))
    return TableNode("table", children=parts)


def _pipes(text: str) -> TableNode:
    """A pipe table of Markdown; a text without one is refused."""
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("|")]
    rows = [
        [cell.strip().replace("\0", "|") for cell in re.split(r"\|", line.replace(r"\|", "\0").strip("|"))]
        for line in lines
    ]
    if not rows:
        raise ValueError(f"expected a table in HTML or Markdown, found {text[:40]!r}")
    ruled = len(rows) > 1 and all(re.fullmatch(r":?-+:?", cell) for cell in rows[1])
    return _of_rows(rows[:1] + rows[2:], 1) if ruled else _of_rows(rows)


def _otsl(text: str) -> TableNode:
    """OTSL: fcel, ecel, ched, rhed and srow begin cells, lcel continues one to the right, ucel and xcel down."""
    grid = [
        re.findall(r"<(fcel|ecel|ched|rhed|srow|lcel|ucel|xcel)>([^<]*(?:<(?!/?\w+cel|ched|rhed|srow|nl)[^<]*)*)", line)
        for line in text.split("<nl>")
    ]
    rows = []
    for i, line in enumerate(row for row in grid if row):
        cells = []
        for j, (kind, words) in enumerate(line):
            if kind not in ("lcel", "ucel", "xcel"):
                right = _run([one for one, _ in line[j + 1 :]], "lcel")
                below = _run([row[j][0] for row in grid[i + 1 :] if len(row) > j], "ucel")
                cells.append(TableNode("td", 1 + right, 1 + below, words.strip()))
        rows.append(TableNode("tr", children=tuple(cells)))
    return TableNode("table", children=tuple(rows))


def _run(kinds: list[str], kind: str) -> int:
    return next((place for place, one in enumerate(kinds) if one != kind), len(kinds))


def _pubtabnet(tokens: list[str], cells: Sequence[Mapping[str, Any]]) -> MarkupTable:
    """PubTabNet's and FinTabNet's annotation: the tokens of the structure, and those of each cell."""
    inside: Iterator[str] = ("".join(cell.get("tokens") or ()) for cell in cells)
    made = "".join(next(inside, "") + token if token == "</td>" else token for token in tokens)
    boxes = tuple(tuple(cell["bbox"]) if cell.get("bbox") else None for cell in cells)
    found = tables_of(f"<table>{made}</table>")
    return MarkupTable(found[0], boxes=boxes)


def _table_of_cells(cells: list[Mapping[str, Any]]) -> MarkupTable:
    """Cells with their rows and columns, as Table Transformer has them."""
    rows: dict[int, list[tuple[int, TableNode, Box | None]]] = {}
    for cell in cells:
        try:
            down, across = sorted(cell["row_nums"]), sorted(cell["column_nums"])
            node = TableNode("td", len(across), len(down), str(cell.get("cell_text") or cell.get("text") or ""))
            box = tuple(cell["bbox"]) if cell.get("bbox") else None
            rows.setdefault(down[0], []).append((across[0], node, box))
        except (KeyError, IndexError, TypeError):
            raise ValueError(f"expected a cell with row_nums and column_nums, found {cell!r}") from None
    lines = [sorted(rows.get(row, []), key=lambda one: one[0]) for row in range(max(rows, default=-1) + 1)]
    root = TableNode("table", children=tuple(TableNode("tr", children=tuple(one[1] for one in line)) for line in lines))
    return MarkupTable(root, boxes=tuple(one[2] for line in lines for one in line))

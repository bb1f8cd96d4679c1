"""A table of scores, and a sheet of tables with its notes: what every way of writing results down has in common.

As text, columns are aligned and fit a width; on a terminal, `rich` draws them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal, NamedTuple, TextIO, TypeAlias

from matchwise.views.words import pad, width_of, write_one_line

CellKind: TypeAlias = Literal["text", "score", "signed", "p", "count"]
"""Scores may be in percent; `signed` ones are differences, `p` is a probability and never in percent."""

MARK = "*"
ALPHA = 0.05
"""A difference with this p or less is marked."""


class ScoreCell(NamedTuple):
    """A score with what a paper says of it: its interval, whether it is the best, and the p of its difference."""

    value: float
    interval: tuple[float, float] | None = None
    best: bool = False
    p: float | None = None
    """p of the difference from the first system, corrected for all comparisons."""

    @property
    def margin(self) -> float | None:
        """Half the width of the interval."""
        return None if self.interval is None else (self.interval[1] - self.interval[0]) / 2

    @property
    def mark(self) -> str:
        return MARK if self.p is not None and self.p <= ALPHA else ""


Cell: TypeAlias = str | int | float | ScoreCell | None

SCORES = (
    "precision", "recall", "f1", "baseline_value", "value", "difference", "low", "high", "p", "p_holm",
)  # fmt: skip
COUNTS = (
    "matched", "predicted", "reference", "recalled", "weight", "right", "wrong", "missing", "invented", "bounds",
    "correct", "incorrect", "partial", "missed", "spurious", "count", "units", "differing",
)  # fmt: skip
SPARED = (
    "weight", "recalled", "differing", "units", "predicted", "matched", "p", "reference", "right", "precision",
    "recall", "invented", "missing", "wrong",
)  # fmt: skip
"""Columns that a narrow table can do without, the least important first."""


class ColumnHead(NamedTuple):
    """The heading of a column: a group that spans several columns, and its own title."""

    group: str
    title: str
    kind: CellKind = "score"


class NumberStyle(NamedTuple):
    """How numbers are written."""

    digits: int = 4
    percent: bool = False


PLAIN = NumberStyle()


class PrintedTable(NamedTuple):
    """Rows of cells under named columns; a cell that a row does not have is empty."""

    title: str
    rows: tuple[dict[str, Cell], ...]
    labels: frozenset[str] = frozenset()
    """Columns that are called as the data has it; unless a head says otherwise, they hold counts."""
    heads: Mapping[str, ColumnHead] = {}
    """Columns of a table whose head has two lines; such a table keeps the order of its columns."""
    spared: tuple[tuple[str, ...], ...] = tuple(zip(SPARED))
    """Groups of columns that a narrow table can do without, the least important first."""

    def kind(self, column: str) -> CellKind:
        if column in self.heads:
            return self.heads[column].kind
        return "count" if column in self.labels else kind_of(column)

    def head(self, column: str) -> ColumnHead:
        return self.heads.get(column, ColumnHead("", column))

    def written(self, row: dict[str, Cell], column: str, numbers: NumberStyle) -> str:
        """A cell as people read it: scores with the digits that were asked for."""
        kind = self.kind(column)
        if column in row and row[column] is None and kind not in ("text", "count"):
            return "–"  # it is not known, as the interval of a score of few documents
        return write_cell(row.get(column), kind, numbers)

    def is_best(self, row: dict[str, Cell], column: str) -> bool:
        cell = row.get(column)
        return isinstance(cell, ScoreCell) and cell.best

    @property
    def columns(self) -> list[str]:
        """The columns that any row has: texts, then scores in one order, then counts."""
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        if self.heads:
            return names
        ordered = {"text": 0, "score": 1, "signed": 1, "p": 1, "count": 2}
        place = {name: SCORES.index(name) if name in SCORES else 0 for name in names}
        return sorted(names, key=lambda name: (ordered[self.kind(name)], place[name]))

    def groups(self, columns: Sequence[str]) -> list[tuple[str, list[int]]]:
        """The names that stand above several columns, each with the places of its columns; none if there are none."""
        places = groupby(range(len(columns)), lambda place: self.head(columns[place]).group)
        found = [(group, list(some)) for group, some in places]
        return found if any(group for group, _ in found) else []

    def plain(self) -> PrintedTable:
        """For programs: a score has columns of its own for what a paper says of it."""
        return PrintedTable(self.title, tuple(dict(_plain(row)) for row in self.rows), heads=self.heads)

    def without(self, columns: Sequence[str]) -> PrintedTable:
        kept = ({name: cell for name, cell in row.items() if name not in columns} for row in self.rows)
        return self._replace(rows=tuple(kept))


class Sheet(NamedTuple):
    """Tables, and what belongs below them: notes, and the signature of what was measured."""

    tables: tuple[PrintedTable, ...]
    notes: tuple[str, ...] = ()
    signature: str = ""
    numbers: NumberStyle = PLAIN


def _plain(row: dict[str, Cell]) -> Iterator[tuple[str, Cell]]:
    for name, cell in row.items():
        if not isinstance(cell, ScoreCell):
            yield name, cell
            continue
        yield name, cell.value
        metric = name.rpartition(" ")[0]
        if cell.interval is not None:
            yield f"{metric} low", cell.interval[0]
            yield f"{metric} high", cell.interval[1]
        if cell.p is not None:
            yield f"{metric} p_holm", cell.p


def kind_of(column: str) -> CellKind:
    if column in ("p", "p_holm"):
        return "p"
    return "score" if column in SCORES else "count" if column in COUNTS else "text"


def write_cell(cell: Cell, kind: CellKind, numbers: NumberStyle) -> str:
    """A cell as people read it: scores with the digits that were asked for."""
    if cell is None:
        return ""
    if isinstance(cell, ScoreCell):
        margin = "" if cell.margin is None else f" ± {_digits(cell.margin, numbers)}"
        return f"{_digits(cell.value, numbers)}{margin}{cell.mark}"
    if isinstance(cell, str):
        return cell
    if kind == "score":
        return _digits(float(cell), numbers)
    if kind == "signed":
        return f"{'+' if cell >= 0 else ''}{_digits(float(cell), numbers)}"
    if kind == "p":
        return f"{cell:.4f}"
    return str(cell) if isinstance(cell, int) else f"{cell:.{numbers.digits}f}"


def _digits(value: float, numbers: NumberStyle) -> str:
    return f"{value * 100 if numbers.percent else value:.{numbers.digits}f}"


WIDTH = 80
GAP = "  "
NAME, SHORTEST = 24, 8
"""Signs to which a name is cut before a column is dropped, and at last."""


def render(sheet: Sheet, *, whole_signature: bool = False, whole: str = "--format csv") -> str:
    """The tables, none wider than 80 characters unless its scores and short names are.

    `whole` is what to write for all columns.
    """
    blocks = [_block(table, sheet.numbers, whole) for table in sheet.tables]
    return "\n\n".join([*blocks, *filter(None, [foot(sheet, WIDTH, whole_signature=whole_signature)])]) + "\n"


def foot(sheet: Sheet, width: int, *, whole_signature: bool) -> str:
    """The lines that belong to every printed score: what was scored, and by what."""
    signature = sheet.signature if whole_signature else short_signature(sheet.signature, width)
    return "\n".join(filter(None, [*sheet.notes, signature]))


def short_signature(signature: str, width: int) -> str:
    """The signature on one line: its expressions are cut, its version and its hash, which tells them apart, are not.

    >>> short_signature('a=f1("entities", eq("type") * eq("name"))|matchwise:0.1.0|43e667f9', 50)
    'a=f1("entities", eq("typ…|matchwise:0.1.0|43e667f9'
    """
    if len(signature) <= width:
        return signature
    start, version, end = signature.rpartition("|matchwise:")
    return f"{start[: max(0, width - len(version) - len(end) - 1)]}…{version}{end}"


def _block(table: PrintedTable, numbers: NumberStyle, whole: str) -> str:
    title = "" if table.title == "scores" else f"{table.title}\n"
    small, dropped = fit(table, numbers, WIDTH)
    return title + align_columns(small, numbers) + (f"\n({left_out(table, dropped, whole)})" if dropped else "")


def left_out(table: PrintedTable, columns: list[str], whole: str) -> str:
    """Which columns a narrow table does not have, and where they are."""
    named = (column.rpartition(" ") if column in table.heads else ("", "", column) for column in columns)
    names = dict.fromkeys(score if score in ("precision", "recall") else metric or score for metric, _, score in named)
    return f"no room for {', '.join(names)}; {whole} has all columns"


def align_columns(table: PrintedTable, numbers: NumberStyle) -> str:
    """Texts to the left, numbers to the right; names are cut where the lines would be too long."""
    above, rows = _lay_out(table, numbers, WIDTH)
    return "\n".join(line.rstrip() for line in (*above, *map(GAP.join, rows)))


def _lay_out(table: PrintedTable, numbers: NumberStyle, width: int) -> tuple[list[str], list[list[str]]]:
    """The line of groups, if there are any; the cells of the head and of each row, padded to their columns."""
    heads, rows, widths, left = _measure(table, numbers)
    _narrow(widths, _least(table, numbers, NAME), width)
    _narrow(widths, _least(table, numbers, SHORTEST), width)
    return _groups(table, widths), [
        [pad(_cut(cell, wide), wide, right=not to_left) for cell, wide, to_left in zip(line, widths, left, strict=True)]
        for line in (heads, *rows)
    ]


def _measure(table: PrintedTable, numbers: NumberStyle) -> tuple[list[str], list[list[str]], list[int], list[bool]]:
    columns = table.columns
    rows = [[write_one_line(table.written(row, name, numbers)) for name in columns] for row in table.rows]
    heads = [write_one_line(table.head(name).title) for name in columns]
    widths = [max(map(width_of, cells)) for cells in zip(heads, *rows, strict=True)]
    _widen(table, widths)
    return heads, rows, widths, [table.kind(name) == "text" for name in columns]


def _least(table: PrintedTable, numbers: NumberStyle, name: int) -> list[int]:
    """How narrow each column can be: a number is never cut, a name or a long title of a column may be."""
    heads, rows, widths, texts = _measure(table, numbers)
    cells = [max(map(width_of, some)) for some in zip(*rows, strict=True)] if rows else [0] * len(widths)
    least = [
        min(width, name) if text else max(cell, min(width_of(head), name))
        for head, width, cell, text in zip(heads, widths, cells, texts, strict=True)
    ]
    _widen(table, least)
    return least


def _widen(table: PrintedTable, widths: list[int]) -> None:
    """Make room for the names of groups: the last column of a group grows."""
    for group, places in table.groups(table.columns):
        widths[places[-1]] += max(0, width_of(group) - _total([widths[place] for place in places]))


def _narrow(widths: list[int], least: list[int], width: int) -> None:
    """Take room from the columns that have most to give."""
    while _total(widths) > width:
        place = max(range(len(widths)), key=lambda place: widths[place] - least[place])
        if widths[place] <= least[place]:
            return
        widths[place] -= 1


def _total(widths: list[int]) -> int:
    """The width of columns beside each other."""
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _cut(text: str, width: int) -> str:
    """The end of a text, which tells paths apart better than their beginning."""
    if width_of(text) <= width:
        return text
    end = text[1 - width :]
    while width_of(end) >= width:
        end = end[1:]
    return f"…{end}"


def _groups(table: PrintedTable, widths: list[int]) -> list[str]:
    """The line above the head that names groups of columns, if there are any."""
    spans = table.groups(table.columns)
    names = (
        group.center(_total([widths[place] for place in places]) + len(group) - width_of(group))
        for group, places in spans
    )
    return [GAP.join(names)] if spans else []


def fit(table: PrintedTable, numbers: NumberStyle, width: int) -> tuple[PrintedTable, list[str]]:
    """The table without the least important columns that do not fit, and these columns."""
    dropped: list[str] = []
    for group in table.spared:
        if _total(_least(table, numbers, NAME)) <= width:  # names stay long enough to differ
            break
        found = [name for name in group if name in table.columns]
        table = table.without(found)
        dropped += found
    return table, dropped


def draw(sheet: Sheet, file: TextIO, *, whole_signature: bool = False) -> None:
    """Columns that do not fit are left out, and named below the table; no number is ever cut."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file, highlight=False)
    for table in sheet.tables:
        small, dropped = fit(table, sheet.numbers, console.width)
        above, (head, *rows) = _lay_out(small, sheet.numbers, console.width)
        lines = [] if table.title == "scores" else [Text(table.title, "italic")]
        lines += [Text(line, "bold") for line in (*above, GAP.join(head))]
        lines.append(Text("─" * _total(list(map(width_of, head)))))
        for row, cells in zip(small.rows, rows, strict=True):
            styles = (_style(small, row, name) for name in small.columns)
            lines.append(Text(GAP).join(map(Text, cells, styles)))
        for line in lines:
            console.print(line, soft_wrap=True)
        note = f"({left_out(table, dropped, '--format csv')})\n" if dropped else ""
        console.print(Text(note, "dim"))
    console.print(Text(foot(sheet, console.width, whole_signature=whole_signature)), style="dim", soft_wrap=True)


def _style(table: PrintedTable, row: dict[str, Cell], name: str) -> str:
    """What rich calls the style of a cell: main scores are bold, or the best of several systems; counts are dim."""
    if table.is_best(row, name) or (name in ("f1", "value") and not table.heads):
        return "bold"
    return "dim" if table.kind(name) == "count" else ""

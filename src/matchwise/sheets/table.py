"""A table of scores, and a sheet of tables with its notes: what every way of writing results down has in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple, TypeAlias

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
    "matched", "predicted", "reference", "recalled", "weight", "right", "wrong", "bounds",
    "correct", "incorrect", "partial", "missed", "spurious", "count", "units", "differing",
)  # fmt: skip


SPARED = (
    "weight", "recalled", "differing", "units", "predicted", "matched", "p", "reference", "right", "precision",
    "recall", "spurious", "missed", "wrong",
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


class WrittenColumn(NamedTuple):
    """A column as people read it, whatever draws it."""

    name: str
    group: str
    title: str
    kind: CellKind
    cells: tuple[Cell, ...]
    texts: tuple[str, ...]

    @property
    def is_text(self) -> bool:
        return self.kind == "text"

    @property
    def is_constant(self) -> bool:
        """True if all rows of several say the same."""
        return len(self.texts) > 1 and len(set(self.texts)) == 1

    def is_best(self, row: int) -> bool:
        cell = self.cells[row]
        return isinstance(cell, ScoreCell) and cell.best


def group_columns(columns: Sequence[WrittenColumn]) -> list[tuple[str, list[int]]]:
    """The names that stand above several columns, each with the places of its columns; none if there are none."""
    places = groupby(range(len(columns)), lambda place: columns[place].group)
    found = [(group, list(some)) for group, some in places]
    return found if any(group for group, _ in found) else []


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

    @property
    def columns(self) -> list[str]:
        """The columns that any row has: texts, then scores in one order, then counts."""
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        if self.heads:
            return names
        ordered = {"text": 0, "score": 1, "signed": 1, "p": 1, "count": 2}
        place = {name: SCORES.index(name) if name in SCORES else 0 for name in names}
        return sorted(names, key=lambda name: (ordered[self.kind(name)], place[name]))

    def write(self, numbers: NumberStyle) -> list[WrittenColumn]:
        """The columns as people read them: scores with the digits that were asked for."""
        made = []
        for name in self.columns:
            kind, head = self.kind(name), self.heads.get(name, ColumnHead("", name))
            unknown = "" if kind in ("text", "count") else "–"  # a score, as the interval of a score of few documents
            cells = tuple(row.get(name) for row in self.rows)
            texts = (
                write_cell(cell, kind, numbers) if cell is not None else unknown if name in row else ""
                for row, cell in zip(self.rows, cells, strict=True)
            )
            made.append(WrittenColumn(name, head.group, head.title, kind, cells, tuple(texts)))
        return made

    def plain(self) -> PrintedTable:
        """For programs: a score has columns of its own for what a paper says of it."""
        return PrintedTable(self.title, tuple(dict(_plain(row)) for row in self.rows), heads=self.heads)


class Sheet(NamedTuple):
    """Tables, and what belongs below them: notes, and the signature of what was measured."""

    tables: tuple[PrintedTable, ...]
    notes: tuple[str, ...] = ()
    signature: str = ""
    numbers: NumberStyle = PLAIN


def print_rows(title: str, rows: list[dict[str, Any]]) -> PrintedTable:
    """Rows of plain cells; columns that no other table has are told apart by what they hold."""
    names = dict.fromkeys(name for row in rows for name in row)
    heads = {
        name: ColumnHead("", name.replace("_", " "), _guess_kind(name, [row.get(name) for row in rows]))
        for name in names
    }
    return PrintedTable(title, tuple(rows), heads=heads)


def _guess_kind(column: str, cells: list[Any]) -> CellKind:
    if kind_of(column) != "text" or not all(isinstance(cell, int | float | None) for cell in cells):
        return kind_of(column)
    return "score" if any(isinstance(cell, float) for cell in cells) else "count"


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


def write_cell(cell: str | int | float | ScoreCell, kind: CellKind, numbers: NumberStyle) -> str:
    """A cell as people read it: scores with the digits that were asked for."""
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

"""Tables of scores, sheets of tables with their notes, and how both are written as text.

In text, columns are aligned and fit a width; on a terminal, `rich` draws them. Each cell is written and measured once.
If a table is too wide, a text that is the same in every row stands below it instead of in a column; then the least
important columns are left out and named below it, and long names are cut; a number never is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from sys import maxsize
from typing import Any, Literal, NamedTuple, TextIO, TypeAlias

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


KINDS: dict[str, CellKind] = {
    **dict.fromkeys(SCORES, "score"), **dict.fromkeys(COUNTS, "count"), "p": "p", "p_holm": "p",
}  # fmt: skip
"""What the columns hold that several tables have; any other holds texts."""


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
        return "count" if column in self.labels else KINDS.get(column, "text")

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
    known = KINDS.get(column, "text")
    if known != "text" or not all(isinstance(cell, int | float | None) for cell in cells):
        return known
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


def write_cell(cell: str | int | float | ScoreCell, kind: CellKind, numbers: NumberStyle) -> str:
    """A cell as people read it: scores with the digits that were asked for."""
    if isinstance(cell, str):
        return cell
    digits, scale = f".{numbers.digits}f", 100 if numbers.percent else 1
    if isinstance(cell, ScoreCell):
        margin = "" if cell.margin is None else f" ± {cell.margin * scale:{digits}}"
        return f"{cell.value * scale:{digits}}{margin}{cell.mark}"
    match kind:
        case "score":
            return f"{float(cell) * scale:{digits}}"
        case "signed":
            return f"{'+' if cell >= 0 else ''}{float(cell) * scale:{digits}}"
        case "p":
            return f"{cell:.4f}"
    return str(cell) if isinstance(cell, int) else f"{cell:{digits}}"


WIDTH = 80
GAP = "  "
NAME, SHORTEST = 24, 8
"""Signs to which a name is cut before a column is dropped, and at last."""


def render(sheet: Sheet, *, whole_signature: bool = False, whole: str = "--format csv") -> str:
    """The tables, none wider than 80 characters unless its scores and short names are.

    `whole` is what to write for all columns.
    """
    blocks = []
    for table in sheet.tables:
        laid = _lay_out(table, sheet.numbers, WIDTH, whole)
        lines = [line.rstrip() for line in (*laid.above, *map(GAP.join, laid.lines))]
        title = [] if table.title == "scores" else [write_one_line(table.title)]
        blocks.append("\n".join([*title, *lines, *laid.left_out]))
    return "\n\n".join([*blocks, *filter(None, [_foot(sheet, WIDTH, whole_signature=whole_signature)])]) + "\n"


def draw(sheet: Sheet, file: TextIO, *, whole_signature: bool = False) -> None:
    """Draw the tables on a terminal, as wide as it is: main scores bold, or the best of several systems; counts dim."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file, highlight=False)
    for table in sheet.tables:
        laid = _lay_out(table, sheet.numbers, console.width, "--format csv")
        head, *rows = laid.lines
        lines = [] if table.title == "scores" else [Text(write_one_line(table.title), "italic")]
        lines += [Text(line, "bold") for line in (*laid.above, GAP.join(head))]
        lines.append(Text("─" * width_of(GAP.join(head))))
        for place, cells in enumerate(rows):
            main = [one.is_best(place) or (one.name in ("f1", "value") and not table.heads) for one in laid.columns]
            dim = ["dim" if one.kind == "count" else "" for one in laid.columns]
            styles = ("bold" if is_main else style for is_main, style in zip(main, dim, strict=True))
            lines.append(Text(GAP).join(map(Text, cells, styles)))
        for line in lines:
            console.print(line, soft_wrap=True)
        console.print(Text("".join(f"{said}\n" for said in laid.left_out), "dim"))
    console.print(Text(_foot(sheet, console.width, whole_signature=whole_signature)), style="dim", soft_wrap=True)


def _foot(sheet: Sheet, width: int, *, whole_signature: bool) -> str:
    """The lines that belong to every printed score: what was scored, and by what."""
    signature = sheet.signature if whole_signature else short_signature(sheet.signature, width)
    said = [line for note in sheet.notes for line in note.split("\n")]
    return "\n".join(write_one_line(line) for line in (*said, signature) if line)


def short_signature(signature: str, width: int) -> str:
    """The signature on one line: its expressions are cut, its version and its hash, which tells them apart, are not.

    >>> short_signature('a=f1("entities", eq("type") * eq("name"))|matchwise:1.2.3|43e667f9', 50)
    'a=f1("entities", eq("typ…|matchwise:1.2.3|43e667f9'
    >>> short_signature('f1("xs")|matchwise:1.2.3|0f57afb1', 33)
    'f1("xs")|matchwise:1.2.3|0f57afb1'
    """
    if len(signature) <= width:
        return signature
    start, version, end = signature.rpartition("|matchwise:")
    return f"{start[: max(0, width - len(version) - len(end) - 1)]}…{version}{end}"


class _FittedTable(NamedTuple):
    """A table that fits: the line of groups, if there are any, the padded cells of the head and of each row."""

    above: list[str]
    lines: list[list[str]]
    columns: list[WrittenColumn]
    left_out: list[str]
    """What every row says in a column that is not there, and which other columns are not there."""


def _lay_out(table: PrintedTable, numbers: NumberStyle, room: int, whole: str) -> _FittedTable:
    columns = [one._replace(group=write_one_line(one.group)) for one in table.write(numbers)]
    texts = {one.name: list(map(write_one_line, (one.title, *one.texts))) for one in columns}
    measured = {name: list(map(width_of, some)) for name, some in texts.items()}
    constant, dropped = list[WrittenColumn](), list[WrittenColumn]()
    for one in [one for one in reversed(columns) if one.kind == "text" and one.is_constant]:
        others = [other for other in columns if other is not one]
        if _total(_find_widths(columns, measured, NAME)) > room and others[0].kind == "text":
            constant.append(one)  # a row begins with a name
            columns = others
    for group in table.spared:
        if _total(_find_widths(columns, measured, NAME)) <= room:
            break
        dropped += [one for one in columns if one.name in group]
        columns = [one for one in columns if one.name not in group]
    widths = _find_widths(columns, measured)
    for longest in (NAME, SHORTEST):
        spare = [wide - least for wide, least in zip(widths, _find_widths(columns, measured, longest), strict=True)]
        while _total(widths) > room and (most := max(spare)) > 0:  # of the column that has most to give
            place = spare.index(most)
            widths[place] -= 1
            spare[place] -= 1
    padded = []
    for one, wide in zip(columns, widths, strict=True):
        fitted = [
            (text, " " * (wide - width)) if width <= wide else _cut(text, wide)
            for text, width in zip(texts[one.name], measured[one.name], strict=True)
        ]
        padded.append([text + spaces if one.kind == "text" else spaces + text for text, spaces in fitted])
    lines = [list(line) for line in zip(*padded, strict=True)] or [[]]  # a table without columns has no lines
    spans = [
        group.center(_total([widths[place] for place in places]) + len(group) - width_of(group))
        for group, places in group_columns(columns)
    ]
    said = [f"({one.title} of every row: {write_one_line(one.texts[0])})" for one in constant]
    named = [one.name.rpartition(" ") if one.name in table.heads else ("", "", one.name) for one in dropped]
    gone = {metric for metric, _, score in named if metric and score in ("f1", "value")}
    shown = dict.fromkeys(
        score if score in ("precision", "recall") else metric or score
        for metric, _, score in named
        if metric not in gone or score in ("f1", "value")
    )
    said += [f"(no room for {', '.join(shown)}; {whole} has all columns)"] if shown else []
    return _FittedTable([GAP.join(spans)] if spans else [], lines, columns, said)


def _find_widths(
    columns: Sequence[WrittenColumn], measured: Mapping[str, list[int]], longest: int = maxsize
) -> list[int]:
    """How wide columns are, if names and titles are cut to `longest` signs; a number is never cut.

    The last column of a group makes room for the name of the group.
    """
    made = []
    for one in columns:
        title, *cells = measured[one.name]
        name = min(max([title, *cells]), longest)
        made.append(name if one.kind == "text" else max([min(title, longest), *cells]))
    for group, places in group_columns(columns):
        made[places[-1]] += max(0, width_of(group) - _total([made[place] for place in places]))
    return made


def _total(widths: list[int]) -> int:
    """The width of columns beside each other."""
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _cut(text: str, room: int) -> tuple[str, str]:
    """The end of a long text, which tells paths apart, and the spaces that it leaves."""
    text = text[1 - room :]
    while (width := width_of(text)) >= room:
        text = text[1:]
    return f"…{text}", " " * (room - width - 1)


def align_cells(rows: Iterable[Sequence[str]], *, names: int = 1) -> str:
    """Cells in columns, the first of which are names and stand to the left.

    >>> print(align_cells([("pair", "f1"), ("a, b", "0.5000")]))
    pair      f1
    a, b  0.5000
    """
    cells = [list(map(write_one_line, row)) for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*cells, strict=True)]
    lines = (
        GAP.join(
            pad(text, width, right=place >= names) for place, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes: a wide letter takes two, a combining mark none.

    >>> width_of("Tokyo"), width_of("東京"), width_of("Zoe\u0308")
    (5, 4, 3)
    """
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    letters = (letter for letter in text if category(letter) not in ("Mn", "Me", "Cf"))
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in letters)


def write_one_line(text: str) -> str:
    r"""A text without line breaks, tabs and other signs that break a table, turn text around or command a terminal.

    >>> write_one_line("Rue de\tRivoli\r\nParis"), write_one_line("\x1b[31m")
    ('Rue de⇥Rivoli⏎Paris', '\\x1b[31m')
    """
    return text if text.isprintable() else text.replace("\r\n", "\n").translate(_CONTROLS)


_TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""What turns the text after it around, also that of the next columns."""

_BREAKS = {9: "⇥", 10: "⏎", 0x2028: "⏎", 0x2029: "⏎"}
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160), *_TURNING)} | _BREAKS


def pad(text: str, width: int, *, right: bool = False) -> str:
    """A text with as many spaces after it, or before it, as make it `width` columns wide."""
    spaces = " " * (width - width_of(text))
    return spaces + text if right else text + spaces

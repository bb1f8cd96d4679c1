"""Tables as text: columns are aligned and fit a width; on a terminal, `rich` draws them.

Each cell is written and measured once. If a table is too wide, a text that is the same in every row stands below it
instead of in a column; then the least important columns are left out and named below it, and long names are cut; a
number never is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TextIO

from matchwise.sheets.table import NumberStyle, PrintedTable, Sheet, WrittenColumn, group_columns

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
        laid = _lay_out(table, sheet.numbers, WIDTH)
        lines = [line.rstrip() for line in (*laid.above, *map(GAP.join, laid.lines))]
        title = [] if table.title == "scores" else [write_one_line(table.title)]
        blocks.append("\n".join([*title, *lines, *laid.name_dropped(table, whole)]))
    return "\n\n".join([*blocks, *filter(None, [_foot(sheet, WIDTH, whole_signature=whole_signature)])]) + "\n"


def draw(sheet: Sheet, file: TextIO, *, whole_signature: bool = False) -> None:
    """Draw the tables on a terminal, as wide as it is: main scores bold, or the best of several systems; counts dim."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file, highlight=False)
    for table in sheet.tables:
        laid = _lay_out(table, sheet.numbers, console.width)
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
        console.print(Text("".join(f"{said}\n" for said in laid.name_dropped(table, "--format csv")), "dim"))
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
    constant: list[WrittenColumn]
    """The columns that did not fit and say the same in every row."""
    dropped: list[WrittenColumn]
    """The other columns that did not fit."""

    def name_dropped(self, table: PrintedTable, whole: str) -> list[str]:
        """What every row says in a column that is not there, and which other columns are not there."""
        said = [f"({one.title} of every row: {write_one_line(one.texts[0])})" for one in self.constant]
        names = [one.name for one in self.dropped]
        named = [name.rpartition(" ") if name in table.heads else ("", "", name) for name in names]
        gone = {metric for metric, _, score in named if metric and score in ("f1", "value")}
        shown = dict.fromkeys(
            score if score in ("precision", "recall") else metric or score
            for metric, _, score in named
            if metric not in gone or score in ("f1", "value")
        )
        return [*said, *([f"(no room for {', '.join(shown)}; {whole} has all columns)"] if shown else [])]


def _lay_out(table: PrintedTable, numbers: NumberStyle, width: int) -> _FittedTable:
    columns = [_Measured(one) for one in table.write(numbers)]
    constant, dropped = list[_Measured](), list[_Measured]()
    for one in [one for one in reversed(columns) if one.column.is_text and one.column.is_constant]:
        others = [other for other in columns if other is not one]
        if not _has_room(columns, width) and others[0].column.is_text:  # a row begins with a name
            constant.append(one)
            columns = others
    for group in table.spared:
        if _has_room(columns, width):
            break
        dropped += [one for one in columns if one.column.name in group]
        columns = [one for one in columns if one.column.name not in group]
    widths = _widen(columns, [max(one.widths) for one in columns])
    for name in (NAME, SHORTEST):
        _narrow(widths, _widen(columns, [one.least(name) for one in columns]), width)
    made = [one.pad(wide) for one, wide in zip(columns, widths, strict=True)]
    lines = [list(line) for line in zip(*made, strict=True)] or [[]]  # a table without columns has no lines
    written, left, out = ([one.column for one in some] for some in (columns, constant, dropped))
    spans = [
        group.center(_total([widths[place] for place in places]) + len(group) - width_of(group))
        for group, places in _groups(written)
    ]
    return _FittedTable([GAP.join(spans)] if spans else [], lines, written, left, out)


def _groups(columns: list[WrittenColumn]) -> list[tuple[str, list[int]]]:
    """The names above several columns, each on one line, and the places of these columns."""
    return [(write_one_line(group), places) for group, places in group_columns(columns)]


class _Measured:
    """A column with the title and each cell on one line, and how wide they are."""

    def __init__(self, column: WrittenColumn) -> None:
        self.column = column
        self.texts = list(map(write_one_line, (column.title, *column.texts)))
        self.widths = list(map(width_of, self.texts))

    def least(self, name: int) -> int:
        """How narrow it can be: a number is never cut, a name or a long title may be."""
        title, *cells = self.widths
        return min(max(self.widths), name) if self.column.is_text else max([min(title, name), *cells])

    def pad(self, room: int) -> Iterator[str]:
        """The cells as wide as the column; the end of a long text is kept, which tells paths apart."""
        for text, width in zip(self.texts, self.widths, strict=True):
            if width > room:
                text = text[1 - room :]
                while width_of(text) >= room:
                    text = text[1:]
                text, width = f"…{text}", width_of(text) + 1
            spaces = " " * (room - width)
            yield text + spaces if self.column.is_text else spaces + text


def _has_room(columns: Sequence[_Measured], width: int) -> bool:
    """True if the columns fit with names that stay long enough to differ."""
    return _total(_widen(columns, [one.least(NAME) for one in columns])) <= width


def _widen(columns: Sequence[_Measured], widths: list[int]) -> list[int]:
    """Make room for the names of groups: the last column of a group grows."""
    for group, places in _groups([one.column for one in columns]):
        widths[places[-1]] += max(0, width_of(group) - _total([widths[place] for place in places]))
    return widths


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

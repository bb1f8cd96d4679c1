"""CONLLUA, the format of Universal Anaphora: CoNLL-U with more columns, of which IDENTITY has the mentions.

    # global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING …
    1   The   …   (EntityID=1|MarkableID=markable_1|Min=2
    2   cat   …   )

Columns are separated by tabs, or by blanks where a line has no tab. `)` closes the mention that was opened last, and
`markable_1)` the one of this name, so that mentions may overlap. A MarkableID that is opened again is the next piece of
a discontinuous mention. `Min` is the first and the last of the words that a partial match must hold, counted from 1 in
the document. Lines such as `14.1` are zeros. An EntityID that ends in -Pseudo refers to nothing and is left out.

Bridging, discourse deixis and split antecedents (ElementOf) are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format
from matchwise.formats.corefud import LEADING
from matchwise.formats.io.beginning import has_line
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.tasks.coref import Entity, EntitySet, Mention
from matchwise.tasks.coref.entities import Place

COLUMNS = ["ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC", "IDENTITY"]


def read(source: Text) -> Iterator[EntitySet]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> rows = ["# newdoc id = a", "1 Anna _ _ _ _ _ _ _ _ (EntityID=1|MarkableID=m1)"]
    >>> [document] = read(StringIO("\\n".join(rows)))
    >>> document.id, document.entities[0].mentions[0][:2]
    ('a', (0, 1))
    """
    name = name_of(source)
    columns = COLUMNS
    current: _Document | None = None
    documents = 0
    with open_text(source) as file:
        for number, line in enumerate(file, start=1):
            if line[0] != "#":
                if not line.isspace():
                    current = current or _Document("", name)
                    current.add(line.rstrip("\r\n"), number, columns)
                continue
            key, _, value = line[1:].partition("=")
            if key.strip() == "global.columns":
                columns = value.split()
                if not {"FORM", "IDENTITY"} <= set(columns):
                    raise FormatError(f"found the columns {value.strip()!r}, expected FORM and IDENTITY", name, number)
            elif key.split()[:1] == ["newdoc"]:
                if current is not None:
                    yield current.finish()
                documents += 1
                current = _Document(value.strip() or str(documents), name)
    if current is not None:
        yield current.finish()


@dataclass(slots=True)
class _Markable:
    """A mention while it is read: its pieces, by the first line and the one after the last."""

    entity: str
    line: int
    least: str
    is_zero: bool
    pieces: list[tuple[int, int]] = field(default_factory=list)
    start: int = 0


class _Document:
    """The state of a document while it is read."""

    def __init__(self, id: str, file: str) -> None:
        self.id, self.file = id, file
        self.words: list[str] = []
        self.places: list[Place] = []
        """Every word and zero so far."""
        self.zeros = 0
        """How many zeros stand after the last word."""
        self.markables: dict[str, _Markable] = {}
        self.open: list[str] = []

    def add(self, line: str, number: int, columns: list[str]) -> None:
        cells = line.split("\t") if "\t" in line else line.split()
        identity = columns.index("IDENTITY")
        if len(cells) <= identity:
            raise self._fail(number, f"found {count_units(len(cells), 'columns')}, expected {len(columns)}")
        if "-" in cells[0]:  # the range of a token that is several words
            return
        is_zero = "." in cells[0]
        if is_zero:
            self.zeros += 1
            offset = len(self.words) - 1
            self.places.append((offset, self.zeros) if offset >= 0 else (0, self.zeros - LEADING))
        else:
            self.places.append((len(self.words), 0))
            self.words.append(cells[columns.index("FORM")])
            self.zeros = 0
        if cells[identity] not in ("_", ""):
            self._read_brackets(cells[identity], is_zero, number)

    def _read_brackets(self, value: str, is_zero: bool, number: int) -> None:
        closings, *openings = value.split("(")
        self._close(closings, is_zero, number)
        for text in openings:
            opening, closed, rest = text.partition(")")
            self._open(opening, is_zero, number)
            if closed:
                self._end(self.open.pop())
            elif is_zero:
                raise self._fail(number, f"found ({opening} on a zero, expected a mention that is closed there")
            self._close(rest, is_zero, number)

    def _open(self, text: str, is_zero: bool, number: int) -> None:
        attributes = dict(part.partition("=")[::2] for part in text.split("|"))
        entity, name = attributes.get("EntityID"), attributes.get("MarkableID")
        if not entity or not name:
            raise self._fail(number, f"found ({text}, expected (EntityID=…|MarkableID=…")
        known = self.markables.setdefault(name, _Markable(entity, number, attributes.get("Min", ""), is_zero))
        if known.entity != entity or known.is_zero != is_zero or name in self.open:
            raise self._fail(number, f"found {name} of entity {entity} again (first on line {known.line})")
        known.start = len(self.places) - 1
        self.open.append(name)

    def _close(self, text: str, is_zero: bool, number: int) -> None:
        *names, after = text.split(")")
        if after:
            raise self._fail(number, f"found {after!r}, expected ) or markable) or (EntityID=…|MarkableID=…")
        for name in names:
            if is_zero or not self.open or (name and name not in self.open):
                raise self._fail(number, f"found {name}), but no such mention can be closed here")
            closed = name or self.open[-1]
            self.open.remove(closed)
            self._end(closed)

    def _end(self, name: str) -> None:
        found = self.markables[name]
        found.pieces.append((found.start, len(self.places)))

    def finish(self) -> EntitySet:
        if self.open:
            name = self.open[0]
            raise self._fail(self.markables[name].line, f"the mention {name} is opened here and never closed")
        entities: dict[str, tuple[list[Mention], list[int]]] = {}
        for found in self.markables.values():
            if not found.entity.endswith("-Pseudo"):
                mentions, lines = entities.setdefault(found.entity, ([], []))
                mentions.append(self._mention(found))
                lines.append(found.line)
        made = tuple(Entity(tuple(mentions), id, tuple(lines)) for id, (mentions, lines) in entities.items())
        return EntitySet(made, self.id, "\n".join(self.words), self.file)

    def _mention(self, found: _Markable) -> Mention:
        """A zero is a mention of its own; inside of other mentions zeros are not counted."""
        places = sorted({place for start, end in found.pieces for place in self.places[start:end]})
        if found.is_zero:
            left = places[0][0] + (places[0][1] > 0)
            return Mention(left, left, words=tuple(places), core=tuple(places))
        words = tuple(place for place in places if not place[1])
        left, right = words[0][0], words[-1][0] + 1
        return Mention(left, right, words=() if len(words) == right - left else words, core=self._core(found) or words)

    def _core(self, found: _Markable) -> tuple[Place, ...]:
        """The words of Min; without one, a mention is only matched whole."""
        if not found.least:
            return ()
        first, _, last = found.least.partition(",")
        try:
            left, right = int(first), int(last or first)
        except ValueError:
            left, right = 1, 0
        if not 1 <= left <= right <= len(self.words):
            raise self._fail(found.line, f"found Min={found.least}, expected words such as 3 or 3,5")
        return tuple((at, 0) for at in range(left - 1, right))

    def _fail(self, line: int, problem: str) -> FormatError:
        return FormatError(f"{problem} (document {self.id!r})" if self.id else problem, self.file, line)


CONLLUA = Format(
    name="conllua",
    title="CONLLUA",
    read=read,
    sniff=has_line(
        r"^# *global\.columns *=.*\bIDENTITY\b|\(EntityID=[^ \t]*\|MarkableID=|\(MarkableID=[^ \t]*\|EntityID="
    ),
)

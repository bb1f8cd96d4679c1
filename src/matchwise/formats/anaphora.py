"""Coreference beside the words of CoNLL-U: CorefUD and CONLLUA, the format of Universal Anaphora.

`# newdoc id = …` begins a document. Empty nodes (`8.1`) are zeros; words are counted without them, so that two files
may differ in them. A token that stands for several words (`3-4`) is no word.

CorefUD has `Entity=(e1-person-2-…e2)` in the last column. `# global.Entity` names the attributes of an opening bracket;
`head` is the number of the head among the words of the mention. `e1[1/2]` is the first of two pieces of a discontinuous
mention.

CONLLUA has more columns, of which IDENTITY has the mentions:

    # global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING …
    1   The   …   (EntityID=1|MarkableID=markable_1|Min=2
    2   cat   …   )

Columns are separated by tabs, or by blanks where a line has no tab. `)` closes the mention that was opened last, and
`markable_1)` the one of this name, so that mentions may overlap. A MarkableID that is opened again is the next piece of
a discontinuous mention. `Min` is the first and the last of the words that a partial match must hold, counted from 1 in
the document. An EntityID that ends in -Pseudo refers to nothing and is left out. Bridging, discourse deixis and split
antecedents (ElementOf) are not scored; a document notes how many it has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial

from matchwise.algebra.steps import LeftOut
from matchwise.errors import FormatError, count_units
from matchwise.formats import Format, has_line
from matchwise.formats.io.source import Text, name_of, open_text, place_errors
from matchwise.tasks.coref import CorefMention, Entity, EntitySet
from matchwise.tasks.coref.entities import Place

LEADING = 1_000_000
"""Empty nodes before the first word of a sentence are numbered from −LEADING up."""


def read_corefud(source: Text) -> Iterator[EntitySet]:
    """The documents of a file in CorefUD, one at a time.

    >>> from io import StringIO
    >>> line = "1\\tAnna\\t_\\t_\\t_\\t_\\t0\\t_\\t_\\tEntity=(e1-person-1-)\\n"
    >>> [document] = read_corefud(StringIO("# newdoc id = a\\n# global.Entity = eid-etype-head-other\\n" + line))
    >>> document.id, document.entities[0].mentions[0][:3]
    ('a', (0, 1, (0, 0)))
    """
    return _read(source, EntityDocument)


def read_conllua(source: Text) -> Iterator[EntitySet]:
    """The documents of a file in CONLLUA, one at a time.

    >>> from io import StringIO
    >>> rows = ["# newdoc id = a", "1 Anna _ _ _ _ _ _ _ _ (EntityID=1|MarkableID=m1)"]
    >>> [document] = read_conllua(StringIO("\\n".join(rows)))
    >>> document.id, document.entities[0].mentions[0][:2]
    ('a', (0, 1))
    """
    return _read(source, MarkableDocument)


def _read(source: Text, make: type[EntityDocument] | type[MarkableDocument]) -> Iterator[EntitySet]:
    name = name_of(source)
    declared = make.default
    current: EntityDocument | MarkableDocument | None = None
    documents = 0
    with open_text(source) as file:
        for number, line in enumerate(file, start=1):
            if line.isspace():
                if current is not None:
                    current.start = len(current.words)
            elif line[0] != "#":
                if current is None:
                    current = make("", name, declared)
                current.add(line.rstrip("\r\n"), number)
            else:
                key, _, value = line[1:].partition("=")
                if key.split()[:1] == ["newdoc"]:
                    if current is not None:
                        yield current.finish()
                    documents += 1
                    current = make(value.strip() or str(documents), name, declared)
                elif key.strip() == make.key:
                    declared = value.strip()
                    with place_errors(name, number):
                        (current or make("", name, make.default)).declare(declared)
    if current is not None:
        yield current.finish()


class AnnotatedDocument:
    """The state of a document while it is read."""

    def __init__(self, id: str, file: str) -> None:
        self.id, self.file = id, file
        self.words: list[str] = []
        self.start = 0
        """The offset of the first word of the sentence."""
        self.places: list[Place] = []
        """Every word and empty node so far."""

    def end(self, entities: dict[str, tuple[list[CorefMention], list[int]]]) -> EntitySet:
        """The document with the mentions of each entity, and their lines."""
        made = tuple(Entity(tuple(mentions), id, tuple(lines)) for id, (mentions, lines) in entities.items())
        return EntitySet(made, self.id, "\n".join(self.words), self.file)

    def fail(self, line: int, problem: str) -> FormatError:
        return FormatError(f"{problem} (document {self.id!r})" if self.id else problem, self.file, line)


CHUNK = re.compile(r"\([^()]+\)?|[^()]+\)")
PIECE = re.compile(r"(.+)\[(\d+)/(\d+)\]$")


def _read_opening(fields: str, text: str) -> tuple[str, int, str, int, int]:
    """Read an opening bracket by its attributes: the eid, the head, the entity, and which of how many pieces it is."""
    attributes = dict(zip(fields.split("-"), text.split("-"), strict=False))
    eid = attributes.get("eid") or attributes.get("GRP")
    if not eid:
        raise FormatError(f"found ({text}, expected an entity with an eid ({fields})", "")
    try:
        head = int(attributes.get("head") or 1)
    except ValueError:
        raise FormatError(f"found the head {attributes['head']!r} of ({text}, expected a number", "") from None
    piece = PIECE.match(eid)
    return (eid, head, piece[1], int(piece[2]), int(piece[3])) if piece else (eid, head, eid, 1, 1)


@dataclass(slots=True)
class _Opened:
    """A mention while it is read: its pieces, by the first place and the one after the last."""

    entity: str
    line: int
    head: int = 0
    total: int = 1
    """How many pieces it will have, where the file says so."""
    least: str = ""
    is_zero: bool = False
    pieces: list[tuple[int, int]] = field(default_factory=list)
    start: int = 0


class EntityDocument(AnnotatedDocument):
    """A document of CorefUD."""

    key = "global.Entity"
    default = "eid-etype-head-other"

    def __init__(self, id: str, file: str, declared: str) -> None:
        super().__init__(id, file)
        self.declare(declared)
        self.deps: dict[Place, tuple[tuple[Place, str], ...]] = {}
        self.open: dict[str, list[_Opened]] = {}
        self.torn: dict[str, list[_Opened]] = {}
        """Discontinuous mentions that wait for their next piece."""
        self.entities: dict[str, tuple[list[CorefMention], list[int]]] = {}

    def declare(self, declared: str) -> None:
        """Opening brackets have these attributes from now on."""
        if not {"eid", "GRP"} & set(declared.split("-")):
            raise ValueError(f"found '{self.key} = {declared}', expected an eid among the attributes")
        self.read_opening = lru_cache(100_000)(partial(_read_opening, declared))

    def add(self, line: str, number: int) -> None:
        columns = line.split("\t")
        if len(columns) != 10:
            raise self.fail(number, f"found {count_units(len(columns), 'columns')}, expected 10, separated by tabs")
        id = columns[0]
        if "-" in id:
            return
        try:
            place = self._place(id)
        except ValueError:
            raise self.fail(number, f"found the word number {id!r}, expected 8, 8-9 or 8.1") from None
        if place[1]:
            self.deps[place] = self._parents(columns[8], number)
        else:
            if place[0] != len(self.words):
                raise self.fail(number, f"found word {id}, expected {len(self.words) - self.start + 1}")
            self.words.append(columns[1])
        self.places.append(place)
        if "Entity=" in columns[9]:
            for attribute in columns[9].split("|"):
                if attribute.startswith("Entity="):
                    self._brackets(attribute[7:], len(self.places) - 1, number)

    def _place(self, id: str) -> Place:
        if id.isdecimal():
            return self.start + int(id) - 1, 0
        word, _, empty = id.partition(".")
        return (self.start + int(word) - 1, int(empty)) if word != "0" else (self.start, int(empty) - LEADING)

    def _parents(self, deps: str, number: int) -> tuple[tuple[Place, str], ...]:
        if deps == "_":
            return ()
        found = []
        try:
            for dep in deps.split("|"):
                parent, _, label = dep.partition(":")
                found.append(((self.start, -LEADING) if parent == "0" else self._place(parent), label))
        except ValueError:
            raise self.fail(number, f"found the dependencies {deps!r}, expected parent:label|…") from None
        return tuple(found)

    def _brackets(self, value: str, at: int, line: int) -> None:
        end = 0
        for chunk in CHUNK.finditer(value):
            if chunk.start() != end:
                break
            end = chunk.end()
            text = chunk[0]
            if text[0] == "(":
                eid = self._open(text.strip("()"), at, line)
                if text[-1] == ")":
                    self._close(eid, at, line)
            else:
                self._close(text[:-1], at, line)
        if end != len(value) or not value:
            raise self.fail(line, f"found Entity={value}, expected brackets as in (e1-person-1-(e2-place-1-)e1)")

    def _open(self, text: str, at: int, line: int) -> str:
        try:
            eid, head, entity, part, total = self.read_opening(text)
        except FormatError as error:
            raise self.fail(line, error.problem) from None
        if part == 1:
            mention = _Opened(entity, line, head, total)
            self.entities.setdefault(entity, ([], []))
        else:
            waiting = [
                torn for torn in self.torn.get(entity, ()) if torn.total == total and len(torn.pieces) == part - 1
            ]
            if not waiting:
                raise self.fail(line, f"found piece {eid} of a mention of which piece {part - 1} is not there")
            mention = waiting[0]
            self.torn[entity].remove(mention)
        mention.start = at
        self.open.setdefault(eid, []).append(mention)
        return eid

    def _close(self, eid: str, at: int, line: int) -> None:
        waiting = self.open.get(eid)
        if not waiting:
            raise self.fail(line, f"found {eid}), but no mention of {eid} is open")
        mention = waiting.pop()
        mention.pieces.append((mention.start, at + 1))
        if len(mention.pieces) < mention.total:
            self.torn.setdefault(mention.entity, []).append(mention)
            return
        mentions, lines = self.entities[mention.entity]
        mentions.append(self._mention(mention, line))
        lines.append(mention.line)

    def _mention(self, opened: _Opened, line: int) -> CorefMention:
        if len(self.places) == len(self.words) and len(opened.pieces) == 1:  # no empty nodes, so each place is a word
            [(left, right)] = opened.pieces
            if 1 <= opened.head <= right - left:
                return CorefMention(left, right, (left + opened.head - 1, 0))
        words = [place for start, end in opened.pieces for place in self.places[start:end]]
        if not 1 <= opened.head <= len(words):
            raise self.fail(
                line, f"found head {opened.head} of a mention of {opened.entity} that has {len(words)} words"
            )
        head = words[opened.head - 1]
        overt = [offset for offset, empty in words if not empty]
        if overt:
            left, right = overt[0], overt[-1] + 1
        else:
            left = right = words[0][0] + (words[0][1] > 0)
        plain = len(overt) == len(words) == right - left
        return CorefMention(left, right, head, () if plain else tuple(words), self.deps.get(head, ()))

    def finish(self) -> EntitySet:
        unclosed = [mention for waiting in self.open.values() for mention in waiting]
        if unclosed:
            first = unclosed[0]
            raise self.fail(first.line, f"a mention of {first.entity} is opened here and never closed")
        for torn in self.torn.values():
            for mention in torn:
                has = f"{len(mention.pieces)} of {mention.total} pieces"
                raise self.fail(mention.line, f"a mention of {mention.entity} begins here and has {has}")
        return self.end(self.entities)


LEFT_OUT = {"BRIDGING": "bridging reference, not scored", "DISCOURSE_DEIXIS": "discourse deixis, not scored"}
"""Columns after IDENTITY, and what is said of the mentions in them."""
SPLIT = LeftOut("mention that is part of a split antecedent (ElementOf), scored without it")


@dataclass(frozen=True, slots=True)
class PartlyRead(EntitySet):
    """A document with annotations that are not scored."""

    faults: tuple[LeftOut, ...] = field(default=(), compare=False, repr=False)


class MarkableDocument(AnnotatedDocument):
    """A document of CONLLUA."""

    key = "global.columns"
    default = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY"

    def __init__(self, id: str, file: str, declared: str) -> None:
        super().__init__(id, file)
        self.declare(declared)
        self.zeros = 0
        """How many zeros stand after the last word."""
        self.markables: dict[str, _Opened] = {}
        self.open: list[str] = []
        self.faults: list[LeftOut] = []

    def declare(self, declared: str) -> None:
        """Lines have these columns from now on."""
        self.columns = declared.split()
        if not {"FORM", "IDENTITY"} <= set(self.columns):
            raise ValueError(f"found the columns {' '.join(self.columns)!r}, expected FORM and IDENTITY")

    def add(self, line: str, number: int) -> None:
        cells = line.split("\t") if "\t" in line else line.split()
        identity = self.columns.index("IDENTITY")
        if len(cells) <= identity:
            raise self.fail(number, f"found {count_units(len(cells), 'columns')}, expected {len(self.columns)}")
        if "-" in cells[0]:
            return
        is_zero = "." in cells[0]
        if is_zero:
            self.zeros += 1
            offset = len(self.words) - 1
            self.places.append((offset, self.zeros) if offset >= 0 else (0, self.zeros - LEADING))
        else:
            self.places.append((len(self.words), 0))
            self.words.append(cells[self.columns.index("FORM")])
            self.zeros = 0
        if cells[identity] not in ("_", ""):
            self._read_brackets(cells[identity], is_zero, number)
        for name, cell in zip(self.columns[identity + 1 :] or LEFT_OUT, cells[identity + 1 :], strict=False):
            if name in LEFT_OUT:
                self.faults += [LeftOut(LEFT_OUT[name])] * cell.count("(")

    def _read_brackets(self, value: str, is_zero: bool, number: int) -> None:
        closings, *openings = value.split("(")
        self._close(closings, is_zero, number)
        for text in openings:
            opening, closed, rest = text.partition(")")
            self._open(opening, is_zero, number)
            if closed:
                self._end(self.open.pop())
            elif is_zero:
                raise self.fail(number, f"found ({opening} on a zero, expected a mention that is closed there")
            self._close(rest, is_zero, number)

    def _open(self, text: str, is_zero: bool, number: int) -> None:
        attributes = dict(part.partition("=")[::2] for part in text.split("|"))
        entity, name = attributes.get("EntityID"), attributes.get("MarkableID")
        if not entity or not name:
            raise self.fail(number, f"found ({text}, expected (EntityID=…|MarkableID=…")
        if "ElementOf" in attributes and name not in self.markables:
            self.faults.append(SPLIT)
        known = self.markables.setdefault(
            name, _Opened(entity, number, least=attributes.get("Min", ""), is_zero=is_zero)
        )
        if known.entity != entity or known.is_zero != is_zero or name in self.open:
            raise self.fail(number, f"found {name} of entity {entity} again (first on line {known.line})")
        known.start = len(self.places) - 1
        self.open.append(name)

    def _close(self, text: str, is_zero: bool, number: int) -> None:
        *names, after = text.split(")")
        if after:
            raise self.fail(number, f"found {after!r}, expected ) or markable) or (EntityID=…|MarkableID=…")
        for name in names:
            if is_zero or not self.open or (name and name not in self.open):
                raise self.fail(number, f"found {name}), but no such mention can be closed here")
            closed = name or self.open[-1]
            self.open.remove(closed)
            self._end(closed)

    def _end(self, name: str) -> None:
        found = self.markables[name]
        found.pieces.append((found.start, len(self.places)))

    def finish(self) -> EntitySet:
        if self.open:
            name = self.open[0]
            raise self.fail(self.markables[name].line, f"the mention {name} is opened here and never closed")
        entities: dict[str, tuple[list[CorefMention], list[int]]] = {}
        for found in self.markables.values():
            if not found.entity.endswith("-Pseudo"):
                mentions, lines = entities.setdefault(found.entity, ([], []))
                mentions.append(self._mention(found))
                lines.append(found.line)
        made = self.end(entities)
        if not self.faults:
            return made
        return PartlyRead(made.entities, made.id, made.text, made.file, faults=tuple(self.faults))

    def _mention(self, found: _Opened) -> CorefMention:
        """A zero is a mention of its own; inside of other mentions zeros are not counted."""
        places = sorted({place for start, end in found.pieces for place in self.places[start:end]})
        if found.is_zero:
            left = places[0][0] + (places[0][1] > 0)
            return CorefMention(left, left, words=tuple(places), core=tuple(places))
        words = tuple(place for place in places if not place[1])
        left, right = words[0][0], words[-1][0] + 1
        return CorefMention(
            left, right, words=() if len(words) == right - left else words, core=self._core(found) or words
        )

    def _core(self, found: _Opened) -> tuple[Place, ...]:
        """The words of Min; without one, a mention is only matched whole."""
        if not found.least:
            return ()
        first, _, last = found.least.partition(",")
        try:
            left, right = int(first), int(last or first)
        except ValueError:
            left, right = 1, 0
        if not 1 <= left <= right <= len(self.words):
            raise self.fail(found.line, f"found Min={found.least}, expected words such as 3 or 3,5")
        return tuple((at, 0) for at in range(left - 1, right))


COREFUD = Format(
    name="corefud",
    title="CorefUD",
    looks="CoNLL-U with Entity= in the last column",
    read=read_corefud,
    sniff=lambda head, name: "\t" in head and has_line(r"# global\.Entity|\bEntity=[^\t\n]*\(")(head, name),
)

CONLLUA = Format(
    name="conllua",
    title="CONLLUA",
    looks="# global.columns = … IDENTITY above the words",
    read=read_conllua,
    sniff=has_line(
        r"^# *global\.columns *=.*\bIDENTITY\b|\(EntityID=[^ \t]*\|MarkableID=|\(MarkableID=[^ \t]*\|EntityID="
    ),
)

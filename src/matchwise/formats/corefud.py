"""CorefUD: CoNLL-U with `Entity=(e1-person-2-…e2)` in the last column, `# newdoc` between documents.

`# global.Entity` names the attributes of an opening bracket; `head` is the number of the head among the words of the
mention. `e1[1/2]` is the first of two pieces of a discontinuous mention. Empty nodes (`8.1`) are words like any other;
words are counted without them, so that two files may differ in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import repeat

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format
from matchwise.formats.conllu import NUMBERS
from matchwise.formats.io.entries import place_errors
from matchwise.formats.io.source import Text, name_of, open_text, paragraphs
from matchwise.tasks.coref import Entity, EntitySet, Mention
from matchwise.tasks.coref.entities import Place

CHUNK = re.compile(r"\([^()]+\)?|[^()]+\)")
PIECE = re.compile(r"(.+)\[(\d+)/(\d+)\]$")
DEFAULT = "eid-etype-head-other"

LEADING = 1_000_000
"""Empty nodes before the first word of a sentence are numbered from −LEADING up."""

OPENINGS = 100_000
"""Opening brackets that are remembered."""


def read(source: Text) -> Iterator[EntitySet]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> line = "1\\tAnna\\t_\\t_\\t_\\t_\\t0\\t_\\t_\\tEntity=(e1-person-1-)\\n"
    >>> [document] = read(StringIO("# newdoc id = a\\n# global.Entity = eid-etype-head-other\\n" + line))
    >>> document.id, document.entities[0].mentions[0][:3]
    ('a', (0, 1, (0, 0)))
    """
    name = name_of(source)
    fields = DEFAULT
    current: _Document | None = None
    documents = 0
    with open_text(source) as file:
        for first, text in paragraphs(file):
            with place_errors(name, first):
                lines = text.split("\n")
                for number, line in enumerate(lines, start=first):
                    if line[0] == "#":
                        comment = line[1:].strip()
                        if comment == "newdoc" or comment.startswith("newdoc "):
                            if current is not None:
                                yield current.finish()
                            documents += 1
                            current = _Document(comment.partition("=")[2].strip() or str(documents), name, fields)
                        elif comment.startswith("global.Entity"):
                            fields = comment.partition("=")[2].strip()
                            if not {"eid", "GRP"} & set(fields.split("-")):
                                raise FormatError(
                                    f"found {comment!r}, expected an eid among the attributes", name, number
                                )
                            if current is not None:
                                current.name_attributes(fields)
                    else:
                        if current is None:
                            current = _Document("", name, fields)
                        if current.start == len(current.words) and current.add_all(lines[number - first :], number):
                            break
                        current.add(line, number)
            if current is not None:
                current.start = len(current.words)
    if current is not None:
        yield current.finish()


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


class _Opened:
    """A mention that is still open."""

    __slots__ = ("closed", "entity", "head", "line", "pieces", "start", "total")

    def __init__(self, entity: str, head: int, line: int, total: int) -> None:
        self.entity, self.head, self.line, self.total = entity, head, line, total
        self.pieces: list[tuple[int, int]] = []
        self.start = 0
        self.closed = 0


class _Document:
    """The state of a document while it is read."""

    def __init__(self, id: str, file: str, fields: str) -> None:
        self.id = id
        self.file = file
        self.name_attributes(fields)
        self.words: list[str] = []
        self.start = 0
        """The offset of the first word of the sentence."""
        self.places: list[Place] = []
        """Every word and empty node so far."""
        self.deps: dict[Place, tuple[tuple[Place, str], ...]] = {}
        self.open: dict[str, list[_Opened]] = {}
        self.torn: dict[str, list[_Opened]] = {}
        """Discontinuous mentions that wait for their next piece."""
        self.entities: dict[str, tuple[list[Mention], list[int]]] = {}

    def name_attributes(self, fields: str) -> None:
        """Opening brackets have these attributes from now on; each is read once, as a document repeats them."""
        self.read_opening = lru_cache(OPENINGS)(partial(_read_opening, fields))

    def add_all(self, lines: list[str], number: int) -> bool:
        """Add the lines of a sentence, if they are plain words in order; if not, none is added."""
        rows = [line.split("\t", 2) for line in lines]
        if [row[0] for row in rows] != NUMBERS[: len(rows)] or set(map(str.count, lines, repeat("\t"))) != {9}:
            return False
        start, before = len(self.words), len(self.places)  # which has the empty nodes, too
        self.words += [row[1] for row in rows]
        self.places += zip(range(start, len(self.words)), repeat(0))
        for at, line in enumerate(lines):
            if "Entity=" in line:  # in any column
                self._add_entities(line.rpartition("\t")[2], before + at, number + at)
        return True

    def add(self, line: str, number: int) -> None:
        columns = line.split("\t")
        if len(columns) != 10:
            raise self._fail(number, f"found {count_units(len(columns), 'columns')}, expected 10, separated by tabs")
        id = columns[0]
        if "-" in id:
            return  # a range of words is no word
        try:
            place = self._place(id)
        except ValueError:
            raise self._fail(number, f"found the word number {id!r}, expected 8, 8-9 or 8.1") from None
        if place[1]:
            self.deps[place] = self._parents(columns[8], number)
        else:
            if place[0] != len(self.words):
                raise self._fail(number, f"found word {id}, expected {len(self.words) - self.start + 1}")
            self.words.append(columns[1])
        self.places.append(place)
        if "Entity=" in columns[9]:
            self._add_entities(columns[9], len(self.places) - 1, number)

    def _add_entities(self, column: str, at: int, number: int) -> None:
        """Read the last column of the word at a place."""
        for attribute in column.split("|"):
            if attribute.startswith("Entity="):
                self._brackets(attribute[7:], at, number)

    def _place(self, id: str) -> Place:
        word, _, empty = id.partition(".")
        if not empty:
            return self.start + int(word) - 1, 0
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
            raise self._fail(number, f"found the dependencies {deps!r}, expected parent:label|…") from None
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
            raise self._fail(line, f"found Entity={value}, expected brackets as in (e1-person-1-(e2-place-1-)e1)")

    def _open(self, text: str, at: int, line: int) -> str:
        try:
            eid, head, entity, part, total = self.read_opening(text)
        except FormatError as error:
            raise self._fail(line, error.problem) from None
        if part == 1:
            mention = _Opened(entity, head, line, total)
            self.entities.setdefault(entity, ([], []))
        else:
            waiting = [torn for torn in self.torn.get(entity, ()) if torn.total == total and torn.closed == part - 1]
            if not waiting:
                raise self._fail(line, f"found piece {eid} of a mention of which piece {part - 1} is not there")
            mention = waiting[0]
            self.torn[entity].remove(mention)
        mention.start = at
        self.open.setdefault(eid, []).append(mention)
        return eid

    def _close(self, eid: str, at: int, line: int) -> None:
        waiting = self.open.get(eid)
        if not waiting:
            raise self._fail(line, f"found {eid}), but no mention of {eid} is open")
        mention = waiting.pop()
        mention.pieces.append((mention.start, at + 1))
        mention.closed += 1
        if mention.closed < mention.total:
            self.torn.setdefault(mention.entity, []).append(mention)
            return
        mentions, lines = self.entities[mention.entity]
        mentions.append(self._mention(mention, line))
        lines.append(mention.line)

    def _mention(self, opened: _Opened, line: int) -> Mention:
        if len(self.places) == len(self.words) and len(opened.pieces) == 1:  # no empty nodes, so each place is a word
            [(left, right)] = opened.pieces
            if 1 <= opened.head <= right - left:
                return Mention(left, right, (left + opened.head - 1, 0))
        words = [place for start, end in opened.pieces for place in self.places[start:end]]
        if not 1 <= opened.head <= len(words):
            raise self._fail(
                line, f"found head {opened.head} of a mention of {opened.entity} that has {len(words)} words"
            )
        head = words[opened.head - 1]
        overt = [offset for offset, empty in words if not empty]
        if overt:
            left, right = overt[0], overt[-1] + 1
        else:
            left = right = words[0][0] + (words[0][1] > 0)
        plain = len(overt) == len(words) == right - left
        return Mention(left, right, head, () if plain else tuple(words), self.deps.get(head, ()))

    def finish(self) -> EntitySet:
        unclosed = [mention for waiting in self.open.values() for mention in waiting]
        if unclosed:
            first = unclosed[0]
            raise self._fail(first.line, f"a mention of {first.entity} is opened here and never closed")
        for torn in self.torn.values():
            for mention in torn:
                problem = (
                    f"a mention of {mention.entity} begins here and has {mention.closed} of {mention.total} pieces"
                )
                raise self._fail(mention.line, problem)
        entities = tuple(Entity(tuple(ms), id, tuple(lines)) for id, (ms, lines) in self.entities.items())
        return EntitySet(entities, self.id, "\n".join(self.words), self.file)

    def _fail(self, line: int, problem: str) -> FormatError:
        return FormatError(f"{problem} (document {self.id!r})" if self.id else problem, self.file, line)


def _is_corefud(head: str, name: str) -> bool:
    return "\t" in head and ("# global.Entity" in head or re.search(r"\bEntity=[^\t\n]*\(", head) is not None)


COREFUD = Format(name="corefud", title="CorefUD", read=read, sniff=_is_corefud)

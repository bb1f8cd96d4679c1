"""Coreference in the last column of a file of words: `(12` opens a mention of entity 12, `12)` closes it.

CoNLL-2012 and SemEval-2010 share it. A document runs from `#begin document` to `#end document`; empty lines end
sentences, which mentions may cross; nested mentions of one entity close from the inside out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from matchwise.errors import FormatError
from matchwise.formats.source import Text, name_of, open_text
from matchwise.formats.stretches import stretches
from matchwise.tasks.coref.entities import Entity, EntitySet, Mention, span, words_of

NO_MENTION = (" -", "\t-", " _", "\t_")
"""How most lines end."""

BRACKET = re.compile(r"(?:\(([^()|+]+)(\)?)|([^()|+]+)\))(?:\|(?=[^|]))?")
"""`(3)`, `(3` or `3)`, and a bar if another one follows; brackets may also stand without bars between them."""

LONG = 1 << 20
"""Characters above which only the words of a document are kept."""


def documents(source: Text, begin: Callable[[str], str | None], word: int) -> Iterator[EntitySet]:
    """The documents of a file; `begin` reads the id from the line that begins one, `word` is the column of words."""
    name = name_of(source)
    with open_text(source) as file:
        known: dict[str, int] = {}
        current: _Document | None = None
        number = 0
        for first, lines in stretches(file):
            number = first + len(lines) - 1
            line = lines[0]
            if line.startswith("#begin document"):
                if current is not None:
                    raise FormatError(f"found {line.strip()!r} before the end of {current.id!r}", name, number)
                id = begin(line)
                if id is None:
                    raise FormatError(f"found {line.strip()!r}, expected {EXPECTED}", name, number)
                if id in known:
                    raise FormatError(f"document {id!r} begins again, first on line {known[id]}", name, number)
                known[id] = number
                current = _Document(id, name, word)
            elif line.startswith("#end document"):
                if current is None:
                    raise FormatError("found '#end document' where no document has begun", name, number)
                document, current = current.finished(), None  # what it was made of is not kept meanwhile
                yield document
            elif line.startswith("#"):
                continue
            elif current is not None:
                current.add(lines, first)
            elif (at := next((at for at, line in enumerate(lines) if line.strip()), None)) is not None:
                problem = f"found {lines[at].strip()[:40]!r} outside of a document, expected {EXPECTED}"
                raise FormatError(problem, name, first + at)
        if current is not None:
            raise FormatError(
                f"the file ends within document {current.id!r}; is it cut off? expected '#end document'", name, number
            )


EXPECTED = "'#begin document (name); part 000'"


class _Document:
    """What is known of a document while it is read."""

    def __init__(self, id: str, file: str, word: int) -> None:
        self.id = id
        self.file = file
        self.word = word
        self.text: list[str] | None = None
        """Its lines without mentions, stretch by stretch, or only their words; None if there are none."""
        self.column: int | None = word
        """The column of words in the text; None if it is nothing but words."""
        self.placeholders = False
        """Whether the first word is only a dash or an underscore."""
        self.length = 0
        self.entities: dict[str, tuple[list[Mention], list[int], list[tuple[int, int]]]] = {}
        """The mentions of each, the line of each mention, and where those began that are open."""

    def add(self, lines: list[str], first: int) -> None:
        """Go on with lines, of which the first has that number."""
        if not self.length:
            self._begin(next(filter(None, map(str.split, lines)), []))
        shift = self.length
        nothing = next((line[-1] for line in lines if line.endswith(NO_MENTION)), "-")
        for at in [at for at, line in enumerate(lines) if not line.endswith(NO_MENTION)]:
            line = lines[at]
            columns = line.rsplit(None, 1)
            if not columns:
                shift -= 1
                continue
            cell = columns[-1]
            lines[at] = line.removesuffix(cell) + nothing
            if cell[0] == "(":
                if (id := cell[1:]).isalnum():
                    self._opened(id, at + shift, first + at)
                    continue
                if cell[-1] == ")" and (id := cell[1:-1]).isalnum():
                    self._mention(id, at + shift, at + shift + 1, first + at)
                    continue
            elif cell[-1] == ")" and (id := cell[:-1]).isalnum():
                self._closed(id, at + shift, first + at)
                continue
            self._brackets(cell, at + shift, line, first + at)
        self.length = shift + len(lines)
        self._keep(lines)

    def _begin(self, columns: list[str]) -> None:
        """Some systems write nothing but the column of mentions: then the words are not known."""
        if len(columns) > self.word + 1:
            self.text = []
            self.placeholders = not columns[self.word].strip("-_")

    def _brackets(self, cell: str, word: int, line: str, number: int) -> None:
        """Several brackets, or one of an entity whose id is no plain word, or none."""
        end = 0
        for bracket in BRACKET.finditer(cell):
            if bracket.start() != end:
                break
            end = bracket.end()
            opened, close, closed = bracket.groups()
            if closed is not None:
                self._closed(closed, word, number)
            elif close:
                self._mention(opened, word, word + 1, number)
            else:
                self._opened(opened, word, number)
        if end < len(cell) and cell not in ("-", "_"):
            columns = len(line.split())
            if self.text is not None and columns <= self.word:
                raise self._fail(number, f"found {columns} columns, expected at least {self.word + 2}")
            hint = "; an entity with two antecedents (3+4) cannot be scored" if "+" in cell else ""
            expected = "expected -, _ or brackets as in (3|(4)|5)"
            raise self._fail(number, f"found {cell!r} in the last column, {expected}{hint}")

    def _opened(self, id: str, word: int, line: int) -> None:
        entity = self.entities.get(id)
        if entity is None:
            entity = self.entities[id] = [], [], []
        entity[2].append((word, line))

    def _closed(self, id: str, word: int, line: int) -> None:
        entity = self.entities.get(id)
        if entity is None or not entity[2]:
            raise self._fail(line, f"found {id + ')'!r}, but no mention of entity {id} is open")
        left, began = entity[2].pop()
        entity[0].append(span(left, word + 1))
        entity[1].append(began)

    def _mention(self, id: str, left: int, right: int, line: int) -> None:
        entity = self.entities.get(id)
        if entity is None:
            entity = self.entities[id] = [], [], []
        entity[0].append(span(left, right))
        entity[1].append(line)

    def _keep(self, lines: list[str]) -> None:
        """Lines stay as they are, if not too many: two files may have the same, and words are slow to find."""
        if self.text is None:
            return
        if self.column is not None:
            self.text.append("\n".join(lines))
            if sum(map(len, self.text)) <= LONG:
                return
            lines, self.text, self.column = "\n".join(self.text).split("\n"), [], None
        self.text.append("\n".join(words_of(lines, self.word)))

    def finished(self) -> EntitySet:
        for id, (_, _, open) in self.entities.items():
            if open:
                raise self._fail(open[-1][1], f"a mention of entity {id} is opened here and never closed")
        entities = tuple([Entity(tuple(ms), id, tuple(lines)) for id, (ms, lines, _) in self.entities.items()])
        document = EntitySet(entities, self.id, "\n".join(filter(None, self.text or ())), self.file, column=self.column)
        if self.placeholders and not any(word.strip("-_") for word in document.words):
            return EntitySet(entities, self.id, "", self.file)
        return document

    def _fail(self, line: int, problem: str) -> FormatError:
        return FormatError(f"{problem} (document {self.id!r})", self.file, line)

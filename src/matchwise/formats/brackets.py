"""Coreference in the last column of a file of words: `(12` opens a mention of entity 12, `12)` closes it.

CoNLL-2012 and SemEval-2010 share it. A document runs from `#begin document` to `#end document`; empty lines end
sentences, which mentions may cross; nested mentions of one entity close from the inside out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from matchwise.errors import FormatError
from matchwise.formats.source import Text, name_of, open_text
from matchwise.tasks.coref.entities import Entity, EntitySet, Mention, span

NO_MENTION = ("\t-\n", " -\n", "\t_\n", " _\n")
"""How most lines end."""

BRACKET = re.compile(r"(?:\(([^()|+]+)(\)?)|([^()|+]+)\))(?:\|(?=[^|]))?")
"""`(3)`, `(3` or `3)`, and a bar if another one follows; brackets may also stand without bars between them."""


def documents(source: Text, begin: Callable[[str], str | None], word: int) -> Iterator[EntitySet]:
    """The documents of a file; `begin` reads the id from the line that begins one, `word` is the column of words."""
    name = name_of(source)
    with open_text(source) as file:
        known: dict[str, int] = {}
        current: _Document | None = None
        sentence: list[str] = []
        number = 0
        for number, line in enumerate(file, start=1):
            if line[0] not in "#\n \t\r":
                sentence.append(line)
                continue
            if sentence:
                _words_go_in(current, sentence, number, name)
                sentence = []
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
            elif line[0] in " \t" and not line.isspace():
                sentence.append(line)
        if sentence:
            _words_go_in(current, sentence, number + 1, name)
        if current is not None:
            raise FormatError(
                f"the file ends within document {current.id!r}; is it cut off? expected '#end document'", name, number
            )


EXPECTED = "'#begin document (name); part 000'"


def _words_go_in(current: _Document | None, sentence: list[str], end: int, name: str) -> None:
    if current is None:
        raise FormatError(
            f"found {sentence[0].strip()[:40]!r} outside of a document, expected {EXPECTED}", name, end - len(sentence)
        )
    current.add(sentence, end - len(sentence))


class _Document:
    """What is known of a document while it is read."""

    def __init__(self, id: str, file: str, word: int) -> None:
        self.id = id
        self.file = file
        self.word = word
        self.text: list[str] | None = None
        """The words of each sentence, one to a line."""
        self.length = 0
        self.entities: dict[str, tuple[list[Mention], list[int]]] = {}
        self.open: dict[str, list[tuple[int, int]]] = {}

    def add(self, sentence: list[str], first: int) -> None:
        """The words of one sentence, the first of which stands on line `first`."""
        before = self.length
        if not before:
            # Some systems write nothing but the column of mentions: then the words are not known.
            self.text = [] if len(sentence[0].split()) > self.word + 1 else None
        if self.text is not None:
            word, splits = self.word, self.word + 1
            try:
                self.text.append("\n".join([line.split(None, splits)[word] for line in sentence]))
            except IndexError:
                at, columns = next((i, n) for i, line in enumerate(sentence) if (n := len(line.split())) <= word)
                raise self._fail(first + at, f"found {columns} columns, expected at least {splits + 1}") from None
        self.length += len(sentence)
        for at, line in enumerate(sentence):
            if not line.endswith(NO_MENTION):
                cell = line.rsplit(None, 1)[-1]
                if cell[0] == "(":
                    if cell[1:].isalnum():
                        self._opened(cell[1:], before + at, first + at)
                        continue
                    if cell[-1] == ")" and cell[1:-1].isalnum():
                        self._mention(cell[1:-1], before + at, before + at + 1, first + at)
                        continue
                elif cell[-1] == ")" and cell[:-1].isalnum():
                    self._closed(cell[:-1], before + at, first + at)
                    continue
                self._brackets(cell, before + at, first + at)

    def _brackets(self, cell: str, at: int, line: int) -> None:
        """Several brackets, or one of an entity whose id is no plain word."""
        end = 0
        for bracket in BRACKET.finditer(cell):
            if bracket.start() != end:
                break
            end = bracket.end()
            opened, close, closed = bracket.groups()
            if closed is not None:
                self._closed(closed, at, line)
            elif close:
                self._mention(opened, at, at + 1, line)
            else:
                self._opened(opened, at, line)
        if end < len(cell) and cell not in ("-", "_"):  # the last line of a file may end without a line break
            hint = "; an entity with two antecedents (3+4) cannot be scored" if "+" in cell else ""
            expected = "expected -, _ or brackets as in (3|(4)|5)"
            raise self._fail(line, f"found {cell!r} in the last column, {expected}{hint}")

    def _opened(self, id: str, at: int, line: int) -> None:
        starts = self.open.get(id)
        if starts is None:
            starts = self.open[id] = []
            if id not in self.entities:
                self.entities[id] = [], []
        starts.append((at, line))

    def _closed(self, id: str, at: int, line: int) -> None:
        starts = self.open.get(id)
        if not starts:
            raise self._fail(line, f"found {id + ')'!r}, but no mention of entity {id} is open")
        start, began = starts.pop()
        self._mention(id, start, at + 1, began)

    def _mention(self, id: str, left: int, right: int, line: int) -> None:
        entity = self.entities.get(id)
        if entity is None:
            entity = self.entities[id] = [], []
        entity[0].append(span(left, right))
        entity[1].append(line)

    def finished(self) -> EntitySet:
        for id, starts in self.open.items():
            if starts:
                raise self._fail(starts[-1][1], f"a mention of entity {id} is opened here and never closed")
        entities = tuple([Entity(tuple(ms), id, tuple(lines)) for id, (ms, lines) in self.entities.items()])
        text = "\n".join(self.text or ())
        return EntitySet(entities, self.id, text if text.strip("-_\n") else "", self.file)

    def _fail(self, line: int, problem: str) -> FormatError:
        return FormatError(f"{problem} (document {self.id!r})", self.file, line)

"""Coreference in the last column of a file of words: `(12` opens a mention of entity 12, `12)` closes it.

CoNLL-2012 and SemEval-2010 share it. A document runs from `#begin document` to `#end document`; empty lines end
sentences, which mentions may cross; nested mentions of one entity close from the inside out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import repeat
from sys import intern
from typing import TypeAlias

from matchwise.errors import FormatError
from matchwise.formats.places import Beginnings, Places
from matchwise.formats.source import Text, name_of, open_text
from matchwise.formats.stretches import stretches
from matchwise.tasks.coref.entities import Entity, EntitySet, Mention, words_of

MARKED = re.compile(r"\n(?<!\s[-_]\n)")
"""The end of a line that is empty or has more than a dash in its last column; most have not, and are never seen."""

UNMARKED = re.compile(r"\s([-_])\n")

BRACKET = re.compile(r"(\(?)([^()|+]+)(\)?)(?:\|(?=[^|]))?")
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
        for text in stretches(file):
            if text[0] != "#":
                if current is None and (found := text.lstrip()):
                    number += text.count("\n", 0, len(text) - len(found)) + 1
                    problem = f"found {found.splitlines()[0].strip()[:40]!r} outside of a document, expected {EXPECTED}"
                    raise FormatError(problem, name, number)
                number += text.count("\n") if current is None else current.add(text, number + 1)
                continue
            number += 1
            if text.startswith("#begin document"):
                if current is not None:
                    raise FormatError(f"found {text.strip()!r} before the end of {current.id!r}", name, number)
                id = begin(text)
                if id is None:
                    raise FormatError(f"found {text.strip()!r}, expected {EXPECTED}", name, number)
                if id in known:
                    raise FormatError(f"document {id!r} begins again, first on line {known[id]}", name, number)
                known[id] = number
                current = _Document(id, name, word, number + 1)
            elif text.startswith("#end document"):
                if current is None:
                    raise FormatError("found '#end document' where no document has begun", name, number)
                document, current = current.finished(), None  # what it was made of is not kept meanwhile
                yield document
        if current is not None:
            raise FormatError(
                f"the file ends within document {current.id!r}; is it cut off? expected '#end document'", name, number
            )


EXPECTED = "'#begin document (name); part 000'"


class _Document:
    """What is known of a document while it is read."""

    def __init__(self, id: str, file: str, word: int, first: int) -> None:
        self.id = id
        self.file = file
        self.word = word
        self.text: list[str] | None = None
        """Its lines without mentions, stretch by stretch, or only their words; None if there are none."""
        self.column: int | None = word
        """The column of words in the text; None if it is nothing but words."""
        self.placeholders = False
        """Whether the first word is only a dash or an underscore."""
        self.between = " "
        """What the columns are separated by, as its first line has it."""
        self.nothing = ""
        """Whether a dash or an underscore stands for no mention, as soon as one did."""
        self.length = 0
        self.places = Places(first)
        self.entities: defaultdict[str, tuple[list[Spanned], list[int]]] = defaultdict(_two_lists)
        """The mentions of each, and where those began that are open."""

    def add(self, text: str, first: int) -> int:
        """Go on with lines, of which the first has that number; how many there are."""
        if not self.length:
            self._begin(text)
        if not self.nothing and (found := UNMARKED.search(text)):
            self.nothing = found[1]
        between, word, kept = self.between, self.length, []
        nothing = between + (self.nothing or "-")
        entities, others = self.entities, self.places.others
        others += [word] * (first - self.places.line(word))  # lines that begin with #
        *pieces, rest = MARKED.split(text)
        for piece in pieces:  # lines of which the last is marked
            word += piece.count("\n")
            last = piece[-1:]
            if last in "\n":
                others.append(word)
                kept.append(piece)
                continue
            head, _, cell = piece.rpartition(between)
            if cell[:1] == "(" and (id := cell[1:]).isalnum():
                entities[id][1].append(word)
            elif last == ")" and cell[0] == "(" and (id := cell[1:-1]).isalnum():
                entities[id][0].append((word, word + 1, None, (), ()))
            elif last == ")" and (id := cell[:-1]).isalnum() and (open := entities[id][1]):
                entities[id][0].append((open.pop(), word + 1, None, (), ()))
            elif line := piece[piece.rfind("\n") + 1 :].rstrip():
                cell = line.rsplit(None, 1)[-1]
                self._brackets(cell, word, line)
                head = piece.rstrip().removesuffix(cell).removesuffix(between)
            else:
                others.append(word)
                kept.append(piece)
                continue
            kept.append(head + nothing)
            word += 1
        kept.append(rest)
        number = word + rest.count("\n") - self.length
        self.length += number
        self._keep("\n".join(kept), number)
        return self.places.line(self.length) - first

    def _begin(self, text: str) -> None:
        """Some systems write nothing but the column of mentions: then the words are not known."""
        line = text.lstrip().partition("\n")[0]
        columns = line.split()
        self.between = "\t" if "\t" in line else " "
        if len(columns) > self.word + 1:
            self.text = []
            self.placeholders = not columns[self.word].strip("-_")

    def _brackets(self, cell: str, word: int, line: str) -> None:
        """Several brackets, or one of an entity whose id is no plain word, or none."""
        end = 0
        for bracket in BRACKET.finditer(cell):
            opens, id, closes = bracket.groups()
            if bracket.start() != end or not (opens or closes):
                break
            end = bracket.end()
            mentions, open = self.entities[id]
            if opens:
                open.append(word)
            if closes:
                if not open:
                    raise self._never_opened(id, word)
                mentions.append((open.pop(), word + 1, None, (), ()))
        if end < len(cell) and cell not in ("-", "_"):
            columns = len(line.split())
            if self.text is not None and columns <= self.word:
                raise self._fail(word, f"found {columns} columns, expected at least {self.word + 2}")
            hint = "; an entity with two antecedents (3+4) cannot be scored" if "+" in cell else ""
            expected = "expected -, _ or brackets as in (3|(4)|5)"
            raise self._fail(word, f"found {cell!r} in the last column, {expected}{hint}")

    def _keep(self, text: str, number: int) -> None:
        """Lines stay as they are, if not too many: two files may have the same, and words are slow to find."""
        if self.text is None or not number:
            return
        if self.column is not None:
            self.text.append(text)
            if sum(map(len, self.text)) <= LONG:
                return
            text, number, self.text, self.column = "".join(self.text), self.length, [], None
        found = re.findall("\n" + rf"\S+{self.between}" * self.word + r"(\S+)", "\n" + text)  # twice as fast
        words = found if len(found) == number else words_of(text.split("\n"), self.word)
        self.text.append("\n".join(words) + "\n")

    def finished(self) -> EntitySet:
        for id, (_, open) in self.entities.items():
            if open:
                raise self._fail(open[-1], f"a mention of entity {id} is opened here and never closed")
        entities = tuple([self._entity(id, mentions) for id, (mentions, _) in self.entities.items()])
        text = intern("".join(self.text or ())[:-1])  # the other side has the same
        document = EntitySet(entities, self.id, text, self.file, column=self.column)
        if self.placeholders and not any(word.strip("-_") for word in document.words):
            return EntitySet(entities, self.id, "", self.file)
        return document

    def _entity(self, id: str, found: list[Spanned]) -> Entity:
        mentions = tuple(map(tuple.__new__, repeat(Mention), found))
        return Entity(mentions, id, Beginnings(mentions, self.places))

    def _never_opened(self, id: str, word: int) -> FormatError:
        return self._fail(word, f"found {id + ')'!r}, but no mention of entity {id} is open")

    def _fail(self, word: int, problem: str) -> FormatError:
        return FormatError(f"{problem} (document {self.id!r})", self.file, self.places.line(word))


Spanned: TypeAlias = tuple[int, int, None, tuple[()], tuple[()]]
"""What `Mention` is made of."""


def _two_lists() -> tuple[list[Spanned], list[int]]:
    return [], []

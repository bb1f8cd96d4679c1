"""Coreference in the last column of a file of words: `(12` opens a mention of entity 12, `12)` closes it.

CoNLL-2012 and SemEval-2010 share it. A document runs from `#begin document` to `#end document`; empty lines end
sentences, which mentions may cross; nested mentions of one entity close from the inside out. The brackets of one word
are read in the order of the official scorer, however they are written: mentions of that word alone, then those that
begin, then those that end.

    #begin document (name); part 000    CoNLL-2012 and CoNLL-2011; the fourth column is the word
    #begin document name                SemEval-2010, task 1; the second column is the word

Columns are separated by blanks or tabs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeAlias, overload

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format
from matchwise.formats.document_text import Begin, DocumentText
from matchwise.formats.io.entries import Entry, sound
from matchwise.formats.io.source import Text, name_of, open_text, stretches
from matchwise.tasks.coref.entities import Entity, EntitySet, Mention

MARKED = re.compile(r"\n(?<!\s[-_]\n)")
"""The end of a line that is empty or has more than a dash in its last column; most have not, and are never seen."""

UNMARKED = re.compile(r"\s([-_])\n")

BRACKET = re.compile(r"\([^()|+]+\)?|[^()|+]+\)")
"""`(3)`, `(3` or `3)`; several have bars between them, or none."""


def documents(source: Text, begin: Begin, word: int) -> Iterator[EntitySet]:
    """The documents of a file; `begin` reads the id from the line that begins one, `word` is the column of words.

    >>> from io import StringIO
    >>> file = "#begin document (a); part 0\\na 0 0 I PRP (7)\\na 0 1 see VB -\\na 0 2 me PRP (7)\\n#end document\\n"
    >>> [document] = CONLL2012.read(StringIO(file))
    >>> document.id, [mention[:2] for mention in document.entities[0].mentions]
    ('a; part 000', [(0, 1), (2, 3)])
    >>> file = "#begin document 10_a\\n1\\tIk\\t_\\t(1)\\n2\\tben\\t_\\t_\\n#end document 10_a\\n"
    >>> [document] = SEMEVAL2010.read(StringIO(file))
    >>> document.id, document.words
    ('10_a', ['Ik', 'ben'])
    """
    return sound(entries(source, begin, word))


def entries(source: Text, begin: Begin, word: int) -> Iterator[Entry]:
    """The documents with their ids; one that is broken is a fault, and `#end document` ends it."""
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
                number += text.count("\n") if current is None else current.read(text, number + 1)
                continue
            number += 1
            if text.startswith("#begin document"):
                if current is not None:
                    problem = f"found {text.strip()!r} before the end of {current.id!r}"
                    raise current.fault or FormatError(problem, name, number)
                id = begin(text)
                if id is None:
                    raise FormatError(f"found {text.strip()!r}, expected {EXPECTED}", name, number)
                if id in known:
                    raise FormatError(f"document {id!r} begins again, first on line {known[id]}", name, number)
                known[id] = number
                current = _Document(id, name, number + 1, DocumentText(word, source, file, id, begin))
            elif text.startswith("#end document"):
                if current is None:
                    raise FormatError("found '#end document' where no document has begun", name, number)
                entry, current = current.entry(), None  # what it was made of is not kept meanwhile
                yield entry
        if current is not None:
            problem = f"the file ends within document {current.id!r}; is it cut off? expected '#end document'"
            raise current.fault or FormatError(problem, name, number)


EXPECTED = "'#begin document (name); part 000'"


class _Document:
    """The state of a document while it is read."""

    def __init__(self, id: str, file: str, first: int, kept: DocumentText) -> None:
        self.id = id
        self.file = file
        self.kept = kept
        """Its lines without mentions."""
        self.worded = False
        """Whether there are words in them."""
        self.placeholders = False
        """Whether the first word is only a dash or an underscore."""
        self.between = " "
        """What the columns are separated by, as its first line has it."""
        self.nothing = ""
        """The sign for "no mention" in this file, a dash or an underscore; empty until one is met."""
        self.length = 0
        self.places = Places(first)
        self.entities: defaultdict[str, list[Mention]] = defaultdict(list)
        """The mentions of each that are closed, in the order in which entities begin."""
        self.open: dict[str, Open] = {}
        """The mention of an entity that was opened last, if it is open."""
        self.fault: FormatError | None = None
        """What is wrong with it: the rest is not read."""

    def read(self, text: str, first: int) -> int:
        """Go on with lines, of which the first has that number; how many there are."""
        if self.fault is None:
            try:
                return self.add(text, first)
            except FormatError as error:
                self.fault = error
        return text.count("\n")

    def add(self, text: str, first: int) -> int:
        """`read`, as long as nothing is wrong."""
        if not self.length:
            self._begin(text)
        if not self.nothing and (found := UNMARKED.search(text)):
            self.nothing = found[1]
        between, word, kept = self.between, self.length, []
        nothing = between + (self.nothing or "-")
        entities, open, others = self.entities, self.open, self.places.others
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
            if last != ")":
                if plain := cell[:1] == "(" and (id := cell[1:]).isalnum():
                    if id not in entities:
                        entities[id] = []
                    open[id] = word, open.get(id)
            elif cell[0] == "(":
                if plain := (id := cell[1:-1]).isalnum():
                    entities[id].append(new(Mention, (word, word + 1, None, (), ())))
            else:
                plain = self._close(cell[:-1], word)
            if not plain:
                line = piece[piece.rfind("\n") + 1 :].rstrip()
                if not line:
                    others.append(word)
                    kept.append(piece)
                    continue
                cell = line.rsplit(None, 1)[-1]
                self._brackets(cell, word, line)
                head = piece.rstrip().removesuffix(cell).removesuffix(between)
            kept.append(head + nothing)
            word += 1
        kept.append(rest)
        number = word + rest.count("\n") - self.length
        self.length += number
        if number and self.worded:
            self.kept.add("\n".join(kept), number)
        return self.places.line(self.length) - first

    def _begin(self, text: str) -> None:
        """Some systems write nothing but the column of mentions: then the words are not known."""
        start = len(text) - len(text.lstrip())
        line = text[start : text.find("\n", start)]
        columns = line.split()
        self.between = "\t" if "\t" in line else " "
        if len(columns) > self.kept.column + 1:
            self.worded = True
            self.placeholders = not columns[self.kept.column].strip("-_")

    def _brackets(self, cell: str, word: int, line: str) -> None:
        """Several brackets, or one of an entity whose id is no plain word, or none."""
        brackets = BRACKET.findall(cell)
        if "".join(brackets) == cell.replace("|", "") and "||" not in f"|{cell}|":
            for bracket in sorted(brackets, key=_turn):
                id = bracket.strip("()")
                if bracket[0] == "(":
                    self.entities.setdefault(id, [])
                    self.open[id] = word, self.open.get(id)
                if bracket[-1] == ")" and not self._close(id, word):
                    raise self._fail(word, f"found {bracket!r}, but no mention of entity {id} is open")
        elif cell not in ("-", "_"):
            columns = len(line.split())
            if self.worded and columns <= self.kept.column:
                raise self._fail(
                    word, f"found {count_units(columns, 'columns')}, expected at least {self.kept.column + 2}"
                )
            hint = "; an entity with two antecedents (3+4) cannot be scored" if "+" in cell else ""
            expected = "expected -, _ or brackets as in (3|(4)|5)"
            raise self._fail(word, f"found {cell!r} in the last column, {expected}{hint}")

    def _close(self, id: str, word: int) -> bool:
        """End the mention of an entity that was opened last, if there is one."""
        open = self.open.pop(id, None)
        if open is None:
            return False
        left, outer = open
        if outer is not None:
            self.open[id] = outer
        self.entities[id].append(new(Mention, (left, word + 1, None, (), ())))
        return True

    def entry(self) -> Entry:
        """The document, if nothing is wrong with it."""
        try:
            return Entry(self.id, self.finish() if self.fault is None else self.fault)
        except FormatError as error:
            return Entry(self.id, error)

    def finish(self) -> EntitySet:
        if self.open:
            id = next(id for id in self.entities if id in self.open)
            raise self._fail(self.open[id][0], f"a mention of entity {id} is opened here and never closed")
        entities = tuple([self._entity(id, tuple(mentions)) for id, mentions in self.entities.items()])
        text, column = self.kept.text()
        document = EntitySet(entities, self.id, text, self.file, column=column)
        if self.placeholders and not any(word.strip("-_") for word in document.words):
            return EntitySet(entities, self.id, file=self.file)
        return document

    def _entity(self, id: str, mentions: tuple[Mention, ...]) -> Entity:
        return Entity(mentions, id, Beginnings(mentions, self.places))

    def _fail(self, word: int, problem: str) -> FormatError:
        return FormatError(f"{problem} (document {self.id!r})", self.file, self.places.line(word))


def _turn(bracket: str) -> int:
    """The official scorer reads mentions of one word, then what begins, then what ends: `0)|(0` is `(0)`."""
    return 0 if bracket[0] == "(" and bracket[-1] == ")" else 1 if bracket[0] == "(" else 2


Open: TypeAlias = "tuple[int, Open | None]"
"""The word that a mention begins with, and the mention of the same entity around it."""

new = tuple.__new__
"""`new(Mention, values)` is `Mention(*values)` in half the time."""


class Places:
    """Line = first + word + lines without a word before it.

    >>> places = Places(first=2)
    >>> places.others += [1, 1]
    >>> places.line(0), places.line(1)
    (2, 5)
    """

    __slots__ = ("first", "others")

    def __init__(self, first: int) -> None:
        self.first = first
        self.others: list[int] = []
        """How many words come before each line without one."""

    def line(self, word: int) -> int:
        return self.first + word + bisect_right(self.others, word)


class Beginnings(Sequence[int]):
    """The line that each mention begins on."""

    __slots__ = ("mentions", "places")

    def __init__(self, mentions: tuple[Mention, ...], places: Places) -> None:
        self.mentions = mentions
        self.places = places

    def __len__(self) -> int:
        return len(self.mentions)

    @overload
    def __getitem__(self, at: int) -> int: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[int]: ...

    def __getitem__(self, at: int | slice) -> int | Sequence[int]:
        if isinstance(at, slice):
            return Beginnings(self.mentions[at], self.places)
        return self.places.line(self.mentions[at].left)


def _conll2012_id(line: str) -> str | None:
    """The name and the part, each of which is a document of its own; parts `0` and `000` are the same."""
    found = re.match(r"#begin document \((.*)\)(?:; *(?:part +(\d+))?)?\s*$", line)
    return f"{found[1]}; part {int(found[2] or 0):03d}" if found else None


def _semeval2010_id(line: str) -> str | None:
    return line.removeprefix("#begin document").strip() or None


def _declare(name: str, title: str, begin: Begin, word: int) -> Format:
    return Format(
        name=name,
        title=title,
        read=partial(documents, begin=begin, word=word),
        entries=partial(entries, begin=begin, word=word),
        cut=rb"\n(?=#begin document)",
        head=0,
    )


CONLL2012 = _declare("conll2012", "CoNLL-2012", _conll2012_id, word=3)
SEMEVAL2010 = _declare("semeval2010", "SemEval-2010 task 1", _semeval2010_id, word=1)

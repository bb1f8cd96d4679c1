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
from collections.abc import Callable, Iterator
from functools import partial
from itertools import repeat
from operator import le
from typing import TypeAlias

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format
from matchwise.formats.io.beginning import has_line
from matchwise.formats.io.entries import Entry, sound
from matchwise.formats.io.source import Text, name_of, open_text, stretches
from matchwise.tasks.coref.entities import EntitySet, EntitySpans

MARKED = re.compile(r"\n(?<!\s[-_]\n)")
"""The end of a line that is empty or has more than a dash in its last column; most have not, and are never seen."""

UNMARKED = re.compile(r"\s([-_])\n")

BRACKET = re.compile(r"\([^()|+\s]+\)?|[^()|+\s]+\)")
"""`(3)`, `(3` or `3)`; several have bars between them, or none."""

Begin: TypeAlias = Callable[[str], str | None]
"""Reads the id of a document from the line that begins it."""

Brackets: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""The entities with a mention that begins at a word, and the entities with a mention that ends there."""

KNOWN: dict[str, Brackets] = {}
"""The brackets in the cells that were met: a file repeats them."""

MOST = 100_000
"""Cells that are remembered at a time."""


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
                current = _Document(id, name, number + 1, word)
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

    def __init__(self, id: str, file: str, first: int, column: int) -> None:
        self.id = id
        self.file = file
        self.column = column
        """Where in a line the word stands."""
        self.kept: list[str] = []
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
        self.begins: defaultdict[str, list[int]] = defaultdict(list)
        """The first word of each mention of an entity, in the order in which entities begin."""
        self.ends: defaultdict[str, list[int]] = defaultdict(list)
        """The word after each mention of an entity that is closed."""
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
        if not self.nothing and (sign := UNMARKED.search(text)):
            self.nothing = sign[1]
        between, word = self.between, self.length
        kept: list[str] = []
        unmarked = f"{between}{self.nothing or '-'}\n"
        begins, ends, others = self.begins, self.ends, self.places.others
        others += [word] * (first - self.places.line(word))  # lines that begin with #
        *pieces, rest = MARKED.split(text)  # each is several lines, of which the last is marked
        columns = map(str.rpartition, pieces, repeat(between))
        counts = map(str.count, pieces, repeat("\n"))
        for piece, (head, _, cell), lines in zip(pieces, columns, counts, strict=True):
            word += lines
            found = KNOWN.get(cell)
            if found is None:
                line = "" if piece[-1:] in "\n" else piece[piece.rfind("\n") + 1 :].rstrip()
                if not line:
                    others.append(word)
                    kept += piece, "\n"
                    continue
                cell = line.rsplit(None, 1)[-1]
                found = self._brackets(cell, word, line)
                head = piece.rstrip().removesuffix(cell).removesuffix(between)
            kept += head, unmarked
            for id in found[0]:
                begins[id].append(word)
            word += 1
            for id in found[1]:
                (closed := ends[id]).append(word)
                if len(closed) > len(begins[id]):
                    raise self._fail(word - 1, f"found '{id})', but no mention of entity {id} is open")
        kept.append(rest)
        number = word + rest.count("\n") - self.length
        self.length += number
        if number and self.worded:
            self.kept += kept
        return self.places.line(self.length) - first

    def _begin(self, text: str) -> None:
        """Some systems write nothing but the column of mentions: then the words are not known."""
        start = len(text) - len(text.lstrip())
        line = text[start : text.find("\n", start)]
        columns = line.split()
        self.between = "\t" if "\t" in line else " "
        if len(columns) > self.column + 1:
            self.worded = True
            self.placeholders = not columns[self.column].strip("-_")

    def _brackets(self, cell: str, word: int, line: str) -> Brackets:
        """The brackets of a cell that is met for the first time."""
        brackets = BRACKET.findall(cell)
        if "".join(brackets) == cell.replace("|", "") and "||" not in f"|{cell}|":
            if len(KNOWN) >= MOST:
                KNOWN.clear()
            found = KNOWN[cell] = _in_turn(brackets)
            return found
        if cell in ("-", "_"):
            return (), ()
        columns = len(line.split())
        if self.worded and columns <= self.column:
            raise self._fail(word, f"found {count_units(columns, 'columns')}, expected at least {self.column + 2}")
        hint = "; an entity with two antecedents (3+4) cannot be scored" if "+" in cell else ""
        expected = "expected -, _ or brackets as in (3|(4)|5)"
        raise self._fail(word, f"found {cell!r} in the last column, {expected}{hint}")

    def entry(self) -> Entry:
        """The document, if nothing is wrong with it."""
        try:
            return Entry(self.id, self.finish() if self.fault is None else self.fault)
        except FormatError as error:
            return Entry(self.id, error)

    def finish(self) -> EntitySet:
        spans = EntitySpans(list(self.begins), *self._pair(), self.places)
        text, column = "".join(self.kept)[:-1], self.column
        document = spans.document(self.id, text, self.file, column)
        if self.placeholders and not any(word.strip("-_") for word in document.words):
            return spans.document(self.id, "", self.file, None)
        return document

    def _pair(self) -> tuple[list[list[int]], list[list[int]]]:
        """The first words of the mentions of each entity, and the words after them."""
        begins, ends = list(self.begins.values()), list(map(self.ends.__getitem__, self.begins))
        for at, (lefts, rights) in enumerate(zip(begins, ends, strict=True)):
            if len(lefts) > len(rights) or not all(map(le, rights, lefts[1:])):  # not one after the other
                begins[at], open = _nest(lefts, rights)
                if open:
                    id = list(self.begins)[at]
                    raise self._fail(open[-1], f"a mention of entity {id} is opened here and never closed")
        return begins, ends

    def _fail(self, word: int, problem: str) -> FormatError:
        return FormatError(f"{problem} (document {self.id!r})", self.file, self.places.line(word))


def _in_turn(brackets: list[str]) -> Brackets:
    """The official scorer reads mentions of one word, then what begins, then what ends: `0)|(0` is `(0)`.

    >>> _in_turn(["2)", "(0", "(1)"])
    (('1', '0'), ('1', '2'))
    """
    alone = [bracket[1:-1] for bracket in brackets if bracket[0] == "(" and bracket[-1] == ")"]
    begin = [bracket[1:] for bracket in brackets if bracket[-1] != ")"]
    end = [bracket[:-1] for bracket in brackets if bracket[0] != "("]
    return (*alone, *begin), (*alone, *end)


def _nest(lefts: list[int], rights: list[int]) -> tuple[list[int], list[int]]:
    """The first word of the mention that ends with each of the given words, and of those that do not end.

    Mentions of one entity close from the inside out.

    >>> _nest([0, 1, 4, 5], [3, 4, 6])
    ([1, 0, 5], [4])
    """
    found: list[int] = []
    open: list[int] = []
    at = 0
    for right in rights:
        while at < len(lefts) and lefts[at] < right:
            open.append(lefts[at])
            at += 1
        found.append(open.pop())
    return found, open + lefts[at:]


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
        """The number of the line that a word stands on."""
        return self.first + word + bisect_right(self.others, word)


def _conll2012_id(line: str) -> str | None:
    """The name and the part, each of which is a document of its own; parts `0` and `000` are the same."""
    found = re.match(r"#begin document \((.*)\)(?:; *(?:part +(\d+))?)?\s*$", line)
    return f"{found[1]}; part {int(found[2] or 0):03d}" if found else None


def _semeval2010_id(line: str) -> str | None:
    return line.removeprefix("#begin document").strip() or None


def _declare(name: str, title: str, begin: Begin, word: int, first: str) -> Format:
    return Format(
        name=name,
        title=title,
        read=partial(documents, begin=begin, word=word),
        entries=partial(entries, begin=begin, word=word),
        sniff=has_line(first),
        cut=rb"\n(?=#begin document)",
        head=0,
    )


CONLL2012 = _declare("conll2012", "CoNLL-2012", _conll2012_id, word=3, first=r"^#begin document \(")
SEMEVAL2010 = _declare(
    "semeval2010", "SemEval-2010 task 1", _semeval2010_id, word=1, first=r"^#begin document (?!\()\S"
)

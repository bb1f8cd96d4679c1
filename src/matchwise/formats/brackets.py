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
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import compress
from typing import TextIO, TypeAlias

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format, has_line
from matchwise.formats.io.documents import Entry, take_documents
from matchwise.formats.io.source import BLOCK, Text, name_of, open_text
from matchwise.tasks.coref.entities import CorefMention, Entity, EntitySet

Begin: TypeAlias = Callable[[str], str | None]
"""Reads the id of a document from the line that begins it."""

EXPECTED = "'#begin document (name); part 000'"


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
    return take_documents(entries(source, begin, word))


def entries(source: Text, begin: Begin, word: int) -> Iterator[Entry]:
    """The documents with their ids; one that is broken is a fault, and `#end document` ends it."""
    name = name_of(source)
    known: dict[str, int] = {}
    current: _Document | None = None
    last = 0
    with open_text(source) as file:
        for number, mark, lines in _sections(file):
            last = number + len(lines)
            if mark.startswith("#begin document"):
                if current is not None:
                    problem = f"found {mark.strip()!r} before the end of {current.id!r}"
                    raise current.fault or FormatError(problem, name, number)
                id = begin(mark)
                if id is None:
                    raise FormatError(f"found {mark.strip()!r}, expected {EXPECTED}", name, number)
                if id in known:
                    raise FormatError(f"document {id!r} begins again, first on line {known[id]}", name, number)
                known[id] = number
                current = _Document(id, name, word)
            elif mark.startswith("#end document"):
                if current is None:
                    raise FormatError("found '#end document' where no document has begun", name, number)
                yield current.entry()
                current = None
            if current is not None:
                current.add(number + 1, lines)
            elif found := [one for one in enumerate(lines, number + 1) if one[1].strip()]:
                problem = f"found {found[0][1].strip()[:40]!r} outside of a document, expected {EXPECTED}"
                raise FormatError(problem, name, found[0][0])
    if current is not None:
        problem = f"the file ends within document {current.id!r}; is it cut off? expected '#end document'"
        raise current.fault or FormatError(problem, name, last)


def _sections(file: TextIO) -> Iterator[tuple[int, str, list[str]]]:
    """Each line that begins with #, numbered, and the lines that follow; a block that goes on with them has no mark.

    >>> from io import StringIO
    >>> list(_sections(StringIO("#begin\\na\\nb\\n#end")))
    [(1, '#begin', ['a', 'b']), (4, '#end', [])]
    """
    number = 0
    while text := file.read(BLOCK):
        before, *parts = ("\n" + (text + file.readline()).removesuffix("\n")).split("\n#")
        for part in [before, *["#" + part for part in parts]]:
            mark, *lines = part.split("\n")
            if mark or lines:
                number += bool(mark)
                yield number, mark, lines
                number += len(lines)


class _Document:
    """A document as far as it was read: its words, its mentions, and what is wrong with it."""

    def __init__(self, id: str, file: str, column: int) -> None:
        self.id, self.file, self.column = id, file, column
        self.mentions: dict[str, list[CorefMention]] = {}
        """Entity -> its mentions, in the order in which entities begin."""
        self.lines: dict[str, list[int]] = defaultdict(list)
        """Entity -> the lines on which its mentions begin."""
        self.open: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """Entity -> the words and lines at which mentions were opened that are not closed."""
        self.size = 0
        self.text: list[str] = []
        """The words of each block, a dash for one that has no column."""
        self.has_words = False
        """Some systems write nothing but the column of mentions, or dashes for words: then these are not known."""
        self.fault: FormatError | None = None

    def entry(self) -> Entry:
        """The document, or what is wrong with it."""
        for id, starts in self.open.items():
            if starts:
                problem = f"a mention of entity {id} is opened here and never closed"
                self.fault = self.fault or self._fail(starts[-1][1], problem)
        if self.fault is not None:
            return Entry(self.id, self.fault)
        text = "\n".join(self.text) if self.has_words else ""
        entities = [Entity(tuple(found), id, tuple(self.lines[id])) for id, found in self.mentions.items()]
        return Entry(self.id, EntitySet(tuple(entities), self.id, text if text.strip("-_\n") else "", self.file))

    def add(self, first: int, lines: list[str]) -> None:
        """Read some lines, of which the first has this number; none after a fault."""
        if self.fault is not None:
            return
        every = list(map(str.split, lines))
        rows = list(filter(None, every))
        if not rows:
            return
        width = self.column + 1
        self.has_words = self.has_words if self.text else len(rows[0]) > width
        self.text.append("\n".join([row[self.column] if len(row) > width else "-" for row in rows]))
        numbers = list(compress(range(first, first + len(lines)), every))
        try:
            for place, row in enumerate(rows):
                if row[-1] not in _NOTHING:
                    self._read_brackets(row, self.size + place, numbers[place])
        except FormatError as error:
            self.fault = error
        self.size += len(rows)

    def _read_brackets(self, cells: list[str], word: int, number: int) -> None:
        found = _read_cell(cells[-1])
        if found is None and self.has_words and len(cells) <= self.column:
            raise self._fail(number, f"found {count_units(len(cells), 'columns')}, expected at least {self.column + 2}")
        if found is None:
            hint = "; an entity with two antecedents (3+4) cannot be scored" if "+" in cells[-1] else ""
            expected = "expected -, _ or brackets as in (3|(4)|5)"
            raise self._fail(number, f"found {cells[-1]!r} in the last column, {expected}{hint}")
        begin, end = found
        for id in begin:
            if id not in self.mentions:
                self.mentions[id] = []
            self.open[id].append((word, number))
        for id in end:
            if not (waiting := self.open[id]):
                raise self._fail(number, f"found '{id})', but no mention of entity {id} is open")
            left, line = waiting.pop()
            self.mentions[id].append(CorefMention(left, word + 1))
            self.lines[id].append(line)

    def _fail(self, number: int, problem: str) -> FormatError:
        return FormatError(f"{problem} (document {self.id!r})", self.file, number)


_NOTHING = frozenset("-_")
"""Cells without brackets."""

BRACKET = re.compile(r"\([^()|+\s]+\)?|[^()|+\s]+\)")
"""`(3)`, `(3` or `3)`; several have bars between them, or none."""


@lru_cache(100_000)
def _read_cell(cell: str) -> tuple[list[str], list[str]] | None:
    """The entities with a mention that begins at a word, and those with one that ends there; None if it is no cell.

    The official scorer reads mentions of one word, then what begins, then what ends: `0)|(0` is `(0)`.

    >>> _read_cell("2)|(0(1)")
    (['1', '0'], ['1', '2'])
    """
    brackets = BRACKET.findall(cell)
    if "".join(brackets) != cell.replace("|", "") or "||" in f"|{cell}|":
        return None
    alone = [bracket[1:-1] for bracket in brackets if bracket[0] == "(" and bracket[-1] == ")"]
    begin = [bracket[1:] for bracket in brackets if bracket[-1] != ")"]
    end = [bracket[:-1] for bracket in brackets if bracket[0] != "("]
    return alone + begin, alone + end


def _conll2012_id(line: str) -> str | None:
    """The name and the part, each of which is a document of its own; parts `0` and `000` are the same."""
    found = re.match(r"#begin document \((.*)\)(?:; *(?:part +(\d+))?)?\s*$", line)
    return f"{found[1]}; part {int(found[2] or 0):03d}" if found else None


def _semeval2010_id(line: str) -> str | None:
    return line.removeprefix("#begin document").strip() or None


def _declare(name: str, title: str, begin: Begin, word: int, first: str, looks: str) -> Format:
    return Format(
        name=name,
        title=title,
        looks=looks,
        read=partial(documents, begin=begin, word=word),
        entries=partial(entries, begin=begin, word=word),
        sniff=has_line(first),
    )


CONLL2012 = _declare(
    "conll2012",
    "CoNLL-2012",
    _conll2012_id,
    word=3,
    first=r"^#begin document \(",
    looks="#begin document (name); part 000 above the words",
)
SEMEVAL2010 = _declare(
    "semeval2010",
    "SemEval-2010 task 1",
    _semeval2010_id,
    word=1,
    first=r"^#begin document (?!\()\S",
    looks="#begin document name above the words",
)

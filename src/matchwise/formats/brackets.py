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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TypeAlias

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format
from matchwise.formats.io.documents import Entry, take_documents
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.formats.recognition import has_line
from matchwise.tasks.coref.entities import Entity, EntitySet, Mention

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
    number = 0
    with open_text(source) as file:
        for number, line in enumerate(file, start=1):
            if line[0] != "#":
                if current is not None:
                    current.lines.append(line)
                elif line.strip():
                    problem = f"found {line.strip()[:40]!r} outside of a document, expected {EXPECTED}"
                    raise FormatError(problem, name, number)
            elif line.startswith("#begin document"):
                if current is not None:
                    current.find_mentions()  # what is wrong with them comes first
                    raise FormatError(f"found {line.strip()!r} before the end of {current.id!r}", name, number)
                id = begin(line)
                if id is None:
                    raise FormatError(f"found {line.strip()!r}, expected {EXPECTED}", name, number)
                if id in known:
                    raise FormatError(f"document {id!r} begins again, first on line {known[id]}", name, number)
                known[id] = number
                current = _Document(id, name, number + 1, word)
            elif line.startswith("#end document"):
                if current is None:
                    raise FormatError("found '#end document' where no document has begun", name, number)
                yield current.entry()
                current = None
            elif current is not None:
                current.lines.append("")  # a comment has no word
    if current is not None:
        current.find_mentions()
        problem = f"the file ends within document {current.id!r}; is it cut off? expected '#end document'"
        raise FormatError(problem, name, number)


@dataclass(slots=True)
class _Document:
    """The lines of a document, of which the first has the number `first`; words are in one of the columns."""

    id: str
    file: str
    first: int
    column: int
    lines: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    """The words, a dash for one that has no column; a book has half a million, whose other columns are not kept."""
    numbers: list[int] = field(default_factory=list)
    """The number of each word's line."""
    has_words: bool = False
    """False for systems that write nothing but the column of mentions."""

    def entry(self) -> Entry:
        """The document, or what is wrong with it."""
        try:
            return Entry(self.id, self.read())
        except FormatError as error:
            return Entry(self.id, error)

    def read(self) -> EntitySet:
        mentions, open = self.find_mentions()
        for id, starts in open.items():
            if starts:
                raise self._fail(starts[-1], f"a mention of entity {id} is opened here and never closed")
        entities = [
            Entity(tuple(found), id, tuple([self.numbers[left] for left, *_ in found]))
            for id, found in mentions.items()
        ]
        return EntitySet(tuple(entities), self.id, "\n".join(self._find_words()), self.file)

    def find_mentions(self) -> tuple[dict[str, list[Mention]], dict[str, list[int]]]:
        """The mentions of each entity, in the order in which entities begin, and the words at which others opened."""
        mentions: dict[str, list[Mention]] = {}
        open: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines, self.first):
            cells = line.split()
            if not cells:
                continue
            word, is_whole = len(self.words), len(cells) > self.column + 1
            self.has_words = is_whole if word == 0 else self.has_words
            self.words.append(cells[self.column] if is_whole else "-")
            self.numbers.append(number)
            if cells[-1] in ("-", "_"):
                continue
            found = _read_cell(cells[-1])
            if found is None:
                raise self._refuse(word, cells)
            for id in found[0]:
                mentions.setdefault(id, [])
                open.setdefault(id, []).append(word)
            for id in found[1]:
                if not open.get(id):
                    raise self._fail(word, f"found '{id})', but no mention of entity {id} is open")
                mentions[id].append(Mention(open[id].pop(), word + 1))
        return mentions, open

    def _find_words(self) -> list[str]:
        """Some systems write nothing but the column of mentions, or dashes for words: then these are not known."""
        return self.words if self.has_words and any(word.strip("-_") for word in self.words) else []

    def _refuse(self, word: int, cells: list[str]) -> FormatError:
        if self.has_words and len(cells) <= self.column:
            return self._fail(word, f"found {count_units(len(cells), 'columns')}, expected at least {self.column + 2}")
        hint = "; an entity with two antecedents (3+4) cannot be scored" if "+" in cells[-1] else ""
        expected = "expected -, _ or brackets as in (3|(4)|5)"
        return self._fail(word, f"found {cells[-1]!r} in the last column, {expected}{hint}")

    def _fail(self, word: int, problem: str) -> FormatError:
        return FormatError(f"{problem} (document {self.id!r})", self.file, self.numbers[word])


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


def _declare(name: str, title: str, begin: Begin, word: int, first: str) -> Format:
    return Format(
        name=name,
        title=title,
        read=partial(documents, begin=begin, word=word),
        entries=partial(entries, begin=begin, word=word),
        sniff=has_line(first),
    )


CONLL2012 = _declare("conll2012", "CoNLL-2012", _conll2012_id, word=3, first=r"^#begin document \(")
SEMEVAL2010 = _declare(
    "semeval2010", "SemEval-2010 task 1", _semeval2010_id, word=1, first=r"^#begin document (?!\()\S"
)

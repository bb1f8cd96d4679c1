"""Clauses, as the Parallel Meaning Bank writes discourse representation structures, which empty lines keep apart.

    %%% Tom was grinning .
    b1 REF x1             % Tom [0...3]
    b1 Name x1 "tom"      % Tom [0...3]
    b2 Agent e1 x1        % grinning [8...16]

What begins with % is a comment. Structures have no ids: they are paired by position, as Counter pairs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, takewhile

from matchwise.errors import FormatError
from matchwise.formats import Format
from matchwise.formats.io.documents import Entry, take_documents
from matchwise.formats.io.records import read_one
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.tasks.drs import DRS, Clause, clause, find_clash

_WORD = re.compile(r'"[^"]*"(?!\S)|\S+')
"""A word; a constant may have blanks."""


def read(source: Text) -> Iterator[DRS]:
    """The structures of a file, one at a time.

    >>> from io import StringIO
    >>> [made] = read(StringIO('%%% He works .\\nb1 male "n.02" x1  % He [0...2]\\nb2 Agent e1 x1'))
    >>> made.comments, [one.rel for one in made.clauses]
    (('%%% He works .',), ['male.n.02', 'Agent'])
    """
    return take_documents(entries(source))


def parse(text: str) -> DRS:
    """One structure from text.

    >>> parse("b1 NEGATION b2").clauses
    (Clause(box='b1', rel='NEGATION', first='b2', second='', kind='operator'),)
    """
    return read_one(read, text, "structures")


def entries(source: Text) -> Iterator[Entry]:
    """The structures; one with a clause that is none is a fault, and the next empty line ends it."""
    name = name_of(source)
    block = _Block(name)
    with open_text(source) as file:
        for number, line in enumerate(chain(file, "\n"), start=1):
            if line.isspace():
                if block.numbers:
                    yield block.entry()
                    block = _Block(name)
            else:
                block.add(number, line)


class _Block:
    """The lines of one structure; comments without clauses belong to the next."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.comments: list[str] = []
        self.clauses: list[Clause] = []
        self.numbers: list[int] = []
        self.fault: FormatError | None = None

    def add(self, number: int, line: str) -> None:
        words = _words(line)
        if not words:
            if line.startswith("%%%"):
                self.comments.append(line.strip())
            return
        self.numbers.append(number)
        try:
            self.clauses.append(clause(words))
        except ValueError as error:
            self.fault = self.fault or FormatError(str(error), self.name, number)

    def entry(self) -> Entry:
        if self.fault is None and (clash := find_clash(self.clauses)) is not None:
            self.fault = FormatError(clash[1], self.name, self.numbers[clash[0]])
        return Entry(None, self.fault or DRS(tuple(self.clauses), None, tuple(self.comments)))


def _words(line: str) -> list[str]:
    """The words of a line before its comment."""
    words = line.split()
    for place, word in enumerate(words):
        if word[0] == "%":
            return words[:place]
        if word[0] == '"' and (word[-1] != '"' or len(word) == 1):
            return list(takewhile(lambda word: word[0] != "%", _WORD.findall(line)))
    return words


def _is_clauses(head: str, name: str) -> bool:
    lines = (line.strip() for line in head.splitlines())
    first = next((line for line in lines if line and line[0] != "%"), "%")
    return first[0] not in "{[(#<"


CLAUSES = Format(
    name="clauses",
    title="clauses of the Parallel Meaning Bank",
    looks="clauses such as b1 REF x1",
    read=read,
    entries=entries,
    sniff=_is_clauses,
    remedy="write one structure for each of the reference, in order, with an empty line between them; in place of one "
    'that is missing, write a clause that equals none, such as b1 missing "n.01" x1',
)

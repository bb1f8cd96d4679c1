"""Trees in brackets as the Penn Treebank writes them: one on each line, or each on as many lines as it takes.

Where there is one on each line, as EVALB wants it, an empty line is a sentence without a parse; else empty lines only
separate trees. Sentences have no ids and are paired by position.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import TextIO

from matchwise.errors import FormatError
from matchwise.formats import Format, has_line
from matchwise.formats.io.documents import Entry, take_documents
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.tasks.constituency import Tree, parse

LOOKED_AT = 32
"""Lines that show whether there is a tree on each."""


def read(source: Text) -> Iterator[Tree]:
    """The trees of a file, one at a time.

    >>> from io import StringIO
    >>> [tree.words for tree in read(StringIO("(S (NP (PRP I))\\n   (VP (VBP am)))\\n\\n(S (VP (VB Go)))\\n"))]
    [('I', 'am'), ('Go',)]
    """
    return take_documents(entries(source))


def entries(source: Text) -> Iterator[Entry]:
    """The trees of a file; one that is broken does not keep the others from being read."""
    name = name_of(source)
    with open_text(source) as file:
        for line, text in _texts(file):
            try:
                yield Entry(None, parse(text, line=line))
            except ValueError as error:
                yield Entry(None, FormatError(str(error), name, line))


def _texts(file: TextIO) -> Iterator[tuple[int, str]]:
    """The text of each tree, with the line that it begins on."""
    first = list(islice(file, LOOKED_AT))
    lines = enumerate(chain(first, file), start=1)
    if all(line.count("(") == line.count(")") for line in first):
        return _each_line(lines)
    return _join(lines)


def _each_line(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """A tree on each line; empty lines at the end of the file are dropped."""
    empty: list[tuple[int, str]] = []
    for number, line in lines:
        if line.isspace():
            empty.append((number, line))
        else:
            yield from empty
            yield number, line
            empty = []


def _join(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Join lines into trees; a tree ends where all its brackets are closed."""
    begin, depth, parts = 0, 0, list[str]()
    for number, line in lines:
        if line.isspace():
            continue
        begin = begin if parts else number
        parts.append(line)
        depth += line.count("(") - line.count(")")
        if depth <= 0:
            yield begin, "".join(parts)
            depth, parts = 0, []
    if parts:
        yield begin, "".join(parts)


PTB = Format(
    name="ptb",
    title="Penn Treebank brackets",
    looks="trees such as (S (NP I) (VP see))",
    read=read,
    entries=entries,
    sniff=has_line(r"\A\s*\("),
    remedy="write one tree for each of the reference, in order, and () in place of one that is missing",
)

"""Trees in brackets as the Penn Treebank writes them: one on each line, or each on as many lines as it takes.

Where there is one on each line, as EVALB wants it, an empty line is a sentence without a parse; else empty lines only
separate trees. Sentences have no ids and are paired by position.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import TextIO

from matchwise.errors import FormatError
from matchwise.formats.entries import Entry, Fault
from matchwise.formats.source import Text, name_of, open_text
from matchwise.tasks.constituency import Tree, parsed

LOOKED_AT = 50
"""Lines that show whether there is a tree on each line."""


def sniff(head: str, name: str) -> bool:
    """Whether the file begins with a bracket."""
    return head.lstrip().startswith("(")


def read(source: Text) -> Iterator[Tree]:
    """The trees of a file, one at a time.

    >>> from io import StringIO
    >>> [tree.words for tree in read(StringIO("(S (NP (PRP I))\\n   (VP (VBP am)))\\n\\n(S (VP (VB Go)))\\n"))]
    [('I', 'am'), ('Go',)]
    """
    for entry in entries(source):
        if isinstance(entry.document, Fault):
            raise entry.document.error
        yield entry.document


def entries(source: Text) -> Iterator[Entry]:
    """The trees of a file; one that is broken does not keep the others from being read."""
    name = name_of(source)
    with open_text(source) as file:
        for line, text in _texts(file):
            try:
                yield Entry(None, parsed(text, line=line))
            except ValueError as error:
                yield Entry(None, Fault(FormatError(str(error), name, line)))


def _texts(file: TextIO) -> Iterator[tuple[int, str]]:
    """The text of each tree, with the line it begins on."""
    first = list(islice(file, LOOKED_AT))
    whole = [line.count("(") == line.count(")") for line in first if not line.isspace()]
    lines = enumerate(chain(first, file), start=1)
    return _each_line(lines) if all(whole) else _joined(lines)


def _each_line(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Empty lines at the end of the file are the end of the file."""
    empty: list[tuple[int, str]] = []
    for number, line in lines:
        if line.isspace():
            empty.append((number, ""))
            continue
        yield from empty
        empty.clear()
        yield number, line


def _joined(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """A tree ends where all of its brackets are closed."""
    text, depth, begin = "", 0, 0
    for number, line in lines:
        if line.isspace():
            continue
        begin = begin if text else number
        text += line
        depth += line.count("(") - line.count(")")
        if depth <= 0:
            yield begin, text
            text, depth = "", 0
    if text:
        yield begin, text

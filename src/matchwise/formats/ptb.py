"""Trees in brackets as the Penn Treebank writes them: one on each line, or each on as many lines as it takes.

Where there is one on each line, as EVALB wants it, an empty line is a sentence without a parse; else empty lines only
separate trees. Sentences have no ids and are paired by position.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice, repeat
from typing import TextIO

from matchwise.errors import FormatError
from matchwise.formats import Format
from matchwise.formats.io.beginning import has_line
from matchwise.formats.io.entries import Entry, sound
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.tasks.constituency import Tree, parse
from matchwise.tasks.constituency.trees import forest
from matchwise.tasks.excerpts import excerpts

LOOKED_AT = 32
"""Lines that show whether there is a tree on each. A file of so few needs no arrays, and neither does a first batch."""

CHARACTERS = 1 << 17
"""About how many are read at once."""


def read(source: Text) -> Iterator[Tree]:
    """The trees of a file, one at a time.

    >>> from io import StringIO
    >>> [tree.words for tree in read(StringIO("(S (NP (PRP I))\\n   (VP (VBP am)))\\n\\n(S (VP (VB Go)))\\n"))]
    [('I', 'am'), ('Go',)]
    """
    return sound(entries(source))


def entries(source: Text) -> Iterator[Entry]:
    """The trees of a file; one that is broken does not keep the others from being read."""
    name = name_of(source)
    with open_text(source) as file:
        for number, (lines, texts) in enumerate(_blocks(file)):
            stand = forest(texts) if number else None  # the first few need no NumPy
            if stand is None:
                yield from [_entry(text, name, line) for line, text in zip(lines, texts, strict=True)]
            else:
                trees = excerpts(Tree, stand, range(len(lines)), id=repeat(None), line=lines)
                yield from map(Entry, repeat(None), trees)


def _entry(text: str, name: str, line: int) -> Entry:
    try:
        return Entry(None, parse(text, line=line))
    except ValueError as error:
        return Entry(None, FormatError(str(error), name, line))


def _blocks(file: TextIO) -> Iterator[tuple[Sequence[int], list[str]]]:
    """The texts of many trees, with the line each begins on."""
    first = list(islice(file, LOOKED_AT))
    whole = [line.count("(") == line.count(")") for line in first if not line.isspace()]
    blocks = chain([first], iter(partial(file.readlines, CHARACTERS), []))
    return _each_line(blocks) if all(whole) else _join(blocks)


def _each_line(blocks: Iterable[list[str]]) -> Iterator[tuple[Sequence[int], list[str]]]:
    """Yield each line; empty lines at the end of the file are dropped."""
    number, empty = 1, 0
    for lines in blocks:
        texts = [""] * empty + lines
        empty = 0
        while texts and not texts[-1].strip():
            texts.pop()
            empty += 1
        yield range(number, number + len(texts)), texts
        number += len(texts)


def _join(blocks: Iterable[list[str]]) -> Iterator[tuple[Sequence[int], list[str]]]:
    """Join lines into trees; a tree ends where all its brackets are closed."""
    text, depth, begin, number = "", 0, 0, 0
    for lines in blocks:
        begins: list[int] = []
        texts: list[str] = []
        for line in lines:
            number += 1
            if line.isspace():
                continue
            begin = begin if text else number
            text += line
            depth += line.count("(") - line.count(")")
            if depth <= 0:
                begins.append(begin)
                texts.append(text)
                text, depth = "", 0
        yield begins, texts
    if text:
        yield [begin], [text]


PTB = Format(
    name="ptb",
    title="Penn Treebank brackets",
    read=read,
    entries=entries,
    sniff=has_line(r"\A\s*\("),
    remedy="write one tree for each of the reference, in order, and () in place of one that is missing",
    cut=rb"\n(?=\()(?<!\s\n)",
    head=LOOKED_AT,
)

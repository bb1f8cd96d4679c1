"""A text file in large pieces: the lines between those that begin with `#`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TextIO

CHARACTERS = 1 << 16
"""Are read at a time, and the rest of the line. Blocks four times as large take twice as long: they leave the cache."""


class Stretch(NamedTuple):
    """One line that begins with `#`, or several that do not, and the number of the first."""

    first: int
    lines: list[str]


def stretches(file: TextIO, characters: int = CHARACTERS) -> Iterator[Stretch]:
    """A file from its first line to its last.

    >>> from io import StringIO
    >>> [stretch.lines for stretch in stretches(StringIO("#a\\nb\\n\\nc #1\\n#d\\n"))]
    [['#a'], ['b', '', 'c #1'], ['#d']]
    """
    number = 1
    while text := file.read(characters) + file.readline():
        start = 0
        while start < len(text):
            end = text.find("\n", start) if text[start] == "#" else _before_mark(text, start)
            if end < 0:
                end = len(text) - text.endswith("\n")
            lines = text[start:end].split("\n")
            yield Stretch(number, lines)
            number += len(lines)
            start = end + 1


def _before_mark(text: str, start: int) -> int:
    """The end of the line before the next one that begins with `#`; to look for `#` is faster than for both."""
    at = text.find("#", start)
    while at >= 0 and text[at - 1] != "\n":
        at = text.find("#", at + 1)
    return at - 1

"""A text file in large pieces: the lines between those that begin with `#`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

CHARACTERS = 1 << 16
"""Are read at a time, and the rest of the line. Blocks four times as large take twice as long: they leave the cache."""


def stretches(file: TextIO, characters: int = CHARACTERS) -> Iterator[str]:
    """A file from its first line to its last: one line that begins with `#`, or several that do not.

    >>> from io import StringIO
    >>> list(stretches(StringIO("#a\\nb\\n\\nc #1\\n#d")))
    ['#a\\n', 'b\\n\\nc #1\\n', '#d\\n']
    """
    while text := file.read(characters) + file.readline():
        if text[-1] != "\n":
            text += "\n"
        start = 0
        while start < len(text):
            end = text.find("\n", start) + 1 if text[start] == "#" else _next_mark(text, start)
            yield text[start:end]
            start = end


def _next_mark(text: str, start: int) -> int:
    """Where the next line begins that begins with `#`: to look for `#` is fastest, unless words have it too."""
    at = text.find("#", start)
    if at >= 0 and text[at - 1] != "\n":
        at = text.find("\n#", at) + 1 or -1
    return at if at >= 0 else len(text)

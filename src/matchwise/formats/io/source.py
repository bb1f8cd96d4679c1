"""Text files as every reader opens them: plain, packed (`packing`) or standard input (`-`), with or without a BOM."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TextIO, TypeAlias

from matchwise.errors import FormatError
from matchwise.files import naming_damage
from matchwise.formats.io.entries import placing
from matchwise.formats.io.lines import Lines, read_once
from matchwise.formats.io.packing import open_lines

Text: TypeAlias = str | os.PathLike[str] | TextIO
"""A path, `-` for standard input, or an open text file."""


def name_of(source: Text) -> str:
    """What messages call a source."""
    if not isinstance(source, str | os.PathLike):
        return str(getattr(source, "name", "<text>"))
    path = os.fspath(source)
    return "<stdin>" if path == "-" else path


@contextmanager
def open_text(source: Text) -> Iterator[TextIO]:
    """The text of a source, line by line; whatever is wrong with the file is a FormatError that names it.

    Every reader works inside of this, so that what it did not expect ends here too, if without the line.

    >>> with open_text(io.StringIO("a")) as file:
    ...     file.read()
    'a'
    """
    name = name_of(source)
    try:
        with placing(name), naming_damage(name):
            yield from _opened(source)
    except UnicodeDecodeError as error:
        found = error.object[error.start : error.start + 1]
        problem = f"found the byte {found!r}, expected text in UTF-8; convert it with iconv"
        raise FormatError(problem, name, _undecoded(source)) from None
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", name) from None


def _opened(source: Text) -> Iterator[TextIO]:
    if not isinstance(source, str | os.PathLike):
        yield source
    elif os.fspath(source) == "-":
        file = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig")
        try:
            yield file
        finally:
            file.detach()
    else:
        path = os.fspath(source)
        Lines(path)  # says at once what is wrong with the path
        with io.TextIOWrapper(open_lines(path), encoding="utf-8-sig") as text:
            yield text


def _undecoded(source: Text) -> int | None:
    """The first line that is not UTF-8, if the source can be read again."""
    if not isinstance(source, str | os.PathLike) or read_once(os.fspath(source)):
        return None
    with closing(Lines(os.fspath(source))) as lines:
        for line in lines:
            try:
                line.data.decode()
            except UnicodeDecodeError:
                return line.number
    return None


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
    """Where the next line that starts with `#` begins; searching for `#` is fastest unless words contain it."""
    at = text.find("#", start)
    if at >= 0 and text[at - 1] != "\n":
        at = text.find("\n#", at) + 1 or -1
    return at if at >= 0 else len(text)


_WHITE = re.compile(r"^[ \t]+(?=\n)", re.MULTILINE)


def paragraphs(file: TextIO) -> Iterator[tuple[int, str]]:
    """What stands between the empty lines of a file, each with the number of its first line.

    >>> from io import StringIO
    >>> list(paragraphs(StringIO("a 1\\nb 2\\n \\n\\nc 3")))
    [(1, 'a 1\\nb 2'), (5, 'c 3')]
    """
    for line, parts in blocks(file):
        yield from numbered(line, parts)


def blocks(file: TextIO, characters: int = CHARACTERS) -> Iterator[tuple[int, list[str]]]:
    """Many paragraphs at a time, with the number of the first line; further empty lines begin some of them."""
    line, rest = 1, ""
    while chunk := file.read(characters):
        text = rest + (chunk.replace("\r", "") if "\r" in chunk else chunk)
        if " \n" in text or "\t\n" in text:
            text = _WHITE.sub("", text)
        *parts, rest = text.split("\n\n")
        if parts:
            yield line, parts
            line += text.count("\n", 0, len(text) - len(rest))
    rest = _WHITE.sub("", rest + "\n").rstrip("\n")
    if rest:
        yield line, [rest]


def numbered(line: int, parts: list[str]) -> Iterator[tuple[int, str]]:
    """The paragraphs of a block, each with the number of its first line."""
    for part in parts:
        found = part.lstrip("\n")
        if found:
            yield line + len(part) - len(found), found
        line += part.count("\n") + 2

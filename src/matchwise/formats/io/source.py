"""Text files as every reader opens them: plain, compressed (`.gz`) or standard input (`-`), with or without a BOM."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TextIO, TypeAlias

from matchwise.errors import FormatError
from matchwise.formats.io.lines import Lines, read_once

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
    """The text of a source, line by line; what is wrong with the file is a FormatError that names it.

    >>> with open_text(io.StringIO("a")) as file:
    ...     file.read()
    'a'
    """
    name = name_of(source)
    try:
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
            with (
                _unpacked(path) if path.endswith(".gz") else open(path, encoding="utf-8-sig", buffering=1 << 18) as text
            ):
                yield text
    except UnicodeDecodeError as error:
        found = error.object[error.start : error.start + 1]
        problem = f"found the byte {found!r}, expected text in UTF-8; convert it with iconv"
        raise FormatError(problem, name, _undecoded(source)) from None
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", name) from None


def _undecoded(source: Text) -> int | None:
    """The first line that is no UTF-8, if the source can be read again."""
    if not isinstance(source, str | os.PathLike) or read_once(os.fspath(source)):
        return None
    with closing(Lines(os.fspath(source))) as lines:
        for line in lines:
            try:
                line.data.decode()
            except UnicodeDecodeError:
                return line.number
    return None


@contextmanager
def _unpacked(path: str) -> Iterator[TextIO]:
    import gzip
    import zlib

    try:
        with gzip.open(path, "rt", encoding="utf-8-sig") as file:
            yield file
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"the compressed file is cut off or damaged ({error}); copy it again", path) from None

"""The lines of a file as bytes, each with its number and its place: plain, compressed (`.gz`) or standard input (`-`).

Nothing is held but one line. A line of a plain file can be read again from its place, by any process.
"""

from __future__ import annotations

import gzip
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from matchwise.errors import FormatError, suggestion

BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line: its number from 1, its offset in the file, its bytes."""

    number: int
    offset: int
    data: bytes


class Lines:
    """The lines of one file; iterating again starts again, except on standard input."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "<stdin>" if path == "-" else path
        self.read_bytes = 0
        """How far the reading is, in bytes of the file as it lies on disk."""
        self._again: BinaryIO | None = None
        self._check()

    def _check(self) -> None:
        """Say at once what would go wrong later."""
        self.size: int | None = None
        self.seekable = False
        """Whether a line can be read again from its offset."""
        if self.path == "-":
            return
        try:
            found = os.stat(self.path)
        except OSError as error:
            raise _unreadable(self.path, error) from None
        if stat.S_ISDIR(found.st_mode):
            raise FormatError("found a directory, expected a file", self.path)
        if stat.S_ISREG(found.st_mode):
            self.size = found.st_size
            self.seekable = not self.path.endswith(".gz")

    def __iter__(self) -> Iterator[Line]:
        number = offset = 0
        raw = self._open()
        source: BinaryIO = gzip.GzipFile(fileobj=raw, mode="rb") if self.path.endswith(".gz") else raw  # type: ignore[assignment]  # reads alike
        try:
            for number, data in enumerate(source, start=1):
                if number == 1:
                    _check_encoding(data, self.name)
                    if data.startswith(BOM):
                        offset, data = len(BOM), data[len(BOM) :]
                yield Line(number, offset, data)
                offset += len(data)
                self.read_bytes = offset if source is raw else raw.tell()
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            problem = f"the compressed file is cut off or damaged ({error}); compress or copy it again"
            raise FormatError(problem, self.name, number + 1) from None
        except OSError as error:
            raise _unreadable(self.name, error) from None
        finally:
            if raw is not sys.stdin.buffer:
                raw.close()

    def at(self, offset: int, length: int) -> bytes:
        """The bytes of a line that was read before."""
        if self._again is None:
            self._again = self._open()
        self._again.seek(offset)
        data = self._again.read(length)
        if len(data) != length:
            raise FormatError("the file has become shorter while it was read", self.name)
        return data

    def _open(self) -> BinaryIO:
        if self.path == "-":
            return sys.stdin.buffer
        try:
            return open(self.path, "rb", buffering=1 << 18)
        except OSError as error:
            raise _unreadable(self.path, error) from None

    def __getstate__(self) -> str:
        return self.path

    def __setstate__(self, path: str) -> None:
        self.path = self.name = path
        self.read_bytes, self.size, self.seekable, self._again = 0, None, True, None


def _unreadable(path: str, error: OSError) -> FormatError:
    if isinstance(error, FileNotFoundError):
        folder = os.path.dirname(path) or "."
        near = ""
        if os.path.isdir(folder):
            near = suggestion(os.path.basename(path), os.listdir(folder)[:1000])
        return FormatError(f"no such file{near if 'did you mean' in near else ''}", path)
    return FormatError(f"cannot be read: {error.strerror or error}", path)


def _check_encoding(data: bytes, name: str) -> None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError("found UTF-16, expected UTF-8; convert it with iconv -f UTF-16 -t UTF-8", name, 1)
    if data.startswith(b"\x1f\x8b"):
        raise FormatError("found compressed data, expected text; give the file a name that ends in .gz", name, 1)

"""The lines of a file as bytes, each with its number and its place: plain, packed (`packing`) or standard input (`-`).

Nothing is held but the lines that are asked for. A line of a plain file can be read again from its place, by any
process.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import islice
from typing import BinaryIO, NamedTuple

from matchwise.errors import FormatError, suggestion
from matchwise.files import naming_damage
from matchwise.formats.io.packing import is_packed, unpack

BOM = b"\xef\xbb\xbf"


def read_once(path: str) -> bool:
    """True for files that can be read only once: standard input, or a pipe such as the shell's `<(command)`."""
    try:
        return path == "-" or stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False  # whoever opens it says what is wrong


class Line(NamedTuple):
    """A line: its number from 1, its offset in the file, its bytes."""

    number: int
    offset: int
    data: bytes


class Lines:
    """The lines of one file; each `stream` starts at the first, except on standard input."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "<stdin>" if path == "-" else path
        self.size: int | None = None
        self.seekable = False
        """Whether a line can be read again from its offset."""
        self._by_place: BinaryIO | None = None
        self._files: list[BinaryIO] = []
        self._check()

    def _check(self) -> None:
        """Refuse a file that could not be read later."""
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
            self.seekable = not is_packed(self.path)

    def stream(self) -> Stream:
        return Stream(self)

    def __iter__(self) -> Iterator[Line]:
        return iter(self.stream())

    def at(self, offset: int, length: int) -> bytes:
        """The bytes of a line that was read before."""
        if self._by_place is None:
            self._by_place = self.open(buffering=0)  # no line is near the one before it
        self._by_place.seek(offset)
        data = self._by_place.read(length)
        if len(data) != length:
            raise FormatError("the file has become shorter while it was read", self.name)
        return data

    def open(self, buffering: int = 1 << 18) -> BinaryIO:
        """The file as bytes, open until `close`."""
        if self.path == "-":
            return sys.stdin.buffer
        try:
            made: BinaryIO = open(self.path, "rb", buffering=buffering)  # noqa: SIM115  # until `close`
        except OSError as error:
            raise _unreadable(self.path, error) from None
        self._files.append(made)
        return made

    def close(self) -> None:
        """Close open files; they are opened again when needed."""
        while self._files:
            self._files.pop().close()
        self._by_place = None

    def __getstate__(self) -> tuple[str, bool]:
        return self.path, self.seekable

    def __setstate__(self, state: tuple[str, bool]) -> None:
        """Another process reads lines by their place, or is sent them."""
        self.path, self.seekable = state
        self.name = "<stdin>" if self.path == "-" else self.path
        self.size, self._by_place, self._files = None, None, []


class Stream:
    """A reading of the lines, which can be taken one by one or many at a time, and given back."""

    def __init__(self, lines: Lines) -> None:
        self.name = lines.name
        self.number = 0
        """Lines that were taken."""
        self.offset = 0
        """Where the next line begins."""
        self._file = lines.open()
        self._packed = is_packed(lines.path)
        self._lines: Iterator[bytes] = iter(self._file)
        self._tell: Callable[[], int] = lambda: self.offset
        if self._packed:
            self._lines = iter(unpack(lines.path, self._file))
            self._tell = self._file.tell
        self._back: list[bytes] = []

    def take(self, number: int) -> list[bytes]:
        """The next lines, as many as there are up to that number."""
        if not self.number:
            self._check_start()
        found, self._back = self._back[:number], self._back[number:]
        try:
            with naming_damage(self.name, self.number + 1) if self._packed else nullcontext():
                found += islice(self._lines, number - len(found))
        except OSError as error:
            raise _unreadable(self.name, error) from None
        if not self.number and found:
            found[0] = self._first(found[0])
        self.number += len(found)
        self.offset += sum(map(len, found))
        return found

    def back(self, found: list[bytes]) -> None:
        """Give back the lines that were taken last."""
        self._back = found + self._back
        self.number -= len(found)
        self.offset -= sum(map(len, found))

    def __iter__(self) -> Iterator[Line]:
        while found := self.take(1):
            yield Line(self.number, self.offset - len(found[0]), found[0])
            for data in self._rest():
                self.number += 1
                offset, self.offset = self.offset, self.offset + len(data)
                yield Line(self.number, offset, data)

    def _rest(self) -> Iterator[bytes]:
        """Iterate at full speed while nothing was given back; the next `take` raises errors."""
        if self._back:
            return
        try:
            yield from self._lines
        except Exception as error:
            self._lines = _Broken(error)

    def _first(self, data: bytes) -> bytes:
        if data.startswith(BOM):
            self.offset += len(BOM)
            return data[len(BOM) :]
        return data

    def _check_start(self) -> None:
        """Check the first bytes before looking for lines."""
        if not self._packed and hasattr(self._file, "peek"):
            try:
                data = self._file.peek(1024)[:1024]
            except OSError as error:
                raise _unreadable(self.name, error) from None
            check_start(data, self.name)

    def position(self) -> int:
        """How far reading has come, in bytes on disk."""
        return self._tell()


def check_start(data: bytes, name: str) -> None:
    """Refuse a file whose first bytes show that it is not UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        problem = "found UTF-16, expected UTF-8; convert it with iconv -f UTF-16 -t UTF-8"
    elif data.startswith(b"\x1f\x8b"):
        problem = "found compressed data, expected text; give the file a name that ends in .gz"
    elif data.startswith(b"\x28\xb5\x2f\xfd"):
        problem = "found compressed data, expected text; give the file a name that ends in .zst"
    elif data.startswith((b"PAR1", b"ARROW1")):
        problem = "found a table, expected text; give the file a name that ends in .parquet or .arrow"
    elif b"\x00" in data:
        problem = "found binary data, expected text"
    else:
        return
    raise FormatError(problem, name, 1)


class _Broken:
    """Lines that end in an error."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        raise self.error


def _unreadable(path: str, error: OSError) -> FormatError:
    if isinstance(error, FileNotFoundError):
        folder = os.path.dirname(path) or "."
        near = suggestion(os.path.basename(path), os.listdir(folder)[:1000]) if os.path.isdir(folder) else ""
        return FormatError(f"no such file{near if 'did you mean' in near else ''}", path)
    return FormatError(f"cannot be read: {error.strerror or error}", path)

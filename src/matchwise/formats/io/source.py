"""How every file is opened: plain, packed or standard input (`-`), as text with or without a BOM, or as lines of bytes.

Nothing is held but the lines that are asked for. A line of a plain file can be read again from its place, by any
process. Whatever is wrong with a file, or with what a reader finds in it, is a `FormatError` that names the place.
"""

from __future__ import annotations

import csv
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from itertools import chain, count
from operator import itemgetter
from traceback import extract_tb
from typing import Any, BinaryIO, NamedTuple, TextIO, TypeAlias

from msgspec import Struct

from matchwise.errors import FormatError, near_word
from matchwise.files import DAMAGED, name_damage

Text: TypeAlias = str | os.PathLike[str] | TextIO
"""A path, `-` for standard input, or an open text file."""


def name_of(source: Text) -> str:
    """What messages call a source."""
    if not isinstance(source, str | os.PathLike):
        return str(getattr(source, "name", "<text>"))
    path = os.fspath(source)
    return "<stdin>" if path == "-" else path


class NamedText(io.StringIO):
    """The text of a source, to be read again; messages call it by the same name."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.name = name


def files_of(source: Text, endings: str | tuple[str, ...] = "") -> list[tuple[str, str]] | None:
    """The files of a folder whose names end so, packed or not, in order: path and name; None if it is no folder."""
    if not isinstance(source, str | os.PathLike) or not os.path.isdir(source):
        return None
    names = sorted(name for name in os.listdir(source) if bare_name(name).endswith(endings))
    found = [(os.path.join(source, name), os.path.splitext(bare_name(name))[0]) for name in names]
    return [(path, name) for path, name in found if os.path.isfile(path)]


def read_files(source: Text, endings: tuple[str, ...], read: Callable[[Text], Iterator[Any]]) -> Iterator[Any]:
    """What a reader yields of a file, or of each such file of a folder, whose name becomes the id."""
    files = files_of(source, endings)
    if files is None:
        yield from read(source)
    for path, name in files or ():
        for number, found in enumerate(read(path)):
            yield replace(found, id=f"{name}#{number + 1}" if number else name)


@contextmanager
def open_text(source: Text) -> Iterator[TextIO]:
    """The text of a source, line by line; whatever is wrong with the file is a FormatError that names it.

    Every reader works inside of this, so that what it did not expect ends here too, with the line that was read last.

    >>> with open_text(io.StringIO("a")) as file:
    ...     file.read()
    'a'
    """
    name = name_of(source)
    file: TextIO | None = None
    try:
        with ExitStack() as opened:
            if not isinstance(source, str | os.PathLike):
                opened.enter_context(name_damage(name))
                file = source
            elif os.fspath(source) == "-":
                file = CountedLines(sys.stdin.buffer)
                opened.callback(file.detach)
            else:
                file = opened.enter_context(CountedLines(open_lines(os.fspath(source))))
            yield file
    except UnicodeDecodeError as error:
        found = error.object[error.start : error.start + 1]
        problem = f"found the byte {found!r}, expected text in UTF-8; convert it with iconv"
        raise FormatError(problem, name, _find_undecoded(source)) from None
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", name) from None
    except Exception:
        with place_errors(name, file.number() or None if isinstance(file, CountedLines) else None):
            raise


class CountedLines(io.TextIOWrapper):
    """A text file that knows how many lines were read of it."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, encoding="utf-8-sig")
        self._numbers = count()

    def __iter__(self) -> Iterator[str]:  # type: ignore[override]  # what `for` asks for
        # No function of Python is called for a line.
        return map(itemgetter(0), zip(iter(self.readline, ""), self._numbers, strict=False))

    def number(self) -> int:
        """How many lines were read; asked for once, as it counts on."""
        return next(self._numbers)


COMPRESSED = (".gz", ".zst")

TABLES = (".parquet", ".arrow", ".feather", ".ipc")

EVAL = ".eval"
"""The ending of a log of Inspect, which is an archive with a JSON file for each sample."""

PACKED_ENDINGS = (*COMPRESSED, *TABLES, EVAL)
"""How files end whose bytes are not their lines."""

BUFFER = 1 << 18


def open_lines(path: str) -> BinaryIO:
    """The lines of a file, of whatever kind, as a file of bytes."""
    try:
        file = open(path, "rb", buffering=BUFFER)  # noqa: SIM115  # whoever asked for it closes it
    except OSError as error:
        raise _unreadable(path, error) from None
    if not path.endswith(PACKED_ENDINGS):
        return file
    from matchwise.formats.io.packed import unpack

    return unpack(path, file)


def bare_name(path: str) -> str:
    """The name of a file without the ending that says how it is compressed.

    >>> bare_name("gold.jsonl.zst")
    'gold.jsonl'
    """
    for ending in COMPRESSED:
        path = path.removesuffix(ending)
    return path


def _unreadable(path: str, error: OSError) -> FormatError:
    if not path:
        return FormatError("found no name of a file; is a variable of your shell empty?", "''")
    if os.path.isdir(path):
        return FormatError("found a directory, expected a file", path)
    if isinstance(error, FileNotFoundError):
        folder = os.path.dirname(path) or "."
        near = near_word(os.path.basename(path), os.listdir(folder)[:1000]) if os.path.isdir(folder) else ""
        return FormatError(f"no such file{near}", path)
    return FormatError(f"cannot be read: {error.strerror or error}", path)


def read_bytes(source: Text) -> bytes:
    """All of a file that is not text, or that another package reads."""
    if not isinstance(source, str | os.PathLike):
        return source.read().encode()
    path = os.fspath(source)
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        with open_lines(path) as file:
            return file.read()
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from None


def _find_undecoded(source: Text) -> int | None:
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


def read_once(path: str) -> bool:
    """True for files that can be read only once: standard input, or a pipe such as the shell's `<(command)`."""
    try:
        return path == "-" or stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False  # whoever opens it says what is wrong


def paragraphs(file: TextIO, blank: str = r"[ \t]") -> Iterator[tuple[int, str]]:
    """What stands between the empty lines of a file, each with the number of its first line.

    A line of characters that match `blank` is empty too.

    >>> from io import StringIO
    >>> list(paragraphs(StringIO("a 1\\nb 2\\n \\n\\nc 3")))
    [(1, 'a 1\\nb 2'), (5, 'c 3')]
    """
    line, rest, chunk = 0, "\n", "\n"
    while chunk:
        chunk = file.read(max(BLOCK, len(rest)))  # a long paragraph is joined a few times only
        *parts, rest = re.sub(rf"\n{blank}+(?=\n)", "\n", rest + (chunk.replace("\r", "") or "\n\n")).split("\n\n")
        for part in parts:
            found = part.strip("\n")
            if found:
                yield line + part.index(found), found
            line += part.count("\n") + 2
        line, rest = line - 1, "\n" + rest


BLOCK = 1 << 14
"""Characters that are read at a time. What is made of them fits into the processor's caches: a book of coreference (two
files of 480,000 lines) is read in 1.0 s, and in 1.6 s with blocks of 2¹⁸ characters."""


BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line: its number from 1, its offset in the file, its bytes."""

    number: int
    offset: int
    data: bytes


class Lines:
    """The lines of one file; each iteration starts at the first, except on standard input."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "<stdin>" if path == "-" else path
        self.size: int | None = None
        if path != "-":  # refused at once, not when it is read
            try:
                found = os.stat(path)
            except OSError as error:
                raise _unreadable(path, error) from None
            if stat.S_ISDIR(found.st_mode):
                raise _unreadable(path, IsADirectoryError())
            self.size = found.st_size if stat.S_ISREG(found.st_mode) else None
        self.seekable = self.size is not None and not path.endswith(PACKED_ENDINGS)
        """Whether a line can be read again from its offset."""
        self._tell: Callable[[], int] | None = None
        self._by_place: BinaryIO | None = None
        self._files: list[BinaryIO] = []

    def __iter__(self) -> Iterator[Line]:
        file = self._open()
        number = offset = 0
        self._tell = file.tell if self.path.endswith(PACKED_ENDINGS) else lambda: offset
        try:
            if self.path.endswith(PACKED_ENDINGS):
                from matchwise.formats.io.packed import unpack

                file = unpack(self.path, file)
                self._files.append(file)  # else it is closed after its last line, and cannot say where it is
            elif hasattr(file, "peek"):
                check_start(file.peek(1024)[:1024], self.name)
            lines = iter(file)
            first = next(lines, b"")
            if first.startswith(BOM):
                offset, first = len(BOM), first[len(BOM) :]
            for data in chain((first,) if first else (), lines):
                number += 1
                start, offset = offset, offset + len(data)
                yield Line(number, start, data)
        except FormatError as error:
            if error.problem.startswith(DAMAGED):
                error.line = number + 1
            raise
        except OSError as problem:
            raise _unreadable(self.name, problem) from None

    def progress(self) -> float | None:
        """How much of the file is read, from 0 to 1, if that is known."""
        return self._tell() / self.size if self.size and self._tell else None

    def at(self, offset: int, length: int) -> bytes:
        """The bytes of a line that was read before."""
        if self._by_place is None:
            self._by_place = self._open(buffering=0)  # no line is near the one before it
        self._by_place.seek(offset)
        data = self._by_place.read(length)
        if len(data) != length:
            raise FormatError("the file has become shorter while it was read", self.name)
        return data

    def _open(self, buffering: int = 1 << 18) -> BinaryIO:
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
        self._by_place = self._tell = None

    def __getstate__(self) -> dict[str, Any]:
        """Another process reads lines by their place, or is sent them."""
        return {**self.__dict__, "_tell": None, "_by_place": None, "_files": []}


_STARTS = {
    b"\xff\xfe": "UTF-16, expected UTF-8; convert it with iconv -f UTF-16 -t UTF-8",
    b"\xfe\xff": "UTF-16, expected UTF-8; convert it with iconv -f UTF-16 -t UTF-8",
    b"\x1f\x8b": "compressed data, expected text; give the file a name that ends in .gz",
    b"\x28\xb5\x2f\xfd": "compressed data, expected text; give the file a name that ends in .zst",
    b"PAR1": "a table, expected text; give the file a name that ends in .parquet or .arrow",
    b"ARROW1": "a table, expected text; give the file a name that ends in .parquet or .arrow",
}
"""How files begin that are not text, and what is said of them."""


def check_start(data: bytes, name: str) -> None:
    """Refuse a file whose first bytes show that it is not UTF-8."""
    known = [problem for start, problem in _STARTS.items() if data.startswith(start)]
    if known or b"\x00" in data:
        raise FormatError(f"found {known[0] if known else 'binary data, expected text'}", name, 1)


TOO_DEEP = "found values that are nested too deeply to read"
TOO_LARGE = "found a document that is too large for the memory of this process"


class place_errors(Struct):
    """Give the errors of a reader their place; a ValueError of ours says what was found and expected.

    >>> with place_errors("a.jsonl", 3):
    ...     raise ValueError("found 1 word, expected 2")
    Traceback (most recent call last):
    matchwise.errors.FormatError: a.jsonl:3: found 1 word, expected 2
    """

    # A class, not a generator: it is entered for every document of a file.
    name: str
    line: int | None = None
    part: str = ""

    def __enter__(self) -> None:
        pass

    def __exit__(self, cls: object, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, UnicodeDecodeError):
            return  # which byte it was is found by whoever opened the file
        part = f"{self.part}: " if self.part else ""
        if isinstance(error, ValueError | RecursionError | MemoryError | csv.Error):
            raise FormatError(part + describe_problem(error), self.name, self.line) from None
        if isinstance(error, _MISTAKES):
            frame = extract_tb(error.__traceback__)[-1]
            where = f"{os.path.basename(frame.filename)}, line {frame.lineno}"
            problem = f"the reader failed on this: {type(error).__name__}: {error} ({where})"
            advice = "the value has another shape than it expects, or there is a mistake in the reader"
            raise FormatError(f"{part}{problem}; {advice}", self.name, self.line) from error


_MISTAKES = ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RuntimeError, TypeError
"""What a reader raises only where it did not expect a value, or by mistake."""


def describe_problem(error: Exception) -> str:
    """What a ValueError of a reader says, or why a value was too much."""
    if isinstance(error, RecursionError):
        return TOO_DEEP
    if isinstance(error, MemoryError):
        return TOO_LARGE
    text = str(error)
    if text.startswith("Exceeds the limit"):  # of digits: Python guards against numbers that take minutes to read
        return "found a number of more than 4,300 digits, expected one that fits its place"
    return text

"""Text files as every reader opens them: plain, packed (`lines`) or standard input (`-`), with or without a BOM.

The JSON documents of a file (`records`) stand on a line each or in one list.
"""

from __future__ import annotations

import csv
import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from operator import itemgetter
from traceback import extract_tb
from typing import Any, BinaryIO, TextIO, TypeAlias, TypeVar

import msgspec

from matchwise.errors import FormatError
from matchwise.files import name_damage
from matchwise.formats.io.lines import Lines, bare_name, check_path, open_lines, read_once

Text: TypeAlias = str | os.PathLike[str] | TextIO
"""A path, `-` for standard input, or an open text file."""


def name_of(source: Text) -> str:
    """What messages call a source."""
    if not isinstance(source, str | os.PathLike):
        return str(getattr(source, "name", "<text>"))
    path = os.fspath(source)
    return "<stdin>" if path == "-" else path


def files_of(source: Text, endings: str | tuple[str, ...] = "") -> list[tuple[str, str]] | None:
    """The files of a folder whose names end so, packed or not, in order: path and name; None if it is no folder."""
    if not isinstance(source, str | os.PathLike) or not os.path.isdir(source):
        return None
    names = sorted(name for name in os.listdir(source) if bare_name(name).endswith(endings))
    found = [(os.path.join(source, name), os.path.splitext(bare_name(name))[0]) for name in names]
    return [(path, name) for path, name in found if os.path.isfile(path)]


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
        with name_damage(name), _open(source) as file:
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


@contextmanager
def _open(source: Text) -> Iterator[TextIO]:
    if not isinstance(source, str | os.PathLike):
        yield source
    elif os.fspath(source) == "-":
        file = CountedLines(sys.stdin.buffer)
        try:
            yield file
        finally:
            file.detach()
    else:
        path = os.fspath(source)
        check_path(path)
        with CountedLines(open_lines(path)) as file:
            yield file


def read_bytes(source: Text) -> bytes:
    """All of a file that is not text, or that another package reads."""
    if not isinstance(source, str | os.PathLike):
        return source.read().encode()
    path = os.fspath(source)
    if path == "-":
        return sys.stdin.buffer.read()
    check_path(path)
    try:
        with name_damage(path), open_lines(path) as file:
            return file.read()
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from None


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


Document = TypeVar("Document")

WHOLE = "write a list of documents, or one document on each line"

IDS = ("id", "doc_key", "doc_id", "document_id", "title", "sent_id")


def records(source: Text, build: Callable[[Any], Document]) -> Iterator[Document]:
    """The documents of a file; a ValueError of `build` becomes a FormatError that names the line.

    >>> from io import StringIO
    >>> list(records(StringIO('{"a": 1}\\n\\n{"a": 2}\\n'), lambda value: value["a"]))
    [1, 2]
    """
    name = name_of(source)
    for number, value in values(source):
        try:
            made = build(value)
        except Exception:
            with place_errors(name, number):
                raise
        yield made


def read_one(read: Callable[[TextIO], Iterator[Document]], text: str, what: str) -> Document:
    """The only document of a text."""
    found = list(read(io.StringIO(text)))
    if len(found) != 1:
        raise FormatError(f"found {len(found)} {what}, expected one; read several with read(StringIO(text))", "<text>")
    return found[0]


def values(source: Text) -> Iterator[tuple[int, Any]]:
    """Each JSON value with its line; a file whose values have several lines each is read whole.

    The elements of a file that is one list are counted from 1.
    """
    name, is_first = name_of(source), True
    with open_text(source) as file:
        lines = iter(file)
        for number, line in enumerate(lines, start=1):
            if line.isspace():
                continue
            if is_first and line.lstrip()[0] in "[{" and line.rstrip()[-1] not in "]}":
                yield from _spread("".join((line, *lines)), name, number)
                return
            value = decode_value(line, name, number, advice="write one document on each line")
            is_first = False
            if number == 1:
                yield from _list_documents(value)
            else:
                yield number, value


def _spread(text: str, name: str, first: int) -> Iterator[tuple[int, Any]]:
    """The values of a text, each on several lines, with the line where it begins."""
    import json

    try:
        whole = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        pass  # there are several, or what is wrong is said below
    else:
        yield from _list_documents(whole, first)
        return
    place, line = 0, first
    while place < len(text):
        with place_errors(name, line):
            try:
                value, end = json.JSONDecoder().raw_decode(text, place)
            except json.JSONDecodeError as error:
                found = line + text.count("\n", place, _end_of_cut(text, error.pos))
                raise FormatError(f"cannot read this as JSON: {error.msg}; {WHOLE}", name, found) from None
        yield line, value
        end = _SPACE.match(text, end).end()  # type: ignore[union-attr]  # matches anything
        place, line = end, line + text.count("\n", place, end)


_SPACE = re.compile(r"\s*")


def _end_of_cut(text: str, place: int) -> int:
    """Where a document that was cut off ends, if an error is found only at the next one or at the end of the file."""
    is_next = text.startswith("{", place) and text.startswith("\n", place - 1)
    return len(text[:place].rstrip()) if is_next or not text[place:].strip() else place


def _list_documents(value: Any, line: int = 1) -> Iterator[tuple[int, Any]]:
    """The documents of a list, counted from 1; any other value is one."""
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):
        return enumerate(value, start=1)
    return iter(((line, value),))


def fields(value: Any, what: str = "a document") -> dict[str, Any]:
    """A JSON object, or a ValueError that says what was found."""
    if not isinstance(value, dict):
        raise ValueError(f"expected {what} as a JSON object, found {type(value).__name__}")
    return value


def get_list(value: dict[str, Any], key: str) -> list[Any]:
    """The list under a key; a key that is not there, and null, are an empty list."""
    found = value.get(key)
    if found is None:
        return []
    if not isinstance(found, list):
        raise ValueError(f"{key}: expected a list, found {type(found).__name__}")
    return found


def get_objects(value: dict[str, Any], key: str, what: str) -> list[dict[str, Any]]:
    """The JSON objects in the list under a key, as `get_list` has it."""
    return [fields(one, what) for one in get_list(value, key)]


def require(value: dict[str, Any], key: str, what: str) -> Any:
    """The value under a key that must be there."""
    if key not in value:
        raise ValueError(f"expected {what} with {key!r}, found the keys {', '.join(map(str, value)) or 'none'}")
    return value[key]


def take(value: Any, keys: tuple[str, str, *tuple[str, ...]], what: str) -> tuple[Any, ...]:
    """The values under some keys of a JSON object, which must be there."""
    try:
        return itemgetter(*keys)(value)  # type: ignore[no-any-return]  # a tuple, as there are two keys or more
    except (KeyError, TypeError):
        found = fields(value, what)
        return tuple(require(found, key, what) for key in keys)


def id_of(value: dict[str, Any], names: tuple[str, ...] = IDS) -> str | int | None:
    """The first id that a document has; a `part` makes it another document, named as in CoNLL-2012.

    >>> id_of({"doc_key": "a", "part": 1})
    'a; part 001'
    """
    for name in names:
        found = value.get(name)
        if _is_id(found):
            part = value.get("part")
            return f"{found}; part {part:>03}" if part is not None and _is_id(part) else found
    return None


def _is_id(value: Any) -> bool:
    return type(value) is str or (isinstance(value, str | int) and not isinstance(value, bool))


def tail_exclusive(left: Any, right: Any) -> tuple[int, int]:
    """A span whose end is its last position, half-open."""
    if type(left) is not int or type(right) is not int or left > right:
        raise ValueError(f"expected two positions, the first no later than the last, found {left!r} and {right!r}")
    return left, right + 1


TOO_DEEP = "found values that are nested too deeply to read"
TOO_LARGE = "found a document that is too large for the memory of this process"


class place_errors:
    """Give the errors of a reader their place; a ValueError of ours says what was found and expected.

    >>> with place_errors("a.jsonl", 3):
    ...     raise ValueError("found 1 word, expected 2")
    Traceback (most recent call last):
    matchwise.errors.FormatError: a.jsonl:3: found 1 word, expected 2
    """

    # A class, not a generator: it is entered for every document of a file.
    __slots__ = ("before", "line", "name")

    def __init__(self, name: str, line: int | None = None, part: str = "") -> None:
        self.name, self.line, self.before = name, line, f"{part}: " if part else ""

    def __enter__(self) -> None:
        pass

    def __exit__(self, cls: object, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, UnicodeDecodeError):
            return  # which byte it was is found by whoever opened the file
        if isinstance(error, ValueError | RecursionError | MemoryError | csv.Error):
            raise FormatError(self.before + _problem(error), self.name, self.line) from None
        if isinstance(error, _MISTAKES):
            frame = extract_tb(error.__traceback__)[-1]
            where = f"{os.path.basename(frame.filename)}, line {frame.lineno}"
            problem = f"the reader failed on this: {type(error).__name__}: {error} ({where})"
            advice = "the value has another shape than it expects, or there is a mistake in the reader"
            raise FormatError(f"{self.before}{problem}; {advice}", self.name, self.line) from error


_MISTAKES = ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RuntimeError, TypeError
"""What a reader raises only where it did not expect a value, or by mistake."""


def _problem(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return TOO_DEEP
    if isinstance(error, MemoryError):
        return TOO_LARGE
    text = str(error)
    if text.startswith("Exceeds the limit"):  # of digits: Python guards against numbers that take minutes to read
        return "found a number of more than 4,300 digits, expected one that fits its place"
    return text


def decode_value(text: str, name: str, line: int | None = None, *, advice: str) -> Any:
    """One JSON value; what is wrong with it is a FormatError that ends in advice.

    Python's json reads what msgspec refuses: NaN, infinities, lone surrogates.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        import json

        with suppress(ValueError, RecursionError):
            return json.loads(text)
        raise FormatError(f"cannot read this as JSON: {error}; {advice}", name, line) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise FormatError(_problem(error), name, line) from None

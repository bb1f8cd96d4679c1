"""The JSON documents of a file, each on a line or all in one list, and what readers ask of their values."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from operator import itemgetter
from typing import Any, TextIO, TypeVar

import msgspec

from matchwise.errors import FormatError
from matchwise.formats.io.source import Text, describe_problem, name_of, open_text, place_errors

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

    The elements of a file that is one list are counted from 1; a list stands alone.
    """
    name, is_first, is_after_list = name_of(source), True, False
    with open_text(source) as file:
        lines = iter(file)
        for number, line in enumerate(lines, start=1):
            if line.isspace():
                continue
            if is_first and line.lstrip()[0] in "[{" and line.rstrip()[-1] not in "]}":
                yield from _spread("".join((line, *lines)), name, number)
                return
            value = decode_value(line, name, number, advice="write one document on each line")
            if is_after_list:
                raise FormatError(f"found a line after a list of documents; {WHOLE}", name, number)
            if is_first and _is_list(value):
                yield from enumerate(value, start=1)
                is_after_list = bool(value)
            else:
                yield number, value
            is_first = False


def _spread(text: str, name: str, first: int) -> Iterator[tuple[int, Any]]:
    """The values of a text, each on several lines, with the line where it begins."""
    import json

    try:
        whole = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        pass  # there are several, or what is wrong is said below
    else:
        yield from enumerate(whole, start=1) if _is_list(whole) else ((first, whole),)
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


def _is_list(value: Any) -> bool:
    """True for a list of documents; any other value is one document."""
    return isinstance(value, list) and all(isinstance(part, dict) for part in value)


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
        raise FormatError(describe_problem(error), name, line) from None

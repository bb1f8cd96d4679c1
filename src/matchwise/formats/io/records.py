"""JSON documents of a file, one on each line or all in one list, each built into an object of a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from matchwise.formats.io.entries import decode_value, placing
from matchwise.formats.io.source import Text, name_of, open_text

Document = TypeVar("Document")

WHOLE = "write a list of documents, or one document on each line"

IDS = ("id", "doc_key", "doc_id", "document_id", "title", "sent_id")


def records(source: Text, build: Callable[[Any], Document], *, usual: Any = None) -> Iterator[Document]:
    """The documents of a file; a ValueError of `build` becomes a FormatError that names the line.

    `usual` is a msgspec type. A line that fits it is decoded into it, in a third of the time and without what it does
    not name; any other line is decoded as plain JSON.

    >>> from io import StringIO
    >>> list(records(StringIO('{"a": 1}\\n\\n{"a": 2}\\n'), lambda value: value["a"]))
    [1, 2]
    """
    name = name_of(source)
    for number, value in values(source, usual):
        with placing(name, number):
            yield build(value)


def values(source: Text, usual: Any = None) -> Iterator[tuple[int, Any]]:
    """Each JSON value with its line; a file that is one value on several lines is read whole.

    The elements of a file that is one list are counted from 1.
    """
    import msgspec

    name = name_of(source)
    decode = None if usual is None else msgspec.json.Decoder(usual).decode
    with open_text(source) as file:
        for number, line in enumerate(file, start=1):
            if decode is not None:
                try:
                    value = decode(line)
                except (ValueError, RecursionError):
                    pass  # it is plain JSON, or whoever reads it as that says what is wrong
                else:
                    yield number, value
                    continue
            if line.isspace():
                continue
            if number == 1 and line.lstrip().startswith("[") and not line.rstrip().endswith("]"):
                yield from enumerate(decode_value(line + file.read(), name, advice=WHOLE), start=1)
                return
            if number == 1 and line.strip() == "{":
                yield 1, decode_value(line + file.read(), name, advice=WHOLE)
                return
            value = decode_value(line, name, number, advice="write one document on each line")
            if number == 1 and isinstance(value, list) and _is_documents(value):
                yield from enumerate(value, start=1)
            else:
                yield number, value


def _is_documents(value: list[Any]) -> bool:
    return all(isinstance(part, dict) for part in value)


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


def require(value: dict[str, Any], key: str, what: str) -> Any:
    """The value under a key that must be there."""
    if key not in value:
        raise ValueError(f"expected {what} with {key!r}, found the keys {', '.join(map(str, value)) or 'none'}")
    return value[key]


def id_of(value: dict[str, Any], names: tuple[str, ...] = IDS) -> str | int | None:
    """The first id that a document has; a `part` makes it another document, named as in CoNLL-2012.

    >>> id_of({"doc_key": "a", "part": 1})
    'a; part 001'
    """
    for name in names:
        found = value.get(name)
        if _is_id(found):
            part = value.get("part")
            return f"{found}; part {part:>03}" if _is_id(part) else found
    return None


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def tail_exclusive(left: Any, right: Any) -> tuple[int, int]:
    """A span whose end is its last position, half-open."""
    if type(left) is not int or type(right) is not int or left > right:
        raise ValueError(f"expected two positions, the first no later than the last, found {left!r} and {right!r}")
    return left, right + 1

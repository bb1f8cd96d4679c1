"""The beginning of a file, by which its format is recognised: some bytes, or as many as its first JSON document has.

A format that is known by its keys or by a line declares just that:

>>> has_keys("clusters")('{"id": 1, "clusters": []}', "a.jsonl"), has_line(r"^#begin ")("#begin document", "a.txt")
(True, True)
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Generator
from functools import lru_cache
from typing import Any, TextIO, TypeAlias

from matchwise.errors import FormatError
from matchwise.files import name_damage
from matchwise.formats.io.lines import BUFFER, Lines, check_start, open_lines, read_pieces

Sniff: TypeAlias = Callable[[str, str], bool]
"""Of the beginning and the name of a file: whether it looks like a format."""


def has_keys(*keys: str) -> Sniff:
    """Recognises files whose JSON objects have one of these keys."""
    return lambda head, name: any(key in found for found in objects(head) for key in keys)


def has_line(pattern: str) -> Sniff:
    """Recognises files in which a pattern is found near the beginning; `^` is the begin of any line."""
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda head, name: compiled.search(head) is not None


FEWEST = 20_000
"""Bytes of any file that are looked at."""

MOST = 1 << 24
"""Bytes that are looked at if the first JSON document is longer; no format has documents of 16 MB."""


def head(path: str) -> str:
    """The beginning of a file; on standard input it can still be read afterwards."""
    if os.path.isdir(path):
        return ""  # brat keeps each document in a file of its own
    Lines(path)  # says what is wrong with the path
    try:
        if path == "-":
            data = _begin(sys.stdin.buffer.read)
            sys.stdin = _resume(data, sys.stdin)
        else:
            with name_damage(path), open_lines(path) as file:
                data = _begin(file.read)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from None
    check_start(data, "<stdin>" if path == "-" else path)
    return _decode(data)


@lru_cache(maxsize=1)
def objects(head: str) -> tuple[dict[str, Any], ...]:
    """The JSON objects that a file begins with, one after the other or in a list.

    An object that is cut off or broken has the members before that place; the last value may be None.

    >>> objects('{"id": 1, "sentences": [["a"]]}\\n{"id": 2, "sent')
    ({'id': 1, 'sentences': [['a']]}, {'id': 2})
    """
    found: list[dict[str, Any]] = []
    place = _first(head)
    while place is not None and place < len(head):
        try:
            value, place = _decode_at(head, place)
        except (ValueError, RecursionError):
            value = _members(head, place)
            again = _NEXT_LINE.search(head, place)
            place = None if again is None else again.end() - 1
        else:
            place = _BETWEEN.match(head, place).end()  # type: ignore[union-attr]  # matches anything
        found += (part for part in (value if isinstance(value, list) else [value]) if part and isinstance(part, dict))
    return tuple(found)


_START = re.compile(r"[\s\ufeff]*(?=[{\[])(?:\[\s*)?")
_BETWEEN = re.compile(r"[\s,]*")
_NEXT_LINE = re.compile(r"\n\{")  # not an indented one, which stands inside of the object that was broken


def _first(text: str) -> int | None:
    """Where the first JSON document begins; in a list, inside of it."""
    found = _START.match(text)
    return None if found is None else found.end()


def _decode_at(text: str, place: int) -> tuple[Any, int]:
    """The JSON value at a place, and where it ends."""
    from json import JSONDecoder

    return JSONDecoder().raw_decode(text, place)


def _members(text: str, place: int) -> dict[str, Any]:
    """The readable members of an object that is cut off or broken."""
    made: dict[str, Any] = {}
    opened = re.compile(r"\{\s*").match(text, place)
    try:
        while opened is not None:
            key, place = _decode_at(text, opened.end())
            colon = re.compile(r"\s*:\s*").match(text, place)
            if colon is None or not isinstance(key, str):
                break
            made[key] = None
            made[key], place = _decode_at(text, colon.end())
            opened = re.compile(r"\s*,\s*").match(text, place)
    except (ValueError, RecursionError):
        pass  # as far as it can be read
    return made


def _begin(read: Callable[[int], bytes]) -> bytes:
    """The first bytes, twice as many each time until the first JSON document is whole."""
    data = read(FEWEST)
    while len(data) < MOST and _is_cut_off(_decode(data)):
        more = read(min(len(data), MOST - len(data)))
        if not more:
            break
        data += more
    return data


def _is_cut_off(text: str) -> bool:
    """True if the first JSON document goes on after the text."""
    place = _first(text)
    if place is None:
        return False
    from json import JSONDecodeError

    try:
        value: Any = ""
        while isinstance(value, str):  # spaCy's lists have a text before the object
            value, place = _decode_at(text, place)
            place = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]  # matches anything
    except JSONDecodeError as error:
        return error.msg.startswith("Unterminated") or error.pos >= len(text) - LONGEST
    except (ValueError, RecursionError):
        pass  # a number of too many digits, or too deep: its reader says so
    return False


LONGEST = 16
"""Characters of a word or an escape that may be cut in two, and are then refused where they begin."""


def _decode(data: bytes) -> str:
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _resume(data: bytes, rest: TextIO) -> TextIO:
    """Standard input, starting again with what was read of it."""

    def pieces() -> Generator[bytes, None, None]:
        yield data
        while more := rest.buffer.read1(BUFFER):  # type: ignore[attr-defined]  # standard input is buffered
            yield more

    return io.TextIOWrapper(read_pieces(pieces()), encoding="utf-8")

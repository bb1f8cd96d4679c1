"""Which format of a task a file looks like: each format says how its files begin (`Format.sniff`).

The beginning is some bytes, or as many as the first JSON document has. A format that is known by its keys or by a line
declares just that:

>>> has_keys("clusters")('{"id": 1, "clusters": []}', "a.jsonl"), has_line(r"^#begin ")("#begin document", "a.txt")
(True, True)
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable, Generator, Iterator
from functools import lru_cache
from typing import Any, TextIO, TypeAlias

from matchwise.errors import FormatError, suggestion
from matchwise.files import name_damage
from matchwise.formats import find_format, formats_of
from matchwise.formats.io.lines import BUFFER, bare_name, check_path, check_start, open_lines, read_once, read_pieces

Sniff: TypeAlias = Callable[[str, str], bool]
"""(beginning, name) of a file -> whether it looks like a format."""


def has_keys(*keys: str) -> Sniff:
    """Recognises files whose JSON objects have one of these keys."""
    return lambda head, name: any(key in found for found in objects(head) for key in keys)


def has_line(pattern: str) -> Sniff:
    """Recognises files in which a pattern is found near the beginning; `^` is the begin of any line."""
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda head, name: compiled.search(head) is not None


def has_most_lines(pattern: str) -> Sniff:
    """Recognises files by more than half of their first lines: a line of plain text may have two numbers, too."""

    def sniff(head: str, name: str) -> bool:
        lines = [line for line in head.splitlines()[:50] if line.strip() and not line.startswith(";;")]
        return sum(re.match(pattern, line) is not None for line in lines) > len(lines) / 2

    return sniff


def format_of(path: str, task: str, name: str | None = None) -> str:
    """The format of a file: the one that is named, or the first of the task's that it looks like."""
    known = formats_of(task)
    if name is not None:
        if name not in (*known, "jsonl"):
            raise FormatError(f"{task} has no format {name!r}{suggestion(name, known)}", path)
        return name
    if not known:
        return "jsonl"
    if path != "-" and read_once(path):
        formats = suggestion("", known, "; write --input-format NAME")
        raise FormatError(f"found a pipe, whose format cannot be looked at first{formats}", path)
    for one in known:  # those that are not text come first; the modules of the others are loaded when they are asked
        endings = find_format(one).endings
        if not endings:
            break
        if bare_name(path).endswith(endings):
            return one
    start = head(path)
    if start.strip() in ("", "[]") and not os.path.isdir(path):
        return "jsonl"  # a file without documents is one in any format
    return recognize(task, start, path)


def recognize(task: str, head: str, name: str) -> str:
    """The first format of the task that a file with this beginning looks like."""
    formats = formats_of(task)
    try:
        for known in formats:
            if looks_like(known, head, name):
                return known
        first = next(iter(objects(head)), {})
        near = sorted(formats, key=lambda known: -_nearness(known, head, name, first))
    finally:
        objects.cache_clear()
    keys = f": its first JSON object has the keys {', '.join(first)}" if first else ""
    if len(formats) == 1:
        only = f"; write --input-format {formats[0]} if it is"
        raise FormatError(f"does not look like {formats[0]}, the only format of {task}{keys}{only}", name)
    nearest = "; the nearest are two: " + "; ".join(f"{one} has {find_format(one).looks}" for one in near[:2])
    named = suggestion("", formats, "; write --input-format NAME")
    listed = next((key for key, value in first.items() if isinstance(value, list)), None)
    as_it_is = f", or score it as it is: matchwise score --metric 'f1(\"{listed}\")'" if listed else ""
    if _is_log(first):
        as_it_is = ", or --text auto if what a model wrote has the entities, clusters, …"
    raise FormatError(f"looks like none of the formats of {task}{keys}{nearest}{named}{as_it_is}", name)


def _is_log(first: dict[str, Any]) -> bool:
    """True if the file is a log of a tool that is known, in which a model may have written the document."""
    from matchwise.formats.logs import find_log

    try:
        return find_log(first) is not None
    except FormatError:
        return False


def _nearness(format: str, head: str, name: str, first: dict[str, Any]) -> float:
    """How near a file is to a format: by the keys that the format speaks of, or by the lines that it would take."""
    if first:
        from difflib import SequenceMatcher

        known = re.findall(r'"(\w+)"', find_format(format).looks)
        return sum(max(SequenceMatcher(None, key, one).ratio() for one in known) for key in first) if known else 0.0
    lines = [line for line in head.split("\n")[:50] if line.strip()]
    is_json = head.lstrip()[:1] in ("{", "[") or bare_name(name).endswith((".json", ".jsonl"))
    is_kin = ('"' in find_format(format).looks) is is_json and not find_format(format).endings
    return is_kin / 100 + sum(looks_like(format, line, "") for line in lines) / (len(lines) or 1)


def looks_like(format: str, head: str, name: str) -> bool:
    """True if a file that begins with this text, and has this name, looks like the format.

    >>> looks_like("conll2012", "#begin document (a); part 000", "a.txt")
    True
    """
    sniff = find_format(format).sniff
    return sniff is not None and sniff(head, name)


FEWEST = 20_000
"""Bytes of any file that are looked at."""

MOST = 1 << 24
"""Bytes that are looked at if the first JSON document is longer; no format has documents of 16 MB."""


def head(path: str) -> str:
    """The beginning of a file; on standard input it can still be read afterwards."""
    if os.path.isdir(path):
        return ""  # brat keeps each document in a file of its own
    try:
        if path == "-":
            data, text = _begin(sys.stdin.buffer.read)
            sys.stdin = _resume(data, sys.stdin)
        else:
            check_path(path)
            with name_damage(path), open_lines(path) as file:
                data, text = _begin(file.read)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from None
    check_start(data, "<stdin>" if path == "-" else path)
    return text


def _begin(read: Callable[[int], bytes]) -> tuple[bytes, str]:
    """The first bytes, twice as many each time until the first JSON document is whole, and their text."""
    data, more = b"", read(FEWEST)
    while True:
        data += more
        text = data.decode("utf-8", "replace").removeprefix("\ufeff")
        text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
        if len(data) >= MOST or not _is_cut_off(text) or not (more := read(min(len(data), MOST - len(data)))):
            return data, text


def _resume(data: bytes, rest: TextIO) -> TextIO:
    """Standard input, starting again with what was read of it."""

    def pieces() -> Generator[bytes, None, None]:
        yield data
        while more := rest.buffer.read1(BUFFER):  # type: ignore[attr-defined]  # standard input is buffered
            yield more

    return io.TextIOWrapper(read_pieces(pieces()), encoding="utf-8")


LONGEST = 16
"""Characters of a word or an escape that may be cut in two, and are then refused where they begin."""


def _is_cut_off(text: str) -> bool:
    """True if the first JSON document goes on after the text."""
    for value, problem in _decode_values(text):
        if isinstance(problem, json.JSONDecodeError):
            return problem.msg.startswith("Unterminated") or problem.pos >= len(text) - LONGEST
        if not isinstance(value, str):  # spaCy's lists have a text before the object
            return False
    return _START.match(text) is not None


@lru_cache(maxsize=1)
def objects(head: str) -> tuple[dict[str, Any], ...]:
    """The JSON objects that a file begins with, one after the other or in a list.

    An object that is cut off or broken has the members before that place; the last value may be None.

    >>> objects('{"id": 1, "sentences": [["a"]]}\\n{"id": 2, "sent')
    ({'id': 1, 'sentences': [['a']]}, {'id': 2})
    """
    several = (value if isinstance(value, list) else [value] for value, _ in _decode_values(head))
    return tuple(one for values in several for one in values if one and isinstance(one, dict))


_START = re.compile(r"[\s\ufeff]*(?=[{\[])(?:\[\s*)?")
_BETWEEN = re.compile(r"[\s,]*")
_NEXT_LINE = re.compile(r"\n\{")  # not an indented one, which stands inside of the object that was broken
_read_value = json.JSONDecoder().raw_decode


def _decode_values(text: str) -> Iterator[tuple[Any, Exception | None]]:
    """The JSON values that a text begins with, and what is wrong with each; of a list, those inside of it."""
    found = _START.match(text)
    place = len(text) if found is None else found.end()
    while place < len(text):
        try:
            value, place = _read_value(text, place)
        except (ValueError, RecursionError) as problem:
            yield _members(text, place), problem
            found = _NEXT_LINE.search(text, place)
            place = len(text) if found is None else found.end() - 1
        else:
            yield value, None
            place = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]  # matches anything


def _members(text: str, place: int) -> dict[str, Any]:
    """The readable members of an object that is cut off or broken."""
    made: dict[str, Any] = {}
    opened = re.compile(r"\{\s*").match(text, place)
    try:
        while opened is not None:
            key, place = _read_value(text, opened.end())
            colon = re.compile(r"\s*:\s*").match(text, place)
            if colon is None or not isinstance(key, str):
                break
            made[key] = None
            made[key], place = _read_value(text, colon.end())
            opened = re.compile(r"\s*,\s*").match(text, place)
    except (ValueError, RecursionError):
        pass  # as far as it can be read
    return made

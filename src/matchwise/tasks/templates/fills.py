"""Fillers in MUC-4's notation, as its scoring program reads and compares them.

    "ARMED MEN" / "GUERRILLAS"          either is right: ("or", '"ARMED MEN"', '"GUERRILLAS"')
    DEATH: "THE MAYOR"                  a value and the filler of another slot: ("xref", "DEATH", '"THE MAYOR"')
    03 APR 90 - 05 APR 90               from, to: ("range", "03 APR 90", "05 APR 90")
    PERU: LIMA (CITY)                   a place in a country: ("location", "PERU", ("qualified", "LIMA", "CITY"))
    PERU: LIMA (CITY) - ICA (CITY)      between two places: ("location", "PERU", ("between", …, …))
    ? "A TEENAGER"                      may be left out: ("optional", '"A TEENAGER"')

Text in quotes keeps them, so that it never equals a value without quotes. A judgement may also name several fillers,
("all-of", …). What the program cannot read is the filler `<ERROR>`.

>>> read_fill('death: "the mayor" / "he"', "element")
('xref', 'DEATH', ('or', '"THE MAYOR"', '"HE"'))
>>> are_equal('"THE MAYOR OF LIMA"', '"MAYOR LIMA"')
True
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from matchwise.tasks.templates.muc4 import PREMODIFIERS, Kind

Fill: TypeAlias = Any
"""A text, None for nothing, or a tuple whose first element names what the others are."""

NOTATION = ("or", "xref", "range", "location", "qualified", "between", "optional", "all-of")

ERROR = "<ERROR>"

NOTHING = ("*", "-")

DEEPEST = 50
"""Parentheses within parentheses that are read."""


def read_fill(text: str, kind: Kind) -> Fill:
    """One line of a slot, without the `?` of an optional filler."""
    try:
        found = _Reader(text.strip().upper()).read(kind)
    except _UnreadableError:
        return ERROR
    return None if found in NOTHING else found


class _UnreadableError(Exception):
    """The program would say that it cannot read the filler."""


class _Reader:
    """Reads a text from left to right. `/` separates alternatives; what else separates depends on the kind of slot."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.token = ""
        """What ended the alternatives that were read last; empty at the end of the text."""
        self.token_at = self.depth = 0

    def read(self, kind: Kind) -> Fill:
        end = len(self.text)
        if kind == "number":
            found = self._references(end)
            if is_a(found, "xref", "or"):
                return found
            self.at = 0
        if kind in ("number", "date"):
            return self._ranges(end)
        return self._locations(end) if kind == "location" else self._references(end)

    def _references(self, end: int) -> Fill:
        """Values, or one value and what it refers to."""
        self.token = ""
        found = _join(self._pairs(end, [], ":", self._references, lambda value, tag: ("xref", value, tag)))
        if not (_is_plain(found) or is_a(found, "xref")):
            raise _UnreadableError
        return found

    def _ranges(self, end: int) -> Fill:
        parts: list[Fill] = []
        self.token = ""
        if dash := re.compile(r"\s*-\s*").match(self.text, self.at, end):
            self.at, self.token, parts = dash.end(), "-", [None]
        parts = self._pairs(end, parts, "-", self._ranges, _range)
        if self.token == "-":
            parts.append(_range(_pop_last(parts), None))
        return _join(parts)

    def _pairs(
        self, end: int, parts: list[Fill], token: str, nested: Callable[[int], Fill], make: Callable[[Fill, Fill], Fill]
    ) -> list[Fill]:
        """Read up to the end; what stands on both sides of the token is made into one."""
        while self.at < end:
            if self.token == token:
                first = _pop_last(parts)
                second, rest = _pop_first(self._alternatives(end, nested, token))
                parts += [make(first, second), rest]
            else:
                parts.append(self._alternatives(end, nested, token))
        return parts

    def _locations(self, end: int) -> Fill:
        parts: list[Fill] = []
        self.token = ""
        while self.at < end:
            if self.token == ":":
                parts += self._location(_pop_last(parts), end)
            else:
                parts.append(self._alternatives(end, self._locations, ":(-"))
        return _join(parts)

    def _location(self, country: Fill, end: int) -> list[Fill]:
        """The places within a country, and what stands beside them."""
        places = [country]
        between = False
        tree = self._alternatives(end, self._locations, ":(-")

        def add(place: Fill) -> None:
            if between:
                places[-1] = ("between", places[-1], place)
            else:
                places.append(place)

        while True:
            name, tree = _pop_first(tree)
            token = self.token
            if token == "(":
                if tree is not None:
                    raise _UnreadableError
                self.at = self.token_at
                stop = re.compile(r"\s*([:/-])\s*")
                kind, found = self._group(end, self._simple, stop)
                add(("qualified", name, kind))
                between = False
                if found is None or found[1] == "/":
                    self.token = ""
                    return [("location", *places)]
                between = found[1] == "-"
                tree = self._alternatives(end, self._locations, ":(-")
                continue
            if token == "-" and between:
                raise _UnreadableError
            add(name)
            between = token == "-"
            if token not in (":", "-"):
                return [("location", *places), tree]
            if tree is not None:
                return [("location", *places), tree]
            tree = self._alternatives(end, self._locations, ":(-")

    def _simple(self, end: int) -> Fill:
        return _join([self._alternatives(end, self._simple, "")])

    def _alternatives(self, end: int, nested: Callable[[int], Fill], tokens: str) -> Fill:
        """What is separated by `/`, up to one of the tokens or the end."""
        stop = _stop(tokens)
        found: list[Fill] = []
        self.token = ""
        while self.at < end:
            start = self.at
            separator: re.Match[str] | None
            if self.text[start] == "(":
                one, separator = self._group(end, nested, stop)
            elif self.text[start] == '"':
                one, separator = self._quoted(end, stop)
            else:
                separator = stop.search(self.text, start, end)
                one = self.text[start : separator.start() if separator else end]
                self.at = separator.end() if separator else end
            found.append(one or None)
            if separator is None:
                self.at = end
            elif separator[1] != "/":
                self.token, self.token_at = separator[1], separator.start(1)
                break
            elif self.at == end:
                found.append(None)
        return ("or", *found) if len(found) > 1 else found[0] if found else None

    def _group(
        self, end: int, nested: Callable[[int], Fill], stop: re.Pattern[str]
    ) -> tuple[Fill, re.Match[str] | None]:
        """What stands in parentheses."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise _UnreadableError
        close, start, before = _closing(self.text, self.at, end), self.at + 1, self.token
        inner = self.text[start : close - 1]
        self.at = start + len(inner) - len(inner.lstrip())
        found = nested(start + len(inner.rstrip()))
        self.token, self.at = before, close
        self.depth -= 1
        return found, self._separator(end, stop)

    def _quoted(self, end: int, stop: re.Pattern[str]) -> tuple[str, re.Match[str] | None]:
        found = _QUOTED.match(self.text, self.at)
        if found is None:
            raise _UnreadableError
        self.at = found.end()
        return found[0], self._separator(end, stop)

    def _separator(self, end: int, stop: re.Pattern[str]) -> re.Match[str] | None:
        """What follows a group or a quotation: a separator or nothing."""
        while self.at < end and self.text[self.at] in " \t":
            self.at += 1
        if found := stop.match(self.text, self.at):
            self.at = found.end()
        elif self.at != end:
            raise _UnreadableError
        return found


_QUOTED = re.compile(r'"(?:\\"|[^"])*"')


@lru_cache
def _stop(tokens: str) -> re.Pattern[str]:
    return re.compile(rf"\s*([/{re.escape(tokens)}])\s*")


def _closing(text: str, start: int, end: int) -> int:
    """The place after the parenthesis that closes the one at `start`; quotations are skipped."""
    depth, at = 0, start
    while at < end:
        letter = text[at]
        if letter == '"':
            at += 1
            while at < end and text[at] != '"':
                at += 2 if text[at] == "\\" else 1
        depth += (letter == "(") - (letter == ")")
        at += 1
        if depth == 0:
            return at
    raise _UnreadableError


def is_a(fill: Fill, *names: str) -> bool:
    """True if a filler has one of these names."""
    return isinstance(fill, tuple) and fill[0] in names


def _is_plain(fill: Fill) -> bool:
    return fill is None or isinstance(fill, str) or (fill[0] == "or" and all(map(_is_plain, fill[1:])))


def _range(first: Fill, last: Fill) -> Fill:
    return None if first is None and last is None else ("range", first, last)


def _pop_last(parts: list[Fill]) -> Fill:
    """Take the plain alternatives at the end of what was read."""
    while len(parts) > 1 and parts[-1] is None:
        parts.pop()
    if not parts:
        raise _UnreadableError
    last = parts.pop()
    if _is_plain(last):
        return last
    if not is_a(last, "or"):
        raise _UnreadableError
    place = len(last)
    while _is_plain(last[place - 1]):
        place -= 1
    if place == len(last):
        raise _UnreadableError
    parts.append(last[:place])
    return ("or", *last[place:]) if len(last) - place > 1 else last[place]


def _pop_first(tree: Fill) -> tuple[Fill, Fill]:
    """Take the plain alternatives at the start of a tree; returns them and the rest."""
    if _is_plain(tree):
        return tree, None
    if not is_a(tree, "or") or not _is_plain(tree[1]):
        raise _UnreadableError
    place = 1
    while _is_plain(tree[place]):
        place += 1
    return ("or", *tree[1:place]) if place > 2 else tree[1], ("or", *tree[place:])


def _join(parts: Sequence[Fill]) -> Fill:
    """The alternatives of all parts as one filler."""
    found = [one for part in parts if part is not None for one in _flat(part)]
    return ("or", *found) if len(found) > 1 else found[0] if found else None


def _flat(fill: Fill) -> Iterator[Fill]:
    if is_a(fill, "or"):
        for one in fill[1:]:
            yield from _flat(one)
    else:
        yield fill


@lru_cache(maxsize=1 << 17)
def are_equal(key: Fill, response: Fill, ignored: str = PREMODIFIERS) -> bool:
    """True if a response is right without a person's help: texts are compared without the words that are ignored."""
    if is_a(response, "optional", "or") and not isinstance(key, tuple):
        key, response = response, key
    if not isinstance(key, tuple):
        both_texts = isinstance(key, str) and isinstance(response, str)
        return key == response or (both_texts and _bare(key, ignored) == _bare(response, ignored))
    name, *parts = key
    if name == "or":
        if is_a(response, "or"):
            return _are_equal_sets(parts, response[1:], ignored)
        return any(are_equal(response, one, ignored) for one in parts)
    if name == "optional":
        inner = response[1] if is_a(response, "optional") else response
        return response is None or are_equal(parts[0], inner, ignored)
    if not is_a(response, name):
        return False
    if name == "all-of":
        return _are_equal_sets(parts, response[1:], ignored)
    return len(key) == len(response) and all(are_equal(x, y, ignored) for x, y in zip(parts, response[1:], strict=True))


def _are_equal_sets(some: Sequence[Fill], others: Sequence[Fill], ignored: str) -> bool:
    return all(any(are_equal(x, y, ignored) for y in others) for x in some) and all(
        any(are_equal(y, x, ignored) for x in some) for y in others
    )


@lru_cache
def _patterns(ignored: str) -> list[re.Pattern[str]]:
    return [re.compile(rf"{re.escape(word.upper())}[ \t\n]+") for word in ignored.split()]


@lru_cache(maxsize=1 << 16)
def _bare(text: str, ignored: str) -> str:
    """A text without premodifiers, as the program takes them out: also where a longer word ends so (SANTA ANA)."""
    for word in _patterns(ignored):
        while found := word.search(text):
            text = text[: found.start()] + text[found.end() :]
    return text


def words_of(fills: Sequence[Fill], ignored: str = PREMODIFIERS) -> set[str]:
    """All words of some fillers, tags included, without premodifiers."""
    return {word for text in _texts(fills) for word in re.split(r"[ \t\n]+", _bare(text.replace('"', ""), ignored))}


def _texts(fills: Iterable[Fill]) -> Iterator[str]:
    for one in fills:
        if isinstance(one, tuple):
            yield from _texts(one[1:])
        elif one is not None:
            yield one


def write_fill(fill: Fill) -> str:
    """A filler as files have it.

    >>> write_fill(read_fill('PERU: LIMA (CITY) - ICA', "location"))
    'PERU: LIMA (CITY) - ICA'
    """
    if not isinstance(fill, tuple):
        return fill or ""
    parts = [write_fill(one) for one in fill[1:]]
    match fill[0]:
        case "optional":
            return f"? {parts[0]}"
        case "qualified":
            return f"{parts[0]} ({parts[1]})"
        case "range" | "between":
            return f"{parts[0]} - {parts[1]}".strip()
        case "xref" | "location":
            return ": ".join(parts)
    return " / ".join(
        f"({part})" if isinstance(one, tuple) else part for part, one in zip(parts, fill[1:], strict=True)
    )

"""MUC-4's templates: slots and what fills them, the hierarchy of values, premodifiers, and the notation of fillers.

The tables are the configuration files of the scoring program in the final test of 1992. It reads and compares fillers
as key files write them:

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
from itertools import takewhile
from typing import Any, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["date", "location", "number", "string", "element"]
"""How the fillers of a slot are written and compared; an element is one of a closed list."""


class Slot(NamedTuple):
    """A slot: how key files and the score report call it, what fills it, whose fillers it refers to.

    `size` is the number of values of a closed list.
    """

    line: str
    row: str
    kind: Kind
    refers: tuple[str, ...] = ()
    size: int = 0


_PHYS = ("phys_tgt_id",)
_HUM = ("hum_tgt_name", "hum_tgt_description")

_TABLE = (
    Slot("INCIDENT: DATE", "inc-date", "date"),
    Slot("INCIDENT: LOCATION", "inc-loc", "location"),
    Slot("INCIDENT: TYPE", "inc-type", "element", size=7),
    Slot("INCIDENT: STAGE OF EXECUTION", "inc-stage", "element", size=3),
    Slot("INCIDENT: INSTRUMENT ID", "inc-instr-id", "string"),
    Slot("INCIDENT: INSTRUMENT TYPE", "inc-instr-type", "element", ("incident_instrument_id",), 20),
    Slot("PERP: INCIDENT CATEGORY", "perp-inc-cat", "element", size=2),
    Slot("PERP: INDIVIDUAL ID", "perp-ind-id", "string"),
    Slot("PERP: ORGANIZATION ID", "perp-org-id", "string", ("perp_individual_id",)),
    Slot("PERP: ORGANIZATION CONFIDENCE", "perp-org-conf", "element", ("perp_organization_id",), 6),
    Slot("PHYS TGT: ID", "phys-tgt-id", "string"),
    Slot("PHYS TGT: TYPE", "phys-tgt-type", "element", _PHYS, 15),
    Slot("PHYS TGT: NUMBER", "phys-tgt-num", "number", _PHYS),
    Slot("PHYS TGT: FOREIGN NATION", "phys-tgt-nation", "element", _PHYS, 76),
    Slot("PHYS TGT: EFFECT OF INCIDENT", "phys-tgt-effect", "element", _PHYS, 6),
    Slot("PHYS TGT: TOTAL NUMBER", "phys-tgt-total-num", "number"),
    Slot("HUM TGT: NAME", "hum-tgt-name", "string"),
    Slot("HUM TGT: DESCRIPTION", "hum-tgt-desc", "string", ("hum_tgt_name",)),
    Slot("HUM TGT: TYPE", "hum-tgt-type", "element", _HUM, 10),
    Slot("HUM TGT: NUMBER", "hum-tgt-num", "number", _HUM),
    Slot("HUM TGT: FOREIGN NATION", "hum-tgt-nation", "element", _HUM, 76),
    Slot("HUM TGT: EFFECT OF INCIDENT", "hum-tgt-effect", "element", _HUM, 9),
    Slot("HUM TGT: TOTAL NUMBER", "hum-tgt-total-num", "number"),
)

FILLED = {one.line.lower().replace(": ", "_").replace(" ", "_"): one for one in _TABLE}
"""Our name of a slot -> what is known of it, in the order of the report: `PHYS TGT: ID` is `phys_tgt_id`."""

TEMPLATE = "message_template"
"""The number of a template; a judgement of this slot says which templates belong together."""

SLOTS = {"MESSAGE: ID": "message_id", "MESSAGE: TEMPLATE": TEMPLATE} | {one.line: name for name, one in FILLED.items()}
"""The slots of a template as key files write them -> as we do."""

TYPE = "incident_type"

KNOWN = tuple(SLOTS.values())

STRING_FILLS = tuple(name for name, one in FILLED.items() if one.kind == "string")

SET_FILLS = tuple(name for name, one in FILLED.items() if one.kind == "element")

WHOLE = ("incident_date", "incident_location")
"""Text that is not compared word by word."""

CATEGORIES = tuple(name for name, one in FILLED.items() if one.kind in ("element", "number"))

ANCHORS = (
    "phys_tgt_id",
    "phys_tgt_type",
    "hum_tgt_name",
    "hum_tgt_description",
    "hum_tgt_type",
    "perp_individual_id",
    "perp_organization_id",
)
"""Two templates are paired only if they agree, at least partly, in one of these seven slots."""

_BELOW: dict[str, tuple[str, ...]] = {
    "ATTACK": ("ARSON", "BOMBING", "KIDNAPPING", "HIJACKING", "ROBBERY", "FORCED WORK STOPPAGE"),
    "GUN": ("MACHINE GUN", "MORTAR", "HANDGUN", "RIFLE"),
    "EXPLOSIVE": ("BOMB", "GRENADE", "MOLOTOV COCKTAIL"),
    "BOMB": ("VEHICLE BOMB", "DYNAMITE", "MINE", "AERIAL BOMB"),
    "PROJECTILE": ("MISSILE", "ROCKET"),
    "SUSPECTED OR ACCUSED": ("SUSPECTED OR ACCUSED BY AUTHORITIES",),
    "POLITICAL FIGURE OFFICE OR RESIDENCE": ("GOVERNMENT OFFICE OR RESIDENCE",),
    "DESTROYED": ("SOME DAMAGE",),
    "POLITICAL FIGURE": ("GOVERNMENT OFFICIAL",),
    "GOVERNMENT OFFICIAL": ("FORMER GOVERNMENT OFFICIAL",),
    "ACTIVE MILITARY": ("FORMER ACTIVE MILITARY",),
    "NO INJURY": ("NO DEATH",),
    "NO DEATH": ("NO INJURY OR DEATH",),
}
"""Value -> those that are less general."""

HIERARCHY = {value: general for general, values in _BELOW.items() for value in values}
"""value -> the more general one."""

PREMODIFIERS = (
    "A THE AN THIS THAT THESE THOSE ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN 1 2 3 4 5 6 7 8 9 10 "
    "MORE MOST MANY SEVERAL SOME ALL FEW ANY ANOTHER OTHER CERTAIN OF"
)
"""Words that two strings may share without being about the same thing, in the order in which they are taken out."""

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
        found = _FillReader(text.strip().upper()).read(kind)
    except _UnreadableError:
        return ERROR
    return None if found in NOTHING else found


class _UnreadableError(Exception):
    """The program would say that it cannot read the filler."""


Either: TypeAlias = list[Fill]
"""Fillers of which either is right."""


class _FillReader:
    """Reads a text from left to right. `/` separates alternatives; what else separates depends on the kind of slot."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = self.depth = 0

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
        found = self._pairs(end, ":", self._references, lambda value, tag: ("xref", value, tag))
        if not (_is_plain(found) or is_a(found, "xref")):
            raise _UnreadableError
        return found

    def _ranges(self, end: int) -> Fill:
        return self._pairs(end, "-", self._ranges, _range)

    def _pairs(self, end: int, token: str, nested: Callable[[int], Fill], make: Callable[[Fill, Fill], Fill]) -> Fill:
        """Read up to the end; what stands on both sides of the token is made into one."""
        parts: list[Either] = []
        is_open = False
        if token == "-" and (dash := re.compile(r"\s*-\s*").match(self.text, self.at, end)):
            self.at, parts, is_open = dash.end(), [[None]], True
        while self.at < end:
            found, stop, _ = self._alternatives(end, nested, token)
            if is_open:
                first, (second, rest) = _pop_last(parts), _split_first(found)
                found = rest
                parts.append([make(first, second)])
            parts.append(found)
            is_open = stop == token
        if is_open and token == "-":
            parts.append([_range(_pop_last(parts), None)])
        return _join(parts)

    def _locations(self, end: int) -> Fill:
        parts: list[Either] = []
        token = ""
        while self.at < end:
            if token == ":":
                location, rest, token = self._location(_pop_last(parts), end)
                parts += [[location], rest]
            else:
                found, token, _ = self._alternatives(end, self._locations, ":(-")
                parts.append(found)
        return _join(parts)

    def _location(self, country: Fill, end: int) -> tuple[Fill, Either, str]:
        """The places within a country, what stands beside them, and what comes next."""
        places, between = [country], False
        while True:
            found, token, start = self._alternatives(end, self._locations, ":(-")
            name, rest = _split_first(found)
            if token == "(":
                if rest:
                    raise _UnreadableError
                self.at = start
                kind, separator = self._group(end, self._simple, re.compile(r"\s*([:/-])\s*"))
                name, token = ("qualified", name, kind), separator[1] if separator else ""
            elif token == "-" and between:
                raise _UnreadableError
            if between:
                name = ("between", places.pop(), name)
            places.append(name)
            between = token == "-"
            if token not in (":", "-") or rest:
                return ("location", *places), rest, "" if token == "/" else token

    def _simple(self, end: int) -> Fill:
        return _join([self._alternatives(end, self._simple, "")[0]])

    def _alternatives(self, end: int, nested: Callable[[int], Fill], tokens: str) -> tuple[Either, str, int]:
        """What is separated by `/`, up to one of the tokens or the end; the token, if there is one, and its place."""
        stop = re.compile(rf"\s*([/{re.escape(tokens)}])\s*")
        found: Either = []
        while self.at < end:
            start = self.at
            separator: re.Match[str] | None
            if self.text[start] == "(":
                one, separator = self._group(end, nested, stop)
            elif self.text[start] == '"':
                quoted = _QUOTED.match(self.text, start)
                if quoted is None:
                    raise _UnreadableError
                one, separator = quoted[0], self._separator(quoted.end(), end, stop)
            else:
                separator = stop.search(self.text, start, end)
                one = self.text[start : separator.start() if separator else end]
                self.at = separator.end() if separator else end
            found.append(one or None)
            if separator is not None and separator[1] != "/":
                return _open(found), separator[1], separator.start(1)
            if separator is not None and self.at == end:
                found.append(None)
        return _open(found), "", end

    def _group(
        self, end: int, nested: Callable[[int], Fill], stop: re.Pattern[str]
    ) -> tuple[Fill, re.Match[str] | None]:
        """What stands in parentheses."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise _UnreadableError
        close, start = _closing(self.text, self.at, end), self.at + 1
        inner = self.text[start : close - 1]
        self.at = start + len(inner) - len(inner.lstrip())
        found = nested(start + len(inner.rstrip()))
        self.depth -= 1
        return found, self._separator(close, end, stop)

    def _separator(self, start: int, end: int, stop: re.Pattern[str]) -> re.Match[str] | None:
        """What follows a group or a quotation: a separator or nothing."""
        found = stop.match(self.text, start)
        if found is None and self.text[start:end].strip(" \t"):
            raise _UnreadableError
        self.at = found.end() if found else end
        return found


_QUOTED = re.compile(r'"(?:\\"|[^"])*"')


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


def _open(found: Either) -> Either:
    """Alternatives in parentheses that stand alone are alternatives like others."""
    return list(found[0][1:]) if len(found) == 1 and is_a(found[0], "or") else found


def _close(found: Either) -> Fill:
    return ("or", *found) if len(found) > 1 else found[0] if found else None


def _pop_last(parts: list[Either]) -> Fill:
    """Take the plain alternatives at the end of what was read."""
    while len(parts) > 1 and parts[-1] in ([], [None]):
        parts.pop()
    if not parts:
        raise _UnreadableError
    last = parts.pop()
    plain = list(takewhile(_is_plain, reversed(last)))[::-1]
    if last and not plain:
        raise _UnreadableError
    if len(plain) < len(last):
        parts.append(last[: len(last) - len(plain)])
    return _close(plain)


def _split_first(found: Either) -> tuple[Fill, Either]:
    """The plain alternatives at the start, which there must be, and the rest."""
    plain = list(takewhile(_is_plain, found))
    if found and not plain:
        raise _UnreadableError
    return _close(plain), found[len(plain) :]


def _join(parts: Sequence[Either]) -> Fill:
    """The alternatives of all parts as one filler."""
    return _close([one for part in parts if part != [None] for fill in part for one in _flat(fill)])


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

"""From JSON text to a value. What a model wrote may not be JSON, be wrapped in Markdown, or hold NaN and the like.

JSON is looked for after thoughts or a preamble, in a Markdown fence, before a closing remark. The first complete value
wins. A value that is broken or cut off is passed over as a whole: an object inside it is a part of the answer, and not
the answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from matchwise.deriving.faults import Fault
from matchwise.errors import ExpressionError

FENCE = "JSON in a fence"
THOUGHTS = "JSON after a thinking block"
PREAMBLE = "JSON after other text"
REMARK = "text after the JSON"

Kinds: TypeAlias = type | tuple[type, ...]
Decode: TypeAlias = Callable[[str, int], tuple[Any, int]]
"""Reads the value that begins at a place of a text: the value, and where it ends."""


class Found(NamedTuple):
    """A value, and the text around it."""

    value: Any
    around: tuple[str, ...]


def find_value(text: str, decode: Decode, kinds: Kinds = (dict, list)) -> Found | None:
    """The first complete value of one of these kinds, or else the first complete object or list.

    A value in a Markdown fence comes before others. What stands in a thinking block is not looked at.

    >>> find_value('<think>{"a": 0}?</think>```json\\n{"a": 1}\\n```', json.JSONDecoder().raw_decode)
    Found(value={'a': 1}, around=('JSON after a thinking block', 'JSON in a fence'))
    """
    answer = _THOUGHTS.sub("", text) if _TAG.search(text) else text
    around: tuple[str, ...] = (THOUGHTS,) if answer != text else ()
    for fence in _FENCED.finditer(answer):
        try:
            return Found(decode(answer, fence.end())[0], (*around, FENCE))
        except json.JSONDecodeError:
            continue
    found = _first(answer, decode, kinds)
    if found is None:
        return None
    value, start, end = found
    around += (PREAMBLE,) if answer[:start].strip() else ()
    return Found(value, around + ((REMARK,) if answer[end:].strip() else ()))


_WORDS = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_TAG = re.compile(rf"</?(?:{_WORDS})>", re.IGNORECASE)
_THOUGHTS = re.compile(
    rf"\A(?:(?!<(?:{_WORDS})>).)*</(?:{_WORDS})>"  # chat templates put the opening tag into the prompt
    rf"|<(?P<word>{_WORDS})>.*?(?:</(?P=word)>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_FENCED = re.compile(r"(?:`{3,}|~{3,})[ \t]*\w*\s*(?=[{\[])")
_OPENING = re.compile(
    r"""\{(?=\s*["'}])|\[(?=\s*["'{\[\]\w-])"""
)  # and not {name}: to decode it only to fail takes long
_IS_JSON = re.compile(r"""\{\s*["'}]|\[\s*["'{\[\]]""")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]]', re.DOTALL)


def _first(text: str, decode: Decode, kinds: Kinds) -> tuple[Any, int, int] | None:
    """The first value of these kinds, or else the first of all, with its start and its end."""
    other: tuple[Any, int, int] | None = None
    opening = _OPENING.search(text)
    while opening is not None:
        start = opening.start()
        try:
            value, end = decode(text, start)
        except json.JSONDecodeError:
            end = _pass_over(text, start)
        else:
            if isinstance(value, kinds):
                return value, start, end
            other = other or (value, start, end)
        opening = _OPENING.search(text, end)
    return other


def _pass_over(text: str, start: int) -> int:
    """Where to go on after a bracket that begins no complete value: after the broken value, or after the bracket."""
    if not _IS_JSON.match(text, start):
        return start + 1  # such as {name} and [sic] in a sentence
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return len(text)  # cut off


Fences: TypeAlias = Literal["refuse", "strip", "find"]
"""What is read of a model's text: JSON alone, what stands in the first Markdown fence, or JSON wherever it stands."""

_FENCES = frozenset(get_args(Fences))

LONG = 4000
"""Integers of more digits are kept as decimals: Python refuses to print them."""


def load(text: str | bytes, *, fences: Fences = "refuse", kinds: Kinds = (dict, list)) -> tuple[Any, tuple[Fault, ...]]:
    """The value that a text holds, and what is wrong with it; a text that is not JSON holds None.

    With `fences="find"` the first complete JSON value in the text counts, one of these `kinds` before others, and the
    faults say how it was found.

    >>> load('{"total": 3.5}')
    ({'total': 3.5}, ())
    >>> value, [fault] = load("Sorry, I cannot read this.")
    >>> value, str(fault)
    (None, 'not JSON: found "Sorry, I cannot read this." (line 1, column 1: Expecting value)')
    >>> value, [fault] = load('Here it is: {"total": 3.5}', fences="find")
    >>> value, str(fault)
    ({'total': 3.5}, 'JSON after other text')
    """
    if fences not in _FENCES:
        raise ExpressionError(
            f'fences={fences!r} is unknown; write "strip" to read JSON inside of ```, "find" to read it wherever it '
            'stands, or "refuse"'
        )
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")
        is_fenced = fences == "strip" and ("```" in decoded or "~~~" in decoded)
        return _decode(unfence(decoded) if is_fenced else decoded)
    except UnicodeDecodeError as error:
        return None, (Fault("", f"not JSON: not UTF-8 at byte {error.start}"),)
    except json.JSONDecodeError as error:
        if fences == "find":
            return _search(decoded, kinds)
        place = f"line {error.lineno}, column {error.colno}: {error.msg}"
        is_fenced = fences == "refuse" and _FENCE.search(decoded) is not None
        advice = '; write fences="strip" to read what is inside of ```' if is_fenced else ""
        return None, (Fault("", f"not JSON: found {_short(decoded)} ({place}){advice}"),)
    except RecursionError:
        return None, (Fault("", "not read: nested too deeply"),)


def _decode(text: str) -> tuple[Any, tuple[Fault, ...]]:
    """The value of a text that is JSON, and the keys that it repeats, of which few texts have any."""
    try:
        if text.startswith("{"):
            value, end = _DECODER.raw_decode(text)
            if end == len(text):
                return value, ()  # the usual case, without a look for white space
        return _DECODER.decode(text), ()
    except _RepeatedKey:
        repeated = _Repeated()
        return _decoder(repeated).decode(text), repeated.faults()


def _search(text: str, kinds: Kinds) -> tuple[Any, tuple[Fault, ...]]:
    """The value that stands somewhere in a text."""
    repeated = _Repeated()
    decoder = _decoder(repeated)

    def decode(text: str, start: int) -> tuple[Any, int]:
        repeated.keys.clear()
        return decoder.raw_decode(text, start)

    try:
        found = find_value(text, decode, kinds)
    except RecursionError:
        return None, (Fault("", "not read: nested too deeply"),)
    if found is None:
        return None, (Fault("", f"not JSON: found {_short(text)}, with no complete JSON object or list in it"),)
    return found.value, (*(Fault("", how) for how in found.around), *repeated.faults())


class _Repeated:
    """Builds the objects of a JSON text; of a repeated key the last value counts, and the key is noted."""

    def __init__(self) -> None:
        self.keys: dict[str, None] = {}

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen: set[str] = set()
            for name, _ in pairs:
                if name in seen:
                    self.keys[name] = None
                seen.add(name)
        return made

    def faults(self) -> tuple[Fault, ...]:
        return tuple(Fault("", f"a key twice in one object, the last one counts: {_short(name)}") for name in self.keys)


class _RepeatedKey(Exception):
    """An object has a key twice."""


def _build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _RepeatedKey
    return made


def unfence(text: str) -> str:
    """The content of the first Markdown fence, or the whole text if there is none.

    >>> unfence('Here you are:\\n```json\\n{"total": 3.5}\\n```')
    '{"total": 3.5}'
    """
    found = _FENCE.search(text)
    return found["inside"].strip() if found else text


_FENCE = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<inside>.*?)^[ \t]*(?P=fence)[ \t\r]*$", re.DOTALL | re.MULTILINE
)


def _integer(digits: str) -> int | Decimal:
    return int(digits) if len(digits) <= LONG else Decimal(digits)


def _float(digits: str) -> float | Decimal:
    """Read a number; 1e400 is one, though a float cannot hold it."""
    number = float(digits)
    return number if abs(number) != float("inf") else Decimal(digits)


def _decoder(build: Callable[[list[tuple[str, Any]]], dict[str, Any]]) -> json.JSONDecoder:
    return json.JSONDecoder(parse_int=_integer, parse_float=_float, object_pairs_hook=build)


_DECODER = _decoder(_build)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return json.dumps(line if len(line) <= 60 else line[:57] + "...", ensure_ascii=False)

"""JSON text -> value: what a model wrote may be no JSON, wrapped in Markdown, or hold what JSON does not know."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any, Literal, TypeAlias, get_args

from matchwise.deriving.faults import Fault
from matchwise.errors import ExpressionError
from matchwise.tasks.documents.finding import Kinds, find_value

Fences: TypeAlias = Literal["refuse", "strip", "find"]
"""What is read of a model's text: JSON alone, what stands in the first Markdown fence, or JSON wherever it stands."""

LONG = 4000
"""Integers of more digits are kept as decimals: Python refuses to print them."""


def load(text: str | bytes, *, fences: Fences = "refuse", kinds: Kinds = (dict, list)) -> tuple[Any, tuple[Fault, ...]]:
    """The value that a text holds, and what is wrong with it; a text that is no JSON holds None.

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
    if fences not in get_args(Fences):
        raise ExpressionError(
            f'fences={fences!r} is unknown; write "strip" to read JSON inside of ```, "find" to read it wherever it '
            'stands, or "refuse"'
        )
    repeated = _Repeated()
    decoder = json.JSONDecoder(parse_int=_integer, parse_float=_float, object_pairs_hook=repeated)
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")
        inner = unfence(decoded) if fences == "strip" else decoded
        return decoder.decode(inner), repeated.faults()
    except UnicodeDecodeError as error:
        return None, (Fault("", f"not JSON: not UTF-8 at byte {error.start}"),)
    except json.JSONDecodeError as error:
        if fences == "find":
            return _search(decoded, decoder, repeated, kinds)
        place = f"line {error.lineno}, column {error.colno}: {error.msg}"
        return None, (Fault("", f"not JSON: found {_short(decoded)} ({place}){_advice(decoded, fences)}"),)
    except RecursionError:
        return None, (Fault("", "not read: nested too deeply"),)


def _search(text: str, decoder: json.JSONDecoder, repeated: _Repeated, kinds: Kinds) -> tuple[Any, tuple[Fault, ...]]:
    """The value that stands somewhere in a text."""

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
    """Makes the objects of a JSON text, of a key that is there twice the last, and notes such keys."""

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


def unfence(text: str) -> str:
    """What stands inside of the first Markdown fence, or the text as it is if there is none.

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
    """1e400 is a number, though none that a float can hold."""
    number = float(digits)
    return number if abs(number) != float("inf") else Decimal(digits)


def _advice(text: str, fences: Fences) -> str:
    return '; write fences="strip" to read what is inside of ```' if fences == "refuse" and _FENCE.search(text) else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return json.dumps(line if len(line) <= 60 else line[:57] + "...", ensure_ascii=False)

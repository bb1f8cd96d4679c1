"""From JSON text to a value. What a model wrote may not be JSON, be wrapped in Markdown, or hold NaN and the like.

JSON is looked for after thoughts or a preamble, in a Markdown fence, before a closing remark. The first complete value
wins. A value that is broken or cut off is passed over as a whole: an object inside it is a part of the answer, and not
the answer. Where nothing could be read, the kind of the text says why: it refused, was cut off, or is not quite JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, TypeAlias, get_args

from matchwise.deriving.faults import Fault
from matchwise.errors import check_choice

FENCE = "JSON in a fence"
THOUGHTS = "JSON after a thinking block"
PREAMBLE = "JSON after other text"
REMARK = "text after the JSON"

Kinds: TypeAlias = type | tuple[type, ...]

Fences: TypeAlias = Literal["refuse", "strip", "find"]
"""What is read of a model's text: JSON alone, what stands in the first Markdown fence, or JSON wherever it stands."""

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
    check_choice("fences", fences, get_args(Fences))
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")
        is_fenced = fences == "strip" and ("```" in decoded or "~~~" in decoded)
        repeated: dict[str, None] = {}
        value = _make_decoder(repeated).decode(unfence(decoded) if is_fenced else decoded)
        return value, _describe_repeated(repeated)
    except UnicodeDecodeError as error:
        return None, (Fault("", f"not JSON: not UTF-8 at byte {error.start}"),)
    except json.JSONDecodeError as error:
        if fences == "find":
            return _search(decoded, kinds)
        place = f"line {error.lineno}, column {error.colno}: {error.msg}"
        is_fenced = fences == "refuse" and unfence(decoded) != decoded
        advice = '; write fences="strip" to read what is inside of ```' if is_fenced else ""
        return None, (Fault("", f"not JSON: found {_short(decoded)} ({place}){advice}"),)
    except RecursionError:
        return None, (Fault("", "not read: nested too deeply"),)


def _search(text: str, kinds: Kinds) -> tuple[Any, tuple[Fault, ...]]:
    """The first complete value of one of these kinds, or else the first complete object or list.

    A value in a Markdown fence comes before others. What stands in a thinking block is not looked at. Tags and fences
    inside a complete value are a part of it.
    """
    answer = _leave_out_thoughts(text) if _TAG.search(text) else text
    last_fence = max(answer.rfind("```"), answer.rfind("~~~"))
    repeated: dict[str, None] = {}
    decode = _make_decoder(repeated).raw_decode
    best, place, limit, is_deep = None, 0, -1, False
    while mark := _MARK.search(answer, place):
        start = mark.start("value")
        repeated.clear()
        try:
            value, place = decode(answer, start)
        except (json.JSONDecodeError, RecursionError) as error:
            is_deep = is_deep or isinstance(error, RecursionError)
            if limit <= start:
                fence = _FENCED.search(answer, start)
                limit = len(answer) if fence is None else fence.start()
            place = _pass_over(answer, start, error, limit)
            continue
        rank = 0 if mark["fence"] else 1 if isinstance(value, kinds) else 2
        if best is None or rank < best[0]:
            best = rank, value, start, place, _describe_repeated(repeated)
        if best[0] == 0 or (best[0] == 1 and place > last_fence):
            break
    if best is None:
        if is_deep:
            return None, (Fault("", "not read: nested too deeply"),)
        kind = name_kind(answer)
        why = "" if kind in ("refused", "no JSON") else f": {kind}"
        return None, (Fault("", f"not JSON: found {_short(text)}, {_NOWHERE}{why}"),)
    rank, value, start, end, faults = best
    around = [THOUGHTS] if answer != text else []
    if rank == 0:
        around.append(FENCE)
    else:
        around += [PREAMBLE] * bool(answer[:start].strip()) + [REMARK] * bool(answer[end:].strip())
    return value, (*(Fault("", how) for how in around), *faults)


_NOWHERE = "with no complete JSON object or list in it"
_TAG = re.compile(
    "<(?P<end>/?)(?P<word>think|thinking|thought|thoughts|reasoning|reflection|scratchpad)>", re.IGNORECASE
)
# Possessive, and never from the middle of a row of signs: thousands of ~ would take seconds otherwise.
_FENCE_BEFORE = r"(?:(?<!`)`{3,}+|(?<!~)~{3,}+)[ \t]*+\w*+\s*+"
_VALUE = r"""\{(?=\s*+["'}])|\[(?=\s*+["'{\[\]\w-])"""  # and not {name}: to decode it only to fail takes long
_OPENING = re.compile(_VALUE)
_FENCED = re.compile(rf"{_FENCE_BEFORE}(?:{_VALUE})")
_MARK = re.compile(rf"(?P<fence>{_FENCE_BEFORE})?(?P<value>{_VALUE})")
_IS_JSON = re.compile(r"""\{\s*["'}]|\[\s*["'{\[\]]""")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)


def _leave_out_thoughts(text: str) -> str:
    """A text without its thinking blocks; a tag inside a complete value begins and ends none."""
    kept, start, place, has_tags = list[str](), 0, 0, False
    decode = _make_decoder({}).raw_decode
    tag = _TAG.search(text)
    while tag is not None:
        opening = _OPENING.search(text, place, tag.start())
        if opening is not None:
            try:
                _, place = decode(text, opening.start())
            except (json.JSONDecodeError, RecursionError) as error:
                place = _pass_over(text, opening.start(), error, tag.start())
            if place > tag.start():
                tag = _TAG.search(text, place)
            continue
        place = tag.end()
        if not tag["end"]:
            kept.append(text[start : tag.start()])
            word = tag["word"].lower()
            tag = _TAG.search(text, place)
            while tag is not None and not (tag["end"] and tag["word"].lower() == word):
                tag = _TAG.search(text, tag.end())
            start = place = len(text) if tag is None else tag.end()
        elif not has_tags:  # chat templates put the opening tag into the prompt
            start = place
        has_tags = True
        tag = _TAG.search(text, place)
    return "".join(kept) + text[start:]


def _pass_over(text: str, start: int, error: Exception, limit: int) -> int:
    """Where to go on after a bracket that begins no complete value: after what was read of it, at most at the limit."""
    if isinstance(error, json.JSONDecodeError) and not _IS_JSON.match(text, start):
        return min(max(start + 1, error.pos), limit)  # such as {name} and [sic] in a sentence
    depth = 0
    for token in _TOKEN.finditer(text, start, limit):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return limit  # cut off


def _make_decoder(repeated: dict[str, None]) -> json.JSONDecoder:
    """Decodes JSON; of a repeated key the last value counts, and the key is noted."""

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen: set[str] = set()
            for name, _ in pairs:
                if name in seen:
                    repeated[name] = None
                seen.add(name)
        return made

    return json.JSONDecoder(parse_int=_integer, parse_float=_float, object_pairs_hook=build)


def _describe_repeated(repeated: Iterable[str]) -> tuple[Fault, ...]:
    return tuple(Fault("", f"a key twice in one object, the last one counts: {_short(name)}") for name in repeated)


def unfence(text: str) -> str:
    """The content of the first Markdown fence, or the whole text if there is none.

    >>> unfence('Here you are:\\n```json\\n{"total": 3.5}\\n```')
    '{"total": 3.5}'
    """
    opening = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = fence
        elif fence["signs"].startswith(opening["signs"]) and not fence["info"].strip():
            return text[opening.end() : fence.start()].strip()
    return text


_FENCE = re.compile(r"^[ \t]*+(?P<signs>`{3,}+(?=[^`\n]*$)|~{3,}+)(?P<info>.*)$", re.MULTILINE)


def _integer(digits: str) -> int | Decimal:
    return int(digits) if len(digits) <= LONG else Decimal(digits)


def _float(digits: str) -> float | Decimal:
    """Read a number; 1e400 is one, though a float cannot hold it, and a decimal cannot hold 1e9999999999999999999."""
    number = float(digits)
    if abs(number) != float("inf"):
        return number
    try:
        return Decimal(digits)
    except InvalidOperation:
        return number


def _short(text: str) -> str:
    line = " ".join(text.split())
    return json.dumps(line if len(line) <= 60 else line[:57] + "...", ensure_ascii=False)


MISMATCH = "schema mismatch"
"""JSON that is something else as a whole: a list, where an object was asked for."""


def kind_of(pred: Any, faults: tuple[Fault, ...]) -> str | None:
    """The kind of error that a whole prediction is; None if some of it could be read as the form asks."""
    whole = next((fault for fault in faults if not fault.path), None)
    if whole is None:
        return None
    if whole.is_unreadable:
        text = pred.decode("utf-8", "replace") if isinstance(pred, bytes) else pred
        return name_kind(text) if isinstance(text, str) else MISMATCH
    return MISMATCH if " is not " in whole.problem else None


def name_kind(text: str) -> str:
    """The kind of a text in which there is no JSON that could be read.

    >>> name_kind("I am sorry, but I cannot read this."), name_kind('{"total": 3.5,}'), name_kind("{'total': 3.5}")
    ('refused', 'trailing comma', 'single quotes')
    >>> name_kind('{"total": 3'), name_kind('{"total": }'), name_kind("The total is 3.5.")
    ('cut off', 'malformed JSON', 'no JSON')
    """
    start = _BEGINNING.search(text)
    if start is None:
        return "refused" if _REFUSAL.search(text) else "no JSON"
    tail = text[start.start() :]
    if sum({"{": 1, "[": 1, "}": -1, "]": -1}.get(token, 0) for token in _TOKEN.findall(tail)) > 0:
        return "cut off"
    if _SINGLE.match(tail):
        return "single quotes"
    strings = _STRING.split(tail)  # at odd places, where a comma is text
    strings[::2] = [_COMMA.sub(r"\1", between) for between in strings[::2]]
    try:
        json.JSONDecoder().raw_decode("".join(strings))
    except (ValueError, RecursionError):
        return "malformed JSON"
    return "trailing comma"


_BEGINNING = re.compile(r"""\{(?=\s*+(?:["'}]|\Z))|\[(?=\s*+(?:["'{\[\]\d-]|\Z))""")
_SINGLE = re.compile(r"[{\[][\s{\[]*+'")
_STRING = re.compile(r'("(?:[^"\\]|\\.)*+")', re.DOTALL)
_COMMA = re.compile(r",\s*+([}\]])")
_REFUSAL = re.compile(
    r"\b(?:sorry|apologi[sz]e|unfortunately|as an ai|unable to|not able to)\b"
    r"|\bI (?:cannot|can not|will not|could not|(?:ca|wo|could)n[’']?t)\b",
    re.IGNORECASE,
)

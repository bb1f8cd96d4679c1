"""JSON inside of what a model wrote: after its thoughts or a preamble, in a Markdown fence, before a closing remark.

The first complete value wins. A value that is broken or cut off is passed over as a whole: an object inside of it is a
part of the answer, and not the answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

FENCE = "JSON in a fence"
THOUGHTS = "JSON after a thinking block"
PREAMBLE = "JSON after other text"
REMARK = "text after the JSON"

Kinds: TypeAlias = type | tuple[type, ...]
Decode: TypeAlias = Callable[[str, int], tuple[Any, int]]
"""Reads the value that begins at a place of a text: the value, and where it ends."""


class Found(NamedTuple):
    """A value, and what stood around it."""

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

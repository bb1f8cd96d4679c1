"""The words of a document, and what its parts say in them.

A part that knows its place in the text has `in_words(words)` (what a person reads) and `marks()` (what is marked).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from matchwise.views.values import written

Words: TypeAlias = Sequence[str]

Marked: TypeAlias = tuple[tuple[int, int, str], ...]
"""Start, end and label of each stretch of words."""

NAMES = ("tokens", "words", "forms")
"""What documents call their words."""


@runtime_checkable
class Placed(Protocol):
    """A part of a document that stands on words of it."""

    def in_words(self, words: Words) -> str:
        """What it is, as a person reads it; by its place where the words are not known."""

    def marks(self) -> Marked:
        """The stretches of words that it is made of."""


def words_of(document: Any) -> tuple[str, ...]:
    """The words of a document that has them under one of the usual names; else none."""
    for name in NAMES:
        found = document.get(name) if isinstance(document, Mapping) else getattr(document, name, None)
        if isinstance(found, list | tuple) and found and all(isinstance(word, str) for word in found):
            return tuple(found)
    return ()


def say(part: Any, words: Words) -> str:
    """A part of a document in words."""
    return part.in_words(words) if isinstance(part, Placed) else written(part)


def text_at(span: Any, words: Words) -> str:
    """The words at a span, or at the pieces of one; its ends where the words are not known.

    >>> text_at((1, 3), ["the", "old", "man"]), text_at(((0, 1), (2, 3)), ["the", "old", "man"]), text_at((1, 3), [])
    ('old man', 'the … man', '1–3')
    """
    parts = (span,) if isinstance(span[0], int) else span
    if all(0 <= left < right <= len(words) for left, right in parts):
        return " … ".join(" ".join(words[left:right]) for left, right in parts)
    return " … ".join(f"{left}–{right}" for left, right in parts)


def stretches(span: Any, label: str = "") -> Marked:
    """A span, or the pieces of one, with a label."""
    parts = (span,) if isinstance(span[0], int) else span
    return tuple((left, right, label) for left, right in parts)

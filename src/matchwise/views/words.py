"""The words of a document, and what its parts say in them.

A part that knows its place in the text has `in_words(words)` (what a person reads) and `marks()` (what is marked).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeGuard

from matchwise.errors import RAISED

Words: TypeAlias = Sequence[str]
"""The words of a document, or its text, which is a sequence of characters."""

Marked: TypeAlias = tuple[tuple[int, int, str], ...]
"""Start, end and label of each stretch of words."""

NAMES = ("tokens", "words", "forms")
"""What documents call their words."""


class PlacedPart(Protocol):
    """A part of a document that stands on words of it."""

    def in_words(self, words: Words) -> str:
        """What it is, as a person reads it; by its place where the words are not known."""

    def marks(self) -> Marked:
        """The stretches of words that it is made of."""


def is_placed(part: Any) -> TypeGuard[PlacedPart]:
    """Whether the class of a part says where it stands; the part itself may have any name, or fail to say."""
    return hasattr(type(part), "in_words") and hasattr(type(part), "marks")


def words_of(document: Any) -> Words:
    """The words of a document, or its text if spans count characters; nothing if it has neither."""
    for name in (*NAMES, "text", "sentences"):
        found = look_up(document, name)
        if isinstance(found, list | tuple) and found:
            if isinstance(found[0], str):
                return tuple(map(str, found))
            if isinstance(found[0], list | tuple) and found[0] and isinstance(found[0][0], str):
                sentences = (one for one in found if isinstance(one, list | tuple))
                return tuple(str(word) for sentence in sentences for word in sentence)
        elif name == "text" and isinstance(found, str) and found:
            return found
    return ()


def look_up(document: Any, name: str) -> Any:
    """What a document has under a name; None if it has nothing there, or fails to say."""
    try:
        return document.get(name) if isinstance(document, Mapping) else getattr(document, name, None)
    except RAISED:  # of a method of the user's class
        return None


def words_of_both(pred: Any, ref: Any) -> tuple[Words, Words]:
    """The words of two documents; a side that has none is shown with those of the other."""
    mine, theirs = words_of(pred), words_of(ref)
    return mine or theirs, theirs or mine


def say(part: Any, words: Words) -> str:
    """A part of a document in words."""
    if is_placed(part):
        return part.in_words(words)
    from matchwise.views.values import write_value  # which knows many types, and is not needed to score

    return write_value(part)


def text_at(span: Any, words: Words) -> str:
    """The words at a span, or at the pieces of one; its ends where the words are not known.

    >>> text_at((1, 3), ["the", "old", "man"]), text_at(((0, 1), (2, 3)), ["the", "old", "man"]), text_at((1, 3), [])
    ('old man', 'the … man', '1–3')
    >>> text_at((4, 7), "the old man")
    'old'
    """
    parts = (span,) if isinstance(span[0], int) else span
    if all(0 <= left < right <= len(words) for left, right in parts):
        between = "" if isinstance(words, str) else " "
        return " … ".join(between.join(words[left:right]) for left, right in parts)
    return " … ".join(f"{left}–{right}" for left, right in parts)


def in_tokens(words: Words, marks: Marked) -> tuple[tuple[str, ...], Marked]:
    """Words with marks; a text is cut at its spaces, and marks on characters become marks on the words they touch.

    >>> in_tokens("the old man", ((4, 7, "ADJ"),))
    (('the', 'old', 'man'), ((1, 2, 'ADJ'),))
    """
    if not isinstance(words, str):
        return tuple(words), marks
    found = [(one.start(), one.end()) for one in re.finditer(r"\S+", words)]
    starts, ends = [start for start, _ in found], [end for _, end in found]
    moved = [(bisect_right(ends, left), max(bisect_left(starts, right), 1), label) for left, right, label in marks]
    return tuple(words[start:end] for start, end in found), tuple(moved)


def stretches(span: Any, label: str = "") -> Marked:
    """A span, or the pieces of one, with a label."""
    parts = (span,) if isinstance(span[0], int) else span
    return tuple((left, right, label) for left, right in parts)

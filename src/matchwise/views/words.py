"""The words of a document: what its parts say in them, and which of them are shown, with marks.

A part that knows its place in the text has `in_words(words)` (what a person reads) and `marks()` (what is marked).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from matchwise.views.model import Mark, Passage, SideName, Status, View

Words: TypeAlias = Sequence[str]
"""The words of a document, or its text, which is a sequence of characters."""

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


def words_of(document: Any) -> Words:
    """The words of a document, or its text if spans count characters; nothing if it has neither."""
    for name in (*NAMES, "text", "sentences"):
        found = document.get(name) if isinstance(document, Mapping) else getattr(document, name, None)
        if isinstance(found, list | tuple) and found:
            if isinstance(found[0], str):
                return tuple(map(str, found))
            if isinstance(found[0], list | tuple) and found[0] and isinstance(found[0][0], str):
                return tuple(str(word) for sentence in found for word in sentence)
        elif name == "text" and isinstance(found, str) and found:
            return found
    return ()


def words_of_both(pred: Any, ref: Any) -> tuple[Words, Words]:
    """The words of two documents; a side that has none is shown with those of the other."""
    mine, theirs = words_of(pred), words_of(ref)
    return mine or theirs, theirs or mine


def say(part: Any, words: Words) -> str:
    """A part of a document in words."""
    if isinstance(part, Placed):
        return part.in_words(words)
    from matchwise.views.values import written  # which knows many types, and is not needed to score

    return written(part)


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


SHORT = 40
"""A text of up to 40 words is shown whole."""

CONTEXT = 6
"""Words on either side of what is wrong."""


@dataclass(frozen=True, slots=True)
class Place:
    """A word, the marks that begin before it, outermost first, and those that end after it; None is a gap."""

    word: str | None
    opening: tuple[Mark, ...] = ()
    closing: tuple[Mark, ...] = ()


def passages(
    pred: Sequence[tuple[Any, Status]], ref: Sequence[tuple[Any, Status]], mine: Words, theirs: Words
) -> Iterator[Passage]:
    """The text of both sides with their elements marked; nothing if an element does not say where it stands."""
    parts = [part for part, _ in (*pred, *ref)]
    if not parts or not all(isinstance(part, Placed) and part.marks() for part in parts):
        return
    sides: tuple[tuple[SideName, Sequence[tuple[Any, Status]], Words], ...] = (
        ("predicted", pred, mine or theirs),
        ("reference", ref, theirs or mine),
    )
    for side, elements, words in sides:
        if words:
            marked = [(one, status) for part, status in elements for one in part.marks()]
            tokens, places = in_tokens(words, tuple(one for one, _ in marked))
            marks = {
                Mark(*place, status): None
                for place, (_, status) in zip(places, marked, strict=True)
                if place[1] <= len(tokens)
            }
            yield Passage(side, tokens, tuple(marks))


def places(passage: Passage, focus: tuple[Mark, ...], whole: bool = False) -> Iterator[Place]:
    """The words around the marks in focus; a mark is shown if one of its words is."""
    number = len(passage.words)
    shown = set(range(number))
    if not whole and number > SHORT:
        near = [range(max(mark.start - CONTEXT, 0), min(mark.end + CONTEXT, number)) for mark in focus]
        shown = {place for stretch in near for place in stretch}
    if not shown and number:
        yield Place(None)
        return
    for stretch in _stretches(sorted(shown)):
        if stretch.start > 0:
            yield Place(None)
        inside = [mark for mark in passage.marks if mark.start < stretch.stop and mark.end > stretch.start]
        inside.sort(key=lambda mark: (mark.start, -mark.end, mark.label))
        for place in stretch:
            opening = [mark for mark in inside if max(mark.start, stretch.start) == place]
            closing = [mark for mark in reversed(inside) if min(mark.end, stretch.stop) == place + 1]
            yield Place(passage.words[place], tuple(opening), tuple(sorted(closing, key=lambda one: -one.start)))
    if shown and max(shown) < number - 1:
        yield Place(None)


def focus_of(view: View) -> tuple[Mark, ...]:
    """The marks of either side that are not right: both sides show the words around them."""
    marks = [mark for part in view.parts if isinstance(part, Passage) for mark in part.marks]
    return tuple(mark for mark in marks if mark.status != "right")


def colours(view: View) -> dict[object, int]:
    """Label or number of an entity -> a colour; the same on both sides."""
    marks = [mark for part in view.parts if isinstance(part, Passage) for mark in part.marks]
    keys = sorted({colour_key(mark) for mark in marks}, key=str)
    return {key: place % COLOURS for place, key in enumerate(keys)}


COLOURS = 8
"""How many colours there are."""


def colour_key(mark: Mark) -> object:
    return mark.label if mark.number is None else mark.number


def _stretches(shown: list[int]) -> Iterator[range]:
    start = 0
    for place in range(1, len(shown) + 1):
        if place == len(shown) or shown[place] != shown[place - 1] + 1:
            yield range(shown[start], shown[place - 1] + 1)
            start = place

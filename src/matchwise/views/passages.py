"""The words of a document that are shown, with marks on them: those around what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from matchwise.views.model import Mark, Passage, SideName, Status, View
from matchwise.views.words import Placed, Words, in_tokens

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

"""The view of a document: what is wrong first, what is right as a count; every renderer reads the same data.

>>> rows = Rows((Row("wrong", "total", "1190", "119.0"), Row("missed", "date", ref="2024-05-01")), right=3)
>>> View("invoice 7", (rows,), score=0.6).why
'1 wrong, 1 missed, 3 right'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from matchwise.algebra.nodes import Number
from matchwise.views.words import Placed, Words, in_tokens

Status: TypeAlias = Literal["wrong", "partial", "missed", "spurious", "right"]

STATUSES: tuple[Status, ...] = get_args(Status)

SIGNS: dict[Status, str] = {"wrong": "≠", "partial": "≈", "missed": "−", "spurious": "+", "right": "="}

SideName: TypeAlias = Literal["predicted", "reference"]


@dataclass(frozen=True, slots=True)
class Row:
    """Two values side by side, or one that the other side lacks; a row without values is the heading of those below."""

    status: Status
    name: str = ""
    """What is compared: a field, or the kind of an error."""
    pred: str | None = None
    ref: str | None = None
    credit: str = ""
    depth: int = 0

    @property
    def is_heading(self) -> bool:
        return self.pred is None and self.ref is None


@dataclass(frozen=True, slots=True)
class Rows:
    """What was compared, the wrong rows first; `right` counts those that are not listed, `names` says what they are."""

    rows: tuple[Row, ...]
    title: str = ""
    right: int = 0
    names: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A label on the words [start, end); marks of one entity have the same number on both sides."""

    start: int
    end: int
    label: str = ""
    status: Status = "right"
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """The words of one side, with marks."""

    side: SideName
    words: tuple[str, ...]
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a line, with the status of what it says."""

    text: str
    status: Status | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a tree or of a graph; `note` says what it should be."""

    chunks: tuple[Chunk, ...]
    depth: int = 0
    status: Status = "right"
    note: str = ""

    @property
    def text(self) -> str:
        return "".join(chunk.text for chunk in self.chunks)


@dataclass(frozen=True, slots=True)
class Lines:
    """A tree, a graph or a list of clauses, line by line; `wrong` is how many of them are not right."""

    title: str
    lines: tuple[Line, ...]


ViewPart: TypeAlias = Rows | Passage | Lines


@dataclass(frozen=True, slots=True)
class View:
    """A document under one metric."""

    title: str
    """The document."""
    parts: tuple[ViewPart, ...] = ()
    metric: str = ""
    score: Number | None = None
    counts: tuple[Number, Number, Number] | None = None
    """Matched, predicted and reference."""
    notes: tuple[str, ...] = ()
    """Whatever else belongs to the score: faults of the input, a limit that was reached."""

    def rows(self) -> Iterator[Row]:
        """The rows that say something by themselves, not the headings."""
        return (row for part in self.parts if isinstance(part, Rows) for row in part.rows if not row.is_heading)

    @property
    def right(self) -> int:
        return sum(row.status == "right" for row in self.rows()) + sum(
            part.right for part in self.parts if isinstance(part, Rows)
        )

    @property
    def why(self) -> str:
        """One line that says what is wrong: `4 wrong, 1 invented, 7 right`."""
        found = Counter(row.status for row in self.rows())
        found["right"] = self.right
        said = [f"{found[status]} {status}" for status in STATUSES if found[status]]
        return ", ".join(said) or "nothing on either side"


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

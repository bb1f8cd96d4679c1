"""The view of a document: what is wrong first, what is right as a count; every renderer reads the same data.

>>> rows = Rows((Row("wrong", "total", "1190", "119.0"), Row("missed", "date", ref="2024-05-01")), right=3)
>>> View("invoice 7", (rows,), score=0.6).why
'1 wrong, 1 missed, 3 right'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from matchwise.algebra.nodes import Number

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

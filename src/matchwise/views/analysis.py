"""The errors of a document by kind: each case in words, and what the score would be without it.

An error takes elements out of the match. With m matched, p predicted and r reference elements F1 = 2m / (p + r), and
1 − F1 = (p + r − 2m) / (p + r): the elements without a partner. Each of them belongs to one case, so that the shares of
the kinds add up to 1; correcting a case adds to m what it lost, and to p what it lacks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from matchwise.algebra.nodes import Number
from matchwise.views.model import Status
from matchwise.views.words import Words, say


@dataclass(frozen=True, slots=True)
class Case:
    """One error: its kind, and the elements that it is about; None where a side has none."""

    kind: str
    pred: Any = None
    ref: Any = None
    lost: Number = 1
    """How much of a pair was not matched."""
    where: str = ""
    """What it is a part of: a template, an event."""
    is_partial: bool = False
    """Whether a pair has some credit."""
    near: Any = None
    """What of the other side it belongs to, though that has a partner of its own: the entity that was split."""

    @property
    def status(self) -> Status:
        if self.pred is None:
            return "missed"
        if self.ref is None:
            return "spurious"
        return "partial" if self.is_partial else "wrong"

    @property
    def correction(self) -> tuple[Number, Number]:
        """How correcting it changes the number of matched and of predicted elements."""
        if self.ref is None:
            return 0, -self.lost
        return self.lost, self.lost if self.pred is None else 0


@dataclass(frozen=True, slots=True)
class Level:
    """The errors of one sort of elements of a document."""

    name: str
    """The elements: mentions, triggers, arguments."""
    matched: Number
    predicted: Number
    reference: Number
    cases: tuple[Case, ...] = ()
    right: tuple[tuple[Any, Any], ...] = ()
    """The pairs that are right."""


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """How often an error occurs, and what it costs."""

    name: str
    count: int
    matched: Number
    predicted: Number

    @property
    def lost(self) -> Number:
        """The elements without a partner that it explains."""
        return 2 * self.matched - self.predicted


def sides_of(case: Case, pred: Words, ref: Words) -> tuple[str | None, str | None]:
    """Both sides of a case in words; a side without an element says what the other belongs to."""
    mine, theirs = case.pred, case.ref
    if case.near is not None:
        mine, theirs = (case.near, theirs) if mine is None else (mine, case.near)
    return None if mine is None else say(mine, pred), None if theirs is None else say(theirs, ref)


def f1(matched: Number, predicted: Number, reference: Number) -> float:
    """2m / (p + r); 1 if both sides are empty."""
    total = predicted + reference
    return 2 * float(matched) / float(total) if total else 1.0


def kinds_of(cases: Iterable[Case]) -> tuple[ErrorKind, ...]:
    """The kinds of some cases, in the order in which they come."""
    counts: Counter[str] = Counter()
    matched: dict[str, Number] = {}
    predicted: dict[str, Number] = {}
    for case in cases:
        counts[case.kind] += 1
        more, longer = case.correction
        matched[case.kind] = matched.get(case.kind, 0) + more
        predicted[case.kind] = predicted.get(case.kind, 0) + longer
    return tuple(ErrorKind(name, counts[name], matched[name], predicted[name]) for name in counts)

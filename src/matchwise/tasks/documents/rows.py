"""Forms whose fields are plain values compared by equality: two documents are two rows, read and weighed in one go.

A training loop asks for the reward of one completion after the other. What is unusual is left to `Fit` and the engine.
"""

from __future__ import annotations

from functools import reduce
from itertools import compress, repeat
from operator import add, countOf, eq, is_not
from typing import Any, NamedTuple, TypeAlias

from matchwise.algebra.nodes import Eq, Normalized, Number, Similarity, Sum
from matchwise.deriving.faults import UNWRITTEN, Fault, Notes
from matchwise.deriving.fit import Fit
from matchwise.deriving.readers import HUGE

Weighed: TypeAlias = tuple[Number, Number, Number, tuple[Fault, ...]]
"""What two documents count (matched, predicted, reference), and the faults of the prediction."""


KNOWN = 1024
"""Shapes of rows that are kept; a model that fills in a form makes few."""


class Shape(NamedTuple):
    """What is known of a row from the classes of its values."""

    absent: int
    numbers: list[int]
    """The places of numbers, which may be huge."""
    odd: list[int]
    """The places of values that have to be read or are absent."""


class Rows:
    """The fields of a form: how each is read, and its weight."""

    __slots__ = ("_all", "_fields", "_is_even", "_names", "_required", "_shapes", "_weights")

    def __init__(self, fit: Fit, weights: list[Number]) -> None:
        self._fields, self._required = fit.plain_fields
        self._names = [field.name for field in self._fields]
        self._weights = weights
        self._is_even = set(weights) == {1}
        self._all: Number = reduce(add, weights, 0)
        self._shapes: dict[tuple[type, ...], Shape] = {}

    @staticmethod
    def of(phi: Similarity, fit: Fit) -> Rows | None:
        """The rows of a form, if φ of its declared parts compares nothing but plain fields."""
        if not isinstance(phi, Normalized) or not isinstance(phi.inner, Sum):
            return None
        terms, (fields, _) = phi.inner.terms, fit.plain_fields
        if [part for _, part in terms] != [Eq((field.name,)) for field in fields]:
            return None
        return Rows(fit, [weight if isinstance(weight, int) else float(weight) for weight, _ in terms])

    def weigh(self, pred: Any, ref: Any) -> Weighed | None:
        """Weigh two dictionaries; None if one of them has other keys, nulls, huge numbers or other surprises."""
        mine, theirs = self._read(pred), self._read(ref)
        if mine is None or theirs is None:
            return None
        (row, predicted, is_wrong), (other, reference, _) = mine, theirs
        equal = map(eq, row, other)
        matched = countOf(equal, True) if self._is_even else reduce(add, compress(self._weights, equal), 0)
        return matched, predicted, reference, (UNWRITTEN,) if is_wrong else ()

    def _read(self, value: Any) -> tuple[list[Any] | tuple[Any, ...], Number, bool] | None:
        """The values of a document, the weight of those that are there, and whether something is wrong with them."""
        if type(value) is not dict or not value:
            return None
        row: tuple[Any, ...] = tuple(map(value.get, self._names))
        classes = tuple(map(type, row))
        absent, numbers, odd = self._shapes.get(classes) or self._shape(classes)
        if len(value) + absent != len(row):
            return None
        for place in numbers:
            if not -HUGE < row[place] < HUGE:
                return None
        if not odd:
            return row, self._all, False
        values, notes, is_wrong = list(row), Notes(False, brief=True), False
        for place in odd:
            name, _, read, _ = self._fields[place]
            if row[place] is None:
                is_wrong |= name in self._required
                values[place] = object()  # equals nothing
                continue
            values[place] = read(row[place], None, notes)
            if values[place] is None:
                return None
        own = reduce(add, compress(self._weights, map(is_not, row, repeat(None))), 0) if absent else self._all
        return values, own, is_wrong or bool(notes.faults)

    def _shape(self, classes: tuple[type, ...]) -> Shape:
        kept = [field.kept for field in self._fields]
        numbers = [place for place, cls in enumerate(classes) if cls in kept[place].numbers]
        odd = [place for place, cls in enumerate(classes) if cls not in kept[place].classes | kept[place].numbers]
        if len(self._shapes) == KNOWN:
            self._shapes.clear()
        made = self._shapes[classes] = Shape(classes.count(type(None)), numbers, odd)
        return made

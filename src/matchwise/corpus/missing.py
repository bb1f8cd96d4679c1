"""The document that is not there: a missing prediction counts as empty.

>>> from matchwise.algebra.build import eq, f1
>>> from matchwise.corpus.tally import Tally
>>> add_missing(Tally(f1("entities", f1("mentions"))), {"entities": [{"mentions": [1]}]}).report()["score"].counts
Counts(matched=0, predicted=0, reference=1)
"""

from __future__ import annotations

from typing import Any

from matchwise.corpus.table import Id
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError


class Nothing(tuple[Any, ...]):
    """Empty in every part: each field of it is again nothing, and it has no elements."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, key: object) -> Nothing:  # by position and by name
        return self

    @property
    def count(self) -> Nothing:  # type: ignore[override]  # a field may have the name of a tuple's method
        return self

    @property
    def index(self) -> Nothing:  # type: ignore[override]
        return self

    def __repr__(self) -> str:
        return "NOTHING"

    def __reduce__(self) -> str:
        return "NOTHING"


NOTHING = Nothing()


def add_missing(tally: Tally, ref: Any, id: Id | None = None) -> Tally:
    """Count a document without a prediction: Σ(∅, R) = Σ(∅, ∅) = 0."""
    try:
        return tally.add(NOTHING, ref, id)
    except DataError as error:
        if error.side != "prediction" or tally.scores.labels is not None or tally.scores.fields is not None:
            raise
    # A similarity of whole values cannot read nothing as one; its counts are zero all the same.
    program = tally.program()
    counted = program.count_all([ref], [ref])
    made: list[float] = []
    for name, plan in program.plans.items():
        made += (0, 1 if plan.root == "value" else 0, float(counted[name].reference[0]), 0)
    tally.add_rows(made, [id])
    return tally

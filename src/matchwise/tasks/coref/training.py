"""Scores while a model trains: clusters as it holds them, counts that add up over workers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from matchwise.corpus.report import Report
from matchwise.corpus.tally import Tally
from matchwise.tasks.coref.entities import from_clusters
from matchwise.tasks.coref.presets import suite


class Clusters:
    """A tally that is fed with lists of (start, end); `inclusive` if a span ends with its last word, as in e2e-coref.

    >>> scores = Clusters().update([[(0, 1), (4, 5)]], [[(0, 1), (4, 5), (7, 8)]])
    >>> round((scores + Clusters()).report()["muc"].f1, 4)
    0.6667
    """

    __slots__ = ("inclusive", "tally")

    def __init__(self, preset: str = "conll12", *, inclusive: bool = False, **options: Any) -> None:
        self.inclusive = inclusive
        self.tally = Tally(suite(preset, **options))

    def update(
        self,
        pred: Iterable[Iterable[Sequence[int]]],
        ref: Iterable[Iterable[Sequence[int]]],
        id: str | int | None = None,
    ) -> Clusters:
        """Count one document."""
        name = "" if id is None else str(id)
        found, expected = (from_clusters(side, name, inclusive=self.inclusive) for side in (pred, ref))
        self.tally.add(found, expected, id)
        return self

    def report(self) -> Report:
        return self.tally.report()

    def reset(self) -> None:
        self.tally = self.tally.zero()

    def __add__(self, other: Clusters) -> Clusters:
        """The documents of both, as if one had seen them all."""
        if not isinstance(other, Clusters):
            return NotImplemented
        made = object.__new__(Clusters)
        made.inclusive = self.inclusive
        made.tally = self.tally + other.tally
        return made

    def __len__(self) -> int:
        return len(self.tally)

    def __bool__(self) -> bool:
        return True

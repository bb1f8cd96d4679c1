"""Near-duplicates: every pair of objects that is similar enough, and the clusters that these pairs make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError
from matchwise.relating.comparison import Comparison, Done
from matchwise.relating.search import find


class Pair(NamedTuple):
    """Two places of the list, the lower first, and how similar their objects are."""

    first: int
    second: int
    score: float


@dataclass(frozen=True)
class Duplicates:
    """The pairs of a list of objects that are at least as similar as the threshold, the most similar first.

    >>> from matchwise import duplicates, edit
    >>> found = duplicates(edit(), ["cat", "cats", "dog"], threshold=0.7)
    >>> found.pairs
    (Pair(first=0, second=1, score=0.75),)
    """

    objects: int
    threshold: float
    pairs: tuple[Pair, ...]
    compared: int
    """Pairs of which φ was computed; all others were proved to be below the threshold."""

    @cached_property
    def clusters(self) -> tuple[tuple[int, ...], ...]:
        """Objects that are connected by pairs; each in order, by their first object."""
        parent = {place: place for pair in self.pairs for place in pair[:2]}

        def root(place: int) -> int:
            while parent[place] != place:
                parent[place] = parent[parent[place]]
                place = parent[place]
            return place

        for first, second, _ in self.pairs:
            a, b = sorted((root(first), root(second)))
            parent[b] = a
        made: dict[int, list[int]] = {}
        for place in sorted(parent):
            made.setdefault(root(place), []).append(place)
        return tuple(tuple(places) for places in made.values())

    @property
    def kept(self) -> list[int]:
        """The places that are left when only the first object of each cluster stays."""
        spare = {place for places in self.clusters for place in places[1:]}
        return [place for place in range(self.objects) if place not in spare]

    def to_dict(self) -> dict[str, Any]:
        return {
            "objects": self.objects,
            "threshold": self.threshold,
            "compared": self.compared,
            "clusters": [list(places) for places in self.clusters],
            "pairs": [pair._asdict() for pair in self.pairs],
        }

    def __str__(self) -> str:
        whole = self.objects * (self.objects - 1) // 2
        return (
            f"{_counted(self.objects, 'object')}: {_counted(len(self.pairs), 'pair')} at {self.threshold:g} or above, "
            f"in {_counted(len(self.clusters), 'cluster')}; {self.compared:,} of {_counted(whole, 'pair')} compared"
        )


def duplicates(
    phi: Similarity | Suite, xs: Iterable[Any], *, threshold: float, jobs: int = 1, done: Done | None = None
) -> Duplicates:
    """Find every pair of objects with φ(x, y) ≥ threshold.

    >>> from matchwise.algebra.build import eq
    >>> from matchwise.similarities import edit
    >>> shops = [{"city": city, "name": name} for city, name in (("Faro", "Elms"), ("Faro", "Elm"), ("Bonn", "Elm"))]
    >>> found = duplicates(eq("city") * edit("name"), shops, threshold=0.7)
    >>> found.pairs, found.clusters, found.compared
    ((Pair(first=0, second=1, score=0.75),), ((0, 1),), 1)

    No pair is missed: one is left out only where an equality that φ asks for does not hold, or where what the two
    objects share is too little for the threshold. If φ tells its sides apart, the score of a pair is the larger of
    φ(x, y) and φ(y, x).
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not threshold > 0:
        raise ExpressionError(f"threshold={threshold!r}; write a similarity above 0, such as threshold=0.9")
    comparison = Comparison(phi, xs)
    found = find(comparison, threshold, jobs=jobs, done=done)
    best: dict[tuple[int, int], float] = {}
    for i, j, score in zip(found.rows.tolist(), found.columns.tolist(), found.scores.tolist(), strict=True):
        place = (i, j) if i < j else (j, i)
        best[place] = max(score, best.get(place, score))
    pairs = (Pair(i, j, score) for (i, j), score in best.items())
    ordered = sorted(pairs, key=lambda pair: (-pair.score, pair.first, pair.second))
    return Duplicates(len(comparison.xs), float(threshold), tuple(ordered), found.compared)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

"""The most similar objects of each object; near-duplicates are pairs that are similar enough, and their clusters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from matchwise.algebra.facts import facts
from matchwise.arrays import Floats, Integers
from matchwise.corpus.suite import Scorable
from matchwise.errors import ExpressionError, name_some
from matchwise.relating.comparison import ListComparison
from matchwise.relating.search import find, find_by_tiles
from matchwise.sheets.shown import Tabled

if TYPE_CHECKING:
    from matchwise.runners.runner import Done

ALL_PAIRS = 4_000_000
"""Up to this many pairs are all compared."""

STEPS = (0.9, 0.7, 0.5, 0.3)
"""Thresholds at which neighbours are looked for, until every object has enough."""


class Neighbour(NamedTuple):
    """The place of an object in its list, and how similar it is."""

    place: int
    score: float


def nearest(
    phi: Scorable,
    xs: Iterable[Any],
    ys: Iterable[Any] | None = None,
    *,
    k: int = 1,
    threshold: float = 0.0,
    jobs: int = 1,
    done: Done | None = None,
) -> list[list[Neighbour]]:
    """Find for each x the k most similar ys, the most similar first; without `ys`, among the others of `xs`.

    >>> import matchwise as mw
    >>> mw.nearest(mw.f1(), [["a", "b"], ["a"]], [["b", "c"], ["a", "b"], ["d"]])
    [[Neighbour(place=1, score=1.0)], [Neighbour(place=1, score=0.6666666666666666)]]

    Objects that are equally similar come in the order of the list. An object with a similarity of 0, or one below
    `threshold`, is not a neighbour. The result is exact: a pair is left out only where a bound proves that it is not
    among the nearest.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ExpressionError(f"k={k!r}; write how many neighbours each object should have at most, such as k=5")
    comparison = ListComparison(phi, xs, ys)
    _check_reachable(comparison, threshold)
    n, m = comparison.shape
    made: list[list[Neighbour]] = [[] for _ in range(n)]
    pending = list(range(n))
    steps = [step for step in STEPS if step > threshold] if n * m > ALL_PAIRS and facts(comparison.phi).bounded else []
    for step in (*steps, threshold):
        for place in pending:
            made[place] = []
        for row, column, score in _best_above(comparison, pending, step, k, jobs, done):
            made[pending[row]].append(Neighbour(column, score))
        pending = [place for place in pending if len(made[place]) < k]
        if not pending:
            break
    return made


def _check_reachable(comparison: ListComparison, threshold: float) -> None:
    """Refuse a threshold that no pair can reach."""
    if threshold > 1 and facts(comparison.phi).bounded:
        raise ExpressionError(
            f"no pair reaches a threshold of {threshold:g}: equal objects have a similarity of 1; write 0.9, for one"
        )


def _best_above(
    comparison: ListComparison, places: list[int], threshold: float, k: int, jobs: int, done: Done | None
) -> list[tuple[int, int, float]]:
    """The k best of some objects among those that are at least so similar, and not 0; the lower place wins a tie."""
    some = comparison if len(places) == comparison.shape[0] else comparison.take(places)
    best: tuple[Integers, Integers, Floats] = np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0)
    found = [find(some, threshold, jobs=jobs, done=done)[:3]] if threshold > 0 else None
    for rows, columns, scores in found or find_by_tiles(some, threshold, jobs, done):
        keep = np.array(places)[rows] != columns if comparison.within else slice(None)
        several = [best, (rows[keep], columns[keep], scores[keep])]
        if some.symmetric:
            several.append((columns, rows, scores))
        rows, columns, scores = (np.concatenate(part) for part in zip(*several, strict=True))
        order = np.lexsort((columns, -scores, rows))
        rows, columns, scores = rows[order], columns[order], scores[order]
        first = np.arange(len(rows)) - np.searchsorted(rows, rows, "left") < k
        best = rows[first], columns[first], scores[first]
    return list(zip(*(part.tolist() for part in best), strict=True))


class SimilarPair(NamedTuple):
    """Two places of the list, the lower first, and how similar their objects are."""

    first: int
    second: int
    score: float


@dataclass(frozen=True, repr=False)
class Duplicates(Tabled):
    """The pairs of a list of objects that are at least as similar as the threshold, the most similar first.

    >>> import matchwise as mw
    >>> found = mw.duplicates(mw.edit(), ["cat", "cats", "dog"], threshold=0.7)
    >>> found.pairs
    (SimilarPair(first=0, second=1, score=0.75),)
    """

    objects: int
    threshold: float
    pairs: tuple[SimilarPair, ...]
    compared: int
    """Pairs of which φ was computed; all others were proved to be below the threshold."""

    @cached_property
    def clusters(self) -> tuple[tuple[int, ...], ...]:
        """Groups of objects connected by pairs, sorted by their first object."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        ends = np.array([pair[:2] for pair in self.pairs], dtype=np.int64).reshape(-1, 2)
        shape = self.objects, self.objects
        codes = connected_components(coo_array((np.ones(len(ends)), ends.T), shape=shape), directed=False)[1].tolist()
        made: dict[int, list[int]] = {}
        for place in np.unique(ends).tolist():
            made.setdefault(codes[place], []).append(place)
        return tuple(map(tuple, made.values()))

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
        compared = min(self.compared, whole)  # φ that is not symmetric is compared both ways, and with itself
        return (
            f"{_say(self.objects, 'object')}: {_say(len(self.pairs), 'pair')} at {self.threshold:g} or above, "
            f"in {_say(len(self.clusters), 'cluster')}; {compared:,} of {_say(whole, 'pair')} compared"
        )

    def __repr__(self) -> str:
        return f"<Duplicates of {self}>"

    def tables(self, *, brief: bool = False) -> dict[str, list[dict[str, Any]]]:
        clusters = list(enumerate(self.clusters, start=1))
        if brief:
            shown = [{"cluster": number, "objects": name_some(places, most=20)} for number, places in clusters]
        else:
            shown = [{"cluster": number, "object": place} for number, places in clusters for place in places]
        return {"pairs": [pair._asdict() for pair in self.pairs], "clusters": shown}

    def notes(self) -> list[str]:
        return [str(self)]


def duplicates(
    phi: Scorable, xs: Iterable[Any], *, threshold: float, jobs: int = 1, done: Done | None = None
) -> Duplicates:
    """Find every pair of objects with φ(x, y) ≥ threshold.

    >>> import matchwise as mw
    >>> shops = [{"city": city, "name": name} for city, name in (("Faro", "Elms"), ("Faro", "Elm"), ("Bonn", "Elm"))]
    >>> found = mw.duplicates(mw.eq("city") * mw.edit("name"), shops, threshold=0.7)
    >>> found.pairs, found.clusters, found.compared
    ((SimilarPair(first=0, second=1, score=0.75),), ((0, 1),), 1)

    No pair is missed: one is left out only where an equality that φ asks for does not hold, or where what the two
    objects share is too little for the threshold. If φ tells its sides apart, the score of a pair is the larger of
    φ(x, y) and φ(y, x).
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not threshold > 0:
        raise ExpressionError(f"threshold={threshold!r}; write a similarity above 0, such as threshold=0.9")
    comparison = ListComparison(phi, xs)
    _check_reachable(comparison, threshold)
    found = find(comparison, threshold, jobs=jobs, done=done)
    best: dict[tuple[int, int], float] = {}
    for i, j, score in zip(found.rows.tolist(), found.columns.tolist(), found.scores.tolist(), strict=True):
        place = (i, j) if i < j else (j, i)
        best[place] = max(score, best.get(place, score))
    pairs = (SimilarPair(i, j, score) for (i, j), score in best.items())
    ordered = sorted(pairs, key=lambda pair: (-pair.score, pair.first, pair.second))
    return Duplicates(len(comparison.xs), float(threshold), tuple(ordered), found.compared)


def _say(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

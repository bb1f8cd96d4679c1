"""γ of Mathet, Widlöcher and Métivier (2015): agreement on where units are and of which category, found together.

A unitary alignment has at most one unit of each annotator. Its disorder is the mean dissimilarity of its pairs, where
a unit and nothing, and nothing and nothing, are Δ apart:

    d(u, v) = α · ((|left_u − left_v| + |right_u − right_v|) / (length_u + length_v))² · Δ + β · ⟦category differs⟧ · Δ

The alignment of a document is the partition of all units into unitary alignments that has the least disorder; divided
by the mean number of units of an annotator it is the disorder of the document. γ = 1 − observed / expected, expected by
annotations that are shifted along the document at random, each by itself (§5.2). A corpus adds the disorders up.

For two annotators the best partition is an assignment problem. For more it is an integer programme: each unit is in
exactly one of the unitary alignments that can be part of an optimum, those that have no more disorder than their units
would have alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from matchwise.algebra.build import Selectable, selector
from matchwise.algebra.nodes import Eq, Overlap, Selector
from matchwise.arrays import Floats
from matchwise.corpus.elements import content_of, elements_of, select_all
from matchwise.corpus.table import Id
from matchwise.errors import DataError, MatchwiseError, check_whole, naming_document
from matchwise.relating.annotations import Annotators, gather
from matchwise.sheets.shown import Tabled


class Unit(NamedTuple):
    """A stretch of a document, and its category."""

    left: float
    right: float
    category: Hashable = None


class Weights(NamedTuple):
    """How much position, category and a missing partner weigh."""

    alpha: float = 1.0
    beta: float = 1.0
    empty: float = 1.0


DEFAULT = Weights()


@dataclass(frozen=True, slots=True)
class Gamma(Tabled):
    """γ of a corpus and of each document; `error` is the standard error that comes from drawing `samples`."""

    value: float | None
    observed: float
    expected: float
    error: float
    samples: int
    documents: dict[Id, float | None]

    def worst(self, n: int = 10) -> list[tuple[Id, float]]:
        """The documents with the lowest γ, lowest first."""
        found = [(id, value) for id, value in self.documents.items() if value is not None]
        return sorted(found, key=lambda row: row[1])[:n]

    def to_dict(self) -> dict[str, Any]:
        named = {name: getattr(self, name) for name in ("observed", "expected", "error", "samples")}
        return {"gamma": self.value, **named, **self.tables()}

    def __str__(self) -> str:
        value = "–" if self.value is None else f"{self.value:.4f}"
        return (
            f"γ {value} (disorder {self.observed:.4f}, {self.expected:.4f} expected; "
            f"standard error {self.error:.4f} from {self.samples} samples), {len(self.documents)} documents"
        )

    __repr__ = __str__

    def tables(self, *, brief: bool = False) -> dict[str, list[dict[str, Any]]]:
        rows = self.worst(len(self.documents)) if brief else self.documents.items()
        return {"documents": [{"document": id, "gamma": value} for id, value in rows]}

    def notes(self) -> list[str]:
        return [str(self)]


def gamma(
    annotators: Annotators,
    elements: Selectable,
    *,
    span: Selectable = "span",
    category: Selectable = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    empty: float = 1.0,
    samples: int = 30,
    precision: float | None = 0.02,
    seed: int = 0,
) -> Gamma:
    """Agreement on spans, γ: `elements` selects them in a document, `span` and `category` select in an element.

    `samples` annotations are drawn for each document; with `precision`, as many more as it takes to have the expected
    disorder of the corpus within that share of itself, with a probability of 95 % (§5.3).

    >>> import matchwise as mw
    >>> ann = [{"xs": [{"span": (0, 4), "type": "a"}, {"span": (6, 9), "type": "b"}]}]
    >>> mw.gamma({"ann": ann, "bob": ann}, "xs", category="type").value
    1.0
    """
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not value >= 0:
            raise MatchwiseError(f"{name}={value!r}; write a number that is not negative")
    if not empty > 0:
        raise MatchwiseError(f"empty={empty!r}; write a number above 0")
    check_whole("samples", samples, 2, "at least 2, better 30")
    if precision is not None and not 0 < precision < 1:
        raise MatchwiseError(f"precision={precision!r}; write a share such as 0.02, or None")
    weights = Weights(alpha, beta, empty)
    found = gather(annotators)
    where = Overlap(selector(elements), Eq()), selector(span), selector(category)
    documents = {
        id: [_units(found.table[id][name], name, id, *where) for name in found.names if name in found.table[id]]
        for id in found.shared()
    }
    documents = {id: sides for id, sides in documents.items() if any(sides)}
    if not documents:
        raise DataError("no document with two annotators has any span")
    rng = np.random.Generator(np.random.PCG64(seed))
    sizes = np.array([sum(map(len, sides)) / len(sides) for sides in documents.values()])
    observed = np.array([disorder(sides, weights) for sides in documents.values()]) * sizes
    drawn = _draw(list(documents.values()), weights, samples, rng) * sizes
    if precision is not None:
        totals = drawn.sum(axis=1)
        needed = ceil((float(totals.std() / totals.mean()) * 1.96 / precision) ** 2)
        if needed > samples:
            drawn = np.concatenate([drawn, _draw(list(documents.values()), weights, needed - samples, rng) * sizes])
    expected, total = float(drawn.sum(axis=1).mean()), float(observed.sum())
    spread = float(drawn.sum(axis=1).std(ddof=1)) / sqrt(len(drawn)) if len(drawn) > 1 else 0.0
    each = drawn.mean(axis=0)
    return Gamma(
        _correct_for_chance(total, expected),
        total / float(sizes.sum()),
        expected / float(sizes.sum()),
        total / expected**2 * spread,
        len(drawn),
        {id: _correct_for_chance(float(o), float(e)) for id, o, e in zip(documents, observed, each, strict=True)},
    )


def disorder(sides: Sequence[Sequence[Unit]], weights: Weights = DEFAULT) -> float:
    """The disorder of the best alignment of the units of several annotators.

    >>> disorder([[Unit(0, 4, "a")], [Unit(0, 4, "b")]]), disorder([[Unit(0, 4, "a")], []])
    (1.0, 2.0)
    """
    units = sum(map(len, sides))
    if not units:
        return 0.0
    tables = {(a, b): dissimilarities(sides[a], sides[b], weights) for a, b in combinations(range(len(sides)), 2)}
    return least_disorder([len(side) for side in sides], tables, weights.empty) / (units / len(sides))


def dissimilarities(us: Sequence[Unit], vs: Sequence[Unit], weights: Weights) -> Floats:
    """d(u, v) of all pairs."""
    if not us or not vs:
        return np.zeros((len(us), len(vs)))
    (a, b), (c, d) = (np.array([unit[:2] for unit in side], dtype=float).T for side in (us, vs))
    apart = np.abs(a[:, None] - c) + np.abs(b[:, None] - d)
    length = (b - a)[:, None] + (d - c)
    position = np.divide(apart, length, out=np.where(apart > 0, np.inf, 0.0), where=length != 0) ** 2
    differs = np.array([[u.category != v.category for v in vs] for u in us], dtype=float)
    made: Floats = (weights.alpha * position + weights.beta * differs) * weights.empty
    return made


def _draw(documents: list[list[list[Unit]]], weights: Weights, samples: int, rng: Any) -> Floats:
    """The disorders of annotations by chance: samples × documents."""
    return np.array([[disorder(_shift(sides, rng), weights) for sides in documents] for _ in range(samples)])


def _shift(sides: list[list[Unit]], rng: Any) -> list[list[Unit]]:
    """As many annotators, each one of the real ones, shifted around the document by shifts that lie apart."""
    units = [unit for side in sides for unit in side]
    start, end = min(unit.left for unit in units), max(unit.right for unit in units)
    length = max(end - start, 1)
    apart = sum(unit.right - unit.left for unit in units) / len(units) / 2
    shifts: list[float] = []
    for _ in sides:
        shift = float(rng.uniform(0, length))
        for _ in range(100):  # where no place is left, any will do
            if all(min(abs(shift - other), length - abs(shift - other)) >= apart for other in shifts):
                break
            shift = float(rng.uniform(0, length))
        shifts.append(shift)
    chosen = [sides[int(place)] for place in rng.integers(0, len(sides), len(sides))]
    if not any(chosen):
        return _shift(sides, rng)
    made: list[list[Unit]] = [[] for _ in chosen]
    for moved, side, shift in zip(made, chosen, shifts, strict=True):
        for unit in side:
            left = start + (unit.left - start + shift) % length
            moved.append(unit._replace(left=left, right=left + unit.right - unit.left))
    return made


def _units(document: Any, name: str, id: Id, elements: Overlap, span: Selector, category: Selector) -> list[Unit]:
    with naming_document(id):
        items = elements_of(elements, document, name)
        spans = select_all(items, span, name)
        labels, _ = content_of(select_all(items, category, name), names=True) if category else ([None] * len(items), [])
        return [Unit(*_ends(one), label) for one, label in zip(spans, labels, strict=True)]


def _ends(span: Any) -> tuple[float, float]:
    """The two ends of a span, over all its pieces."""
    if isinstance(span, list | tuple) and span and all(isinstance(part, list | tuple) for part in span):
        ends = [_ends(part) for part in span]
        return min(left for left, _ in ends), max(right for _, right in ends)
    match span:
        case [int() | float() as left, int() | float() as right] if left <= right:
            return float(left), float(right)
    raise DataError(f"found {span!r} as a span, expected [left, right] with left ≤ right")


def _correct_for_chance(observed: float, expected: float) -> float | None:
    if observed == 0:
        return 1.0
    return 1 - observed / expected if expected else None


Tables = Mapping[tuple[int, int], "Floats"]
"""The dissimilarities of the units of two annotators, the first before the second."""


def least_disorder(sizes: list[int], tables: Tables, empty: float) -> float:
    """The sum of the disorders of the unitary alignments of the best partition.

    >>> import numpy as np

    >>> least_disorder([2, 1], {(0, 1): np.array([[0.5], [3.0]])}, 1.0)
    1.5
    """
    total = float(sum(sizes) * empty)
    if len(sizes) == 2:
        from scipy.optimize import linear_sum_assignment

        saved = np.maximum(2 * empty - tables[0, 1], 0)
        rows, columns = linear_sum_assignment(saved, maximize=True)
        return total - float(saved[rows, columns].sum())
    found = list(_candidates(sizes, tables, empty))
    if not found:
        return total
    from scipy.optimize import LinearConstraint, milp
    from scipy.sparse import csr_array

    starts = np.concatenate([[0], np.cumsum(sizes)])
    places = [int(starts[annotator] + unit) for members, _ in found for annotator, unit in members]
    numbers = [number for number, (members, _) in enumerate(found) for _ in members]
    saved = np.array([len(members) * empty - disorder for members, disorder in found])
    within = csr_array((np.ones(len(places)), (places, numbers)), shape=(int(starts[-1]), len(found)))
    solved = milp(-saved, integrality=np.ones(len(found)), bounds=(0, 1), constraints=LinearConstraint(within, -inf, 1))
    assert solved.x is not None, solved.message
    return total - float(saved[solved.x > 0.5].sum())


def _candidates(sizes: list[int], tables: Tables, empty: float) -> Iterator[tuple[list[tuple[int, int]], float]]:
    """The unitary alignments of two units or more that are better than their units alone, and the disorder of each."""
    n = len(sizes)
    pairs = n * (n - 1) / 2

    def extend(
        members: list[tuple[int, int]], inside: float, annotator: int
    ) -> Iterator[tuple[list[tuple[int, int]], float]]:
        if annotator == n:
            if len(members) > 1:
                missing = pairs - len(members) * (len(members) - 1) / 2
                disorder = (inside + missing * empty) / pairs
                if disorder < len(members) * empty:
                    yield members, disorder
            return
        yield from extend(members, inside, annotator + 1)
        for unit in range(sizes[annotator]):
            more = inside + sum(float(tables[other, annotator][place, unit]) for other, place in members)
            if more < pairs * n * empty:  # no alignment may have more
                yield from extend([*members, (annotator, unit)], more, annotator + 1)

    yield from extend([], 0.0, 0)

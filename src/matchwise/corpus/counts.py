"""The counts of a corpus: a commutative monoid, from which P, R, F_β, J and error rates are read.

>>> counts = Counts(2, 3, 4) + Counts(1, 1, 1)
>>> counts, counts.precision(), counts.recall()
(Counts(matched=3, predicted=4, reference=5), 0.75, 0.6)

A `Reading` says how the value of a similarity is read: what stands at its root is applied to the sum of documents.
Sums are never rounded: an *expansion* is a few floats, the largest first, that add up to one (Shewchuk 1997). It is
determined by the sum alone, so that shards give the floats that one run gives.

>>> expansion([0.1] * 10), expansion([0.1] * 3 + [0.1] * 7) == expansion([0.1] * 10)
((1.0, 5.551115123125783e-17), True)

A slice of a corpus (a label, a field) has `PortionRows`: counts of the documents in which it occurs.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import fsum, inf, isfinite
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args

import numpy as np
from msgspec import Struct, field

from matchwise.algebra.nodes import Harmonic, Kind, Latent, Normalized, Number, Overlap, Similarity, Sum
from matchwise.arrays import Floats, Integers
from matchwise.engine.rewrite import outermost


@dataclass(frozen=True, repr=False, slots=True)
class Counts:
    """What documents add up to: matched Σ(P, R), predicted Σ(P, P) and reference Σ(R, R). `Counts()` is zero.

    `recalled` is the numerator of recall where it is another number than `matched`, that of precision (B³).

    >>> import matchwise as mw
    >>> counts = mw.Counts(3, 4, 6) + mw.Counts(1, 1, 1)
    >>> counts.matched, counts.predicted, counts.reference
    (4, 5, 7)
    >>> counts.precision(), round(counts.f1(), 4)
    (0.8, 0.6667)
    """

    matched: Number = 0
    predicted: Number = 0
    reference: Number = 0
    recalled: Number | None = None

    def __add__(self, other: Counts) -> Counts:
        recalled = None
        if self.recalled is not None or other.recalled is not None:
            recalled = self.found + other.found
        return Counts(
            self.matched + other.matched,
            self.predicted + other.predicted,
            self.reference + other.reference,
            recalled,
        )

    @property
    def found(self) -> Number:
        """The numerator of recall."""
        return self.matched if self.recalled is None else self.recalled

    def precision(self, *, empty: Number = 1) -> float:
        """P = matched / predicted; 0/0 is `empty`."""
        return _ratio(self.matched, self.predicted, empty)

    def recall(self, *, empty: Number = 1) -> float:
        """R = recalled / reference; 0/0 is `empty`."""
        return _ratio(self.found, self.reference, empty)

    def f1(self, *, empty: Number = 1) -> float:
        """F = 2 matched / (predicted + reference); 0/0 is `empty`."""
        return self.fbeta(1, empty=empty)

    def fbeta(self, beta: Number, *, empty: Number = 1) -> float:
        """F_β = (1 + β²) matched / (predicted + β² reference), of two numerators (1 + β²) PR / (β² P + R); F_∞ = R."""
        if beta == inf:
            return self.recall(empty=empty)
        square = beta**2
        if self.recalled is None:
            return _ratio((1 + square) * self.matched, self.predicted + square * self.reference, empty)
        p, r = self.precision(empty=empty), self.recall(empty=empty)
        return _ratio((1 + square) * p * r, square * p + r, 0)

    def jaccard(self, *, empty: Number = 1) -> float:
        """J = matched / (predicted + reference − matched), of two numerators F / (2 − F)."""
        if self.recalled is None:
            return _ratio(self.matched, self.predicted + self.reference - self.matched, empty)
        f = self.f1(empty=empty)
        return _ratio(f, 2 - f, empty)

    def error_rate(self) -> float:
        """(predicted + reference − matched − recalled) / reference, and where that is 0, over 1."""
        return max(0.0, float((self.predicted + self.reference - self.matched - self.found) / (self.reference or 1)))

    def to_dict(self) -> dict[str, Number]:
        named: dict[str, Number] = {
            "matched": self.matched,
            "predicted": self.predicted,
            "reference": self.reference,
        }
        return named if self.recalled is None else {**named, "recalled": self.recalled}

    def __repr__(self) -> str:
        return f"Counts({', '.join(f'{name}={number!r}' for name, number in self.to_dict().items())})"


def exact_total(numbers: Iterable[float] | Floats) -> Number:
    """The sum, which is never rounded, so that the order of adding changes nothing.

    >>> from fractions import Fraction
    >>> exact_total([1, 0.5, 0.5]), exact_total([0.1] * 10) == 10 * Fraction(0.1)
    (2, True)
    """
    total = sum(map(Fraction, expansion(numbers)), start=Fraction())
    return total.numerator if total.denominator == 1 else total


def plain(number: Number) -> int | float:
    """The same number as an integer where it is one, else as the nearest float."""
    return int(number) if number == int(number) else float(number)


def _ratio(above: Number, below: Number, empty: Number) -> float:
    return float(above / below) if below else float(empty)


WIDTH = 4
"""The numbers that a document has under one metric, in the order of `Counts`."""

Score: TypeAlias = Literal["value", "precision", "recall", "f1"]
"""What is read of a metric; `"value"` is that of its own kind."""

SCORES: tuple[Score, ...] = get_args(Score)

ERRORS = ("error_rate", "loss")
"""The kinds of values that are better if they are less."""


class Reading(Struct, frozen=True):
    """How the value of φ is read from its counts.

    `"total"` is that of an unnormalised φ; `"mean"` that of a φ without counts, averaged over documents.
    """

    kind: Kind | Literal["harmonic", "total", "mean"]
    beta: Number = 1
    empty: Number = 1
    empty_recall: Number = 1

    @property
    def is_error(self) -> bool:
        """True of an error rate: less is better."""
        return self.kind in ERRORS

    def read(self, counts: Counts, score: Score = "value") -> float:
        """A score of the counts: the value of φ's own kind, or another."""
        kind = self.kind if score == "value" else score
        match kind:
            case "precision" | "mean":
                return counts.precision(empty=self.empty)
            case "recall":
                return counts.recall(empty=self.empty_recall)
            case "jaccard":
                return counts.jaccard(empty=self.empty)
            case "error_rate":
                return counts.error_rate()
            case "total":
                return float(counts.matched)
        if self.kind == "harmonic":
            p, r = self.read(counts, "precision"), self.read(counts, "recall")
            return 2 * p * r / (p + r) if p + r else 0.0
        return counts.fbeta(self.beta if score == "value" else 1, empty=self.empty)


@lru_cache(maxsize=1024)
def reading(phi: Similarity) -> Reading:
    """How the value of φ is read, from its root.

    >>> from matchwise.algebra.build import f1, mean
    >>> reading(f1("mentions", empty=0)).kind, reading(mean(f1("mentions"))).kind
    ('f1', 'mean')
    """
    match outermost(phi):
        case Normalized(kind, _, beta, empty) as root if root.is_counted:
            return Reading(kind, beta, empty, empty)
        case Overlap() | Sum() | Latent(Overlap() | Sum()):
            return Reading("total")
        case Harmonic(Normalized("precision", empty=empty), Normalized("recall", empty=empty_recall)):
            return Reading("harmonic", 1, empty, empty_recall)
        case _:
            return Reading("mean")


class Portion(NamedTuple):
    """A slice of a metric: its elements with one label, or one field of a sum."""

    kind: Literal["label", "field"]
    metric: str
    name: Hashable


def label_text(label: Hashable) -> str:
    """Write a label for tables; elements without a label share a row."""
    return "(none)" if label is None else str(label)


def name_labels(labels: Iterable[Hashable], taken: Collection[str] = ()) -> dict[str, Hashable]:
    """Name -> label, for columns: no two labels share a name, nor has one a name that is taken.

    >>> name_labels([1, "1", None, "all"], taken={"all"})
    {'1': 1, '1 ': '1', '(none)': None, 'all ': 'all'}
    """
    found: dict[str, Hashable] = {}
    for label in labels:
        name = label_text(label)
        while name in taken or name in found:
            name += " "
        found[name] = label
    return found


def add_counts(into: dict[Any, Any], more: Mapping[Any, Any]) -> None:
    """Add the counts of fields or labels in other documents, by name."""
    into.update({name: into[name] + counts if name in into else counts for name, counts in more.items()})


class PortionRows(Struct):
    """The documents in which a slice occurs, by position, and its four numbers in each of them."""

    documents: array[int] = field(default_factory=lambda: array("q"))
    counts: array[float] = field(default_factory=lambda: array("d"))

    def add(self, documents: Integers | Sequence[int], counts: Floats | Sequence[Sequence[float]]) -> PortionRows:
        self.documents.frombytes(np.asarray(documents, dtype=np.int64).tobytes())
        self.counts.frombytes(np.asarray(counts, dtype=np.float64).tobytes())
        return self

    def arrays(self) -> tuple[Integers, Floats]:
        return np.array(self.documents, dtype=np.int64), np.array(self.counts).reshape(-1, WIDTH)


Expansion: TypeAlias = tuple[float, ...]


def expansion(numbers: Iterable[float] | Floats) -> Expansion:
    """Σ numbers, exactly: each float is what the ones before it leave, rounded."""
    left: list[float] = numbers.tolist() if isinstance(numbers, np.ndarray) else list(numbers)
    found: list[float] = []
    while rest := fsum(left):
        found.append(rest)
        if not isfinite(rest):
            break
        left.append(-rest)
    return tuple(found)


Numbers = TypeVar("Numbers", float, "Any")

SPLITTER = 2.0**27 + 1


def exact_product(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """x · y as a rounded product and the rest, exactly (Dekker 1971); of numbers or of arrays.

    >>> exact_product(0.1, 3.0)
    (0.30000000000000004, -2.7755575615628914e-17)
    """
    product = x * y
    (x1, x2), (y1, y2) = _halves(x), _halves(y)
    return product, x2 * y2 - (((product - x1 * y1) - x2 * y1) - x1 * y2)


def _halves(x: Any) -> tuple[Any, Any]:
    """Two numbers of 26 bits that add up to x."""
    scaled = SPLITTER * x
    high = scaled - (scaled - x)
    return high, x - high

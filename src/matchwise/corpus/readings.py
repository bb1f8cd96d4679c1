"""How a value is read from counts: what stands at the root of a similarity is applied to the sum of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from matchwise.algebra.nodes import Harmonic, Kind, Latent, Normalized, Number, Overlap, Similarity, Sum
from matchwise.corpus.counts import Counts
from matchwise.corpus.suite import Derived, Suite
from matchwise.engine.plan import CountColumns
from matchwise.engine.rewrite import outermost

WIDTH = 4
"""The numbers that a document has under one metric, in the order of `Counts`."""


class Columns(NamedTuple):
    """The counts of one metric, document by document."""

    counts: CountColumns[float]
    open: Mapping[int, tuple[float, ...]]
    """The documents whose optimum was not proved within the limits, and their counts at best."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the value of φ is read from its counts.

    `"total"` is that of an unnormalised φ; `"mean"` that of a φ without counts, averaged over documents.
    """

    kind: Kind | Literal["harmonic", "total", "mean"]
    beta: Number = 1
    empty: Number = 1
    empty_recall: Number = 1

    def value(self, counts: Counts) -> float:
        match self.kind:
            case "precision" | "mean":
                return self.precision(counts)
            case "recall":
                return self.recall(counts)
            case "f1" | "fbeta":
                return counts.fbeta(self.beta, empty=self.empty)
            case "jaccard":
                return counts.jaccard(empty=self.empty)
            case "harmonic":
                return self.f1(counts)
            case "total":
                return float(counts.matched)

    def precision(self, counts: Counts) -> float:
        return counts.precision(empty=self.empty)

    def recall(self, counts: Counts) -> float:
        return counts.recall(empty=self.empty_recall)

    def f1(self, counts: Counts) -> float:
        if self.kind != "harmonic":
            return counts.f1(empty=self.empty)
        p, r = self.precision(counts), self.recall(counts)
        return 2 * p * r / (p + r) if p + r else 0.0

    def values(self, columns: CountColumns[float]) -> list[float]:
        """The value of each document."""
        matched, predicted, reference, _ = columns
        if self.kind == "f1" and self.beta == 1:  # the same divisions, without an object for each document
            empty, rows = float(self.empty), zip(matched, predicted, reference, strict=True)
            return [2 * m / below if (below := p + r) else empty for m, p, r in rows]
        if self.kind == "precision" or self.kind == "mean":
            return self.precisions(columns)
        if self.kind == "recall":
            return self.recalls(columns)
        if self.kind != "harmonic":
            return [self.value(Counts(*row)) for row in zip(matched, predicted, reference, strict=True)]
        return [self.value(Counts(*row)) for row in zip(*columns, strict=True)]

    def precisions(self, columns: CountColumns[float]) -> list[float]:
        """The precision of each document."""
        return _ratios(columns.matched, columns.predicted, self.empty)

    def recalls(self, columns: CountColumns[float]) -> list[float]:
        """The recall of each document."""
        found = columns.recalled if self.kind == "harmonic" else columns.matched
        return _ratios(found, columns.reference, self.empty_recall)


def _ratios(above: Sequence[float], below: Sequence[float], empty: Number) -> list[float]:
    nothing = float(empty)
    return [one / other if other else nothing for one, other in zip(above, below, strict=True)]


def reading(phi: Similarity) -> Reading:
    """How the value of φ is read, from its root.

    >>> from matchwise.algebra.build import f1, mean
    >>> reading(f1("mentions", empty=0)).kind, reading(mean(f1("mentions"))).kind
    ('f1', 'mean')
    """
    match outermost(phi):
        case Normalized(kind, _, beta, empty):
            return Reading(kind, beta, empty, empty)
        case Overlap() | Sum() | Latent(Overlap() | Sum()):
            return Reading("total")
        case Harmonic(Normalized("precision", empty=empty), Normalized("recall", empty=empty_recall)):
            return Reading("harmonic", 1, empty, empty_recall)
        case _:
            return Reading("mean")


def read_suite(suite: Suite) -> dict[str, Reading | Derived]:
    """How to read the value of every entry; a derived entry is read from the values of others."""
    return {name: entry if isinstance(entry, Derived) else reading(entry) for name, entry in suite.entries}

"""The values of a corpus: what is read from the counts of its documents or from their sums, entry by entry of a suite.

Sums over documents are never rounded (`expansion`): how documents are grouped and in which order changes nothing.
"""

from __future__ import annotations

from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from msgspec import Struct

from matchwise.arrays import Floats
from matchwise.corpus.counts import ERRORS, WIDTH, Counts, Expansion, Reading, Score, expansion, plain
from matchwise.corpus.statistic import MomentSums, measure, statistic
from matchwise.corpus.suite import Derived
from matchwise.engine.limits import Bounds
from matchwise.engine.plan import CountColumns
from matchwise.errors import ExpressionError

if TYPE_CHECKING:
    from matchwise.corpus.table import Table

Each: TypeAlias = Literal["value", "best", "precision", "recall"]
"""What a document has by itself; `"best"` is the upper bound of its value."""

ROUNDING = 1e-12
"""The share of its elements that a document may lack and still be right: sums of weights are rounded."""


class Value:
    """The values of one entry of a suite: of a metric, or of what is derived from several.

    `rows` has the counts of the documents that have rows, `best` those at best, where optima were not proved; `parts`
    are the metrics that a value is derived from, which has no counts of its own. `values_of` makes all of a table.
    """

    def __init__(self, name: str, table: Table, rows: Floats, best: Floats, parts: tuple[Value, ...] = ()) -> None:
        self._name, self._table, self._rows, self._best, self.parts = name, table, rows, best, parts
        entry = self.entry = table.readings[name]
        """How the value is read from counts, or from which metrics it is derived."""
        self.is_derived: bool = isinstance(entry, Derived)
        """Whether it has no counts of its own."""
        self.searched: bool = name in table.searched or any(part.searched for part in parts)
        """Whether it is an optimum that is searched for, so that it matters whether it is proved."""
        self.is_open: bool = name in table.open or any(part.is_open for part in parts)
        """Whether the optimum of a document was not proved within the limits."""
        self.has_sides: bool
        """Whether precision and recall are shown: a mean over documents has none, an average over classes averages."""
        self.is_error: bool
        """Whether it is an error rate, or derived from one: less is better. Of what error rates leave, more is."""
        if isinstance(entry, Derived):
            self.has_sides = entry.where is not None and all(part.has_sides for part in parts)
            self.is_error = (entry.how in ERRORS) != any(part.is_error for part in parts)
        else:
            self.has_sides, self.is_error = entry.kind != "mean", entry.kind in ERRORS

    @property
    def reading(self) -> Reading:
        """How the value of a metric is read from its counts."""
        if isinstance(self.entry, Derived):
            raise ExpressionError(f"{self.entry!r} has no counts of its own; read the counts of its metrics")
        return self.entry

    @cached_property
    def counts(self) -> Counts:
        """The sum over documents: matched, predicted, reference, and recalled where it is counted by itself."""
        return self._add_up(at_best=False)

    def _add_up(self, *, at_best: bool) -> Counts:
        kind, sums = self.reading.kind, self._table.sums
        if sums is None:
            totals = [expansion(column) for column in (self._best if at_best else self._rows).T]
        else:
            first = self._table.metrics.index(self._name) * WIDTH
            more = sums.gained if at_best else ((),) * len(sums.totals)
            pairs = list(zip(sums.totals, more, strict=True))[first : first + WIDTH]
            totals = [total + gain for total, gain in pairs]
        matched, predicted, reference, recalled = (plain(fsum(total)) for total in totals)
        return Counts(matched, predicted, reference, recalled if kind == "harmonic" else None)

    def _read(self, score: Score, *, at_best: bool = False) -> float:
        """The value, or one of the sides, over all documents; or the upper bound of the value."""
        if isinstance(self.entry, Derived):
            where, over = self.entry.where, self.entry.over
            counted = (one for one in self.parts if where is None or over(one.counts.predicted, one.counts.reference))
            return self.entry.of([float(one.bounds.upper) if at_best else one._read(score) for one in counted])
        if score != "value" and not self.has_sides:
            raise _lack_sides(score)
        is_other = at_best and (self._best is not self._rows or self._table.sums is not None)
        return self.entry.read(self._add_up(at_best=True) if is_other else self.counts, score)

    @property
    def value(self) -> float:
        """The value of φ's own kind: F_β of an `fbeta`, J of a `jaccard`, the matched total of an `overlap`, …"""
        return self._read("value")

    @property
    def precision(self) -> float:
        return self._read("precision")

    @property
    def recall(self) -> float:
        return self._read("recall")

    @property
    def f1(self) -> float:
        return self._read("f1")

    @cached_property
    def bounds(self) -> Bounds:
        """The value and its upper bound; they are equal if every document is proved."""
        return Bounds(self.value, self._read("value", at_best=True))

    @cached_property
    def columns(self) -> CountColumns[float]:
        """The counts of each document."""
        self._check_kept()
        return CountColumns(*self._rows.T.tolist())

    @cached_property
    def per_document(self) -> list[float]:
        """The value of each document."""
        return self._list("value")

    @cached_property
    def right(self) -> list[bool]:
        """Whether each document is right: everything on either side is matched, or there is nothing on either side."""
        self._check_kept()
        if self.is_derived:
            return [all(several) for several in zip(*(part.right for part in self.parts), strict=True)]
        matched, predicted, reference, recalled = self._rows.T
        found = recalled if self.reading.kind == "harmonic" else matched
        lost = np.maximum(predicted - matched, reference - found)
        return list((lost <= ROUNDING * np.maximum(predicted, reference)).tolist())

    @property
    def spread(self) -> list[float]:
        """The value of each document as it is drawn: 1 if it is right, also where 0/0 is 0."""
        if any(part.reading.kind in ("total", "error_rate") for part in self.parts or (self,)):
            return self.per_document
        return [1.0 if right else value for right, value in zip(self.right, self.per_document, strict=True)]

    @cached_property
    def at_best(self) -> list[float]:
        """The upper bound of the value of each document."""
        return self._list("best")

    @cached_property
    def precisions(self) -> list[float]:
        """The precision of each document."""
        return self._list("precision")

    @cached_property
    def recalls(self) -> list[float]:
        """The recall of each document."""
        return self._list("recall")

    def _list(self, what: Each) -> list[float]:
        self._check_kept()
        return list(self.each(what).tolist())

    def _check_kept(self) -> None:
        """Refuse to say anything of single documents where only sums are kept."""
        if self._table.keep == "sums":
            raise not_kept()

    def each(self, what: Each) -> Floats:
        """What each document has by itself."""
        if isinstance(self.entry, Derived):
            columns = [(part.each(what).tolist(), *part._rows.T[1:3].tolist()) for part in self.parts]
            rows = zip(*(zip(*column, strict=True) for column in columns), strict=True)
            derived = self.entry
            return np.array([derived.of([value for value, *sizes in row if derived.over(*sizes)]) for row in rows])
        if what not in ("value", "best") and not self.has_sides:
            raise _lack_sides(what)
        score = statistic({self._name: self.entry}, self._name, "value" if what == "best" else what)
        return score.of(score.project(self._best if what == "best" else self._rows))

    @property
    def macro(self) -> float:
        """The mean over documents of their own values."""
        return self._mean("value")

    @property
    def macro_precision(self) -> float:
        """The mean over documents of their own precision."""
        return self._mean("precision")

    @property
    def macro_recall(self) -> float:
        """The mean over documents of their own recall."""
        return self._mean("recall")

    @cached_property
    def macro_bounds(self) -> Bounds:
        """The mean over documents, and its upper bound."""
        return Bounds(self.macro, self._mean("best"))

    def bounds_of(self, place: int) -> Bounds:
        """The value of one document, and its upper bound."""
        return Bounds(self.per_document[place], self.at_best[place])

    def __repr__(self) -> str:
        if isinstance(self.entry, Derived):
            return f"<{self.entry!r} {self.value:.4f}>"
        return f"<{self.entry.kind} {self.value:.4f}: {self.counts}>" if self.has_sides else f"<{self.value:.4f}>"

    def _repr_html_(self) -> str:
        from matchwise.reports.scores import score_row
        from matchwise.sheets.html import fragment
        from matchwise.sheets.table import PrintedTable, Sheet

        return str(fragment(Sheet((PrintedTable("scores", (score_row(self),)),))))

    def _mean(self, what: Each) -> float:
        """The mean over documents; if there are none, what is read where nothing was counted."""
        sums = self._table.sums
        if what in ("precision", "recall") and not self.has_sides:
            if not self.is_derived:
                raise _lack_sides(what)
            if self._table.keep == "sums":
                raise ExpressionError(
                    'its precision and recall over documents were not kept; count with keep="documents"'
                )
        if sums is None:
            values = self.each(what)
            if not len(values):
                return self._read("value" if what == "best" else what)
            return fsum(expansion(values)) / len(values)
        return fsum(sums.take(what, list(self._table.readings).index(self._name))) / sums.documents

    def sum_up(self) -> tuple[Expansion, Expansion, Expansion, Expansion]:
        """The sums over documents of their values, of what these may gain at best, of precisions and of recalls."""
        values = self.each("value")
        raised = np.concatenate([self.each("best"), -values]) if self.is_open else ()
        sides = (self.each("precision"), self.each("recall")) if self.has_sides else ((), ())
        return expansion(values), expansion(raised), expansion(sides[0]), expansion(sides[1])


def values_of(table: Table, matrix: Floats, best: Floats) -> dict[str, Value]:
    """The values of all entries of a suite, by the counts of documents, and the counts at best."""
    made: dict[str, Value] = {}
    for place, name in enumerate(table.metrics):
        own = slice(place * WIDTH, (place + 1) * WIDTH)
        rows = matrix[:, own]
        made[name] = Value(name, table, rows, rows if best is matrix else best[:, own])
    for name, entry in table.readings.items():
        if isinstance(entry, Derived):
            made[name] = Value(name, table, matrix[:, :0], best[:, :0], tuple(made[part] for part in entry.names))
    return {name: made[name] for name in table.readings}


def _lack_sides(what: Score | Each) -> ExpressionError:
    return ExpressionError(f"a mean over documents has no counts, hence no {what}; read .value")


def not_kept() -> ExpressionError:
    """The error for asking for documents when only sums were kept."""
    return ExpressionError('only sums were kept, and no counts of each document; count with keep="documents"')


class Sums(Struct, frozen=True):
    """What documents add up to: a constant number of numbers, whatever the number of documents."""

    documents: int
    totals: tuple[Expansion, ...]
    """The counts of each metric, in the order of `Counts`."""
    gained: tuple[Expansion, ...]
    """How much more each would be at best, where optima were not proved within the limits."""
    values: tuple[Expansion, ...]
    """The value that each document has by itself, under each entry of the suite (macro averages)."""
    raised: tuple[Expansion, ...]
    """How much more each of these would be at best."""
    precisions: tuple[Expansion, ...]
    """The precision that each document has by itself; nothing for an entry that has none."""
    recalls: tuple[Expansion, ...]
    spread: MomentSums | None = None
    """What intervals need; None of a file that was written without it."""

    def take(self, what: Each, place: int) -> Expansion:
        """The sum over documents of what they have by themselves, under the entry at a place of the suite."""
        if what == "best":
            return self.values[place] + self.raised[place]
        columns = {"value": self.values, "precision": self.precisions, "recall": self.recalls}
        return columns[what][place]

    def __add__(self, other: Sums) -> Sums:
        columns = (zip(getattr(self, name), getattr(other, name), strict=True) for name in self.__struct_fields__[1:-1])
        added = (tuple(expansion(mine + theirs) for mine, theirs in pairs) for pairs in columns)
        spread = None if self.spread is None or other.spread is None else self.spread + other.spread
        return Sums(self.documents + other.documents, *added, spread=spread)  # type: ignore[misc, arg-type]  # the fields between are all sums


def add_up(table: Table) -> Sums:
    """What the rows of a table add up to."""
    matrix, best = table.matrix(), table.matrix(at_best=True)
    gained = (np.concatenate(pair) for pair in zip(best.T, -matrix.T, strict=True))
    entries = [value.sum_up() for value in values_of(table, matrix, best).values()]
    values, raised, precisions, recalls = zip(*entries, strict=True)
    return Sums(
        len(matrix),
        tuple(map(expansion, matrix.T)),
        tuple(map(expansion, gained)) if table.open else ((),) * matrix.shape[1],
        values,
        raised,
        precisions,
        recalls,
        measure(table.readings, matrix),
    )

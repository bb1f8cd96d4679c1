"""Where the credit of a corpus comes from: counts split by field (of a sum) and by label (of a collection's elements).

Both tables are part of a score table that was asked for them. They hold exact numbers, so that the order of adding
changes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from matchwise.algebra.build import selector
from matchwise.algebra.names import given, undeclared
from matchwise.algebra.nodes import Harmonic, Latent, Normalized, Number, Overlap, Product, Selector, Similarity
from matchwise.corpus.counts import Counts, Portion, Reading, add_columns, exact_total, plain, reading
from matchwise.corpus.suite import Derived, Suite
from matchwise.engine.many.chosen.fields import FieldColumns, FieldCounts
from matchwise.engine.many.chosen.fields import fields as fields
from matchwise.engine.many.chosen.labels import ByLabel, labels, split
from matchwise.engine.many.frame import Frame
from matchwise.engine.rewrite import outermost
from matchwise.engine.selection import join
from matchwise.errors import DataError, ExpressionError, shorten

if TYPE_CHECKING:
    from matchwise.corpus.table import Table
    from matchwise.corpus.tally import Tally

FieldTable: TypeAlias = dict[str, dict[str, FieldCounts]]
"""Metric -> path -> counts."""

LabelTable: TypeAlias = dict[str, dict[Hashable, Counts]]
"""Metric -> label -> counts."""


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field of one metric: how often it was right, wrong, missing or invented."""

    metric: str
    path: str
    weight: Number
    right: Number
    wrong: Number
    missing: Number
    invented: Number
    predicted: Number
    reference: Number

    @property
    def counts(self) -> Counts:
        return Counts(self.right, self.predicted, self.reference)

    @property
    def precision(self) -> float:
        return self.counts.precision()

    @property
    def recall(self) -> float:
        return self.counts.recall()

    @property
    def f1(self) -> float:
        return self.counts.f1()

    def to_dict(self) -> dict[str, Any]:
        return {**given(self), "precision": self.precision, "recall": self.recall, "f1": self.f1}


@dataclass(frozen=True, slots=True)
class LabelSlice:
    """The part of a metric that falls to one label; a matched pair is recalled under the label of the reference."""

    reading: Reading
    counts: Counts

    @property
    def occurs(self) -> bool:
        """True if the metric has an element with the label; else it is a label of another metric of the suite."""
        return bool(self.counts.predicted or self.counts.reference)

    @property
    def value(self) -> float:
        return self.reading.value(self.counts)

    @property
    def precision(self) -> float:
        return self.reading.precision(self.counts)

    @property
    def recall(self) -> float:
        return self.reading.recall(self.counts)

    @property
    def f1(self) -> float:
        return self.reading.f1(self.counts)


Weigh: TypeAlias = Literal["equally", "reference"]


def mean_over_labels(parts: list[LabelSlice], score: str, weigh: Weigh) -> float:
    """The mean of a score over the labels that occur, optionally weighted by the reference; 0 without labels."""
    if weigh not in ("equally", "reference"):
        raise ExpressionError(f'weigh={weigh!r} is unknown; write "equally" or "reference"')
    parts = [part for part in parts if part.occurs]
    weights = [float(part.counts.reference) if weigh == "reference" else 1.0 for part in parts]
    values = [getattr(part, score) * weight for part, weight in zip(parts, weights, strict=True)]
    return fsum(values) / fsum(weights) if any(weights) else 0.0


def with_fields(suite: Suite) -> list[str]:
    """The metrics that have fields: they count a document by one Σ."""
    names = [name for name, phi in suite.metrics.items() if reading(phi).kind not in ("harmonic", "mean")]
    if not names:
        raise ExpressionError(
            f"no metric of {suite!r} has a table of fields; "
            'write a sum of parts, as in normalize(eq("name") + eq("price"), "f1")'
        )
    return names


def with_labels(suite: Suite, by: Selector) -> dict[str, Selector]:
    """The metrics that can be broken down by label, each with the way to it.

    Every metric must have the label, unless the suite names those that do. For a label inside the elements
    (`args[].role`) these are the metrics that sum it up there.
    """
    given = dict(suite.by).get(join("", by))
    if isinstance(given, tuple):
        return dict.fromkeys(_with_elements(suite, given, by), by)
    path = selector(given) or by
    levels, _ = split(path)
    for name, phi in suite.metrics.items():
        if not all(isinstance(sigma, Overlap) for sigma in _sigmas(phi)):
            raise ExpressionError(
                f"cannot break {name}={shorten(phi)} down by {join('', by)}: it does not compare one collection, as "
                'f1("relations", phi) does; leave it out, or ask for a table of its fields (--fields)'
            )
    if not levels:
        return dict.fromkeys(suite.metrics, path)
    names = [name for name, phi in suite.metrics.items() if all(_sums_up(sigma, levels) for sigma in _sigmas(phi))]
    if not names:
        raise ExpressionError(
            f"cannot break down by {join('', path)}: no metric of the suite multiplies by a sum over "
            f'{join("", levels[0])}, as f1("events", eq("type") * overlap("args")) does over args'
        )
    return dict.fromkeys(names, path)


def _with_elements(suite: Suite, given: tuple[str, ...], by: Selector) -> list[str]:
    """The metrics of the suite among those whose elements have the label."""
    names = [name for name in suite.metrics if name in given]
    if not names:
        raise ExpressionError(
            f"cannot break {', '.join(suite.metrics)} down by {join('', by)}, which their elements do not have; "
            f"the elements of {', '.join(given)} have it"
        )
    return names


def _sums_up(sigma: Similarity, levels: list[Selector]) -> bool:
    """True if the elements of a Σ are compared by a product with one Σ over the next collection, and so on."""
    if not levels:
        return True
    assert isinstance(sigma, Overlap)
    factors = sigma.inner.factors if isinstance(sigma.inner, Product) else (sigma.inner,)
    sums = [factor for factor in factors if isinstance(factor, Overlap) and factor.sel == levels[0]]
    return len(sums) == 1 and _sums_up(sums[0], levels[1:])


def _sigmas(phi: Similarity) -> list[Similarity]:
    """The Σ below the outermost normaliser, or the Σs of the two sides."""
    match outermost(phi):
        case Harmonic(Normalized("precision", p), Normalized("recall", r)):
            found = [p, r]
        case Normalized(inner=inner):
            found = [inner]
        case rooted:
            found = [rooted]
    return [sigma.inner if isinstance(sigma, Latent) else sigma for sigma in found]


def add_counts(into: dict[Any, Any], more: Mapping[Any, Any]) -> None:
    """Add the fields or labels of other documents."""
    into.update({name: into[name] + counts if name in into else counts for name, counts in more.items()})


def field_rows(table: FieldTable) -> list[FieldRow]:
    """The table of fields in plain numbers, in the order in which the metrics name them."""
    return [
        FieldRow(
            metric,
            path,
            *map(plain, (row.weight, row.right, row.wrong, row.missing, row.invented, row.predicted, row.reference)),
        )
        for metric, rows in table.items()
        for path, row in rows.items()
    ]


def slices(readings: Mapping[str, Reading | Derived], table: LabelTable) -> dict[Hashable, dict[str, LabelSlice]]:
    """Label -> metric -> slice, the labels sorted as text, for all metrics of the table."""
    found = sorted({label for rows in table.values() for label in rows}, key=lambda label: (str(label), repr(label)))
    return {
        label: {
            metric: LabelSlice(read, _plain(rows.get(label, Counts())))
            for metric, rows in table.items()
            if isinstance(read := readings[metric], Reading)
        }
        for label in found
    }


def _plain(counts: Counts) -> Counts:
    recalled = None if counts.found == counts.matched else plain(counts.found)
    return Counts(plain(counts.matched), plain(counts.predicted), plain(counts.reference), recalled)


def labels_of(tally: Tally, name: str, preds: Frame, refs: Frame) -> list[ByLabel]:
    """The quantities of one metric by label; elements without the label are an error that says what can be done."""
    try:
        return labels(tally.program().plans[name], tally.paths[name], preds, refs)
    except DataError as error:
        able = [other for other in tally.paths if _is_labelled(tally, other, preds, refs)]
        advice = f"; leave it out (--only {','.join(able)})" if able else ""
        problem = re.sub(r"found (\w+) .* without (?:attribute|key) ", r"\1 has no ", error.problem, flags=re.DOTALL)
        error.problem = f"{name} cannot be broken down by {join('', tally.scores.by)}{advice}: {problem}"
        raise


def _is_labelled(tally: Tally, name: str, preds: Frame, refs: Frame) -> bool:
    """True if a metric's elements in a document have labels."""
    try:
        return bool(labels(tally.program().plans[name], tally.paths[name], preds, refs))
    except DataError:
        return False


def add_batch(table: Table, found: dict[str, list[ByLabel]], by_field: dict[str, dict[str, FieldColumns]]) -> None:
    """Add the labels and fields of the documents of a batch, by metric."""
    start, keeps = len(table.ids), table.keep == "documents"
    for name, several in found.items():
        assert table.labels is not None, "labels are counted"
        for one in several:
            add_counts(table.labels[name], {one.label: Counts(*map(exact_total, one[2:]))})
            if keeps:
                add_columns(table.parts, Portion("label", name, one.label), start + one[1], *one[2:])
    for name, by_path in by_field.items():
        assert table.fields is not None, "fields are counted"
        for path, column in by_path.items():
            row = FieldCounts(column.weight, *map(exact_total, column[2:]))
            add_counts(table.fields[name], {path: row})
            if keeps:
                documents = np.arange(start, start + len(column.right))
                numbers = column.right, column.predicted, column.reference, column.right
                add_columns(table.parts, Portion("field", name, path), documents, *numbers)


def add_tables(table: Table, other: Table) -> None:
    """Add the labels and fields of other documents."""
    for mine, theirs in ((table.fields, other.fields), (table.labels, other.labels)):
        if mine is not None:
            for name, counts in (theirs or {}).items():
                add_counts(mine.setdefault(name, {}), counts)


ROW = "undeclared()[]"
"""The row of all values that a form does not declare.

`overlap(undeclared)` counts the plain values under undeclared keys. Each of them knows its path, and a value is right
if the reference has the same under the same path. So this row is the sum of a row for each path.
"""


class Tested(NamedTuple):
    """The values under one path: how many are right, predicted, and in the reference."""

    right: int
    predicted: int
    reference: int


def name_columns(fields: dict[str, FieldColumns], preds: Sequence[Any], refs: Sequence[Any]) -> dict[str, FieldColumns]:
    """The fields of a batch, with a row for each undeclared path, in the order of the first such document."""
    if ROW not in fields:
        return fields
    whole = fields.pop(ROW)
    found: dict[str, dict[int, Tested]] = {}
    for place, (pred, ref) in enumerate(zip(preds, refs, strict=True)):
        for path, tested in _by_path(pred, ref).items():
            found.setdefault(path, {})[place] = tested
    for path, by_place in found.items():
        nothing = Tested(0, 0, 0)
        rows = [by_place.get(place, nothing) for place in range(len(preds))]
        right, predicted, reference = np.array(rows, dtype=np.float64).T
        row = FieldColumns(whole.weight, min(by_place), right, right, predicted, reference)
        fields[path] = fields[path].plus(row) if path in fields else row
    return dict(sorted(fields.items(), key=lambda one: one[1].first)) if found else fields


def _by_path(pred: Any, ref: Any) -> dict[str, Tested]:
    mine, theirs = undeclared(pred), undeclared(ref)
    if not mine and not theirs:
        return {}
    p, r = (Counter((path, type(value) is bool, value) for path, value in side) for side in (mine, theirs))
    counts = [Counter(path for path, _, _ in side.elements()) for side in (p & r, p, r)]
    return {path or ROW: Tested(*(count[path] for count in counts)) for path in {**counts[1], **counts[2]}}

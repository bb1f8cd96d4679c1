"""Where the credit of a corpus comes from: counts split by field (of a sum) and by label (of a collection's elements).

Both tables are part of a score table that was asked for them. They hold exact numbers, so that the order of adding
changes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from matchwise.algebra.build import selector
from matchwise.algebra.names import undeclared
from matchwise.algebra.nodes import Harmonic, Latent, Normalized, Number, Overlap, Product, Selector, Similarity
from matchwise.arrays import Floats, Integers
from matchwise.corpus.counts import Counts, Portion, Reading, Score, add_counts, exact_total, plain, reading
from matchwise.corpus.suite import Derived, Suite
from matchwise.engine.many.chosen import ByLabel, FieldColumns, labels, split
from matchwise.engine.many.chosen import fields as fields
from matchwise.engine.many.frame import Frame
from matchwise.engine.rewrite import outermost
from matchwise.engine.selection import join
from matchwise.errors import DataError, ExpressionError, shorten

if TYPE_CHECKING:
    from matchwise.corpus.table import Table
    from matchwise.corpus.tally import Tally


@dataclass(frozen=True, slots=True)
class FieldCounts:
    """One leaf path of a sum: how much there is on each side, how much of it met, how much was right."""

    weight: Number = 1
    right: Number = 0
    paired: Number = 0
    predicted: Number = 0
    reference: Number = 0

    def __add__(self, other: FieldCounts) -> FieldCounts:
        return FieldCounts(
            self.weight,
            self.right + other.right,
            self.paired + other.paired,
            self.predicted + other.predicted,
            self.reference + other.reference,
        )


FieldTable: TypeAlias = dict[str, dict[str, FieldCounts]]
"""Metric -> path -> counts."""

LabelTable: TypeAlias = dict[str, dict[Hashable, Counts]]
"""Metric -> label -> counts."""


class FieldRow(NamedTuple):
    """One field of one metric: how often it was right, wrong, missed or spurious, and the scores of that."""

    metric: str
    path: str
    weight: Number
    right: Number
    wrong: Number
    missed: Number
    spurious: Number
    predicted: Number
    reference: Number
    precision: float
    recall: float
    f1: float

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()


LABEL_SCORES: tuple[Score, ...] = ("precision", "recall", "f1", "value")


class LabelSlice(NamedTuple):
    """The part of a metric that falls to one label; a matched pair is recalled under the label of the reference."""

    precision: float
    recall: float
    f1: float
    value: float
    counts: Counts

    @property
    def occurs(self) -> bool:
        """True if the metric has an element with the label; else it is a label of another metric of the suite."""
        return bool(self.counts.predicted or self.counts.reference)


Weigh: TypeAlias = Literal["equally", "reference"]


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
        names = [name for name in suite.metrics if name in given]
        if not names:
            raise ExpressionError(
                f"cannot break {', '.join(suite.metrics)} down by {join('', by)}, which their elements do not have; "
                f"the elements of {', '.join(given)} have it"
            )
        return dict.fromkeys(names, by)
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
        case Normalized(inner=inner) as root if root.is_counted:
            found = [inner]
        case rooted:
            found = [rooted]
    return [sigma.inner if isinstance(sigma, Latent) else sigma for sigma in found]


def field_rows(table: FieldTable) -> list[FieldRow]:
    """The table of fields in plain numbers, in the order in which the metrics name them."""
    found = []
    for metric, rows in table.items():
        for path, row in rows.items():
            wrong, missed, spurious = row.paired - row.right, row.reference - row.paired, row.predicted - row.paired
            numbers = row.weight, row.right, wrong, missed, spurious, row.predicted, row.reference
            counts = Counts(plain(row.right), plain(row.predicted), plain(row.reference))
            sides = counts.precision(), counts.recall(), counts.f1()
            found.append(FieldRow._make((metric, path, *map(plain, numbers), *sides)))
    return found


def slices(readings: Mapping[str, Reading | Derived], table: LabelTable) -> dict[Hashable, dict[str, LabelSlice]]:
    """Label -> metric -> slice, the labels sorted as text, for all metrics of the table."""
    found = sorted({label for rows in table.values() for label in rows}, key=lambda label: (str(label), repr(label)))
    made: dict[Hashable, dict[str, LabelSlice]] = {label: {} for label in found}
    for metric, rows in table.items():
        read = readings[metric]
        assert isinstance(read, Reading), "what is derived is not broken down"
        for label in found:
            row = rows.get(label, Counts())
            matched, predicted, reference, recalled = map(plain, (row.matched, row.predicted, row.reference, row.found))
            counts = Counts(matched, predicted, reference, None if recalled == matched else recalled)
            scores = (read.read(counts, score) for score in LABEL_SCORES)
            made[label][metric] = LabelSlice._make((*scores, counts))
    return made


def labels_of(tally: Tally, name: str, preds: Frame, refs: Frame) -> list[ByLabel]:
    """The quantities of one metric by label; elements without the label are an error that says what can be done."""
    plans = tally.program.plans
    try:
        return labels(plans[name], tally.paths[name], preds, refs)
    except DataError as error:
        able = []
        for other, path in tally.paths.items():
            with suppress(DataError):
                able += [other] if labels(plans[other], path, preds, refs) else []
        advice = f"; leave it out (--only {','.join(able)})" if able else ""
        problem = re.sub(r"found (\w+) .* without (?:attribute|key) ", r"\1 has no ", error.problem, flags=re.DOTALL)
        instead = "; write --by type" if re.search(r"there are .*\btype\b", problem) else ""
        error.problem = f"{name} cannot be broken down by {join('', tally.scores.by)}{advice}: {problem}{instead}"
        raise


def add_batch(table: Table, found: dict[str, list[ByLabel]], by_field: dict[str, dict[str, FieldColumns]]) -> None:
    """Add the labels and fields of the documents of a batch, by metric."""
    parts: list[tuple[Portion, Integers, tuple[Floats, ...]]] = []
    for name, several in found.items():
        assert table.labels is not None, "labels are counted"
        for one in several:
            add_counts(table.labels[name], {one.label: Counts(*map(exact_total, one[2:]))})
            parts.append((Portion("label", name, one.label), one.documents, one[2:]))
    for name, by_path in by_field.items():
        assert table.fields is not None, "fields are counted"
        for path, column in by_path.items():
            add_counts(table.fields[name], {path: FieldCounts(column.weight, *map(exact_total, column[2:]))})
            right = column.right
            four = right, column.predicted, column.reference, right
            parts.append((Portion("field", name, path), np.arange(len(right)), four))
    for part, documents, columns in parts if table.keep == "documents" else ():
        rows = np.stack(columns, axis=1)
        there = rows.any(axis=1)  # the other documents have nothing but zeros
        if there.any():
            table.parts[part].add(len(table.ids) + documents[there], rows[there])


ROW = "undeclared()[]"
"""The row of all values that a form does not declare.

`overlap(undeclared)` counts the plain values under undeclared keys. Each of them knows its path, and a value is right
if the reference has the same under the same path. So this row is the sum of a row for each path.
"""


def name_columns(fields: dict[str, FieldColumns], preds: Sequence[Any], refs: Sequence[Any]) -> dict[str, FieldColumns]:
    """The fields of a batch, with a row for each undeclared path, in the order of the first such document."""
    if ROW not in fields:
        return fields
    whole = fields.pop(ROW)
    found: dict[str, FieldColumns] = {}
    for place, pair in enumerate(zip(preds, refs, strict=True)):
        p, r = (Counter((path, type(value) is bool, value) for path, value in undeclared(side)) for side in pair)
        for kind, counted in (("predicted", p), ("reference", r), ("right", p & r)):
            for path, _, _ in counted.elements():
                if (path or ROW) not in found:
                    right, predicted, reference = np.zeros((3, len(preds)))
                    found[path or ROW] = FieldColumns(whole.weight, place, right, right, predicted, reference)
                getattr(found[path or ROW], kind)[place] += 1
    for path, row in found.items():
        fields[path] = fields[path].plus(row) if path in fields else row
    return dict(sorted(fields.items(), key=lambda one: one[1].first)) if found else fields

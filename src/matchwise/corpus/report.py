"""A report: every score of a corpus, read from its score table; prints as a table, exports as data.

>>> from matchwise.algebra.build import f1
>>> from matchwise.corpus.tally import Tally
>>> print(Tally(f1("xs")).add({"xs": [1]}, {"xs": [1, 2]}).report())  # doctest: +ELLIPSIS
metric  precision  recall      f1  matched  predicted  reference
score      1.0000  0.5000  0.6667        1          1          2
<BLANKLINE>
1 document
score=f1("xs")|matchwise:...
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any, Literal

from matchwise.algebra.nodes import Number
from matchwise.corpus.slices import label_text
from matchwise.corpus.suite import Suite
from matchwise.corpus.table import Id, Table
from matchwise.corpus.values import Combined, Measured, not_kept
from matchwise.engine.selection import join
from matchwise.errors import ExpressionError, MatchwiseError, suggestion

if TYPE_CHECKING:
    from matchwise.corpus.breakdown import FieldRow, Slice, Weigh
    from matchwise.corpus.tally import Tally

ERRORS_SHOWN = 5


class Report:
    """The scores of a corpus. `report["muc"]` has `.precision`, `.recall`, `.f1`, `.value`, `.counts`, `.macro`, …"""

    def __init__(self, scores: Table, suite: Suite | None = None) -> None:
        scores.settle()
        self.scores = scores
        """The score table behind the report."""
        self._suite = suite

    @property
    def suite(self) -> Suite:
        if self._suite is None:
            raise ExpressionError("the score table was read from a file, which names its suite by the signature only")
        return self._suite

    @property
    def signature(self) -> str:
        """What was measured, by which version; part of every printed score."""
        return self.scores.signature

    @property
    def documents(self) -> int:
        """How many documents were counted."""
        return len(self.scores)

    @property
    def errors(self) -> list[tuple[Id | None, str]]:
        """The documents that could not be scored and were left out, each with the reason."""
        return list(self.scores.errors)

    def __getitem__(self, name: str) -> Measured | Combined:
        if name not in self._metrics:
            raise ExpressionError(f"no metric {name!r} in the report{suggestion(str(name), self)}")
        return self._metrics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    @cached_property
    def _metrics(self) -> dict[str, Measured | Combined]:
        return self.scores.values()

    @cached_property
    def by(self) -> dict[Hashable, dict[str, Slice]]:
        """The breakdown that was asked for: `report.by["person"]["mentions"].f1`.

        A label has a slice of every metric that is broken down; it is empty if no element of the metric has the label.
        """
        if self.scores.labels is None:
            raise ExpressionError('the report has no breakdown; write evaluate(suite, preds, refs, by="type")')
        from matchwise.corpus.breakdown import slices

        return slices(self.scores.readings, self.scores.labels)

    def over_labels(
        self, metric: str, score: Literal["precision", "recall", "f1", "value"] = "f1", *, weigh: Weigh = "equally"
    ) -> float:
        """The mean of a score over the labels that elements of the metric have (a macro average by type).

        Labels count equally, or each as often as it is in the reference (`weigh="reference"`).
        """
        counted = [name for name in self if isinstance(self[name], Measured)]
        if metric not in counted:
            raise ExpressionError(f"no metric {metric!r} in the report{suggestion(str(metric), counted)}")
        labels = self.scores.labels
        if labels is not None and metric not in labels:
            by, able = join("", self.scores.by), ", ".join(labels)
            raise ExpressionError(f"{metric} is not broken down by {by}, which its elements do not have; {able} can be")
        from matchwise.corpus.breakdown import mean_over_labels

        return mean_over_labels([parts[metric] for parts in self.by.values()], score, weigh)

    def means_over_labels(self, metric: str, weigh: Weigh = "equally") -> dict[str, float]:
        """The means of precision, recall and F1 over labels, as the rows of averages of seqeval have them."""
        return {score: self.over_labels(metric, score, weigh=weigh) for score in ("precision", "recall", "f1")}

    def over_fields(self, metric: str, score: Literal["precision", "recall", "f1"] = "f1") -> float:
        """The mean of a score over the fields that either side has, whatever their weights."""
        rows = [row for row in self.fields() if row.metric == metric and (row.predicted or row.reference)]
        return fsum(getattr(row, score) for row in rows) / len(rows) if rows else 0.0

    def means_over_fields(self, metric: str) -> dict[str, float]:
        """The means of precision, recall and F1 over the fields that either side has."""
        return {score: self.over_fields(metric, score) for score in ("precision", "recall", "f1")}

    @property
    def labelled(self) -> list[str]:
        """The metrics that have a label in the breakdown."""
        return [name for name, rows in (self.scores.labels or {}).items() if rows]

    def fields(self) -> list[FieldRow]:
        """The table of fields that was asked for, one row for each leaf path of each metric."""
        if self.scores.fields is None:
            raise ExpressionError("the report has no table of fields; write evaluate(suite, preds, refs, fields=True)")
        from matchwise.corpus.breakdown import field_rows

        return field_rows(self.scores.fields)

    @property
    def headline(self) -> str:
        """The last derived value, as suites end with their summary (the CoNLL average), or else the first metric."""
        derived = [name for name in self if isinstance(self[name], Combined)]
        return derived[-1] if derived else next(iter(self))

    def worst(self, n: int = 10, metric: str | None = None) -> list[tuple[Id, float]]:
        """The `n` documents with the lowest value, lowest first, by id or else by position.

        Without a metric it is the headline. Of a document that is not proved, it is the value that was reached.
        """
        names, values = self.scores.names, self[self.headline if metric is None else metric].per_document
        return [(names[place], values[place]) for place in self.lowest(n, metric)]

    def lowest(self, n: int = 10, metric: str | None = None) -> list[int]:
        """The positions of the documents that are `worst`."""
        values = self[self.headline if metric is None else metric].per_document
        return sorted(range(self.documents), key=lambda place: (values[place], place))[:n]

    def columns(self) -> dict[str, list[Any]]:
        """One row per document, column by column: `pandas.DataFrame(report.columns())`."""
        table: dict[str, list[Any]] = {"document": list(self.scores.names)}
        for name, metric in self._metrics.items():
            table[name] = metric.per_document
            if metric.has_sides:
                table[f"{name}.precision"], table[f"{name}.recall"] = metric.precisions, metric.recalls
            if isinstance(metric, Measured) and metric.has_sides:
                for count in metric.counts.to_dict():
                    table[f"{name}.{count}"] = list(getattr(metric, count))
                if not metric.bounds.proved:
                    table[f"{name}.upper"] = metric.at_best
        return table

    def table(self) -> Table:
        """The counts of every document behind the report: `report.table().save("scores.parquet")`."""
        if self.scores.keep == "sums":
            raise not_kept()
        return self.scores

    def to_dict(self) -> dict[str, Any]:
        """Everything that was measured over the corpus, unrounded."""
        made: dict[str, Any] = {
            "documents": self.documents,
            "signature": self.signature,
            "metrics": {name: _metric(metric) for name, metric in self._metrics.items()},
        }
        if self.errors:
            made["errors"] = [{"document": id, "reason": reason} for id, reason in self.errors]
        if self.scores.fields is not None:
            made["fields"] = [row.to_dict() for row in self.fields()]
        if self.scores.labels is not None:
            made["by"] = [
                {"label": label, "metrics": {name: _counted(part) for name, part in parts.items()}}
                for label, parts in self.by.items()
            ]
            made["over_labels"] = {
                name: {weigh: self.means_over_labels(name, weigh) for weigh in ("equally", "reference")}
                for name in self.labelled
            }
        return made

    def to_json(self, *, indent: int | None = None) -> str:
        """`to_dict` as JSON; a label that is no text, number or truth value is written as text."""
        import json

        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, default=str)

    def __str__(self) -> str:
        blocks = [_table(self._rows())]
        if self.scores.labels is not None:
            blocks.append(_table(self._label_rows()))
        if self.scores.fields is not None:
            blocks.append(_table(self._field_rows()))
        documents = "1 document" if self.documents == 1 else f"{self.documents} documents"
        if self.errors:
            shown = [f"  {id}: {reason}" for id, reason in self.errors[:ERRORS_SHOWN]]
            if len(self.errors) > ERRORS_SHOWN:
                shown.append(f"  and {len(self.errors) - ERRORS_SHOWN} more")
            documents = "\n".join([f"{documents}; {len(self.errors)} more could not be scored:", *shown])
        return "\n\n".join([*blocks, f"{documents}\n{self.signature}"])

    __repr__ = __str__

    def _rows(self) -> list[dict[str, str]]:
        """One row per metric; a column of values only where one is not its F1."""
        measured = [metric for metric in self._metrics.values() if isinstance(metric, Measured)]
        plain = all(metric.reading.kind in ("f1", "harmonic") for metric in measured)
        rows = []
        for name, metric in self._metrics.items():
            row = {"metric": name}
            if metric.has_sides:
                row |= _scores(metric)
            row |= {"f1" if plain else "value": _cell(float(metric.value))}
            if metric.searched or not metric.bounds.proved:
                row["bounds"] = "proved" if metric.bounds.proved else str(metric.bounds)
            rows.append(row | (_counts(metric) if isinstance(metric, Measured) and "precision" in row else {}))
        return rows

    def _label_rows(self) -> list[dict[str, str]]:
        by = join("", self.scores.by)
        return [
            {by: label_text(label), "metric": name} | _scores(part) | _counts(part)
            for label, parts in self.by.items()
            for name, part in parts.items()
            if part.occurs
        ]

    def _field_rows(self) -> list[dict[str, str]]:
        counted = ("weight", "right", "wrong", "missing", "invented", "predicted", "reference")
        return [
            {"metric": row.metric, "field": row.path}
            | {name: _cell(getattr(row, name)) for name in counted}
            | _scores(row)
            for row in self.fields()
        ]


def as_table(scored: Report | Tally | Table) -> Table:
    """The counts of every document, of a report, a tally or a table."""
    if isinstance(scored, Report):
        return scored.table()
    from matchwise.corpus.tally import Tally

    if not isinstance(scored, Tally | Table):
        raise MatchwiseError(
            f"expected a report, a tally or a table, but found {type(scored).__name__}; "
            "write evaluate(suite, preds, refs)"
        )
    found = scored.table() if isinstance(scored, Tally) else scored
    if found.keep == "sums":
        raise not_kept()
    return found


def _metric(metric: Measured | Combined) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if metric.has_sides:
        made = {name: getattr(metric, name) for name in ("precision", "recall", "f1")}
    made["value"] = metric.value
    if isinstance(metric, Measured) and metric.has_sides:
        made["counts"] = metric.counts.to_dict()
    made["macro"] = metric.macro
    if metric.has_sides:
        made |= {"macro_precision": metric.macro_precision, "macro_recall": metric.macro_recall}
    if metric.searched or not metric.bounds.proved:
        made |= {"bounds": metric.bounds.to_dict(), "macro_bounds": metric.macro_bounds.to_dict()}
    return made


def _counted(part: Slice) -> dict[str, Any]:
    return {
        "precision": part.precision,
        "recall": part.recall,
        "f1": part.f1,
        "value": part.value,
        "counts": part.counts.to_dict(),
    }


def _scores(part: Measured | Combined | Slice | FieldRow) -> dict[str, str]:
    return {"precision": _cell(part.precision), "recall": _cell(part.recall), "f1": _cell(part.f1)}


def _counts(part: Measured | Slice) -> dict[str, str]:
    return {name: _cell(number) for name, number in part.counts.to_dict().items()}


def _cell(number: Number) -> str:
    return str(number) if isinstance(number, int) else f"{float(number):.4f}"


_TEXT = ("metric", "field")
"""Columns of text stand to the left, numbers to the right."""

_ORDER = ("precision", "recall", "f1", "value")


def _table(rows: list[dict[str, str]]) -> str:
    """Rows as aligned text; a cell that a row does not have is empty."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    first = next((place for place, name in enumerate(names) if name in _ORDER), len(names))
    scores = [name for name in _ORDER if name in names]
    names = [*names[:first], *scores, *(name for name in names[first:] if name not in scores)]
    widths = {name: max(len(name), *(len(row.get(name, "")) for row in rows)) for name in names}
    lines = []
    for row in [{name: name for name in names}, *rows]:
        cells = (
            _aligned(row.get(name, ""), widths[name], left=place == 0 or name in _TEXT)
            for place, name in enumerate(names)
        )
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _aligned(text: str, width: int, left: bool) -> str:
    return text.ljust(width) if left else text.rjust(width)

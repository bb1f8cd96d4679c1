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

from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any, Literal, Protocol

from matchwise.corpus.suite import Suite
from matchwise.corpus.table import Id, Table
from matchwise.corpus.values import Value, not_kept, values_of
from matchwise.engine.selection import join
from matchwise.errors import ExpressionError, MatchwiseError, count_units, suggestion
from matchwise.sheets.shown import FrameTables, Shown
from matchwise.sheets.table import Sheet

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.axes import Axes

    from matchwise.corpus.breakdown import FieldRow, LabelSlice, Weigh
    from matchwise.corpus.categories import Categories
    from matchwise.corpus.tally import Tally
    from matchwise.sheets.html import Spread

ERRORS_SHOWN = 5


class OfficialReport(Protocol):
    """What the scorer of a preset says of a corpus; as text, it is what the scorer prints."""

    @property
    def scores(self) -> Mapping[str, float]:
        """The numbers that no metric has, by name, for `--fail-under`."""

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON."""


class Report(Shown):
    """The scores of a corpus. `report["muc"]` has `.precision`, `.recall`, `.f1`, `.value`, `.counts` and `.macro`.

    >>> import matchwise as mw
    >>> report = mw.evaluate(mw.f1("xs"), [{"xs": ["a", "b"]}], [{"xs": ["a"]}])
    >>> report["score"].precision, report["score"].recall, report.documents
    (0.5, 1.0, 1)
    """

    def __init__(
        self, scores: Table, suite: Suite | None = None, categories: Mapping[str, Categories] | None = None
    ) -> None:
        if scores.sums is not None:
            scores.settle()
        self.scores = scores
        """The score table behind the report."""
        self._suite = suite
        self.categories = categories or {}
        """Metric -> what became of each element, where that was asked for."""

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
        """The documents that were left out because they could not be scored, each with the reason."""
        return list(self.scores.errors)

    def sheet(self) -> Sheet:
        from matchwise.reports.scores import report_sheet

        return report_sheet(self)

    def frame_tables(self) -> FrameTables:
        from matchwise.reports.scores import report_frames

        return report_frames(self)

    def explain_missing_table(self, name: str) -> str:
        graded = "categories=ner.gradings()), for any task that has them"
        asked = {"labels": 'by="type")', "fields": "fields=True)", "categories": graded, "confusion": graded}
        return f"; write evaluate(suite, preds, refs, {asked[name]}" if name in asked else ""

    def to_html(self) -> str:
        """One page of HTML that needs no other file."""
        from matchwise.reports.page import to_page
        from matchwise.reports.results import results_of

        return to_page(results_of(self))

    def chart(self) -> Markup | str:
        """A histogram of the scores of documents."""
        if self.scores.keep == "sums" or self.documents < 2:
            return ""
        from matchwise.sheets.html import fill, histogram

        name = self.headline
        return fill("spread.html", name=name, chart=histogram([self.spread()], name))

    def spread(self, name: str = "") -> Spread:
        """The main scores of documents as they are drawn; those whose prediction could not be read are only counted."""
        from matchwise.sheets.html import Spread

        unreadable, values = set(self.scores.unreadable), self[self.headline].spread
        read = [value for id, value in zip(self.scores.names, values, strict=True) if id not in unreadable]
        return Spread(name, read, len(values) - len(read))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how the main scores of documents are spread, by matplotlib."""
        from matchwise.sheets.plots import plot_spread

        drawn = self.spread()
        return plot_spread(drawn.values, float(self[self.headline].value), self.headline, drawn.unreadable, ax)

    def __getitem__(self, name: str) -> Value:
        if name not in self._metrics:
            raise ExpressionError(f"no metric {name!r} in the report{suggestion(str(name), self)}")
        return self._metrics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    @cached_property
    def _metrics(self) -> dict[str, Value]:
        rows = self.scores.matrix()
        best = self.scores.matrix(at_best=True) if self.scores.open else rows
        return values_of(self.scores, rows, best)

    @cached_property
    def by(self) -> dict[Hashable, dict[str, LabelSlice]]:
        """The breakdown that was asked for: `report.by["person"]["mentions"].f1`.

        A label has a slice of every metric that is broken down; it is empty if no element of the metric has the label.
        The label of `True` is "True", because 1 is another label.
        """
        if self.scores.labels is None:
            raise ExpressionError('the report has no breakdown; write evaluate(suite, preds, refs, by="type")')
        from matchwise.corpus.breakdown import slices

        return slices(self.scores.readings, self.scores.labels)

    def over_labels(
        self, metric: str, score: Literal["precision", "recall", "f1", "value"] = "f1", *, weigh: Weigh = "equally"
    ) -> float:
        """The mean of a score over the labels that elements of the metric have (a macro average by type).

        Labels count equally, or each as often as it is in the reference (`weigh="reference"`); it is 0 without labels.
        """
        counted = [name for name in self if not self[name].is_derived]
        if metric not in counted:
            raise ExpressionError(f"no metric {metric!r} in the report{suggestion(str(metric), counted)}")
        labels = self.scores.labels
        if labels is not None and metric not in labels:
            by, able = join("", self.scores.by), ", ".join(labels)
            raise ExpressionError(f"{metric} is not broken down by {by}, which its elements do not have; {able} can be")
        if weigh not in ("equally", "reference"):
            raise ExpressionError(f'weigh={weigh!r} is unknown; write "equally" or "reference"')
        found = [parts[metric] for parts in self.by.values() if parts[metric].occurs]
        weights = [float(part.counts.reference) if weigh == "reference" else 1.0 for part in found]
        values = [getattr(part, score) * weight for part, weight in zip(found, weights, strict=True)]
        return fsum(values) / fsum(weights) if any(weights) else 0.0

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
        derived = [name for name in self if self[name].is_derived]
        return derived[-1] if derived else next(iter(self))

    def worst(self, n: int = 10, metric: str | None = None) -> list[tuple[Id, float]]:
        """The `n` wrong documents with the lowest value (or highest error rate), worst first, by id or position.

        A document with nothing on either side is right, whatever 0/0 is; one whose prediction could not be read is
        not among them (`table().unreadable`). `metric` defaults to the headline. A document that is not solved to
        optimality has the value that was found.
        """
        names, values = self.scores.names, self[self.headline if metric is None else metric].per_document
        return [(names[place], values[place]) for place in self.lowest(n, metric)]

    def lowest(self, n: int = 10, metric: str | None = None) -> list[int]:
        """The positions of the documents that are `worst`."""
        found = self[self.headline if metric is None else metric]
        names, unreadable = self.scores.names, set(self.scores.unreadable)
        wrong = (place for place, right in enumerate(found.right) if not right and names[place] not in unreadable)
        sign = -1 if found.is_error else 1
        return sorted(wrong, key=lambda place: (sign * found.per_document[place], place))[:n]

    def columns(self) -> dict[str, list[Any]]:
        """One row per document, column by column: `pandas.DataFrame(report.columns())`."""
        table: dict[str, list[Any]] = {"document": list(self.scores.names)}
        for name, metric in self._metrics.items():
            table[name] = metric.per_document
            if metric.has_sides:
                table[f"{name}.precision"], table[f"{name}.recall"] = metric.precisions, metric.recalls
            if metric.has_sides and not metric.is_derived:
                for count in metric.counts.to_dict():
                    table[f"{name}.{count}"] = list(getattr(metric.columns, count))
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
        if self.categories:
            made["categories"] = {name: table.to_dict() for name, table in self.categories.items()}
        if self.scores.fields is not None:
            made["fields"] = [row.to_dict() for row in self.fields()]
        if self.scores.labels is not None:
            made["by"] = [
                {
                    "label": label,
                    "metrics": {
                        name: part._asdict() | {"counts": part.counts.to_dict()} for name, part in parts.items()
                    },
                }
                for label, parts in self.by.items()
            ]
            made["over_labels"] = {
                name: {weigh: self.means_over_labels(name, weigh) for weigh in ("equally", "reference")}
                for name in self.labelled
            }
        return made

    def to_json(self, *, indent: int | None = None) -> str:
        """`to_dict` as JSON; a label that is not a text or a number is written as text."""
        import json

        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, default=str)

    def __repr__(self) -> str:
        """One line; `print(report)` has the tables."""
        values = ", ".join(f"{name} {metric.value:.4f}" for name, metric in self._metrics.items())
        return f"<Report of {count_units(self.documents, 'documents')}: {values}>"


def as_table(scored: Report | Tally | Table) -> Table:
    """The counts of every document, of a report, a tally or a table."""
    if isinstance(scored, Report):
        return scored.table()
    from matchwise.corpus.tally import Tally

    if not isinstance(scored, Tally | Table):
        raise MatchwiseError(
            f"expected a report, a tally or a table, not {type(scored).__name__}; write evaluate(suite, preds, refs)"
        )
    return scored.table() if isinstance(scored, Tally) else scored


def _metric(metric: Value) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if metric.has_sides:
        made = {name: getattr(metric, name) for name in ("precision", "recall", "f1")}
    made["value"] = metric.value
    if metric.has_sides and not metric.is_derived:
        made["counts"] = metric.counts.to_dict()
    made["macro"] = metric.macro
    if metric.has_sides:
        made |= {"macro_precision": metric.macro_precision, "macro_recall": metric.macro_recall}
    if metric.searched:
        made |= {"bounds": metric.bounds.to_dict(), "macro_bounds": metric.macro_bounds.to_dict()}
    return made

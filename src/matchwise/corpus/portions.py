"""What documents add to the tables of a tally that was asked for labels or fields, and to the rows behind them."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import count
from typing import Any

from matchwise.algebra.nodes import Number
from matchwise.corpus.breakdown import add_fields, add_labels, batch_field, document_fields, document_labels
from matchwise.corpus.counts import Counts, exact_total
from matchwise.corpus.slices import Part, add_columns, add_row
from matchwise.corpus.tally import Tally
from matchwise.corpus.undeclared import name_fields
from matchwise.engine.plan import Program
from matchwise.engine.selection import join
from matchwise.engine.together.fields import FieldColumns
from matchwise.engine.together.labels import ByLabel
from matchwise.errors import DataError


def add_document(tally: Tally, program: Program, pred: Any, ref: Any) -> None:
    """Add the fields and labels of one document; an error in it leaves the tally as it was."""
    fields = {
        name: name_fields(document_fields(program.plans[name], pred, ref), pred.items[0], ref.items[0])
        for name in tally.fields or ()
    }
    labels = {name: _document_labels(tally, name, program, pred, ref) for name in tally.paths}
    for name, by_path in fields.items():
        add_fields(tally.fields[name], by_path)  # type: ignore[index]  # no table, no names
        for path, row in by_path.items():
            _add_row(tally, Part("field", name, path), row.right, row.predicted, row.right, row.reference)
    for name, by_label in labels.items():
        add_labels(tally.labels[name], by_label)  # type: ignore[index]
        for label, one in by_label.items():
            _add_row(tally, Part("label", name, label), one.matched, one.predicted, one.found, one.reference)


def _document_labels(tally: Tally, name: str, program: Program, pred: Any, ref: Any) -> dict[Hashable, Counts]:
    try:
        return document_labels(program.plans[name], tally.paths[name], pred, ref)
    except DataError as error:
        error.problem += f"; {name} cannot be broken down by {join('', tally.by)}"
        able = [other for other in tally.paths if _is_labelled(tally, other, program, pred, ref)]
        if able:
            error.problem += f", leave it out (--only {','.join(able)})"
        raise


def _is_labelled(tally: Tally, name: str, program: Program, pred: Any, ref: Any) -> bool:
    """Whether the elements that a metric has in a document have labels."""
    try:
        return bool(document_labels(program.plans[name], tally.paths[name], pred, ref))
    except DataError:
        return False


def _add_row(tally: Tally, part: Part, *quantities: Number) -> None:
    if any(quantities):
        add_row(tally.parts, part, len(tally.ids), quantities)


def add_batch(tally: Tally, labels: dict[str, list[ByLabel]], fields: dict[str, dict[str, FieldColumns]]) -> None:
    """Add the fields and labels of the documents of a batch, by metric."""
    for name, several in labels.items():
        for one in several:
            _add_label(tally, name, one)
    for name, by_path in fields.items():
        for path, column in by_path.items():
            _add_field(tally, name, path, column)


def _add_label(tally: Tally, name: str, one: ByLabel) -> None:
    """The quantities of one label in the documents of a batch."""
    assert tally.labels is not None
    columns = one.matched, one.predicted, one.recalled, one.reference
    matched, predicted, recalled, reference = map(exact_total, columns)
    add_labels(tally.labels[name], {one.label: Counts(matched, predicted, reference, recalled)})
    before = len(tally.ids)
    add_columns(tally.parts, Part("label", name, one.label), [before + place for place in one.documents], *columns)


def _add_field(tally: Tally, metric: str, path: str, column: FieldColumns) -> None:
    """The quantities of one field in the documents of a batch."""
    assert tally.fields is not None
    add_fields(tally.fields[metric], {path: batch_field(column)})
    right, predicted, reference = (one.tolist() for one in (column.right, column.predicted, column.reference))
    documents = count(len(tally.ids))
    add_columns(tally.parts, Part("field", metric, path), documents, right, predicted, right, reference)


def add_tables(tally: Tally, other: Tally) -> None:
    """Add the tables of other documents."""
    for name, by_path in (other.fields or {}).items():
        add_fields(tally.fields[name], by_path)  # type: ignore[index]  # both have the table
    for name, by_label in (other.labels or {}).items():
        add_labels(tally.labels[name], by_label)  # type: ignore[index]

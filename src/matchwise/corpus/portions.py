"""What documents add to the tables of a tally that was asked for labels or fields, and to the rows behind them."""

from __future__ import annotations

from itertools import count

from matchwise.corpus.breakdown import add_fields, add_labels, batch_field
from matchwise.corpus.counts import Counts, exact_total
from matchwise.corpus.slices import Part, add_columns
from matchwise.corpus.tally import Tally
from matchwise.corpus.undeclared import name_columns
from matchwise.engine.chosen import ByLabel, FieldColumns, fields, labels
from matchwise.engine.frame import Frame
from matchwise.engine.selection import join
from matchwise.errors import DataError


def labels_of(tally: Tally, name: str, preds: Frame, refs: Frame) -> list[ByLabel]:
    """The quantities of one metric by label; elements without the label are an error that says what can be done."""
    try:
        return labels(tally.program().plans[name], tally.paths[name], preds, refs)
    except DataError as error:
        error.problem += f"; {name} cannot be broken down by {join('', tally.by)}"
        able = [other for other in tally.paths if _is_labelled(tally, other, preds, refs)]
        if able:
            error.problem += f", leave it out (--only {','.join(able)})"
        raise


def fields_of(tally: Tally, name: str, preds: Frame, refs: Frame) -> dict[str, FieldColumns]:
    """The fields of one metric by path."""
    return name_columns(fields(tally.program().plans[name], preds, refs), preds.items, refs.items)


def _is_labelled(tally: Tally, name: str, preds: Frame, refs: Frame) -> bool:
    """Whether the elements that a metric has in a document have labels."""
    try:
        return bool(labels(tally.program().plans[name], tally.paths[name], preds, refs))
    except DataError:
        return False


def add_batch(tally: Tally, found: dict[str, list[ByLabel]], by_field: dict[str, dict[str, FieldColumns]]) -> None:
    """Add the fields and labels of the documents of a batch, by metric."""
    for name, several in found.items():
        for one in several:
            _add_label(tally, name, one)
    for name, by_path in by_field.items():
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
    right, predicted, reference = column.right, column.predicted, column.reference
    documents = count(len(tally.ids))
    add_columns(tally.parts, Part("field", metric, path), documents, right, predicted, right, reference)


def add_tables(tally: Tally, other: Tally) -> None:
    """Add the tables of other documents."""
    for name, by_path in (other.fields or {}).items():
        add_fields(tally.fields[name], by_path)  # type: ignore[index]  # both have the table
    for name, by_label in (other.labels or {}).items():
        add_labels(tally.labels[name], by_label)  # type: ignore[index]

"""The totals of a shard: everything a corpus adds up to and nothing of any document, in a small file of constant size.

Totals stand by themselves, as a score table does: the expressions that were counted are only named, by their signature.
Sums are exact, so that the totals of shards add up to those of the whole, to the last bit.

>>> from matchwise.algebra.build import f1
>>> from matchwise.corpus.tally import Tally
>>> one, two = Tally(f1("xs")).add({"xs": [3]}, {"xs": []}), Tally(f1("xs")).add({"xs": [1]}, {"xs": [1, 2]})
>>> (one.totals() + two.totals()).report()["score"].counts
Counts(matched=1, predicted=2, reference=2)
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from matchwise.algebra.build import selector
from matchwise.algebra.nodes import Selector
from matchwise.corpus.breakdown import FieldTable, LabelTable, add_fields, add_labels
from matchwise.corpus.counts import Counts, exact_total
from matchwise.corpus.folding import added_up, folded, read_sums
from matchwise.corpus.reading import WIDTH, Columns, Reading
from matchwise.corpus.reduce import Combined, Measured, hard, not_kept
from matchwise.corpus.suite import Derived
from matchwise.corpus.sums import Sums
from matchwise.corpus.tally import Id, Tally
from matchwise.errors import FormatError, MergeError
from matchwise.files import whole

if TYPE_CHECKING:
    from matchwise.corpus.report import Report
    from matchwise.corpus.statistic import Array
    from matchwise.corpus.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Totals:
    """Sums under a signature, how values are read from them, and the tables by label and by field if there are any."""

    signature: str
    readings: Mapping[str, Reading | Derived]
    sums: Sums
    hard: frozenset[str] = frozenset()
    """The metrics whose optimum is searched for."""
    by: Selector = ()
    labels: LabelTable | None = None
    fields: FieldTable | None = None
    missing: tuple[Id, ...] = ()
    """The documents that had no prediction and were counted as empty."""
    errors: tuple[tuple[Id | None, str], ...] = ()
    met: int = 0
    """The documents that were met, whether they could be scored or not."""

    def __len__(self) -> int:
        return self.sums.documents

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<Totals of {len(self)} document{'' if len(self) == 1 else 's'} under {', '.join(self.readings)}>"

    def __add__(self, other: Totals) -> Totals:
        if not isinstance(other, Totals):
            return NotImplemented
        if self.signature != other.signature:
            raise MergeError(f"cannot add tallies of different metrics:\n  {self.signature}\n  {other.signature}")
        if self.by != other.by or (self.fields is None) != (other.fields is None):
            raise MergeError(
                "cannot add tallies with different tables; count every shard with the same --by and --fields"
            )
        labels, fields = _copy(self.labels), _copy(self.fields)
        for metric, by_label in (other.labels or {}).items():
            add_labels(labels[metric], by_label)
        for metric, by_path in (other.fields or {}).items():
            add_fields(fields[metric], by_path)
        return replace(
            self,
            sums=self.sums + other.sums,
            labels=labels,
            fields=fields,
            missing=self.missing + other.missing,
            errors=self.errors + other.errors,
            met=self.met + other.met,
        )

    def metrics(self) -> dict[str, Measured | Combined]:
        """Every entry of the suite, with its values."""
        return read_sums(self.sums, self.readings, self.hard)

    def names(self) -> NoReturn:
        """No document has a name here."""
        raise not_kept()

    def report(self) -> Report:
        """The scores; what needs each document is an error."""
        from matchwise.corpus.report import Report

        return Report(self)

    def save(self, path: str | Path) -> None:
        """Write the totals as JSON, whole or not at all; the same totals give the same bytes."""
        from matchwise.corpus.saved import write_totals

        data = write_totals(self)
        with whole(path) as temporary, open(temporary, "wb") as file:
            file.write(data)

    @classmethod
    def load(cls, path: str | Path) -> Totals:
        """The totals that were saved."""
        with open(path, "rb") as file:
            data = file.read()
        from matchwise.corpus.saved import read_totals

        try:
            return read_totals(data)
        except ValueError as error:
            raise FormatError(f"no tally as score --save-tally writes it: {error}", str(path)) from None


def totals(scored: Tally | Table | Totals) -> Totals:
    """The totals of a tally, or of a score table (which has labels but no table of fields)."""
    if isinstance(scored, Totals):
        return scored
    if not isinstance(scored, Tally):
        return _of_table(scored)
    scored.fold()
    sums = folded(scored) if scored.sums is None else scored.sums
    return Totals(
        scored.signature,
        scored.readings,
        sums,
        hard(scored.suite),
        scored.by,
        _copy(scored.labels),
        _copy(scored.fields),
        errors=tuple(scored.errors),
        met=len(scored) + len(scored.errors),
    )


def _of_table(table: Table) -> Totals:
    columns = {
        name: _columns(table.counts[:, place * WIDTH : (place + 1) * WIDTH]) for place, name in enumerate(table.metrics)
    }
    labels: LabelTable | None = {name: {} for name in table.metrics} if table.by else None
    for part, rows in table.parts.items():
        if labels is not None and part.kind == "label":
            matched, predicted, recalled, reference = (exact_total(column) for column in rows.counts.T.tolist())
            labels[part.metric][part.name] = Counts(matched, predicted, reference, recalled)
    sums = added_up(table.readings, columns, len(table))
    by = selector(table.by) if table.by else ()
    met = len(table) + len(table.lost)
    return Totals(table.signature, table.readings, sums, by=by, labels=labels, errors=table.errors, met=met)


def _columns(counts: Array) -> Columns:
    matched, predicted, recalled, reference = (array("d", column.tolist()) for column in counts.T)
    return Columns(matched, predicted, recalled, reference, {})


def _copy(table: Any) -> Any:
    return None if table is None else {metric: dict(rows) for metric, rows in table.items()}

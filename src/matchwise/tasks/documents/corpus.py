"""A corpus of filled forms: the report with its table of fields, the faults, and what could not be read at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from matchwise.corpus.nothing import NOTHING
from matchwise.corpus.report import Report
from matchwise.corpus.sides import Missing, Side, documents
from matchwise.corpus.table import Id
from matchwise.corpus.tally import Tally
from matchwise.deriving.faults import Fault, Fitted
from matchwise.engine.garbage import resting
from matchwise.errors import DataError
from matchwise.tasks.documents.form import Form, filled

TOGETHER = 128
"""Documents that are counted together."""

SHOWN = 10
"""Kinds of faults that a printed run lists."""


@dataclass(frozen=True, slots=True)
class Run:
    """The scores of a run, and for each document with faults what they are."""

    report: Report
    faults: dict[Id, tuple[Fault, ...]]
    reference_faults: dict[Id, tuple[Fault, ...]]
    """What of the references does not fit the form: no prediction can be right there."""
    missing: list[Id] = field(default_factory=list)
    """The documents without a prediction, which count as empty."""

    @property
    def unreadable(self) -> list[Id]:
        """The documents whose prediction was no JSON; they count as empty."""
        return [id for id, faults in self.faults.items() if any(fault.is_unreadable for fault in faults)]

    @property
    def score(self) -> Any:
        """The metric itself: `.f1`, `.precision`, `.recall`, `.macro`, `.counts`, `.per_document`."""
        return self.report["score"]

    def summary(self) -> list[tuple[str, int]]:
        """Faults of one kind at one path, and how often, most frequent first."""
        return _kinds(self.faults)

    def __str__(self) -> str:
        blocks = [str(self.report)]
        for side, found in (("predictions", self.faults), ("references", self.reference_faults)):
            kinds = _kinds(found)
            said = [f"{number:>6} × {kind}" for kind, number in kinds[:SHOWN]]
            if len(kinds) > SHOWN:
                said.append(f"       and {len(kinds) - SHOWN} more")
            if side == "predictions" and self.unreadable:
                said.append(f"{len(self.unreadable):>6} without readable JSON, counted as empty")
            if side == "predictions" and self.missing:
                said.append(f"{len(self.missing):>6} missing, counted as empty")
            if said:
                blocks.append("\n".join([f"faults of the {side}", *said]))
        return "\n\n".join(blocks)

    __repr__ = __str__


def evaluate(
    form: Form,
    preds: Side,
    refs: Side,
    *,
    ids: Iterable[Any] | None = None,
    missing: Missing = "raise",
    fields: bool = True,
    time_limit: float | None = None,
    gap: float = 0.0,
) -> Run:
    """Score a corpus of predictions, given as instances, dictionaries or JSON text.

    The two sides are iterables or columns in the same order, or two mappings id -> document.
    With `missing="empty"` a document without a prediction (no such id in the mapping, or None) counts as empty and is
    listed in `run.missing`.

    `time_limit` (seconds a document) and `gap` (a share of the score) end the search for the best pairs of very long
    lists, and of variables; the report then says between which bounds the score lies.

    >>> from matchwise.tasks.documents.form import form
    >>> bills = form({"properties": {"number": {"type": "string"}}})
    >>> run = evaluate(bills, ['{"number": "1"}', "no idea"], [{"number": "1"}, {"number": "2"}])
    >>> run.score.recall, run.unreadable
    (0.5, [1])
    """
    _check_sides(preds, refs)
    tally = Tally(form.suite, fields=fields, time_limit=time_limit, gap=gap)
    faults: dict[Id, tuple[Fault, ...]] = {}
    reference_faults: dict[Id, tuple[Fault, ...]] = {}
    absent: list[Id] = []
    rows = enumerate(documents(preds, refs, ids, missing=missing))
    while some := list(islice(rows, TOGETHER)):
        read: list[tuple[Any, Any, Id | None]] = []
        with resting():
            for number, (pred, ref, id) in some:
                name: Id = number if id is None else id
                if pred is NOTHING:
                    absent.append(name)
                    pred = None
                fitted, wanted = form.fit(pred), _reference(form, ref, name)
                read.append((filled(fitted), filled(wanted), id))
                if fitted.faults:
                    faults[name] = fitted.faults
                if wanted.faults:
                    reference_faults[name] = wanted.faults
            if not tally.add_all(read):
                for document in read:  # one by one, which says what is wrong with which
                    tally.add(*document)
    return Run(tally.report(), faults, reference_faults, absent)


def _check_sides(preds: Any, refs: Any) -> None:
    """Refuse one document in place of many."""
    for name, side, other in (("predictions", preds, refs), ("references", refs, preds)):
        single = side is None or isinstance(side, str | bytes | int | float)
        if single or (isinstance(side, Mapping) and not isinstance(other, Mapping)):
            raise DataError(
                f"the {name} are a {type(side).__name__}, expected a list or another iterable of documents, or two "
                "mappings id -> document; for one document write form.score(pred, ref)"
            )


def _reference(form: Form, ref: Any, name: Id) -> Fitted:
    try:
        return form.fit(ref, reference=True)
    except DataError as error:
        error.document = name
        raise


def _kinds(found: dict[Id, tuple[Fault, ...]]) -> list[tuple[str, int]]:
    kinds = Counter(fault.kind for faults in found.values() for fault in faults)
    return sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))

"""A corpus of filled forms: the report with its table of fields, the faults, and what could not be read at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matchwise.corpus.counting import Counting, Reader, count_lists
from matchwise.corpus.counts import reading
from matchwise.corpus.pairing import NOTHING, Documents, Missing, pair_documents
from matchwise.corpus.report import Report
from matchwise.corpus.table import Id
from matchwise.corpus.tally import Document, Tally
from matchwise.deriving.faults import Fault
from matchwise.engine.batch import run
from matchwise.engine.plan import CountColumns, plan
from matchwise.errors import DataError
from matchwise.tasks.documents.form import Form, fill

SHOWN = 10
"""Kinds of faults that a printed run lists."""


@dataclass(frozen=True, slots=True)
class Run:
    """The scores of a run, and the faults of each document that has some."""

    report: Report
    faults: dict[Id, tuple[Fault, ...]]
    reference_faults: dict[Id, tuple[Fault, ...]]
    """What of the references does not fit the form: no prediction can be right there."""
    missing: list[Id] = field(default_factory=list)
    """The documents without a prediction, which count as empty."""

    @property
    def unreadable(self) -> list[Id]:
        """The documents whose prediction was not JSON; they count as empty."""
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
    preds: Documents,
    refs: Documents,
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
    pairs = pair_documents(preds, refs, ids, missing=missing)
    tally, reader = count(Tally(form.suite, fields=fields, time_limit=time_limit, gap=gap), form, pairs)
    return Run(tally.report(), reader.faults, reader.reference_faults, list(reader.missing))


def score_each(form: Form, preds: list[Any], refs: Sequence[Any]) -> tuple[list[float], FormReader]:
    """The value of each document, and what was found while reading them."""
    reader, made = FormReader(form=form), plan(form.phi)
    try:
        read = [
            reader.read((pred, ref, None), place) for place, (pred, ref) in enumerate(zip(preds, refs, strict=True))
        ]
        counted = run(
            lambda p, r: CountColumns(*map(p.kernels.plain, made.count(p, r))),
            [pred for pred, _, _ in read],
            [ref for _, ref, _ in read],
        )
    except DataError:
        Tally(form.suite).update(preds, refs)  # names the document
        raise
    return reading(made.phi).values(counted), reader


def count(empty: Tally, form: Form, documents: Iterable[Document]) -> tuple[Tally, FormReader]:
    """Read and count documents; the reader keeps what it found."""
    reader, tally = FormReader(form=form), None
    for part in count_lists(Counting(empty, reader), documents):
        if tally is None:
            tally = part.tally
        else:
            tally += part.tally
    return empty.zero() if tally is None else tally, reader


@dataclass(slots=True)
class FormReader(Reader):
    """Fills in the form, and keeps what does not fit it."""

    form: Form = None  # type: ignore[assignment]  # given by name
    faults: dict[Id, tuple[Fault, ...]] = field(default_factory=dict)
    reference_faults: dict[Id, tuple[Fault, ...]] = field(default_factory=dict)
    missing: dict[Id, None] = field(default_factory=dict)

    def read(self, item: Document, place: int) -> Document:
        pred, ref, id = item
        name: Id = place if id is None else id
        if pred is NOTHING:
            self.missing[name] = pred = None
        fitted, wanted = self.form.fit(pred), self.form.fit(ref, reference=True)
        for faults, one in ((self.faults, fitted), (self.reference_faults, wanted)):
            if one.faults:
                faults[name] = one.faults
        return fill(fitted), fill(wanted), id


def _check_sides(preds: Any, refs: Any) -> None:
    """Refuse one document in place of many."""
    for name, side, other in (("predictions", preds, refs), ("references", refs, preds)):
        single = side is None or isinstance(side, str | bytes | int | float)
        if single or (isinstance(side, Mapping) and not isinstance(other, Mapping)):
            raise DataError(
                f"the {name} are a {type(side).__name__}, expected a list or another iterable of documents, or two "
                "mappings id -> document; for one document write form.score(pred, ref)"
            )


def _kinds(found: dict[Id, tuple[Fault, ...]]) -> list[tuple[str, int]]:
    kinds = Counter(fault.kind for faults in found.values() for fault in faults)
    return sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))

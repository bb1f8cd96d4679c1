"""A corpus of filled forms: the report with its table of fields, the faults, and what could not be read at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any

from matchwise.corpus.report import Report
from matchwise.corpus.tally import Id, Tally
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
            if said:
                blocks.append("\n".join([f"faults of the {side}", *said]))
        return "\n\n".join(blocks)

    __repr__ = __str__


def evaluate(
    form: Form,
    preds: Iterable[Any],
    refs: Iterable[Any],
    *,
    ids: Iterable[Id] | None = None,
    fields: bool = True,
    time_limit: float | None = None,
    gap: float = 0.0,
) -> Run:
    """Score a corpus of predictions, given as instances, dictionaries or JSON text.

    `time_limit` (seconds a document) and `gap` (a share of the score) end the search for the best pairs of very long
    lists, and of variables; the report then says between which bounds the score lies.

    >>> from matchwise.tasks.documents.form import form
    >>> bills = form({"properties": {"number": {"type": "string"}}})
    >>> run = evaluate(bills, ['{"number": "1"}', "no idea"], [{"number": "1"}, {"number": "2"}])
    >>> run.score.recall, run.unreadable
    (0.5, [1])
    """
    for title, side in (("predictions", preds), ("references", refs)):
        if isinstance(side, str | bytes | Mapping) or not isinstance(side, Iterable):
            raise DataError(
                f"the {title} are a {type(side).__name__}, expected a list or another iterable of documents; "
                "for one document write form.score(pred, ref)"
            )
    tally = Tally(form.suite, fields=fields, time_limit=time_limit, gap=gap)
    faults: dict[Id, tuple[Fault, ...]] = {}
    reference_faults: dict[Id, tuple[Fault, ...]] = {}
    rows = enumerate(zip_longest(preds, refs, () if ids is None else ids, fillvalue=_END))
    while some := list(islice(rows, TOGETHER)):
        documents: list[tuple[Any, Any, Id | None]] = []
        with resting():
            for number, (pred, ref, id) in some:
                if pred is _END or ref is _END or (ids is not None and id is _END):
                    raise DataError(
                        f"found different numbers of predictions, references or ids; document {number} is incomplete"
                    )
                name: Id = number if ids is None else id  # type: ignore[assignment]  # no end mark, see above
                fitted, wanted = form.fit(pred), _reference(form, ref, name)
                documents.append((filled(fitted), filled(wanted), None if ids is None else name))
                if fitted.faults:
                    faults[name] = fitted.faults
                if wanted.faults:
                    reference_faults[name] = wanted.faults
            if not tally.add_all(documents):
                for document in documents:  # one by one, which says what is wrong with which
                    tally.add(*document)
    return Run(tally.report(), faults, reference_faults)


def _reference(form: Form, ref: Any, name: Id) -> Fitted:
    try:
        return form.fit(ref, reference=True)
    except DataError as error:
        error.document = name
        raise


def _kinds(found: dict[Id, tuple[Fault, ...]]) -> list[tuple[str, int]]:
    kinds = Counter(fault.kind for faults in found.values() for fault in faults)
    return sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))


_END = object()

"""A corpus of filled forms: the report with its table of fields, the faults, and what could not be read at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from matchwise.corpus.report import Report
from matchwise.corpus.tally import Id, Tally
from matchwise.derive.fit import Fault
from matchwise.errors import DataError
from matchwise.tasks.documents.form import Form

SHOWN = 10
"""Kinds of faults that a printed run lists."""


@dataclass(frozen=True, slots=True)
class Run:
    """The scores of a run, and for each document with faults what they are."""

    report: Report
    faults: dict[Id, tuple[Fault, ...]]

    @property
    def unreadable(self) -> list[Id]:
        """The documents whose prediction was no JSON; they count as empty."""
        return [id for id, faults in self.faults.items() if any(str(fault).startswith("not ") for fault in faults)]

    @property
    def score(self) -> Any:
        """The metric itself: `.f1`, `.precision`, `.recall`, `.macro`, `.counts`, `.per_document`."""
        return self.report["score"]

    def summary(self) -> list[tuple[str, int]]:
        """Faults of one kind at one path, and how often, most frequent first."""
        kinds = Counter(fault.kind for faults in self.faults.values() for fault in faults)
        return sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))

    def __str__(self) -> str:
        said = [f"{number:>6} × {kind}" for kind, number in self.summary()[:SHOWN]]
        if len(self.summary()) > SHOWN:
            said.append(f"       and {len(self.summary()) - SHOWN} more")
        if self.unreadable:
            said.append(f"{len(self.unreadable):>6} without readable JSON, counted as empty")
        return f"{self.report}\n\nfaults of the predictions\n" + "\n".join(said) if said else str(self.report)

    __repr__ = __str__


def evaluate(
    form: Form, preds: Iterable[Any], refs: Iterable[Any], *, ids: Iterable[Id] | None = None, fields: bool = True
) -> Run:
    """Score a corpus of predictions, given as instances, dictionaries or JSON text.

    >>> from matchwise.tasks.documents.form import form
    >>> bills = form({"properties": {"number": {"type": "string"}}})
    >>> run = evaluate(bills, ['{"number": "1"}', "no idea"], [{"number": "1"}, {"number": "2"}])
    >>> run.score.recall, run.unreadable
    (0.5, [1])
    """
    tally = Tally(form.suite, fields=fields)
    faults: dict[Id, tuple[Fault, ...]] = {}
    rows = zip_longest(preds, refs, () if ids is None else ids, fillvalue=_END)
    for number, (pred, ref, id) in enumerate(rows):
        if pred is _END or ref is _END or (ids is not None and id is _END):
            raise DataError(
                f"found different numbers of predictions, references or ids; document {number} is incomplete"
            )
        name: Id = number if ids is None else id  # type: ignore[assignment]  # no end mark, see above
        filled = form.read(pred)
        tally.add(filled, ref, name if ids is not None else None)
        if getattr(filled, "faults", ()):
            faults[name] = filled.faults
    return Run(tally.report(), faults)


_END = object()

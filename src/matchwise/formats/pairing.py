"""Predictions and references of two files, side by side: in order while their ids agree, else joined by id.

The references are read in order. A prediction that comes before its reference waits, in a small form where it can be
read again; a reference whose prediction never comes is missing. Without ids, documents are paired by position.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias

from matchwise.errors import DataError, FormatError
from matchwise.formats.entries import Entry, Fault, Id, Source

OnError: TypeAlias = Literal["raise", "skip", "empty"]


class Pair(NamedTuple):
    """A reference and its prediction, if it has one."""

    pred: Entry | None
    ref: Entry


class Failed(NamedTuple):
    """A document that could not be read or scored, and why."""

    document: Id | None
    problem: str


class Pairing:
    """The pairs of two files; what is missing or cannot be read is known when they have been iterated."""

    def __init__(
        self, preds: Source, refs: Source, *, on_error: OnError = "raise", max_errors: int | None = None
    ) -> None:
        self.preds = preds
        self.refs = refs
        self.on_error = on_error
        self.max_errors = max_errors
        self.missing: list[Id] = []
        self.failed: list[Failed] = []
        self.documents = 0
        """References that were met."""
        self.done: set[Id] = set()
        """The ids that were paired; those of a reading in blocks that came before are given."""

    def __iter__(self) -> Iterator[Pair]:
        preds, refs = iter(self.preds), iter(self.refs)
        first_pred, first_ref = next(preds, None), next(refs, None)
        if first_pred is None and first_ref is None:
            if self.done:
                return iter(())
            raise FormatError("found no documents here nor in the predictions", self.refs.name)
        named = [entry.id is not None for entry in (first_pred, first_ref) if entry and _legible(entry)]
        if any(named) and not all(named):
            raise self._half_named(first_pred, first_ref)
        preds, refs = _put_back(first_pred, preds), _put_back(first_ref, refs)
        return self._by_position(preds, refs) if named and not any(named) else self._by_id(preds, refs)

    def _by_id(self, preds: Iterator[Entry], refs: Iterator[Entry]) -> Iterator[Pair]:
        waiting: dict[Id, Entry] = {}
        done = self.done
        for ref in refs:
            self.documents += 1
            id = ref.id
            if id is None:
                self._record(ref, self.refs)
                continue
            if id in done:
                self._twice(id, ref, self.refs)
                continue
            pred = waiting.pop(id, None) if waiting else None
            if pred is None:
                for pred in preds:
                    if pred.id == id:
                        break
                    self._park(pred, waiting, done)
                else:
                    pred = None
            done.add(id)
            if type(ref.document) is Fault:
                self._record(ref, self.refs)
                continue
            if pred is None:
                self.missing.append(id)
            elif type(pred.document) is Fault:
                self._record(pred, self.preds)
                if self.on_error == "skip":
                    continue
                pred = None
            yield Pair(pred, ref)
        for pred in preds:
            self._park(pred, waiting, done)
        self._leftover(waiting)

    def _park(self, pred: Entry, waiting: dict[Id, Entry], done: set[Id]) -> None:
        if pred.id is None:
            self._record(pred, self.preds)
        elif pred.id in done or pred.id in waiting:
            self._twice(pred.id, pred, self.preds)
        else:
            waiting[pred.id] = self.preds.parked(pred)

    def _by_position(self, preds: Iterator[Entry], refs: Iterator[Entry]) -> Iterator[Pair]:
        for ref in refs:
            pred = next(preds, None)
            if pred is None:
                more = self.documents + 1 + sum(1 for _ in refs)
                raise self._unequal(self.documents, more)
            self.documents += 1
            for entry, source in ((pred, self.preds), (ref, self.refs)):
                if entry.id is not None and _legible(entry):
                    raise DataError(
                        f"{source.place(entry)}: found the id {entry.id!r}, but the documents before have none"
                    )
            if type(ref.document) is Fault:
                self._record(ref, self.refs)
            elif type(pred.document) is Fault:
                self._record(pred, self.preds)
                if self.on_error == "empty":
                    yield Pair(None, ref)
            else:
                yield Pair(pred, ref)
        more = sum(1 for _ in preds)
        if more:
            raise self._unequal(self.documents + more, self.documents)

    def _record(self, entry: Entry, source: Source) -> None:
        """Raise what is wrong with an entry, or keep it for the result."""
        if isinstance(entry.document, Fault):
            error: FormatError | DataError = entry.document.error
        else:
            error = DataError(f"{source.place(entry)}: found no id, but other documents of the file have one")
        self.fail(entry.id, error)

    def fail(self, id: Id | None, error: FormatError | DataError) -> None:
        """Raise an error, or keep it for the result, up to as many as are allowed."""
        if self.on_error == "raise":
            raise error
        self.failed.append(Failed(id, str(error)))
        if self.max_errors is not None and len(self.failed) > self.max_errors:
            raise DataError(f"more than {self.max_errors} errors; the last: {error}")

    def _twice(self, id: Id, entry: Entry, source: Source) -> None:
        self.fail(id, DataError(f"{source.place(entry)}: found the id {id!r} a second time; make the ids unique"))

    def _leftover(self, waiting: dict[Id, Entry]) -> None:
        """Predictions without a reference; of one that cannot be read, that is said."""
        for entry in waiting.values():
            if isinstance(entry.document, Fault):
                self._record(entry, self.preds)
        waiting = {id: entry for id, entry in waiting.items() if not isinstance(entry.document, Fault)}
        if not waiting:
            return
        kinds = {type(id) for id in waiting}, {type(id) for id in self.missing}
        hint = "; ids are text in one file and numbers in the other" if all(kinds) and kinds[0] != kinds[1] else ""
        if self.on_error == "raise":
            first = next(iter(waiting.values()))
            others = f" (and {len(waiting) - 1} more)" if len(waiting) > 1 else ""
            raise DataError(
                f"{self.preds.place(first)}: no reference has the id {first.id!r}{others}{hint}; "
                "take it out, or write --on-error skip"
            )
        for id, entry in waiting.items():
            self.failed.append(Failed(id, f"{self.preds.place(entry)}: no reference has the id {id!r}{hint}"))

    def _half_named(self, pred: Entry | None, ref: Entry | None) -> DataError:
        with_ids, without = (self.preds, self.refs) if pred and pred.id is not None else (self.refs, self.preds)
        return DataError(
            f"the documents of {with_ids.name} have ids and those of {without.name} have none; "
            "write --id KEY if the id has another name, or --id none to pair by position"
        )

    def _unequal(self, preds: int, refs: int) -> DataError:
        return DataError(
            f"found {preds} documents in {self.preds.name} and {refs} in {self.refs.name}, and no ids to join them by; "
            'give each document an "id", or write one prediction for each reference, in order'
        )


def _legible(entry: Entry) -> bool:
    """Whether the entry says if documents have ids: one that cannot be read does only if its id is still seen."""
    return entry.id is not None or not isinstance(entry.document, Fault)


def _put_back(entry: Entry | None, rest: Iterator[Entry]) -> Iterator[Entry]:
    return rest if entry is None else chain((entry,), rest)

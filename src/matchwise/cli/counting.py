"""Pairs of entries of two files as documents to count: read where they are counted, with what a person should know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from matchwise.corpus.loop import Counted, Reader, Unreadable, reason_of
from matchwise.corpus.pairing import NOTHING, Failed, OnError
from matchwise.corpus.suite import Suite
from matchwise.corpus.table import Id
from matchwise.corpus.tally import Document
from matchwise.errors import DataError, FormatError
from matchwise.formats.io.entries import Source
from matchwise.formats.io.pairing import Pair

if TYPE_CHECKING:
    from matchwise.algebra.steps import Step
    from matchwise.deriving.faults import Fault

Empty: TypeAlias = Callable[[Any], Any] | None
"""A task's own empty document, made from the reference."""


@dataclass(slots=True)
class PairReader(Reader):
    """Reads the documents of a pair from their files; can be sent to another process."""

    suite: Suite = None  # type: ignore[assignment]  # given by name
    preds: Source = None  # type: ignore[assignment]
    refs: Source = None  # type: ignore[assignment]
    empty: Empty = None
    unreadable: OnError = "raise"
    """What becomes of a prediction that cannot be read."""

    def read(self, item: Pair, place: int) -> Document:
        if item.pred is None:
            return self.read_empty(item, place)
        try:
            pred = self.preds.document(item.pred)
        except FormatError as error:
            raise Unreadable(error.problem, error.file, error.line) from None
        fit = next((step.read for step in self.suite.steps if step.read is not None), None)
        if fit is not None:
            pred = fit(pred)
            fault = _unreadable(pred)
            if fault and self.unreadable != "empty":
                raise self._unread(item, fault)
        return pred, self.refs.document(item.ref), item.ref.id

    def read_empty(self, item: Pair, place: int) -> Document:
        ref = self.refs.document(item.ref)
        if self.empty is None:
            return NOTHING, ref, item.ref.id
        return self.empty(ref if self.suite.several is None else ref[0]), ref, item.ref.id

    def note(self, made: Counted, items: list[Pair], documents: list[Document]) -> None:
        """Name what does not fit a form, and what a step leaves out beside this reference."""
        steps = self.suite.steps
        left_out = [step.left_out for step in steps if step.left_out is not None]
        if not left_out and not any(hasattr(kind, "faults") for kind in {type(pred) for pred, _, _ in documents}):
            return
        for place, (pair, (pred, ref, id)) in enumerate(zip(items, documents, strict=True), start=made.items):
            if pair.pred is None:
                continue
            if fault := _unreadable(pred):
                made.failed.append(Failed(id, str(self._unread(pair, fault)), place))
            first = ref if self.suite.several is None else ref[0]
            noted = [*getattr(pred, "faults", ()), *(one for name in left_out for one in name(pred, first))]
            for found in filter(_is_notable(steps), noted) if noted else ():
                made.warnings[f"{self.preds.name}: {found.kind}"] += 1

    def take_warnings(self, warnings: Counter[str]) -> None:
        for one in (self.preds, self.refs):
            take_warnings(one, warnings)

    def name(self, item: Pair, place: int) -> Id | None:
        return item.ref.id

    def explain(self, error: BaseException, item: Pair, place: int) -> str:
        if not isinstance(error, DataError | FormatError | MemoryError):
            error = DataError(reason_of(error))
        return str(self.locate(error, item, place))

    def locate(self, error: BaseException, item: Pair, place: int) -> BaseException:
        """The error with the file and line of the document it is in."""
        if isinstance(error, MemoryError):
            error = DataError("scoring it needs more memory than this process has")
        if isinstance(error, DataError | FormatError):
            return locate(error, item, self.preds, self.refs)
        return Reader.locate(self, error, item, place)  # super() does not know a class that was made again with slots

    def lose(self, reason: str, item: Pair, place: int, *, raised: bool) -> DataError:
        advice = "; write --on-error skip to leave it out" if raised else ""
        return DataError(f"{self.refs.place(item.ref)}: scoring it {reason}{advice}")

    def _unread(self, item: Pair, fault: Fault) -> Unreadable:
        assert item.pred is not None
        return Unreadable(str(fault), self.preds.place(item.pred))


def _is_notable(steps: Iterable[Step]) -> Callable[[Any], bool]:
    """A test for what to report: not faults that make a prediction unreadable, nor ignored keys."""
    from matchwise.deriving.faults import Fault

    ignores = any(("extra", "ignore") in step.options for step in steps)
    return lambda found: not (isinstance(found, Fault) and (found.is_unreadable or (ignores and found.is_undeclared)))


def _unreadable(filled: Any) -> Fault | None:
    """Why nothing of a prediction could be read, where its form says so."""
    faults = getattr(filled, "faults", ())
    if not faults:
        return None
    from matchwise.deriving.faults import Fault

    return next((fault for fault in faults if isinstance(fault, Fault) and fault.is_unreadable), None)


def locate(error: DataError | FormatError, pair: Pair, preds: Source, refs: Source) -> DataError | FormatError:
    """The error with the file and line of the document it is in."""
    if isinstance(error, FormatError):
        return error
    place = preds.place(pair.pred) if error.side == "prediction" and pair.pred is not None else refs.place(pair.ref)
    path = f"{error.path}: " if error.path else ""
    return FormatError(f"{path}{error.problem}", place)


def take_warnings(source: Source, into: Counter[str]) -> None:
    """The unknown keys that were ignored since the last call."""
    found = source.decoding and source.decoding.warnings
    if found:
        into.update({f"{source.name}: {text}": number for text, number in found.items()})
        found.clear()

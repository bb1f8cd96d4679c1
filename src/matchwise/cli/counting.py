"""The work on a list of pairs: documents are read and counted, and what goes wrong is kept or raised.

One process and several do the same work on the same lists; `Counting` can be sent to another process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from matchwise.corpus.categories import Categories
from matchwise.corpus.nothing import NOTHING, add_missing
from matchwise.corpus.table import Id
from matchwise.corpus.tally import Tally
from matchwise.deriving.faults import UNDECLARED, Fault
from matchwise.errors import DataError, FormatError
from matchwise.formats.io.entries import Source
from matchwise.formats.io.pairing import Failed, OnError, Pair
from matchwise.runners.serial import FIRST, next_size

Empty: TypeAlias = Callable[[Any], Any] | None
"""A task's own empty document, made from the reference."""


class Unreadable(FormatError):
    """A prediction of which nothing can be read."""


@dataclass(slots=True)
class Counted:
    """What came of a list of pairs."""

    tally: Tally
    failed: list[Failed] = field(default_factory=list)
    """Each with its place in the list."""
    warnings: Counter[str] = field(default_factory=Counter)
    categories: dict[str, Categories] = field(default_factory=dict)
    """Metric -> what became of each element, where that was asked for."""
    pairs: int = 0
    """How many there were."""


@dataclass(slots=True)
class Counting:
    """The work on a list of pairs; can be sent to another process."""

    zero: Tally
    preds: Source
    refs: Source
    on_error: OnError
    empty: Empty
    unreadable: OnError = "raise"
    """What becomes of a prediction that cannot be read."""
    size: int = FIRST
    """How many small documents are counted together."""
    categories: dict[str, Categories] = field(default_factory=dict)

    def __call__(self, place: int, pairs: list[Pair]) -> Counted:
        self.zero.program()  # made once, and shared by the tallies of all lists
        made = self.nothing()
        while made.pairs < len(pairs):
            some = pairs[made.pairs : made.pairs + self.size] if self.zero.together else pairs
            if not self._together(made, some):
                for number, pair in enumerate(some, start=made.pairs):
                    self._add(made, pair, number)
            made.pairs += len(some)
        for one in (self.preds, self.refs):
            take_warnings(one, made.warnings)
        return made

    def nothing(self) -> Counted:
        """What comes of no pairs."""
        return Counted(self.zero.zero(), categories={name: table.zero() for name, table in self.categories.items()})

    def _together(self, made: Counted, pairs: list[Pair]) -> bool:
        """Count documents at once, if all is well with all of them."""
        if not self.zero.together:
            return False
        preds, refs = self.preds.document, self.refs.document
        try:
            read = getattr(made.tally.suite.prepare, "read", lambda document: document)
            documents = [(read(preds(pred)), refs(ref), ref.id) for pred, ref in pairs if pred is not None]
        except (DataError, FormatError, MemoryError):
            return False
        if self.unreadable != "empty" and any(_unreadable(pred) for pred, _, _ in documents):
            return False
        elements = made.tally.add_all(documents) if len(documents) == len(pairs) else 0
        self.size = next_size(self.size, elements)
        if elements:
            for number, (pair, document) in enumerate(zip(pairs, documents, strict=True), start=made.pairs):
                if fault := _unreadable(document[0]):
                    made.failed.append(Failed(pair.ref.id, str(self._unread(pair, fault)), number))
                self._warn(made, *document[:2])
            for table in made.categories.values():
                table.add_all(documents)
        return elements > 0

    def _add(self, made: Counted, pair: Pair, number: int) -> None:
        pred, ref = pair
        try:
            if pred is None:
                self._add_empty(made, self.refs.document(ref), ref.id)
            else:
                document = self._read(made, pair)
                self._warn(made, document, self.refs.document(ref))
                made.tally.add(document, self.refs.document(ref), ref.id)
                _grade(made.categories.values(), document, self.refs.document(ref), ref.id)
        except (DataError, FormatError, MemoryError) as error:
            if isinstance(error, MemoryError):
                error = DataError("scoring it needs more memory than this process has")
            how = self.unreadable if isinstance(error, Unreadable) else self.on_error
            found = placed(error, pair, self.preds, self.refs)
            if how == "raise":
                raise found from None
            made.failed.append(Failed(ref.id, str(found), number))
            if how == "empty" and pred is not None:
                self._try_empty(made, ref)

    def _read(self, made: Counted, pair: Pair) -> Any:
        """The prediction as the suite's form reads it, if it has one."""
        assert pair.pred is not None
        try:
            pred = self.preds.document(pair.pred)
        except FormatError as error:
            raise Unreadable(error.problem, error.file, error.line) from None
        read = getattr(made.tally.suite.prepare, "read", None)
        filled = pred if read is None else read(pred)
        if fault := _unreadable(filled):
            raise self._unread(pair, fault)
        return filled

    def _unread(self, pair: Pair, fault: Fault) -> Unreadable:
        assert pair.pred is not None
        return Unreadable(str(fault), self.preds.place(pair.pred))

    def _warn(self, made: Counted, filled: Any, ref: Any) -> None:
        """Name what does not fit a form, and what a suite's step leaves out beside this reference."""
        prepare = made.tally.suite.prepare
        left_out = getattr(prepare, "left_out", None)
        ignored = UNDECLARED if getattr(prepare, "extra", None) == "ignore" else None
        refs = [ref] if made.tally.suite.several is None else ref
        for fault in (*getattr(filled, "faults", ()), *(left_out(filled, refs[0]) if left_out else ())):
            if not isinstance(fault, Fault) or not (fault.is_unreadable or fault.problem == ignored):
                made.warnings[f"{self.preds.name}: {fault.kind}"] += 1

    def _add_empty(self, made: Counted, ref: Any, id: Id | None) -> None:
        if self.empty is None:
            add_missing(made.tally, ref, id)
        else:
            made.tally.add(self.empty(ref if made.tally.suite.several is None else ref[0]), ref, id)
        if made.categories:
            _grade(made.categories.values(), NOTHING if self.empty is None else self.empty(ref), ref, id)

    def _try_empty(self, made: Counted, ref: Any) -> None:
        """A prediction that cannot be scored counts as empty; a reference that cannot be scored is left out."""
        try:
            self._add_empty(made, self.refs.document(ref), ref.id)
        except (DataError, FormatError):
            return


def _unreadable(filled: Any) -> Fault | None:
    """Why nothing of a prediction could be read, where its form says so."""
    faults = getattr(filled, "faults", ())
    return next((fault for fault in faults if isinstance(fault, Fault) and fault.is_unreadable), None)


def _grade(tables: Iterable[Categories], pred: Any, ref: Any, id: Id | None) -> None:
    for table in tables:
        table.add(pred, ref, id)


def placed(error: DataError | FormatError, pair: Pair, preds: Source, refs: Source) -> DataError | FormatError:
    """The error with the file and line of the document it is in."""
    if isinstance(error, FormatError):
        return error
    place = preds.place(pair.pred) if error.side == "prediction" and pair.pred is not None else refs.place(pair.ref)
    path = f"{error.path}: " if error.path else ""
    return FormatError(f"{path}{error.problem}", place)


def take_warnings(source: Source, into: Counter[str]) -> None:
    """The unknown keys that were let pass since they were last asked for."""
    found: Counter[str] | None = getattr(getattr(source, "decoding", None), "warnings", None)
    if found:
        into.update({f"{source.name}: {text}": number for text, number in found.items()})
        found.clear()

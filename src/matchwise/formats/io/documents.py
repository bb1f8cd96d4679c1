"""The documents of a file, each with its id and place, and those of two files side by side.

Predictions and references are paired in order while their ids agree, else joined by id. The rules and their words are
those of `matchwise.corpus.pairing`; here are the ids that come with each document. The references are read in order. A
prediction that comes before its reference waits, in a small form where it can be read again; a reference whose
prediction never comes is missing. Without ids, documents are paired by position.

Several files of references are joined in the same way: each document has the references that the files hold for it. The
first file says which documents there are; the others may leave some out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.corpus.pairing import (
    NAMED,
    NOTHING,
    SHOWN,
    Failed,
    Missing,
    OnError,
    count_sides,
    describe_missing,
    lock_step,
    unknown_ids,
    unmet_ids,
    write_shell,
)
from matchwise.corpus.positions import Positioned
from matchwise.corpus.table import Id
from matchwise.errors import DataError, FormatError, MatchwiseError, count_units, cut, name_some, shorten
from matchwise.formats import find_format
from matchwise.formats.io.source import place_errors

if TYPE_CHECKING:
    from matchwise.formats.io.decoding import Decoding


class Entry(NamedTuple):
    """A document: its id if it has one, the object (`UNREAD`, or the error of a broken one), and where it stands."""

    id: Id | None
    document: Any
    spot: Any = None


def take_documents(entries: Iterable[Entry]) -> Iterator[Any]:
    """The documents themselves; raises the error of a broken one."""
    for entry in entries:
        if isinstance(entry.document, MatchwiseError):
            raise entry.document
        yield entry.document


class Unread:
    """A document that is decoded where it is needed: later, or by another process."""

    def __repr__(self) -> str:
        return "UNREAD"

    def __reduce__(self) -> str:
        return "UNREAD"  # the same object in every process


UNREAD = Unread()


class Source(ABC):
    """A file of documents; can be iterated once for each system that is scored against it, except standard input."""

    name: str
    pair: Callable[..., Iterator[tuple[Entry, Entry]]] | None = None
    """How the format pairs the entries of two files, if neither by id nor by position."""
    remedy: str | None = None
    """The advice of the format where documents have no ids and are not as many on both sides, if it has any."""
    leaves_out_empty: bool = False
    """Whether a file has only the documents in which something was found, so that a missing one is no surprise."""
    repeated: str | None = None
    """The advice where an id is there twice, if there is a better one than to make the ids unique."""
    decoding: Decoding | None = None
    """How documents of JSON are decoded."""

    @abstractmethod
    def __iter__(self) -> Iterator[Entry]: ...

    @abstractmethod
    def place(self, entry: Entry) -> str:
        """`file:line` for messages."""

    def park(self, entry: Entry) -> Entry:
        """The entry as it waits for its partner: small if it can be read again."""
        return entry

    def written(self, entry: Entry) -> bytes | None:
        """What stands in the place of a broken document, where a form reads it and says what is wrong with it."""
        return None

    def document(self, entry: Entry) -> Any:
        """The document of an entry, read now if necessary; raises its error."""
        if isinstance(entry.document, MatchwiseError):
            raise entry.document
        return entry.document

    def close(self) -> None:
        """Close the file, if it is still open."""
        return

    def progress(self) -> float | None:
        """How much of the file is read, from 0 to 1, if that is known."""
        return None


class TaskFile(Source):
    """The documents that a format reads from a file."""

    def __init__(
        self,
        path: str,
        format: str,
        *,
        named: bool = True,
        reference: bool = False,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.path = path
        self.name = "<stdin>" if path == "-" else path
        self.format = format
        self.named = named
        """Whether documents go by their ids, where they have any; else they go by position."""
        self.reference = reference
        """Whether the reference is read from a file that has both sides."""
        about = find_format(format)
        self.settings = {name: value for name, value in (settings or {}).items() if name in about.settings}
        """Keyword arguments of the reader."""
        if "annotator" in about.settings:
            self.repeated = "the file may be of several annotators: write --option annotator=NAME, or see agreement"
        self.pair, self.remedy, self.leaves_out_empty = about.pair, about.remedy, about.leaves_out_empty

    def __iter__(self) -> Iterator[Entry]:
        about = find_format(self.format)
        read = (self.reference and about.read_reference) or about.entries or about.read
        found: Iterator[Entry] = read(self.path, **self.settings)
        if about.entries is None:  # a format that stops at a document that is broken
            found = (Entry(_id(one), one, number) for number, one in enumerate(found))
        with place_errors(self.name):
            yield from found if self.named else (entry._replace(id=None) for entry in found)

    def place(self, entry: Entry) -> str:
        """Name a document by its id in the file, else by its first line, else by its number from 0."""
        document = entry.document[0] if type(entry.document) in (list, tuple) else entry.document
        id, line = _id(document), getattr(document, "line", None)
        if id is not None:
            return f"{self.name}: document {cut(str(id))}"
        if line is not None:
            return f"{self.name}:{line}"
        if entry.spot is not None:
            return f"{self.name}[{entry.spot}]"
        return self.name if entry.id is None else f"{self.name}: document {entry.id}"


def _id(document: Any) -> Id | None:
    found: Id | None = getattr(document, "id", None)
    return None if found == "" else found


PART = "; part "
"""How CoNLL-2012 calls the parts of a document."""


def _name_part(entry: Entry) -> Entry:
    """An entry by the name that CoNLL-2012 gives it: what e2e-coref calls wsj_0000_0 is `wsj_0000; part 000`."""
    name, _, part = str(entry.id).rpartition("_")
    return entry._replace(id=f"{name}{PART}{part:>03}") if part.isdecimal() and name else entry


REMEDY = 'give each document an "id", or write one prediction for each reference, in order'
"""Where documents have no ids and are not as many on both sides, if the format has no advice of its own."""

JOINING_REMEDY = "give each document an id, or write the same documents into every file, in order"
"""The same where several files are read side by side."""


class Pair(NamedTuple):
    """A reference and its prediction, if it has one."""

    pred: Entry | None
    ref: Entry


class TooMany(DataError):
    """More documents than are allowed could not be read."""


class Pairing:
    """The pairs of two files; what is missing or cannot be read is known when they have been iterated."""

    def __init__(
        self,
        preds: Source,
        refs: Source,
        *,
        on_error: OnError = "raise",
        unreadable: OnError | None = None,
        missing: Missing = "empty",
        max_errors: int | None = None,
        is_joining: bool = False,
    ) -> None:
        self.preds = preds
        self.refs = refs
        self.is_joining = is_joining
        """Whether both are files of one side, references or readings, of which the first says what documents there are.
        """
        self.on_error = on_error
        self.unreadable: OnError = unreadable or on_error
        """What becomes of a prediction that cannot be read, if not the same as of other errors."""
        self.when_missing: Missing = missing
        """What becomes of a reference without a prediction."""
        self.max_errors = max_errors
        self.missing: list[Id] = []
        self.failed: list[Failed] = []
        self.documents = 0
        """References that were met."""
        self.is_cut = False
        """Whether the sides cut the same text into other documents, which other systems may cut elsewhere."""
        self.said = ""
        """How documents were paired, if that may surprise somebody."""
        self.given = 0
        """Pairs that were given to whoever asks for those that can be read."""

    def __iter__(self) -> Iterator[Pair]:
        preds, refs = iter(self.preds), iter(self.refs)
        first_pred, first_ref = next(preds, None), next(refs, None)
        if first_pred is None and first_ref is None and not self.is_joining:
            raise FormatError("found no documents here nor in the predictions", self.refs.name)
        if first_ref is None and self.on_error == "raise":
            raise FormatError("found no documents", self.refs.name)
        if first_pred is None and self.is_joining and first_ref and first_ref.id is None:
            raise FormatError("found no documents", self.preds.name)
        preds, refs = chain(filter(None, [first_pred]), preds), chain(filter(None, [first_ref]), refs)
        if first_pred and first_ref and PART in str(first_pred.id) + str(first_ref.id):
            preds, refs = map(_name_part, preds), map(_name_part, refs)
            first_pred, first_ref = _name_part(first_pred), _name_part(first_ref)
        pair = self.refs.pair
        if pair is not None and pair == self.preds.pair:
            return self._by_content(pair(preds, refs))
        # A broken document shows whether there are ids only if its own is legible.
        named = [
            entry.id is not None
            for entry in filter(None, (first_pred, first_ref))
            if entry.id is not None or not isinstance(entry.document, MatchwiseError)
        ]
        if first_pred and first_ref and self._pairs_by_text(first_pred, first_ref):
            from matchwise.formats.io.units import pair_by_text

            return self._by_content(pair_by_text(preds, refs))
        if any(named) and not all(named):
            raise self._half_named(first_pred, first_ref)
        if not named or any(named):
            return self._by_id(preds, refs)
        return self._by_position(preds, refs) if first_pred else self._without_predictions(refs)

    def _pairs_by_text(self, pred: Entry, ref: Entry) -> bool:
        """True if the same text is cut into other documents, or documents that two formats call by other ids."""
        if not (isinstance(pred.document, Positioned) and isinstance(ref.document, Positioned)):
            return False
        is_named = [entry.id is not None for entry in (pred, ref)]
        formats = {one.format for one in (self.preds, self.refs) if isinstance(one, TaskFile)}
        units = {pred.document.unit, ref.document.unit} - {None}
        is_alike = len(formats) < 2 and len(units) < 2 and len(set(is_named)) < 2
        if is_alike or (all(is_named) and pred.id == ref.id):
            return False
        from matchwise.formats.io.units import compare_texts

        found = compare_texts(pred.document, ref.document, (self.preds.name, self.refs.name))
        if found == "other" or (found == "same" and not any(is_named) and "tokens" not in units):
            return False
        if all(is_named):
            self.said = "its documents have other ids than those of the reference, and were paired by their text"
        return True

    def read(self, pred: Entry | None, ref: Entry) -> tuple[Any, Any]:
        """The documents of a pair, which count the same units."""
        right = self.refs.document(ref)
        return (NOTHING, right) if pred is None else meet_sides(self.preds.document(pred), right, self.refs, Counter())

    def readable(self) -> Iterator[Pair]:
        """Yield the pairs until there are too many errors; the caller counts errors of reading and of scoring."""
        try:
            for pair in self:
                self.given += 1
                yield pair
        except TooMany:
            return

    def _by_content(self, pairs: Iterator[tuple[Entry, Entry]]) -> Iterator[Pair]:
        """Pair as the format of both files does; a stretch without an id has the number of its first reference."""
        number = 0
        try:
            for pred, ref in pairs:
                self.documents += 1
                if ref.id is None:
                    pred, ref = (entry._replace(id=number) for entry in (pred, ref))
                number += len(ref.document) if type(ref.document) is list else 1
                self.is_cut |= type(pred.document) is list or type(ref.document) is list
                yield Pair(pred, ref)
        except DataError as error:
            source, other = (self.refs, self.preds) if error.side == "reference" else (self.preds, self.refs)
            advice = f"; {source.repeated}" if source.repeated else ""
            if other.repeated and not advice:
                advice = f"; {other.name}: {other.repeated}"
            raise FormatError(error.problem + advice, source.name) from None

    def _by_id(self, preds: Iterator[Entry], refs: Iterator[Entry]) -> Iterator[Pair]:
        waiting: dict[Id, Entry] = {}
        done: set[Id] = set()
        for ref in refs:
            self.documents += 1
            id = ref.id
            if id is None:
                self._record(ref, self.refs)
                continue
            if id in done:
                self._twice(id, ref, self.refs)
                continue
            pred = waiting.pop(id, None)
            if pred is None:
                for pred in preds:
                    if pred.id == id:
                        break
                    self._park(pred, waiting, done)
                else:
                    pred = None
            done.add(id)
            if self._is_broken(ref):
                self._record(ref, self.refs)
                continue
            if pred is None:
                self._miss(id, ref)
            elif self._is_broken(pred):
                pred = self._take_broken(pred)
                if pred is None and self.unreadable == "skip":
                    continue
            yield Pair(pred, ref)
        for pred in preds:
            self._park(pred, waiting, done)
        if waiting:
            self._leftover(waiting.values())

    def _park(self, pred: Entry, waiting: dict[Id, Entry], done: set[Id]) -> None:
        if pred.id is None:
            self._record(pred, self.preds)
        elif pred.id in done or pred.id in waiting:
            self._twice(pred.id, pred, self.preds)
        else:
            waiting[pred.id] = self.preds.park(pred)

    def _by_position(self, preds: Iterator[Entry], refs: Iterator[Entry]) -> Iterator[Pair]:
        numbered = self.on_error != "raise" or self.unreadable != "raise"
        for pred, ref, _ in lock_step(preds, refs, unequal=self._unequal):
            self.documents += 1
            if pred.id is not None or ref.id is not None:
                source, entry = (self.refs, ref) if pred.id is None else (self.preds, pred)
                raise DataError(
                    f"{source.place(entry)}: found the id {shorten(entry.id)}, but the documents before have none"
                )
            if numbered:  # one that fails has no row, and the others keep their numbers
                pred, ref = (entry._replace(id=self.documents - 1) for entry in (pred, ref))
            if self._is_broken(ref):
                self._record(ref, self.refs)
            elif self._is_broken(pred):
                broken = self._take_broken(pred)
                if broken is not None or self.unreadable == "empty":
                    yield Pair(broken, ref)
            else:
                yield Pair(pred, ref)

    def _is_broken(self, entry: Entry) -> bool:
        """True for a document that cannot be read; where files are joined, whoever pairs them hears of it."""
        return isinstance(entry.document, MatchwiseError) and not self.is_joining

    def _take_broken(self, pred: Entry) -> Entry | None:
        """A broken prediction as it was written, if a form reads that; else its error is kept or raised."""
        written = self.preds.written(pred) if self.unreadable == "empty" else None
        if written is None:
            self._record(pred, self.preds)
            return None
        return pred._replace(document=written)

    def _without_predictions(self, refs: Iterator[Entry]) -> Iterator[Pair]:
        """Every reference is missing, and goes by its number."""
        for number, ref in enumerate(refs):
            self.documents += 1
            ref = ref._replace(id=number)
            if isinstance(ref.document, MatchwiseError):
                self._record(ref, self.refs)
            else:
                self._miss(number, ref)
                yield Pair(None, ref)

    def _miss(self, id: Id, ref: Entry) -> None:
        if self.preds.leaves_out_empty:
            return
        if self.when_missing == "raise":
            raise DataError(f"{self.refs.place(ref)}: {describe_missing([id], write_shell)}")
        self.missing.append(id)

    def _record(self, entry: Entry, source: Source) -> None:
        """Raise the error of an entry, or keep it for the result."""
        how, is_unread = self.on_error, False
        if isinstance(entry.document, MatchwiseError):
            error, is_unread = entry.document, source is self.preds
            how = self.unreadable if is_unread else how
        else:
            error = DataError(
                f"{source.place(entry)}: found no id, but other documents of the file have one; give it an id"
            )
        is_empty = how == "empty" and source is self.preds and entry.id is not None
        self.fail(entry.id, error, how, is_unreadable=is_empty, is_left_out=is_unread and not is_empty)

    def fail(
        self,
        id: Id | None,
        error: MatchwiseError,
        how: OnError | None = None,
        *,
        is_unreadable: bool = False,
        is_left_out: bool = False,
    ) -> None:
        """Raise an error, or keep it for the result, up to as many as are allowed."""
        if (how or self.on_error) == "raise":
            raise error
        self.failed.append(Failed(id, str(error), self.given, is_unreadable, is_left_out))
        if self.max_errors is not None and len(self.failed) > self.max_errors:
            raise TooMany(f"more than {count_units(self.max_errors, 'errors')}; the last: {error}")

    def _twice(self, id: Id, entry: Entry, source: Source) -> None:
        unique = "make the ids unique"
        advice = f"{source.repeated}, or {unique}" if source.repeated else unique
        self.fail(id, DataError(f"{source.place(entry)}: found the id {shorten(id)} a second time; {advice}"))

    def _leftover(self, waiting: Iterable[Entry]) -> None:
        """Report predictions without a reference, and those that cannot be read."""
        first: list[Entry] = []
        number = 0
        for entry in waiting:
            if isinstance(entry.document, MatchwiseError):
                self._record(entry, self.preds)
            elif self.on_error == "raise":
                number += 1
                first += [entry] if number <= NAMED else []
            else:
                problem = unknown_ids([entry.id], others=self.missing)
                self.failed.append(Failed(entry.id, f"{self.preds.place(entry)}: {problem}", self.given))
        if first:
            raise DataError(f"{self.preds.place(first[0])}: {self._describe_unmet([one.id for one in first], number)}")

    def _describe_unmet(self, ids: list[Any], number: int) -> str:
        """What is said of predictions without a reference; if no ids meet, they may be under another key."""
        meet_none = 0 < len(self.missing) == self.documents
        advice = "write --id none to pair by position"
        if self.is_joining:
            known = f"; it has {name_some(map(shorten, self.missing), most=SHOWN)}" if meet_none else ""
            advice = advice if meet_none else "take it out, or name first a file that has all documents"
            named = f"the id{'s' * (number > 1)} {name_some(map(shorten, ids), number - len(ids))}"
            return f"{next(flatten(self.refs)).name} does not have {named}{known}; {advice}"
        if not meet_none:
            return unmet_ids(ids, number, self.missing, write_shell)
        if self.preds.decoding and self.refs.decoding:
            advice = "write --id KEY or --ref-id KEY if a side has its ids under another key"
        return f"{unmet_ids(ids, number, self.missing, None)}; {advice}"

    def _half_named(self, pred: Entry | None, ref: Entry | None) -> DataError:
        with_ids, without = (self.preds, self.refs) if pred and pred.id is not None else (self.refs, self.preds)
        advice = "write --id none to pair by position"
        if without.decoding is not None and not self.is_joining:
            advice = "write --ref-id KEY" if without is self.refs else "write --id KEY"
            advice += " --ref-id id" if without is self.preds and self.refs.decoding is not None else ""
            entry = ref if without is self.refs else pred
            assert entry is not None
            document = None if without.decoding.text else without.document(entry)
            keys = f" (there are {name_some(document)})" if isinstance(document, dict) and document else ""
            advice += f" if their ids have another name{keys}"
        return DataError(
            f"the documents of {with_ids.name} have ids, but the documents of {without.name} have none; {advice}"
        )

    def _unequal(self, counts: list[int], cut: bool) -> DataError:
        preds, refs = count_sides(counts, cut, ("documents", "documents"))
        remedy = JOINING_REMEDY if self.is_joining else self.preds.remedy or REMEDY
        return DataError(
            f"found {preds} in {self.preds.name} and {refs} in {self.refs.name}, and no ids to join them by; {remedy}"
        )


def meet_sides(pred: Any, ref: Any, refs: Source, said: Counter[str]) -> tuple[Any, Any]:
    """A prediction and its reference (or references), which count the same units; what was converted is `said`."""
    if isinstance(pred, Positioned) and isinstance(ref, Positioned) and pred.unit == ref.unit:
        mine, theirs = pred.written, ref.written
        if bool(mine) == bool(theirs):
            if mine and mine != theirs:
                from matchwise.formats.io.units import bare_text

                mine, theirs = bare_text(pred), bare_text(ref)
                if mine and theirs and mine != theirs:
                    said["documents whose text is not that of the reference; are both files of the same text?"] += 1
            if pred.doubt or ref.doubt:
                _say_doubts([pred, ref], said)
            return pred, ref
    if not isinstance(pred[0] if type(pred) is list and pred else pred, Positioned):  # it does not say what it counts
        return pred, ref
    from matchwise.formats.io.units import meet

    several = isinstance(refs, JoinedFiles)
    (pred, *found), converted = meet([pred, *(ref if several else (ref,))])
    if converted:
        said[converted] += 1
    _say_doubts([pred, *found], said)
    return pred, found if several else found[0]


def _say_doubts(sides: list[Any], said: Counter[str]) -> None:
    """Say why the spans of a prediction, or of a reference, may count something else."""
    for place, one in enumerate(sides):
        if isinstance(one, Positioned) and one.doubt:
            said[f"reference: {one.doubt}" if place else one.doubt] += 1


def join_files(sources: list[Source], *, references: bool = True) -> Source:
    """One source whose documents are lists of references, or of readings, which are joined by id or position."""
    for one in sources if references else ():
        if one.pair is not None:
            raise FormatError(
                "documents of this format are paired by their text, which several references do not allow; "
                "write one -r REF",
                one.name,
            )
    return reduce(JoinedFiles, sources)


def flatten(source: Source) -> Iterator[Source]:
    """The sources that one was joined of."""
    if isinstance(source, JoinedFiles):
        yield from flatten(source.first)
        yield from flatten(source.other)
    else:
        yield source


class JoinedFiles(Source):
    """The documents of `first`, each with that of `other` if there is one."""

    def __init__(self, first: Source, other: Source) -> None:
        self.first = first
        self.other = other
        self.name = f"{first.name}, {other.name}"

    def __iter__(self) -> Iterator[Entry]:
        for other, first in Pairing(self.other, self.first, is_joining=True):
            read = first.document, None if other is None else other.document
            broken = next((one for one in read if isinstance(one, MatchwiseError)), UNREAD)
            yield Entry(first.id, broken, (first, other))

    def document(self, entry: Entry) -> Any:
        if entry.document is not UNREAD:
            return super().document(entry)
        first, other = entry.spot
        found = self.first.document(first)
        references = found if isinstance(self.first, JoinedFiles) else [found]
        return references if other is None else [*references, self.other.document(other)]

    def place(self, entry: Entry) -> str:
        return self.first.place(entry.spot[0])

    def close(self) -> None:
        self.first.close()
        self.other.close()

    def progress(self) -> float | None:
        return self.first.progress()

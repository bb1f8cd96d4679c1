"""Read and count a list of documents, in batches where possible; errors are kept or raised.

One process and several, files and lists of objects do the same work. What differs is how an item becomes a document,
which a `Reader` says. `Counting` can be sent to another process if its reader can.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter
from typing import Any

from matchwise.corpus.pairing import NOTHING, Failed, OnError, add_missing
from matchwise.corpus.table import Id
from matchwise.corpus.tally import Document, Tally
from matchwise.errors import RAISED, DataError, FormatError

AT_ONCE = 256
"""Documents in a list, where they are counted one by one."""

FIRST, MOST = 32, 4096
"""Documents in a batch: at first, and at most."""

GROWTH = 32
"""How many times as large as the batch before a batch may be; the first few documents tell how large the others are."""

ELEMENTS = 40_000
"""About how many elements a batch has: columns of more have left the processor's caches."""

SECONDS = 5.0
"""About how long a batch may take: whoever watches a slow metric sees progress."""


class Unreadable(FormatError):
    """A prediction that cannot be read at all."""


@dataclass(slots=True)
class Reader:
    """How an item becomes a document; this one takes documents as they are: (prediction, reference, id)."""

    numbered: bool = False
    """Whether a document without id goes by its place: where some have no row, the others' rows no longer tell it."""

    def read(self, item: Any, place: int) -> Document:
        """The document; raises what is wrong with it."""
        pred, ref, id = item
        return pred, ref, place if id is None and self.numbered else id

    def read_all(self, items: list[Any], place: int) -> list[Document]:
        """The documents of a list, the first of which is at a place."""
        if not self.numbered and type(self) is Reader:
            return items  # documents already
        return [self.read(item, at) for at, item in enumerate(items, start=place)]

    def read_empty(self, item: Any, place: int) -> Document:
        """The document with an empty prediction."""
        _, ref, id = item
        return NOTHING, ref, place if id is None and self.numbered else id

    def start_notes(self) -> Any:
        """What `note` adds to."""

    def note(self, made: Counted, items: list[Any], documents: list[Document], number: int, *, empty: bool) -> None:
        """Keep what is to be known of documents that were counted, besides their counts; `number` is the first's place.

        `empty` says that an empty prediction took the place of one that could not be scored.
        """

    def end_notes(self, made: Counted) -> None:
        """Add what is known when a list is done."""

    def name(self, item: Any, place: int) -> Id | None:
        """What the document is called in errors."""
        id: Id | None = item[2]
        return place if id is None else id

    def explain(self, error: BaseException, item: Any, place: int) -> str:
        """What is wrong with a document, without its name, which stands beside it."""
        return reason_of(error)

    def locate(self, error: BaseException, item: Any, place: int) -> BaseException:
        """The error as it is raised: it says which document it is of."""
        name = self.name(item, place)
        if isinstance(error, DataError):
            error.document = name
        elif isinstance(error, Exception):
            error.add_note(f"while scoring document {name}")
        else:
            made = DataError(reason_of(error), document=name)
            made.__cause__ = error
            return made
        return error

    def lose(self, reason: str, item: Any, place: int, *, raised: bool) -> DataError:
        """The error of a document that ended the process that scored it, as it is raised or kept."""
        return DataError(reason, document=self.name(item, place))


@dataclass(slots=True)
class Counted:
    """The results of a list of items."""

    tally: Tally
    failed: list[Failed] = field(default_factory=list)
    """Each with its place in the list."""
    notes: Any = None
    """What the reader kept."""
    items: int = 0
    """How many there were."""


@dataclass(slots=True)
class Counting:
    """The work on a list of items."""

    zero: Tally
    reader: Reader
    on_error: OnError = "raise"
    unreadable: OnError | None = None
    """What becomes of a prediction that cannot be read, if not the same as of other errors."""
    start: int = 0
    """The place of the first item of all."""
    size: int = FIRST
    """How many documents are counted at once."""

    def __call__(self, place: int, items: list[Any]) -> Counted:
        self.zero.program()  # made once, and shared by the tallies of all lists
        made = self.nothing()
        place += self.start
        while made.items < len(items):
            some = items[made.items : made.items + self.size] if self.zero.together else items
            if not self._add_batch(made, some, place + made.items):
                for number, item in enumerate(some, start=made.items):
                    self._add(made, item, place + number, number)
            made.items += len(some)
        self.reader.end_notes(made)
        return made

    def nothing(self) -> Counted:
        """The results of an empty list."""
        return Counted(self.zero.zero(), notes=self.reader.start_notes())

    def _add_batch(self, made: Counted, items: list[Any], place: int) -> bool:
        """Count documents as one batch; False if any of them has an error."""
        if not self.zero.together:
            return False
        try:
            documents = self.reader.read_all(items, place)
        except RAISED:
            return False  # whoever reads them one by one names the document
        begin = perf_counter()
        elements = made.tally.add_all(documents)
        growth = min(GROWTH, ELEMENTS / max(elements, 1), SECONDS / max(perf_counter() - begin, 1e-9))
        self.size = max(1, min(MOST, int(self.size * growth)))
        if elements:
            self.reader.note(made, items, documents, made.items, empty=False)
        return elements > 0

    def _add(self, made: Counted, item: Any, place: int, number: int) -> None:
        try:
            document = self.reader.read(item, place)
            _add_one(made.tally, document)
            self.reader.note(made, [item], [document], number, empty=False)
        except RAISED as error:
            how = (self.unreadable if isinstance(error, Unreadable) else None) or self.on_error
            if how == "raise":
                located = self.reader.locate(error, item, place)
                if located is error:
                    raise
                raise located from located.__cause__
            made.failed.append(Failed(self.reader.name(item, place), self.reader.explain(error, item, place), number))
            if how == "empty":
                self.add_empty(made, item, place, number)

    def add_empty(self, made: Counted, item: Any, place: int, number: int = 0) -> None:
        """Count a document whose prediction cannot be scored as empty; if its reference cannot be, it is left out."""
        try:
            document = self.reader.read_empty(item, place)
            _add_one(made.tally, document)
            self.reader.note(made, [item], [document], number, empty=True)
        except (DataError, FormatError):
            return


def _add_one(tally: Tally, document: Document) -> None:
    pred, ref, id = document
    if pred is NOTHING:
        add_missing(tally, ref, id)
    else:
        tally.add(pred, ref, id)


def count_lists(counting: Counting, items: Iterable[Any]) -> Iterator[Counted]:
    """The results of each list of items, computed one after the other in this process."""
    source, together = iter(items), counting.zero.together
    place = 0
    while True:
        size = counting.size if together else AT_ONCE
        some = list(islice(source, size))
        if not some:
            return
        made = counting(place, some)
        del some  # before the next are read
        place += made.items
        yield made


def reason_of(error: BaseException) -> str:
    """The message of an error without the document's name."""
    if isinstance(error, DataError):
        return str(DataError(error.problem, error.path, None, error.side))
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__

"""The one loop over a corpus: documents are read and counted list by list, and what they give is added up.

Files and Python objects, one process and several do the same work. How an item becomes a document is said by a
`Reader`; `runners.runner.share` hands the lists to other processes, where a worker calls the `Counting`. Adding is
exact and in the order of the documents, so that any number of processes gives the same bits.

>>> from matchwise.algebra.build import f1
>>> pairs = [({"xs": [1]}, {"xs": [1, 3]}, "a"), ({"xs": [2]}, {"xs": [2]}, "b")]
>>> counted = count_all(Counting(Tally(f1("xs"))), pairs)
>>> counted.items, counted.tally.report()["score"].f1
(2, 0.8)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from matchwise.corpus.pairing import NOTHING, Failed, OnError, add_missing
from matchwise.corpus.positions import Positioned
from matchwise.corpus.table import Id
from matchwise.corpus.tally import Document, Tally
from matchwise.errors import RAISED, DataError, FormatError

if TYPE_CHECKING:
    from matchwise.corpus.categories import Categories

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


def count_all(work: Counting, items: Iterable[Any]) -> Counted:
    """Count all items in this process."""
    total = work.nothing()
    for _ in count_lists(work, items, total):
        pass
    return total


class Counted(Struct):
    """The counts of a number of items, and what went wrong."""

    tally: Tally
    failed: list[Failed] = field(default_factory=list)
    """The documents that could not be read or scored; `place` is the number of items before it."""
    warnings: Counter[str] = field(default_factory=Counter)
    """What a person should know, and how often."""
    categories: dict[str, Categories] = field(default_factory=dict)
    """Metric -> what became of each element, where that was asked for."""
    items: int = 0
    is_alone: bool | None = None
    """Where several processes may share the work: True as long as they would not be faster."""

    def __iadd__(self, other: Counted) -> Counted:
        self.tally += other.tally
        self.failed += [failed._replace(place=self.items + failed.place) for failed in other.failed]
        self.warnings += other.warnings
        for name, table in other.categories.items():
            self.categories[name] += table
        self.items += other.items
        self.is_alone = self.is_alone if other.is_alone is None else other.is_alone
        return self


class Unreadable(FormatError):
    """A prediction that cannot be read at all."""


class Reader(Struct):
    """How an item becomes a document; this one takes documents as they are: (prediction, reference, id)."""

    categories: dict[str, Categories] = field(default_factory=dict)
    """Metric -> an empty table, where it is to be counted what becomes of each element."""
    numbered: bool = False
    """Whether a document without id is named by its place: the rows of a table do not tell it where some have none."""

    def read(self, item: Any, place: int) -> Document:
        """The document; raises what is wrong with it."""
        pred, ref, id = item
        if isinstance(pred, Positioned) and isinstance(ref, Positioned):
            pred.check_unit(ref)
        return pred, ref, place if id is None and self.numbered else id

    def read_empty(self, item: Any, place: int) -> Document:
        """The document with an empty prediction."""
        _, ref, id = item
        return NOTHING, ref, place if id is None and self.numbered else id

    def note(self, made: Counted, items: list[Any], documents: list[Document]) -> None:
        """Keep what is to be known of documents besides their counts; the first of them is at `made.items`."""

    def take_warnings(self, warnings: Counter[str]) -> None:
        """Add what reading has met since the last call."""

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


class Counting(Struct):
    """Counts a list of items; can be sent to another process if its reader can."""

    zero: Tally
    """A tally of the kind that is counted."""
    reader: Reader = field(default_factory=Reader)
    on_error: OnError = "raise"
    unreadable: OnError | None = None
    """What becomes of a prediction that cannot be read, if not the same as of other errors."""
    start: int = 0
    """The place of the first item of all."""
    size: int = FIRST
    """How many documents are counted at once."""

    def __call__(self, place: int, items: list[Any]) -> Counted:
        """The results of a list of which the first item is at a place."""
        made = self.nothing()
        self.count(made, items, place)
        return made

    def count(self, made: Counted, items: list[Any], before: int = 0) -> None:
        """Count items in batches; one that fails is counted one by one, which says which of them is wrong.

        So many items come `before` those that `made` is of.
        """
        begun = made.items
        while (done := made.items - begun) < len(items):
            some = items[done : done + self.size] if self.zero.is_batchable else items
            first, failure = self.start + before + made.items, None
            if self.zero.is_batchable:
                begin = perf_counter()
                try:
                    documents = [self.reader.read(item, at) for at, item in enumerate(some, start=first)]
                    elements = made.tally.add_all(documents)
                except RAISED as error:
                    failure = error
                else:
                    growth = min(GROWTH, ELEMENTS / (elements + 1), SECONDS / max(perf_counter() - begin, 1e-9))
                    self.size = max(1, min(MOST, int(self.size * growth)))
                    for table in made.categories.values():
                        table.add_all(documents)
                    self.reader.note(made, some, documents)
                    made.items += len(some)
                    continue
            is_sound = True
            for at, item in enumerate(some, start=first):
                is_sound &= self._add(made, item, at)
                made.items += 1
            # A batch also looks at values that no document compares alone, and needs more memory. Anything else that
            # only a batch meets is a mistake of ours, or of a function's form for many documents.
            if failure is not None and is_sound and not isinstance(failure, MemoryError | DataError):
                raise failure
        self.reader.take_warnings(made.warnings)

    def nothing(self) -> Counted:
        """The results of an empty list."""
        return Counted(
            self.zero.zero(), categories={name: table.zero() for name, table in self.reader.categories.items()}
        )

    def _add(self, made: Counted, item: Any, place: int) -> bool:
        """Count one document; False if it is wrong, or has no prediction, which no batch may be able to read."""
        try:
            document = self.reader.read(item, place)
            _add_one(made.tally, document)
            for table in made.categories.values():
                table.add_all([document])
            self.reader.note(made, [item], [document])
        except RAISED as error:
            how = (self.unreadable if isinstance(error, Unreadable) else None) or self.on_error
            if how == "raise":
                located = self.reader.locate(error, item, place)
                if located is error:
                    raise
                raise located from located.__cause__
            problem = self.reader.explain(error, item, place)
            is_unread = isinstance(error, Unreadable)
            flags = is_unread and how == "empty", is_unread and how != "empty"
            made.failed.append(Failed(self.reader.name(item, place), problem, made.items, *flags))
            if how == "empty":
                self.add_empty(made, item, place)
            return False
        return document[0] is not NOTHING

    def add_empty(self, made: Counted, item: Any, place: int) -> None:
        """Count a document whose prediction cannot be scored as empty; if its reference cannot be, it is left out."""
        try:
            document = self.reader.read_empty(item, place)
            _add_one(made.tally, document)
        except (DataError, FormatError):
            return
        for table in made.categories.values():
            table.add_all([document])


def count_lists(work: Counting, items: Iterable[Any], total: Counted) -> Iterator[Counted]:
    """Count items list by list in this process, into the total, which is given after each list."""
    source = iter(items)
    while some := list(islice(source, work.size if work.zero.is_batchable else AT_ONCE)):
        work.count(total, some)
        some.clear()  # before the next are read
        yield total


def _add_one(tally: Tally, document: Document) -> None:
    pred, ref, id = document
    if pred is NOTHING:
        add_missing(tally, ref, id)
    else:
        tally.add(pred, ref, id)


def reason_of(error: BaseException) -> str:
    """The message of an error without the document's name."""
    if isinstance(error, DataError):
        return str(DataError(error.problem, error.path, None, error.side))
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__

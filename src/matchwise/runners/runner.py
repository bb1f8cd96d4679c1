"""Score a corpus in one call, by this process or by several, and say on stderr how far it is.

>>> from matchwise.algebra.build import f1
>>> evaluate(f1("xs"), [{"xs": [1]}, {"xs": [2]}], [{"xs": [1, 3]}, {"xs": [2]}])["score"].f1
0.8
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from functools import partial
from itertools import islice
from time import monotonic, process_time
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from msgspec.structs import replace

from matchwise.algebra.build import Selectable
from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.walk import parts
from matchwise.corpus.loop import AT_ONCE, Counted, Counting, Reader, count_lists
from matchwise.corpus.pairing import Documents, Failed, Missing, OnError, pair_documents
from matchwise.corpus.report import Report
from matchwise.corpus.suite import How, Per, Scorable, Suite, as_suite, take_several
from matchwise.corpus.table import Keep, Table
from matchwise.corpus.tally import Document, Tally
from matchwise.errors import DataError, MatchwiseError, check_choice, check_jobs

if TYPE_CHECKING:
    from matchwise.corpus.categories import Categories, Grading

START = 1.0
"""Seconds of work that the start of processes may take: as long, at least, documents are counted without them."""

GAIN = 0.6
"""Several processes are worth it if documents should take at most this share of the time that they take in one. Five
relations in a document take 42 µs to count, 33 to write and 24 to read: two processes would take twice as long."""

FEW = 16
"""Documents in a list where each has a timeout: a list that takes longer than one may is cut up and begun again."""


def run(
    suite: Tally | Scorable,
    pairs: Iterable[Document],
    *,
    jobs: int = 1,
    on_error: OnError = "raise",
    timeout: float | None = None,
    progress: Done | None = None,
    apart: bool = False,
    categories: dict[str, Categories] | None = None,
    reader: Reader | None = None,
) -> Tally:
    """Count every document: (prediction, reference, id), where the prediction may be `NOTHING` and the id None.

    What is counted is added to a tally, if that is given in place of a suite. `jobs` processes share the work. With
    `on_error="skip"` a document that cannot be scored, that kills its process or that takes longer than `timeout`
    seconds is left out and named in the tally's errors; with `on_error="empty"` it is named, too, and its prediction
    counts as empty. With `apart` even one job has a process of its own, so that a document that kills it is lost alone.
    What becomes of each element is added to `categories`, by metric. A `reader` makes documents of other items.
    """
    tally = suite if isinstance(suite, Tally) else Tally(suite)
    errors = tally.scores.errors
    start = len(tally.scores) + len(errors)
    graded = {} if categories is None else categories
    work = Counting(tally, reader or Reader(graded, numbered=on_error != "raise"), on_error, start=start)
    total = Counted(tally, categories=graded)
    for _ in share(work, pairs, total, jobs=jobs, timeout=timeout, apart=apart):
        errors.extend((failed.document, failed.problem) for failed in total.failed)
        total.failed.clear()
        if progress is not None:
            progress(start + total.items)
    return tally


def share(
    work: Counting,
    items: Iterable[Any],
    total: Counted,
    *,
    jobs: int = 1,
    timeout: float | None = None,
    apart: bool = False,
) -> Iterator[Counted]:
    """Count items list by list, in order, into the total, which is given after each list.

    An item that kills its process, or takes too long, is lost alone. With several jobs, this process counts until it is
    sure that several are faster: sending small documents takes longer than counting them. A metric that calls functions
    of the user never runs here: they may end the process.
    """
    if jobs == 1 and timeout is None and not apart:
        return count_lists(work, items, total)
    alone = jobs > 1 and timeout is None and not apart and not calls_user(work.zero.suite)
    return _share(replace(work, zero=work.zero.zero()), iter(items), total, jobs, timeout, alone=alone)


def _share(
    work: Counting, source: Iterator[Any], total: Counted, jobs: int, timeout: float | None, *, alone: bool
) -> Iterator[Counted]:
    """Count in other processes, and first `alone` where that may be faster."""
    from matchwise.runners import pool

    done = 0
    for part in _count_alone(work, source, jobs) if alone else ():
        total += part
        done += part.items
        yield total
    work = replace(work, start=work.start + done)
    most = FEW if timeout is not None else max(AT_ONCE, work.size)

    def lists() -> Iterator[list[Any]]:
        before = done
        while some := list(islice(source, max(1, min(most, before // (jobs * 8))))):
            yield some
            before += len(some)

    for result in pool.run(work, lists(), jobs, what="document", timeout=timeout):
        total += _without(work, result, timeout) if isinstance(result, pool.Lost) else result
        yield total


def _count_alone(work: Counting, source: Iterator[Any], jobs: int) -> Iterator[Counted]:
    """Count lists in this process until several are faster, by what the last list took to count and to send.

    In several processes, a document is written here, one after the other, and read and counted by any of them.
    """
    from matchwise.runners.pool import pickle_items, pickle_value

    pickle_value(work, "the suite")  # what cannot be sent is an error whether it has to be sent or not
    spent, due, place = 0.0, START, 0
    while some := list(islice(source, work.size if work.zero.is_batchable else AT_ONCE)):
        begin = process_time()
        made = work(place, some)
        took = process_time() - begin
        if not place:
            pickle_items(0, some, "document")
        spent += took
        place += made.items
        made.is_alone = True
        if spent >= due:
            due = 2 * spent
            begin = process_time()
            data = pickle_items(0, some, "document")
            written = process_time() - begin
            pickle.loads(data)
            read = process_time() - begin - written
            made.is_alone = written + (read + took) / jobs >= GAIN * took
        yield made
        if not made.is_alone:
            return


def _without(work: Counting, lost: Any, timeout: float | None) -> Counted:
    """The result of an item that killed its process: an error, and an empty prediction if requested."""
    place = work.start + lost.place
    error = work.reader.lose(lost.reason, lost.item, place, raised=work.on_error == "raise")
    if work.on_error == "raise":
        raise error
    made = work.nothing()
    if work.on_error == "empty":
        from matchwise.runners import pool

        # By a process of its own: it may be the reference that kills.
        [result] = pool.run(partial(_count_empty, work), [[(lost.item, place)]], 1, what="document", timeout=timeout)
        made = made if isinstance(result, pool.Lost) else result
    made.failed, made.items = [Failed(work.reader.name(lost.item, place), error.problem)], 1
    return made


def _count_empty(work: Counting, _: int, items: list[tuple[Any, int]]) -> Counted:
    """Count an item with an empty prediction."""
    [(item, place)] = items
    made = work.nothing()
    work.add_empty(made, item, place)
    return made


def evaluate(
    suite: Scorable | str,
    preds: Any,
    refs: Documents | None = None,
    *,
    pred: str | None = None,
    ref: str | None = None,
    id: str | None = None,
    by: Selectable = None,
    fields: bool = False,
    ids: Iterable[Any] | None = None,
    missing: Missing = "raise",
    jobs: int = 1,
    progress: bool | Done = False,
    on_error: OnError = "raise",
    time_limit: float | None = None,
    gap: float = 0.0,
    timeout: float | None = None,
    keep: Keep = "documents",
    references: How | None = None,
    per: Per = "document",
    categories: Mapping[str, Grading] | None = None,
    isolate: bool | None = None,
    batch_size: int | None = None,
) -> Report:
    """Score a corpus: two iterables, read once side by side and not kept, or two mappings id -> document.

    A side may be a column of pandas, polars, Arrow, NumPy or `datasets`. With `missing="empty"` a document without a
    prediction (no such id in the mapping, or None) counts as empty; else an id that is missing is an error. So is a
    prediction whose id no reference has; `on_error="skip"` names it in `report.errors`. `by` also breaks every metric
    down by a field of its elements, `fields` also counts each field of a sum; `jobs` processes share the work;
    `progress` shows how far it is, or is called with the number of documents done. With `on_error="skip"` a document
    that cannot be scored, or that kills the process that scores it, is left out and named in `report.errors`; with
    `on_error="empty"` it is named there, and its prediction counts as empty. `time_limit` (seconds a document) and
    `gap` (a share of the score) stop the search for optima that are hard to prove; the report then says between which
    bounds they lie. A document that takes longer than `timeout` seconds is an error of that document, whatever it does.
    `keep="sums"` keeps no counts of each document. With `references` each document of `refs` is a list of acceptable
    references: the one that gives a metric its highest value counts (`"any"`), or the one that gives the lowest
    (`"all"`), or the mean of their counts (`"mean"`). With `per="element"` an element is right if it is in any of them,
    or in all. `categories=ner.gradings()` also counts what became of each element, for `report.to_pandas("categories")`
    and `report.to_pandas("confusion")`.

    A DataFrame of Spark or a Dataset of Ray is scored where it lies: `evaluate(suite, frame, pred="output", ref="gold",
    id="doc")` names its columns, of structs and lists or of text that is JSON. A document that kills its process is
    lost alone, unless `isolate=False`, which is faster. Ray scores `batch_size` documents in a task.

    >>> import matchwise as mw
    >>> preds, refs = [{"xs": ["a"]}, {"xs": ["b"]}], [{"xs": ["a"]}, {"xs": ["c", "d"]}]
    >>> report = mw.evaluate(mw.f1("xs"), preds, refs)
    >>> report["score"].f1, report["score"].counts
    (0.4, Counts(matched=1, predicted=2, reference=3))
    """
    check_jobs(jobs)
    check_choice("on_error", on_error, get_args(OnError))
    if timeout is not None and not timeout > 0:
        raise MatchwiseError(f"timeout={timeout!r}; write the seconds that a document may take, as in timeout=10")
    if references is not None:
        suite = take_several(as_suite(suite), references, per)
    elif per != "document":
        raise MatchwiseError(f'per={per!r} needs several references; write references="any"')
    engine = engine_of(preds)
    if engine is not None:
        if pred is None or ref is None or id is None or refs is not None:
            raise MatchwiseError(f"this is a frame of {engine}; {AS_FRAME}")
        mine = {"ids": ids is not None, "jobs": jobs > 1, "progress": progress, "categories": categories is not None}
        if unused := " and ".join(f"{name}=" for name, given in mine.items() if given):
            raise MatchwiseError(f"{unused} cannot be used with {engine}; leave it out")
        from matchwise.runners.tables import Work, evaluate_frame, write_suite

        work = Work(
            write_suite(suite), by, fields, on_error, missing, keep, time_limit, gap, timeout, isolate is not False
        )
        return evaluate_frame(work, preds, (pred, ref, id), batch_size)
    for_frames = any(given is not None for given in (pred, ref, id, isolate, batch_size))
    if refs is None or for_frames:
        raise _no_frame(preds, for_frames)
    tally = Tally(suite, by=by, fields=fields, time_limit=time_limit, gap=gap, keep=keep)  # type: ignore[arg-type]  # refuses a text
    graded: dict[str, Categories] = {}
    if categories:
        from matchwise.corpus.categories import Categories

        graded = {name: Categories(grading) for name, grading in categories.items() if name in tally.suite.metrics}
        if not graded:
            there = ", ".join(tally.suite.metrics)
            raise MatchwiseError(f"categories= has {', '.join(categories)}, but the suite has {there}")
        if tally.suite.several is not None:
            raise MatchwiseError("categories compare with one reference; leave out categories= or references=")
    unknown: list[Failed] = []
    source = pair_documents(preds, refs, ids, missing=missing, on_error=on_error, failed=unknown)
    total = next((len(side) for side in (refs, preds) if isinstance(side, Sized)), None)
    with watch(progress, total) as done:
        run(tally, source, jobs=jobs, on_error=on_error, timeout=timeout, progress=done, categories=graded)
    tally.scores.errors.extend((failed.document, failed.problem) for failed in unknown)
    check_scored(tally.scores, "found no documents to score; an iterator that was read before is empty, make a new one")
    return Report(tally.scores, tally.suite, graded)


def engine_of(frame: object) -> Literal["Spark", "Ray"] | None:
    """The engine that a frame belongs to; nothing is imported to see that."""
    for kind in type(frame).__mro__:
        library = kind.__module__.split(".")[:2]
        if kind.__name__ == "DataFrame" and library == ["pyspark", "sql"]:
            return "Spark"
        if kind.__name__ == "Dataset" and library == ["ray", "data"]:
            return "Ray"
    return None


AS_FRAME = 'write evaluate(suite, frame, pred="output", ref="gold", id="doc") with the names of its columns'


def _no_frame(preds: object, for_frames: bool) -> MatchwiseError:
    """The error of options `for_frames` beside something else, or of references that were left out."""
    kind = f"{type(preds).__module__.split('.')[0]}.{type(preds).__name__}"
    if kind == "pyspark.DataFrame":  # pandas on Spark
        return MatchwiseError(f"a frame of pandas on Spark is scored as one of Spark: frame.to_spark(); {AS_FRAME}")
    found = f"the predictions are {kind.removeprefix('builtins.')}"
    options = "pred=, ref=, id=, isolate= and batch_size= are for a DataFrame of Spark or a Dataset of Ray"
    problem = f"{options}, and {found}" if for_frames else f"found no references; {found}"
    return MatchwiseError(
        f"{problem}; write evaluate(suite, preds, refs), as in "
        'evaluate(suite, frame["output"], frame["gold"], ids=frame["doc"])'
    )


def check_scored(table: Table, nothing: str) -> None:
    """Refuse a table without documents: each of them has an error, or there were none, as `nothing` says."""
    if not len(table) and table.errors:
        id, reason = table.errors[0]
        raise DataError(f"{reason} (no document could be scored)", document=id)
    if not len(table):
        raise DataError(nothing)


def calls_user(suite: Suite) -> bool:
    """True if the metrics call functions that are not ours: selectors, steps, similarities.

    >>> from matchwise.algebra.build import custom, f1
    >>> calls_user(Suite(score=f1("xs"))), calls_user(Suite(score=f1("xs", custom(max))))
    (False, True)
    """
    steps = [value for step in suite.steps for value in (step.function, step.batch, *dict(step.options).values())]
    inside = [
        value
        for phi in suite.metrics.values()
        for part in parts(phi)
        for name in part.__match_args__
        for value in _values(getattr(part, name))
    ]
    called = [value for value in (*steps, *inside) if callable(value) and not isinstance(value, type | Similarity)]
    homes = [str(getattr(function, "__module__", None) or type(function).__module__) for function in called]
    return any(home.split(".")[0] != "matchwise" or home.startswith("matchwise.cli.user.") for home in homes)


def _values(value: Any) -> Iterator[Any]:
    """What stands in an attribute of a node; of a kind of leaf, what compares."""
    if isinstance(value, tuple):
        for part in value:
            yield from _values(part)
    else:
        yield value.compare if isinstance(value, LeafKind) else value


Done: TypeAlias = Callable[[int], object]
"""Is told how many documents are done."""

FIRST = 1.0
"""Seconds before anything is said: what is done sooner needs no progress."""

TERMINAL, ELSEWHERE = 0.2, 10.0
"""Seconds between two lines."""


class Progress:
    """One line that is written again and again on a terminal; elsewhere, a line now and then."""

    def __init__(
        self, label: str, fraction: Callable[[], float | None], *, quiet: bool = False, what: str = "documents"
    ) -> None:
        self.what = what
        self.label = f"{label}: " if label else ""
        self.fraction = fraction
        self.quiet = quiet or sys.stderr is None
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.start = monotonic()
        self.next = self.start + (FIRST if self.terminal else ELSEWHERE)
        self.done, self.shown = 0, False

    def __call__(self, done: int) -> None:
        self.done, now = done, monotonic()
        if not self.quiet and now >= self.next:
            self.next = now + (TERMINAL if self.terminal else ELSEWHERE)
            self.write()

    def write(self) -> None:
        """Say how far it is."""
        self.shown = True
        line = f"{self.label}{describe_status(self.done, monotonic() - self.start, self.fraction(), self.what)}"
        sys.stderr.write(f"\r\x1b[K{line}" if self.terminal else f"{line}\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Remove the progress line from the terminal."""
        if self.shown and self.terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@contextmanager
def watch(progress: bool | Done, total: int | None) -> Iterator[Done | None]:
    """The function that is told how many documents are done: the caller's, a progress line, or None."""
    if callable(progress) or not progress or sys.stderr is None:
        yield progress if callable(progress) else None
        return
    line = Progress("", lambda: line.done / total if total else None)
    try:
        yield line
    finally:
        line.end()
    if not line.terminal:  # a notebook or a log keeps what was done
        line.fraction = lambda: None
        line.write()


def describe_status(done: int, seconds: float, fraction: float | None, what: str = "documents") -> str:
    """
    >>> describe_status(12000, 4.0, 0.25)
    '12,000 documents, 3,000/s, 25 %, 0:12 left'
    >>> describe_status(12000, 4.0, None)
    '12,000 documents, 3,000/s'
    """
    said = f"{done:,} {what}, {done / max(seconds, 1e-9):,.0f}/s"
    if not fraction:
        return said
    fraction = min(fraction, 1.0)
    left = round(seconds / fraction * (1 - fraction))
    clock = f"{left // 60}:{left % 60:02}" if left < 3600 else f"{left // 3600}:{left % 3600 // 60:02}:{left % 60:02}"
    return f"{said}, {fraction:.0%}, {clock} left".replace("%", " %")

"""The one loop: what is read is counted list by list, and errors cost one document."""

import gc
import io
from collections.abc import Iterator

import numpy as np
import pytest

import matchwise as mw
from matchwise.algebra.build import f1
from matchwise.corpus.counts import Counts, Reading
from matchwise.corpus.loop import FIRST, Counting, Reader, Unreadable
from matchwise.corpus.table import Table
from matchwise.corpus.tally import Document, Tally
from matchwise.errors import DataError, FormatError
from matchwise.runners import runner
from matchwise.runners.runner import Progress, run
from matchwise.statistics.intervals import error_warnings

TOGETHER = f1("xs")


def corpus(number: int = 3 * FIRST) -> Iterator[Document]:
    for _ in range(number):
        yield {"xs": []}, {"xs": []}, None


def test_progress_is_told_after_every_list_of_documents() -> None:
    told: list[int] = []
    run(Tally(TOGETHER), corpus(), progress=told.append)
    assert told == [FIRST, 3 * FIRST]


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_wiped_off_a_terminal_and_stays_in_a_file(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(written, "isatty", lambda: terminal)
    monkeypatch.setattr("sys.stderr", written)
    progress = Progress("run.jsonl", lambda: None)
    progress(7)
    progress.write()
    progress.end()
    line, end = written.getvalue()[:-4] if terminal else written.getvalue(), written.getvalue()[-4:]
    assert line.removeprefix("\r\x1b[K" if terminal else "").startswith("run.jsonl: 7 documents")
    assert (end == "\r\x1b[K", end[-1] == "\n") == (terminal, not terminal)


def test_documents_that_were_counted_are_gone_when_the_next_are_read() -> None:
    class Read(dict[str, list[int]]):
        """Something that can be counted while it lives."""

    alive: set[int] = set()

    def read() -> Iterator[Document]:
        for _ in range(FIRST + 1):
            alive.add(sum(type(one) is Read for one in gc.get_objects()))
            yield Read(xs=[]), {"xs": []}, None

    run(Tally(TOGETHER), read())
    assert alive == set(range(FIRST))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_prediction_that_cannot_be_scored_may_count_as_empty(jobs: int) -> None:
    documents: list[Document] = [({"xs": [1]}, {"xs": [1]}, "a"), ({"xs": 3}, {"xs": [2]}, "b"), ({}, {"xs": 4}, "c")]
    tally = run(TOGETHER, documents, jobs=jobs, on_error="empty")
    assert [name for name, _ in tally.errors] == ["b", "c"]
    assert tally.scores.ids == ["a", "b"]  # the reference of c cannot be read either
    counts = tally.report()["score"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (1, 1, 2)


def test_documents_without_ids_keep_their_numbers_where_others_are_left_out() -> None:
    documents: list[Document] = [({"xs": xs}, {"xs": [1]}, None) for xs in ([1], 7, [2])]
    tally = run(Tally(TOGETHER), documents, on_error="skip")
    run(tally, documents[:1], on_error="skip")
    assert (tally.scores.ids, [name for name, _ in tally.errors]) == ([0, 2, 3], [1])


def test_a_list_says_how_many_items_it_had_and_at_which_place_one_failed() -> None:
    good, bad = ({"xs": [1]}, {"xs": [1]}, None), ({"xs": 5}, {"xs": [1]}, None)
    made = Counting(Tally(TOGETHER), on_error="empty")(0, [good, bad, good])
    assert (made.items, made.tally.report()["score"].counts) == (3, Counts(2, 2, 3))
    assert [(one.document, one.place) for one in made.failed] == [(1, 1)]


def test_a_mistake_that_only_a_batch_makes_is_not_taken_for_that_of_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Tally, documents: list[Document]) -> int:
        raise ZeroDivisionError("in a form for many documents")

    monkeypatch.setattr(Tally, "add_all", fail)
    with pytest.raises(ZeroDivisionError, match="for many"):
        run(TOGETHER, corpus(), on_error="skip")


def stretches(*rows: tuple[str, int]) -> Table:
    """A table of stretches by their names, with so many items matched of 10."""
    counts = np.array([[matched, 10, 10, matched] for _, matched in rows], dtype=float)
    return Table("by hand", {"m": Reading("f1")}, [name for name, _ in rows], counts)


def test_documents_keep_their_ids_beside_one_that_cannot_be_scored() -> None:
    preds = [{"xs": ["a"]}, {"xs": 5}, {"xs": ["b"]}]
    table = mw.evaluate(f1("xs"), preds, [{"xs": ["a"]}] * 3, ids=["one", "two", "three"], on_error="skip").table()
    assert list(table.ids) == ["one", "three"]
    unnamed = mw.evaluate(f1("xs"), preds, [{"xs": ["a"]}] * 3, on_error="skip").table()
    assert list(unnamed.ids) == [0, 2]


class Picky(Reader):
    def read(self, item, place):
        if item[0] == "bad":
            raise FormatError("no document", "file", 7)
        return item

    def read_all(self, items, place):
        return [self.read(item, place) for item in items]


def test_a_document_that_cannot_be_read_does_not_stop_the_others() -> None:
    good = ({"xs": [1]}, {"xs": [1]}, None)
    made = Counting(Tally(f1("xs")).zero(), Picky(), on_error="skip")(0, [good, ("bad", None, "b"), good])
    assert made.tally.report()["score"].counts == mw.Counts(2, 2, 2)
    assert [(one.document, one.problem, one.place) for one in made.failed] == [
        ("b", "FormatError: file:7: no document", 1)
    ]


class Leaving(Reader):
    def read(self, item, place):
        raise SystemExit(3)

    read_all = read


def test_a_reader_that_ends_the_program_is_an_error_of_its_document() -> None:
    with pytest.raises(DataError, match=r"^document d: SystemExit: 3$") as caught:
        Counting(Tally(f1("xs")).zero(), Leaving())(0, [(None, None, "d")])
    assert isinstance(caught.value.__cause__, SystemExit)


def test_where_memory_does_not_suffice_for_a_batch_documents_are_counted_one_by_one(monkeypatch) -> None:
    add = Tally.add_all

    def starved(self, documents):
        if len(documents) > 1:
            raise MemoryError
        return add(self, documents)

    monkeypatch.setattr(Tally, "add_all", starved)
    docs = [{"xs": [number]} for number in range(5)]
    assert mw.evaluate(f1("xs"), docs, docs)["score"].counts == mw.Counts(5, 5, 5)


def test_errors_of_documents_are_said_by_kind() -> None:
    table = stretches(("a", 3), ("b", 4))
    table.errors += [("b", "broken"), ("z", "lost"), ("y", "lost"), (None, "file:3: no JSON")]
    assert error_warnings([table]) == [
        "2 documents could not be scored and were left out: z, y",
        "1 document had an error; a prediction that could not be scored counts as empty: b",
        "1 document could not be read: file:3: no JSON",
    ]


class Illegible(Reader):
    def read(self, item, place):
        if item[0] == "bad":
            raise Unreadable("nothing to read")
        return item

    read_all = Picky.read_all


@pytest.mark.parametrize(("on_error", "unreadable", "left"), [("raise", "skip", 1), ("skip", "empty", 2)])
def test_what_cannot_be_read_is_treated_as_it_is_asked_for(on_error, unreadable, left: int) -> None:
    good, illegible, wrong = ({"xs": [1]}, {"xs": [1]}, 0), ("bad", {"xs": [1]}, 1), ({"xs": 5}, {"xs": [1]}, 2)
    made = Counting(Tally(f1("xs")).zero(), Illegible(), on_error=on_error, unreadable=unreadable)(0, [good, illegible])
    [failed] = made.failed
    assert (len(made.tally), failed.document) == (left, 1)
    assert (failed.is_unreadable, failed.is_left_out) == (unreadable == "empty", unreadable == "skip")
    again = Counting(Tally(f1("xs")).zero(), Illegible(), on_error=on_error, unreadable=unreadable)
    if on_error == "raise":
        with pytest.raises(DataError, match="document 2"):
            again(0, [good, wrong])
    else:
        assert len(again(0, [good, wrong]).tally) == 1


class Clock:
    """Seconds that pass when they are told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(("is_terminal", "first", "then"), [(True, 1.0, 0.25), (False, 10.0, 10.0)])
def test_progress_is_shown_after_a_while_and_then_again_and_again(
    is_terminal: bool, first: float, then: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, err = Clock(), io.StringIO()
    monkeypatch.setattr(err, "isatty", lambda: is_terminal)
    monkeypatch.setattr("sys.stderr", err)
    monkeypatch.setattr(runner, "monotonic", clock)
    monkeypatch.setattr(runner, "TERMINAL", 0.25)  # a fraction that floats hold
    line, quiet = Progress("run", lambda: 0.5, what="pairs"), Progress("run", lambda: 0.5, quiet=True)
    line.end()
    assert err.getvalue() == ""  # nothing was shown, and nothing is removed
    seen = []
    for seconds in (first - 0.125, 0.125, then - 0.125, 0.125):
        clock.now += seconds
        line(40)
        quiet(40)
        seen.append(err.getvalue().count("40 pairs"))
    assert seen == [0, 1, 1, 2]
    line.end()
    start, end = ("\r\x1b[K", "") if is_terminal else ("", "\n")
    rate, left = (
        (f"{40 / (first + then * k):,.0f}" for k in (0, 1)),
        (f"0:{round(first + then * k):02}" for k in (0, 1)),
    )
    said = "".join(
        f"{start}run: 40 pairs, {one}/s, 50 %, {clock} left{end}" for one, clock in zip(rate, left, strict=True)
    )
    assert err.getvalue() == said + ("\r\x1b[K" if is_terminal else "")


@pytest.mark.parametrize(
    ("fraction", "said"),
    [
        (None, "7,200 documents, 100/s"),
        (0.0, "7,200 documents, 100/s"),
        (0.02, "7,200 documents, 100/s, 2 %, 58:48 left"),
        (72 / 3671, "7,200 documents, 100/s, 2 %, 59:59 left"),
        (72 / 3672, "7,200 documents, 100/s, 2 %, 1:00:00 left"),
        (0.01, "7,200 documents, 100/s, 1 %, 1:58:48 left"),
        (1.5, "7,200 documents, 100/s, 100 %, 0:00 left"),
    ],
)
def test_the_time_that_is_left_is_a_clock(fraction: float | None, said: str) -> None:
    assert runner.describe_status(7200, 72.0, fraction) == said

"""The one loop: what is read is counted list by list, and errors cost one document."""

import gc
from collections.abc import Iterator

import pytest

from matchwise.algebra.build import f1
from matchwise.corpus.counts import Counts
from matchwise.corpus.loop import FIRST, Counting
from matchwise.corpus.tally import Document, Tally
from matchwise.runners.runner import run

TOGETHER = f1("xs")


def corpus(number: int = 3 * FIRST) -> Iterator[Document]:
    for _ in range(number):
        yield {"xs": []}, {"xs": []}, None


def test_progress_is_told_after_every_list_of_documents() -> None:
    told: list[int] = []
    run(Tally(TOGETHER), corpus(), progress=told.append)
    assert told == [FIRST, 3 * FIRST]


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

"""One process: what is read waits in lists, while the collector of cycles rests."""

import gc
from collections.abc import Iterator

import pytest

from matchwise.algebra.build import f1
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError
from matchwise.runners.serial import FIRST, Document, count

TOGETHER = f1("xs")


def corpus(collecting: list[bool], number: int = 3 * FIRST) -> Iterator[Document]:
    for _ in range(number):
        collecting.append(gc.isenabled())
        yield {"xs": []}, {"xs": []}, None


@pytest.mark.parametrize(("limit", "collects"), [(None, False), (10.0, True)])
def test_the_collector_rests_while_documents_are_read_that_are_counted_in_batches(
    limit: float | None, collects: bool
) -> None:
    collecting: list[bool] = []
    assert len(count(Tally(TOGETHER, time_limit=limit), corpus(collecting))) == 3 * FIRST
    assert set(collecting) == {collects}
    assert gc.isenabled()


def test_the_collector_goes_on_after_an_error() -> None:
    with pytest.raises(DataError, match="document 1"):
        count(Tally(TOGETHER), [({"xs": []}, {"xs": []}, None), ({"xs": 3}, {"xs": []}, None)])
    assert gc.isenabled()


def test_progress_is_told_after_every_list_of_documents() -> None:
    told: list[int] = []
    count(Tally(TOGETHER), corpus([]), told.append)
    assert told == [FIRST, 3 * FIRST]


def test_documents_that_were_counted_are_gone_when_the_next_are_read() -> None:
    class Read(dict[str, list[int]]):
        """Something that can be counted while it lives."""

    alive: set[int] = set()

    def read() -> Iterator[Document]:
        for _ in range(FIRST + 1):
            alive.add(sum(type(one) is Read for one in gc.get_objects()))
            yield Read(xs=[]), {"xs": []}, None

    count(Tally(TOGETHER), read())
    assert alive == set(range(FIRST))

"""Ids and entries that go on in a temporary file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise.errors import FormatError
from matchwise.formats.io.entries import UNREAD, Entry, Seen, Source, Waiting
from matchwise.formats.io.pairing import Pairing

IDS = st.one_of(st.integers(-(2**70), 2**70), st.text(max_size=3), st.sampled_from(["1", 1, "\ud800", "", 0]))


@pytest.mark.parametrize("most", [0, 2, 100])
@given(blocks=st.lists(st.lists(IDS, max_size=4), max_size=6))
def test_seen_is_a_set_wherever_it_lies(most: int, blocks: list[list[str | int]]) -> None:
    seen, known = Seen(most), set()
    for block in blocks:
        new = len(set(block)) == len(block) and known.isdisjoint(block)
        assert seen.add_all(block) is new
        known |= set(block) if new else set()
        for id in block:
            assert (id in seen) is (id in known)


@pytest.mark.parametrize("most", [0, 1, 100])
@given(ids=st.lists(IDS, unique_by=repr, max_size=6), data=st.data())
def test_what_waits_is_found_by_its_id(most: int, ids: list[str | int], data: st.DataObject) -> None:
    waiting = Waiting(most)
    entries = {id: Entry(id, UNREAD, (1, 2, 3)) for id in ids}
    for entry in entries.values():
        waiting.put(entry)
    taken = data.draw(st.lists(st.sampled_from(ids), unique_by=repr)) if ids else []
    assert [waiting.take(id) for id in taken] == [entries[id] for id in taken]
    done = Seen(most)
    done.add_all(taken)
    assert sorted(repr(entry.id) for entry in waiting.left(done)) == sorted(repr(id) for id in ids if id not in taken)


def test_an_unread_document_is_the_same_object_after_it_has_waited() -> None:
    waiting = Waiting(0)
    waiting.put(Entry("a", UNREAD, (1, b"{}")))
    found = waiting.take("a")
    assert found is not None
    assert found.document is UNREAD


def test_a_fault_keeps_its_place_while_it_waits() -> None:
    waiting = Waiting(0)
    waiting.put(Entry("a", FormatError("found nothing", "run.jsonl", 7)))
    found = waiting.take("a")
    assert found is not None
    assert str(found.document) == "run.jsonl:7: found nothing"


class Few(Source):
    """A file of these ids."""

    def __init__(self, ids):
        self.name, self.ids = "few", ids

    def __iter__(self):
        return (Entry(id, id) for id in self.ids)

    def place(self, entry):
        return f"few:{entry.id}"


@given(st.permutations(range(12)), st.permutations(range(12)))
def test_files_are_paired_alike_where_what_waits_lies_on_disk(preds, refs) -> None:
    found = [(pair.pred.document, pair.ref.document) for pair in Pairing(Few(preds), Few(refs), most=8)]
    assert found == [(id, id) for id in refs]


def test_a_repeated_id_is_found_on_disk() -> None:
    pairing = Pairing(Few([*range(20), 3]), Few([*range(20), 3]), most=4, on_error="skip")
    assert len(list(pairing)) == 20
    assert [failed.problem for failed in pairing.failed] == [
        "few:3: found the id 3 a second time; make the ids unique"
    ] * 2


def test_predictions_without_reference_are_named_from_disk() -> None:
    pairing = Pairing(Few(range(20)), Few([0]), most=4, on_error="skip")
    assert len(list(pairing)) == 1
    assert sorted(failed.document for failed in pairing.failed) == list(range(1, 20))

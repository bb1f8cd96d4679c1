"""Predictions and references side by side: the join of two files, whatever their order."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise.errors import DataError, MatchwiseError
from matchwise.formats.io.documents import Entry, Pairing, Source, join_files
from matchwise.formats.jsonl import JsonLines
from matchwise.tasks.ner import Extraction, Mention, Tagged


class Listed(Source):
    """Documents that are their own ids."""

    name = "list"

    def __init__(self, ids: list[int]) -> None:
        self.ids = ids

    def __iter__(self) -> Iterator[Entry]:
        return (Entry(id, id) for id in self.ids)

    def place(self, entry: Entry) -> str:
        return f"list:{entry.id}"


IDS = st.lists(st.integers(0, 12), unique=True, max_size=10)


@given(IDS, IDS)
def test_the_pairs_are_the_join_by_id_in_the_order_of_the_references(preds, refs) -> None:
    pairing = Pairing(Listed(preds), Listed(refs), on_error="skip")
    if not preds and not refs:
        return
    pairs = [(None if pred is None else pred.id, ref.id) for pred, ref in pairing]
    assert pairs == [(ref if ref in preds else None, ref) for ref in refs]
    assert pairing.missing == [ref for ref in refs if ref not in preds]
    assert sorted(failed.document for failed in pairing.failed) == sorted(set(preds) - set(refs))
    assert pairing.documents == len(refs)


@given(IDS, st.data())
def test_an_unknown_id_is_an_error_by_default(refs, data) -> None:
    unknown = data.draw(st.integers(13, 20))
    preds = data.draw(st.permutations([*refs, unknown]))
    problem = f"list:{unknown}: no reference has the id {unknown}" if refs else "list: found no documents"
    with pytest.raises(MatchwiseError, match=problem):
        list(Pairing(Listed(preds), Listed(refs)))


class Given(Listed):
    """One document."""

    def __init__(self, document: object) -> None:
        self.one = document

    def __iter__(self) -> Iterator[Entry]:
        yield Entry("a", self.one)


def test_each_of_several_references_counts_what_the_others_do() -> None:
    pred = Tagged(("B-PER", "O"), tokens=("Ann", "came"))
    refs = [Extraction((Mention((0, 3), "PER"),), text=text) for text in ["Ann came"] * 2]
    pairing = Pairing(Given(pred), join_files([Given(one) for one in refs]))
    [(mine, theirs)] = [pairing.read(*pair) for pair in pairing]
    assert (mine.places, theirs) == (((0, 3), (4, 8)), refs)


@given(IDS.filter(bool), st.data())
def test_a_repeated_id_is_an_error_on_either_side(ids, data) -> None:
    twice = data.draw(st.permutations([*ids, data.draw(st.sampled_from(ids))]))
    for preds, refs in ((twice, ids), (ids, twice)):
        with pytest.raises(DataError, match="a second time; make the ids unique"):
            list(Pairing(Listed(preds), Listed(refs)))


def test_predictions_without_a_reference_are_named_up_to_five() -> None:
    with pytest.raises(DataError) as caught:
        list(Pairing(Listed([9, 1, 2, 3, 4, 5, 6]), Listed([9])))
    assert str(caught.value) == (
        "list:1: no reference has the ids 1, 2, 3, 4, 5 and 1 more; take them out, or write --on-error skip"
    )


def test_what_waits_of_a_plain_file_is_its_place_only(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"id": number, "text": "x" * 1000}) + "\n" for number in range(3)))
    source = JsonLines(str(path))
    [first, *_] = list(source)
    parked = source.park(first)
    assert parked == (0, parked.document, (1, 0, 1022))
    assert repr(parked.document) == "UNREAD"
    assert source.document(parked) == first.document
    source.close()


@pytest.mark.parametrize("swapped", [False, True])
def test_parts_of_documents_go_by_the_names_of_conll_2012(swapped: bool) -> None:
    ours, theirs = ["wsj_0001; part 000", "wsj_0001; part 012"], ["wsj_0001_0", "wsj_0001_12"]
    preds, refs = (theirs, ours) if swapped else (ours, theirs)
    pairs = [(None if pred is None else pred.id, ref.id) for pred, ref in Pairing(Listed(preds), Listed(refs))]
    assert pairs == [(one, one) for one in ours]


def test_references_without_ids_and_predictions_go_by_their_numbers() -> None:
    pairing = Pairing(Listed([]), Listed([None, None]), on_error="skip")  # type: ignore[list-item]
    assert [(pred, ref.id) for pred, ref in pairing] == [(None, 0), (None, 1)]
    assert pairing.missing == [0, 1]

"""Metrics that share a part which tells elements apart are counted along one join: as each would be by itself."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise.algebra.build import custom, eq, f1, normalize, overlap
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.tally import Tally
from matchwise.engine.columns import Column, Table, together
from matchwise.engine.plan import Program
from matchwise.engine.reference import score
from matchwise.engine.selection import MANY
from matchwise.engine.together.collections import Collections
from matchwise.engine.together.telling import telling_parts


class Word(NamedTuple):
    place: int
    tag: str
    lemma: str


TAGS, LEMMAS = ("N", "V"), ("a", "b", "c")
WORDS = st.lists(st.builds(Word, st.integers(-1, 4), st.sampled_from(TAGS), st.sampled_from(LEMMAS)), max_size=5)
APART = WORDS.map(lambda words: list({word.place: word for word in words}.values()))
DOCUMENTS = st.lists(st.tuples(APART, APART) | st.tuples(WORDS, WORDS), min_size=1, max_size=5)

PLACE = eq("place")
PARTS: dict[str, Similarity] = {
    "place": PLACE,
    "tag": PLACE * eq("tag"),
    "lemma": eq("lemma") * PLACE,
    "all": PLACE * eq("tag") * eq("lemma"),
    "other": eq("tag") * eq("lemma"),
}
METRICS = {name: f1("words", part) for name, part in PARTS.items()}


def plain(side: Any) -> list[Any]:
    return [{"words": words} for words in side]


def tabular(side: Any) -> list[Any]:
    import numpy as np

    flat = [word for words in side for word in words]
    codes = (
        [word.place + 1 for word in flat],
        [TAGS.index(word.tag) for word in flat],
        [LEMMAS.index(word.lemma) for word in flat],
    )
    values = range(-1, 5), TAGS, LEMMAS
    columns = {
        name: Column(np.array(one, dtype=np.intp), known)
        for name, one, known in zip(Word._fields, codes, values, strict=True)
    }
    return plain(Table(np.cumsum([0, *map(len, side)]).tolist(), columns, Word).slices())


def test_the_part_that_most_metrics_compare_tells_elements_apart() -> None:
    assert telling_parts(Program(METRICS)) == {((), ("words",)): PLACE}


@pytest.mark.parametrize("form", [plain, tabular])
@given(documents=DOCUMENTS)
def test_quantities_are_those_of_the_reference(form: Any, documents: Any) -> None:
    preds, refs = zip(*documents, strict=True)
    with Collections(Program(METRICS), form(preds), form(refs)) as batch:
        for name, part in PARTS.items():
            phi = overlap("words", part)
            matched, predicted, recalled, reference = batch.columns(name)
            assert matched == recalled == [score(phi, *pair) for pair in zip(plain(preds), plain(refs), strict=True)]
            assert (predicted, reference) == (list(map(len, preds)), list(map(len, refs)))


def test_keys_of_lists_are_compared_by_content() -> None:
    phi = {name: f1("words", eq("place") * part) for name, part in (("a", eq("tag")), ("b", eq("tag")), ("c", eq("n")))}
    pred = {"words": [{"place": 1, "tag": ["x"], "n": True}, {"place": 2, "tag": ["y"], "n": 1}]}
    ref = {"words": [{"place": 2, "tag": ("y",), "n": 1.0}, {"place": 1, "tag": ["x", "x"], "n": 1}]}
    with Collections(Program(phi), [pred], [ref]) as batch:
        assert [batch.columns(name)[0] for name in phi] == [[1], [1], [1]]


def _common(preds: list[Any], refs: list[Any]) -> list[int]:
    CALLS.append(len(preds))
    return list(map(common, preds, refs))


@together(_common)
def common(pred: Any, ref: Any) -> int:
    return len(set(pred["xs"]) & set(ref["xs"]))


CALLS: list[int] = []


def test_a_function_is_asked_for_many_documents_at_once_where_it_can_be() -> None:
    documents = [({"xs": [1, 2]}, {"xs": [2, number]}, None) for number in range(MANY)]
    phi = normalize(custom(common, unnormalized=True), "f1")
    whole, alone = Tally(phi), Tally(phi)
    CALLS.clear()
    assert whole.add_all(documents) > 0
    assert CALLS == [MANY, MANY, MANY]
    for document in documents:
        alone.add(*document)
    assert whole == alone

"""Tags of many sentences at once: the mentions that each sentence has by itself."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise.corpus.counts import Counts
from matchwise.runners.runner import evaluate
from matchwise.tasks.ner import suite
from matchwise.tasks.ner.documents import lay_out, mentions, mentions_iob2
from matchwise.tasks.ner.tags import SCHEMES, Scheme, find_spans, read_tags

PREFIXES: dict[str, str] = {
    "lenient": "BIESLU.O",
    "seqeval": "BIESLU.O",
    "conlleval": "BIES[].O",
    "plain": "BIO",
    "IOB1": "IBO",
    "IOB2": "IBO",
    "IOE1": "IEO",
    "IOE2": "IEO",
    "IOBES": "IBESO",
    "BILOU": "BILUO",
}


@pytest.mark.parametrize("scheme", SCHEMES)
@given(data=st.data())
def test_every_scheme_reads_many_sentences_as_it_reads_one(scheme: Scheme, data: st.DataObject) -> None:
    tag = st.builds(
        lambda prefix, kind: prefix if prefix in ".O" else f"{prefix}-{kind}",
        st.sampled_from(PREFIXES[scheme]),
        st.sampled_from("XY"),
    )
    sentences = data.draw(st.lists(st.lists(tag, max_size=8), max_size=6))
    found = [list(one) for one in find_spans(lay_out(sentences), scheme).table().slices()]
    assert found == [read_tags(one, scheme) for one in sentences]


def test_a_tag_that_the_scheme_does_not_have_is_an_error_and_is_not_kept() -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="expected a tag of IOB2"):
            find_spans(lay_out([["B-X"], ["Q-X"]]), "IOB2")
    assert find_spans(lay_out([["B-X"]]), "IOB2").table().elements() == [((0, 1), "X")]


def test_documents_that_are_not_all_tags_are_read_one_by_one() -> None:
    assert mentions.many([["O"], [(0, 1, "X")]]) is None
    assert mentions_iob2.many([{"tags": ["O"]}]) is None


def test_more_tags_than_a_table_has_room_for_are_read_all_the_same() -> None:
    sentences = [[f"B-{number}", f"I-{number}"] for number in range(1025)]
    report = evaluate(suite("seqeval"), sentences, [*sentences[:-1], ["O", "O"]])
    assert report["strict"].counts == Counts(1024, 1025, 1024)  # type: ignore[union-attr]


@pytest.fixture
def eager_threads() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_threads_that_meet_the_same_tags_at_once_read_the_same(eager_threads: None) -> None:
    threads = 6
    together = Barrier(threads, timeout=10)

    def types(_: int) -> list[str]:
        found = []
        for number in range(0, 600, 10):
            names = [f"thread{number + place}" for place in range(10)]
            together.wait()
            tags = lay_out([[f"B-{name}"] for name in names])
            found += [one.type for one in find_spans(tags, "IOB2").table().elements()]
        return found

    with ThreadPoolExecutor(threads) as pool:
        assert set(map(tuple, pool.map(types, range(threads)))) == {tuple(f"thread{number}" for number in range(600))}

"""metametric 0.2.1, the library of the paper, side by side on random data; each of its deviations in a test."""

from dataclasses import dataclass
from math import isclose
from typing import Any

import metametric.dsl as mm
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from metametric.metrics import coref
from metametric.structures.ie import Entity, EntitySet, Mention
from rapidfuzz.distance import Levenshtein

from matchwise import custom, edit, eq, f1, fbeta, harmonic, jaccard, overlap, precision, recall, score
from matchwise.corpus.tally import Tally

OPTIONS = {"1:1": "<->", "N:1": "->", "1:N": "<-", "N:N": "~"}


@dataclass(frozen=True)
class Relation:
    type: str
    subj: int
    obj: int


@dataclass(frozen=True)
class RelationSet:
    relations: list[Relation]


@dataclass(frozen=True)
class Argument:
    mention: int
    role: str


@dataclass(frozen=True)
class Event:
    trig: str
    args: list[Argument]


@dataclass(frozen=True)
class Item:
    name: str
    size: int


def same(ours: float, theirs: float) -> bool:
    return isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-12)


few = st.integers(0, 2)
relations = st.lists(st.builds(Relation, st.sampled_from("ab"), few, few), min_size=1, max_size=6, unique=True)
relation = eq("type") * eq("subj") * eq("obj")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(precision, "precision"), (recall, "recall"), (f1, "f1"), (jaccard, "jaccard")],
)
@given(p=relations, r=relations)
def test_relations_normalised(ours: Any, theirs: str, p: list[Relation], r: list[Relation]) -> None:
    peer = mm.set_matching[Relation, "<->", theirs](mm.auto[Relation])
    assert same(score(ours(None, relation), p, r), peer.score(p, r))


@given(relations, relations)
def test_relations_f2(p: list[Relation], r: list[Relation]) -> None:
    peer = mm.set_matching[Relation, "<->", "f2"](mm.auto[Relation])
    assert same(score(fbeta(None, relation, beta=2), p, r), peer.score(p, r))


items = st.lists(
    st.builds(Item, st.sampled_from(["pen", "pens", "ink", "in"]), few), min_size=1, max_size=5, unique=True
)


def likeness(x: str, y: str) -> float:
    return len(set(x) & set(y)) / len(set(x) | set(y))


@pytest.mark.parametrize("match", OPTIONS)
@given(p=items, r=items)
def test_matchings_of_graded_parts(match: Any, p: list[Item], r: list[Item]) -> None:
    inner = mm.dataclass[Item]({"name": mm.from_func(likeness), "size": mm.discrete[int]})
    peer = mm.set_matching[Item, OPTIONS[match], "f1"](inner)
    phi = custom(likeness, "name", facts=("symmetric", "unit")) * eq("size")
    assert same(score(f1(None, phi, match=match), p, r), peer.score(p, r))


events = st.lists(
    st.builds(
        Event,
        st.sampled_from("abc"),
        st.lists(st.builds(Argument, few, st.sampled_from("xy")), min_size=1, max_size=3, unique=True),
    ),
    min_size=1,
    max_size=4,
)


@given(events, events)
def test_arguments_of_events(p: list[Event], r: list[Event]) -> None:
    inner = mm.dataclass[Event](
        {"trig": mm.discrete[str], "args": mm.set_matching[Argument, "<->", "none"](mm.auto[Argument])}
    )
    peer = mm.set_matching[Event, "<->", "f1"](inner)
    assert same(score(f1(None, eq("trig") * overlap("args")), p, r), peer.score(p, r))


@st.composite
def partitions(draw: st.DrawFn) -> list[list[int]]:
    """Entities that share no mention: each of up to eight mentions in one of four."""
    places = draw(st.lists(st.integers(0, 3), min_size=1, max_size=8))
    made = [[m for m, place in enumerate(places) if place == number] for number in range(4)]
    return [mentions for mentions in made if mentions]


def entity_set(entities: list[list[int]]) -> Any:
    return EntitySet(entities=[Entity(mentions=[Mention(left=m, right=m) for m in e]) for e in entities])


@given(partitions(), partitions())
def test_ceaf_phi_4(p: list[list[int]], r: list[list[int]]) -> None:
    peer = mm.normalize["f1"](coref.ceaf_phi4)
    assert same(score(f1(None, f1()), p, r), peer.score(entity_set(p), entity_set(r)))


@given(partitions(), partitions())
def test_muc(p: list[list[int]], r: list[list[int]]) -> None:
    assume(any(len(e) > 1 for e in p + r))
    peer = mm.normalize["f1"](coref.muc)
    assert same(score(f1(None, overlap() - 1, match="N:N"), p, r), peer.score(entity_set(p), entity_set(r)))


def memberships(entities: list[list[int]]) -> list[dict[str, Any]]:
    return [{"mention": m, "entity": e} for e in entities for m in e]


@settings(max_examples=40)
@given(partitions(), partitions())
def test_b_cubed(p: list[list[int]], r: list[list[int]]) -> None:
    mine, theirs = memberships(p), memberships(r)
    ours_p = precision(None, eq("mention") * precision("entity"))
    ours_r = recall(None, eq("mention") * recall("entity"))
    assert same(score(ours_p, mine, theirs), coref.b_cubed_precision.score(entity_set(p), entity_set(r)))
    assert same(score(ours_r, mine, theirs), coref.b_cubed_recall.score(entity_set(p), entity_set(r)))


words = st.lists(st.sampled_from(["pen", "pens", "ink"]), min_size=1, max_size=6)


@pytest.mark.parametrize("match", OPTIONS)
@given(p=words, r=words)
def test_sequences_of_graded_parts(match: Any, p: list[str], r: list[str]) -> None:
    peer = mm.sequence_matching[str, OPTIONS[match]](mm.from_func(likeness))
    phi = overlap(None, custom(likeness, facts=("symmetric", "unit")), match=match, order="sequence")
    assert same(score(phi, p, r), peer.score(p, r))


@given(words, words)
def test_the_longest_common_subsequence(p: list[str], r: list[str]) -> None:
    peer = mm.sequence_matching[str, "<->"](mm.discrete[str])
    assert score(overlap(order="sequence"), p, r) == peer.score(p, r)


# Deviations, as recorded in shared/scorers


def test_it_reads_lists_as_sets_on_one_side_of_the_fraction_only() -> None:
    peer = mm.set_matching[str, "<->", "f1"](mm.discrete[str])
    assert peer.score(["a", "a"], ["a", "a"]) == 0.5
    assert score(f1(), ["a", "a"], ["a", "a"]) == 1


def test_it_finds_one_common_part_in_two_empty_sets() -> None:
    peer = mm.set_matching[str, "<->", "none"](mm.discrete[str])
    assert peer.score([], []) == 1
    assert score(overlap(), [], []) == 0


def test_an_empty_prediction_adds_one_to_its_predicted_total() -> None:
    peer = mm.set_matching[str, "<->", "none"](mm.discrete[str])
    assert peer.score_self([]) == 1
    counts = Tally(f1()).add([], ["a"]).report()["score"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (0, 0, 1)


def test_an_event_without_arguments_earns_an_argument() -> None:
    inner = mm.dataclass[Event](
        {"trig": mm.discrete[str], "args": mm.set_matching[Argument, "<->", "none"](mm.auto[Argument])}
    )
    assert mm.set_matching[Event, "<->", "none"](inner).score([Event("a", [])], [Event("a", [])]) == 1
    assert score(overlap(None, eq("trig") * overlap("args")), [Event("a", [])], [Event("a", [])]) == 0


def test_it_divides_by_zero_where_all_entities_have_one_mention() -> None:
    singletons = entity_set([[1], [2]])
    with pytest.raises(ZeroDivisionError):
        mm.normalize["precision"](coref.muc).score(singletons, singletons)
    muc = precision(None, overlap() - 1, match="N:N", empty=0)
    assert score(muc, [[1], [2]], [[1], [2]]) == 0


def test_the_f_score_of_nothing_shared_is_0_even_where_there_is_nothing() -> None:
    assert mm.normalize["f1"](coref.muc).score(entity_set([[1]]), entity_set([[1]])) == 0
    muc = f1(None, overlap() - 1, match="N:N")
    assert score(muc, [[1]], [[1]]) == 1  # 0/0 is `empty`


def test_both_leave_the_unit_interval_with_one_sided_matchings() -> None:
    peer = mm.set_matching[str, "->", "recall"](mm.discrete[str])
    assert peer.score(["a", "a"], ["a"]) == score(recall(match="N:1"), ["a", "a"], ["a"]) == 2
    bounded = harmonic(precision(match="N:1"), recall(match="1:N"))
    assert score(bounded, ["a", "a"], ["a"]) == 1


def test_it_calls_a_function_twice_for_each_pair() -> None:
    calls: list[tuple[str, str]] = []

    def counted(x: str, y: str) -> float:
        calls.append((x, y))
        return 1.0

    mm.set_matching[str, "<->"](mm.from_func(counted)).score(["a"], ["b"])
    assert len(calls) == 2
    calls.clear()
    score(overlap(None, custom(counted)), ["a"], ["b"])
    assert len(calls) == 1


def test_its_sequences_have_no_matching() -> None:
    peer = mm.sequence_matching[str, "<->"](mm.discrete[str])
    assert list(peer.compute(["a"], ["a"])[1]) == []


def test_a_string_similarity_changes_both_alike() -> None:
    peer = mm.set_matching[str, "<->"](mm.from_func(Levenshtein.normalized_similarity))
    p, r = ["pencil", "ink", "cup"], ["pens", "inks"]
    assert same(score(overlap(None, edit()), p, r), peer.score(p, r))

"""The consensus of several candidates: the best of them by brute force, or a merged one that is no worse."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from matchwise import (
    DataError,
    ExpressionError,
    Similarity,
    again,
    close,
    consensus,
    edit,
    eq,
    f1,
    facts,
    fbeta,
    harmonic,
    jaro,
    latent,
    matrix,
    normalize,
    overlap,
    parse,
    precision,
    recall,
    recursive,
    score,
    union,
    var,
)
from matchwise.algebra.nodes import Normalized
from matchwise.corpus.counts import reading
from matchwise.engine import reference
from matchwise.engine.many.relation import content_of
from matchwise.formats import penman
from matchwise.relating.consensus import find_best, root_parts
from matchwise.relating.merging import Fixed, Merger, align_lists, group_versions
from matchwise.tasks import amr, coref, ner
from matchwise.testing import strategies


@st.composite
def cases(draw: st.DrawFn) -> tuple[Similarity, list[Any]]:
    shape = draw(strategies.shapes())
    phi = draw(strategies.expressions(shape))
    assume(not reading(phi).is_error)  # a filter would print the whole strategy
    return phi, draw(st.lists(strategies.objects(shape, 3), min_size=1, max_size=5))


def expected(phi: Similarity, value: Any, candidates: list[Any]) -> float:
    return float(sum(reference.score(phi, value, other) for other in candidates)) / len(candidates)


@settings(max_examples=100)
@given(cases())
def test_the_best_candidate_is_that_of_brute_force(case: tuple[Similarity, list[Any]]) -> None:
    phi, candidates = case
    found = consensus(phi, candidates, merge=False)
    best = max(expected(phi, value, candidates) for value in candidates)
    assert found.kind == "candidate"
    assert found.value is candidates[found.best]
    assert found.expected == found.best_expected == pytest.approx(best, abs=1e-9)
    assert expected(phi, found.value, candidates) == pytest.approx(best, abs=1e-9)


@settings(max_examples=150)
@given(cases())
def test_a_merged_structure_is_never_worse_than_the_best_candidate(case: tuple[Similarity, list[Any]]) -> None:
    phi, candidates = case
    found = consensus(phi, candidates)
    assert found.expected == pytest.approx(expected(phi, found.value, candidates), abs=1e-9)
    assert found.expected >= found.best_expected - 1e-9
    assert all(-1e-9 <= part.support <= 1 for part in found.support)


@settings(max_examples=80)
@given(cases())
def test_the_consensus_of_equal_candidates_is_that_candidate(case: tuple[Similarity, list[Any]]) -> None:
    phi, (value, *_) = case
    found = consensus(phi, [value] * 3)
    assert content_of(found.value) == content_of(value)
    if facts(phi).unit:
        assert found.expected == pytest.approx(1)


def best_of_all(phi: Similarity, structures: list[Any], candidates: list[Any]) -> float:
    return float(matrix(phi, structures, candidates).mean(axis=1).max())


def bags(*candidates: list[str]) -> list[list[str]]:
    """All bags of which each element is in a candidate at least as often."""
    most = Counter[str]()
    for one in candidates:
        most |= Counter(one)
    return [list(bag) for size in range(most.total() + 1) for bag in sorted(set(combinations(most.elements(), size)))]


@pytest.mark.parametrize(
    "phi", [f1(), fbeta(beta=2), fbeta(beta=0.5), recall(), precision(), f1(empty=0)],
    ids=repr,
)  # fmt: skip
def test_of_exact_elements_the_optimum_is_found_and_proved(phi: Similarity) -> None:
    random = Random(repr(phi))
    for _ in range(40):
        candidates = [random.choices("abcde", k=random.randrange(5)) for _ in range(random.randrange(2, 6))]
        found = consensus(phi, candidates)
        assert found.expected == pytest.approx(best_of_all(phi, bags(*candidates), candidates), abs=1e-9)
        assert found.expected == pytest.approx(expected(phi, found.value, candidates), abs=1e-9)
        assert found.proved
        assert found.bound == pytest.approx(found.expected, abs=1e-9)


def test_what_is_0_of_0_counts_only_for_the_empty_structure() -> None:
    found = consensus(f1(None, edit()), [[], ["ab"]])  # ["ab"] scores 0 and 1; 256 sizes up to 1 are tried
    assert (found.value, found.expected, found.bound) == ([], 0.5, pytest.approx(256 / 511, abs=1e-12))


def test_of_equally_good_structures_the_smallest_is_taken() -> None:
    found = consensus(f1(), [["c", "d"], ["a"], ["a", "b", "d"]])  # a, c and d are expected to score as much
    assert (sorted(found.value), found.expected) == (["a", "d"], pytest.approx(59 / 90, abs=1e-12))


def test_votes_alone_miss_the_optimum() -> None:
    """The largest Σ 2/(size + |s|) decides, and not the number of votes: short candidates weigh more."""
    candidates = [["a", "b"], ["b", "c"], ["a", "c", "d"]]
    found = consensus(f1(), candidates)
    assert (sorted(found.value), found.proved) == (["a", "b", "c"], True)
    long, short = [*"abcdefgh"], ["x"]
    found = consensus(f1(), [long, [*"abcdefgi"], short, short])
    assert found.expected == pytest.approx(
        best_of_all(f1(), bags(long, [*"i"], short), [long, [*"abcdefgi"], short, short])
    )
    assert found.proved


def test_of_two_sides_the_parts_that_precision_compares_are_merged() -> None:
    read = [{"p": [1], "r": [3, 4]}, {"p": [1, 2], "r": [4]}, {"p": [2], "r": [3]}]
    found = consensus(harmonic(precision("p"), recall("r")), read)
    assert (found.kind, found.value) == ("merged", {"p": [1, 2], "r": [3, 4]})


FIELDS = {
    "equal": eq("a") + eq("b") + overlap("xs"),
    "weighted": 2 * eq("a") + 0.5 * eq("b") + overlap("xs"),
    "thirds": Fraction(1, 3) * eq("a") + eq("b") + 2 * overlap("xs"),
    "graded": eq("a") + edit("b") + overlap("xs"),
}


def records(random: Random) -> tuple[list[Any], list[Any]]:
    """A few records, and all records that can be made of their parts."""
    found = []
    for _ in range(random.randrange(2, 5)):
        one = {name: value for name in "ab" if (value := random.choice(["up", "ups", "dn", None])) is not None}
        found.append(one | {"xs": random.sample("pqrs", random.randrange(4))})
    values = [[None, *{one[name] for one in found if name in one}] for name in "ab"]
    every = [
        {name: value for name, value in (("a", a), ("b", b), ("xs", xs)) if value is not None}
        for a in values[0] for b in values[1] for xs in bags(*(one["xs"] for one in found))
    ]  # fmt: skip
    return found, every


@pytest.mark.parametrize("name", ["equal", "weighted", "thirds"])
def test_of_records_of_exact_fields_the_optimum_is_found_and_proved(name: str) -> None:
    phi, random = normalize(FIELDS[name], "f1"), Random(name)
    for _ in range(25):
        candidates, every = records(random)
        found = consensus(phi, candidates)
        assert found.expected == pytest.approx(best_of_all(phi, every, candidates), abs=1e-9)
        assert found.proved


@pytest.mark.parametrize("kind", ["f1", "jaccard", "recall", "precision"])
@pytest.mark.parametrize("name", FIELDS)
def test_no_structure_exceeds_the_bound(name: str, kind: Any) -> None:
    phi, random, hits = normalize(FIELDS[name], kind), Random(name + kind), 0
    for _ in range(25):
        candidates, every = records(random)
        found = consensus(phi, candidates)
        best = best_of_all(phi, every, candidates)
        assert found.bound is not None
        assert best <= found.bound + 1e-9
        hits += found.expected >= best - 1e-9
    assert hits >= 23 or (name, kind) == ("graded", "precision")  # nothing at all is the most precise


@settings(max_examples=100)
@given(cases())
def test_no_candidate_exceeds_the_bound(case: tuple[Similarity, list[Any]]) -> None:
    phi, candidates = case
    found = consensus(phi, candidates)
    bound = find_best(phi, candidates, [1 / len(candidates)] * len(candidates))
    if bound is not None:
        assert max(expected(phi, value, candidates) for value in [*candidates, found.value]) <= bound.bound + 1e-9


LINE = edit("name") + eq("unit") + close("price", abs=0.01)
RECORD = normalize(2 * eq("number") + edit("buyer.name") + eq("city") + overlap("lines", LINE) + overlap("tags"), "f1")


def bill(**changes: Any) -> dict[str, Any]:
    return {
        "number": "R-17",
        "buyer": {"name": "Elm Ltd"},
        "city": "Faro",
        "lines": [{"name": "bolt", "unit": "kg", "price": 2.0}, {"name": "pump", "unit": "m", "price": 80.0}],
        "tags": ["a", "b"],
        **changes,
    }


def test_fields_are_voted_on_one_by_one() -> None:
    read = [bill(number="R-71"), bill(buyer={"name": "Elm Lt"}), bill(city=None), bill(tags=["a"])]
    found = consensus(RECORD, read)
    assert (found.kind, found.value) == ("merged", bill())
    assert dict(found.support) == {
        "number": 0.75,
        "buyer.name": pytest.approx(0.75 + 0.25 * (1 - 1 / 7)),
        "city": 0.75,
        "lines": 1.0,
        "lines[0]": 1.0,
        "lines[0].name": 1.0,
        "lines[0].unit": 1.0,
        "lines[0].price": 1.0,
        "lines[1]": 1.0,
        "lines[1].name": 1.0,
        "lines[1].unit": 1.0,
        "lines[1].price": 1.0,
        "tags": pytest.approx(0.875),
        "tags[0]": 1.0,
        "tags[1]": 0.75,
    }


def test_elements_are_aligned_and_kept_by_vote() -> None:
    bolt, pump = bill()["lines"]
    read = [
        bill(lines=[bolt, {**pump, "price": 8.0}]),
        bill(lines=[pump, {**bolt, "unit": "m"}]),
        bill(lines=[{**bolt, "name": "bolts"}, pump, {"name": "screw", "unit": "m", "price": 1.0}]),
    ]
    found = consensus(RECORD, read)
    assert sorted(found.value["lines"], key=lambda line: line["name"]) == [bolt, pump]
    assert found.kind == "merged"


def test_the_threshold_is_the_share_of_votes_that_keeps_an_element() -> None:
    read = [["a", "b"], ["a", "b"], ["a", "c"], ["a"]]
    for threshold, kept in ((0.25, ["a", "b", "c"]), (0.5, ["a", "b"]), (0.75, ["a"])):
        found = consensus(f1(), read, threshold=threshold)
        if found.kind == "merged":
            assert sorted(found.value) == kept
        else:
            assert found.expected >= sum(score(f1(), kept, other) for other in read) / 4 - 1e-9


def test_a_merged_structure_that_is_worse_is_not_taken() -> None:
    found = consensus(f1(), [["a"], ["b"], ["c"]], threshold=1.0)
    assert (found.kind, found.value, found.threshold) == ("candidate", ["a"], None)
    assert str(found) == "candidate 0: expected 0.3333, none above 0.5000"


def test_a_field_that_most_candidates_leave_out_is_left_out() -> None:
    phi = normalize(eq("a") + eq("b"), "f1")
    assert consensus(phi, [{"a": 1, "b": 2}, {"a": 1, "b": None}, {"a": 1}]).value in ({"a": 1}, {"a": 1, "b": None})


def test_weights_are_votes() -> None:
    assert consensus(eq(), ["x", "y", "y"]).value == "y"
    assert consensus(eq(), ["x", "y"], weights=[3, 2]).value == "x"
    several = consensus(f1(), [["a", "b"], ["c"]], weights=[1, 2])
    repeated = consensus(f1(), [["a", "b"], ["c"], ["c"]])
    assert (several.value, several.expected) == (repeated.value, pytest.approx(repeated.expected))


def test_the_order_of_candidates_does_not_matter() -> None:
    read = [
        bill(number="R-71", tags=["b", "c"]),
        bill(lines=[{"name": "bolt", "unit": "kg", "price": 2.0}]),
        bill(city="Bonn", tags=[]),
        bill(lines=[{"name": "bolts", "unit": "kg", "price": 2.0}, {"name": "pump", "unit": "m", "price": 1.0}]),
    ]
    found = {content_of(consensus(RECORD, list(some)).value) for some in permutations(read)}
    assert len(found) == 1


@dataclass(frozen=True)
class Line:
    name: str
    price: float


class Pair(NamedTuple):
    name: str
    lines: tuple[Line, ...]


class Model(BaseModel):
    name: str
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class Record:
    name: str
    lines: frozenset[Line]


def model(name: str, lines: list[Line]) -> Model:
    return Model(name=name, lines=lines)


@pytest.mark.parametrize(("make", "collect"), [(Pair, tuple), (Record, frozenset), (model, list)])
def test_records_and_collections_keep_their_class(make: Any, collect: Any) -> None:
    phi = normalize(eq("name") + overlap("lines", edit("name") + eq("price")), "f1")
    bolt, pump, wrong = Line("bolt", 2.0), Line("pump", 80.0), Line("pump", 8.0)
    read = [make("x", collect([bolt, wrong])), make("y", collect([bolt, pump])), make("x", collect([pump]))]
    assert consensus(phi, read, threshold=0.5).value == make("x", collect([bolt, pump]))


def test_mappings_are_merged_by_their_keys() -> None:
    phi = f1(None, eq("key") * eq("value"))
    found = consensus(phi, [{"a": 1, "b": 2}, {"a": 1, "b": 3}, {"b": 2, "c": 4}])
    assert found.value == {"a": 1, "b": 2}


def test_sequences_keep_their_order() -> None:
    phi = f1(order="sequence")
    texts = ("the cat sat on mats", "the cat on the mat", "a cat sat on the mat")
    found = consensus(phi, [text.split() for text in texts])
    assert found.value == ["the", "cat", "sat", "on", "the", "mat"]


def test_positions_are_voted_on_one_by_one() -> None:
    found = consensus(f1(None, eq(), order="index"), [["a", "y", "c"], ["x", "b", "c"], ["a", "b", "z"]])
    assert found.value == ["a", "b", "c"]


def test_recursive_structures_are_merged_at_every_level() -> None:
    phi = normalize(recursive("T", eq("label") + overlap("kids", again("T"))), "f1")

    def tree(label: str, *kids: dict[str, Any]) -> dict[str, Any]:
        return {"label": label, "kids": list(kids)}

    good = tree("s", tree("np", tree("n")), tree("vp", tree("v"), tree("np")))
    read = [
        tree("s", tree("np", tree("n")), tree("vp", tree("x"), tree("np"))),
        tree("s", tree("np", tree("d")), tree("vp", tree("v"), tree("np"))),
        tree("q", tree("np", tree("n")), tree("vp", tree("v"), tree("np"))),
    ]
    assert consensus(phi, read).value == good


def test_variables_of_graphs_are_matched_before_the_vote() -> None:
    phi = latent(f1(None, eq("rel") * var("x") * union("y", {str: eq()})))
    read = [
        [{"rel": "is", "x": "u", "y": "cat"}, {"rel": "is", "x": "v", "y": "big"}],
        [{"rel": "is", "x": "a", "y": "cat"}, {"rel": "is", "x": "b", "y": "red"}],
        [{"rel": "is", "x": "p", "y": "red"}, {"rel": "is", "x": "q", "y": "big"}],
    ]
    found = consensus(phi, read)
    assert found.kind == "merged"
    assert sorted(row["y"] for row in found.value) == ["big", "cat", "red"]
    assert len({row["x"] for row in found.value}) == 3


def test_amrs_are_merged_as_smatch_reads_them() -> None:
    texts = (
        "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02))",
        "(x / want-01 :ARG0 (y / boy) :ARG1 (z / go-02 :ARG0 y))",
        "(a / wish-01 :ARG0 (c / boy) :ARG1 (d / go-02 :ARG0 c))",
    )
    found = consensus(amr.suite(), [penman.parse(text) for text in texts])
    gold = penman.parse("(x / want-01 :ARG0 (y / boy) :ARG1 (z / go-02 :ARG0 y))")
    suite = amr.suite()
    assert score(suite["smatch"], found.value, gold) == 1  # type: ignore[arg-type]


def test_where_every_pair_is_prepared_the_best_candidate_is_chosen() -> None:
    made = coref.suite(preset="conll12")
    docs = [coref.from_clusters(clusters) for clusters in ([[(0, 1), (2, 3)]], [[(0, 1), (2, 3), (4, 5)]], [])]
    found = consensus(type(made)(muc=made["muc"]), docs)
    assert (found.kind, found.value) == ("candidate", docs[found.best])


def test_the_result_is_plain_data() -> None:
    assert consensus(eq("a"), [{"a": 1}]).to_dict() == {
        "kind": "candidate",
        "expected": 1.0,
        "best": 0,
        "best_expected": 1.0,
        "threshold": None,
        "bound": 1.0,
        "proved": True,
        "support": {"a": 1.0},
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 0}, "the share of votes"),
        ({"threshold": 1.5}, "the share of votes"),
        ({"weights": [1]}, "one number from 0 for each of the 2 candidates"),
        ({"weights": [1, -1]}, "one number from 0"),
        ({"weights": [0, 0]}, "not all of them 0"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        consensus(f1(), [["a"], ["b"]], **options)


def test_no_candidates_have_no_consensus() -> None:
    with pytest.raises(ExpressionError, match="needs at least one candidate"):
        consensus(f1(), [])


def test_noisy_readings_are_better_merged_than_chosen_and_better_chosen_than_drawn() -> None:
    random = Random(4)
    single = chosen = merged = 0.0
    for _ in range(12):
        truth = random.sample(range(1_000), 12)
        read = [[x if random.random() < 0.75 else random.randrange(1_000) for x in truth] for _ in range(5)]
        single += sum(score(f1(), some, truth) for some in read) / 5
        chosen += score(f1(), consensus(f1(), read, merge=False).value, truth)
        merged += score(f1(), consensus(f1(), read).value, truth)
    assert single < chosen < merged


def test_readings_of_one_sentence_have_one_length() -> None:
    with pytest.raises(DataError, match="found 3 tags, expected 2 as in the reference"):
        consensus(ner.suite()["strict"], [["B-PER", "O"], ["B-PER", "O"], ["B-PER", "O", "O"]])


def test_votes_of_just_the_threshold_keep_an_element() -> None:
    found = consensus(f1(), [["a", "b"], ["a", "c"]], threshold=0.5)
    assert (sorted(found.value), found.kind, found.expected) == (["a", "b", "c"], "merged", pytest.approx(0.8))
    assert consensus(f1(), [["a", "b"], ["a", "c"]], threshold=0.51).kind == "candidate"


@pytest.mark.parametrize("values", [["Ink", "INK", "INK"], ["INK", "Ink", "Ink"], ["INK", "INK", "Ink"]])
def test_of_values_that_agree_equally_the_most_frequent_is_taken(values: list[str]) -> None:
    same = edit(normalize="casefold")
    assert Merger(0.5).medoid(same, values, [1.0] * 3) == max(values, key=values.count)
    assert Merger(0.5).medoid(same, ["Ink", "INK"], [2.0, 1.0]) == "Ink"
    assert Merger(0.5).medoid(same, ["Ink", "INK"], [1.0, 2.0]) == "INK"


@pytest.mark.parametrize(("weights", "kept"), [([1, 1, 1], None), ([2, 1, 1], 2), ([1.9, 1, 1], None)])
def test_a_field_that_too_few_have_is_left_out(weights: list[float], kept: int | None) -> None:
    values = [{"a": 1, "b": 2}, {"a": 1, "b": None}, {"a": 3, "b": None}]
    phi = normalize(eq("a") + eq("b"), "f1")
    assert Merger(0.5).fill(values[0], phi, values, weights) == {"a": 1, "b": kept}


def test_elements_that_share_exactly_half_are_versions_of_one() -> None:
    assert align_lists(edit(), [["ab"], ["ac"]], [1.0, 1.0], "bag") == [{0: 0, 1: 0}]
    assert align_lists(edit(), [["abc"], ["axy"]], [1.0, 1.0], "bag") == [{1: 0}, {0: 0}]


@pytest.mark.parametrize(("weights", "joined"), [([0.9, 0.1, 1.0], True), ([0.1, 0.9, 1.0], False), ([1, 1, 1], True)])
def test_how_similar_an_element_is_to_its_versions_is_weighed_by_their_votes(weights: Any, joined: bool) -> None:
    shares = np.array([[1, 1, 0.9], [1, 1, 0.2], [0.9, 0.2, 1]])
    found = group_versions(shares, [["a"], ["b"], ["c"]], weights, "bag")
    assert found == ([{0: 0, 1: 0, 2: 0}] if joined else [{2: 0}, {0: 0, 1: 0}])


def test_a_metric_that_rewards_repeated_parts_comes_to_an_end() -> None:
    found = consensus(f1("xs", jaro(), match="N:1"), [{"xs": ["ab", "cd"]}, {"xs": ["ab", "ce"]}, {"xs": ["ab"]}])
    assert len(found.value["xs"]) <= 3


def test_variables_may_be_objects_that_python_cannot_hash() -> None:
    metric = parse('latent(f1("facts", eq("type") * var("subj") * var("obj")))')

    def reading(anna: Any, rome: Any, *types: str) -> dict[str, Any]:
        return {"facts": [{"type": type, "subj": anna, "obj": rome} for type in types]}

    one, two = reading({"id": 1}, {"id": 2}, "born", "died"), reading({"id": 7}, {"id": 8}, "born", "lived")
    three = reading({"id": 5}, {"id": 6}, "died", "lived")
    found = consensus(metric, [one, two, three])
    assert found.kind == "merged"
    assert score(metric, found.value, reading("x", "y", "born", "died", "lived")) == 1


@pytest.mark.parametrize("order", ["tree", "graph"])
@pytest.mark.parametrize("sel", ["xs", None])
def test_of_trees_and_graphs_the_most_similar_candidate_is_taken(order: str, sel: str | None) -> None:
    graphs = [{"a": ["b"], "b": ["c"], "c": []}, {"a": ["b"], "b": [], "c": []}, {"a": ["b"], "b": ["c"], "d": []}]
    found = consensus(f1(sel, order=order), [{"xs": one} for one in graphs] if sel else graphs)
    assert (found.kind, found.best, found.value) == ("candidate", 0, {"xs": graphs[0]} if sel else graphs[0])
    assert found.expected == pytest.approx((1 + 6 / 7 + 2 / 3) / 3, abs=1e-12)


@pytest.mark.parametrize("order", ["tree", "graph"])
@pytest.mark.parametrize("threshold", [None, 0.5])
def test_a_merged_record_has_the_most_similar_graph_and_not_the_largest(order: str, threshold: float | None) -> None:
    graphs = [{"a": ["b"], "b": ["d", "c"], "c": [], "d": []}, {"a": [], "d": []}, {"a": ["c"], "c": [], "d": []}]
    metric = normalize(eq("k") + overlap("xs", order=order), "f1")
    candidates = [{"k": k, "xs": one} for k, one in zip("yyx", graphs, strict=True)]
    found = consensus(metric, candidates, threshold=threshold)
    assert (found.kind, found.value) == ("merged", {"k": "y", "xs": graphs[2]})
    assert found.expected == pytest.approx((2 / 3 + 6 / 7 + 3 / 4) / 3, abs=1e-12)


def test_the_only_part_of_a_record_is_not_left_out() -> None:
    found = consensus(normalize(edit("a"), "f1"), [{"a": "x"}, {"a": "xy"}, {"a": "yz"}])
    assert (found.kind, found.value, found.expected) == ("candidate", {"a": "x"}, pytest.approx(0.5, abs=1e-12))


def test_the_optimum_may_be_a_single_part_of_more_than_the_least_weight() -> None:
    found = consensus(normalize(3 * eq("a") + eq("b"), "f1"), [{"a": 1, "b": number} for number in range(3)])
    assert (found.value, found.threshold, found.proved) == ({"a": 1}, None, True)
    assert found.expected == found.bound == pytest.approx(6 / 7, abs=1e-12)


def test_a_structure_that_was_searched_for_has_no_threshold() -> None:
    candidates = [["a", "b"], ["b", "c"], ["a", "c", "d"]]
    assert consensus(f1(), candidates, threshold=0.5).threshold == 0.5
    assert consensus(f1(), candidates).threshold is None


class Pair(NamedTuple):
    a: int
    b: int


def test_parts_of_named_tuples_are_merged_by_their_place() -> None:
    found = consensus(normalize(eq(0) + eq(1), "f1"), [Pair(1, 2), Pair(4, 3), Pair(1, 5), Pair(6, 3)])
    assert (found.value, found.kind) == (Pair(1, 3), "merged")


@pytest.mark.parametrize(
    ("candidates", "weights", "merged"),
    [
        ([["a"], ["a", "b"], ["d", "c"]], [2, 3, 5], ["a", "c", "d"]),
        ([["a", "b", "d"], ["a", "c"], ["d"]], [2, 3, 5], ["a", "d"]),
        ([["a", "b"], ["c"], ["d", "c", "a"]], [2, 5, 3], ["a", "c"]),
        ([["b", "c"], ["b", "d", "a"], ["c", "d"]], [2, 5, 3], ["a", "b", "c", "d"]),
    ],
)
def test_a_vote_is_that_of_the_candidate_it_was_given_for(candidates: Any, weights: Any, merged: Any) -> None:
    """What candidates of at least half of the weight have, wherever the best candidate stands."""
    found = consensus(f1(), candidates, weights=weights, threshold=0.5)
    assert (sorted(found.value), found.kind, found.threshold) == (merged, "merged", 0.5)
    scores = (score(f1(), merged, other) * weight for other, weight in zip(candidates, weights, strict=True))
    assert found.expected == pytest.approx(sum(scores) / 10, abs=1e-12)


@pytest.mark.parametrize("kind", [tuple, frozenset, list])
def test_a_collection_has_the_class_that_those_have_who_have_it(kind: Any) -> None:
    values = [{"k": 1, "xs": None}, {"k": 1, "xs": kind("ab")}, {"k": 2, "xs": kind("ac")}]
    phi = normalize(eq("k") + overlap("xs"), "f1")
    assert Merger(0.5).fill(values[0], phi, values, [1.0] * 3) == {"k": 1, "xs": kind("a")}


def test_variables_deep_in_a_recursive_structure_are_matched_before_the_vote() -> None:
    phi = latent(normalize(recursive("T", eq("label") * var("id") + overlap("kids", again("T"))), "f1"))

    def tree(label: str, id: str, *kids: dict[str, Any]) -> dict[str, Any]:
        return {"label": label, "id": id, "kids": list(kids)}

    found = consensus(
        phi,
        [
            tree("s", "a", tree("x", "b"), tree("y", "c")),
            tree("s", "p", tree("x", "q"), tree("z", "r")),
            tree("s", "u", tree("y", "v"), tree("z", "w")),
        ],
    )
    assert (found.kind, found.expected) == ("merged", pytest.approx(6 / 7, abs=1e-12))
    assert sorted(kid["label"] for kid in found.value["kids"]) == ["x", "y", "z"]


def test_the_candidate_is_the_prediction_and_the_others_are_its_references() -> None:
    found = consensus(precision(), [["a", "b"], ["a"]], merge=False)
    assert (found.best, found.expected) == (1, 1.0)  # all that it says is in both; of the other one it is 3/4
    assert consensus(recall(), [["a"], ["a", "b"]], merge=False).best == 1


def test_of_equally_good_candidates_the_first_by_content_is_taken() -> None:
    assert [consensus(f1(), some, merge=False).best for some in ([["b"], ["a"]], [["a"], ["b"]])] == [1, 0]
    assert consensus(f1(), [["c"], ["b"], ["a"], ["b"]], merge=False).best == 1  # two have b, the first is given


def test_a_merged_result_is_plain_data_and_one_sentence() -> None:
    found = consensus(f1(), [["a", "b"], ["b", "c"], ["a", "c", "d"]], threshold=0.5)
    assert found.to_dict() == {
        "kind": "merged",
        "expected": pytest.approx((4 / 5 + 4 / 5 + 4 / 6) / 3),
        "best": 0,
        "best_expected": pytest.approx((1 + 1 / 2 + 2 / 5) / 3),
        "threshold": 0.5,
        "bound": pytest.approx((4 / 5 + 4 / 5 + 4 / 6) / 3),
        "proved": True,
        "support": {"[0]": pytest.approx(2 / 3), "[1]": pytest.approx(2 / 3), "[2]": pytest.approx(2 / 3)},
    }
    assert str(found) == "merged: expected 0.7556, proved (the best candidate, 0: 0.6333)"
    assert found.notes() == [str(found), f"value: {found.value!r}"]
    assert found.tables() == {"support": [part._asdict() for part in found.support]}
    assert repr(consensus(eq(), ["x", "y", "y"])) == "<Consensus candidate 1: expected 0.6667, none above 1.0000>"


def test_support_is_weighed_and_names_what_nobody_else_has() -> None:
    read = [{"a": 1, "xs": ["p", "q"]}, {"a": 2, "xs": ["p"]}, {"a": 1, "xs": []}]
    found = consensus(normalize(eq("a") + overlap("xs"), "f1"), read, weights=[6, 3, 1], merge=False)
    assert (found.best, found.value) == (0, read[0])
    assert dict(found.support) == {
        "a": pytest.approx(0.7), "xs": pytest.approx(0.6 + 0.3 / 2), "xs[0]": pytest.approx(0.9),
        "xs[1]": pytest.approx(0.6),
    }  # fmt: skip
    assert found.expected == pytest.approx(0.6 + 0.3 * 2 / 5 + 0.1 * 2 / 4)


def test_the_value_is_the_document_as_it_was_given() -> None:
    tags = [["B-PER", "O"], ["B-PER", "B-LOC"], ["B-PER", "O"]]
    found = consensus(ner.suite()["strict"], tags)
    assert (found.kind, found.value, found.value is tags[found.best]) == ("candidate", ["B-PER", "O"], True)


@pytest.mark.parametrize(
    ("candidates", "options", "message"),
    [
        ({"xs": []}, {}, r"^candidates is one dict, expected a list of objects; write \[candidates\]"),
        ([["a"], ["b"]], {"weights": [1, float("inf")]}, r"^weights=\[1, inf\]; write one number from 0 for each of"),
        ([["a"], ["b"]], {"weights": [1, 2, 3]}, r"^weights=\[1, 2, 3\]; write one number from 0 for each of the 2"),
        ([["a"]], {"threshold": -0.5}, r"^threshold=-0.5; write the share of votes an element needs, such as 0.5"),
    ],
)
def test_what_is_wrong_is_said_to_the_letter(candidates: Any, options: Any, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        consensus(f1(), candidates, **options)
    assert consensus(f1(), [["a"], ["b"]], weights=[0, 2]).value == ["b"]
    assert consensus(f1(), [["a"], ["a"]], threshold=1).expected == 1


def test_no_part_is_replaced_alone_that_holds_another_part_of_the_metric() -> None:
    apart, inside = (normalize(eq("a") + eq(sel), "f1") for sel in ("b.c", "a.c"))
    assert isinstance(apart, Normalized)
    assert isinstance(inside, Normalized)
    assert [place for place, _ in root_parts(apart)] == [(0,), (1,)]
    with pytest.raises(Fixed):
        root_parts(inside)

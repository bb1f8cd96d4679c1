"""Definition, one and many: the equations, one pair of objects and a batch of documents give the same numbers."""

import gc
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, isclose, isfinite
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any
from weakref import ref as watch

import numpy as np
import pytest
import small_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise import (
    DataError,
    MatchwiseError,
    Tally,
    again,
    align,
    best,
    contingency,
    custom,
    edit,
    eq,
    f1,
    fbeta,
    harmonic,
    jaccard,
    latent,
    mean,
    normalize,
    overlap,
    precision,
    recursive,
    score,
    subset,
    union,
    var,
)
from matchwise.algebra.facts import facts
from matchwise.algebra.leaves import Misfit
from matchwise.algebra.names import undeclared
from matchwise.algebra.nodes import Match as Matching
from matchwise.algebra.nodes import Number, Similarity
from matchwise.algebra.walk import shift
from matchwise.engine import reference
from matchwise.engine.many.frame import Frame, run
from matchwise.engine.one.parts import compare
from matchwise.engine.operators import collections, compound, equality, functions, leaves, structure, tables
from matchwise.engine.operators.build import operator
from matchwise.engine.operators.latent import LatentMatch
from matchwise.engine.operators.operator import Match
from matchwise.engine.plan import Plan, Program, plan
from matchwise.runners.runner import evaluate
from matchwise.testing import strategies

Case = tuple[Similarity, list[Any], list[Any]]


@st.composite
def cases(draw: st.DrawFn, size: int = 3) -> Case:
    """An expression, and two or three predictions and references that it compares."""
    shape = draw(strategies.shapes())
    several = st.lists(strategies.objects(shape, size), min_size=2, max_size=3)
    return draw(strategies.expressions(shape)), draw(several), draw(several)


def one(phi: Similarity, x: Any, y: Any) -> tuple[float, float, float]:
    """φ(x, y), φ(x, x) and φ(y, y)."""
    made = operator(phi)
    return compare(None, lambda p, r: (made.score(p, r), made.own(p), made.own(r)), x, y)


def many(phi: Similarity, xs: list[Any], ys: list[Any]) -> list[tuple[float, float, float]]:
    """The same of each pair of documents, counted as one batch."""

    def read(p: Frame, r: Frame) -> list[tuple[float, float, float]]:
        made, places = Plan(phi).operator, np.arange(len(p))
        return list(zip(made.at(p, r, places, places), made.self_scores(p), made.self_scores(r), strict=True))

    return run(read, xs, ys)


def same(found: Number, exact: Number) -> bool:
    """Integers exactly, everything else up to rounding."""
    if isinstance(exact, int):
        return found == exact
    return isclose(found, exact, rel_tol=1e-12, abs_tol=1e-12)


@settings(max_examples=200)
@given(cases())
def test_one_pair_scores_as_the_equations_say(case: Case) -> None:
    phi, preds, refs = case
    for x in preds:
        for y in refs:
            exact = reference.score(phi, x, y), reference.self_score(phi, x), reference.self_score(phi, y)
            assert all(map(same, one(phi, x, y), exact)), f"{phi!r} of {x!r} and {y!r}: {one(phi, x, y)}, {exact}"


@settings(max_examples=200)
@given(cases())
def test_one_and_many_have_the_same_bits_alone_batched_and_shuffled(case: Case) -> None:
    phi, preds, refs = case
    xs, ys = [x for x in preds for _ in refs], [y for _ in preds for y in refs]
    alone = [one(phi, x, y) for x, y in zip(xs, ys, strict=True)]
    assert alone == [many(phi, [x], [y])[0] for x, y in zip(xs, ys, strict=True)]
    assert alone == many(phi, xs, ys)
    assert alone[::-1] == many(phi, xs[::-1], ys[::-1])


@settings(max_examples=200)
@given(cases())
def test_a_match_has_the_score_and_is_made_of_its_pairs(case: Case) -> None:
    phi, preds, refs = case
    for x in preds:
        for y in refs:
            found = compare(None, operator(phi).match, x, y, keeps=True)
            assert found.score == one(phi, x, y)[0]
            check(found)


def check(found: Match) -> None:
    """A Σ is the sum of its pairs, of which no part is left out or there twice."""
    if found.kind in ("match", "sum"):
        assert same(found.score, fsum(pair.weight * pair.score for pair in found.pairs))
    for pair in found.pairs:
        check(pair)


@pytest.mark.parametrize("seed", range(60))
def test_small_documents_with_gaps_and_mixed_types(seed: int) -> None:
    random = Random(seed)
    for _ in range(10):
        phi = small_cases.draw_expression(random)
        preds, refs = small_cases.draw_documents(random, 3), small_cases.draw_documents(random, 3)
        pairs = [(x, y) for x in preds for y in refs if is_known(phi, x, y)]
        if not pairs:
            continue
        xs, ys = map(list, zip(*pairs, strict=True))
        alone = [one(phi, x, y) for x, y in pairs]
        assert alone == [many(phi, [x], [y])[0] for x, y in pairs], f"{phi!r} of {pairs!r}"
        with suppress(MatchwiseError):  # a batch looks at parts that nothing of their own document meets
            assert alone == many(phi, xs, ys), f"{phi!r} of {pairs!r}"
        for (x, y), (found, mine, theirs) in zip(pairs, alone, strict=True):
            assert same(found, reference.score(phi, x, y)), f"{phi!r} of {x!r} and {y!r}"
            assert same(mine, reference.self_score(phi, x))
            assert same(theirs, reference.self_score(phi, y))


def is_known(phi: Similarity, x: Any, y: Any) -> bool:
    """Whether none refuses the documents; which one it is that looks at a wrong part first is nobody's law."""
    try:
        one(phi, x, y)
        many(phi, [x], [y])
        reference.score(phi, x, y), reference.self_score(phi, x), reference.self_score(phi, y)
    except MatchwiseError:
        return False
    return True


@dataclass(frozen=True)
class Relation:
    type: str
    subj: Any
    obj: Any


class Fields(Mapping[str, Any]):
    """A mapping that is no dictionary, and has methods under the names of its keys."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __hash__(self) -> int:
        return 0


BAG = f1("xs")
ITEMS = f1("xs", eq("type") * eq("subj") * eq("obj"))
SUM = normalize(0.1 * eq("a") + 0.2 * eq("b") + overlap("xs") + 0.3 * eq("c") + eq("a.b") + overlap(undeclared), "f1")
FIELDS = normalize(eq("a") + 2 * eq("b") + eq("c"), "f1")
PLACES = normalize(eq("a.0") + eq("b"), "f1")

OBJECTS = [
    (f1(), [1, 2, 2], (2, 2, 3)),
    (f1(), {1, 2}, frozenset({2, 3})),
    (precision(match="N:1"), [1, 1, 2], [1]),
    (fbeta(beta=0.5), ["a", True, 1.5], ["a", 1, 1.5]),
    (jaccard(), [], []),
    (overlap("xs", match="1:N"), {"xs": ["a"]}, {"xs": ["a", "a"]}),
    (overlap("xs", match="N:N"), {"xs": [1, 1]}, {"xs": [1]}),
    (BAG, {"xs": [1, [2], None]}, SimpleNamespace(xs=[None, (2,), 4])),
    (BAG, {"xs": {"a": 1}}, {"xs": {"a": 1, "b": 2}}),
    (ITEMS, {"xs": [Relation("t", (1, 2), 3)]}, {"xs": [Relation("t", [1, 2], 3.0), Relation("t", 1, 2)]}),
    (ITEMS, {"xs": [{"type": 1, "subj": True, "obj": 2}]}, {"xs": [{"type": 1, "subj": 1, "obj": 2}]}),
    (ITEMS, {"xs": [Relation("t", 1, 2)]}, {"xs": [Relation("t", 1, 2), {"type": "t", "subj": 1, "obj": 2}]}),
    (SUM, {"a": {"b": 1}, "b": "x", "xs": [1], "c": 3}, {"a": {"b": 1}, "b": "x", "xs": [1, 2], "c": 3}),
    (SUM, {"a": None, "b": "x", "xs": [], "c": 3}, {"b": "y", "xs": [1, 2], "c": 3.0, "more": 1}),
    (SUM, {"xs": [1]}, {}),
    (FIELDS, {"a": True, "b": 1.5, "c": Misfit("n/a")}, {"a": 1, "b": 1.5, "c": Misfit("n/a")}),
    (FIELDS, {"a": "x", "b": [], "c": {}}, {"a": "x", "b": [1], "c": {"d": 1}}),
    (FIELDS, SimpleNamespace(a=1, b=None, c="z"), {"a": 1, "c": "z"}),
    (PLACES, {"a": {"0": 1}, "b": 2}, {"a": {"0": 1}, "b": 3}),
    (PLACES, {"a": {0: 1, "0": 2}, "b": 2}, {"a": [1], "b": 2}),
    (overlap("xs", eq("value"), align_by=eq("value")), {"xs": {"a": [1, 2], "b": [1, 2]}}, {"xs": {"c": [1, 2]}}),
    (f1("a.xs"), {"a": {"xs": [1]}}, {"a": {"xs": [1]}}),
    (normalize(eq("keys") + eq("values"), "f1"), Fields(keys=1, values=2), Fields(keys=1, values=3)),
    (normalize(2 * eq("keys") + overlap("xs"), "f1"), Fields(keys=1, xs=[2]), Fields(keys=1, xs=[3])),
    (normalize(eq("a") * overlap("xs") + eq("b"), "f1"), {"a": 1, "xs": [1]}, {"a": 1, "xs": [1]}),
]


@pytest.mark.parametrize(("phi", "pred", "ref"), OBJECTS)
def test_all_kinds_of_objects_count_alone_what_they_count_in_a_batch(phi: Similarity, pred: Any, ref: Any) -> None:
    for x, y in ((pred, ref), (ref, pred), (pred, pred), (ref, ref)):
        counted = run(lambda p, r: [column.tolist()[0] for column in plan(phi).count(p, r)], [x], [y])
        assert list(Tally(phi).add(x, y).scores.rows) == counted
        assert score(phi, x, y) == align(phi, x, y).score == many(phi, [x], [y])[0][0]


def test_weights_are_added_in_the_order_of_the_fields() -> None:
    tenths = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7]
    phi = sum((weight * eq(f"x{place}") for place, weight in enumerate(tenths[1:])), 0.1 * eq("y"))
    found = {"y": 1} | {f"x{place}": 1 for place in range(5)}
    total = 0.1 + 0.2 + 0.3 + 0.4 + 0.6 + 0.7
    assert one(phi, found, found) == (total, total, total)


def test_one_and_many_have_one_arithmetic() -> None:
    """10¹⁷ + 1 is no float: what is left of it does not depend on how many documents there are."""
    phi = (10**17 * eq("a") + eq("b")) - 10**17
    assert (
        one(phi, {"a": 1, "b": 1}, {"a": 1, "b": 1})[0] == many(phi, [{"a": 1, "b": 1}], [{"a": 1, "b": 1}])[0][0] == 0
    )


@pytest.mark.parametrize(
    ("phi", "pred", "ref", "problem"),
    [
        (BAG, {}, {"xs": []}, "found dict {} without key 'xs'"),
        (BAG, {"xs": [1]}, {"xs": 5}, "xs: found int 5, expected a collection"),
        (BAG, {"xs": [float("nan")]}, {"xs": [1]}, "xs[0]: found NaN"),
        (ITEMS, {"xs": [{"type": 1}]}, {"xs": []}, "xs[0]: found dict {'type': 1} without key 'subj'"),
        (FIELDS, {"a": float("nan")}, {"a": 1}, "a: found NaN"),
        (FIELDS, SimpleNamespace(a=1), {"a": 1}, "without attribute 'b'"),
    ],
)
def test_an_error_names_the_part_and_the_document(phi: Similarity, pred: Any, ref: Any, problem: str) -> None:
    with pytest.raises(DataError) as found:
        score(phi, pred, ref)
    assert problem in str(found.value)
    tally = Tally(phi).add({"xs": [], "a": 1}, {"xs": [], "a": 1})
    with pytest.raises(DataError) as named:
        tally.add(pred, ref)
    assert problem in str(named.value)
    assert (named.value.document, len(tally)) == (1, 1)


OPERATORS = [
    (equality.Equality, eq("a")),
    (leaves.Compare, edit("a")),
    (leaves.CallFunction, custom(small_cases.likeness, "a")),
    (functions.Multiply, eq("a") * edit("a")),
    (compound.Add, eq("a") + edit("a")),
    (functions.Average, mean(eq("a"), edit("a"))),
    (functions.HarmonicMean, harmonic(eq("a"), edit("a"))),
    (functions.Threshold, edit("a") > 0.5),
    (functions.Subtract, edit("a") - 0.5),
    (functions.Normalize, mean(f1("xs"), eq("a"))),
    (compound.ByCase, union("a", {str: edit(), int: eq()})),
    (compound.Recur, recursive("T", edit("a"))),
    (compound.Select, overlap("b.xs", edit())),
    (collections.BagOverlap, overlap("xs")),
    (collections.MatchElements, overlap("xs", edit())),
    (tables.BestElement, best("xs", edit())),
    (tables.Inclusion, subset("xs")),
    (tables.Tabulate, contingency(small_cases.shared, "xs", eq(), unnormalized=True)),
    (structure.MatchNodes, overlap("tree", eq("a"), order="tree")),
    (LatentMatch, latent(overlap("ps", eq("k") * var("v")))),
]


@pytest.mark.parametrize(("cls", "phi"), OPERATORS, ids=[cls.__name__ for cls, _ in OPERATORS])
def test_a_mistake_of_ours_in_an_operator_is_not_hidden(
    cls: type, phi: Similarity, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = {"a": "x", "xs": ["x"], "b": {"xs": ["x"]}, "tree": {"a": 1, "children": []}, "ps": [{"k": 1, "v": 2}]}
    assert score(phi, document, document) > 0

    def fail(*_: Any) -> float:
        return 1 / 0

    monkeypatch.setattr(cls, "score", fail)
    with pytest.raises(ZeroDivisionError):
        score(phi, document, document)
    with pytest.raises(ZeroDivisionError):
        Tally(phi).add(document, document)


def test_no_object_is_kept_alive_by_what_was_found_out_about_it() -> None:
    class Document:
        def __init__(self) -> None:
            self.xs, self.ps = ["a", "b", "b"], [{"k": 1, "v": 2}]

    pred, truth = Document(), Document()
    watched = watch(pred), watch(truth)
    collecting = gc.isenabled()
    gc.disable()  # reference counts alone must do
    try:
        for phi in (f1("xs"), f1("xs", edit()), latent(f1("ps", eq("k") * var("v")))):
            score(phi, pred, truth)
            align(phi, pred, truth)
        del pred, truth
        assert [one() for one in watched] == [None, None]
    finally:
        if collecting:
            gc.enable()


def test_recursion_ends_where_the_data_does() -> None:
    phi = f1("roots", recursive("T", eq("label") + again("T", "left") + again("T", "right")))
    leaf = {"label": "x"}
    tree = {"label": "a", "left": {"label": "b", "right": leaf}, "right": leaf}
    assert score(phi, {"roots": [tree]}, {"roots": [tree, leaf]}) == 2 * 4 / (4 + 5)


@pytest.mark.parametrize("size", [2, 18])
def test_similarities_that_recur_inside_each_other_compare_long_lists_as_short_ones(size: int) -> None:
    inner = recursive("B", edit("x") + overlap("as", again("A")) + overlap("bs", again("B")))
    phi = normalize(recursive("A", eq("x") + overlap("bs", inner)), "f1")

    def tree(kind: str, depth: int, width: int) -> dict[str, Any]:
        below = {"as": "a", "bs": "b"} if kind == "b" else {"bs": "b"}
        some = range(width if depth else 0)
        return {"x": f"w{width}"} | {name: [tree(of, depth - 1, k) for k in some] for name, of in below.items()}

    pred, ref = ({"x": 1, "bs": [tree("b", 1, width)] * size} for width in (size, size + 1))
    found = score(phi, pred, ref)
    assert found == many(phi, [pred], [ref])[0][0]
    assert size > 2 or same(found, reference.score(phi, pred, ref))


def test_a_missed_part_of_a_sum_is_worth_its_weight() -> None:
    found = align(3 * eq("a") + eq("b"), {"b": 1}, {"a": 2, "b": 1})
    assert [(part.path, part.score) for part in found.missed] == [("a", 3)]
    assert (found.score, found.predicted, found.reference) == (1, 1, 4)


def test_at_least_nothing_is_always_reached() -> None:
    assert score(overlap("xs", edit() >= 0), {"xs": ["a", "b"]}, {"xs": ["c"]}) == 1
    assert score(overlap("xs", eq() >= 0, match="N:N"), {"xs": ["a", "b"]}, {"xs": ["c"]}) == 2


def test_entries_of_one_key_that_cross_are_not_paired_in_a_sequence() -> None:
    phi = overlap("xs", eq("key") * eq("value"), order="sequence")
    found = align(phi, {"xs": {"a": 1, "b": 2}}, {"xs": {"b": 2, "a": 1}})
    assert (found.score, len(found.pairs), len(found.missed), len(found.spurious)) == (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (collections, "AT_ONCE", 1),
        (leaves, "REACH_PAYS", 0),
    ],
)
@settings(max_examples=40)
@given(case=cases())
def test_every_way_to_compare_the_elements_of_small_documents_gives_the_same_score(
    module: ModuleType, name: str, value: int, case: Case
) -> None:
    phi, preds, refs = case
    xs, ys = [x for x in preds for _ in refs], [y for _ in preds for y in refs]
    usual = many(phi, xs, ys)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, value)
        assert many(phi, xs, ys) == usual


@settings(max_examples=60)
@given(cases())
def test_a_program_counts_what_each_plan_counts_alone(case: Case) -> None:
    phi, preds, refs = case
    preds, refs = preds[:2], refs[:2]
    together = Program({"once": phi, "thresholded": phi > 0.37, "again": phi, "doubled": 2 * phi})
    for counted, psi in zip(run(together.count, preds, refs), (phi, phi > 0.37, phi, 2 * phi), strict=True):
        alone = run(Plan(psi).count, preds, refs)
        assert all(map(np.array_equal, counted, alone))


@settings(max_examples=80)
@given(cases())
def test_the_quantities_of_a_document_give_its_score(case: Case) -> None:
    phi, (x, *_), (y, *_) = case
    [counts] = run(Program({"f1": normalize(phi, "f1", empty=0)}).count, [x], [y])
    total = counts.predicted[0] + counts.reference[0]
    exact = reference.score(normalize(phi, "f1", empty=0), x, y)
    assert isclose(2 * counts.matched[0] / total if total else 0, exact, rel_tol=1e-12, abs_tol=1e-12)


def self_score(phi: Similarity, x: Any) -> Number:
    return run(lambda p, _: plan(phi).operator.self_scores(p).item(), [x], [x])


def never(x: Any, y: Any) -> int:
    return 0


@pytest.mark.parametrize(
    "phi",
    [
        mean(eq("a")),
        mean(eq("a")) * eq("b"),
        recursive("T", eq("a") * eq("b")),
        recursive("T", eq("a") * (f1("trees", again("T")) >= 1)),
        f1("trees", eq("a") * recursive("T", eq("b") * (f1("trees", again("T")) >= 1))),
        union(None, {dict: recursive("T", eq("a"))}) * mean(eq("b")),
    ],
)
def test_an_equality_scores_as_one_wherever_it_stands(phi: Similarity) -> None:
    bud = {"a": 2, "b": 1, "trees": []}
    tree = {"a": 1, "b": 1, "trees": [bud, {"a": 3, "b": 1, "trees": [bud]}]}
    for other in (tree, {**tree, "a": 2}, {**tree, "trees": tree["trees"][::-1]}, {**tree, "trees": [bud, bud]}):
        assert plan(phi).score(tree, other) == reference.score(phi, tree, other)
    assert plan(phi).score(tree, tree) == 1


REALIGNED = overlap(None, eq(), align_by=custom(never))


@pytest.mark.parametrize(
    "phi",
    [
        REALIGNED,
        2 * REALIGNED,
        mean(REALIGNED, eq()),
        REALIGNED - 0.5,
        REALIGNED >= 1,
        eq() * REALIGNED,
        union(None, {list: REALIGNED}),
        recursive("T", REALIGNED),
    ],
    ids=repr,
)
def test_what_is_aligned_by_another_similarity_is_normalised_by_its_parts_with_themselves(phi: Similarity) -> None:
    assert self_score(phi, ["a"]) == reference.self_score(phi, ["a"]) > 0
    assert same(plan(normalize(phi, "f1")).score(["a"], ["a"]), reference.score(normalize(phi, "f1"), ["a"], ["a"]))
    assert not facts(normalize(phi, "f1")).unit


@pytest.mark.parametrize("match", ["1:1", "N:N"])
def test_what_is_aligned_by_another_similarity_inside_a_collection_scores_as_it_does_there(match: Matching) -> None:
    phi = overlap("xs", eq("key") * shift(REALIGNED, ("ys",)), match=match)
    pred = {"xs": [{"key": 1, "ys": ["a"]}, {"key": 2, "ys": ["b"]}]}
    assert self_score(phi, pred) == reference.self_score(phi, pred) == 0


def test_a_part_without_weight_aligns_nothing() -> None:
    phi = overlap(None, eq(), align_by=0 * eq())
    assert plan(phi).score(["a"], ["a"]) == reference.score(phi, ["a"], ["a"]) == 0


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.binary(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c", "key"]), inner),
    max_leaves=8,
)


@settings(max_examples=150)
@given(cases(), anything, st.booleans())
def test_an_object_of_the_wrong_shape_is_scored_or_refused_with_one_error(
    case: Case, wrong: Any, predicted: bool
) -> None:
    phi, (x, *_), _ = case
    with suppress(MatchwiseError):
        assert isfinite(plan(phi).score(wrong, x) if predicted else plan(phi).score(x, wrong))


def test_counts_of_equalities_are_whole_numbers() -> None:
    pred, ref = {"xs": [{"a": 1, "ys": [1, 1, 2]}]}, {"xs": [{"a": 1.0, "ys": [1, 2, 2]}]}
    matched = evaluate(overlap("xs", eq("a") * overlap("ys")), [pred], [ref])["score"].counts.matched
    assert (type(matched), matched) == (int, 2)


def test_the_reference_keeps_fractions() -> None:
    assert reference.score(f1(), ["a", "b"], ["a"]) == Fraction(2, 3)

"""Latent variables: the plan against the brute force of the reference, and what the matching is."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.algebra.build import (
    again,
    best,
    custom,
    eq,
    f1,
    harmonic,
    jaccard,
    latent,
    mean,
    normalize,
    overlap,
    precision,
    recall,
    recursive,
    union,
    var,
)
from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Match, Similarity
from matchwise.deriving import Var
from matchwise.engine import reference
from matchwise.engine.many.chosen import fields, labels
from matchwise.engine.many.frame import frame_of, run
from matchwise.engine.plan import plan, score
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.runner import evaluate
from matchwise.similarities.vocabulary import edit
from matchwise.views.alignment import align

ALIKE = ((1, 0.5, 0, 0.25), (0.5, 1, 0.75, 0), (0, 0.75, 1, 0.5), (0.25, 0, 0.5, 1))


def alike(x: int, y: int) -> float:
    return ALIKE[x][y]


graded = custom(alike, "r", facts=("symmetric", "unit"))

ELEMENTS: list[Similarity] = [
    eq("r") * var("a"),
    eq("r") * var("a") * var("b"),
    graded * var("a") * var("b"),
    var("a") * var("b") * var("c"),
    graded * var("a") * var("b") * var("c"),
    eq("r") * var("a") * union("o", {Var: var(), str: eq()}),
    graded * var("a") * union("o", {Var: var(), str: eq()}),
    var("a", space="p") * var("b", space="q"),
    eq("r") + var("a"),
    2 * eq("r") + var("a") * var("b"),
    eq("r") * (var("a") + 0.5 * var("b")),
    eq("r") * overlap("xs", var()),
    overlap("xs", var(), match="N:1") * eq("r"),
    var("a") * overlap("xs", var()),
    f1("xs", var()),
    precision("xs", var()) + var("a"),
    best("xs", var()),
    mean(eq("r"), var("a")),
    latent(overlap("xs", var())) * var("a"),
    union("o", {Var: 2 * var(), str: eq()}),
]
WHOLES: list[Callable[[Similarity], Similarity]] = [
    latent,
    lambda phi: latent(normalize(phi, "f1")),
    lambda phi: normalize(latent(phi), "jaccard"),
    lambda phi: latent(normalize(phi, "precision") > 0.4),
    lambda phi: latent(phi - 1),
    lambda phi: latent(phi + var("z")),
    lambda phi: latent(normalize(phi, "recall", empty=0) + 0.5 * var("z")),
]
names = st.sampled_from(["u", "v", "w"])
element = st.fixed_dictionaries(
    {
        "r": st.integers(0, 2),
        "a": names,
        "b": names,
        "c": names,
        "o": st.one_of(names.map(Var), st.just("k")),
        "xs": st.lists(names, max_size=2),
    }
)
objects = st.fixed_dictionaries({"t": st.lists(element, max_size=3), "z": names})


@settings(max_examples=80)
@given(
    st.sampled_from(ELEMENTS),
    st.sampled_from(["1:1", "N:1", "1:N", "N:N"]),
    st.sampled_from(["bag", "bag", "bag", "index"]),
    st.sampled_from(WHOLES),
    objects,
    objects,
)
def test_the_plan_reaches_the_maximum_over_all_matchings_of_variables(
    inner: Similarity, match: Match, order: Any, whole: Callable[[Similarity], Similarity], x: Any, y: Any
) -> None:
    phi = whole(overlap("t", inner, match=match, order=order))
    assert score(phi, x, y) == pytest.approx(float(reference.score(phi, x, y)), abs=1e-12)


@settings(max_examples=50)
@given(st.sampled_from(ELEMENTS), st.sampled_from(["1:1", "N:1", "1:N", "N:N"]), objects)
def test_the_self_score_is_that_of_the_equations(inner: Similarity, match: Match, x: Any) -> None:
    phi = latent(overlap("t", inner, match=match))
    assert plan(phi).operator.self_scores(frame_of([x])).item() == pytest.approx(
        float(reference.self_score(phi, x)), abs=1e-12
    )


@settings(max_examples=50)
@given(st.sampled_from(ELEMENTS), objects, objects)
def test_the_alignment_adds_up_to_the_score(inner: Similarity, x: Any, y: Any) -> None:
    phi = latent(overlap("t", inner))
    assert float(align(phi, x, y).score) == pytest.approx(score(phi, x, y), abs=1e-12)


def test_a_graded_score_is_rounded_once_as_its_alignment_is() -> None:
    words = [{"w": "total", "x": "a"}, {"w": "tax", "x": "a"}, {"w": "gamma", "x": "b"}]
    x, y = {"props": words}, {"props": [{"w": "tax", "x": "c"}, {"w": "total", "x": "d"}]}
    phi = latent(
        overlap("props", edit("w") * var("x"), match="N:N")
    )  # 1 + 0.4 + 0.2, where (0.4 + 0.2) + 1 rounds twice
    assert score(phi, x, y) == align(phi, x, y).score == 1.6
    assert evaluate(phi, [x, y, x], [y, x, y])["score"].per_document == [1.6, 1.6, 1.6]


@settings(max_examples=20)
@given(st.lists(st.tuples(objects, objects), max_size=2), st.sampled_from(["1:1", "N:1"]))
def test_variables_inside_the_elements_of_a_collection_are_matched_pair_by_pair(pairs: Any, match: Match) -> None:
    phi = overlap("docs", latent(f1("t", eq("r") * var("a"))), match=match)
    x, y = {"docs": [x for x, _ in pairs]}, {"docs": [y for _, y in pairs]}
    assert score(phi, x, y) == pytest.approx(float(reference.score(phi, x, y)), abs=1e-12)


TREES = st.recursive(
    st.builds(lambda name: {"v": name, "kids": []}, names),
    lambda below: st.builds(lambda name, kids: {"v": name, "kids": kids}, names, st.lists(below, max_size=2)),
    max_leaves=3,
)


@settings(max_examples=25)
@given(TREES, TREES)
def test_a_recursive_similarity_may_have_variables(x: Any, y: Any) -> None:
    phi = latent(recursive("T", var("v") + overlap("kids", again("T"))))
    assert score(phi, x, y) == reference.score(phi, x, y)


def props(*triples: tuple[str, str, str]) -> dict[str, Any]:
    return {"props": [{"rel": rel, "subj": subj, "obj": obj} for rel, subj, obj in triples]}


SMATCH = latent(f1("props", eq("rel") * var("subj") * union("obj", {Var: var(), str: eq()})))
PRED = props(("instance", "x", "want"), ("instance", "y", "boy"), ("ARG0", "x", Var("y")), ("ARG1", "x", Var("x")))
REF = props(("ARG0", "a", Var("b")), ("instance", "b", "boy"), ("instance", "a", "want"))


def test_the_alignment_says_which_variables_were_matched() -> None:
    assert align(SMATCH, PRED, REF).variables == (("", "x", "a"), ("", "y", "b"))


def test_the_alignment_prints_the_variables_above_the_pairs() -> None:
    assert "variables x ~ a, y ~ b" in str(align(SMATCH, PRED, REF)).splitlines()


def test_the_alignment_as_data_has_the_variables_where_they_are_matched() -> None:
    [latent_node] = align(SMATCH, PRED, REF).to_dict()["pairs"]
    assert latent_node["variables"] == [
        {"space": "", "pred": "x", "ref": "a"},
        {"space": "", "pred": "y", "ref": "b"},
    ]


def test_the_order_of_the_input_changes_neither_score_nor_matching() -> None:
    turned = {"props": PRED["props"][::-1]}
    assert align(SMATCH, turned, REF).variables == align(SMATCH, PRED, REF).variables


def test_a_loop_is_matched_with_a_loop_only() -> None:
    loop, edge = props(("ARG1", "x", Var("x"))), props(("ARG1", "a", Var("b")))
    assert score(SMATCH, loop, edge) == 0
    assert score(SMATCH, loop, props(("ARG1", "a", Var("a")))) == 1


def test_variables_of_different_spaces_are_never_matched() -> None:
    phi = latent(overlap("t", var("a", space="one") * var("b", space="two")))
    assert score(phi, {"t": [{"a": "x", "b": "x"}]}, {"t": [{"a": "y", "b": "z"}]}) == 1
    assert align(phi, {"t": [{"a": "x", "b": "x"}]}, {"t": [{"a": "y", "b": "z"}]}).variables == (
        ("one", "x", "y"),
        ("two", "x", "z"),
    )


def test_sentences_by_position_share_the_variables_of_the_document() -> None:
    phi = latent(overlap("sentences", overlap("props", eq("rel") * var("subj")), order="index"))
    pred = {"sentences": [props(("a", "x", "")), props(("b", "x", ""))]}
    apart = {"sentences": [props(("a", "p", "")), props(("b", "q", ""))]}
    assert score(phi, pred, apart) == 1
    assert score(phi, pred, {"sentences": [props(("a", "p", "")), props(("b", "p", ""))]}) == 2


@pytest.mark.parametrize("pred", [props(), PRED])
def test_nothing_matches_nothing(pred: Any) -> None:
    assert score(latent(overlap("props", eq("rel") * var("subj"))), pred, props()) == 0


def test_names_of_any_kind_are_names() -> None:
    phi = latent(f1("ids", var()))
    assert score(phi, {"ids": [1, ("a", 2), None, "ü"]}, {"ids": ["p", "q", "r", "s"]}) == 1


def test_counts_by_label_follow_the_best_matching() -> None:
    found = run(lambda p, r: labels(plan(SMATCH), ("rel",), p, r), [PRED], [REF])
    assert {row.label: (row.documents, row.matched, row.predicted, row.recalled, row.reference) for row in found} == {
        "instance": ([0], [2], [2], [2], [2]),
        "ARG0": ([0], [1], [1], [1], [1]),
        "ARG1": ([0], [0], [1], [0], [0]),
    }


@pytest.mark.parametrize("times", [1, 2, 40])
def test_counts_by_label_in_a_report_follow_the_best_matching_of_each_document(times: int) -> None:
    report = evaluate(SMATCH, [PRED] * times, [REF] * times, by="rel")
    counts = {label: part["score"].counts for label, part in report.by.items()}
    assert {label: (one.matched, one.predicted, one.reference) for label, one in counts.items()} == {
        "instance": (2 * times, 2 * times, 2 * times),
        "ARG0": (times, times, times),
        "ARG1": (0, times, 0),
    }


def test_counts_by_field_follow_the_best_matching() -> None:
    phi = latent(normalize(overlap("t", var("id") * (eq("r") + eq("s"))), "f1"))
    x, y = {"t": [{"id": 1, "r": "a", "s": "b"}]}, {"t": [{"id": 2, "r": "a", "s": "c"}]}
    found = run(lambda p, r: fields(plan(phi), p, r), [x], [y])
    assert sum(row.weight * sum(row.right) for row in found.values()) == 1


@pytest.mark.parametrize("times", [1, 2, 40])
def test_counts_by_field_in_a_report_follow_the_best_matching_of_each_document(times: int) -> None:
    phi = latent(normalize(overlap("t", var("id") * (eq("r") + eq("s"))), "f1"))
    x, y = {"t": [{"id": 1, "r": "a", "s": "b"}]}, {"t": [{"id": 2, "r": "a", "s": "c"}]}
    report = evaluate(phi, [x] * times, [y] * times, fields=True)
    assert sum(row.weight * row.right for row in report.fields()) == report["score"].counts.matched == times


def test_a_variable_without_latent_is_refused_when_planned() -> None:
    with pytest.raises(ExpressionError, match=r'variables that nothing matches; write latent\(f1\("a", var\(\)\)\)'):
        plan(f1("a", var()))


@pytest.mark.parametrize(
    "phi",
    [
        overlap("t", overlap("xs", var()) - 1),
        overlap("t", jaccard("xs", var())),
        overlap("t", f1("xs", var()) > 0.5),
        overlap("t", var("a"), order="sequence"),
        overlap("t", var("a"), align_by=eq("r")),
        harmonic(precision("t", var("a")), recall("t", var("a"))),
    ],
)
def test_what_is_no_polynomial_in_the_matching_is_refused_when_planned(phi: Similarity) -> None:
    with pytest.raises(ExpressionError, match="cannot match the variables"):
        plan(latent(phi))


def test_a_name_that_is_missing_is_an_error_with_its_path() -> None:
    with pytest.raises(DataError, match=r"props\[0\]: found dict .* without key 'subj'"):
        score(SMATCH, {"props": [{"rel": "a", "obj": "b"}]}, REF)


def test_latent_without_variables_is_what_is_inside() -> None:
    assert score(latent(f1("a")), {"a": [1, 2]}, {"a": [1]}) == score(f1("a"), {"a": [1, 2]}, {"a": [1]})


def test_under_a_matching_a_variable_is_a_key() -> None:
    assert facts(eq("rel") * var("subj")).discrete
    assert not facts(latent(eq("rel") * var("subj"))).discrete


def test_the_plan_says_how_variables_are_matched() -> None:
    assert "match variables Lagrangian bound, local search, then HiGHS" in str(plan(SMATCH))


def test_more_candidates_than_memory_holds_are_an_error_before_they_are_made() -> None:
    many = {"t": [{"a": number} for number in range(3200)]}
    with pytest.raises(DataError, match="found 10,240,000 pairs of elements that may be matched, more than 10,000,000"):
        score(latent(overlap("t", var("a"))), many, many)


def graph(*nodes: tuple[str, str]) -> dict[str, Any]:
    return {"ns": [{"id": id, "l": label} for id, label in nodes]}


ONE, TWO = graph(("a", "cat"), ("b", "dog")), graph(("x", "cat"), ("y", "dot"))
NEAR = (1 + 2 / 3) / 2
"""φ(ONE, TWO): cat is cat, and two of three letters of dog are those of dot."""


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ([([ONE], [TWO]), ([], [TWO])], [NEAR, 0]),
        ([([], [TWO]), ([ONE], [graph(), TWO])], [0, 2 * NEAR / 3]),
        ([([ONE], []), ([ONE], [TWO])], [0, NEAR]),
        ([([ONE], [TWO]), ([], [])], [NEAR, 1]),
        ([([graph()], [TWO]), ([ONE], [TWO])], [0, NEAR]),
        ([([], []), ([graph()], [])], [1, 0]),
    ],
)
def test_documents_with_an_empty_list_score_in_a_batch_as_alone(documents: Any, expected: list[float]) -> None:
    phi = f1("gs", latent(f1("ns", var("id") * edit("l"))))
    preds, refs = ([{"gs": document[side]} for document in documents] for side in (0, 1))
    assert [float(reference.score(phi, *pair)) for pair in zip(preds, refs, strict=True)] == pytest.approx(expected)
    assert [score(phi, *pair) for pair in zip(preds, refs, strict=True)] == pytest.approx(expected, rel=1e-15)
    assert evaluate(phi, preds, refs)["score"].per_document == [
        score(phi, *pair) for pair in zip(preds, refs, strict=True)
    ]


@pytest.mark.parametrize("phi", [overlap("t", eq("r") * var("a")) - 1, overlap("t", eq("r") * var("a")) > 2])
def test_a_difference_and_a_threshold_inside_latent_count_in_a_batch_as_alone(phi: Similarity) -> None:
    document = {"t": [{"r": number, "a": "x"} for number in range(3)]}
    assert (
        evaluate(latent(phi), [document] * 2, [document] * 2)["score"].per_document
        == [score(latent(phi), document, document)] * 2
    )


@pytest.mark.parametrize(("inner", "expected"), [(overlap, 1), (f1, 0.5)])
def test_graphs_in_a_list_are_worth_what_one_matching_of_their_variables_gives(inner: Any, expected: float) -> None:
    def graph(*props: tuple[str, int, int]) -> dict[str, Any]:
        return {"ps": [{"rel": rel, "x": x, "y": y} for rel, x, y in props]}

    phi = overlap("gs", latent(inner("ps", eq("rel") * var("x") * var("y"))))
    pred = {"gs": [graph(("a", 1, 2), ("a", 2, 1)), graph(("b", 1, 1))]}
    ref = {"gs": [graph(("a", 1, 2), ("a", 1, 3)), graph(("b", 1, 2))]}
    assert score(phi, pred, ref) == reference.score(phi, pred, ref) == expected


def test_of_equal_matchings_that_of_the_first_variables_is_taken_whatever_holds_them() -> None:
    def event(kind: str, **args: int) -> dict[str, Any]:
        return {"type": kind, "args": [{"role": role, "v": v} for role, v in args.items()]}

    phi = latent(overlap("es", eq("type") * overlap("args", eq("role") * var("v"))))
    pred = {"es": [event("a", y=3, x=1), event("a", x=2, y=0), event("a", y=0, x=0)]}
    found = align(phi, pred, {"es": [event("a", x=2, y=3), event("b", x=3)]})
    assert found.variables == (("", 0, 3), ("", 2, 2))


@pytest.mark.parametrize(("by", "expected"), [(lambda phi: phi >= 0.5, 1), (lambda phi: phi > 0.5, 0)])
def test_a_strict_threshold_stays_strict_inside_of_latent(by: Callable[[Any], Any], expected: int) -> None:
    phi = latent(by(f1("ns", var("id") * eq("l"))))
    pred, ref = ({"ns": [{"id": Var(a), "l": "x"}, {"id": Var(b), "l": b}]} for a, b in (("a", "b"), ("c", "d")))
    assert plan(phi).score(pred, ref) == plan(phi).bounds(pred, ref).upper == expected


@pytest.mark.parametrize(("mine", "theirs"), [([], ["u"]), (["u"], []), ([], [])])
def test_elements_without_variables_are_matched_to_nothing(mine: list[str], theirs: list[str]) -> None:
    phi = latent(overlap("t", eq("r") * overlap("xs", var())))
    x, y = ({"t": [{"r": 0, "xs": xs}]} for xs in (mine, theirs))
    assert score(phi, x, y) == align(phi, x, y).score == 0

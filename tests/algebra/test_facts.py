from typing import Any

import pytest

from matchwise.algebra.build import (
    again,
    best,
    contingency,
    custom,
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
    recall,
    recursive,
    subset,
    union,
    var,
)
from matchwise.algebra.facts import facts, is_whole
from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Leaf, Similarity
from matchwise.algebra.proofs import NAMES
from matchwise.errors import ExpressionError
from matchwise.similarities.vocabulary import casefold, close, edit


def share(x: float, y: float) -> float:
    return min(x, y) / max(x, y)


def _halves(options: dict[str, Any]) -> dict[str, str]:
    return {"strong": "nested", "symmetric": "nested", "bounded": "at most 1", "unit": "1 if equal"}


nested = Leaf(
    LeafKind("nested", lambda value, _: value, lambda f, g, _: (f == g) / 2 + (f // 2 == g // 2) / 2, _halves)
)

ALL = set(NAMES)
GRADED = {"bounded", "symmetric", "unit", "left", "right"}

HOLDS: list[tuple[Similarity, set[str]]] = [
    (eq("a"), ALL),
    (casefold("a"), ALL),
    (edit("a"), GRADED),
    (close(abs=1), GRADED),
    (nested, ALL - {"discrete"}),
    (custom(share), {"bounded"}),
    (custom(share, facts=("unit",)), {"bounded", "unit", "left", "right"}),
    (custom(share, unnormalized=True), set()),
    (custom(share, facts=("kernel", "unit")), GRADED | {"kernel"}),
    (contingency(share), {"bounded"}),
    (contingency(share, unnormalized=True), set()),
    (contingency(share, "a", edit(), facts=("symmetric", "unit")), GRADED),
    (contingency(share, "a", facts=("kernel",), unnormalized=True), {"symmetric", "kernel"}),
    (normalize(contingency(share, facts=("left", "right"), unnormalized=True), "f1"),
     {"bounded", "unit", "left", "right"}),
    (eq("a") * eq("b"), ALL),
    (eq("a") * edit("b"), GRADED),
    (eq("a") * nested, ALL - {"discrete"}),
    (nested * nested, GRADED | {"kernel", "triangle"}),
    (eq("a") * overlap("b"), {"symmetric", "left", "right", "kernel"}),
    (eq("a") + eq("b"), {"symmetric", "left", "right", "kernel"}),
    (1 * eq("a"), ALL - {"discrete", "unit"}),
    (2 * eq("a"), {"symmetric", "left", "right", "kernel"}),
    (mean(eq("a"), eq("b")), GRADED | {"kernel", "triangle"}),
    (mean(eq("a")), ALL),
    (overlap("a"), {"symmetric", "left", "right", "kernel"}),
    (overlap("a", edit()), {"symmetric", "left", "right"}),
    (overlap("a", nested), {"symmetric", "left", "right", "kernel"}),
    (overlap("a", match="N:1"), {"left"}),
    (overlap("a", match="1:N"), {"right"}),
    (overlap("a", match="N:N"), {"symmetric", "kernel"}),
    (overlap("a", match="N:N", order="index"), {"symmetric", "left", "right", "kernel"}),
    (overlap("a", order="sequence"), {"symmetric", "left", "right"}),
    (overlap("a", align_by=eq("b")), {"symmetric"}),
    (overlap("a", align_by=subset("b")), set()),
    (f1("a"), GRADED | {"kernel"}),
    (f1("a", empty=0), {"bounded", "symmetric", "left", "right", "kernel"}),
    (f1("a", empty=2), {"symmetric", "left", "right", "kernel"}),
    (f1("a", match="N:N"), GRADED | {"kernel"}),
    (f1("a", edit(), match="N:N"), {"symmetric", "unit"}),
    (f1("a", match="N:1"), {"unit"}),
    (f1("a", align_by=eq("b")), {"symmetric"}),
    (jaccard("a"), GRADED | {"kernel", "triangle"}),
    (jaccard("a", order="sequence"), GRADED | {"triangle"}),
    (jaccard("a", jaccard("b")), GRADED | {"triangle"}),
    (jaccard("a", empty=0), {"bounded", "symmetric", "left", "right", "kernel"}),
    (precision("a"), {"bounded", "unit", "left", "right"}),
    (precision("a", match="N:1"), {"bounded", "unit", "left", "right"}),
    (precision("a", match="1:N"), {"unit"}),
    (recall("a", match="1:N"), {"bounded", "unit", "left", "right"}),
    (precision("a", empty=0), {"bounded", "left", "right"}),
    (precision("a", empty=2), {"left"}),
    (fbeta("a", beta=2), {"bounded", "unit", "left", "right"}),
    (fbeta("a", beta=2, empty=2), set()),
    (normalize(overlap("a") - 1, "f1"), GRADED),
    (harmonic(precision("a"), recall("a")), GRADED),
    (harmonic(precision("a"), recall("b")), {"bounded", "unit", "left", "right"}),
    (harmonic(precision("a", match="N:1"), recall("a", match="1:N")), GRADED),
    (edit("a") > 0.5, GRADED),
    (edit("a") > 1, {"bounded", "symmetric", "left", "right"}),
    (eq("a") > 0.5, ALL),
    (nested > 0.5, ALL - {"discrete"}),
    (f1("a", eq("b") * eq("c")) >= 1, ALL),
    (f1("a") > 0.5, GRADED),
    (f1("a", empty=0) >= 1, {"bounded", "symmetric", "left", "right"}),
    (overlap("a") - 1, {"symmetric", "left", "right"}),
    (nested - 0.5, ALL - {"discrete", "unit"}),
    (eq("a") - 0, ALL),
    (union("a", {str: eq(), int: eq()}), ALL),
    (union("a", {str: edit(), int: eq()}), GRADED),
    (union("a", {str: overlap("b"), int: eq()}), {"symmetric", "left", "right", "kernel"}),
    (best("a"), {"bounded", "symmetric", "left", "right"}),
    (subset("a"), {"bounded", "left", "right", "triangle"}),
    (latent(f1("a", eq("b") * var("c"))), GRADED),
    (recursive("T", eq("a") + overlap("b", again("T"))), {"symmetric", "left", "right"}),
    (recursive("T", eq("a") + overlap("b", again("T"), match="N:N")), {"symmetric", "kernel"}),
    (recursive("T", mean(eq("a"), jaccard("b", again("T")))), GRADED | {"triangle"}),
    (recursive("T", eq("a") * (f1("b", again("T")) >= 1)), ALL),
    (recursive("T", eq("a") * again("T", "b") * best("c", again("T"))), {"bounded", "symmetric", "left", "right"}),
    (recursive("T", eq("a") * recursive("T", 2 * eq("a") + again("T", "b")) * again("T", "b")),
     {"symmetric", "left", "right", "kernel"}),
    (again("T"), set()),
]  # fmt: skip


@pytest.mark.parametrize(("phi", "holding"), HOLDS, ids=[repr(phi) for phi, _ in HOLDS])
def test_the_facts_that_hold_are_inferred(phi: Similarity, holding: set[str]) -> None:
    assert {name for name in NAMES if getattr(facts(phi), name)} == holding


@pytest.mark.parametrize("phi", [phi for phi, _ in HOLDS], ids=repr)
def test_every_fact_has_a_reason(phi: Similarity) -> None:
    assert all(getattr(facts(phi), name).reason for name in NAMES)


def test_a_fact_that_fails_says_which_part_is_to_blame() -> None:
    assert facts(eq("a") * edit("b")).kernel.reason == "edit: not known to be a kernel"


def test_the_self_score_is_known_where_each_object_is_its_own_best_partner() -> None:
    assert facts(overlap("a")).self_score.holds
    assert not facts(overlap("a", match="N:N")).self_score.holds


def test_a_1_to_1_overlap_needs_a_strong_kernel_not_only_a_kernel() -> None:
    reason = "φ(x, y) ≥ min(φ(x, z), φ(z, y)) is needed, φ(x, x) ≥ φ(x, y) as in Lemma 4 is not enough"
    assert facts(overlap("a", jaccard("b"))).kernel.reason == reason


def test_facts_print_as_a_table() -> None:
    lines = str(facts(f1("a"))).splitlines()
    assert [line.split()[0] for line in lines] == [*NAMES, "self_score"]
    assert lines[0] == "bounded     yes  φ(x, y) ≤ φ(x, x) and φ(y, y) of what is normalised"
    assert lines[2] == "discrete    no   F has values in between"


def test_a_self_score_that_is_not_known_says_which_side_is_to_blame() -> None:
    for match, side in (("N:1", "right"), ("1:N", "left")):
        found = facts(overlap(None, match=match))  # type: ignore[arg-type]  # one of its words
        assert (found.left.holds, found.right.holds) == (side != "left", side != "right")
        assert not found.self_score
        assert found.self_score.reason == getattr(found, side).reason
    assert facts(custom(share, facts=("left", "right"))).self_score


def test_precision_of_predictions_that_share_a_reference_is_at_most_1() -> None:
    found = facts(precision(match="N:1"))
    assert (found.bounded.holds, found.unit.holds, found.left.holds, found.right.holds) == (True, True, True, True)
    found = facts(precision(match="N:1", empty=0))
    assert (found.bounded.holds, found.unit.holds, found.left.holds, found.right.holds) == (True, False, True, False)
    found = facts(precision(empty=0))
    assert (found.left.holds, found.right.holds) == (True, True)


def test_what_is_aligned_by_another_similarity_anywhere_in_a_product_need_not_be_1_of_equal_objects() -> None:
    assert not facts(normalize(eq("a") * overlap("xs", align_by=eq()), "f1")).unit
    assert facts(normalize(eq("a") * overlap("xs"), "f1")).unit


def test_a_normaliser_that_comes_back_to_itself_is_not_known_to_be_1_of_equal_objects() -> None:
    assert not facts(recursive("T", normalize(eq("a") + again("T", "next"), "f1"))).unit


def test_jaccard_of_positions_obeys_the_triangle_inequality_whatever_may_match() -> None:
    assert facts(jaccard(order="index", match="N:1")).triangle
    assert not facts(jaccard(match="N:1")).triangle
    assert not facts(jaccard(order="sequence", match="N:1")).triangle


def test_a_threshold_of_1_lets_1_pass_only_where_equal_is_enough() -> None:
    assert facts(eq("a") >= 1).discrete
    assert facts(edit("a") >= 1).unit
    assert not facts(eq("a") > 1).discrete
    assert not facts(eq("a") > 1).unit
    assert not facts(eq("a") >= 0).discrete


def test_a_harmonic_mean_is_symmetric_if_both_are_or_if_one_is_the_other_exchanged() -> None:
    assert facts(harmonic(f1("a"), jaccard("a"))).symmetric
    assert facts(harmonic(precision("a"), recall("a"))).symmetric
    assert not facts(harmonic(f1("a"), precision("a"))).symmetric


@pytest.mark.parametrize(
    ("phi", "whole"),
    [
        (eq("a"), True),
        (eq("a") + 2 * overlap("tags"), True),
        (overlap("xs", eq("a") * eq("b") + overlap("tags", match="N:1")), True),
        (union("v", {str: eq(), int: eq()}), True),
        (casefold("a"), True),
        (eq("a") + 0.5 * eq("b"), False),
        (overlap("xs", edit("a") + eq("b")), False),
        (overlap("xs", f1("tags")), False),
        (recursive("t", eq("a") + overlap("kids", again("t"))), False),
    ],
)
def test_whole_numbers_are_those_of_equalities_and_their_sums(phi: Similarity, whole: bool) -> None:
    assert is_whole(phi) is whole


@pytest.mark.parametrize("fact", ["discrete", "strong", "bounded", "self_score", "Symmetric"])
@pytest.mark.parametrize("word", [custom, contingency])
def test_only_facts_that_check_laws_can_test_are_declared(word: Any, fact: str) -> None:
    with pytest.raises(ExpressionError, match=f"^unknown fact '{fact}' of {word.__name__}; "):
        word(share, facts=("unit", fact))

from fractions import Fraction

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
from matchwise.algebra.nodes import Mean, Similarity
from matchwise.algebra.walk import children, mirror, parts, rebuild, replace, shift
from matchwise.errors import ExpressionError


def same_sign(x: int, y: int) -> bool:
    return (x < 0) == (y < 0)


def cells(rows: list[int], columns: list[int], weights: list[float]) -> int:
    return len(weights)


EVERY_NODE = [
    eq("a"),
    custom(same_sign, "a"),
    eq("a") * eq("b"),
    2 * eq("a") + eq("b"),
    mean(2 * eq("a"), eq("b")),
    overlap("a", eq("b"), align_by=eq("c")),
    f1("a", eq("b")),
    harmonic(precision("a"), recall("a")),
    f1("a") > 0.5,
    overlap("a") - 1,
    union("a", {str: eq(), int: eq("b")}),
    best("a", eq("b")),
    contingency(cells, "a", eq("b")),
    subset("a"),
    latent(f1("a", var("b"))),
    recursive("T", eq("a") + overlap("b", again("T"))),
]


@pytest.mark.parametrize("phi", EVERY_NODE, ids=repr)
def test_a_node_rebuilt_from_its_own_children_is_itself(phi: Similarity) -> None:
    assert rebuild(phi, children(phi)) == phi


def test_the_similarity_that_aligns_is_the_last_child() -> None:
    assert children(overlap("a", eq("b"), align_by=eq("c"))) == (eq("b"), eq("c"))


def test_rebuilding_keeps_weights_and_options() -> None:
    phi = overlap("a", 2 * eq("b") + eq("c"), match="N:1", order="sequence")
    assert replace(phi, {eq("b"): eq("d")}) == overlap("a", 2 * eq("d") + eq("c"), match="N:1", order="sequence")


def test_children_come_in_the_order_they_are_written() -> None:
    assert children(eq("b") * eq("c")) == (eq("b"), eq("c"))
    assert children(2 * eq("b") + eq("c")) == (eq("b"), eq("c"))
    assert children(overlap("a", eq("b"), align_by=eq("c"))) == (eq("b"), eq("c"))
    assert children(eq("b")) == ()


def test_parts_go_from_the_root_to_the_leaves() -> None:
    assert list(parts(f1("a", eq("b")))) == [f1("a", eq("b")), overlap("a", eq("b")), eq("b")]


def test_replace_exchanges_every_occurrence() -> None:
    phi = f1("r", eq("a") * eq("b") * eq("a"))
    assert replace(phi, {eq("a"): eq("c")}) == f1("r", eq("c") * eq("b") * eq("c"))


def test_replace_exchanges_the_largest_part_and_does_not_look_into_what_it_put_in() -> None:
    phi = f1("r", eq("a"))
    assert replace(phi, {eq("a"): f1("a", eq("a"))}) == f1("r", f1("a", eq("a")))
    assert replace(phi * eq("a"), {phi: eq("b"), eq("a"): eq("c")}) == eq("b") * eq("c")


def test_replace_looks_into_a_table() -> None:
    phi = contingency(cells, "a", f1("b", eq("c")), unnormalized=True, facts=("left",))
    changed = contingency(cells, "a", f1("b", eq("d")), unnormalized=True, facts=("left",))
    assert replace(phi, {eq("c"): eq("d")}) == changed


def test_what_is_declared_symmetric_is_its_own_mirror_whatever_is_inside_it() -> None:
    phi = contingency(cells, "a", precision("b"), facts=("symmetric",))
    assert mirror(phi) == phi


def test_replace_swaps_two_parts() -> None:
    assert replace(eq("a") * eq("b"), {eq("a"): eq("b"), eq("b"): eq("a")}) == eq("b") * eq("a")


def test_replace_of_something_that_is_not_there_names_it_and_what_is_near() -> None:
    with pytest.raises(ExpressionError) as error:
        replace(f1("relations", eq("type")), {eq("typ"): eq("kind")})
    assert str(error.value) == (
        'nothing to replace: eq("typ") does not occur in f1("relations", eq("type")); did you mean \'eq("type")\'?'
    )


def test_replace_takes_similarities_only() -> None:
    with pytest.raises(ExpressionError, match="maps similarities to similarities"):
        replace(eq("a"), {"a": eq("b")})  # type: ignore[dict-item]  # the mistake under test


def test_products_and_sums_put_into_their_like_are_joined() -> None:
    assert replace(eq("a") * eq("b"), {eq("a"): eq("c") * eq("d")}) == eq("c") * eq("d") * eq("b")
    assert replace(2 * eq("a") + eq("b"), {eq("a"): eq("c") + 3 * eq("d")}) == 2 * eq("c") + 6 * eq("d") + eq("b")


def test_a_weight_put_into_a_mean_weighs_there() -> None:
    assert replace(mean(eq("a"), eq("b")), {eq("a"): Fraction(1, 3) * eq("c")}) == mean(
        Fraction(1, 3) * eq("c"), eq("b")
    )


def test_a_sum_put_into_a_weighted_part_of_a_mean_stays_one_part() -> None:
    changed = replace(mean(2 * eq("a"), eq("b")), {eq("a"): eq("c") + eq("d")})
    assert changed == mean(2 * mean(eq("c") + eq("d")), eq("b"))
    assert isinstance(changed, Mean)
    assert [weight for weight, _ in changed.terms] == [2, 1]


@pytest.mark.parametrize(
    ("phi", "shifted"),
    [
        (eq(), eq("p")),
        (eq("a") * eq("b"), eq("p.a") * eq("p.b")),
        (2 * eq("a") + eq("b"), 2 * eq("p.a") + eq("p.b")),
        (mean(eq("a")), mean(eq("p.a"))),
        (f1("a", eq("b")), f1("p.a", eq("b"))),
        (overlap("a", eq("b"), align_by=eq("c")), overlap("p.a", eq("b"), align_by=eq("c"))),
        (best("a", eq("b")) > 0.5, best("p.a", eq("b")) > 0.5),
        (union(None, {str: eq("b")}), union("p", {str: eq("b")})),
        (contingency(cells, "a", eq("b")), contingency(cells, "p.a", eq("b"))),
        (subset("a"), subset("p.a")),
        (custom(same_sign, "a"), custom(same_sign, "p.a")),
        (harmonic(precision("a"), recall("a")), harmonic(precision("p.a"), recall("p.a"))),
        (normalize(overlap("a") - 1, "f1"), normalize(overlap("p.a") - 1, "f1")),
        (latent(var("a") * eq("b")), latent(var("p.a") * eq("p.b"))),
        (again("T", "a"), again("T", "p.a")),
    ],
    ids=repr,
)
def test_shift_prefixes_the_selectors_of_the_object_itself(phi: Similarity, shifted: Similarity) -> None:
    assert shift(phi, ("p",)) == shifted


def test_shift_selects_where_a_recursion_starts_not_where_it_comes_back() -> None:
    tree = recursive("T", eq("label") + overlap("children", again("T")))
    assert shift(tree, ("root",)) == recursive("T", eq("label") + overlap("children", again("T")), "root")


@pytest.mark.parametrize(
    ("phi", "mirrored"),
    [
        (eq("a"), eq("a")),
        (precision("a"), recall("a")),
        (f1("a", recall("b"), match="N:1"), f1("a", precision("b"), match="1:N")),
        (eq("a") * precision("b") > 0.5, eq("a") * recall("b") > 0.5),
        (harmonic(precision("a"), recall("a")), harmonic(precision("a"), recall("a"))),
        (overlap("a", precision("b"), align_by=recall("c")), overlap("a", recall("b"), align_by=precision("c"))),
        (custom(same_sign, facts=("symmetric",)), custom(same_sign, facts=("symmetric",))),
        (custom(same_sign), None),
        (contingency(cells, "a", eq("b")), None),
        (contingency(cells, "a", eq("b"), facts=("kernel",)), contingency(cells, "a", eq("b"), facts=("kernel",))),
        (subset("a"), None),
        (fbeta("a", beta=2), None),
        (eq("a") + best("b", subset()), None),
    ],
    ids=repr,
)
def test_the_mirror_exchanges_the_sides(phi: Similarity, mirrored: Similarity | None) -> None:
    assert mirror(phi) == mirrored

"""`check_laws` finds the law that is broken, and names it with the objects and the numbers."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from matchwise import (
    DataError,
    ExpressionError,
    MatchwiseError,
    contingency,
    custom,
    edit,
    eq,
    f1,
    overlap,
    precision,
    recall,
    union,
)
from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Leaf, Similarity
from matchwise.testing import LawError, check_laws


def begins(pred: str, ref: str) -> bool:
    return ref.startswith(pred)


def shorter(pred: str, ref: str) -> float:
    """Anything is like what is longer: more like it than like itself."""
    return 0.5 if len(pred) == len(ref) else float(len(pred) < len(ref))


def longer(pred: str, ref: str) -> float:
    return shorter(ref, pred)


def neighbours(pred: int, ref: int) -> bool:
    return abs(pred - ref) <= 1


def near(pred: int, ref: int) -> float:
    return 1 / (1 + abs(pred - ref))


def relative(preds: list[int], refs: list[int]) -> list[list[float]]:
    """Wrong: what it says of two values depends on the others."""
    most = max([*preds, *refs, 1])
    return [[1 - abs(p - r) / most for r in refs] for p in preds]


def table(preds: list[int], refs: list[int]) -> list[list[float]]:
    return [[near(p, r) for r in refs] for p in preds]


WORDS = ["a", "ab", "b"]
NUMBERS = [1, 2, 3]

BROKEN: list[tuple[Similarity, list[Any], str, tuple[Any, ...], str]] = [
    (custom(begins, facts=("symmetric",)), WORDS, "symmetric", ("a", "ab"), "φ(x, y) = 1, φ(y, x) = 0"),
    (custom(shorter, facts=("unit",)), WORDS, "unit", ("a",), "φ(x, x) = 0.5"),
    (custom(shorter, facts=("left",)), WORDS, "left", ("a", "ab"), "φ(x, y) = 1.0, φ(x, x) = 0.5"),
    (custom(longer, facts=("right",)), WORDS, "right", ("ab", "a"), "φ(x, y) = 1.0, φ(y, y) = 0.5"),
    (custom(neighbours, facts=("triangle",)), NUMBERS, "triangle", (1, 3, 2),
     "φ(x, y) = 0, φ(x, z) = 1, φ(z, y) = 1"),
    (custom(neighbours, facts=("kernel",)), NUMBERS, "kernel", (1, 2, 3),
     "the Gram matrix has the eigenvalue -0.414214"),
    (custom(relative, batch=True), NUMBERS, "batch", (1, 2), "φ(x, y) = 0.5, but 0.6666666666666667 among 3 values"),
]  # fmt: skip


@pytest.mark.parametrize(("phi", "objects", "law", "shown", "found"), BROKEN, ids=[row[2] for row in BROKEN])
def test_a_wrong_declaration_is_named_with_objects_and_numbers(
    phi: Similarity, objects: list[Any], law: str, shown: tuple[Any, ...], found: str
) -> None:
    with pytest.raises(LawError) as caught:
        check_laws(phi, objects)
    assert (caught.value.law, caught.value.objects, caught.value.found) == (law, shown, found)


@pytest.mark.parametrize(("phi", "objects", "law", "shown", "found"), BROKEN, ids=[row[2] for row in BROKEN])
def test_a_function_deep_inside_is_checked_on_the_values_it_gets(
    phi: Similarity, objects: list[Any], law: str, shown: tuple[Any, ...], found: str
) -> None:
    inner = phi.function  # type: ignore[attr-defined]
    declared = tuple(fact for fact in phi.declared if fact != "bounded")  # type: ignore[attr-defined]
    deep = f1("items", custom(inner, "name", batch=phi.batch, facts=declared))  # type: ignore[attr-defined]
    documents = [{"items": [{"name": value} for value in objects]}, {"items": []}]
    with pytest.raises(LawError) as caught:
        check_laws(deep, documents)
    assert caught.value.law == law


def test_a_true_declaration_passes() -> None:
    phi = custom(near, facts=("symmetric", "unit", "kernel", "triangle"))
    assert check_laws(phi, NUMBERS)[:8] == (
        "range", "bounded", "symmetric", "unit", "left", "right", "kernel", "triangle",
    )  # fmt: skip


def spread(rows: list[int], columns: list[int], weights: list[float]) -> float:
    return 1 / (1 + len(set(rows)))


def total(rows: list[int], columns: list[int], weights: list[float]) -> float:
    return sum(weights)


def first(rows: list[int], columns: list[int], weights: list[float]) -> float:
    """Wrong: it depends on the order of the elements."""
    return columns[0] / (1 + columns[0]) if columns else 0


GROUPS = [["a", "b"], ["a", "a"], []]


@pytest.mark.parametrize(
    ("facts", "law", "shown", "found"),
    [
        (("symmetric",), "symmetric", (["a", "b"], ["a", "a"]), "φ(x, y) = 0.5, φ(y, x) = 0.3333333333333333"),
        (("unit",), "unit", (["a", "b"],), "φ(x, x) = 0.3333333333333333"),
        (("left",), "left", (["a", "b"], ["a", "a"]), "φ(x, y) = 0.5, φ(x, x) = 0.3333333333333333"),
    ],
)
def test_a_wrong_declaration_of_a_function_of_a_table_is_named_wherever_it_stands(
    facts: tuple[str, ...], law: str, shown: Any, found: str
) -> None:
    documents = [{"all": [{"xs": xs} for xs in GROUPS]}, {"all": []}]
    cases: list[tuple[Similarity, Any]] = [
        (contingency(spread, facts=facts), GROUPS),
        (eq("k") * contingency(spread, "in.xs", facts=facts), [{"k": 1, "in": {"xs": xs}} for xs in GROUPS]),
        (f1("all", 2 * contingency(spread, "xs", facts=facts)), documents),
    ]
    for phi, objects in cases:
        with pytest.raises(LawError) as caught:
            check_laws(phi, objects)
        assert (caught.value.law, caught.value.objects, caught.value.found) == (law, shown, found)
        assert caught.value.phi == contingency(spread, facts=facts)


def test_a_true_declaration_of_a_function_of_a_table_passes() -> None:
    phi = contingency(total, "xs", facts=("symmetric", "kernel"), unnormalized=True)
    assert "kernel" in check_laws(phi, [{"xs": xs} for xs in GROUPS])
    assert "text" in check_laws(f1("all", phi), [{"all": [{"xs": xs} for xs in GROUPS]}])


def test_what_is_inside_a_table_may_make_its_function_lopsided() -> None:
    phi = contingency(total, None, precision(), unnormalized=True, facts=("symmetric",))
    with pytest.raises(LawError, match='breaks the law "symmetric"'):
        check_laws(phi, [[["a", "b"]], [["a"]]])


def test_a_function_of_a_table_that_depends_on_the_order_of_the_elements_is_found() -> None:
    with pytest.raises(LawError, match='breaks the law "order"'):
        check_laws(contingency(first, "xs"), [{"xs": ["a"]}, {"xs": ["b", "a"]}])


def test_a_batched_function_that_is_right_passes() -> None:
    check_laws(overlap("xs", custom(table, batch=True)), [{"xs": [1, 2]}, {"xs": [2, 5, 5]}])


def test_laws_that_are_not_claimed_are_not_checked() -> None:
    assert "bounded" not in check_laws(recall("xs", match="N:1"), [{"xs": ["a", "a"]}, {"xs": ["a"]}])


def test_the_message_reads_from_the_law_to_the_claim() -> None:
    with pytest.raises(LawError) as caught:
        check_laws(custom(begins, facts=("symmetric",)), WORDS)
    assert str(caught.value) == (
        'custom(begins, facts=("symmetric",)) breaks the law "symmetric": φ(x, y) = φ(y, x)\n'
        "  found    φ(x, y) = 1, φ(y, x) = 0\n"
        "  x        'a'\n"
        "  y        'ab'\n"
        "  claimed  begins: declared; check_laws tests it"
    )


def test_a_broken_law_is_an_assertion_and_one_of_our_errors() -> None:
    assert issubclass(LawError, MatchwiseError)
    assert issubclass(LawError, AssertionError)


def test_a_broken_law_can_be_sent_between_processes() -> None:
    error = LawError(eq("a"), "unit", "φ(x, x) = 1", "φ(x, x) = 0", ("a",), "declared")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def claims(**facts: str) -> Callable[[dict[str, Any]], dict[str, str]]:
    return lambda options: facts


def test_a_leaf_of_ones_own_is_held_to_its_facts() -> None:
    kind = LeafKind("odd", lambda value, _: value, lambda f, g, _: abs(f - g), claims(bounded="it says so"))
    with pytest.raises(LawError, match=r'breaks the law "bounded": φ\(x, y\) ≤ 1\n  found    φ\(x, y\) = 2'):
        check_laws(Leaf(kind), [1, 3])


def test_a_leaf_whose_table_differs_from_its_definition_breaks_the_law_of_the_engine() -> None:
    kind = LeafKind(
        "slip",
        lambda value, _: value,
        lambda f, g, _: int(f == g),
        claims(bounded="0 or 1"),
        paired=lambda fs, gs, a, b, _: np.ones(np.broadcast(a, b).shape),
    )
    objects = [{"xs": list(range(9))}, {"xs": list(range(9, 18))}]
    with pytest.raises(LawError, match=r'"engine": .*\n  found    planned 9.0, by the equation 0.0'):
        check_laws(overlap("xs", Leaf(kind)), objects)


def test_a_leaf_that_is_most_like_others_breaks_the_law_of_the_self_score() -> None:
    facts = claims(bounded="at most 1", left="it says so", right="it says so")
    kind = LeafKind("shy", lambda value, _: value, lambda f, g, _: 0.5 if f == g else 1, facts)
    with pytest.raises(LawError, match=r'"self-score": .*\n  found    planned 1.0, by the equation 2.0\n  x  '):
        check_laws(overlap("xs", Leaf(kind)), [{"xs": [1, 2]}])


def test_a_strategy_is_drawn_from_and_the_objects_are_made_small() -> None:
    with pytest.raises(LawError) as caught:
        check_laws(custom(begins, facts=("symmetric",)), st.text("ab", max_size=5))
    assert caught.value.objects in (("", "a"), ("a", ""), ("", "b"), ("b", ""))


def test_a_strategy_that_breaks_nothing_passes() -> None:
    documents = st.fixed_dictionaries({"xs": st.lists(st.sampled_from(["pen", "pens", "ink"]), max_size=3)})
    assert "engine" in check_laws(f1("xs", edit()), documents, examples=20)


def test_objects_that_do_not_fit_are_an_error_of_the_data() -> None:
    with pytest.raises(DataError, match="found None, expected a collection"):
        check_laws(f1("xs"), [{"xs": None}])


def test_large_objects_are_checked_without_the_reference() -> None:
    large = {"xs": [f"word {i % 40}" for i in range(100)]}
    assert "engine" in check_laws(f1("xs", edit()), [large, {"xs": large["xs"][:50]}])


def test_no_objects_break_no_law() -> None:
    assert "text" in check_laws(f1("xs"), [])


def test_classes_and_functions_are_known_when_the_text_is_read_back() -> None:
    phi = union(str.strip, {str: custom(begins), "int": eq()})
    assert "text" in check_laws(phi, WORDS)


@pytest.mark.parametrize("objects", ["ab", 5, None])
def test_objects_are_a_list_or_a_strategy(objects: Any) -> None:
    with pytest.raises(ExpressionError, match="needs a list of objects or a Hypothesis strategy, not"):
        check_laws(f1("xs"), objects)


def test_only_the_laws_of_a_similarity_are_checked() -> None:
    with pytest.raises(ExpressionError, match=r"^check_laws\(\) needs a metric such as .*, not the string 'f1'"):
        check_laws("f1", [])  # type: ignore[arg-type]


def around(pred: int, ref: int) -> float:
    """Four on a circle: any three of them have a positive Gram matrix, and all four have not."""
    return {0: 1.0, 1: 0.6, 2: 0.0, 3: 0.6}[(pred - ref) % 4]


def test_objects_beyond_three_are_numbered_and_none_that_is_needed_is_left_out() -> None:
    with pytest.raises(LawError) as caught:
        check_laws(custom(around, facts=("kernel",)), [0, 4, 1, 2, 3])
    assert str(caught.value) == (
        'custom(around, facts=("kernel",)) breaks the law "kernel": Σ c_i c_j φ(x_i, x_j) ≥ 0 for all c\n'
        "  found    the Gram matrix has the eigenvalue -0.2\n"
        "  0        4\n"
        "  1        1\n"
        "  2        2\n"
        "  3        3\n"
        "  claimed  around: declared; check_laws tests it"
    )


LEAVES: list[tuple[Callable[[Any, Any], float], dict[str, str], str, tuple[Any, ...], str]] = [
    (lambda f, g: 1 - abs(f - g), {}, "range", (0, 2), "φ(x, y) = -1"),
    (lambda f, g: (f + g) / 4, {"symmetric": "so"}, "range", (-1, -1), "φ(x, y) = -0.5"),
    (lambda f, g: abs(f - g) <= 1, {"symmetric": "so", "strong": "so"}, "strong", (0, 2, 1),
     "φ(x, y) = 0.0, φ(x, z) = 1.0, φ(z, y) = 1.0"),
    (lambda f, g: 2 - (f != g), {"bounded": "so"}, "bounded", (0, 0), "φ(x, y) = 2"),
]  # fmt: skip


@pytest.mark.parametrize(("compare", "claimed", "law", "shown", "found"), LEAVES, ids=[row[2] for row in LEAVES])
def test_the_law_that_a_leaf_breaks_comes_with_its_objects_in_order(
    compare: Any, claimed: dict[str, str], law: str, shown: Any, found: str
) -> None:
    name = f"odd {found}"  # kinds of one name are one kind
    kind = LeafKind(name, lambda value, _: value, lambda f, g, _: compare(f, g), claims(**claimed))
    objects = [-1, 0] if shown == (-1, -1) else [0, 2, 1]
    with pytest.raises(LawError) as caught:
        check_laws(Leaf(kind), objects)
    assert (caught.value.law, caught.value.objects, caught.value.found) == (law, shown, found)
    assert caught.value.claim == (f"{name}: {claimed[law]}" if law in claimed else "")


def test_as_many_examples_are_drawn_as_asked_for() -> None:
    drawn: list[int] = []

    def draw(value: int) -> int:
        drawn.append(value)
        return value

    check_laws(eq(), st.integers().map(draw), examples=3)
    assert 0 < len(drawn) <= 15  # three times up to five
    few = len(drawn)
    check_laws(eq(), st.integers().map(draw), examples=40)
    assert len(drawn) - few > 40


def test_two_functions_of_one_name_are_checked_but_not_read_back() -> None:
    def same(pred: str, ref: str) -> bool:
        return pred == ref

    first, same.__name__ = same, "begins"
    both = custom(begins, "a") * custom(first, "b")
    assert check_laws(both, [{"a": "x", "b": "x"}, {"a": "xy", "b": "x"}])[0] == "range"

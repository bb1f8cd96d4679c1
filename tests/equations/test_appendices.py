"""Appendix B (kernels, by exact determinants), C (string fills of MUC-4) and D (BETTER)."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from matchwise import best, custom, eq, f1, facts, jaccard, overlap
from matchwise.algebra.nodes import Similarity

Value = Callable[[Similarity, Any, Any], Fraction]


def determinant(rows: list[list[Fraction]]) -> Fraction:
    if not rows:
        return Fraction(1)
    first, *rest = rows
    return sum(
        ((-1) ** j * cell * determinant([row[:j] + row[j + 1 :] for row in rest]) for j, cell in enumerate(first)),
        start=Fraction(0),
    )


def semidefinite(phi: Similarity, objects: list[Any], value: Value) -> bool:
    """Whether all principal minors of the Gram matrix are at least 0."""
    gram = [[value(phi, x, y) for y in objects] for x in objects]
    return all(
        determinant([[gram[i][j] for j in chosen] for i in chosen]) >= 0
        for size in range(1, len(objects) + 1)
        for chosen in combinations(range(len(objects)), size)
    )


SETS = [[], ["a"], ["b"], ["a", "b"], ["a", "b", "c"]]
PAIRS = [{"a": a, "b": b} for a in SETS[1:3] for b in SETS[1:4]]


@pytest.mark.parametrize(
    ("lemma", "phi", "objects"),
    [
        ("1: δ", eq(), SETS),
        ("2: product", eq("a") * overlap("b"), PAIRS),
        ("3: Σ∼", overlap(match="N:N"), SETS),
        ("5: Σ↔ of a strong kernel", overlap(), SETS),
        ("7: F", f1(), SETS),
        ("8: J", jaccard(), SETS),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_lemma(lemma: str, phi: Similarity, objects: list[Any], value: Value) -> None:
    assert facts(phi).kernel
    assert semidefinite(phi, objects, value)


def test_lemma_7_by_hand(value: Value) -> None:
    # F of {a}, {a, b}, {b}: 1 on the diagonal, 2/3 beside it, 0 in the corners: 1 − 4/9 − 4/9 = 1/9.
    sets = [["a"], ["a", "b"], ["b"]]
    assert determinant([[value(f1(), x, y) for y in sets] for x in sets]) == Fraction(1, 9)


PREMODIFIERS = {"the", "a", "alleged"}


def valid(x: str, y: str) -> bool:
    return x not in PREMODIFIERS and y not in PREMODIFIERS


phi_word = eq() * custom(valid)
phi_str = jaccard(str.split, phi_word, empty=0) > 0


@pytest.mark.parametrize(("x", "y", "expected"), [("bridge", "bridge", 1), ("bridge", "road", 0), ("the", "the", 0)])
def test_eq_45_word(value: Value, x: str, y: str, expected: int) -> None:
    assert value(phi_word, x, y) == expected


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ("the bridge", "alleged bridge", 1),  # J = 1 / (1 + 1 − 1): premodifiers add nothing to either side
        ("the bridge", "the road", 0),  # only a premodifier is shared
        ("the", "the", 0),  # J is 0/0, no credit
    ],
)
def test_eq_46_string(value: Value, x: str, y: str, expected: int) -> None:
    assert value(phi_str, x, y) == expected


def test_a_string_fill_is_compared_with_all_mentions_of_the_reference(value: Value) -> None:
    assert value(best(None, phi_str), ["the bridge"], ["a road", "the stone bridge"]) == 1


def test_eq_47_better_is_the_product_of_two_f_scores(value: Value) -> None:
    def template(type: str, *fillers: tuple[str, str]) -> dict[str, Any]:
        return {"type": type, "fillers": [{"slot": slot, "value": text} for slot, text in fillers]}

    granular = f1("templates", eq("type")) * f1("templates", eq("type") * overlap("fillers", eq("slot") * eq("value")))
    pred = {"templates": [template("protest", ("who", "a"), ("where", "b")), template("epidemic", ("what", "c"))]}
    ref = {"templates": [template("protest", ("who", "a"), ("where", "x")), template("disaster", ("what", "c"))]}
    # Types: 1 of 2 a side. Fillers: 1 of 3 a side, as the third belongs to the wrong template type. 1/2 · 1/3
    assert value(granular, pred, ref) == Fraction(1, 6)

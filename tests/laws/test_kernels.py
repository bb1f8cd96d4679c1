"""What is claimed to be a kernel has Gram matrices without negative eigenvalues; where the paper claims too much."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise import Similarity, eq, f1, facts, jaccard, mean, overlap, score
from matchwise.engine import reference
from matchwise.testing import LawError, check_laws
from matchwise.testing.laws import FACTS, Evidence

KERNELS = [
    eq(),
    overlap(),
    overlap(match="N:N"),
    f1(),
    jaccard(),
    f1(match="N:N"),
    overlap(order="index"),
    mean(f1(), 2 * jaccard()),
    f1() * jaccard(),
    overlap() + 2 * eq(),
    overlap(None, jaccard(), match="N:N"),
    overlap(None, f1() >= 1),
]

bags = st.lists(st.sampled_from("abc"), max_size=3)
nested = st.lists(st.lists(st.sampled_from("ab"), max_size=2), max_size=3)


@pytest.mark.parametrize("phi", KERNELS, ids=repr)
@settings(max_examples=20)
@given(data=st.data())
def test_a_claimed_kernel_is_positive_semidefinite(phi: Similarity, data: st.DataObject) -> None:
    assert facts(phi).kernel
    objects = data.draw(st.lists(nested if "None" in repr(phi) else bags, min_size=2, max_size=8))
    gram = np.array([[score(phi, x, y) for y in objects] for x in objects])
    assert np.linalg.eigvalsh(gram)[0] >= -1e-9


# Lemma 4 of the paper calls a kernel strong if φ(x, x) ≥ φ(x, y), and Lemma 5 makes Σ↔ of a strong kernel a kernel.
# Kriege et al. (2016), whom it cites, ask for φ(x, y) ≥ min(φ(x, z), φ(z, y)), which J and F of sets do not have.
OBJECTS = [[["a"]], [["b"]], [["a"], ["b"]], [["a", "b"]]]


def gram(phi: Similarity) -> list[list[Any]]:
    return [[reference.score(phi, x, y) for y in OBJECTS] for x in OBJECTS]


def quadratic(matrix: list[list[Any]], c: list[Any]) -> Any:
    return sum(a * b * matrix[i][j] for i, a in enumerate(c) for j, b in enumerate(c))


@pytest.mark.parametrize("inner", [jaccard(), f1()], ids=repr)
def test_the_inner_similarity_has_all_that_lemma_4_asks_for(inner: Similarity) -> None:
    known = facts(inner)
    assert all((known.kernel, known.unit, known.left, known.right))
    assert not known.strong


def test_the_1_to_1_overlap_of_jaccard_is_no_kernel() -> None:
    half = Fraction(1, 2)
    assert gram(overlap(None, jaccard())) == [[1, 0, 1, half], [0, 1, 1, half], [1, 1, 2, half], [half, half, half, 1]]
    # The first three: 1 + 1 + 2 − 2 − 2 = 0. With the fourth: 2 · (½ + ½ − ½) · (−½) + ¼ = −¼.
    assert quadratic(gram(overlap(None, jaccard())), [1, 1, -1, -half]) == Fraction(-1, 4)


def test_the_1_to_1_overlap_of_f_is_no_kernel() -> None:
    # 2 · (⅔ + ⅔ − ⅔) · (−⅔) + ⁴⁄₉ = −⁴⁄₉
    assert quadratic(gram(overlap(None, f1())), [1, 1, -1, -Fraction(2, 3)]) == Fraction(-4, 9)


@pytest.mark.parametrize("phi", [overlap(None, jaccard()), overlap(None, f1()), f1(None, f1())], ids=repr)
def test_no_such_kernel_is_claimed(phi: Similarity) -> None:
    assert not facts(phi).kernel


def test_check_laws_would_have_found_it() -> None:
    phi = overlap(None, jaccard())
    [kernel] = [law for law in FACTS if law.name == "kernel"]
    table = tuple(tuple(score(phi, x, y) for y in OBJECTS) for x in OBJECTS)
    claimed = facts(overlap())  # what Lemma 5 would give
    with pytest.raises(LawError, match=r"the Gram matrix has the eigenvalue -0\.0947"):
        kernel.check(Evidence(phi, claimed, tuple(OBJECTS), table))


def test_the_f_score_of_lemma_7_does_not_need_a_strong_kernel() -> None:
    assert "kernel" in check_laws(f1(None, f1(), match="N:N"), OBJECTS)

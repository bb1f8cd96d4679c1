"""γ against pygamma-agreement 0.5.9 (numba, cvxpy), whose results are frozen here.

They were made, for the annotations of `sides` below, by
    continuum.get_best_alignment(CombinedCategoricalDissimilarity(alpha, beta, delta_empty, cat_dissim=same)).disorder
    continuum.compute_gamma(dissimilarity, n_samples=300, sampler=ShuffleContinuumSampler("float_pivot")).gamma
where same = AbsoluteCategoricalDissimilarity(delta_empty): without it, its compiled function does not multiply
the dissimilarity of categories by delta_empty, as the paper and its Python function do.
"""

import random

import pytest

import matchwise as mw
from matchwise.relating.gamma import Unit, Weights, disorder

FROZEN = [
    (0, 2, 1, 1, 1, 0.7743),
    (1, 3, 3, 2, 1, 1.194269),
    (2, 4, 1, 2, 0.5, 0.406368),
    (3, 2, 1, 1, 1, 0.872908),
    (4, 3, 3, 2, 1, 1.1106),
    (5, 4, 1, 2, 0.5, 0.568835),
    (6, 2, 1, 1, 1, 0.594658),
    (7, 3, 3, 2, 1, 1.633139),
    (8, 4, 1, 2, 0.5, 0.435727),
    (9, 2, 1, 1, 1, 1.666667),
    (10, 3, 3, 2, 1, 1.33648),
    (11, 4, 1, 2, 0.5, 0.329008),
]
GAMMAS = {0: 0.3624, 1: 0.5088, 2: 0.6}


def sides(seed: int, annotators: int) -> list[list[tuple[int, int, str]]]:
    rng = random.Random(seed)
    truth = [(s := 12 * k + rng.randrange(6), s + rng.randrange(2, 8), rng.choice("abc")) for k in range(5)]
    made = []
    for _ in range(annotators):
        one = []
        for left, right, category in truth:
            if rng.random() < 0.85:
                start = max(0, left + rng.randrange(-2, 3))
                end = max(start + 1, right + rng.randrange(-2, 3))
                one.append((start, end, category if rng.random() < 0.8 else rng.choice("abc")))
        made.append(sorted(set(one)))
    return made


@pytest.mark.parametrize(("seed", "annotators", "alpha", "beta", "empty", "value"), FROZEN)
def test_the_disorder_of_the_best_alignment(seed, annotators, alpha, beta, empty, value) -> None:
    units = [[Unit(*unit) for unit in side] for side in sides(seed, annotators)]
    assert disorder(units, Weights(alpha, beta, empty)) == pytest.approx(value, abs=2e-6)  # it computes in 32 bits


@pytest.mark.parametrize("seed", GAMMAS)
def test_gamma_within_the_error_of_its_samples(seed) -> None:
    _, annotators, alpha, beta, empty, _ = FROZEN[seed]
    documents = {
        f"a{number}": [{"xs": [{"span": unit[:2], "type": unit[2]} for unit in side]}]
        for number, side in enumerate(sides(seed, annotators))
    }
    found = mw.gamma(documents, "xs", category="type", alpha=alpha, beta=beta, empty=empty, samples=300)
    assert found.samples >= 300
    assert abs(found.value - GAMMAS[seed]) < 6 * found.error

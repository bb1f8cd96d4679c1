"""Krippendorff's α of the package krippendorff, Cohen's κ of scikit-learn."""

import random

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

import matchwise as mw
from matchwise import custom, eq, f1


def ratings(seed: int, annotators: int, units: int = 40, missing: float = 0.2):
    rng = random.Random(seed)
    rows = []
    for _ in range(units):
        truth = rng.randrange(5)
        rows.append(
            [
                None if rng.random() < missing else truth if rng.random() < 0.6 else rng.randrange(5)
                for _ in range(annotators)
            ]
        )
    return rows


def documents(rows):
    return {
        f"a{number}": [None if row[number] is None else {"label": row[number]} for row in rows]
        for number in range(len(rows[0]))
    }


def matrix(rows):
    return np.array([[np.nan if value is None else value for value in row] for row in rows]).T


@pytest.mark.parametrize("annotators", [2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_nominal_alpha_of_documents(seed, annotators) -> None:
    rows = ratings(seed, annotators)
    found = mw.agreement(eq("label"), documents(rows), label="label")
    want = krippendorff.alpha(reliability_data=matrix(rows), level_of_measurement="nominal")
    assert found.alpha.value == pytest.approx(want, abs=1e-12)
    assert found.kappa.alpha == pytest.approx(want, abs=1e-12)
    assert (found.alpha.error, found.chance.kinds is None) == (0.0, False)


def near(pred, ref) -> float:
    return 1 - ((pred - ref) / 4) ** 2


def test_interval_alpha_is_that_of_squared_distances() -> None:
    rows = ratings(11, 4)
    phi = custom(near, "label", facts=("symmetric",))
    found = mw.agreement(phi, documents(rows), label="label", label_similarity=custom(near, facts=("symmetric",)))
    want = krippendorff.alpha(reliability_data=matrix(rows), level_of_measurement="interval")
    assert found.alpha.value == pytest.approx(want, abs=1e-12)
    assert found.kappa.alpha == pytest.approx(want, abs=1e-12)


def test_an_estimated_alpha_is_near_within_its_error() -> None:
    rows = ratings(5, 3, units=400)
    docs = {  # that all differ, so that pairs have to be drawn
        name: [None if doc is None else {"label": doc["label"], "n": number} for number, doc in enumerate(side)]
        for name, side in documents(rows).items()
    }
    found = mw.agreement(eq("label"), docs, pairs=2000, seed=3)
    want = krippendorff.alpha(reliability_data=matrix(rows), level_of_measurement="nominal")
    assert found.chance.kinds is None
    assert 0 < found.alpha.error < 0.02
    assert abs(found.alpha.value - want) < 4 * found.alpha.error


def linear(pred, ref) -> float:
    return 1 - abs(pred - ref) / 4


@pytest.mark.parametrize(("weights", "similarity"), [(None, None), ("linear", linear), ("quadratic", near)])
def test_cohens_kappa(weights, similarity) -> None:
    rows = ratings(3, 3, missing=0)
    phi = None if similarity is None else custom(similarity, facts=("symmetric",))
    found = mw.agreement(eq("label"), documents(rows), label="label", label_similarity=phi).kappa
    for (a, b), value in found.cohen.items():
        mine, theirs = ([row[int(name[1])] for row in rows] for name in (a, b))
        assert value == pytest.approx(cohen_kappa_score(mine, theirs, weights=weights), abs=1e-12)


def test_labels_of_aligned_elements_are_those_of_units() -> None:
    rng = random.Random(8)
    docs = {name: [] for name in "ab"}
    for _ in range(10):
        for name in docs:
            spans = rng.sample(range(8), 5)
            docs[name].append({"xs": [{"span": s, "type": rng.choice("uvw")} for s in spans]})
    found = mw.agreement(f1("xs"), docs, units="span", label="type").kappa
    mine, theirs = [], []
    for one, other in zip(*docs.values(), strict=True):
        a, b = ({x["span"]: x["type"] for x in doc["xs"]} for doc in (one, other))
        for span in sorted({*a, *b}):
            mine.append(a.get(span, "-"))
            theirs.append(b.get(span, "-"))
    assert found.units == len(mine)
    assert found.cohen["a", "b"] == pytest.approx(cohen_kappa_score(mine, theirs), abs=1e-12)
    known = [(x, y) for x, y in zip(mine, theirs, strict=True) if "-" not in (x, y)]
    less = mw.agreement(f1("xs"), docs, units="span", label="type", absent="missing").kappa
    assert less.cohen["a", "b"] == pytest.approx(cohen_kappa_score(*zip(*known, strict=True)), abs=1e-12)


def half(pred, ref) -> float:
    return 1.0 if pred == ref else 0.5


def one_element(rows):
    """Documents with one element each, which is aligned with any other: units are given."""
    return {
        name: [None if doc is None else {"xs": [doc["label"]]} for doc in side]
        for name, side in documents(rows).items()
    }


@pytest.mark.parametrize("seed", range(4))
def test_alpha_over_units_is_nominal_alpha_where_units_are_given(seed) -> None:
    rows = ratings(seed, 2, units=20)
    found = mw.agreement(f1("xs", custom(half, facts=("symmetric", "unit"))), one_element(rows)).units
    want = krippendorff.alpha(reliability_data=matrix(rows), level_of_measurement="nominal")
    assert (found.value, found.error) == (pytest.approx(want, abs=1e-12), 0.0)


@pytest.mark.parametrize("annotators", [3, 5])
def test_chance_of_units_that_is_drawn_is_near_that_of_the_package(annotators) -> None:
    rows = ratings(7, annotators)
    found = mw.agreement(f1("xs", custom(half, facts=("symmetric", "unit"))), one_element(rows)).units
    want = krippendorff.alpha(reliability_data=matrix(rows), level_of_measurement="nominal")
    assert 0 < found.error < 0.05
    assert abs(found.value - want) < 4 * found.error

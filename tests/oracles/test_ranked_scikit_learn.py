"""Average precision, precision-recall curves and nDCG of scikit-learn, where elements match exactly."""

import random

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, ndcg_score, precision_recall_curve

import matchwise as mw
from matchwise import custom, eq, f1


def ranking(seed: int, n: int = 60, levels: int = 12):
    rng = random.Random(seed)
    scores = [rng.randrange(levels) / levels for _ in range(n)]
    right = [rng.random() < 0.2 + 0.6 * score for score in scores]
    right[0] = True
    pred = {"xs": [{"id": i, "score": score} for i, score in enumerate(scores)]}
    return scores, right, pred, {"xs": [{"id": i} for i, hit in enumerate(right) if hit]}


@pytest.mark.parametrize("seed", range(10))
def test_average_precision_is_that_of_scikit_learn_ties_and_all(seed) -> None:
    scores, right, pred, ref = ranking(seed)
    found = mw.curve(f1("xs", eq("id")), [pred], [ref], confidence="score")
    assert found.average_precision == pytest.approx(average_precision_score(right, scores), abs=1e-12)
    precision, recall, thresholds = precision_recall_curve(right, scores)
    assert found.thresholds.tolist() == thresholds[::-1].tolist()
    assert found.precision.tolist() == pytest.approx(precision[:-1][::-1].tolist(), abs=1e-12)
    assert found.recall.tolist() == pytest.approx(recall[:-1][::-1].tolist(), abs=1e-12)


@pytest.mark.parametrize("k", [None, 1, 5, 20])
@pytest.mark.parametrize("seed", range(5))
def test_ndcg_is_that_of_scikit_learn_ties_and_all(seed, k) -> None:
    documents = [ranking(seed * 100 + one) for one in range(4)]
    found = mw.curve(f1("xs", eq("id")), [d[2] for d in documents], [d[3] for d in documents], confidence="score")
    want = ndcg_score([d[1] for d in documents], [d[0] for d in documents], k=k)
    assert found.ndcg(k) == pytest.approx(want, abs=1e-12)


def graded(pred, ref) -> float:
    """The same item is worth its grade."""
    return float(ref["grade"]) if pred["id"] == ref["id"] else 0.0


@pytest.mark.parametrize("seed", range(5))
def test_ndcg_of_grades_is_that_of_scikit_learn(seed) -> None:
    rng = np.random.default_rng(seed)
    grades, scores = rng.integers(0, 4, 30), rng.integers(0, 10, 30) / 10
    items = [
        {"id": i, "grade": int(grade), "score": float(s)}
        for i, (grade, s) in enumerate(zip(grades, scores, strict=True))
    ]
    ref = {"xs": [item for item in items if item["grade"]]}
    found = mw.curve(f1("xs", custom(graded, unnormalized=True)), [{"xs": items}], [ref], confidence="score")
    assert found.ndcg() == pytest.approx(ndcg_score([grades], [scores]), abs=1e-12)

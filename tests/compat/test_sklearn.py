"""Scorers for scikit-learn: in cross-validation, pickled, and refused where a name is wrong."""

import pickle
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, cross_validate

from matchwise import f1
from matchwise.compat.sklearn import make_scorer
from matchwise.errors import MatchwiseError
from matchwise.tasks import ner, transcripts


class AlwaysPerson(BaseEstimator):  # type: ignore[misc]
    """Tags the first word of each sentence as a person."""

    def fit(self, X: Any, y: Any) -> "AlwaysPerson":
        return self

    def predict(self, X: Any) -> list[list[str]]:
        return [["B-PER", "O"] for _ in X]


def test_a_suite_scores_the_folds_of_a_cross_validation() -> None:
    X = list(range(4))
    y = [["B-PER", "O"], ["B-PER", "B-LOC"], ["O", "O"], ["B-PER", "O"]]
    scoring = {
        "f1": make_scorer(ner.suite("seqeval")),
        "recall": make_scorer(ner.suite(), metric="strict", score="recall"),
    }
    found = cross_validate(AlwaysPerson(), X, y, cv=2, scoring=scoring)
    assert found["test_f1"] == pytest.approx([4 / 5, 2 / 3], abs=1e-12)
    assert found["test_recall"] == pytest.approx([2 / 3, 1.0], abs=1e-12)


def test_a_scorer_of_a_plain_metric_can_be_sent_to_another_process() -> None:
    scorer = pickle.loads(pickle.dumps(make_scorer(f1())))
    assert scorer(AlwaysPerson(), [0], [["B-PER", "B-LOC"]]) == 0.5


def test_the_search_for_the_highest_score_finds_the_lowest_error_rate() -> None:
    class Constant(BaseEstimator):  # type: ignore[misc]
        def __init__(self, text: str = "") -> None:
            self.text = text

        def fit(self, X: Any, y: Any) -> "Constant":
            return self

        def predict(self, X: Any) -> list[str]:
            return [self.text] * len(X)

    search = GridSearchCV(Constant(), {"text": ["a dog", "a cat"]}, scoring=make_scorer(transcripts.suite()), cv=2)
    search.fit([0, 1], ["a cat", "the cat"])
    assert search.best_params_ == {"text": "a cat"}
    assert search.best_score_ == -0.25


@pytest.mark.parametrize("wrong", [{"metric": "loose"}, {"score": "accuracy"}])
def test_a_wrong_name_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MatchwiseError, match=f"{next(iter(wrong))}='{next(iter(wrong.values()))}'; write"):
        make_scorer(ner.suite(), **wrong)

"""scikit-learn's scorers: any metric or suite as what `scoring=` takes in `cross_validate` and `GridSearchCV`.

>>> from matchwise.compat.sklearn import make_scorer
>>> from matchwise.tasks import ner
>>> class Constant:
...     def predict(self, X):
...         return [["B-PER", "O"] for _ in X]
>>> make_scorer(ner.suite("seqeval"))(Constant(), ["Ann left"], [["B-PER", "O"]])
1.0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matchwise.corpus.suite import Scorable, Suite, as_suite
from matchwise.errors import check_choice
from matchwise.runners.runner import evaluate


@dataclass(frozen=True, slots=True)
class CorpusScorer:
    """Predicts all documents and scores them together; can be sent to other processes."""

    suite: Suite
    metric: str
    score: str

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        found = evaluate(self.suite, list(estimator.predict(X)), list(y), keep="sums")[self.metric]
        value = float(getattr(found, self.score))
        return -value if self.score == "value" and found.is_error else value


def make_scorer(suite: Scorable, *, metric: str | None = None, score: str = "value") -> CorpusScorer:
    """A scorer of one metric of a suite (the first by default) and of one of its scores, as in `score="recall"`.

    An error rate is negative, as `neg_mean_squared_error` is, because scikit-learn looks for the highest score.
    """
    found = as_suite(suite)
    name = next(iter(found)) if metric is None else metric
    check_choice("metric", name, tuple(found))
    check_choice("score", score, ("value", "precision", "recall", "f1"))
    return CorpusScorer(found, name, score)

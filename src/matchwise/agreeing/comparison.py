"""Pairs of annotated documents, compared by one metric: the quantities and the value of each pair."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import split_step
from matchwise.corpus.ranking import choose_metric
from matchwise.corpus.readings import Reading, reading
from matchwise.corpus.statistic import statistics
from matchwise.corpus.suite import Suite, as_suite, single
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.runner import run

if TYPE_CHECKING:
    from matchwise.corpus.statistic import Array, Statistic

ROUNDING = 1e-9
"""How far above 1 a value may be by rounding."""


class Metric(NamedTuple):
    """A metric by which annotators are compared."""

    name: str
    phi: Similarity
    suite: Suite
    """With this metric alone."""
    reading: Reading
    symmetric: bool

    @property
    def statistic(self) -> Statistic:
        """How the value is read from sums of quantities."""
        [(_, found)] = statistics({self.name: self.reading}, self.name, ("value",))
        return found


def metric_of(suite: Suite | Similarity, metric: str | None) -> Metric:
    """The metric that is meant; its values must lie between 0 and 1."""
    asked = single(as_suite(suite))
    name = choose_metric(asked, metric)
    phi = asked.metrics[name]
    if reading(phi).kind == "total":
        raise ExpressionError(f'agreement needs a metric from 0 to 1, not {phi!r}; write normalize(phi, "f1")')
    alone = Suite({name: phi}, title=asked.title, by=dict(asked.by))
    return Metric(name, phi, alone, reading(phi), bool(facts(phi).symmetric))


class Compared(NamedTuple):
    """The quantities of each pair (matched, predicted, reference, recalled), and its value."""

    counts: Array
    values: Array


def compare(metric: Metric, pairs: Iterable[tuple[Any, Any, Any]]) -> Compared:
    """Each pair (one, other, id); of a metric that is not symmetric, the mean of both directions."""
    import numpy as np

    found = list(pairs)
    first = _count(metric.suite, found)
    if metric.symmetric:
        return first
    second = _count(metric.suite, [(other, one, id) for one, other, id in found])
    return Compared((first.counts + second.counts) / 2, np.mean([first.values, second.values], axis=0))


def _count(suite: Suite, pairs: list[tuple[Any, Any, Any]]) -> Compared:
    import numpy as np

    tally = run(suite, pairs)
    [name] = suite.metrics
    counts, values = tally.scores.counts, np.array(tally.report()[name].per_document)
    if len(values) and values.max() > 1 + ROUNDING:
        raise ExpressionError(
            f"agreement needs a metric from 0 to 1, but {name} is {values.max():g} of two documents: "
            f"{facts(suite.metrics[name]).bounded.reason}; "
            'write match="1:1", or another metric'
        )
    return Compared(counts, values)


def across(metric: Metric, documents: list[Any]) -> Metric:
    """The metric for two different documents, where its step would refuse them.

    A step that leaves a document and itself as they are only checks, and is left out.
    """
    step, bare = split_step(metric.phi)
    if step is None:
        return metric
    try:
        checks = all(
            one is document and two is document for document in documents for one, two in [step(document, document)]
        )
    except DataError:
        checks = False
    return metric._replace(suite=Suite({metric.name: bare})) if checks else metric

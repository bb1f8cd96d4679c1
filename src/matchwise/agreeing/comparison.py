"""Pairs of annotated documents, compared by one metric: the quantities and the value of each pair.

The documents of several annotators stand side by side; an annotator may leave documents out.

>>> found = gather({"ann": {"d1": 1, "d2": 2}, "bob": {"d2": 3, "d3": 4}})
>>> found.ids, found.shared(), found.of("d2")
(('d1', 'd2', 'd3'), ['d2'], {'ann': 2, 'bob': 3})
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import split_step
from matchwise.corpus.counts import Reading, reading
from matchwise.corpus.ranking import choose_metric
from matchwise.corpus.statistic import statistics
from matchwise.corpus.suite import Suite, as_suite, single
from matchwise.corpus.table import Id
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.runner import run

if TYPE_CHECKING:
    from matchwise.corpus.statistic import Array, Statistic

ROUNDING = 1e-9
"""How far above 1 a value may be by rounding."""


class AgreementMetric(NamedTuple):
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


def metric_of(suite: Suite | Similarity, metric: str | None) -> AgreementMetric:
    """The metric that is meant; its values must lie between 0 and 1."""
    asked = single(as_suite(suite))
    name = choose_metric(asked, metric)
    phi = asked.metrics[name]
    if reading(phi).kind == "total":
        raise ExpressionError(f'agreement needs a metric from 0 to 1, not {phi!r}; write normalize(phi, "f1")')
    alone = Suite({name: phi}, title=asked.title, by=dict(asked.by))
    return AgreementMetric(name, phi, alone, reading(phi), bool(facts(phi).symmetric))


class ComparedPair(NamedTuple):
    """The quantities of each pair (matched, predicted, reference, recalled), and its value."""

    counts: Array
    values: Array


def compare(metric: AgreementMetric, pairs: Iterable[tuple[Any, Any, Any]]) -> ComparedPair:
    """Each pair (one, other, id); of a metric that is not symmetric, the mean of both directions."""
    found = list(pairs)
    first = _count(metric.suite, found)
    if metric.symmetric:
        return first
    second = _count(metric.suite, [(other, one, id) for one, other, id in found])
    return ComparedPair((first.counts + second.counts) / 2, np.mean([first.values, second.values], axis=0))


def _count(suite: Suite, pairs: list[tuple[Any, Any, Any]]) -> ComparedPair:
    tally = run(suite, pairs)
    [name] = suite.metrics
    counts, values = tally.scores.counts, np.array(tally.report()[name].per_document)
    if len(values) and values.max() > 1 + ROUNDING:
        raise ExpressionError(
            f"agreement needs a metric from 0 to 1, but {name} is {values.max():g} of two documents: "
            f"{facts(suite.metrics[name]).bounded.reason}; "
            'write match="1:1", or another metric'
        )
    return ComparedPair(counts, values)


def across(metric: AgreementMetric, documents: list[Any]) -> AgreementMetric:
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


Annotators: TypeAlias = Mapping[str, Mapping[Any, Any] | Iterable[Any]]
"""Name -> the documents of an annotator: by id, or in order with None for one that was left out."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """Document -> annotator -> what was annotated, in the order of the annotators."""

    names: tuple[str, ...]
    table: dict[Id, dict[str, Any]]

    @property
    def ids(self) -> tuple[Id, ...]:
        return tuple(self.table)

    def of(self, id: Id) -> dict[str, Any]:
        """The annotations of a document, by annotator."""
        return self.table[id]

    def shared(self) -> list[Id]:
        """The documents that at least two annotators have."""
        return [id for id, found in self.table.items() if len(found) > 1]


def gather(annotators: Annotators) -> Annotations:
    """The documents joined by id, or by position."""
    if not isinstance(annotators, Mapping):
        raise DataError(
            f"found {type(annotators).__name__}, expected the documents of each annotator by name; "
            'write {"ann": docs, "bob": docs}'
        )
    if len(annotators) < 2:
        raise DataError(f"found {len(annotators)} annotator, expected at least two")
    sides = {str(name): _documents(str(name), side) for name, side in annotators.items()}
    named = {name: isinstance(side, Mapping) for name, side in annotators.items()}
    if len(set(named.values())) > 1:
        raise DataError(
            "some annotators have documents by id and others have a list; give all of them by id, as {id: document}"
        )
    if not any(named.values()):
        sizes = {name: len(side) for name, side in sides.items()}
        if len(set(sizes.values())) > 1:
            found = ", ".join(f"{size} of {name}" for name, size in sizes.items())
            raise DataError(
                f"the annotators have different numbers of documents and no ids: {found}; "
                "write None for a document that one of them skipped, or give ids"
            )
    table: dict[Id, dict[str, Any]] = {}
    for name, side in sides.items():
        for id, document in side.items():
            row = table.setdefault(id, {})
            if document is not None:
                row[name] = document
    made = Annotations(tuple(sides), table)
    if not made.shared():
        raise DataError("no document was annotated by two annotators; are the ids the same in all of them?")
    return made


def _documents(name: str, side: object) -> dict[Id, Any]:
    if isinstance(side, Mapping):
        return {id if isinstance(id, str | int) else str(id): document for id, document in side.items()}
    if isinstance(side, str | bytes) or not isinstance(side, Iterable):
        raise DataError(
            f"the documents of {name} are {type(side).__name__}, expected a list, or a mapping id -> document"
        )
    return dict(enumerate(side))

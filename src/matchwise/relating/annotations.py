"""The documents of several annotators side by side: pairs of them compared by one metric, and κ of their labels.

An annotator may leave documents out.

>>> found = gather({"ann": {"d1": 1, "d2": 2}, "bob": {"d2": 3, "d3": 4}})
>>> list(found.table), found.shared(), found.table["d2"]
(['d1', 'd2', 'd3'], ['d2'], {'ann': 2, 'bob': 3})

κ is agreement on the labels of given units, corrected for chance by how often each annotator uses each label. A unit is
a document, or an element that is recognised by a key (its span, the number of its token).

Cohen (1960):  κ = (p_o − p_e) / (1 − p_e) of two annotators, p_e from the labels of each
Fleiss (1971): the same of all annotators, p_e from the labels of all together
α:             Krippendorff's, which allows for units that some did not label

With a similarity of labels, p_o and p_e are mean similarities (weighted κ).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Overlap, Selector, Similarity
from matchwise.algebra.steps import split_step
from matchwise.arrays import Floats
from matchwise.confidence.ranking import choose_metric
from matchwise.corpus.counts import Reading, reading
from matchwise.corpus.elements import content_of, elements_of, select_all
from matchwise.corpus.pairing import check_indexes, plain_values
from matchwise.corpus.statistic import Statistic, statistic
from matchwise.corpus.suite import Scorable, Suite, as_suite, single
from matchwise.corpus.table import Id
from matchwise.engine.plan import score
from matchwise.errors import DataError, ExpressionError, count_units, naming_document, shorten, suggestion
from matchwise.runners.runner import Done, run

ROUNDING = 1e-9
"""How far above 1 a value may be by rounding."""


class AgreementMetric(NamedTuple):
    """A metric by which annotators are compared."""

    name: str
    phi: Similarity
    suite: Suite
    """With this metric alone."""
    reading: Reading
    statistic: Statistic
    """How the value is read from sums of quantities."""
    symmetric: bool


def metric_of(suite: Scorable, metric: str | None) -> AgreementMetric:
    """The metric that is meant; its values must lie between 0 and 1."""
    asked = single(as_suite(suite))
    name = choose_metric(asked, metric)
    phi = asked.metrics[name]
    if reading(phi).kind in ("total", "error_rate"):
        raise ExpressionError(f'agreement needs a metric from 0 to 1, not {phi!r}; write normalize(phi, "f1")')
    alone = Suite({name: phi}, title=asked.title, by=dict(asked.by))
    read = reading(phi)
    return AgreementMetric(name, phi, alone, read, statistic({name: read}, name), bool(facts(phi).symmetric))


class ComparedPair(NamedTuple):
    """The quantities of each pair (matched, predicted, reference, recalled), and its value."""

    counts: Floats
    values: Floats


def compare(metric: AgreementMetric, pairs: Iterable[tuple[Any, Any, Any]], done: Done | None = None) -> ComparedPair:
    """Each pair (one, other, id); of a metric that is not symmetric, the mean of both directions."""
    found = list(pairs)
    first = _count(metric.suite, found, done)
    if metric.symmetric:
        return first
    second = _count(metric.suite, [(other, one, id) for one, other, id in found], done)
    return ComparedPair((first.counts + second.counts) / 2, np.mean([first.values, second.values], axis=0))


def _count(suite: Suite, pairs: list[tuple[Any, Any, Any]], done: Done | None) -> ComparedPair:
    tally = run(suite, pairs, progress=done)
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


Annotators: TypeAlias = Mapping[str, Mapping[Any, Any] | Iterable[Any]] | Iterable[tuple[Any, Any, Any]]
"""Name -> the documents of an annotator: by id, or in order with None for one that was left out.

Or a long table: rows of document, annotator and label, or a frame with these columns.
"""

LONG = ("document", "annotator", "label")
"""The columns of a long table."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """Document -> annotator -> what was annotated, in the order of the annotators."""

    names: tuple[str, ...]
    table: dict[Id, dict[str, Any]]

    def shared(self) -> list[Id]:
        """The documents that at least two annotators have."""
        return [id for id, found in self.table.items() if len(found) > 1]


def gather(annotators: Annotators) -> Annotations:
    """The documents joined by id, or by position."""
    if not isinstance(annotators, Mapping):
        annotators = _read_long(annotators)
    if len(annotators) < 2:
        raise DataError(f"found {count_units(len(annotators), 'annotators')}, expected at least two")
    check_indexes(annotators)
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
                "write None (null in a file) for a document that one of them skipped, or give ids"
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


def _read_long(table: Any) -> dict[str, dict[Id, Any]]:
    """Annotator -> document -> its `labels`, and its `label` if it has one; a row without a label says nothing.

    >>> _read_long([("d1", "ann", "A"), ("d1", "bob", "A"), ("d1", "bob", "B")])
    {'ann': {'d1': {'labels': ['A'], 'label': 'A'}}, 'bob': {'d1': {'labels': ['A', 'B']}}}
    """
    rows = table
    columns = getattr(table, "column_names", getattr(table, "columns", None))  # of Arrow, of pandas and polars
    if columns is not None:
        missing = [name for name in LONG if name not in columns]
        if missing:
            raise DataError(f"the table has no column {missing[0]!r}{suggestion(missing[0], columns)}")
        rows = zip(*(plain_values(table[name], name) for name in LONG), strict=True)
    made: dict[str, dict[Id, Any]] = {}
    for number, row in enumerate(rows if isinstance(rows, Iterable) and not isinstance(rows, str) else (rows,)):
        if not isinstance(row, tuple | list) or len(row) != len(LONG):
            raise DataError(
                f"row {number} is {shorten(row)}, expected (document, annotator, label); or give the documents of each "
                'annotator by name: {"ann": docs, "bob": docs}'
            )
        id, name, label = row
        if label is not None:
            document = made.setdefault(str(name), {}).setdefault(id if isinstance(id, str | int) else str(id), {})
            document.setdefault("labels", []).append(label)
    for documents in made.values():
        for document in documents.values():
            if len(document["labels"]) == 1:
                [document["label"]] = document["labels"]
    return made


def _documents(name: str, side: object) -> dict[Id, Any]:
    if isinstance(side, Mapping):
        return {id if isinstance(id, str | int) else str(id): document for id, document in side.items()}
    if isinstance(side, str | bytes) or not isinstance(side, Iterable):
        raise DataError(
            f"the documents of {name} are {type(side).__name__}, expected a list, or a mapping id -> document"
        )
    return dict(enumerate(side))


Absent: TypeAlias = Literal["label", "missing"]
"""What it is not to have a unit that another annotator has: a label of its own, or no information."""


@dataclass(frozen=True, slots=True)
class Kappa:
    """κ of every pair of annotators, their mean, κ of all annotators, and α; None if undefined."""

    cohen: dict[tuple[str, str], float | None]
    fleiss: float | None
    fleiss_units: int
    """Units that all annotators labelled."""
    alpha: float | None
    units: int
    labels: tuple[Hashable, ...]

    @property
    def mean(self) -> float | None:
        """The mean of Cohen's κ over all pairs that have one."""
        found = [value for value in self.cohen.values() if value is not None]
        return sum(found) / len(found) if found else None

    def to_dict(self) -> dict[str, Any]:
        pairs = [{"annotators": list(pair), "cohen": value} for pair, value in self.cohen.items()]
        return {
            "pairs": pairs,
            "mean_cohen": self.mean,
            "fleiss": self.fleiss,
            "fleiss_units": self.fleiss_units,
            "alpha": self.alpha,
            "units": self.units,
        }


def kappa(
    found: Annotations,
    label: Selector,
    *,
    elements: Overlap | None = None,
    units: Selector = (),
    similarity: Similarity | None = None,
    absent: Absent = "label",
) -> Kappa:
    """κ of the labels of documents, or of elements that have the same key under `units`."""
    if absent not in ("label", "missing"):
        raise DataError(f'absent={absent!r}; write absent="label" or absent="missing"')
    rows: list[list[Any]] = []  # one for each unit, with a column for each annotator
    for id in found.shared():
        with naming_document(id):
            rows += _units_of(found, id, label, elements, units, absent)
    if not rows:
        raise DataError("found no units that two annotators labelled")
    flat = [value for row in rows for value in row if value is not _MISSING]
    codes, firsts = content_of(flat)
    names = [flat[first] for first in firsts]
    known = iter(codes)
    table = np.array([[-1 if value is _MISSING else next(known) for value in row] for row in rows])
    alike = _alike(names, similarity)
    pairs = combinations(range(len(found.names)), 2)
    cohen = {(found.names[a], found.names[b]): _cohen(table[:, a], table[:, b], alike) for a, b in pairs}
    full = table[(table >= 0).all(axis=1)]
    labels = tuple(name if isinstance(name, Hashable) else str(name) for name in names)
    return Kappa(cohen, _fleiss(full, alike), len(full), _alpha(table, alike), len(table), labels)


_MISSING = object()


def _units_of(
    found: Annotations, id: Id, label: Selector, elements: Overlap | None, units: Selector, absent: Absent
) -> Iterator[list[Any]]:
    """The units of one document."""
    here = found.table[id]
    if elements is None:
        yield [select_all([here[name]], label, f"of {name}")[0] if name in here else _MISSING for name in found.names]
        return
    by_unit: dict[Hashable, dict[str, Any]] = {}
    for name, document in here.items():
        items = elements_of(elements, document, f"of {name}")
        keys, values = (select_all(items, sel, f"of {name}") for sel in (units, label))
        contents, _ = content_of(keys, names=True)
        for key, value in zip(contents, values, strict=True):
            if name in by_unit.setdefault(key, {}):
                raise DataError(f"{name} has the unit {key!r} twice; give a unit that occurs only once per document")
            by_unit[key][name] = value
    nothing = None if absent == "label" else _MISSING
    for unit in by_unit.values():
        row = [unit.get(name, nothing) if name in here else _MISSING for name in found.names]
        if sum(value is not _MISSING for value in row) > 1:
            yield row


def _alike(names: list[Any], similarity: Similarity | None) -> Floats:
    made = np.eye(len(names))
    if similarity is not None:
        for i, one in enumerate(names):
            for j, other in enumerate(names):
                made[i, j] = float(one is other) if one is None or other is None else score(similarity, one, other)
    return made


def _cohen(mine: Any, theirs: Any, alike: Floats) -> float | None:
    both = (mine >= 0) & (theirs >= 0)
    if not both.any():
        return None
    a, b = mine[both], theirs[both]
    shares = [np.bincount(side, minlength=len(alike)) / len(side) for side in (a, b)]
    return _correct_for_chance(float(alike[a, b].mean()), float(shares[0] @ alike @ shares[1]))


def _fleiss(table: Any, alike: Floats) -> float | None:
    if not len(table):
        return None
    raters = table.shape[1]
    often = np.stack([np.bincount(row, minlength=len(alike)) for row in table]).astype(float)
    own = (often * np.diag(alike)).sum(axis=1)
    agreed = ((often @ alike) * often).sum(axis=1) - own
    shares = often.sum(axis=0) / often.sum()
    return _correct_for_chance(float(agreed.mean() / (raters * (raters - 1))), float(shares @ alike @ shares))


def _alpha(table: Any, alike: Floats) -> float | None:
    often = np.stack([np.bincount(row[row >= 0], minlength=len(alike)) for row in table]).astype(float)
    sizes = often.sum(axis=1)
    often, sizes = often[sizes > 1], sizes[sizes > 1]
    if not len(often):
        return None
    distance, n, total = 1 - alike, sizes.sum(), often.sum(axis=0)
    own = np.diag(distance)
    observed = ((((often @ distance) * often).sum(axis=1) - often @ own) / (sizes - 1)).sum() / n
    expected = (total @ distance @ total - total @ own) / (n * (n - 1))
    return float(1 - observed / expected) if expected > 0 else None


def _correct_for_chance(observed: float, expected: float) -> float | None:
    return (observed - expected) / (1 - expected) if expected < 1 else None

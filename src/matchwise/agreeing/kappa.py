"""κ: agreement on the labels of given units, corrected for chance by how often each annotator uses each label.

Cohen (1960):  κ = (p_o − p_e) / (1 − p_e) of two annotators, p_e from the labels of each
Fleiss (1971): the same of all annotators, p_e from the labels of all together
α:             Krippendorff's, which allows for units that some did not label

A unit is a document, or an element that is recognised by a key (its span, the number of its token). With a similarity
of labels, p_o and p_e are mean similarities (weighted κ).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from matchwise.agreeing.comparison import Annotations
from matchwise.algebra.nodes import Overlap, Selector, Similarity
from matchwise.corpus.elements import content_of, elements_of, select_all
from matchwise.corpus.table import Id
from matchwise.engine.plan import score
from matchwise.errors import DataError

if TYPE_CHECKING:
    from matchwise.corpus.statistic import Array

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
    rows = _labels(found, label, elements, units, absent)
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


def _labels(
    found: Annotations, label: Selector, elements: Overlap | None, units: Selector, absent: Absent
) -> list[list[Any]]:
    """One row for each unit, one column for each annotator."""
    rows: list[list[Any]] = []
    for id in found.shared():
        try:
            rows += _units_of(found, id, label, elements, units, absent)
        except DataError as error:
            error.document = id
            raise
    return rows


def _units_of(
    found: Annotations, id: Id, label: Selector, elements: Overlap | None, units: Selector, absent: Absent
) -> Iterator[list[Any]]:
    """The units of one document."""
    here = found.of(id)
    if elements is None:
        yield [select_all([here[name]], label, name)[0] if name in here else _MISSING for name in found.names]
        return
    by_unit: dict[Hashable, dict[str, Any]] = {}
    for name, document in here.items():
        items = elements_of(elements, document, name)
        keys, values = select_all(items, units, name), select_all(items, label, name)
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


def _alike(names: list[Any], similarity: Similarity | None) -> Array:
    made = np.eye(len(names))
    if similarity is not None:
        for i, one in enumerate(names):
            for j, other in enumerate(names):
                made[i, j] = float(one is other) if one is None or other is None else score(similarity, one, other)
    return made


def _cohen(mine: Any, theirs: Any, alike: Array) -> float | None:
    both = (mine >= 0) & (theirs >= 0)
    if not both.any():
        return None
    a, b = mine[both], theirs[both]
    shares = [np.bincount(side, minlength=len(alike)) / len(side) for side in (a, b)]
    return _corrected(float(alike[a, b].mean()), float(shares[0] @ alike @ shares[1]))


def _fleiss(table: Any, alike: Array) -> float | None:
    if not len(table):
        return None
    raters = table.shape[1]
    often = np.stack([np.bincount(row, minlength=len(alike)) for row in table]).astype(float)
    own = (often * np.diag(alike)).sum(axis=1)
    agreed = ((often @ alike) * often).sum(axis=1) - own
    shares = often.sum(axis=0) / often.sum()
    return _corrected(float(agreed.mean() / (raters * (raters - 1))), float(shares @ alike @ shares))


def _alpha(table: Any, alike: Array) -> float | None:
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


def _corrected(observed: float, expected: float) -> float | None:
    return (observed - expected) / (1 - expected) if expected < 1 else None

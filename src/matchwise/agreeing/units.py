"""Krippendorff's α over units: elements that are aligned over all annotators of a document at once.

A unit has at most one element of each annotator, and its elements are versions of one, as in a merged consensus. An
annotator of the document who has no element in a unit disagrees fully with those who have one:

    D = Σ over units, Σ over pairs of annotators d(x, y) / (m − 1),  over  Σ over units m / 2
    d(x, y) = 1 − 2 φ(x, y) / (φ(x, x) + φ(y, y)),   m annotators of the document

D_e is D of documents that combine annotations of different documents, aligned anew, so that blind annotators have an α
of 0. It is exact for two annotators with few documents; otherwise such documents are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from matchwise.agreeing.alpha import Alpha, spread
from matchwise.agreeing.comparison import AgreementMetric, Annotations
from matchwise.algebra.nodes import Overlap
from matchwise.algebra.steps import Step, split_step
from matchwise.corpus.elements import elements_of, root_collection, sort_by_content
from matchwise.corpus.moments import ENOUGH
from matchwise.corpus.resampling import percentile_interval, resample
from matchwise.errors import ExpressionError
from matchwise.relating.merging import compare_pool, group_versions

if TYPE_CHECKING:
    from matchwise.corpus.statistic import Array

Lists: TypeAlias = list[list[Any]]
"""The elements of one document, annotator by annotator."""

DRAWN, FEWEST = 1_000, 100
"""Documents that are put together of any annotations; all pairs of annotations, if there are no more. Fewer are drawn
where documents are large."""

CELLS, MOST = 20_000_000, 50_000_000
"""Pairs of elements that are compared to know what chance would give, and that documents may have for an α."""


def unit_alpha(metric: AgreementMetric, found: Annotations, *, level: float, resamples: int, seed: int) -> Alpha | None:
    """α over units; None of a metric without a collection at its root, or one whose elements are not a bag or list."""
    step, phi = split_step(metric.phi)
    try:
        sigma = root_collection(phi)
    except ExpressionError:
        return None
    if sigma.order in ("tree", "graph"):
        return None
    if step is not None and not step.separate:
        return Alpha(None, 0.0, 0.0, reason="the metric reads both sides together, so that no element is by itself")
    documents = [_read(sigma, step, found.of(id)) for id in found.shared()]
    if len(documents) < 2:
        return Alpha(None, 0.0, 0.0, units=len(documents), reason="it takes two documents that two annotators have")
    cells = sum(sum(map(len, lists)) ** 2 for lists in documents)
    if cells > MOST:
        return Alpha(
            None, 0.0, 0.0, units=len(documents), reason="there are too many elements to align them all at once"
        )
    drawn = max(FEWEST, min(DRAWN, CELLS * len(documents) // max(cells, 1)))
    forms, chance = _forms(sigma, documents), _forms(sigma, _shuffle(documents, drawn, seed))
    d_o, d_e = (float(_distance(rows.sum(axis=0))) for rows in (forms, chance))
    if d_e <= 0:
        alike = "all annotations are alike: chance would give the same"
        return Alpha(None, d_o, d_e, units=len(documents), reason=alike)
    error = 0.0 if _pairs(documents) is not None else d_o / d_e**2 * spread(chance, _distance)
    low = high = None
    if resamples and len(documents) >= ENOUGH:
        low, high = percentile_interval(1 - _distance(resample(forms, resamples, seed)) / d_e, level)
    return Alpha(1 - d_o / d_e, d_o, d_e, error, low, high, len(documents))


def _read(sigma: Overlap, step: Step | None, row: dict[str, Any]) -> Lists:
    """The elements of each annotator, by name; bags by content, so that no order of the input matters."""
    made = []
    for name in sorted(row):
        document = row[name] if step is None else step(row[name], row[name])[0]
        elements = elements_of(sigma, document, name)
        made.append(sort_by_content(elements) if sigma.order == "bag" else elements)
    return made


def _forms(sigma: Overlap, documents: Iterable[Lists]) -> Array:
    """For each document what is summed over its units: distances, and what they are divided by."""
    made = []
    for lists in documents:
        shares = compare_pool(sigma.inner, lists)
        starts = np.concatenate(([0], np.cumsum([len(one) for one in lists])))
        units = group_versions(shares, lists, [1.0] * len(lists), sigma.order)
        distance = 0.0
        for unit in units:
            places = [starts[annotator] + at for annotator, at in unit.items()]
            shared = sum(shares[x, y] for x, y in combinations(places, 2))
            distance += len(lists) * (len(lists) - 1) / 2 - shared
        made.append((distance / (len(lists) - 1), len(units) * len(lists) / 2))
    return np.array(made)


def _distance(sums: Array) -> Array:
    """D of summed forms; 0 where nobody has an element."""
    found: Array = np.divide(sums[..., 0], sums[..., 1], out=np.zeros(sums.shape[:-1]), where=sums[..., 1] > 0)
    return found


def _pairs(documents: list[Lists]) -> list[Lists] | None:
    """Every two annotations, if documents have two each and there are not too many."""
    annotations = [one for lists in documents for one in lists]
    if len(annotations) > 2 * len(documents) or len(annotations) * (len(annotations) - 1) // 2 > DRAWN:
        return None
    return [list(pair) for pair in combinations(annotations, 2)]


def _shuffle(documents: list[Lists], drawn: int, seed: int) -> list[Lists]:
    """Documents that are put together of annotations of any documents, as large as the documents there are."""
    pairs = _pairs(documents)
    if pairs is not None:
        return pairs
    annotations = [one for lists in documents for one in lists]
    rng = np.random.Generator(np.random.PCG64(seed))
    made = []
    for place in rng.integers(0, len(documents), drawn).tolist():
        chosen = rng.choice(len(annotations), len(documents[place]), replace=False)
        made.append([annotations[one] for one in chosen.tolist()])
    return made

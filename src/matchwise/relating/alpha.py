"""Krippendorff's α for any similarity: α = 1 − D_o / D_e with the distance 1 − φ.

D_o is the mean distance of two annotations of one document, D_e that of any two annotations of the corpus, whichever
document they are of (Krippendorff 2004, §11). Over elements, a distance is 1 − φ of the sums of many pairs of
documents, each pair matched anew: the share of elements that find no equal, in documents and by chance.

D_e is exact where all pairs of different annotations can be compared; else it is estimated from pairs that are drawn.
The interval is that of D_o, on the logit scale, and leaves D_e as it is, as Hayes and Krippendorff (2007) do.

α over units (`unit_alpha`) aligns the elements of all annotators of a document at once. A unit has at most one element
of each annotator, and its elements are versions of one, as in a merged consensus. An annotator of the document who has
no element in a unit disagrees fully with those who have one:

    D = Σ over units, Σ over pairs of annotators d(x, y) / (m − 1),  over  Σ over units m / 2
    d(x, y) = 1 − 2 φ(x, y) / (φ(x, x) + φ(y, y)),   m annotators of the document

D_e is D of documents that combine annotations of different documents, aligned anew, so that blind annotators have an α
of 0. It is exact for two annotators with few documents; otherwise such documents are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra.names import given
from matchwise.algebra.nodes import Overlap
from matchwise.algebra.steps import Step, split_step
from matchwise.arrays import Flags, Floats, Integers
from matchwise.corpus.counts import Reading
from matchwise.corpus.elements import content_of, elements_of, root_collection
from matchwise.corpus.statistic import Statistic
from matchwise.corpus.statistic import statistic as make_statistic
from matchwise.engine.order import sort_by_content
from matchwise.errors import DataError, ExpressionError
from matchwise.relating.annotations import AgreementMetric, Annotations, ComparedPair, across, compare
from matchwise.relating.merging import compare_pool, group_versions
from matchwise.runners.runner import Done
from matchwise.statistics.intervals import Setting
from matchwise.statistics.variation import ENOUGH, Value, percentile_interval, resample, wide_logit_interval


@dataclass(frozen=True, slots=True)
class Alpha:
    """α and its components; None if it is undefined, and `reason` says why."""

    value: float | None
    observed: float
    expected: float
    error: float = 0.0
    """The standard error of α that comes from estimating D_e; 0 if D_e is exact."""
    low: float | None = None
    high: float | None = None
    units: int = 0
    """Documents with two annotations or more."""
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        return given(self)


@dataclass(frozen=True, eq=False, slots=True)
class Observed:
    """The pairs of annotations of one document: which document, which two annotators, and how they compare."""

    document: Integers
    first: Integers
    second: Integers
    compared: ComparedPair


@dataclass(frozen=True, eq=False, slots=True)
class ChancePairs:
    """Pairs of any two annotations of the corpus, and how they compare.

    Where all are known, pairs are of kinds, which differ by content, each also with itself; else of annotations.
    """

    annotator: Integers
    """The annotator of each annotation, by number."""
    document: Integers
    """The document of each annotation, by number."""
    kinds: Integers | None
    """The kind of each annotation; None where pairs were drawn."""
    first: Integers
    second: Integers
    compared: ComparedPair

    def weights(self, kept: Flags) -> Floats:
        """How often each pair occurs among the annotations that are kept."""
        if self.kinds is None:
            return (kept[self.first] & kept[self.second]).astype(float)
        often = np.bincount(self.kinds[kept], minlength=int(self.kinds.max()) + 1).astype(float)
        same = self.first == self.second
        own, pairs = often[self.first] * (often[self.first] - 1) / 2, often[self.first] * often[self.second]
        found: Floats = np.where(same, own, pairs)
        return found


def chance_pairs(
    metric: AgreementMetric, found: Annotations, most: int, seed: int, done: Done | None = None
) -> ChancePairs:
    """All pairs of annotations that differ by content, or as many drawn as are allowed."""
    values = [(number, *place) for number, id in enumerate(found.shared()) for place in _places(found, id)]
    documents = [document for *_, document in values]
    number, annotator = (np.array([value[place] for value in values]) for place in (0, 1))
    there = across(metric, documents)
    codes, firsts = content_of(documents)
    own = compare(there, [(documents[one], documents[one], None) for one in firsts]).counts
    if len(firsts) * (len(firsts) + 1) // 2 <= most:
        kinds = np.array(codes)
        i, j = np.triu_indices(len(firsts))
        pairs = [
            (documents[firsts[a]], documents[firsts[b]], None) for a, b in zip(i.tolist(), j.tolist(), strict=True)
        ]
    else:
        rng = np.random.Generator(np.random.PCG64(seed))
        kinds = None
        i = rng.integers(0, len(values), most)
        j = (i + rng.integers(1, len(values), most)) % len(values)
        pairs = [(documents[a], documents[b], None) for a, b in zip(i.tolist(), j.tolist(), strict=True)]
    compared = compare(there, pairs, done)
    places = (i, j) if kinds is not None else (np.array(codes)[i], np.array(codes)[j])
    if (~compared.counts.any(axis=1) & own[places[0]].any(axis=1) & own[places[1]].any(axis=1)).any():
        raise DataError(
            "this metric skips documents whose texts differ, so agreement cannot compare them; choose another metric"
        )
    return ChancePairs(annotator, number, kinds, i, j, compared)


def observed_pairs(metric: AgreementMetric, found: Annotations, done: Done | None = None) -> Observed:
    """Every pair of annotations of one document."""
    rows: list[tuple[int, int, int]] = []
    pairs: list[tuple[Any, Any, Any]] = []
    for number, id in enumerate(found.shared()):
        for (a, one), (b, other) in combinations(_places(found, id), 2):
            pairs.append((one, other, len(rows)))
            rows.append((number, a, b))
    document, first, second = np.array(rows).T
    try:
        return Observed(document, first, second, compare(metric, pairs, done))
    except DataError as error:
        number, a, b = rows[error.document]  # type: ignore[index]  # the number of the pair, as above
        error.document = found.shared()[number]
        error.side = f"of {found.names[b if error.side == 'reference' else a]}"
        raise


def _places(found: Annotations, id: Any) -> list[tuple[int, Any]]:
    row = found.table[id]
    return [(place, row[name]) for place, name in enumerate(found.names) if name in row]


def alpha(
    metric: AgreementMetric,
    observed: Observed,
    chance: ChancePairs | str,
    *,
    elements: bool = False,
    among: Sequence[int] | None = None,
    setting: Setting | None = None,
) -> Alpha:
    """α over documents, or over elements; of all annotators, or only those `among` which it is asked for.

    In the place of pairs by chance may stand the reason why there are none.
    """
    seen = np.ones(len(observed.document), bool)
    if among is not None:
        seen = np.isin(observed.first, among) & np.isin(observed.second, among)
    documents, places = np.unique(observed.document[seen], return_inverse=True)
    if isinstance(chance, str) or len(documents) < 2:
        few = "it takes two documents that two annotators have"
        return Alpha(None, 0.0, 0.0, units=len(documents), reason=chance if isinstance(chance, str) else few)
    kept = np.isin(chance.document, documents)
    if among is not None:
        kept &= np.isin(chance.annotator, among)
    weights = chance.weights(kept)
    drawn_rows = weights > 0
    statistic = metric.statistic if elements else MEAN
    if elements:
        rows = statistic.project(observed.compared.counts[seen])
        expected_rows = statistic.project(chance.compared.counts[drawn_rows])
    else:
        rows, expected_rows = (
            np.stack([values, np.ones(len(values))], axis=1)
            for values in (observed.compared.values[seen], chance.compared.values[drawn_rows])
        )
    value = statistic.of
    forms = np.zeros((len(documents), rows.shape[1]))
    pairs = np.bincount(places)[places]
    annotations = np.rint((1 + np.sqrt(1 + 8 * pairs)) / 2)  # m (m − 1) / 2 pairs are of m annotations
    np.add.at(forms, places, rows * (1 / (annotations - 1))[:, None])
    d_o = 1 - float(value(forms.sum(axis=0)))
    d_e = 1 - float(value((expected_rows * weights[drawn_rows, None]).sum(axis=0))) if drawn_rows.any() else 0.0
    noise = 0.0 if chance.kinds is not None or d_e <= 0 else spread(expected_rows, value)
    return _correct(forms, statistic, d_o, d_e, noise, setting)


MEAN = make_statistic({"mean": Reading("mean")}, "mean")
"""A mean of values, whose forms are their sum and their number."""


def _correct(
    forms: Floats, statistic: Statistic, d_o: float, d_e: float, noise: float, setting: Setting | None
) -> Alpha:
    """α = 1 − D_o / D_e, its interval by that of 1 − D_o, and its error by the noise of D_e."""
    if d_e <= 0:
        alike = "all annotations are alike: chance would give the same"
        return Alpha(None, d_o, max(d_e, 0.0), units=len(forms), reason=alike)
    ends = interval(setting, statistic, forms)
    low, high = (None, None) if ends is None else (1 - (1 - end) / d_e for end in ends)
    return Alpha(1 - d_o / d_e, d_o, d_e, d_o / d_e**2 * noise, low, high, len(forms))


def interval(setting: Setting | None, statistic: Statistic, forms: Floats) -> tuple[float, float] | None:
    """The interval of an agreement between 0 and 1, given its forms by document; None for few documents."""
    if setting is None or int(forms.any(axis=1).sum()) < ENOUGH:
        return None
    if setting.method == "delta":
        return wide_logit_interval(statistic, forms, setting.level)
    return percentile_interval(statistic.of(resample(forms, setting.resamples, setting.seed)), setting.level)


def spread(rows: Floats, value: Value) -> float:
    """The standard error of a value read from the sum of rows that were drawn one by one, by leaving each out."""
    total, n = rows.sum(axis=0), len(rows)
    left = value(total - rows)
    return float(np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum()))


Lists: TypeAlias = list[list[Any]]
"""The elements of one document, annotator by annotator."""

DRAWN, FEWEST = 1_000, 100
"""Documents that are put together of any annotations; all pairs of annotations, if there are no more. Fewer are drawn
where documents are large."""

CELLS, MOST = 20_000_000, 50_000_000
"""Pairs of elements that are compared to know what chance would give, and that documents may have for an α."""


def unit_alpha(metric: AgreementMetric, found: Annotations, setting: Setting) -> Alpha | None:
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
    documents = [_read(sigma, step, found.table[id]) for id in found.shared()]
    if len(documents) < 2:
        return Alpha(None, 0.0, 0.0, units=len(documents), reason="it takes two documents that two annotators have")
    cells = sum(sum(map(len, lists)) ** 2 for lists in documents)
    if cells > MOST:
        return Alpha(
            None, 0.0, 0.0, units=len(documents), reason="there are too many elements to align them all at once"
        )
    drawn = max(FEWEST, min(DRAWN, CELLS * len(documents) // max(cells, 1)))
    shuffled, exact = _shuffle(documents, drawn, setting.seed)
    forms, chance = _forms(sigma, documents), _forms(sigma, shuffled)
    d_o, d_e = (1 - float(MEAN.of(rows.sum(axis=0))) for rows in (forms, chance))
    noise = 0.0 if exact or d_e <= 0 else spread(chance, MEAN.of)
    return _correct(forms, MEAN, d_o, d_e, noise, setting)


def _read(sigma: Overlap, step: Step | None, row: dict[str, Any]) -> Lists:
    """The elements of each annotator, by name; bags by content, so that no order of the input matters."""
    made = []
    for name in sorted(row):
        document = row[name] if step is None else step(row[name], row[name])[0]
        elements = elements_of(sigma, document, name)
        made.append(sort_by_content(elements) if sigma.order == "bag" else elements)
    return made


def _forms(sigma: Overlap, documents: Iterable[Lists]) -> Floats:
    """For each document what is summed over its units: agreements (1 − distance), and what they are divided by."""
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
        size = len(units) * len(lists) / 2
        made.append((size - distance / (len(lists) - 1), size))
    return np.array(made)


def _shuffle(documents: list[Lists], drawn: int, seed: int) -> tuple[list[Lists], bool]:
    """Documents that are put together of annotations of any documents, as large as the documents there are.

    They are exact if they are all pairs of annotations: where documents have two each, and there are not too many.
    """
    annotations = [one for lists in documents for one in lists]
    if len(annotations) <= 2 * len(documents) and len(annotations) * (len(annotations) - 1) // 2 <= DRAWN:
        return [list(pair) for pair in combinations(annotations, 2)], True
    rng = np.random.Generator(np.random.PCG64(seed))
    made = []
    for place in rng.integers(0, len(documents), drawn).tolist():
        chosen = rng.choice(len(annotations), len(documents[place]), replace=False)
        made.append([annotations[one] for one in chosen.tolist()])
    return made, False

"""Agreement of annotators under any metric: how much, beyond chance, who deviates, and where.

>>> import matchwise as mw
>>> ann, bob = [{"xs": [1, 2]}, {"xs": [3]}, {"xs": [4]}], [{"xs": [1]}, {"xs": [3]}, None]
>>> found = agreement(mw.f1("xs"), {"ann": ann, "bob": bob})
>>> found.mean, round(found.alpha.value, 4), found.worst(1)
(0.8, 0.7692, [(0, 0.6666666666666666)])
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from matchwise.algebra.build import Selectable, selector
from matchwise.algebra.nodes import Similarity
from matchwise.arrays import Floats
from matchwise.corpus.counts import WIDTH, Counts, label_text, plain
from matchwise.corpus.elements import root_collection
from matchwise.corpus.statistic import statistic
from matchwise.corpus.suite import Scorable, average
from matchwise.corpus.table import Id
from matchwise.corpus.tally import Tally
from matchwise.errors import (
    DataError,
    ExpressionError,
    check_choice,
    check_whole,
    count_units,
    cut,
    name_some,
    near_word,
    shorten,
)
from matchwise.relating.alpha import (
    Alpha,
    ChancePairs,
    Observed,
    alpha,
    chance_pairs,
    interval,
    observed_pairs,
    unit_alpha,
)
from matchwise.relating.annotations import (
    Absent,
    AgreementMetric,
    Annotations,
    Annotators,
    Kappa,
    gather,
    kappa,
    metric_of,
)
from matchwise.runners.runner import Done, run
from matchwise.sheets.plots import plot_intervals
from matchwise.sheets.shown import Tabled
from matchwise.sheets.table import align_cells
from matchwise.statistics.intervals import (
    Setting,
    bootstrap_warnings,
    check_options,
    name_method,
    sample_warnings,
    support,
)
from matchwise.statistics.variation import ENOUGH
from matchwise.views.alignment import Alignment, align

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAIRS = 20_000
"""Pairs of annotations that are compared to know what chance would give."""


class AnnotatorPair(NamedTuple):
    """Two annotators: the value of the metric over the documents that both have."""

    first: str
    second: str
    value: float
    low: float | None
    high: float | None
    documents: int


class Annotator(NamedTuple):
    """One annotator: the mean value with the others, and the α of the others without this one."""

    name: str
    documents: int
    value: float | None
    without: float | None


class Label(NamedTuple):
    """The elements of one label: F1 of all pairs of annotators together."""

    label: Hashable
    f1: float
    counts: Counts


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Tabled):
    """What annotators have in common: `.mean`, `.alpha`, `.elements`, `.units`, `.pairs`, `.annotators`, …"""

    metric: AgreementMetric
    annotations: Annotations
    observed: Observed
    chance: ChancePairs | str
    """Pairs of any two annotations, or the reason why documents cannot be compared with each other."""
    setting: Setting
    """How intervals are made."""
    labels: tuple[Label, ...] = ()
    """The labels that were asked for by `by`, those with the least agreement first."""
    kappa: Kappa | None = None
    """κ and α of labels, if `label` was given."""

    @cached_property
    def alpha(self) -> Alpha:
        """Krippendorff's α over documents, with the distance 1 − φ."""
        return alpha(self.metric, self.observed, self.chance, setting=self.setting)

    @cached_property
    def elements(self) -> Alpha | None:
        """α over elements: a pair of documents counts by what it has; None of a metric without counts."""
        if self.metric.reading.kind in ("mean", "total"):
            return None
        return alpha(self.metric, self.observed, self.chance, elements=True, setting=self.setting)

    @cached_property
    def units(self) -> Alpha | None:
        """α over units, elements that are aligned over all annotators at once; None of a metric without elements."""
        return unit_alpha(self.metric, self.annotations, self.setting)

    @cached_property
    def _by_pair(self) -> tuple[list[tuple[int, int]], Floats]:
        """The pairs of annotators that share documents, and the counts of every document, pair beside pair."""
        seen = self.observed
        pairs = [
            (a, b)
            for a, b in combinations(range(len(self.annotations.names)), 2)
            if ((seen.first == a) & (seen.second == b)).any()
        ]
        counts = np.zeros((len(self.annotations.shared()), len(pairs) * WIDTH))
        for number, (a, b) in enumerate(pairs):
            mine = np.flatnonzero((seen.first == a) & (seen.second == b))
            counts[seen.document[mine], number * WIDTH : (number + 1) * WIDTH] = seen.compared.counts[mine]
        return pairs, counts

    @cached_property
    def pairs(self) -> list[AnnotatorPair]:
        """Every pair of annotators that share documents."""
        names, seen, statistic = self.annotations.names, self.observed, self.metric.statistic
        rows = []
        for a, b in self._by_pair[0]:
            mine = (seen.first == a) & (seen.second == b)
            forms = statistic.project(seen.compared.counts[mine])
            low, high = interval(self.setting, statistic, forms) or (None, None)
            value = float(statistic.of(forms.sum(axis=0)))
            rows.append(AnnotatorPair(names[a], names[b], value, low, high, int(mine.sum())))
        return rows

    @property
    def mean(self) -> float:
        """The mean of the metric over pairs of annotators."""
        return float(np.mean([pair.value for pair in self.pairs]))

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """The interval of the mean over pairs of annotators, whose documents are the same."""
        pairs, counts = self._by_pair
        readings: dict[str, Any] = {str(number): self.metric.reading for number in range(len(pairs))}
        mean = statistic(readings | {"mean": average(*readings)}, "mean")
        return interval(self.setting, mean, mean.project(counts))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What to doubt of the intervals."""
        n = len(self.annotations.shared())
        if self.setting.method == "delta" or n < ENOUGH:
            return tuple(sample_warnings(n, "documents", ()))
        by_document = self._by_pair[1].reshape(n, -1, WIDTH).sum(axis=1)
        resting = support(self.metric.statistic, None, self.metric.statistic.project(by_document))
        found = bootstrap_warnings(n, "documents", [] if resting is None else [resting])
        return (*sample_warnings(n, "documents", ()), *found)

    @cached_property
    def annotators(self) -> list[Annotator]:
        """Every annotator; an outlier has a low value, and α is higher without them."""
        names = self.annotations.names
        rows = []
        for place, name in enumerate(names):
            mine = [pair.value for pair in self.pairs if name in (pair.first, pair.second)]
            others = [other for other in range(len(names)) if other != place]
            without = alpha(self.metric, self.observed, self.chance, among=others).value if len(others) > 1 else None
            documents = sum(name in self.annotations.table[id] for id in self.annotations.table)
            rows.append(Annotator(name, documents, sum(mine) / len(mine) if mine else None, without))
        return rows

    @cached_property
    def documents(self) -> dict[Id, float]:
        """The mean value of each document over its pairs of annotators."""
        seen, ids = self.observed, self.annotations.shared()
        sums = np.bincount(seen.document, seen.compared.values, minlength=len(ids)) / np.bincount(seen.document)
        return dict(zip(ids, sums.tolist(), strict=True))

    def worst(self, n: int = 10) -> list[tuple[Id, float]]:
        """The documents that annotators agree on least, lowest first."""
        return sorted(self.documents.items(), key=lambda row: row[1])[:n]

    def view(self, id: Id) -> tuple[str, str, Alignment]:
        """The two annotators that differ most on a document, and the alignment of what they wrote."""
        ids = self.annotations.shared()
        if id not in ids:
            hint = near_word(str(id), ids) or f"; there are {name_some(cut(str(one)) for one in ids)}"
            raise DataError(f"no document {shorten(id)} with two annotators{hint}")
        seen = self.observed
        places = [place for place in range(len(seen.document)) if ids[seen.document[place]] == id]
        worst = min(places, key=lambda place: seen.compared.values[place])
        first, second = (self.annotations.names[int(side[worst])] for side in (seen.first, seen.second))
        here = self.annotations.table[id]
        return first, second, align(self.metric.phi, here[first], here[second])

    def to_dict(self) -> dict[str, Any]:
        made: dict[str, Any] = {
            "metric": self.metric.name,
            "signature": self.metric.suite.signature,
            "documents": len(self.annotations.shared()),
            "mean": self.mean,
            "interval": self.interval,
            "method": self.setting.method,
            "level": self.setting.level,
            "warnings": list(self.warnings),
            "alpha": self.alpha.to_dict(),
            "alpha_elements": None if self.elements is None else self.elements.to_dict(),
            "alpha_units": None if self.units is None else self.units.to_dict(),
            "pairs": [pair._asdict() for pair in self.pairs],
            "annotators": [one._asdict() for one in self.annotators],
            "per_document": [{"document": id, "value": value} for id, value in self.documents.items()],
        }
        if self.labels:
            made["labels"] = [row._asdict() | {"counts": row.counts.to_dict()} for row in self.labels]
        return made | ({} if self.kappa is None else {"kappa": self.kappa.to_dict()})

    def __str__(self) -> str:
        return render(self)

    def __repr__(self) -> str:
        names, documents = len(self.annotations.names), count_units(len(self.annotations.shared()), "documents")
        return f"<Agreement of {names} annotators on {documents}: mean {self.metric.name} {self.mean:.4f}>"

    def tables(self, *, brief: bool = False) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {"pairs": [pair._asdict() for pair in self.pairs]}
        if len(self.annotations.names) > 2:
            found["annotators"] = [one._asdict() for one in self.annotators]
        if self.kappa is not None:
            found["kappa"] = [{"first": a, "second": b, "cohen": value} for (a, b), value in self.kappa.cohen.items()]
        if self.labels:
            found["labels"] = [
                {
                    "label": label_text(row.label),
                    "f1": row.f1,
                    **dict(zip(SIDES, row.counts.to_dict().values(), strict=False)),
                }
                for row in self.labels
            ]
        worst = self.worst(SHOWN if brief else len(self.documents))
        return found | {"documents": [{"document": id, "value": value} for id, value in worst]}

    def notes(self) -> list[str]:
        return _summary(self)

    @property
    def signature(self) -> str:
        return self.metric.suite.signature

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the value of each pair of annotators with its interval, by matplotlib."""
        rows = [(f"{one.first} ~ {one.second}", one.value, one.low, one.high) for one in self.pairs]
        title = f"Agreement of {count_units(len(rows), 'pairs')} of annotators: mean {self.mean:.3f}"
        return plot_intervals(rows, self.mean, title, self.metric.name, [True] * len(rows), ax)


def agreement(
    suite: Scorable,
    annotators: Annotators,
    *,
    metric: str | None = None,
    by: Selectable = None,
    label: Selectable = None,
    units: Selectable = None,
    label_similarity: Similarity | None = None,
    absent: Absent = "label",
    pairs: int = PAIRS,
    method: Literal["delta", "bootstrap"] = "delta",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    done: Done | None = None,
) -> Agreement:
    """Measure how well annotators agree: give each name its documents, by id, or in order with None for a missing one.

    A long table (rows of document, annotator and label, or a frame with these columns) gives documents with `labels`,
    and a `label` where there is one: `agreement(f1("labels"), frame, label="label")`.

    `by` tells which labels of elements are agreed on least. `label` adds κ: of documents, or with `units` of elements
    that have the same key (`units="span", label="type"`); `label_similarity` gives credit to similar labels, and
    `absent="missing"` leaves an annotator out who does not have a unit. What chance would give is known exactly up to
    `pairs` pairs of different annotations, and from that many drawn pairs beyond. Intervals are made as by `intervals`.
    `done` is told how many pairs are compared, of documents and then by chance.

    >>> import matchwise as mw
    >>> ann, bob = [{"xs": ["a"]}, {"xs": ["b"]}], [{"xs": ["a"]}, {"xs": ["c"]}]
    >>> mw.agreement(mw.f1("xs"), {"ann": ann, "bob": bob}, resamples=0).mean
    0.5
    """
    check_choice("method", method, ("delta", "bootstrap"))
    setting = check_options(method, level, ("value",), max(resamples, 100), seed)
    check_whole("pairs", pairs, 100, "at least 100, better 20_000")
    asked = metric_of(suite, metric)
    found = gather(annotators)
    observed = observed_pairs(asked, found, done)
    chance: ChancePairs | str
    try:
        chance = chance_pairs(asked, found, pairs, seed, done)
    except DataError as error:  # a metric such as one over parses does not exist for two different documents
        chance = f"documents cannot be compared with each other: {error.problem}"
    labels = _labels(asked, found, by) if selector(by) else ()
    named = None
    if selector(label):
        elements = root_collection(asked.phi) if selector(units) else None
        named = kappa(
            found, selector(label), elements=elements, units=selector(units), similarity=label_similarity, absent=absent
        )
    elif selector(units) or label_similarity is not None:
        raise ExpressionError('kappa needs the label of each unit; write label="type"')
    return Agreement(asked, found, observed, chance, setting, labels, named)


def _labels(metric: AgreementMetric, found: Annotations, by: Selectable) -> tuple[Label, ...]:
    """The counts of each label over all pairs of annotators."""
    pairs = []
    for id in found.shared():
        here = list(found.table[id].values())
        pairs += [(one, other, id) for one, other in combinations(here, 2)]
    report = run(Tally(metric.suite, by=by), pairs).report()
    rows = [Label(label, parts[metric.name].f1, parts[metric.name].counts) for label, parts in report.by.items()]
    return tuple(sorted(rows, key=lambda row: (row.f1, label_text(row.label))))


SIDES = ("matched", "first", "second", "recalled")
"""What the counts of two annotators are called, of whom none is a reference."""

SHOWN = 5
"""Documents and labels that are listed."""


def render(found: Agreement, worst: int = SHOWN) -> str:
    """Everything that was measured."""
    blocks = ["\n".join(_summary(found))]
    pairs = [(f"{row.first} ~ {row.second}", *map(_number, row[2:5]), str(row.documents)) for row in found.pairs]
    blocks.append(align_cells([("pair", found.metric.name, "low", "high", "documents"), *pairs]))
    if len(found.annotations.names) > 2:
        people = [(one.name, str(one.documents), _number(one.value), _number(one.without)) for one in found.annotators]
        blocks.append(align_cells([("annotator", "documents", "with others", "α without"), *people]))
    if found.kappa is not None:
        kappa = found.kappa
        rows = [(f"{a} ~ {b}", _number(value)) for (a, b), value in kappa.cohen.items()]
        said = f"mean κ {_number(kappa.mean)}, Fleiss' κ {_number(kappa.fleiss)} over {kappa.fleiss_units} units, "
        said += f"α of labels {_number(kappa.alpha)} over {kappa.units} units"
        blocks.append(align_cells([("pair", "Cohen's κ"), *rows]) + f"\n{said}")
    if found.labels:
        some = found.labels[: max(worst, SHOWN)]
        names = SIDES if any(row.counts.recalled is not None for row in some) else SIDES[:-1]
        cells = []
        for row in some:
            sides = (row.counts.matched, row.counts.predicted, row.counts.reference, row.counts.found)
            counted = (f"{plain(n):g}" for n in sides[: len(names)])
            cells.append((label_text(row.label), _number(row.f1), *counted))
        blocks.append(align_cells([("label", "f1", *names), *cells]))
    lowest = [(str(id), _number(value)) for id, value in found.worst(worst)]
    if lowest:
        blocks.append(align_cells([("document", found.metric.name), *lowest]))
    blocks.append(found.metric.suite.signature)
    return "\n\n".join(blocks)


def _summary(found: Agreement) -> list[str]:
    between = "" if found.interval is None else f" ({found.interval[0]:.4f} to {found.interval[1]:.4f})"
    names = found.annotations.names
    lines = [
        f"{len(names)} annotators, {count_units(len(found.annotations.shared()), 'documents')} that two or more have",
        f"mean {found.metric.name} of two annotators  {found.mean:.4f}{between}",
        f"α over documents  {_alpha(found.alpha)}",
    ]
    if found.elements is not None:
        lines.append(f"α over elements   {_alpha(found.elements)}")
    if found.units is not None:
        lines.append(f"α over units      {_alpha(found.units)}")
    if found.interval is not None:
        setting = found.setting
        how = name_method(setting.method, setting.resamples, setting.seed)
        lines.append(f"{setting.level * 100:g} % intervals over documents by the {how}")
    return [*lines, *(f"warning: {warning}" for warning in found.warnings)]


def _alpha(found: Alpha) -> str:
    if found.value is None:
        return f"–  ({found.reason})"
    between = "" if found.low is None else f" ({found.low:.4f} to {found.high:.4f})"
    error = f", ± {found.error:.4f} as chance is estimated" if found.error else ""
    return f"{found.value:.4f}{between}; distance {found.observed:.4f}, {found.expected:.4f} by chance{error}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"

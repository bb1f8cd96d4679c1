"""Intervals: how much scores would vary over other corpora of the same kind.

>>> from matchwise.algebra.build import f1
>>> from matchwise.corpus.tally import Tally
>>> tally = Tally(f1("xs"))
>>> for number in range(40):
...     _ = tally.add({"xs": [1, 2]}, {"xs": [1, 2 + number % 2]})
>>> found = intervals(tally)["score"]
>>> found.value, round(found.low, 4), round(found.high, 4)
(0.75, 0.6608, 0.8221)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from matchwise.corpus.counts import Part
from matchwise.corpus.estimates import (
    REMEDY,
    UnitSupport,
    bootstrap_warnings,
    error_warnings,
    estimates_dict,
    part_dict,
    sample_warnings,
    support,
)
from matchwise.corpus.moments import ENOUGH, logit_interval, moments, plain_interval
from matchwise.corpus.report import Report, as_table
from matchwise.corpus.resampling import Value, bca_interval, percentile_interval, resample
from matchwise.corpus.statistic import SCORES, Score, Statistic, part_statistics, statistics
from matchwise.corpus.table import Clusters, Table, sort_parts
from matchwise.corpus.tally import Tally
from matchwise.errors import ExpressionError, MatchwiseError, count_units, suggestion
from matchwise.shown import Shown

if TYPE_CHECKING:
    from matchwise.corpus.statistic import Array

Method: TypeAlias = Literal["delta", "bootstrap", "bca"]

_METHODS = {
    "delta": "delta method on the logit scale",
    "bootstrap": "percentile bootstrap",
    "bca": "bias-corrected and accelerated bootstrap",
}


@dataclass(frozen=True, slots=True)
class Interval:
    """A score and its interval; both ends are None where there are too few units to say."""

    metric: str
    score: str
    value: float
    low: float | None
    high: float | None
    units: int
    """In which it occurs."""
    part: Part | None = None
    headline: bool = False
    """Whether it is the value of the metric's own kind."""

    def to_dict(self) -> dict[str, Any]:
        return part_dict(self.part) | {
            name: getattr(self, name) for name in ("metric", "score", "value", "low", "high", "units")
        }


@dataclass(frozen=True, repr=False)
class Intervals(Shown):
    """The intervals of a report: `found["muc"].low`, `found["muc", "recall"].high`, `found.by["person"]["ents"]`."""

    method: Method
    level: float
    units: Literal["documents", "clusters"]
    n: int
    rows: tuple[Interval, ...]
    warnings: tuple[str, ...]
    signature: str
    resamples: int | None = None
    seed: int | None = None

    def __getitem__(self, key: str | tuple[str, str]) -> Interval:
        metric, score = key if isinstance(key, tuple) else (key, None)
        for row in self.rows:
            if row.part is None and row.metric == metric and (row.score == score if score else row.headline):
                return row
        known = [f"{row.metric}, {row.score}" for row in self.rows if row.part is None]
        raise ExpressionError(f"no interval of {key!r}{suggestion(str(metric), known)}")

    def __iter__(self) -> Iterator[Interval]:
        return iter(self.rows)

    @cached_property
    def by(self) -> dict[Hashable, dict[str, Interval]]:
        """Label -> metric -> interval of its value."""
        return _group(self.rows, "label")

    @cached_property
    def fields(self) -> dict[Hashable, dict[str, Interval]]:
        """Path of a field -> metric -> interval of its F1."""
        return _group(self.rows, "field")

    def to_dict(self) -> dict[str, Any]:
        """Everything, unrounded."""
        return estimates_dict(self, "intervals")

    def notes(self) -> list[str]:
        """How the intervals were made, and what to doubt."""
        drawn = "" if self.resamples is None else f", {self.resamples} resamples, seed {self.seed}"
        return [
            f"{count_units(self.n, self.units)}; {self.level * 100:g} % intervals by the {_METHODS[self.method]}"
            f"{drawn}",
            *(f"warning: {warning}" for warning in self.warnings),
        ]

    def __repr__(self) -> str:
        """One line; `print(found)` has the tables."""
        rows = (row for row in self.rows if row.part is None and row.headline)
        return f"<Intervals of {', '.join(f'{row.metric} {row.value:.4f}' for row in rows)}>"


def intervals(
    scored: Report | Tally | Table,
    *,
    method: Method = "delta",
    level: float = 0.95,
    scores: Sequence[Score] = ("precision", "recall", "value"),
    cluster: Clusters | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> Intervals:
    """Compute a confidence interval for every metric, and for every label and field that was counted.

    `"delta"` reads second moments and draws nothing; `"bootstrap"` and `"bca"` draw `resamples` corpora. The unit is
    the document; `cluster` (id -> cluster, or one for each document in order) sums documents of one source first.

    >>> from matchwise import evaluate, f1, intervals
    >>> refs = [{"xs": [n]} for n in range(40)]
    >>> report = evaluate(f1("xs"), [{"xs": [n if n > 4 else -1]} for n in range(40)], refs)
    >>> [(round(each.low, 4), round(each.high, 4)) for each in intervals(report).rows]
    [(0.7244, 0.9491), (0.7244, 0.9491), (0.7244, 0.9491)]
    """
    check_options(method, level, scores, resamples, seed)
    given = as_table(scored)
    units = given if cluster is None else given.cluster(cluster)
    rows: list[Interval] = []
    supports: list[UnitSupport] = []
    for part, scored_by, counts in _score_part(units, scores):
        rows += _measure(scored_by, counts, part, method, level, resamples, seed)
        headline = dict(scored_by).get("value", scored_by[0][1])
        if method != "delta" and (found := support(headline, part, headline.project(counts))):
            supports.append(found)
    named: Literal["documents", "clusters"] = "documents" if cluster is None else "clusters"
    return Intervals(
        method,
        level,
        named,
        len(units),
        tuple(rows),
        (
            *sample_warnings(len(units), named, ((row.part, row.units) for row in rows)),
            *error_warnings([given]),
            *(() if method == "delta" else bootstrap_warnings(len(units), named, supports)),
            *_flat_warnings(rows, method),
        ),
        units.signature,
        None if method == "delta" else resamples,
        None if method == "delta" else seed,
    )


def _score_part(
    units: Table, scores: Sequence[Score]
) -> Iterator[tuple[Part | None, list[tuple[Score, Statistic]], Array]]:
    """The statistics of each metric, then of each label and field, and the counts they read."""
    counts = units.counts
    for metric in units.readings:
        yield None, statistics(units.readings, metric, scores), counts
    for part in sort_parts(units.parts):
        yield part, part_statistics(units.readings, part, scores), units.slice(part)[1]


def _measure(
    scored: list[tuple[Score, Statistic]],
    counts: Array,
    part: Part | None,
    method: Method,
    level: float,
    resamples: int,
    seed: int,
) -> Iterator[Interval]:
    """The intervals of the scores of one metric, which share their resamples."""
    forms = np.concatenate([one.project(counts) for _, one in scored], axis=1)
    drawn: Array | None = None
    first = 0
    for score, one in scored:
        mine = slice(first, first + len(one.forms))
        first = mine.stop
        value = float(one.of(one.total(counts)))
        seen = moments(forms[:, mine], zeros=one.is_total)
        low: float | None = None
        high: float | None = None
        if seen.n < ENOUGH:
            pass
        elif method == "delta" and one.bounded(forms[:, mine]):
            low, high = logit_interval(one, seen, level)
        elif method == "delta":
            low, high = plain_interval(value, one.gradient(seen.rounded), seen, level)
        else:
            drawn = resample(forms, resamples, seed) if drawn is None else drawn
            low, high = drawn_interval(one.of, forms[:, mine], drawn[:, mine], method, level)
        yield Interval(one.metric, one.score, value, low, high, seen.n, part, score == "value")


def drawn_interval(value: Value, forms: Array, drawn: Array, method: Method, level: float) -> tuple[float, float]:
    """From the summed forms of resamples."""
    if method == "bca":
        return bca_interval(value, forms, value(drawn), level)
    return percentile_interval(value(drawn), level)


def check_options(method: Method, level: float, scores: Sequence[Score], resamples: int, seed: int) -> None:
    """Refuse wrong options before anything is drawn."""
    if method not in get_args(Method):
        raise MatchwiseError(f"method={method!r}{suggestion(str(method), get_args(Method))}")
    if not 0 < level < 1:
        raise MatchwiseError(f"level={level!r}; write a share between 0 and 1, as in level=0.95")
    if isinstance(scores, str) or not scores or not set(scores) <= set(SCORES):
        raise MatchwiseError(f'scores={scores!r}; write some of {", ".join(SCORES)}, as in scores=["value"]')
    if isinstance(resamples, bool) or not isinstance(resamples, int) or resamples < 100:
        raise MatchwiseError(f"resamples={resamples!r}; write at least 100, better 10_000")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise MatchwiseError(f"seed={seed!r}; write a whole number that is not negative")


def _flat_warnings(rows: Iterable[Interval], method: Method) -> list[str]:
    flat = sorted({row.metric for row in rows if method != "delta" and row.low is not None and row.low == row.high})
    if not flat:
        return []
    return [f"all resamples give the same {', '.join(flat)}, so the interval has no width; {REMEDY}"]


def _group(rows: Iterable[Interval], kind: str) -> dict[Hashable, dict[str, Interval]]:
    found: dict[Hashable, dict[str, Interval]] = {}
    for row in rows:
        if row.part is not None and row.part.kind == kind and row.headline:
            found.setdefault(row.part.name, {})[row.metric] = row
    return found

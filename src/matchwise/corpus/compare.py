"""Comparison: do systems differ by more than the choice of documents explains?

>>> from matchwise.algebra.build import f1
>>> from matchwise.corpus.tally import Tally
>>> good, poor = Tally(f1("xs")), Tally(f1("xs"))
>>> for number in range(40):
...     _ = good.add({"xs": [1, 2]}, {"xs": [1, 2]}), poor.add({"xs": [1, 2 + number % 2]}, {"xs": [1, 2]})
>>> found = compare({"poor": poor, "good": good})["score"]
>>> found.difference, found.p < 0.001
(0.25, True)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from matchwise.corpus.counts import Part
from matchwise.corpus.estimates import (
    UnitSupport,
    bootstrap_warnings,
    chance_warnings,
    difference_warnings,
    error_warnings,
    estimates_dict,
    lowest_p,
    part_dict,
    sample_warnings,
    support,
)
from matchwise.corpus.intervals import Method, check_options, drawn_interval
from matchwise.corpus.moments import ENOUGH, moments, plain_interval
from matchwise.corpus.report import Report, as_table
from matchwise.corpus.resampling import Value, holm, p_values, resample
from matchwise.corpus.statistic import Score, Statistic, part_statistics, statistics
from matchwise.corpus.systems import pair_systems, side_by_side
from matchwise.corpus.table import Clusters, Table, sort_parts
from matchwise.corpus.tally import Tally
from matchwise.errors import ExpressionError, MatchwiseError, count_units, suggestion
from matchwise.shown import Shown

if TYPE_CHECKING:
    from matchwise.corpus.statistic import Array

Pairs: TypeAlias = Literal["baseline", "all"]

_METHODS = {
    "delta": "paired delta method",
    "bootstrap": "paired percentile bootstrap",
    "bca": "paired bias-corrected and accelerated bootstrap",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """A score of two systems, and how much better the second is."""

    metric: str
    score: str
    baseline: str
    system: str
    baseline_value: float
    value: float
    low: float | None
    high: float | None
    p: float
    """The probability of a difference at least this large if the systems were equally good."""
    p_holm: float
    """The same, corrected for all comparisons of its table."""
    units: int
    """In which the score occurs."""
    differing: int
    """On which the systems differ."""
    part: Part | None = None
    headline: bool = False

    @property
    def difference(self) -> float:
        return self.value - self.baseline_value

    def to_dict(self) -> dict[str, Any]:
        kept = ("metric", "score", "baseline", "system", "baseline_value", "value", "difference", "low", "high")
        also = ("p", "p_holm", "units", "differing")
        return part_dict(self.part) | {name: getattr(self, name) for name in (*kept, *also)}


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """All differences: `found["muc"]` of two systems, `found["muc", "new"]` of several, `found.rows` of everything."""

    systems: tuple[str, ...]
    method: Method
    level: float
    units: Literal["documents", "clusters"]
    n: int
    resamples: int
    seed: int
    rows: tuple[Difference, ...]
    warnings: tuple[str, ...]
    signature: str

    def __getitem__(self, key: str | tuple[str, str]) -> Difference:
        metric, system = key if isinstance(key, tuple) else (key, None)
        for row in self.rows:
            if row.part is None and row.headline and row.metric == metric and system in (None, row.system):
                return row
        known = [f"{row.metric}, {row.system}" for row in self.rows if row.part is None]
        raise ExpressionError(f"no difference of {key!r}{suggestion(str(metric), known)}")

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.rows)

    @property
    def lowest_p_holm(self) -> float:
        """The lowest corrected p-value that is possible with this number of documents."""
        return min(1.0, lowest_p(self.n, self.resamples) * sum(row.part is None for row in self.rows))

    def regressions(self, alpha: float = 0.05) -> list[Difference]:
        """Where a system is worse than its baseline, by the corrected p-value."""
        return [row for row in self.rows if row.difference < 0 and row.p_holm <= alpha]

    def improvements(self, alpha: float = 0.05) -> list[Difference]:
        """Where a system is better than its baseline, by the corrected p-value."""
        return [row for row in self.rows if row.difference > 0 and row.p_holm <= alpha]

    def to_dict(self) -> dict[str, Any]:
        """Everything, unrounded."""
        return {"systems": list(self.systems)} | estimates_dict(self, "differences")

    def notes(self) -> list[str]:
        """How the numbers were made, and what to doubt."""
        return [
            f"{count_units(self.n, self.units)}; {self.level * 100:g} % intervals by the {_METHODS[self.method]}",
            f"p by approximate randomisation, {self.resamples} exchanges, seed {self.seed}; "
            "p_holm holds for all rows of its table together",
            *(f"warning: {warning}" for warning in self.warnings),
        ]

    def __repr__(self) -> str:
        """One line; `print(found)` has the tables."""
        return f"<Comparison of {', '.join(self.systems)} on {count_units(self.n, self.units)}>"


def compare(
    systems: Mapping[str, Report | Tally | Table],
    *,
    baseline: str | None = None,
    pairs: Pairs = "baseline",
    scores: Sequence[Score] = ("value",),
    method: Method = "delta",
    level: float = 0.95,
    cluster: Clusters | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare systems that were scored on the same documents by the same suite: `compare({"old": a, "new": b})`.

    Each system is compared with the `baseline`, which is the first unless named, or with `pairs="all"` each with each:
    the difference, its paired interval, and the p-value of approximate randomisation with and without Holm's correction
    for all comparisons. Labels and fields that were counted have tables and corrections of their own. Documents are
    joined by id; `cluster` is as in `intervals`.

    >>> from matchwise import compare, evaluate, f1
    >>> refs = [{"xs": [n]} for n in range(40)]
    >>> a = evaluate(f1("xs"), [{"xs": [n if n > 12 else -1]} for n in range(40)], refs)
    >>> b = evaluate(f1("xs"), [{"xs": [n if n > 2 else -1]} for n in range(40)], refs)
    >>> row = compare({"a": a, "b": b}).rows[0]
    >>> round(row.difference, 4), round(row.p, 4)
    (0.25, 0.002)
    """
    check_options(method, level, scores, resamples, seed)
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise MatchwiseError('compare takes two systems or more; write compare({"old": report, "new": other})')
    if pairs not in ("baseline", "all"):
        raise MatchwiseError(f'pairs={pairs!r}; write pairs="baseline" or pairs="all"')
    if baseline is not None and baseline not in systems:
        raise MatchwiseError(f"no system {baseline!r}{suggestion(baseline, systems)}")
    names = sorted(systems, key=lambda name: name != baseline)
    given = {name: as_table(systems[name]) for name in names}
    units = pair_systems(given)
    if cluster is not None:
        units = {name: one.cluster(cluster) for name, one in units.items()}
    setting = _Setting(tuple(scores), method, level, resamples, seed)
    chosen = combinations(names, 2) if pairs == "all" else ((names[0], name) for name in names[1:])
    tested = [found for base, name in chosen for found in _differences(setting, base, name, units[base], units[name])]
    rows = [row for row, _ in tested]
    order = {(row.part, row.metric, row.score): place for place, row in reversed(list(enumerate(rows)))}
    rows.sort(key=lambda row: order[row.part, row.metric, row.score])
    n = len(units[names[0]])
    named: Literal["documents", "clusters"] = "documents" if cluster is None else "clusters"
    supports = [found for row, found in tested if found is not None and row.headline]
    doubts = difference_warnings(named, supports) if method == "delta" else bootstrap_warnings(n, named, supports)
    warnings = (
        *sample_warnings(n, named, ((row.part, row.units) for row in rows)),
        *chance_warnings(n, named, sum(row.part is None for row in rows), resamples),
        *error_warnings(given.values()),
        *doubts,
    )
    return Comparison(
        tuple(names),
        method,
        level,
        named,
        n,
        resamples,
        seed,
        tuple(_correct(rows)),
        warnings,
        units[names[0]].signature,
    )


@dataclass(frozen=True, slots=True)
class _Setting:
    scores: tuple[Score, ...]
    method: Method
    level: float
    resamples: int
    seed: int


def _differences(
    setting: _Setting, base: str, name: str, one: Table, other: Table
) -> Iterator[tuple[Difference, UnitSupport | None]]:
    """Yield the differences of the metrics, then of labels and fields, each with its support."""
    metrics = [found for metric in one.readings for found in statistics(one.readings, metric, setting.scores)]
    yield from _test(setting, base, name, metrics, one.counts, other.counts, None)
    for part in sort_parts([*one.parts, *other.parts]):
        scored = part_statistics(one.readings, part, setting.scores)
        yield from _test(setting, base, name, scored, *side_by_side(part, one, other), part)


def _test(
    setting: _Setting,
    base: str,
    name: str,
    scored: list[tuple[Score, Statistic]],
    one: Array,
    other: Array,
    part: Part | None,
) -> Iterator[tuple[Difference, UnitSupport | None]]:
    """Everything about some scores of two systems; the exchanges are the same for all."""
    values = [_of_columns(statistic) for _, statistic in scored]
    chances = p_values(values, one, other, setting.resamples, setting.seed)
    for (score, statistic), p in zip(scored, chances, strict=True):
        before, after = (float(statistic.of(statistic.total(columns))) for columns in (one, other))
        low, high, n = _interval(setting, statistic, one, other, after - before)
        sides = statistic.project(one), statistic.project(other)
        differing = int((sides[0] != sides[1]).any(axis=1).sum())
        headline = score == "value"
        found = (before, after, low, high, p, p, n, differing, part, headline)
        row = Difference(statistic.metric, statistic.score, base, name, *found)
        yield row, support(statistic, part, *sides)


def _of_columns(statistic: Statistic) -> Value:
    return lambda sums: statistic.of(statistic.project(sums))


def _interval(
    setting: _Setting, statistic: Statistic, one: Array, other: Array, difference: float
) -> tuple[float | None, float | None, int]:
    """The interval of the difference, by the forms of both systems side by side, and the number of units behind it."""
    width = len(statistic.forms)
    forms = np.concatenate([statistic.project(one), statistic.project(other)], axis=1)
    seen = moments(forms, zeros=statistic.is_total)
    if seen.n < ENOUGH:
        return None, None, seen.n
    if setting.method == "delta":
        sums = seen.rounded
        gradient = np.concatenate([-statistic.gradient(sums[:width]), statistic.gradient(sums[width:])])
        return *plain_interval(difference, gradient, seen, setting.level), seen.n

    def value(sums: Array) -> Array:
        return statistic.of(sums[..., width:]) - statistic.of(sums[..., :width])

    drawn = resample(forms, setting.resamples, setting.seed)
    return *drawn_interval(value, forms, drawn, setting.method, setting.level), seen.n


def _correct(rows: list[Difference]) -> list[Difference]:
    """Holm over systems × metrics; labels and fields are families of their own."""
    families: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        families.setdefault(row.part.kind if row.part else "", []).append(place)
    made = list(rows)
    for places in families.values():
        for place, p in zip(places, holm([rows[place].p for place in places]), strict=True):
            made[place] = replace(rows[place], p_holm=p)
    return made

"""Comparison: do systems differ by more than the choice of documents explains?

The p of a row comes from `variation.p_value`, which exchanges documents between two systems; `holm` corrects it.

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

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from matchwise.arrays import Floats
from matchwise.corpus.counts import ERRORS, WIDTH, Portion, PortionRows, Reading, Score
from matchwise.corpus.report import Report, as_table
from matchwise.corpus.statistic import REFERENCE, Statistic, part_statistics, statistics
from matchwise.corpus.table import Clusters, Id, Table, sort_parts
from matchwise.corpus.tally import Tally
from matchwise.errors import (
    DataError,
    ExpressionError,
    MatchwiseError,
    MergeError,
    check_choice,
    count_units,
    suggestion,
)
from matchwise.sheets.html import forest
from matchwise.sheets.plots import IntervalRow, plot_intervals
from matchwise.sheets.table import ALPHA, ColumnHead, PrintedTable, Sheet
from matchwise.statistics.intervals import (
    METHODS,
    Estimates,
    Method,
    Setting,
    Units,
    UnitSupport,
    bootstrap_warnings,
    check_options,
    difference_warnings,
    drawn_interval,
    error_warnings,
    row_dict,
    sample_warnings,
    support,
)
from matchwise.statistics.variation import ENOUGH, holm, moments, p_value, plain_interval, resample

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.axes import Axes

Pairs: TypeAlias = Literal["baseline", "all"]

USUAL = 0.05
"""The p-value that most people ask for."""

CLOSE = 1e-9
"""Share by which two counts of one reference may differ by rounding."""


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
    """Documents (or clusters) that have this score."""
    differing: int
    """Documents (or clusters) on which the systems differ."""
    exchanges: int
    """Exchanges that were tried; p is a share of them."""
    exact: bool
    """Whether these are all exchanges there are, or some at random."""
    part: Portion | None = None
    headline: bool = False

    @property
    def difference(self) -> float:
        return self.value - self.baseline_value

    @property
    def gain(self) -> float:
        """How much better the second system is: a lower error rate is."""
        return -self.difference if self.score in ERRORS else self.difference

    def to_dict(self) -> dict[str, Any]:
        kept = ("metric", "score", "baseline", "system", "baseline_value", "value", "difference", "low", "high")
        return row_dict(self, *kept, "p", "p_holm", "units", "differing", "exchanges", "exact")


DIFFERENCE = {
    "difference": ColumnHead("", "difference", "signed"), "low": ColumnHead("", "low", "signed"),
    "high": ColumnHead("", "high", "signed"), "p": ColumnHead("", "p", "p"), "p_holm": ColumnHead("", "p_holm", "p"),
    "units": ColumnHead("", "units", "count"), "differing": ColumnHead("", "differing", "count"),
}  # fmt: skip


@dataclass(frozen=True, repr=False)
class Comparison(Estimates[Difference]):
    """All differences: `found["muc"]` of two systems, `found["muc", "new"]` of several, `found.rows` of everything."""

    NAME = "differences"

    resamples: int = 0
    systems: tuple[str, ...] = ()

    def __getitem__(self, key: str | tuple[str, str]) -> Difference:
        metric, system = key if isinstance(key, tuple) else (key, None)
        for row in self.rows:
            if row.part is None and row.headline and row.metric == metric and system in (None, row.system):
                return row
        known = dict.fromkeys(f"{row.metric}, {row.system}" for row in self.rows if row.part is None)
        raise ExpressionError(f"no difference of {key!r}{suggestion(str(metric), known)}")

    @property
    def lowest_p_holm(self) -> float:
        """The lowest corrected p-value that is possible with this number of documents."""
        return min(1.0, lowest_p(self.n, self.resamples) * sum(row.part is None for row in self.rows))

    def regressions(self, alpha: float = 0.05) -> list[Difference]:
        """Where a system is worse than its baseline, by the corrected p-value."""
        return [row for row in self.rows if row.gain < 0 and row.p_holm <= alpha]

    def improvements(self, alpha: float = 0.05) -> list[Difference]:
        """Where a system is better than its baseline, by the corrected p-value."""
        return [row for row in self.rows if row.gain > 0 and row.p_holm <= alpha]

    def to_dict(self) -> dict[str, Any]:
        """Everything, unrounded."""
        return {"systems": list(self.systems)} | super().to_dict()

    def notes(self) -> list[str]:
        """How the numbers were made, and what to doubt."""
        test = f"p by {self.name_test(self.rows)}; p_holm holds for all rows of its table together"
        return self._say(f"paired {METHODS[self.method]}", test)

    def verdicts(self) -> list[str]:
        """Which system is better, in words: a sentence for each pair of systems, by main scores and corrected p."""
        pairs: dict[tuple[str, str], list[Difference]] = {}
        for row in self.headlines():
            pairs.setdefault((row.baseline, row.system), []).append(row)
        return [_say_verdict(rows, self.units) for rows in pairs.values()]

    def headlines(self) -> list[Difference]:
        """The differences of the main scores."""
        return [row for row in self.rows if row.part is None and row.headline]

    def sheet(self) -> Sheet:
        """The differences; two systems, and a baseline that all rows share, give their names to columns of scores.

        Which score is compared is said where it is not the main score of each metric.
        """
        bases, others = ({getattr(row, side) for row in self.rows} for side in ("baseline", "system"))
        columns = {"label": "label", "field": "field", "metric": "metric"}
        columns |= {} if all(row.headline for row in self.rows) else {"score": "score"}
        columns |= (
            {"baseline_value": min(bases)}
            if len(bases) == 1
            else {"baseline": "baseline", "baseline_value": "its value"}
        )
        columns |= {"value": min(others)} if len(others) == 1 else {"system": "system", "value": "value"}
        scores = ("baseline_value", "value")
        heads = {name: ColumnHead("", title, "score" if name in scores else "text") for name, title in columns.items()}
        heads |= DIFFERENCE
        own = frozenset(name for name, some in (("baseline_value", bases), ("value", others)) if len(some) == 1)
        spared = (("differing",), ("units",), ("p",), ("score",), ("low", "high"))
        tables = {
            title: tuple({name: row[name] for name in heads if name in row} for row in rows)
            for title, rows in self.tables().items()
        }
        printed = (PrintedTable(title, rows, own, heads, spared) for title, rows in tables.items())
        return Sheet(tuple(printed), (*self.verdicts(), *self.notes()), self.signature)

    def chart(self) -> Markup:
        return forest(self._interval_rows())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the differences of the main scores with their intervals; those that are significant are filled."""
        title = f"{' and '.join(self.systems[1:])} against {self.systems[0]}"
        label = f"difference, {self.level * 100:g} % intervals; ● p ≤ {ALPHA:g}"
        filled = [row.p_holm <= ALPHA for row in self.headlines()]
        return plot_intervals(self._interval_rows(), 0, title, label, filled, ax)

    def _interval_rows(self) -> list[IntervalRow]:
        rows = self.headlines()
        several = len({row.system for row in rows}) > 1
        return [
            (f"{row.system} {row.metric}" if several else row.metric, row.difference, row.low, row.high) for row in rows
        ]

    def name_test(self, rows: Sequence[Difference]) -> str:
        """How the p-values of some rows were made: `approximate randomisation, 10000 exchanges, seed 0`."""
        if all(row.exact for row in rows):
            return "exact randomisation over all exchanges"
        some = " (exact where few documents differ)" if any(row.exact for row in rows) else ""
        return f"approximate randomisation, {self.resamples} exchanges, seed {self.seed}{some}"

    def __repr__(self) -> str:
        """One line; `print(found)` has the tables."""
        return f"<Comparison of {', '.join(self.systems)} on {count_units(self.n, self.units)}>"


def _say_verdict(rows: list[Difference], units: Units) -> str:
    """`new is better than old: strict +0.2222, p = 0.0039; 9 of 20 documents differ`."""
    sides: dict[str, list[Difference]] = {"better than": [], "worse than": [], "not significantly different from": []}
    for row in rows:
        is_chance = not row.gain or row.p_holm > ALPHA
        how = "better than" if row.gain > 0 else "worse than"
        sides["not significantly different from" if is_chance else how].append(row)
    said: list[str] = []
    for how, some in sides.items():
        if len(rows) == 1:
            by = f": {rows[0].metric} {rows[0].difference:+.4f}, p = {rows[0].p_holm:.4f}"
        elif len(some) == len(rows):
            by = f" by {'any of' if how.startswith('not') else 'all'} {len(rows)} metrics"
        else:
            by = f" by {', '.join(row.metric for row in some[:3])}{f' and {len(some) - 3} more' if some[3:] else ''}"
        if some:
            said.append(f"{how.rpartition(' ')[0]}{by}" if said else f"{how} {rows[0].baseline}{by}")
    most = max(rows, key=lambda row: row.differing)
    differ = f"{most.differing} of {count_units(most.units, units)} {'differs' if most.differing == 1 else 'differ'}"
    return f"{rows[0].system} is {', '.join(said)}; {differ}"


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
    metrics: Sequence[str] | None = None,
) -> Comparison:
    """Compare systems that were scored on the same documents by the same suite: `compare({"old": a, "new": b})`.

    Each system is compared with the `baseline`, which is the first unless named, or with `pairs="all"` each with each:
    the difference, its paired interval, and the p-value of approximate randomisation with and without Holm's correction
    for all comparisons. Labels and fields that were counted have tables and corrections of their own. Documents are
    joined by id; `cluster` is as in `intervals`. `metrics` names the metrics to compare and to correct for, if not all.

    >>> import matchwise as mw
    >>> refs = [{"xs": [n]} for n in range(40)]
    >>> a = mw.evaluate(mw.f1("xs"), [{"xs": [n if n > 12 else -1]} for n in range(40)], refs)
    >>> b = mw.evaluate(mw.f1("xs"), [{"xs": [n if n > 2 else -1]} for n in range(40)], refs)
    >>> row = mw.compare({"a": a, "b": b}).rows[0]
    >>> round(row.difference, 4), round(row.p, 4)
    (0.25, 0.002)
    """
    setting = check_options(method, level, scores, resamples, seed)
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise MatchwiseError('compare takes two systems or more; write compare({"old": report, "new": other})')
    check_choice("pairs", pairs, get_args(Pairs))
    if baseline is not None and baseline not in systems:
        raise MatchwiseError(f"no system {baseline!r}{suggestion(baseline, systems)}")
    names = sorted(systems, key=lambda name: name != baseline)
    given = {name: as_table(systems[name]) for name in names}
    units = pair_systems(given)
    readings = units[names[0]].readings
    kept = readings if metrics is None else metrics
    for metric in kept:
        if metric not in readings:
            raise ExpressionError(f"no metric {metric!r} in the suite{suggestion(metric, readings)}")
    if cluster is not None:
        units = {name: one.cluster(cluster) for name, one in units.items()}
    chosen = combinations(names, 2) if pairs == "all" else ((names[0], name) for name in names[1:])
    tested = [
        found for base, name in chosen for found in _differences(setting, base, name, units[base], units[name], kept)
    ]
    rows = [row for row, _ in tested]
    order = {(row.part, row.metric, row.score): place for place, row in reversed(list(enumerate(rows)))}
    rows.sort(key=lambda row: order[row.part, row.metric, row.score])
    families: dict[str, list[int]] = {}  # Holm over systems × metrics; labels and fields are families of their own
    for place, row in enumerate(rows):
        families.setdefault(row.part.kind if row.part else "", []).append(place)
    for places in families.values():
        for place, p in zip(places, holm([rows[place].p for place in places]), strict=True):
            rows[place] = replace(rows[place], p_holm=p)
    n = len(units[names[0]])
    named: Units = "documents" if cluster is None else "clusters"
    supports = [found for row, found in tested if found is not None and row.headline]
    doubts = difference_warnings(named, supports) if method == "delta" else bootstrap_warnings(n, named, supports)
    warnings = (
        *sample_warnings(n, named, ((row.part, row.units) for row in rows)),
        *chance_warnings(n, named, sum(row.part is None for row in rows), resamples),
        *error_warnings(given.values()),
        *doubts,
    )
    signature = units[names[0]].signature
    return Comparison(method, level, named, n, tuple(rows), warnings, signature, resamples, seed, systems=tuple(names))


def _differences(
    setting: Setting, base: str, name: str, one: Table, other: Table, kept: Container[str]
) -> Iterator[tuple[Difference, UnitSupport | None]]:
    """Yield the differences of the metrics that are kept, then of labels and fields, each with its support."""
    names = [metric for metric in one.readings if metric in kept]
    metrics = [found for metric in names for found in statistics(one.readings, metric, setting.scores)]
    yield from _test(setting, base, name, metrics, one.counts, other.counts, None)
    for part in sort_parts(part for part in [*one.parts, *other.parts] if part.metric in kept):
        scored = part_statistics(one.readings, part, setting.scores)
        yield from _test(setting, base, name, scored, *side_by_side(part, one, other), part)


def _test(
    setting: Setting,
    base: str,
    name: str,
    scored: list[tuple[Score, Statistic]],
    one: Floats,
    other: Floats,
    part: Portion | None,
) -> Iterator[tuple[Difference, UnitSupport | None]]:
    """Everything about some scores of two systems; each score is tested by itself."""
    for score, statistic in scored:
        before, after = (float(statistic.of(statistic.total(columns))) for columns in (one, other))
        low, high, n = _interval(setting, statistic, one, other, after - before)
        sides = statistic.project(one), statistic.project(other)
        differing = int((sides[0] != sides[1]).any(axis=1).sum())
        p, exchanges, exact = p_value(statistic.of, *sides, setting.resamples, setting.seed)
        found = (before, after, low, high, p, p, n, differing, exchanges, exact, part, score == "value")
        row = Difference(statistic.metric, statistic.score, base, name, *found)
        yield row, support(statistic, part, *sides)


def _interval(
    setting: Setting, statistic: Statistic, one: Floats, other: Floats, difference: float
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

    def value(sums: Floats) -> Floats:
        return statistic.of(sums[..., width:]) - statistic.of(sums[..., :width])

    drawn = resample(forms, setting.resamples, setting.seed)
    return *drawn_interval(setting, value, forms, drawn), seen.n


def chance_warnings(n: int, units: str, rows: int, resamples: int) -> list[str]:
    """Warn if n units allow too few exchanges for any difference to be significant."""
    least = lowest_p(n, resamples)
    if least > USUAL:
        return [f"with {count_units(n, units)} p cannot be below {least:.4g}, so no difference can reach p ≤ {USUAL}"]
    if rows * least > USUAL:
        return [
            f"with {count_units(n, units)} and {rows} rows p_holm cannot be below {rows * least:.4g}, "
            f"so no difference can reach p_holm ≤ {USUAL}; compare fewer metrics"
        ]
    return []


def lowest_p(n: int, resamples: int) -> float:
    """The least p-value that n units allow: only the outputs as they are, and all exchanged, differ as much.

    >>> lowest_p(5, 10_000), lowest_p(6, 10_000)
    (0.0625, 0.03125)
    """
    if 2**n <= resamples:
        return min(1.0, 2.0 ** (1 - n))
    return 1 / (1 + resamples)


def pair_systems(systems: Mapping[str, Table]) -> dict[str, Table]:
    """The same documents of every table, joined by id, or by position where documents have none.

    A document that some system has lost is left out of all; one that was counted as empty stays. Any other document
    that one has and another has not is an error, and so is a document whose reference is not the same.
    """
    (first, start), *others = systems.items()
    for name, one in others:
        if one.signature != start.signature:
            raise MergeError(
                f"{first} and {name} were scored by different metrics:\n  {start.signature}\n  {one.signature}"
            )
    places = {name: _places(name, one) for name, one in systems.items()}
    lost = {id for one in systems.values() for id in one.lost}
    kept = [id for id in places[first] if id not in lost]
    for name, _ in others:
        mine, theirs = (places[one].keys() - lost for one in (first, name))
        for has, has_not, missing in ((first, name, mine - theirs), (name, first, theirs - mine)):
            if missing:
                shown = ", ".join(sorted(map(str, missing))[:5]) + (" …" if len(missing) > 5 else "")
                raise DataError(
                    f"{len(missing)} of the documents of {has} are not in {has_not}: {shown}; "
                    "compare systems on the same documents (a missing prediction counts as an empty one)"
                )
    made = {}
    for name, one in systems.items():
        rows = [places[name][id] for id in kept]
        made[name] = one if rows == list(range(len(one))) else one.take(rows)
    for name, _ in others:
        _check_references(first, made[first], name, made[name], kept)
    return made


def share_stretches(systems: Mapping[str, Table]) -> dict[str, Table]:
    """Tables of the stretches of one text, which each system may cut elsewhere, summed up to stretches of them all.

    A stretch is named after the document of the reference that it begins with. Where all systems begin one, the text is
    cut.
    """
    starts = {name: {*_places(name, one), *one.lost} for name, one in systems.items()}
    shared = set.intersection(*starts.values())
    if all(found == shared for found in starts.values()):
        return dict(systems)
    for name, one in systems.items():
        if one.lost:
            raise DataError(
                f"the systems cut the text in different places, and {name} has documents that could not be scored "
                f"({next(iter(one.lost))}), so that the others cannot be found; correct them first"
            )
    made = {}
    for name, one in systems.items():
        begins: list[Id] = []  # the document that begins the stretch of each document
        for id in _places(name, one):
            begins.append(id if id in shared or not begins else begins[-1])
        made[name] = one.cluster(begins)
    return made


def side_by_side(part: Portion, one: Table, other: Table) -> tuple[Floats, Floats]:
    """The counts of a label or a field, in the documents in which either system has it."""
    (a, mine), (b, theirs) = (table.parts.get(part, PortionRows()).arrays() for table in (one, other))
    documents = np.union1d(a, b)
    first, second = np.zeros((2, len(documents), WIDTH))
    first[np.searchsorted(documents, a)] = mine
    second[np.searchsorted(documents, b)] = theirs
    return first, second


def _places(name: str, table: Table) -> dict[Id, int]:
    found: dict[Id, int] = {}
    for place, id in enumerate(table.names):
        if id in found:
            raise DataError(f"occurs twice in {name}; give each document its own id", document=id)
        found[id] = place
    return found


def _check_references(first: str, mine: Table, name: str, theirs: Table, ids: list[Id]) -> None:
    """Check that all systems were scored against the same references."""
    one, other = mine.counts, theirs.counts
    for at, metric in enumerate(mine.metrics):
        reading = mine.readings[metric]
        if isinstance(reading, Reading) and reading.kind != "mean" and not mine.prepared:
            column = at * WIDTH + REFERENCE
            apart = np.abs(one[:, column] - other[:, column])
            wrong = np.flatnonzero(apart > CLOSE * np.maximum(1, one[:, column]))
            if len(wrong):
                row = int(wrong[0])
                found = " and ".join(f"{counts[row, column]:g}" for counts in (one, other))
                problem = f"{first} and {name} were scored against different references: {metric} counts {found} of it"
                raise DataError(problem, document=ids[row])

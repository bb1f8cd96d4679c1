"""Intervals: how much scores would vary over other corpora of the same kind, and what to doubt of them.

The limits of the warnings come from `benchmarks/coverage.py`, which counts how often intervals hold the true score of
simulated corpora. A score near 1 rests on the documents with an error, and one near 0 on those with a match, however
many documents there are.

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

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeAlias, TypeVar, get_args

import numpy as np

from matchwise.arrays import Floats
from matchwise.corpus.counts import SCORES, Portion, Score, label_text
from matchwise.corpus.report import Report, as_table
from matchwise.corpus.statistic import Statistic, part_statistics, statistics
from matchwise.corpus.table import Clusters, Table, sort_parts
from matchwise.corpus.tally import Tally
from matchwise.corpus.values import Sums, not_kept
from matchwise.errors import ExpressionError, MatchwiseError, check_whole, count_units, name_some, suggestion
from matchwise.sheets.shown import FrameTables, Shown
from matchwise.sheets.table import Cell, PrintedTable, Sheet
from matchwise.statistics.variation import (
    ENOUGH,
    Moments,
    Value,
    bca_interval,
    logit_interval,
    moments,
    percentile_interval,
    plain_interval,
    read_moments,
    resample,
)

Method: TypeAlias = Literal["delta", "bootstrap", "bca"]

METHODS = {
    "delta": "delta method",
    "bootstrap": "percentile bootstrap",
    "bca": "bias-corrected and accelerated bootstrap",
}


def name_method(method: Method, resamples: int | None = None, seed: int | None = None) -> str:
    """How intervals were made: `delta method on the logit scale`."""
    return METHODS[method] + (" on the logit scale" if method == "delta" else f", {resamples} resamples, seed {seed}")


Units: TypeAlias = Literal["documents", "clusters"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A score and its interval; both ends are None where there are too few units to say."""

    metric: str
    score: str
    value: float
    low: float | None
    high: float | None
    units: int
    """Documents (or clusters) that have this score."""
    part: Portion | None = None
    headline: bool = False
    """Whether it is the value of the metric's own kind."""

    def to_dict(self) -> dict[str, Any]:
        return row_dict(self, "metric", "score", "value", "low", "high", "units")


def row_dict(row: Any, *names: str) -> dict[str, Any]:
    """Some attributes of an estimate, after `{"label": "person"}` or `{"field": "lines[].price"}` if it is of one."""
    part = {} if row.part is None else {row.part.kind: row.part.name}
    return part | {name: getattr(row, name) for name in names}


Row = TypeVar("Row")


@dataclass(frozen=True, repr=False)
class Estimates(Shown, Generic[Row]):
    """Rows of estimates: how they were made, and what to doubt of them."""

    NAME: ClassVar[str]
    """What the rows are called."""

    method: Method
    level: float
    units: Units
    n: int
    rows: tuple[Row, ...]
    warnings: tuple[str, ...]
    signature: str
    resamples: int | None = None
    seed: int | None = None

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything, unrounded."""
        how = {name: getattr(self, name) for name in ("method", "level", "units", "n", "resamples", "seed")}
        rows: tuple[Any, ...] = self.rows
        made = {self.NAME: [row.to_dict() for row in rows]}
        return how | made | {"warnings": list(self.warnings), "signature": self.signature}

    @abstractmethod
    def notes(self) -> list[str]:
        """How the numbers were made, and what to doubt."""

    def frame_tables(self) -> FrameTables:
        rows: tuple[Any, ...] = self.rows
        return {self.NAME: lambda: [row.to_dict() for row in rows]}

    def named_rows(self) -> Iterator[tuple[str, dict[str, Cell]]]:
        """Each row with the title of its table, and with the name of its label or field."""
        rows: tuple[Any, ...] = self.rows
        for row in rows:
            part = row.part
            named = {} if part is None else {part.kind: label_text(part.name)}
            yield "scores" if part is None else f"{part.kind}s", row.to_dict() | named

    def tables(self) -> dict[str, tuple[dict[str, Cell], ...]]:
        """Title -> rows."""
        found: dict[str, list[dict[str, Cell]]] = {}
        for title, row in self.named_rows():
            found.setdefault(title, []).append(row)
        return {title: tuple(rows) for title, rows in found.items()}

    def sheet(self) -> Sheet:
        tables = tuple(PrintedTable(title, rows) for title, rows in self.tables().items())
        return Sheet(tables, tuple(self.notes()), self.signature)

    def _say(self, method: str, *more: str) -> list[str]:
        """How the numbers were made, and what to doubt."""
        rows: tuple[Any, ...] = self.rows
        made = f"; {self.level * 100:g} % intervals by the {method}" if any(row.low is not None for row in rows) else ""
        return [count_units(self.n, self.units) + made, *more, *(f"warning: {warning}" for warning in self.warnings)]


@dataclass(frozen=True, repr=False)
class Intervals(Estimates[Interval]):
    """The intervals of a report: `found["muc"].low`, `found["muc", "recall"].high`, `found.by["person"]["ents"]`."""

    NAME = "intervals"

    def __getitem__(self, key: str | tuple[str, str]) -> Interval:
        metric, score = key if isinstance(key, tuple) else (key, None)
        for row in self.rows:
            if row.part is None and row.metric == metric and (row.score == score if score else row.headline):
                return row
        known = [f"{row.metric}, {row.score}" for row in self.rows if row.part is None]
        raise ExpressionError(f"no interval of {key!r}{suggestion(str(metric), known)}")

    @cached_property
    def by(self) -> dict[Hashable, dict[str, Interval]]:
        """Label -> metric -> interval of its value."""
        return _group(self.rows, "label")

    @cached_property
    def fields(self) -> dict[Hashable, dict[str, Interval]]:
        """Path of a field -> metric -> interval of its F1."""
        return _group(self.rows, "field")

    def notes(self) -> list[str]:
        """How the intervals were made, and what to doubt."""
        return self._say(name_method(self.method, self.resamples, self.seed))

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

    >>> import matchwise as mw
    >>> refs = [{"xs": [n]} for n in range(40)]
    >>> report = mw.evaluate(mw.f1("xs"), [{"xs": [n if n > 4 else -1]} for n in range(40)], refs)
    >>> [(round(each.low, 4), round(each.high, 4)) for each in mw.intervals(report).rows]
    [(0.7244, 0.9491), (0.7244, 0.9491), (0.7244, 0.9491)]
    """
    setting = check_options(method, level, scores, resamples, seed)
    given = _table_of(scored, method, cluster)
    if given.sums is not None:
        return _from_sums(given, given.sums, setting)
    units = given if cluster is None else given.cluster(cluster)
    rows: list[Interval] = []
    supports: list[UnitSupport] = []
    counts = units.counts
    found: list[Any] = [(None, statistics(units.readings, metric, scores), counts) for metric in units.readings]
    found += [
        (part, part_statistics(units.readings, part, scores), units.slice(part)[1]) for part in sort_parts(units.parts)
    ]
    for part, scored_by, counts in found:
        rows += _measure(setting, scored_by, counts, part)
        headline = dict(scored_by).get("value", scored_by[0][1])
        if method != "delta" and (rests := support(headline, part, headline.project(counts))):
            supports.append(rests)
    named: Units = "documents" if cluster is None else "clusters"
    same = sorted({row.metric for row in rows if method != "delta" and row.low is not None and row.low == row.high})
    flat = [f"all resamples give the same {', '.join(same)}, so the interval has no width; {REMEDY}"] if same else []
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
            *flat,
        ),
        units.signature,
        None if method == "delta" else resamples,
        None if method == "delta" else seed,
    )


def _table_of(scored: Report | Tally | Table, method: Method, cluster: Clusters | None) -> Table:
    """The counts of every document, or their sums, which are enough for the delta method."""
    found = scored.scores if isinstance(scored, Report | Tally) else scored
    if not isinstance(found, Table) or found.keep == "documents":
        return as_table(scored)
    found = scored.table() if isinstance(scored, Tally) else found
    found.settle()
    if method != "delta" or cluster is not None or found.sums is None or found.sums.spread is None:
        raise not_kept()
    return found


def _from_sums(table: Table, sums: Sums, setting: Setting) -> Intervals:
    """Intervals by the delta method, from what documents add up to."""
    assert sums.spread is not None, "the caller has seen to that"
    totals = np.array([fsum(total) for total in sums.totals])
    rows = []
    for metric in table.readings:
        for score, one in statistics(table.readings, metric, setting.scores):
            seen, bounded = read_moments(sums.spread, sums.totals, table.readings, one)
            value = float(one.of(one.project(totals)))
            low, high = delta_interval(one, seen, value, setting.level, bounded=bounded)
            rows.append(Interval(one.metric, one.score, value, low, high, seen.n, None, score == "value"))
    parts = ["intervals of labels and fields need the counts of documents"] if table.labels or table.fields else []
    return Intervals(
        "delta",
        setting.level,
        "documents",
        len(table),
        tuple(rows),
        (*sample_warnings(len(table), "documents", ()), *error_warnings([table]), *parts),
        table.signature,
    )


def delta_interval(
    one: Statistic, seen: Moments, value: float, level: float, *, bounded: bool
) -> tuple[float | None, float | None]:
    """The interval of a score by the delta method, on the logit scale if it lies between 0 and 1."""
    if seen.n < ENOUGH:
        return None, None
    if bounded:
        return logit_interval(one, seen, level)
    return plain_interval(value, one.gradient(seen.rounded), seen, level)


def _measure(
    setting: Setting, scored: list[tuple[Score, Statistic]], counts: Floats, part: Portion | None
) -> Iterator[Interval]:
    """The intervals of the scores of one metric; each is drawn by itself, whatever else was asked for."""
    for score, one in scored:
        forms = one.project(counts)
        value = float(one.of(one.total(counts)))
        seen = moments(forms, zeros=one.is_total)
        low: float | None = None
        high: float | None = None
        if setting.method == "delta":
            low, high = delta_interval(one, seen, value, setting.level, bounded=one.is_bounded(forms))
        elif seen.n >= ENOUGH:
            low, high = drawn_interval(setting, one.of, forms, resample(forms, setting.resamples, setting.seed))
        yield Interval(one.metric, one.score, value, low, high, seen.n, part, score == "value")


def drawn_interval(setting: Setting, value: Value, forms: Floats, drawn: Floats) -> tuple[float, float]:
    """From the summed forms of resamples."""
    if setting.method == "bca":
        return bca_interval(value, forms, value(drawn), setting.level)
    return percentile_interval(value(drawn), setting.level)


class Setting(NamedTuple):
    """How estimates are made."""

    method: Method
    level: float
    scores: tuple[Score, ...]
    resamples: int
    seed: int


def check_options(method: Method, level: float, scores: Sequence[Score], resamples: int, seed: int) -> Setting:
    """Refuse wrong options before anything is drawn."""
    if method not in get_args(Method):
        raise MatchwiseError(f"method={method!r}{suggestion(str(method), get_args(Method))}")
    if not 0 < level < 1:
        raise MatchwiseError(f"level={level!r}; write a share between 0 and 1, as in level=0.95")
    if isinstance(scores, str) or not scores or not set(scores) <= set(SCORES):
        raise MatchwiseError(f'scores={scores!r}; write some of {", ".join(SCORES)}, as in scores=["value"]')
    check_whole("resamples", resamples, 100, "at least 100, better 10_000")
    check_whole("seed", seed, 0, "a whole number that is not negative")
    return Setting(method, level, tuple(scores), resamples, seed)


def _group(rows: Iterable[Interval], kind: str) -> dict[Hashable, dict[str, Interval]]:
    found: dict[Hashable, dict[str, Interval]] = {}
    for row in rows:
        if row.part is not None and row.part.kind == kind and row.headline:
            found.setdefault(row.part.name, {})[row.metric] = row
    return found


FEW = 30
"""Units below which an interval is rough, and on which an interval of the bootstrap should rest."""

MANY = 100
"""Units from which the bootstrap covers about as often as the delta method."""

REMEDY = 'use the delta method (method="delta", --ci delta)'


class UnitSupport(NamedTuple):
    """The units that a score rests on: those with an error, or those with a match if they are fewer."""

    name: str
    telling: int
    what: str
    units: int

    def among(self, units: str) -> str:
        have = "has" if self.telling == 1 else "have"
        return f"{self.name} ({self.telling} of {count_units(self.units, units)} {have} {self.what})"


def support(statistic: Statistic, part: Portion | None, *systems: Floats) -> UnitSupport | None:
    """What a score of one system, or a difference of two, rests on; None of a score that may exceed 1.

    `systems` are the forms of each system, unit by unit.
    """
    if not all(statistic.is_bounded(forms) for forms in systems):
        return None
    there = np.any([forms.any(axis=1) for forms in systems], axis=0)
    values = np.stack([statistic.of(forms[there]) for forms in systems])
    errors, matches = int((values < 1).any(axis=0).sum()), int((values > 0).any(axis=0).sum())
    name = statistic.metric if part is None else label_text(part.name)
    telling, what = (errors, "an error") if errors <= matches else (matches, "a match")
    return UnitSupport(name, telling, what, int(there.sum()))


def sample_warnings(n: int, units: str, parts: Iterable[tuple[Portion | None, int]]) -> list[str]:
    """Warn of few units, and of labels or fields that occur in few of them."""
    said = []
    if n < ENOUGH:
        are = "is" if n == 1 else "are"
        said.append(f"{count_units(n, units)} {are} too few for confidence intervals, which need {ENOUGH}")
    elif n < FEW:
        said.append(f"{count_units(n, units)} are few, so the intervals are rough")
    rare = (label_text(part.name) for part, often in parts if part is not None and often < ENOUGH)
    names = name_some(rare)
    if names and n >= ENOUGH:
        said.append(f"no interval for what occurs in fewer than {ENOUGH} {units}: {names}")
    return said


def bootstrap_warnings(n: int, units: str, supports: Iterable[UnitSupport]) -> list[str]:
    """Warn where the bootstrap covers less than it promises: near 0, near 1, and with few units."""
    if n < ENOUGH:
        return []
    said = []
    if n < MANY:
        said.append(f"bootstrap intervals are too narrow for fewer than {MANY} {units}, and there are {n}; {REMEDY}")
    names = _few(supports, FEW if n >= MANY else ENOUGH, units)
    if names:
        said.append(f"bootstrap intervals are too narrow for scores near 0 or 1: {names}; {REMEDY}")
    return said


def difference_warnings(units: str, supports: Iterable[UnitSupport]) -> list[str]:
    """Warn of differences with too few units for any interval."""
    names = _few(supports, ENOUGH, units)
    return (
        [f"intervals of differences are too narrow for scores near 0 or 1: {names}; rely on p instead"] if names else []
    )


def _few(supports: Iterable[UnitSupport], enough: int, units: str) -> str:
    """Scores that have an interval and rest on fewer units."""
    return name_some(one.among(units) for one in supports if one.units >= ENOUGH and one.telling < enough)


def error_warnings(scored: Iterable[Table]) -> list[str]:
    """Warn of documents that could not be read or scored: which are left out, and which count as empty."""
    given = list(scored)
    tables = [one for one in given if one.keep == "documents"]
    lost = dict.fromkeys(id for one in tables for id in one.lost)
    failed = dict.fromkeys(error for one in tables for error in one.errors)
    unread = dict.fromkeys(id for one in tables for id in one.unreadable if id not in lost)
    empty = dict.fromkeys(id for id, _ in failed if id is not None and id not in lost and id not in unread)
    illegible = [problem for id, problem in failed if id is None]
    said = []
    if lost:
        was = "was" if len(lost) == 1 else "were"
        said.append(f"{count_units(len(lost), 'documents')} could not be scored and {was} left out: {name_some(lost)}")
    if unread:
        has = "has" if len(unread) == 1 else "have"
        said.append(
            f"{count_units(len(unread), 'documents')} {has} a prediction that could not be read and counts as empty: "
            f"{name_some(unread)}"
        )
    if empty:
        said.append(
            f"{count_units(len(empty), 'documents')} had an error; a prediction that could not be scored counts as "
            f"empty: {name_some(empty)}"
        )
    if illegible:
        said.append(f"{count_units(len(illegible), 'documents')} could not be read: {name_some(illegible)}")
    summed = dict.fromkeys(str(id) for one in given if one.keep == "sums" for id, _ in one.errors)
    if summed:
        left = "was left out, or counts" if len(summed) == 1 else "were left out, or count"
        said.append(f"{count_units(len(summed), 'documents')} had an error and {left} as empty: {name_some(summed)}")
    return said

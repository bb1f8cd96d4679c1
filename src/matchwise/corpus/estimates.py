"""What intervals and comparisons share: what to doubt of them, in words.

The limits come from `benchmarks/coverage.py`, which counts how often intervals hold the true score of simulated
corpora. A score near 1 rests on the documents with an error, and one near 0 on those with a match, however many
documents there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from matchwise.corpus.counts import Part, label_text
from matchwise.corpus.moments import ENOUGH
from matchwise.corpus.statistic import Statistic
from matchwise.errors import count_units, name_some

if TYPE_CHECKING:
    from matchwise.corpus.compare import Comparison
    from matchwise.corpus.intervals import Intervals
    from matchwise.corpus.statistic import Array
    from matchwise.corpus.table import Table


def part_dict(part: Part | None) -> dict[str, Any]:
    """`{"label": "person"}`, `{"field": "lines[].price"}`, or nothing."""
    return {} if part is None else {part.kind: part.name}


def estimates_dict(found: Comparison | Intervals, rows: str) -> dict[str, Any]:
    """How estimates were made, their rows under a name, and what to doubt of them."""
    how = {name: getattr(found, name) for name in ("method", "level", "units", "n", "resamples", "seed")}
    made = [row.to_dict() for row in found.rows]
    return how | {rows: made, "warnings": list(found.warnings), "signature": found.signature}


FEW = 30
"""Units below which an interval is rough, and on which an interval of the bootstrap should rest."""

MANY = 100
"""Units from which the bootstrap covers about as often as the delta method."""

USUAL = 0.05
"""The p-value that most people ask for."""

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


def support(statistic: Statistic, part: Part | None, *systems: Array) -> UnitSupport | None:
    """What a score of one system, or a difference of two, rests on; None of a score that may exceed 1.

    `systems` are the forms of each system, unit by unit.
    """
    if not all(statistic.bounded(forms) for forms in systems):
        return None
    there = np.any([forms.any(axis=1) for forms in systems], axis=0)
    values = np.stack([statistic.of(forms[there]) for forms in systems])
    errors, matches = int((values < 1).any(axis=0).sum()), int((values > 0).any(axis=0).sum())
    name = statistic.metric if part is None else label_text(part.name)
    telling, what = (errors, "an error") if errors <= matches else (matches, "a match")
    return UnitSupport(name, telling, what, int(there.sum()))


def sample_warnings(n: int, units: str, parts: Iterable[tuple[Part | None, int]]) -> list[str]:
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


def error_warnings(scored: Iterable[Table]) -> list[str]:
    """Warn of documents that could not be read or scored: which are left out, and which count as empty."""
    tables = list(scored)
    lost = dict.fromkeys(id for one in tables for id in one.lost)
    failed = dict.fromkeys(error for one in tables for error in one.errors)
    empty = dict.fromkeys(id for id, _ in failed if id is not None and id not in lost)
    illegible = [problem for id, problem in failed if id is None]
    said = []
    if lost:
        was = "was" if len(lost) == 1 else "were"
        said.append(f"{count_units(len(lost), 'documents')} could not be scored and {was} left out: {name_some(lost)}")
    if empty:
        said.append(
            f"{count_units(len(empty), 'documents')} had an error; a prediction that could not be scored counts as "
            f"empty: {name_some(empty)}"
        )
    if illegible:
        said.append(f"{count_units(len(illegible), 'documents')} could not be read: {name_some(illegible)}")
    return said

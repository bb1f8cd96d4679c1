"""How often 95 % intervals hold the true score, and how low p-values can get, on simulated corpora.

The limits in `matchwise/corpus/intervals.py` and the figures in `docs/statistics.md` are read off these tables.
Documents have a few items, sometimes a hundred, and agree in difficulty; a system finds a share of the items and
invents others.
Everything is seeded. A share of RUNS runs is exact to about ±0.02 (two standard errors).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from matchwise.corpus.compare import compare
from matchwise.corpus.counts import Reading
from matchwise.corpus.intervals import support
from matchwise.corpus.moments import logit_interval, moments, plain_interval
from matchwise.corpus.resampling import bca_interval, percentile_interval, resample
from matchwise.corpus.statistic import statistic
from matchwise.corpus.table import Table

RUNS = 500
RESAMPLES = 500
SIZES = (20, 50, 100, 500)
F1 = statistic({"m": Reading("f1")}, "m")
WIDTH = len(F1.forms)


def counts(rng: np.random.Generator, reference: Any, f1: float) -> Any:
    """A system with this true precision and recall, document by document."""
    matched = rng.binomial(reference, rng.beta(6 * f1, 6 * (1 - f1), len(reference)))
    predicted = matched + rng.poisson(reference * (1 - f1))
    return np.stack([matched, predicted, matched, reference], axis=1).astype(float)


def references(rng: np.random.Generator, n: int) -> Any:
    return 1 + np.floor(rng.lognormal(1, 1, n)).astype(int)


def intervals_of(rng: np.random.Generator, n: int, f1: float, run: int) -> tuple[list[tuple[float, float]], int]:
    """The three intervals of one system, and how many documents its score rests on."""
    forms = F1.project(counts(rng, references(rng, n), f1))
    values = F1.of(resample(forms, RESAMPLES, run))
    made = [
        logit_interval(F1, moments(forms), 0.95),
        percentile_interval(values, 0.95),
        bca_interval(F1.of, forms, values, 0.95),
    ]
    return made, _telling(forms)


def differences_of(rng: np.random.Generator, n: int, one: float, other: float, run: int) -> tuple[Any, int]:
    """The three intervals of the difference of two systems, and how many documents it rests on."""
    reference = references(rng, n)
    sides = [F1.project(counts(rng, reference, f1)) for f1 in (one, other)]
    forms = np.concatenate(sides, axis=1)
    seen = moments(forms)
    sums = seen.rounded
    gradient = np.concatenate([-F1.gradient(sums[:WIDTH]), F1.gradient(sums[WIDTH:])])
    values = difference(resample(forms, RESAMPLES, run))
    made = [
        plain_interval(float(difference(sums)), gradient, seen, 0.95),
        percentile_interval(values, 0.95),
        bca_interval(difference, forms, values, 0.95),
    ]
    return made, _telling(*sides)


def difference(sums: Any) -> Any:
    return F1.of(sums[..., WIDTH:]) - F1.of(sums[..., :WIDTH])


def _telling(*sides: Any) -> int:
    found = support(F1, None, *sides)
    assert found is not None
    return found.telling


def coverage(true: float, made: Callable[[np.random.Generator, int], tuple[Any, int]]) -> tuple[list[float], int]:
    """How often each interval holds the true value, and on how many documents it rests as a rule."""
    rng = np.random.default_rng(7)
    hits = np.zeros(3)
    telling = []
    for run in range(RUNS):
        several, number = made(rng, run)
        hits += [low <= true <= high for low, high in several]
        telling.append(number)
    return (hits / RUNS).tolist(), int(np.median(telling))


def print_row(name: str, n: int, shares: list[float], telling: int) -> None:
    print(f"{name:<16} {n:>9} {telling:>10}" + "".join(f"{share:>11.3f}" for share in shares), flush=True)


def main() -> None:
    header = f"{'documents':>9} {'telling':>10}{'delta':>11}{'bootstrap':>11}{'bca':>11}"
    print(f"{'F1':<16} {header}")
    for f1 in (0.01, 0.05, 0.5, 0.95, 0.99, 0.999):
        for n in SIZES:
            print_row(f"{f1:g}", n, *coverage(f1, lambda rng, run, n=n, f1=f1: intervals_of(rng, n, f1, run)))
    print(f"\n{'two F1':<16} {header}")
    for one, other in ((0.01, 0.02), (0.5, 0.52), (0.95, 0.96), (0.99, 0.995), (0.999, 0.9995)):
        for n in SIZES:
            found = coverage(
                other - one,
                lambda rng, run, n=n, one=one, other=other: differences_of(rng, n, one, other, run),
            )
            print_row(f"{one:g} and {other:g}", n, *found)
    print("\ndocuments, and p of a system that is right everywhere against one that is wrong everywhere")
    for n in range(3, 9):
        sides = [np.array([(matched, 5, 5, matched)] * n, dtype=float) for matched in (0, 5)]
        tables = [Table("simulated", {"m": Reading("f1")}, (None,) * n, rows) for rows in sides]
        print(n, compare({"wrong": tables[0], "right": tables[1]})["m"].p)


if __name__ == "__main__":
    main()

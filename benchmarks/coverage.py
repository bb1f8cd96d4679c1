"""How often 95 % intervals hold the true score, and how low p-values can get, on simulated corpora.

The limits in `matchwise/statistics/intervals.py` and the figures in `docs/statistics.md` are read off these tables, and
those of `docs/agreement.md` off the table that `python benchmarks/coverage.py agreement` prints.
Documents have a few items, sometimes a hundred, and agree in difficulty; a system finds a share of the items and
invents others.
Everything is seeded. A share of RUNS runs is exact to about ±0.02 (two standard errors).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import matchwise as mw
from matchwise.corpus.counts import Reading
from matchwise.corpus.statistic import statistic
from matchwise.corpus.table import Table
from matchwise.statistics.compare import compare
from matchwise.statistics.intervals import support
from matchwise.statistics.variation import (
    bca_interval,
    logit_interval,
    moments,
    percentile_interval,
    plain_interval,
    resample,
)

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


def annotators(random: Random, n: int, errors: float) -> dict[str, list[Any]]:
    """Two annotators who now and then take one element for another; hard documents are hard for both."""
    sides: tuple[list[Any], list[Any]] = ([], [])
    for _ in range(n):
        truth = [random.randrange(40) for _ in range(min(30, int(random.paretovariate(1.2))))]
        share = random.betavariate(errors * 6, (1 - errors) * 6)
        for side in sides:
            side.append({"xs": [x if random.random() >= share else random.randrange(40) for x in truth]})
    return {"ann": sides[0], "bob": sides[1]}


def print_agreement(runs: int = 150) -> None:
    """How often intervals of α over documents, α over elements and the mean hold those of a very large corpus."""
    print(f"{'α':>6} {'documents':>9} {'delta: α, elements, mean':>28} {'bootstrap':>28}")
    for errors in (0.005, 0.03, 0.1, 0.3):
        large = mw.agreement(mw.f1("xs"), annotators(Random(1), 20_000, errors))
        true = large.alpha.value, large.elements.value, large.mean  # type: ignore[union-attr]  # F1 has counts
        for n in (15, 40, 100):
            hits = np.zeros((2, 3))
            for run in range(runs):
                made = annotators(Random(1000 + run), n, errors)
                for row, method in enumerate(("delta", "bootstrap")):
                    found = mw.agreement(mw.f1("xs"), made, pairs=1000, method=method, resamples=300)  # type: ignore[arg-type]
                    ends = [(one.low, one.high) for one in (found.alpha, found.elements)]  # type: ignore[union-attr]
                    hits[row] += [
                        low <= one <= high for one, (low, high) in zip(true, [*ends, found.interval], strict=True)
                    ]  # type: ignore[operator,misc]
            shares = " ".join(f"{share:>9.3f}" for share in (hits / runs).ravel())
            print(f"{true[0]:>6.3f} {n:>9} {shares}", flush=True)


def main() -> None:
    if sys.argv[1:] == ["agreement"]:
        print_agreement()
        return
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

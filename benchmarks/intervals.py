"""Intervals and comparisons of 10,000 documents, against scipy.stats in the same run."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats
from workload.clock import seconds
from workload.table import Table, duration

from matchwise.corpus.counts import Reading
from matchwise.corpus.table import Table as Scores
from matchwise.statistics.compare import compare
from matchwise.statistics.intervals import intervals

DOCUMENTS = 10_000
RESAMPLES = 10_000


def scores(share: float, *, metrics: int = 1, fractions: bool = False) -> Scores:
    """A system that finds a share of a few items a document; with partial credit, no two documents are alike."""
    rng = np.random.default_rng(round(share * 1000))
    reference = np.random.default_rng(0).poisson(5, DOCUMENTS) + 1
    columns = []
    for _ in range(metrics):
        found = rng.binomial(reference, share)
        matched = found * rng.random(DOCUMENTS) if fractions else found
        columns += [matched, found + rng.poisson(1, DOCUMENTS), reference, matched]
    readings = {f"m{number}": Reading("f1") for number in range(metrics)}
    return Scores("benchmark", readings, (None,) * DOCUMENTS, np.stack(columns, axis=1).astype(float))


def scipy_bootstrap(one: Scores) -> Any:
    def f1(matched: Any, predicted: Any, reference: Any, axis: int = -1) -> Any:
        return 2 * matched.sum(axis=axis) / (predicted.sum(axis=axis) + reference.sum(axis=axis))

    columns = tuple(one.counts[:, [0, 1, 2]].T)
    options: dict[str, Any] = {"n_resamples": RESAMPLES, "batch": 200, "paired": True, "vectorized": True}
    return stats.bootstrap(columns, f1, method="percentile", **options).confidence_interval


def scipy_permutation(one: Scores, other: Scores) -> Any:
    """The same test, as scipy.stats has it: the sides of a document are exchanged."""
    a, b = one.counts[:, [0, 1, 2]], other.counts[:, [0, 1, 3]]
    whole, apart = (a.sum(axis=0), b.sum(axis=0)), a - b

    def difference(signs: Any, _: Any, axis: int = -1) -> Any:
        moved = (np.moveaxis(signs, axis, -1) < 0) @ apart
        (m, p, r), (n, q, s) = np.moveaxis(whole[0] - moved, -1, 0), np.moveaxis(whole[1] + moved, -1, 0)
        return 2 * m / (p + r) - 2 * n / (q + s)

    signs = np.ones(DOCUMENTS)
    options: dict[str, Any] = {"n_resamples": RESAMPLES, "batch": 200, "vectorized": True}
    return stats.permutation_test((signs, -signs), difference, permutation_type="samples", **options).pvalue


def main() -> None:
    table = Table(f"{DOCUMENTS:,} documents, {RESAMPLES:,} resamples, against scipy.stats")
    one, other = scores(0.80), scores(0.81)
    table.add("interval of F1, delta method", duration(seconds(lambda: intervals(one, scores=["value"]))))
    ours = seconds(lambda: intervals(one, scores=["value"], method="bootstrap"), times=3)
    peer = seconds(lambda: scipy_bootstrap(one), times=1)
    table.add("interval of F1, bootstrap", *_against(ours, 1), peer=duration(peer), ratio=f"{peer / ours:.1f}×")
    found, theirs = intervals(one, scores=["value"], method="bootstrap")["m0"], scipy_bootstrap(one)
    assert abs((found.low or 0) - theirs.low) + abs((found.high or 0) - theirs.high) < 5e-4
    table.add("   … bca", duration(seconds(lambda: intervals(one, scores=["value"], method="bca"), times=3)))
    table.add("   … precision, recall and F1", duration(seconds(lambda: intervals(one, method="bootstrap"), times=2)))
    soft = scores(0.80, fractions=True)
    ours = seconds(lambda: intervals(soft, scores=["value"], method="bootstrap"), times=2)
    table.add("   … F1 with partial credit", duration(ours))

    ours = seconds(lambda: compare({"one": one, "other": other}), times=3)
    peer = seconds(lambda: scipy_permutation(one, other), times=1)
    table.add("comparison of two systems", *_against(ours, 2), peer=duration(peer), ratio=f"{peer / ours:.1f}×")
    assert abs(compare({"one": one, "other": other})["m0"].p - scipy_permutation(one, other)) < 0.02
    sides = {"one": scores(0.80, metrics=5), "other": scores(0.81, metrics=5)}
    table.add("   … in five metrics", *_against(seconds(lambda: compare(sides), times=2), 2))
    sides = {"one": soft, "other": scores(0.81, fractions=True)}
    table.add("   … with partial credit", *_against(seconds(lambda: compare(sides), times=2), 2))


def _against(ours: float, target: float) -> tuple[str, str, bool]:
    return duration(ours), f"< {target} s", ours < target


if __name__ == "__main__":
    main()

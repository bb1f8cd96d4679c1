"""All similarities of a list of objects: `mw.matrix` against the loop over `mw.score`, in one run.

The loop is timed on some of the pairs and its time is that of all pairs on and above the diagonal, as the matrix is
symmetric; a loop over all pairs takes twice as long.
"""

from __future__ import annotations

from io import StringIO
from random import Random
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from workload.clock import peak_megabytes, seconds
from workload.extraction import Invoice, invoices
from workload.meanings import meaning_pairs
from workload.table import Table, duration

import matchwise as mw
from matchwise.formats import penman
from matchwise.tasks import amr

SAMPLE = 400


def related(table: Table, name: str, phi: mw.Similarity, xs: list[Any], limit: float, times: float) -> None:
    """One matrix against the loop; the values of the sample agree."""
    random = Random(1)
    some = [(random.randrange(len(xs)), random.randrange(len(xs))) for _ in range(SAMPLE)]
    made: list[Any] = []
    mw.score(phi, xs[0], xs[1])
    ours = seconds(lambda: made.append(mw.matrix(phi, xs)), times=1)
    found: list[float] = []
    each = seconds(lambda: found.extend(mw.score(phi, xs[i], xs[j]) for i, j in some), times=1) / SAMPLE
    loop = each * len(xs) * (len(xs) + 1) / 2
    assert np.allclose([made[0][i, j] for i, j in some], found, rtol=1e-12, atol=1e-12), name
    table.add(name, duration(ours), f"≤ {limit:g} s", ours <= limit)
    table.add("  against the loop", duration(ours), f"≥ {times:g}×", loop >= times * ours, **_peer(loop, ours))


def sets(table: Table) -> None:
    """Sets of 10 elements out of 300, and SciPy's matrix of Dice distances of the same sets as 0 and 1."""
    random = Random(2)
    xs = [set(random.sample(range(300), 10)) for _ in range(2_000)]
    ys = [set(random.sample(range(300), 10)) for _ in range(2_000)]
    ours = seconds(lambda: mw.matrix(mw.f1(), xs, ys), times=1)
    table.add("2,000 × 2,000 sets of 10", duration(ours), "≤ 2 s", ours <= 2)
    flags = [np.array([[k in x for k in range(300)] for x in side]) for side in (xs, ys)]
    theirs: list[Any] = []
    peer = seconds(lambda: theirs.append(1 - cdist(*flags, "dice")), times=1)
    assert np.allclose(theirs[0], mw.matrix(mw.f1(), xs, ys), atol=1e-12)
    table.add("  against SciPy's cdist of 0 and 1", duration(ours), **_peer(peer, ours))


def _peer(theirs: float, ours: float) -> dict[str, str]:
    return {"peer": duration(theirs), "ratio": f"{theirs / ours:.1f}×"}


def graphs(number: int, size: int) -> tuple[mw.Similarity, list[Any]]:
    suite = amr.suite()
    text = "\n\n".join(ref for _, ref in meaning_pairs(number, seed=6, size=size))
    return suite["smatch"], list(penman.read(StringIO(text)))  # type: ignore[return-value]


def main() -> None:
    table = Table("all pairs of a list")
    xs = [Invoice.model_validate(doc.pred) for doc in invoices(500, 8, 8)]
    related(table, "500 invoices of 13 fields and 8 lines", mw.derive(Invoice), xs, 3, 20)
    related(table, "500 AMRs of 8 variables, each pair proved", *graphs(500, 8), 30, 20)
    sets(table)
    print(f"peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()

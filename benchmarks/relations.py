"""Relation F1: a hash join on (type, subj, obj) against metametric's n × m products."""

from __future__ import annotations

import metametric.dsl as mm
from metametric.structures.ie import RelationSet
from workload.clock import exponent, seconds
from workload.relations import relation_sets
from workload.table import Table, duration

from matchwise import eq, f1, score

SIZES = [50_000, 100_000, 200_000]
"""Larger than the processor's caches, below which every access to memory is faster and growth looks steeper."""


def main() -> None:
    phi = f1("relations", eq("type") * eq("subj") * eq("obj"))
    theirs = mm.normalize["f1"](mm.auto[RelationSet])
    table = Table("relation F1")
    for size in (15, 150, 500):
        pred, ref = relation_sets(size)
        assert abs(score(phi, pred, ref) - theirs.score(pred, ref)) < 1e-12
        ours = seconds(lambda pred=pred, ref=ref: score(phi, pred, ref), times=50)
        peer = seconds(lambda pred=pred, ref=ref: theirs.score(pred, ref), times=3)
        target, ok = ("≥ 100×", peer / ours >= 100) if size == 150 else ("", None)
        table.add(
            f"{size} relations a side, against metametric",
            duration(ours),
            target,
            ok,
            peer=duration(peer),
            ratio=f"{peer / ours:.0f}×",
        )
    times = []
    for size in SIZES:
        pred, ref = relation_sets(size)
        times.append(seconds(lambda pred=pred, ref=ref: score(phi, pred, ref), times=3))
        target, ok = ("≤ 1 s", times[-1] <= 1) if size == 100_000 else ("", None)
        table.add(f"{size:,} relations a side", duration(times[-1]), target, ok)
    growth = exponent(SIZES, times)
    table.add(
        f"growth exponent from {SIZES[0]:,} to {SIZES[-1]:,} relations", f"{growth:.2f}", "≤ 1.15", growth <= 1.15
    )


if __name__ == "__main__":
    main()

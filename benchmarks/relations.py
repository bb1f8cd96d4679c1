"""Relation F1: a hash join on (type, subj, obj) against metametric's n × m products."""

from __future__ import annotations

import metametric.dsl as mm
from matchwise import eq, f1, score
from metametric.structures.ie import RelationSet
from workload.clock import exponent, seconds
from workload.generators import relation_sets
from workload.table import Table, duration

SIZES = [1_000, 3_000, 10_000, 30_000, 100_000]


def main() -> None:
    phi = f1("relations", eq("type") * eq("subj") * eq("obj"))
    theirs = mm.normalize["f1"](mm.auto[RelationSet])
    table = Table("relation F1")
    for size in (15, 150):
        pred, ref = relation_sets(size)
        assert abs(score(phi, pred, ref) - theirs.score(pred, ref)) < 1e-12
        ours = seconds(lambda pred=pred, ref=ref: score(phi, pred, ref), times=50)
        peer = seconds(lambda pred=pred, ref=ref: theirs.score(pred, ref), times=3)
        target, ok = ("≥ 100×", peer / ours >= 100) if size == 150 else ("", None)
        name = f"{size} relations a side, metametric {duration(peer)}"
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
        last = size == SIZES[-1]
        table.add(f"{size:,} relations a side", duration(times[-1]), "≤ 1 s" if last else "", times[-1] <= 1 if last else None)
    growth = exponent(SIZES, times)
    table.add("growth exponent from 1,000 to 100,000 relations", f"{growth:.2f}", "≤ 1.15", growth <= 1.15)


if __name__ == "__main__":
    main()

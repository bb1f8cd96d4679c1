"""CEAF φ4 of one long document: only entities that share a mention meet, and no n × m matrix is made."""

from __future__ import annotations

import metametric.dsl as mm
from metametric.metrics.coref import ceaf_phi4 as metametric_ceaf
from workload.clock import exponent, peak_megabytes, seconds
from workload.relations import noisy_entity_sets, shuffled_entity_sets
from workload.table import Table, duration

from matchwise import f1, score

ENTITIES, MENTIONS = 10_000, 50_000
SIZES = [1_000, 3_000, 10_000]


def main() -> None:
    phi = f1("entities", f1("mentions"))
    table = Table("CEAF φ4")
    for name, make in (("noisy copy", noisy_entity_sets), ("shuffled", shuffled_entity_sets)):
        pred, ref = make(ENTITIES, MENTIONS)
        before = peak_megabytes()
        time = seconds(lambda pred=pred, ref=ref: score(phi, pred, ref), times=3)
        memory = peak_megabytes() - before
        workload = f"{ENTITIES:,} entities, {MENTIONS:,} mentions, {name}"
        table.add(workload, duration(time), "≤ 2 s", time <= 2)
        table.add("   … memory over that of the document", f"{memory:.0f} MB", "< 800 MB", memory < 800)
        times = [seconds(_run(phi, *make(size, 5 * size)), times=3) for size in SIZES[:-1]] + [time]
        growth = exponent(SIZES, times)
        table.add(f"   … growth exponent from {SIZES[0]:,} to {SIZES[-1]:,} entities", f"{growth:.2f}")
    pred, ref = noisy_entity_sets(60, 300)
    theirs = mm.normalize["f1"](metametric_ceaf)
    assert abs(score(phi, pred, ref) - theirs.score(pred, ref)) < 1e-9
    ours, peer = seconds(_run(phi, pred, ref), times=20), seconds(lambda: theirs.score(pred, ref), times=2)
    table.add(
        "60 entities, 300 mentions, against metametric",
        duration(ours),
        peer=duration(peer),
        ratio=f"{peer / ours:.0f}×",
    )


def _run(phi, pred, ref):
    return lambda: score(phi, pred, ref)


if __name__ == "__main__":
    main()

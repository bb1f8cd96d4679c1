"""Discourse representation structures from text to score. Their scorer, Counter, is on no registry: ours alone."""

from __future__ import annotations

from io import StringIO
from statistics import median
from time import process_time

from workload.clock import seconds
from workload.discourse import discourse_pairs
from workload.table import Table, duration

from matchwise.corpus.report import Report
from matchwise.corpus.tally import Tally
from matchwise.formats import clauses
from matchwise.runners.runner import run
from matchwise.tasks import drs

PAIRS = 600


def ours(preds: str, refs: str, preset: str = "counter") -> Report:
    """Two texts to a report."""
    pairs = zip(clauses.read(StringIO(preds)), clauses.read(StringIO(refs)), strict=True)
    return run(Tally(drs.suite(preset)), ((pred, ref, None) for pred, ref in pairs)).report()


def main() -> None:
    pairs = discourse_pairs(PAIRS, seed=6)
    preds, refs = ("\n\n".join(side) for side in zip(*pairs, strict=True))
    sizes = sorted(text.count("\n") + 1 for _, text in pairs)
    spread = f"{median(sizes):.0f} clauses in the median, {sizes[int(0.95 * PAIRS)]} at 95 %, {sizes[-1]} at most"
    table = Table(f"DRS, text to score, for each pair of {PAIRS}: {spread}", width=66)
    for preset in drs.TASK.presets:
        assert ours(preds, refs, preset)["clauses"].bounds.proved
        time = seconds(lambda preset=preset: ours(preds, refs, preset), times=3) / PAIRS
        table.add(preset, duration(time))
    time = seconds(lambda: sum(1 for _ in clauses.read(StringIO(refs))), times=3) / PAIRS
    table.add("reading one structure", duration(time))
    _sizes(Table("DRS, one pair after reading, in the median", width=66))


def _sizes(table: Table) -> None:
    for events, number in ((1, 200), (2, 100), (4, 60), (8, 30)):
        texts = discourse_pairs(number, seed=events, events=events)
        structures = [(clauses.parse(pred), clauses.parse(ref)) for pred, ref in texts]
        tally = Tally(drs.suite())
        times = []
        for pred, ref in structures:
            start = process_time()
            tally.add(pred, ref)
            times.append(process_time() - start)
        size = median(len(ref.clauses) for _, ref in structures)
        table.add(f"{size:.0f} clauses (the slowest of {number}: {duration(max(times))})", duration(median(times)))


if __name__ == "__main__":
    main()

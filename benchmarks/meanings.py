"""AMR from text to score: our optimum against smatch's hill climbing and smatchpp's ILP; reading against penman.

Not called amr.py: smatch imports a module of that name.
"""

from __future__ import annotations

import logging
from io import StringIO
from statistics import median
from time import process_time

import penman as their_penman
import smatch
from smatchpp import Smatchpp, solvers
from smatchpp.formalism.amr.tools import AMRStandardizer
from workload.clock import seconds
from workload.meanings import meaning_pairs
from workload.table import Table, duration

from matchwise.corpus.report import Report
from matchwise.corpus.tally import Tally
from matchwise.formats import penman
from matchwise.runners.runner import run as count
from matchwise.tasks import amr

PAIRS, FEW = 600, 300


def ours(preds: str, refs: str, preset: str = "smatch") -> Report:
    """Two texts to a report."""
    pairs = zip(penman.read(StringIO(preds)), penman.read(StringIO(refs)), strict=True)
    return count(Tally(amr.suite(preset)), ((pred, ref, None) for pred, ref in pairs)).report()


def with_smatch(pairs: list[tuple[str, str]]) -> list[int]:
    """The triples that smatch matches, with its 4 restarts."""
    smatch.iteration_num = 5
    found = []
    for pred, ref in pairs:
        smatch.match_triple_dict.clear()
        found.append(smatch.get_amr_match(pred, ref)[0])
    return found


def with_smatchpp(pairs: list[tuple[str, str]]) -> list[int]:
    """The triples that smatchpp's ILP matches after its standardisation of AMR."""
    scorer = Smatchpp(alignmentsolver=solvers.get_solver("ilp"), graph_standardizer=AMRStandardizer())
    return [round(scorer.process_pair(pred, ref)[0]["main"][0]) for pred, ref in pairs]


def joined(pairs: list[tuple[str, str]]) -> tuple[str, str]:
    return "\n\n".join(pred for pred, _ in pairs), "\n\n".join(ref for _, ref in pairs)


def main() -> None:
    logging.disable()
    pairs = meaning_pairs(PAIRS, seed=6)
    few = [(pred.replace("\n", " "), ref.replace("\n", " ")) for pred, ref in pairs[:FEW]]
    sizes = sorted(text.count(" / ") for _, text in pairs)
    spread = f"{median(sizes):.0f} variables in the median, {sizes[int(0.95 * PAIRS)]} at 95 %, {sizes[-1]} at most"
    table = Table(f"AMR, text to score, for each pair of {PAIRS}: {spread}", width=66)
    for preset, name, run, target in (
        ("smatch", "smatch, 4 restarts", with_smatch, 27),
        ("smatchpp", "smatchpp's ILP", with_smatchpp, 35),
    ):
        texts = joined(pairs[:FEW])
        report = ours(*texts, preset)
        start = process_time()
        found = run(few)
        peer = (process_time() - start) / FEW
        mine = [round(number) for number in report["smatch"].columns.matched]
        below = sum(x > y for x, y in zip(mine, found, strict=True))
        assert all(x >= y for x, y in zip(mine, found, strict=True)), "the optimum is no optimum"
        assert preset == "smatch" or not below, "two exact solvers disagree"
        time = seconds(lambda texts=texts, preset=preset: ours(*texts, preset), times=5) / FEW
        table.add(
            f"{preset}, against {name} (below the optimum: {below} of {FEW})",
            duration(time),
            f"≥ {target}×",
            peer / time >= target,
            peer=duration(peer),
            ratio=f"{peer / time:.0f}×",
        )
    _parts(table, pairs)
    _sizes(Table("AMR, one pair after reading, in the median", width=66))


def _parts(table: Table, pairs: list[tuple[str, str]]) -> None:
    preds, refs = joined(pairs)
    table.add("all pairs", duration(seconds(lambda: ours(preds, refs), times=3) / PAIRS))
    time = seconds(lambda: sum(1 for _ in penman.read(StringIO(refs))), times=3) / PAIRS
    peer = seconds(lambda: sum(1 for _ in their_penman.iterdecode(refs)), times=1) / PAIRS
    row = "reading one graph, against the penman package"
    table.add(row, duration(time), "", None, peer=duration(peer), ratio=f"{peer / time:.0f}×")


def _sizes(table: Table) -> None:
    suite = amr.suite()
    for size, number, target in ((14, 200, 0.25e-3), (30, 60, None), (60, 30, None), (79, 20, None)):
        pairs = meaning_pairs(number, seed=size, size=size)
        graphs = [(penman.parse(pred), penman.parse(ref)) for pred, ref in pairs]
        tally = Tally(suite)
        times = []
        for pred, ref in graphs:
            start = process_time()
            tally.add(pred, ref)
            times.append(process_time() - start)
        met = None if target is None else median(times) <= target
        asked = "" if target is None else duration(target)
        table.add(f"{size} variables", duration(median(times)), asked, met)
        documents = [(pred, ref, None) for pred, ref in graphs]
        together = seconds(lambda documents=documents: count(Tally(suite), documents), times=5) / number
        met = None if target is None else together <= target
        table.add("   … of pairs that are counted together, in the mean", duration(together), asked, met)


if __name__ == "__main__":
    main()

"""Coreference: a corpus of the size of OntoNotes' test set and a book, beside scorch and the scorer of e2e-coref."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from itertools import starmap
from pathlib import Path
from tempfile import TemporaryDirectory

import scorch.scores as scorch
from corefeval.metrics import b_cubed, ceafe, lea, muc
from workload.clock import keeping_bytecode, seconds
from workload.coreference import BOOK, ONTONOTES, SMALL, Clusters, Document, documents, write_conll
from workload.table import Table, duration

from matchwise.corpus.tally import Tally
from matchwise.formats import conll2012
from matchwise.runners.runner import run
from matchwise.tasks import coref

# The targets are what a prototype for these eight metrics alone took, on another machine.

CHILD = """
import re, sys, time
from matchwise.corpus.tally import Tally
from matchwise.runners.runner import run
from matchwise.formats import conll2012
from matchwise.tasks import coref
tally = Tally(coref.suite())
pairs = zip(conll2012.read(sys.argv[1]), conll2012.read(sys.argv[2]), strict=True)
str(run(tally, ((pred, ref, ref.id) for pred, ref in pairs)).report())
# What getrusage says is the most that this process or the one that started it ever held.
print(time.process_time(), int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024)
"""


def main() -> None:
    table = Table("Coreference, all eight metrics")
    corpora = {"S": (SMALL, None, 0.15, None), "M": (ONTONOTES, 0.05, 0.33, 19), "L": (BOOK, None, 0.84, 38)}
    for name, (size, inside, whole, most) in corpora.items():
        made = list(documents(size))
        mentions = sum(len(entity) for document in made for entity in document.ref)
        workload = f"{name}: {size.parts} documents, {mentions:,} mentions"
        pairs = [(coref.from_clusters(d.pred), coref.from_clusters(d.ref)) for d in made]
        time = seconds(partial(_score, pairs), times=15)
        table.add(
            f"{workload}, in process", duration(time), _target(inside), None if inside is None else time <= inside
        )
        with TemporaryDirectory() as folder:
            pred, ref = Path(folder, "pred.conll"), Path(folder, "ref.conll")
            write_conll(pred, made, "pred")
            write_conll(ref, made, "ref")
            reading = seconds(lambda pred=pred: sum(1 for _ in conll2012.read(pred)), times=3)
            total, megabytes = min(_child(pred, ref) for _ in range(5))
        table.add("   … reading one of the two files", duration(reading))
        table.add("   … whole process, from files", duration(total), _target(whole), total <= whole)
        asked = "" if most is None else f"≤ {most} MB"
        table.add("   … peak memory", f"{megabytes:.0f} MB", asked, None if most is None else megabytes <= most)
        if size.parts > 1:
            _peers(table, made, time)


def _peers(table: Table, made: list[Document], ours: float) -> None:
    """Scoring alone, on clusters in memory, each peer with the metrics it has."""
    sets = [([set(e) for e in d.ref], [set(e) for e in d.pred]) for d in made]
    peer = seconds(lambda: list(starmap(_scorch, sets)), times=1)
    table.add("   … scorch, 5 metrics", duration(ours), peer=duration(peer), ratio=f"{peer / ours:.1f}×")
    peer = seconds(lambda: [_lineage(d.pred, d.ref) for d in made], times=1)
    table.add("   … e2e-coref's, 4 metrics", duration(ours), peer=duration(peer), ratio=f"{peer / ours:.1f}×")


def _score(pairs: list[tuple[coref.EntitySet, coref.EntitySet]]) -> Tally:
    return run(Tally(coref.suite()), ((pred, ref, None) for pred, ref in pairs))


def _scorch(ref: list[set[tuple[int, int]]], pred: list[set[tuple[int, int]]]) -> None:
    for metric in (scorch.muc, scorch.b_cubed, scorch.ceaf_m, scorch.ceaf_e, scorch.blanc):
        metric(ref, pred)


def _lineage(pred: Clusters, ref: Clusters) -> None:
    mine, theirs = [tuple(e) for e in pred], [tuple(e) for e in ref]
    owner_pred, owner_ref = ({m: e for e in side for m in e} for side in (mine, theirs))
    for metric in (muc, b_cubed, lea):
        metric(mine, owner_ref)
        metric(theirs, owner_pred)
    ceafe(mine, theirs)


def _child(pred: Path, ref: Path) -> tuple[float, float]:
    command = [sys.executable, "-c", CHILD, pred, ref]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=keeping_bytecode(str(pred.parent)))
    time, megabytes = map(float, done.stdout.split())
    return time, megabytes


def _target(limit: float | None) -> str:
    return "" if limit is None else f"≤ {limit} s"


if __name__ == "__main__":
    main()

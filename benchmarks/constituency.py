"""Constituency parses: two files of trees against PYEVALB, its scores only and with the table that it writes."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PYEVALB.scorer import Scorer
from workload.clock import seconds
from workload.phrases import write_trees
from workload.table import Table, duration

from matchwise.corpus.tally import Tally
from matchwise.formats.ptb import read
from matchwise.runners.runner import run
from matchwise.tasks import constituency

TREES = 2_400


def main() -> None:
    with TemporaryDirectory() as folder:
        pred, ref = write_trees(Path(folder), TREES)
        table = Table(f"constituency parses, {TREES:,} pairs of trees")
        ours = seconds(lambda: str(_score(pred, ref).report()), times=3)
        reading = seconds(lambda: (sum(1 for _ in read(pred)), sum(1 for _ in read(ref))), times=3)
        scores = seconds(lambda: _pyevalb(pred, ref), times=2)
        whole = seconds(lambda: Scorer().evalb(ref, pred, str(Path(folder) / "result.txt")), times=1)
    for row, peer in (("all metrics, against PYEVALB's scores alone", scores), ("… and its table, end to end", whole)):
        ratio = f"{peer / ours:.1f}×"
        table.add(row, duration(ours), "≥ 10×", peer / ours >= 10, peer=duration(peer), ratio=ratio)
    table.add("  reading both files", duration(reading))


def _score(pred: str, ref: str) -> Tally:
    pairs = zip(read(pred), read(ref), strict=True)
    return run(Tally(constituency.suite()), ((*pair, None) for pair in pairs))


def _pyevalb(pred: str, ref: str) -> None:
    with open(ref, encoding="utf-8") as gold, open(pred, encoding="utf-8") as test, redirect_stdout(StringIO()):
        Scorer().score_corpus(gold, test)


if __name__ == "__main__":
    main()

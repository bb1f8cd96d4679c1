"""Dependency parses: all metrics of two CoNLL-U files against udeval, end to end; and where the time goes."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from udtools.udeval import evaluate as udeval
from udtools.udeval import load_conllu_file
from workload.clock import keeping_bytecode, seconds
from workload.table import Table, duration

from matchwise.corpus.loop import AT_ONCE
from matchwise.corpus.tally import Tally
from matchwise.formats.conllu import read
from matchwise.runners.runner import run
from matchwise.tasks import dependencies

SENTENCES = 10_000


def main() -> None:
    with TemporaryDirectory() as folder:
        # By another process: the memory of a process counts as that of those which it starts.
        write = (
            f"from pathlib import Path; from workload.treebank import *; write_treebank(Path({folder!r}), {SENTENCES})"
        )
        subprocess.run([sys.executable, "-c", write], check=True, cwd=Path(__file__).parent)
        pred, ref = f"{folder}/system.conllu", f"{folder}/gold.conllu"
        table = Table(
            f"dependency parses, {SENTENCES:,} sentences, two files of {Path(ref).stat().st_size / 1e6:.0f} MB"
        )
        _run(table, pred, ref)


def _run(table: Table, pred: str, ref: str) -> None:
    command, memory = _command(pred, ref)
    ours = seconds(lambda: _score(pred, ref), times=3)
    reading = seconds(lambda: (sum(1 for _ in read(pred)), sum(1 for _ in read(ref))), times=3)
    aligning = seconds(lambda: _align(pred, ref), times=3)
    report, expected = _score(pred, ref).report(), _udeval(pred, ref)
    for name, theirs in zip(("las", "mlas", "eulas"), ("LAS", "MLAS", "EULAS"), strict=True):
        assert report[name].counts.matched == expected[theirs].correct
    peer = seconds(lambda: _udeval(pred, ref), times=1)
    ratio = f"{peer / ours:.1f}×"
    table.add(
        "15 metrics, end to end, against udeval",
        duration(ours),
        "≥ 5×",
        peer / ours >= 5,
        peer=duration(peer),
        ratio=ratio,
    )
    table.add("  reading both files", duration(reading))
    table.add("  reading and aligning", duration(aligning))
    ratio = f"{peer / command:.1f}×"
    table.add("  the command line", duration(command), "≥ 5×", peer / command >= 5, peer=duration(peer), ratio=ratio)
    table.add("  its memory", f"{memory:.0f} MB", "< 200 MB", memory < 200)


def _score(pred: str, ref: str) -> Tally:
    return run(Tally(dependencies.suite()), ((*pair, None) for pair in _segments(pred, ref)))


def _align(pred: str, ref: str) -> None:
    """As many at a time as are counted together."""
    step, source = dependencies.Alignment(), _segments(pred, ref)
    while some := list(islice(source, AT_ONCE)):
        step.together([pred for pred, _ in some], [ref for _, ref in some])


def _command(pred: str, ref: str, times: int = 3) -> tuple[float, float]:
    """Processor time and memory of the command line."""
    words = [sys.executable, "-m", "matchwise", "score", "dependencies", pred, "-r", ref, "--quiet"]
    environment = keeping_bytecode(str(Path(pred).parent))
    runs = []
    for _ in range(times):
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=environment)
        _, status, used = os.wait4(child.pid, 0)
        assert status == 0
        runs.append((used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6))
    return min(time for time, _ in runs), max(memory for _, memory in runs)


def _segments(pred: str, ref: str):
    return dependencies.segments(read(pred), read(ref))


def _udeval(pred: str, ref: str):
    return udeval(load_conllu_file(ref), load_conllu_file(pred))


if __name__ == "__main__":
    main()

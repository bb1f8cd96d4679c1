"""What people wait for after scoring: errors, reports, alignments and comparisons, in multiples of `score`.

`python benchmarks/felt.py [NAME...]` runs only the rows of these corpora: invoices, ner, ud, amr, people.

Each command is a process of its own, from two files to what it prints. The peer of a command is `score` of the same
files, and the peer of that is the package that people use today.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import NamedTuple

from duplicates import people
from files import fresh, peak
from workload import alone
from workload.clock import keeping_bytecode
from workload.corpora import Corpus, corpus
from workload.table import Table, duration


class Row(NamedTuple):
    """A corpus, the peer of `score`, and the commands that are measured with their goals in multiples of `score`."""

    work: str
    corpus: str
    number: int
    peer: Callable[[str, str], float] | None
    goals: dict[str, float]


ROWS = (
    Row(
        "documents, 2,000 of 5 to 20 lines",
        "invoices",
        2_000,
        alone.jsondiff,
        {"errors": 3, "report": 3, "compare": 3.2},
    ),
    Row(
        "ner, 10,000 sentences, as seqeval",
        "ner",
        10_000,
        alone.seqeval,
        {"errors": 3, "report": 3, "align --worst 20": 5, "align --wrong": 5, "compare": 3.2},
    ),
    Row("dependencies, 10,000 sentences", "ud", 10_000, alone.udeval, {"errors": 3, "report": 3, "compare": 3.2}),
    Row("amr, 1,368 pairs", "amr", 1_368, None, {"errors": 3, "report": 3, "compare": 3.2}),
)

RECORDS = 10_000
"""Records among which duplicates are found."""


def main(names: list[str]) -> None:
    table = Table("what is felt: whole processes, in processor time; the peer of a command is score")
    for row in ROWS:
        if not names or row.corpus in names:
            with TemporaryDirectory() as folder:
                _measure(table, row, Path(folder))
    if not names or "people" in names:
        with TemporaryDirectory() as folder:
            _find_duplicates(table, Path(folder))


def _measure(table: Table, row: Row, folder: Path) -> None:
    files, environment = corpus(folder, row.corpus, row.number), keeping_bytecode(str(folder))
    words = [word for word in files.words if word not in ("--fields", "--by", "type")]  # a report counts them anyway
    files = Corpus(files.preds, files.refs, tuple(words))
    fresh(environment, *files.command(), times=1)
    scored = fresh(environment, *files.command(), times=3)
    if row.peer is None:
        table.add(f"{row.work}: score", duration(scored))
    else:
        fresh(environment, row.peer.__name__, files.preds, files.refs, times=1, run=alone.__file__)  # compiles
        peer = fresh(environment, row.peer.__name__, files.preds, files.refs, times=1, run=alone.__file__)
        table.add(f"{row.work}: score", duration(scored), peer=duration(peer), ratio=f"{peer / scored:.1f}×")
    for command, goal in row.goals.items():
        took = fresh(environment, *_words(command, files), times=1)
        ratio = f"{took / scored:.1f}×"
        table.add(f"   {command}", duration(took), f"≤ {goal:g}×", took <= goal * scored, ratio=ratio)


def _words(command: str, files: Corpus) -> list[str]:
    """The words of a command; three systems are compared, of which two are copies."""
    name, *more = command.split()
    systems = [files.preds]
    if name == "compare":
        for number in range(2):
            other = Path(files.preds).with_stem(f"other-{number}")
            copyfile(files.preds, other)
            systems.append(str(other))
    made = [name, files.words[0], *systems, "-r", files.refs, *files.words[1:], *more, "--quiet"]
    return [*made, "-o", f"{files.preds}.html"] if name == "report" else made


def _find_duplicates(table: Table, folder: Path) -> None:
    path = folder / "people.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in people(RECORDS)), encoding="utf-8")
    metric = 'mean(eq("born"), edit("name"), f1("tags"))'
    words = ["duplicates", str(path), "--metric", metric, "--threshold", "0.8"]
    took, held = fresh(keeping_bytecode(str(folder)), *words, "--quiet", times=1), peak(*words)
    table.add(f"duplicates, {RECORDS:,} records", duration(took))
    table.add("   memory", f"{held:.0f} MB", "< 300 MB", held < 300)


if __name__ == "__main__":
    main(sys.argv[1:])

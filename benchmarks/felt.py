"""What people wait for: scoring beside the peers, then errors, reports, alignments and comparisons beside `score`.

`python benchmarks/felt.py [NAME...]` runs only the rows of these corpora: ner, ud, amr, invoices, …, people, jobs.

Each command is a process of its own, from two files to what it prints.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

import jobs
import whole
from duplicates import people
from files import fresh, peak
from whole import Row
from workload.clock import keeping_bytecode
from workload.corpora import Corpus, corpus
from workload.table import Table, duration

TIMES = 3

STARTING = ("nervaluate", "oneie", "docred", "invoices")
"""Corpora so small that starting takes much of the time: ten times as large, too, they show what scoring takes."""

PLAIN = {"errors": 3, "report": 3, "compare": 3.2}
ALIGNED = {"align --worst 20": 5, "align --wrong": 5}

AFTER: dict[Row, dict[str, float]] = {
    Row("ner, 10,000 sentences, as seqeval", "ner", 10_000): PLAIN | ALIGNED,
    Row("dependencies, 10,000 sentences", "ud", 10_000): PLAIN,
    Row("amr, 1,368 pairs", "amr", 1_368): PLAIN,
    Row("documents, 2,000 of 5 to 20 lines", "invoices", 2_000): PLAIN,
    Row("documents, 10,000 of 5 to 20 lines", "invoices", 10_000): PLAIN,
}
"""The goals of the commands that follow `score`, in multiples of it on the same files."""

RECORDS = 10_000
"""Records among which duplicates are found."""

PARTS = 1_740
"""Documents of coreference, five times those of OntoNotes' test set."""


def main(names: list[str]) -> None:
    table = Table("what is felt: whole processes, in processor time; the peer of a command is score")

    def asked(name: str) -> bool:
        return not names or name in names

    for row in whole.ROWS:
        larger = row._replace(work="   … ten times as many", number=10 * row.number)
        for one in (row, larger) if row.corpus in STARTING else (row,):
            if asked(row.corpus):
                with TemporaryDirectory() as folder:
                    whole.compare(table, one, Path(folder), TIMES)
    for row, goals in AFTER.items():
        if asked(row.corpus):
            with TemporaryDirectory() as folder:
                _follow(table, row, goals, Path(folder))
    if asked("people"):
        with TemporaryDirectory() as folder:
            _find_duplicates(table, Path(folder))
    if asked("jobs"):
        jobs.compare(table, "coref", PARTS, "--option", "repeated=first")  # one part closes marks that cross


def _follow(table: Table, row: Row, goals: dict[str, float], folder: Path) -> None:
    files, environment = corpus(folder, row.corpus, row.number), keeping_bytecode(str(folder))
    plain = [word for word in files.words if word not in ("--fields", "--by", "type")]  # a report counts them anyway
    files = Corpus(files.preds, files.refs, tuple(plain))
    for command, goal in goals.items():
        both = files.command(), _words(command, files)
        for words in both:
            fresh(environment, *words, times=1)  # compiles
        turns = [[fresh(environment, *words, times=1) for words in both] for _ in range(TIMES)]
        scored, took = map(min, zip(*turns, strict=True))  # by turns, as the load of the machine may change
        name, ratio = f"{row.work}: {command}", f"{took / scored:.1f}×"
        table.add(name, duration(took), f"≤ {goal:g}×", took <= goal * scored, peer=duration(scored), ratio=ratio)


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

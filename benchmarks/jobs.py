"""What a second process gains on files of every task's own format: score --jobs 2 against --jobs 1.

One process reads the files, so that there is a gain only where scoring takes longer than reading.

On an idle machine with two cores a run takes as long as its busiest process, and at least half of what all take
together; that is what is compared, whatever else runs now.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from files import busy
from workload.clock import keeping_bytecode
from workload.corpora import corpus
from workload.table import Table, duration

SIZES = {
    "ner": 60_000, "ud": 10_000, "coref": 700, "corefud": 700, "trees": 20_000, "sdp": 12_000, "srl": 24_000,
    "amr": 12_000, "drs": 1_800, "events": 2_000, "templates": 6_000,
}  # fmt: skip


def main() -> None:
    table = Table("score --jobs 2 on files of a task's own format, in processor time; peer: --jobs 1")
    for name, number in SIZES.items():
        compare(table, name, number)


def compare(table: Table, name: str, number: int, *options: str) -> None:
    """So many documents by two processes, beside one."""
    with TemporaryDirectory() as folder:
        words = corpus(Path(folder), name, number)
        environment = keeping_bytecode(folder)
        for jobs in ("1", "2"):
            busy(environment, *words.command("--jobs", jobs, *options))  # both compile what they import
        one, two = (sorted(busy(environment, *words.command("--jobs", jobs, *options))) for jobs in ("1", "2"))
    alone, together = sum(one), max(two[-1], sum(two) / 2)
    row = f"{name}, {number:,} documents, --jobs 2"
    table.add(row, duration(together), peer=duration(alone), ratio=f"{alone / together:.2f}×")


if __name__ == "__main__":
    main()

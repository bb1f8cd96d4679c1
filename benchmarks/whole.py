"""From two files to the scores, as whole processes: ours, the fastest peer in Python, and a floor that counts sets.

`python benchmarks/whole.py [NAME...]` runs only the rows of these corpora: ner, nervaluate, ud, … `small` stands for
files of a few sentences, where starting is all that takes time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeAlias

from files import fresh
from workload import alone
from workload.clock import keeping_bytecode
from workload.corpora import Corpus, corpus
from workload.table import Table, duration

TIMES = 5

Scorer: TypeAlias = Callable[[str, str], float]
"""What scores two files in a process of its own, by its name in `alone`."""


class Row(NamedTuple):
    """A corpus and its size, what scores it beside us, and what is the least that one can do."""

    work: str
    corpus: str
    number: int
    peer: Scorer | None = None
    floor: Scorer | None = None
    goal: int = 5
    """How many times as fast as the peer we want to be."""


ROWS = (
    Row("ner, 10,000 sentences, by type, seqeval", "ner", 10_000, alone.seqeval, alone.plain_entities),
    Row("ner, the four schemes, by type, nervaluate", "nervaluate", 10_000, alone.nervaluate, alone.plain_entities),
    Row("dependencies, 10,000 sentences, udeval", "ud", 10_000, alone.udeval, alone.plain_words),
    Row("constituency, 2,400 trees, PYEVALB", "trees", 2_400, alone.pyevalb, alone.plain_brackets),
    Row("coreference, 348 parts, 8 metrics, e2e-coref's 4", "coref", 348, alone.corefeval, alone.plain_clusters),
    Row("coreference, 348 parts, 8 metrics, scorch's 5", "coref", 348, alone.scorch, alone.plain_clusters),
    Row("events, 10,000 sentences, metametric", "events", 500, alone.metametric, alone.plain_events),
    Row("events as OneIE, 10,000 sentences, its scorer", "oneie", 500, alone.oneie, alone.plain_events, 1),
    Row("relations as DocRED, 1,000 documents, evaluation.py", "docred", 1_000, alone.docred, alone.plain_relations, 1),
    Row("templates, 500 documents, GTT's search", "gtt", 500, alone.gtt, alone.plain_templates, 3),
    Row("documents, 1,000 of 5 to 20 lines, JSONDiff", "invoices", 1_000, alone.jsondiff, alone.plain_documents, 2),
    Row("semantic dependencies, 2,000 graphs", "sdp", 2_000),
    Row("semantic roles, 5,000 sentences", "srl", 5_000),
)
"""The peers of the last two are on no package index: mtool, and srl-eval.pl."""


SMALL = {"ner": 5, "events": 2}
"""Corpora of which so few documents are scored that starting is all that takes time."""


def main(names: list[str]) -> None:
    table = Table("from files to scores, whole processes, in processor time")
    for row in ROWS:
        if not names or row.corpus in names:
            with TemporaryDirectory() as folder:
                _measure(table, row, Path(folder))
    for name, number in SMALL.items() if not names or "small" in names else ():
        with TemporaryDirectory() as folder:
            files, environment = corpus(Path(folder), name, number), keeping_bytecode(folder)
            fresh(environment, *files.command(), times=1)
            ours = fresh(environment, *files.command(), times=TIMES)
            table.add(f"{name}, {number} documents", duration(ours), "≤ 250 ms", ours <= 0.25)


def _measure(table: Table, row: Row, folder: Path) -> None:
    files, environment, ours = compare(table, row, folder, TIMES)
    if row.floor is None:
        return
    floor = _run(row.floor, files, environment, TIMES)
    ratio = f"{ours / floor:.1f}×"
    table.add("   … over the floor", duration(ours), "≤ 1.5×", ours <= 1.5 * floor, peer=duration(floor), ratio=ratio)


def compare(table: Table, row: Row, folder: Path, times: int) -> tuple[Corpus, dict[str, str], float]:
    """A row of us beside the peer; its files, how processes are run, and our time."""
    files, environment = corpus(folder, row.corpus, row.number), keeping_bytecode(str(folder))
    fresh(environment, *files.command(), times=1)  # compiles
    ours = fresh(environment, *files.command(), times=times)
    if row.peer is None:
        table.add(row.work, duration(ours))
    else:
        _run(row.peer, files, environment, 1)
        peer = _run(row.peer, files, environment, 1)
        ratio, is_met = f"{peer / ours:.1f}×", peer / ours >= row.goal
        table.add(row.work, duration(ours), f"≥ {row.goal}×", is_met, peer=duration(peer), ratio=ratio)
    return files, environment, ours


def _run(scorer: Scorer, files: Corpus, environment: dict[str, str], times: int) -> float:
    return fresh(environment, scorer.__name__, files.preds, files.refs, times=times, run=alone.__file__)


if __name__ == "__main__":
    main(sys.argv[1:])

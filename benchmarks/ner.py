"""Named entities: a report per type against seqeval, the four schemes against nervaluate, and reading CoNLL columns."""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from files import fresh
from nervaluate.evaluator import Evaluator
from seqeval.metrics import classification_report
from seqeval.scheme import IOB2
from workload.clock import keeping_bytecode, seconds
from workload.corpora import corpus
from workload.table import Table, duration
from workload.tagging import TYPES, tagged_sentences

from matchwise.compat.nervaluate import Evaluator as DropIn
from matchwise.formats import conll2003
from matchwise.runners.runner import evaluate
from matchwise.tasks import ner

SENTENCES = 10_000


def main() -> None:
    preds, refs = tagged_sentences(SENTENCES)
    table = Table(f"named entities, {SENTENCES:,} sentences, {sum(map(len, refs)):,} tokens")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _seqeval(table, preds, refs)
    _nervaluate(table, preds, refs)
    _reading(table, refs)
    _from_files(table)


def _seqeval(table: Table, preds: list[list[str]], refs: list[list[str]]) -> None:
    for name, options, theirs in (
        ("default", {}, {}),
        ("strict", {"scheme": "IOB2"}, {"mode": "strict", "scheme": IOB2}),
    ):
        suite = ner.suite("seqeval", **options)
        report = classification_report(refs, preds, output_dict=True, **theirs)
        assert abs(evaluate(suite, preds, refs)["strict"].f1 - report["micro avg"]["f1-score"]) < 1e-12
        ours = seconds(lambda suite=suite: str(evaluate(suite, preds, refs, by="type")), times=3)
        peer = seconds(lambda theirs=theirs: classification_report(refs, preds, **theirs), times=2)
        row = f"report per type, against seqeval's classification_report ({name})"
        table.add(row, duration(ours), "≥ 5×", peer / ours >= 5, peer=duration(peer), ratio=f"{peer / ours:.1f}×")


def _nervaluate(table: Table, preds: list[list[str]], refs: list[list[str]]) -> None:
    def run():
        return Evaluator(refs, preds, list(TYPES), loader="list").evaluate()

    expected = run()["overall"]
    report = evaluate(ner.suite("nervaluate"), preds, refs)
    for mine, theirs in (("strict", "strict"), ("exact", "exact"), ("partial", "partial"), ("type", "ent_type")):
        assert abs(report[mine].f1 - expected[theirs].f1) < 1e-12
    peer = seconds(run, times=2)
    for preset in ("nervaluate", "optimal"):
        for name, options in (("four schemes", {}), ("four schemes and tables per type", {"by": "type"})):
            suite = ner.suite(preset)
            ours = seconds(lambda suite=suite, options=options: evaluate(suite, preds, refs, **options), times=3)
            target, ok = ("≥ 5×", peer / ours >= 5)
            row = f"{name}, {preset}, against nervaluate"
            table.add(row, duration(ours), target, ok, peer=duration(peer), ratio=f"{peer / ours:.1f}×")
    ours = seconds(lambda: DropIn(refs, preds, list(TYPES)).evaluate(), times=3)
    row, ratio = "the drop-in Evaluator, against nervaluate", peer / ours
    table.add(row, duration(ours), "≥ 2×", ratio >= 2, peer=duration(peer), ratio=f"{ratio:.1f}×")


def _reading(table: Table, refs: list[list[str]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "gold.conll"
        path.write_text(
            "\n\n".join("\n".join(f"token X {tag}" for tag in tags) for tags in refs) + "\n", encoding="utf-8"
        )
        time = seconds(lambda: sum(1 for _ in conll2003.read(str(path))), times=3)
    table.add("reading one side as CoNLL columns", duration(time))


SEQEVAL = """
import sys, warnings
from seqeval.metrics import classification_report
warnings.simplefilter("ignore")
def read(path):
    with open(path) as file:
        return [[line.split()[-1] for line in part.splitlines()] for part in file.read().strip().split("\\n\\n")]
print(classification_report(read(sys.argv[2]), read(sys.argv[1])))
"""


def _from_files(table: Table) -> None:
    """Whole processes, from their start to their end."""
    with TemporaryDirectory() as folder:
        files = corpus(Path(folder), "ner", SENTENCES)
        environment = keeping_bytecode(folder)
        fresh(environment, *files.command(), times=1)
        ours = fresh(environment, *files.command(), times=3)
        peer = fresh(environment, SEQEVAL, files.preds, files.refs, times=1, run="-c")
    row = "from files to the report per type, against seqeval"
    table.add(row, duration(ours), "≥ 5×", peer / ours >= 5, peer=duration(peer), ratio=f"{peer / ours:.1f}×")


if __name__ == "__main__":
    main()

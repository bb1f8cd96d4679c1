"""Three jobs in a few seconds: `make demo`, or `python examples/demo.py`.

A task from files, the answers of a language model with what is wrong in them, and a comparison of two models. Then a
report to click through is written, and its path is printed.
"""

import io
import os
import sys
from contextlib import redirect_stderr
from pathlib import Path

from matchwise.cli import main

ROOT = Path(__file__).parents[1]
NER = "ner examples/data/ner_system.conll -r examples/data/ner_gold.conll --preset seqeval"
RECEIPTS = "documents --type examples/receipts/receipt.py:Receipt -r examples/receipts/gold.jsonl --text output"
SMALL, LARGE = "small=examples/receipts/small.jsonl", "large=examples/receipts/large.jsonl"


def show(title: str, command: str, notes: bool = False) -> None:
    """Run a command in this process; its notes on stderr are shown on demand."""
    print(f"\n== {title}\n$ matchwise {command}\n", flush=True)
    said = io.StringIO()
    with redirect_stderr(said):
        main(command.split())
    if notes:
        print(said.getvalue())


def run(report: Path) -> None:
    os.chdir(ROOT)
    show("1. A tagger against the gold annotation", f"score {NER} --by type")
    show("What it got wrong", f"align {NER} --wrong")
    show("2. 60 receipts, read by a language model", f"score {RECEIPTS} {SMALL} --fields --worst 3", notes=True)
    show("What is wrong in one of them", f"align {RECEIPTS} {SMALL} --document r03")
    show("3. Is the larger model better?", f"compare {RECEIPTS} {SMALL} {LARGE}")
    report.parent.mkdir(exist_ok=True)
    show("Everything, to click through", f"report {RECEIPTS} {SMALL} {LARGE} --fields -o {report}")
    print(f"The report is {report.absolute()}")


if __name__ == "__main__":
    run(Path(sys.argv[1]) if sys.argv[1:] else Path("build", "demo.html"))

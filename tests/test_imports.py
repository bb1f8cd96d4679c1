"""What a whole process is made of: scoring files imports what it runs, and little else."""

import subprocess
import sys
from pathlib import Path

DATA = Path(__file__).parents[1] / "examples" / "data"

SCORE = f"""
import sys
before = set(sys.modules)
from matchwise.corpus.tally import Tally
from matchwise.runners.runner import run
from matchwise.formats import conll2012
from matchwise.tasks import coref
pairs = zip(conll2012.read({str(DATA / "coref_system.conll")!r}), conll2012.read({str(DATA / "coref_gold.conll")!r}))
report = run(Tally(coref.suite()), ((pred, ref, ref.id) for pred, ref in pairs)).report()
assert "conll" in str(report)
print(*set(sys.modules) - before)
"""

UNUSED = {
    "matchwise.algebra.parse",
    "matchwise.corpus.breakdown",
    "matchwise.engine.many.chosen",
    "matchwise.engine.many.operators.bulk",
    "matchwise.engine.many.operators.latent",
    "matchwise.engine.many.operators.structure",
    "matchwise.tasks.coref.errors",
    "matchwise.tasks.coref.pairing",
}
"""Tables by label and field, variables, trees, arrays and explanations: no part of the scores of coreference."""

STANDARD = {"decimal", "fractions", "gzip", "pickle", "pkgutil", "shutil"}
"""Of the standard library, what takes longest to import and was not needed either."""


def test_scores_of_coreference_import_nothing_that_only_other_work_needs() -> None:
    done = subprocess.run([sys.executable, "-c", SCORE], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & (UNUSED | STANDARD) == set()


COMMAND = """
import sys
from matchwise.cli import main
assert main(["score", "ner", sys.argv[1], "-r", sys.argv[1], "--preset", "seqeval", "-q"]) == 0
print(*sys.modules)
"""

OPTIONS = "import argparse, sys; argparse.ArgumentParser().format_help(); print(*sys.modules)"
"""What any command loads that reads its options; from Python 3.14 on, `inspect` and `ast` are among it."""

OTHER_WORK = {
    "matchwise.algebra.parse",
    "matchwise.deriving",
    "matchwise.similarities.dates",
    "matchwise.tasks.events",
    "matchwise.tasks.relations",
    "matchwise.views.model",
    "_hashlib",
    "uuid",
}
"""Tasks whose formats the file might have had, metrics from types and from texts, leaves, and views of documents; what
reads Python, and OpenSSL."""


def test_the_command_line_recognises_a_file_of_tags_without_the_tasks_of_other_formats(tmp_path: Path) -> None:
    file = tmp_path / "gold.conll"
    file.write_text("U.N. B-ORG\nofficial O\n\nEkeus B-PER\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", COMMAND, file], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "matchwise.tasks.ner" in loaded
    options = subprocess.run([sys.executable, "-c", OPTIONS], capture_output=True, text=True, check=True)
    assert loaded & (OTHER_WORK | {"numpy", "msgspec"}) - set(options.stdout.split()) == set()


def test_a_hundred_sentences_are_not_worth_an_array_library(tmp_path: Path) -> None:
    file = tmp_path / "gold.conll"
    file.write_text("U.N. B-ORG\nofficial O\n\n" * 100, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", COMMAND, file], capture_output=True, text=True, check=True)
    assert "numpy" not in done.stdout.split()


DOCUMENTS = """
import json, sys
from pathlib import Path
from matchwise.cli import main

def write(name, document):
    file = Path(sys.argv[2]) / name
    file.write_text("".join(json.dumps(document | {"docid": str(n)}) + "\\n" for n in range(int(sys.argv[1]))))
    return str(file)

one = {"incident_type": "arson", "PerpInd": [[["rebels", 0]]], "Target": [[["bank", 5]], [["car", 9], ["cars", 20]]]}
two = one | {"incident_type": "bombing", "Victim": [[["mayor", 30]]]}
gold = write("gold.json", {"templates": [one, two]})
system = write("system.json", {"templates": [two, one | {"PerpInd": [[["mob", 0]]]}]})
assert main(["score", "templates", system, "-r", gold, "--preset", "gtt", "-q"]) == 0
print(*sys.modules)
"""


def test_four_hundred_documents_with_templates_are_not_worth_an_array_library(tmp_path: Path) -> None:
    for number, expected in ((400, False), (2000, True)):
        script = [sys.executable, "-c", DOCUMENTS, str(number), tmp_path]
        done = subprocess.run(script, capture_output=True, text=True, check=True)
        head, *_, modules = done.stdout.splitlines()
        assert ("numpy" in modules.split()) is expected
        assert head.split()[:3] == ["metric", "precision", "recall"]


LIGHT = """
import sys
from pathlib import Path
from matchwise import align, close, derive, edit, eq, evaluate, f1, iou, normalize, overlap, score
from matchwise.cli import main

data = Path(sys.argv[1])
for gold in sorted(data.glob("*_gold.*")):
    task = gold.name.removesuffix(gold.suffix).removesuffix("_gold")
    [system] = data.glob(f"{task}_system.*")
    if task != "amr":  # variables are matched over arrays
        assert main(["score", task, str(system), "-r", str(gold), "-q"]) == 0, task
items = normalize(eq("n") + overlap("items", edit("a") + close("b", abs=0.1)), "f1")
invoice = {"n": 1, "items": [{"a": "x", "b": 1.0}, {"a": "y", "b": 2.0}]}
assert score(items, invoice, invoice) == 1.0
assert score(f1("xs", iou()), {"xs": [[0, 2]]}, {"xs": [[0, 2]]}) == 1.0
assert score(f1("xs", order="sequence"), {"xs": [1, 2]}, {"xs": [1, 2]}) == 1.0
assert str(align(items, invoice, invoice)) and str(evaluate(items, [invoice], [invoice]))
print(*sys.modules)
"""


def test_small_scores_of_every_task_and_leaf_need_no_array_library() -> None:
    done = subprocess.run([sys.executable, "-c", LIGHT, DATA], capture_output=True, text=True, check=True)
    assert set(done.stdout.splitlines()[-1].split()) & {"numpy", "scipy"} == set()

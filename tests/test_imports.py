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
    "matchwise.engine.chosen",
    "matchwise.engine.operators.bulk",
    "matchwise.engine.operators.latent",
    "matchwise.engine.operators.structure",
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

OTHER_WORK = {"matchwise.tasks.events", "matchwise.tasks.relations", "matchwise.deriving"}
"""Tasks whose formats the file might have had, and metrics from types."""


def test_the_command_line_recognises_a_file_of_tags_without_the_tasks_of_other_formats(tmp_path: Path) -> None:
    file = tmp_path / "gold.conll"
    file.write_text("U.N. B-ORG\nofficial O\n\nEkeus B-PER\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", COMMAND, file], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "matchwise.tasks.ner" in loaded
    assert loaded & (OTHER_WORK | {"numpy", "msgspec"}) == set()

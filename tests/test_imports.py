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
    "matchwise.engine.operators.candidates",
    "matchwise.engine.operators.latent",
    "matchwise.engine.operators.structure",
    "matchwise.engine.solvers.pricing",
    "matchwise.tasks.coref.errors",
    "matchwise.tasks.coref.pairing",
}
"""Tables by label and field, variables, trees, arrays and explanations: no part of the scores of coreference."""

STANDARD = {"decimal", "fractions", "gzip", "pickle", "pkgutil", "shutil"}
"""Of the standard library, what takes longest to import and was not needed either."""


def test_scores_of_coreference_import_nothing_that_only_other_work_needs() -> None:
    done = subprocess.run([sys.executable, "-c", SCORE], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & (UNUSED | STANDARD) == set()

"""What a whole process is made of: scoring files imports what it runs, and little else."""

import subprocess
import sys
from pathlib import Path

import matchwise

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

HEAVY = {"pandas", "pyarrow", "pydantic", "rapidfuzz", "scipy", "scipy.optimize"}
"""Libraries that some work needs; small tables are assigned without SciPy. Records are made by msgspec: all need it."""


def modules(code: str, *arguments: object) -> set[str]:
    """What is loaded at the end of a program, by its last line."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_scores_of_coreference_load_no_library_that_only_other_work_needs() -> None:
    assert modules(SCORE) & HEAVY == set()


COMMAND = """
import sys
from matchwise.cli import main
assert main(["score", "ner", sys.argv[1], "-r", sys.argv[1], "--preset", "seqeval", "-q"]) == 0
print(*sys.modules)
"""


def test_the_command_line_scores_a_file_of_tags_without_libraries_for_other_work(tmp_path: Path) -> None:
    file = tmp_path / "gold.conll"
    file.write_text("U.N. B-ORG\nofficial O\n\nEkeus B-PER\n", encoding="utf-8")
    loaded = modules(COMMAND, file)
    assert "matchwise.tasks.ner" in loaded
    assert loaded & {*HEAVY, "matchwise.deriving", "matchwise.views.model"} == set()


LIGHT = """
import sys
from pathlib import Path

import matchwise
from matchwise import align, close, derive, edit, eq, evaluate, f1, iou, normalize, overlap, score
from matchwise.cli import main

data = Path(sys.argv[1])
for gold in sorted(data.glob("*_gold.*")):
    task = gold.name.removesuffix(gold.suffix).removesuffix("_gold")
    if task == "tracks":
        continue  # boxes of a frame are paired as TrackEval pairs them, by SciPy, ties included
    system = min(data.glob(f"{task}_system.*"), key=lambda file: file.suffix != gold.suffix)
    assert main(["score", task, str(system), "-r", str(gold), "-q"]) == 0, task
items = normalize(eq("n") + overlap("items", edit("a") + close("b", abs=0.1)), "f1")
invoice = {"n": 1, "items": [{"a": "x", "b": 1.0}, {"a": "y", "b": 2.0}]}
assert score(items, invoice, invoice) == 1.0
assert score(f1("xs", iou()), {"xs": [[0, 2]]}, {"xs": [[0, 2]]}) == 1.0
assert score(f1("xs", order="sequence"), {"xs": [1, 2]}, {"xs": [1, 2]}) == 1.0
assert str(align(items, invoice, invoice)) and str(evaluate(items, [invoice], [invoice]))
print(*sys.modules)
"""


def test_small_scores_of_every_task_and_leaf_load_no_library_for_large_ones() -> None:
    assert modules(LIGHT, DATA) & (HEAVY - {"rapidfuzz"}) == set()  # edits of texts


UNCHANGED = """
import sys
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

package = import_module(sys.argv[1])
names = [found.name for found in iter_modules(package.__path__) if found.name != "__main__"]
before = {name: vars(package).get(name) for name in names}
before = {name: value for name, value in before.items() if value is not None and not isinstance(value, ModuleType)}
for name in names if before else ():
    try:
        import_module(f"{package.__name__}.{name}")
    except ImportError:  # a framework is not installed here
        continue
print(*[name for name, value in before.items() if vars(package)[name] is not value])
"""


def test_an_import_of_a_module_does_not_replace_the_name_of_its_package() -> None:
    inits = sorted(Path(matchwise.__file__).parent.rglob("__init__.py"))
    packages = [".".join(init.parent.parts[init.parent.parts.index("matchwise") :]) for init in inits]
    replaced = {package: modules(UNCHANGED, package) for package in packages}
    assert {package: names for package, names in replaced.items() if names} == {}

"""Several processes give what one gives."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from matchwise.algebra.build import custom, eq, f1, overlap
from matchwise.corpus.suite import Suite, average
from matchwise.errors import DataError, MatchwiseError
from matchwise.runners.runner import evaluate
from matchwise.similarities.vocabulary import edit

SUITE = Suite(hard=f1("xs", eq("type")), soft=f1("xs", 0.3 * edit("name") + eq("type")), both=average("hard", "soft"))


def side(shift: int, number: int = 90) -> Iterator[dict[str, Any]]:
    for k in range(number):
        words = [f"{'spam' * (j % 3)}{(j * shift + k) % 7}" for j in range(k % 5)]
        yield {"xs": [{"type": word[-1], "name": word} for word in words]}


@pytest.mark.parametrize("timeout", [None, 60])
def test_two_processes_give_what_one_gives_bit_for_bit(timeout: float | None) -> None:
    options: dict[str, Any] = {"by": "type", "fields": True}
    done: list[int] = []
    two = evaluate(SUITE, side(1), side(2), jobs=2, timeout=timeout, progress=done.append, **options)
    one = evaluate(SUITE, side(1), side(2), jobs=1, **options)
    assert two.scores == one.scores
    assert two.to_json() == one.to_json()
    assert done == sorted(done)
    assert done[-1] == 90


@pytest.mark.parametrize("timeout", [None, 60])
def test_an_error_in_a_worker_names_the_document(timeout: float | None) -> None:
    preds = [*side(1, 40), {"xs": None}, *side(1, 40)]
    with pytest.raises(DataError, match=r"^document 40 prediction: xs: found None") as caught:
        evaluate(SUITE, preds, side(1, 81), jobs=2, timeout=timeout)
    assert caught.value.document == 40


def test_a_document_that_cannot_be_sent_is_a_clear_error() -> None:
    preds = [{"xs": [lambda: None]}]
    with pytest.raises(MatchwiseError, match=r"document.* 0 .*cannot be sent to another process: .* or write jobs=1"):
        evaluate(f1("xs"), preds, [{"xs": []}], jobs=2)


def test_a_function_that_cannot_be_sent_is_a_clear_error() -> None:
    def inside(pred: Any, ref: Any) -> int:
        return 1

    with pytest.raises(MatchwiseError, match=r"the suite cannot be sent to another process: .*inside"):
        evaluate(overlap("xs", custom(inside)), [{"xs": []}], [{"xs": []}], jobs=2)


SCRIPT = """
from dataclasses import dataclass
from matchwise.algebra.build import f1
from matchwise.runners.runner import evaluate
from matchwise.errors import MatchwiseError

@dataclass
class Document:
    xs: list

def run():
    try:
        print(evaluate(f1("xs"), [Document([1])] * 9, [Document([1])] * 9, jobs=2, timeout=60)["score"].f1)
    except MatchwiseError as error:
        print(error)
"""


def run(source: str, path: Path | None = None) -> str:
    """The last line that a script prints, run from a file or, without one, from the command line."""
    if path is not None:
        path.write_text(source, encoding="utf-8")
    command = [sys.executable, "-W", "error", *(["-c", source] if path is None else [str(path)])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.strip().splitlines()[-1]


def test_classes_of_a_guarded_script_are_found_by_the_workers(tmp_path: Path) -> None:
    assert run(SCRIPT + '\nif __name__ == "__main__":\n    run()\n', tmp_path / "guarded.py") == "1.0"


def test_a_script_without_guard_is_told_to_have_one(tmp_path: Path) -> None:
    assert 'call evaluate under if __name__ == "__main__":' in run(SCRIPT + "\nrun()\n", tmp_path / "unguarded.py")


def test_classes_that_the_workers_cannot_import_are_a_clear_error() -> None:
    said = run(SCRIPT + "\nrun()\n")
    assert "the documents cannot be read by another process: " in said
    assert "attribute 'Document'" in said  # Python's own words, which differ by version


def test_documents_that_are_counted_faster_than_sent_need_no_process(tmp_path: Path) -> None:
    script = SCRIPT.replace(", timeout=60", "").replace("* 9", "* 90_000") + "\nrun()\n"
    assert run(script, tmp_path / "unguarded.py") == "1.0"  # a process could not start here


LONG = """
import multiprocessing, random
from matchwise import edit, evaluate, f1
draw = random.Random(3)
words = ["".join(draw.choice("abcd") for _ in range(24)) for _ in range(600)]
docs = [{"xs": [draw.choice(words) for _ in range(100)]} for _ in range(2000)]
"""


def test_documents_that_take_long_are_shared_and_give_the_same_bits(tmp_path: Path) -> None:
    script = (
        LONG
        + """
def score(jobs):
    children = set()
    see = lambda done: children.update(child.pid for child in multiprocessing.active_children())
    report = evaluate(f1("xs", edit()), docs, docs[1:] + docs[:1], jobs=jobs, progress=see)
    return report.scores, len(children)
if __name__ == "__main__":
    one, two = score(1), score(2)
    print(one[0] == two[0], one[1], two[1])
"""
    )
    assert run(script, tmp_path / "guarded.py") == "True 0 2"


def test_a_function_of_the_user_never_runs_in_this_process(tmp_path: Path) -> None:
    script = """
import os
from matchwise import custom, evaluate, f1
def compare(pred, ref):
    print(os.getpid() == int(pred), flush=True)
    return 1
if __name__ == "__main__":
    evaluate(f1("xs", custom(compare)), [{"xs": [str(os.getpid())]}], [{"xs": ["a"]}], jobs=2)
"""
    assert run(script, tmp_path / "user.py") == "False"

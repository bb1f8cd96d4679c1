"""The public names: one list for type checkers and for run time, and nothing heavy behind `import matchwise`."""

import ast
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import matchwise

HEAVY = ("attrs", "msgspec", "numpy", "pydantic", "rapidfuzz", "rich", "scipy")


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_stub_lists_each_name_once_and_in_order() -> None:
    stub = Path(matchwise.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    lines = [line for line in ast.parse(stub).body if isinstance(line, ast.ImportFrom)]
    names = [alias.name for line in lines for alias in line.names]
    assert sorted(names) == matchwise.__all__
    assert [alias.asname for line in lines for alias in line.names] == names  # else type checkers call it private
    assert [line.module for line in lines] == sorted(str(line.module) for line in lines)


@pytest.mark.parametrize("name", matchwise.__all__)
def test_every_public_name_resolves_to_something_that_is_no_module(name: str) -> None:
    assert not isinstance(getattr(matchwise, name), ModuleType)


def test_dir_lists_the_public_names_and_nothing_else() -> None:
    assert dir(matchwise) == matchwise.__all__
    assert {"Any", "annotations", "lazy_loader", "sys", "_load", "tasks"}.isdisjoint(dir(matchwise))


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="module 'matchwise' has no attribute 'f2'"):
        matchwise.f2  # noqa: B018


def test_no_public_name_is_the_name_of_a_folder() -> None:
    folders = {entry.name for entry in Path(matchwise.__file__).parent.iterdir() if entry.is_dir()}
    assert folders & set(matchwise.__all__) == set()


@pytest.mark.parametrize("line", ["import matchwise.tasks.ner as ner", "from matchwise.tasks import ner"])
def test_a_task_is_imported_either_way(line: str) -> None:
    assert run(f"import matchwise as mw; mw.list_tasks(); {line}; print(ner.__name__)") == "matchwise.tasks.ner"


@pytest.mark.parametrize("use", ["import matchwise", "from matchwise import eq, f1; repr(f1('a', eq()))"])
def test_nothing_heavy_is_imported_until_a_score_needs_it(use: str) -> None:
    assert run(f"import sys; {use}; print(sorted(set(sys.modules) & set({HEAVY})))") == "[]"

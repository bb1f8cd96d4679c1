"""Every example in a docstring runs."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

import matchwise

ROOT = Path(matchwise.__file__).parent
FRAMEWORKS = {f"matchwise.integrations.{name}" for name in ("dspy", "inspect", "pydantic_evals", "torchmetrics")}
"""Modules that import what is not installed here; `make test-integrations` runs them."""

NAMES = [
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(ROOT.rglob("*.py"))
    if path.name != "__main__.py"
]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in FRAMEWORKS])
def test_the_examples_of_a_module_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", matchwise.__all__)
def test_every_public_name_has_a_sentence_and_an_example(name: str) -> None:
    said = getattr(matchwise, name).__doc__ or ""
    assert said.splitlines()[0].endswith((".", ":"))
    assert ">>> " in said


@pytest.mark.parametrize("name", matchwise.__all__)
def test_the_examples_of_a_public_name_run_with_what_a_user_imports(name: str) -> None:
    thing = getattr(matchwise, name)
    found = doctest.DocTestFinder().find(thing, name, module=False, globs={"mw": matchwise})
    sources = "".join(example.source for test in found for example in test.examples)
    assert re.findall(r"matchwise\.(?!tasks\b)\w+", sources) == []
    runner = doctest.DocTestRunner(verbose=False)
    for test in found:
        assert runner.run(test).failed == 0, test.name


@pytest.mark.parametrize("name", matchwise.__all__)
def test_the_first_line_of_a_public_name_says_it_in_one_sentence(name: str) -> None:
    """An editor shows this line beside a completion."""
    [first, *rest] = (getattr(matchwise, name).__doc__ or "").splitlines()
    assert 10 < len(first) <= 120
    assert first.endswith((".", ":"))
    assert not rest or not rest[0].strip()


def test_the_library_is_imported_in_one_way_wherever_it_is_shown() -> None:
    folder = ROOT.parents[1]
    shown = [folder / "README.md", folder / "CONTRIBUTING.md", *(folder / "docs").rglob("*.md")]
    shown += [
        *(folder / "examples").rglob("*.py"),
        *(path for path in ROOT.rglob("*.py") if "compat" not in path.parts),
    ]
    others = r"^[ >.]*(?:from matchwise import|import matchwise(?! as mw$|\.)).*"
    found = {path.name: re.findall(others, path.read_text(encoding="utf-8"), re.MULTILINE) for path in shown}
    assert {name: lines for name, lines in found.items() if lines} == {}, "write: import matchwise as mw"

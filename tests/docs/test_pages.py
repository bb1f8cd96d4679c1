"""Every Python block of the README and of the pages runs, top to bottom, and prints what it says it prints."""

import doctest
import re
import sys
import textwrap
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^(?P<indent> *)```python\n(?P<code>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> Iterator[tuple[int, str]]:
    """The Python blocks of a page, each with the number of lines above it."""
    for fence in FENCE.finditer(page):
        yield page.count("\n", 0, fence.start("code")), textwrap.dedent(fence["code"])


def run(page: str, name: str, module: ModuleType) -> None:
    """Run the blocks of a page in one module, so that a block sees what those above it define."""
    for above, code in blocks(page):
        if ">>>" not in code:
            exec(compile("\n" * above + code, name, "exec"), module.__dict__)
            continue
        examples = doctest.DocTestParser().get_doctest(code, {}, name, name, above)
        examples.globs = module.__dict__
        said: list[str] = []
        if doctest.DocTestRunner().run(examples, out=said.append, clear_globs=False).failed:
            pytest.fail("".join(said), pytrace=False)


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module that can be found by its name, as postponed annotations need it."""
    made = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", made)
    return made


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_examples_of_a_page_run(path: Path, module: ModuleType) -> None:
    run(path.read_text(encoding="utf-8"), str(path), module)


def test_a_block_sees_what_the_blocks_above_it_define(module: ModuleType) -> None:
    run("```python\nx = 1\n```\n\n```python\n>>> x\n1\n\n```\n", "page.md", module)
    assert module.x == 1


def test_a_wrong_output_on_a_page_is_found(module: ModuleType) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"Expected:\n    3\nGot:\n    2"):
        run("```python\n>>> 1 + 1\n3\n\n```\n", "page.md", module)


def test_an_error_in_a_block_names_the_line_of_the_page(module: ModuleType) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run("# Title\n\n```python\nx = 0\n1 / x\n```\n", "page.md", module)
    [*_, last] = traceback.extract_tb(caught.tb)
    assert (last.filename, last.lineno) == ("page.md", 5)

"""Every command and every Python block of the README and of the pages runs, and prints what the page says it prints."""

import os
import re
import subprocess
import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
_SPEC = spec_from_file_location("run_pages", ROOT / "docs" / "run.py")
assert _SPEC is not None
assert _SPEC.loader is not None
pages = module_from_spec(_SPEC)
_SPEC.loader.exec_module(pages)


def plain(text: str) -> str:
    """The text with any version in its signatures."""
    return re.sub(r"\|matchwise:[^|\s]+\|[0-9a-f]{8}", "|matchwise:0|0", text)


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module that can be found by its name, as postponed annotations need it."""
    made = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", made)
    return made


@pytest.mark.parametrize("path", pages.PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_shows_what_is_printed(path: Path, module: ModuleType) -> None:
    page = path.read_text(encoding="utf-8")
    now = pages.refresh_commands(pages.refresh_python(page, str(path), module))
    assert plain(now).splitlines() == plain(page).splitlines(), f"write: python docs/run.py {path.relative_to(ROOT)}"


TESTED = [path for path in pages.PAGES if "assert_score(" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", TESTED, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_tests_of_a_page_pass_on_the_data_of_the_page(path: Path) -> None:
    """Every one is shown as a file, so that it is run here; its first run writes its baseline."""
    page = path.read_text(encoding="utf-8")
    files = [block["file"] for block in pages.FENCE.finditer(page) if "assert_score(" in block["text"]]
    assert len(files) == page.count("assert_score(")
    with pages.page_folder(page):
        for file in map(Path, files):
            for options in (["--matchwise-update"], []):
                words = ["-q", "-p", "no:cacheprovider", "-p", "matchwise_pytest", *options, file.name]
                variables = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
                done = subprocess.run(
                    [sys.executable, "-m", "pytest", *words],
                    cwd=file.parent,
                    env={**os.environ, **variables},
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, done.stdout


def test_the_pictures_show_what_is_printed() -> None:
    drawn = pages.draw_pictures()
    assert {path: path.read_text(encoding="utf-8") for path in drawn} == drawn, "write: python docs/run.py"


def test_a_block_sees_what_the_blocks_above_it_define(module: ModuleType) -> None:
    pages.refresh_python("```python\nx = 1\n```\n\n```python\n>>> x\n1\n\n```\n", "page.md", module)
    assert module.x == 1


def test_a_wrong_output_of_python_is_put_right(module: ModuleType) -> None:
    page = "```python\n>>> 1 + 1\n3\n>>> 2\n2\n\n```\n"
    assert pages.refresh_python(page, "page.md", module) == page.replace("3", "2")


def test_blank_lines_and_exceptions_are_written_as_a_doctest_writes_them(module: ModuleType) -> None:
    page = (
        "```python\n>>> print('a\\n\\nb')\n>>> 1 / 0\nTraceback (most recent call last):\n...\nValueError: x\n\n```\n"
    )
    assert pages.refresh_python(page, "page.md", module) == (
        "```python\n>>> print('a\\n\\nb')\na\n<BLANKLINE>\nb\n>>> 1 / 0\nTraceback (most recent call last):\n...\n"
        "ZeroDivisionError: division by zero\n\n```\n"
    )


def test_a_message_of_several_lines_is_kept_whole(module: ModuleType) -> None:
    page = "```python\n>>> raise ValueError('a\\n  b')\nTraceback (most recent call last):\n...\nValueError: x\n\n```\n"
    assert pages.refresh_python(page, "page.md", module) == page.replace("Error: x", "Error: a\n  b")


def test_an_error_in_a_block_names_the_line_of_the_page(module: ModuleType) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        pages.refresh_python("# Title\n\n```python\nx = 0\n1 / x\n```\n", "page.md", module)
    [*_, last] = traceback.extract_tb(caught.tb)
    assert (last.filename, last.lineno) == ("page.md", 5)


def test_commands_see_the_files_of_the_page_and_end_with_their_exit_code() -> None:
    page = '```text title="a.txt"\nhello\n```\n\n'
    page += '```console\n$ cat a.txt | tr h j\n$ python -c "exit(3)"\n$ matchwise scor\n```\n'
    assert pages.refresh_commands(page).endswith(
        '$ cat a.txt | tr h j\njello\n$ python -c "exit(3)"\n[exit 3]\n$ matchwise scor\n'
        "matchwise: error: no command 'scor'; did you mean 'score'?\nsee matchwise --help\n[exit 2]\n```\n"
    )


def test_a_file_of_ours_must_be_shown_as_it_is() -> None:
    page = '```text title="examples/data/notes.ann"\nsomething else\n```\n'
    with pytest.raises(ValueError, match=r"^the page shows another notes\.ann than there is in "):
        pages.refresh_commands(page)


def test_a_page_may_change_its_folder() -> None:
    page = "```console\n$ cd examples/data/formats\n$ ls ptb.mrg\n```\n"
    assert pages.refresh_commands(page).endswith("$ ls ptb.mrg\nptb.mrg\n```\n")

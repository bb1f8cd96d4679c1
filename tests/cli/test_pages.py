"""Every command on the pages about the command line runs and prints what the page says.

A fenced block with a file name (```jsonl gold.jsonl) is written to a folder of the page, in which `formats` holds the
examples of the formats; a ```console block holds commands after `$ `, each with what it prints, and `[exit 4]` where
the exit code is not 0.
"""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / "docs" / f"{name}.md" for name in ("cli", "documents", "formats")),
    *sorted((ROOT / "docs" / "commands").glob("*.md")),
]
FENCE = re.compile(r"^```(?P<language>\w+)(?: (?P<file>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


class Step(NamedTuple):
    """A command of a page, and what it is to print."""

    line: int
    command: str
    printed: str


def files(page: str) -> Iterator[tuple[str, str]]:
    for block in FENCE.finditer(page):
        if block["file"]:
            yield block["file"], block["text"]


def steps(page: str) -> Iterator[Step]:
    for block in FENCE.finditer(page):
        if block["language"] != "console":
            continue
        above = page.count("\n", 0, block.start("text"))
        command, printed, at = "", [], 0
        for number, line in enumerate([*block["text"].splitlines(keepends=True), "$ "], start=above + 1):
            if not line.startswith("$ "):
                printed.append(line)
                continue
            if command:
                yield Step(at, command, "".join(printed))
            command, printed, at = line[2:].strip(), [], number


def printed(run: Callable[..., tuple[int, str, str]], command: str) -> str:
    """What a command prints, stdout and then stderr, and its exit code where it is not 0."""
    word, *words = shlex.split(command)
    assert word == "matchwise"
    code, out, err = run(*words)
    return out + err + (f"[exit {code}]\n" if code else "")


def plain(text: str) -> str:
    """The text with any version in its signatures."""
    return re.sub(r"\|matchwise:[^|\s]+\|[0-9a-f]{8}", "|matchwise:0|0", text)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_commands_of_a_page_print_what_it_says(path, run, tmp_path, monkeypatch) -> None:
    page = path.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "formats").symlink_to(ROOT / "examples" / "data" / "formats")
    for name, text in files(page):
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = [(step, printed(run, step.command)) for step in steps(page)]
    assert [(step.line, plain(said)) for step, said in found] == [(step.line, plain(step.printed)) for step, _ in found]

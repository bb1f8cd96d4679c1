"""Run everything that the pages show, and put what it prints on the pages: `python docs/run.py [PAGE...]`.

- A fenced block with a title (```json title="gold.jsonl") is a file; it is written to a folder of the page, which also
  has our `examples` and their `formats`. A file that is there already must be shown as it is.
- A ```console block holds commands after `$ `, each followed by what it prints, and by `[exit 4]` if that is its exit
  code.
- A ```python block is run; one with `>>>` is a doctest. The blocks of a page share their names.

Anything else (```sh, ```py, ```text, indented) is shown and not run. The tests compare the pages with what this prints.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from matchwise.cli import main

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r'^(?P<indent> *)```(?P<language>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<text>.*?)^(?P=indent)```$',
    re.MULTILINE | re.DOTALL,
)
SHELL = re.compile(r"[|<>;&$`*]")
"""What only a shell understands; any other `matchwise` is run in this process."""


def refresh_commands(page: str) -> str:
    """The page with what its commands print now."""
    with page_folder(page):

        def run_block(block: re.Match[str]) -> str:
            if block["language"] != "console":
                return block[0]
            commands = [line[2:] for line in textwrap.dedent(block["text"]).splitlines() if line.startswith("$ ")]
            shown = "".join(f"$ {command}\n{printed(command)}" for command in commands)
            return f"{block['indent']}```console\n{textwrap.indent(shown, block['indent'])}{block['indent']}```"

        return FENCE.sub(run_block, page)


def refresh_python(page: str, name: str, module: ModuleType) -> str:
    """The page with what its Python blocks print now; they are run in one module."""

    def run_block(block: re.Match[str]) -> str:
        if block["language"] != "python" or block["file"]:
            return block[0]
        code = textwrap.dedent(block["text"])
        above = page.count("\n", 0, block.start("text"))
        if ">>>" not in code:
            exec(compile("\n" * above + code, name, "exec"), module.__dict__)
            return block[0]
        told = textwrap.indent(_tell(code, name, above, module), block["indent"])
        return f"{block['indent']}```python\n{told}{block['indent']}```"

    return FENCE.sub(run_block, page)


def _tell(code: str, name: str, above: int, module: ModuleType) -> str:
    """A doctest with what it prints now."""
    test = doctest.DocTestParser().get_doctest(code, {}, name, name, above)
    test.globs = module.__dict__
    runner = _Recorder(verbose=False)
    runner.run(test, out=lambda text: None, clear_globs=False)
    lines = code.splitlines(keepends=True)
    for example, got in reversed(runner.wrong):
        start = example.lineno + example.source.count("\n")
        lines[start : start + example.want.count("\n")] = [got]
    return "".join(lines)


class _Recorder(doctest.DocTestRunner):
    """Keeps what was printed where the page says something else."""

    def __init__(self, verbose: bool) -> None:
        super().__init__(verbose=verbose)
        self.wrong: list[tuple[doctest.Example, str]] = []

    def report_failure(self, out: Callable[[str], object], test: object, example: doctest.Example, got: str) -> None:
        if got.startswith("Traceback"):
            head, *lines = got.splitlines(keepends=True)
            first = next(number for number, line in enumerate(lines) if not line.startswith(" "))  # frames are indented
            got = f"{head}...\n{''.join(lines[first:])}"
        self.wrong.append((example, re.sub(r"^$(?=\n)", "<BLANKLINE>", got, flags=re.MULTILINE)))

    def report_unexpected_exception(
        self, out: object, test: object, example: doctest.Example, exc_info: object
    ) -> None:
        assert isinstance(exc_info, tuple)
        raise exc_info[1]


def printed(command: str) -> str:
    """What a command prints, stdout and then stderr, and its exit code if it is not 0."""
    if command.startswith("cd "):
        os.chdir(command[3:])
        return ""
    if command.startswith("matchwise ") and not SHELL.search(re.sub(r"'[^']*'", "", command)):
        code, out = _run_here(shlex.split(command)[1:])
    else:
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        code, out = done.returncode, done.stdout + done.stderr
    return out + ("" if out.endswith("\n") or not out else "\n") + (f"[exit {code}]\n" if code else "")


def _run_here(words: list[str]) -> tuple[int, str]:
    kept = sys.stdout, sys.stderr
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in kept]
    sys.stdout, sys.stderr = streams
    try:
        code = main(words)
    finally:
        sys.stdout, sys.stderr = kept
    return code, "".join(stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]  # BytesIO


@contextmanager
def page_folder(page: str) -> Iterator[None]:
    """A folder with the files of a page, and `matchwise` and `python` on the path of its shell."""
    kept, variables = Path.cwd(), dict(os.environ)
    with tempfile.TemporaryDirectory() as name:
        folder, bin = Path(name, "page"), Path(name, "bin")
        folder.mkdir()
        bin.mkdir()
        for word, arguments in (("matchwise", "-m matchwise "), ("python", "")):
            (bin / word).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}"$@"\n', encoding="utf-8")
            (bin / word).chmod(0o755)
        for data in ("exports", "formats"):
            (folder / data).symlink_to(ROOT / "examples" / "data" / data)
        (folder / "examples").symlink_to(ROOT / "examples")
        for block in FENCE.finditer(page):
            if block["file"]:
                _write(folder / block["file"], textwrap.dedent(block["text"]))
        os.environ.update(
            PATH=f"{bin}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            PYTHONPATH=str(ROOT / "src"),
            PYTHONWARNINGS="ignore",
        )
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(kept)
            os.environ.clear()
            os.environ.update(variables)


def _write(path: Path, text: str) -> None:
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    elif path.read_text(encoding="utf-8") != text:
        raise ValueError(f"the page shows another {path.name} than there is in {path.resolve().parent}")


def refresh(path: Path) -> bool:
    """Whether the page was not up to date."""
    before = path.read_text(encoding="utf-8")
    module = sys.modules["page"] = ModuleType("page")
    after = refresh_commands(refresh_python(before, str(path), module))
    path.write_text(after, encoding="utf-8")
    return after != before


def draw_pictures() -> dict[Path, str]:
    """The pictures, as they have to be now."""
    sys.path.insert(0, str(ROOT / "docs"))
    from pictures import draw_all

    with page_folder(""):
        return draw_all()


if __name__ == "__main__":
    for picture, drawn in draw_pictures().items():
        picture.parent.mkdir(exist_ok=True)
        picture.write_text(drawn, encoding="utf-8")
    for page in [Path(word).absolute() for word in sys.argv[1:]] or PAGES:
        print("refreshed" if refresh(page) else "unchanged", page.relative_to(ROOT))

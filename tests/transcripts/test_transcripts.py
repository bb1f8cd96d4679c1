"""Every option of every command, with what it prints, to the letter: the transcripts beside this file.

A transcript is a session in a folder with the files of `data`: commands after `$` (also `cat`, `cat --markup` and `echo
TEXT > FILE`), what they print, lines of stderr after `!`, and the exit code where it is not 0. After a change of what
is printed, `python tests/transcripts/test_transcripts.py` writes them anew; read the difference before you commit it.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import tempfile
from datetime import date
from html import unescape
from pathlib import Path

import pytest

import matchwise
from matchwise.cli import main
from matchwise.cli.parser import COMMANDS, command_parser
from matchwise.tasks import list_tasks, task

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples" / "data"
TRANSCRIPTS = sorted(HERE.glob("*.txt"))
INTERACTIVE = {"adjudicate"}
"""Commands that ask, which a transcript cannot answer."""

UNSAID = {"--jobs", "--timeout", "--verbose", "--help"}
"""Options that start processes or print how long something took; other tests have them."""


def commands(transcript: str) -> list[str]:
    return [line[2:] for line in transcript.splitlines() if line.startswith("$ ")]


LINES = [line for path in TRANSCRIPTS for line in commands(path.read_text(encoding="utf-8"))]


def replay(lines: list[str], folder: Path) -> str:
    """The transcript of some commands, run in a folder."""
    shutil.copytree(HERE / "data", folder, dirs_exist_ok=True)
    (folder / "examples").symlink_to(EXAMPLES)
    before = Path.cwd()
    os.chdir(folder)
    try:
        return "\n".join(map(_run, lines))
    finally:
        os.chdir(before)


def _run(line: str) -> str:
    words = shlex.split(line)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        if words[0] == "cat":
            text = Path(words[-1]).read_text(encoding="utf-8")
            show = _markup if "--markup" in words else _visible if words[-1].endswith(".html") else str
            out.write(show(text))
            code = 0
        elif words[0] == "echo":  # echo TEXT > FILE
            *said, _, file = words[1:]
            Path(file).write_text(" ".join(said) + "\n", encoding="utf-8")
            code = 0
        else:
            code = main(words[1:])
    shown = [f"$ {line}", *out.getvalue().rstrip("\n").split("\n")]
    shown += [f"! {said}" for said in err.getvalue().splitlines()]
    shown += [f"exit {code}"] if code else []
    return re.sub(rf"matchwise([: ]){re.escape(matchwise.__version__)}", r"matchwise\1VERSION", "\n".join(shown)) + "\n"


def _markup(page: str) -> str:
    """The markup of a page, without its styles and its script."""
    return re.sub(r"(?s)<(style|script)>.*?</\1>", r"<\1></\1>", page).replace(date.today().isoformat(), "TODAY")


def _visible(page: str) -> str:
    """What a page says: its text without markup, a row of a table on one line."""
    body = re.sub(r"(?s)<(style|script|svg)\b.*?</\1>|<head>.*?</head>|<!--.*?-->", "", page)
    body = re.sub(r"</t[dh]>\s*", " | ", body)
    body = re.sub(r"</?(?:a|b|code|i|span|small|strong|sub|td|th)\b[^>]*>", "", body)
    lines = (unescape(" ".join(line.split())) for line in re.sub(r"<[^>]*>", "\n", body).split("\n"))
    return "\n".join(line for line in lines if line).replace(date.today().isoformat(), "TODAY")


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=[path.stem for path in TRANSCRIPTS])
def test_commands_print_what_the_transcript_says(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    expected = path.read_text(encoding="utf-8")
    for made, wanted in zip(replay(commands(expected), tmp_path).split("\n$ "), expected.split("\n$ "), strict=True):
        assert made == wanted


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in INTERACTIVE])
def test_every_option_of_a_command_is_in_a_transcript(name: str) -> None:
    own = {word for line in LINES if line.startswith(f"matchwise {name}") for word in shlex.split(line)}
    known = {word for word in command_parser(name)._option_string_actions if word.startswith("--")} - UNSAID
    assert own & known or not known
    assert known <= {word for line in LINES for word in shlex.split(line)}


@pytest.mark.parametrize("name", [name for name in list_tasks() if name != "documents"])
def test_every_preset_and_option_of_a_task_is_in_a_transcript(name: str) -> None:
    words = {word for line in LINES if line.startswith(f"matchwise score {name} ") for word in shlex.split(line)}
    assert set(task(name).presets) <= words
    given = {word.partition("=")[0] for word in words}
    assert {option.name for option in task(name).options} - {"adjudications", "facts", "values"} <= given


def test_every_exit_code_is_in_a_transcript() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in TRANSCRIPTS)
    assert set(re.findall(r"^exit (\d)$", text, re.MULTILINE)) == {"1", "2", "3", "4"}


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    for found in TRANSCRIPTS:
        with tempfile.TemporaryDirectory() as name:
            found.write_text(replay(commands(found.read_text(encoding="utf-8")), Path(name)), encoding="utf-8")

"""Every option of every command, with what it prints, to the letter: the transcripts beside this file.

A transcript is a session in a folder with the files of `data`: commands after `$` (also `cat`, `cat --markup` and `echo
TEXT > FILE`), what they print, lines of stderr after `!`, and the exit code where it is not 0. After a change of what
is printed, `python tests/transcripts/test_transcripts.py` writes them anew; read the difference before you commit it.

`pairs.tsv` has commands with two options at a time: the exit code, a digest of what is printed, and the first line.
"""

import contextlib
import hashlib
import io
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from datetime import date
from html import unescape
from itertools import combinations
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
    if not (folder / "examples").exists():
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


PAIRS = HERE / "pairs.tsv"
XS, REL = "--metric metrics.py:xs guess.jsonl", "--metric metrics.py:rel run.jsonl"
LAX = "-r invoices.jsonl --id key --ref-id id --text output --lax"
MANY = (
    f"{XS} worse.jsonl -r many.jsonl",
    f"{REL} short.jsonl -r gold.jsonl",
    "ner run.conll b=gold.conll -r gold.conll",
    f"--schema schema.json answers.jsonl b=answers.jsonl {LAX}",
)
ONE = (
    f"{XS} -r many.jsonl",
    f"{REL} -r gold.jsonl",
    "ner run.conll -r gold.conll",
    f"--schema schema.json answers.jsonl {LAX}",
)
BASES = {
    **dict.fromkeys(("score", "compare", "report"), MANY),
    **dict.fromkeys(("align", "errors", "check"), ONE),
    "curve": (f"{XS} -r many.jsonl --confidence v", f"{REL} -r gold.jsonl --confidence score"),
    "calibrate": (
        f"{REL} -r gold.jsonl --confidence score",
        "--schema schema.json sure.jsonl -r invoices.jsonl --lax --field total=sure --document safe",
    ),
    "agreement": (f"{XS} many.jsonl worse.jsonl", "ner run.conll gold.conll --only strict"),
    "matrix": (f"{REL} gold.jsonl", f"{XS}", "ner run.conll --only strict"),
    "nearest": (f"{REL} gold.jsonl", f"{XS} many.jsonl"),
    "duplicates": (f"{XS} --threshold 0.3", "--metric metrics.py:soft run.jsonl --threshold 0.1"),
    "consensus": (f"{XS} many.jsonl worse.jsonl", "--schema schema.json sure.jsonl invoices.jsonl --lax"),
    "plan": ("--metric metrics.py:soft", "coref"),
}
OPTIONS = (
    """
--format json|--format csv|--format jsonl|--format markdown|--format latex|--format html|--digits 2|--percent|--ci
--ci bootstrap|--level 0.5|--resamples 100|--seed 3|--clusters twelve.tsv|--by t|--by type|--fields|--categories
--confusion|--per-document|--worst 1|--score-only|--average macro|--average weighted|--average documents
--layout long|--signature long|--fail-under f1=0.9|--fail-unreadable 0|--fail-missing 0|--on-error skip
--missing empty|--missing raise|--max-errors 0|--unknown-keys warn|--unknown-keys error|--only strict|--quiet
--preset seqeval|--pairs all|--alpha 0.5|--fail-on-regression|--document 1|--document d1|--wrong|--whole
--points 3|--at 0.5|--beta 2|--similarities 0.3,0.6|--calibration|--bins 3|--risk|--assign greedy
--bins-by mass|--units v|--label t|--absent missing|--view 1|--distance|--kernel|-k 1|--threshold 0.5|--choose best
--time-limit 9|--gap 0.1|--title T
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


def pairs(name: str, folder: Path) -> Iterator[str]:
    """Some pairs of the options that a command knows, and that mean something for these files."""
    known = command_parser(name)._option_string_actions
    own = [option for option in OPTIONS if option.split()[0] in known]
    own = [
        option for option in own if option.split()[-1] in (known[option.split()[0]].choices or (option.split()[-1],))
    ]
    for base in BASES[name]:
        lacks = {
            *(() if base[:3] == "ner" else ("--categories", "--confusion", "--preset", "--only")),
            *(() if "schema" in base else ("--unknown-keys",)),
        }
        here = [option for option in own if option.split()[0] not in lacks]
        chosen = [(one, two) for one, two in combinations(here, 2) if one.split()[0] != two.split()[0]]
        for one, two in chosen[:: 1 if len(here) < 12 else 3 if len(here) < 20 else 7]:
            line = f"matchwise {name} {base} {one} {two}"
            said = replay([f"{line} -o page.html", "cat --markup page.html"] if name == "report" else [line], folder)
            printed = said.partition("\n")[2]
            code = re.search(r"^exit (\d)$", printed, re.MULTILINE)
            first = next((row for row in printed.splitlines() if row.startswith("!")), "")[:80]
            yield "\t".join(
                (line[10:], code[1] if code else "0", hashlib.sha256(printed.encode()).hexdigest()[:8], first)
            )


@pytest.mark.parametrize("name", BASES)
def test_two_options_print_what_the_table_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    known = PAIRS.read_text(encoding="utf-8").splitlines()
    assert list(pairs(name, tmp_path)) == [line for line in known if line.startswith(f"{name} ")]


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    for found in TRANSCRIPTS:
        with tempfile.TemporaryDirectory() as name:
            found.write_text(replay(commands(found.read_text(encoding="utf-8")), Path(name)), encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        rows = [row for command in BASES for row in pairs(command, Path(name))]
    PAIRS.write_text("\n".join(rows) + "\n", encoding="utf-8")

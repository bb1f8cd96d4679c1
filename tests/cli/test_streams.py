"""Standard input, pipes and what a stream cannot write: which command reads what how often, and what it says."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from matchwise.cli import main

from .conftest import GOLD, METRIC, RUN, Run, Write, lines

ONCE = "matchwise: error: - is standard input, which can be read only once; give the other file a name\n"
EACH = "the reference is read once for each system and cannot be standard input; save it first"
TWICE = "twice, but - can be read only once; save it to a file first"
TAGS = ("--metric", 'f1("relations", eq("type"))')


@pytest.mark.parametrize(
    ("command", "files", "expected"),
    [
        ("score", ("-", "-r", "-"), ONCE),
        ("compare", ("-", "a", "-r", "-"), ONCE),
        ("check", ("-", "-r", "-"), ONCE),
        ("align", ("-", "-r", "-"), ONCE),
        ("errors", ("-", "-r", "-"), ONCE),
        ("matrix", ("-", "-"), ONCE),
        ("consensus", ("-", "-"), ONCE),
        ("agreement", ("-", "-"), ONCE),
        ("score", ("a", "b", "-r", "-"), EACH),
        ("compare", ("a", "b", "-r", "-"), EACH),
        ("align", ("-", "-r", "b", "--worst", "1"), f"--worst reads the files {TWICE}"),
        ("align", ("a", "-r", "-", "--worst", "1"), f"--worst reads the files {TWICE}"),
        ("report", ("a", "-r", "-"), f"report reads its files {TWICE}"),
    ],
)  # fmt: skip
def test_what_is_read_twice_cannot_be_standard_input(
    run: Run, command: str, files: tuple[str, ...], expected: str
) -> None:
    ran = run(command, *TAGS, *files, stdin=b"")
    assert (ran.code, ran.out) == (2, "")
    assert expected in ran.err


@pytest.mark.parametrize("preset", ["--layout official", "--collect-adjudications q.jsonl"])
@pytest.mark.parametrize("files", [("-", "-r", "b"), ("a", "-r", "-")])
def test_an_official_report_and_questions_read_the_files_twice(run: Run, files: tuple[str, ...], preset: str) -> None:
    ran = run("score", "templates", *files, "--preset", "muc4", *preset.split(), stdin=b"")
    assert ran.code == 2
    assert f"reads the files {TWICE}" in ran.err


@pytest.mark.parametrize("command", ["score", "align", "errors", "check"])
def test_the_reference_may_come_from_standard_input(run: Run, system: str, command: str) -> None:
    ran = run(command, "--metric", METRIC, system, "-r", "-", stdin=lines(GOLD))
    assert ran.code == 0, ran.err


def test_a_pipe_is_a_reference_of_one_system_only(run: Run, write: Write, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    ran = run("score", *TAGS, write("a.jsonl", RUN), write("b.jsonl", RUN), "-r", pipe)
    said = f"the reference is read once for each system and cannot be a pipe ({pipe}); save it first"
    assert (ran.code, ran.err) == (2, f"matchwise: error: {said}\n")


def in_ascii(*argv: str) -> subprocess.CompletedProcess[bytes]:
    """A command on a system whose streams are ASCII, and do not buffer."""
    env = os.environ | {"PYTHONIOENCODING": "ascii:strict", "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "0"}
    return subprocess.run([sys.executable, "-m", "matchwise", *argv], env=env, capture_output=True, check=False)


def test_what_a_stream_cannot_write_is_written_out_on_both_streams(write: Write) -> None:
    gold = write("gold.jsonl", [{"id": "é→", "relations": [{"type": "ü"}]}, {"id": "z", "relations": []}])
    pred = write("run.jsonl", [{"id": "z", "relations": []}])
    ran = in_ascii("score", *TAGS, pred, "-r", gold, "--by", "type", "--quiet")
    assert rb"\xfc" in ran.stdout
    assert b"?" not in ran.stdout
    ran = in_ascii("score", *TAGS, pred, "-r", gold)
    assert rb"1 without prediction, counted as empty: \xe9\u2192" in ran.stderr


def test_notes_keep_their_lines_and_do_not_command_a_terminal(run: Run, write: Write) -> None:
    gold = write("gold.jsonl", [{"id": "a\x1b[31m\nb", "relations": []}, {"id": "z", "relations": []}])
    ran = run("score", *TAGS, write("run.jsonl", [{"id": "z", "relations": []}]), "-r", gold)
    assert "counted as empty: a\\x1b[31m⏎b\n" in ran.err


def test_a_file_keeps_half_a_surrogate(run: Run, write: Write, tmp_path: Path) -> None:
    gold = write("gold.jsonl", b'{"id": "a", "relations": [{"type": "\\ud800"}]}\n')
    ran = run("align", *TAGS, gold, "-r", gold, "--format", "json", "-o", tmp_path / "out.json")
    assert ran.code == 0, ran.err
    assert "\ud800" in (tmp_path / "out.json").read_text("utf-8", "surrogatepass")


def test_missing_documents_are_named_up_to_five(run: Run, write: Write) -> None:
    for number, more in ((5, ""), (6, ", …")):
        gold = write("gold.jsonl", [{"id": f"d{n}", "relations": []} for n in range(number + 1)])
        pred = write("run.jsonl", [{"id": "d0", "relations": []}])
        ran = run("score", *TAGS, pred, "-r", gold)
        assert f"{pred}: {number} without prediction, counted as empty: d1, d2, d3, d4, d5{more}\n" in ran.err


class Slow(io.RawIOBase):
    """A stream that takes three bytes at a time, as a full pipe may."""

    def __init__(self) -> None:
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:  # type: ignore[no-untyped-def]  # any buffer
        self.taken += bytes(data[:3])
        return min(3, len(data))


def test_a_stream_that_takes_little_at_a_time_gets_all(run: Run, gold: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run("score", "--metric", METRIC, gold, "-r", gold, "--format", "csv").out
    slow = Slow()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(slow, encoding="utf-8", write_through=True))  # type: ignore[type-var]  # a raw stream
    assert main(["score", "--metric", METRIC, gold, "-r", gold, "--format", "csv"]) == 0
    assert slow.taken.decode() == whole

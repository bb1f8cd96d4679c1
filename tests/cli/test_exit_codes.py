"""Every exit code of every command: done, a gate, wrong usage, bad data, missing documents, and all other ends."""

import errno
import os
import sys
from pathlib import Path

import pytest

from matchwise import cli
from matchwise.cli import main
from matchwise.errors import DataError, ExpressionError, FormatError, MatchwiseError, MergeError, PluginError

from .conftest import GOLD, METRIC, RUN, lines

REFERENCE = ("-r", "gold.jsonl")

COMMANDS = {
    "score": ("run.jsonl", *REFERENCE),
    "compare": ("run.jsonl", "gold.jsonl", *REFERENCE),
    "report": ("run.jsonl", *REFERENCE, "-o", "report.html"),
    "align": ("run.jsonl", *REFERENCE),
    "errors": ("run.jsonl", *REFERENCE),
    "check": ("run.jsonl", *REFERENCE),
    "curve": ("run.jsonl", *REFERENCE, "--confidence", "score", "--resamples", "10"),
    "calibrate": ("run.jsonl", *REFERENCE, "--confidence", "score", "--resamples", "10"),
    "agreement": ("gold.jsonl", "run.jsonl"),
    "matrix": ("run.jsonl",),
    "nearest": ("run.jsonl",),
    "duplicates": ("run.jsonl", "--threshold", "0.5"),
    "consensus": ("gold.jsonl", "run.jsonl"),
}
"""Command -> what follows the metric."""

ENDS = {  # of what is there, of a prediction that is missing, of a line that is broken, and of a file that is not there
    "score": (0, 4, 3, 3),
    "compare": (0, 4, 3, 3),
    "report": (0, 4, 3, 3),
    "align": (0, 4, 3, 3),
    "errors": (0, 4, 3, 3),
    "check": (0, 0, 3, 3),
    "curve": (0, 4, 3, 3),
    "calibrate": (0, 4, 3, 3),
    "agreement": (0, 0, 3, 3),
    "matrix": (0, 0, 3, 3),
    "nearest": (0, 0, 3, 3),
    "duplicates": (0, 0, 3, 3),
    "consensus": (0, 4, 3, 3),
}

SURE = [{**one, "relations": [{**each, "score": 0.5} for each in one["relations"]]} for one in RUN]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("gold.jsonl").write_bytes(lines(GOLD))
    Path("run.jsonl").write_bytes(lines(SURE))
    return tmp_path


def run(command: str, *more: str) -> int:
    return main([command, "--metric", METRIC, *COMMANDS[command], *more])


@pytest.mark.parametrize("command", COMMANDS)
def test_the_ends_of_a_command(folder: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = [run(command)]
    Path("run.jsonl").write_bytes(lines(SURE[:2]))
    found.append(run(command))
    Path("run.jsonl").write_bytes(lines(SURE[:2]) + b"{\n")
    found.append(run(command))
    os.remove("run.jsonl")
    found.append(run(command))
    assert tuple(found) == ENDS[command]
    assert run(command, "--nothing") == 2
    assert main([command, "--metric", "nothing(", *COMMANDS[command]]) == 2
    assert main([command]) == 2


@pytest.mark.parametrize("command", ["score", "report", "align", "errors"])
@pytest.mark.parametrize(("on_error", "code"), [("raise", 3), ("skip", 4), ("empty", 4)])
def test_documents_that_could_not_be_scored_are_told_apart_from_bad_data(
    folder: Path, command: str, on_error: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("run.jsonl").write_bytes(lines([*SURE[:2], {"id": "d3", "relations": 3}]))
    assert run(command, "--on-error", on_error) == code
    last = capsys.readouterr().err.splitlines()[-1]
    problem = "run.jsonl:3: relations: found int 3, expected a collection (list, tuple, set, mapping)"
    said = "exit code 4: 1 document that could not be scored" if code == 4 else f"error: {problem}"
    assert last == f"matchwise: {said}"


@pytest.mark.parametrize(
    ("gate", "code"), [(("--fail-under", "f1=0.1"), 0), (("--fail-under", "f1=0.9"), 1), (("--fail-missing", "0"), 1)]
)
def test_a_gate_decides_where_documents_are_missing(folder: Path, gate: tuple[str, ...], code: int) -> None:
    Path("run.jsonl").write_bytes(lines(SURE[:2]))
    assert run("score", *gate) == code


ENDED = {
    "KeyboardInterrupt": (130, "interrupted"),
    "SystemExit(7)": (3, "error: run.jsonl:1: relations[0]: stop raised SystemExit: 7 (compared with gold.jsonl:1)"),
    "BrokenPipeError": (3, None),
    "ValueError('no')": (3, None),
}


@pytest.mark.parametrize("raised", ENDED)
def test_whatever_a_function_of_the_metric_raises_ends_a_command_by_a_code(
    folder: Path, raised: str, capsys: pytest.CaptureFixture[str]
) -> None:
    body = (
        f"import matchwise as mw\ndef stop(pred, ref):\n    raise {raised}\nphi = mw.f1('relations', mw.custom(stop))\n"
    )
    Path("ends.py").write_text(body)
    code, said = ENDED[raised]
    assert main(["score", "--metric", "ends.py:phi", "run.jsonl", *REFERENCE]) == code
    if code == 130:
        assert capsys.readouterr().err == f"matchwise: {said}\n"


def test_a_reader_that_has_gone_ends_a_command_by_141_and_nothing_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", encoding="utf-8") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["tasks"]) == 141
        print("what comes after is discarded", flush=True)
    monkeypatch.undo()
    assert capsys.readouterr().err == ""


def test_a_closed_stdout_is_bad_data(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["tasks"]) == 3
    said = "error: standard output is closed; write > /dev/null if nothing is to be read"
    assert capsys.readouterr().err == f"matchwise: {said}\n"


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (DataError("a"), 3, "error: a"),
        (FormatError("a", "f", 2), 3, "error: f:2: a"),
        (MergeError("a"), 3, "error: a"),
        (ExpressionError("a"), 2, "error: a"),
        (PluginError("a"), 2, "error: a"),
        (MatchwiseError("a"), 2, "error: a"),
        (OSError(errno.EACCES, "denied", "f"), 3, "error: f: denied"),
        (OSError(errno.EACCES, "denied"), 3, "error: a file: denied"),
        (OSError("odd"), 3, "error: a file: odd"),
        (MemoryError(), 3, "error: out of memory; a document or a table is too large for this machine"),
        (
            ZeroDivisionError("x"),
            70,
            "internal error: ZeroDivisionError: x\nmatchwise: this is a mistake in matchwise; run again with "
            "MATCHWISE_DEBUG=1 and report the traceback",
        ),
    ],
)
def test_an_error_has_its_code_and_its_words(
    error: Exception, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli._report(error) == code
    assert capsys.readouterr().err == f"matchwise: {said}\n"


def test_a_traceback_is_shown_on_request_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATCHWISE_DEBUG", "1")
    with pytest.raises(ExpressionError):
        run("score", "--only", "nothing")


@pytest.mark.parametrize(
    ("missing", "errors", "said"),
    [
        (0, 0, ""),
        (1, 0, "exit code 4: 1 document without prediction"),
        (0, 2, "exit code 4: 2 documents that could not be scored"),
        (2, 1, "exit code 4: 2 documents without prediction and 1 document that could not be scored"),
    ],
)
def test_the_last_line_says_why_a_code_is_4(
    missing: int, errors: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.end_partial(missing, errors) == (4 if said else 0)
    assert capsys.readouterr().err == (f"matchwise: {said}\n" if said else "")

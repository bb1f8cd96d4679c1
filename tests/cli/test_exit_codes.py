"""Every exit code of every command: done, a gate, wrong usage, bad data, missing documents, and all other ends."""

import errno
import os
import re
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


RELATIONS = 'f1("xs", eq("k"))'
LINES = (
    '{"id": "a", "xs": [{"k": 1, "sure": 0.5}]}\n'
    '{"id": "b", "xs": [{"k": 2\n'
    '{"id": "c", "xs": 5}\n'
    '{"id": "d", "xs": []}\n'
    '{"id": "z", "xs": []}\n'
)


@pytest.mark.parametrize("command", ["score", "errors", "align", "curve", "calibrate"])
def test_documents_with_errors_are_named_and_left_out_by_every_command(run, write, command: str) -> None:
    gold = write("gold.jsonl", [{"id": id, "xs": [{"k": k}]} for k, id in enumerate("abcd", start=1)])
    words = (command, "--metric", RELATIONS, write("run.jsonl", LINES), "-r", gold)
    words += ("--confidence", "sure") if command in ("curve", "calibrate") else ()
    ran = run(*words)
    assert (ran.code, ran.out) == (3, "")
    for more in ("skip", "empty"):
        ran = run(*words, "--on-error", more)
        assert ran.code == 4
        said = sorted(re.findall(r"run\.jsonl:(\d): (\w+)", ran.err))
        assert said == [("2", "found"), ("3", "xs"), ("5", "no")]
    assert run(*words, "--on-error", "skip", "--max-errors", "2").code == 3


@pytest.mark.parametrize(("how", "reference"), [("skip", 2), ("empty", 4)])
def test_documents_with_errors_count_as_empty_in_every_command_if_asked(run, write, how: str, reference: int) -> None:
    gold = write("gold.jsonl", [{"id": id, "xs": [{"k": k}]} for k, id in enumerate("abcd", start=1)])
    files = ("--metric", RELATIONS, write("run.jsonl", LINES), "-r", gold, "--on-error", how, "--format", "json")
    scored = run("score", *files).json["systems"][0]["metrics"]["score"]["counts"]
    assert (scored["matched"], scored["predicted"], scored["reference"]) == (1, 1, reference)
    [level] = run("errors", *files).json["levels"]
    assert (level["matched"], level["predicted"], level["reference"]) == (1, 1, reference)
    assert run("curve", *files, "--confidence", "sure").json["reference"] == reference


@pytest.mark.parametrize("command", ["score", "errors", "curve"])
def test_a_file_of_which_nothing_can_be_scored_is_an_error_that_says_why(run, write, command: str) -> None:
    system, gold = write("run.jsonl", '{"id": "a", "xs": 5}\n'), write("gold.jsonl", [{"id": "a", "xs": []}])
    more = ("--confidence", "sure") if command == "curve" else ()
    ran = run(command, "--metric", RELATIONS, system, "-r", gold, "--on-error", "skip", *more)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == (
        f"matchwise: error: {system}:1: xs: found int 5, expected a collection (list, tuple, set, mapping)\n"
        f"matchwise: error: {system}: no document could be scored\n"
    )


def test_check_lists_missing_predictions_as_an_error_if_asked(run, write) -> None:
    system, gold = write("run.jsonl", [{"id": "a"}]), write("gold.jsonl", [{"id": id} for id in "abc"])
    words = ("check", "documents", system, "-r", gold)
    assert (run(*words).code, run(*words).out) == (0, f"{system}: ok, 3 documents, 2 without prediction\n")
    ran = run(*words, "--missing", "raise")
    assert (ran.code, ran.out) == (
        3,
        f"{system}: 1 error, 3 documents, 2 without prediction\n"
        f"  {system}: found no prediction for documents 'b', 'c'; write --missing empty to count them as empty\n",
    )


def test_check_reads_every_document_and_has_no_option_to_stop(run, write) -> None:
    system = write("run.jsonl", [{"id": "a"}])
    ran = run("check", "documents", system, "--on-error", "skip")
    assert (ran.code, "unknown option '--on-error'" in ran.err) == (2, True)


def test_ctrl_c_while_a_function_of_the_user_runs_is_an_interrupt(run, write) -> None:
    raising = "from matchwise import custom, f1\n\n\ndef own(x, y):\n    raise KeyboardInterrupt\n\n\n"
    metric = write("raising.py", f"{raising}phi = f1('relations', custom(own))\n")
    ran = run("score", "--metric", f"{metric}:phi", write("a.jsonl", RUN), "-r", write("b.jsonl", GOLD))
    assert ran == (130, "", "matchwise: interrupted\n")

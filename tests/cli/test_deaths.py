"""Commands that are killed, run out of disk or memory, or run functions that end the program leave nothing partial."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import matchwise as mw

LIMIT = """
import resource, sys
if __name__ == "__main__":
    from matchwise.cli import main
    import numpy, scipy.optimize
    kind, size = sys.argv[1], int(sys.argv[2])
    if kind == "memory":
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + size, used + size))
    if kind == "file":
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    sys.exit(main(sys.argv[3:]))
"""
"""A command in a process that may have so many bytes of memory, or in a file."""

METRICS = """
import os, sys, time
from matchwise import custom, f1
def compare(pred, ref):
    if pred == "exit":
        sys.exit(0)
    if pred == "leave":
        os._exit(0)
    if pred == "close":
        raise GeneratorExit
    if str(pred).startswith("slow"):
        open(f"begun", "a").close()
        time.sleep(0.02)
    return float(pred == ref)
metric = f1("xs", custom(compare))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "limit.py").write_text(LIMIT)
    (tmp_path / "metrics.py").write_text(METRICS)
    return tmp_path


def write(folder: Path, name: str, values: list[object]) -> None:
    lines = (json.dumps({"id": f"d{number}", "xs": [value]}) for number, value in enumerate(values))
    (folder / name).write_text("\n".join(lines) + "\n")


def begin(
    folder: Path, *words: object, limit: tuple[str, int] = ("none", 0), **environment: str
) -> subprocess.Popen[str]:
    command = [sys.executable, "-B", "limit.py", *map(str, limit), *map(str, words)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    env = {**os.environ, **environment}
    return subprocess.Popen(command, cwd=folder, text=True, start_new_session=True, env=env, **pipes)


def run(folder: Path, *words: object, limit: tuple[str, int] = ("none", 0)) -> tuple[int, str, str]:
    process = begin(folder, *words, limit=limit, MALLOC_ARENA_MAX="1")  # threads reserve 64 MB each that they never use
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


SCORE = ("score", "--metric", "metrics.py:metric", "run.jsonl", "-r", "gold.jsonl")


@pytest.mark.parametrize("end", ["exit", "close"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_function_that_ends_the_program_is_an_error_of_its_document(folder: Path, end: str, jobs: int) -> None:
    write(folder, "gold.jsonl", [0, 1, 2, 3])
    write(folder, "run.jsonl", [0, 1, end, 3])
    code, out, err = run(folder, *SCORE, "--jobs", jobs)
    name = "SystemExit" if end == "exit" else "GeneratorExit"
    assert (code, out) == (3, "")
    assert f"jsonl:3: xs: compare raised {name}" in err.replace("xs[0]", "xs")
    code, out, err = run(folder, *SCORE, "--jobs", jobs, "--on-error", "skip", "--format", "csv")
    assert code == 4
    assert ",3,3,3," in out
    assert "jsonl:3: " in err


def test_a_function_that_leaves_at_once_costs_one_document(folder: Path) -> None:
    write(folder, "gold.jsonl", [0, 1, 2, 3])
    write(folder, "run.jsonl", [0, 1, "leave", 3])
    code, out, err = run(folder, *SCORE, "--jobs", 2, "--on-error", "skip", "--format", "csv")
    assert code == 4
    assert ",3,3,3," in out
    assert "gold.jsonl:3: scoring it ended the process with exit code 0" in err


def test_a_file_of_metrics_that_ends_the_program_is_an_error(folder: Path) -> None:
    (folder / "metrics.py").write_text("import sys\nsys.exit(0)\n")
    write(folder, "gold.jsonl", [0])
    write(folder, "run.jsonl", [0])
    code, out, err = run(folder, *SCORE)
    assert (code, out) == (2, "")
    assert "metrics.py:2: SystemExit: 0" in err


def children(pid: int) -> list[int]:
    """All processes that a process has begun, and those that these have."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[3]) == pid and fields[0] != "Z":  # the session, which is that of the command
            found.append(int(stat.parent.name))
    return [one for one in found if one != pid]


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> bool:
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


OUTPUTS = ("-o", "out.txt", "--save-table", "t.jsonl", "--save-tally", "t.json")


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("moment", [0.0, 0.2, 0.6])
def test_a_command_that_is_stopped_at_any_moment_leaves_nothing(
    folder: Path, jobs: int, sent: signal.Signals, moment: float
) -> None:
    write(folder, "gold.jsonl", [f"slow {n}" for n in range(400)])
    write(folder, "run.jsonl", [f"slow {n}" for n in range(400)])
    mw.evaluate(mw.f1("xs"), [{"xs": ["from before"]}], [{"xs": []}]).table().save(folder / "t.jsonl")
    before, table = sorted(os.listdir(folder)), (folder / "t.jsonl").read_text()
    process = begin(folder, *SCORE, "--jobs", jobs, *OUTPUTS)
    assert wait_for((folder / "begun").exists)
    time.sleep(moment)
    os.kill(process.pid, sent)
    _, err = process.communicate(timeout=60)
    codes = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}
    assert process.returncode == codes[sent], err
    assert "Traceback" not in err
    assert wait_for(lambda: not children(process.pid))
    os.unlink(folder / "begun")
    assert sorted(os.listdir(folder)) == before
    assert (folder / "t.jsonl").read_text() == table


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz", "t.parquet"])
@pytest.mark.parametrize("room", [0, 1000, 4096])
def test_a_full_disk_leaves_nothing_and_says_which_file(folder: Path, name: str, room: int) -> None:
    """The file may not grow beyond so many bytes, which is less than the table has."""
    ids = ("--metric", 'f1("xs")', "run.jsonl", "-r", "gold.jsonl")
    for number in (1, 3000):
        values: list[object] = [os.urandom(8).hex() for _ in range(number)]
        write(folder, "gold.jsonl", values)
        write(folder, "run.jsonl", values)
        if number == 1:
            run(folder, "score", *ids, "--save-table", name)
    before, content = sorted(os.listdir(folder)), (folder / name).read_bytes()
    code, out, err = run(folder, "score", *ids, "--save-table", name, limit=("file", room))
    assert (code, out.count("\n")) == (3, 5)  # the scores, which are right
    assert err == f"matchwise: error: {name}: cannot be written: File too large\n"
    assert sorted(os.listdir(folder)) == before
    assert (folder / name).read_bytes() == content


@pytest.mark.parametrize("option", ["-o", "--save-tally"])
def test_a_full_disk_leaves_nothing_of_other_outputs(folder: Path, option: str) -> None:
    write(folder, "gold.jsonl", [1])
    write(folder, "run.jsonl", [1])
    before = sorted(os.listdir(folder))
    code, _, err = run(folder, *SCORE, option, "new.txt", limit=("file", 10))
    assert (code, err) == (3, "matchwise: error: new.txt: cannot be written: File too large\n")
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_document_that_is_too_large_for_the_memory_is_lost_alone(folder: Path, jobs: int) -> None:
    """Six million empty lists take 400 MB, and there are 150."""
    write(folder, "gold.jsonl", list(range(40)))
    lines = [json.dumps({"id": f"d{number}", "xs": [number]}) for number in range(40)]
    lines[17] = '{"id": "d17", "xs": [' + "[]," * 6_000_000 + "[]]}"
    (folder / "run.jsonl").write_text("\n".join(lines) + "\n")
    words = ("score", "--metric", 'f1("xs")', "run.jsonl", "-r", "gold.jsonl", "--jobs", jobs, "--quiet")
    code, out, err = run(folder, *words, "--on-error", "skip", "--format", "csv", limit=("memory", 150 << 20))
    assert code == 4, err
    assert ",39,39,39," in out
    reasons = (
        "run.jsonl:18: found a document that is too large for the memory of this process",
        "gold.jsonl:18: scoring it ran out of memory",
        "gold.jsonl:18: scoring it needs more memory than this process has",
    )
    why = "matchwise: exit code 4: 1 document that could not be scored\n"
    assert err in [f"matchwise: error: {reason}\n{why}" for reason in reasons]
    code, _, err = run(folder, *words, limit=("memory", 150 << 20))
    assert code == 3
    assert err.startswith(tuple(f"matchwise: error: {reason}" for reason in reasons))


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_closes_the_pipe_ends_the_command_quietly(folder: Path, unbuffered: str) -> None:
    write(folder, "gold.jsonl", list(range(20_000)))
    write(folder, "run.jsonl", list(range(20_000)))
    words = ("score", "--metric", 'f1("xs")', "run.jsonl", "-r", "gold.jsonl", "--per-document", "--format", "json")
    process = begin(folder, *words, PYTHONUNBUFFERED=unbuffered)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert (process.wait(60), process.stderr.read()) == (141, "")
    process.stderr.close()

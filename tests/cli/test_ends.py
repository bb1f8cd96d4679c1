"""How a command ends: outputs that cannot be written, readers that have gone, signals; nothing is left half done."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from matchwise import cli

from .conftest import GOLD, METRIC, RUN

WORDS = ("score", "--metric", METRIC)


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A line of sh in which $M scores run.jsonl."""
    env = {
        **os.environ,
        "M": f'{sys.executable} -m matchwise score --metric rel=f1("relations") run.jsonl -r gold.jsonl',
    }
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=folder, env=env, timeout=60)


@pytest.fixture
def folder(write, tmp_path: Path) -> Path:
    write("gold.jsonl", GOLD)
    write("run.jsonl", RUN)
    return tmp_path


@pytest.mark.parametrize("option", ["-o", "--save-table", "--save-tally"])
def test_a_device_is_written_to_and_not_replaced(run, system, gold, option, tmp_path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run(*WORDS, system, "-r", gold, option, fifo).code == 0
        assert stat.S_ISFIFO(os.stat(fifo).st_mode)
        assert b"rel" in os.read(reader, 10_000)
    finally:
        os.close(reader)


@pytest.mark.parametrize("option", ["-o", "--save-table", "--save-tally"])
def test_a_full_disk_is_said_with_the_name_of_the_file(run, system, gold, option) -> None:
    ran = run(*WORDS, system, "-r", gold, option, "/dev/full")
    assert (ran.code, ran.err) == (
        3,
        "matchwise: error: /dev/full: cannot be written: No space left on device\n",
    )
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.parametrize("option", ["-o", "--save-table", "--save-tally", "--collect-adjudications"])
def test_a_file_that_cannot_be_made_is_refused_before_the_work(run, system, option, tmp_path) -> None:
    """The references, which are not there either, are not even opened."""
    for path, problem in (
        (tmp_path / "no" / "file", "cannot be written: No such file or directory"),
        (tmp_path, "found a directory, expected a file to write"),
    ):
        ran = run(*WORDS, system, "-r", tmp_path / "gold.jsonl", option, path)
        assert (ran.code, ran.out, ran.err) == (3, "", f"matchwise: error: {path}: {problem}\n")


@pytest.mark.parametrize("option", ["-o", "--save-table", "--save-tally"])
def test_a_link_stays_a_link(run, system, gold, option, tmp_path) -> None:
    (tmp_path / "link").symlink_to("there")
    assert run(*WORDS, system, "-r", gold, option, tmp_path / "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert "rel" in (tmp_path / "there").read_text()


@pytest.mark.parametrize("option", ["-o", "--save-table", "--save-tally"])
@pytest.mark.parametrize(("path", "said"), [(".", "found a directory"), ("no/such/file", "No such file or directory")])
def test_where_nothing_can_be_written_that_is_said(run, system, gold, option, path, said, tmp_path) -> None:
    ran = run(*WORDS, system, "-r", gold, option, tmp_path / path)
    assert ran.code == 3
    assert said in ran.err


def test_a_good_file_stays_when_the_next_run_fails(run, system, gold, write, tmp_path) -> None:
    path = tmp_path / "scores.jsonl"
    assert run(*WORDS, system, "-r", gold, "--save-table", path).code == 0
    before = path.read_bytes()
    assert run(*WORDS, write("bad.jsonl", "{"), "-r", gold, "--save-table", path).code == 3
    assert path.read_bytes() == before
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".matchwise")]


def test_the_mode_of_a_file_that_is_replaced_stays(run, system, gold, write) -> None:
    path = write("scores.txt", "old")
    os.chmod(path, 0o640)
    assert run(*WORDS, system, "-r", gold, "-o", path).code == 0
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640


def test_a_full_disk_behind_stdout_is_an_error(folder) -> None:
    ran = shell("$M > /dev/full", folder)
    assert (ran.returncode, ran.stderr) == (3, "matchwise: error: standard output: No space left on device\n")


def test_a_reader_that_goes_away_is_no_error_to_talk_about(folder) -> None:
    ran = shell("($M --format json --per-document; echo $? >&2) | true", folder)
    assert ran.stderr in ("0\n", "141\n")


def test_a_closed_stdout_is_an_error(folder) -> None:
    ran = shell("$M >&-", folder)
    assert (ran.returncode, "standard output is closed" in ran.stderr) == (3, True)


def test_a_closed_stdin_is_an_error_if_it_is_asked_for(folder) -> None:
    ran = shell("${M%run.jsonl*} - -r gold.jsonl <&-", folder)
    assert (ran.returncode, "standard input is closed" in ran.stderr) == (2, True)


@pytest.mark.parametrize("end", ["2>&-", "2> /dev/full"])
def test_notes_that_nobody_can_read_change_nothing(folder, end) -> None:
    (folder / "run.jsonl").write_text("")
    ran = shell(f"$M {end}", folder)
    assert ran.returncode == 4
    assert ran.stdout.startswith("metric")


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("sent", "code", "said"), [(signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interrupted")]
)
def test_a_signal_ends_a_run_without_a_trace(folder, sent, code, said, jobs) -> None:
    (folder / "metrics.py").write_text(
        "import os, time\nfrom matchwise import custom, f1\n"
        "def slow(pred, ref):\n    open('begun', 'w').close()\n    time.sleep(60)\n    return 1.0\n"
        "suite = f1('relations', custom(slow))\n"
    )
    command = [
        sys.executable,
        "-m",
        "matchwise",
        "score",
        "--metric",
        "metrics.py:suite",
        "run.jsonl",
        "-r",
        "gold.jsonl",
    ]
    process = subprocess.Popen(
        [*command, "--jobs", str(jobs), "-o", "out.txt", "--save-tally", "t.json"],
        stderr=subprocess.PIPE, text=True, cwd=folder, start_new_session=True,
    )  # fmt: skip
    while not (folder / "begun").exists():
        assert process.poll() is None, process.communicate()[1]
    process.send_signal(sent)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (code, f"matchwise: {said}\n")
    assert sorted(os.listdir(folder)) == sorted(
        [*{"gold.jsonl", "run.jsonl", "metrics.py", "begun"}, *({"__pycache__"} & set(os.listdir(folder)))]
    )


OWN = """
import atexit, gc, os, sys
from matchwise.cli import main
frozen = gc.get_freeze_count()  # Python 3.12 has frozen some by itself
before = gc.get_threshold()
assert main(["tasks"]) == 0
assert gc.get_threshold() == before and "OPENBLAS_NUM_THREADS" not in os.environ
sys.argv = ["matchwise", "tasks"]
assert main() == 0
assert gc.get_threshold() != before and os.environ["OPENBLAS_NUM_THREADS"] == "1"
atexit.register(lambda: print("frozen:", gc.get_freeze_count() - frozen))
"""


def test_only_a_process_of_its_own_is_set_up_to_end_soon() -> None:
    """Another program that calls `main` keeps its collector and its threads."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", OWN], capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "frozen: 0"  # after everything that the program itself does at its end


def test_memory_that_is_not_enough_is_wrong_data(capsys) -> None:
    assert cli._report(MemoryError()) == 3
    assert "out of memory; a document or a table is too large" in capsys.readouterr().err

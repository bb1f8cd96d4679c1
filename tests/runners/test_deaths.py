"""Whatever dies, and whenever: at most one document is lost, it is named, and nothing partial is left."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from matchwise import Suite, Tally, align, custom, eq, evaluate, f1, score
from matchwise.errors import DataError

HERE = Path(__file__).parent


@pytest.fixture
def deadly(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(HERE)
    import deadly

    return deadly


def documents(*items: Any) -> list[dict[str, Any]]:
    return [{"xs": [item]} for item in items]


def forever_after(seconds: float, function: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=lambda: (time.sleep(seconds), function()), daemon=True)
    thread.start()
    return thread


def kill_one() -> None:
    """Kill the worker that was begun first, if there is one."""
    if workers := [process.pid for process in multiprocessing.active_children() if process.pid is not None]:
        os.kill(min(workers), signal.SIGKILL)


@pytest.mark.parametrize("moment", [0.0, 0.03, 0.1, 0.2, 0.35, 0.5, 0.8])
def test_a_worker_that_is_killed_at_any_moment_costs_nothing(deadly: ModuleType, moment: float) -> None:
    """Before it is ready, while it reads, works or answers: what it had is done again."""
    corpus = documents(*(("slowly", 0.004, number) for number in range(150)))
    refs = documents(*(number // 2 * 2 for number in range(150)))
    killer = forever_after(moment, kill_one)
    report = evaluate(f1("xs", custom(deadly.compare)), corpus, refs, jobs=2, on_error="skip")
    killer.join()
    assert report.errors == []
    assert (report.documents, report["score"].counts.matched) == (150, 75)
    assert multiprocessing.active_children() == []


def test_workers_that_are_killed_again_and_again_lose_documents_by_name(deadly: ModuleType) -> None:
    """Whatever is lost is named, and everything else is counted once."""
    corpus = documents(*(("slowly", 0.002, number) for number in range(200)))
    told = iter(range(1000))

    def kill_often(done: int) -> None:
        if next(told) % 4 == 3:
            kill_one()

    report = evaluate(
        f1("xs", custom(deadly.compare)), corpus, documents(*range(200)), jobs=2, on_error="skip", progress=kill_often
    )
    lost = {id for id, _ in report.errors}
    assert len(lost) == len(report.errors)
    assert report.documents + len(lost) == 200
    assert report["score"].counts.matched == report.documents
    assert multiprocessing.active_children() == []


ENDS = [
    ("generator exit", "compare raised GeneratorExit: enough"),
    ("system exit", "compare raised SystemExit: 3"),
]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(("end", "reason"), ENDS)
def test_a_function_that_ends_the_program_costs_one_document(
    deadly: ModuleType, end: str, reason: str, jobs: int
) -> None:
    corpus = documents(0, 1, end, 3)
    report = evaluate(f1("xs", custom(deadly.compare)), corpus, documents(*range(4)), jobs=jobs, on_error="skip")
    [(document, said)] = report.errors
    assert document == 2
    assert reason in said
    assert report["score"].counts.matched == 3


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(("end", "reason"), ENDS)
def test_a_function_that_ends_the_program_is_an_error_of_its_document(
    deadly: ModuleType, end: str, reason: str, jobs: int
) -> None:
    with pytest.raises(DataError, match=f"document 1.*{reason}"):
        evaluate(f1("xs", custom(deadly.compare)), documents(0, end), documents(0, 1), jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("end", ["generator exit", "system exit"])
def test_a_selector_or_a_step_that_ends_the_program_costs_one_document(deadly: ModuleType, end: str, jobs: int) -> None:
    corpus, refs = documents(0, end, 2), documents(0, 1, 2)
    for suite in (f1("xs", eq(deadly.select)), Suite(score=deadly.dying() | f1("xs"))):
        report = evaluate(suite, corpus, refs, jobs=jobs, on_error="skip")
        [(document, said)] = report.errors
        assert document == 1
        assert "Exit: " in said
        assert report["score"].counts.matched == 2


@pytest.mark.parametrize(("end", "reason"), ENDS)
def test_one_pair_and_its_alignment_say_it_too(deadly: ModuleType, end: str, reason: str) -> None:
    for function in (score, align):
        with pytest.raises(DataError, match=reason):
            function(custom(deadly.compare), end, 1)


@pytest.mark.parametrize(
    ("death", "reason"),
    [("exit", "ended the process with exit code 3"), ("kill", "ended the process by SIGKILL")],
)
def test_a_function_that_leaves_at_once_costs_one_document(deadly: ModuleType, death: str, reason: str) -> None:
    report = evaluate(
        f1("xs", custom(deadly.compare)), documents(0, 1, death, 3), documents(*range(4)), jobs=2, on_error="skip"
    )
    [(document, said)] = report.errors
    assert document == 2
    assert said.startswith(reason)
    assert report["score"].counts.matched == 3


@pytest.mark.parametrize("hang", ["loop", ("sleep", 60)])
def test_a_function_that_hangs_costs_one_document(deadly: ModuleType, hang: Any) -> None:
    corpus = documents(0, 1, hang, 3)
    suite = f1("xs", custom(deadly.compare))
    report = evaluate(suite, corpus, documents(*range(4)), timeout=1.0, on_error="skip")
    assert report.errors == [(2, "took longer than 1 s")]
    assert report["score"].counts.matched == 3
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("end", ["raise", "generator exit", "system exit", "interrupt"])
def test_a_document_that_fails_leaves_a_tally_as_it_was(deadly: ModuleType, end: str) -> None:
    """Also after the metrics before it have been counted."""
    suite = Suite(one=f1("xs"), two=f1("xs", custom(deadly.compare)))
    tally = Tally(suite, by="").add({"xs": [1]}, {"xs": [1]}, id="a")
    before = tally.to_bytes()
    expected = KeyboardInterrupt if end == "interrupt" else DataError
    with pytest.raises(expected):
        tally.add({"xs": [2, end]}, {"xs": [2, 3]}, id="b")
    assert tally.to_bytes() == before
    assert gc.isenabled()


JOB = """
import os, sys, time
from matchwise import custom, evaluate, f1
def slow(pred, ref):
    os.write(1, b"%d\\n" % os.getpid())  # both workers may write at the same time
    while True:
        time.sleep(0.01)
if __name__ == "__main__":
    evaluate(f1("xs", custom(slow)), [{"xs": [1]}] * 9, [{"xs": [1]}] * 9, jobs=2)
"""


def is_running(pid: int) -> bool:
    """Whether there is such a process that is not just waiting to be forgotten."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_workers_do_not_outlive_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(JOB, encoding="utf-8")
    job = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert job.stdout is not None
    workers = {int(job.stdout.readline()), int(job.stdout.readline())}
    assert len(workers) == 2
    job.kill()
    job.wait()
    until = time.monotonic() + 30
    while any(map(is_running, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(is_running, workers))
    job.stdout.close()

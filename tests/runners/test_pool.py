"""A pool of processes that may die."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from matchwise.algebra.build import custom, f1
from matchwise.corpus.suite import Suite
from matchwise.errors import DataError, MatchwiseError
from matchwise.runners.pool import WAITING, Lost, _answer, run
from matchwise.runners.runner import evaluate

HERE = Path(__file__).parent


@pytest.fixture
def deadly(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(HERE)
    import deadly

    return deadly


def flat(results: Any) -> list[Any]:
    """Results item by item, and what was lost by its place and reason."""
    return [
        item for result in results for item in ([(result.place, result.reason)] if isinstance(result, Lost) else result)
    ]


def test_results_come_in_the_order_of_the_items(deadly: ModuleType) -> None:
    items = [("sleep", 0.2), ("sleep", 0), ("sleep", 0.1), ("sleep", 0)]
    assert flat(run(deadly.work, ([item] for item in items), 2)) == list(enumerate(items))


def test_no_lists_are_no_results_and_start_no_process(deadly: ModuleType) -> None:
    assert list(run(deadly.work, [], 2)) == []


def test_only_a_few_lists_are_under_way(deadly: ModuleType) -> None:
    read = 0

    def lists() -> Iterator[list[int]]:
        nonlocal read
        for number in range(100):
            read += 1
            yield [number]

    ahead = [read - given for given, _ in enumerate(run(deadly.work, lists(), 2))]
    assert max(ahead) <= 2 * WAITING + 1
    assert read == 100


def test_a_list_whose_worker_was_killed_once_is_tried_again(deadly: ModuleType, tmp_path: Path) -> None:
    items = ["a", ("once", str(tmp_path / "killed")), "b"]
    assert flat(run(deadly.work, [items], 1)) == list(enumerate(items))


@pytest.mark.parametrize(
    ("death", "reason"),
    [
        ("kill", "ended the process by SIGKILL, perhaps for want of memory"),
        ("segfault", "ended the process by SIGSEGV"),
        ("exit", "ended the process with exit code 3"),
        ("allocate", "ran out of memory"),
    ],
)
def test_an_item_that_ends_its_process_is_found_and_everything_else_done(
    deadly: ModuleType, death: str, reason: str
) -> None:
    lists = [["a", "b", death, "c", "d"], ["e"]]
    assert flat(run(deadly.work, lists, 2)) == [(0, "a"), (1, "b"), (2, reason), (3, "c"), (4, "d"), (5, "e")]


def test_a_deadly_item_of_a_long_list_is_found(deadly: ModuleType) -> None:
    items = [*range(40), "exit", *range(41, 100)]
    found = flat(run(deadly.work, [items], 2))
    assert found[40] == (40, "ended the process with exit code 3")
    assert [place for place, _ in found] == list(range(100))
    assert [item for _, item in found[41:]] == items[41:]


def test_several_deadly_items_of_one_list_are_all_found(deadly: ModuleType) -> None:
    reason = "ended the process with exit code 3"
    assert flat(run(deadly.work, [["exit", "a", "exit"]], 2)) == [(0, reason), (1, "a"), (2, reason)]


def test_a_lost_item_is_given_back(deadly: ModuleType) -> None:
    assert list(run(deadly.work, [["exit"]], 1)) == [Lost(0, "exit", "ended the process with exit code 3")]


def test_an_item_that_cannot_be_read_for_want_of_memory_is_lost_alone(deadly: ModuleType) -> None:
    lists = [["a", deadly.Hungry()], ["b"]]
    assert flat(run(deadly.work, lists, 1)) == [(0, "a"), (1, "ran out of memory"), (2, "b")]


def test_an_exception_is_raised_after_everything_before_it_was_given_back(deadly: ModuleType) -> None:
    results = run(deadly.work, [[("sleep", 0.3)], ["raise"], ["a"]], 2)
    assert next(results) == [(0, ("sleep", 0.3))]
    with pytest.raises(ValueError, match="no such thing"):
        next(results)


def test_an_exception_that_cannot_travel_says_what_it_said(deadly: ModuleType) -> None:
    with pytest.raises(MatchwiseError, match="Unsendable: cannot"):
        list(run(deadly.work, [["unsendable"]], 1))


def test_an_exception_of_the_source_is_raised_after_everything_before_it_was_given_back(deadly: ModuleType) -> None:
    def lists() -> Iterator[list[str]]:
        yield ["a"]
        raise LookupError("the file ends here")

    results = run(deadly.work, lists(), 2)
    assert next(results) == [(0, "a")]
    with pytest.raises(LookupError, match="the file ends here"):
        next(results)


def test_an_item_that_cannot_be_sent_is_named(deadly: ModuleType) -> None:
    with pytest.raises(MatchwiseError, match=r"^document 1 cannot be sent to another process"):
        list(run(deadly.work, [["a", lambda: None]], 1, what="document"))


def test_leaving_early_ends_the_workers(deadly: ModuleType) -> None:
    results = run(deadly.work, [["a"], [("sleep", 60)]], 2)
    assert next(results) == [(0, "a")]
    results.close()  # type: ignore[attr-defined]  # a generator
    assert multiprocessing.active_children() == []


def words(deadly: ModuleType) -> Suite:
    return Suite(score=deadly.dying() | f1("xs"))


def documents(*words: str) -> list[dict[str, list[str]]]:
    return [{"xs": [word]} for word in words]


@pytest.mark.parametrize(
    ("death", "reason"),
    [
        ("kill", "ended the process by SIGKILL, perhaps for want of memory"),
        ("segfault", "ended the process by SIGSEGV"),
    ],
)
def test_a_document_that_kills_costs_one_document(deadly: ModuleType, death: str, reason: str) -> None:
    preds = documents("a", "b", death, "c")
    report = evaluate(words(deadly), preds, documents("a", "a", "a", "c"), jobs=2, on_error="skip")
    assert report.errors == [(2, reason)]
    assert report["score"].counts.to_dict() == {"matched": 2, "predicted": 3, "reference": 3}
    assert report.scores.ids == [0, 1, 3]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("bad", "reason"), [("raise", "ValueError: no such thing"), ("unsendable", "Unsendable: cannot")]
)
def test_an_exception_in_a_metric_costs_one_document(deadly: ModuleType, jobs: int, bad: str, reason: str) -> None:
    preds = documents("a", bad, "c")
    report = evaluate(words(deadly), preds, documents("a", "b", "c"), ids=list("xyz"), jobs=jobs, on_error="skip")
    assert report.errors == [("y", reason)]
    assert report.scores.ids == ["x", "z"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_in_a_comparison_is_recorded_with_its_path(deadly: ModuleType, jobs: int) -> None:
    phi = f1("xs", custom(deadly.compare))
    report = evaluate(phi, documents("a", "raise"), documents("a", "b"), jobs=jobs, on_error="skip")
    [(document, reason)] = report.errors
    assert document == 1
    assert reason.startswith("prediction: xs[0]: compare raised ValueError: no such thing")


def test_memory_that_runs_out_in_a_metric_costs_one_document(deadly: ModuleType) -> None:
    preds = documents("a", "allocate", "c")
    report = evaluate(words(deadly), preds, documents("a", "b", "c"), jobs=2, on_error="skip")
    assert report.errors == [(1, "MemoryError")]
    assert report["score"].f1 == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_is_raised_by_default_and_names_the_document(deadly: ModuleType, jobs: int) -> None:
    with pytest.raises(ValueError, match="no such thing") as caught:
        evaluate(words(deadly), documents("a", "raise"), documents("a", "b"), jobs=jobs)
    assert caught.value.__notes__ == ["while scoring document 1"]


def test_a_document_that_kills_is_an_error_by_default(deadly: ModuleType) -> None:
    with pytest.raises(DataError, match=r"^document 1: ended the process with exit code 3"):
        evaluate(words(deadly), documents("a", "exit", "c"), documents("a", "b", "c"), jobs=2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_corpus_of_which_nothing_could_be_scored_is_an_error(deadly: ModuleType, jobs: int) -> None:
    with pytest.raises(DataError, match=r"^document 0: ValueError: no such thing \(no document could be scored\)"):
        evaluate(words(deadly), documents("raise", "raise"), documents("a", "b"), jobs=jobs, on_error="skip")


def test_errors_are_part_of_the_result(deadly: ModuleType) -> None:
    report = evaluate(words(deadly), documents("a", "raise"), documents("a", "b"), on_error="skip")
    assert report.to_dict()["errors"] == [{"document": 1, "reason": "ValueError: no such thing"}]
    assert "1 document; 1 more could not be scored:\n  1: ValueError: no such thing\n" in str(report)


def test_an_interrupt_ends_the_job_and_its_workers(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(
        "import os, sys, time\n"
        "from matchwise.runners.pool import run\n"
        "def work(place, items):\n"
        "    time.sleep(60 * (place > 1))\n"
        "    return os.getpid()\n"
        'if __name__ == "__main__":\n'
        "    for pid in run(work, ([place] for place in range(9)), 2):\n"
        "        print(pid, flush=True)\n",
        encoding="utf-8",
    )
    job = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert job.stdout is not None
    workers = {int(job.stdout.readline()), int(job.stdout.readline())}
    os.killpg(job.pid, signal.SIGINT)
    _, said = job.communicate(timeout=30)
    assert job.returncode == -signal.SIGINT
    assert said.count("KeyboardInterrupt") == 1
    assert not any(is_running(pid) for pid in workers)


def test_an_interrupt_ends_a_worker_whose_list_was_just_sent(
    deadly: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit, began = ProcessPoolExecutor.submit, time.monotonic()

    def interrupt(executor: ProcessPoolExecutor, function: Any, message: bytes) -> Any:
        made = submit(executor, function, message)
        if function is _answer:
            time.sleep(1)  # it has begun
            raise KeyboardInterrupt
        return made

    monkeypatch.setattr(ProcessPoolExecutor, "submit", interrupt)
    with pytest.raises(KeyboardInterrupt):
        list(run(deadly.work, [[("sleep", 60)]], 1))
    assert time.monotonic() - began < 50


def is_running(pid: int) -> bool:
    """Whether there is such a process that is not just waiting to be forgotten."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_an_item_that_takes_too_long_is_lost_alone(deadly: ModuleType) -> None:
    items = [0, 1, ("sleep", 60), 3, 4]
    assert flat(run(deadly.work, [items[:4], items[4:]], 2, timeout=0.5)) == [
        (0, 0), (1, 1), (2, "took longer than 0.5 s"), (3, 3), (4, 4),
    ]  # fmt: skip


def test_a_list_may_take_longer_than_each_of_its_items(deadly: ModuleType) -> None:
    items = [("sleep", 0.3)] * 4
    assert flat(run(deadly.work, [items], 1, timeout=1.0)) == list(enumerate(items))


def test_evaluate_names_the_document_that_takes_too_long(deadly: ModuleType) -> None:
    suite = Suite(score=deadly.dying() | f1("xs"))
    preds = [{"xs": [1]}, {"xs": [("sleep", 60)]}, {"xs": [3]}]
    report = evaluate(suite, preds, [{"xs": [1]}] * 3, timeout=0.5, on_error="skip")
    assert (report.documents, report.errors) == (2, [(1, "took longer than 0.5 s")])


def test_evaluate_refuses_a_timeout_of_nothing() -> None:
    with pytest.raises(MatchwiseError, match="timeout=0; write the seconds"):
        evaluate(f1("xs"), [], [], timeout=0)

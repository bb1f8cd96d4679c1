"""`--jobs`: several processes, the same result, and a document that kills its process costs one document."""

import json

import pytest

from matchwise.errors import count_units

KILLER = """
import os, signal
from matchwise import custom, f1

def close(pred, ref):
    if pred == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    return float(pred == ref)

metric = f1("xs", custom(close))
"""
DOCUMENTS = [{"id": f"d{number}", "xs": [number % 7, number % 3]} for number in range(60)]
OTHERS = [{"id": f"d{number}", "xs": [number % 5, number % 3]} for number in range(60)]


@pytest.fixture
def metric(write) -> str:
    return write("metrics.py", KILLER) + ":metric"


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz"])
def test_several_processes_print_what_one_prints(run, write, metric, order, name) -> None:
    words = ("score", "--metric", metric, write(name, OTHERS[::order]), "-r", write("gold.jsonl", DOCUMENTS))
    one, two = (run(*words, "--per-document", "--format", "json", "--jobs", jobs, "-q") for jobs in (1, 2))
    assert two == one
    assert one.code == 0


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("most", [0, 1, 4, 10])
@pytest.mark.parametrize("policy", ["skip", "empty"])
def test_the_error_that_is_too_many_is_the_next_in_the_order_of_documents(run, write, policy, most, named) -> None:
    lines = [{"id": f"d{number}", "xs": []} if named else {"xs": []} for number in range(60)]
    wrong = [5, 7, 8, 20, 21, 30, 31, 32, 40, 50, 59]
    texts = [json.dumps(line) for line in lines]
    for number in wrong:  # some cannot be read, some cannot be scored
        texts[number] = texts[number].replace("[]", "[" if number % 2 else "7")
    words = ("score", "--metric", 'f1("xs")', write("run.jsonl", "\n".join(texts)), "-r", write("gold.jsonl", lines))
    words = (*words, "--on-error", policy, "--max-errors", most)
    one, two = (run(*words, "--jobs", jobs, "-q") for jobs in (1, 2))
    assert two == one
    counted = count_units(most, "errors")
    assert f"more than {counted}; the last: {words[3]}:{wrong[most] + 1}: found" in one.err.replace(" xs:", "")


def test_standard_input_is_shared_by_several_processes(run, write, metric) -> None:
    stdin = b"".join(json.dumps(document).encode() + b"\n" for document in DOCUMENTS)
    ran = run("score", "--metric", metric, "-", "-r", write("gold.jsonl", DOCUMENTS), "--jobs", 2, stdin=stdin)
    assert ran.out.splitlines()[1].split()[3] == "1.0000"


@pytest.mark.parametrize("policy", ["skip", "empty"])
def test_what_goes_wrong_does_not_depend_on_the_number_of_processes(run, write, metric, policy) -> None:
    broken = [*OTHERS[:20], {"id": "d20", "xs": None}, *OTHERS[22:], {"id": "x", "xs": []}]
    words = ("score", "--metric", metric, write("run.jsonl", broken), "-r", write("gold.jsonl", DOCUMENTS))
    one, two = (run(*words, "--on-error", policy, "--format", "json", "--jobs", jobs, "-q") for jobs in (1, 2))
    assert two == one
    assert one.code == 4
    assert one.json["systems"][0]["missing"] == ["d21"]
    assert [error["document"] for error in one.json["systems"][0]["errors"]] == ["d20", "x"]


def test_a_document_that_kills_its_process_is_named_and_the_rest_is_scored(run, write, metric) -> None:
    deadly = [*DOCUMENTS[:7], {"id": "d7", "xs": ["kill"]}, *DOCUMENTS[8:]]
    gold = write("gold.jsonl", DOCUMENTS)
    ran = run(
        "score", "--metric", metric, write("run.jsonl", deadly), "-r", gold, "--jobs", 2, "--on-error", "skip",
        "--format", "json",
    )  # fmt: skip
    assert ran.code == 4
    [system] = ran.json["systems"]
    assert system["metrics"]["score"]["counts"] == {"matched": 118, "predicted": 118, "reference": 118}
    [error] = system["errors"]
    assert error["document"] == "d7"
    assert error["problem"].startswith(f"{gold}:8: scoring it ended the process by SIGKILL")


def test_a_document_that_kills_its_process_counts_as_empty_where_that_is_asked_for(run, write, metric) -> None:
    deadly = [*DOCUMENTS[:7], {"id": "d7", "xs": ["kill"]}, *DOCUMENTS[8:]]
    words = (write("run.jsonl", deadly), "-r", write("gold.jsonl", DOCUMENTS), "--jobs", 2, "--on-error", "empty")
    ran = run("score", "--metric", metric, *words, "--per-document", "--format", "json")
    [system] = ran.json["systems"]
    assert system["metrics"]["score"]["counts"] == {"matched": 118, "predicted": 118, "reference": 120}
    assert [error["document"] for error in system["errors"]] == ["d7"]
    assert [row["document"] for row in system["per_document"]] == [document["id"] for document in DOCUMENTS]


def test_a_document_that_kills_its_process_stops_the_run_by_default(run, write, metric) -> None:
    ran = run(
        "score", "--metric", metric, write("run.jsonl", [{"id": 1, "xs": ["kill"]}]), "-r",
        write("gold.jsonl", [{"id": 1, "xs": [1]}]), "--jobs", 2,
    )  # fmt: skip
    assert ran.code == 3
    assert "ended the process by SIGKILL" in ran.err


def test_a_line_number_is_true_in_every_process(run, write, metric) -> None:
    text = "\n\n".join(json.dumps(document) for document in OTHERS).replace('"d40", "xs": [0, 1]', '"d40", "xs": 3')
    ran = run("score", "--metric", metric, write("run.jsonl", text), "-r", write("gold.jsonl", DOCUMENTS), "--jobs", 2)
    assert ran.code == 3
    assert "run.jsonl:81: xs: found int 3, expected a collection" in ran.err


SLOW = """
import time
from matchwise import custom, f1

def close(pred, ref):
    if pred == "slow":
        time.sleep(60)
    return float(pred == ref)

metric = f1("xs", custom(close))
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_document_that_takes_too_long_is_named_and_the_rest_is_scored(run, write, jobs) -> None:
    slow = [*DOCUMENTS[:7], {"id": "d7", "xs": ["slow"]}, *DOCUMENTS[8:]]
    gold = write("gold.jsonl", DOCUMENTS)
    ran = run(
        "score", "--metric", write("metrics.py", SLOW) + ":metric", write("run.jsonl", slow), "-r", gold, "--jobs",
        jobs, "--on-error", "skip", "--timeout", 1.5, "--format", "json",
    )  # fmt: skip
    assert ran.code == 4
    [system] = ran.json["systems"]
    assert system["metrics"]["score"]["counts"] == {"matched": 118, "predicted": 118, "reference": 118}
    assert system["errors"] == [{"document": "d7", "problem": f"{gold}:8: scoring it took longer than 1.5 s"}]


@pytest.mark.parametrize("seconds", ["0", "-1", "soon", "inf", "nan"])
def test_a_timeout_is_a_number_of_seconds(run, seconds) -> None:
    ran = run("score", "--metric", "eq()", "a", "-r", "b", "--timeout", seconds)
    assert ran.code == 2
    assert f"{seconds!r} is not a number of seconds above 0" in ran.err


def test_files_in_another_order_after_the_first_documents_are_joined_by_several_processes(run, write, metric) -> None:
    mixed = [*OTHERS[:30], *OTHERS[:29:-1]]
    words = ("score", "--metric", metric, write("run.jsonl", mixed), "-r", write("gold.jsonl", DOCUMENTS))
    one, two = (run(*words, "--per-document", "--format", "json", "--jobs", jobs, "-q") for jobs in (1, 2))
    assert two == one
    assert one.code == 0


def test_a_repeated_id_is_found_by_several_processes(run, write, metric) -> None:
    twice = [*DOCUMENTS, DOCUMENTS[3]]
    ran = run(
        "score", "--metric", metric, write("run.jsonl", twice), "-r", write("gold.jsonl", twice), "--jobs", 2
    )  # fmt: skip
    assert ran.code == 3
    assert "found the id 'd3' a second time; make the ids unique" in ran.err


@pytest.mark.parametrize(("jobs", "said"), [(1, ""), (2, "one process did all, as 2 would not be faster")])
def test_it_is_said_that_one_process_did_long_work_of_several(run, write, jobs, said, monkeypatch) -> None:
    monkeypatch.setattr("matchwise.cli.scoring.LONG", 0.0)
    ran = run(
        "score", "--metric", 'f1("xs")', write("a.jsonl", OTHERS), "-r", write("b.jsonl", DOCUMENTS), "--jobs", jobs
    )
    assert ran.code == 0
    assert ran.err.endswith(f"a.jsonl: {said}\n" if said else "")
    assert ("one process" in ran.err) == (jobs == 2)

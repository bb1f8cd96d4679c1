"""LLM logs: the text of a model under a key, and predictions that cannot be read."""

import json

import pytest

BILL = "from typing import TypedDict\nclass Bill(TypedDict):\n    number: str\n    total: float\n"
GOLD = [
    {"id": "a", "number": "1", "total": 2.5},
    {"id": "b", "number": "2", "total": 4},
    {"id": "c", "number": "3", "total": 1},
]
TEXTS = [
    'Sure!\n```json\n{"number": "1", "total": 2.5}\n```',
    '<think>is it {"number": 2}?</think> The bill: {"number": "2", "total": 5}',
    "Sorry, the scan is not legible.",
]
LOG = [{"id": id, "response": {"choices": [{"text": text}]}} for id, text in zip("abc", TEXTS, strict=True)]
KEY = "response.choices.0.text"


@pytest.fixture
def files(write) -> tuple[str, ...]:
    return write("log.jsonl", LOG), "-r", write("gold.jsonl", GOLD), "--type", f"{write('bills.py', BILL)}:Bill"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_json_is_found_in_the_text_of_a_model_and_how_is_counted(run, files, jobs) -> None:
    ran = run("score", *files, "--text", KEY, "--format", "json", "--jobs", jobs, "--verbose")
    assert ran.code == 0
    [system] = ran.json["systems"]
    assert system["metrics"]["score"]["counts"] == {"matched": 3, "predicted": 4, "reference": 6}
    assert system["errors"] == []
    [unreadable] = system["unreadable"]
    assert unreadable["document"] == "c"
    assert unreadable["problem"] == (
        f'{files[0]}:3: not JSON: found "Sorry, the scan is not legible.", with no complete JSON object or list in it'
    )
    for said in ("JSON in a fence", "JSON after a thinking block", "JSON after other text"):
        assert f"warning: {files[0]}: {said} (1 time)" in ran.err


def test_what_text_was_asked_to_do_is_not_warned_of(run, files) -> None:
    ran = run("score", *files, "--text", KEY)
    assert "JSON in a fence" not in ran.err
    assert "JSON after" not in ran.err


def test_warnings_are_the_five_most_frequent_and_none_with_quiet(run, write) -> None:
    keys = [f"key{n}" for n in range(8)]
    preds = [{"id": n, "n": 1, **dict.fromkeys(keys[: n + 1], 1)} for n in range(8)]
    gold = write("gold.jsonl", [{"id": n, "n": 1} for n in range(9)])
    bill = write("one.py", "from dataclasses import dataclass\n@dataclass\nclass One:\n    n: int\n")
    words = ("score", "documents", "--type", f"{bill}:One", write("run.jsonl", preds), "-r", gold)
    err = run(*words).err.splitlines()
    assert [line.rpartition(": found a key")[0].rpartition(" ")[2] for line in err[:5]] == keys[:5]
    assert err[0].endswith(" (8 times)")
    assert err[5] == "matchwise: warning: (3 more; --verbose)"
    assert len(run(*words, "--verbose").err.splitlines()) == len(err) + 2
    assert run(*words, "--quiet").err == "matchwise: exit code 4: 1 document without prediction\n"


def test_the_type_alone_is_the_task_documents(run, files) -> None:
    words = (*files, "--text", KEY, "--fields", "--format", "json")
    assert run("score", *words) == run("score", "documents", *words)


def test_the_way_of_reading_is_part_of_the_signature(run, files) -> None:
    assert 'fences=\\"find\\"' in json.dumps(run("score", *files, "--text", KEY, "--format", "json").json["signature"])


def test_a_key_that_no_document_has_is_an_error_with_a_suggestion(run, files) -> None:
    ran = run("score", *files, "--text", "respond")
    assert (ran.code, ran.out) == (3, "")
    assert f"{files[0]}:1: found no key 'respond'; did you mean 'response'?\n" in ran.err
    for command in ("align", "errors"):
        ran = run(command, *files, "--text", "respond")
        assert ran.code == 3
        assert f"{files[0]}:1: found no key 'respond'; did you mean 'response'?\n" in ran.err
    ran = run("score", *files, "--text", "response.choices.4.text")
    assert f"{files[0]}:1: response.choices: found no key '4'; write --text KEY for another" in ran.err


@pytest.mark.parametrize(
    ("more", "problem"),
    [((), 'not JSON: found "Sure: {'), (("--option", "fences=find"), "found malformed JSON near 'Sure: {")],
)
def test_a_line_that_is_no_json_has_a_kind_only_where_the_form_takes_nothing_else(run, write, more, problem) -> None:
    gold, log = write("gold.jsonl", [{"n": 1}, {"n": 2}]), write("log.jsonl", 'Sure: {"n": 1}\n{"n": 2}\n')
    schema = write("schema.json", '{"properties": {"n": {"type": "integer"}}}')
    [system] = run("score", "documents", log, "-r", gold, "--schema", schema, "--format", "json", *more).json["systems"]
    assert system["unreadable"][0]["problem"].startswith(f"{log}:1: {problem}")


def test_a_key_that_some_documents_lack_makes_these_empty(run, write) -> None:
    log = write(
        "log.jsonl", [{"id": "a", "output": '{"n": 1}'}, {"id": "b", "error": "429"}, {"id": "c", "output": None}]
    )
    gold = write("gold.jsonl", [{"id": id, "n": 1} for id in "abc"])
    ran = run("score", "documents", log, "-r", gold, "--text", "output", "--format", "json")
    assert ran.code == 0
    [system] = ran.json["systems"]
    assert system["metrics"]["score"]["counts"] == {"matched": 1, "predicted": 1, "reference": 3}
    assert [one["document"] for one in system["unreadable"]] == ["b", "c"]
    expected = f"{log}:3: output: found null, expected the text of a model, or a document"
    assert system["unreadable"][1]["problem"] == expected
    short = write("short.jsonl", [{"id": "a", "output": '{"n": 1}'}, {"id": "b", "error": "429"}])
    assert run("score", "documents", short, "-r", write("two.jsonl", [{"id": id, "n": 1} for id in "ab"]),
               "--text", "output").code == 0  # fmt: skip


def test_the_text_may_be_a_document_already_and_so_may_that_of_the_reference(run, write) -> None:
    both = write("both.jsonl", [{"id": 1, "output": {"n": 1}, "expected": '{"n": 1}'}])
    ran = run("score", "documents", both, "-r", both, "--text", "output", "--ref-text", "expected", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["systems"][0]["metrics"]["score"]["counts"] == {"matched": 1, "predicted": 1, "reference": 1}


def test_a_metric_of_ones_own_reads_the_text_too(run, write) -> None:
    log = write("log.jsonl", [{"id": 1, "output": 'Here: {"tags": ["a", "b"]}'}, {"id": 2, "output": '{"tags": []}'}])
    gold = write("gold.jsonl", [{"id": 1, "tags": ["a"]}, {"id": 2, "tags": ["c"]}])
    ran = run("score", "--metric", 'f1("tags")', log, "-r", gold, "--text", "output", "--format", "json", "--verbose")
    assert ran.code == 0
    assert ran.json["systems"][0]["metrics"]["score"]["counts"] == {"matched": 1, "predicted": 2, "reference": 2}
    assert f"warning: {log}: output: JSON after other text (1 time)" in ran.err
    wrong = write("wrong.jsonl", [{"id": 1, "output": "no"}, {"id": 2, "output": '{"tags": []}'}])
    assert run("score", "--metric", 'f1("tags")', wrong, "-r", gold, "--text", "output").code == 3


BROKEN = (
    b'{"id": "a", "number": "1", "total": 2.5}\n{"id": "b", "number": "2", \n{"id": "c", "number": "3", "total": 1}\n'
)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_prediction_that_cannot_be_read_counts_as_empty_in_documents(run, write, files, jobs) -> None:
    broken = write("broken.jsonl", BROKEN)
    ran = run("score", broken, *files[1:], "--format", "json", "--jobs", jobs)
    assert ran.code == 0
    [system] = ran.json["systems"]
    assert system["metrics"]["score"]["counts"] == {"matched": 4, "predicted": 4, "reference": 6}
    assert ([one["document"] for one in system["unreadable"]], system["errors"]) == (["b"], [])
    assert run("score", broken, *files[1:], "--on-error", "raise").code == 3
    skipped = run("score", broken, *files[1:], "--on-error", "skip", "--format", "json").json["systems"][0]
    assert skipped["metrics"]["score"]["counts"] == {"matched": 4, "predicted": 4, "reference": 4}


def test_a_reference_that_cannot_be_read_is_an_error_in_documents_too(run, write, files) -> None:
    ran = run("score", files[0], "-r", write("broken.jsonl", BROKEN), *files[3:], "--text", KEY)
    assert (ran.code, ran.out) == (3, "")


def test_a_prediction_without_reference_is_an_error_in_documents_too(run, write, files) -> None:
    ran = run("score", write("more.jsonl", [*GOLD, {"id": "d", "number": "4"}]), *files[1:])
    assert ran.code == 3
    assert "no reference has the id 'd'" in ran.err


def test_without_ids_an_unreadable_prediction_keeps_its_place(run, write, files) -> None:
    broken = write(
        "broken.jsonl", BROKEN.replace(b'"id": "a", ', b"").replace(b'"id": "b", ', b"").replace(b'"id": "c", ', b"")
    )
    gold = write("gold2.jsonl", [{key: value for key, value in one.items() if key != "id"} for one in GOLD])
    ran = run("score", broken, "-r", gold, *files[3:], "--format", "json")
    [system] = ran.json["systems"]
    assert system["metrics"]["score"]["counts"] == {"matched": 4, "predicted": 4, "reference": 6}
    assert ([one["document"] for one in system["unreadable"]], system["errors"]) == ([1], [])


def test_compare_and_report_and_saved_tables_count_unreadable_predictions_alike(run, write, files, tmp_path) -> None:
    broken, good = write("broken.jsonl", BROKEN), write("good.jsonl", GOLD)
    words = (broken, *files[1:])
    ran = run("compare", good, *words, "--format", "json")
    assert ran.code == 0
    [row] = ran.json["differences"]
    assert (row["score"], row["difference"]) == ("f1", pytest.approx(-0.2, abs=1e-12))
    tables = [str(tmp_path / f"{name}.table.jsonl") for name in ("good", "broken")]
    for file, table in zip((good, broken), tables, strict=True):
        run("score", file, *files[1:], "--save-table", table)
    again = run("compare", *tables, "--format", "json")
    assert again.code == 0
    assert [row["difference"] for row in again.json["differences"]] == [
        row["difference"] for row in ran.json["differences"]
    ]
    page = run("report", *words)
    assert page.code == 0
    assert "0.8000" in page.out


def test_a_missing_prediction_can_be_an_error(run, write, files) -> None:
    ran = run("score", write("few.jsonl", GOLD[:2]), *files[1:], "--missing", "raise")
    assert ran.code == 3
    assert f"{files[2]}:3: found no prediction for document 'c'; write --missing empty to count it as empty" in ran.err


def test_a_forgotten_text_key_is_named(run, write) -> None:
    gold = write("gold.jsonl", [{"id": "a", "total": 3}, {"id": "b", "total": 4}])
    answers = write("run.jsonl", [{"id": "a", "reply": '{"total": 3}'}, {"id": "b", "reply": '{"total": 4}'}])
    ran = run("score", "documents", answers, "-r", gold)
    assert f"{answers}: nothing is right; if 'reply' holds what a model wrote, write --text reply\n" in ran.err
    ran = run("score", "documents", answers, "-r", gold, "--text", "reply", "--score-only")
    assert (ran.out, ran.err) == ("1.0000\n", "")


def test_an_undeclared_key_beside_right_values_is_not_taken_for_a_text(run, write) -> None:
    gold = write("gold.jsonl", [{"id": "a", "total": 3}, {"id": "b", "total": 4}])
    answers = write("run.jsonl", [{"id": "a", "total": 3, "note": "x"}, {"id": "b", "total": 5, "note": "x"}])
    assert "--text" not in run("score", "documents", answers, "-r", gold).err


def test_half_of_a_surrogate_and_a_large_number_are_read_in_the_text_of_a_model(run, write) -> None:
    found = {"tags": ["\ud800", 10**30, "x"]}
    log = write("log.jsonl", [{"id": 1, "output": f"Here: {json.dumps(found)}"}])
    gold = write("gold.jsonl", json.dumps({"id": 1, **found}))
    ran = run("score", "--metric", 'f1("tags")', log, "-r", gold, "--text", "output", "--format", "json")
    assert ran.code == 0
    assert ran.json["systems"][0]["metrics"]["score"]["counts"] == {"matched": 3, "predicted": 3, "reference": 3}


def test_notes_of_several_systems_are_said_together(run, write) -> None:
    gold = write("gold.jsonl", [{"id": n, "a": n, "b": "x"} for n in range(3)])
    schema = write("s.json", json.dumps({"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}))
    runs = [write(f"{name}.jsonl", [{"id": n, "a": str(n)} for n in range(3)]) for name in ("one", "two")]
    for command in ("score", "compare"):
        said = run(command, "documents", *runs, "-r", gold, "--schema", schema).err.splitlines()
        assert said[:2] == [
            f"matchwise: warning: {', '.join(runs)}: a: not an integer (6 times)",
            f"matchwise: warning: {gold}: b: not an integer (3 times)",
        ]


def test_a_log_with_several_keys_is_told_of_text(run, write) -> None:
    gold = write("gold.jsonl", [{"id": n, "a": n} for n in range(3)])
    log = write("log.jsonl", [{"id": n, "model": "m", "completion": json.dumps({"a": n})} for n in range(3)])
    said = run("compare", "documents", log, f"same={log}", "-r", gold).err
    assert "nothing is right; if 'model' or 'completion' holds what a model wrote, write --text completion" in said


def test_a_log_with_one_key_of_a_tool_is_not_taken_for_its_export(run, write) -> None:
    """An export of Braintrust has input and expected, and the text under output."""
    gold = write("gold.jsonl", [{"id": "a", "total": 3}])
    log = write("log.jsonl", [{"id": "a", "input": "?", "completion": '{"total": 3}'}])
    said = run("score", "documents", log, "-r", gold).err
    assert "if 'input' or 'completion' holds what a model wrote, write --text completion\n" in said


def test_a_chat_is_read_where_its_text_is(run, write) -> None:
    gold = write("gold.jsonl", [{"id": "a", "total": 3}])
    messages = [{"role": "user", "content": "?"}, {"role": "assistant", "content": '{"total": 3}'}]
    chat = write("chat.jsonl", [{"id": "a", "messages": messages}])
    ran = run("score", "documents", chat, "-r", gold, "--score-only", "--verbose")
    assert ran.out == "1.0000\n"

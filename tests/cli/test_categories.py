"""`matchwise score --categories --confusion`: tables of what became of each element, in every format."""

import csv
import io
import json
from typing import Any

import pytest

GOLD = "Ann B-PER\nlives O\nin O\nRome B-LOC\n\nAcme B-ORG\nInc I-ORG\ngrows O\n\nBob B-PER\nsmiles O\n"
RUN = "Ann B-PER\nlives O\nin O\nRome B-ORG\n\nAcme B-ORG\nInc O\ngrows B-LOC\n\nBob O\nsmiles O\n"


@pytest.fixture
def files(write: Any) -> tuple[str, str]:
    return write("run.conll", RUN), write("gold.conll", GOLD)


def test_elements_are_counted_by_category_and_label(run, files) -> None:
    found = run("score", "ner", files[0], "-r", files[1], "--only", "strict", "--categories")
    assert found.out.split("\n\n")[1].splitlines() == [
        "categories",
        "type   correct  incorrect  partial  missed  spurious  predicted  reference",
        "LOC          0          1        0       0         1          1          1",
        "ORG          0          1        0       0         0          2          1",
        "PER          1          0        0       1         0          1          2",
        "(all)        1          2        0       1         1          4          4",
        "(metric of every row: strict)",
    ]


def test_the_confusion_has_references_down_and_predictions_across(run, files) -> None:
    found = run("score", "ner", files[0], "-r", files[1], "--only", "strict", "--confusion")
    assert found.out.split("\n\n")[1].splitlines() == [
        "confusion of strict: reference down, predicted across",
        "type        LOC  ORG  PER  (missed)",
        "LOC           0    1    0         0",
        "ORG           0    1    0         0",
        "PER           0    0    1         1",
        "(spurious)    1    0    0",
    ]


def test_each_metric_has_its_own_tables(run, files) -> None:
    found = run("score", "ner", files[0], "-r", files[1], "--categories", "--confusion", "--format", "json").json
    [system] = found["systems"]
    assert system["categories"]["strict"]["total"]["correct"] == 1
    assert system["categories"]["exact"]["total"]["correct"] == 2
    assert system["categories"]["partial"]["total"]["partial"] == 1
    assert {"predicted": None, "reference": "PER", "count": 1} in system["confusion"]["type"]


def test_csv_has_a_row_for_each_cell_of_the_confusion(run, files) -> None:
    found = run("score", "ner", files[0], "-r", files[1], "--only", "strict", "--confusion", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(found.out)))
    cells = {(row["predicted label"], row["reference label"]): row["count"] for row in rows}
    assert cells == {("ORG", "LOC"): "1", ("ORG", "ORG"): "1", ("PER", "PER"): "1", ("", "PER"): "1", ("LOC", ""): "1"}


def test_csv_has_the_categories_where_only_they_are_asked_for(run, files) -> None:
    found = run("score", "ner", files[0], "-r", files[1], "--only", "strict", "--categories", "--format", "csv")
    assert [(row["type"], row["correct"]) for row in csv.DictReader(io.StringIO(found.out))] == [
        ("LOC", "0"), ("ORG", "0"), ("PER", "1"), ("(all)", "1")
    ]  # fmt: skip


def test_json_lines_name_the_table_of_each_row(run, files) -> None:
    found = run("score", "ner", files[0], "-r", files[1], "--categories", "--confusion", "--format", "jsonl")
    assert {json.loads(line)["table"] for line in found.out.splitlines()} == {"scores", "categories", "confusion"}


@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_labels_are_written_as_they_are(run, write, format) -> None:
    gold = write("gold.jsonl", [{"spans": [[0, 1, "value"], [2, 3, "per_son"]]}])
    found = run("score", "ner", gold, "-r", gold, "--only", "strict", "--confusion", "--format", format)
    assert r"per\_son & 1 & 0 & 0" in found.out if format == "latex" else r"| per\_son | 1 | 0 | 0 |" in found.out


def test_several_processes_count_the_same(run, files) -> None:
    words = ("score", "ner", files[0], "-r", files[1], "--categories", "--confusion", "--format", "json")
    assert run(*words, "--jobs", "2").json == run(*words).json


def test_every_system_has_its_own_confusion(run, files) -> None:
    found = run("score", "ner", *files, "-r", files[1], "--only", "strict", "--confusion")
    titles = [block.splitlines()[0] for block in found.out.split("\n\n")[1:3]]
    assert [title.startswith("confusion of strict in ") for title in titles] == [True, True]


def test_what_a_missing_prediction_lacks_is_missed(run, write) -> None:
    gold = write("gold.jsonl", [{"id": 1, "spans": [[0, 1, "A"]]}, {"id": 2, "spans": [[0, 1, "B"]]}])
    pred = write("run.jsonl", [{"id": 1, "spans": [[0, 1, "A"]]}])
    found = run("score", "ner", pred, "-r", gold, "--only", "strict", "--categories", "--format", "json")
    assert found.code == 4
    assert found.json["systems"][0]["categories"]["strict"]["total"] == {
        "correct": 1, "incorrect": 0, "partial": 0, "missed": 1, "spurious": 0
    }  # fmt: skip


def test_a_document_that_is_left_out_is_not_counted(run, write) -> None:
    gold = write("gold.jsonl", [{"id": 1, "tags": ["B-A"]}, {"id": 2, "tags": ["B-B"]}])
    pred = write("run.jsonl", [{"id": 1, "tags": ["B-A"]}, {"id": 2, "tags": ["B-B", "O"]}])
    words = ("score", "ner", pred, "-r", gold, "--only", "strict", "--categories", "--format", "json", "--on-error")
    assert run(*words, "skip").json["systems"][0]["categories"]["strict"]["total"]["missed"] == 0
    assert run(*words, "empty").json["systems"][0]["categories"]["strict"]["total"]["missed"] == 1


def test_options_of_the_suite_are_options_of_its_categories(run, write) -> None:
    gold = write("gold.props", "be (V*)\n- (A1*)\n- *\n- (C-A1*)\n")
    pred = write("run.props", "be (V*)\n- (A1*)\n- *\n- *\n")
    words = ("score", "srl", pred, "-r", gold, "--categories", "--format", "json")
    assert run(*words).json["systems"][0]["categories"]["arguments"]["total"]["correct"] == 0
    separate = run(*words, "--option", "continuations=separate").json
    assert separate["systems"][0]["categories"]["arguments"]["total"]["correct"] == 1


def test_a_task_without_categories_says_so(run, write) -> None:
    gold = write("gold.jsonl", [{"id": 1, "items": ["a"]}])
    found = run("score", "sets", gold, "-r", gold, "--confusion")
    assert (found.code, found.err) == (2, "matchwise: error: sets has no error categories; leave out --confusion\n")


def test_an_expression_has_no_categories(run, gold, system) -> None:
    found = run("score", "--metric", 'f1("relations")', system, "-r", gold, "--categories")
    assert found.code == 2
    assert "--categories needs a task and its own metrics" in found.err


def test_metrics_without_categories_say_so(run, gold, system) -> None:
    found = run("score", "relations", system, "-r", gold, "--preset", "docred", "--only", "ign", "--categories")
    assert found.code == 2
    assert "ign has no error categories" in found.err


@pytest.mark.parametrize("option", ["--categories", "--confusion"])
def test_a_preset_without_categories_says_which_has_them(run, write, option: str) -> None:
    file = write("run.jsonl", '{"id": 1, "templates": [{"type": "attack", "slots": {"victim": ["mayor"]}}]}\n')
    ran = run("score", "templates", file, "-r", file, "--preset", "gtt", option)
    assert ran.code == 2
    assert "templates has error categories under the preset muc4, not under gtt; write --preset muc4" in ran.err


@pytest.mark.parametrize("preset", ["optimal", "seqeval", "nervaluate"])
def test_other_words_than_those_of_the_reference_are_warned_of(run, write, files, preset: str) -> None:
    other = write("other.conll", RUN.replace("Rome", "Paris").replace("Bob", "Tom"))
    ran = run("score", "ner", other, "-r", files[1], "--preset", preset)
    assert ran.err == (
        f"matchwise: warning: {other}: sentence whose words are not those of the reference; are both files of the same "
        "text? (2 times)\n"
    )
    assert ran.out == run("score", "ner", files[0], "-r", files[1], "--preset", preset).out
    assert run("score", "ner", files[0], "-r", files[1], "--preset", preset).err == ""


def test_a_label_that_mentions_do_not_have_is_one_short_message(run, files) -> None:
    ran = run("score", "ner", files[0], "-r", files[1], "--by", "label")
    assert ran.code == 3
    assert ran.err.endswith("by label: Mention has no 'label'; there are left, right, span, type; write --by type\n")

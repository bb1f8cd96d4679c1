"""`matchwise errors`: counts and each error, as text and as data, all of them or of one kind."""

import json

import pytest

GOLD = [
    {"id": "d1", "templates": [{"type": "arson", "slots": {"victim": [["mayor"]], "target": [["bank"]]}}]},
    {"id": "d2", "templates": [{"type": "arson", "slots": {"victim": [["clerk"]]}}]},
]
RUN = [{"id": "d1", "templates": [{"type": "arson", "slots": {"target": [["bank"], ["mayor"]]}}]}]


@pytest.fixture
def files(write) -> list[str]:
    return ["errors", "templates", write("templates.run.jsonl", RUN), "-r", write("templates.gold.jsonl", GOLD)]


def test_counts_come_first_then_each_error(files, run) -> None:
    ran = run(*files)
    assert ran.code == 4
    assert ran.out == (
        "templates  predicted 1  reference 2  paired 1  missing 1\n"
        "fillers    predicted 2  reference 3  correct 1  role 1  missing 1\n"
        "\n"
        "role                d1: arson: victim 'mayor' → target 'mayor'\n"
        "missing template    d2: arson → nothing\n"
        "missing             d2: arson: victim 'clerk' → nothing\n"
    )
    assert "1 without prediction, counted as empty: d2" in ran.err


@pytest.mark.parametrize("preset", ["paper", "muc4", "gtt", "iterx", "better"])
def test_every_preset_explains_itself(files, run, preset) -> None:
    assert run(*files, "--preset", preset, "--format", "json").json["fillers"]["reference"] == 3


def test_one_kind_and_one_document(files, run) -> None:
    ran = run(*files, "--kind", "missing", "--format", "jsonl")
    assert [json.loads(line)["document"] for line in ran.out.splitlines()] == ["d2"]
    assert "d2" not in run(*files, "--document", "d1").out


def test_mistakes_are_met_with_what_there_is(files, run) -> None:
    assert "no kind of error 'rol'; did you mean 'role'" in run(*files, "--kind", "rol").err
    assert "no document 'd9'" in run(*files, "--document", "d9").err
    ran = run(*files, "--format", "html")
    assert (ran.code, "are printed as text, json and jsonl, not as html" in ran.err) == (2, True)


def test_any_metric_has_errors_value_by_value(run, gold, system) -> None:
    ran = run("errors", "--metric", 'f1("relations", eq("type") + eq("subj") + eq("obj"))', system, "-r", gold)
    assert ran.out.splitlines()[0] == "elements   F1 0.7619   8 matched, 12 predicted, 9 reference"
    assert "wrong value      1" in ran.out
    assert "d1: relations[1].type: works, should be lives" in ran.out


def test_slots_that_muc_4_does_not_have_are_counted_and_named(run, write) -> None:
    path = write("slots.jsonl", [{"id": 1, "templates": [{"type": "ARSON", "slots": {"hum_tgt_nmae": ["PAZ"]}}]}])
    ran = run("score", "templates", path, "-r", path, "--preset", "muc4", "--only", "all", "--format", "json")
    assert ran.json["systems"][0]["metrics"]["all"]["counts"]["predicted"] == 2
    assert "unknown slot 'hum_tgt_nmae' (1 times)" in ran.err

"""Role fillers, role mentions and N-ary relations from files."""

import json
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "examples" / "data"


def score(run, task, pred, ref, *more):
    ran = run("score", task, DATA / pred, "-r", DATA / ref, "--format", "json", *more)
    assert ran.code == 0, ran.err
    return {name: one["f1"] for name, one in ran.json["systems"][0]["metrics"].items() if "f1" in one}


def test_files_of_grit_are_scored_by_its_preset(run) -> None:
    found = score(run, "roles", "roles_system.json", "roles_gold.jsonl", "--preset", "grit")
    assert found == {"ceaf_ree": 0.625, "proportional": 0.6875}


def test_there_is_a_table_by_role(run) -> None:
    ran = run("score", "roles", DATA / "roles_system.json", "-r", DATA / "roles_gold.jsonl", "--by", "role")
    assert "Victim" in ran.out


def test_templates_of_iterx_are_scored_against_plain_json_lines(run) -> None:
    found = score(run, "role_mentions", "role_mentions_system.jsonl", "role_mentions_gold.jsonl", "--preset", "iterx")
    assert found == pytest.approx({"subset": 2 / 3, "phi3": 6 / 17}, abs=1e-12)


def test_documents_of_scirex_are_scored_by_its_preset(run) -> None:
    found = score(run, "nary", "nary_system.jsonl", "nary_gold.jsonl", "--preset", "scirex")
    assert (found["n4"], found["n2"]) == (0.75, 0.875)


def test_documents_of_scirex_are_scored_by_the_equations(run) -> None:
    found = score(run, "nary", "nary_system.jsonl", "nary_gold.jsonl")
    assert found == pytest.approx({"relations": 2 / 3, "binary": 0.8, "entities": 8 / 9}, abs=1e-12)


def test_hierarchical_roles_are_an_option(run, write) -> None:
    ref = write("gold.jsonl", [{"id": 1, "roles": {"Attacker.Group": [["rebels"]]}}])
    pred = write("run.jsonl", [{"id": 1, "roles": {"Attacker.Person": [["rebels"]]}}])
    ran = run("score", "roles", pred, "-r", ref, "--format", "json", "--option", 'types=levels("role")')
    assert ran.json["systems"][0]["metrics"]["ceaf_ree"]["f1"] == 0.5


@pytest.mark.parametrize("format", ["text", "jsonl", "csv", "markdown", "latex"])
@pytest.mark.parametrize("task", ["roles", "role_mentions", "nary"])
def test_every_output_format_works(run, task, format) -> None:
    pred = "roles_system.json" if task == "roles" else f"{task}_system.jsonl"
    assert run("score", task, DATA / pred, "-r", DATA / f"{task}_gold.jsonl", "--format", format).code == 0


def test_missing_documents_are_counted_and_named(run, write) -> None:
    pred = write("run.jsonl", [{"30901": {"pred_extracts": {}}}])
    ran = run("score", "roles", pred, "-r", DATA / "roles_gold.jsonl", "--format", "json", "--preset", "grit")
    assert ran.code == 4
    assert ran.json["systems"][0]["missing"] == ["TST3-MUC4-0902", "TST3-MUC4-0903"]
    assert ran.json["systems"][0]["metrics"]["ceaf_ree"]["counts"]["reference"] == 8


def test_a_role_that_is_no_list_is_named_with_its_line(run, write) -> None:
    pred, ref = write("run.jsonl", [{"id": 1, "roles": {"r": "x"}}]), write("gold.jsonl", [{"id": 1, "roles": {}}])
    ran = run("score", "roles", pred, "-r", ref)
    assert ran.code == 3
    assert "run.jsonl:1" in ran.err
    assert "r: expected a list of entities" in ran.err


def test_predictions_of_scirex_may_be_a_directory(run, tmp_path) -> None:
    whole = [json.loads(line) for line in (DATA / "nary_system.jsonl").read_text(encoding="utf-8").splitlines()]
    for part in ("ner", "clusters", "predicted_relations"):
        lines = [json.dumps({"doc_id": one["doc_id"], part: one[part]}) for one in whole]
        (tmp_path / f"{part}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    ran = run("score", "nary", tmp_path, "-r", DATA / "nary_gold.jsonl", "--format", "json", "--preset", "scirex")
    assert ran.json["systems"][0]["metrics"]["n4"]["f1"] == 0.75


@pytest.mark.parametrize(("task", "metric"), [("roles", "phi4"), ("templates", "muc4")])
def test_results_of_gtt_that_hold_both_sides_are_no_reference_for_themselves(run, write, task, metric) -> None:
    one, other = ({"incident_type": "arson", "Victim": [[name]]} for name in ("mayor", "clerk"))
    path = write("results.json", json.dumps({"d1": {"pred_templates": [one], "gold_templates": [other, one]}}))
    found = run("score", task, path, "-r", path, "--format", "json").json["systems"][0]["metrics"][metric]
    assert (found["counts"]["predicted"], found["counts"]["reference"]) == (1, 2)


@pytest.mark.parametrize(
    ("task", "metric", "part", "gold", "pred"),
    [
        ("ner", "strict", "ner", [[0, 0, "PER"], [2, 2, "LOC"]], [[0, 0, "PER", 0.9]]),
        ("relations", "strict", "relations", [[0, 0, 2, 2, "in"], [2, 2, 0, 0, "has"]], [[0, 0, 2, 2, "in", 0.9]]),
        ("events", "trig_c", "events", [[[0, "Die"]], [[2, "Attack"]]], [[[0, "Die", 0.9]]]),
    ],
)
def test_predictions_of_dygie_that_hold_the_gold_are_read_by_side(run, write, task, metric, part, gold, pred) -> None:
    both = {"doc_key": "d", "sentences": [["a", "b", "c"]], part: [gold], f"predicted_{part}": [pred]}
    path = write("predictions.jsonl", [both])
    found = run("score", task, path, "-r", path, "--format", "json").json["systems"][0]["metrics"][metric]
    assert found["counts"] == {"matched": 1, "predicted": 1, "reference": 2}


def test_results_of_gtt_without_a_reference_are_refused_as_one(run, write) -> None:
    path = write("results.json", json.dumps({"d1": {"pred_templates": []}}))
    ran = run("score", "templates", path, "-r", path, "--preset", "gtt")
    assert (ran.code, "document d1: expected gold_templates, found the keys pred_templates" in ran.err) == (3, True)


def test_what_grit_leaves_out_is_named(run, write) -> None:
    pred = write("run.jsonl", [{"id": 1, "roles": {"r": [["a"]], "s": [["b"], ["c"]]}}])
    ref = write("gold.jsonl", [{"id": 1, "roles": {"r": [["a"]]}}])
    ran = run("score", "roles", pred, "-r", ref, "--preset", "grit")
    assert "filler of the role 's', which the reference does not list, left out (2 times)" in ran.err
    assert ran.code == 0

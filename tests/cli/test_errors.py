"""`matchwise errors`: counts and each error, as text and as data, all of them or of one kind."""

import json
from pathlib import Path

import pytest

from matchwise.views.errors import Case, Errors, Level

DATA = Path(__file__).parents[2] / "examples" / "data"

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
        "templates   F1 0.6667   1 matched, 1 predicted, 2 reference\n"
        "kind             count  share of loss  F1 without\n"
        "missed template      1         100.0%      1.0000\n"
        "\n"
        "fillers   F1 0.4000   1 matched, 2 predicted, 3 reference\n"
        "kind        count  share of loss  F1 without\n"
        "wrong role      1          66.7%      0.8000\n"
        "missed          1          33.3%      0.6667\n"
        "\n"
        "missed template\n"
        "  d2: arson is missing\n"
        "\n"
        "wrong role\n"
        "  d1: arson: target: mayor, should be victim: mayor\n"
        "\n"
        "missed\n"
        "  d2: arson: victim: clerk is missing\n"
    )
    assert "1 without prediction, counted as empty: d2" in ran.err


@pytest.mark.parametrize("preset", ["paper", "muc4", "gtt", "iterx", "better"])
def test_every_preset_explains_itself(files, run, preset) -> None:
    assert run(*files, "--preset", preset, "--format", "json").json["levels"][1]["reference"] == 3


def test_one_kind_and_one_document(files, run) -> None:
    ran = run(*files, "--kind", "missed", "--format", "jsonl")
    assert [json.loads(line)["document"] for line in ran.out.splitlines()] == ["d2"]
    assert "d2" not in run(*files, "--document", "d1").out


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_a_table_shows_the_kind_that_was_asked_for_alone(files, run, format) -> None:
    shown = run(*files, "--kind", "missed", "--format", format).out
    assert "victim: clerk is missing" in shown
    assert not {kind for kind in ("missed template", "wrong role") if kind in shown}


def test_all_errors_of_a_kind_that_was_asked_for_are_shown() -> None:
    found = Errors(()).add([Level("xs", 0, 0, 5, tuple(Case("missed", ref=f"x{n}") for n in range(5)))])
    assert [found.to_text(kinds=kinds).count("is missing") for kinds in ((), ("missed",))] == [3, 5]


def test_mistakes_are_met_with_what_there_is(files, run) -> None:
    assert "no kind of error 'wrong rol'; did you mean 'wrong role'" in run(*files, "--kind", "wrong rol").err
    assert "no document 'd9'" in run(*files, "--document", "d9").err


def test_errors_of_templates_are_tables_too(files, run) -> None:
    assert "| wrong role | 1 | 66.7% | 0.8000 |" in run(*files, "--format", "markdown").out
    assert ">wrong role</th>" in run(*files, "--format", "html").out


def test_any_metric_has_errors_value_by_value(run, gold, system) -> None:
    ran = run("errors", "--metric", 'f1("relations", eq("type") + eq("subj") + eq("obj"))', system, "-r", gold)
    assert ran.out.splitlines()[0] == "elements   F1 0.7619   8 matched, 12 predicted, 9 reference"
    assert "wrong value      1" in ran.out
    assert "d1: relations[1].type: works, should be lives" in ran.out


def test_a_metric_of_ones_own_has_errors_value_by_value_also_for_the_files_of_a_task(files, run) -> None:
    ran = run(*files, "--metric", 'f1("templates", eq("type"))')
    assert ran.out.splitlines()[0] == "elements   F1 0.6667   1 matched, 1 predicted, 2 reference"


def test_slots_that_muc_4_does_not_have_are_counted_and_named(run, write) -> None:
    path = write("slots.jsonl", [{"id": 1, "templates": [{"type": "ARSON", "slots": {"hum_tgt_nmae": ["PAZ"]}}]}])
    ran = run("score", "templates", path, "-r", path, "--preset", "muc4", "--only", "all", "--format", "json")
    assert ran.json["systems"][0]["metrics"]["all"]["counts"]["predicted"] == 2
    assert "unknown slot 'hum_tgt_nmae' (1 time)" in ran.err


@pytest.mark.parametrize("command", ["align", "errors"])
def test_a_key_for_ids_of_files_that_are_not_json_is_refused(run, command) -> None:
    ran = run(command, "ner", DATA / "ner_system.conll", "-r", DATA / "ner_gold.conll", "--id", "2")
    assert (ran.code, ran.err) == (
        2,
        "matchwise: error: --id 2 names a key of JSON documents, but the files are read as conll2003; leave it out, "
        "or write --document 2 to show that document\n",
    )


def test_a_score_does_not_offer_to_show_a_document(run) -> None:
    ran = run("score", "ner", DATA / "ner_system.conll", "-r", DATA / "ner_gold.conll", "--id", "2")
    assert ran.err.endswith("but the files are read as conll2003; leave it out\n")


@pytest.mark.parametrize("metric", ["relations", "ign", "evidence"])
def test_metrics_of_the_same_relations_have_the_same_errors(run, write, metric) -> None:
    entities = [[{"name": name}] for name in ("Paris", "France", "Seine")]
    labels = [{"h": 0, "t": 1, "r": "P17", "evidence": [0, 1]}, {"h": 2, "t": 0, "r": "P1", "evidence": [2]}]
    gold = write("gold.json", json.dumps([{"title": "A", "vertexSet": entities, "labels": labels}]))
    facts = [(0, 1, "P17", [0]), (2, 0, "P2", [2])]
    found = [{"title": "A", "h_idx": h, "t_idx": t, "r": r, "evidence": seen} for h, t, r, seen in facts]
    code, out, _ = run(
        "errors", "relations", write("run.json", json.dumps(found)), "-r", gold, "--preset", "docred", "--only", metric
    )
    assert code == 0
    assert out.splitlines()[-1] == "  A: Seine –P2→ Paris, should be Seine –P1→ Paris"


def test_a_value_of_a_missing_document_is_shown_as_nothing(run, write) -> None:
    gold = write("gold.jsonl", [{"id": 1, "number": "R-1"}, {"id": 2, "number": "R-2"}])
    ran = run("errors", write("run.jsonl", [{"id": 1, "number": "R-1"}]), "-r", gold, "--metric", 'mean(eq("number"))')
    assert ran.code == 4
    assert ran.out.endswith("\nwrong value\n  2: nothing, should be id 2, number R-2\n")


def test_kinds_of_errors_are_explained_in_the_order_of_the_table(run, write) -> None:
    gold = write("gold.jsonl", [{"id": "a", "x": 1, "y": 2}, {"id": "b", "x": 1, "y": 2}])
    system = write("run.jsonl", [{"id": "a", "x": 1}, {"id": "b", "x": 7, "y": 8}])
    lines = run("errors", "documents", system, "-r", gold).out.splitlines()
    assert [line.split()[0] for line in lines[2:4]] == ["wrong", "missed"]
    assert [line for line in lines[4:] if line and not line.startswith(" ")] == ["wrong value", "missed"]


def test_a_number_and_its_digits_as_text_look_different(run, write) -> None:
    gold, system = write("gold.jsonl", [{"id": "a", "n": 4}]), write("run.jsonl", [{"id": "a", "n": "4"}])
    assert '  a: n: "4", should be 4\n' in run("errors", "documents", system, "-r", gold).out
    assert '≠ n  "4"        4\n' in run("align", "documents", system, "-r", gold).out


def test_null_in_a_list_is_an_element_that_is_missed_or_spurious(run, write) -> None:
    one, other = write("a.jsonl", [{"id": "a", "xs": [1, 2]}]), write("b.jsonl", [{"id": "a", "xs": [1, None]}])
    words = ("errors", "--metric", 'f1("xs")')
    assert run(*words, one, "-r", other).out.endswith(
        "missed\n  a: xs[1]: null is missing\n\nspurious\n  a: xs[1]: 2\n"
    )
    assert run(*words, other, "-r", one).out.endswith(
        "missed\n  a: xs[1]: 2 is missing\n\nspurious\n  a: xs[1]: null\n"
    )


def test_a_document_that_cannot_be_scored_is_named_or_left_out(run, write) -> None:
    gold = write("gold.jsonl", [{"id": n, "xs": [n]} for n in (1, 2, 3)])
    system = write("run.jsonl", [{"id": 1, "xs": [1, 9]}, {"id": 2, "xs": 5}, {"id": 3, "xs": [3]}])
    words = ("errors", "--metric", 'f1("xs")', system, "-r", gold)
    problem = f"matchwise: error: {system}:2: xs: found int 5, expected a collection (list, tuple, set, mapping)\n"
    ran = run(*words)
    assert (ran.code, ran.out, ran.err) == (3, "", problem)
    ran = run(*words, "--on-error", "skip")
    why = "matchwise: exit code 4: 1 document that could not be scored\n"
    assert (ran.code, ran.err) == (4, problem + why)
    assert ran.out.startswith("elements   F1 0.8000   2 matched, 3 predicted, 2 reference\n")


def test_counts_of_a_long_document_are_whole_numbers_too(run, write) -> None:
    def graph(odd: str) -> str:
        return f"(n0 / c0 {' '.join(f':op{i} (n{i} / c{odd if i == 5 else i})' for i in range(1, 1200))})\n"

    ran = run("errors", "amr", write("run.amr", graph("x")), "-r", write("gold.amr", graph("5")), "--format", "json")
    assert '"matched": 2399,\n      "predicted": 2400,\n      "reference": 2400,\n' in ran.out


def test_output_that_cannot_be_read_has_kinds_that_add_up_with_the_others(run, write) -> None:
    outputs = {
        "refused": "I'm sorry, but I cannot read this.",
        "cut off": '{"a": 1, "b": "x',
        "trailing comma": '{"a": 1, "b": "x, }",}',
        "single quotes": "{'a': 1}",
        "no JSON": "a is 1",
        "malformed JSON": '{"a": }',
        "schema mismatch": '"hello"',
        "wrong value": '{"a": 7, "b": "x"}',
    }
    gold = write("gold.jsonl", [{"id": kind, "a": 1, "b": "x"} for kind in outputs])
    system = write("run.jsonl", [{"id": kind, "output": output} for kind, output in outputs.items()])
    types = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}
    schema = write("schema.json", json.dumps(types))
    words = ("errors", "documents", system, "-r", gold, "--schema", schema, "--text", "output")
    found = run(*words, "--format", "json").json
    [level] = found["levels"]
    counts = {row["kind"]: row["count"] for row in level["kinds"]}
    assert counts == dict.fromkeys(outputs, 1) | {"undeclared": 1}  # "hello" is also a value that nobody asked for
    assert sum(row["share"] for row in level["kinds"]) == pytest.approx(1, abs=1e-12)
    assert {error["document"] for error in found["errors"] if error["kind"] == error["document"]} == set(outputs)
    assert "refused\n  refused: I'm sorry, but I cannot read this., should be a 1, b x\n" in run(*words).out


def test_lines_are_as_wide_as_the_terminal_and_keep_what_should_have_been(run, write, monkeypatch) -> None:
    wrong, right = " ".join(["wrong"] * 30), " ".join(["right"] * 30)
    gold = write("gold.jsonl", [{"id": "a", "x": right}])
    words = ("errors", "documents", write("run.jsonl", [{"id": "a", "x": wrong}]), "-r", gold)
    lines = run(*words).out.splitlines()[-2:]
    assert (lines[0][-2:], len(lines[1]), lines[1][:25]) == ("…,", 80, "    should be right right")
    assert f"{wrong}, should be {right}\n" in run(*words, "--whole").out
    monkeypatch.setenv("COLUMNS", "160")
    assert len(run(*words).out.splitlines()[-1]) == 80  # not a terminal
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert len(run(*words).out.splitlines()[-1]) == 160


def test_a_short_correction_is_not_cut_beside_a_long_mistake(run, write) -> None:
    gold = write("gold.jsonl", [{"id": "a", "x": "right"}])
    out = run("errors", "documents", write("run.jsonl", [{"id": "a", "x": "wrong " * 30}]), "-r", gold).out
    assert out.endswith("…,\n    should be right\n")


def test_the_order_is_said_only_where_f1_without_ranks_kinds_otherwise() -> None:
    missed, spurious = [Case("missed", ref=n) for n in range(4)], [Case("spurious", n) for n in range(5)]
    both = str(Errors(("xs",)).add([Level("xs", 6, 11, 10, (*missed, *spurious))]))
    assert both.splitlines()[2:6] == [
        "spurious      5          55.6%      0.7500",
        "missed        4          44.4%      0.8000",
        "(by share of loss; F1 without ranks kinds otherwise, because it also depends on",
        "how many elements are predicted once they are corrected)",
    ]
    same = str(Errors(("xs",)).add([Level("xs", 6, 7, 10, (*missed, *spurious[:1]))]))
    assert "by share of loss" not in same


def test_a_kind_shows_only_the_elements_that_have_it(run) -> None:
    files = [DATA / "events_system.jsonl", "-r", DATA / "events_gold.jsonl"]
    for format in ("text", "markdown", "html"):
        out = run("errors", "events", *files, "--kind", "missed trigger", "--format", format).out
        assert ("triggers" in out, "arguments" in out, "no errors" in out) == (True, False, False)


def test_a_cut_list_of_examples_says_how_to_see_all(run) -> None:
    files = [DATA.parent / "entities" / "old.conll", "-r", DATA.parent / "entities" / "gold.conll"]
    ran = run("errors", "ner", *files, "--preset", "seqeval")
    assert "\ntype (3 of 5)\n" in ran.out
    assert ran.out.endswith("\n\n(--kind type shows all 5 of them)\n")
    whole = run("errors", "ner", *files, "--preset", "seqeval", "--kind", "type").out
    assert whole.count(", should be ") == 5
    assert "--kind" not in whole

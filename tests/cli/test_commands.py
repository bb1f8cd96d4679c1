"""The commands that explain: align, check, plan, tasks, cite, schema, completions."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from matchwise.tasks import list_tasks

DATA = Path(__file__).parents[2] / "examples" / "data"
METRIC = 'rel=f1("relations", eq("type") * eq("subj") * eq("obj"))'


def test_align_shows_each_document(run, system, gold) -> None:
    ran = run("align", "--metric", METRIC, system, "-r", gold, "--document", "d1")
    assert ran == (
        0,
        "d1   rel 0.5000   1 missed, 1 spurious, 1 right\n"
        "1 matched, 2 predicted, 2 reference\n"
        "                predicted                       reference\n"
        "− relations[1]                                  type lives, subj Ann, obj Rome\n"
        "+ relations[1]  type works, subj Ann, obj Rome\n"
        "= 1 right\n",
        "",
    )


def test_align_shows_the_worst_documents_first(run, system, gold) -> None:
    ran = run("align", "--metric", METRIC, system, "-r", gold, "--worst", "2")
    assert [line.split()[0] for line in ran.out.splitlines() if "rel " in line] == ["d3", "d1"]


def test_align_of_json_lines_is_one_row_for_each_document(run, system, gold) -> None:
    ran = run("align", "--metric", METRIC, system, "-r", gold, "--format", "jsonl")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert [(row["document"], row["metric"], row["score"]) for row in rows] == [
        ("d1", "rel", 0.5),
        ("d2", "rel", 1.0),
        ("d3", "rel", 0.0),
    ]


def test_align_can_leave_out_what_is_all_right(run, system, gold) -> None:
    ran = run("align", "--metric", METRIC, system, "-r", gold, "--wrong", "--format", "json")
    assert [row["document"] for row in ran.json] == ["d1", "d3"]


def test_align_shows_a_missing_document_as_missed(run, write, gold) -> None:
    ran = run("align", "--metric", METRIC, write("run.jsonl", []), "-r", gold, "--document", "d2", "--format", "json")
    assert ran.code == 4
    assert len(ran.json[0]["pairs"][0]["missed"]) == 1


def test_align_suggests_a_document(run, system, gold) -> None:
    ran = run("align", "--metric", METRIC, system, "-r", gold, "--document", "d11")
    assert ran.code == 2
    assert "no document 'd11'; did you mean 'd1'?" in ran.err


def test_check_of_good_files(run, system, gold) -> None:
    ran = run("check", "--metric", METRIC, system, "-r", gold)
    assert ran == (0, f"{system}: ok, 3 documents\n", "")


def test_check_finds_every_broken_line(run, write) -> None:
    path = write("a.jsonl", '{"id": 1, "relations": []}\n{"id": 2\n{"id": 1}\n{"id"}\n')
    ran = run("check", "--metric", METRIC, path, "--format", "json")
    assert ran.code == 3
    [file] = ran.json["files"]
    assert file["documents"] == 4
    assert [error.removeprefix(path)[:3] for error in file["errors"]] == [":2:", ":3:", ":4:"]


def test_check_names_missing_and_unknown_documents(run, write, gold) -> None:
    path = write("a.jsonl", [{"id": "d2", "relations": []}, {"id": "x", "relations": []}])
    ran = run("check", "--metric", METRIC, path, "-r", gold, "--format", "json")
    assert ran.code == 3
    [file] = ran.json["files"]
    assert file["missing"] == ["d1", "d3"]
    assert file["errors"] == [f"{path}:2: no reference has the id 'x'"]


TAGS = (
    "expected a tag such as O, B-PER or I-PER, found {!r}; "
    'write scheme="plain" (--option scheme=plain) for tags without a prefix, suffix=True (--option suffix=true) for '
    "tags such as PER-B"
)


def test_check_finds_tags_that_cannot_be_scored(run, write) -> None:
    path = write("a.conll", "Ada B-PER\nran O\n\nthe O\nUN X-ORG\n\nRome Y-LOC\n")
    [file] = run("check", "ner", path, "--format", "json").json["files"]
    wanted = [f"{path}:4: token 2: {TAGS.format('X-ORG')}", f"{path}:7: token 1: {TAGS.format('Y-LOC')}"]
    assert [error.partition(", or")[0] for error in file["errors"]] == wanted
    assert run("check", "ner", path, "--option", "scheme=plain").code == 0


def test_check_finds_what_the_metric_cannot_read(run, write) -> None:
    path = write("a.jsonl", [{"id": number, "relations": 7 if number % 200 == 9 else []} for number in range(300)])
    [file] = run("check", "--metric", METRIC, path, "--format", "json").json["files"]
    problem = "relations: found int 7, expected a collection (list, tuple, set, mapping)"
    assert (file["documents"], file["errors"]) == (300, [f"{path}:10: {problem}", f"{path}:210: {problem}"])


def test_check_of_two_files_finds_documents_that_do_not_fit_each_other(run, write) -> None:
    gold = write("gold.conll", "Ada B-PER\nran O\n\nRome B-LOC\n")
    path = write("run.conll", "Ada B-PER\n\nRome B-LOC\n")
    [file] = run("check", "ner", path, "-r", gold, "--format", "json").json["files"]
    assert file["errors"] == [f"{path}:1: found 1 tag, expected 2 as in the reference"]


@pytest.mark.parametrize("reference", [False, True])
def test_check_names_what_comes_before_a_line_that_cannot_be_read(run, write, reference: bool) -> None:
    path = write("run.conll", "Ada Y-PER\n\nRome B-LOC\n\na b c\n")
    gold = write("gold.conll", "Ada B-PER\n\nRome B-LOC\n\na O\n")
    words = ("check", "ner", path, "--input-format", "conll2003", *(("-r", gold) if reference else ()))
    [file] = run(*words, "--format", "json").json["files"]
    assert file["documents"] == 2
    assert [error.removeprefix(path)[:3] for error in file["errors"]] == [":1:", ":5:"]


@pytest.mark.parametrize("pred", sorted(DATA.glob("*_system.*")), ids=lambda path: path.stem)
def test_check_of_files_that_can_be_scored_finds_nothing(run, pred: Path) -> None:
    task = pred.stem.removesuffix("_system")
    gold = min(DATA.glob(f"{task}_gold.*"), key=lambda file: file.suffix != pred.suffix)
    for words in ((pred,), (gold,), (pred, "-r", gold)):
        ran = run("check", task, *words)
        assert (ran.code, ran.err) == (0, "")


BILL = "from typing import TypedDict\nclass Bill(TypedDict):\n    id: str\n    total: float\n"


def test_check_of_documents_lists_what_does_not_fit_the_type(run, write) -> None:
    types, gold = write("types.py", BILL), write("gold.jsonl", [{"id": "a", "total": 9.5}, {"id": "b", "total": None}])
    path = write("run.jsonl", [{"id": "a", "total": "n/a", "tax": 1}, {"id": "b", "total": 2}])
    misfits = [f'{path}:1: total: "n/a" is not a number', f"{path}:1: tax: found a key that the type does not have"]
    [alone] = run("check", "documents", path, "--type", f"{types}:Bill", "--format", "json").json["files"]
    assert alone["errors"] == misfits
    ran = run("check", "documents", path, "-r", gold, "--type", f"{types}:Bill", "--format", "json")
    assert (ran.code, ran.json["files"][0]["errors"]) == (3, [*misfits, f"{gold}:2: total: missing"])


def test_check_of_an_expression_against_a_type(run, write) -> None:
    path = write("types.py", "from typing import NamedTuple\nclass Doc(NamedTuple):\n    name: str\n")
    good = run("check", "--type", f"{path}:Doc", "--metric", 'eq("name")')
    assert good == (0, "score: fits the type\n", "")
    bad = run("check", "--type", f"{path}:Doc", "--metric", 'eq("nmae")')
    assert bad.code == 2
    assert "Doc has no field 'nmae'; did you mean 'name'?" in bad.err


def test_files_may_stand_behind_options(run, write, system, gold) -> None:
    types = write("types.py", BILL)
    bill = write("bill.jsonl", [{"id": "a", "total": 9.5}])
    ran = run("score", "documents", "--type", f"{types}:Bill", bill, "-q", bill, "-r", bill, "--format", "json")
    assert [found["prediction"] for found in ran.json["systems"]] == [bill, bill]


def test_what_is_no_file_is_named(run, gold) -> None:
    ran = run("score", "documents", "--quiet", gold, "-x", "-r", gold)
    assert (ran.code, ran.err.splitlines()[0]) == (2, "matchwise score: error: unexpected -x")


def test_check_with_nothing_to_check_is_a_usage_error(run) -> None:
    assert run("check", "--metric", "eq()").code == 2


def test_plan_prints_the_equation_and_the_operators(run) -> None:
    ran = run("plan", "--metric", METRIC)
    assert ran.code == 0
    assert ran.out.startswith(
        'rel = f1("relations", eq("type") * eq("subj") * eq("obj"))\nF↔_relations[δ_type × δ_subj × δ_obj]\n'
    )
    assert "bag overlap 1:1, inverted index" in ran.out


def test_plan_prints_latex(run) -> None:
    ran = run("plan", "--metric", 'f1("xs")', "--format", "latex")
    assert ran.out.startswith("% score\n")
    assert "\\" in ran.out


def test_plan_of_documents_leaves_out_the_id_that_the_type_declares(run, write) -> None:
    types = write("types.py", BILL)
    ran = run("plan", "documents", "--type", f"{types}:Bill")
    assert ran.out.splitlines()[0] == (
        'score = documents.form(T=Bill, settings={"id": ignore()}) | normalize(eq("total") + overlap(undeclared), "f1")'
    ), ran.err


def test_settings_by_path_are_an_option_of_documents(run, write) -> None:
    types = write("types.py", BILL + "    text: str\n    notes: str\n")
    settings = 'settings={"total": (close(abs=0.1), weight(2)), "text": edit(), "notes": ignore()}'
    ran = run("plan", "documents", "--type", f"{types}:Bill", "--option", settings)
    step = 'documents.form(T=Bill, settings={"id": ignore(), "total": (close(abs=0.1), weight(2)), "text": edit(), '
    phi = 'normalize(2 * close("total", abs=0.1) + edit("text") + overlap(undeclared), "f1")'
    assert ran.out.splitlines()[0] == f'score = {step}"notes": ignore()}}) | {phi}', ran.err


@pytest.mark.parametrize("settings", ['{"text" edit()}', "{edit()}", "{**edit()}", "{"])
def test_settings_that_are_no_mapping_are_refused_with_an_example(run, settings) -> None:
    ran = run("plan", "documents", "--option", f"settings={settings}")
    assert ran.code == 2
    assert f'cannot read {settings}; write {{"lines[].text": edit(), "notes": ignore()}}' in ran.err


def test_plan_as_json_names_what_is_derived(run) -> None:
    ran = run("plan", "coref", "--format", "json")
    assert ran.json["derived"]["conll"] == 'average("muc", "b3", "ceaf_e")'


def test_tasks_lists_every_task_with_a_line(run) -> None:
    ran = run("tasks")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.split("\n\n")[0].splitlines()] == list_tasks()


@pytest.mark.parametrize("name", list_tasks())
def test_every_task_keeps_the_contract(name, run) -> None:
    ran = run("tasks", name, "--format", "json")
    assert ran.code == 0
    about = ran.json
    assert about["description"]
    assert about["default"] in about["presets"]
    assert about["example"].startswith(f"matchwise score {name} ")


def test_an_option_of_some_presets_names_them(run) -> None:
    assert run("tasks", "sets", "--format", "json").json["options"]["items"]["presets"] == ["bags", "sets"]
    said = "the credit of two items, as in items=edit() (presets bags, sets) [a similarity of items] (default: eq())"
    assert f"items: {said}" in " ".join(run("tasks", "sets").out.split())


@pytest.mark.parametrize("name", list_tasks())
def test_every_task_says_what_to_cite(name, run) -> None:
    ran = run("cite", name)
    assert ran.code == 0
    assert ran.out.startswith("@")


def test_a_task_is_described_with_its_presets(run) -> None:
    ran = run("tasks", "coref")
    assert "  conll12 (default): " in ran.out
    assert "\n    metrics: muc, b3, ceaf_e, lea, conll\n" in ran.out
    assert "formats: conll2012" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_cite_of_one_metric_is_its_entry_only(run) -> None:
    ran = run("cite", "coref", "muc")
    assert ran.out.count("@inproceedings") == 1
    assert ran.out.startswith("@inproceedings{vilain-etal-1995-model,")


def test_cite_suggests_a_metric(run) -> None:
    ran = run("cite", "coref", "mcu")
    assert ran.code == 2
    assert "coref has no reference for 'mcu'; did you mean 'muc'?" in ran.err


def test_a_schema_is_inferred_from_documents(run, write) -> None:
    ran = run("schema", write("gold.jsonl", [{"name": "Ann", "age": 3}]))
    assert ran.code == 0
    assert ran.json["properties"] == {"name": {"type": "string"}, "age": {"type": "integer"}}


def test_the_metric_of_a_type_is_shown(run, write) -> None:
    path = write("types.py", "from typing import NamedTuple\nclass Doc(NamedTuple):\n    xs: list[str]\n")
    ran = run("schema", "--type", f"{path}:Doc")
    assert ran.out.splitlines()[0] == 'f1("xs")'


def test_schema_needs_one_thing_to_look_at(run) -> None:
    assert run("schema").code == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_asks_for_words(run, shell) -> None:
    assert f"matchwise completions {shell} --words" in run("completions", shell).out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sc", ["score", "schema"]),
        ("score --fail", ["--fail-under", "--fail-unreadable", "--fail-missing"]),
        ("score --on-error s", ["skip"]),
        *((f"{command} cor", ["coref"]) for command in ("score", "report", "errors", "agreement", "duplicates")),
        ("merge cor", []),
        ("completions f", ["fish"]),
        ("score coref gold", []),
        ("scor ", []),
        ("  score   coref  --preset  conll", ["conll12"]),
        ("score coref --preset conll", ["conll12"]),
        ("score run.jsonl --preset conll", []),
        ("score coref --option singletons=k", ["singletons=keep"]),
        ("score coref --only muc,b", ["muc,b3", "muc,blanc"]),
        ("score ner --input-format conll", ["conll2003"]),
    ],
)
def test_words_are_completed_by_what_stands_before(run, line, words) -> None:
    assert run("completions", "bash", "--words", f"matchwise {line}").out.split() == words


def test_bash_completes_the_part_of_a_word_that_it_sees_as_a_word(run, tmp_path) -> None:
    script = tmp_path / "matchwise.bash"
    script.write_text(run("completions", "bash").out)
    command = tmp_path / "matchwise"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m matchwise "$@"\n')
    command.chmod(0o755)

    def complete(line: str) -> list[str]:
        code = f"""source {script}; COMP_LINE='{line}'; COMP_POINT={len(line)}; _matchwise; echo "${{COMPREPLY[@]}}" """
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True, env=environment)
        return done.stdout.split()

    assert complete("matchwise sc") == ["score", "schema"]
    assert complete("matchwise score coref --option singletons=k") == ["keep"]


def test_check_says_that_there_are_more_errors_than_it_lists(run, write) -> None:
    gold = write("gold.jsonl", [{"id": n, "count": 1} for n in range(30)])
    system = write("run.jsonl", [{"id": n, "count": "1"} for n in range(30)])
    lines = run("check", "documents", system, "-r", gold).out.splitlines()
    assert lines[0].startswith(f"{system}: more than 20 errors in the first 21 documents")
    assert lines[1:] == [f'  {system}:{n}: count: "1" is not an integer' for n in range(1, 21)]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("NER", "no task 'NER'; did you mean 'ner'?"),
        ("seqeval", "'seqeval' is a preset of ner; write ner --preset seqeval"),
        ("SeqEval", "'SeqEval' is a preset of ner; write ner --preset seqeval"),
    ],
)
def test_a_task_in_capitals_and_the_name_of_a_scorer_say_what_to_type(run, word, said) -> None:
    ran = run("score", word, "a.conll", "-r", "gold.conll")
    assert (ran.code, ran.err) == (2, f"matchwise: error: {said}\n")


def test_a_screen_is_drawn_on_document_by_document(monkeypatch, run, system, gold) -> None:
    monkeypatch.setattr("matchwise.cli.commands.align.is_screen", lambda: True)
    drawn = run("align", "--metric", METRIC, system, "-r", gold).out
    assert [line.split()[0] for line in drawn.splitlines() if " rel " in line] == ["d1", "d2", "d3"]


TYPES = ("--metric", 'f1("relations", eq("type"))')


def test_a_document_that_lacks_or_invents_something_is_wrong_in_every_format(run, write) -> None:
    gold, system = (
        write(
            f"{name}.jsonl", [{"id": id, "relations": [{"type": one} for one in types]} for id, types in said.items()]
        )
        for name, said in (("gold", {"a": "xy", "b": "x", "c": "z"}), ("run", {"a": "x", "b": "x", "c": "zq"}))
    )
    ran = run("align", *TYPES, system, "-r", gold, "--wrong", "--format", "jsonl")
    assert [json.loads(line)["document"] for line in ran.out.splitlines()] == ["a", "c"]
    ran = run("align", *TYPES, system, "-r", gold, "--wrong")
    assert [line for line in ran.out.splitlines() if "score" in line] == [
        "a   score 0.6667   1 missed, 1 right",
        "c   score 0.6667   1 spurious, 1 right",
    ]


def test_of_many_documents_that_cannot_be_read_five_are_named(run, write) -> None:
    gold = write("gold.jsonl", [{"id": n, "relations": []} for n in range(7)])
    system = write("run.jsonl", [{"id": 0, "relations": []}, *({"id": n, "relations": 3} for n in range(1, 7))])
    for command in ("align", "errors", "score"):
        ran = run(command, *TYPES, system, "-r", gold, "--on-error", "skip")
        named = [line for line in ran.err.splitlines() if "expected a collection" in line]
        assert [line.split(": ")[2] for line in named] == [f"{system}:{n}" for n in range(2, 7)]
        assert ran.err.splitlines()[-1] == "matchwise: exit code 4: 6 documents that could not be scored"
        assert all(line in run(command, *TYPES, system, "-r", gold, "--on-error", "skip", "-q").err for line in named)


def test_a_prediction_that_cannot_be_read_is_said_of_the_predictions(run, write) -> None:
    gold = write("gold.jsonl", [{"id": id, "relations": [{"type": "x"}]} for id in "ab"])
    system = write("run.jsonl", b'{"id": "a", "relations": []}\n{"id": "b", "relations": [\n')
    for command in ("align", "errors"):
        ran = run(command, *TYPES, system, "-r", gold, "--on-error", "empty")
        assert f"{system}: 1 prediction could not be read, counted as empty; the first: {system}:2: " in ran.err
        assert ran.code == 0


def test_files_of_a_task_may_be_paired_by_position(run, write) -> None:
    file = write("a.conll", "Ann B-PER\nleft O\n\nBob B-PER\n")
    assert run("score", "ner", file, "-r", file, "--id", "none", "--score-only").out == "1.0000\n"

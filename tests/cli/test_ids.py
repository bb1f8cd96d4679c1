"""Which key holds the ids of each side, what is said where ids do not meet, and folders with a file per document."""

import json

import pytest

import matchwise as mw

GOLD = [{"id": f"r{number}", "n": number, "m": 0} for number in range(5)]
BATCH = [
    {
        "id": f"batch_{number}",
        "custom_id": f"r{number}",
        "response": {"body": {"choices": [{"message": {"content": json.dumps({"n": number, "m": 1})}}]}},
    }
    for number in range(5)
]
TEXT = ("--text", "response.body.choices.0.message.content")
COUNTS = {"matched": 5, "predicted": 10, "reference": 10}


def counts(ran) -> dict[str, float]:
    found: dict[str, float] = ran.json["systems"][0]["metrics"]["score"]["counts"]
    return found


@pytest.mark.parametrize("more", [(), ("--jobs", "2")])
def test_the_references_may_have_their_ids_under_another_key(run, write, more) -> None:
    words = ("score", "documents", write("batch.jsonl", BATCH[::-1]), "-r", write("gold.jsonl", GOLD))
    options = (*TEXT, "--id", "custom_id", "--ref-id", "id", "--format", "json")
    ran = run(*words, *options, *more)
    assert (ran.code, ran.err, counts(ran)) == (0, "", COUNTS)


def test_ids_that_a_type_declares_are_not_compared_on_either_side(run, write) -> None:
    types = write(
        "types.py", "from typing import TypedDict\nclass T(TypedDict):\n    id: str\n    n: int\n    m: int\n"
    )
    preds = write("run.jsonl", [{"key": one["id"], "n": one["n"], "m": 1} for one in GOLD])
    words = ("score", preds, "-r", write("gold.jsonl", GOLD), "--type", f"{types}:T", "--id", "key", "--ref-id", "id")
    assert counts(run(*words, "--format", "json")) == COUNTS


def test_a_key_that_references_lack_is_named_with_its_option(run, write) -> None:
    words = ("score", "documents", write("batch.jsonl", BATCH), "-r", write("gold.jsonl", GOLD), *TEXT)
    said = "for the id; write --id KEY for another, or --ref-id KEY if only the references have another\n"
    for asked in (words, ("score", "--metric", 'f1("n")', *words[2:])):
        ran = run(*asked, "--id", "custom_id")
        assert ran.code == 3
        assert f"gold.jsonl:1: found no key 'custom_id' {said}" in ran.err
        ran = run(*asked, "--id", "custom_id", "--ref-id", "custom")
        assert "gold.jsonl:1: found no key 'custom' for the id; write --ref-id KEY for another\n" in ran.err


def test_ids_that_do_not_meet_are_shown_from_both_sides(run, write) -> None:
    batch, gold = write("batch.jsonl", BATCH), write("gold.jsonl", GOLD)
    ran = run("score", "documents", batch, "-r", gold, *TEXT)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == (
        f"matchwise: error: {batch}:1: no reference has the ids 'batch_0', 'batch_1', 'batch_2' and 2 more; "
        "no prediction has the ids 'r0', 'r1', 'r2' and 2 more; "
        "write --id KEY or --ref-id KEY if a side has its ids under another key\n"
    )


def test_ids_that_do_not_meet_in_part_are_shown_from_both_sides_too(run, write) -> None:
    preds = write("run.jsonl", [*GOLD[:4], {"id": "r-4", "n": 4, "m": 0}])
    ran = run("score", "documents", preds, "-r", write("gold.jsonl", GOLD))
    assert ran.code == 3
    assert ran.err.endswith(
        ":5: no reference has the id 'r-4'; take it out, or write --on-error skip; no prediction has the id 'r4'\n"
    )


def test_ids_that_do_not_meet_can_be_left_out_though_none_is_left(run, write) -> None:
    preds, gold = write("run.jsonl", [{"id": "x", "n": 4, "m": 0}]), write("gold.jsonl", GOLD)
    ran = run("score", "documents", preds, "-r", gold, "--on-error", "skip", "--format", "json")
    assert ran.code == 4
    [system] = ran.json["systems"]
    assert (len(system["missing"]), len(system["errors"])) == (len(GOLD), 1)


def test_a_format_without_ids_is_paired_by_position_on_request(run, write) -> None:
    tagged = write("run.conll", "Ann B-PER\n\n")
    gold = write("gold.jsonl", [{"id": "a", "tags": ["B-PER"]}])
    ran = run("score", "ner", tagged, "-r", gold)
    assert ran.code == 3
    assert "have none; write --id none to pair by position" in ran.err


def test_an_option_may_be_written_with_hyphens(run, write) -> None:
    tagged = write("run.conll", "Ann B-PER\n\n")
    words = ("score", "ner", tagged, "-r", tagged, "--preset", "nervaluate", "--format", "json", "--option")
    assert run(*words, "by-type=true") == run(*words, "by_type=true")
    assert run(*words, "by-type=true").code == 0


def test_documents_of_the_same_words_are_paired_without_ids(run, write) -> None:
    tagged = write("run.conll", "Ann B-PER\n\n")
    gold = write("gold.jsonl", [{"id": "a", "tokens": ["Ann"], "tags": ["B-PER"]}])
    assert run("score", "ner", tagged, "-r", gold).code == 0


def test_a_key_of_references_that_are_not_json_is_refused(run, write) -> None:
    tagged = write("gold.conll", "Ann B-PER\n\n")
    ran = run("score", "ner", tagged, "-r", tagged, "--ref-id", "doc")
    assert ran.code == 2
    assert "--ref-id names a key of JSON documents, but" in ran.err


@pytest.fixture
def folder(tmp_path):
    def make(name: str, documents: dict[str, object]) -> str:
        made = tmp_path / name
        made.mkdir()
        for stem, document in documents.items():
            (made / f"{stem}.json").write_text(document if isinstance(document, str) else json.dumps(document))
        return str(made)

    return make


def bare(document: dict[str, object], **more: object) -> dict[str, object]:
    return {key: value for key, value in document.items() if key != "id"} | more


RUN = {one["id"]: bare(one, m=1) for one in GOLD}


@pytest.mark.parametrize("named", [False, True])
def test_two_folders_are_paired_by_file_names(run, folder, named) -> None:
    gold = folder("gold", {one["id"]: {**one, "id": one["n"]} if named else bare(one) for one in GOLD})
    preds = {stem: document for stem, document in RUN.items() if stem != "r1"} | {"r2": "Sorry."}
    ran = run("score", "documents", folder("run", preds), "-r", gold, "--format", "json")
    [system] = ran.json["systems"]
    assert (ran.code, system["missing"], [one["document"] for one in system["unreadable"]]) == (4, ["r1"], ["r2"])
    assert counts(ran) == {"matched": 3, "predicted": 6, "reference": 10}


def test_a_folder_with_one_file_is_a_folder(run, folder) -> None:
    gold = folder("gold", {one["id"]: bare(one) for one in GOLD})
    ran = run("score", "documents", folder("run", {"r3": RUN["r3"]}), "-r", gold, "--format", "json")
    assert ran.json["systems"][0]["missing"] == ["r0", "r1", "r2", "r4"]
    assert counts(ran) == {"matched": 1, "predicted": 2, "reference": 10}


def test_the_names_of_files_are_ids_beside_a_file_that_has_ids(run, write, folder) -> None:
    words = ("score", "documents", folder("run", RUN), "-r", write("gold.jsonl", GOLD[::-1]), "--format", "json")
    ran = run(*words)
    assert (ran.code, counts(ran)) == (0, COUNTS)
    assert run(*words[:3], "-r", f"{words[2]}/../run", "--format", "json").code == 0


def test_ids_of_both_sides_come_before_the_names_of_files(run, folder) -> None:
    preds = folder("run", {f"part-{number}": one for number, one in enumerate(GOLD)})
    gold = folder("gold", {f"part-{number}": one for number, one in enumerate(GOLD[::-1])})
    ran = run("score", "documents", preds, "-r", gold, "--format", "json")
    assert counts(ran) == {"matched": 10, "predicted": 10, "reference": 10}


def test_a_file_without_a_legible_id_goes_by_its_name(run, folder) -> None:
    gold = folder("gold", {one["id"]: one for one in GOLD})
    preds = folder("run", {one["id"]: one for one in GOLD} | {"r2": "Sorry."})
    ran = run("score", "documents", preds, "-r", gold, "--format", "json")
    [system] = ran.json["systems"]
    assert (ran.code, system["missing"], [one["document"] for one in system["unreadable"]]) == (0, [], ["r2"])
    assert "\nrefused" in run("errors", "documents", preds, "-r", gold).out


def test_shards_that_are_lists_are_paired_by_position(run, folder) -> None:
    parts = [bare(one) for one in GOLD]
    preds, gold = folder("run", {"a": parts[:3], "b": parts[3:]}), folder("gold", {"x": parts[:2], "y": parts[2:]})
    ran = run("score", "documents", preds, "-r", gold, "--format", "json")
    assert (ran.code, counts(ran)) == (0, {"matched": 10, "predicted": 10, "reference": 10})


def test_a_pattern_names_documents_by_their_paths_below_it(run, folder, tmp_path) -> None:
    for side, m in (("run", 1), ("gold", 0)):
        (tmp_path / side).mkdir()
        for one in GOLD[::-1] if m else GOLD:
            folder(f"{side}/{one['id']}", {"receipt": bare(one, m=m)})
    ran = run("score", "documents", tmp_path / "run/*/*.json", "-r", tmp_path / "gold/*/*.json", "--per-document")
    assert ran.code == 0
    assert "r3/receipt  score" in ran.out
    assert "5 documents\n" in ran.out


def test_documents_of_files_are_warned_of_once(run, folder) -> None:
    preds = {stem: {"output": f"Here: {json.dumps(document)}"} for stem, document in RUN.items()}
    gold = folder("gold", {one["id"]: bare(one) for one in GOLD})
    words = ("score", "--metric", 'f1("n", eq())', folder("run", preds), "-r", gold, "--text", "output")
    assert "output: JSON after other text (5 times)" in run(*words, "--on-error", "skip", "--verbose").err


def test_every_command_names_documents_of_folders_by_their_files(run, folder) -> None:
    gold = folder("gold", {one["id"]: bare(one) for one in GOLD})
    lacking = folder("run", {stem: document for stem, document in RUN.items() if stem != "r1"})
    both = (lacking, "-r", gold)
    checked = run("check", "documents", *both, "--format", "json")
    assert checked.json["files"][0]["missing"] == ["r1"]
    merged = run("consensus", "documents", gold, lacking)
    assert (merged.code, [json.loads(line)["id"] for line in merged.out.splitlines()]) == (4, [*RUN])
    several = run("score", "documents", *both, "-r", gold, "--references", "any", "--format", "json")
    assert several.json["systems"][0]["missing"] == ["r1"]
    whole = folder("whole", RUN)
    assert run("agreement", "documents", gold, whole).code == 0
    assert "r3" in run("nearest", "documents", gold, whole).out


def test_a_key_of_the_same_name_deeper_in_the_document_is_not_its_id(run, write) -> None:
    gold = write("gold.jsonl", [{"key": "a", "xs": [1]}, {"key": "b", "xs": [2]}])
    system = write("run.jsonl", [{"key": "a", "xs": [1]}, {"xs": [{"key": "b"}]}])
    ran = run("score", "documents", system, "-r", gold, "--id", "key")
    assert (ran.code, ran.err) == (
        4,
        f"matchwise: {system}: 1 without prediction, counted as empty: b\n"
        f"matchwise: error: {system}:2: found no key 'key' for the id; write --id KEY for another\n"
        "matchwise: exit code 4: 1 document without prediction and 1 document that could not be scored\n",
    )


def test_a_document_whose_id_is_0_is_named_by_it_wherever_it_stands(run, write) -> None:
    path = write("a.jsonl", [{"id": 5, "xs": ["a"]}, {"id": 0, "xs": ["b"]}])
    ran = run("align", "--metric", 'f1("xs")', path, "-r", path, "--document", "0", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    assert [one["document"] for one in ran.json] == [0]


def test_a_long_id_is_cut_in_messages(run, write) -> None:
    long, cut = "x" * 5000, "x" * 56
    preds, refs = write("run.jsonl", [{"id": long, "xs": []}]), write("gold.jsonl", [{"id": "b", "xs": []}])
    ran = run("score", "--metric", 'f1("xs")', preds, "-r", refs)
    assert ran.err == (
        f"matchwise: error: {preds}:1: no reference has the id '{cut}...; no prediction has the id 'b'; "
        "write --id KEY or --ref-id KEY if a side has its ids under another key\n"
    )
    twice = write("twice.jsonl", [{"id": long, "xs": []}] * 2)
    assert f"found the id '{cut}... a second time" in run("score", "--metric", 'f1("xs")', twice, "-r", twice).err
    assert str(mw.DataError("wrong", document=long)) == f"document {'x' * 57}...: wrong"


def test_several_missing_predictions_are_named_in_the_plural() -> None:
    with pytest.raises(
        mw.DataError, match=r"^found no prediction for documents '1', '2'; write .* to count them as empty$"
    ):
        mw.evaluate(mw.f1("xs"), {"3": {"xs": []}}, {"1": {"xs": []}, "2": {"xs": []}, "3": {"xs": []}})


@pytest.mark.parametrize("option", ["--by", "--only", "--id", "--preset"])
def test_an_option_that_is_empty_is_refused(run, write, option) -> None:
    file = write("a.jsonl", [{"id": "a", "items": []}])
    ran = run("score", "sets", file, "-r", file, option, "")
    said = f"{option} is empty; leave it out, or look whether a variable of your shell is"
    assert (ran.code, ran.err) == (2, f"matchwise score: error: {said}\nsee matchwise score --help\n")


def test_only_without_a_name_lists_the_metrics(run, write) -> None:
    file = write("a.jsonl", [{"id": "a", "items": []}])
    ran = run("score", "sets", file, "-r", file, "--only", " , ")
    assert (ran.code, ran.err) == (2, "matchwise: error: --only names no metric; there are exact, f1, jaccard\n")


def test_two_systems_do_not_have_one_name(run, write) -> None:
    one, two = write("one.jsonl", [{"id": "a", "xs": []}]), write("two.jsonl", [{"id": "b", "xs": []}])
    ran = run("score", "--metric", 'f1("xs")', f"x={one}", f"x={two}", "-r", one, "--fail-missing", "0")
    said = f"x is the name of {one} and of {two}; give each system its own name"
    assert (ran.code, ran.err) == (2, f"matchwise: error: {said}\n")


def test_clusters_without_intervals_are_refused(run, write) -> None:
    one = write("one.jsonl", [{"id": "a", "xs": []}])
    ran = run("score", "--metric", 'f1("xs")', one, "-r", one, "--clusters", one)
    assert (ran.code, ran.err) == (2, "matchwise: error: --clusters is for intervals; write --ci, too\n")


def test_a_table_that_cannot_be_saved_is_refused_before_anything_is_scored(run, write) -> None:
    one = write("one.jsonl", [{"id": "a", "xs": []}])
    ran = run("score", "--metric", 'f1("xs")', one, "-r", one, "--save-table", one)
    said = f"{one} is not a score table, and it is not overwritten; name another file, or delete it"
    assert (ran.code, ran.out, ran.err) == (2, "", f"matchwise: error: {said}\n")


def test_no_share_is_above_all_documents(run, write) -> None:
    one = write("one.jsonl", [{"id": "a", "xs": []}])
    ran = run("score", "--metric", 'f1("xs")', one, "-r", one, "--fail-missing", "101%")
    said = "argument --fail-missing: '101%'; write a number of documents, as in 3, or a share of them, as in 5%"
    assert (ran.code, ran.err) == (2, f"matchwise score: error: {said}\nsee matchwise score --help\n")

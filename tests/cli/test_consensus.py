"""`matchwise consensus`: readings of the same documents are joined, merged and written."""

import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"
METRIC = ("--metric", 'normalize(eq("number") + overlap("tags"), "f1")')
READINGS = (
    [{"id": "a", "number": 1, "tags": ["x"]}, {"id": "b", "number": 5, "tags": []}],
    [{"id": "b", "number": 5, "tags": ["z"]}, {"id": "a", "number": 2, "tags": ["x", "y"]}],
    [{"id": "a", "number": 1, "tags": ["q", "y"]}, {"id": "b", "number": 5, "tags": ["z"]}],
)


@pytest.fixture
def files(write) -> list[str]:
    return [write(f"run{number}.jsonl", rows) for number, rows in enumerate(READINGS)]


def rows(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_readings_are_joined_by_id_and_merged(run, files) -> None:
    ran = run("consensus", *METRIC, *files)
    assert ran.code == 0
    assert rows(ran.out) == [{"id": "a", "number": 1, "tags": ["y", "x"]}, {"id": "b", "number": 5, "tags": ["z"]}]
    merged, best = (0.8 + 2 / 3 + 2 / 3) / 3, (1 + 0.4 + 0.4) / 3  # of the first document
    other = (2 / 3 + 1 + 1) / 3
    scores = f"{(merged + other) / 2:.4f} (the best readings: {(best + other) / 2:.4f})"
    assert ran.err == f"matchwise: 2 documents, 1 merged, 2 proved to be the optimum: mean expected score {scores}\n"


def test_a_document_keeps_the_order_of_its_keys(run, write) -> None:
    files = [write(f"{name}.jsonl", '{"number": 1, "id": "a", "tags": []}\n') for name in ("one", "two")]
    ran = run("consensus", *METRIC, *files)
    assert ran.out == '{"number": 1, "id": "a", "tags": []}\n'
    assert ran.err.startswith("matchwise: 1 document, 0 merged, 1 proved to be the optimum")


def test_the_best_reading_is_chosen_on_request(run, files) -> None:
    ran = run("consensus", *METRIC, *files, "--choose", "best")
    assert rows(ran.out) == [READINGS[0][0], READINGS[1][0]]
    assert "2 documents, 0 merged" in ran.err


def test_files_are_written_whole_with_the_support_of_parts(run, files, tmp_path) -> None:
    merged, votes = tmp_path / "merged.jsonl", tmp_path / "votes.jsonl"
    ran = run("consensus", *METRIC, *files, "-o", merged, "--support", votes, "--threshold", "0.5")
    assert (ran.code, ran.out) == (0, "")
    assert len(rows(merged.read_text())) == 2
    first, _ = rows(votes.read_text())
    assert (first["document"], first["kind"], first["threshold"]) == ("a", "merged", 0.5)
    parts = ("number", "tags[0]", "tags[1]")
    assert [first["support"][path] for path in parts] == pytest.approx([2 / 3] * 3)


def test_a_document_that_a_file_lacks_is_voted_on_by_the_others(run, files, write) -> None:
    ran = run("consensus", *METRIC, *files[:2], write("short.jsonl", READINGS[2][:1]))
    assert ran.code == 4
    assert len(rows(ran.out)) == 2
    assert ran.err.endswith("; not in all files: 1\nmatchwise: exit code 4: 1 document not in all files\n")


def test_documents_of_a_class_get_their_id_back(run, write) -> None:
    models = write("models.py", "from dataclasses import dataclass\n\n\n@dataclass\nclass Shop:\n    tags: list[str]\n")
    files = [write(f"{tag}.jsonl", [{"id": "s", "tags": ["x", tag]}]) for tag in "abb"]
    ran = run("consensus", "--type", f"{models}:Shop", *files)
    assert rows(ran.out) == [{"id": "s", "tags": ["x", "b"]}]


def test_a_form_reads_what_the_model_wrote(run, write) -> None:
    schema = write("shop.json", json.dumps({"type": "object", "properties": {"n": {"type": "integer"}}}))
    files = [write(f"run{number}.jsonl", [{"id": "s", "n": number // 2}]) for number in range(3)]
    ran = run("consensus", "documents", "--schema", schema, *files)
    assert rows(ran.out) == [{"id": "s", "n": 0}]


def test_graphs_are_merged_under_one_naming(run, write) -> None:
    texts = ("(a / cat :mod (b / big))", "(x / cat :mod (y / big))", "(u / dog :mod (v / big))")
    files = [write(f"run{number}.amr", f"# ::id g\n{text}\n") for number, text in enumerate(texts)]
    [found] = rows(run("consensus", "amr", *files).out)
    assert found["id"] == "g"
    assert ["instance", "a", "cat"] in found["props"]


def test_one_file_has_no_consensus(run, files) -> None:
    ran = run("consensus", *METRIC, files[0])
    assert (ran.code, ran.err) == (2, "matchwise: error: consensus needs two or more files of readings, not 1\n")


def test_the_file_of_a_wrong_document_is_named(run, files, write) -> None:
    wrong = write("wrong.jsonl", [{"id": "a", "tags": None}, {"id": "b", "tags": []}])
    ran = run("consensus", "--metric", 'f1("tags")', files[0], wrong)
    assert ran.code == 3
    assert ran.err.startswith(f"matchwise: error: {wrong}: document a: tags: found None, expected a collection")


def test_nothing_is_written_when_a_file_is_wrong(run, files, write, tmp_path) -> None:
    output = Path(tmp_path / "merged.jsonl")
    wrong = write("wrong.jsonl", [READINGS[0][0], {"id": "b", "number": 5, "tags": 7}])
    assert run("consensus", *METRIC, files[0], wrong, "-o", output).code == 3
    assert not output.exists()


def test_a_document_that_is_paired_by_position_gets_no_id(run, write) -> None:
    files = [write(f"{name}.jsonl", '{"doc_key": "d", "clusters": [[[0, 1], [3, 3]]]}\n') for name in "ab"]
    [named] = rows(run("consensus", "coref", *files, "--only", "b3").out)
    [bare] = rows(run("consensus", "coref", *files, "--only", "b3", "--id", "none").out)
    assert (list(named), list(bare)) == (["id", "entities"], ["entities"])


def test_treebanks_which_are_paired_by_their_text_have_a_consensus(run) -> None:
    files = [str(EXAMPLES / f"dependencies_{name}.conllu") for name in ("gold", "system")]
    ran = run("consensus", "dependencies", *files, "--only", "las", "--choose", "best")
    assert (ran.code, ran.err.partition(":")[0]) == (0, "matchwise")


@pytest.mark.parametrize(
    ("first", "other", "problem"),
    [
        ("ab", "abc", "b.jsonl:3: a.jsonl does not have the id 'c'; take it out, or name first a file that has all"),
        ("ab", "xy", "b.jsonl:1: a.jsonl does not have the ids 'x', 'y'; it has 'a', 'b'; write --id none to pair by"),
        ("ab", None, "the documents of a.jsonl have ids, but the documents of b.jsonl have none; write --id none to"),
        ("", "", "a.jsonl: found no documents"),
    ],
)
def test_what_is_said_of_ids_that_do_not_meet_is_about_readings(
    run, write, monkeypatch, tmp_path, first, other, problem
):
    monkeypatch.chdir(tmp_path)
    for name, ids in (("a.jsonl", first), ("b.jsonl", other)):
        write(name, [{"tags": []}] if ids is None else [{"id": id, "tags": []} for id in ids])
    ran = run("consensus", "--metric", 'f1("tags")', "a.jsonl", "b.jsonl")
    assert (ran.code, problem in ran.err) == (3, True)


def test_an_empty_file_beside_documents_without_ids_gives_them_none(run, write) -> None:
    ran = run("consensus", "--metric", 'f1("tags")', write("a.jsonl", [{"tags": [1]}]), write("b.jsonl", ""))
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.endswith("b.jsonl: found no documents\n")

"""`matchwise matrix` and `matchwise nearest`: one or two files, every format, and what is said of mistakes."""

import csv
import io
import json

import numpy as np
import pytest

SHOPS = [{"id": "a", "tags": ["x", "y"]}, {"id": "b", "tags": ["x"]}, {"id": "c", "tags": ["z"]}]
METRIC = ("--metric", 'f1("tags")')
VALUES = [[1, 2 / 3, 0], [2 / 3, 1, 0], [0, 0, 1]]


@pytest.fixture
def shops(write) -> str:
    return write("shops.jsonl", SHOPS)


def test_text_is_a_table(run, shops) -> None:
    assert run("matrix", *METRIC, shops).out == (
        "        a       b       c\na  1.0000  0.6667  0.0000\nb  0.6667  1.0000  0.0000\nc  0.0000  0.0000  1.0000\n"
    )


def test_the_shape_of_documents_is_inferred_from_the_file(run, shops) -> None:
    assert run("matrix", "documents", shops, "--format", "json").json["values"] == VALUES


def test_an_empty_file_has_no_shape(run, write) -> None:
    found = run("matrix", "documents", write("empty.jsonl", []))
    assert found.code == 3
    assert found.err == "matchwise: error: found no documents to infer a schema from; give at least one\n"


def test_every_format_has_the_same_values(run, shops, tmp_path) -> None:
    found = run("matrix", *METRIC, shops, "--format", "json").json
    assert found == {"rows": ["a", "b", "c"], "columns": ["a", "b", "c"], "values": VALUES}
    table = list(csv.reader(io.StringIO(run("matrix", *METRIC, shops, "--format", "csv").out)))
    assert table[0] == ["", "a", "b", "c"]
    assert [[float(cell) for cell in row[1:]] for row in table[1:]] == VALUES
    rows = [json.loads(line) for line in run("matrix", *METRIC, shops, "--format", "jsonl").out.splitlines()]
    assert {(row["row"], row["column"]): row["value"] for row in rows} == {
        ("a", "a"): 1, ("a", "b"): 2 / 3, ("b", "a"): 2 / 3, ("b", "b"): 1, ("c", "c"): 1,
    }  # fmt: skip
    assert run("matrix", *METRIC, shops, "--format", "npy", "-o", tmp_path / "m.npy").code == 0
    assert np.load(tmp_path / "m.npy").tolist() == VALUES


def test_two_files_are_compared_with_each_other(run, shops, write) -> None:
    other = write("other.jsonl", [{"id": "n", "tags": ["x"]}])
    found = run("matrix", *METRIC, shops, other, "--distance", "--format", "json").json
    assert found == {"rows": ["a", "b", "c"], "columns": ["n"], "values": [[1 - 2 / 3], [0], [1]]}


def test_what_is_no_kernel_is_refused(run, shops) -> None:
    ran = run("matrix", "--metric", 'f1("tags", edit())', shops, "--kernel")
    assert ran.code == 2
    assert "is not known to be a kernel" in ran.err


def test_an_array_needs_a_file(run, shops) -> None:
    ran = run("matrix", *METRIC, shops, "--format", "npy")
    assert (ran.code, ran.err) == (2, "matchwise: error: --format npy is a file of numbers; write -o FILE.npy\n")


def test_three_files_are_too_many_and_none_too_few(run, shops) -> None:
    for words, number in (((*METRIC, shops, shops, shops), 3), (("ner",), 0)):
        ran = run("matrix", *words)
        assert ran.code == 2
        assert f"matrix compares the documents of one or two files, not {number}" in ran.err


def test_a_wrong_document_is_named_by_its_line(run, write) -> None:
    path = write("wrong.jsonl", [*SHOPS, {"id": "d", "tags": 7}])
    ran = run("matrix", *METRIC, path)
    assert ran.code == 3
    assert ran.err.startswith(f"matchwise: error: {path}:4: tags: found int 7, expected a collection")


def test_a_wrong_document_of_the_second_file_is_named_by_its_line(run, shops, write) -> None:
    path = write("wrong.jsonl", [{"id": "d", "tags": 7}])
    for command in ("matrix", "nearest"):
        ran = run(command, *METRIC, shops, path)
        assert ran.code == 3
        assert ran.err.startswith(f"matchwise: error: {path}:1: tags: found int 7, expected a collection")


def test_neighbours_are_named_with_their_scores(run, shops) -> None:
    assert run("nearest", *METRIC, shops).out == "a: b (0.6667)\nb: a (0.6667)\nc: nothing is similar\n"
    rows = run("nearest", *METRIC, shops, "--threshold", "0.7", "--format", "json").json
    assert rows == [{"document": name, "nearest": []} for name in "abc"]


def test_neighbours_of_another_file(run, shops, write) -> None:
    other = write("new.jsonl", [{"id": "n", "tags": ["x", "y", "z"]}])
    [row] = run("nearest", *METRIC, other, shops, "-k", "2", "--format", "json").json
    assert [one["document"] for one in row["nearest"]] == ["a", "b"]


@pytest.mark.parametrize("command", ["matrix", "nearest", "duplicates", "agreement"])
def test_a_file_without_documents_is_an_error(run, write, command) -> None:
    files = (write("a.jsonl", "\n"), *([write("b.jsonl", [{"xs": [1]}])] if command != "duplicates" else []))
    more = ("--threshold", "0.5") if command == "duplicates" else ()
    ran = run(command, "--metric", 'f1("xs")', *files, *more)
    assert (ran.code, ran.out, ran.err) == (3, "", f"matchwise: error: {files[0]}: found no documents\n")

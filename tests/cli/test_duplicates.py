"""`matchwise duplicates`: pairs and clusters of a file, in every format, and what is said of mistakes."""

import csv
import io
import json

SHOPS = [
    {"id": "a", "tags": ["x", "y"]},
    {"id": "b", "tags": ["y", "x"]},
    {"id": "c", "tags": ["z"]},
    {"id": "d", "tags": ["x", "y", "z"]},
]
METRIC = ("--metric", 'f1("tags")')


def test_pairs_come_with_their_scores_and_clusters(run, write) -> None:
    ran = run("duplicates", *METRIC, write("shops.jsonl", SHOPS), "--threshold", "0.8")
    assert ran.code == 0
    assert ran.out == (
        "4 objects: 3 pairs at 0.8 or above, in 1 cluster; 3 of 6 pairs compared\n\n"
        "1.0000  a  b\n0.8000  a  d\n0.8000  b  d\n\ncluster 1: a, b, d\n"
    )


def test_json_has_names_for_places(run, write) -> None:
    found = run("duplicates", *METRIC, write("shops.jsonl", SHOPS), "--threshold", "0.9", "--format", "json").json
    assert found == {
        "objects": 4,
        "threshold": 0.9,
        "compared": 1,
        "clusters": [["a", "b"]],
        "pairs": [{"first": "a", "second": "b", "score": 1.0}],
    }


def test_csv_and_json_lines_have_a_row_for_each_pair(run, write) -> None:
    path = write("shops.jsonl", SHOPS)
    rows = run("duplicates", *METRIC, path, "--threshold", "0.8", "--format", "jsonl").out.splitlines()
    table = run("duplicates", *METRIC, path, "--threshold", "0.8", "--format", "csv").out
    expected = [json.loads(row) for row in rows]
    assert len(expected) == 3
    found = csv.DictReader(io.StringIO(table))
    assert [{**row, "score": float(row["score"])} for row in found] == expected


def test_documents_without_ids_of_their_own_are_called_by_their_lines(run, write) -> None:
    path = write("shops.jsonl", [{"id": "a", "tags": ["x"]}, {"id": "a", "tags": ["x"]}])
    row = json.loads(run("duplicates", *METRIC, path, "--threshold", "1", "--format", "jsonl").out)
    assert row == {"first": f"{path}:1", "second": f"{path}:2", "score": 1.0}


def test_standard_input_is_read(run) -> None:
    data = "".join(json.dumps(shop) + "\n" for shop in SHOPS).encode()
    assert "1.0000  a  b" in run("duplicates", *METRIC, "-", "--threshold", "0.9", stdin=data).out


def test_a_task_prepares_its_documents(run, write) -> None:
    text = "# ::id g1\n(x / cat :mod (y / big))\n\n# ::id g2\n(a / Cat :mod (b / big))\n\n# ::id g3\n(a / dog)\n"
    ran = run("duplicates", "amr", write("graphs.amr", text), "--threshold", "0.9", "--format", "jsonl")
    assert [json.loads(row) for row in ran.out.splitlines()] == [{"first": "g1", "second": "g2", "score": 1.0}]


def test_of_several_metrics_one_has_to_be_chosen(run, write) -> None:
    path = write("run.jsonl", SHOPS)
    ran = run("duplicates", "--metric", 'a=f1("tags")', "--metric", 'b=jaccard("tags")', path, "--threshold", "0.9")
    assert ran.code == 2
    assert ran.err == "matchwise: error: duplicates needs one metric, not a, b; write --only a\n"


def test_a_document_that_cannot_be_compared_is_named_by_its_line(run, write) -> None:
    path = write("shops.jsonl", [*SHOPS, {"id": "e", "tags": None}])
    ran = run("duplicates", *METRIC, path, "--threshold", "0.9")
    assert ran.code == 3
    assert ran.err.startswith(f"matchwise: error: {path}:5: tags: found None, expected a collection")


def test_a_threshold_is_a_number_above_zero(run, write) -> None:
    ran = run("duplicates", *METRIC, write("shops.jsonl", SHOPS), "--threshold", "0")
    assert ran.code == 2
    assert "'0' is not a similarity above 0; write a number such as 0.9" in ran.err


def test_one_file_is_looked_at(run, write) -> None:
    path = write("shops.jsonl", SHOPS)
    ran = run("duplicates", *METRIC, path, path, "--threshold", "0.9")
    assert ran.code == 2
    assert "duplicates takes one file of documents, not 2" in ran.err

"""`matchwise curve` on files."""

import pytest

METRIC = 'xs=f1("xs", eq("name"))'
GOLD = [{"id": 1, "xs": [{"name": "a"}, {"name": "b"}]}, {"id": 2, "xs": [{"name": "c"}]}]
RUN = [
    {"id": 2, "xs": [{"name": "c", "p": 0.5}]},
    {"id": 1, "xs": [{"name": "a", "p": 0.9}, {"name": "x", "p": 0.7}, {"name": "b", "p": 0.7}]},
]


@pytest.fixture
def files(write):
    return write("run.jsonl", RUN), "-r", write("gold.jsonl", GOLD), "--confidence", "p"


def test_the_curve_is_that_of_python(run, files) -> None:
    import matchwise as mw
    from matchwise import eq, f1

    ran = run(
        "curve",
        "--metric",
        METRIC,
        *files,
        "--format",
        "json",
        "--at",
        "1,2",
        "--risk",
        "--calibration",
        "--by",
        "name",
    )
    assert (ran.code, ran.err) == (0, "")
    found = mw.curve(f1("xs", eq("name")), RUN[::-1], GOLD, confidence="p")
    assert ran.json["points"] == found.rows()
    assert ran.json["average_precision"] == found.average_precision
    assert ran.json["at"][1] == {
        "k": 2,
        "precision": found.precision_at(2),
        "recall": found.recall_at(2),
        "ndcg": found.ndcg(2),
    }
    assert ran.json["risk_coverage"] == found.risk_coverage().to_dict()
    assert ran.json["calibration"]["n"] == 4
    assert [row["label"] for row in ran.json["by"]] == ["a", "b", "c", "x"]
    assert ran.json["best"]["threshold"] == 0.5


def test_csv_has_every_point(run, files) -> None:
    ran = run("curve", "--metric", METRIC, *files, "--format", "csv", "--points", "1")
    assert ran.out.splitlines()[0] == "threshold,precision,recall,f1,matched,predicted"
    assert [line.split(",")[0] for line in ran.out.splitlines()[1:]] == ["0.9", "0.7", "0.5"]


def test_references_without_elements_have_no_recall(run, write) -> None:
    pred, gold = write("run.jsonl", [{"xs": [{"name": 1, "p": 1}]}]), write("gold.jsonl", [{"xs": []}])
    ran = run("curve", "--metric", METRIC, pred, "-r", gold, "--confidence", "p", "--format", "json")
    assert (ran.code, ran.json["ndcg"], ran.json["average_precision"]) == (0, None, 0.0)
    assert run("curve", "--metric", METRIC, pred, "-r", gold, "--confidence", "p").code == 0


def test_a_task_reads_its_elements_from_the_document(run, write) -> None:
    pred = write("run.jsonl", [{"id": 1, "mentions": [{"start": 0, "end": 2, "type": "PER", "score": 0.9}]}])
    gold = write("gold.jsonl", [{"id": 1, "mentions": [{"start": 0, "end": 2, "type": "PER"}]}])
    words = ("curve", "ner", pred, "-r", gold, "--input-format", "jsonl", "--confidence", "mentions[].score")
    ran = run(*words, "--only", "strict", "--format", "json")
    assert (ran.code, ran.err, ran.json["average_precision"]) == (0, "", 1.0)
    ran = run(*words)
    assert ran.code == 2
    assert "curve needs one metric, not strict, " in ran.err


def test_a_document_without_predictions_is_missing(run, write, files) -> None:
    less = write("less.jsonl", RUN[:1])
    ran = run("curve", "--metric", METRIC, less, *files[1:], "--format", "json")
    assert (ran.code, ran.json["points"][0]["recall"]) == (4, 1 / 3)
    assert "1 without prediction, counted as empty: 1" in ran.err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--confidence", "q"], 3, "run.jsonl:2: xs[0]: found dict"),
        (["--similarities", "2"], 2, "'2'; write numbers above 0 and up to 1, as in 0.5,0.75"),
        (["--at", "0"], 2, "'0' is not a whole number from 1"),
    ],
)
def test_what_is_wrong_is_named(words, code, message, run, files) -> None:
    ran = run("curve", "--metric", METRIC, *files, *words)
    assert (ran.code, message in ran.err) == (code, True), ran.err


def test_a_curve_of_pairs_has_no_ndcg(run, files) -> None:
    ran = run("curve", "--metric", 'f1("xs", eq("name"), match="N:N")', *files)
    assert (ran.code, ran.err) == (0, "")
    assert "  mean over documents    0.9167\n" in ran.out
    assert "nDCG" not in ran.out


@pytest.mark.parametrize(("assign", "recall"), [("optimal", 0.5625), ("greedy", 0.4)])
def test_elements_are_assigned_as_it_is_asked_for(run, write, assign, recall) -> None:
    run_file = write("run.jsonl", [{"xs": [{"at": [0, 10], "p": 0.9}, {"at": [0, 5], "p": 0.8}]}])
    gold = write("gold.jsonl", [{"xs": [{"at": [0, 8]}, {"at": [5, 10]}]}])  # 0.8 and 0.5; 0.625 and 0
    files = run_file, "-r", gold, "--confidence", "p", "--assign", assign
    found = run("curve", "--metric", 'f1("xs", iou("at"))', *files, "--format", "json").json
    assert found["points"][-1]["recall"] == pytest.approx(recall, abs=1e-12)

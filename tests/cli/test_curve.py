"""`matchwise curve` on files."""

import json
import shlex
from typing import Any

import pytest

import matchwise as mw

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


SURE = [0.9, 0.8, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2]
REFERENCES = [{"id": n, "xs": [{"k": "abcd", "t": "a"}, {"k": "efgh", "t": "b"}][: 1 + n % 2]} for n in range(14)]
ELEMENTS = [("abcd", "a"), ("abxy", "b"), ("efgh", "b")]


def predict(n: int) -> dict[str, Any]:
    elements = enumerate(ELEMENTS[: 1 + n % 3])
    return {
        "id": n,
        "sure": SURE[n % 8],
        "xs": [{"k": k, "t": t, "p": SURE[(3 * n + at) % 8]} for at, (k, t) in elements],
    }


PREDICTIONS = [predict(n) for n in range(14)]
EDITED = 'f1("xs", edit("k"))'


def test_every_option_of_a_curve_is_that_of_python(run, write) -> None:
    words = shlex.split("--by t --at 1,3 --beta 2 --similarities 0.5,1 --calibration --bins 3 --risk --assign greedy")
    drawn = shlex.split("--level 0.8 --resamples 200 --seed 3")
    files = (write("run.jsonl", PREDICTIONS), "-r", write("gold.jsonl", REFERENCES))
    made = run("curve", "--metric", EDITED, *files, "--confidence", "p", *words, *drawn, "--format", "json").json
    phi, how = mw.parse(EDITED), {"level": 0.8, "resamples": 200, "seed": 3}
    found = mw.curve(phi, PREDICTIONS, REFERENCES, confidence="p", by="t", assign="greedy")
    assert made["average_precision"] == found.average_precision
    assert made["best"] == found.best(2, **how).to_dict()
    assert made["at"] == [
        {"k": k, "precision": found.precision_at(k), "recall": found.recall_at(k), "ndcg": found.ndcg(k)}
        for k in (1, 3)
    ]
    assert [(row["label"], row["average_precision"], row["reference"]) for row in made["by"]] == [
        (label, one.average_precision, one.reference) for label, one in found.by.items()
    ]
    levels = mw.average_precision(phi, PREDICTIONS, REFERENCES, confidence="p", similarities=(0.5, 1))
    assert {row["similarity"]: row["average_precision"] for row in made["similarities"]} == levels
    assert made["risk_coverage"] == json.loads(json.dumps(found.risk_coverage().to_dict()))
    [judged] = mw.calibration(phi, PREDICTIONS, REFERENCES, confidence="p", bins=3, **how).values()
    greedy = made["calibration"]
    assert len(greedy["bins"]) == len(judged.bins) <= 3
    assert greedy["error_low"] < greedy["error"] < greedy["error_high"]
    others = [(), ("--level", "0.5"), ("--resamples", "300"), ("--seed", "4")]
    ends = set()
    for more in others:
        again = run(
            "curve", "--metric", EDITED, *files, "--confidence", "p", "--calibration", *drawn, *more, "--format", "json"
        )
        ends.add(
            (again.json["calibration"]["error_low"], again.json["best"]["threshold_low"], again.json["best"]["low"])
        )
    assert len(ends) == len(others)


def test_every_option_of_a_calibration_is_that_of_python(run, write) -> None:
    files = (write("run.jsonl", PREDICTIONS), "-r", write("gold.jsonl", REFERENCES))
    where = ("--confidence", "p", "--document", "sure")
    words = shlex.split("--bins 4 --bins-by mass --level 0.8 --resamples 200 --seed 3")
    made = run("calibrate", "--metric", EDITED, *files, *where, *words, "--format", "json").json
    phi, asked = mw.parse(EDITED), {"confidence": "p", "document": "sure"}
    options = {"bins": 4, "by": "mass", "level": 0.8, "resamples": 200, "seed": 3}
    found = mw.calibration(phi, PREDICTIONS, REFERENCES, **asked, **options)
    assert made["calibration"] == json.loads(json.dumps({name: one.to_dict() for name, one in found.items()}))
    risk = mw.risk_coverage(phi, PREDICTIONS, REFERENCES, confidence="sure")
    assert made["risk_coverage"] == json.loads(json.dumps(risk.to_dict()))
    for name, value in {"bins": 10, "by": "width", "level": 0.95, "resamples": 1000, "seed": 0}.items():
        other = mw.calibration(phi, PREDICTIONS, REFERENCES, **asked, **(options | {name: value}))
        assert other["elements"] != found["elements"]
        assert other["documents"] != found["documents"]

"""`matchwise calibrate` on files."""

import pytest

METRIC = 'xs=f1("xs", eq("name"))'
GOLD = [{"id": 1, "n": 1, "xs": [{"name": "a"}, {"name": "b"}]}, {"id": 2, "n": 2, "xs": [{"name": "c"}]}]
RUN = [
    {"id": 1, "n": 1, "sure": 0.5, "xs": [{"name": "a", "p": 0.9}, {"name": "x", "p": 0.7}, {"name": "b", "p": 0.7}]},
    {"id": 2, "n": 3, "sure": 0.8, "xs": [{"name": "c", "p": 0.5}]},
]


@pytest.fixture
def files(write):
    return write("run.jsonl", RUN), "-r", write("gold.jsonl", GOLD)


def test_fields_elements_and_documents_are_calibrated(run, files) -> None:
    words = ("calibrate", "--metric", METRIC, *files, "--bins", "1")
    ran = run(*words, "--field", "xs[].name=xs[].p", "--document", "sure", "--confidence", "p", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    found = {name: one["bins"][0] for name, one in ran.json["calibration"].items()}
    assert {name: (one["n"], one["credit"]) for name, one in found.items()} == {
        "elements": (4, 0.75),
        "documents": (2, 0.9),
        "xs[].name": (4, 0.75),
    }
    assert ran.json["risk_coverage"]["area"] == pytest.approx(0.05)
    assert "xs[].name\n" in run(*words, "--field", "xs[].name=xs[].p").out


def test_a_form_is_calibrated_by_what_stands_beside_it(run, files) -> None:
    ran = run("calibrate", "documents", *files, "--field", "n=sure", "--format", "json", "--bins", "1")
    assert (ran.code, ran.err) == (0, "")
    [whole] = ran.json["calibration"]["n"]["bins"]
    assert (whole["n"], whole["credit"], whole["confidence"]) == (2, 0.5, 0.65)


def test_documents_without_prediction_are_left_out(run, write, files) -> None:
    less = write("less.jsonl", RUN[:1])
    ran = run("calibrate", "--metric", METRIC, less, *files[1:], "--document", "sure", "--format", "json")
    assert (ran.code, ran.json["calibration"]["documents"]["n"]) == (4, 1)
    assert "1 without prediction, left out: 2" in ran.err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 2, "calibrate needs to know where the confidences are; write --field FIELD=CONFIDENCE"),
        (["--field", "total"], 2, "--field total: write FIELD=CONFIDENCE, as in total=confidence.total"),
        (["--field", "=sure"], 2, "--field =sure: write FIELD=CONFIDENCE, as in total=confidence.total"),
        (["--field", "total="], 2, "--field total=: write FIELD=CONFIDENCE, as in total=confidence.total"),
        (["--field", "total=sure"], 3, "no prediction has the field 'total'"),
        (["--field", "n=sure"], 3, "the metric compares no field 'n' with a reference; there are xs[].name"),
        (["--document", "q"], 3, "q"),
    ],
)
def test_what_is_wrong_is_named(words, code, message, run, files) -> None:
    ran = run("calibrate", "--metric", METRIC, *files, *words)
    assert (ran.code, message in ran.err) == (code, True), ran.err

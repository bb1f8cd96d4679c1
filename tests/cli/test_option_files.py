"""What is read of options of a suite: values, and files (DocRED's training facts, adjudications)."""

import json

import pytest

import matchwise as mw
from matchwise.cli.user import read_value

VERTICES = [[{"name": "Paris"}, {"name": "the city"}], [{"name": "France"}], [{"name": "Seine"}]]
DEV = [
    {
        "title": "A",
        "vertexSet": VERTICES,
        "labels": [
            {"h": 0, "t": 1, "r": "P17", "evidence": [0]},
            {"h": 0, "t": 2, "r": "P206", "evidence": [1, 2]},
            {"h": 2, "t": 1, "r": "P17", "evidence": [1]},
        ],
    }
]
SENT = [
    {"title": "A", "h_idx": 0, "t_idx": 1, "r": "P17", "evidence": [0]},
    {"title": "A", "h_idx": 0, "t_idx": 2, "r": "P206", "evidence": [1]},
    {"title": "A", "h_idx": 1, "t_idx": 2, "r": "P206"},
]
TRAIN = [{"title": "T", "vertexSet": VERTICES, "labels": [{"h": 0, "t": 1, "r": "P17", "evidence": []}]}]


@pytest.fixture
def docred(run, write):
    sent, dev = write("result.json", json.dumps(SENT)), write("dev.json", json.dumps(DEV))

    def command(*more: str, preset: str = "docred"):
        return run("score", "relations", sent, "-r", dev, "--preset", preset, *more)

    return command


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ign_f1_leaves_the_facts_of_a_training_file_out_of_precision(docred, write, jobs: str) -> None:
    train = write("train_annotated.json", json.dumps(TRAIN))
    ran = docred("--option", f"facts={train}", "--jobs", jobs, "--format", "json")
    ign = ran.json["systems"][0]["metrics"]["ign"]
    assert (ran.code, ign["precision"], ign["recall"]) == (0, 1 / 2, 2 / 3)
    assert "|facts:" in ran.json["signature"]


def test_without_facts_ign_is_f1_and_the_signature_says_so(docred) -> None:
    ran = docred("--format", "json")
    assert ran.json["systems"][0]["metrics"]["ign"]["f1"] == ran.json["systems"][0]["metrics"]["relations"]["f1"]
    assert ran.json["signature"].startswith("relations:docred|types:equal|facts:none|")


def test_categories_take_the_option_too(docred, write) -> None:
    train = write("train_annotated.json", json.dumps(TRAIN))
    assert docred("--option", f"facts={train}", "--categories").code == 0


@pytest.mark.parametrize(
    ("value", "code", "said"),
    [
        ("", 2, "facts=: expected the name of a file (standard input is for documents)"),
        ("-", 2, "facts=-: expected the name of a file (standard input is for documents)"),
        ("nothing.json", 3, "nothing.json: no such file"),
    ],
)
def test_a_file_that_is_none_is_an_error(docred, value: str, code: int, said: str) -> None:
    ran = docred("--option", f"facts={value}")
    assert (ran.code, said in ran.err) == (code, True)


def test_a_file_of_something_else_is_an_error_with_its_name(docred, write) -> None:
    ran = docred("--option", f"facts={write('result.json', json.dumps(SENT))}")
    assert ran.code == 3
    assert "result.json: found no facts, expected training documents with vertexSet and labels" in ran.err


def test_a_preset_without_the_option_says_which_has_it(docred, write) -> None:
    ran = docred("--option", f"facts={write('train.json', json.dumps(TRAIN))}", preset="paper")
    assert ran.code == 2
    assert "facts= belongs to docred, not to paper" in ran.err


def test_adjudications_are_such_a_file(run, write) -> None:
    line = {"document": "d", "slot": "victim", "predicted": ["mayor"], "reference": ["Ms. Paz"], "credit": 1}
    judged = write("judged.jsonl", json.dumps(line) + "\n")
    document = {"id": "d", "templates": [{"type": "ATTACK", "slots": {"hum_tgt_name": ["PAZ"]}}]}
    run_file = write("run.jsonl", json.dumps(document) + "\n")
    arguments = "score", "templates", run_file, "-r", run_file, "--preset", "muc4"
    one = run(*arguments, "--option", f"adjudications={judged}")
    assert (one.code, one.out) == (0, run(*arguments, "--adjudications", judged).out)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("NONE", None),
        ("12", 12),
        ("0.5", 0.5),
        ('"true"', "true"),
        ("PER,LOC", "PER,LOC"),
        ("edit()", mw.edit()),
        ("{'a': 'b'}", {"a": "b"}),
        ('{"a": edit(), "b": (eq(), edit())}', {"a": mw.edit(), "b": (mw.eq(), mw.edit())}),
    ],
)
def test_the_value_of_an_option_is_read_by_what_it_looks_like(text: str, value: object) -> None:
    assert read_value(text) == value
    assert type(read_value(text)) is type(value)

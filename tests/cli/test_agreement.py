"""`matchwise agreement` on files."""

from pathlib import Path

import pytest

import matchwise as mw
from matchwise import f1

METRIC = 'xs=f1("xs")'
ANN = [{"id": n, "xs": [n, n + 1]} for n in range(12)]
BOB = [{"id": n, "xs": [n]} for n in range(11, -1, -1)]
DATA = Path(__file__).parents[2] / "examples" / "data"


@pytest.fixture
def files(write):
    return write("ann.jsonl", ANN), write("bob.jsonl", BOB)


def test_files_give_what_python_gives(run, files) -> None:
    ran = run("agreement", "--metric", METRIC, *files, "--format", "json", "--seed", "2")
    assert (ran.code, ran.err) == (0, "")
    sides = {name: {doc["id"]: doc for doc in side} for name, side in (("ann.jsonl", ANN), ("bob.jsonl", BOB))}
    found = mw.agreement(mw.Suite(xs=f1("xs")), sides, seed=2).to_dict()
    assert ran.json["mean"] == found["mean"] == 2 / 3
    assert ran.json["alpha"] == found["alpha"]
    assert ran.json["pairs"] == found["pairs"]
    assert len(ran.json["per_document"]) == 12


def test_annotators_may_be_named(run, files) -> None:
    named = [f"{name}={file}" for name, file in zip(("Ann", "Bob"), files, strict=True)]
    [pair] = run("agreement", "documents", *named, "--format", "json").json["pairs"]
    assert (pair["first"], pair["second"], pair["value"]) == ("Ann", "Bob", 2 / 3)


def test_documents_without_ids_go_by_position(run, write) -> None:
    sides = [write(f"{name}.jsonl", [{"xs": doc["xs"]} for doc in ANN]) for name in "ab"]
    assert run("agreement", "--metric", METRIC, *sides, "--format", "json").json["mean"] == 1.0
    short = write("short.jsonl", [{"xs": [1]}])
    ran = run("agreement", "--metric", METRIC, sides[0], short)
    assert (ran.code, "different numbers of documents and no ids: 12 of a.jsonl, 1 of short.jsonl" in ran.err) == (
        3,
        True,
    )


def test_a_task_has_its_own_formats(run) -> None:
    gold, system = DATA / "coref_gold.conll", DATA / "coref_system.conll"
    ran = run("agreement", "coref", gold, system, "--only", "muc", "--format", "json")
    assert ran.code == 0
    want = run("score", "coref", gold, "-r", system, "--only", "muc", "--format", "json").json
    assert ran.json["mean"] == pytest.approx(want["systems"][0]["metrics"]["muc"]["f1"], abs=1e-12)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 2, "agreement needs the files of two or more annotators, not 1"),
        (["{same}"], 2, "the same file is given twice"),
        (["{noid}"], 3, "the documents of ann.jsonl have ids, but not all of noid.jsonl"),
        (["{twice}"], 3, "twice.jsonl:2: found the id 1 a second time; make the ids unique"),
        (["{other}"], 3, "no document was annotated by two annotators; are the ids the same in all of them?"),
        (["{bob}", "--gamma", "xs"], 2, "--gamma xs: write ELEMENTS[].SPAN or ELEMENTS[].SPAN,CATEGORY"),
        (["{bob}", "--units", "a"], 2, 'kappa needs the label of each unit; write label="type"'),
        (["{bob}", "--pairs", "3"], 2, "pairs=3; write at least 100"),
    ],
)
def test_what_is_wrong_is_named(words, code, message, run, write, files) -> None:
    ann, bob = files
    names = {
        "same": ann,
        "bob": bob,
        "noid": write("noid.jsonl", [{"xs": [1]}]),
        "twice": write("twice.jsonl", [{"id": 1, "xs": []}] * 2),
        "other": write("other.jsonl", [{"id": "z", "xs": []}]),
    }
    ran = run("agreement", "--metric", METRIC, ann, *(word.format(**names) for word in words))
    assert ran.code == code, ran.err
    assert message in ran.err

"""`matchwise agreement` on files."""

from pathlib import Path

import pandas
import polars
import pyarrow
import pytest

import matchwise as mw
from matchwise import f1
from matchwise.formats import conll2003
from matchwise.tasks import ner

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
    assert (
        ran.code,
        "different numbers of documents and no ids: 12 of a.jsonl, 1 of short.jsonl; write None (null in a file)"
        in ran.err,
    ) == (
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
        ([], 3, "ann.jsonl:1: found {'id': 0, 'xs': [0, 1]}, expected document, annotator, label; one file is a table"),
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


LONG = [
    ("d1", "ann", "A"), ("d1", "bob", "A"), ("d2", "ann", "A"), ("d2", "bob", "B"), ("d3", "ann", "B"),
    ("d3", "bob", "B"), ("d4", "ann", "B"), ("d4", "bob", None),
]  # fmt: skip
NAMES = ("document", "annotator", "label")


@pytest.mark.parametrize("mark", [",", "\t", ";", "jsonl"])
def test_a_long_table_has_the_labels_of_all_annotators(mark, run, write) -> None:
    if mark == "jsonl":
        file = write("labels.jsonl", [dict(zip(NAMES, row, strict=True)) for row in LONG])
    else:
        file = write("labels.csv", "".join(mark.join(cell or "" for cell in row) + "\n" for row in (NAMES, *LONG)))
    ran = run("agreement", file, "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    assert (ran.json["mean"], ran.json["documents"]) == (2 / 3, 3)
    assert ran.json["alpha"]["value"] == pytest.approx(4 / 9, abs=1e-12)
    assert ran.json["kappa"]["mean_cohen"] == pytest.approx(0.4, abs=1e-12)
    assert ran.json["kappa"]["alpha"] == pytest.approx(4 / 9, abs=1e-12)


def test_a_label_that_is_named_comes_before_that_of_the_table(run, write) -> None:
    ran = run("agreement", write("labels.csv", "document,annotator,label\nd1,ann,A\nd1,bob,B\n"), "--label", "kind")
    assert ran.code == 3
    assert "found dict {'labels': ['A'], 'label': 'A'} without key 'kind'" in ran.err


def test_python_reads_the_same_table_as_rows_or_as_a_frame() -> None:
    frames = [LONG, pandas.DataFrame(LONG, columns=NAMES), polars.DataFrame(LONG, schema=NAMES, orient="row")]
    frames.append(pyarrow.table(dict(zip(NAMES, zip(*LONG, strict=True), strict=True))))
    for frame in frames:
        found = mw.agreement(f1("labels"), frame, label="label", resamples=0)
        assert (found.mean, found.kappa.mean) == (2 / 3, pytest.approx(0.4, abs=1e-12))
    with pytest.raises(mw.DataError, match="the table has no column 'annotator'; there are document, label, who"):
        mw.agreement(f1("labels"), pandas.DataFrame(LONG, columns=["document", "who", "label"]))
    with pytest.raises(
        mw.DataError, match=r"row 0 is 3, expected \(document, annotator, label\); or give the documents"
    ):
        mw.agreement(f1("labels"), [3])


def test_several_labels_of_a_document_are_a_bag(run, write) -> None:
    rows = [("d1", "ann", "A"), ("d1", "ann", "B"), ("d1", "bob", "A"), ("d2", "ann", "C"), ("d2", "bob", "C")]
    file = write("labels.csv", "doc,who,tag\n" + "".join(",".join(row) + "\n" for row in rows))
    ran = run("agreement", file, "--columns", "doc,who,tag", "--format", "json")
    assert (ran.json["mean"], "kappa" in ran.json) == (0.8, False)
    ran = run("agreement", file)
    assert ran.code == 3
    assert "labels.csv:1: found no column 'document'; there are doc, tag, who; one file is a table with" in ran.err
    ran = run("agreement", write("short.csv", "document,annotator,label\nd1\n"))
    assert (ran.code, "short.csv:2: found {'document': 'd1', 'annotator': None" in ran.err) == (3, True)


def test_gamma_reads_the_elements_of_a_task(run, write) -> None:
    ann = write("ann.conll", "U.N. B-ORG\nofficial O\nEkeus B-PER\n\nBonn B-LOC\n")
    bob = write("bob.conll", "U.N. B-ORG\nofficial O\nEkeus B-LOC\n\nBonn B-LOC\n")
    sides = {name: list(conll2003.read(file)) for name, file in (("ann", ann), ("bob", bob))}
    expected = mw.gamma(sides, ner.mentions, category="type").to_dict()
    assert expected["observed"] == pytest.approx(1 / 3, abs=1e-12)
    for words in ("mentions[].span,type", "[].span,type"):
        ran = run("agreement", "ner", ann, bob, "--only", "strict", "--gamma", words, "--format", "json")
        assert (ran.code, ran.json["gamma"]) == (0, expected)
    ran = run("agreement", "ner", ann, bob, "--preset", "nervaluate", "--only", "strict", "--gamma", "[].span,type")
    assert (ran.code, "cannot read the elements of ner.nervaluate() by themselves" in ran.err) == (2, True)


def test_one_file_of_a_task_is_no_agreement(run, write) -> None:
    ran = run("agreement", "ner", write("gold.conll", "a B-PER\n"), "--only", "strict")
    assert (ran.code, "agreement needs the files of two or more annotators, not 1" in ran.err) == (2, True)

"""The files that people have for entities: every pair that makes sense is scored, and any other is refused in words."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from matchwise.cli import main

DATA = Path(__file__).parents[2] / "examples" / "data"
CONLL, BRAT = "formats/conll2003.conll", "exports/move.ann"
LABELS = "labels=O,B-PER,I-PER,B-LOC,I-LOC"

READ: list[tuple[str, str, *tuple[str, ...]]] = [
    ("formats/doccano.jsonl", CONLL),
    ("exports/doccano-spans.jsonl", CONLL),
    ("exports/doccano-spans.jsonl", BRAT),
    ("formats/labelstudio.json", CONLL),
    ("exports/labelstudio-min.json", BRAT),
    ("exports/labelstudio-annotators.json", CONLL, "--option", "annotator=ann@example.org"),
    ("formats/prodigy.jsonl", CONLL),
    ("formats/spacy.jsonl", CONLL),
    ("formats/docbin.spacy", CONLL),
    ("formats/docbin.spacy", BRAT),
    ("formats/gliner.jsonl", CONLL),
    ("formats/gliner.jsonl", BRAT),
    ("exports/gliner-predictions.json", BRAT, "--id", "none"),
    ("formats/pipeline.json", BRAT, "--id", "none"),
    ("formats/pipeline.json", "formats/spacy.jsonl"),
    ("formats/answers.jsonl", BRAT, "--id", "none"),
    ("formats/answers.jsonl", "formats/answers.jsonl"),
    ("formats/answers.jsonl", "formats/gliner.jsonl"),
    ("exports/datasets.parquet", CONLL),
    ("exports/datasets.parquet", BRAT),
    ("exports/datasets.jsonl", CONLL, "--option", LABELS),
    ("exports/tags.json", CONLL),
    ("formats/germeval2014.tsv", CONLL),
    ("formats/slashtags.txt", CONLL),
    ("formats/slashtags.txt", BRAT),
    ("formats/table.csv", CONLL),
    ("exports/mentions.tsv", BRAT, "--id", "none"),
    ("formats/bioc.xml", CONLL),
    ("exports/bioc.json", BRAT),
    ("formats/pubtator.txt", CONLL),
    ("formats/cas.xmi", CONLL),
    ("exports/inception.json", BRAT),
    ("formats/dygie.jsonl", CONLL),
    (BRAT, CONLL),
]


@pytest.mark.parametrize("turned", [False, True], ids=["", "turned"])
@pytest.mark.parametrize("pair", READ, ids=lambda pair: f"{Path(pair[0]).name}-{Path(pair[1]).name}")
def test_two_files_of_the_same_annotations_agree(pair: tuple[str, ...], turned: bool, capsys: Any) -> None:
    """Recognised without --input-format, and every mention right: two of two."""
    pred, ref = reversed(pair[:2]) if turned else pair[:2]
    code = main(["score", "ner", str(DATA / pred), "-r", str(DATA / ref), *pair[2:], "--format", "csv"])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    rows = [line.split(",")[1:8] for line in printed.out.splitlines()[1:]]
    assert [row[0] for row in rows] == ["strict", "exact", "partial", "type"]
    assert {tuple(row[1:]) for row in rows} == {("1.0", "1.0", "1.0", "2", "2", "2")}


REFUSED = [
    (
        ("formats/pipeline.json", CONLL),
        r"conll2003.conll counts tokens; to convert the side that counts characters, its text .* must be there",
    ),
    (
        ("exports/tags.json", BRAT),
        r'to convert the side that counts tokens, its words \(as "tokens" beside its tags\) must be there',
    ),
    ((CONLL, "formats/brat.ann"), r"; for brat, the .txt file beside the .ann file\) must be there"),
    (("formats/answers.jsonl", "formats/brat.ann", "--id", "none"), "the text of the other side must be there"),
    (("exports/datasets.jsonl", CONLL), "found the number 1 for a tag; write the names of the labels"),
    (
        (CONLL, "exports/labelstudio-annotators.json"),
        r"may be of several annotators: write --option annotator=NAME, or see agreement",
    ),
]


@pytest.mark.parametrize(("pair", "problem"), REFUSED)
def test_two_files_that_cannot_be_compared_are_refused(pair: tuple[str, ...], problem: str, capsys: Any) -> None:
    code = main(["score", "ner", str(DATA / pair[0]), "-r", str(DATA / pair[1]), *pair[2:]])
    assert code == 3
    import re

    assert re.search(problem, capsys.readouterr().err)


def test_one_of_several_annotators_is_chosen_on_the_side_that_has_them(capsys: Any) -> None:
    export = str(DATA / "exports/labelstudio-annotators.json")
    words = ["score", "ner", str(DATA / "formats/spacy.jsonl"), "-r", export, "--option", "annotator=bob@example.org"]
    assert main([*words, "--only", "strict", "--format", "csv"]) == 0
    assert ",strict,0.5,1.0,0.6666666666666666,1,2,1," in capsys.readouterr().out


def test_the_annotators_of_one_export_are_compared(capsys: Any) -> None:
    assert main(["agreement", "ner", str(DATA / "exports/labelstudio-annotators.json"), "--only", "strict"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("3 annotators, 1 document")
    assert "mean strict of two annotators  0.3889" in printed  # (2/3 + 1/2 + 0) / 3


def test_a_relation_of_doccano_is_read(capsys: Any) -> None:
    path = str(DATA / "formats/doccano.jsonl")
    assert main(["score", "relations", path, "-r", path, "--format", "csv"]) == 0
    assert ",1.0,1.0,1.0,1,1,1," in capsys.readouterr().out


def test_check_says_that_units_differ(capsys: Any) -> None:
    assert main(["check", "ner", str(DATA / "formats/spacy.jsonl"), "-r", str(DATA / CONLL)]) == 0
    said = "warning: characters against tokens: words were found in the text, and all spans count characters (1 time)"
    assert said in capsys.readouterr().out
    assert main(["check", "ner", str(DATA / "formats/pipeline.json"), "-r", str(DATA / CONLL)]) == 3


def test_a_file_of_no_format_is_told_the_two_nearest(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "Ada", "lable": [[0, 3, "PER"]]}\n', encoding="utf-8")
    assert main(["score", "ner", str(path), "-r", str(DATA / CONLL)]) == 3
    said = capsys.readouterr().err
    assert "its first JSON object has the keys text, lable; the nearest are two: doccano has " in said
    assert said.count(' has "') == 2
    assert """score it as it is: matchwise score --metric 'f1("lable")'""" in said


@pytest.mark.parametrize(("name", "text"), [("a.json", "5"), ("a.jsonl", "null"), ("a.txt", "{}"), ("a", "[null]")])
def test_json_without_keys_is_told_of_formats_of_json(name: str, text: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["check", "ner", str(tmp_path / name)]) == 3
    assert re.search(r'nearest are two: \w+ has [^;]*"[^;]*; \w+ has [^;]*"', capsys.readouterr().out)


def test_negative_positions_are_refused(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"tokenized_text": ["Ada"], "ner": [[-2, -1, "PER"]]}', encoding="utf-8")
    assert main(["check", "ner", str(path)]) == 3
    assert f"{path}:1: ner[0]: expected positions from 0 on, found [-2, -1)" in capsys.readouterr().out


def test_a_text_of_no_format_is_told_of_formats_of_text(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hello world\nthis is a text\n", encoding="utf-8")
    assert main(["score", "ner", str(path), "-r", str(DATA / CONLL)]) == 3
    assert "conll2003 has a word on each line, and at its end a tag such as B-PER" in capsys.readouterr().err


def test_a_folder_of_xmi_has_a_document_in_each_file(tmp_path: Path, capsys: Any) -> None:
    for name in ("b.xmi", "a.xmi"):
        (tmp_path / name).write_bytes((DATA / "formats" / "cas.xmi").read_bytes())
    assert main(["score", "ner", str(tmp_path), "-r", str(tmp_path), "--only", "strict"]) == 0
    assert "2 documents" in capsys.readouterr().out


def test_a_project_of_inception_has_a_folder_for_each_document(tmp_path: Path, capsys: Any) -> None:
    """With a file for each annotator, and one that nobody has annotated."""
    data = (DATA / "exports" / "inception.json").read_bytes()
    for name in ("ann", "bob", "INITIAL_CAS"):
        (tmp_path / "move.txt").mkdir(exist_ok=True)
        (tmp_path / "move.txt" / f"{name}.json").write_bytes(data)
    assert main(["agreement", "ner", str(tmp_path), "--only", "strict"]) == 0
    assert "ann ~ bob  1.0000" in capsys.readouterr().out
    command = ["score", "ner", str(tmp_path), "-r", str(DATA / CONLL), "--only", "strict", "--score-only"]
    assert main(command) == 3
    assert "write --option annotator=NAME, or see agreement" in capsys.readouterr().err
    assert main([*command, "--option", "annotator=bob"]) == 0
    assert capsys.readouterr().out == "1.0000\n"


def test_documents_without_entities_do_not_make_a_file_one_of_doccano(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.jsonl"
    rows = [{"text": "Ada", "entities": [{"start": 0, "end": 3, "label": "PER"}]}, {"text": "No", "entities": []}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["check", "ner", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: ok, 2 documents\n"


def test_training_data_of_spacy_may_be_one_list(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "train.json"
    rows = [["Ada left", {"entities": [[0, 3, "PER"]]}], ["No", {"entities": []}]]
    for text in (json.dumps(rows), json.dumps(rows, indent=1), "".join(json.dumps(row) + "\n" for row in rows)):
        path.write_text(text, encoding="utf-8")
        assert main(["check", "ner", str(path)]) == 0
        assert capsys.readouterr().out == f"{path}: ok, 2 documents\n"

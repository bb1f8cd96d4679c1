"""The reader of GAP: a pronoun and two names in each text."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from matchwise import FormatError
from matchwise.cli import main
from matchwise.formats import gap, recognize

ROW = {
    "ID": "t1", "Text": "Ada met Eve. She smiled.", "Pronoun": "She", "Pronoun-offset": 13,
    "A": "Ada", "A-offset": 0, "A-coref": True, "B": "Eve", "B-offset": 8, "B-coref": False,
}  # fmt: skip


def spans(text: str) -> list[list[tuple[int, int]]]:
    [document] = gap.read(StringIO(text))
    return [[mention[:2] for mention in entity.mentions] for entity in document.entities]


def test_the_pronoun_is_an_entity_with_the_name_that_it_refers_to() -> None:
    assert spans(json.dumps(ROW)) == [[(13, 16), (0, 3)], [(8, 11)]]


def test_the_columns_of_the_dataset_are_the_same() -> None:
    cells = ["TRUE" if one is True else "FALSE" if one is False else str(one) for one in ROW.values()]
    text = "\t".join(ROW) + "\n" + "\t".join(cells) + "\n"
    assert spans(text) == spans(json.dumps({key.lower().replace("-", "_"): one for key, one in ROW.items()}))
    assert recognize("coref", text, "gap.tsv") == recognize("coref", json.dumps(ROW), "a.jsonl") == "gap"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"A-offset": 5}, "<text>:1: a-offset: expected the place of 'Ada' in the text, found 'et '"),
        ({"A-offset": "x"}, "<text>:1: a-offset: expected the place of 'Ada' in the text, found 'x'"),
        ({"B-coref": "maybe"}, "<text>:1: B-coref: expected true or false, found 'maybe'"),
        ({"Text": None}, "<text>:1: expected Text, Pronoun and Pronoun-offset, found the keys id, text, pronoun"),
    ],
)
def test_a_broken_line_is_named(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        list(gap.read(StringIO(json.dumps({**ROW, **change}))))


def test_gap_meets_words(tmp_path: Path, capsys: Any) -> None:
    words = ["Ada", "met", "Eve", ".", "She", "smiled", "."]
    (tmp_path / "gap.jsonl").write_text(json.dumps(ROW))
    clusters = {"doc_key": "t1", "sentences": [words], "clusters": [[[0, 0], [4, 4]]]}
    (tmp_path / "run.jsonl").write_text(json.dumps(clusters))
    assert (
        main(["score", "coref", str(tmp_path / "run.jsonl"), "-r", str(tmp_path / "gap.jsonl"), "--only", "muc"]) == 0
    )
    assert "muc        1.0000  1.0000  1.0000" in capsys.readouterr().out


def test_a_quotation_mark_of_a_table_is_a_letter() -> None:
    quoted = {**ROW, "Text": '"Ada met Eve. She smiled.', "A-offset": 1, "B-offset": 9, "Pronoun-offset": 14}
    cells = ["TRUE" if one is True else "FALSE" if one is False else str(one) for one in quoted.values()]
    assert spans("\t".join(quoted) + "\n" + "\t".join(cells) + "\n") == [[(14, 17), (1, 4)], [(9, 12)]]


def test_a_line_that_is_no_object_is_refused_with_its_place() -> None:
    with pytest.raises(FormatError, match=r"^<text>:1: expected a document as a JSON object, found list$"):
        list(gap.read(StringIO("[1]")))

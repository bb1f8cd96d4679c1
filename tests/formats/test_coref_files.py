"""The files that people have for coreference: clusters of tokens or of characters, with ids or without."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from matchwise.cli import main
from matchwise.errors import DataError
from matchwise.formats.clusters import read_corefjson
from matchwise.formats.io.units import meet
from matchwise.tasks.coref import CorefMention, Entity, EntitySet

DATA = Path(__file__).parents[2] / "examples" / "data"
RIGHT = ["exports/fastcoref.jsonlines", "exports/maverick.json", "exports/allennlp.json"]
REFERENCES = ["formats/conll2012.conll", "formats/corefjson.jsonl", "formats/corefud.conllu"]


def conll(pred: str, ref: str, capsys: Any) -> float:
    assert main(["score", "coref", str(DATA / pred), "-r", str(DATA / ref), "--format", "json", "-q"]) == 0
    [system] = json.loads(capsys.readouterr().out)["systems"]
    found: float = system["metrics"]["conll"]["value"]
    return found


@pytest.mark.parametrize("ref", [*REFERENCES, *RIGHT])
@pytest.mark.parametrize("pred", RIGHT)
def test_two_files_of_the_same_clusters_agree(pred: str, ref: str, capsys: Any) -> None:
    assert conll(pred, ref, capsys) == 1


@pytest.mark.parametrize("ref", ["formats/conll2012.conll", "exports/e2e.jsonlines", "exports/fastcoref.jsonlines"])
def test_a_file_with_both_kinds_of_clusters_is_read_by_its_side(ref: str, capsys: Any) -> None:
    """One of two entities is predicted; its name in e2e-coref, move_0, is `move; part 000` in CoNLL-2012."""
    assert conll("exports/e2e.jsonlines", ref, capsys) == 2 / 3
    assert conll("formats/conll2012.conll", "exports/e2e.jsonlines", capsys) == 1


def test_maverick_without_tokens_counts_characters() -> None:
    [one] = read_corefjson(StringIO('{"clusters_char_offsets": [[[0, 8], [25, 27]]]}'))
    assert [mention[:2] for mention in one.entities[0].mentions] == [(0, 9), (25, 28)]
    assert one.positions is not None
    assert one.positions.unit == "characters"


def test_a_zero_is_no_span_of_characters() -> None:
    zero = EntitySet((Entity((CorefMention(0, 1, words=((0, 1),)),)),), text="Ada")
    [fast] = read_corefjson(StringIO('{"text": "Ada", "clusters": [[[0, 3]]]}'))
    with pytest.raises(DataError, match="which spans of characters cannot say"):
        meet([fast, zero])


def test_characters_without_a_text_are_refused_beside_tokens(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"clusters_char_offsets": [[[0, 8], [25, 27]]]}\n', encoding="utf-8")
    assert main(["score", "coref", str(path), "-r", str(DATA / "formats/conll2012.conll")]) == 3
    assert "counts characters and" in capsys.readouterr().err

"""The format of a file is known by its first JSON documents, however long they are."""

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from matchwise import formats
from matchwise.cli import main
from matchwise.errors import FormatError
from matchwise.formats import FEWEST, MOST, format_of, head, objects

WORDS = ["word"] * 20_000
SENTENCES = [WORDS[:10_000], WORDS[10_000:]]
NER: list[Any] = [[[0, 0, "PER"]], []]
RECORDS: list[tuple[str, str, dict[str, Any]]] = [
    ("coref", "corefjson", {"doc_key": "a", "sentences": SENTENCES, "clusters": [[[0, 0], [5, 6]]]}),
    ("coref", "corefjson", {"id": "a", "words": WORDS, "entities": [[[0, 1], [5, 7]]]}),
    ("nary", "scirex", {"doc_id": "a", "words": WORDS, "n_ary_relations": [], "coref": {}}),
    ("ner", "dygie", {"doc_key": "a", "sentences": SENTENCES, "ner": NER}),
    ("relations", "dygie", {"doc_key": "a", "sentences": SENTENCES, "ner": NER, "relations": [[], []]}),
    ("ner", "extractions", {"id": "a", "text": " ".join(WORDS), "spans": []}),
    ("events", "wikievents", {"doc_id": "a", "tokens": WORDS, "event_mentions": [], "sentences": []}),
    ("events", "oneie", {"sent_id": "a", "tokens": WORDS, "event_mentions": []}),
    ("events", "rams", {"doc_key": "a", "sentences": SENTENCES, "evt_triggers": []}),
    ("relations", "docred", {"title": "a", "sents": SENTENCES, "vertexSet": [], "labels": []}),
    ("roles", "grit", {"docid": "TST1-MUC3-0001", "doctext": " ".join(WORDS), "extracts": {"Weapon": []}}),
    ("roles", "gtt", {"docid": "a", "doctext": " ".join(WORDS), "templates": [{"incident_type": "arson"}]}),
    ("templates", "iterx", {"a": [{"incident_type": "arson", "Weapon": [[word] for word in WORDS]}]}),
    ("templates", "templates", {"id": "a", "text": " ".join(WORDS), "templates": []}),
    ("amr", "mrp", {"id": "a", "input": " ".join(WORDS), "nodes": [], "edges": []}),
    ("srl", "propositions", {"id": "a", "words": WORDS, "propositions": []}),
]


@pytest.mark.parametrize(("task", "name", "record"), RECORDS)
def test_a_document_is_known_by_what_stands_after_its_text(
    task: str, name: str, record: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = json.dumps(record).encode()
    assert len(line) > 4 * FEWEST
    data = line + b"\n" + line + b"\n"
    path, packed = tmp_path / "run.jsonl", tmp_path / "run.jsonl.gz"
    path.write_bytes(data)
    packed.write_bytes(gzip.compress(data))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert [format_of(source, task) for source in (str(path), str(packed), "-")] == [name, name, name]
    assert sys.stdin.buffer.read() == data


def test_a_long_document_from_standard_input_is_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.dumps(RECORDS[0][2]) + "\n"
    (tmp_path / "gold.jsonl").write_text(data)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data.encode())))
    assert main(["score", "coref", "-", "-r", str(tmp_path / "gold.jsonl"), "--format", "json"]) == 0
    [system] = json.loads(capsys.readouterr().out)["systems"]
    assert system["metrics"]["muc"]["f1"] == 1


@pytest.mark.parametrize("indent", [None, 2])
def test_the_first_of_a_list_is_read_whole(indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps([RECORDS[9][2]] * 3, indent=indent))
    assert format_of(str(path), "relations") == "docred"


def test_a_key_inside_of_another_value_says_nothing_of_the_format(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"id": 1, "meta": {"entities": []}, "notes": "\\"clusters\\": []"}\n')
    with pytest.raises(FormatError) as caught:
        format_of(str(path), "coref")
    assert str(caught.value) == (
        f"{path}: looks like none of the formats of coref: its first JSON object has the keys id, meta, notes; "
        'the nearest are two: corefjson has "clusters" or "predicted_clusters" of spans, or "entities" with '
        '"mentions"; '
        'scorch has "type": "clusters" (or "graph") beside "clusters" or "mentions" and "links"; '
        "there are conll2012, conllua, corefjson, corefud, gap, scorch, semeval2010; write --input-format NAME"
    )


def test_later_documents_tell_what_the_first_leaves_open(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(
        '{"docid": "a", "templates": []}\n{"docid": "b", "templates": [{"incident_type": "arson", "Weapon": []}]}\n'
    )
    assert format_of(str(path), "templates") == "gtt"


def test_a_broken_document_is_known_by_the_keys_before_it_breaks(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"doc_key": "a", "clusters": [[[0, 1], oops]]}\n')
    assert format_of(str(path), "coref") == "corefjson"


class Asked(io.BytesIO):
    """Notes how many bytes are asked for."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.asked: list[int | None] = []

    def read(self, number: int | None = None) -> bytes:
        self.asked.append(number)
        return super().read(number)


def test_no_more_is_read_than_the_first_document_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Asked((b'{"a": "' + b"x" * (FEWEST * 3) + b'"}\n').ljust(10 * FEWEST, b"y"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(source))
    assert len(head("-")) == 4 * FEWEST
    assert source.asked == [FEWEST, FEWEST, 2 * FEWEST]


@pytest.mark.parametrize("start", [b'{"a": "', b'{"a": [[1], oops', b"[" * 5000, b"text ", b'{"a": 1} '])
def test_a_document_without_end_is_looked_at_up_to_a_limit(start: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(start.ljust(2 * MOST, b"x"))
    assert len(head(str(path))) == (MOST if start == b'{"a": "' else FEWEST)


def test_a_file_of_one_long_object_is_known_by_its_first_members(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "MOST", 2 * FEWEST)
    path = tmp_path / "results.json"
    one = {"pred_templates": [{"incident_type": "arson", "Weapon": [["gun"]]}], "doctext": "x" * 1000}
    path.write_text(json.dumps({f"d{number}": one for number in range(100)}))
    assert len(head(str(path))) == 2 * FEWEST < path.stat().st_size
    assert format_of(str(path), "templates") == "gtt"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("plain text", ()),
        ("3 4", ()),
        ('\ufeff {"a": 1}', ({"a": 1},)),
        ('{"a": 1}\n\n{"b": 2}', ({"a": 1}, {"b": 2})),
        ('{\n  "a": {\n    "c": 1\n  }\n}\n{\n  "b": 2\n}', ({"a": {"c": 1}}, {"b": 2})),
        ('[{"a": 1}, {"b": 2}]', ({"a": 1}, {"b": 2})),
        ('[["text", {"entities": []}]]', ({"entities": []},)),
        ('["text", {"entities": []}]\n["more", {"entities": []}]', ({"entities": []},)),
        ('{"a": 1, "b": [1, 2', ({"a": 1, "b": None},)),
        ('{"a" 1}\n{"b": 2}', ({"b": 2},)),
        ('{"a": Infinity}', ({"a": float("inf")},)),
        ("[]", ()),
    ],
)
def test_the_objects_that_a_text_begins_with(text: str, expected: tuple[dict[str, Any], ...]) -> None:
    assert objects(text) == expected


@pytest.mark.parametrize(("task", "name"), [("dependencies", "dependencies_gold.conllu"), ("srl", "srl_gold.props")])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_format_is_recognised_whatever_ends_its_lines(task: str, name: str, end: bytes, tmp_path: Path) -> None:
    data = (Path(__file__).parents[2] / "examples" / "data" / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(data.replace(b"\n", end))
    assert main(["score", task, str(path), "-r", str(path)]) == 0

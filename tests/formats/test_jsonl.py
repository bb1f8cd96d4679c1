"""JSON lines: documents with their ids and places, in plain, compressed and piped files."""

import gzip
import json
import pickle
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise.cli import main
from matchwise.errors import FormatError, MatchwiseError
from matchwise.formats import find_format
from matchwise.formats.io.decoding import Decoding, guess_id
from matchwise.formats.io.documents import UNREAD
from matchwise.formats.io.records import id_of
from matchwise.formats.io.source import Lines
from matchwise.formats.jsonl import JsonLines, read

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text().filter(lambda name: name != "id"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(VALUES))
def test_what_python_writes_is_read_back(documents) -> None:
    lines = [json.dumps(document).encode() for document in documents]
    assert list(read(lines)) == documents


@given(st.binary())
def test_any_bytes_are_read_or_refused(line) -> None:
    with suppress(FormatError):
        Decoding().document(line)


MARKS = b"\xff", b"\xfe", b"\x1f", b"\x28\xb5\x2f\xfd", b"PAR1", b"ARROW1"
"""What UTF-16, compressed files and tables begin with."""

LINE = st.binary().filter(lambda line: not line.startswith(MARKS) and not {0, 10} & set(line))


@given(st.lists(LINE))
def test_lines_have_true_numbers_and_places(tmp_path_factory, parts) -> None:
    data = b"\n".join(parts)
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    path.write_bytes(data)
    with closing(Lines(str(path))) as lines:
        found = list(lines)
        start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        assert b"".join(line.data for line in found) == data[start:]
        assert [line.number for line in found] == list(range(1, len(found) + 1))
        assert [lines.at(line.offset, len(line.data)) for line in found] == [line.data for line in found]


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_an_id_only_reading_reads_documents_where_they_are_asked_for(tmp_path: Path, name) -> None:
    path = tmp_path / name
    data = b'{"id": "a", "xs": [1]}\n\n{"id": 7, "xs": [2]}\n'
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    source = JsonLines(str(path), lazy=True)
    entries = list(source)
    assert [(entry.id, entry.document) for entry in entries] == [("a", UNREAD), (7, UNREAD)]
    elsewhere, sent = pickle.loads(pickle.dumps((source, entries)))
    assert [elsewhere.document(entry) for entry in sent] == [{"id": "a", "xs": [1]}, {"id": 7, "xs": [2]}]
    assert elsewhere.place(sent[1]).endswith(f"{name}:3")
    source.close()
    elsewhere.close()


def test_a_broken_line_does_not_hide_the_ones_after_it(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1}\n{"id": 2, \n{"id": 3}\n')
    source = JsonLines(str(path))
    entries = list(source)
    assert [entry.id for entry in entries] == [1, 2, 3]
    assert isinstance(entries[1].document, FormatError)
    source.close()


@pytest.mark.parametrize(
    ("line", "id"),
    [
        (b'{"id": "a\\"b", "xs": [1', 'a"b'),
        (b'{"xs": [1], "id" : 12, "y', 12),
        (b'{"xs": [1', None),
        (b'{"id": "cut', None),
        (b'{"xs": [{"id": "b"}], "y": {"id": 3}', None),
        (b'{"xs": [{"id": "b"}], "id": "a", "y', "a"),
        (b'{"x": "\\"id\\": 1, {", "id": -2, "y', -2),
        (b'{"x": "id", "id": 1, "y', 1),
        (b'{"i\\u0064": 1, "y', 1),
        (b'{"id": 1.5, "y', None),
        (b'{"id": 1', None),
        (b'{"id": "\xff", "y', None),
        (b'{"x": "cut \\"id\\": 1, ', None),
    ],
)
def test_the_id_of_a_broken_line_is_found_where_it_is_legible(line, id) -> None:
    assert guess_id(line, "id") == id


def test_an_id_that_is_no_name_is_refused() -> None:
    with pytest.raises(FormatError, match=r"id: found float 1\.5, expected text or a whole number"):
        Decoding().document(b'{"id": 1.5}')


def test_the_id_can_be_taken_out_of_the_document() -> None:
    assert Decoding(keep_id=False).document(b'{"id": 1, "x": 2}') == (1, {"x": 2})


@pytest.mark.parametrize(
    ("head", "name", "is_json"),
    [
        ('{"id": 1}', "a.jsonl", True),
        ("\ufeff\n [1]", "a.json", True),
        ("#begin document", "a.conll", False),
        ("", "a.jsonl", False),
    ],
)
def test_json_is_recognised_by_its_beginning(head, name, is_json) -> None:
    assert find_format("jsonl").sniff(head, name) is is_json


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_byte_order_mark_does_not_shift_the_places_of_lines(
    mark: str, jobs: str, tmp_path: Path, capsys: Any
) -> None:
    """Documents in another order wait for their partners, and are read again by their place."""
    documents = [{"id": n, "xs": [n, "é"]} for n in range(300)]
    for name, order in (("pred", documents), ("ref", documents[::-1])):
        text = mark + "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in order)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    paths = str(tmp_path / "pred.jsonl"), "-r", str(tmp_path / "ref.jsonl")
    assert main(["score", "--metric", 'f1("xs")', *paths, "--jobs", jobs, "--format", "json"]) == 0
    [system] = json.loads(capsys.readouterr().out)["systems"]
    assert system["metrics"]["score"]["counts"] == {"matched": 600, "predicted": 600, "reference": 600}


def test_a_line_is_read_again_by_its_place_after_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\n{"a": 2}\n')
    lines = Lines(str(path))
    found = list(lines)
    assert [line.data for line in found] == [lines.at(line.offset, len(line.data)) for line in found]
    assert [line.offset for line in found] == [3, 12]
    lines.close()


def test_a_key_that_was_asked_for_by_name_must_be_there() -> None:
    assert Decoding(key="id").document(b'{"a": 1}') == (None, {"a": 1})
    for decoding in (Decoding(key="doc"), Decoding(dict[str, int], key="doc"), Decoding(key="doc", text="a")):
        with pytest.raises(FormatError, match="found no key 'doc' for the id; write --id KEY for another"):
            decoding.document(b'{"a": 1}')
    with pytest.raises(FormatError, match="found no key 'doc' for the id"):
        Decoding(key="doc").id(b'{"a": 1}')


def test_the_first_of_several_ids_counts() -> None:
    names = ("sent_id", "title", "document_id", "doc_id", "doc_key", "id")
    value: dict[str, Any] = {}
    for name in names:
        value[name] = f"the {name}"
        assert id_of(value) == f"the {name}"
    assert id_of({"id": None, "title": "b"}) == "b"


@pytest.mark.parametrize(("number", "at"), [("NaN", 7), ("Infinity", 7), ("-Infinity", 8)])
def test_numbers_that_json_lacks_are_named(number: str, at: int) -> None:
    with pytest.raises(FormatError) as error:
        Decoding(dict).document(f'{{"a": [{number}]}}'.encode())
    assert str(error.value) == (
        f"found '{{\"a\": [{number}]}}' at byte {at}, which is not JSON; write null when saving"
    )


def test_a_damaged_file_is_named_with_the_line_that_could_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"n": 1}\n{"n": 2}\n')[:-10])
    problem = r"run\.jsonl\.gz:2: the compressed file is cut off or damaged"
    with closing(Lines(str(path))) as lines, pytest.raises(FormatError, match=problem):
        list(lines)


class Opaque:
    """No decoder knows how to make one."""


@dataclass
class First:
    kind: str
    inner: Opaque


@dataclass
class Second:
    kind: int


def test_a_type_that_no_decoder_takes_is_named() -> None:
    with pytest.raises(
        MatchwiseError, match=r"First \| .*Second cannot be decoded: Unable to generate pydantic-core sch"
    ):
        Decoding(First | Second)


def test_a_source_that_was_sent_to_a_worker_still_reads_only_ids(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 7, "xs": [2]}\n')
    with closing(pickle.loads(pickle.dumps(JsonLines(str(path), lazy=True)))) as source:
        assert [(entry.id, entry.document) for entry in source] == [(7, UNREAD)]

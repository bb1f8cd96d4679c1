"""Readers open their files by `open_text`; what a reader did not expect is an error with the line of the file."""

import gzip
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from matchwise.errors import FormatError
from matchwise.formats.io.records import records, values
from matchwise.formats.io.source import open_text


def read(path: Path) -> Iterator[str]:
    with open_text(path) as file:
        for line in file:
            name, _, value = line.partition(":")
            yield name + value.strip()[0]


@pytest.mark.parametrize("name", ["a.turns", "a.turns.gz"])
def test_a_mistake_in_a_reader_is_said_with_the_line_of_the_file(tmp_path: Path, name: str) -> None:
    path, data = tmp_path / name, b"a: 1\nb:\nc: 2\n"
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    with pytest.raises(FormatError) as found:
        list(read(path))
    assert (found.value.file, found.value.line) == (str(path), 2)
    assert "the reader failed on this: IndexError: string index out of range (test_source.py, line" in str(found.value)


def test_a_mistake_in_what_builds_a_document_is_said_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"xs": [1]}\n\n{"xs": []}\n')
    with pytest.raises(FormatError, match=r"a\.jsonl:3: the reader failed on this: IndexError"):
        list(records(path, lambda value: value["xs"][0]))


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="found a directory, expected a file"):
        list(read(tmp_path))


def test_a_line_may_hold_what_python_writes_and_json_forbids():
    text = '{"a": NaN, "b": Infinity, "c": "\\ud800"}\n'
    [(line, found)] = values(StringIO(text))
    assert (line, found["a"] != found["a"], found["b"], found["c"]) == (1, True, float("inf"), "\ud800")

"""One error that names the file, from every reader: of damage, huge numbers, deep nesting, null in place of a list."""

import gzip
import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from matchwise.cli import main
from matchwise.errors import FormatError
from matchwise.formats import better, docred, find_format, formats_of, gtt, scirex
from matchwise.formats.io.taskfile import TaskFile, format_of
from matchwise.tasks import list_tasks

FILES = {path.stem: path for path in (Path(__file__).parents[2] / "examples" / "data" / "formats").iterdir()}
TASKS = {name: task for task in list_tasks() for name in formats_of(task)}
DIGITS = "9" * 5000


def cut(data: bytes) -> bytes:
    return data[:-10]


def break_checksum(data: bytes) -> bytes:
    return data[:-8] + bytes([data[-8] ^ 255]) + data[-7:]


def break_stream(data: bytes) -> bytes:
    return data[:10] + b"\xff" * 8 + data[18:]


@pytest.mark.parametrize("harm", [cut, break_checksum, break_stream])
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_compressed_file_is_named_by_every_reader(name: str, harm: Any, tmp_path: Path) -> None:
    path = tmp_path / f"{FILES[name].name}.gz"
    path.write_bytes(harm(gzip.compress(FILES[name].read_bytes())))
    with pytest.raises(FormatError, match=r"\.gz(:\d+)?: the compressed file is cut off or damaged"):
        list(find_format(name).read(str(path)))
    with pytest.raises(FormatError, match=r"\.gz(:\d+)?: the compressed file is cut off or damaged"):
        list(TaskFile(str(path), format_of(str(path), TASKS[name], name)))


@pytest.mark.parametrize("name", FILES)
def test_a_number_of_many_digits_is_read_or_named(name: str, tmp_path: Path, capsys: Any) -> None:
    """In the place of every number of the file, one after the other."""
    text = FILES[name].read_text(encoding="utf-8")
    path = tmp_path / FILES[name].name
    for found in list(re.finditer(r"\d+", text))[:60]:
        path.write_text(text[: found.start()] + DIGITS + text[found.end() :], encoding="utf-8")
        code = main(["score", TASKS[name], str(path), "-r", str(FILES[name]), "--input-format", name])
        said = capsys.readouterr().err
        assert code in (0, 3, 4), said
        assert code == 0 or str(path) in said


@pytest.mark.parametrize("name", [name for name, path in FILES.items() if path.read_bytes()[:1] in b"{["])
@pytest.mark.parametrize("depth", [200, 900, 5000])
def test_deep_nesting_is_read_or_named(name: str, depth: int, tmp_path: Path, capsys: Any) -> None:
    """In the place of every list of the first document."""
    text = FILES[name].read_text(encoding="utf-8")
    path = tmp_path / FILES[name].name
    places = [at for at, letter in enumerate(text) if letter == "["][:40]
    for at in places:
        path.write_text(text[:at] + "[" * depth + "]" * depth + "," + text[at:], encoding="utf-8")
        assert main(["score", TASKS[name], str(path), "-r", str(FILES[name]), "--input-format", name]) in (0, 3, 4)
        assert "internal" not in capsys.readouterr().err


def test_deep_results_of_gtt_are_named() -> None:
    with pytest.raises(FormatError, match=r"^<text>:1: found values that are nested too deeply to read$"):
        list(gtt.read(StringIO('{"d1": {"pred_templates": ' + "[" * 200_000)))


def test_deep_documents_of_docred_are_named() -> None:
    deep = "[" * 900 + "]" * 900
    with pytest.raises(FormatError, match=r"^<text>:1: "):
        list(docred.read(StringIO('[{"title": "a", "vertexSet": [], "labels": ' + deep + "}]")))


def test_null_in_the_place_of_a_list_is_named_by_better() -> None:
    spans: Any = {"s": {"spans": 3}}
    sets = {"basic-events": {"span-sets": spans, "events": {}, "granular-templates": {}}}
    corpus = json.dumps({"entries": {"e": {"annotation-sets": sets}}})
    with pytest.raises(FormatError, match=r"^<text>: entry e: spans: expected a list, found int$"):
        list(better.read(StringIO(corpus)))


def test_null_in_the_place_of_a_list_is_named_by_scirex() -> None:
    one = {"doc_id": "a", "coref": {"x": [[0, 1]]}, "n_ary_relations": 3}
    with pytest.raises(FormatError, match=r"^<text>:1: .*expected a list"):
        list(scirex.read(StringIO(json.dumps(one))))

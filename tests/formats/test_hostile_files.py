"""One error that names the file, from every reader: of damage, huge numbers, deep nesting, null in place of a list."""

import gzip
import io
import json
import re
from io import StringIO
from pathlib import Path
from struct import pack
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from pyarrow import ipc

from matchwise import Table, evaluate, f1
from matchwise.cli import main
from matchwise.errors import FormatError
from matchwise.formats import better, docred, find_format, format_of, formats_of, gtt, scirex
from matchwise.formats.graphs import read_mrp
from matchwise.formats.io.documents import TaskFile
from matchwise.formats.mentions import read_dygie
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


@pytest.mark.parametrize("name", sorted(FILES.keys() - {"docbin"}))  # which is not text
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


TABLE = pyarrow.table({
    "id": [f"d{n}" for n in range(1237)], "xs": [["a", "é"]] * 1237, "nothing": pyarrow.nulls(1237),
    "tags": pyarrow.FixedSizeListArray.from_arrays(pyarrow.nulls(1237), 1),
})  # fmt: skip


def as_arrow(table: Any) -> bytes:
    made = io.BytesIO()
    with ipc.new_file(made, table.schema) as file:
        file.write_table(table)
    return made.getvalue()


@pytest.mark.parametrize(
    ("harm", "problem"),
    [
        (lambda data: data.replace("é".encode(), b"\xff\xfe"), "Invalid UTF8 sequence"),
        (lambda data: data.replace(pack("<3i", 0, 2, 4), pack("<3i", 0, 9999, 4)), "offset"),
        (lambda data: data.replace(pack("<3i", 0, 2, 4), pack("<3i", 0, -2, 4)), "offset"),
    ],
    ids=["no UTF-8", "beyond", "negative"],
)
def test_a_table_with_wrong_content_is_refused_before_it_is_read(harm: Any, problem: str, tmp_path: Path) -> None:
    path, data = tmp_path / "a.arrow", as_arrow(TABLE)
    path.write_bytes(harm(data))
    assert harm(data) != data
    with pytest.raises(FormatError, match=rf"a\.arrow: cannot be read as a table: .*{problem}"):
        list(find_format("jsonl").read(str(path)))


@pytest.mark.parametrize("length", [2**62, 2**40, 10**9])
@pytest.mark.parametrize("column", ["nothing", "tags"])
def test_a_table_that_names_more_values_than_it_can_hold_is_refused(length: int, column: str, tmp_path: Path) -> None:
    path, data = tmp_path / "a.arrow", as_arrow(TABLE.select([column]))
    path.write_bytes(data.replace(pack("<q", 1237), pack("<q", length)))
    with pytest.raises(FormatError, match=r"a\.arrow: found more values than a file of this size can hold"):
        list(find_format("jsonl").read(str(path)))


def test_equal_values_may_be_packed_densely(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"a": [1] * 200_000}), path)
    assert path.stat().st_size < 3_000
    assert sum(1 for _ in find_format("jsonl").read(str(path))) == 200_000


def test_a_saved_table_with_wrong_content_is_refused(tmp_path: Path) -> None:
    """Its pages have checksums, and so has its content; what passes both was written so."""
    path = tmp_path / "a.parquet"
    evaluate(f1("xs"), [{"xs": [1]}], [{"xs": [1]}], ids=["xyz"]).table().save(path)
    read = pyarrow.parquet.read_table(path)
    buffers = [None, *map(pyarrow.py_buffer, (pack("<2i", 0, 2), b"\xff\xfe"))]
    wrong = pyarrow.Array.from_buffers(pyarrow.string(), 1, buffers)
    pyarrow.parquet.write_table(read.set_column(0, "document", wrong), path, write_page_checksum=True)
    with pytest.raises(FormatError, match=r"a\.parquet: not a score table as matchwise saves it: .*Invalid UTF8"):
        Table.load(path)


@pytest.mark.parametrize("sentence", [3, None, {"a": 1}, "words"])
def test_a_sentence_that_is_no_list_is_named_by_dygie(sentence: Any) -> None:
    line = {"doc_key": "a", "sentences": [["w"], sentence], "ner": [[[0, 0, "X"]], []]}
    found = re.escape(f"<text>:1: sentences[1]: expected a list of words, found {type(sentence).__name__}")
    with pytest.raises(FormatError, match=found):
        list(read_dygie(StringIO(json.dumps(line))))


def test_an_input_that_is_no_text_is_named_by_mrp() -> None:
    with pytest.raises(FormatError, match="<text>:1: input: expected the text of the graph, found int"):
        list(read_mrp(StringIO('{"id": "1", "input": 3, "tops": [], "nodes": [], "edges": []}')))

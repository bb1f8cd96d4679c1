"""Every format has a small example file of our own, which is recognised, read, scored and on the page about formats."""

from io import StringIO
from pathlib import Path

import pytest

from matchwise.cli import main
from matchwise.formats import find_format, format_of, formats_of
from matchwise.tasks import list_tasks

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "data" / "formats"
PAGE = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
FILES = {path.stem: path for path in FOLDER.iterdir()}
CASES = [(task, name) for task in list_tasks() for name in formats_of(task) if name != "jsonl"]
ALL, ENDS = ("\n", "\r\n"), {"docbin": ("\n",)}  # which is not text
ONE = {"better", "brat", "csvtable", "htmltables", "lines", "yolo"}  # a file is a document, also an empty one
PRESETS = {("relations", "docred"): ["--preset", "docred"], ("transcripts", "rttm"): ["--preset", "pyannote"]}


@pytest.mark.parametrize("name", sorted({name for _, name in CASES}))
def test_every_format_has_an_example_that_the_page_shows(name: str) -> None:
    assert name in FILES
    assert f"[{name}](../examples/data/formats/{FILES[name].name})" in PAGE


@pytest.mark.parametrize("name", FILES)
def test_every_example_is_that_of_a_format(name: str) -> None:
    assert name in {known for _, known in CASES}


@pytest.mark.parametrize(("task", "name"), CASES)
def test_an_example_is_recognised(task: str, name: str) -> None:
    assert format_of(str(FILES[name]), task) == name


@pytest.mark.parametrize("name", sorted({name for _, name in CASES}))
def test_an_example_has_documents(name: str) -> None:
    assert list(find_format(name).read(str(FILES[name])))


@pytest.mark.parametrize("name", sorted({name for _, name in CASES} - ONE))
def test_a_file_of_empty_lines_has_no_documents(name: str) -> None:
    assert list(find_format(name).read(StringIO(""))) == list(find_format(name).read(StringIO("\n\n"))) == []


@pytest.mark.parametrize(("task", "name", "end"), [(*case, end) for case in CASES for end in ENDS.get(case[1], ALL)])
def test_an_example_scored_against_itself_is_all_right(task, name, end, capsys, tmp_path) -> None:
    path = tmp_path / FILES[name].name
    path.write_bytes(FILES[name].read_bytes().replace(b"\n", end.encode()))
    code = main(["score", task, str(path), "-r", str(path), "--format", "csv", *PRESETS.get((task, name), [])])
    printed = capsys.readouterr()
    assert (code, printed.err) == (0, "")
    head, *rows = (line.split(",") for line in printed.out.splitlines())
    # How many brackets cross, and how many sentences are errors or skipped, are counts of what is wrong.
    wrong = ("crossing", "errors", "skipped") if task == "constituency" else ()
    column = head.index("f1" if "f1" in head else "value")
    values = {row[head.index("metric")]: row[column] for row in rows}
    assert {value for name, value in values.items() if name not in wrong} <= {"1.0", ""}
    assert {values[name] for name in wrong} <= {"0.0"}

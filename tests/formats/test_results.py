"""Results in files: resultfile as CSV, TSV, Parquet and folders, resultlines as JSON."""

from io import StringIO
from pathlib import Path

import pytest

from matchwise.cli import main
from matchwise.errors import FormatError
from matchwise.formats import recognize
from matchwise.formats.results import read_file, read_lines


def test_a_column_has_one_type_and_empty_fields_are_null() -> None:
    [found] = read_file(StringIO('n,x,id,"a, b"\n1,1.5,01a,\n,2,7,t\n'))
    assert found.columns == ("n", "x", "id", "a, b")
    assert found.rows == ((1, 1.5, "01a", None), (None, 2.0, "7", "t"))


def test_a_folder_has_a_result_for_each_file(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    (tmp_path / "q1.csv").write_text("n\n3\n", encoding="utf-8")
    (tmp_path / "q2.tsv").write_text("n\tm\n3\tx\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    pyarrow.parquet.write_table(pyarrow.table({"n": [3], "m": ["x"]}), tmp_path / "q3.parquet")
    found = list(read_file(str(tmp_path)))
    assert [(one.id, one.columns, one.rows) for one in found] == [
        ("q1", ("n",), ((3,),)),
        ("q2", ("n", "m"), ((3, "x"),)),
        ("q3", ("n", "m"), ((3, "x"),)),
    ]
    assert recognize("results", "", str(tmp_path)) == recognize("results", "n\n3\n", "q1.csv") == "resultfile"


def test_a_result_without_rows_has_its_columns() -> None:
    [found] = read_file(StringIO("n,m\n"))
    assert (found.columns, found.rows) == (("n", "m"), ())


def test_a_row_that_is_too_short_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,m\n1\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"a\.csv:2: found 1 field, expected 2"):
        list(read_file(str(tmp_path / "a.csv")))


def test_json_says_the_order_the_columns_asked_for_and_failures() -> None:
    lines = [
        '{"id": 1, "columns": ["n"], "rows": [[3]], "sql": "SELECT n FROM t order  by n", "condition_cols": [0]}',
        '{"id": 2, "error": "no such table"}',
        '{"id": 3, "rows": [{"n": 3}], "ordered": false, "sql": "SELECT n FROM t ORDER BY n"}',
    ]
    found = list(read_lines(StringIO("\n".join(lines))))
    assert [(one.id, one.ordered, one.key_columns, one.error) for one in found] == [
        (1, True, (0,), ""), (2, False, (), "no such table"), (3, False, (), ""),
    ]  # fmt: skip
    with pytest.raises(FormatError, match=r"<text>:1: rows\[1\]: expected 1 value, found 2"):
        list(read_lines(StringIO('{"rows": [[1], [2, 3]]}')))


def test_a_number_is_written_as_databases_write_it() -> None:
    [found] = read_file(StringIO("a,b,c,d\n1_000,-.5e3,+7,٣\n2_000,nan,08,٤\n"))
    assert found.rows == (("1_000", -500.0, 7, "٣"), ("2_000", None, 8, "٤"))


def test_a_field_that_is_too_long_is_an_error_with_its_line() -> None:
    with pytest.raises(FormatError, match=r"<text>: field larger than field limit \(131072\)"):
        list(read_file(StringIO("a\n" + "x" * 200_000)))


def test_null_may_be_written_as_nan() -> None:
    [found] = read_lines(StringIO('{"columns": ["a"], "rows": [[NaN]]}\n'))
    assert found.rows == ((None,),)


def test_a_reference_has_no_query_that_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "gold.jsonl"
    file.write_text('{"id": "q1", "error": "no such table"}\n', encoding="utf-8")
    assert main(["score", "results", str(file), "-r", str(file)]) == 3
    problem = "found a query that failed (no such table), expected its result in a reference"
    assert f"{file}:1: {problem}" in capsys.readouterr().err

"""Tables in files: csvtable, htmltables and pubtabnet, alone and in folders, and which file is which."""

import gzip
import json
from io import StringIO
from pathlib import Path

import pytest

from matchwise.cli import main
from matchwise.errors import FormatError
from matchwise.formats import recognize, results
from matchwise.formats.tables import read_csv, read_html, read_pubtabnet

TEA = "<table><tr><td>tea</td><td>2.00</td></tr></table>"


def texts(found: object) -> list[list[str]]:
    return [[cell.text for cell in one.cells] for one in found]  # type: ignore[attr-defined]


def test_all_tables_of_a_file_are_read_in_order() -> None:
    assert texts(read_html(StringIO(f"<p>One</p>{TEA}<p>Two</p>{TEA.replace('tea', 'milk')}"))) == [
        ["tea", "2.00"], ["milk", "2.00"],
    ]  # fmt: skip
    assert texts(read_html(StringIO("| a | b |\n|---|---|\n| 1 | x \\| y |\n"))) == [["a", "b", "1", "x | y"]]


def test_a_text_without_a_table_is_named_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("nothing", encoding="utf-8")
    with pytest.raises(FormatError, match=r"a\.html:1: expected a table in HTML or Markdown, found 'nothing'"):
        list(read_html(str(tmp_path / "a.html")))


def test_csv_and_tsv_are_one_table_each(tmp_path: Path) -> None:
    for name, text in (("a.csv", 'item,price\n"tea, green",2\n'), ("b.tsv", "item\tprice\ntea, green\t2\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert texts(read_csv(str(tmp_path / "a.csv"))) == [["item", "price", "tea, green", "2"]]
    found = list(read_csv(str(tmp_path)))
    assert [one.id for one in found] == ["a", "b"]
    assert found[0].cells == found[1].cells


def test_a_folder_has_a_table_for_each_file_and_is_paired_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for side, names in (("gold", "abc"), ("run", "cab")):
        (tmp_path / side).mkdir()
        for name in names:
            (tmp_path / side / f"{name}.html").write_text(TEA.replace("tea", name), encoding="utf-8")
    arguments = ["score", "tables", str(tmp_path / "run"), "-r", str(tmp_path / "gold"), "--format", "json"]
    with pytest.raises(SystemExit) as ended:
        raise SystemExit(main(arguments))
    assert ended.value.code in (0, None)
    report = json.loads(capsys.readouterr().out)
    assert report["documents"] == 3
    assert report["systems"][0]["metrics"]["teds"]["value"] == 1.0


def test_pubtabnet_names_its_files() -> None:
    cells = [{"tokens": ["<b>", "t", "e", "a", "</b>"], "bbox": [0, 0, 5, 5]}, {"tokens": []}]
    tokens = ["<tr>", "<td", ' colspan="2"', ">", "</td>", "<td>", "</td>", "</tr>"]
    line = {"filename": "x.png", "html": {"structure": {"tokens": tokens}, "cells": cells}}
    (found,) = read_pubtabnet(StringIO(json.dumps(line) + "\n"))
    assert found.id == "x.png"
    assert [(cell.text, cell.colspan, cell.box) for cell in found.cells] == [("tea", 2, (0, 0, 5, 5)), ("", 1, None)]
    scored = '{"x.png": {"html": "<table><tr><td>a"}, "y.png": "<table><tr><td>b"}'
    assert texts(read_pubtabnet(StringIO(scored))) == [["a"], ["b"]]


def test_json_lines_have_a_table_under_one_of_the_keys_of_the_page() -> None:
    lines = [
        {"id": 1, "table": [["a", "b"]]},
        {"id": 2, "rows": [["a", "b"]]},
        {"id": 3, "markdown": "| a | b |"},
        {"id": 4, "otsl": "<fcel>a<fcel>b<nl>"},
        {"id": 5, "html": "<table><tr><td>a<td>b"},
        {"id": 6, "cells": [{"row_nums": [0], "column_nums": [at], "cell_text": text} for at, text in enumerate("ab")]},
    ]
    found = list(read_pubtabnet(StringIO("\n".join(map(json.dumps, lines)))))
    assert [one.id for one in found] == [1, 2, 3, 4, 5, 6]
    assert texts(iter(found)) == [["a", "b"]] * 6


@pytest.mark.parametrize(
    ("head", "name", "format"),
    [
        (TEA, "a.txt", "htmltables"),
        ("| a | b |", "a.md", "htmltables"),
        ("a,b\n1,2", "a.csv", "csvtable"),
        ('{"filename": "x.png", "html": {}}', "a.jsonl", "pubtabnet"),
        ('{"x.png": "<html><body><table>"}', "a.json", "pubtabnet"),
        ('{"id": 1, "rows": [["a", "b"]]}', "a.jsonl", "pubtabnet"),
        ('{"id": 1, "markdown": "| a | b |"}', "a.jsonl", "pubtabnet"),
    ],
)
def test_the_format_of_a_file_is_recognised(head: str, name: str, format: str) -> None:
    assert recognize("tables", head, name) == format


@pytest.mark.parametrize(("ending", "sign"), [(".tsv", "\t"), (".tsv.gz", "\t"), (".csv", ","), (".csv.gz", ",")])
def test_the_signs_between_cells_are_those_of_the_ending_also_where_it_is_compressed(
    tmp_path: Path, ending: str, sign: str
) -> None:
    other = "," if sign == "\t" else "\t"
    data, path = f"a{other}b{sign}c\n1{sign}2\n".encode(), tmp_path / f"one{ending}"
    path.write_bytes(gzip.compress(data) if ending.endswith(".gz") else data)
    assert texts(read_csv(path)) == [[f"a{other}b", "c", "1", "2"]]
    [found] = results.read_file(path)
    assert (found.columns, found.rows) == ((f"a{other}b", "c"), ((1, 2),))

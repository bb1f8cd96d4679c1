"""Tables in files: HTML, CSV and Markdown (a file, or a folder with a file for each table), PubTabNet's JSON.

PubTabNet's annotations are JSON lines with `filename` and `html`; what its program scores is one JSON object from file
names to HTML, or to `{"html": …}`. Other JSON lines have the table under one of `KEYS`, or in the answer of a model.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace

from matchwise.formats import Format, has_ending, has_keys, has_line
from matchwise.formats.io.records import values
from matchwise.formats.io.source import Text, bare_name, name_of, open_text, place_errors, read_files
from matchwise.tasks.lists import ANSWERS
from matchwise.tasks.tables import MarkupTable, table, tables_of
from matchwise.tasks.tables.grids import KEYS

CSV_ENDINGS = (".csv", ".tsv")
TEXT_ENDINGS = (".html", ".htm", ".md")


def read_html(source: Text) -> Iterator[MarkupTable]:
    """The tables of an HTML or Markdown file, or of the files in a folder, which have the file's name as their id.

    >>> from io import StringIO
    >>> [found.cells[0].text for found in read_html(StringIO("<table><tr><td>a</table><table><tr><td>b</table>"))]
    ['a', 'b']
    """
    return read_files(source, TEXT_ENDINGS, _tables)


def _tables(source: Text) -> Iterator[MarkupTable]:
    with open_text(source) as file:
        text = file.read()
    found = tables_of(text)
    with place_errors(name_of(source), 1):
        yield from [MarkupTable(root) for root in found] or [table(text)]


def read_csv(source: Text) -> Iterator[MarkupTable]:
    """The table of a CSV or TSV file, or of each file in a folder; `records` takes its first row for the head."""
    return read_files(source, CSV_ENDINGS, _rows)


def _rows(source: Text) -> Iterator[MarkupTable]:
    with open_text(source) as file:
        dialect = "excel-tab" if bare_name(name_of(source)).endswith(".tsv") else "excel"
        with place_errors(name_of(source), 1):
            yield table([[cell.strip() for cell in row] for row in csv.reader(file, dialect) if row])


def read_pubtabnet(source: Text) -> Iterator[MarkupTable]:
    """PubTabNet's and FinTabNet's annotations, the files that PubTabNet's program scores, and other JSON lines.

    >>> from io import StringIO
    >>> [found.id for found in read_pubtabnet(StringIO('{"a.png": {"html": "<table></table>"}, "b.png": ""}'))]
    ['a.png', 'b.png']
    """
    name = name_of(source)
    for number, value in values(source):
        with place_errors(name, number):
            if not isinstance(value, dict):
                raise ValueError(f"expected a JSON object, found {type(value).__name__}")
            if any(key in value for key in (*KEYS, "cells", *ANSWERS)):
                id = next((value[key] for key in ("filename", "table_id", "imgid", "id") if key in value), None)
                yield replace(table(value.get("html", value)), id=id)
            else:
                yield from (
                    replace(table(one.get("html") if isinstance(one, dict) else one), id=id)
                    for id, one in value.items()
                )


HTMLTABLES = Format(
    name="htmltables",
    title="tables in HTML or Markdown",
    looks="<table>, or lines that begin with |",
    read=read_html,
    sniff=lambda head, name: has_ending(*TEXT_ENDINGS)(head, name) or has_line(r"\A\s*(<|\|)")(head, name),
)
CSVTABLE = Format(
    name="csvtable",
    title="a table in CSV or TSV",
    looks="a name that ends with .csv or .tsv",
    read=read_csv,
    sniff=has_ending(*CSV_ENDINGS),
)
PUBTABNET = Format(
    name="pubtabnet",
    title="JSON of PubTabNet, and JSON lines with a table",
    looks='"html", "table", "rows", "markdown", "otsl" or "cells", or names of files with their HTML',
    read=read_pubtabnet,
    sniff=lambda head, name: (
        has_keys("filename", "cells", *KEYS, *ANSWERS)(head, name) or '"<html' in head or '"<table' in head
    ),
)

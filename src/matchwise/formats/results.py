"""Result tables: JSON with the rows of each query, or CSV, TSV and Parquet with a file for each.

The first row of CSV names the columns. A column of numbers is read as numbers, and a field without text is NULL. JSON
may say more: the query (ORDER BY makes the order matter), `ordered`, `condition_cols`, or why there is no result.

    {"id": "q1", "columns": ["name", "sales"], "rows": [["Ada", 7], ["Ben", null]], "sql": "SELECT …"}
    {"id": "q2", "error": "no such table"}
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from matchwise.errors import FormatError, count_units
from matchwise.formats import Format, has_ending, has_keys
from matchwise.formats.io.records import values
from matchwise.formats.io.source import Lines, Text, bare_name, name_of, open_text, place_errors, read_files
from matchwise.tasks.results import ResultTable, result

ENDINGS = (".csv", ".tsv", ".parquet", ".arrow", ".feather")


def read_file(source: Text) -> Iterator[ResultTable]:
    """The result in a file, or in each file of a folder, which has the file's name as its id.

    >>> from io import StringIO
    >>> next(read_file(StringIO("city,n\\nRome,3\\nParis,\\n"))).rows
    (('Rome', 3), ('Paris', None))
    """
    return read_files(source, ENDINGS, _read_result)


def _read_result(source: Text) -> Iterator[ResultTable]:
    name = name_of(source)
    if bare_name(name).endswith(ENDINGS[2:]):
        import msgspec

        with place_errors(name, 1):
            yield result([msgspec.json.decode(line.data) for line in Lines(name)])
        return
    with open_text(source) as file:
        several = csv.reader(file, "excel-tab" if bare_name(name).endswith(".tsv") else "excel")
        stripped = ([field.strip() for field in row] for row in several)
        head = next(filter(None, stripped), None)
        if head is None:
            return
        rows = []
        for row in stripped:
            if row and len(row) != len(head):
                raise FormatError(
                    f"found {count_units(len(row), 'fields')}, expected {len(head)}", name, several.line_num
                )
            rows += [row] if row else []
    columns = [_read_column([row[place] for row in rows]) for place in range(len(head))]
    yield result({"columns": head, "rows": list(zip(*columns, strict=True))})


def _read_column(texts: list[str]) -> list[Any]:
    """The values of a column: whole numbers, numbers or texts."""
    for kind, pattern in NUMBERS.items():
        if all(pattern.fullmatch(text) for text in texts if text):
            return [kind(text) if text else None for text in texts]
    return [text or None for text in texts]


NUMBERS = {
    int: re.compile(r"[+-]?\d+", re.ASCII),
    float: re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity|nan)", re.ASCII | re.IGNORECASE),
}
"""How whole numbers and numbers are written; Python would also take 1_000 for one."""


def read_lines(source: Text, *, is_reference: bool = False) -> Iterator[ResultTable]:
    """The results of JSON lines, or of a JSON file with a list of them."""
    for number, value in values(source):
        with place_errors(name_of(source), number):
            found = result(value)
            if is_reference and found.error:
                raise ValueError(f"found a query that failed ({found.error}), expected its result in a reference")
            yield found


RESULTFILE = Format(
    name="resultfile",
    title="a result as CSV, TSV or Parquet, or a folder of them",
    looks="a name that ends with .csv, .tsv or .parquet",
    read=read_file,
    sniff=has_ending(*ENDINGS),
)
RESULTLINES = Format(
    name="resultlines",
    title="results as JSON",
    looks='"rows" or "data", and "columns"; "error" for a query that failed',
    read=read_lines,
    read_reference=partial(read_lines, is_reference=True),
    sniff=has_keys("rows", "data", "result", "error"),
)

"""Results as CSV: one table, unrounded, the signature as a last column."""

from __future__ import annotations

import csv
import io

from matchwise.views.tables.results import Results
from matchwise.views.tables.scores import documents, tables
from matchwise.views.tables.table import Table

BREAKDOWNS = ("confusion", "categories", "labels", "fields")


def render(results: Results) -> str:
    """The rows of documents if they were asked for, else of the first breakdown that was, else of the scores."""
    if results.view.per_document:
        table = Table("documents", tuple(documents(results)))
    else:
        found = {table.title: table for table in tables(results, long=True)}
        table = next(found[title] for title in (*BREAKDOWNS, "scores") if title in found)
    if len(results.systems) == 1 and "system" not in table.columns:
        table = Table(table.title, tuple({"system": results.systems[0].prediction, **row} for row in table.rows))
    return sheet(table, results.signature)


def sheet(table: Table, signature: str) -> str:
    """A table, each row with the signature."""
    table = table.plain()
    made = io.StringIO()
    writer = csv.DictWriter(made, [*table.columns, "signature"], restval="", lineterminator="\n")
    writer.writeheader()
    for row in table.rows:
        writer.writerow(row | {"signature": signature})
    return made.getvalue()

"""Results as CSV: one table, unrounded, the signature as a last column."""

from __future__ import annotations

import csv
import io

from matchwise.report.results import Results
from matchwise.report.tables import Table, documents, tables


def render(results: Results) -> str:
    """The rows of documents if they were asked for, else of labels, of fields, or of the scores."""
    if results.view.per_document:
        table = Table("documents", tuple(documents(results)))
    else:
        table = next((t for t in tables(results) if t.title in ("labels", "fields")), tables(results)[0])
    names = table.columns
    if len(results.systems) == 1:
        names = ["system", *names]
    made = io.StringIO()
    writer = csv.DictWriter(made, [*names, "signature"], restval="", lineterminator="\n")
    writer.writeheader()
    name = results.systems[0].prediction if results.systems else ""
    for row in table.rows:
        writer.writerow({"system": name, "signature": results.signature} | row)
    return made.getvalue()

"""A tally as bytes: a line that names the format, then, compressed, a line of JSON and the rows, little-endian.

The suite is not written, only its signature: expressions may hold functions, and nothing that is read is run.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from collections.abc import Hashable
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from matchwise.algebra.nodes import Number, Selector
from matchwise.corpus.breakdown import FieldTable, LabelTable
from matchwise.corpus.counts import Counts
from matchwise.corpus.slices import Part, Rows
from matchwise.corpus.suite import Suite
from matchwise.corpus.sums import Sums
from matchwise.corpus.tally import WIDTH, Tally
from matchwise.engine.credit import Field
from matchwise.engine.selection import join
from matchwise.errors import FormatError, MatchwiseError, MergeError

MAGIC = b"matchwise tally 1\n"


def write(tally: Tally) -> bytes:
    """The same tally gives the same bytes."""
    tally.fold()
    head = {
        "signature": tally.suite.signature,
        "documents": len(tally.ids),
        "keep": tally.keep,
        "sums": tally.sums and asdict(tally.sums),
        "ids": None if all(id is None for id in tally.ids) else tally.ids,
        "by": plain_steps(tally.by),
        "fields": tally.fields and write_fields(tally.fields),
        "labels": tally.labels and write_labels(tally.labels),
        "parts": [
            [part.kind, part.metric, _label(part.name), rows.documents.tolist(), rows.counts.tolist()]
            for part, rows in tally.parts.items()
        ],
        "open": [[metric, rows.documents.tolist(), rows.counts.tolist()] for metric, rows in tally.open.items()],
        "errors": tally.errors,
    }
    line = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return MAGIC + zlib.compress(line + b"\n" + _little_endian(tally.rows).tobytes())


def read(data: bytes, suite: Suite) -> Tally:
    """FormatError if the bytes are no tally, MergeError if they are one of another suite."""
    if not data.startswith(MAGIC):
        raise FormatError(f"found {data[:20]!r}, expected a tally as Tally.to_bytes writes it ({MAGIC!r})")
    try:
        line, _, columns = zlib.decompress(data[len(MAGIC) :]).partition(b"\n")
        head = json.loads(line.decode("utf-8", "surrogatepass"))
        rows = array("d", columns)
    except (ValueError, zlib.error) as error:
        raise FormatError(f"the tally is cut off or damaged: {error}") from None
    if head["signature"] != suite.signature:
        raise MergeError(
            f"the tally was counted under another suite:\n  {head['signature']}\n  {suite.signature} (yours)"
        )
    if len(rows) != head["documents"] * len(suite.metrics) * WIDTH:
        raise FormatError(f"the tally is damaged: found {len(rows)} numbers for {head['documents']} documents")
    tally = Tally(suite, by=tuple(head["by"]), fields=head["fields"] is not None, keep=head["keep"])
    tally.sums = head["sums"] and read_sums(head["sums"])
    tally.rows = _little_endian(rows)
    tally.ids = head["ids"] or [None] * head["documents"]
    if tally.fields is not None:
        tally.fields |= read_fields(head["fields"])
    if tally.labels is not None:
        tally.labels |= read_labels(head["labels"])
    for kind, metric, name, documents, counts in head["parts"]:
        tally.parts[Part(kind, metric, _read_label(name))] = Rows(array("q", documents), array("d", counts))
    for metric, documents, counts in head["open"]:
        tally.open[metric] = Rows(array("q", documents), array("d", counts))
    tally.errors = [(id, reason) for id, reason in head["errors"]]
    return tally


def write_fields(table: FieldTable) -> list[Any]:
    """Rows of metric and its fields, with exact numbers; a metric without fields has its row too."""
    return [
        [metric, [[path, [_number(getattr(row, name)) for name in Field.__slots__]] for path, row in rows.items()]]
        for metric, rows in table.items()
    ]


def read_fields(table: list[Any]) -> FieldTable:
    return {metric: {path: Field(*map(_read_number, numbers)) for path, numbers in rows} for metric, rows in table}


def write_labels(table: LabelTable) -> list[Any]:
    """Rows of metric and its labels, with exact numbers."""
    return [
        [
            metric,
            [
                [_label(label), [_number(x) for x in (row.matched, row.predicted, row.reference, row.found)]]
                for label, row in rows.items()
            ],
        ]
        for metric, rows in table.items()
    ]


def read_labels(table: list[Any]) -> LabelTable:
    return {
        metric: {_read_label(label): Counts(*map(_read_number, numbers)) for label, numbers in rows}
        for metric, rows in table
    }


def read_sums(sums: dict[str, Any]) -> Sums:
    totals, gained, values, raised = (
        tuple(tuple(map(float, numbers)) for numbers in sums[name]) for name in ("totals", "gained", "values", "raised")
    )
    return Sums(int(sums["documents"]), totals, gained, values, raised)


def _little_endian(rows: array[float]) -> array[float]:
    """The numbers in the byte order of the file, or back."""
    if sys.byteorder == "little":
        return rows
    swapped = rows[:]
    swapped.byteswap()
    return swapped


def _number(number: Number) -> int | str:
    """Exactly: 3 or "7/2"."""
    fraction = Fraction(number)
    return fraction.numerator if fraction.denominator == 1 else str(fraction)


def _read_number(number: int | str) -> Number:
    fraction = Fraction(number)
    return fraction.numerator if fraction.denominator == 1 else fraction


def plain_steps(by: Selector) -> list[str | int]:
    for step in by:
        if not isinstance(step, str | int):
            raise MatchwiseError(f"a tally by {join('', by)} cannot be written, as a function cannot; use a field")
    return [step for step in by if isinstance(step, str | int)]


def _label(label: Hashable) -> Any:
    if label is None or isinstance(label, str | int | float):
        return label
    if isinstance(label, tuple):
        return [_label(part) for part in label]
    raise MatchwiseError(f"the label {label!r} cannot be written; break down by a field of text or numbers")


def _read_label(label: Any) -> Hashable:
    return tuple(map(_read_label, label)) if isinstance(label, list) else label

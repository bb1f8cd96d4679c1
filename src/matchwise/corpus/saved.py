"""A tally as bytes: a line that names the format, then, compressed, a line of JSON and the rows, little-endian.

The suite is not written, only its signature: expressions may hold functions, and nothing that is read is run.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

from matchwise.algebra.nodes import Number, Selector
from matchwise.corpus.counts import Counts
from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import WIDTH, Part, Rows, Tally
from matchwise.engine.credit import Field
from matchwise.engine.selection import join
from matchwise.errors import FormatError, MatchwiseError, MergeError

MAGIC = b"matchwise tally 1\n"


def write(tally: Tally) -> bytes:
    """The same tally gives the same bytes."""
    head = {
        "signature": tally.suite.signature,
        "documents": len(tally),
        "ids": None if all(id is None for id in tally.ids) else tally.ids,
        "by": _plain_steps(tally.by),
        "fields": tally.fields
        and [
            [metric, path, [_number(getattr(row, name)) for name in Field.__slots__]]
            for metric, rows in tally.fields.items()
            for path, row in rows.items()
        ],
        "labels": tally.labels
        and [
            [metric, _label(label), [_number(x) for x in (row.matched, row.predicted, row.reference, row.found)]]
            for metric, rows in tally.labels.items()
            for label, row in rows.items()
        ],
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
    tally = Tally(suite, by=tuple(head["by"]), fields=head["fields"] is not None)
    tally.rows = _little_endian(rows)
    tally.ids = head["ids"] or [None] * head["documents"]
    for metric, path, numbers in head["fields"] or ():
        assert tally.fields is not None
        tally.fields[metric][path] = Field(*map(_read_number, numbers))
    for metric, label, numbers in head["labels"] or ():
        assert tally.labels is not None
        tally.labels[metric][_read_label(label)] = Counts(*map(_read_number, numbers))
    for kind, metric, name, documents, counts in head["parts"]:
        tally.parts[Part(kind, metric, _read_label(name))] = Rows(array("q", documents), array("d", counts))
    for metric, documents, counts in head["open"]:
        tally.open[metric] = Rows(array("q", documents), array("d", counts))
    tally.errors = [(id, reason) for id, reason in head["errors"]]
    return tally


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


def _plain_steps(by: Selector) -> list[str | int]:
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

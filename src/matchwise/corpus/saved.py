"""A tally as bytes: a line with the format and a checksum, then one JSON value, compressed; its totals as plain JSON.

The suite is not written, only its signature: expressions may hold functions, and nothing that is read is run.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from base64 import b64encode
from collections.abc import Hashable
from dataclasses import asdict
from itertools import chain
from typing import Any, Literal

import msgspec

from matchwise.algebra.nodes import Selector
from matchwise.corpus.breakdown import LabelTable, add_labels
from matchwise.corpus.reading import Reading, readings
from matchwise.corpus.sealed import (
    VERSION,
    Entry,
    Errors,
    FieldRows,
    Id,
    LabelRows,
    Place,
    check_metrics,
    check_size,
    check_version,
    convert,
    from_json,
    read_entries,
    read_fields,
    read_label,
    read_labels,
    seal,
    shorten,
    to_json,
    unseal,
    write_entries,
    write_fields,
    write_label,
    write_labels,
)
from matchwise.corpus.slices import Part, Rows
from matchwise.corpus.suite import Suite
from matchwise.corpus.sums import Sums
from matchwise.corpus.tally import WIDTH, Keep, Tally
from matchwise.corpus.totals import Totals
from matchwise.engine.selection import join
from matchwise.errors import FormatError, MatchwiseError, MergeError

KIND = "tally"


class Content(msgspec.Struct):
    """What is written of a tally; `rows` are floats, little-endian."""

    signature: str
    documents: Place
    keep: Keep
    sums: Sums | None
    ids: list[Id | None] | None
    by: list[str | int]
    fields: FieldRows | None
    labels: LabelRows | None
    parts: list[tuple[Literal["label", "field"], str, Any, list[Place], list[float]]]
    open: list[tuple[str, list[Place], list[float]]]
    errors: list[tuple[Id, str]]
    rows: bytes


def write(tally: Tally) -> bytes:
    """The same tally gives the same bytes."""
    tally.fold()
    for label in [name for rows in (tally.labels or {}).values() for name in rows]:
        _check_label(label)
    content = {
        "signature": tally.suite.signature,
        "documents": len(tally.ids),
        "keep": tally.keep,
        "sums": tally.sums and asdict(tally.sums),
        "ids": None if all(id is None for id in tally.ids) else tally.ids,
        "by": plain_steps(tally.by),
        "fields": tally.fields and write_fields(tally.fields),
        "labels": tally.labels and write_labels(tally.labels),
        "parts": [
            [part.kind, part.metric, write_label(part.name), rows.documents.tolist(), rows.counts.tolist()]
            for part, rows in tally.parts.items()
        ],
        "open": [[metric, rows.documents.tolist(), rows.counts.tolist()] for metric, rows in tally.open.items()],
        "errors": tally.errors,
        "rows": b64encode(_little_endian(tally.rows).tobytes()).decode(),
    }
    packed = zlib.compress(to_json(content))
    return b"matchwise %s %d %08x\n" % (KIND.encode(), VERSION, zlib.crc32(packed)) + packed


def read(data: bytes, suite: Suite) -> Tally:
    """FormatError if the bytes are no tally, MergeError if they are one of another suite."""
    try:
        content = _content(data)
        if content.signature == suite.signature:
            return _filled(content, suite)
    except (ValueError, zlib.error) as error:
        raise FormatError(f"no tally as Tally.to_bytes writes it: {error}") from None
    raise MergeError(f"the tally was counted under another suite:\n  {content.signature}\n  {suite.signature} (yours)")


def _content(data: bytes) -> Content:
    head, _, packed = data.partition(b"\n")
    if not head.startswith(b"matchwise ") or len(head) > 100:
        raise ValueError(f"found {data[:20]!r}")
    name, _, checksum = head.decode("utf-8", "replace").rpartition(" ")
    check_version(name if name != f"matchwise {KIND}" else f"{name} {checksum}", KIND)
    if checksum != f"{zlib.crc32(packed):08x}":
        raise ValueError("the checksum does not fit, so that it is cut off or damaged; copy it again")
    return convert(from_json(zlib.decompress(packed)), Content)


def _filled(content: Content, suite: Suite) -> Tally:
    documents, metrics = content.documents, suite.metrics
    if len(content.rows) != documents * len(metrics) * WIDTH * 8:
        raise ValueError(f"found {len(content.rows) // 8} numbers for {documents} documents")
    if content.ids is not None and len(content.ids) != documents:
        raise ValueError(f"found {len(content.ids)} ids of {documents} documents")
    tally = Tally(suite, by=tuple(content.by), fields=content.fields is not None, keep=content.keep)
    tally.sums = content.sums
    tally.rows = _little_endian(array("d", content.rows))
    check_size(tally.rows)
    if tally.sums is not None:
        _check_sums(tally.sums, len(suite.metrics), len(readings(suite)))
    tally.ids = [None] * documents if content.ids is None else list(content.ids)
    if tally.fields is not None:
        tally.fields |= read_fields(content.fields or [])
    if tally.labels is not None:
        tally.labels |= read_labels(content.labels or [])
    tally.parts |= {
        Part(kind, metric, read_label(name)): _rows(places, counts, documents)
        for kind, metric, name, places, counts in content.parts
    }
    tally.open |= {metric: _rows(places, counts, documents) for metric, places, counts in content.open}
    tally.errors = list(content.errors)
    parts = dict.fromkeys(part.metric for part in tally.parts)
    for found in (tally.fields or {}, tally.labels or {}, parts, tally.open):
        check_metrics(found, metrics)
    return tally


def _rows(places: list[int], counts: list[float], documents: int) -> Rows:
    if len(counts) != WIDTH * len(places) or any(place >= documents for place in places):
        raise ValueError(f"found a slice of {len(places)} documents that does not fit {documents} documents")
    check_size(counts)
    return Rows(array("q", places), array("d", counts))


class TotalsContent(msgspec.Struct):
    """What is written of totals."""

    signature: str
    documents: Place
    readings: dict[str, Entry]
    searched: list[str]
    sums: Sums
    by: list[str | int]
    labels: LabelRows | None
    fields: FieldRows | None
    missing: list[Id]
    errors: Errors


def write_totals(totals: Totals) -> bytes:
    """The same totals give the same bytes."""
    content = {
        "signature": totals.signature,
        "documents": totals.met,
        "readings": write_entries(totals.readings),
        "searched": sorted(totals.hard),
        "sums": asdict(totals.sums),
        "by": plain_steps(totals.by),
        "labels": totals.labels and write_labels(_as_text(totals.labels)),
        "fields": totals.fields and write_fields(totals.fields),
        "missing": totals.missing,
        "errors": totals.errors,
    }
    return to_json(seal(KIND, content))


def read_totals(data: bytes) -> Totals:
    """The totals; a ValueError says why the bytes are none."""
    content = unseal(from_json(data), KIND, TotalsContent)
    entries, sums = read_entries(content.readings), content.sums
    _check_sums(sums, sum(isinstance(entry, Reading) for entry in entries.values()), len(entries))
    labels = None if content.labels is None else read_labels(content.labels)
    fields = None if content.fields is None else read_fields(content.fields)
    for table in (labels or {}, fields or {}):
        check_metrics(table, entries)
    by, hard = tuple(content.by), frozenset(content.searched)
    missing, errors = tuple(content.missing), tuple(content.errors)
    return Totals(content.signature, entries, sums, hard, by, labels, fields, missing, errors, content.documents)


def _check_sums(sums: Sums, metrics: int, entries: int) -> None:
    found = len(sums.totals), len(sums.gained), len(sums.values), len(sums.raised)
    if found != (WIDTH * metrics, WIDTH * metrics, entries, entries):
        raise ValueError(f"found {len(sums.totals)} sums, expected {WIDTH * metrics}")
    check_size(chain.from_iterable(chain(sums.totals, sums.gained, sums.values, sums.raised)))
    if not 0 <= sums.documents <= 2**53:
        raise ValueError(f"found {shorten(sums.documents)} documents")


def _as_text(labels: LabelTable) -> LabelTable:
    """Labels that JSON does not have (a truth value, a date) as a report writes them."""
    made: LabelTable = {metric: {} for metric in labels}
    for metric, rows in labels.items():
        for label, counts in rows.items():
            plain = label is None or type(label) in (str, int, float)
            add_labels(made[metric], {label if plain else str(label): counts})
    return made


def _little_endian(rows: array[float]) -> array[float]:
    """The numbers in the byte order of the file, or back."""
    if sys.byteorder == "little":
        return rows
    swapped = rows[:]
    swapped.byteswap()
    return swapped


def plain_steps(by: Selector) -> list[str | int]:
    """A selector without functions."""
    for step in by:
        if not isinstance(step, str | int):
            raise MatchwiseError(f"a tally by {join('', by)} cannot be written, as a function cannot; use a field")
    return [step for step in by if isinstance(step, str | int)]


def _check_label(label: Hashable) -> None:
    for part in label if isinstance(label, tuple) else (label,):
        if isinstance(part, tuple):
            _check_label(part)
        elif part is not None and not isinstance(part, str | int | float):
            raise MatchwiseError(f"the label {label!r} cannot be written; break down by a field of text or numbers")

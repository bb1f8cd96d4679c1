"""A score table as a file: JSON lines that anyone can read, or Parquet for pandas, polars, DuckDB and Spark.

JSON lines begin with one line about the table, with its sums if it has any; each further line is a document. In Parquet
the first line is metadata of the schema, and each count of each metric a column (`muc.matched`). Either holds every
number unrounded. The suite is not written, only its signature: expressions may hold functions, and nothing that is read
is run.
"""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias, cast

import msgspec
import numpy as np

from matchwise.algebra.names import given
from matchwise.corpus.counts import WIDTH, Key, Part, Reading, Rows, add_row, plain
from matchwise.corpus.encoding import (
    LARGEST,
    FieldRows,
    LabelRows,
    SavedEntry,
    SavedErrors,
    SavedPlace,
    check_metrics,
    check_size,
    check_version,
    convert,
    from_json,
    plain_steps,
    read_entries,
    read_fields,
    read_label,
    read_labels,
    seal,
    to_json,
    unseal,
    write_entries,
    write_fields,
    write_label,
    write_labels,
)
from matchwise.corpus.spread import layout
from matchwise.corpus.suite import Derived
from matchwise.corpus.table import Id, Keep, Table, as_floats
from matchwise.corpus.values import Sums
from matchwise.engine.plan import CountColumns
from matchwise.errors import FormatError, MatchwiseError, shorten
from matchwise.files import PACKED, name_damage, whole

COUNTS = CountColumns._fields

Four: TypeAlias = tuple[float, float, float, float]


class SavedHead(msgspec.Struct):
    """What is written about a table, before its documents; `content` is the checksum of these."""

    signature: str
    readings: dict[str, SavedEntry]
    searched: list[str]
    by: list[str | int]
    prepared: bool
    keep: Keep
    documents: SavedPlace
    seen: SavedPlace | None
    sums: Sums | None
    labels: LabelRows | None
    fields: FieldRows | None
    missing: list[Id]
    errors: SavedErrors
    content: str
    mixed_ids: bool = False
    parts: list[tuple[Literal["label", "field"], str, Any]] = []  # msgspec copies it


class SavedLine(msgspec.Struct):
    """A document in a table of JSON lines."""

    document: Id | None
    counts: dict[str, Four]
    parts: list[tuple[Literal["label", "field"], str, Any, Four]] = []  # msgspec copies it
    best: dict[str, Four] = {}
    """The counts at best, where the optimum was not proved within the limits."""


class SavedCell(msgspec.Struct):
    """The counts of one slice of one document in Parquet, or the upper bound of one metric."""

    part: SavedPlace
    counts: Four


def save(table: Table, path: str | Path) -> None:
    """Write the table, whole or not at all, and never over a file that holds something else, such as predictions."""
    path = Path(path)
    if path.suffix in (".csv", ".tsv", ".xlsx"):
        raise MatchwiseError(
            f"{path}: a score table is saved as JSON lines (.jsonl, .jsonl.gz) or Parquet (.parquet); "
            f"for a table to read, write --format csv -o {path}"
        )
    if path.is_file() and path.stat().st_size and not is_table(path):
        raise MatchwiseError(f"{path} is not a score table, and it is not overwritten; name another file, or delete it")
    with whole(path) as temporary, open(temporary, "wb") as file:
        if path.suffix == ".parquet":
            _write_parquet(table, file)
        elif path.suffix == ".gz":
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                packed.writelines(_lines(table))
        else:
            file.writelines(_lines(table))


def load(path: str | Path) -> Table:
    """The table of a file, whose format is seen from its first bytes."""
    name = str(path)
    with open(path, "rb") as file:
        first = file.read(4)
    if first == b"PAR1":
        return _read_parquet(name)
    packed = first[:2] == PACKED
    with name_damage(name), gzip.open(path) if packed else open(path, "rb") as lines:
        return _read_lines(cast(BinaryIO, lines), name)


def is_table(path: str | Path) -> bool:
    """True if the file begins as a saved table does, of this version or another, whole or damaged."""
    with open(path, "rb") as file:
        first = file.read(4)
    try:
        if first == b"PAR1":
            return b"matchwise" in (_arrow()[1].read_schema(path).metadata or {})
        with gzip.open(path) if first[:2] == PACKED else open(path, "rb") as lines:
            return lines.read(64).startswith(b'{"format":"matchwise ')
    except (ValueError, OSError, EOFError, zlib.error):  # an error of Arrow is one of the first two
        return False


def to_bytes(table: Table) -> bytes:
    """The lines of the table, compressed; the same table gives the same bytes."""
    return zlib.compress(b"".join(_lines(table)))


def from_bytes(data: bytes) -> Table:
    """The table that `to_bytes` wrote."""
    try:
        if data.startswith(b"matchwise "):
            check_version(data.split(b"\n")[0].rpartition(b" ")[0].decode("utf-8", "replace"))
        lines = zlib.decompress(data)
    except (ValueError, zlib.error) as error:
        raise FormatError(f"{WRONG}: {error}") from None
    return _read_lines(BytesIO(lines), "")


WRONG = "not a score table as matchwise saves it"


def _lines(table: Table) -> Iterator[bytes]:
    yield to_json(seal(_head(table)))
    slices: dict[int, list[Any]] = {}
    for part, rows in table.parts.items():
        for document, row in _each(rows):
            kept = [part.kind, part.metric, write_label(part.name), row]
            slices.setdefault(document, []).append(kept)
    best: dict[int, dict[str, list[float]]] = {}
    for metric, rows in table.open.items():
        for document, row in _each(rows):
            best.setdefault(document, {})[metric] = row
    names = table.metrics
    width = WIDTH * len(names)
    for place, id in enumerate(table.ids):
        numbers = list(map(plain, table.rows[width * place : width * (place + 1)]))
        line: dict[str, Any] = {
            "document": id,
            "counts": {name: numbers[WIDTH * at : WIDTH * (at + 1)] for at, name in enumerate(names)},
        }
        for key, found in (("parts", slices.get(place)), ("best", best.get(place))):
            if found:
                line[key] = found
        yield to_json(line)


def _each(rows: Rows) -> Iterator[tuple[int, list[float]]]:
    """Each document of a slice, and its counts there."""
    for place, document in enumerate(rows.documents):
        yield document, list(map(plain, rows.counts[WIDTH * place : WIDTH * (place + 1)]))


def _read_lines(file: BinaryIO, name: str) -> Table:
    number = 1
    decode = msgspec.json.Decoder(SavedLine).decode
    try:
        head = unseal(from_json(file.readline()), SavedHead)
        made = _table(head)
        names = made.metrics
        for data in file:
            number += 1
            try:
                row = decode(data)
            except (ValueError, RecursionError):  # half a surrogate is no JSON for msgspec
                row = convert(from_json(data), SavedLine)
            if row.counts.keys() != set(names):
                raise ValueError(f"found counts of {shorten(list(row.counts))}, expected {shorten(names)}")
            for metric in names:
                made.rows.extend(row.counts[metric])
            for kind, metric, label, counts in row.parts:
                _add(made, made.parts, Part(kind, metric, read_label(label)), metric, counts)
            for metric, counts in row.best.items():
                _add(made, made.open, metric, metric, counts)
            made.ids.append(row.document)
    except ValueError as error:
        raise FormatError(f"{WRONG}: {error}", name, number if name else None) from None
    return _check(made, head, name)


def _add(made: Table, slices: dict[Key, Rows], key: Key, metric: str, counts: Four) -> None:
    """Add what the document that comes next has of a slice, or of a metric at best."""
    check_metrics({metric: None}, made.readings)
    add_row(slices, key, len(made.ids), counts)


def _write_parquet(table: Table, file: BinaryIO) -> None:
    arrow, parquet = _arrow()
    ids = table.ids
    mixed = not (all(map(_is_text, ids)) or all(map(_is_long, ids)))
    columns: dict[str, Any] = {"document": arrow.array([json.dumps(id) for id in ids] if mixed else ids)}
    for metric in table.metrics:
        for name, column in zip(COUNTS, table.columns(metric).counts, strict=True):
            columns[f"{metric}.{name}"] = arrow.array(column, arrow.float64())
    kind = arrow.list_(arrow.struct([("part", arrow.int32()), ("counts", arrow.list_(arrow.float64()))]))
    columns["parts"] = arrow.array(_cells(table.parts.values(), len(ids)), kind)
    if table.open:
        by_metric = (table.open.get(metric, Rows(array("q"), array("d"))) for metric in table.metrics)
        columns["best"] = arrow.array(_cells(by_metric, len(ids)), kind)
    parts = [[part.kind, part.metric, write_label(part.name)] for part in table.parts]
    head = seal(_head(table) | {"mixed_ids": mixed, "parts": parts})
    made = arrow.table(columns).replace_schema_metadata({b"matchwise": to_json(head)})
    parquet.write_table(made, file, write_page_checksum=True)


def _cells(slices: Iterable[Rows], documents: int) -> list[list[dict[str, Any]]]:
    """For each document, the slices that it has, by their numbers."""
    made: list[list[dict[str, Any]]] = [[] for _ in range(documents)]
    for number, rows in enumerate(slices):
        for document, row in _each(rows):
            made[document].append({"part": number, "counts": row})
    return made


def _read_parquet(name: str) -> Table:
    arrow, parquet = _arrow()
    try:
        read = parquet.read_table(name, page_checksum_verification=True)
        read.validate(full=True)  # Arrow believes the sizes and places that a file names
        head = unseal(from_json((read.schema.metadata or {}).get(b"matchwise", b"null")), SavedHead)
        made = _table(head)
        ids = read["document"].to_pylist()
        if head.mixed_ids:
            ids = [from_json(id.encode()) for id in ids]
        ids = convert(ids, list[Id | None])
        columns = [read[f"{metric}.{count}"].to_numpy() for metric in made.metrics for count in COUNTS]
        if columns:
            made.rows = as_floats(np.stack(columns, axis=1))
        known = [Part(kind, metric, read_label(label)) for kind, metric, label in head.parts]
        parts = convert(read["parts"].to_pylist(), list[list[SavedCell]])
        best = (
            convert(read["best"].to_pylist(), list[list[SavedCell]]) if "best" in read.column_names else [[]] * len(ids)
        )
        for id, mine, upper in zip(ids, parts, best, strict=True):
            for cell in mine:
                _add(made, made.parts, known[cell.part], known[cell.part].metric, cell.counts)
            for cell in upper:
                _add(made, made.open, made.metrics[cell.part], made.metrics[cell.part], cell.counts)
            made.ids.append(id)
    except (arrow.ArrowException, OSError, ValueError, LookupError, TypeError, AttributeError, SystemError) as error:
        problem = " ".join(str(error).split())
        raise FormatError(f"{WRONG}: {problem}", name) from None
    return _check(made, head, name)


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MatchwiseError("Parquet needs pyarrow; pip install matchwise[arrow], or save as .jsonl") from None
    return pyarrow, pyarrow.parquet


def _head(table: Table) -> dict[str, Any]:
    return {
        "signature": table.signature,
        "readings": write_entries(table.readings),
        "searched": sorted(table.searched),
        "by": plain_steps(table.by),
        "prepared": table.prepared,
        "keep": table.keep,
        "documents": len(table.ids),
        "seen": table.seen,
        "sums": None if table.sums is None else _write_sums(table.sums),
        "labels": None if table.labels is None else write_labels(table.labels),
        "fields": None if table.fields is None else write_fields(table.fields),
        "missing": table.missing,
        "errors": table.errors,
        "content": _checksum(table),
    }


def _write_sums(sums: Sums) -> dict[str, Any]:
    return given(sums) | {"spread": None if sums.spread is None else given(sums.spread)}


def _checksum(table: Table) -> str:
    """Checksum of all ids and numbers; equal tables have the same one in every file format."""
    found = _add_numbers(table.rows, zlib.crc32(to_json(table.ids)))
    slices: dict[bytes, list[tuple[int, Any]]] = {}
    for part, rows in table.parts.items():
        slices.setdefault(to_json([part.kind, part.metric, write_label(part.name)]), []).extend(_each(rows))
    for metric, rows in table.open.items():
        slices.setdefault(to_json(["best", metric]), []).extend(_each(rows))
    for name, cells in sorted(slices.items()):
        cells.sort(key=lambda cell: cell[0])
        found = zlib.crc32(name, found)
        found = _add_numbers(chain.from_iterable([document, *counts] for document, counts in cells), found)
    return f"{found:08x}"


def _add_numbers(numbers: Iterable[float], found: int) -> int:
    """Extend a checksum by numbers; 0 and -0 count as equal."""
    made = array("d", (number + 0.0 for number in numbers))
    if sys.byteorder == "big":
        made.byteswap()
    return zlib.crc32(made.tobytes(), found)


def _table(head: SavedHead) -> Table:
    """The table without its documents."""
    readings = read_entries(head.readings)
    table = Table(
        head.signature,
        readings,
        by=tuple(head.by),
        errors=list(head.errors),
        prepared=head.prepared,
        searched=frozenset(head.searched),
        keep=head.keep,
        sums=head.sums,
        labels=None if head.labels is None else read_labels(head.labels),
        fields=None if head.fields is None else read_fields(head.fields),
        missing=list(head.missing),
        seen=head.seen,
    )
    for found in (table.labels or {}, table.fields or {}):
        check_metrics(found, readings)
    if head.sums is not None:
        _check_sums(head.sums, len(table.metrics), len(readings))
        _check_spread(head.sums, readings)
    return table


def _check_sums(sums: Sums, metrics: int, entries: int) -> None:
    columns = sums.totals, sums.gained, sums.values, sums.raised, sums.precisions, sums.recalls
    if tuple(map(len, columns)) != (*[WIDTH * metrics] * 2, *[entries] * 4):
        raise ValueError(f"found {len(sums.totals)} sums, expected {WIDTH * metrics}")
    check_size(chain.from_iterable(chain(*columns)))
    if not 0 <= sums.documents <= 2**53:
        raise ValueError(f"found {shorten(sums.documents)} documents")


def _check_spread(sums: Sums, readings: Mapping[str, Reading | Derived]) -> None:
    if sums.spread is None:
        return
    scored, pairs = layout(tuple(readings.items()))
    found = tuple(map(len, (sums.spread.products, sums.spread.units, sums.spread.beyond)))
    if found != (len(pairs), len(scored), len(scored)):
        raise ValueError(f"found {found[0]} sums of products, expected {len(pairs)}")
    check_size(chain.from_iterable(sums.spread.products))
    if any(not 0 <= number <= sums.documents for number in (*sums.spread.units, *sums.spread.beyond)):
        raise ValueError("found more documents with a score than documents")


def _check(made: Table, head: SavedHead, name: str) -> Table:
    """Verify size and checksum, and return the table."""
    if len(made.ids) != head.documents:
        raise FormatError(f"the table is cut off: found {len(made.ids)} of {head.documents} documents", name)
    counts = chain(made.rows, *(rows.counts for rows in made.parts.values()))
    large = any(not -LARGEST <= number <= LARGEST for number in counts)
    if large or _checksum(made) != head.content:
        raise FormatError("the checksum does not fit: the file was changed or damaged; copy it again", name)
    return made


def _is_text(id: object) -> bool:
    return id is None or (isinstance(id, str) and not any("\ud800" <= letter <= "\udfff" for letter in id))


def _is_long(id: object) -> bool:
    return id is None or (isinstance(id, int) and not isinstance(id, bool) and -(2**63) <= id < 2**63)

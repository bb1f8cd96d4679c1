"""A score table as a file: JSON lines that anyone can read, or Parquet for pandas, polars, DuckDB and Spark.

JSON lines begin with one line about the table; each further line is a document. In Parquet the first line is metadata
of the schema, and each quantity of each metric a column (`muc.matched`). Either holds every number unrounded.
"""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeAlias, cast

import msgspec

from matchwise.corpus.counts import plain
from matchwise.corpus.sealed import (
    LARGEST,
    Entry,
    Errors,
    Id,
    Place,
    check_metrics,
    convert,
    from_json,
    read_entries,
    read_label,
    seal,
    shorten,
    to_json,
    unseal,
    write_entries,
    write_label,
)
from matchwise.corpus.slices import Part
from matchwise.corpus.table import Rows, Table
from matchwise.corpus.tally import WIDTH
from matchwise.engine.plan import Quantities
from matchwise.errors import FormatError, MatchwiseError
from matchwise.files import PACKED, naming_damage, whole

if TYPE_CHECKING:
    from matchwise.corpus.statistic import Array

KIND = "score table"

QUANTITIES = Quantities._fields


def save(table: Table, path: str | Path) -> None:
    """Write the table, whole or not at all."""
    path = Path(path)
    if path.suffix in (".csv", ".tsv", ".xlsx", ".txt"):
        raise MatchwiseError(
            f"{path}: a score table is saved as JSON lines (.jsonl, .jsonl.gz) or Parquet (.parquet); "
            f"for a table to read, write --format csv -o {path}"
        )
    with whole(path) as temporary, open(temporary, "wb") as file:
        if path.suffix == ".parquet":
            _write_parquet(table, file)
        elif path.suffix == ".gz":
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                _write_lines(table, cast(BinaryIO, packed))
        else:
            _write_lines(table, file)


def load(path: str | Path) -> Table:
    """The table of a file, whose format is seen from its first bytes."""
    name = str(path)
    with open(path, "rb") as file:
        first = file.read(4)
    if first == b"PAR1":
        return _read_parquet(name)
    packed = first[:2] == PACKED
    with naming_damage(name), gzip.open(path) if packed else open(path, "rb") as lines:
        return _read_lines(cast(BinaryIO, lines), name)


def _write_lines(table: Table, file: BinaryIO) -> None:
    file.write(to_json(seal(KIND, _head(table))))
    slices: dict[int, list[Any]] = {}
    for part, rows in table.parts.items():
        for document, row in zip(rows.documents.tolist(), rows.counts.tolist(), strict=True):
            kept = [part.kind, part.metric, write_label(part.name), list(map(plain, row))]
            slices.setdefault(document, []).append(kept)
    places = list(enumerate(table.metrics))
    for place, id in enumerate(table.ids):
        numbers = list(map(plain, table.counts[place].tolist()))
        counts = {name: numbers[WIDTH * at : WIDTH * (at + 1)] for at, name in places}
        parts = slices.get(place)
        file.write(to_json({"document": id, "counts": counts} | ({"parts": parts} if parts else {})))


def _read_lines(file: BinaryIO, name: str) -> Table:
    import numpy as np

    number = 1
    decode = msgspec.json.Decoder(Line).decode
    try:
        head = unseal(from_json(file.readline()), KIND, Head)
        made = _table(head)
        ids: list[Id | None] = []
        numbers: list[float] = []
        slices = _Slices(made)
        for data in file:
            number += 1
            try:
                row = decode(data)
            except (ValueError, RecursionError):  # half a surrogate is no JSON for msgspec
                row = convert(from_json(data), Line)
            if row.counts.keys() != set(made.metrics):
                raise ValueError(f"found counts of {shorten(list(row.counts))}, expected {shorten(made.metrics)}")
            for metric in made.metrics:
                numbers += row.counts[metric]
            for kind, metric, label, quantities in row.parts:
                slices.add(Part(kind, metric, read_label(label)), len(ids), quantities)
            ids.append(row.document)
    except ValueError as error:
        raise FormatError(f"no line of a score table as Table.save writes it: {error}", name, number) from None
    return _filled(made, head, ids, np.array(numbers, dtype=np.float64), slices, name)


def _write_parquet(table: Table, file: BinaryIO) -> None:
    arrow, parquet = _arrow()
    ids = list(table.ids)
    mixed = not (all(map(_is_text, ids)) or all(map(_is_long, ids)))
    columns: dict[str, Any] = {"document": arrow.array([json.dumps(id) for id in ids] if mixed else ids)}
    for at, metric in enumerate(table.metrics):
        for place, quantity in enumerate(QUANTITIES):
            columns[f"{metric}.{quantity}"] = table.counts[:, WIDTH * at + place]
    slices: list[list[dict[str, Any]]] = [[] for _ in ids]
    for number, rows in enumerate(table.parts.values()):
        for document, row in zip(rows.documents.tolist(), rows.counts.tolist(), strict=True):
            slices[document].append({"part": number, "counts": row})
    kind = arrow.struct([("part", arrow.int32()), ("counts", arrow.list_(arrow.float64()))])
    columns["parts"] = arrow.array(slices, arrow.list_(kind))
    parts = [[part.kind, part.metric, write_label(part.name)] for part in table.parts]
    head = seal(KIND, _head(table) | {"mixed_ids": mixed, "parts": parts})
    made = arrow.table(columns).replace_schema_metadata({b"matchwise": to_json(head)})
    parquet.write_table(made, file, write_page_checksum=True)


def _read_parquet(name: str) -> Table:
    import numpy as np

    arrow, parquet = _arrow()
    try:
        read = parquet.read_table(name, page_checksum_verification=True)
        head = unseal(from_json((read.schema.metadata or {}).get(b"matchwise", b"null")), KIND, Head)
        made = _table(head)
        ids = read["document"].to_pylist()
        if head.mixed_ids:
            ids = [from_json(id.encode()) for id in ids]
        ids = convert(ids, list[Id | None])
        columns = [read[f"{metric}.{quantity}"].to_numpy() for metric in made.metrics for quantity in QUANTITIES]
        counts = np.stack(columns, axis=1).astype(np.float64).reshape(-1) if columns else np.zeros(0)
        known = [Part(kind, metric, read_label(label)) for kind, metric, label in head.parts]
        slices = _Slices(made)
        for document, row in enumerate(convert(read["parts"].to_pylist(), list[list[Cell]])):
            for cell in row:
                slices.add(known[cell.part], document, cell.counts)
    except (arrow.ArrowException, OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        problem = " ".join(str(error).split())
        raise FormatError(f"no score table as Table.save writes it: {problem}", name) from None
    return _filled(made, head, ids, counts, slices, name)


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MatchwiseError("Parquet needs pyarrow; pip install matchwise[arrow], or save as .jsonl") from None
    return pyarrow, pyarrow.parquet


class Head(msgspec.Struct):
    """What is written about a table, before its documents; `content` is the checksum of these."""

    signature: str
    readings: dict[str, Entry]
    by: str
    prepared: bool
    errors: Errors
    documents: Place
    content: str
    mixed_ids: bool = False
    parts: list[tuple[Literal["label", "field"], str, Any]] = []  # msgspec copies it


Four: TypeAlias = tuple[float, float, float, float]


class Line(msgspec.Struct):
    """A document of a table of JSON lines."""

    document: Id | None
    counts: dict[str, Four]
    parts: list[tuple[Literal["label", "field"], str, Any, Four]] = []  # msgspec copies it


class Cell(msgspec.Struct):
    """The counts of one slice of one document, in Parquet."""

    part: Place
    counts: Four


class _Slices:
    """The slices of a table while it is read."""

    def __init__(self, table: Table) -> None:
        self.metrics = dict.fromkeys(table.metrics)
        self.found: dict[Part, tuple[list[int], list[float]]] = {}

    def add(self, part: Part, document: int, counts: Four) -> None:
        if part not in self.found:
            check_metrics({part.metric: None}, self.metrics)
            self.found[part] = [], []
        documents, numbers = self.found[part]
        documents.append(document)
        numbers += counts

    def rows(self) -> dict[Part, Rows]:
        import numpy as np

        return {
            part: Rows(np.array(documents, dtype=np.int64), np.array(numbers, dtype=np.float64).reshape(-1, WIDTH))
            for part, (documents, numbers) in self.found.items()
        }


def _head(table: Table) -> dict[str, Any]:
    return {
        "signature": table.signature,
        "readings": write_entries(table.readings),
        "by": table.by,
        "prepared": table.prepared,
        "errors": table.errors,
        "documents": len(table),
        "content": _checksum(table),
    }


def _checksum(table: Table) -> str:
    """Of all ids and numbers; equal tables have equal ones, in whichever format they are saved."""
    import numpy as np

    found = zlib.crc32(to_json(table.ids))
    found = zlib.crc32((table.counts + 0.0).astype("<f8").tobytes(), found)
    slices: dict[bytes, list[Rows]] = {}
    for part, rows in table.parts.items():
        slices.setdefault(to_json([part.kind, part.metric, write_label(part.name)]), []).append(rows)
    for name, parts in sorted(slices.items()):
        documents = np.concatenate([rows.documents for rows in parts])
        order = np.argsort(documents, kind="stable")
        counts = np.concatenate([rows.counts for rows in parts])[order] + 0.0
        found = zlib.crc32(name, found)
        found = zlib.crc32(documents[order].astype("<i8").tobytes(), found)
        found = zlib.crc32(counts.astype("<f8").tobytes(), found)
    return f"{found:08x}"


def _table(head: Head) -> Table:
    """The table without its documents."""
    import numpy as np

    readings, errors = read_entries(head.readings), tuple(head.errors)
    return Table(head.signature, readings, (), np.zeros((0, 0)), head.by, {}, errors, head.prepared)


def _filled(made: Table, head: Head, ids: list[Id | None], counts: Array, slices: _Slices, name: str) -> Table:
    from dataclasses import replace

    if len(ids) != head.documents:
        raise FormatError(f"the table is cut off: found {len(ids)} of {head.documents} documents", name)
    counts = counts.reshape(len(ids), len(made.metrics) * WIDTH)
    table = replace(made, ids=tuple(ids), counts=counts, parts=slices.rows())
    if _checksum(table) != head.content or not bool((abs(counts) <= LARGEST).all()):
        raise FormatError("the checksum does not fit, so that the file was changed or damaged; copy it again", name)
    return table


def _is_text(id: object) -> bool:
    return id is None or (isinstance(id, str) and not any("\ud800" <= letter <= "\udfff" for letter in id))


def _is_long(id: object) -> bool:
    return id is None or (isinstance(id, int) and not isinstance(id, bool) and -(2**63) <= id < 2**63)

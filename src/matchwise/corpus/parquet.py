"""A score table as Parquet: each count is a column (`muc.matched`), and what is known about it metadata."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, BinaryIO

import msgspec
import numpy as np

from matchwise.corpus.counts import Portion, PortionRows
from matchwise.corpus.storage import (
    WRONG,
    Four,
    SavedHead,
    SavedPlace,
    add_saved,
    check,
    convert,
    each_row,
    from_json,
    make_table,
    read_label,
    seal,
    to_json,
    unseal,
    write_head,
    write_label,
)
from matchwise.corpus.table import Id, Table, as_floats
from matchwise.engine.plan import CountColumns
from matchwise.errors import FormatError, MatchwiseError

COUNTS = CountColumns._fields


class SavedCell(msgspec.Struct):
    """The counts of one slice of one document in Parquet, or the upper bound of one metric."""

    part: SavedPlace
    counts: Four


def write(table: Table, file: BinaryIO) -> None:
    arrow, parquet = load_arrow()
    ids = table.ids
    mixed = not (all(map(_is_text, ids)) or all(map(_is_long, ids)))
    columns: dict[str, Any] = {"document": arrow.array([json.dumps(id) for id in ids] if mixed else ids)}
    names = [f"{metric}.{count}" for metric in table.metrics for count in COUNTS]
    for name, column in zip(names, table.matrix().T, strict=True):
        columns[name] = arrow.array(column, arrow.float64())
    kind = arrow.list_(arrow.struct([("part", arrow.int32()), ("counts", arrow.list_(arrow.float64()))]))
    columns["parts"] = arrow.array(_cells(table.parts.values(), len(ids)), kind)
    if table.open:
        by_metric = (table.open.get(metric, PortionRows()) for metric in table.metrics)
        columns["best"] = arrow.array(_cells(by_metric, len(ids)), kind)
    parts = [[part.kind, part.metric, write_label(part.name)] for part in table.parts]
    head = seal(write_head(table) | {"mixed_ids": mixed, "parts": parts})
    made = arrow.table(columns).replace_schema_metadata({b"matchwise": to_json(head)})
    parquet.write_table(made, file, write_page_checksum=True)


def _cells(slices: Iterable[PortionRows], documents: int) -> list[list[dict[str, Any]]]:
    """For each document, the slices that it has, by their numbers."""
    made: list[list[dict[str, Any]]] = [[] for _ in range(documents)]
    for number, rows in enumerate(slices):
        for document, row in each_row(rows):
            made[document].append({"part": number, "counts": row})
    return made


def read(name: str) -> Table:
    arrow, parquet = load_arrow()
    try:
        read = parquet.read_table(name, page_checksum_verification=True)
        read.validate(full=True)  # Arrow believes the sizes and places that a file names
        head = unseal(from_json((read.schema.metadata or {}).get(b"matchwise", b"null")), SavedHead)
        made = make_table(head)
        ids = read["document"].to_pylist()
        if head.mixed_ids:
            ids = [from_json(id.encode()) for id in ids]
        ids = convert(ids, list[Id | None])
        columns = [read[f"{metric}.{count}"].to_numpy() for metric in made.metrics for count in COUNTS]
        if columns:
            made.rows = as_floats(np.stack(columns, axis=1))
        known = [Portion(kind, metric, read_label(label)) for kind, metric, label in head.parts]
        parts = convert(read["parts"].to_pylist(), list[list[SavedCell]])
        upper = read["best"].to_pylist() if "best" in read.column_names else [[]] * len(ids)
        for id, mine, best in zip(ids, parts, convert(upper, list[list[SavedCell]]), strict=True):
            for cell in mine:
                add_saved(made, known[cell.part], cell.counts)
            for cell in best:
                add_saved(made, made.metrics[cell.part], cell.counts)
            made.ids.append(id)
    except (arrow.ArrowException, OSError, ValueError, LookupError, TypeError, AttributeError, SystemError) as error:
        problem = " ".join(str(error).split())
        raise FormatError(f"{WRONG}: {problem}", name) from None
    return check(made, head, name)


def load_arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MatchwiseError("Parquet needs pyarrow; pip install matchwise[arrow], or save as .jsonl") from None
    return pyarrow, pyarrow.parquet


def _is_text(id: object) -> bool:
    return id is None or (isinstance(id, str) and not any("\ud800" <= letter <= "\udfff" for letter in id))


def _is_long(id: object) -> bool:
    return id is None or (isinstance(id, int) and not isinstance(id, bool) and -(2**63) <= id < 2**63)

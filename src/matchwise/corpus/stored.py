"""A score table as a file: JSON lines that anyone can read, or Parquet for pandas, polars, DuckDB and Spark.

JSON lines begin with one line about the table; each further line is a document. In Parquet the first line is metadata
of the schema, and each quantity of each metric a column (`muc.matched`). Either holds every number unrounded.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Hashable, Mapping
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from matchwise.algebra.nodes import Number
from matchwise.corpus.counts import plain
from matchwise.corpus.reading import Reading
from matchwise.corpus.slices import Part
from matchwise.corpus.suite import Derived
from matchwise.corpus.table import Rows, Table
from matchwise.corpus.tally import WIDTH, Id
from matchwise.corpus.whole import whole
from matchwise.engine.plan import Quantities
from matchwise.errors import FormatError, MatchwiseError

if TYPE_CHECKING:
    from matchwise.corpus.statistic import Array

FORMAT = "matchwise score table 1"

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
    try:
        with gzip.open(path) if first[:2] == b"\x1f\x8b" else open(path, "rb") as lines:
            return _read_lines(cast(BinaryIO, lines), name)
    except (EOFError, gzip.BadGzipFile) as error:
        raise FormatError(f"the file is cut off or damaged: {error}", name) from None


def _write_lines(table: Table, file: BinaryIO) -> None:
    file.write(_line({**_head(table), "documents": len(table)}))
    slices: dict[int, list[Any]] = {}
    for part, rows in table.parts.items():
        for document, row in zip(rows.documents.tolist(), rows.counts.tolist(), strict=True):
            kept = [part.kind, part.metric, _label(part.name), list(map(plain, row))]
            slices.setdefault(document, []).append(kept)
    places = list(enumerate(table.metrics))
    for place, id in enumerate(table.ids):
        numbers = list(map(plain, table.counts[place].tolist()))
        counts = {name: numbers[WIDTH * at : WIDTH * (at + 1)] for at, name in places}
        parts = slices.get(place)
        file.write(_line({"document": id, "counts": counts} | ({"parts": parts} if parts else {})))


def _read_lines(file: BinaryIO, name: str) -> Table:
    import numpy as np

    number = 1
    try:
        head = json.loads(file.readline())
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise ValueError(f"found {_short(head)}")
        made = _table(head)
        ids: list[Id | None] = []
        numbers: list[float] = []
        slices: dict[Part, tuple[list[int], list[float]]] = {}
        for line in file:
            number += 1
            row = json.loads(line)
            for metric in made.metrics:
                matched, predicted, recalled, reference = row["counts"][metric]
                numbers += (matched, predicted, recalled, reference)
            for kind, metric, label, quantities in row.get("parts", ()):
                documents, counts = slices.setdefault(Part(kind, metric, _read_label(label)), ([], []))
                documents.append(len(ids))
                counts += quantities
            ids.append(row["document"])
        counted = np.array(numbers, dtype=np.float64)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise FormatError(f"no line of a score table as Table.save writes it: {error}", name, number) from None
    if len(ids) != head["documents"]:
        raise FormatError(f"the table is cut off: found {len(ids)} of {head['documents']} documents", name)
    parts = {part: _rows(documents, counts) for part, (documents, counts) in slices.items()}
    return _filled(made, ids, counted, parts)


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
    head = _head(table) | {
        "mixed_ids": mixed,
        "parts": [[part.kind, part.metric, _label(part.name)] for part in table.parts],
    }
    made = arrow.table(columns).replace_schema_metadata({b"matchwise": _line(head)})
    parquet.write_table(made, file)


def _read_parquet(name: str) -> Table:
    import numpy as np

    arrow, parquet = _arrow()
    try:
        read = parquet.read_table(name)
        head = json.loads((read.schema.metadata or {})[b"matchwise"])
        if head["format"] != FORMAT:
            raise KeyError(FORMAT)
        made = _table(head)
        ids = read["document"].to_pylist()
        columns = [read[f"{metric}.{quantity}"].to_numpy() for metric in made.metrics for quantity in QUANTITIES]
        slices: dict[Part, tuple[list[int], list[float]]] = {
            Part(kind, metric, _read_label(label)): ([], []) for kind, metric, label in head["parts"]
        }
        known = list(slices.values())
        for document, row in enumerate(read["parts"].to_pylist()):
            for one in row:
                known[one["part"]][0].append(document)
                known[one["part"]][1].extend(one["counts"])
    except (arrow.ArrowInvalid, KeyError, ValueError, IndexError, TypeError) as error:
        raise FormatError(f"no score table as Table.save writes it: {error}", name) from None
    if head["mixed_ids"]:
        ids = [json.loads(id) for id in ids]
    parts = {part: _rows(documents, counts) for part, (documents, counts) in slices.items()}
    return _filled(made, ids, np.stack(columns, axis=1).astype(np.float64), parts)


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MatchwiseError("Parquet needs pyarrow; pip install matchwise[arrow], or save as .jsonl") from None
    return pyarrow, pyarrow.parquet


def _head(table: Table) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "signature": table.signature,
        "readings": {name: write_reading(entry) for name, entry in table.readings.items()},
        "by": table.by,
        "prepared": table.prepared,
        "errors": table.errors,
    }


def _table(head: Mapping[str, Any]) -> Table:
    """The table without its documents."""
    import numpy as np

    readings = {name: read_reading(entry) for name, entry in head["readings"].items()}
    errors = tuple((id, reason) for id, reason in head["errors"])
    return Table(head["signature"], readings, (), np.zeros((0, 0)), head["by"], {}, errors, head["prepared"])


def _filled(made: Table, ids: list[Id | None], counts: Array, parts: dict[Part, Rows]) -> Table:
    from dataclasses import replace

    counts = counts.reshape(len(ids), len(made.metrics) * WIDTH)
    return replace(made, ids=tuple(ids), counts=counts, parts=parts)


def _rows(documents: list[int], counts: list[float]) -> Rows:
    import numpy as np

    return Rows(np.array(documents, dtype=np.int64), np.array(counts, dtype=np.float64).reshape(-1, WIDTH))


def write_reading(entry: Reading | Derived) -> dict[str, Any]:
    return {
        name: str(value) if isinstance(value, Fraction) else value
        for name, value in asdict(entry).items()
        if value is not None
    }


def read_reading(entry: dict[str, Any]) -> Reading | Derived:
    if "how" in entry:
        return Derived(entry["how"], tuple(entry["names"]), entry.get("where"))
    return Reading(entry["kind"], *(_read_number(entry[name]) for name in ("beta", "empty", "empty_recall")))


def _read_number(number: int | float | str) -> Number:
    return Fraction(number) if isinstance(number, str) else number


def _label(label: Hashable) -> Any:
    if label is None or isinstance(label, str | int | float):
        return label
    return [_label(part) for part in label] if isinstance(label, tuple) else str(label)


def _read_label(label: Any) -> Hashable:
    return tuple(map(_read_label, label)) if isinstance(label, list) else label


def _is_text(id: object) -> bool:
    return id is None or (isinstance(id, str) and not any("\ud800" <= letter <= "\udfff" for letter in id))


def _is_long(id: object) -> bool:
    return id is None or (isinstance(id, int) and not isinstance(id, bool) and -(2**63) <= id < 2**63)


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."

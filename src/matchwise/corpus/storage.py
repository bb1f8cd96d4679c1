"""A score table as a file: JSON lines that anyone can read, or Parquet for pandas, DuckDB and Spark.

JSON lines begin with one line about the table, with its format and a checksum, and with its sums if it has any; each
further line is a document. Every number is written unrounded. The suite is not written, only its signature: expressions
may hold functions, and nothing that is read is run.

>>> made = seal({"documents": 2})
>>> made
{'format': 'matchwise score table 3', 'documents': 2, 'checksum': 'd8d613f3'}
>>> unseal(made, dict[str, int])
{'documents': 2}
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import zlib
from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sized
from fractions import Fraction
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, TypeAlias, TypeVar, cast

import msgspec
import numpy as np

from matchwise.algebra.names import given
from matchwise.algebra.nodes import Kind, Number, Selector
from matchwise.corpus.breakdown import FieldCounts, LabelTable
from matchwise.corpus.counts import WIDTH, Counts, Portion, PortionRows, Reading, add_counts, plain
from matchwise.corpus.statistic import layout
from matchwise.corpus.suite import Combined, Derived, Where
from matchwise.corpus.table import Id, Keep, Table, as_floats
from matchwise.corpus.values import Sums
from matchwise.engine.plan import CountColumns
from matchwise.engine.selection import join
from matchwise.errors import FormatError, MatchwiseError, count_units, shorten
from matchwise.files import PACKED, name_damage, whole

FORMAT, VERSION = "matchwise score table", 3
"""A file of another version is refused."""

Content = TypeVar("Content")

SavedPlace: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A position, or a number of documents."""
Exact: TypeAlias = int | str
"""A number without rounding: 3 or "7/2"."""
FieldRows: TypeAlias = list[tuple[str, list[tuple[str, tuple[Exact, Exact, Exact, Exact, Exact]]]]]
LabelRows: TypeAlias = list[tuple[str, list[tuple[Any, tuple[Exact, Exact, Exact, Exact]]]]]
SavedErrors: TypeAlias = list[tuple[Id | None, str]]


class SavedEntry(msgspec.Struct, forbid_unknown_fields=True):
    """How one entry of a suite is read: a `Reading` has a kind, a `Derived` says how."""

    kind: Kind | Literal["harmonic", "total", "mean"] | None = None
    beta: Exact | float = 1
    empty: Exact | float = 1
    empty_recall: Exact | float = 1
    how: Combined | None = None
    names: tuple[str, ...] = ()
    where: Where | None = None


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
    unreadable: list[Id] = []  # msgspec copies it
    mixed_ids: bool = False
    parts: list[tuple[Literal["label", "field"], str, Any]] = []  # msgspec copies it


class SavedLine(msgspec.Struct):
    """A document in a table of JSON lines."""

    document: Id | None
    counts: dict[str, Four]
    parts: list[tuple[Literal["label", "field"], str, Any, Four]] = []  # msgspec copies it
    best: dict[str, Four] = {}
    """The counts at best, where the optimum was not proved within the limits."""


def check_target(path: str | Path) -> None:
    """Refuse a file that a table cannot be saved in, or that holds something else, such as predictions."""
    path = Path(path)
    if path.suffix in (".csv", ".tsv", ".xlsx"):
        raise MatchwiseError(
            f"{path}: a score table is saved as JSON lines (.jsonl, .jsonl.gz) or Parquet (.parquet); "
            f"for a table to read, write --format csv -o {path}"
        )
    if path.is_file() and path.stat().st_size and not is_table(path):
        raise MatchwiseError(f"{path} is not a score table, and it is not overwritten; name another file, or delete it")


def save(table: Table, path: str | Path) -> None:
    """Write the table, whole or not at all, and never over a file that holds something else."""
    check_target(path)
    path = Path(path)
    table.settle()
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
            return b"matchwise" in (_load_arrow()[1].read_schema(path).metadata or {})
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
    yield to_json(seal(write_head(table)))
    more: list[dict[str, Any]] = [{} for _ in table.ids]
    for part, rows in table.parts.items():
        for document, row in each_row(rows):
            more[document].setdefault("parts", []).append([part.kind, part.metric, write_label(part.name), row])
    for metric, rows in table.open.items():
        for document, row in each_row(rows):
            more[document].setdefault("best", {})[metric] = row
    for id, row, found in zip(table.ids, table.matrix().tolist(), more, strict=True):
        numbers = list(map(plain, row))
        counts = {name: numbers[WIDTH * at : WIDTH * (at + 1)] for at, name in enumerate(table.metrics)}
        yield to_json({"document": id, "counts": counts, **found})


def each_row(rows: PortionRows) -> Iterator[tuple[int, list[float]]]:
    """Each document of a slice, and its counts there."""
    documents, counts = rows.arrays()
    for document, row in zip(documents.tolist(), counts.tolist(), strict=True):
        yield document, list(map(plain, row))


def _read_lines(file: BinaryIO, name: str) -> Table:
    number = 1
    decode = msgspec.json.Decoder(SavedLine).decode
    try:
        head = unseal(from_json(file.readline()), SavedHead)
        made = make_table(head)
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
                add_saved(made, Portion(kind, metric, read_label(label)), counts)
            for metric, counts in row.best.items():
                add_saved(made, metric, counts)
            made.ids.append(row.document)
    except ValueError as error:
        raise FormatError(f"{WRONG}: {error}", name, number if name else None) from None
    return check(made, head, name)


def add_saved(made: Table, key: Portion | str, counts: Four) -> None:
    """Add what the document that comes next has of a slice, or of a metric at best."""
    check_metrics([key if isinstance(key, str) else key.metric], made.readings)
    rows = made.open[key] if isinstance(key, str) else made.parts[key]
    rows.documents.append(len(made.ids))
    rows.counts.extend(counts)


def write_head(table: Table) -> dict[str, Any]:
    """What is written about a table, before its documents."""
    sums = table.sums
    return {
        "signature": table.signature,
        "readings": {
            name: {
                key: str(value) if isinstance(value, Fraction) else value
                for key, value in given(entry).items()
                if value is not None
            }
            for name, entry in table.readings.items()
        },
        "searched": sorted(table.searched),
        "by": [step if isinstance(step, str | int) else join("", (step,)) for step in table.by],
        "prepared": table.prepared,
        "keep": table.keep,
        "documents": len(table.ids),
        "seen": table.seen,
        "sums": None if sums is None else given(sums) | {"spread": sums.spread and given(sums.spread)},
        "labels": _write_rows(table.labels, LABELLED),
        "fields": _write_rows(table.fields, FieldCounts.__match_args__),
        "missing": table.missing,
        "unreadable": table.unreadable,
        "errors": table.errors,
        "content": _checksum(table),
    }


def _checksum(table: Table) -> str:
    """Checksum of all ids and numbers; equal tables have the same one in every file format."""
    found = _add_numbers(table.rows, zlib.crc32(to_json(table.ids)))
    slices: dict[bytes, list[tuple[int, Any]]] = {}
    for part, rows in table.parts.items():
        slices.setdefault(to_json([part.kind, part.metric, write_label(part.name)]), []).extend(each_row(rows))
    for metric, rows in table.open.items():
        slices.setdefault(to_json(["best", metric]), []).extend(each_row(rows))
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


def make_table(head: SavedHead) -> Table:
    """The table without its documents."""
    readings = read_entries(head.readings)
    table = Table(
        head.signature,
        readings,
        by=tuple(head.by),
        errors=head.errors,
        prepared=head.prepared,
        searched=frozenset(head.searched),
        keep=head.keep,
        sums=head.sums,
        missing=head.missing,
        unreadable=head.unreadable,
        seen=head.seen,
    )
    if head.labels is not None:
        table.labels = {metric: {} for metric, _ in head.labels}
        for metric, rows in head.labels:
            for label, numbers in rows:  # labels that are written as the same text are one
                add_counts(table.labels[metric], {read_label(label): Counts(*map(read_number, numbers))})
    if head.fields is not None:
        table.fields = {
            metric: {path: FieldCounts(*map(read_number, numbers)) for path, numbers in rows}
            for metric, rows in head.fields
        }
    check_metrics([*(table.labels or ()), *(table.fields or ())], readings)
    if head.sums is not None:
        _check_sums(head.sums, table)
    return table


def _check_sums(sums: Sums, table: Table) -> None:
    """Refuse sums that cannot be those of a table: of other columns, too large, or of too many documents."""
    width, entries = WIDTH * len(table.metrics), len(table.readings)
    for name in ("totals", "gained", "values", "raised", "precisions", "recalls"):
        column = getattr(sums, name)
        _check_length(name, column, width if name in ("totals", "gained") else entries)
        check_size(chain.from_iterable(column))
    if not 0 <= sums.documents <= 2**53:
        raise ValueError(f"found {shorten(sums.documents)} documents")
    if sums.spread is None:
        return
    products, units, beyond = sums.spread.products, sums.spread.units, sums.spread.beyond
    scored, pairs = layout(tuple(table.readings.items()))
    _check_length("products", products, len(pairs))
    _check_length("units", units, len(scored))
    _check_length("beyond", beyond, len(scored))
    check_size(chain.from_iterable(products))
    if any(not 0 <= number <= sums.documents for number in (*units, *beyond)):
        raise ValueError("found more documents with a score than documents")


def _check_length(name: str, column: Sized, expected: int) -> None:
    if len(column) != expected:
        raise ValueError(f"found {count_units(len(column), 'sums')} as {name}, expected {expected}")


def check(made: Table, head: SavedHead, name: str) -> Table:
    """Verify size and checksum, and return the table."""
    if len(made.ids) != head.documents:
        raise FormatError(f"the table is cut off: found {len(made.ids)} of {head.documents} documents", name)
    counts = chain(made.rows, *(rows.counts for rows in made.parts.values()))
    large = any(not -LARGEST <= number <= LARGEST for number in counts)
    if large or _checksum(made) != head.content:
        raise FormatError("the checksum does not fit: the file was changed or damaged; copy it again", name)
    return made


def seal(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with its format and its checksum."""
    made = {"format": f"{FORMAT} {VERSION}", **content}
    return {**made, "checksum": _checksum_json(made)}


def unseal(made: object, type: type[Content]) -> Content:
    """The content that was sealed; a ValueError says what is wrong with it."""
    if not isinstance(made, dict) or not isinstance(made.get("format"), str):
        raise ValueError(f"found {shorten(made)}")
    check_version(made["format"])
    found = {name: value for name, value in made.items() if name != "checksum"}
    if made.get("checksum") != _checksum_json(found):
        raise ValueError("the checksum does not fit: the file was changed or damaged; copy it again")
    del found["format"]
    return convert(found, type)


def check_version(found: str) -> None:
    """Refuse another kind of file, and another version of this one."""
    name, _, version = found.rpartition(" ")
    if name == "matchwise tally" or (name == FORMAT and version.isdecimal() and int(version) < VERSION):
        raise ValueError(
            f"it has an older format ({shorten(found)}, and this version of matchwise reads format {VERSION}); "
            "score the documents again"
        )
    if name != FORMAT:
        raise ValueError(f"found the format {shorten(found)}")
    if version != str(VERSION):
        raise ValueError(
            f"it has a newer format ({shorten(found)}, and this version of matchwise reads format {VERSION}); "
            "install the matchwise that wrote it"
        )


def convert(value: object, type: type[Content]) -> Content:
    """A JSON value as a declared type; a ValueError says where it is another."""
    try:
        return msgspec.convert(value, type)
    except RecursionError:
        raise ValueError("found values that are nested too deeply") from None


def to_json(value: object) -> bytes:
    """One line of JSON; half a surrogate is kept as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def from_json(data: bytes) -> Any:
    """The value; a ValueError if the bytes are no JSON."""
    try:
        return json.loads(data.decode("utf-8", "surrogatepass"))
    except RecursionError:
        raise ValueError("found JSON that is nested too deeply") from None


def _checksum_json(content: Mapping[str, Any]) -> str:
    """The same for the same values, however they are written."""
    try:
        return f"{zlib.crc32(json.dumps(content, sort_keys=True).encode()):08x}"
    except RecursionError:
        raise ValueError("found JSON that is nested too deeply") from None


_FRACTION = re.compile(r"-?[0-9]{1,2000}/[0-9]{0,2000}[1-9][0-9]{0,2000}", re.ASCII)


def read_number(number: Exact | float) -> Number:
    """The number; text is a fraction and nothing else, which is read in no time."""
    if not isinstance(number, str):
        check_size((number,))
        return number
    if not _FRACTION.fullmatch(number):
        raise ValueError(f'found {shorten(number)}, expected a fraction such as "7/2"')
    fraction = Fraction(number)
    check_size((fraction,))
    return fraction.numerator if fraction.denominator == 1 else fraction


LARGEST = 1e150
"""Larger numbers than any count, whose squares are still floats."""


def check_size(numbers: Iterable[Number]) -> None:
    """Refuse values that cannot be counts: not finite, or too large to add up."""
    for number in numbers:
        if not -LARGEST <= number <= LARGEST:
            raise ValueError(f"found {shorten(number)}, expected a count")


def read_entries(entries: Mapping[str, SavedEntry]) -> dict[str, Reading | Derived]:
    """The readings; a derived value is made from metrics that are there."""
    found: dict[str, Reading | Derived] = {}
    for name, entry in entries.items():
        if entry.how is not None:
            found[name] = Derived(entry.how, entry.names, entry.where)
        elif entry.kind is not None:
            settings = [read_number(number) for number in (entry.beta, entry.empty, entry.empty_recall)]
            if min(settings) < 0:
                raise ValueError(f"found the setting {shorten(min(settings))}, expected a number that is not negative")
            found[name] = Reading(entry.kind, *settings)
        else:
            raise ValueError(f"found nothing about how {name} is read")
    for name, one in found.items():
        if isinstance(one, Derived) and not one.names:
            raise ValueError(f"{name} is made from no metric")
        for part in one.names if isinstance(one, Derived) else ():
            if not isinstance(found.get(part), Reading):
                raise ValueError(f"{name} is made from {part}, which is not a metric of the file")
    return found


LABELLED = ("matched", "predicted", "reference", "found")
"""The counts of a label."""


def _write_rows(table: Mapping[str, Mapping[Any, Any]] | None, numbers: tuple[str, ...]) -> list[Any] | None:
    """Metric -> rows of labels or fields, with exact numbers; a metric without rows is written, too."""
    if table is None:
        return None
    made: list[Any] = []
    for metric, rows in table.items():
        exact = ([Fraction(getattr(row, name)) for name in numbers] for row in rows.values())
        written = ([one.numerator if one.denominator == 1 else str(one) for one in row] for row in exact)
        made.append([metric, [[write_label(name), row] for name, row in zip(rows, written, strict=True)]])
    return made


def write_label(label: Hashable) -> Any:
    """A label that JSON does not have (a date) is written as a report writes it."""
    if label is None or isinstance(label, str | int | float):
        return label
    return [write_label(part) for part in label] if isinstance(label, tuple) else str(label)


def read_label(label: Any) -> Hashable:
    if isinstance(label, dict):
        raise ValueError(f"found the label {shorten(label)}, expected text or a number")
    return tuple(map(read_label, label)) if isinstance(label, list) else label


def check_metrics(found: Iterable[str], known: Mapping[str, object]) -> None:
    """Refuse a table of a metric that the file says nothing about."""
    for name in found:
        if name not in known:
            raise ValueError(f"found counts of {shorten(name)}, which is not a metric of the file")


def check_exact(by: Selector, labels: LabelTable | None) -> None:
    """Refuse labels and selectors of which a file has only the text."""
    for step in by:
        if not isinstance(step, str | int):
            raise MatchwiseError(f"a tally by {join('', by)} cannot be saved, because it is a function; use a field")
    for label in [name for rows in (labels or {}).values() for name in rows]:
        if read_label(write_label(label)) != label:
            raise MatchwiseError(f"the label {label!r} cannot be written; break down by a field of text or numbers")


COUNTS = CountColumns._fields


class SavedCell(msgspec.Struct):
    """The counts of one slice of one document in Parquet, or the upper bound of one metric."""

    part: SavedPlace
    counts: Four


def _write_parquet(table: Table, file: BinaryIO) -> None:
    """Each count is a column (`muc.matched`), and what is known about the table is metadata."""
    arrow, parquet = _load_arrow()
    ids = table.ids
    mixed = not _is_plain(ids)
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


def _read_parquet(name: str) -> Table:
    arrow, parquet = _load_arrow()
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


def _load_arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MatchwiseError("Parquet needs pyarrow; pip install matchwise[arrow], or save as .jsonl") from None
    return pyarrow, pyarrow.parquet


def _is_plain(ids: list[Id | None]) -> bool:
    """True if a column of Arrow holds the ids as they are: all text without half a surrogate, or all of 64 bits."""
    named = [id for id in ids if id is not None]
    if all(isinstance(id, str) for id in named):
        return not any("\ud800" <= letter <= "\udfff" for id in named for letter in str(id))
    return all(isinstance(id, int) and not isinstance(id, bool) and -(2**63) <= id < 2**63 for id in named)

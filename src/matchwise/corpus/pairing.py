"""Predictions and references side by side, in lock-step or joined by id, however they are held.

A side is a list, a generator, a mapping, or a column of pandas, polars, Arrow, NumPy or datasets. Values are plain: no
scalars of Arrow or NumPy, and None where a column has nothing. No library is imported for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from matchwise.corpus.missing import NOTHING
from matchwise.corpus.table import Id
from matchwise.errors import DataError, MatchwiseError, count_units

if TYPE_CHECKING:
    from matchwise.corpus.tally import Document

Side: TypeAlias = Iterable[Any] | Mapping[Any, Any]

Missing: TypeAlias = Literal["raise", "empty"]
"""What becomes of a document without a prediction."""

OnError: TypeAlias = Literal["raise", "skip", "empty"]
"""What becomes of a document that cannot be scored: an error, nothing, or what an empty prediction gives."""


class Failed(NamedTuple):
    """A document that could not be read or scored, and why."""

    document: Id | None
    problem: str
    place: int = 0
    """How many documents came before it."""


COUNTED = 100_000
"""How far the longer side is counted, for the message."""

_END = object()


def documents(
    preds: Side, refs: Side, ids: Iterable[Any] | None = None, *, missing: Missing = "raise"
) -> Iterator[Document]:
    """Each document as (prediction, reference, id); sides of different length are an error, at once where it is known.

    With `missing="empty"` a document that the mapping of predictions does not have, or whose prediction is None, counts
    as empty.

    >>> list(documents({"b": 1, "a": 2}, {"a": 3, "b": 4}))
    [(2, 3, 'a'), (1, 4, 'b')]
    """
    if missing not in get_args(Missing):
        raise MatchwiseError(f'missing={missing!r}; write missing="raise" or missing="empty"')
    found = _documents(preds, refs, ids, missing)
    if missing == "raise":
        return found
    return ((NOTHING if pred is None else pred, ref, id) for pred, ref, id in found)


def _documents(preds: Side, refs: Side, ids: Iterable[Any] | None, missing: Missing) -> Iterator[Document]:
    if isinstance(preds, Mapping) and isinstance(refs, Mapping):
        if ids is not None:
            raise DataError("ids and two mappings: the mappings have ids of their own; leave ids out")
        return _joined(preds, refs, missing)
    if isinstance(preds, Mapping) or isinstance(refs, Mapping):
        raise DataError("one side is a mapping and the other is not; write two mappings id -> document, or two lists")
    _check_iterable("predictions", preds)
    _check_iterable("references", refs)
    if ids is not None:
        _check_iterable("ids", ids)
    sides = {"predictions": preds, "references": refs} | ({} if ids is None else {"ids": ids})
    known = {name: len(side) for name, side in sides.items() if isinstance(side, Sized)}
    if len(set(known.values())) > 1:
        raise _unequal([count_units(number, name) for name, number in known.items()])
    return _lock_step(*(None if side is None else plain_values(side, name) for name, side in _named(preds, refs, ids)))


def _named(preds: Side, refs: Side, ids: Iterable[Any] | None) -> Iterator[tuple[str, Any]]:
    return zip(("predictions", "references", "ids"), (preds, refs, ids), strict=True)


def _joined(preds: Mapping[Any, Any], refs: Mapping[Any, Any], missing: Missing) -> Iterator[Document]:
    lacking = refs.keys() - preds.keys() if missing == "raise" else set()
    problems = [f"no prediction for {_some(lacking)}"] if lacking else []
    problems += [f"no reference for {_some(preds.keys() - refs.keys())}"] if preds.keys() - refs.keys() else []
    if problems:
        advice = '; write missing="empty" to count missing predictions as empty' if lacking else ""
        raise DataError(f"the two sides have different documents: {'; '.join(problems)}{advice}")
    return ((preds.get(id), ref, _id(id)) for id, ref in refs.items())


def _lock_step(preds: Any, refs: Any, ids: Iterable[Any] | None) -> Iterator[Document]:
    named = ids is not None
    rows = zip_longest(preds, refs, () if ids is None else ids, fillvalue=_END)
    for number, row in enumerate(rows):
        pred, ref, id = row
        if pred is _END or ref is _END or (id is _END) is named:
            raise _uneven(number, row, rows, named)
        yield pred, ref, _id(id) if named else None


def _uneven(number: int, row: tuple[Any, ...], rows: Iterator[tuple[Any, ...]], named: bool) -> DataError:
    """How many there are on each side, counted on to the end of the longer one (within reason)."""
    counts = [number + (part is not _END) for part in row]
    for rest in islice(rows, COUNTED):
        counts = [count + (part is not _END) for count, part in zip(counts, rest, strict=True)]
    cut = next(rows, None) is not None
    names = ["predictions", "references", "ids"][: 3 if named else 2]
    longest = max(counts)
    return _unequal(
        [
            ("at least " if cut and count == longest else "") + count_units(count, name)
            for name, count in zip(names, counts, strict=False)
        ]
    )


def _unequal(counts: list[str]) -> DataError:
    found = " and ".join(counts)
    return DataError(
        f"found {found}; give one prediction for each reference, an empty one where the system found nothing"
    )


def _check_iterable(name: str, side: object) -> None:
    if isinstance(side, str | bytes) or not (isinstance(side, Iterable) or hasattr(side, "__getitem__")):
        raise DataError(
            f"the {name} are {type(side).__name__} {_short(side)}, expected a list or another iterable of documents; "
            "for one pair of documents write score(phi, pred, ref)"
        )


def _id(id: Any) -> Id:
    return id if isinstance(id, str | int) else str(id)


def _some(ids: set[Any]) -> str:
    names = sorted(map(str, ids))
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


AT_ONCE = 1024
"""Values of a column that are made plain at a time."""

_FRAMES = {
    ("pandas", "DataFrame"): ('{name}["output"]', '{name}.to_dict("records")'),
    ("polars", "DataFrame"): ('{name}["output"]', "{name}.iter_rows(named=True)"),
    ("polars", "LazyFrame"): ('{name}.collect()["output"]', "{name}.collect().iter_rows(named=True)"),
    ("pyarrow", "Table"): ('{name}["output"]', "{name}.to_pylist()"),
    ("pyarrow", "RecordBatch"): ('{name}["output"]', "{name}.to_pylist()"),
}
"""What to write in place of a table: one of its columns, or its rows."""


def plain_values(side: Any, name: str) -> Iterable[Any]:
    """The values of a side; a whole table is an error, because it may be meant as a column or as rows.

    >>> plain_values([1, 2], "predictions")
    [1, 2]
    """
    library, kind = type(side).__module__.split(".")[0], type(side).__name__
    if (library, kind) in _FRAMES:
        column, rows = (text.format(name="frame") for text in _FRAMES[library, kind])
        raise DataError(f"the {name} are a {library} {kind}; write {column} for a column, or {rows} for its rows")
    if library == "pyarrow" and hasattr(side, "to_pylist"):
        return _sliced(side)
    if library == "pandas" and hasattr(side, "isna"):
        return (None if absent else value for value, absent in zip(side, side.isna(), strict=True))
    if library == "numpy" and hasattr(side, "tolist"):
        found: list[Any] = side.tolist()
        return found
    values: Iterable[Any] = side
    return values


def _sliced(column: Any) -> Iterator[Any]:
    for start in range(0, len(column), AT_ONCE):
        yield from column.slice(start, AT_ONCE).to_pylist()

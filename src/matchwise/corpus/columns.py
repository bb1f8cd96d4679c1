"""One side of a corpus, however it is held: a list, a generator, a column of pandas, polars, Arrow, NumPy or datasets.

Values are plain: no scalars of Arrow or NumPy, and None where a column has nothing. No library is imported for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from matchwise.errors import DataError

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

"""Result tables of text-to-SQL and data agents: cells under the best columns and rows, and the official verdicts.

>>> from matchwise.corpus.tally import Tally
>>> ref = {"columns": ["name", "sales"], "rows": [["Ada", 7], ["Ben", 5]]}
>>> pred = {"columns": ["total", "who"], "rows": [[5, "Ben"], [8, "Ada"]]}
>>> Tally(suite()).add(pred, ref).report()["cells"].counts
Counts(matched=3, predicted=4, reference=4)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, time
from decimal import Decimal
from math import isclose, isnan
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from matchwise.algebra.build import custom, eq, f1, jaccard, latent, overlap, recall, union, var
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides, split_step, step
from matchwise.corpus.pairing import NOTHING
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError, count_units
from matchwise.similarities.numbers import close
from matchwise.tasks import Analyse, Option, Task
from matchwise.tasks.lists import missing_key

if TYPE_CHECKING:
    from matchwise.views.errors import Level

Order = Literal["given", "bag", "index"]


def suite(
    preset: Literal["optimal", "spider", "bird", "spider2"] = "optimal",
    *,
    columns: Literal["free", "names"] = "free",
    order: Order = "given",
    tolerance: float | None = None,
) -> Suite:
    """The metrics of a preset, for results, DataFrames, rows of a database, and dictionaries with `rows`.

    >>> suite("bird")["exact"]
    jaccard(results.distinct_rows) >= 1
    """
    TASK.check(preset, columns=columns, order=order, tolerance=tolerance)
    match preset:
        case "spider":
            metrics = {"exact": (equal_cells() >= 1) * eq("sorted")}
            return TASK.make_suite(preset, metrics, in_cells())
        case "bird":
            metrics = {"exact": jaccard(distinct_rows) >= 1, "soft_f1": custom(soft_f1)}
            return TASK.make_suite(preset, metrics)
        case "spider2":
            metrics = {"exact": recall("columns", custom(is_same_column), match="1:N") >= 1}
            return TASK.make_suite(preset, metrics, in_columns())
    if tolerance is not None and tolerance <= 0:
        raise ExpressionError(f"tolerance={tolerance!r} is not positive; leave it out for equal numbers")
    cells = equal_cells(columns, tolerance)
    title = {"columns": columns, "order": order, "tolerance": "" if tolerance is None else tolerance}
    made = InCells(order, tolerance is not None)
    return TASK.make_suite(preset, {"cells": cells, "exact": cells >= 1}, in_cells.of(made), title=title)


def equal_cells(columns: str = "free", tolerance: float | None = None) -> Similarity:
    """F1 of the cells: rows are matched 1:1 (at their place, if that is given), and columns by name or 1:1.

    >>> equal_cells("names")
    f1("rows", eq("place") * overlap("cells", eq("column") * eq("value")))
    """
    value = eq("value")
    if tolerance is not None:
        value = union("value", {float: close(abs=tolerance, rel=tolerance), object: eq()})
    column = eq("column") if columns == "names" else var("column")
    rows = f1("rows", eq("place") * overlap("cells", column * value))
    return rows if columns == "names" else latent(rows)


@dataclass(frozen=True, slots=True)
class ResultTable:
    """What a query returned: names of columns, each once, and rows of plain values; or that it failed."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    ordered: bool = False
    """Whether the order of the rows matters, as after ORDER BY; asked of references."""
    id: str | int | None = None
    key_columns: tuple[int, ...] = ()
    """The columns that Spider 2.0 asks for (`condition_cols`); all, if there are none."""
    error: str = ""
    """Why there is no result. It scores 0, also where the reference has no rows."""


def result(value: Any) -> ResultTable:
    """A result: rows (tuples or dictionaries), `{"columns": …, "rows": …}`, a cursor, a DataFrame, an Arrow table.

    >>> result([{"n": 3, "city": "Rome"}]).columns, result([(1, None)]).rows
    (('n', 'city'), ((1, None),))
    """
    if isinstance(value, ResultTable):
        return value
    if value is NOTHING:
        return ResultTable((), (), error="there is no prediction")
    if isinstance(value, Mapping):
        return _from_mapping(value)
    if isinstance(value, list | tuple):
        return _from_rows(None, value)
    names = getattr(value, "column_names", None) or getattr(value, "columns", None)  # Arrow; pandas and Polars
    if names is not None:
        for way in ("itertuples", "iter_rows"):
            if hasattr(value, way):
                return _from_rows(names, getattr(value, way)(**({"index": False} if way == "itertuples" else {})))
        if hasattr(value, "to_pylist"):
            return _from_rows(names, [tuple(row.values()) for row in value.to_pylist()])
    if hasattr(value, "fetchall") and getattr(value, "description", None):  # a cursor of the DB-API
        return _from_rows([column[0] for column in value.description], value.fetchall())
    raise ValueError(f"expected rows, or a dictionary with rows, found {type(value).__name__}")


def _from_mapping(value: Mapping[str, Any]) -> ResultTable:
    ids = (value.get(name) for name in ("id", "instance_id", "question_id"))
    id = next((one for one in ids if isinstance(one, str | int)), None)
    if value.get("error"):
        return ResultTable((), (), id=id, error=str(value["error"]))
    rows = next((value[name] for name in ("rows", "data", "result") if name in value), None)
    if not isinstance(rows, list | tuple):
        raise missing_key("a result with columns and rows", value)
    query = next((value[name] for name in ("sql", "query", "SQL") if isinstance(value.get(name), str)), "")
    ordered = value.get("ordered", bool(re.search(r"(?i)\border\s+by\b", query)))
    keys = value.get("condition_cols") or ()
    keys = (keys,) if isinstance(keys, int) else tuple(keys)
    found = _from_rows(value.get("columns"), rows)
    for place in keys:
        if place not in range(len(found.columns)):
            raise ValueError(f"condition_cols: expected numbers below {len(found.columns)}, found {place!r}")
    return replace(found, ordered=bool(ordered), id=id, key_columns=keys)


def _from_rows(names: Iterable[Any] | None, rows: Iterable[Any]) -> ResultTable:
    found = list(rows)
    if names is None and found and all(isinstance(row, Mapping) for row in found):
        names = list(dict.fromkeys(name for row in found for name in row))
    if isinstance(names, str) or not isinstance(names, Iterable | None):
        raise ValueError(f"columns: expected a list of names, found {names!r}")
    several = [] if names is None else list(map(str, names))
    made = []
    for place, row in enumerate(found):
        if isinstance(row, Mapping):
            row = [row.get(name) for name in several]
        if not isinstance(row, Iterable) or isinstance(row, str | bytes):
            raise ValueError(f"rows[{place}]: expected the values of a row, found {type(row).__name__}")
        made.append(tuple(map(_plain, row)))
        if names is None:
            names, several = (), [str(number + 1) for number in range(len(made[0]))]
        if len(made[-1]) != len(several):
            raise ValueError(f"rows[{place}]: expected {count_units(len(several), 'values')}, found {len(made[-1])}")
        if not several:
            raise ValueError(f"rows[{place}]: found a row without values; a result without rows is []")
    seen = Counter[str]()
    for place, name in enumerate(several):
        seen[name] += 1
        several[place] = name if seen[name] == 1 else f"{name}#{seen[name]}"
    return ResultTable(tuple(several), tuple(made))


def _plain(value: Any) -> Any:
    """A value of any database as text, number or None: true is 1, NaN is NULL, dates are text."""
    if type(value) is int and abs(value) >= 10**308:  # no float: equal or not
        return str(value)
    if type(value) in (str, int, float):
        return value if value == value else None
    match value:
        case None | str() | bytes():
            return value
        case Decimal():
            if not value.is_finite():
                return _plain(float(value))
            return float(value) if Decimal(repr(float(value))) == value else value
        case date() | time():
            return str(value)
        case Integral():
            return int(value)
        case Real():
            return None if isnan(value) else float(value)
    if value != value:  # pandas' NaT
        return None
    return value.item() if hasattr(value, "item") else str(value)


class ResultCell(NamedTuple):
    """A value under the name of its column."""

    column: str
    value: Any


class ResultRow(NamedTuple):
    """The cells of a row (for errors, also of a column), and its place if that matters."""

    place: int | None
    cells: tuple[ResultCell, ...]


class ResultRows(NamedTuple):
    """The rows of a result; `sorted` is what Spider's quick check compares."""

    rows: tuple[ResultRow, ...]
    sorted: Any


@dataclass(frozen=True, slots=True)
class InCells:
    """Both results as rows of cells. Rows have their place if the reference says so, always (index) or never (bag)."""

    order: Order = "given"
    floats: bool = False
    """Whether whole numbers are floats, so that both are compared with a tolerance."""

    def __call__(self, pred: Any, ref: Any) -> tuple[ResultRows, ResultRows]:
        mine, theirs = read_sides(result, pred, ref)
        placed = theirs.ordered if self.order == "given" else self.order == "index"
        return self._split(mine, placed), self._split(theirs, placed)

    def _split(self, one: ResultTable, placed: bool) -> ResultRows:
        if one.error:
            return ResultRows((ResultRow(None, (ResultCell("error", FAILED),)),), None)
        rows = tuple(
            ResultRow(place if placed else None, tuple(map(ResultCell, one.columns, self._values(row))))
            for place, row in enumerate(one.rows)
        )
        # an integer and a float that are equal can be sorted to different places there
        alone = [tuple(sorted(row, key=lambda value: f"{value}{type(value)}")) for row in one.rows]
        return ResultRows(rows, tuple(alone) if placed else frozenset(alone))

    def _values(self, row: tuple[Any, ...]) -> Iterable[Any]:
        if not self.floats:
            return row
        return (float(value) if isinstance(value, int) and abs(value) < 2**53 else value for value in row)


FAILED = ("error",)
"""The value of a query that failed, which no result has."""

in_cells = StepKind("in_cells", InCells, gives=ResultRows)
"""`results.in_cells()`: both results as rows of cells."""


def distinct_rows(document: Any) -> list[tuple[Any, ...]]:
    """The rows as a set, in the order in which they were first returned."""
    found = result(document)
    return [FAILED] if found.error else list(dict.fromkeys(found.rows))


def soft_f1(pred: Any, ref: Any) -> float:
    """BIRD's soft F1: the n-th distinct row is compared with the n-th, value by value, wherever a value stands in it.

    It is not a matching: a value counts as often as it is predicted, and a row that is left out moves all others.

    >>> soft_f1([(1, 2), (3, 4)], [(3, 4), (1, 2)])
    0.0
    """
    mine, theirs = distinct_rows(pred), distinct_rows(ref)
    if not mine and not theirs:
        return 1.0
    both = list(zip(mine, theirs, strict=False))
    matched = sum(sum(value in row for value in one) / len(row) for one, row in both)
    invented = sum(sum(value not in row for value in one) / len(row) for one, row in both)
    missed = sum(sum(value not in one for value in row) / len(row) for one, row in both)
    invented, missed = invented + max(0, len(mine) - len(theirs)), missed + max(0, len(theirs) - len(mine))
    return 2 * matched / (2 * matched + invented + missed) if matched else 0.0


class ResultColumns(NamedTuple):
    """The columns of a result as lists of values."""

    columns: tuple[tuple[Any, ...], ...]


@step(gives=ResultColumns)
def in_columns(pred: Any, ref: Any) -> tuple[ResultColumns, ResultColumns]:
    """Both results as Spider 2.0 compares them: columns, where NULL is 0; without ORDER BY each is sorted by itself.

    >>> in_columns()([(2, "b"), (None, "a")], [(2, "b")])[0].columns
    ((0.0, 2.0), ('a', 'b'))
    """
    mine, theirs = read_sides(result, pred, ref)
    found = [_columns(one, theirs.ordered) for one in (mine, theirs)]
    asked = [found[1][place] for place in theirs.key_columns] or found[1]
    if mine.error and not asked:
        asked = [FAILED]  # which no prediction has
    return ResultColumns(tuple(found[0])), ResultColumns(tuple(asked))


def _columns(one: ResultTable, ordered: bool) -> list[tuple[Any, ...]]:
    """The columns as pandas has them: beside NULL, or among numbers that are not all whole, numbers are floats."""
    several = list(zip(*one.rows, strict=True)) or [()] * len(one.columns)
    is_number = [all(value is None or isinstance(value, int | float) for value in column) for column in several]
    is_float = [any(value is None or isinstance(value, float) for value in column) for column in several]
    if all(is_number) and any(is_float):
        is_float = [True] * len(several)
    for place, column in enumerate(several):
        values = [0.0 if value is None else value for value in column]
        if is_number[place] and is_float[place]:
            values = list(map(float, values))
        several[place] = tuple(values if ordered else sorted(values, key=str))
    return several


def is_same_column(pred: tuple[Any, ...], ref: tuple[Any, ...]) -> bool:
    """Spider 2.0: two columns have the same values at the same places, and numbers differ by at most 0.01."""
    return len(pred) == len(ref) and all(
        isclose(one, other, abs_tol=0.01)
        if isinstance(one, int | float) and isinstance(other, int | float)
        else one == other
        for one, other in zip(pred, ref, strict=True)
    )


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a result under the best columns and rows, whatever order these come in."""
    from matchwise.tasks.errors import analyse_alone

    first, phi = split_step(suite.metrics["cells"]) if "cells" in suite.metrics else (in_cells(), equal_cells())
    made = InCells("bag", dict(first.options).get("floats", False) if first else False)
    return analyse_alone(lambda pred, ref: [_sort_out(made, phi, *read_sides(result, pred, ref))])


def _sort_out(made: InCells, phi: Similarity, mine: ResultTable, theirs: ResultTable) -> Level:
    from matchwise.tasks.errors import say_cases
    from matchwise.views.alignment import align
    from matchwise.views.errors import Case, Level

    predicted, reference = (len(side.columns) * len(side.rows) + bool(side.error) for side in (mine, theirs))
    found = align(phi, *made(mine, theirs))
    partner = {y: x for _, x, y in found.variables} or {name: name for name in theirs.columns if name in mine.columns}
    cases = [Case("failed query", ResultCell("error", mine.error))] if mine.error else []
    right, paired = [], (set[str](), set[str]())
    for row in found.inner.pairs:
        cells = next(part for part in (row, *row.pairs) if part.kind == "match")
        for paths, path in zip(paired, (row.pred_path, row.ref_path), strict=True):
            paths.add(path)
        if theirs.ordered and row.pred_path != row.ref_path:
            cases.append(Case("row at another place", row.pred, row.ref, len(cells.pairs)))
        else:
            right += [(one.pred, one.ref) for one in cells.pairs]
        same, values = {one.ref.column for one in cells.pairs}, dict(row.pred.cells)
        for cell in row.ref.cells:
            if cell.column in partner and cell.column not in same:
                other = ResultCell(partner[cell.column], values[partner[cell.column]])
                cases.append(Case(_kind(other.value, cell.value), other, cell))
    for part in _left_over(theirs, set(partner), paired[1]):
        cases.append(Case(f"missed {'row' if part.place is None else 'column'}", ref=part, lost=len(part.cells)))
    for part in _left_over(mine, set(partner.values()), paired[0]):
        cases.append(Case(f"spurious {'row' if part.place is None else 'column'}", part, lost=len(part.cells)))
    level = Level("cells", len(right), predicted, reference, tuple(cases), tuple(right))
    return say_cases(level, _say, _say)


def _say(part: ResultCell | ResultRow) -> str:
    """`name Ada, sales 7`."""
    cells = (part,) if isinstance(part, ResultCell) else part.cells
    return ", ".join(f"{cell.column} {'NULL' if cell.value is None else cell.value}" for cell in cells)


def _left_over(side: ResultTable, known: set[str], paired: set[str]) -> Iterator[ResultRow]:
    """The columns without a partner, which have a place, and of rows without one the cells in other columns."""
    for place, name in enumerate(side.columns):
        if side.rows and name not in known:
            yield ResultRow(place, tuple(ResultCell(name, row[place]) for row in side.rows))
    for number, row in enumerate(side.rows):
        kept = tuple(ResultCell(*both) for both in zip(side.columns, row, strict=True) if both[0] in known)
        if kept and f"rows[{number}]" not in paired:
            yield ResultRow(None, kept)


def _kind(pred: Any, ref: Any) -> str:
    """What is wrong with a value."""
    if pred is None or ref is None:
        return "NULL or not"
    both = [isinstance(value, int | float) for value in (pred, ref)]
    if all(both):
        return "rounded number" if isclose(pred, ref, rel_tol=0.01) else "wrong number"
    return "number or text" if any(both) and str(pred) == str(ref) else "wrong value" if any(both) else "wrong text"


TASK = Task(
    name="results",
    title="result tables of text-to-SQL: cells under the best columns and rows, and Spider's, BIRD's and Spider 2.0's",
    presets={
        "optimal": (
            "our own: the F1 of cells under the best 1:1 matching of columns and of rows, with a proof or with bounds; "
            "exact is 1 where all cells are equal. Rows count in their order where the reference is ordered."
        ),
        "spider": (
            "test-suite-sql-eval's result_eq: the same bag of rows (or list, after ORDER BY) under some order of the "
            "columns, proved without trying all of them. Its first check compares rows sorted as texts, so that 10 and "
            "10.0 may differ; so does this."
        ),
        "bird": (
            "BIRD's evaluation_ex.py: the same set of rows, columns in their order; soft_f1 is its evaluation_f1.py, "
            "which compares the n-th row with the n-th and is no matching."
        ),
        "spider2": (
            "Spider 2.0's compare_pandas_table: each column of the reference is among those predicted, numbers within "
            "0.01, NULL is 0. Unless the order matters, columns are sorted each by itself, so that scrambled rows "
            "score 1."
        ),
    },
    suite=suite,
    options=(
        Option("columns", "whether columns are matched by content (free) or by their names", presets=("optimal",)),
        Option(
            "order",
            "rows count at their place if the reference says so (given), never (bag) or always (index)",
            presets=("optimal",),
        ),
        Option(
            "tolerance",
            "how far numbers may differ, absolutely and as a share of the larger one",
            type="number",
            takes="a number",
            default="none: numbers are equal",
            presets=("optimal",),
        ),
    ),
    formats=("resultfile", "resultlines"),
    references={"spider": ("zhong-yu-klein-2020",), "bird": ("li-2023-bird",), "spider2": ("lei-2025",)},
    example="matchwise score results system.jsonl -r gold.jsonl --preset spider",
    errors=errors,
)

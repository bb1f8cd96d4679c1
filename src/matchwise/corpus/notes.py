"""What is printed with an estimate: aligned tables, and what to doubt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from matchwise.corpus.moments import ENOUGH
from matchwise.corpus.slices import Part, label_text

if TYPE_CHECKING:
    from matchwise.corpus.table import Table

FEW = 30
"""Units below which an interval is rough."""


class Estimate(Protocol):
    """A row of a result, of a whole metric or of a part of it."""

    @property
    def part(self) -> Part | None: ...


Row = TypeVar("Row", bound=Estimate)


def tables(rows: Sequence[Row], cells: Callable[[Row], dict[str, str]]) -> list[str]:
    """One text table for the metrics, one for the labels and one for the fields."""
    kinds: dict[str | None, list[dict[str, str]]] = {}
    for row in rows:
        kind = row.part.kind if row.part else None
        lead = {} if row.part is None else {row.part.kind: label_text(row.part.name)}
        kinds.setdefault(kind, []).append(lead | cells(row))
    return [_aligned(some) for some in kinds.values()]


def number(value: float | None, *, sign: bool = False) -> str:
    """Four decimals, or a dash for what is not known."""
    return "–" if value is None else f"{value:+.4f}" if sign else f"{value:.4f}"


_WORDS = ("label", "field", "metric", "score", "baseline", "system")
"""Columns of words stand to the left, numbers to the right."""


def _aligned(rows: list[dict[str, str]]) -> str:
    names = list(rows[0])
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in names}
    lines = []
    for row in [{name: name for name in names}, *rows]:
        cells = (row[name].ljust(widths[name]) if name in _WORDS else row[name].rjust(widths[name]) for name in names)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def part_dict(part: Part | None) -> dict[str, Any]:
    """`{"label": "person"}`, `{"field": "lines[].price"}`, or nothing."""
    return {} if part is None else {part.kind: part.name}


def counted(n: int, units: str) -> str:
    """`1 document`, `2 documents`."""
    return f"{n} {units.removesuffix('s') if n == 1 else units}"


def sample_warnings(n: int, units: str, parts: Iterable[tuple[Part | None, int]]) -> list[str]:
    """What to doubt: few units, and labels or fields that occur in few of them."""
    said = []
    if n < ENOUGH:
        said.append(f"{counted(n, units)}: too few for intervals, which need {ENOUGH}")
    elif n < FEW:
        said.append(f"{counted(n, units)}: few, so that intervals are rough")
    rare = list(dict.fromkeys(label_text(part.name) for part, often in parts if part is not None and often < ENOUGH))
    if rare and n >= ENOUGH:
        said.append(f"in fewer than {ENOUGH} {units} and so without interval: {_some(rare)}")
    return said


def error_warnings(scored: Iterable[Table]) -> list[str]:
    """Documents that could not be read or scored: which are left out, and which count as empty."""
    tables = list(scored)
    lost = dict.fromkeys(id for one in tables for id in one.lost)
    failed = dict.fromkeys(error for one in tables for error in one.errors)
    empty = dict.fromkeys(id for id, _ in failed if id is not None and id not in lost)
    illegible = [problem for id, problem in failed if id is None]
    said = []
    if lost:
        said.append(f"{counted(len(lost), 'documents')} could not be scored and left out: {_some(lost)}")
    if empty:
        said.append(
            f"{counted(len(empty), 'documents')} had an error; a prediction that could not be scored counts as empty: "
            f"{_some(empty)}"
        )
    if illegible:
        said.append(f"{counted(len(illegible), 'documents')} could not be read: {_some(illegible)}")
    return said


def _some(names: Iterable[Any]) -> str:
    shown = list(map(str, names))
    return ", ".join(shown[:5]) + (f" and {len(shown) - 5} more" if len(shown) > 5 else "")

"""How estimates are printed: aligned tables, numbers and labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from matchwise.corpus.slices import Part, label_text


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

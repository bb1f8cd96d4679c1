"""Agreement as text: the tables that a person reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matchwise.corpus.counts import plain
from matchwise.corpus.slices import label_text

if TYPE_CHECKING:
    from matchwise.agreeing.agreement import Agreement
    from matchwise.agreeing.alpha import Alpha

SHOWN = 5
"""Documents and labels that are listed."""


def render(found: Agreement, worst: int = SHOWN) -> str:
    """Everything that was measured."""
    blocks = ["\n".join(_summary(found))]
    pairs = [(f"{row.first} ~ {row.second}", *map(_number, row[2:5]), str(row.documents)) for row in found.pairs]
    blocks.append(_table(("pair", found.metric.name, "low", "high", "documents"), pairs))
    if len(found.annotations.names) > 2:
        people = [(one.name, str(one.documents), _number(one.value), _number(one.without)) for one in found.annotators]
        blocks.append(_table(("annotator", "documents", "with others", "α without"), people))
    if found.kappa is not None:
        kappa = found.kappa
        rows = [(f"{a} ~ {b}", _number(value)) for (a, b), value in kappa.cohen.items()]
        said = f"mean κ {_number(kappa.mean)}, Fleiss' κ {_number(kappa.fleiss)} over {kappa.fleiss_units} units, "
        said += f"α of labels {_number(kappa.alpha)} over {kappa.units} units"
        blocks.append(_table(("pair", "Cohen's κ"), rows) + f"\n{said}")
    if found.labels:
        some = [
            (label_text(row.label), _number(row.f1), *(f"{plain(n):g}" for n in row.counts.to_dict().values()))
            for row in found.labels[: max(worst, SHOWN)]
        ]
        names = ("label", "f1", "matched", "first", "second", "recalled")[: len(some[0])]
        blocks.append(_table(names, some))
    lowest = [(str(id), _number(value)) for id, value in found.worst(worst)]
    if lowest:
        blocks.append(_table(("document", found.metric.name), lowest))
    blocks.append(found.metric.suite.signature)
    return "\n\n".join(blocks)


def _summary(found: Agreement) -> list[str]:
    between = "" if found.interval is None else f" ({found.interval[0]:.4f} to {found.interval[1]:.4f})"
    names = found.annotations.names
    lines = [
        f"{len(names)} annotators, {len(found.annotations.shared())} documents that two or more have",
        f"mean {found.metric.name} of two annotators  {found.mean:.4f}{between}",
        f"α over documents  {_alpha(found.alpha)}",
    ]
    if found.elements is not None:
        lines.append(f"α over elements   {_alpha(found.elements)}")
    return lines


def _alpha(found: Alpha) -> str:
    if found.value is None:
        return f"–  ({found.reason})"
    between = "" if found.low is None else f" ({found.low:.4f} to {found.high:.4f})"
    error = f", ± {found.error:.4f} as chance is estimated" if found.error else ""
    return f"{found.value:.4f}{between}; distance {found.observed:.4f}, {found.expected:.4f} by chance{error}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _table(names: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    cells = [names, *rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = (
        "  ".join(text.rjust(width) if place else text.ljust(width) for place, (text, width) in enumerate(pairs))
        for pairs in (list(zip(row, widths, strict=True)) for row in cells)
    )
    return "\n".join(line.rstrip() for line in lines)

"""A confusion table: how often one label was predicted where another was meant, and where nothing was.

>>> print(Confusion({("PER", "PER"): 5, ("ORG", "PER"): 2, (None, "PER"): 1, ("ORG", None): 3}))
reference  ORG  PER  missed
PER          2    5       1
spurious     3    0
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any


class Confusion:
    """(predicted label, reference label) -> how often; None on a side that has nothing."""

    def __init__(self, counts: Mapping[tuple[Hashable, Hashable], int]) -> None:
        self.counts: Counter[tuple[Hashable, Hashable]] = Counter(dict(counts))

    def plus(self, more: Iterable[tuple[tuple[Hashable, Hashable], int]]) -> Confusion:
        made = Confusion(self.counts)
        for cell, number in more:
            made.counts[cell] += number
        return made

    def __add__(self, other: Confusion) -> Confusion:
        return self.plus(other.counts.items())

    def __getitem__(self, cell: tuple[Hashable, Hashable]) -> int:
        """How often the first was predicted where the second was meant."""
        return self.counts[cell]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Confusion) and +self.counts == +other.counts

    __hash__ = None  # type: ignore[assignment]  # it is a table, not a key

    @property
    def predicted(self) -> list[Hashable]:
        """The labels that were predicted, sorted."""
        return sorted({mine for mine, _ in self.counts if mine is not None}, key=str)

    @property
    def reference(self) -> list[Hashable]:
        """The labels that were meant, sorted."""
        return sorted({theirs for _, theirs in self.counts if theirs is not None}, key=str)

    def to_dict(self) -> list[dict[str, Any]]:
        """One row for each cell that is not empty, largest first."""
        cells = sorted(self.counts.items(), key=lambda cell: (-cell[1], str(cell[0])))
        return [{"predicted": mine, "reference": theirs, "count": number} for (mine, theirs), number in cells if number]

    def rows(self) -> list[list[str]]:
        """The table as text: references down, predictions across, what was missed last, what is spurious below."""
        columns = self.predicted
        head = ["reference", *map(str, columns), "missed"]
        body = [
            [str(theirs), *(str(self[mine, theirs]) for mine in columns), str(self[None, theirs])]
            for theirs in self.reference
        ]
        return [head, *body, ["spurious", *(str(self[mine, None]) for mine in columns), ""]]

    def __str__(self) -> str:
        rows = self.rows()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(cells))
            .rstrip()
            for cells in (list(zip(row, widths, strict=True)) for row in rows)
        )  # fmt: skip

    __repr__ = __str__

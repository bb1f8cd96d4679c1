"""The choices of nervaluate in many documents: most mentions meet one other or none, and only contested ones choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matchwise.engine.table import Column, Slice, Table, owners_of
from matchwise.tasks.ner.boundaries import read_all
from matchwise.tasks.ner.documents import all_tags
from matchwise.tasks.ner.mentions import Mention
from matchwise.tasks.ner.steps import RULES, Choices, Chosen, choose

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST = 100
"""Of a mention of this length, one position is the hundredth that has to be covered."""


class Side:
    """Mentions of many sentences on one line, where no two sentences touch."""

    def __init__(self, tags: list[Any], choices: Choices) -> None:
        import numpy as np

        self.table = _only(read_all(tags, choices.scheme), choices.only)
        self.offsets = np.array(self.table.offsets)
        self.owners = owners_of(self.offsets)
        codes, spans = self.table.columns["span"]
        left, right = np.array(spans, dtype=np.intp).reshape(-1, 2)[codes].T
        begin = np.cumsum([0, *(len(one) + 1 for one in tags)])[self.owners]
        self.left, self.right = left + begin, right + begin
        self.local = np.arange(len(codes)) - self.offsets[:-1][self.owners]
        """The number of each mention in its sentence."""

    @property
    def plain(self) -> bool:
        """Whether no mention is empty or long, and each ends before the next begins."""
        widths = self.right - self.left
        apart = bool((self.left[1:] >= self.right[:-1]).all())
        return apart and widths.min(initial=1) > 0 and widths.max(initial=1) <= LONGEST

    def meeting(self, other: Side) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Of each mention the first on the other side that it may meet, and how many it meets."""
        import numpy as np

        first = np.searchsorted(other.right, self.left, side="right")
        return first, np.searchsorted(other.left, self.right) - first

    def slices(self, *numbers: NDArray[np.intp]) -> list[Slice]:
        """The mentions with the numbers of their pairs."""
        columns = zip(("strict", "exact", "partial", "typed"), map(Column.of_numbers, numbers), strict=True)
        return Table(self.table.offsets, {**self.table.columns, **dict(columns)}, Chosen).slices()


def choose_all(choices: Choices, preds: list[Any], refs: list[Any]) -> tuple[list[Slice], list[Slice]] | None:
    """What `choices` makes of each two sentences; None where it takes more than this."""
    import numpy as np

    mine, theirs = all_tags(preds), all_tags(refs)
    if mine is None or theirs is None or choices.percent != 1 or list(map(len, mine)) != list(map(len, theirs)):
        return None
    p, r = Side(mine, choices), Side(theirs, choices)
    if not p.plain or not r.plain:
        return None
    first, met = p.meeting(r)
    _, back = r.meeting(p)
    begin = r.offsets[p.owners]
    numbers = np.where(met > 0, first - begin, -1 - p.local)
    wanted = np.append(back, 0)[np.minimum(first, len(back))]
    contested = np.nonzero((met > 1) | ((met == 1) & (wanted > 1)))[0]
    columns = [numbers.copy() for _ in RULES]
    if len(contested):
        first, met = first[contested], met[contested]
        there = np.unique(np.concatenate([np.arange(a, a + n) for a, n in zip(first, met, strict=True)]))
        ones, others = _mentions(p, contested), _mentions(r, there)
        starts = np.searchsorted(there, first).tolist()
        meeting = [list(range(a, a + n)) for a, n in zip(starts, met.tolist(), strict=True)]
        for column, best in zip(columns, RULES, strict=True):
            chosen = np.array(choose(ones, others, meeting, best))
            taken = there[np.maximum(chosen, 0)] - begin[contested]
            column[contested] = np.where(chosen >= 0, taken, -1 - p.local[contested])
    strict, exact, typed = columns
    return p.slices(strict, exact, exact, typed), r.slices(*(r.local,) * 4)


def _mentions(side: Side, places: NDArray[np.intp]) -> list[Mention]:
    spans, kinds = (Column(codes[places], values).items() for codes, values in side.table.columns.values())
    return list(map(Mention, spans, kinds))


def _only(table: Table, types: tuple[str, ...] | None) -> Table:
    """The mentions of some types."""
    import numpy as np

    if types is None:
        return table
    codes, values = table.columns["type"]
    kept = np.isin(codes, [code for code, value in enumerate(values) if value in types])
    offsets = np.concatenate(([0], np.cumsum(kept)))[table.offsets].tolist()
    columns = {name: Column(column.codes[kept], column.values) for name, column in table.columns.items()}
    return Table(offsets, columns, table.make)

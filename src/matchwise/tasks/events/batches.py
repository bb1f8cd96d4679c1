"""The triggers and arguments of many documents as columns: no object is made of each.

Each function here is the form for many documents of the selector of its name in `structures`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import Any

from matchwise.engine.table import WIDE, Column, Columns, ElementTable, Integers, owners_of


class Laid:
    """The events of many documents, and the arguments of these events, laid end to end."""

    def __init__(self, lists: list[Sequence[Any]]) -> None:
        self.events = list(chain.from_iterable(lists))
        self.offsets = list(accumulate(map(len, lists), initial=0))

    @cached_property
    def types(self) -> Column:
        """The type of each event."""
        return Column.of([one.trig.type for one in self.events])

    @cached_property
    def spans(self) -> Column:
        """The span of each event's trigger."""
        return Column.of([one.trig.mention.span for one in self.events])

    @cached_property
    def firsts(self) -> Column:
        """The type of each event whose trigger is the first on its words."""
        if True not in [one.trig.later for one in self.events]:
            return self.types
        return Column.of([None if one.trig.later else one.trig.type for one in self.events])

    @cached_property
    def last_types(self) -> Column:
        """For each event, the type of the last event whose trigger has the same words."""
        groups, _, last = _group(self.offsets, self.spans)
        return self.types.at(last[groups])

    def triggers(self, make: Callable[..., Any]) -> ElementTable:
        """All triggers."""
        columns = {"span": lambda: self.spans, "type": lambda: self.types, "first": lambda: self.firsts}
        return ElementTable(self.offsets, Columns(columns), make)

    def arguments(self, make: Callable[..., Any], *, last: bool = False) -> ElementTable:
        """All arguments, each with the type of its event, or with the last type of the event's trigger."""
        lists = [one.args for one in self.events]
        found = list(chain.from_iterable(lists))
        ends = list(accumulate(map(len, lists), initial=0))
        events = owners_of(ends)
        columns = {
            "event": lambda: (self.last_types if last else self.types).at(events),
            "trigger": lambda: self.spans.at(events),
            "role": lambda: Column.of([one.role for one in found]),
            "span": lambda: Column.of([one.mention.span for one in found]),
            "head": lambda: Column.of([one.head for one in found]),
            "entity": lambda: Column.of([one.entity for one in found]),
            "distance": lambda: Column.of([one.distance for one in found]),
        }
        return ElementTable([ends[place] for place in self.offsets], Columns(columns), make)


def pick_distinct(table: ElementTable, names: tuple[str, ...], *, last: bool = False) -> ElementTable:
    """Keep one of the elements of a document that agree in some fields: the first, or the last in its place."""
    import numpy as np

    groups, first, final = _group(table.offsets, *(table.columns[name] for name in names))
    if len(first) == len(groups):
        return table
    rows = (final if last else first)[np.argsort(first)]
    counts = np.bincount(owners_of(table.offsets)[first], minlength=len(table))
    return table.picked(rows, [0, *np.cumsum(counts).tolist()])


def _group(offsets: list[int], *columns: Column) -> tuple[Integers, Integers, Integers]:
    """Group the rows that agree in document and columns: the group of each row, and its first and last row."""
    import numpy as np

    codes, size = owners_of(offsets), len(offsets)
    for column in columns:
        size *= len(column.values) + 1
        if size >= WIDE:
            codes = np.unique(codes, return_inverse=True)[1]
            size = (len(codes) + 1) * (len(column.values) + 1)
        codes = codes * (len(column.values) + 1) + column.codes
    order = np.argsort(codes, kind="stable")
    new = np.diff(codes[order], prepend=-1) != 0
    groups = np.empty(len(codes), dtype=np.intp)
    groups[order] = np.cumsum(new) - 1
    return groups, order[new], order[np.append(new[1:], True)[: len(order)]]

"""What a form does not declare, in rows of their own names: the expression has one part for all of it.

`overlap(undeclared)` counts the plain values under undeclared keys. Each of them knows its path, and a value is right
if the reference has the same under the same path. So the row of this part is the sum of a row for each path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from matchwise.algebra.names import undeclared
from matchwise.engine.chosen import FieldColumns

ROW = "undeclared()[]"
"""The row of all undeclared values."""


class Tested(NamedTuple):
    """The values under one path: how many are right, predicted, and in the reference."""

    right: int
    predicted: int
    reference: int


def name_columns(fields: dict[str, FieldColumns], preds: Sequence[Any], refs: Sequence[Any]) -> dict[str, FieldColumns]:
    """The fields of a batch, with a row for each undeclared path, in the order of the first such document."""
    if ROW not in fields:
        return fields
    whole = fields.pop(ROW)
    found: dict[str, dict[int, Tested]] = {}
    for place, (pred, ref) in enumerate(zip(preds, refs, strict=True)):
        for path, tested in _by_path(pred, ref).items():
            found.setdefault(path, {})[place] = tested
    for path, by_place in found.items():
        nothing = Tested(0, 0, 0)
        rows = [by_place.get(place, nothing) for place in range(len(preds))]
        right, predicted, reference = map(list, zip(*rows, strict=True))
        row = replace(whole, first=min(by_place), right=right, paired=right, predicted=predicted, reference=reference)
        fields[path] = fields[path].plus(row) if path in fields else row
    return dict(sorted(fields.items(), key=lambda one: one[1].first)) if found else fields


def _by_path(pred: Any, ref: Any) -> dict[str, Tested]:
    mine, theirs = undeclared(pred), undeclared(ref)
    if not mine and not theirs:
        return {}
    p, r = (Counter((path, type(value) is bool, value) for path, value in side) for side in (mine, theirs))
    counts = [Counter(_total(side)) for side in (p & r, p, r)]
    return {path or ROW: Tested(*(count[path] for count in counts)) for path in {**counts[1], **counts[2]}}


def _total(side: Counter[tuple[str, bool, Any]]) -> dict[str, int]:
    made: dict[str, int] = {}
    for (path, _, _), number in side.items():
        made[path] = made.get(path, 0) + number
    return made

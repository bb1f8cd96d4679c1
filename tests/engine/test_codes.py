"""Keys as numbers: values are equal exactly where their keys are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from matchwise import DataError, Similarity, f1, overlap
from matchwise.engine import reference
from matchwise.engine.many.frame import run
from matchwise.engine.plan import plan


def scored(phi: Similarity, pred: Any, ref: Any) -> float:
    found: float = run(plan(phi).operator.table, [pred], [ref]).item()
    return found


@dataclass(frozen=True)
class Span:
    left: int
    right: Any


@dataclass(frozen=True)
class Range:
    left: int
    right: Any


@pytest.mark.parametrize(
    ("preds", "refs", "matched"),
    [
        ([3, -7, 3, 5], [3, 5, 6, -7], 3),
        ([2**70, -(2**70), 1], [2**70, 1, 2], 2),  # more than 64 bits
        ([-(2**63), 2**63 - 1], [2**63 - 1, 0], 1),
        ([0, 2**40, 5], [2**40, 5, 5], 2),  # too far apart to be their own codes
        ([1, 2, 3], [1.0, 2.5, 3.0], 2),
        ([1, 0], [True, False], 0),
        ([1, True], [1, True], 2),
        ([Span(1, 2), Span(1, 3)], [Span(1, 3), Span(2, 2)], 1),
        ([Span(1, 2), Span(1, 3)], [Range(1, 2), Span(1, 3)], 1),
        ([Span(1, 2)], [Range(1, 2)], 0),
        ([Span(1, Span(0, 1))], [Span(1, Range(0, 1))], 0),
        ([Span(1, [2, 3])], [Span(1, (2, 3))], 1),
    ],
)
def test_equal_values_have_equal_codes(preds: list[Any], refs: list[Any], matched: int) -> None:
    phi = overlap("xs")
    pred, ref = {"xs": preds}, {"xs": refs}
    assert scored(phi, pred, ref) == matched == reference.score(phi, pred, ref)


@pytest.mark.parametrize("last", [True, 1.5, 2**70, "x"])
def test_the_last_of_many_values_may_be_of_another_class(last: Any) -> None:
    preds, refs = [*range(2, 5000), last], [*range(3, 5001), last]
    assert scored(overlap(), preds, refs) == 4998
    mine, theirs = [Span(0, one) for one in preds], [Span(0, one) for one in refs]
    assert scored(overlap(), mine, theirs) == 4998


def test_a_field_without_content_is_named() -> None:
    pred, ref = {"xs": [Span(1, 2), Span(1, float("nan"))]}, {"xs": [Span(1, 2)]}
    with pytest.raises(DataError, match=r"xs\[1\].*found NaN"):
        scored(f1("xs"), pred, ref)

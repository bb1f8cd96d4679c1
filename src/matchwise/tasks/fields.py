"""What is wrong with a document value by value: wrong, missing and invented, from the alignment of any metric."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matchwise.corpus.suite import Suite
from matchwise.deriving.faults import Undeclared
from matchwise.tasks.analysis import Analyse
from matchwise.views.alignment import Alignment, align
from matchwise.views.alignment.view import is_right
from matchwise.views.analysis import Case, Level
from matchwise.views.values import place


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a document: each value that lost credit, and each part without a partner."""
    phi = suite.metrics[metric]

    def levels(pred: Any, ref: Any) -> list[Level]:
        below = align(phi, pred, ref).inner
        cases = tuple(_cases(below, 1))
        name = "elements" if below.kind == "match" else "values"
        if below.kind == "leaf":
            name, cases = "values", tuple(_pair(below, 1))
        return [Level(name, below.score, below.predicted, below.reference, cases)]

    return levels


def _cases(node: Alignment, weight: Any) -> Iterator[Case]:
    for pair in node.pairs:
        if not is_right(pair):
            yield from _pair(pair, weight * pair.weight)
    for part in node.missed:
        yield Case("missing", ref=part.value, lost=weight * part.score, where=place(part.path))
    for part in node.spurious:
        value = part.value
        if isinstance(value, tuple) and value and all(isinstance(one, Undeclared) for one in value):
            for one in value:
                yield Case("undeclared", one.value, lost=weight, where=one.path)
        else:
            yield Case("invented", value, lost=weight * part.score, where=place(part.path))


def _pair(pair: Alignment, weight: Any) -> Iterator[Case]:
    below = pair.inner
    inside = list(_cases(below, weight)) if below.kind in ("sum", "match") else []
    if inside:
        yield from inside
        return
    lost = max(pair.predicted, pair.reference) - pair.score
    yield Case("wrong value", pair.pred, pair.ref, weight * lost, place(pair.ref_path), is_partial=bool(pair.score))

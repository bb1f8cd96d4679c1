"""Nesting costs in proportion to its depth: counted in calls of functions, which no other process disturbs."""

import cProfile
import pstats
import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from matchwise.errors import DataError
from matchwise.tasks.documents import evaluate, form

TREE = {"properties": {"label": {"type": "string"}, "kids": {"items": {"$ref": "#/$defs/T"}}}}
FORM = form({"$ref": "#/$defs/T", "$defs": {"T": TREE}})


def tree(depth: int, seed: int) -> dict[str, Any]:
    """Two children a node, of which the second is a leaf."""
    random = Random(seed)
    made: dict[str, Any] = {"label": "x"}
    for _ in range(depth):
        made = {"label": random.choice("ab"), "kids": [made, {"label": random.choice("cd")}]}
    return made


def calls(task: Callable[[Any, Any], object], depth: int) -> int:
    pred, ref = tree(depth, 1), tree(depth, 2)
    task(pred, ref)  # fills the caches
    profile = cProfile.Profile()
    profile.runcall(task, pred, ref)
    return pstats.Stats(profile).total_calls  # type: ignore[attr-defined, no-any-return]  # typeshed leaves it out


@pytest.mark.parametrize(
    "task",
    [FORM.score, FORM.align, FORM, lambda pred, ref: evaluate(FORM, [pred], [ref])],
    ids=["score", "align", "read", "fields"],
)
def test_twice_as_deep_costs_twice_as_much(task: Callable[..., object]) -> None:
    assert calls(task, 60) <= 2.1 * calls(task, 30)


@pytest.fixture
def deep_stack() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)


def test_trees_of_120_levels_need_no_higher_limit() -> None:
    found = FORM.score(tree(120, 1), tree(120, 2))
    assert (found.counts.matched, found.counts.predicted, found.counts.reference) == (131, 241, 241)


def test_what_is_too_deep_is_refused_with_advice() -> None:
    with pytest.raises(DataError, match=r"nested too deeply to score; .* write sys.setrecursionlimit"):
        FORM.score(tree(200, 1), tree(200, 1))


@pytest.mark.usefixtures("deep_stack")
def test_the_advice_helps() -> None:
    levels = 700 if sys.version_info[:2] == (3, 12) else 1000  # 3.12 ends at 900 whatever the limit
    assert FORM.score(tree(levels, 1), tree(levels, 1)).f1 == 1.0

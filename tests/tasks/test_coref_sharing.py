"""One entity-overlap table a document: the planner arrives at it by itself, whatever the metric."""

from collections.abc import Callable
from typing import Any

import pytest

from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import Tally
from matchwise.engine.many.operators.bag import BagOverlap
from matchwise.tasks.coref import from_clusters, suite

PRED = from_clusters([[(0, 1), (2, 3), (4, 5)], [(6, 7), (8, 9)], [(10, 11)]])
REF = from_clusters([[(0, 1), (2, 3)], [(4, 5), (6, 7), (8, 9)], [(12, 13)]])


def calls(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list[Any]:
    """The receivers of a method, call by call; the method itself is run."""
    seen: list[Any] = []
    method: Callable[..., Any] = getattr(owner, name)

    def counted(self: Any, *arguments: Any) -> Any:
        seen.append(self)
        return method(self, *arguments)

    monkeypatch.setattr(owner, name, counted)
    return seen


@pytest.mark.parametrize("preset", ["conll12", "paper"])
def test_all_metrics_of_a_document_share_one_table_of_overlaps(monkeypatch: pytest.MonkeyPatch, preset: str) -> None:
    tables = calls(monkeypatch, BagOverlap, "_join")
    Tally(suite(preset)).update([PRED], [REF])
    assert len(tables) == 1


def test_the_memberships_of_b_cubed_are_found_to_be_those_of_the_entities(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = calls(monkeypatch, BagOverlap, "_join")
    Tally(Suite(b3=suite("paper")["b3"], muc=suite("paper")["muc"])).update([PRED], [REF])  # type: ignore[arg-type]
    assert len(tables) == 1

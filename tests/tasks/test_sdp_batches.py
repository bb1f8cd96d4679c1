"""Many graphs at once, by arrays, are what each of them is by itself."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.corpus.tally import Tally
from matchwise.engine.selection import MANY
from matchwise.errors import DataError
from matchwise.runners.evaluate import evaluate
from matchwise.tasks.sdp import Graph, suite
from matchwise.tasks.sdp.steps import Dependencies, Sets

IDS = st.integers(0, 4) | st.sampled_from(["0", "a"])
EDGES = st.lists(st.tuples(IDS, IDS, st.sampled_from(["ARG1", "ARG2", None])), max_size=6)
NODES = st.lists(st.builds(lambda id, tag: {"id": id, "properties": {"pos": tag}}, IDS, st.sampled_from(["V", "N"])))
PLAIN = st.fixed_dictionaries({"edges": EDGES, "tops": st.lists(IDS, max_size=2), "nodes": NODES}) | EDGES


def anchored(graph: Any) -> Any:
    """The same with nodes that are known by their characters."""
    nodes = [{"id": id, "anchors": [{"from": place, "to": place + 2}]} for place, id in enumerate([0, 1, 2, 3, 4, "a"])]
    return {"edges": graph, "nodes": nodes}


PAIRS = st.tuples(PLAIN, PLAIN) | st.tuples(EDGES.map(anchored), EDGES.map(anchored))


def content(one: Dependencies) -> tuple[Any, ...]:
    assert len(set(one.unlabeled)) == len(one.unlabeled)
    return list(one.labeled), list(one.unlabeled), one.predications


@given(st.lists(PAIRS, min_size=1, max_size=5), st.sampled_from([Sets(), Sets(False), Sets(True, False, "dm")]))
def test_every_set_is_that_of_the_graph_by_itself(pairs: list[tuple[Any, Any]], step: Sets) -> None:
    found = step.together([pred for pred, _ in pairs], [ref for _, ref in pairs])
    assert found is not None
    for pair, mine, theirs in zip(pairs, *found, strict=True):
        assert (content(mine), content(theirs)) == tuple(map(content, step(*pair)))


@settings(max_examples=25)
@given(st.lists(PAIRS, min_size=MANY, max_size=MANY), st.sampled_from(["mtool", "semeval15"]))
def test_many_graphs_are_counted_as_each_of_them(pairs: list[tuple[Any, Any]], preset: Any) -> None:
    for by in (None, "label"):
        together, alone = Tally(suite(preset), by=by), Tally(suite(preset), by=by)
        assert together.add_all([(pred, ref, None) for pred, ref in pairs]) > 0
        for pred, ref in pairs:
            alone.add(pred, ref)
        assert together == alone


@pytest.mark.parametrize("odd", [[(True, 2, "ARG1")], [(1.0, 2, "ARG1")]])
def test_nodes_that_equal_others_of_another_key_are_counted_one_by_one(odd: Any) -> None:
    assert Sets().together([Graph(edges=tuple(odd))], [[(1, 2, "ARG1")]]) is None


def test_a_graph_that_cannot_be_read_is_named_among_many() -> None:
    preds: list[Any] = [[(0, 1, "ARG1")]] * (2 * MANY)
    preds[MANY + 1] = [(0,)]
    with pytest.raises(DataError, match=f"document {MANY + 1} prediction: expected an edge"):
        evaluate(suite(), preds, [[(0, 1, "ARG1")]] * (2 * MANY))

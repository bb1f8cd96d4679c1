"""Many graphs at once are counted as each of them is by itself."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.corpus.tally import Tally
from matchwise.errors import DataError
from matchwise.runners.runner import evaluate
from matchwise.tasks.sdp import Edge, Graph, suite

MANY = 16
"""Documents of a batch."""

IDS = st.integers(0, 4) | st.sampled_from(["0", "a"])
EDGES = st.lists(st.tuples(IDS, IDS, st.sampled_from(["ARG1", "ARG2", None])), max_size=6)
NODES = st.lists(st.builds(lambda id, tag: {"id": id, "properties": {"pos": tag}}, IDS, st.sampled_from(["V", "N"])))
PLAIN = st.fixed_dictionaries({"edges": EDGES, "tops": st.lists(IDS, max_size=2), "nodes": NODES}) | EDGES


def anchored(graph: Any) -> Any:
    """The same with nodes that are known by their characters."""
    nodes = [{"id": id, "anchors": [{"from": place, "to": place + 2}]} for place, id in enumerate([0, 1, 2, 3, 4, "a"])]
    return {"edges": graph, "nodes": nodes}


PAIRS = st.tuples(PLAIN, PLAIN) | st.tuples(EDGES.map(anchored), EDGES.map(anchored))


@settings(max_examples=25)
@given(st.lists(PAIRS, min_size=MANY, max_size=MANY), st.sampled_from(["mtool", "semeval15"]))
def test_many_graphs_are_counted_as_each_of_them(pairs: list[tuple[Any, Any]], preset: Any) -> None:
    for by in (None, "label"):
        together, alone = Tally(suite(preset), by=by), Tally(suite(preset), by=by)
        together.add_all([(pred, ref, None) for pred, ref in pairs])
        for pred, ref in pairs:
            alone.add(pred, ref)
        assert together == alone


@pytest.mark.parametrize(("source", "matched"), [(True, 0), (1.0, 1)])
def test_among_many_graphs_a_node_true_is_not_1_and_1_0_is(source: Any, matched: int) -> None:
    preds: list[Any] = [[(1, 2, "ARG1")]] * MANY
    preds[3] = Graph(edges=(Edge(source, 2, "ARG1"),))
    tally = Tally(suite())
    tally.add_all([(pred, [(1, 2, "ARG1")], None) for pred in preds])
    assert tally.report().columns()["labeled.matched"] == [1, 1, 1, matched, *([1] * (MANY - 4))]


def test_a_graph_that_cannot_be_read_is_named_among_many() -> None:
    preds: list[Any] = [[(0, 1, "ARG1")]] * (2 * MANY)
    preds[MANY + 1] = [(0,)]
    with pytest.raises(DataError, match=f"document {MANY + 1} prediction: expected an edge"):
        evaluate(suite(), preds, [[(0, 1, "ARG1")]] * (2 * MANY))

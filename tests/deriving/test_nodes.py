"""Expressions over trees and graphs, checked against types."""

from typing import Any, NamedTuple

import pytest

from matchwise.algebra.build import eq, overlap
from matchwise.algebra.nodes import Similarity
from matchwise.deriving import check
from matchwise.errors import ExpressionError


class Tree(NamedTuple):
    label: str
    children: list["Tree"]


class Net(NamedTuple):
    nodes: list[Tree]
    edges: list[tuple[str, str]]


@pytest.mark.parametrize("type", [Tree, list[Tree], Net, Any])
def test_the_nodes_of_a_tree_or_graph_are_found(type: Any) -> None:
    check(overlap(None, eq("label"), order="graph"), type)


def test_the_nodes_of_a_mapping_of_successors_are_taken_on_trust() -> None:
    check(overlap(None, eq(), order="graph"), dict[str, list[str]])


@pytest.mark.parametrize(
    ("phi", "problem"),
    [
        (overlap(None, eq("lable"), order="tree"), "has no field 'lable'; did you mean 'label'"),
        (overlap("label", eq(), order="tree"), "label: order tree or graph needs a structure, but found str"),
    ],
)
def test_a_wrong_field_is_named(phi: Similarity, problem: str) -> None:
    with pytest.raises(ExpressionError, match=problem):
        check(phi, Tree)


def test_a_record_that_is_no_node_is_named() -> None:
    class Pair(NamedTuple):
        one: int

    with pytest.raises(ExpressionError, match='a tree or graph has a field "children", or "nodes" and "edges"'):
        check(overlap(None, eq(), order="graph"), Pair)

"""Graphs of meaning as MRP has them: nodes with labels, properties and anchors, edges with attributes, and tops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from matchwise.tasks.lists import find_list

Key: TypeAlias = str | int
"""What a node is called in its graph."""

Pairs: TypeAlias = tuple[tuple[str, str], ...]
"""Names and values, in the order of the file."""

Anchors: TypeAlias = tuple[tuple[int, int], ...]
"""Half-open ranges of characters."""


class Node(NamedTuple):
    """A node: its label, its properties, and the characters it stands for; None or nothing where it has none."""

    id: Key
    label: str | None = None
    properties: Pairs = ()
    anchors: Anchors = ()


class Edge(NamedTuple):
    """An edge from one node to another; `normal` is its label the other way round, for AMR's inverse roles."""

    source: Key
    target: Key
    label: str | None = None
    attributes: Pairs = ()
    normal: str | None = None
    anchors: Anchors = ()


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph of one sentence.

    `framework` and `flavor` are MRP's: dm, psd, eds, ucca, amr, …, and 0, 1 or 2 for how nodes are tied to words.
    """

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    tops: tuple[Key, ...] = ()
    id: Key | None = None
    text: str = ""
    framework: str | None = None
    flavor: int | None = None
    predicates: tuple[Key, ...] = ()
    """The nodes that are predicates, where the format says so (SDP)."""


def graph(document: Any) -> Graph:
    """A graph, from a graph, a list of `(source, target, label)`, or a dictionary with `edges`, `tops` and `nodes`.

    Nodes may be left out where nothing is known of them but their edges.

    >>> graph([(1, 0, "ARG1")]) == graph({"edges": [{"source": 1, "target": 0, "label": "ARG1"}]})
    True
    """
    match document:
        case Graph():
            return document
        case list() | tuple():
            return Graph(edges=tuple(map(_edge, document)))
        case Mapping() if "edges" in document or "tops" in document or "nodes" in document:
            return Graph(
                tuple(map(_node, find_list(document, ("nodes",)) or ())),
                tuple(map(_edge, find_list(document, ("edges",)) or ())),
                _tops(document.get("tops")),
                document.get("id"),
                document.get("input") or "",
                document.get("framework"),
                document.get("flavor"),
            )
    raise ValueError(f"expected a Graph, a list of edges or a dictionary with edges, found {type(document).__name__}")


def _tops(value: Any) -> tuple[Key, ...]:
    match value:
        case None:
            return ()
        case list() | tuple() if all(isinstance(top, str | int) for top in value):
            return tuple(value)
    raise ValueError(f"expected tops as a list of nodes, found {value!r}")


def _edge(value: Any) -> Edge:
    match value:
        case Edge():
            return value
        case {"source": str() | int() as source, "target": str() | int() as target}:
            # MRP 0.9 called the attributes of an edge properties
            names = value.get("attributes") if value.get("attributes") is not None else value.get("properties")
            return Edge(
                source,
                target,
                _text(value.get("label"), "the label of an edge"),
                _pairs(names, value.get("values"), "an edge"),
                _text(value.get("normal"), "the normal of an edge"),
                _anchors(value.get("anchors")),
            )
        case [str() | int() as source, str() | int() as target]:
            return Edge(source, target)
        case [str() | int() as source, str() | int() as target, str() | None as label]:
            return Edge(source, target, label)
    raise ValueError(f"expected an edge such as (source, target, label), found {value!r}")


def _node(value: Any) -> Node:
    match value:
        case Node():
            return value
        case {"id": str() | int() as id}:
            return Node(
                id,
                _text(value.get("label"), "the label of a node"),
                _pairs(value.get("properties"), value.get("values"), "a node"),
                _anchors(value.get("anchors")),
            )
    raise ValueError(f"expected a node with an id, found {value!r}")


def _text(value: Any, what: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise ValueError(f"expected text as {what}, found {value!r}")


def _pairs(names: Any, values: Any, what: str) -> Pairs:
    """Two lists of equal length, as MRP has them, or one mapping; values are text."""
    if isinstance(names, Mapping):
        names, values = list(names), list(names.values())
    names, values = names or (), values or ()
    if not isinstance(names, list | tuple) or not isinstance(values, list | tuple) or len(names) != len(values):
        raise ValueError(f"expected one value for each property of {what}, found {names!r} and {values!r}")
    return tuple((str(name), _plain(value)) for name, value in zip(names, values, strict=True))


def _plain(value: Any) -> str:
    """UCCA marks remote edges by true, which other writers write as text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _anchors(value: Any) -> Anchors:
    found = []
    for anchor in value or ():
        match anchor:
            case {"from": int(start), "to": int(end)} if start <= end:
                found.append((start, end))
            case [int(start), int(end)] if start <= end:
                found.append((start, end))
            case _:
                raise ValueError(f'expected an anchor such as {{"from": 0, "to": 3}}, found {anchor!r}')
    return tuple(found)

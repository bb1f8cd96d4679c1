"""The nodes of a tree or graph and the successors of each, read from any of the usual forms.

    {"label": "S", "children": [...]}, or any object with `children`, or a list of them     a tree (a forest)
    {"a": ["b", "c"], "b": []}                                                              successors of each node
    {"nodes": [...], "edges": [...]}, or any object with `nodes` and `edges`                nodes and edges
    networkx.DiGraph                                                                        nodes are their data

An edge is a pair (source, target) or has a `source` and a `target`. It names nodes by their `id`; nodes without one by
their value if it is plain, else by their position.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from matchwise.engine.keys import key
from matchwise.engine.selection import elements


@dataclass(frozen=True, slots=True)
class Structure:
    """Nodes, the way to each (for messages and alignments), and the numbers of those that follow it, in order."""

    nodes: list[Any]
    paths: list[str]
    following: list[list[int]]

    def reach(self) -> list[set[int]]:
        """For each node all nodes on a path from it, itself included: u ≤ v."""
        found = []
        for start in range(len(self.nodes)):
            seen, waiting = {start}, [start]
            while waiting:
                for node in self.following[waiting.pop()]:
                    if node not in seen:
                        seen.add(node)
                        waiting.append(node)
            found.append(seen)
        return found

    def parents(self) -> list[int | None]:
        """The parent of each node; ValueError if the structure is not a tree or forest."""
        parent: list[int | None] = [None] * len(self.nodes)
        for node, below in enumerate(self.following):
            for child in below:
                if parent[child] is not None:
                    raise ValueError(
                        f"found {self.paths[child] or 'a node'} below {self._name(parent[child])} and below "
                        f'{self._name(node)}, expected a tree; write order="graph"'
                    )
                parent[child] = node
        if len(self.postorder()) < len(self.nodes):
            raise ValueError('found a cycle, expected a tree; write order="graph"')
        return parent

    def roots(self) -> list[int]:
        """The nodes without a parent."""
        below = {child for children in self.following for child in children}
        return [node for node in range(len(self.nodes)) if node not in below]

    def postorder(self, mirrored: bool = False) -> list[int]:
        """Children before their parents, left before right (or right before left); nodes on a cycle are left out."""
        made: list[int] = []
        start = self.roots()
        waiting = [(root, False) for root in (start if mirrored else reversed(start))]
        while waiting:
            node, done = waiting.pop()
            if done:
                made.append(node)
            else:
                waiting.append((node, True))
                below = self.following[node]
                waiting.extend((child, False) for child in (below if mirrored else reversed(below)))
        return made

    def relations(self, order: str) -> list[list[int]]:
        """Relate u to v: 1 u ≤ v, 2 v ≤ u, 3 both, 0 neither; in ordered trees 4 (left) or 5 (right) instead of 0."""
        reach = self.reach()
        numbers = range(len(self.nodes))
        made = [[(v in reach[u]) + 2 * (u in reach[v]) for v in numbers] for u in numbers]
        if order == "tree":
            self.parents()
            place = {node: number for number, node in enumerate(self.postorder())}
            for u in numbers:
                for v in numbers:
                    if not made[u][v]:
                        made[u][v] = 4 if place[u] < place[v] else 5
        return made

    def _name(self, node: int | None) -> str:
        return self.paths[node] or "the root" if node is not None else "nothing"


def structure(value: Any) -> Structure:
    """The nodes of a tree or graph; ValueError says what was found instead."""
    if _has(value, "nodes") and _has(value, "edges"):
        return _graph(value) if hasattr(value, "is_directed") else _read_list(value)
    if _has(value, "children") or _is_forest(value):
        return _tree(value)
    if isinstance(value, Mapping):
        return _adjacency(value)
    found = "None" if value is None else f"a {type(value).__name__}"
    raise ValueError(
        f"found {found}, expected a tree (children), a graph of networkx, nodes and edges, or a mapping of successors"
    )


def _is_forest(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(_has(item, "children") for item in value)


def _tree(value: Any) -> Structure:
    roots = list(enumerate(value)) if _is_forest(value) and not _has(value, "children") else None
    start = [("", value)] if roots is None else [(f"[{place}]", root) for place, root in roots]
    nodes: list[Any] = []
    paths: list[str] = []
    following: list[list[int]] = []
    above: set[int] = set()
    waiting: list[tuple[int | None, str, Any]] = [(None, path, root) for path, root in reversed(start)]
    while waiting:
        parent, path, node = waiting.pop()
        if path == _LEAVE:
            above.discard(id(node))
            continue
        if id(node) in above:
            raise ValueError(f"found {path} inside of itself, expected a tree")
        above.add(id(node))
        waiting.append((None, _LEAVE, node))
        number = len(nodes)
        nodes.append(node)
        paths.append(path)
        following.append([])
        if parent is not None:
            following[parent].append(number)
        children = _get(node, "children")
        if children is None:
            continue
        if isinstance(children, str) or not isinstance(children, Iterable):
            raise ValueError(f"found {type(children).__name__} as {_dot(path)}children, expected a list of nodes")
        listed = _list(children)
        for place in range(len(listed) - 1, -1, -1):
            if not _has(listed[place], "children"):
                raise ValueError(
                    f"found a {type(listed[place]).__name__} without children at {_dot(path)}children[{place}], "
                    "expected a node of the tree (leaves have an empty list)"
                )
            waiting.append((number, f"{_dot(path)}children[{place}]", listed[place]))
    return Structure(nodes, paths, following)


_LEAVE = "\0"
"""In place of a path: all below the node is done."""


def _dot(path: str) -> str:
    return f"{path}." if path else ""


def _adjacency(value: Mapping[Any, Any]) -> Structure:
    numbers: dict[Hashable, int] = {}
    nodes: list[Any] = []
    for node in value:
        _number(numbers, nodes, node)
    following: list[list[int]] = []
    for node, after in value.items():
        if isinstance(after, str | bytes) or not isinstance(after, Iterable):
            raise ValueError(
                f"found {type(after).__name__} {after!r} under {node!r}, expected the nodes that follow it; "
                'a tree has "children", a graph "nodes" and "edges"'
            )
        following.append([_number(numbers, nodes, other) for other in _list(after)])
    following += [[] for _ in range(len(nodes) - len(following))]
    return Structure(nodes, [f"[{node!r}]" for node in nodes], [list(dict.fromkeys(after)) for after in following])


def _number(numbers: dict[Hashable, int], nodes: list[Any], node: Any) -> int:
    number = numbers.setdefault(key(node), len(nodes))
    if number == len(nodes):
        nodes.append(node)
    return number


def _graph(value: Any) -> Structure:
    """A graph of networkx; a node is its data, and its `id` if the data has none."""
    if not value.is_directed():
        raise ValueError("found an undirected graph, expected a directed one; write graph.to_directed() if both count")
    names = list(value.nodes)
    numbers = {name: number for number, name in enumerate(names)}
    nodes = [{"id": name, **value.nodes[name]} for name in names]
    following = [list(dict.fromkeys(numbers[after] for after in value.successors(name))) for name in names]
    return Structure(nodes, [f"[{name!r}]" for name in names], following)


def _read_list(value: Any) -> Structure:
    given, edges = _get(value, "nodes"), _get(value, "edges")
    for name, several in (("nodes", given), ("edges", edges)):
        if several is not None and (isinstance(several, str | bytes) or not isinstance(several, Iterable)):
            raise ValueError(f"found {type(several).__name__} as {name}, expected a list of {name}")
    if isinstance(given, Mapping):
        nodes, names = list(given.values()), list(given)
        paths = [f"nodes[{name!r}]" for name in names]
    else:
        nodes = _list(given or ())
        names = [_node_id(node, place) for place, node in enumerate(nodes)]
        paths = [f"nodes[{place}]" for place in range(len(nodes))]
    numbers: dict[Hashable, int] = {}
    for place, name in enumerate(names):
        if numbers.setdefault(key(name), place) != place:
            raise ValueError(f"found two nodes with the id {name!r}, expected one; edges could not tell them apart")
    following: list[list[int]] = [[] for _ in nodes]
    for place, edge in enumerate(_list(edges or ())):
        ends = []
        for end in _ends(edge, place):
            if key(end) not in numbers:
                raise ValueError(f"found an edge to {end!r} (edges[{place}]), expected the id of a node")
            ends.append(numbers[key(end)])
        if ends[1] not in following[ends[0]]:
            following[ends[0]].append(ends[1])
    return Structure(nodes, paths, following)


def _node_id(node: Any, place: int) -> Any:
    if _has(node, "id"):
        return _get(node, "id")
    return node if isinstance(node, str | int | float) else place


def _ends(edge: Any, place: int) -> tuple[Any, Any]:
    if _has(edge, "source") and _has(edge, "target"):
        return _get(edge, "source"), _get(edge, "target")
    if isinstance(edge, list | tuple) and len(edge) >= 2:
        return edge[0], edge[1]
    raise ValueError(f"found {edge!r} as edges[{place}], expected (source, target), or source and target by name")


def _list(several: Iterable[Any]) -> list[Any]:
    """The elements of a collection; those of a set in the order of their content."""
    return elements(several) or [] if isinstance(several, set | frozenset) else list(several)


def _has(value: Any, name: str) -> bool:
    return name in value if isinstance(value, Mapping) else hasattr(value, name)


def _get(value: Any, name: str) -> Any:
    return value[name] if isinstance(value, Mapping) else getattr(value, name)

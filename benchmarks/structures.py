"""Sequences, trees and graphs: matchings that keep the order, against metametric where it can do the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import metametric.dsl as mm
import networkx
import numpy as np
from workload.clock import seconds
from workload.table import Table, duration

from matchwise import align, custom, eq, overlap, plan, score
from matchwise.engine.solve.sequence import sum_matrix


@dataclass
class Node:
    label: int
    children: list[Node] = field(default_factory=list)


def tree(random: Random, size: int, labels: int, reach: int) -> Node:
    """Each node hangs below one of the `reach` nodes before it: a small reach makes deep trees."""
    nodes = [Node(random.randrange(labels)) for _ in range(size)]
    for number in range(1, size):
        nodes[random.randrange(max(0, number - reach), number)].children.append(nodes[number])
    return nodes[0]


def dag(random: Random, size: int, labels: int) -> networkx.DiGraph:
    made = networkx.DiGraph()
    made.add_nodes_from((number, {"label": random.randrange(labels)}) for number in range(size))
    for target in range(1, size):
        for _ in range(random.choice([1, 1, 2])):
            made.add_edge(random.randrange(max(0, target - 8), target), target)
    return made


def closeness(xs: list[float], ys: list[float]) -> Any:
    return 1 / (1 + np.abs(np.subtract.outer(np.array(xs), np.array(ys))))


def close_labels(x: int, y: int) -> float:
    return 1 / (1 + abs(x - y))


def main() -> None:
    _sequences(Table("sequences, 1:1"))
    _trees(Table("ordered trees"))
    _graphs(Table("unordered trees and DAGs: exact"))


def _sequences(table: Table) -> None:
    random = Random(1)
    graded = overlap(None, custom(closeness, batch=True, facts=("symmetric", "unit")), order="sequence")
    theirs = mm.sequence_matching[float, "<->"](mm.from_func(lambda x, y: 1 / (1 + abs(x - y))))  # type: ignore[arg-type]
    for size in (100, 300, 1000):
        xs, ys = ([9 * random.random() for _ in range(size)] for _ in range(2))
        ours = seconds(lambda xs=xs, ys=ys: score(graded, xs, ys))
        target, ok = ("≤ 10 ms", ours <= 0.01) if size == 1000 else ("", None)
        peer = seconds(lambda xs=xs, ys=ys: theirs.score(xs, ys), times=1) if size < 1000 else None
        if peer is not None:
            assert abs(score(graded, xs, ys) - theirs.score(xs, ys)) < 1e-9
        table.add(
            f"{size} × {size}, graded",
            duration(ours),
            target,
            ok,
            peer="" if peer is None else duration(peer),
            ratio="" if peer is None else f"{peer / ours:.0f}×",
        )
    weights = closeness(xs, ys)
    rows = seconds(lambda: sum_matrix("1:1", weights))
    table.add("   … of which the dynamic programme", duration(rows), "≤ 10 ms", rows <= 0.01)
    aligned = seconds(lambda: align(graded, xs[:300], ys[:300]), times=2)
    table.add("300 × 300, graded, with alignment", duration(aligned))
    words, other = ([random.randrange(50) for _ in range(1000)] for _ in range(2))
    table.add("1000 × 1000, equality", duration(seconds(lambda: score(overlap(None, order="sequence"), words, other))))


def _trees(table: Table) -> None:
    phi = overlap(None, eq("label"), order="tree")
    for size in (100, 200, 400):
        for name, reach in (("deep", 3), ("bushy", 50)):
            random = Random(size)
            one, other = tree(random, size, 12, reach), tree(random, size, 12, reach)
            ours = seconds(lambda one=one, other=other: score(phi, one, other), times=1)
            table.add(
                f"{size} × {size} nodes, {name}",
                duration(ours),
                "≤ 1 s" if size == 200 else "",
                ours <= 1 if size == 200 else None,
            )


def _graphs(table: Table) -> None:
    by_label, soft = eq("label"), custom(close_labels, "label", facts=("symmetric", "unit"))
    their_label = mm.graph_matching[int, "<->"](mm.from_func(lambda x, y: float(x % 6 == y % 6)))  # type: ignore[arg-type]
    for size in (8, 12):
        random = Random(size)
        one, other = dag(random, size, 6), dag(random, size, 6)
        # metametric compares nodes, not their data: here a node's label is its number modulo 6.
        for graph in (one, other):
            for node in graph:
                graph.nodes[node]["label"] = node % 6
        phi = overlap(None, by_label, order="graph")
        assert abs(score(phi, one, other) - their_label.score(one, other)) < 1e-6
        ours = seconds(lambda one=one, other=other, phi=phi: score(phi, one, other), times=3)
        peer = seconds(lambda one=one, other=other: their_label.score(one, other), times=1)
        table.add(
            f"DAG, {size} × {size} nodes, 6 labels, against metametric",
            duration(ours),
            peer=duration(peer),
            ratio=f"{peer / ours:.0f}×",
        )
    for name, inner, size in (("6 labels", by_label, 30), ("6 labels", by_label, 40), ("graded", soft, 16)):
        random = Random(size)
        phi = overlap(None, inner, order="graph")
        pairs = {
            "DAG": (dag(random, size, 6), dag(random, size, 6)),
            "tree": (tree(random, size, 6, 8), tree(random, size, 6, 8)),
        }
        for kind, (x, y) in pairs.items():
            time = seconds(lambda phi=phi, x=x, y=y: score(phi, x, y), times=1)
            table.add(f"{kind}, {size} × {size} nodes, {name}", duration(time))
    random = Random(3)
    x, y = dag(random, 40, 6), dag(random, 40, 6)
    phi = overlap(None, soft, order="graph")
    table.add(f"DAG, 40 × 40 nodes, graded, 3 s: {plan(phi).bounds(x, y, time_limit=3)}", "3 s")


if __name__ == "__main__":
    main()

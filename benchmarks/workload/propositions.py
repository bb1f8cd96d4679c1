"""Seeded graphs of propositions, sized and shaped like AMR, and what a parser might make of them under other names.

A graph is a tree of nodes with concepts (some frequent, most rare), with a few edges more (reentrancies) and a few
constants. The parser drops nodes, takes other concepts and roles, and moves edges. The graph of a document joins the
graphs of its sentences, in which one node in eight is a thing that an earlier sentence named.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from matchwise import Var

ROLES = ["ARG0", "ARG1", "ARG2", "mod", "op1", "op2", "time", "location", "poss", "name", "quant", "manner"]
OFTEN = [20, 28, 8, 14, 6, 5, 4, 4, 3, 4, 2, 2]


class Prop(NamedTuple):
    rel: str
    subj: Var
    obj: str


class Graph(NamedTuple):
    props: list[Prop]


def graph_pair(seed: int, size: int, *, noise: float = 0.15, concepts: int = 400) -> tuple[Graph, Graph]:
    """Prediction and reference."""
    random = Random(seed)
    ref = _graph(random, size, concepts)
    return Graph(_parsed(random, ref, noise, concepts)), Graph(ref)


def document_pair(seed: int, size: int, *, noise: float = 0.15, concepts: int = 400) -> tuple[Graph, Graph]:
    """Prediction and reference of a document of about this many variables."""
    random = Random(seed)
    names: dict[Var, Var] = {}
    ref: dict[Prop, None] = {}
    number = 0
    while len(set(names.values())) < size:
        before = sorted(set(names.values()))
        number += 1
        sentence = _graph(random, random.randrange(8, 20), concepts)
        for node in sorted({prop.subj for prop in sentence}):
            is_named = bool(before) and random.random() < 1 / 8
            names[Var(f"{number}.{node}")] = random.choice(before) if is_named else Var(f"s{number}.{node}")
        for rel, subj, obj in sentence:
            end = names[Var(f"{number}.{obj}")] if isinstance(obj, Var) else obj
            if rel != "instance" or names[Var(f"{number}.{subj}")] not in before:
                ref[Prop(rel, names[Var(f"{number}.{subj}")], end)] = None
    return Graph(_parsed(random, sorted(ref), noise, concepts)), Graph(sorted(ref))


def _concept(random: Random, concepts: int) -> str:
    return f"c{int(concepts * random.random() ** 2.5)}"


def _graph(random: Random, size: int, concepts: int) -> list[Prop]:
    nodes = [Var(f"v{number}") for number in range(size)]
    props = {Prop("instance", node, _concept(random, concepts)) for node in nodes}
    for child in range(1, size):
        parent = random.randrange(max(0, child - 6), child)
        props.add(Prop(random.choices(ROLES, OFTEN)[0], nodes[parent], nodes[child]))
    for _ in range(size // 8):
        props.add(Prop(random.choices(ROLES, OFTEN)[0], random.choice(nodes), random.choice(nodes)))
    for _ in range(size // 7):
        props.add(Prop(random.choice(["polarity", "quant"]), random.choice(nodes), random.choice("-123")))
    return sorted(props)


def _parsed(random: Random, ref: list[Prop], noise: float, concepts: int) -> list[Prop]:
    nodes = sorted({prop.subj for prop in ref})
    numbers = random.sample(range(len(nodes)), len(nodes))
    names = {node: Var(f"x{number}") for node, number in zip(nodes, numbers, strict=True)}
    lost = {node for node in nodes if random.random() < 0.6 * noise}
    made = set()
    for rel, subj, obj in ref:
        if subj in lost or obj in lost:
            continue
        if random.random() < noise:
            if rel == "instance":
                obj = _concept(random, concepts)
            elif isinstance(obj, Var) and random.random() < 0.5:
                obj = random.choice(nodes)
            else:
                rel = random.choice(ROLES)
        made.add(Prop(rel, names[subj], names[obj] if isinstance(obj, Var) else obj))
    return sorted(made)

"""Seeded pairs of AMR-like graphs as PENMAN text: a reference, and what a parser might make of it.

Sizes are spread as in real corpora (median 14 variables, 5 % above 29, at most 79); few concepts are frequent, most are
rare; one node in eight is a name with strings, one edge in five is written backwards, one node in nine is mentioned
again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import exp, log
from random import Random

ROLES = ["ARG0", "ARG1", "ARG2", "mod", "op1", "op2", "time", "location", "poss", "quant", "manner", "domain", "topic"]
OFTEN = [20, 28, 8, 14, 6, 5, 4, 4, 3, 2, 2, 2, 1]
FREQUENT = ["person", "and", "thing", "i", "say-01", "name", "country", "you", "have-03", "possible-01", "year", "this"]
NAMES = ["Ada", "Bo", "Cleo", "Dunmore", "Elm", "Faro", "Gale", "Hollis", "Ives", "Jun", "Kest", "Lorne"]


@dataclass(slots=True)
class Node:
    """A node of the tree that is written: its parent comes earlier in the list."""

    concept: str
    parent: int = -1
    role: str = ""
    backwards: bool = False
    constants: list[tuple[str, str]] = field(default_factory=list)
    mentions: list[tuple[str, int]] = field(default_factory=list)


def meaning_pairs(number: int, *, seed: int = 0, noise: float = 0.17, size: int | None = None) -> list[tuple[str, str]]:
    """Prediction and reference, as text."""
    random = Random(seed)
    made = []
    for _ in range(number):
        variables = size or min(79, max(2, round(exp(random.gauss(log(14), 0.45)))))
        ref = _graph(random, variables)
        made.append((_written(_parsed(random, ref, noise), "z"), _written(ref, "v")))
    return made


def read_graphs(random: Random, size: int, readings: int, noise: float = 0.2) -> list[str]:
    """A reference, and so many parses of it, as text."""
    ref = _graph(random, size)
    return [_written(ref, "v"), *(_written(_parsed(random, ref, noise), f"z{number}_") for number in range(readings))]


def _concept(random: Random) -> str:
    if random.random() < 0.35:
        return FREQUENT[int(len(FREQUENT) * random.random() ** 2)]
    return f"c{int(900 * random.random() ** 2)}{random.choice(['', '-01', '-02'])}"


def _role(random: Random) -> str:
    return random.choices(ROLES, OFTEN)[0]


def _graph(random: Random, size: int) -> list[Node]:
    nodes = [Node(_concept(random))]
    while len(nodes) < size:
        parent = random.randrange(max(0, len(nodes) - 6), len(nodes))
        if random.random() < 0.12:
            nodes.append(Node("name", parent, "name"))
            words = random.sample(NAMES, random.choice([1, 1, 2]))
            nodes[-1].constants = [(f"op{place}", f'"{word}"') for place, word in enumerate(words, start=1)]
        else:
            nodes.append(Node(_concept(random), parent, _role(random), random.random() < 0.2))
    for place in range(1, size):
        if random.random() < 0.11:
            other = random.randrange(size)
            if place not in (other, nodes[other].parent) and other != nodes[place].parent:
                nodes[place].mentions.append((_role(random), other))
        if random.random() < 0.12:
            nodes[place].constants.append(random.choice([("polarity", "-"), ("quant", str(random.randrange(1, 9)))]))
    return nodes


def _parsed(random: Random, ref: list[Node], noise: float) -> list[Node]:
    """Nodes are lost with all that hangs on them, invented (about as many), moved, or renamed; roles are mistaken."""
    kept: dict[int, int] = {}
    made: list[Node] = []
    for place, node in enumerate(ref):
        if place and (node.parent not in kept or random.random() < 0.3 * noise):
            continue
        concept = _concept(random) if random.random() < noise else node.concept
        role = _role(random) if random.random() < noise else node.role
        parent = kept.get(node.parent, -1)
        if place and random.random() < 0.5 * noise:
            parent = random.randrange(len(made))
        kept[place] = len(made)
        constants = [pair for pair in node.constants if random.random() >= noise]
        made.append(replace(node, concept=concept, role=role, parent=parent, constants=constants, mentions=[]))
    while len(made) < len(ref) and random.random() < 0.9:
        parent = random.randrange(max(0, len(made) - 6), len(made))
        made.append(Node(_concept(random), parent, _role(random), random.random() < 0.2))
    for place, node in enumerate(ref):
        if place in kept:
            here = kept[place]
            for role, other in node.mentions:
                there = kept.get(other, here)  # nothing is said twice: smatch would count it four times
                if (
                    random.random() >= 1.5 * noise
                    and here not in (there, made[there].parent)
                    and there != made[here].parent
                ):
                    made[here].mentions.append((role, there))
    return made


def _written(nodes: list[Node], letter: str) -> str:
    children: list[list[int]] = [[] for _ in nodes]
    for place, node in enumerate(nodes):
        if place:
            children[node.parent].append(place)

    def text(place: int, depth: int) -> str:
        node = nodes[place]
        indent = "\n" + "    " * depth
        parts = [f"({letter}{place} / {node.concept}"]
        parts += [f"{indent}:{role} {value}" for role, value in node.constants]
        parts += [f"{indent}:{role} {letter}{other}" for role, other in node.mentions]
        for child in children[place]:
            role = nodes[child].role
            turned = "-of" if nodes[child].backwards and role not in ("mod", "domain") else ""
            parts.append(f"{indent}:{role}{turned} {text(child, depth + 1)}")
        return "".join(parts) + ")"

    return text(0, 1)

"""Seeded semantic dependency graphs in SDP's columns, and what a parser made of them: labels confused, edges moved."""

from __future__ import annotations

from random import Random

LABELS = ("ARG1", "ARG1", "ARG2", "BV", "compound", "loc", "poss", "ARG3")

Edges = dict[tuple[int, int], str]


def graphs(number: int, seed: int = 7) -> tuple[str, str]:
    """Sentences of 10 to 35 tokens with about as many edges; an edge is right about nine times of ten."""
    random = Random(seed)
    preds, refs = ["#SDP 2015"], ["#SDP 2015"]
    for place in range(number):
        length = random.randint(10, 35)
        gold: Edges = {_ends(random, length): random.choice(LABELS) for _ in range(length)}
        top = random.randrange(length)
        refs.append(_columns(place, length, gold, top))
        preds.append(_columns(place, length, _misread(random, gold, length), top if random.random() < 0.9 else 0))
    return "\n".join(preds), "\n".join(refs)


def _ends(random: Random, length: int) -> tuple[int, int]:
    return random.randrange(length), random.randrange(length)


def _misread(random: Random, gold: Edges, length: int) -> Edges:
    made: Edges = {}
    for ends, label in gold.items():
        chance = random.random()
        if chance < 0.9:
            made[ends] = label
        elif chance < 0.95:
            made[ends] = random.choice(LABELS)
        else:
            made[_ends(random, length)] = label
    return made


def _columns(number: int, length: int, edges: Edges, top: int) -> str:
    predicates = sorted({source for source, _ in edges})
    lines = [f"#{20000001 + number}"]
    for place in range(length):
        flags = "+" if place == top else "-", "+" if place in predicates else "-"
        args = (edges.get((source, place), "_") for source in predicates)
        lines.append("\t".join((str(place + 1), "form", "lemma", "VB", *flags, "v:e", *args)))
    return "\n".join(lines) + "\n"

"""Seeded pairs of discourse representation structures as clauses: a reference, and what a parser might make of it.

Sizes are spread as those of the sentences of the Parallel Meaning Bank: one event in half of them, with its
participants, names and time, in boxes that presuppose, deny and continue each other; 20 clauses in the median.
"""

from __future__ import annotations

from random import Random
from typing import TypeAlias

ROLES = ["Agent", "Theme", "Patient", "Experiencer", "Stimulus", "Location", "Recipient", "Goal", "Manner", "Source"]
LINKS = ["CONTINUATION", "NEGATION", "CONTRAST", "EXPLANATION", "POSSIBILITY", "CONDITION"]
NAMES = ["tom", "mary", "boston", "bill", "alice", "kyoto"]
FREQUENT = {"n": ["male", "female", "person", "entity", "quantity"], "v": ["be", "have"], "a": ["good"]}

Words: TypeAlias = tuple[str, ...]


def discourse_pairs(
    number: int, *, seed: int = 0, noise: float = 0.12, events: int | None = None
) -> list[tuple[str, str]]:
    """Prediction and reference, as text."""
    random = Random(seed)
    made = []
    for _ in range(number):
        ref = Discourse(random)
        for _ in range(events or random.choices((1, 2, 3, 4, 6), (50, 28, 12, 7, 3))[0]):
            ref.tell()
        made.append((_written(_renamed(random, _parsed(random, ref.clauses, noise))), _written(ref.clauses)))
    return made


class Discourse:
    """A text that is told event by event."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.clauses: list[Words] = []
        self.entities: list[str] = []
        self.referents = 0
        self.boxes = 1
        self.main = "b0"

    def tell(self) -> None:
        """One event more: its time, its participants, and now and then a box of its own for what follows."""
        random, main = self.random, self.main
        event = self.referent("e", main, _concept(random, "v"))
        time = self.referent("t", main, ("time", '"n.08"'))
        self.clauses.append((main, random.choice(("TPR", "EQU")), time, '"now"'))
        self.clauses.append((main, "Time", event, time))
        for role in random.sample(ROLES, random.choice((1, 2, 2, 3))):
            self.clauses.append((main, role, event, self.participant()))
        if len(self.entities) > 1 and random.random() < 0.15:
            self.clauses.append((main, random.choice(("NEQ", "EQU", "TAB")), *random.sample(self.entities, 2)))
        if random.random() < 0.45:
            self.main = self.box()
            self.clauses.append((main, random.choice(LINKS), self.main))

    def participant(self) -> str:
        """Someone who was there, the speaker, or someone new."""
        random = self.random
        if self.entities and random.random() < 0.3:
            return random.choice(self.entities)
        if random.random() < 0.1:
            return '"speaker"'
        where = self.main
        if random.random() < 0.5:
            where = self.box()
            self.clauses.append((where, "PRESUPPOSITION", self.main))
        who = self.referent("x", where, _concept(random, "n"))
        self.entities.append(who)
        if random.random() < 0.3:
            self.clauses.append((where, "Name", who, f'"{random.choice(NAMES)}"'))
        if random.random() < 0.15:
            self.clauses.append((where, "AttributeOf", self.referent("s", where, _concept(random, "a")), who))
        return who

    def referent(self, letter: str, where: str, concept: Words) -> str:
        self.referents += 1
        name = f"{letter}{self.referents}"
        self.clauses += [(where, "REF", name), (where, *concept, name)]
        return name

    def box(self) -> str:
        self.boxes += 1
        return f"b{self.boxes - 1}"


def _concept(random: Random, pos: str) -> Words:
    """A concept and its sense; few are frequent."""
    if random.random() < 0.35:
        return random.choice(FREQUENT[pos]), f'"{pos}.01"'
    return f"c{int(800 * random.random() ** 2)}", f'"{pos}.0{random.choice((1, 1, 1, 2, 3))}"'


def _parsed(random: Random, ref: list[Words], noise: float) -> list[Words]:
    """Clauses are lost or said of another box, roles and concepts are mistaken, participants exchanged."""
    boxes = sorted({where for where, *_ in ref})
    referents = [words[2] for words in ref if words[1] == "REF"]
    made: list[Words] = []
    for where, rel, *rest in ref:
        if random.random() < 0.4 * noise:
            continue
        if rel in ROLES and random.random() < noise:
            rel = random.choice(ROLES)
        elif rest[0].startswith('"') and random.random() < noise:
            rel, rest[0] = _concept(random, rest[0][1])
        if random.random() < 0.3 * noise:
            where = random.choice(boxes)
        if rel in ROLES and random.random() < 0.3 * noise:
            rest[1] = random.choice(referents)
        made.append((where, rel, *rest))
    return made or ref


def _renamed(random: Random, clauses: list[Words]) -> list[Words]:
    """Other names, as another parser gives them, and another order."""
    names = sorted({word for where, _, *rest in clauses for word in (where, *rest) if word[0] != '"'})
    numbers = random.sample(range(1, 2 * len(names) + 1), len(names))
    other = {name: f"{'k' if name[0] == 'b' else 'y'}{number}" for name, number in zip(names, numbers, strict=True)}
    made = [(other[where], rel, *(other.get(word, word) for word in rest)) for where, rel, *rest in clauses]
    return random.sample(made, len(made))


def _written(clauses: list[Words]) -> str:
    return "\n".join(map(" ".join, clauses))

"""Seeded documents: the same seed gives the same objects on every machine.

Relations and entities are metametric's own classes, so that both libraries read the same objects.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from metametric.structures.ie import Entity, EntitySet, Mention, Relation, RelationSet

RELATION_TYPES = ("born in", "capital of", "employs", "located in", "member of", "owns")


def relation_sets(size: int, seed: int = 1) -> tuple[RelationSet, RelationSet]:
    """A reference of `size` relations, and a prediction in which a fifth of them have another type or another object."""
    random = Random(seed)

    def mention() -> Mention:
        left = random.randrange(10 * size)
        return Mention(left, left + random.randint(1, 4))

    reference = [Relation(random.choice(RELATION_TYPES), mention(), mention()) for _ in range(size)]
    prediction = []
    for relation in reference:
        chance = random.random()
        if chance < 0.1:
            prediction.append(replace(relation, type=random.choice(RELATION_TYPES)))
        elif chance < 0.2:
            prediction.append(replace(relation, obj=mention()))
        else:
            prediction.append(replace(relation, subj=replace(relation.subj), obj=replace(relation.obj)))
    random.shuffle(prediction)
    return RelationSet(prediction), RelationSet(reference)


def noisy_entity_sets(entities: int, mentions: int, seed: int = 2) -> tuple[EntitySet, EntitySet]:
    """What a good system does: a tenth of the mentions is in a wrong entity, and a tenth has a wrong boundary."""
    random = Random(seed)
    reference = _partition(_mentions(mentions, random), entities, random)
    prediction: list[list[Mention]] = [[] for _ in reference]
    for number, members in enumerate(reference):
        for mention in members:
            chance = random.random()
            place = random.randrange(entities) if chance < 0.1 else number
            right = mention.right + 1 if 0.1 <= chance < 0.2 else mention.right
            prediction[place].append(Mention(mention.left, right))
    random.shuffle(prediction)
    return _entity_set(prediction), _entity_set(reference)


def shuffled_entity_sets(entities: int, mentions: int, seed: int = 3) -> tuple[EntitySet, EntitySet]:
    """The worst case: the mentions are the reference's, put into entities at random, so that all small overlaps tie."""
    random = Random(seed)
    found = _mentions(mentions, random)
    reference = _partition(found, entities, random)
    random.shuffle(found)
    prediction = _partition([replace(mention) for mention in found], entities, random)
    return _entity_set(prediction), _entity_set(reference)


def _mentions(number: int, random: Random) -> list[Mention]:
    return [Mention(left, left + random.randint(1, 4)) for left in range(0, 3 * number, 3)]


def _partition(mentions: list[Mention], number: int, random: Random) -> list[list[Mention]]:
    """One mention for each entity, the others anywhere."""
    made = [[mention] for mention in mentions[:number]]
    for mention in mentions[number:]:
        random.choice(made).append(mention)
    return made


def _entity_set(entities: list[list[Mention]]) -> EntitySet:
    return EntitySet([Entity(members) for members in entities if members])


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an invoice."""

    product: str
    description: str
    sku: int
    quantity: int
    unit: str
    price: float
    taxed: str


@dataclass(frozen=True, slots=True)
class Invoice:
    items: list[Line]


WORDS = (
    "bolt nut washer screw panel cable switch hinge valve pump filter gasket sensor bracket spring motor "
    "small large steel brass black white blue coated heavy light outdoor indoor spare premium standard twin"
).split()


def invoices(lines: int, seed: int = 4) -> tuple[Invoice, Invoice]:
    """An invoice, and what an extractor read of it: misspelt names, some wrong numbers, some lines lost and invented."""
    random = Random(seed)

    def line() -> Line:
        name = " ".join(random.sample(WORDS, random.randint(2, 4)))
        description = " ".join(random.choices(WORDS, k=random.randint(4, 8)))
        price = round(random.lognormvariate(3, 1), 2)
        sku, quantity = random.randrange(100_000), random.randint(1, 20)
        return Line(name, description, sku, quantity, random.choice(("piece", "box", "m")), price, random.choice("ABC"))

    reference = [line() for _ in range(lines)]
    prediction = [_misread(each, random) if random.random() < 0.95 else line() for each in reference]
    random.shuffle(prediction)
    return Invoice(prediction), Invoice(reference)


def _misread(line: Line, random: Random) -> Line:
    return Line(
        _misspelt(line.product, random),
        _misspelt(line.description, random),
        line.sku if random.random() < 0.9 else random.randrange(100_000),
        line.quantity if random.random() < 0.9 else random.randint(1, 20),
        line.unit,
        line.price if random.random() < 0.9 else round(line.price * 1.1, 2),
        line.taxed if random.random() < 0.9 else random.choice("ABC"),
    )


def _misspelt(text: str, random: Random) -> str:
    letters = list(text)
    for _ in range(random.randint(0, 3)):
        letters[random.randrange(len(letters))] = random.choice("aeioumnrst ")
    return "".join(letters)


@dataclass(frozen=True, slots=True)
class Tagged:
    """A small document."""

    labels: list[str]


@dataclass(frozen=True, slots=True)
class Fact:
    kind: str
    subject: str
    object: str


@dataclass(frozen=True, slots=True)
class Facts:
    """A small document of records."""

    facts: list[Fact]


def tagged_documents(number: int, seed: int = 5) -> tuple[list[Tagged], list[Tagged]]:
    """Three labels a side; each predicted one is right four times of five."""
    random = Random(seed)
    names = [f"label {k}" for k in range(100)]
    refs = [random.sample(names, 3) for _ in range(number)]
    preds = [[name if random.random() < 0.8 else random.choice(names) for name in labels] for labels in refs]
    return [Tagged(labels) for labels in preds], [Tagged(labels) for labels in refs]


def fact_documents(number: int, seed: int = 6) -> tuple[list[Facts], list[Facts]]:
    """Three facts a side; each predicted one is right four times of five."""
    random = Random(seed)
    names = [f"thing {k}" for k in range(100)]

    def fact() -> Fact:
        return Fact(random.choice(RELATION_TYPES), random.choice(names), random.choice(names))

    refs = [[fact() for _ in range(3)] for _ in range(number)]
    preds = [[replace(each) if random.random() < 0.8 else fact() for each in facts] for facts in refs]
    return [Facts(facts) for facts in preds], [Facts(facts) for facts in refs]

"""Seeded relations and entities, of metametric's own classes, so that both libraries read the same objects."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from metametric.structures.ie import Entity, EntitySet, Mention, Relation, RelationSet

RELATION_TYPES = ("born in", "capital of", "employs", "located in", "member of", "owns")


def relation_sets(size: int, seed: int = 1) -> tuple[RelationSet, RelationSet]:
    """A reference, and a prediction in which a fifth of the relations has another type or another object."""
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

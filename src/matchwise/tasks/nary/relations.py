"""N-ary relations of a document, whole or projected onto pairs of roles, and the entities that they relate."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from matchwise.tasks.lists import find_list
from matchwise.tasks.roles import Entity, Mention, NAryRelation, RoleFiller, entity, filler, mention


@dataclass(frozen=True, slots=True)
class NAryRelationSet:
    """The relations of one document, with its entities and mentions where they are listed by themselves."""

    relations: tuple[NAryRelation, ...]
    id: str | int | None = None
    entities: tuple[Entity, ...] = ()
    """The entities that are asked for (SciREX: the salient ones), also those that no relation has."""
    mentions: tuple[Mention, ...] = ()
    """All mentions, in the order of the file."""
    text: Any = field(default=(), compare=False, repr=False)
    """The words, for people who look at it."""


def relation(value: Any, named: Mapping[Any, Entity] | None = None) -> NAryRelation:
    """A relation, from a relation, `(type, {role: entity})`, or a dictionary with `args`, or of roles and entities.

    >>> relation({"type": "result", "args": {"Task": [[0, 2]], "Method": [[5, 6], [9, 10]]}}).args[1].entity.mentions
    ((5, 6), (9, 10))
    """
    match value:
        case NAryRelation():
            return value
        case [str(kind), Mapping() | list() | tuple() as args]:
            return NAryRelation(kind, _args(args, named or {}))
        case Mapping():
            roles = {role: one for role, one in value.items() if role not in ("id", "score", "type")}
            args = value.get("args", roles)
            return NAryRelation(str(value.get("type") or ""), _args(args, named or {}))
    raise ValueError(f'expected a relation such as {{"args": {{"Task": [[0, 2]]}}}}, found {value!r}')


def _args(value: Any, named: Mapping[Any, Entity]) -> tuple[RoleFiller, ...]:
    if not isinstance(value, Mapping):
        return tuple(map(filler, find_list({"args": value}, ("args",)) or ()))
    return tuple(RoleFiller(str(role), _name(one, named)) for role, one in value.items() if one is not None)


def _name(value: Any, named: Mapping[Any, Entity]) -> Entity:
    """Resolve a name or number to the entity of the document that has it."""
    if isinstance(value, str | int):
        return named[value] if value in named else Entity((value,), name=value)
    return entity(value)


def relation_set(document: Any) -> NAryRelationSet:
    """A document, from a relation set, a list of relations, or a dictionary with `relations` (and `entities`).

    >>> given = {"entities": {"ImageNet": [[0, 1], [7, 8]]}, "relations": [{"args": {"Material": "ImageNet"}}]}
    >>> relation_set(given).relations[0].args[0].entity.mentions
    ((0, 1), (7, 8))
    """
    match document:
        case NAryRelationSet():
            return document
        case NAryRelation():
            return NAryRelationSet((document,))
        case list() | tuple():
            return NAryRelationSet(tuple(map(relation, document)))
        case Mapping() if "relations" in document:
            found = _entities(document)
            named = {one.name: one for one in found if one.name is not None}
            made = tuple(relation(one, named) for one in find_list(document, ("relations",)) or ())
            mentions = tuple(map(mention, find_list(document, ("mentions",)) or ()))
            return NAryRelationSet(made, document.get("id"), found, mentions)
    raise ValueError(f"expected an NAryRelationSet or a list of relations, found {type(document).__name__}")


def _entities(document: Mapping[str, Any]) -> tuple[Entity, ...]:
    found = document.get("entities")
    if isinstance(found, Mapping):
        return tuple(replace(entity(one), name=name) for name, one in found.items())
    return tuple(map(entity, find_list(document, ("entities",)) or ()))


def relations(document: Any) -> list[NAryRelation]:
    """The relations of a document."""
    return list(relation_set(document).relations)


def pairs(document: Any) -> list[NAryRelation]:
    """The binary projections: each pair of arguments of each relation, and each such pair once.

    >>> [[arg.role for arg in one.args] for one in pairs([("", {"a": "x", "b": "y", "c": "z"})])]
    [['a', 'b'], ['a', 'c'], ['b', 'c']]
    """
    found: dict[Any, NAryRelation] = {}
    for one in relations(document):
        for ends in combinations(sorted(one.args, key=lambda arg: arg.role), 2):
            found.setdefault((one.type, *((end.role, same(end.entity)) for end in ends)), NAryRelation(one.type, ends))
    return list(found.values())


def entities(document: Any) -> list[Entity]:
    """The entities of a document: its own list, or else whatever its relations name."""
    found = relation_set(document)
    if found.entities:
        return list(found.entities)
    used: dict[Hashable, Entity] = {}
    for one in found.relations:
        for arg in one.args:
            used.setdefault(same(arg.entity), arg.entity)
    return list(used.values())


def same(entity: Entity) -> Hashable:
    """The identity of an entity in its document: its name, or else its mentions."""
    return frozenset(entity.mentions) if entity.name is None else entity.name

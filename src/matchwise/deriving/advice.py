"""What the user says of one place: hints and a similarity, of the annotation and of the settings, made one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from matchwise.algebra.nodes import Number, Order, Similarity
from matchwise.deriving.hints import (
    BUILDERS,
    AnyOf,
    Floor,
    Hint,
    Ignore,
    Keyed,
    Name,
    Ordered,
    Positional,
    Strict,
    Weight,
)
from matchwise.errors import DeriveError

Wish: TypeAlias = Similarity | Hint
Setting: TypeAlias = Similarity | Hint | tuple[Similarity | Hint, ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """At most one wish of each kind."""

    similarity: Similarity | None = None
    weight: Number = 1
    order: Ordered | Positional | None = None
    key: Keyed | None = None
    strict: Strict | None = None
    ignored: bool = False
    any_of: AnyOf | None = None
    floor: Floor | None = None
    name: Name | None = None

    @property
    def structure(self) -> tuple[Hint, ...]:
        """The hints that say how a collection or a record is compared."""
        return tuple(hint for hint in (self.order, self.key, self.strict) if hint is not None)

    @property
    def sequence(self) -> Order:
        match self.order:
            case Ordered():
                return "sequence"
            case Positional():
                return "index"
            case None:
                return "bag"


def advise(metadata: Iterable[Any], setting: object, where: str, path: str) -> Advice:
    """The advice for the place `where`: settings go before annotations, outer annotations before inner ones."""
    advice = Advice()
    for item in metadata:
        if any(item is builder for builder in BUILDERS):
            raise DeriveError(f"{where}: found the function {item.__name__}; call it, as in {item.__name__}(…)")
        if isinstance(item, Similarity | Hint):
            advice = _add(advice, item)
    if setting is not None:
        wishes = [_wish(item, path) for item in (setting if isinstance(setting, tuple) else (setting,))]
        advice = _make_way(advice, wishes)
        for wish in wishes:
            advice = _add(advice, wish)
    if advice.similarity is not None and advice.structure and not advice.ignored:
        raise DeriveError(
            f"{where}: {advice.structure[0]} does not go with the similarity {advice.similarity!r}; "
            'say it there, as in overlap(None, phi, order="sequence"), or leave one of them out'
        )
    return advice


def _add(advice: Advice, wish: Wish) -> Advice:
    match wish:
        case Similarity():
            return replace(advice, similarity=wish)
        case Weight(number):
            return replace(advice, weight=number)
        case Ordered() | Positional():
            return replace(advice, order=wish)
        case Keyed():
            return replace(advice, key=wish)
        case Strict():
            return replace(advice, strict=wish)
        case Ignore():
            return replace(advice, ignored=True)
        case AnyOf():
            return replace(advice, any_of=wish)
        case Floor():
            return replace(advice, floor=wish)
        case Name():
            return replace(advice, name=wish)
        case _:
            raise AssertionError(f"no rule for the hint {wish!r}")


def _make_way(advice: Advice, wishes: list[Wish]) -> Advice:
    """Drop what the annotation says where a setting says otherwise; any setting brings an ignored field back."""
    advice = replace(advice, ignored=False)
    if any(isinstance(wish, Similarity) for wish in wishes):
        return replace(advice, order=None, key=None, strict=None)
    if any(isinstance(wish, Ordered | Positional | Keyed | Strict) for wish in wishes):
        return replace(advice, similarity=None)
    return advice


def _wish(item: object, path: str) -> Wish:
    if isinstance(item, Similarity | Hint):
        return item
    raise DeriveError(f"settings[{path!r}]: found {item!r}, expected a similarity or a hint; write edit() or weight(2)")

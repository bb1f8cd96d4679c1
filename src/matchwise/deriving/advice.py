"""What the user says of one place: hints and a similarity, of the annotation and of the settings, made one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from matchwise.algebra.nodes import Number, Order, Similarity
from matchwise.deriving.hints import BUILDERS, Hint
from matchwise.errors import DeriveError

Wish: TypeAlias = Similarity | Hint
Setting: TypeAlias = Similarity | Hint | tuple[Similarity | Hint, ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """At most one wish of each kind."""

    similarity: Similarity | None = None
    weight: Number = 1
    order: Hint | None = None
    key: Hint | None = None
    strict: Hint | None = None
    ignored: bool = False
    any_of: Hint | None = None
    floor: Hint | None = None
    name: Hint | None = None

    @property
    def structure(self) -> tuple[Hint, ...]:
        """The hints that say how a collection or a record is compared."""
        return tuple(hint for hint in (self.order, self.key, self.strict) if hint is not None)

    @property
    def sequence(self) -> Order:
        if self.order is None:
            return "bag"
        return "sequence" if self.order.kind == "ordered" else "index"


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


_PLACES = {"ordered": "order", "positional": "order", "keyed": "key"}
"""What advice calls a wish, where it is not the word itself."""


def _add(advice: Advice, wish: Wish) -> Advice:
    if isinstance(wish, Similarity):
        return replace(advice, similarity=wish)
    match wish.kind:
        case "weight":
            return replace(advice, weight=wish.values[0])
        case "ignore":
            return replace(advice, ignored=True)
        case kind:
            changed: dict[str, Any] = {_PLACES.get(kind, kind): wish}
            return replace(advice, **changed)


def _make_way(advice: Advice, wishes: list[Wish]) -> Advice:
    """Drop what the annotation says where a setting says otherwise; any setting brings an ignored field back."""
    advice = replace(advice, ignored=False)
    if any(isinstance(wish, Similarity) for wish in wishes):
        return replace(advice, order=None, key=None, strict=None)
    if any(isinstance(wish, Hint) and wish.kind in ("ordered", "positional", "keyed", "strict") for wish in wishes):
        return replace(advice, similarity=None)
    return advice


def _wish(item: object, path: str) -> Wish:
    if isinstance(item, Similarity | Hint):
        return item
    raise DeriveError(f"settings[{path!r}]: found {item!r}, expected a similarity or a hint; write edit() or weight(2)")

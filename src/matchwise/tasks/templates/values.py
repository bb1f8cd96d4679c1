"""The values that fill slots besides entities, and templates read from the usual forms.

A value is an `Entity` (text, a span, or a list of mentions), a `Category`, an `Event`, a number or a truth value; an
object of any other class stays what it is, for a `union` with a case for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from matchwise.tasks.lists import find_list, read_each
from matchwise.tasks.roles.fillers import (
    Entity,
    Mention,
    NAryRelation,
    SlotFiller,
    Template,
    TemplateSet,
    entity,
    relations,
    say_mentions,
)


@dataclass(frozen=True, slots=True)
class Category:
    """A value from a closed list (MUC-4's set fills), or several of which either is right.

    `tag` names the filler of another slot that it belongs to: `DEATH: "the mayor"`.
    """

    names: tuple[str, ...]
    tag: tuple[Mention, ...] = ()

    def __str__(self) -> str:
        texts = (" ".join(map(str, each)) if isinstance(each, tuple) else str(each) for each in self.tag)
        return " / ".join(self.names) + (f": {' / '.join(map(repr, texts))}" if self.tag else "")


@dataclass(frozen=True, slots=True)
class Event:
    """An event in a slot (BETTER): its type and the mentions of its anchor."""

    type: str
    mentions: tuple[Mention, ...]

    def __str__(self) -> str:
        return f"{self.type} {say_mentions(self.mentions)}"


TYPES = ("type", "incident_type", "template-type", "template_type")


def template(given: Any) -> Template:
    """A template, from a template, `(type, slots)`, or a dictionary with `type` and `fillers`, `slots` or the slots.

    >>> one = template(("bombing", {"PerpInd": [["guerrillas", "rebels"]], "stage": {"category": "accomplished"}}))
    >>> held = [["PerpInd", ["guerrillas", "rebels"]], ["stage", Category(("accomplished",))]]
    >>> one == template({"type": "bombing", "fillers": held})
    True
    """
    match given:
        case Template():
            return given
        case [str(kind), (Mapping() | list() | tuple()) as slots]:
            return Template(kind, tuple(_fillers(slots)))
        case dict() | Mapping():  # a dictionary is seen at once, other mappings take a search
            kinds = [name for name in TYPES if isinstance(given.get(name), str)]
            if not kinds:
                keys = ", ".join(map(str, given)) or "none"
                raise ValueError(f"expected a template with a type, found the keys {keys}")
            known = {kinds[0], "id", "optional", "fillers", "slots"}
            slots = given.get("fillers", given.get("slots"))
            if slots is None:
                slots = {name: value for name, value in given.items() if name not in known}
            return Template(given[kinds[0]], tuple(_fillers(slots)), given.get("id"), bool(given.get("optional")))
    raise ValueError(f'expected a template such as ("bombing", {{"victim": ["mayor"]}}), found {given!r}')


def _fillers(slots: Any) -> Iterator[SlotFiller]:
    """The fillers of a mapping slot -> one value or a list of values, or of a list of them."""
    if type(slots) is dict or isinstance(slots, Mapping):
        for slot, values in slots.items():
            if type(values) is not list and not isinstance(values, list | tuple):
                values = () if values is None else (values,)
            for one in values:
                if type(one) is list and one and set(map(type, one)) == {str}:  # what most fillers are
                    yield SlotFiller(slot, Entity(tuple(one)))
                else:
                    yield _filler(str(slot), one)
        return
    for one in slots:
        match one:
            case SlotFiller():
                yield one
            case [str(slot), given]:
                yield _filler(slot, given)
            case Mapping() if isinstance(slot := one.get("slot", one.get("role")), str):
                held = next((one[name] for name in ("value", "entity", "mentions") if name in one), None)
                yield _filler(slot, held, bool(one.get("optional")))
            case _:
                raise ValueError(f'expected a filler such as ["victim", "mayor"], found {one!r}')


def _filler(slot: str, given: Any, optional: bool = False) -> SlotFiller:
    try:
        return SlotFiller(slot, value(given), optional)
    except ValueError as error:
        raise ValueError(f"{slot}: {error}") from None


def value(given: Any) -> Any:
    """The value of a filler: text and lists of mentions are entities.

    >>> value("mayor").mentions, value({"category": ["attack", "bombing"]}), value(True)
    (('mayor',), Category(names=('attack', 'bombing'), tag=()), True)
    """
    match given:
        case Entity() | Category() | Event() | bool() | int() | float():
            return given
        case Mapping() if "category" in given:
            names = given["category"]
            if names is None:
                raise ValueError("expected a category, found None; leave the filler out")
            return Category(tuple(map(str, names)) if isinstance(names, list | tuple) else (str(names),))
        case Mapping() if "event" in given:
            return Event(str(given["event"]), entity(given.get("mentions") or ()).mentions)
        case str() | list() | tuple() | set() | frozenset() | Mapping():
            return entity(given)
        case None:
            raise ValueError("expected a value, found None; leave the filler out")
    return given


class Unknown(NamedTuple):
    """A slot that the templates do not have; its fillers still count."""

    slot: str

    @property
    def kind(self) -> str:
        return f"unknown slot {self.slot!r}"


class Checked(NamedTuple):
    """A document and its unknown slots."""

    document: TemplateSet
    faults: tuple[Unknown, ...]


def document(given: Any) -> TemplateSet:
    """A document: a `TemplateSet`, a list of templates, a dictionary that has them under `templates`, or events.

    >>> document([("bombing", {"victim": ["mayor"]})]).templates[0].fillers[0].value.mentions
    ('mayor',)
    """
    match given:
        case TemplateSet():
            return given
        case Checked(found, _):
            return found
        case list() | tuple():
            return TemplateSet(read_each(template, given, "templates"))
        case Mapping() if "templates" in given:
            return TemplateSet(
                read_each(template, find_list(given, ("templates",)) or (), "templates"), given.get("id")
            )
    from matchwise.tasks.ner import Extraction  # which loads the tags, too

    if isinstance(given, Extraction):
        return TemplateSet(tuple(map(_of_event, relations(given))), given.id)
    raise ValueError(f"expected a TemplateSet or a list of templates, found {type(given).__name__}")


def _of_event(one: NAryRelation) -> Template:
    return Template(one.type, tuple(SlotFiller(arg.role, arg.entity) for arg in one.args))

"""The values that fill slots, templates read from the usual forms, and the form in which values are compared.

A value is a `RoleEntity` (text, a span, or a list of mentions), a `Category`, a `FilledEvent`, a number or a truth
value; an object of any other class stays what it is, for a `union` with a case for it.

>>> one = SlotReading(words=True, ignored="THE").document([("bombing", {"victim": ["the mayor of Lima"]})])
>>> one.templates[0].fillers[0].value.words
(('mayor', 'of', 'lima'),)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.tasks.lists import missing_key, read_list
from matchwise.tasks.roles.fillers import (
    WORD,
    Mention,
    RoleEntity,
    SlotFiller,
    Template,
    TemplateSet,
    entity,
    relations,
    say_mentions,
    squad_mentions,
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
class FilledEvent:
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
        case Mapping():
            kinds = [name for name in TYPES if isinstance(given.get(name), str)]
            if not kinds:
                raise missing_key("a template with a type", given)
            known = {kinds[0], "id", "optional", "fillers", "slots"}
            slots = given.get("fillers", given.get("slots"))
            if slots is None:
                slots = {name: value for name, value in given.items() if name not in known}
            return Template(given[kinds[0]], tuple(_fillers(slots)), given.get("id"), bool(given.get("optional")))
    raise ValueError(f'expected a template such as ("bombing", {{"victim": ["mayor"]}}), found {given!r}')


def _fillers(slots: Any) -> Iterator[SlotFiller]:
    """The fillers of a mapping slot -> one value or a list of values, or of a list of them."""
    if isinstance(slots, Mapping):
        for slot, held in slots.items():
            values = held if isinstance(held, list | tuple) else () if held is None else (held,)
            yield from (_filler(str(slot), one) for one in values)
        return
    if not isinstance(slots, Iterable):
        raise ValueError(f"expected the slots of a template with their fillers, found {type(slots).__name__}")
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
        case RoleEntity() | Category() | FilledEvent() | bool() | int() | float():
            return given
        case Mapping() if "category" in given:
            names = given["category"]
            if names is None:
                raise ValueError("expected a category, found None; leave the filler out")
            return Category(tuple(map(str, names)) if isinstance(names, list | tuple) else (str(names),))
        case Mapping() if "event" in given:
            return FilledEvent(str(given["event"]), entity(given.get("mentions") or ()).mentions)
        case str() | list() | tuple() | set() | frozenset() | Mapping():
            return entity(given)
        case None:
            raise ValueError("expected a value, found None; leave the filler out")
    return given


def document(given: Any) -> TemplateSet:
    """A document: a `TemplateSet`, a list of templates, a dictionary that has them under `templates`, or events.

    >>> document([("bombing", {"victim": ["mayor"]})]).templates[0].fillers[0].value.mentions
    ('mayor',)
    """
    if isinstance(given, TemplateSet):
        return given
    if not isinstance(given, list | tuple | Mapping):
        from matchwise.tasks.ner import Extraction  # which loads the tags, too

        if isinstance(given, Extraction):
            several = ((one.type, [SlotFiller(arg.role, arg.entity) for arg in one.args]) for one in relations(given))
            return TemplateSet(tuple(Template(kind, tuple(filled)) for kind, filled in several), given.id)
    id = given.get("id") if isinstance(given, Mapping) else None
    return TemplateSet(read_list(template, given, ("templates",), "a TemplateSet"), id)


@dataclass(frozen=True, slots=True)
class SlotReading:
    """How values are read: both sides of a document, before anything is matched.

    `words` splits mentions into words, without those that are `ignored`, but for slots whose text is a `whole` (dates);
    `squad` normalises mentions that are text as SQuAD does. `categories` are slots whose text is a category; `upper`
    writes types and categories in capitals. `alternatives` reads the type `A / B` as either; `type_slot` makes the type
    of a template one of its fillers.
    """

    words: bool = False
    ignored: str = ""
    squad: bool = False
    whole: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    upper: bool = False
    alternatives: bool = False
    type_slot: str = ""

    def __call__(self, pred: Any, ref: Any) -> tuple[TemplateSet, TemplateSet]:
        return read_sides(self.document, pred, ref)

    def document(self, given: Any) -> TemplateSet:
        """One side, read."""
        read = document(given)
        if self == _PLAIN:
            return read
        return TemplateSet(tuple(map(self._template, read.templates)), read.id)

    def _template(self, one: Template) -> Template:
        kind = one.type.upper() if self.upper else one.type
        kinds = type_names(kind) if self.alternatives else (kind,)
        made = [self._filler(filler) for filler in one.fillers]
        if self.type_slot:
            made.insert(0, SlotFiller(self.type_slot, Category(kinds)))
        return Template(kind, tuple(made), one.id, one.optional)

    def _filler(self, filler: SlotFiller) -> SlotFiller:
        value, slot = filler.value, filler.slot
        if isinstance(value, RoleEntity):
            if slot in self.categories and all(isinstance(each, str) for each in value.mentions):
                made: Any = self._category(value.mentions, ())  # type: ignore[arg-type]  # texts all
            else:
                made = self._entity(value, slot in self.whole)
        elif isinstance(value, Category):
            made = self._category(value.names, value.tag)
        else:
            return filler
        return filler if made is value else SlotFiller(filler.slot, made, filler.optional)

    def _entity(self, value: RoleEntity, whole: bool) -> RoleEntity:
        mentions = value.mentions
        if self.squad:
            mentions = tuple(dict.fromkeys(squad_mentions(mentions)))  # several may have become the same
        if self.words:
            words = tuple(_words(each, None if whole else self.ignored) for each in mentions)
            return RoleEntity(mentions, value.type, words=words)
        return value if mentions == value.mentions else RoleEntity(mentions, value.type)

    def _category(self, names: tuple[str, ...], tag: tuple[Mention, ...]) -> Category:
        made = tuple(name.upper() for name in names) if self.upper else names
        return Category(made, tuple(_words(each, self.ignored) for each in tag) if self.words else tag)


_PLAIN = SlotReading()

read_slots = StepKind("read_slots", SlotReading, gives=TemplateSet)
"""`templates.read_slots()`: the values of slots in the form in which they are compared."""


def type_names(kind: str) -> tuple[str, ...]:
    """The types that a reference allows: `ATTACK / BOMBING` is either.

    >>> type_names("ATTACK / BOMBING")
    ('ATTACK', 'BOMBING')
    """
    return tuple(part.strip() for part in kind.split(" / "))


@lru_cache(maxsize=65_536)
def _words(mention: Mention, ignored: str | None) -> tuple[Hashable, ...]:
    """The words of a mention without those that are ignored, unless there are no others; a span is a word by itself.

    Where None are ignored, the whole text is one word.
    """
    if not isinstance(mention, str):
        return (mention,)
    if ignored is None:
        return (" ".join(mention.casefold().split()),)
    found = WORD.findall(mention.casefold())
    left_out = frozenset(ignored.casefold().split())
    kept = tuple(word for word in found if word not in left_out)
    return kept or tuple(found) or (mention,)

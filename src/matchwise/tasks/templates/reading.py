"""The step before templates are compared: read both sides and put the values of slots into the form that is compared.

>>> one = Reading(words=True, ignored="THE").document([("bombing", {"victim": ["the mayor of Lima"]})])
>>> one.templates[0].fillers[0].value
Strings(mentions=('the mayor of Lima',), words=(('mayor', 'of', 'lima'),))
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from matchwise.algebra.steps import StepKind
from matchwise.engine.many.table import Memo
from matchwise.errors import DataError
from matchwise.similarities.strings import normalizer
from matchwise.tasks.roles.fillers import NOTHING, Entity, Mention, SlotFiller, Template, TemplateSet, say_mentions
from matchwise.tasks.templates.values import Category, document


@dataclass(frozen=True, slots=True)
class Strings:
    """An entity whose mentions are compared by the words that they share; `words` has those of each mention."""

    mentions: tuple[Mention, ...]
    words: tuple[tuple[Hashable, ...], ...]

    def __str__(self) -> str:
        return say_mentions(self.mentions)


@dataclass(frozen=True, slots=True)
class Reading:
    """How values are read: both sides of a document, before anything is matched.

    `words` splits mentions into words, without those that are `ignored`, but for slots whose text is a `whole` (dates);
    `normalize` names what is done to mentions that are text. `categories` are slots whose text is a category; `upper`
    writes types and categories in capitals. `alternatives` reads the type `A / B` as either; `type_slot` makes the type
    of a template one of its fillers. `distinct` is GTT's reading of a reference: templates that are written alike count
    once, entities without mentions are dropped; a predicted entity without mentions is within every other.
    """

    words: bool = False
    ignored: str = ""
    normalize: str = "none"
    whole: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    upper: bool = False
    alternatives: bool = False
    type_slot: str = ""
    distinct: bool = False

    def __call__(self, pred: Any, ref: Any) -> tuple[TemplateSet, TemplateSet]:
        mine, theirs = self._side(pred, "prediction"), self._side(ref, "reference")
        if self.distinct and any(_is_empty(one.value) for template in mine.templates for one in template.fillers):
            return _with_nothing(mine, only_empty=True), _with_nothing(theirs)
        return mine, theirs

    def _side(self, given: Any, side: Literal["prediction", "reference"]) -> TemplateSet:
        try:
            read = document(given)
            return self.document(_distinct(read) if self.distinct and side == "reference" else read)
        except ValueError as error:
            raise DataError(str(error), side=side) from None

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
            made.insert(0, _type_filler(self.type_slot, kinds))
        return Template(kind, tuple(made), one.id, one.optional)

    def _filler(self, filler: SlotFiller) -> SlotFiller:
        value, slot = filler.value, filler.slot
        if isinstance(value, Entity):
            if slot in self.categories and all(isinstance(each, str) for each in value.mentions):
                made: Any = self._category(value.mentions, ())  # type: ignore[arg-type]  # texts all
            else:
                made = self._entity(value, slot in self.whole)
        elif isinstance(value, Category):
            made = self._category(value.names, value.tag)
        else:
            return filler
        return filler if made is value else SlotFiller(filler.slot, made, filler.optional)

    def _entity(self, value: Entity, whole: bool) -> Entity | Strings:
        mentions = value.mentions
        if self.normalize != "none":
            normal = _normalized(self.normalize)
            mentions = tuple([normal[each] if isinstance(each, str) else each for each in mentions])
            if len(mentions) > 1:
                mentions = tuple(dict.fromkeys(mentions))  # several may have become the same
        if self.words:
            words = [(_fold(each),) if whole else _words(each, self.ignored) for each in mentions]
            return Strings(mentions, tuple(words))
        return value if mentions == value.mentions else Entity(mentions, value.type)

    def _category(self, names: tuple[str, ...], tag: tuple[Mention, ...]) -> Category:
        made = tuple(name.upper() for name in names) if self.upper else names
        return Category(made, tuple(_words(each, self.ignored) for each in tag) if self.words else tag)


_PLAIN = Reading()

read_slots = StepKind("read_slots", Reading, gives=TemplateSet)
"""`templates.read_slots()`: the values of slots in the form in which they are compared."""


@lru_cache(maxsize=4096)
def _type_filler(slot: str, kinds: tuple[str, ...]) -> SlotFiller:
    """The type of a template as a filler; templates of one type share it."""
    return SlotFiller(slot, Category(kinds))


@lru_cache(maxsize=4096)
def type_names(kind: str) -> tuple[str, ...]:
    """The types that a reference allows: `ATTACK / BOMBING` is either.

    >>> type_names("ATTACK / BOMBING")
    ('ATTACK', 'BOMBING')
    """
    return tuple(part.strip() for part in kind.split(" / "))


@lru_cache(maxsize=65_536)
def _words(mention: Mention, ignored: str) -> tuple[Hashable, ...]:
    """The words of a mention without those that are ignored, unless there are no others; a span is a word by itself."""
    if not isinstance(mention, str):
        return (mention,)
    found = WORD.findall(mention.casefold())
    kept = tuple(word for word in found if word not in _word_set(ignored))
    return kept or tuple(found) or (mention,)


def _fold(mention: Mention) -> Hashable:
    return " ".join(mention.casefold().split()) if isinstance(mention, str) else mention


WORD = re.compile(r"\w+")


@lru_cache(maxsize=64)
def _word_set(ignored: str) -> frozenset[str]:
    return frozenset(ignored.casefold().split())


@lru_cache
def _normalized(name: str) -> Memo[str]:
    return Memo(normalizer(name))


def _distinct(one: TemplateSet) -> TemplateSet:
    """Drop repeated templates, and entities without mentions."""
    seen: list[Any] = []
    kept = []
    for template in one.templates:
        fillers = tuple([filler for filler in template.fillers if not _is_empty(filler.value)])
        values = [value.given if isinstance(value, Entity) else value for value in [each.value for each in fillers]]
        written = (template.type, [each.slot for each in fillers], values)
        if written not in seen:
            seen.append(written)
            kept.append(template if len(fillers) == len(template.fillers) else replace(template, fillers=fillers))
    return TemplateSet(tuple(kept), one.id)


def _is_empty(value: Any) -> bool:
    return isinstance(value, Entity) and not value.mentions


def _with_nothing(one: TemplateSet, *, only_empty: bool = False) -> TemplateSet:
    """Add ∅ to the mentions of each entity, so that an entity without mentions is a subset of every other."""

    def filler(given: SlotFiller) -> SlotFiller:
        value = given.value
        if not isinstance(value, Entity) or (only_empty and value.mentions):
            return given
        return replace(given, value=replace(value, mentions=(*value.mentions, NOTHING)))

    templates = (replace(each, fillers=tuple(map(filler, each.fillers))) for each in one.templates)
    return TemplateSet(tuple(templates), one.id)

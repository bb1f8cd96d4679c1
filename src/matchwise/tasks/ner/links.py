"""Entity linking as neleval has it: sets of spans, types and entities of a knowledge base, compared in ten ways.

>>> pred, ref = [{"start": 0, "end": 5, "type": "LOC", "link": "Q41329"}], [{"start": 0, "end": 5, "link": "Q90"}]
>>> mine, theirs = LinkMeasures()(pred, ref)
>>> mine.mention == theirs.mention, mine.link == theirs.link
(True, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from matchwise.algebra.build import eq, f1
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides
from matchwise.similarities.spans import touch
from matchwise.tasks.lists import find_list
from matchwise.tasks.ner.documents import MENTIONS, SameTokens, read
from matchwise.tasks.ner.mentions import Extraction, Mention, Span, mention, pieces
from matchwise.views.words import Marked, Words

LINKS = ("link", "kb_id", "kbid", "entity_id", "wikidata_id", "concept_id")
"""What a mention may call its entity."""


class Linked(NamedTuple):
    """A mention of an entity of the knowledge base; without one it is NIL. What a measure does not compare is empty."""

    span: Span = (0, 0)
    type: str = ""
    kbid: str = ""

    def in_words(self, words: Words) -> str:
        """`Linz LOC → Q41329`."""
        return f"{Mention(self.span, self.type).in_words(words)} → {self.kbid or 'NIL'}"

    def marks(self) -> Marked:
        """Its spans in the text, to be marked."""
        return Mention(self.span, self.type).marks()


class LinkSets(NamedTuple):
    """What each measure compares: the mentions, each once."""

    all: tuple[Linked, ...]
    link: tuple[Linked, ...]
    nil: tuple[Linked, ...]
    mention: tuple[Linked, ...]
    linked_mention: tuple[Linked, ...]
    typed_mention: tuple[Linked, ...]
    typed_all: tuple[Linked, ...]
    typed_link: tuple[Linked, ...]
    typed_nil: tuple[Linked, ...]
    entity: tuple[Linked, ...]
    weak_mention: tuple[Linked, ...]
    weak_link: tuple[Linked, ...]


MEASURES = {
    "all": ("span kbid", ""),
    "link": ("span kbid", "linked"),
    "nil": ("span", "nil"),
    "mention": ("span", ""),
    "linked_mention": ("span", "linked"),
    "typed_mention": ("span type", ""),
    "typed_all": ("span type kbid", ""),
    "typed_link": ("span type kbid", "linked"),
    "typed_nil": ("span type", "nil"),
    "entity": ("kbid", "linked"),
    "weak_mention": ("span", ""),
    "weak_link": ("span kbid", "linked"),
}
"""Measure -> what must be the same, and which mentions count; the weak ones count each position of a mention."""


def links(document: Any) -> list[Linked]:
    """The linked mentions of a document, in any form that `ner` reads; the entity is under `link` or a like name."""
    if isinstance(document, Extraction):
        entities = document.entities
        if [span for span, _ in entities] != [one.span for one in document.mentions]:  # not an entity for each mention
            known = dict(entities)
            entities = tuple((one.span, known.get(one.span, "")) for one in document.mentions)
        return [Linked(*one, _name(entity)) for one, (_, entity) in zip(document.mentions, entities, strict=True)]
    listed = find_list(document, MENTIONS) if isinstance(document, Mapping) else document
    if isinstance(listed, list | tuple) and listed and all(isinstance(one, Mapping) for one in listed):
        return [Linked(*mention(one, typed=False), _name(link_of(one))) for one in listed]
    return [Linked(*one) for one in read(document, "lenient")]


def link_of(value: Any) -> Any:
    """The entity that a mention names, if it is a dictionary that has one."""
    return next((value[key] for key in LINKS if key in value), None) if isinstance(value, Mapping) else None


def name_links(listed: Iterable[Any], mentions: Iterable[Mention]) -> tuple[tuple[Span, str], ...]:
    """The span of each mention with the name of its entity, if any mention names one."""
    found = [link_of(value) for value in listed]
    named = (
        (one.span, "" if link is None else str(link)) for one, link in zip(mentions, found, strict=True) if any(found)
    )
    return tuple(named)


def _name(entity: Any) -> str:
    return "" if entity is None or str(entity).startswith("NIL") else str(entity)


class LinkMeasures(Struct, frozen=True):
    """The mentions of both sides as sets, one for each measure."""

    def __call__(self, pred: Any, ref: Any) -> tuple[LinkSets, LinkSets]:
        SameTokens()(pred, ref)
        mine, theirs = read_sides(links, pred, ref)
        return _sets(mine), _sets(theirs)


def _sets(found: list[Linked]) -> LinkSets:
    positions = [
        Linked((place, place + 1), "", one.kbid) for one in found for part in pieces(one.span) for place in range(*part)
    ]
    return LinkSets(
        **{name: _distinct(positions if name.startswith("weak") else found, *MEASURES[name]) for name in MEASURES}
    )


def _distinct(found: Iterable[Linked], keys: str, which: str) -> tuple[Linked, ...]:
    kept = [one for one in found if bool(one.kbid) == (which == "linked")] if which else found
    span, kind, kbid = ("span" in keys), ("type" in keys), ("kbid" in keys)
    made = [Linked(one.span if span else (0, 0), one.type if kind else "", one.kbid if kbid else "") for one in kept]
    return tuple(dict.fromkeys(made))


linked = StepKind("linked", LinkMeasures, symmetric=True, gives=LinkSets)
"""`ner.linked()`: the mentions that each measure of neleval compares."""


def measures() -> dict[str, Similarity]:
    """The measures of neleval, and `touching_link`: mentions that overlap and have the same entity, 1:1."""
    made: dict[str, Similarity] = {}
    for name, (keys, _) in MEASURES.items():
        first, *rest = map(eq, keys.split())
        for one in rest:
            first = first * one
        made[name] = f1(name, first, empty=0)
    return made | {"touching_link": f1("link", touch("span") * eq("kbid"), empty=0)}

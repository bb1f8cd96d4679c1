"""OneIE: a sentence on each line, with `entity_mentions`, `relation_mentions`, `event_mentions`, or with a `graph`.

Positions count tokens, ends exclusive, as in the file. Arguments point to entities by id, or by position in a
graph: `{"graph": {"entities": [[0, 1, "PER", …]], "triggers": [[3, 4, "Attack", …]], "relations": [[0, 1, "ART", …]],
"roles": [[0, 0, "Attacker", …]]}}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

import msgspec

from matchwise.formats import LINE, Format
from matchwise.formats.io.records import fields, get_list, id_of, records, require
from matchwise.formats.io.source import Text
from matchwise.tasks.events import Argument, Event, Trigger
from matchwise.tasks.ner import Extraction, Mention
from matchwise.tasks.relations import Relation


def read(source: Text) -> Iterator[Extraction]:
    """The sentences of a file, one at a time, by `sent_id` (or `doc_id`).

    >>> from io import StringIO
    >>> graph = '{"entities": [[0, 1, "PER"]], "triggers": [[1, 2, "Die"]], "roles": [[0, 0, "Victim"]]}'
    >>> [sentence] = read(StringIO('{"sent_id": "s1", "graph": ' + graph + "}"))
    >>> sentence.events[0].args[0].role
    'Victim'
    """
    return records(source, document, usual=_Sentence)


class _Entity(msgspec.Struct, gc=False):
    id: str
    start: int
    end: int
    entity_type: str


class _Words(msgspec.Struct, gc=False):
    start: int
    end: int


class _End(msgspec.Struct, gc=False):
    entity_id: str
    role: str


class _Relation(msgspec.Struct):
    relation_type: str
    arguments: list[_End]
    id: Any = None


class _Event(msgspec.Struct):
    event_type: str
    trigger: _Words
    arguments: list[_End]


class _Sentence(msgspec.Struct):
    """A sentence in OneIE's usual form; one with a graph or in parts does not fit."""

    entity_mentions: list[_Entity]
    relation_mentions: list[_Relation]
    event_mentions: list[_Event]
    sent_id: str
    tokens: list[str]
    graph: None = None
    part: None = None


def document(value: Any) -> Extraction:
    """One sentence or document."""
    if type(value) is _Sentence:
        return _extraction(value, value.sent_id, value.tokens or ())
    found = fields(value)
    id = id_of(found, ("sent_id", "doc_id", "doc_key", "id"))
    text = found.get("tokens") or ()
    if "graph" in found:
        return _graph(fields(found["graph"], "a graph"), id, text)
    return _extraction(_sentence(found), id, text)


def _extraction(found: _Sentence, id: str | int | None, text: Any) -> Extraction:
    mentions = {one.id: Mention(_span(one.start, one.end), one.entity_type) for one in found.entity_mentions}
    return Extraction(
        tuple(mentions.values()),
        tuple([_relation(one, mentions) for one in found.relation_mentions]),
        tuple([_event(one, mentions) for one in found.event_mentions]),
        id,
        # ACE names the mentions of an entity by its id and a number: …-E12-34.
        tuple([(mention.span, key.rpartition("-")[0]) for key, mention in mentions.items() if "-" in key]),
        text=text,
    )


def _span(left: Any, right: Any) -> tuple[int, int]:
    if type(left) is int and type(right) is int and left <= right:
        return left, right
    raise ValueError(f"expected a span of tokens, found {left!r} to {right!r}")


def _relation(one: _Relation, mentions: dict[str, Mention]) -> Relation:
    if len(one.arguments) != 2:
        raise ValueError(f"relation {one.id}: found {len(one.arguments)} arguments, expected 2")
    subj, obj = (_mention(end, mentions) for end in sorted(one.arguments, key=attrgetter("role")))
    return Relation(one.relation_type, subj, obj)


def _event(one: _Event, mentions: dict[str, Mention]) -> Event:
    trigger = Trigger(Mention(_span(one.trigger.start, one.trigger.end)), one.event_type)
    return Event(trigger, tuple([Argument(Mention(_mention(end, mentions).span), end.role) for end in one.arguments]))


def _mention(end: _End, mentions: dict[str, Mention]) -> Mention:
    found = mentions.get(end.entity_id)
    if found is None:
        raise ValueError(f"found an argument {end.entity_id!r}, which is not among the entity_mentions")
    return found


def _sentence(found: dict[str, Any]) -> _Sentence:
    """Read a sentence from plain JSON: keys may be missing, and numbers may stand for texts."""
    entities = [_entity(fields(one, "an entity")) for one in get_list(found, "entity_mentions")]
    relations = [_relation_of(fields(one, "a relation")) for one in get_list(found, "relation_mentions")]
    events = [_event_of(fields(one, "an event")) for one in get_list(found, "event_mentions")]
    return _Sentence(entities, relations, events, "", [])


def _entity(one: dict[str, Any]) -> _Entity:
    id, kind = str(require(one, "id", "an entity")), str(one.get("entity_type", one.get("type", "")))
    return _Entity(id, require(one, "start", "a span"), require(one, "end", "a span"), kind)


def _relation_of(one: dict[str, Any]) -> _Relation:
    ends = [fields(end, "an argument") for end in get_list(one, "arguments")]
    return _Relation(
        str(require(one, "relation_type", "a relation")),
        [_End(str(require(end, "entity_id", "an argument")), str(end.get("role", ""))) for end in ends],
        one.get("id"),
    )


def _event_of(one: dict[str, Any]) -> _Event:
    trigger = fields(require(one, "trigger", "an event"), "a trigger")
    ends = [fields(end, "an argument") for end in get_list(one, "arguments")]
    return _Event(
        str(require(one, "event_type", "an event")),
        _Words(require(trigger, "start", "a span"), require(trigger, "end", "a span")),
        [_End(str(require(end, "entity_id", "an argument")), str(require(end, "role", "an argument"))) for end in ends],
    )


def _graph(graph: dict[str, Any], id: str | int | None, text: Any) -> Extraction:
    entities = [Mention(_pair(row), str(row[2])) for row in get_list(graph, "entities")]
    triggers = [Trigger(Mention(_pair(row)), str(row[2])) for row in get_list(graph, "triggers")]
    args: dict[int, list[Argument]] = {}
    for trigger, entity, role, *_ in get_list(graph, "roles"):
        _at(triggers, trigger, "triggers")
        found = _at(entities, entity, "entities")
        args.setdefault(trigger, []).append(Argument(found._replace(type=""), str(role)))
    return Extraction(
        tuple(entities),
        tuple(
            Relation(str(kind), _at(entities, subj, "entities"), _at(entities, obj, "entities"))
            for subj, obj, kind, *_ in get_list(graph, "relations")
        ),
        tuple(Event(trigger, tuple(args.get(place, ()))) for place, trigger in enumerate(triggers)),
        id,
        text=text,
    )


def _pair(row: Any) -> tuple[int, int]:
    match row:
        case [int(left), int(right), _, *_] if left <= right:
            return left, right
    raise ValueError(f"expected [start, end, type, …], found {row!r}")


def _at(rows: list[Any], place: Any, what: str) -> Any:
    if type(place) is not int or not 0 <= place < len(rows):
        raise ValueError(f"found the position {place!r}, expected one of the {len(rows)} {what}")
    return rows[place]


FORMAT = Format(
    name="oneie",
    title="OneIE",
    read=read,
    cut=LINE,
)

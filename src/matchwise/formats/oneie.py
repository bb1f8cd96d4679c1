"""OneIE: a sentence on each line, with `entity_mentions`, `relation_mentions`, `event_mentions`, or with a `graph`.

Positions are those of tokens, ends exclusive, as in the file. Arguments point to entities by id, or by position in a
graph: `{"graph": {"entities": [[0, 1, "PER", …]], "triggers": [[3, 4, "Attack", …]], "relations": [[0, 1, "ART", …]],
"roles": [[0, 0, "Attacker", …]]}}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
    return records(source, document)


def document(value: Any) -> Extraction:
    """One sentence or document."""
    found = fields(value)
    id = id_of(found, ("sent_id", "doc_id", "doc_key", "id"))
    if "graph" in found:
        return _graph(fields(found["graph"], "a graph"), id, found.get("tokens") or ())
    mentions = {str(require(one, "id", "an entity")): _mention(one) for one in get_list(found, "entity_mentions")}
    return Extraction(
        tuple(mentions.values()),
        tuple([_relation(one, mentions) for one in get_list(found, "relation_mentions")]),
        tuple([_event(one, mentions) for one in get_list(found, "event_mentions")]),
        id,
        # ACE names the mentions of an entity by its id and a number: …-E12-34.
        tuple([(mention.span, key.rpartition("-")[0]) for key, mention in mentions.items() if "-" in key]),
        text=found.get("tokens") or (),
    )


def _mention(one: Any) -> Mention:
    place = fields(one, "an entity")
    return Mention(_span(place), str(place.get("entity_type", place.get("type", ""))))


def _span(place: dict[str, Any]) -> tuple[int, int]:
    left, right = place.get("start"), place.get("end")
    if type(left) is int and type(right) is int and left <= right:
        return left, right
    left, right = require(place, "start", "a span"), require(place, "end", "a span")
    raise ValueError(f"expected a span of tokens, found {left!r} to {right!r}")


def _relation(value: Any, mentions: dict[str, Mention]) -> Relation:
    one = fields(value, "a relation")
    ends = sorted(get_list(one, "arguments"), key=lambda end: str(end.get("role", "")))
    if len(ends) != 2:
        raise ValueError(f"relation {one.get('id')}: found {len(ends)} arguments, expected 2")
    subj, obj = (_entity(end, mentions) for end in ends)
    return Relation(str(require(one, "relation_type", "a relation")), subj, obj)


def _event(value: Any, mentions: dict[str, Mention]) -> Event:
    one = fields(value, "an event")
    trigger = Trigger(
        Mention(_span(fields(require(one, "trigger", "an event"), "a trigger"))),
        str(require(one, "event_type", "an event")),
    )
    ends = get_list(one, "arguments")
    return Event(trigger, tuple([_argument(end, mentions) for end in ends]) if ends else ())


def _argument(end: Any, mentions: dict[str, Mention]) -> Argument:
    return Argument(Mention(_entity(end, mentions).span), str(require(end, "role", "an argument")))


def _entity(end: Any, mentions: dict[str, Mention]) -> Mention:
    key = str(require(fields(end, "an argument"), "entity_id", "an argument"))
    found = mentions.get(key)
    if found is None:
        raise ValueError(f"found an argument {key!r}, which is not among the entity_mentions")
    return found


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

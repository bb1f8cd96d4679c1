"""Events with arguments as JSON lines: OneIE, WikiEvents and RAMS.

OneIE has a sentence on each line, with `entity_mentions`, `relation_mentions` and `event_mentions`, or with a `graph`.
Positions count tokens, ends exclusive. Arguments point to entities by id, or by position in a graph:

    {"graph": {"entities": [[0, 1, "PER", …]], "triggers": [[3, 4, "Attack", …]], "relations": [[0, 1, "ART", …]],
               "roles": [[0, 0, "Attacker", …]]}}

WikiEvents writes whole documents as OneIE writes sentences. A second file says which mentions are one entity; each line
is `{"doc_key": …, "clusters": [["id of a mention", …], …]}`.

RAMS has a document on each line, with `evt_triggers` and `gold_evt_links`, or with a system's `predictions`. Positions
count tokens of the document, ends inclusive. A prediction is `[[trigger start, end], [start, end, role, score], …]`;
roles such as `evt089arg02place` are read as `place`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Any, Literal

from matchwise.formats import Format
from matchwise.formats.io.source import Text, fields, get_list, id_of, records, require, tail_exclusive, values
from matchwise.formats.recognition import has_keys, objects
from matchwise.tasks.events import Argument, Event, Trigger
from matchwise.tasks.ner import Extraction, Mention
from matchwise.tasks.relations import Relation


def oneie_document(value: Any) -> Extraction:
    """One sentence by `sent_id`, or one document by `doc_id`.

    >>> graph = {"entities": [[0, 1, "PER"]], "triggers": [[1, 2, "Die"]], "roles": [[0, 0, "Victim"]]}
    >>> oneie_document({"sent_id": "s1", "graph": graph}).events[0].args[0].role
    'Victim'
    """
    found = fields(value)
    id = id_of(found, ("sent_id", "doc_id", "doc_key", "id"))
    text = found.get("tokens") or ()
    if "graph" in found:
        return _graph(fields(found["graph"], "a graph"), id, text)
    mentions = dict(map(_entity, get_list(found, "entity_mentions")))
    relations = [_relation(one, mentions) for one in get_list(found, "relation_mentions")]
    events = [_event(one, mentions) for one in get_list(found, "event_mentions")]
    # ACE names the mentions of an entity by its id and a number: …-E12-34.
    entities = [(one.span, key.rpartition("-")[0]) for key, one in mentions.items() if "-" in key]
    return Extraction(tuple(mentions.values()), tuple(relations), tuple(events), id, tuple(entities), text=text)


def _entity(value: Any) -> tuple[str, Mention]:
    """An entity's mention by its id."""
    one = fields(value, "an entity")
    label = "entity_type" if "entity_type" in one or "type" not in one else "type"
    return str(require(one, "id", "an entity")), Mention(_span(one), str(require(one, label, "an entity")))


def _span(one: dict[str, Any]) -> tuple[int, int]:
    left, right = require(one, "start", "a span"), require(one, "end", "a span")
    if type(left) is int and type(right) is int and left <= right:
        return left, right
    raise ValueError(f"expected a span of tokens, found {left!r} to {right!r}")


def _relation(value: Any, mentions: dict[str, Mention]) -> Relation:
    one = fields(value, "a relation")
    kind = str(require(one, "relation_type", "a relation"))
    ends = [fields(end, "an argument") for end in get_list(one, "arguments")]
    if len(ends) != 2:
        raise ValueError(f"relation {one.get('id')}: found {len(ends)} arguments, expected 2")
    subj, obj = (_mention(end, mentions) for end in sorted(ends, key=lambda end: str(end.get("role", ""))))
    return Relation(kind, subj, obj)


def _event(value: Any, mentions: dict[str, Mention]) -> Event:
    one = fields(value, "an event")
    span = _span(fields(require(one, "trigger", "an event"), "a trigger"))
    trigger = Trigger(Mention(span), str(require(one, "event_type", "an event")))
    return Event(trigger, tuple([_argument(end, mentions) for end in get_list(one, "arguments")]))


def _argument(value: Any, mentions: dict[str, Mention]) -> Argument:
    end = fields(value, "an argument")
    return Argument(Mention(_mention(end, mentions).span), str(require(end, "role", "an argument")))


def _mention(end: dict[str, Any], mentions: dict[str, Mention]) -> Mention:
    id = str(require(end, "entity_id", "an argument"))
    if id not in mentions:
        raise ValueError(f"found an argument {id!r}, which is not among the entity_mentions")
    return mentions[id]


def _graph(graph: dict[str, Any], id: str | int | None, text: Any) -> Extraction:
    entities = [Mention(_pair(row), str(row[2])) for row in get_list(graph, "entities")]
    triggers = [Trigger(Mention(_pair(row)), str(row[2])) for row in get_list(graph, "triggers")]
    args: dict[int, list[Argument]] = {}
    for trigger, entity, role, *_ in get_list(graph, "roles"):
        _at(triggers, trigger, "triggers")
        found = _at(entities, entity, "entities")
        args.setdefault(trigger, []).append(Argument(Mention(found.span), str(role)))
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
    if isinstance(row, list | tuple) and len(row) > 2:
        left, right = row[:2]
        if isinstance(left, int) and isinstance(right, int) and left <= right:
            return left, right
    raise ValueError(f"expected [start, end, type, …], found {row!r}")


def _at(rows: list[Any], place: Any, what: str) -> Any:
    if type(place) is not int or not 0 <= place < len(rows):
        raise ValueError(f"found the position {place!r}, expected one of the {len(rows)} {what}")
    return rows[place]


def read_wikievents(source: Text, *, coref: Text | None = None) -> Iterator[Extraction]:
    """The documents of a file by `doc_id`; with `coref`, the spans of each document know their entities."""
    clusters: dict[Any, list[list[str]]] = {}
    if coref is not None:
        for _, value in values(coref):
            found = fields(value)
            clusters[id_of(found)] = [list(map(str, cluster)) for cluster in get_list(found, "clusters")]

    def build(value: Any) -> Extraction:
        made = oneie_document(value)
        own = clusters.get(made.id, [])
        spans = {
            str(one["id"]): mention.span
            for one, mention in zip(get_list(value, "entity_mentions"), made.mentions, strict=True)
        }
        entities = tuple((spans[key], cluster[0]) for cluster in own for key in cluster if key in spans)
        return replace(made, entities=entities)

    return records(source, build)


_ROLE = re.compile(r"^evt\d+arg\d+")


def _rams_document(value: Any, *, side: Literal["pred", "gold"] = "pred") -> Extraction:
    """One document by `doc_key`; where it holds both sides, `side` chooses one.

    >>> _rams_document({"doc_key": "d", "predictions": [[[4, 4], [0, 1, "place", 0.9]]]}).events[0].args[0].mention.span
    (0, 2)
    """
    found = fields(value)
    starts = tuple(accumulate((len(sentence) for sentence in get_list(found, "sentences")), initial=0))[:-1]
    if "predictions" in found and (side == "pred" or "gold_evt_links" not in found):
        events = tuple(_read_predicted(row) for row in get_list(found, "predictions") if row)
    else:
        events = tuple(_gold(row, get_list(found, "gold_evt_links")) for row in get_list(found, "evt_triggers"))
    return Extraction(events=events, id=id_of(found), sentences=starts, text=found.get("sentences") or ())


def _gold(row: Any, links: list[Any]) -> Event:
    match row:
        case [int(left), int(right), [[str(kind), *_], *_]]:
            span = tail_exclusive(left, right)
        case _:
            raise ValueError(f'expected a trigger such as [4, 4, [["type", 1.0]]], found {row!r}')
    own = [(place, role) for trigger, place, role in map(_link, links) if trigger == span]
    return Event(Trigger(Mention(span), kind), tuple(Argument(Mention(place), role) for place, role in own))


def _link(link: Any) -> tuple[tuple[int, int], tuple[int, int], str]:
    match link:
        case [[trigger, trigger_end], [left, right], str(role)]:
            return tail_exclusive(trigger, trigger_end), tail_exclusive(left, right), _ROLE.sub("", role)
    raise ValueError(f"expected a link such as [[4, 4], [0, 1], role], found {link!r}")


def _read_predicted(row: Any) -> Event:
    match row:
        case [[left, right, *_], *args]:
            return Event(Trigger(Mention(tail_exclusive(left, right)), ""), tuple(_guess(arg) for arg in args))
    raise ValueError(f"expected a prediction such as [[4, 4], [0, 1, role, score]], found {row!r}")


def _guess(arg: Any) -> Argument:
    match arg:
        case [left, right, str(role), *_]:
            return Argument(Mention(tail_exclusive(left, right)), _ROLE.sub("", role))
    raise ValueError(f"expected an argument such as [0, 1, role, score], found {arg!r}")


_is_oneie = has_keys("entity_mentions", "event_mentions", "graph")


def _is_wikievents(head: str, name: str) -> bool:
    keys = {key for found in objects(head) for key in found}
    return _is_oneie(head, name) and "sentences" in keys and "sent_id" not in keys


ONEIE = Format(
    name="oneie",
    title="OneIE",
    read=partial(records, build=oneie_document),
    sniff=_is_oneie,
)
WIKIEVENTS = Format(name="wikievents", title="WikiEvents", read=read_wikievents, sniff=_is_wikievents)
RAMS = Format(
    name="rams",
    title="RAMS",
    sniff=has_keys("evt_triggers", "gold_evt_links", "predictions"),
    read=partial(records, build=_rams_document),
    read_reference=partial(records, build=partial(_rams_document, side="gold")),
)

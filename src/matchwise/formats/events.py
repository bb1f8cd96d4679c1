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

from matchwise.errors import count_units
from matchwise.formats import Format, has_keys, objects
from matchwise.formats.io.records import (
    fields,
    get_list,
    get_objects,
    id_of,
    records,
    require,
    tail_exclusive,
    take,
    values,
)
from matchwise.formats.io.source import Text
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
    id, text = id_of(found, ("sent_id", "doc_id", "doc_key", "id")), found.get("tokens") or ()
    if "graph" in found:
        return _graph(fields(found["graph"], "a graph"), id, text)
    mentions = {}
    for one in get_list(found, "entity_mentions"):
        label = "type" if type(one) is dict and "entity_type" not in one and "type" in one else "entity_type"
        kind, key, left, right = take(one, (label, "id", "start", "end"), "an entity")
        mentions[str(key)] = Mention(_span(left, right), str(kind))

    def mention(key: Any) -> Mention:
        try:
            return mentions[str(key)]
        except KeyError:
            raise ValueError(f"found an argument {str(key)!r}, which is not among the entity_mentions") from None

    relations, events = [], []
    for one in get_objects(found, "relation_mentions", "a relation"):
        ends = sorted(get_objects(one, "arguments", "an argument"), key=lambda end: str(end.get("role", "")))
        if len(ends) != 2:
            raise ValueError(f"relation {one.get('id')}: found {count_units(len(ends), 'arguments')}, expected 2")
        subj, obj = (mention(require(end, "entity_id", "an argument")) for end in ends)
        relations.append(Relation(str(require(one, "relation_type", "a relation")), subj, obj))
    for one in get_list(found, "event_mentions"):
        trigger, kind = take(one, ("trigger", "event_type"), "an event")
        left, right = take(trigger, ("start", "end"), "a trigger")
        args = []
        for end in get_list(one, "arguments"):
            key, role = take(end, ("entity_id", "role"), "an argument")
            args.append(Argument(Mention(mention(key).span), str(role)))
        events.append(Event(Trigger(Mention(_span(left, right)), str(kind)), tuple(args)))
    # ACE names the mentions of an entity by its id and a number: …-E12-34.
    entities = tuple([(one.span, key.rpartition("-")[0]) for key, one in mentions.items() if "-" in key])
    return Extraction(tuple(mentions.values()), tuple(relations), tuple(events), id, entities, text=text)


def _span(left: Any, right: Any) -> tuple[int, int]:
    if type(left) is int and type(right) is int and left <= right:
        return left, right
    raise ValueError(f"expected a span of tokens, found {left!r} to {right!r}")


def _graph(graph: dict[str, Any], id: str | int | None, text: Any) -> Extraction:
    entities = [Mention(*_labelled_span(row)) for row in get_list(graph, "entities")]
    triggers = [_labelled_span(row) for row in get_list(graph, "triggers")]
    relations = [
        Relation(str(kind), _at(entities, subj, "entities"), _at(entities, obj, "entities"))
        for subj, obj, kind, *_ in get_list(graph, "relations")
    ]
    args: dict[int, list[Argument]] = {}
    for trigger, entity, role, *_ in get_list(graph, "roles"):
        _at(triggers, trigger, "triggers")
        found = _at(entities, entity, "entities")
        args.setdefault(trigger, []).append(Argument(Mention(found.span), str(role)))
    events = [
        Event(Trigger(Mention(span), kind), tuple(args.get(place, ()))) for place, (span, kind) in enumerate(triggers)
    ]
    return Extraction(tuple(entities), tuple(relations), tuple(events), id, text=text)


def _labelled_span(row: Any) -> tuple[tuple[int, int], str]:
    match row:
        case [int(left), int(right), kind, *_] if left <= right:
            return (left, right), str(kind)
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
        links = [_read_link(link) for link in get_list(found, "gold_evt_links")]
        events = tuple(_read_gold(row, links) for row in get_list(found, "evt_triggers"))
    return Extraction(events=events, id=id_of(found), sentences=starts, text=found.get("sentences") or ())


def _read_gold(row: Any, links: list[tuple[tuple[int, int], Argument]]) -> Event:
    match row:
        case [int(left), int(right), [[str(kind), *_], *_]]:
            span = tail_exclusive(left, right)
            return Event(Trigger(Mention(span), kind), tuple(one for trigger, one in links if trigger == span))
    raise ValueError(f'expected a trigger such as [4, 4, [["type", 1.0]]], found {row!r}')


def _read_link(link: Any) -> tuple[tuple[int, int], Argument]:
    match link:
        case [[trigger, end], [left, right], str(role)]:
            return tail_exclusive(trigger, end), _argument(left, right, role)
    raise ValueError(f"expected a link such as [[4, 4], [0, 1], role], found {link!r}")


def _argument(left: Any, right: Any, role: str) -> Argument:
    return Argument(Mention(tail_exclusive(left, right)), re.sub(r"^evt\d+arg\d+", "", role))


def _read_predicted(row: Any) -> Event:
    match row:
        case [[left, right, *_], *args]:
            trigger = Trigger(Mention(tail_exclusive(left, right)), "")
        case _:
            raise ValueError(f"expected a prediction such as [[4, 4], [0, 1, role, score]], found {row!r}")
    made = []
    for arg in args:
        match arg:
            case [left, right, str(role), *_]:
                made.append(_argument(left, right, role))
            case _:
                raise ValueError(f"expected an argument such as [0, 1, role, score], found {arg!r}")
    return Event(trigger, tuple(made))


_is_oneie = has_keys("entity_mentions", "event_mentions", "graph")


def _is_wikievents(head: str, name: str) -> bool:
    keys = {key for found in objects(head) for key in found}
    return _is_oneie(head, name) and "sentences" in keys and "sent_id" not in keys


ONEIE = Format(
    name="oneie",
    title="OneIE",
    looks='"tokens" with "entity_mentions" and "event_mentions", or a "graph"',
    read=partial(records, build=oneie_document),
    sniff=_is_oneie,
)
WIKIEVENTS = Format(
    name="wikievents",
    title="WikiEvents",
    looks='"sentences" and "event_mentions" that have a "trigger" and "arguments"',
    read=read_wikievents,
    sniff=_is_wikievents,
)
RAMS = Format(
    name="rams",
    title="RAMS",
    looks='"evt_triggers" and "gold_evt_links", or "predictions"',
    sniff=has_keys("evt_triggers", "gold_evt_links", "predictions"),
    read=partial(records, build=_rams_document),
    read_reference=partial(records, build=partial(_rams_document, side="gold")),
)

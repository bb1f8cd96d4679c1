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
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import accumulate, repeat
from operator import attrgetter
from typing import Any, Literal

import msgspec

from matchwise.formats import LINE, Format
from matchwise.formats.io.beginning import has_keys, objects
from matchwise.formats.io.entries import decode_value
from matchwise.formats.io.source import Text, Usual, fields, get_list, id_of, records, require, tail_exclusive, values
from matchwise.tasks.events import Argument, Event, Trigger
from matchwise.tasks.events.elements import EventColumns
from matchwise.tasks.excerpts import excerpts
from matchwise.tasks.ner import Extraction, Mention
from matchwise.tasks.relations import Relation


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


class _Relation(msgspec.Struct, gc=False):  # JSON has no cycles
    relation_type: str
    arguments: list[_End]
    id: Any = None


class _Event(msgspec.Struct, gc=False):
    event_type: str
    trigger: _Words
    arguments: list[_End]


class _Sentence(msgspec.Struct, gc=False):
    """A sentence in OneIE's usual form; one with a graph or in parts does not fit."""

    entity_mentions: list[_Entity]
    relation_mentions: list[_Relation]
    event_mentions: list[_Event]
    sent_id: str
    tokens: msgspec.Raw
    graph: None = None
    part: None = None


def oneie_document(value: Any) -> Extraction:
    """One sentence by `sent_id`, or one document by `doc_id`.

    >>> graph = {"entities": [[0, 1, "PER"]], "triggers": [[1, 2, "Die"]], "roles": [[0, 0, "Victim"]]}
    >>> oneie_document({"sent_id": "s1", "graph": graph}).events[0].args[0].role
    'Victim'
    """
    if type(value) is _Sentence:
        return Extraction(**_parts(value), id=value.sent_id, text=msgspec.json.decode(value.tokens) or ())
    found = fields(value)
    id = id_of(found, ("sent_id", "doc_id", "doc_key", "id"))
    text = found.get("tokens") or ()
    if "graph" in found:
        return _graph(fields(found["graph"], "a graph"), id, text)
    return Extraction(**_parts(_sentence(found)), id=id, text=text)


def _parts(found: _Sentence, *names: str) -> dict[str, Any]:
    """Some fields of an extraction, or all that a sentence has."""
    mentions = {one.id: Mention(_span(one.start, one.end), one.entity_type) for one in found.entity_mentions}
    return {name: _PARTS[name](found, mentions) for name in names or _PARTS}


_PARTS: dict[str, Callable[[_Sentence, dict[str, Mention]], tuple[Any, ...]]] = {
    "mentions": lambda _, mentions: tuple(mentions.values()),
    "relations": lambda found, mentions: tuple([_relation(one, mentions) for one in found.relation_mentions]),
    "events": lambda found, mentions: tuple([_event(one, mentions) for one in found.event_mentions]),
    # ACE names the mentions of an entity by its id and a number: …-E12-34.
    "entities": lambda _, mentions: tuple(
        [(one.span, key.rpartition("-")[0]) for key, one in mentions.items() if "-" in key]
    ),
}


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
    return _Sentence(entities, relations, events, "", msgspec.Raw())


def _entity(one: dict[str, Any]) -> _Entity:
    id, label = (
        str(require(one, "id", "an entity")),
        "entity_type" if "entity_type" in one or "type" not in one else "type",
    )
    kind = str(require(one, label, "an entity"))
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


class _Block:
    """The sentences of lines in a row, and their events."""

    __slots__ = ("columns", "file", "line", "sentences")

    def __init__(self, sentences: list[_Sentence], columns: EventColumns, file: str, line: int) -> None:
        self.sentences, self.columns, self.file, self.line = sentences, columns, file, line

    def cut(self, name: str, place: int) -> Any:
        """A field of the extraction from one sentence."""
        found = self.sentences[place]
        if name != "text":
            return _parts(found, name)[name]
        words = bytes(found.tokens).decode()
        return decode_value(words, self.file, self.line + place, advice="write one document on each line") or ()


def _join(sentences: list[_Sentence], file: str, line: int) -> list[Extraction] | None:
    """The sentences of lines in a row; None if something is wrong with one of them."""
    if any(one.start > one.end for found in sentences for one in found.entity_mentions):
        return None
    columns = EventColumns([], [], [], [], [], [], [])
    sizes, types, spans, fillers, roles, places, _ = columns
    try:
        for found in sentences:
            known = {one.id: (one.start, one.end) for one in found.entity_mentions}
            for relation in found.relation_mentions:
                _, _ = [known[end.entity_id] for end in relation.arguments]
            sizes.append(len(found.event_mentions))
            for event in found.event_mentions:
                words, ends = event.trigger, event.arguments
                if words.start > words.end:
                    return None
                types.append(event.event_type)
                spans.append((words.start, words.end))
                fillers.append(len(ends))
                for end in ends:
                    roles.append(end.role)
                    places.append(known[end.entity_id])
    except (KeyError, ValueError):  # an argument that is no entity, a relation that does not have two
        return None
    ids = [found.sent_id for found in sentences]
    block = _Block(sentences, columns, file, line)
    return excerpts(Extraction, block, range(len(sentences)), id=ids, sentences=repeat(()))


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


_USUAL = Usual(msgspec.json.Decoder(_Sentence).decode, _join)

_is_oneie = has_keys("entity_mentions", "event_mentions", "graph")


def _is_wikievents(head: str, name: str) -> bool:
    keys = {key for found in objects(head) for key in found}
    return _is_oneie(head, name) and "sentences" in keys and "sent_id" not in keys


ONEIE = Format(
    name="oneie",
    title="OneIE",
    read=partial(records, build=oneie_document, usual=_USUAL),
    sniff=_is_oneie,
    cut=LINE,
)
WIKIEVENTS = Format(name="wikievents", title="WikiEvents", read=read_wikievents, sniff=_is_wikievents, cut=LINE)
RAMS = Format(
    name="rams",
    title="RAMS",
    sniff=has_keys("evt_triggers", "gold_evt_links", "predictions"),
    read=partial(records, build=_rams_document),
    read_reference=partial(records, build=partial(_rams_document, side="gold")),
    cut=LINE,
)

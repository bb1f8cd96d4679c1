"""Templates as JSON: in the usual plain forms, and as GTT, IterX and BETTER write them.

    {"id": "d1", "templates": [{"type": "bombing", "fillers": [{"slot": "victim", "value": ["mayor", "the mayor"]}]}]}
    {"id": "d2", "templates": [{"type": "arson", "slots": {"victim": [["mayor"]], "stage": {"category": "x"}, "n": 3}}]}

Text and lists of mentions are entities; see `tasks.templates.values` for the rest.

GTT has documents with `templates`, one on each line, or one object of results by document, with `pred_templates`:

    {"docid": "TST3-0001", "doctext": "…", "templates": [{"incident_type": "arson", "Victim": [[["the mayor", 12]]]}]}
    {"TST3-0001": {"pred_templates": [{"incident_type": "arson", "Victim": [["the mayor"]]}], "gold_templates": […]}}

A role holds entities, an entity mentions, and a mention is its text, with or without its place in the document. The
results of GTT and GRIT call TST3-MUC4-0001 30001; here it has its name.

IterX has on each line one document and templates of it, `{"TST3-MUC4-0001": [{"incident_type": "attack", …}]}`. A
document has several lines, one for each type of template; they are gathered, so that a file is read whole. A slot is
a list of entities, an entity a list of mentions: `"PerpInd": [["guerrillas"], ["rebels"]]`.

BETTER's BP JSON is one object with `entries`, each with basic events, their span sets and granular templates:

    {"format-type": "bp-corpus", "entries": {"e1": {"entry-id": "e1", "annotation-sets": {"basic-events": {
      "events": {"event1": {"eventid": "event1", "event-type": "Law-Enforcement", "anchors": "ss-2", …}},
      "span-sets": {"ss-1": {"ssid": "ss-1", "spans": [{"start": 0, "end": 9, "string": "The mayor"}]}},
      "granular-templates": {"template-1": {"template-type": "Protestplate", "template-anchor": "ss-1",
        "who": [{"ssid": "ss-1", "irrealis": "…"}], "outcome": [{"event-id": "event1"}], "over-time": true}}}}}}}

A slot holds span sets (entities) and events, a truth value, a number or a category. Mentions are spans of characters,
ends exclusive, or their text where there are none. Anchors, irrealis and time attachments are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

from matchwise.formats import Format
from matchwise.formats.io.source import (
    Text,
    decode_value,
    fields,
    get_list,
    id_of,
    name_of,
    open_text,
    place_errors,
    records,
    require,
    values,
)
from matchwise.formats.recognition import has_keys, has_line, objects
from matchwise.tasks.lists import read_each
from matchwise.tasks.roles.fillers import Entity, Mention, SlotFiller, Template, TemplateSet, entity
from matchwise.tasks.templates.values import Category, Event, document

IDS = ("id", "doc_key", "doc_id", "docid", "document_id")


def _plain_document(value: Any) -> TemplateSet:
    """One document.

    >>> one = _plain_document({"id": 3, "templates": [{"type": "arson", "slots": {"target": ["bank"]}}]})
    >>> one.templates[0].fillers[0].value.mentions
    ('bank',)
    """
    found = fields(value)
    if "templates" not in found:
        raise ValueError(f"expected a document with templates, found the keys {', '.join(found) or 'none'}")
    text = found.get("tokens") or found.get("words") or found.get("text") or ()
    return TemplateSet(document(get_list(found, "templates")).templates, id_of(found, IDS), text)


TYPE = "incident_type"

NO_ROLES = (TYPE, "template-spans")
"""The keys of a template that hold no fillers; the second is in IterX's copy of the data."""

GTT_IDS = ("docid", "doc_id", "id")


def read_gtt(source: Text, *, side: Literal["pred", "gold"] = "pred") -> Iterator[TemplateSet]:
    """The documents of a file; of results, which hold both sides, the predictions unless `side="gold"`.

    >>> from io import StringIO
    >>> [one] = read_gtt(StringIO('{"d1": {"pred_templates": [{"incident_type": "arson", "Victim": [["mayor"]]}]}}'))
    >>> one.id, one.templates[0].type, one.templates[0].fillers[0].value.mentions
    ('d1', 'arson', ('mayor',))
    """
    name = name_of(source)
    for number, value in values(source):
        if isinstance(value, dict) and value and all(isinstance(one, dict) for one in value.values()):
            yield from _results(value, side, name)
        else:
            with place_errors(name, number):
                yield _gtt_document(value)


def _results(found: dict[str, Any], side: str, name: str) -> Iterator[TemplateSet]:
    """The documents of one object, by their ids."""
    for id, one in found.items():
        with place_errors(name, part=f"document {id}"):
            key = next((key for key in (f"{side}_templates", "templates") if key in one), None)
            if key is None:
                raise ValueError(f"expected {side}_templates, found the keys {', '.join(one) or 'none'}")
            yield TemplateSet(_gtt_templates(one, key), name_text(id))


def _gtt_document(value: Any) -> TemplateSet:
    found = fields(value)
    key = next((key for key in ("templates", "pred_templates") if key in found), None)
    if key is None:
        raise ValueError(f"expected a document with templates, found the keys {', '.join(found) or 'none'}")
    id = id_of(found, GTT_IDS)
    return TemplateSet(_gtt_templates(found, key), name_text(id) if isinstance(id, str) else id)


def name_text(id: str) -> str:
    """The name of a text of MUC-4's tests, which results call by a number; any other id as it is.

    >>> name_text("30001"), name_text("TST3-MUC4-0001"), name_text("30000")
    ('TST3-MUC4-0001', 'TST3-MUC4-0001', '30000')
    """
    found = _NUMBER.fullmatch(id)
    return f"TST{found[1]}-MUC{3 if found[1] == '1' else 4}-{found[2]}" if found else id


_NUMBER = re.compile(r"([1-4])(?!0000)(\d{4})")
"""There were four tests."""


def _gtt_templates(found: dict[str, Any], key: str) -> tuple[Template, ...]:
    def build(value: Any) -> Template:
        one = fields(value, "a template")
        kind = require(one, TYPE, "a template")
        if not isinstance(kind, str):
            if key != "pred_templates":
                raise ValueError(f'{TYPE}: expected text such as "attack", found {kind!r}')
            kind = "attack"  # as GTT's script takes it
        filled = {role: held for role, held in one.items() if role not in NO_ROLES and held is not None}
        for role, held in filled.items():
            if not isinstance(held, list):
                raise ValueError(f"{role}: expected a list of entities, found {type(held).__name__}")
        return Template(kind, tuple(SlotFiller(role, _gtt_entity(e)) for role, held in filled.items() for e in held))

    return read_each(build, get_list(found, key), key)


def _gtt_entity(value: Any) -> Entity:
    """Read the mentions of an entity; a text is its own only mention."""
    if isinstance(value, list):
        if len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], int):  # no mentions, but one
            return Entity((value[0],))
        return Entity(tuple([_gtt_mention(one) for one in value]))
    if isinstance(value, str):
        return Entity((value,))
    raise ValueError(f'expected an entity such as [["guerrillas", 12]], found {value!r}')


def _gtt_mention(value: Any) -> str:
    text = value[0] if isinstance(value, list) and value else value
    if isinstance(text, str):
        return text
    raise ValueError(f'expected a mention such as "guerrillas" or ["guerrillas", 12], found {value!r}')


ROLES = {role.lower(): role for role in ("PerpInd", "PerpOrg", "Target", "Victim", "Weapon")}
"""The slots of MUC-4, which some predictions have in lower case."""


def read_iterx(source: Text) -> Iterator[TemplateSet]:
    """The documents of a file, each with all its templates.

    >>> from io import StringIO
    >>> lines = '{"A": [{"incident_type": "attack", "victim": [["mayor"]]}]}\\n{"A": []}\\n{"B": []}\\n'
    >>> [(document.id, len(document.templates)) for document in read_iterx(StringIO(lines))]
    [('A', 1), ('B', 0)]
    """
    name = name_of(source)
    found: dict[str, list[Template]] = {}
    for number, value in values(source):
        with place_errors(name, number):
            for id, templates in fields(value).items():
                if not isinstance(templates, list):
                    raise ValueError(f"{id}: expected a list of templates, found {type(templates).__name__}")
                found.setdefault(id, []).extend(_iterx_template(one) for one in templates)
    for id, several in found.items():
        yield TemplateSet(tuple(several), id)


def _iterx_template(value: Any) -> Template:
    found = fields(value, "a template")
    kind = found.get("incident_type")
    if not isinstance(kind, str):
        raise ValueError(f'expected a template with an "incident_type", found the keys {", ".join(found) or "none"}')
    fillers = [
        SlotFiller(ROLES.get(slot, slot), entity(one))
        for slot, entities in found.items()
        if slot != "incident_type"
        for one in _as_list(slot, entities)
    ]
    return Template(kind, tuple(fillers))


def _as_list(slot: str, value: Any) -> list[Any]:
    if isinstance(value, list) and all(isinstance(one, list) for one in value):
        return value
    raise ValueError(f'{slot}: expected a list of entities such as [["rebels"]], found {value!r:.60}')


NO_SLOTS = ("template-type", "template-id", "template-anchor")


def read_better(source: Text) -> Iterator[TemplateSet]:
    """The entries of a file by `entry-id`, read whole."""
    name = name_of(source)
    with open_text(source) as file:
        value = decode_value(file.read(), name, advice="write one object with entries")
    with place_errors(name):
        entries = fields(require(fields(value, "a corpus"), "entries", "a corpus"), "entries")
    for id, value in entries.items():
        with place_errors(name, part=f"entry {id}"):
            entry = fields(value, "an entry")
            yield TemplateSet(tuple(_better_templates(entry)), str(entry.get("entry-id", id)))


def _better_templates(entry: dict[str, Any]) -> Iterator[Template]:
    sets = fields(entry.get("annotation-sets") or {}, "annotation-sets")
    found = fields(sets.get("basic-events") or {}, "basic-events")
    parts = {key: fields(found.get(key) or {}, key) for key in ("events", "span-sets", "granular-templates")}
    spans = {id: _mentions(value) for id, value in parts["span-sets"].items()}
    events = {id: _event(value, spans) for id, value in parts["events"].items()}
    for id, value in parts["granular-templates"].items():
        try:
            one = fields(value, "a template")
            kind = str(require(one, "template-type", "a template"))
            fillers = [
                filler
                for slot, held in one.items()
                if slot not in NO_SLOTS
                for filler in _better_fillers(slot, held, spans, events)
            ]
            yield Template(kind, tuple(fillers), str(one.get("template-id", id)))
        except ValueError as error:
            raise ValueError(f"{id}: {error}") from None


def _mentions(value: Any) -> tuple[Mention, ...]:
    made: list[Mention] = []
    for span in get_list(fields(value, "a span set"), "spans"):
        one = fields(span, "a span")
        start, end = one.get("start"), one.get("end")
        made.append((start, end) if type(start) is int and type(end) is int else str(require(one, "string", "a span")))
    return tuple(dict.fromkeys(made))


def _event(value: Any, spans: dict[str, tuple[Mention, ...]]) -> Event:
    one = fields(value, "an event")
    anchors = one.get("anchors")
    ids = anchors if isinstance(anchors, list) else [] if anchors is None else [anchors]
    mentions = [mention for id in ids for mention in _known(spans, id, "span set")]
    return Event(str(one.get("event-type", "")), tuple(dict.fromkeys(mentions)))


def _better_fillers(
    slot: str, held: Any, spans: dict[str, tuple[Mention, ...]], events: dict[str, Event]
) -> Iterator[SlotFiller]:
    for value in held if isinstance(held, list) else () if held is None else (held,):
        match value:
            case bool() | int() | float():
                yield SlotFiller(slot, value)
            case str():
                yield SlotFiller(slot, Category((value,)))
            case {"ssid": id}:
                yield SlotFiller(slot, Entity(_known(spans, id, "span set")))
            case {"event-id": id}:
                yield SlotFiller(slot, _known(events, id, "event"))
            case _:
                raise ValueError(f"{slot}: expected a span set, an event or a plain value, found {value!r}")


def _known(found: dict[str, Any], id: Any, what: str) -> Any:
    if not isinstance(id, str) or id not in found:
        raise ValueError(f"found the {what} {id!r}, which the entry does not have")
    return found[id]


def _is_gtt(head: str, name: str) -> bool:
    return any(any(map(_has_templates, found.items())) for found in objects(head))


def _has_templates(member: tuple[str, Any]) -> bool:
    match member:
        case "templates", [{"incident_type": _}, *_]:
            return True
        case _, {"pred_templates": _} | {"gold_templates": _}:
            return True
    return False


def _is_iterx(head: str, name: str) -> bool:
    for found in objects(head)[:1]:
        match list(found.items()):
            case [(key, [] | [{"incident_type": _}, *_])]:
                return key not in ("args", "fillers", "templates")  # which are keys of plain JSON lines
    return False


TEMPLATES = Format(
    name="templates",
    title="templates as JSON lines",
    read=partial(records, build=_plain_document),
    sniff=has_keys("templates"),
)
GTT = Format(name="gtt", title="GTT", read=read_gtt, read_reference=partial(read_gtt, side="gold"), sniff=_is_gtt)
ITERX = Format(name="iterx", title="IterX", read=read_iterx, sniff=_is_iterx)
BETTER = Format(
    name="better", title="BETTER's BP JSON", read=read_better, sniff=has_line(r'"(bp-corpus|granular-templates)"')
)

"""BETTER's BP JSON: one object with `entries`, each with basic events, their span sets and granular templates.

    {"format-type": "bp-corpus", "entries": {"e1": {"entry-id": "e1", "annotation-sets": {"basic-events": {
      "events": {"event1": {"eventid": "event1", "event-type": "Law-Enforcement", "anchors": "ss-2", …}},
      "span-sets": {"ss-1": {"ssid": "ss-1", "spans": [{"start": 0, "end": 9, "string": "The mayor"}]}},
      "granular-templates": {"template-1": {"template-type": "Protestplate", "template-anchor": "ss-1",
        "who": [{"ssid": "ss-1", "irrealis": "…"}], "outcome": [{"event-id": "event1"}], "over-time": true}}}}}}}

A slot holds span sets (entities) and events, a truth value, a number or a category. Mentions are spans of characters,
ends exclusive, or their text where there are none. Anchors, irrealis and time attachments are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matchwise.formats import Format, has_line
from matchwise.formats.io.records import decode_value, fields, get_list, require
from matchwise.formats.io.source import Text, name_of, open_text, place_errors
from matchwise.tasks.roles.fillers import Mention, RoleEntity, SlotFiller, Template, TemplateSet
from matchwise.tasks.templates.values import Category, FilledEvent

NO_SLOTS = ("template-type", "template-id", "template-anchor")


def read(source: Text) -> Iterator[TemplateSet]:
    """The entries of a file by `entry-id`, read whole."""
    name = name_of(source)
    with open_text(source) as file:
        value = decode_value(file.read(), name, advice="write one object with entries")
    with place_errors(name):
        entries = fields(require(fields(value, "a corpus"), "entries", "a corpus"), "entries")
    for id, value in entries.items():
        with place_errors(name, part=f"entry {id}"):
            entry = fields(value, "an entry")
            yield TemplateSet(tuple(_templates(entry)), str(entry.get("entry-id", id)))


def _templates(entry: dict[str, Any]) -> Iterator[Template]:
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
                for filler in _fillers(slot, held, spans, events)
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


def _event(value: Any, spans: dict[str, tuple[Mention, ...]]) -> FilledEvent:
    one = fields(value, "an event")
    anchors = one.get("anchors")
    ids = anchors if isinstance(anchors, list) else [] if anchors is None else [anchors]
    mentions = [mention for id in ids for mention in _known(spans, id, "span set")]
    return FilledEvent(str(one.get("event-type", "")), tuple(dict.fromkeys(mentions)))


def _fillers(
    slot: str, held: Any, spans: dict[str, tuple[Mention, ...]], events: dict[str, FilledEvent]
) -> Iterator[SlotFiller]:
    for value in held if isinstance(held, list) else () if held is None else (held,):
        match value:
            case bool() | int() | float():
                yield SlotFiller(slot, value)
            case str():
                yield SlotFiller(slot, Category((value,)))
            case {"ssid": id}:
                yield SlotFiller(slot, RoleEntity(_known(spans, id, "span set")))
            case {"event-id": id}:
                yield SlotFiller(slot, _known(events, id, "event"))
            case _:
                raise ValueError(f"{slot}: expected a span set, an event or a plain value, found {value!r}")


def _known(found: dict[str, Any], id: Any, what: str) -> Any:
    if not isinstance(id, str) or id not in found:
        raise ValueError(f"found the {what} {id!r}, which the entry does not have")
    return found[id]


BETTER = Format(
    name="better",
    title="BETTER's BP JSON",
    looks='"bp-corpus" with "entries"',
    read=read,
    sniff=has_line(r'"(bp-corpus|granular-templates)"'),
)

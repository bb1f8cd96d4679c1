"""Templates and role fillers as JSON: as GRIT, GTT and IterX write those of MUC-4, BETTER's, and the usual plain forms.

    {"id": "d1", "templates": [{"type": "bombing", "fillers": [{"slot": "victim", "value": ["mayor", "the mayor"]}]}]}
    {"id": "d2", "templates": [{"type": "arson", "slots": {"victim": [["mayor"]], "stage": {"category": "x"}, "n": 3}}]}

Text and lists of mentions are entities; see `tasks.templates.values` for the rest.

GRIT has `extracts` of one template, GTT has `templates`: a document on each line, or one object of results by document:

    {"docid": "TST3-MUC4-0001", "doctext": "…", "extracts": {"PerpInd": [[["guerrillas", 37], ["rebels", 90]]], …}}
    {"docid": "TST3-MUC4-0001", "doctext": "…", "templates": [{"incident_type": "arson", "Victim": [[["mayor", 12]]]}]}
    {"30001": {"pred_extracts": {"PerpInd": [["guerrillas"]], …}, "gold_extracts": {…}}, …}
    {"30001": {"pred_templates": [{"incident_type": "arson", "Victim": [["the mayor"]]}], "gold_templates": […]}, …}

A role holds entities, an entity mentions, and a mention is its text, with or without its place in the document. The
number that a text has in results is read as its name: 30001 is TST3-MUC4-0001.

IterX has on each line one document and templates of it, `{"TST3-MUC4-0001": [{"incident_type": "attack", …}]}`. A
document has several lines, one for each type of template; they are gathered, so that a file is read whole.

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
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar

from matchwise.formats import Format, has_keys, has_line, objects
from matchwise.formats.io.records import decode_value, fields, get_list, id_of, records, require, values
from matchwise.formats.io.source import Text, name_of, open_text, place_errors
from matchwise.tasks.lists import read_each
from matchwise.tasks.roles.fillers import (
    Mention,
    NAryRelation,
    RoleEntity,
    RoleFiller,
    SlotFiller,
    Template,
    TemplateSet,
)
from matchwise.tasks.templates.values import Category, FilledEvent, document

Side: TypeAlias = Literal["pred", "gold"]
Document = TypeVar("Document")

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


def read_grit(source: Text, *, side: Side = "pred") -> Iterator[NAryRelation]:
    """The documents of a file, as one relation each; where they hold both sides, `side` chooses one.

    >>> from io import StringIO
    >>> data = '{"docid": "TST3-MUC4-0001", "extracts": {"PerpInd": [[["rebels", 37]]], "Weapon": []}}'
    >>> [document] = read_grit(StringIO(data))
    >>> document.id, document.args[0].entity.mentions, document.roles
    ('TST3-MUC4-0001', ('rebels',), ('PerpInd', 'Weapon'))
    """

    def build(found: dict[str, Any], key: str, id: Any) -> NAryRelation:
        extracts = fields(found[key], "extracts")
        args = [RoleFiller(role, one) for role, held in extracts.items() for one in _entities(role, held, lists=True)]
        if key != "pred_extracts":  # like GRIT's script, keep predicted entities without mentions
            args = [one for one in args if one.entity.mentions]
        return NAryRelation(
            "", tuple(args), str(require(found, "docid", "a document") if id is None else id), tuple(extracts)
        )

    return _read_results(source, "extracts", side, build)


def read_gtt(source: Text, *, side: Side = "pred") -> Iterator[TemplateSet]:
    """The documents of a file; of results, which hold both sides, the predictions unless `side="gold"`.

    >>> from io import StringIO
    >>> [one] = read_gtt(StringIO('{"d1": {"pred_templates": [{"incident_type": "arson", "Victim": [["mayor"]]}]}}'))
    >>> one.id, one.templates[0].type, one.templates[0].fillers[0].value.mentions
    ('d1', 'arson', ('mayor',))
    """

    def build(found: dict[str, Any], key: str, id: Any) -> TemplateSet:
        untyped = "attack" if key == "pred_templates" else None  # as GTT's script takes it
        return TemplateSet(read_each(partial(_template, untyped=untyped), get_list(found, key), key), id)

    return _read_results(source, "templates", side, build)


def _read_results(
    source: Text, what: str, side: Side, build: Callable[[dict[str, Any], str, Any], Document]
) -> Iterator[Document]:
    """What is built of each document, the key of its content and its id: one on each line, or results of many by id."""
    name = name_of(source)
    for number, value in values(source):
        with place_errors(name, number):
            found = fields(value)
            key = next((key for key in (f"{side}_{what}", what, f"pred_{what}") if key in found), None)
            if key is not None:
                id = id_of(found, ("docid", "doc_id", "id"))
                yield build(found, key, name_text(id) if isinstance(id, str) else id)
                continue
            if not found or not all(isinstance(one, dict) for one in found.values()):
                raise ValueError(f"expected a document with {what}, found the keys {', '.join(found) or 'none'}")
            for id, one in found.items():
                key = next((key for key in (f"{side}_{what}", what) if key in one), None)
                if key is None:
                    keys = ", ".join(one) or "none"
                    raise ValueError(f"document {id}: expected {side}_{what}, found the keys {keys}")
                try:
                    yield build(one, key, name_text(id))
                except ValueError as error:
                    raise ValueError(f"document {id}: {error}") from None


def name_text(id: str) -> str:
    """The name of a text of MUC-4's tests, which results call by a number; any other id as it is.

    >>> name_text("30001"), name_text("TST3-MUC4-0001"), name_text("30000")
    ('TST3-MUC4-0001', 'TST3-MUC4-0001', '30000')
    """
    found = re.fullmatch(r"([1-4])(?!0000)(\d{4})", id)  # there were four tests
    return f"TST{found[1]}-MUC{3 if found[1] == '1' else 4}-{found[2]}" if found else id


TYPE = "incident_type"

NO_ROLES = (TYPE, "template-spans")
"""The keys of a template that hold no fillers; the second is in IterX's copy of the data."""

ROLES = {role.lower(): role for role in ("PerpInd", "PerpOrg", "Target", "Victim", "Weapon")}
"""The slots of MUC-4, which some predictions of IterX have in lower case."""


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
                found.setdefault(id, []).extend(_template(one, names=ROLES, lists=True) for one in templates)
    for id, several in found.items():
        yield TemplateSet(tuple(several), id)


def _template(
    value: Any, *, untyped: str | None = None, names: Mapping[str, str] | None = None, lists: bool = False
) -> Template:
    """A template with its type; `untyped` is its type if that is not text, `names` are better names of slots."""
    found = fields(value, "a template")
    kind = require(found, TYPE, "a template")
    if not isinstance(kind, str):
        if untyped is None:
            raise ValueError(f'{TYPE}: expected text such as "attack", found {kind!r}')
        kind = untyped
    filled = {slot: _entities(slot, held, lists=lists) for slot, held in found.items() if slot not in NO_ROLES}
    return Template(
        kind, tuple(SlotFiller((names or {}).get(slot, slot), one) for slot in filled for one in filled[slot])
    )


def _entities(slot: str, value: Any, *, lists: bool) -> list[RoleEntity]:
    """The entities of a slot; with `lists`, each must be a list of mentions."""
    if value is None and not lists:
        return []
    if not isinstance(value, list) or (lists and not all(isinstance(one, list) for one in value)):
        raise ValueError(f'{slot}: expected a list of entities such as [["rebels"]], found {value!r:.60}')
    made = []
    for one in value:
        match one:
            case str(text) | [str(text), int()]:
                made.append(RoleEntity((text,)))
            case list():
                made.append(RoleEntity(tuple(_mention(slot, mention) for mention in one)))
            case _:
                raise ValueError(f'{slot}: expected an entity such as [["guerrillas", 12]], found {one!r:.60}')
    return made


def _mention(slot: str, value: Any) -> str:
    match value:
        case str(text) | [str(text), *_]:
            return text
    raise ValueError(f'{slot}: expected a mention such as "rebels" or ["rebels", 37], found {value!r:.60}')


def _is_grit(head: str, name: str) -> bool:
    return any(
        isinstance(found.get("extracts"), dict)
        or any(isinstance(value, dict) and "pred_extracts" in value for value in found.values())
        for found in objects(head)
    )


def _is_gtt(head: str, name: str) -> bool:
    for found in objects(head):
        for member in found.items():
            match member:
                case ("templates", [{"incident_type": _}, *_]) | (_, {"pred_templates": _} | {"gold_templates": _}):
                    return True
    return False


def _is_iterx(head: str, name: str) -> bool:
    for found in objects(head)[:1]:
        match list(found.items()):
            case [(key, [] | [{"incident_type": _}, *_])]:
                return key not in ("args", "fillers", "templates")  # which are keys of plain JSON lines
    return False


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
            yield TemplateSet(tuple(_templates(entry)), str(entry.get("entry-id", id)))


def _templates(entry: dict[str, Any]) -> Iterator[Template]:
    sets = fields(entry.get("annotation-sets") or {}, "annotation-sets")
    found = fields(sets.get("basic-events") or {}, "basic-events")
    parts = {key: fields(found.get(key) or {}, key) for key in ("events", "span-sets", "granular-templates")}
    spans = {id: _set_mentions(value) for id, value in parts["span-sets"].items()}
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


def _set_mentions(value: Any) -> tuple[Mention, ...]:
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


TEMPLATES = Format(
    name="templates",
    title="templates as JSON lines",
    looks='"templates" that have a "type" and "slots"',
    read=partial(records, build=_plain_document),
    sniff=has_keys("templates"),
)
GRIT = Format(
    name="grit",
    title="GRIT",
    looks='"doctext" and "extracts", or "pred_extracts"',
    read=read_grit,
    read_reference=partial(read_grit, side="gold"),
    sniff=_is_grit,
)
GTT = Format(
    name="gtt",
    title="GTT",
    looks='"templates" or "pred_templates" that have an "incident_type"',
    read=read_gtt,
    read_reference=partial(read_gtt, side="gold"),
    sniff=_is_gtt,
)
ITERX = Format(
    name="iterx",
    title="IterX",
    looks='documents by name, each a list of templates that have an "incident_type"',
    read=read_iterx,
    sniff=_is_iterx,
)


BETTER = Format(
    name="better",
    title="BETTER's BP JSON",
    looks='"bp-corpus" with "entries"',
    read=read_better,
    sniff=has_line(r'"(bp-corpus|granular-templates)"'),
)

"""GTT: documents with `templates`, one on each line, or one JSON object of results by document, with `pred_templates`.

    {"docid": "TST3-0001", "doctext": "…", "templates": [{"incident_type": "arson", "Victim": [[["the mayor", 12]]]}]}
    {"TST3-0001": {"pred_templates": [{"incident_type": "arson", "Victim": [["the mayor"]]}], "gold_templates": […]}}

A role holds entities, an entity mentions, and a mention is its text, with or without its place in the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from matchwise.formats import Format
from matchwise.formats.io.entries import decode_value, placing
from matchwise.formats.io.records import fields, get_list, id_of, records, require
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.tasks.roles.fillers import Entity, SlotFiller, Template, TemplateSet

TYPE = "incident_type"

NO_ROLES = (TYPE, "template-spans")
"""The keys of a template that hold no fillers; the second is in IterX's copy of the data."""

IDS = ("docid", "doc_id", "id")


def read(source: Text, *, side: Literal["pred", "gold"] = "pred") -> Iterator[TemplateSet]:
    """The documents of a file; of results, which hold both sides, the predictions unless `side="gold"`.

    >>> from io import StringIO
    >>> [one] = read(StringIO('{"d1": {"pred_templates": [{"incident_type": "arson", "Victim": [["mayor"]]}]}}'))
    >>> one.id, one.templates[0].type, one.templates[0].fillers[0].value.mentions
    ('d1', 'arson', ('mayor',))
    """
    name = name_of(source)
    with open_text(source) as file:
        first = []
        for line in file:
            first.append(line)
            if not line.isspace():
                break
        if not first or not _is_results(first[-1]):
            yield from records(_Again(first, file, name), _document)  # type: ignore[arg-type]  # reads as a text file
            return
        whole = "".join(first) + file.read()
    yield from _results(whole, side, name)


def read_reference(source: Text) -> Iterator[TemplateSet]:
    """The documents of a file; of results the reference."""
    return read(source, side="gold")


def _is_results(line: str) -> bool:
    """True if a file is one object of documents: it has no `docid` of its own."""
    return line.lstrip().startswith("{") and re.match(r'\s*\{\s*("[^"]*"\s*:\s*\{|$)', line) is not None


class _Again:
    """A text file that begins again with the lines already read."""

    def __init__(self, first: list[str], rest: Any, name: str) -> None:
        self.first, self.rest, self.name = first, rest, name

    def __iter__(self) -> Iterator[str]:
        yield from self.first
        yield from self.rest

    def read(self) -> str:
        return str(self.rest.read())


def _results(text: str, side: str, name: str) -> Iterator[TemplateSet]:
    found = decode_value(text, name, advice="write one object of documents, or one on each line")
    for id, value in fields(found, "results").items():
        with placing(name, part=f"document {id}"):
            one = fields(value, f"document {id}")
            key = next((key for key in (f"{side}_templates", "templates") if key in one), None)
            if key is None:
                raise ValueError(f"expected {side}_templates, found the keys {', '.join(one) or 'none'}")
            yield TemplateSet(_templates(one, key), id)


def _document(value: Any) -> TemplateSet:
    found = fields(value)
    key = next((key for key in ("templates", "pred_templates") if key in found), None)
    if key is None:
        raise ValueError(f"expected a document with templates, found the keys {', '.join(found) or 'none'}")
    return TemplateSet(_templates(found, key), id_of(found, IDS))


def _templates(found: dict[str, Any], key: str) -> tuple[Template, ...]:
    made = []
    for place, value in enumerate(get_list(found, key)):
        try:
            one = fields(value, "a template")
            kind = _type(require(one, TYPE, "a template"), predicted=key == "pred_templates")
            roles = ((role, entities) for role, entities in one.items() if role not in NO_ROLES)
            made.append(Template(kind, tuple(SlotFiller(r, _entity(e)) for r, held in roles for e in _held(r, held))))
        except ValueError as error:
            raise ValueError(f"{key}[{place}]: {error}") from None
    return tuple(made)


def _type(value: Any, *, predicted: bool) -> str:
    """Read a type; GTT's script takes a predicted type that is not text as attack."""
    if not isinstance(value, str):
        if predicted:
            return "attack"
        raise ValueError(f'{TYPE}: expected text such as "attack", found {value!r}')
    return value


def _held(role: str, entities: Any) -> list[Any]:
    if entities is None:
        return []
    if not isinstance(entities, list):
        raise ValueError(f"{role}: expected a list of entities, found {type(entities).__name__}")
    return entities


def _entity(value: Any) -> Entity:
    """Read the mentions of an entity; a text is its own only mention."""
    match value:
        case str():
            return Entity((value,))
        case [str(text), int()]:
            return Entity((text,))
        case list():
            return Entity(tuple(map(_mention, value)))
    raise ValueError(f'expected an entity such as [["guerrillas", 12]], found {value!r}')


def _mention(value: Any) -> str:
    match value:
        case str():
            return value
        case [str(text), *_]:
            return text
    raise ValueError(f'expected a mention such as "guerrillas" or ["guerrillas", 12], found {value!r}')


FORMAT = Format(
    name="gtt",
    title="GTT",
    read=read,
    read_reference=read_reference,
)

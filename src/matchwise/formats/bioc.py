"""BioC, as XML or JSON: documents of passages, whose annotations have one location or several.

    {"documents": [{"id": "d", "passages": [{"offset": 0, "text": "Ada.", "annotations": [
        {"text": "Ada", "infons": {"type": "PER"}, "locations": [{"offset": 0, "length": 3}]}]}]}]}

The type of a mention is the infon `type`. Positions count characters of the whole document, or what else the texts of
annotations show. Relations are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from typing import Any

from matchwise.errors import FormatError
from matchwise.formats import Format, objects
from matchwise.formats.io.conversion import CODES, find_unit
from matchwise.formats.io.records import fields, get_objects, values
from matchwise.formats.io.source import Text, name_of, open_text, place_errors
from matchwise.formats.io.units import with_unit
from matchwise.tasks.ner import Extraction, Mention, Positions, span


def read(source: Text, *, unit: str | None = None) -> Iterator[Extraction]:
    """The documents of a collection, one at a time.

    >>> from io import StringIO
    >>> one = '{"text": "Ada", "infons": {"type": "PER"}, "locations": [{"offset": 0, "length": 3}]}'
    >>> text = '{"documents": [{"id": "d", "passages": [{"offset": 0, "text": "Ada.", "annotations": [' + one + "]}]}]}"
    >>> [document] = read(StringIO(text))
    >>> document.mentions
    (Mention(span=(0, 3), type='PER'),)
    """
    name = name_of(source)
    with open_text(source) as file:
        text = file.read()
    found = _parse_xml if text.lstrip().startswith("<") else _parse_json
    for number, document in found(text, name):
        with place_errors(name, number):
            made = _document(document, unit)
        yield made


def _parse_json(text: str, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    file = StringIO(text)
    file.name = name  # what messages call it
    for number, value in values(file):
        with place_errors(name, number):
            one = fields(value, "a collection or a document")
            documents = get_objects(one, "documents", "a document") if "documents" in one else [one]
        yield from ((number, document) for document in documents)


def _parse_xml(text: str, name: str) -> Iterator[tuple[None, dict[str, Any]]]:
    """The documents as they are in JSON."""
    from xml.etree import ElementTree

    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise FormatError(f"cannot read this as XML: {error}", name) from None
    for document in root.iter("document"):
        yield (
            None,
            {
                "id": document.findtext("id"),
                "passages": [
                    {"sentences": list(map(_part, one.iter("sentence"))), **_part(one)}
                    for one in document.iter("passage")
                ],
            },
        )


def _part(element: Any) -> dict[str, Any]:
    """A passage or a sentence."""
    annotations = [
        {
            "text": one.findtext("text"),
            "infons": {infon.get("key"): infon.text for infon in one.findall("infon")},
            "locations": [dict(location.attrib) for location in one.findall("location")],
        }
        for one in element.findall("annotation")
    ]
    return {"offset": element.findtext("offset"), "text": element.findtext("text"), "annotations": annotations}


def _document(found: dict[str, Any], unit: str | None) -> Extraction:
    """The mentions of all passages (and their sentences); the text has them at their offsets."""
    texts, said = list[tuple[int, str]](), list[tuple[int, int, str]]()
    mentions: list[Mention] = []
    for passage in get_objects(found, "passages", "a passage"):
        parts = [passage, *get_objects(passage, "sentences", "a sentence")]
        for part in parts:
            if isinstance(part.get("text"), str):
                texts.append((_number(part.get("offset"), "offset"), part["text"]))
            for one in get_objects(part, "annotations", "an annotation"):
                places = [_location(place) for place in get_objects(one, "locations", "a location")]
                kind = one.get("infons", {}).get("type", "") if isinstance(one.get("infons", {}), dict) else ""
                mentions.append(Mention(span(*places), str(kind)))
                if len(places) == 1 and isinstance(one.get("text"), str):
                    said.append((*places[0], one["text"]))
    ways = ("characters",) if all(text.isascii() for _, text in texts) else ("characters", *CODES)
    laid = ((way, _lay(texts, way)) for way in ways)
    text = next((text for way, text in laid if find_unit(text, said) == way), None) or _lay(texts, unit)
    made = Extraction(tuple(mentions), id=found.get("id"), text=text, positions=Positions("characters", text))
    return with_unit(made, unit, said)


def _lay(texts: list[tuple[int, str]], unit: str | None = None) -> str:
    """The texts of passages, one after the other, each at its offset in this unit, or in characters."""
    made, size = list[str](), 0
    code, width = CODES.get(unit or "", ("utf-32-le", 4))
    for begin, text in texts:
        made += [" " * min(max(begin - size, 0), LONGEST), text]
        size = max(begin, size) + len(text.encode(code, "surrogatepass")) // width
    return "".join(made)


LONGEST = 10_000_000
"""White space between two passages that is believed."""


def _location(place: dict[str, Any]) -> tuple[int, int]:
    begin = _number(place.get("offset"), "offset")
    return begin, begin + _number(place.get("length"), "length")


def _number(value: Any, key: str) -> int:
    if type(value) is int and value >= 0:
        return value
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 19:
        return int(value)
    raise ValueError(f"{key}: expected a whole number, found {value!r}")


def _is_bioc(head: str, name: str) -> bool:
    if re.match(r"\s*<", head):
        return "<collection" in head and "<passage" in head
    return any("passages" in one or "documents" in one for one in objects(head))


BIOC = Format(
    name="bioc",
    title="BioC, as XML or JSON",
    looks='<collection> with <passage>, or "documents" with "passages"',
    read=read,
    sniff=_is_bioc,
    settings=("unit",),
)

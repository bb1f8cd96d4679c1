"""Mentions in a text that are linked to a database: PubTator, BioC (XML or JSON), and the links of neleval.

PubTator has title and abstract of each document, and mentions on lines of their own. Positions count characters of the
document, in which the abstract follows the title after one character. Relations (`12345	CID	D1	D2`) are not read.

    12345|t|Fever in Linz
    12345|a|We saw a fever.
    12345	0	5	Fever	Disease	D005334

BioC has documents of passages, whose annotations have one location or several. The type of a mention is the infon
`type`. Positions count characters of the whole document, or what else the texts of annotations show. Relations are not
read.

    {"documents": [{"id": "d", "passages": [{"offset": 0, "text": "Ada.", "annotations": [
        {"text": "Ada", "infons": {"type": "PER"}, "locations": [{"offset": 0, "length": 3}]}]}]}]}

neleval has a mention on each line, between tabs, with its best entity, a confidence and a type. Both ends of a mention
are in it. Of several entities the one with the highest confidence counts.

    doc1	0	3	Q41329	1.0	LOC
    doc1	10	14	NIL001
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from matchwise.errors import FormatError
from matchwise.formats import Format, has_line, has_most_lines, objects
from matchwise.formats.io.conversion import CODES, find_unit
from matchwise.formats.io.records import fields, get_objects, tail_exclusive, values
from matchwise.formats.io.source import NamedText, Text, name_of, open_text, paragraphs, place_errors
from matchwise.formats.io.units import with_unit
from matchwise.tasks.ner import Extraction, Mention, Positions, Span, mention, span


def read_pubtator(source: Text, *, unit: str | None = None) -> Iterator[Extraction]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> [one] = read_pubtator(StringIO("7|t|Fever\\n7|a|A fever.\\n7\\t0\\t5\\tFever\\tDisease\\tD1\\n"))
    >>> one.id, one.text, one.mentions
    ('7', 'Fever\\nA fever.', (Mention(span=(0, 5), type='Disease'),))
    """
    name = name_of(source)
    with open_text(source) as file:
        for begin, text in paragraphs(file):
            parts: list[str] = []
            id, mentions, said = "", list[Mention](), list[tuple[int, int, str]]()
            entities = list[tuple[Span, str]]()
            for number, line in enumerate(text.split("\n"), start=begin):
                titled = re.match(r"([^|\t]+)\|[ta]\|(.*)", line)
                cells = line.split("\t")
                if titled:
                    id = titled[1]
                    parts.append(titled[2])
                elif len(cells) >= 5 and cells[1].isdecimal() and cells[2].isdecimal():
                    with place_errors(name, number):
                        mentions.append(mention([int(cells[1]), int(cells[2]), cells[4]]))
                    entities.append((mentions[-1].span, cells[5].strip("- ") if len(cells) > 5 else ""))
                    id = id or cells[0]
                    said.append((mentions[-1].left, mentions[-1].right, cells[3]))
                elif len(cells) < 4:
                    expected = "a title such as 7|t|Fever, or a mention such as 7<tab>0<tab>5<tab>Fever<tab>Disease"
                    raise FormatError(f"found {line[:40]!r}, expected {expected}", name, number)
            whole = "\n".join(parts)
            known = Positions("characters", whole)
            made = Extraction(tuple(mentions), id=id, entities=tuple(entities), text=whole, positions=known)
            with place_errors(name, begin):
                made = with_unit(made, unit, said)
            yield made


def read_bioc(source: Text, *, unit: str | None = None) -> Iterator[Extraction]:
    """The documents of a collection, one at a time.

    >>> from io import StringIO
    >>> one = '{"text": "Ada", "infons": {"type": "PER"}, "locations": [{"offset": 0, "length": 3}]}'
    >>> text = '{"documents": [{"id": "d", "passages": [{"offset": 0, "text": "Ada.", "annotations": [' + one + "]}]}]}"
    >>> [document] = read_bioc(StringIO(text))
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
    for number, value in values(NamedText(text, name)):
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


def read_neleval(source: Text) -> Iterator[Extraction]:
    """The documents of a file, one after the other or not.

    >>> from io import StringIO
    >>> [one] = read_neleval(StringIO("d\\t0\\t3\\tQ41329\\t1.0\\tLOC\\n"))
    >>> one.mentions, one.entities
    ((Mention(span=(0, 4), type='LOC'),), (((0, 4), 'Q41329'),))
    """
    found: dict[str, list[tuple[Mention, str]]] = {}
    name = name_of(source)
    with open_text(source) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                with place_errors(name, number):
                    document, one, entity = _link_row([cell.strip() for cell in line.rstrip().split("\t")])
                found.setdefault(document, []).append((one, entity))
    for id, several in found.items():
        entities = tuple((one.span, entity) for one, entity in several)
        mentions = tuple(one for one, _ in several)
        yield Extraction(mentions, id=id, entities=entities, positions=Positions("characters"))


def _link_row(cells: list[str]) -> tuple[str, Mention, str]:
    if len(cells) < 3 or not all(re.fullmatch(r"\d{1,15}", cell) for cell in cells[1:3]):
        shown = " ".join(cells)[:60]
        raise ValueError(f"found {shown!r}, expected a document, a start, an end and an entity between tabs")
    span = tail_exclusive(int(cells[1]), int(cells[2]))
    rest = cells[3:]
    if len(rest) > 2 and len(rest) % 3:
        raise ValueError(f"found {len(rest)} cells after the span, expected an entity, a confidence and a type of each")
    several = [(float(rest[at + 1]), at) for at in range(0, len(rest), 3)] if len(rest) > 2 else [(0.0, 0)]
    best = max(several, key=lambda one: one[0])[1]
    kind = rest[best + 2] if len(rest) > 2 else ""
    return cells[0], Mention(span, kind), rest[best] if rest else ""


PUBTATOR = Format(
    name="pubtator",
    title="PubTator",
    looks="lines such as 12345|t|Title, and mentions after them",
    read=read_pubtator,
    sniff=has_line(r"\A\s*[^|\t\n]+\|t\|"),
    settings=("unit",),
)


BIOC = Format(
    name="bioc",
    title="BioC, as XML or JSON",
    looks='<collection> with <passage>, or "documents" with "passages"',
    read=read_bioc,
    sniff=_is_bioc,
    settings=("unit",),
)


NELEVAL = Format(
    name="neleval",
    title="neleval's links, a mention on each line",
    looks="lines: document, start, end and entity, between tabs",
    read=read_neleval,
    sniff=lambda head, name: (
        not head.startswith("#begin document") and has_most_lines(r"[^\t]+\t\d+\t\d+(\t|$)")(head, name)
    ),
)

"""Coreference as JSON: clusters of spans as in e2e-coref, entities, the documents of scorch, and GAP (also as TSV).

    {"doc_key": "a", "clusters": [[[0, 1], [4, 4]]], "sentences": [["the", "cat", …]]}
    {"id": "a", "entities": [{"id": "e1", "mentions": [[0, 2], {"left": 4, "right": 5, "head": [4, 0]}]}]}

Spans in `clusters` (and `predicted_clusters`) end with their last word, as in e2e-coref; spans in `entities` end after
it. Of a line with both kinds of clusters a prediction is the second and a reference the first. An entity is a list of
mentions or `{"id": …, "mentions": […]}`, a mention `[left, right]` or an object with `left` and `right` (and `head`,
`words`, `deps`, `core`). Words are in `words`, `tokens`, `sentences` or (AllenNLP) `document`.

fastcoref has a `text` and no words: its spans count characters, and end after the last. Maverick has
`clusters_token_offsets` beside `tokens`, or only `clusters_char_offsets`; both end with their last position.

scorch has mentions by identifiers, and `clusters` that hold them or `links` between them:

    {"type": "clusters", "clusters": {"e1": ["0.1-2", "0.7-7"], "e2": ["1.0-0"]}}
    {"type": "graph", "mentions": ["0.1-2", "0.7-7", "1.0-0"], "links": [["0.1-2", "0.7-7"]]}

A folder holds one document in each `.json` file, by the name of the file. Identifiers say nothing of words: two
mentions are the same if their identifiers are, and are not alike otherwise.

GAP has a pronoun and two names in a text, and which of them it refers to; as JSON lines, or as the TSV of the dataset:

    {"ID": "test-1", "Text": "Ada met Eve. She smiled.", "Pronoun": "She", "Pronoun-offset": 13,
     "A": "Ada", "A-offset": 0, "A-coref": true, "B": "Eve", "B-offset": 8, "B-coref": false}

The pronoun is an entity with the names that it refers to; any other name is an entity by itself. Offsets count
characters. Keys may have any case, and `_` for `-`.
"""

from __future__ import annotations

import csv
from collections.abc import Hashable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, Literal, TextIO, TypeAlias

from matchwise.corpus.positions import Positions
from matchwise.errors import FormatError
from matchwise.formats import Format, has_keys, objects
from matchwise.formats.io.documents import Entry, take_documents
from matchwise.formats.io.records import fields, get_list, id_of, values
from matchwise.formats.io.source import NamedText, Text, files_of, name_of, open_text, place_errors
from matchwise.tasks.coref import CorefMention, Entity, EntitySet

CLUSTERS = {"gold": "clusters", "pred": "predicted_clusters"}
"""Side -> where a document has its clusters; a system's output has both."""


OFFSETS = ("clusters_token_offsets", "clusters_char_offsets")
"""Where Maverick writes clusters; the ends of both are inclusive."""

Side: TypeAlias = Literal["pred", "gold"]


def read_corefjson(source: Text, *, side: Side = "pred", clusters: str | None = None) -> Iterator[EntitySet]:
    """The documents of a file, one at a time; where they hold both sides, `side` chooses one.

    `clusters` names the key to read where there are other ones too.

    >>> from io import StringIO
    >>> [document] = read_corefjson(StringIO('{"doc_key": "a", "clusters": [[[0, 1], [4, 4]]]}'))
    >>> [mention[:2] for mention in document.entities[0].mentions]
    [(0, 2), (4, 5)]
    """
    return take_documents(corefjson_entries(source, side=side, clusters=clusters))


def corefjson_entries(source: Text, *, side: Side = "pred", clusters: str | None = None) -> Iterator[Entry]:
    """Yield the documents with their ids; JSON that is not a document is reported and the rest is read."""
    name = name_of(source)
    for spot, (line, value) in enumerate(values(source)):
        id = id_of(value) if isinstance(value, dict) else None
        document: EntitySet | FormatError
        try:
            with place_errors(name, line):
                document = _read_listed_document(fields(value), side, clusters, name, line)
        except FormatError as error:
            document = error
        yield Entry(None if id in (None, "") else str(id), document, spot)


def write_corefjson(documents: Iterable[EntitySet], file: TextIO) -> None:
    """The documents as JSON lines with `entities`; `read_corefjson` reads them back."""
    import msgspec

    for document in documents:
        entities = [{"id": one.id, "mentions": list(map(_plain_mention, one.mentions))} for one in document.entities]
        line: dict[str, Any] = {"id": document.id, "entities": entities}
        if document.text:
            line["words"] = document.words
        file.write(msgspec.json.encode(line).decode() + "\n")


def _plain_mention(mention: CorefMention) -> Any:
    if mention.head is None and not mention.words:
        return mention[:2]
    return {name: value for name, value in mention._asdict().items() if value not in (None, ())}


def _read_listed_document(data: dict[str, Any], side: Side, clusters: str | None, file: str, line: int) -> EntitySet:
    keys = [clusters] if clusters else [key for key in (*CLUSTERS.values(), *OFFSETS[:1], "entities") if key in data]
    keys = keys or [key for key in OFFSETS if key in data]
    if keys == list(CLUSTERS.values()):
        keys = [CLUSTERS[side]]
    if len(keys) != 1 or keys[0] not in data:
        found = " and ".join(repr(key) for key in keys if key in data) or f"the keys {', '.join(data) or 'none'}"
        hint = "; keep one (jq -c 'del(.entities)'), or read(source, clusters=…)" if len(keys) > 1 else ""
        raise ValueError(f"found {found}, expected one of clusters, predicted_clusters and entities{hint}")
    [key] = keys
    words, source = _text(data), data.get("text")
    positions = None
    if (isinstance(source, str) and not words) or key == OFFSETS[1]:
        positions = Positions("characters", source if isinstance(source, str) else "")
    more = 0 if key == "entities" or (positions is not None and key in CLUSTERS.values()) else 1
    entities = tuple(
        _read_listed_entity(entity, number, more, f"{key}[{number}]", line)
        for number, entity in enumerate(_list(data[key], key))
    )
    size = len(positions.text) if positions is not None else words.count("\n") + 1 if words else 0
    last = max((one.right for entity in entities for one in entity.mentions), default=0)
    if size and last > size:
        unit = "words" if positions is None else "characters"
        raise ValueError(f"{key}: found a mention that ends at {last}, but the text has {size} {unit}")
    id = id_of(data)
    return EntitySet(entities, "" if id is None else str(id), words, file, positions=positions)


def _read_listed_entity(data: Any, number: int, more: int, path: str, line: int) -> Entity:
    id = str(number)
    if isinstance(data, dict):
        id, data = str(data.get("id", number)), data.get("mentions")
    mentions = tuple([_span_mention(mention, more, path, at) for at, mention in enumerate(_list(data, path))])
    return Entity(mentions, id, (line,) * len(mentions))


def _span_mention(data: Any, more: int, path: str, at: int) -> CorefMention:
    match data:
        case [left, right] if _is_span(left, right, more):
            return CorefMention(left, right + more)
        case {"left": left, "right": right} if _is_span(left, right, more or len(data) > 2) and data.keys() <= set(
            CorefMention._fields
        ):
            try:
                return CorefMention(left, right + more, *_details(data))
            except (TypeError, ValueError):
                pass
    after = "" if more else ", whose end is after its last word"
    size = f", of at most {LONGEST:,} words"
    raise ValueError(f"{path}[{at}]: found {str(data)[:60]}, expected a span [start, end]{after}{size}")


LONGEST = 1_000_000
"""Words of a mention: it may be compared word by word, and its ends may be a mistake."""


def _is_span(left: Any, right: Any, more: int) -> bool:
    """True if a span holds a word; with `more` (a head or listed words, such as a zero) it need not."""
    return type(left) is int and type(right) is int and 0 <= left < right + more <= left + LONGEST


def _details(data: dict[str, Any]) -> tuple[Any, ...]:
    """The head, words and dependencies of a mention, as `write_corefjson` writes them."""
    head = data.get("head")
    if head is not None:
        offset, empty = head
        head = offset, empty
    words = tuple((offset, empty) for offset, empty in data.get("words", ()))
    deps = tuple(((offset, empty), label) for (offset, empty), label in data.get("deps", ()))
    return head, words, deps, tuple((offset, empty) for offset, empty in data.get("core", ()))


def _list(data: Any, path: str) -> list[Any]:
    if not isinstance(data, list):
        raise ValueError(f"{path}: found {type(data).__name__} {str(data)[:60]}, expected a list")
    return data


def _text(data: dict[str, Any]) -> str:
    for key in ("words", "tokens", "sentences", "document"):
        if isinstance(data.get(key), list):
            words = data[key]
            if words and all(isinstance(part, list) for part in words):
                words = list(chain.from_iterable(words))
            if words and all(isinstance(word, str) for word in words):
                return "\n".join(words)
    return ""


IDS = ("name", "id")

LONG = 1_000
"""Signs of an identifier: its place is the number that they write, and Python prints no number of 4,300 digits."""


def read_scorch(source: Text) -> Iterator[EntitySet]:
    """Read the document of a file, or all documents of a folder.

    >>> from io import StringIO
    >>> [document] = read_scorch(StringIO('{"type": "graph", "mentions": ["a", "b", "c"], "links": [["a", "c"]]}'))
    >>> [len(entity.mentions) for entity in document.entities]
    [2, 1]
    """
    if (files := files_of(source, ".json")) is None:
        yield from _scorch_documents(source, None)
    for path, id in files or ():
        yield from _scorch_documents(path, id)


def _scorch_documents(source: Text, id: str | None) -> Iterator[EntitySet]:
    file = name_of(source)
    for number, value in values(source):
        with place_errors(file, number):
            data = fields(value)
            found = id_of(data, IDS) if id is None else id
            entities = tuple(Entity(mentions, name) for name, mentions in _scorch_entities(data).items())
            yield EntitySet(entities, "" if found is None else str(found), file=file)


def _scorch_entities(data: dict[str, Any]) -> dict[str, tuple[CorefMention, ...]]:
    match data.get("type"):
        case "clusters" if isinstance(data.get("clusters"), dict):
            clusters = data["clusters"]
            found = {id: list(dict.fromkeys(_identifiers(get_list(clusters, id)))) for id in clusters}
        case "graph":
            mentions = _identifiers(get_list(data, "mentions"))
            found = {str(at): part for at, part in enumerate(_join(mentions, get_list(data, "links")))}
        case _:
            found_type = f"found the type {data.get('type')!r} and the keys {', '.join(data)}"
            raise ValueError(f'{found_type}, expected "clusters" by entity, or a "graph" of mentions and links')
    owner: dict[Hashable, str] = {}
    for id, members in found.items():
        for member in members:
            if owner.setdefault(member, id) != id:
                raise ValueError(f"the mention {member!r} is in entity {owner[member]} and again in entity {id}")
    return {id: tuple(map(_place_mention, members)) for id, members in found.items()}


def _identifiers(values: Iterable[Any]) -> Iterator[str | int]:
    for value in values:
        if not isinstance(value, str) and type(value) is not int:
            raise ValueError(f"found the mention {str(value)[:60]}, expected an identifier: a text or a number")
        if len(repr(value)) > LONG:
            raise ValueError(f"found the mention {str(value)[:60]}…, expected an identifier of at most {LONG:,} signs")
        yield value


def _join(mentions: Iterator[str | int], links: list[Any]) -> list[list[str | int]]:
    """The mentions that links join, directly or not; and each of the rest alone."""
    part: dict[str | int, list[str | int]] = {mention: [mention] for mention in mentions}
    for link in links:
        if not isinstance(link, list) or len(link) != 2:
            raise ValueError(f"found the link {str(link)[:60]}, expected two mentions")
        one, other = (part.setdefault(mention, [mention]) for mention in _identifiers(link))
        if one is not other:
            small, large = (one, other) if len(one) < len(other) else (other, one)
            large += small
            part.update(dict.fromkeys(small, large))
    return list({id(members): members for members in part.values()}.values())


def _place_mention(identifier: str | int) -> CorefMention:
    """A place of its own, the same in every file, for each identifier: the number that its characters write."""
    left = int.from_bytes(repr(identifier).encode())
    return CorefMention(left, left + 1)


def _is_scorch(head: str, name: str) -> bool:
    if not head:
        return bool(files_of(name, ".json"))
    return any(found.get("type") in ("clusters", "graph") for found in objects(head))


SIGNS = {"pronoun", "pronoun-offset", "a-offset", "a-coref", "b-offset", "b-coref"}
TRUE = {"true": True, "1": True, "false": False, "0": False}


def read_gap(source: Text) -> Iterator[EntitySet]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> keys = '"Pronoun": "She", "Pronoun-offset": 9, "A": "Ada", "A-offset": 0, "A-coref": true'
    >>> [one] = read_gap(StringIO('{"ID": 1, "Text": "Ada ran. She fell.", ' + keys + "}"))
    >>> [mention[:2] for mention in one.entities[0].mentions]
    [(9, 12), (0, 3)]
    """
    name = name_of(source)
    for line, row in _gap_rows(source):
        with place_errors(name, line):
            named = {str(key).lower().replace("_", "-"): value for key, value in fields(row).items()}
            yield _pronoun_document(named, name)


def _gap_rows(source: Text) -> Iterator[tuple[int, Any]]:
    with open_text(source) as file:
        text = file.read()
    if text.lstrip()[:1] in ("{", "["):
        yield from values(NamedText(text, name_of(source)))
    else:
        rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
        yield from enumerate(({key: value for key, value in row.items() if key} for row in rows), start=2)


def _pronoun_document(row: dict[str, Any], file: str) -> EntitySet:
    text = row.get("text")
    if not isinstance(text, str) or not {"pronoun", "pronoun-offset"} <= row.keys():
        raise ValueError(f"expected Text, Pronoun and Pronoun-offset, found the keys {', '.join(row) or 'none'}")
    first, others = [_named_mention(row, "pronoun", text)], list[CorefMention]()
    for name in ("a", "b"):
        if row.get(name):
            refers = row.get(f"{name}-coref")
            is_same = refers if isinstance(refers, bool) else TRUE.get(str(refers).lower())
            if is_same is None:
                raise ValueError(f"{name.upper()}-coref: expected true or false, found {refers!r}")
            (first if is_same else others).append(_named_mention(row, name, text))
    groups = [tuple(first), *((one,) for one in others)]
    entities = tuple(Entity(group, str(number)) for number, group in enumerate(groups))
    return EntitySet(entities, str(row.get("id", "")), "", file, positions=Positions("characters", text))


def _named_mention(row: dict[str, Any], name: str, text: str) -> CorefMention:
    said, offset = str(row[name]), row.get(f"{name}-offset")
    at = int(str(offset)) if str(offset).isdecimal() else -1
    if not said or text[at : at + len(said)] != said or at < 0:
        found = repr(text[at : at + len(said)]) if at >= 0 else repr(offset)
        raise ValueError(f"{name}-offset: expected the place of {said!r} in the text, found {found}")
    return CorefMention(at, at + len(said))


def _is_gap(head: str, name: str) -> bool:
    first: Any = next(iter(objects(head)), None)
    keys = head.split("\n", 1)[0].split("\t") if first is None else first
    return {str(key).lower().replace("_", "-") for key in keys} >= SIGNS


COREFJSON = Format(
    name="corefjson",
    title="coreference as JSON",
    looks='"clusters" or "predicted_clusters" of spans, or "entities" with "mentions"',
    read=read_corefjson,
    entries=corefjson_entries,
    sniff=has_keys(*CLUSTERS.values(), *OFFSETS, "entities"),
    read_reference=partial(corefjson_entries, side="gold"),
    write=write_corefjson,
)
SCORCH = Format(
    name="scorch",
    title="JSON of scorch",
    looks='"type": "clusters" (or "graph") beside "clusters" or "mentions" and "links"',
    read=read_scorch,
    sniff=_is_scorch,
)


GAP = Format(
    name="gap",
    title="GAP, a pronoun and two names in each text",
    looks='"Pronoun" and "Pronoun-offset", "A-offset" and "A-coref"',
    read=read_gap,
    sniff=_is_gap,
)

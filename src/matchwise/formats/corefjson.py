"""Coreference as JSON: `{"doc_key": …, "clusters": [[[0, 1], …], …]}` (e2e-coref) on each line, or with `entities`.

Spans in `clusters` (and `predicted_clusters`) end with their last word, as in e2e-coref; spans in `entities` end after
it. An entity is a list of mentions or `{"id": …, "mentions": […]}`, a mention `[left, right]` or an object with `left`
and `right` (and `head`, `words`, `deps`). Words are in `words`, `tokens` or `sentences`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, TextIO

from matchwise.errors import FormatError
from matchwise.formats import LINE, Format
from matchwise.formats.io.entries import Entry, Fault, placing, sound
from matchwise.formats.io.records import fields, id_of, values
from matchwise.formats.io.source import Text, name_of
from matchwise.tasks.coref import Entity, EntitySet, Mention
from matchwise.tasks.coref.entities import span

CLUSTERS = ("clusters", "predicted_clusters")


def read(source: Text, *, clusters: str | None = None) -> Iterator[EntitySet]:
    """The documents of a file, one at a time; `clusters` names the key to read where there are several.

    >>> from io import StringIO
    >>> [document] = read(StringIO('{"doc_key": "a", "clusters": [[[0, 1], [4, 4]]]}'))
    >>> [mention[:2] for mention in document.entities[0].mentions]
    [(0, 2), (4, 5)]
    """
    return sound(entries(source, clusters=clusters))


def entries(source: Text, *, clusters: str | None = None) -> Iterator[Entry]:
    """Yield the documents with their ids; JSON that is not a document is reported and the rest is read."""
    name = name_of(source)
    for spot, (line, value) in enumerate(values(source)):
        id = id_of(value) if isinstance(value, dict) else None
        document: EntitySet | Fault
        try:
            with placing(name, line):
                document = _document(fields(value), clusters, name, line)
        except FormatError as error:
            document = Fault(error)
        yield Entry(None if id in (None, "") else str(id), document, spot)


def write(documents: Iterable[EntitySet], file: TextIO) -> None:
    """The documents as JSON lines with `entities`; `read` reads them back."""
    import msgspec

    for document in documents:
        line: dict[str, Any] = {"id": document.id, "entities": [_plain(entity) for entity in document.entities]}
        if document.text:
            line["words"] = document.words
        file.write(msgspec.json.encode(line).decode() + "\n")


def _plain(entity: Entity) -> dict[str, Any]:
    return {"id": entity.id, "mentions": [_plain_mention(mention) for mention in entity.mentions]}


def _plain_mention(mention: Mention) -> Any:
    if mention.head is None and not mention.words:
        return mention[:2]
    return {name: value for name, value in mention._asdict().items() if value not in (None, ())}


def _document(data: dict[str, Any], clusters: str | None, file: str, line: int) -> EntitySet:
    keys = [clusters] if clusters else [key for key in (*CLUSTERS, "entities") if key in data]
    if len(keys) != 1 or keys[0] not in data:
        found = " and ".join(repr(key) for key in keys if key in data) or f"the keys {', '.join(data) or 'none'}"
        hint = "; keep one (jq -c 'del(.clusters)'), or read(source, clusters=…)" if len(keys) > 1 else ""
        raise ValueError(f"found {found}, expected one of clusters, predicted_clusters and entities{hint}")
    [key] = keys
    more = 0 if key == "entities" else 1
    entities = tuple(
        _entity(entity, number, more, f"{key}[{number}]", line) for number, entity in enumerate(_list(data[key], key))
    )
    id = id_of(data)
    return EntitySet(entities, "" if id is None else str(id), _text(data), file)


def _entity(data: Any, number: int, more: int, path: str, line: int) -> Entity:
    id = str(number)
    if isinstance(data, dict):
        id, data = str(data.get("id", number)), data.get("mentions")
    mentions = tuple([_mention(mention, more, path, at) for at, mention in enumerate(_list(data, path))])
    return Entity(mentions, id, (line,) * len(mentions))


def _mention(data: Any, more: int, path: str, at: int) -> Mention:
    match data:
        case [left, right] if _is_span(left, right, more):
            return span(left, right + more)
        case {"left": left, "right": right} if _is_span(left, right, more or len(data) > 2) and data.keys() <= set(
            Mention._fields
        ):
            try:
                return Mention(left, right + more, *_details(data))
            except (TypeError, ValueError):
                pass
    after = "" if more else ", whose end is after its last word"
    raise ValueError(f"{path}[{at}]: found {str(data)[:60]}, expected a span [start, end]{after}")


def _is_span(left: Any, right: Any, more: int) -> bool:
    """True if a span holds a word; with `more` (a head or listed words, such as a zero) it need not."""
    return type(left) is int and type(right) is int and 0 <= left < right + more


def _details(data: dict[str, Any]) -> tuple[Any, ...]:
    """The head, words and dependencies of a mention, as `write` writes them."""
    head = data.get("head")
    if head is not None:
        offset, empty = head
        head = offset, empty
    words = tuple((offset, empty) for offset, empty in data.get("words", ()))
    deps = tuple(((offset, empty), label) for (offset, empty), label in data.get("deps", ()))
    return head, words, deps


def _list(data: Any, path: str) -> list[Any]:
    if not isinstance(data, list):
        raise ValueError(f"{path}: found {type(data).__name__} {str(data)[:60]}, expected a list")
    return data


def _text(data: dict[str, Any]) -> str:
    for key in ("words", "tokens", "sentences"):
        if isinstance(data.get(key), list):
            words = data[key]
            if words and all(isinstance(part, list) for part in words):
                words = list(chain.from_iterable(words))
            if words and all(isinstance(word, str) for word in words):
                return "\n".join(words)
    return ""


FORMAT = Format(
    name="corefjson",
    title="coreference as JSON",
    read=read,
    entries=entries,
    write=write,
    cut=LINE,
)

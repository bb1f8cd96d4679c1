"""The JSON of scorch: a document a file, mentions by identifiers; `clusters` that hold them, or `links` between them.

    {"type": "clusters", "clusters": {"e1": ["0.1-2", "0.7-7"], "e2": ["1.0-0"]}}
    {"type": "graph", "mentions": ["0.1-2", "0.7-7", "1.0-0"], "links": [["0.1-2", "0.7-7"]]}

A folder holds one document in each `.json` file, by the name of the file. Identifiers say nothing of words: two
mentions are the same if their identifiers are, and are not alike otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from matchwise.formats import Format
from matchwise.formats.io.entries import placing
from matchwise.formats.io.records import fields, get_list, id_of, values
from matchwise.formats.io.source import Text, name_of
from matchwise.tasks.coref import Entity, EntitySet, Mention
from matchwise.tasks.coref.entities import span

IDS = ("name", "id")


def read(source: Text) -> Iterator[EntitySet]:
    """Read the document of a file, or all documents of a folder.

    >>> from io import StringIO
    >>> [document] = read(StringIO('{"type": "graph", "mentions": ["a", "b", "c"], "links": [["a", "c"]]}'))
    >>> [len(entity.mentions) for entity in document.entities]
    [2, 1]
    """
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        for file in sorted(os.listdir(source)):
            stem, extension = os.path.splitext(file)
            if extension == ".json":
                yield from _documents(os.path.join(source, file), stem)
    else:
        yield from _documents(source, None)


def _documents(source: Text, id: str | None) -> Iterator[EntitySet]:
    file = name_of(source)
    for number, value in values(source):
        with placing(file, number):
            data = fields(value)
            found = id_of(data, IDS) if id is None else id
            entities = tuple(Entity(mentions, name) for name, mentions in _entities(data).items())
            yield EntitySet(entities, "" if found is None else str(found), file=file)


def _entities(data: dict[str, Any]) -> dict[str, tuple[Mention, ...]]:
    match data.get("type"):
        case "clusters" if isinstance(data.get("clusters"), dict):
            clusters = data["clusters"]
            found = {id: list(dict.fromkeys(_identifiers(get_list(clusters, id)))) for id in clusters}
        case "graph":
            mentions = _identifiers(get_list(data, "mentions"))
            found = {str(at): part for at, part in enumerate(_joined(mentions, get_list(data, "links")))}
        case _:
            found_type = f"found the type {data.get('type')!r} and the keys {', '.join(data)}"
            raise ValueError(f'{found_type}, expected "clusters" by entity, or a "graph" of mentions and links')
    owner: dict[Hashable, str] = {}
    for id, members in found.items():
        for member in members:
            if owner.setdefault(member, id) != id:
                raise ValueError(f"the mention {member!r} is in entity {owner[member]} and again in entity {id}")
    return {id: tuple(map(_mention, members)) for id, members in found.items()}


def _identifiers(values: Iterable[Any]) -> Iterator[str | int]:
    for value in values:
        if not isinstance(value, str) and type(value) is not int:
            raise ValueError(f"found the mention {str(value)[:60]}, expected an identifier: a text or a number")
        yield value


def _joined(mentions: Iterator[str | int], links: list[Any]) -> list[list[str | int]]:
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


def _mention(identifier: str | int) -> Mention:
    """A place of its own, the same in every file, for each identifier: the number that its characters write."""
    left = int.from_bytes(repr(identifier).encode())
    return span(left, left + 1)


FORMAT = Format(
    name="scorch",
    title="JSON of scorch",
    read=read,
)

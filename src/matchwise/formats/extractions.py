"""Mentions, tags, relations and events as JSON lines, in the forms that people have: plain, Prodigy's or spaCy's.

    {"id": 1, "tags": ["B-PER", "O"]}
    {"id": 2, "mentions": [{"start": 0, "end": 2, "type": "PER"}, {"pieces": [[0, 1], [3, 4]], "type": "LOC"}]}
    {"text": "…", "spans": [{"start": 0, "end": 5, "label": "PER"}]}
    ["…", {"entities": [[0, 5, "PER"]]}]
    {"id": 3, "relations": [{"type": "owns", "subj": {"start": 0, "end": 1}, "obj": {"start": 4, "end": 5}}]}
    {"id": 4, "events": [{"type": "Attack", "trigger": [3, 4], "args": [{"start": 0, "end": 1, "role": "Agent"}]}]}

Ends are exclusive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matchwise.formats import LINE, Format
from matchwise.formats.io.records import fields, get_list, id_of, records
from matchwise.formats.io.source import Text
from matchwise.tasks.events import event
from matchwise.tasks.ner import Extraction, Tagged, mention
from matchwise.tasks.ner.documents import MENTIONS, TAGS
from matchwise.tasks.relations import relation


def read(source: Text) -> Iterator[Extraction | Tagged]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> [document] = read(StringIO('{"id": 7, "spans": [{"start": 0, "end": 5, "label": "PER"}]}'))
    >>> document.id, document.mentions
    (7, (Mention(span=(0, 5), type='PER'),))
    """
    return records(source, _document)


def _document(value: Any) -> Extraction | Tagged:
    match value:
        case [str(), dict() as annotations]:
            return _document(annotations)
    found = fields(value)
    id = id_of(found)
    tags = next((key for key in TAGS if key in found), None)
    if tags is not None and not any(key in found for key in MENTIONS):
        return Tagged(tuple(map(_tag, get_list(found, tags))), id, tuple(map(str, get_list(found, "tokens"))))
    keys = [key for key in MENTIONS if key in found]
    if not (keys or "relations" in found or "events" in found):
        raise ValueError(
            f"expected tags, mentions (or spans), relations or events, found the keys {', '.join(found) or 'none'}"
        )
    return Extraction(
        _each(mention, get_list(found, keys[0]), keys[0]) if keys else (),
        _each(relation, get_list(found, "relations"), "relations"),
        _each(event, get_list(found, "events"), "events"),
        id,
        text=found.get("tokens") or found.get("words") or found.get("text") or (),
    )


def _tag(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise ValueError(f'expected tags as text such as "B-PER", found {value!r}; write the names of the labels')


def _each(build: Any, values: list[Any], key: str) -> tuple[Any, ...]:
    made = []
    for place, value in enumerate(values):
        try:
            made.append(build(value))
        except ValueError as error:
            raise ValueError(f"{key}[{place}]: {error}") from None
    return tuple(made)


FORMAT = Format(
    name="extractions",
    title="mentions, tags, relations and events as JSON lines",
    read=read,
    cut=LINE,
)

"""Entities by what they say, as language models write them, often with wrong places or none.

    {"id": 1, "entities": [{"text": "Marie", "type": "PER"}]}
    {"id": 1, "text": "Marie came.", "entities": {"PER": ["Marie"]}}

Two such files are compared by the texts of mentions. Beside a file that has places, each text is looked for in the
source: the second of two equal texts is the second place where it stands, and what is nowhere is a wrong mention.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matchwise.formats import Format, objects
from matchwise.formats.io.records import fields, id_of, records
from matchwise.formats.io.source import Text
from matchwise.tasks.lists import read_each
from matchwise.tasks.ner import Extraction, Mention, Positions
from matchwise.tasks.ner.documents import MENTIONS
from matchwise.tasks.ner.mentions import LABELS, name_span

TEXTS = ("text", "name", "entity", "word", "mention", "span", "value")
KINDS = (*LABELS, "class", "category")


def read(source: Text) -> Iterator[Extraction]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> [document] = read(StringIO('{"entities": [{"text": "Ada Novak", "type": "PER"}]}'))
    >>> document.mentions[0].type, document.positions.words
    ('PER', ('Ada Novak',))
    """
    return records(source, _answer)


def _answer(value: Any) -> Extraction:
    found = fields(value)
    key = next((key for key in MENTIONS if key in found), None)
    if key is None:
        raise ValueError(f"expected entities, found the keys {', '.join(found) or 'none'}")
    listed = found[key] or []
    if isinstance(listed, dict):
        listed = [{"type": kind, "text": text} for kind, texts in listed.items() for text in _texts(texts, kind)]
    if not isinstance(listed, list):
        raise ValueError(f"{key}: expected a list of entities, found {type(listed).__name__}")
    pairs = read_each(_pair, listed, key)
    source = next((found[key] for key in ("text", "sentence", "input") if isinstance(found.get(key), str)), "")
    return Extraction(
        tuple(Mention(name_span(text), kind) for text, kind in pairs),
        id=id_of(found),
        positions=Positions("texts", source, tuple(text for text, _ in pairs)),
    )


def _texts(value: Any, kind: str) -> list[Any]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        raise ValueError(f"entities.{kind}: expected a list of texts, found {type(value).__name__}")
    return value


def _pair(value: Any) -> tuple[str, str]:
    """What a mention says, and its type."""
    match value:
        case [str(text), str(kind)]:
            return text, kind
        case dict():
            said, types = ([value[key] for key in keys if isinstance(value.get(key), str)] for keys in (TEXTS, KINDS))
            if said and types:
                return said[0], types[0]
    raise ValueError(f'expected an entity such as {{"text": "Ada", "type": "PER"}}, found {value!r}')


def _is_answers(head: str, name: str) -> bool:
    """The first object with entities says what they are, but not where."""
    for found in objects(head):
        listed = next((found[key] for key in MENTIONS if key in found), None)
        if isinstance(listed, dict):
            return all(isinstance(one, list | str) for one in listed.values())
        if isinstance(listed, list) and listed:
            one = listed[0]
            if isinstance(one, dict) and any(key in one for key in ("start", "left", "pieces", "start_offset")):
                return False
            try:
                return bool(_pair(one))
            except ValueError:
                return False
    return False


ANSWERS = Format(
    name="answers",
    title="entities by their texts, as language models write them",
    looks='"entities" that have "text" and "type"',
    read=read,
    sniff=_is_answers,
)

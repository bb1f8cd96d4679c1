"""What models predict: mentions for each text, by their places or by what they say.

A pipeline of Hugging Face and GLiNER write a list of mentions for each text, in one list or on a line each:

    [{"entity_group": "PER", "score": 0.99, "word": "Marie", "start": 0, "end": 5}]
    [{"start": 0, "end": 5, "text": "Marie", "label": "person", "score": 0.98}]

A language model writes what mentions say, and often wrong places or none:

    {"id": 1, "entities": [{"text": "Marie", "type": "PER"}]}
    {"id": 1, "text": "Marie came.", "entities": {"PER": ["Marie"]}}

Two such files are compared by the texts of mentions. Beside a file that has places, each text is looked for in the
source: the second of two equal texts is the second place where it stands, and what is nowhere is a wrong mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from matchwise.formats import Format
from matchwise.formats.io.source import Text, decode_value, fields, id_of, name_of, open_text, place_errors, records
from matchwise.formats.io.units import with_unit
from matchwise.formats.recognition import objects
from matchwise.tasks.lists import read_each
from matchwise.tasks.ner import Extraction, Mention, Positions, mention
from matchwise.tasks.ner.documents import MENTIONS
from matchwise.tasks.ner.mentions import LABELS, name_span


def read_pipeline(source: Text, *, unit: str | None = None) -> Iterator[Extraction]:
    """The predictions for each text: one list of lists of mentions, or a list on each line.

    >>> from io import StringIO
    >>> list(read_pipeline(StringIO('[{"entity_group": "PER", "start": 0, "end": 5}]')))[0].mentions
    (Mention(span=(0, 5), type='PER'),)
    """
    name = name_of(source)
    with open_text(source) as file:
        for number, line in enumerate(file, start=1):
            if line.isspace():
                continue
            whole = line if line.rstrip()[-1] == "]" else "".join((line, *file))
            value = decode_value(whole, name, number, advice="write a list of mentions for each text")
            is_nested = isinstance(value, list) and bool(value) and all(isinstance(one, list) for one in value)
            for listed in value if is_nested else [value]:
                with place_errors(name, number):
                    yield _predictions(listed, unit)


def _predictions(listed: Any, unit: str | None) -> Extraction:
    if not isinstance(listed, list):
        raise ValueError(f"expected a list of mentions for each text, found {type(listed).__name__}")
    if any(isinstance(one, dict) and "entity" in one and "entity_group" not in one for one in listed):
        raise ValueError('found a tag for each word piece; make the pipeline with aggregation_strategy="simple"')
    made = Extraction(read_each(mention, listed, "mentions"), positions=Positions("characters"))
    return with_unit(made, unit)


TEXTS = ("text", "name", "entity", "word", "mention", "span", "value")
KINDS = (*LABELS, "class", "category")


def read_answers(source: Text) -> Iterator[Extraction]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> [document] = read_answers(StringIO('{"entities": [{"text": "Ada Novak", "type": "PER"}]}'))
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


def _is_pipeline(head: str, name: str) -> bool:
    """The first list that is not empty begins with a mention, maybe in a list of its own, which has both ends."""
    head = re.sub(r"\A(\s*\[\s*\])+", "", head)
    first = next(iter(objects(head)), {})
    is_list = re.match(r"\s*\[\s*(\[|\{)", head) is not None
    return is_list and {"start", "end"} <= first.keys() and bool({"entity_group", "label", "entity"} & first.keys())


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


PIPELINE = Format(
    name="pipeline",
    title="predictions of a Hugging Face pipeline, or of GLiNER",
    looks='a list of mentions for each text, which have "start", "end" and "entity_group" or "label"',
    read=read_pipeline,
    sniff=_is_pipeline,
    settings=("unit",),
)
ANSWERS = Format(
    name="answers",
    title="entities by their texts, as language models write them",
    looks='"entities" that have "text" and "type"',
    read=read_answers,
    sniff=_is_answers,
)

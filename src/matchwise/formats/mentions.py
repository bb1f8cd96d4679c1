"""Mentions, tags, relations and events as JSON lines: in the forms that people have, and DyGIE++'s.

    {"id": 1, "tags": ["B-PER", "O"]}
    {"id": 2, "mentions": [{"start": 0, "end": 2, "type": "PER"}, {"pieces": [[0, 1], [3, 4]], "type": "LOC"}]}
    {"text": "…", "spans": [{"start": 0, "end": 5, "label": "PER"}]}
    ["…", {"entities": [[0, 5, "PER"]]}]                                                                 (spaCy)
    {"tokens": ["Marie"], "ner_tags": [1]}                        (datasets of Hugging Face, with the names of labels)
    {"id": 3, "relations": [{"type": "owns", "subj": {"start": 0, "end": 1}, "obj": {"start": 4, "end": 5}}]}
    {"id": 4, "events": [{"type": "Attack", "trigger": [3, 4], "args": [{"start": 0, "end": 1, "role": "Agent"}]}]}

Ends are exclusive. Spans count words if there are `tokens` or `words`, and characters if there is only a `text`. A list
of lists of tags is a document for each of them.

DyGIE++ has `ner`, `relations` and `events` by sentence, or `predicted_ner` and so on, or both: then a prediction is
read from the second and a reference from the first. Positions count tokens of the document, ends inclusive. An event
is `[[trigger, type], [start, end, role], …]`, or has `[start, end, type]` for a trigger of several words; scores that
follow are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from matchwise.formats import Format, has_keys, objects
from matchwise.formats.io.records import fields, get_list, id_of, records, tail_exclusive, values
from matchwise.formats.io.source import Text, name_of, place_errors
from matchwise.formats.io.units import texts_of_mentions, with_unit
from matchwise.tasks.events import Argument, Event, Trigger, event
from matchwise.tasks.lists import read_each
from matchwise.tasks.ner import Extraction, Mention, Positions, Tagged, mention
from matchwise.tasks.ner.documents import MENTIONS, TAGS
from matchwise.tasks.ner.links import name_links
from matchwise.tasks.relations import Relation, relation


def read_extractions(source: Text, *, labels: str | None = None, unit: str | None = None) -> Iterator[Any]:
    """The documents of a file, one at a time; `labels` are the names of tags that are numbers, separated by commas.

    >>> from io import StringIO
    >>> [document] = read_extractions(StringIO('{"id": 7, "spans": [{"start": 0, "end": 5, "label": "PER"}]}'))
    >>> document.mentions
    (Mention(span=(0, 5), type='PER'),)
    """
    name, names = name_of(source), None if labels is None else tuple(one.strip() for one in labels.split(","))
    for number, value in values(source):
        is_listed = isinstance(value, list) and bool(value) and all(_is_tags(one) or _is_example(one) for one in value)
        for one in value if is_listed else [value]:
            with place_errors(name, number):
                made = _extraction(one, names)
                made = with_unit(made, unit, _said(one)) if isinstance(made, Extraction) else made
            yield made


def _is_tags(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str | int) for one in value)


def _is_example(value: Any) -> bool:
    """True for training data of spaCy: a text and its annotations."""
    return isinstance(value, list) and list(map(type, value)) == [str, dict]


def _extraction(value: Any, labels: tuple[str, ...] | None = None) -> Extraction | Tagged:
    """One document."""
    match value:
        case [str(text), dict() as annotations]:
            return _extraction({"text": text, **annotations})
        case [str() | int(), *_] if _is_tags(value):
            return Tagged(tuple(_tag(one, labels) for one in value))
    found = fields(value)
    id = id_of(found)
    tags = next((key for key in TAGS if key in found), None)
    words: list[Any] = next((found[key] for key in ("tokens", "words") if isinstance(found.get(key), list)), [])
    if tags is not None and not any(key in found for key in MENTIONS):
        read = (_tag(one, labels) for one in get_list(found, tags))
        return Tagged(tuple(read), id, tuple(map(str, words)))
    keys = [key for key in MENTIONS if key in found]
    if not (keys or "relations" in found or "events" in found):
        raise ValueError(
            f"expected tags, mentions (or spans), relations or events, found the keys {', '.join(found) or 'none'}"
        )
    listed = get_list(found, keys[0]) if keys else []
    mentions = read_each(mention, listed, keys[0] if keys else "")
    made = Extraction(
        mentions,
        read_each(relation, get_list(found, "relations"), "relations"),
        read_each(event, get_list(found, "events"), "events"),
        id,
        name_links(listed, mentions),
        text=found.get("tokens") or found.get("words") or found.get("text") or (),
    )
    text = str(found["text"]) if isinstance(found.get("text"), str) else ""
    is_in_text = text and any(one.right > len(words) for one in made.mentions)
    if is_in_text or (words and isinstance(words[0], dict)):  # tokens that say where they stand in a text
        made = replace(made, text=text, positions=Positions("characters", text))
    return made


def _said(value: Any) -> list[tuple[int, int, str]]:
    """What the mentions of a document say that they cover."""
    found = value[1] if isinstance(value, list) and len(value) == 2 else value
    listed = next((found[key] for key in MENTIONS if key in found), None) if isinstance(found, dict) else None
    return texts_of_mentions(listed)


def _tag(value: Any, labels: tuple[str, ...] | None) -> str:
    if isinstance(value, str):
        return value
    if labels and type(value) is int and 0 <= value < len(labels):
        return labels[value]
    if type(value) is int:
        known = f", which has {len(labels)} labels" if labels else ""
        raise ValueError(
            f"found the number {value} for a tag{known}; write the names of the labels in their order, as in "
            "--option labels=O,B-PER,I-PER (Parquet and Arrow files of Hugging Face have them)"
        )
    raise ValueError(f'expected tags as text such as "B-PER", found {value!r}; write the names of the labels')


DYGIE_PARTS = ("ner", "relations", "events")


def read_dygie(source: Text, *, side: Literal["pred", "gold"] = "pred") -> Iterator[Extraction]:
    """The documents of a file, one at a time, by `doc_key`; where they hold both sides, `side` chooses one.

    >>> from io import StringIO
    >>> events = '"events": [[[[1, "Die"], [0, 0, "Victim"]]]]'
    >>> line = '{"doc_key": "d", "sentences": [["a", "b"]], "ner": [[[0, 0, "PER"]]], ' + events + "}"
    >>> [document] = read_dygie(StringIO(line))
    >>> document.mentions[0].span, document.events[0].trig.mention.span
    ((0, 1), (1, 2))
    """

    def build(value: Any) -> Extraction:
        found = fields(value)
        is_gold = side == "gold" and any(key in found for key in DYGIE_PARTS)
        prefix = "predicted_" if not is_gold and any(f"predicted_{key}" in found for key in DYGIE_PARTS) else ""
        mentions = [
            Mention(tail_exclusive(left, right), str(kind)) for left, right, kind, *_ in _rows(found, f"{prefix}ner", 3)
        ]
        types = {one.span: one for one in mentions}
        return Extraction(
            tuple(mentions),
            tuple(_relation(row, types) for row in _rows(found, f"{prefix}relations", 5)),
            tuple(_event(row) for row in _rows(found, f"{prefix}events", 1)),
            id_of(found),
            text=_sentences(found),
        )

    return records(source, build)


def _sentences(found: dict[str, Any]) -> list[list[Any]]:
    sentences = get_list(found, "sentences")
    for place, sentence in enumerate(sentences):
        if not isinstance(sentence, list):
            raise ValueError(f"sentences[{place}]: expected a list of words, found {type(sentence).__name__}")
    return sentences


def _rows(found: dict[str, Any], key: str, width: int) -> Iterator[list[Any]]:
    """The rows of all sentences."""
    for place, sentence in enumerate(get_list(found, key)):
        if not isinstance(sentence, list):
            raise ValueError(f"{key}[{place}]: expected a list for each sentence, found {type(sentence).__name__}")
        for row in sentence:
            if not isinstance(row, list) or len(row) < width:
                raise ValueError(f"{key}[{place}]: expected at least {width} values, found {row!r}")
            yield row


def _relation(row: list[Any], types: dict[Any, Mention]) -> Relation:
    ends = tail_exclusive(row[0], row[1]), tail_exclusive(row[2], row[3])
    subj, obj = (types.get(span, Mention(span)) for span in ends)
    return Relation(str(row[4]), subj, obj)


def _event(row: list[Any]) -> Event:
    trigger, *args = row
    match trigger:
        case [int(left), int(right), str(kind), *_]:
            span = tail_exclusive(left, right)
        case [int(left), str(kind), *_]:
            span = (left, left + 1)
        case _:
            raise ValueError(f"expected a trigger such as [7, type], found {trigger!r}")
    return Event(Trigger(Mention(span), kind), tuple(_argument(arg) for arg in args))


def _argument(arg: Any) -> Argument:
    match arg:
        case [int(left), int(right), str(role), *_]:
            return Argument(Mention(tail_exclusive(left, right)), role)
    raise ValueError(f"expected an argument such as [3, 4, role], found {arg!r}")


def _is_dygie(head: str, name: str) -> bool:
    keys = [prefix + key for prefix in ("", "predicted_") for key in ("ner", "relations", "events")]
    return any("sentences" in found and any(map(_is_by_sentence, map(found.get, keys))) for found in objects(head))


def _is_by_sentence(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], list)


def _is_extractions(head: str, name: str) -> bool:
    """Objects with one of the keys; or lists that hold lists of tags."""
    listed = re.match(r'\s*\[\s*\[\s*("[^"\s]*"|\d+)\s*[,\]]', head) is not None
    return listed or has_keys(*MENTIONS, *TAGS, "relations", "events")(head, name)


EXTRACTIONS = Format(
    name="extractions",
    title="mentions, tags, relations and events as JSON lines",
    looks='"mentions" (or "entities", "spans") that have "start", "end" and "type", or "tokens" and "tags"',
    read=read_extractions,
    sniff=_is_extractions,
    settings=("labels", "unit"),
)
DYGIE = Format(
    name="dygie",
    title="DyGIE++",
    looks='"sentences" and, by sentence, "ner", "relations" or "events"',
    read=read_dygie,
    read_reference=partial(read_dygie, side="gold"),
    sniff=_is_dygie,
)

"""Mentions, tags, relations and events as JSON lines: in the forms that people have, and DyGIE++'s.

    {"id": 1, "tags": ["B-PER", "O"]}
    {"id": 2, "mentions": [{"start": 0, "end": 2, "type": "PER"}, {"pieces": [[0, 1], [3, 4]], "type": "LOC"}]}
    {"text": "…", "spans": [{"start": 0, "end": 5, "label": "PER"}]}                                     (Prodigy)
    ["…", {"entities": [[0, 5, "PER"]]}]                                                                 (spaCy)
    {"id": 3, "relations": [{"type": "owns", "subj": {"start": 0, "end": 1}, "obj": {"start": 4, "end": 5}}]}
    {"id": 4, "events": [{"type": "Attack", "trigger": [3, 4], "args": [{"start": 0, "end": 1, "role": "Agent"}]}]}

Ends are exclusive. DyGIE++ has `ner`, `relations` and `events` by sentence, or `predicted_ner` and so on, or both: then
a prediction is read from the second and a reference from the first. Positions count tokens of the document, ends
inclusive. An event is `[[trigger, type], [start, end, role], …]`, or has `[start, end, type]` for a trigger of several
words; scores that follow are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

from matchwise.formats import Format
from matchwise.formats.io.source import Text, fields, get_list, id_of, records, tail_exclusive
from matchwise.formats.recognition import has_keys, objects
from matchwise.tasks.events import Argument, Event, Trigger, event
from matchwise.tasks.lists import read_each
from matchwise.tasks.ner import Extraction, Mention, Tagged, mention
from matchwise.tasks.ner.documents import MENTIONS, TAGS
from matchwise.tasks.relations import Relation, relation


def _extraction(value: Any) -> Extraction | Tagged:
    """One document.

    >>> _extraction({"id": 7, "spans": [{"start": 0, "end": 5, "label": "PER"}]}).mentions
    (Mention(span=(0, 5), type='PER'),)
    """
    match value:
        case [str(), dict() as annotations]:
            return _extraction(annotations)
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
        read_each(mention, get_list(found, keys[0]), keys[0]) if keys else (),
        read_each(relation, get_list(found, "relations"), "relations"),
        read_each(event, get_list(found, "events"), "events"),
        id,
        text=found.get("tokens") or found.get("words") or found.get("text") or (),
    )


def _tag(value: Any) -> str:
    if isinstance(value, str):
        return value
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


EXTRACTIONS = Format(
    name="extractions",
    title="mentions, tags, relations and events as JSON lines",
    read=partial(records, build=_extraction),
    sniff=has_keys(*MENTIONS, *TAGS, "relations", "events"),
)
DYGIE = Format(
    name="dygie",
    title="DyGIE++",
    read=read_dygie,
    read_reference=partial(read_dygie, side="gold"),
    sniff=_is_dygie,
)

"""DyGIE++: a document on each line with `ner`, `relations` and `events` by sentence, or `predicted_ner` and so on.

Positions count tokens of the document, ends inclusive in the file. An event is
`[[trigger, type], [start, end, role], …]`, or with `[start, end, type]` for a trigger of several words; scores that
follow are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matchwise.formats import LINE, Format
from matchwise.formats.io.records import fields, get_list, id_of, records, tail_exclusive
from matchwise.formats.io.source import Text
from matchwise.tasks.events import Argument, Event, Trigger
from matchwise.tasks.ner import Extraction, Mention
from matchwise.tasks.relations import Relation


def read(source: Text, *, predicted: bool | None = None) -> Iterator[Extraction]:
    """The documents of a file, one at a time, by `doc_key`; `predicted` chooses where a file has both.

    >>> from io import StringIO
    >>> events = '"events": [[[[1, "Die"], [0, 0, "Victim"]]]]'
    >>> line = '{"doc_key": "d", "sentences": [["a", "b"]], "ner": [[[0, 0, "PER"]]], ' + events + "}"
    >>> [document] = read(StringIO(line))
    >>> document.mentions[0].span, document.events[0].trig.mention.span
    ((0, 1), (1, 2))
    """

    def build(value: Any) -> Extraction:
        found = fields(value)
        prefix = "predicted_" if (_has_predictions(found) if predicted is None else predicted) else ""
        mentions = [
            Mention(tail_exclusive(left, right), str(kind)) for left, right, kind, *_ in _rows(found, f"{prefix}ner", 3)
        ]
        types = {one.span: one for one in mentions}
        return Extraction(
            tuple(mentions),
            tuple(_relation(row, types) for row in _rows(found, f"{prefix}relations", 5)),
            tuple(_event(row) for row in _rows(found, f"{prefix}events", 1)),
            id_of(found),
            text=found.get("sentences") or (),
        )

    return records(source, build)


def _has_predictions(found: dict[str, Any]) -> bool:
    return any(f"predicted_{key}" in found for key in ("ner", "relations", "events"))


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


FORMAT = Format(
    name="dygie",
    title="DyGIE++",
    read=read,
    cut=LINE,
)

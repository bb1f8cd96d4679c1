"""RAMS: a document on each line with `evt_triggers` and `gold_evt_links`, or a system's `predictions`.

Positions count tokens of the document, ends inclusive in the file. A prediction is
`[[trigger start, end], [start, end, role, score], …]`; roles such as `evt089arg02place` are read as `place`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from matchwise.formats import LINE, Format
from matchwise.formats.io.records import fields, get_list, id_of, records, tail_exclusive
from matchwise.formats.io.source import Text
from matchwise.tasks.events import Argument, Event, Trigger
from matchwise.tasks.ner import Extraction, Mention

_ROLE = re.compile(r"^evt\d+arg\d+")


def read(source: Text) -> Iterator[Extraction]:
    """The documents of a file, one at a time, by `doc_key`.

    >>> from io import StringIO
    >>> [document] = read(StringIO('{"doc_key": "d", "predictions": [[[4, 4], [0, 1, "place", 0.9]]]}'))
    >>> document.events[0].args[0].mention.span
    (0, 2)
    """
    return records(source, _document)


def _document(value: Any) -> Extraction:
    found = fields(value)
    starts = tuple(accumulate((len(sentence) for sentence in get_list(found, "sentences")), initial=0))[:-1]
    if "predictions" in found:
        events = tuple(_predicted(row) for row in get_list(found, "predictions") if row)
    else:
        events = tuple(_gold(row, get_list(found, "gold_evt_links")) for row in get_list(found, "evt_triggers"))
    return Extraction(events=events, id=id_of(found), sentences=starts, text=found.get("sentences") or ())


def _gold(row: Any, links: list[Any]) -> Event:
    match row:
        case [int(left), int(right), [[str(kind), *_], *_]]:
            span = tail_exclusive(left, right)
        case _:
            raise ValueError(f'expected a trigger such as [4, 4, [["type", 1.0]]], found {row!r}')
    own = [(place, role) for trigger, place, role in map(_link, links) if trigger == span]
    return Event(Trigger(Mention(span), kind), tuple(Argument(Mention(place), role) for place, role in own))


def _link(link: Any) -> tuple[tuple[int, int], tuple[int, int], str]:
    match link:
        case [[trigger, trigger_end], [left, right], str(role)]:
            return tail_exclusive(trigger, trigger_end), tail_exclusive(left, right), _ROLE.sub("", role)
    raise ValueError(f"expected a link such as [[4, 4], [0, 1], role], found {link!r}")


def _predicted(row: Any) -> Event:
    match row:
        case [[left, right, *_], *args]:
            return Event(Trigger(Mention(tail_exclusive(left, right)), ""), tuple(_guess(arg) for arg in args))
    raise ValueError(f"expected a prediction such as [[4, 4], [0, 1, role, score]], found {row!r}")


def _guess(arg: Any) -> Argument:
    match arg:
        case [left, right, str(role), *_]:
            return Argument(Mention(tail_exclusive(left, right)), _ROLE.sub("", role))
    raise ValueError(f"expected an argument such as [0, 1, role, score], found {arg!r}")


FORMAT = Format(
    name="rams",
    title="RAMS",
    read=read,
    cut=LINE,
)

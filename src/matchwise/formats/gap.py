"""GAP: a pronoun and two names in a text, and which of them it refers to; as JSON lines, or as the TSV of the dataset.

    {"ID": "test-1", "Text": "Ada met Eve. She smiled.", "Pronoun": "She", "Pronoun-offset": 13,
     "A": "Ada", "A-offset": 0, "A-coref": true, "B": "Eve", "B-offset": 8, "B-coref": false}

The pronoun is an entity with the names that it refers to; any other name is an entity by itself. Offsets count
characters. Keys may have any case, and `_` for `-`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

from matchwise.corpus.positions import Positions
from matchwise.formats import Format, objects
from matchwise.formats.io.records import fields, values
from matchwise.formats.io.source import Text, name_of, open_text, place_errors
from matchwise.tasks.coref import CorefMention, Entity, EntitySet

SIGNS = {"pronoun", "pronoun-offset", "a-offset", "a-coref", "b-offset", "b-coref"}
TRUE = {"true": True, "1": True, "false": False, "0": False}


def read(source: Text) -> Iterator[EntitySet]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> keys = '"Pronoun": "She", "Pronoun-offset": 9, "A": "Ada", "A-offset": 0, "A-coref": true'
    >>> [one] = read(StringIO('{"ID": 1, "Text": "Ada ran. She fell.", ' + keys + "}"))
    >>> [mention[:2] for mention in one.entities[0].mentions]
    [(9, 12), (0, 3)]
    """
    name = name_of(source)
    for line, row in _rows(source):
        with place_errors(name, line):
            yield _document({str(key).lower().replace("_", "-"): value for key, value in row.items()}, name)


def _rows(source: Text) -> Iterator[tuple[int, dict[str, Any]]]:
    with open_text(source) as file:
        text = file.read()
    if text.lstrip()[:1] in ("{", "["):
        from io import StringIO

        listed = StringIO(text)
        listed.name = name_of(source)
        yield from ((line, fields(value)) for line, value in values(listed))
    else:
        rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
        yield from enumerate(({key: value for key, value in row.items() if key} for row in rows), start=2)


def _document(row: dict[str, Any], file: str) -> EntitySet:
    text = row.get("text")
    if not isinstance(text, str) or not {"pronoun", "pronoun-offset"} <= row.keys():
        raise ValueError(f"expected Text, Pronoun and Pronoun-offset, found the keys {', '.join(row) or 'none'}")
    first, others = [_mention(row, "pronoun", text)], list[CorefMention]()
    for name in ("a", "b"):
        if row.get(name):
            refers = row.get(f"{name}-coref")
            is_same = refers if isinstance(refers, bool) else TRUE.get(str(refers).lower())
            if is_same is None:
                raise ValueError(f"{name.upper()}-coref: expected true or false, found {refers!r}")
            (first if is_same else others).append(_mention(row, name, text))
    groups = [tuple(first), *((one,) for one in others)]
    entities = tuple(Entity(group, str(number)) for number, group in enumerate(groups))
    return EntitySet(entities, str(row.get("id", "")), "", file, positions=Positions("characters", text))


def _mention(row: dict[str, Any], name: str, text: str) -> CorefMention:
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


GAP = Format(
    name="gap",
    title="GAP, a pronoun and two names in each text",
    looks='"Pronoun" and "Pronoun-offset", "A-offset" and "A-coref"',
    read=read,
    sniff=_is_gap,
)

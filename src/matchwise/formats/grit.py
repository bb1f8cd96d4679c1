"""GRIT: role fillers of MUC-4. The data has a document on each line, a prediction file is one object of documents.

    {"docid": "TST3-MUC4-0001", "doctext": "…", "extracts": {"PerpInd": [[["guerrillas", 37], ["rebels", 90]]], …}}
    {"30001": {"pred_extracts": {"PerpInd": [["guerrillas"]], …}, …}, …}

A document of the data is known by the number that predictions have: TST3-MUC4-0001 is 30001.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from matchwise.errors import FormatError
from matchwise.formats import Format
from matchwise.formats.io.entries import placing
from matchwise.formats.io.records import fields, require
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.tasks.roles import Entity, NAryRelation, RoleFiller

_DECODER = json.JSONDecoder()
_TEST = re.compile(r"[A-Z]+(\d)-MUC\d-(\d+)")


def read(source: Text) -> Iterator[NAryRelation]:
    """The documents of a file, as one relation each.

    >>> from io import StringIO
    >>> data = '{"docid": "TST3-MUC4-0001", "extracts": {"PerpInd": [[["rebels", 37]]], "Weapon": []}}'
    >>> [document] = read(StringIO(data))
    >>> document.id, document.args[0].entity.mentions, document.roles
    ('30001', ('rebels',), ('PerpInd', 'Weapon'))
    """
    name = name_of(source)
    for line, value in _values(source, name):
        with placing(name, line):
            found = fields(value)
            if "extracts" in found:
                yield _document(found["extracts"], _number(str(require(found, "docid", "a document"))), drop_empty=True)
                continue
            for id, document in found.items():
                pred = require(fields(document, f"{id}: a prediction"), "pred_extracts", f"{id}: a prediction")
                try:
                    yield _document(pred, _number(id), drop_empty=False)
                except ValueError as error:
                    raise ValueError(f"{id}: {error}") from None


def _values(source: Text, name: str) -> Iterator[tuple[int, Any]]:
    """Yield the JSON values of a file, each on one line or several, with the line where it begins."""
    with open_text(source) as file:
        for number, line in enumerate(file, start=1):
            if line.isspace():
                continue
            if not line.rstrip().endswith("}"):
                yield from _spread(line + file.read(), name, number)
                return
            value, end = _decoded(line, 0, name, number)
            if rest := line[end:].strip():
                raise FormatError(f"found {rest!r:.30} after the document, expected the end of the line", name, number)
            yield number, value


def _spread(text: str, name: str, first: int) -> Iterator[tuple[int, Any]]:
    place = 0
    while place < len(text):
        line = first + text.count("\n", 0, place)
        value, place = _decoded(text, place, name, line)
        yield line, value
        while place < len(text) and text[place].isspace():
            place += 1


def _decoded(text: str, place: int, name: str, line: int) -> tuple[Any, int]:
    with placing(name, line):
        try:
            return _DECODER.raw_decode(text, place)
        except json.JSONDecodeError as error:
            found = line + text.count("\n", place, error.pos)
            raise FormatError(
                f"cannot read this as JSON: {error.msg}; write one document on each line", name, found
            ) from None


def _number(id: str) -> str:
    found = _TEST.fullmatch(id)
    return str(int(found[1]) * 10_000 + int(found[2])) if found else id


def _document(value: Any, id: str, *, drop_empty: bool) -> NAryRelation:
    extracts = fields(value, "extracts")
    args = [
        RoleFiller(role, one)
        for role, found in extracts.items()
        for one in _entities(role, found, drop_empty=drop_empty)
    ]
    return NAryRelation("", tuple(args), id, tuple(extracts))


def _entities(role: str, value: Any, *, drop_empty: bool) -> Iterator[Entity]:
    """Read entities; like GRIT's script, drop reference entities without mentions and keep predicted ones."""
    if not isinstance(value, list) or not all(isinstance(one, list) for one in value):
        raise ValueError(f'{role}: expected a list of entities such as [["rebels"]], found {value!r:.60}')
    for one in value:
        if one or not drop_empty:
            yield Entity(tuple(_mention(role, mention) for mention in one))


def _mention(role: str, value: Any) -> str:
    match value:
        case str():
            return value
        case [str(text), int() | None]:
            return text
    raise ValueError(f'{role}: expected a mention such as "rebels" or ["rebels", 37], found {value!r:.60}')


FORMAT = Format(
    name="grit",
    title="GRIT",
    read=read,
)

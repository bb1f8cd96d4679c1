"""Predictions of a Hugging Face pipeline and of GLiNER: a list of mentions for each text, in one list or on lines.

[{"entity_group": "PER", "score": 0.99, "word": "Marie", "start": 0, "end": 5}]
[{"start": 0, "end": 5, "text": "Marie", "label": "person", "score": 0.98}]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from matchwise.formats import Format, objects
from matchwise.formats.io.records import decode_value
from matchwise.formats.io.source import Text, name_of, open_text, place_errors
from matchwise.formats.io.units import texts_of_mentions, with_unit
from matchwise.tasks.lists import read_each
from matchwise.tasks.ner import Extraction, Positions, mention


def read(source: Text, *, unit: str | None = None) -> Iterator[Extraction]:
    """The predictions for each text: one list of lists of mentions, or a list on each line.

    >>> from io import StringIO
    >>> list(read(StringIO('[{"entity_group": "PER", "start": 0, "end": 5}]')))[0].mentions
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
    return with_unit(made, unit, texts_of_mentions(listed))


def _is_pipeline(head: str, name: str) -> bool:
    """The first list that is not empty begins with a mention, maybe in a list of its own, which has both ends."""
    head = re.sub(r"\A(\s*\[\s*\])+", "", head)
    first = next(iter(objects(head)), {})
    is_list = re.match(r"\s*\[\s*(\[|\{)", head) is not None
    return is_list and {"start", "end"} <= first.keys() and bool({"entity_group", "label", "entity"} & first.keys())


PIPELINE = Format(
    name="pipeline",
    title="predictions of a Hugging Face pipeline, or of GLiNER",
    looks='a list of mentions for each text, which have "start", "end" and "entity_group" or "label"',
    read=read,
    sniff=_is_pipeline,
    settings=("unit",),
)

"""What annotation tools and models write as JSON, each described by a `Shape`: doccano, Prodigy, spaCy, GLiNER.

{"id": 1, "text": "…", "label": [[0, 5, "PER"]]}                                                    (doccano)
{"id": 1, "text": "…", "entities": [{"id": 7, "start_offset": 0, "end_offset": 5, "label": "PER"}], "relations": […]}
{"text": "…", "spans": [{"start": 0, "end": 5, "label": "PER"}], "answer": "accept", "_input_hash": 3}  (Prodigy)
{"text": "…", "ents": [{"start": 0, "end": 5, "label": "PER"}], "tokens": [{"start": 0, "end": 5}]}     (spaCy)
{"tokenized_text": ["Marie", "…"], "ner": [[0, 0, "person"]]}                                         (GLiNER)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from matchwise.formats import Format, objects
from matchwise.formats.io.records import fields, get_list, get_objects, id_of, records
from matchwise.formats.io.source import Text
from matchwise.formats.io.units import with_unit
from matchwise.tasks.lists import read_each
from matchwise.tasks.ner import Extraction, Mention, Positions, mention
from matchwise.tasks.ner.links import name_links
from matchwise.tasks.relations import Relation


class Shape(NamedTuple):
    """Where a tool writes what: the keys of an object, and what a mention has."""

    name: str
    spans: tuple[str, ...]
    """The keys of the list of mentions; an object has one of them."""
    text: tuple[str, ...] = ("text",)
    words: str = ""
    """The key of the words, if spans count them."""
    ids: tuple[str, ...] = ("id",)
    annotator: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    """Keys of which an object has one, besides text and mentions."""
    start: str = ""
    """A key that mentions have, if they are objects."""
    last: int = 0
    """1 if the end of a span is its last position."""
    is_common: bool = False
    """Whether other files have these keys too, so that an empty list does not show what a file is."""


SHAPES = (
    Shape("doccano", ("label", "labels"), ("text", "data"), annotator=("user", "username")),
    Shape("doccano", ("entities",), ("text", "data"), start="start_offset", is_common=True),
    Shape(
        "prodigy",
        ("spans",),
        ids=("_input_hash", "id"),
        annotator=("_annotator_id", "_session_id"),
        signs=("_input_hash", "_task_hash", "answer"),
    ),
    Shape("spacy", ("ents",), start="start"),
    Shape("gliner", ("ner",), ("tokenized_text",), words="tokenized_text", last=1),
)


def read_export(
    source: Text, name: str, *, unit: str | None = None, annotator: str | None = None
) -> Iterator[Extraction]:
    """The documents of a file, one at a time.

    >>> from io import StringIO
    >>> [document] = read_export(StringIO('{"text": "Ada moved.", "label": [[0, 3, "PER"]]}'), "doccano")
    >>> document.mentions
    (Mention(span=(0, 3), type='PER'),)
    """
    shapes = [shape for shape in SHAPES if shape.name == name]

    def build(value: Any) -> Extraction:
        found = fields(value)
        shape = next((one for one in shapes if _has_shape(found, one)), None)
        if shape is None:
            expected = " or ".join(f"{one.text[0]} and {one.spans[0]}" for one in shapes)
            raise ValueError(f"expected {expected}, found the keys {', '.join(found) or 'none'}")
        made = _document(found, shape)
        return with_unit(made, unit if name == "doccano" else made.unit)

    made = records(source, build)
    return made if annotator is None else (one for one in made if one.annotator in ("", annotator))


def _document(found: dict[str, Any], shape: Shape) -> Extraction:
    key = next(key for key in shape.spans if key in found)
    listed = get_list(found, key)
    mentions = read_each(mention, listed, key)
    if shape.last:
        mentions = tuple(Mention((one.left, one.right + 1), one.type) for one in mentions)
    text = found[next(key for key in shape.text if key in found)]
    if shape.words:
        known = Positions("tokens", words=tuple(map(str, text)))
    else:
        tokens = [one for one in found.get("tokens") or () if isinstance(one, dict)]
        places = ((one.get("start"), one.get("end")) for one in tokens)
        known = Positions("characters", text, places=tuple((i, j) for i, j in places if type(i) is type(j) is int))
    names = (str(found[key]) for key in shape.annotator if found.get(key) is not None)
    made = Extraction(
        mentions if found.get("answer", "accept") == "accept" else (),
        id=id_of(found, shape.ids),
        entities=name_links(listed, mentions),
        text=text,
        positions=known,
        annotator=next(names, ""),
    )
    if shape.start != "start_offset":
        return made
    ends = {one.get("id"): found for one, found in zip(listed, mentions, strict=True)}
    rows = get_objects(found, "relations", "a relation")
    return replace(made, relations=read_each(partial(_relation, ends=ends), rows, "relations"))


def _relation(row: dict[str, Any], ends: dict[Any, Mention]) -> Relation:
    for key in ("from_id", "to_id"):
        if row.get(key) not in ends:
            raise ValueError(f"found {key} {row.get(key)!r}, expected the id of an entity of this document")
    return Relation(str(row.get("type", "")), ends[row["from_id"]], ends[row["to_id"]])


def _has_shape(found: dict[str, Any], shape: Shape) -> bool:
    listed = next((found[key] for key in shape.spans if key in found), None)
    is_text = any(isinstance(found.get(key), list if shape.words else str) for key in shape.text)
    if not is_text or not isinstance(listed, list) or (shape.signs and not any(key in found for key in shape.signs)):
        return False
    one = listed[0] if listed else None
    return one is None or (
        isinstance(one, dict) and shape.start in one if shape.start else isinstance(one, list | dict)
    )


def _declare(name: str, title: str, looks: str, *settings: str) -> Format:
    shapes = [shape for shape in SHAPES if shape.name == name]
    return Format(
        name=name,
        title=title,
        looks=looks,
        read=partial(read_export, name=name),
        sniff=lambda head, _: any(
            _has_shape(found, shape) and not (shape.is_common and not found["entities"])
            for found in objects(head)
            for shape in shapes
        ),
        settings=settings,
    )


DOCCANO = _declare(
    "doccano",
    "JSON lines of doccano",
    '"text" with "label": [[0, 5, "PER"]], or with "entities" that have "start_offset" and "end_offset"',
    "unit",
    "annotator",
)
PRODIGY = _declare(
    "prodigy", "JSON lines of Prodigy", '"text" and "spans" beside "answer" or "_input_hash"', "annotator"
)
SPACY = _declare("spacy", "Doc.to_json() of spaCy", '"text" and "ents" that have "start", "end" and "label"')
GLINER = _declare("gliner", "training data of GLiNER", '"tokenized_text" and "ner": [[0, 1, "person"]]')

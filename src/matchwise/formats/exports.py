"""What annotation tools and models write as JSON: doccano, Prodigy, spaCy, GLiNER, Label Studio, pipelines and answers.

Each of the first four is described by a `Shape`:

{"id": 1, "text": "…", "label": [[0, 5, "PER"]]}                                                    (doccano)
{"id": 1, "text": "…", "entities": [{"id": 7, "start_offset": 0, "end_offset": 5, "label": "PER"}], "relations": […]}
{"text": "…", "spans": [{"start": 0, "end": 5, "label": "PER"}], "answer": "accept", "_input_hash": 3}  (Prodigy)
{"text": "…", "ents": [{"start": 0, "end": 5, "label": "PER"}], "tokens": [{"start": 0, "end": 5}]}     (spaCy)
{"tokenized_text": ["Marie", "…"], "ner": [[0, 0, "person"]]}                                         (GLiNER)

Exports of Label Studio are JSON (a task with its annotations and predictions) or JSON-MIN (a row for each annotation):

    [{"id": 1, "data": {"text": "…"}, "annotations": [{"completed_by": 3, "result": [
        {"id": "a", "type": "labels", "value": {"start": 0, "end": 5, "text": "Marie", "labels": ["PER"]}}]}]}]
    [{"id": 1, "text": "…", "annotator": 3, "label": [{"start": 0, "end": 5, "text": "Marie", "labels": ["PER"]}]}]

Each annotation is a document, whose id is that of its task; cancelled ones are left out. A task may have `predictions`
of a model, too: a file that is scored is read from them where it has them, and a reference from the annotations.
Positions count characters, or UTF-16 units in older versions: which, is found by the texts of mentions.

A pipeline of Hugging Face, and GLiNER, write a list of mentions for each text, in one list or on lines:

    [{"entity_group": "PER", "score": 0.99, "word": "Marie", "start": 0, "end": 5}]
    [{"start": 0, "end": 5, "text": "Marie", "label": "person", "score": 0.98}]

Answers of language models have entities by what they say, often with wrong places or none:

    {"id": 1, "entities": [{"text": "Marie", "type": "PER"}]}
    {"id": 1, "text": "Marie came.", "entities": {"PER": ["Marie"]}}

Two such files are compared by the texts of mentions. Beside a file that has places, each text is looked for in the
source: the second of two equal texts is the second place where it stands, and what is nowhere is a wrong mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

from matchwise.formats import Format, objects
from matchwise.formats.io.records import decode_value, fields, get_list, get_objects, id_of, records, values
from matchwise.formats.io.source import Text, name_of, open_text, place_errors
from matchwise.formats.io.units import texts_of_mentions, with_unit
from matchwise.tasks.lists import read_each
from matchwise.tasks.ner import Extraction, Mention, Positions, mention
from matchwise.tasks.ner.documents import MENTIONS
from matchwise.tasks.ner.links import name_links
from matchwise.tasks.ner.mentions import LABELS, name_span
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
        made = _build_export(found, shape)
        return with_unit(made, unit if name == "doccano" else made.unit)

    made = records(source, build)
    return made if annotator is None else (one for one in made if one.annotator in ("", annotator))


def _build_export(found: dict[str, Any], shape: Shape) -> Extraction:
    key = next(key for key in shape.spans if key in found)
    listed = get_list(found, key)
    mentions = read_each(mention, listed, key)
    if shape.last:
        mentions = tuple(Mention((one.left, one.right + 1), one.type) for one in mentions)
    text = found[next(key for key in shape.text if key in found)]
    if shape.words:
        known = Positions("tokens", words=tuple(map(str, text)))
    else:
        tokens = [one for one in get_list(found, "tokens") if isinstance(one, dict)]
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
    return replace(made, relations=read_each(partial(_relate, ends=ends), rows, "relations"))


def _relate(row: dict[str, Any], ends: dict[Any, Mention]) -> Relation:
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


def read_labelstudio(
    source: Text, *, side: Literal["pred", "gold"] = "pred", unit: str | None = None, annotator: str | None = None
) -> Iterator[Extraction]:
    """The annotations of a file, one at a time; `annotator` keeps those of one person.

    >>> from io import StringIO
    >>> row = '{"id": 1, "text": "Ada", "annotator": 3, "label": [{"start": 0, "end": 3, "labels": ["PER"]}]}'
    >>> [document] = read_labelstudio(StringIO(row))
    >>> document.mentions, document.annotator
    ((Mention(span=(0, 3), type='PER'),), '3')
    """
    name = name_of(source)
    for number, value in values(source):
        with place_errors(name, number):
            found = list(_annotations(fields(value, "a task"), side, unit))
        chosen = [one for one in found if annotator is None or one.annotator in ("", annotator)]
        is_model = side == "pred" and bool(value.get("predictions"))  # which people's names do not concern
        yield from found if is_model and not chosen else chosen


def _annotations(task: dict[str, Any], side: Literal["pred", "gold"], unit: str | None) -> Iterator[Extraction]:
    if "annotations" not in task:
        regions = next((key for key, part in task.items() if _is_regions(part)), "label")
        yield _build_annotation(task, task, [{"value": one} for one in get_objects(task, regions, "a region")], unit)
        return
    key = "predictions" if side == "pred" and task.get("predictions") else "annotations"
    for one in get_objects(task, key, "an annotation"):
        if not one.get("was_cancelled"):
            data = {**fields(task.get("data"), "data"), **one}
            yield _build_annotation(task, data, get_objects(one, "result", "a region"), unit)


def _build_annotation(
    task: dict[str, Any], found: dict[str, Any], regions: list[dict[str, Any]], unit: str | None
) -> Extraction:
    marked = [one for one in regions if "value" in one and _labels(one["value"])]
    mentions = read_each(_region_mentions, marked, "result")
    ends = {one.get("id"): some[0] for one, some in zip(marked, mentions, strict=True)}
    made = tuple(one for some in mentions for one in some)
    text = _task_text(found)
    spans = [(one["value"]["start"], one["value"]["end"], one["value"].get("text")) for one in marked]
    said = [(left, right, each) for left, right, each in spans if isinstance(each, str)]
    links = [one for one in regions if one.get("type") == "relation"]
    who = found.get("completed_by", found.get("annotator", found.get("model_version")))
    who = (who.get("email") or who.get("id")) if isinstance(who, dict) else who
    document = Extraction(
        made,
        tuple(
            Relation(str(label), ends[one["from_id"]], ends[one["to_id"]])
            for one in links
            if one.get("from_id") in ends and one.get("to_id") in ends
            for label in one.get("labels") or [""]
        ),
        id=id_of(task, ("id",)),
        text=text,
        positions=Positions("characters", text),
        annotator="" if who is None else str(who),
    )
    return with_unit(document, unit, said)


def _region_mentions(region: dict[str, Any]) -> tuple[Mention, ...]:
    """A mention for each label of a region."""
    value = region["value"]
    return tuple(
        mention({"start": value.get("start"), "end": value.get("end"), "type": label}) for label in _labels(value)
    )


def _labels(value: Any) -> list[Any]:
    found = value.get("labels", value.get("hypertextlabels")) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _task_text(found: dict[str, Any]) -> str:
    """The text of a task: under "text", or the longest that its data have under any name."""
    texts = [one for one in found.values() if isinstance(one, str)]
    text = found.get("text")
    return text if isinstance(text, str) else max(texts, key=len, default="")


def _is_regions(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(_labels(one) for one in value)


def _is_labelstudio(head: str, name: str) -> bool:
    """A task with data and annotations, or a row of JSON-MIN, whose regions have a list of labels."""
    return any(
        ("data" in found and ("annotations" in found or "predictions" in found))
        or "annotation_id" in found
        or any(map(_is_regions, found.values()))
        for found in objects(head)
    )


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
    return with_unit(made, unit, texts_of_mentions(listed))


def _is_pipeline(head: str, name: str) -> bool:
    """The first list that is not empty begins with a mention, maybe in a list of its own, which has both ends."""
    head = re.sub(r"\A(\s*\[\s*\])+", "", head)
    first = next(iter(objects(head)), {})
    is_list = re.match(r"\s*\[\s*(\[|\{)", head) is not None
    return is_list and {"start", "end"} <= first.keys() and bool({"entity_group", "label", "entity"} & first.keys())


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
    pairs = read_each(_name_pair, listed, key)
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


def _name_pair(value: Any) -> tuple[str, str]:
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
                return bool(_name_pair(one))
            except ValueError:
                return False
    return False


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


LABELSTUDIO = Format(
    name="labelstudio",
    title="JSON and JSON-MIN of Label Studio",
    looks='"data" and "annotations", or (JSON-MIN) regions that have "start", "end" and "labels"',
    read=read_labelstudio,
    read_reference=partial(read_labelstudio, side="gold"),
    sniff=_is_labelstudio,
    settings=("unit", "annotator"),
)


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

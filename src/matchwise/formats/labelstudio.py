"""Exports of Label Studio: JSON (a task with its annotations and predictions) and JSON-MIN (a row for each annotation).

    [{"id": 1, "data": {"text": "…"}, "annotations": [{"completed_by": 3, "result": [
        {"id": "a", "type": "labels", "value": {"start": 0, "end": 5, "text": "Marie", "labels": ["PER"]}}]}]}]
    [{"id": 1, "text": "…", "annotator": 3, "label": [{"start": 0, "end": 5, "text": "Marie", "labels": ["PER"]}]}]

Each annotation is a document, whose id is that of its task; cancelled ones are left out. A task may have `predictions`
of a model, too: a file that is scored is read from them where it has them, and a reference from the annotations.
Positions count characters, or UTF-16 units in older versions: which, is found by the texts of mentions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

from matchwise.formats import Format, objects
from matchwise.formats.io.records import fields, get_objects, id_of, values
from matchwise.formats.io.source import Text, name_of, place_errors
from matchwise.formats.io.units import with_unit
from matchwise.tasks.lists import read_each
from matchwise.tasks.ner import Extraction, Mention, Positions, mention
from matchwise.tasks.relations import Relation


def read(
    source: Text, *, side: Literal["pred", "gold"] = "pred", unit: str | None = None, annotator: str | None = None
) -> Iterator[Extraction]:
    """The annotations of a file, one at a time; `annotator` keeps those of one person.

    >>> from io import StringIO
    >>> row = '{"id": 1, "text": "Ada", "annotator": 3, "label": [{"start": 0, "end": 3, "labels": ["PER"]}]}'
    >>> [document] = read(StringIO(row))
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
        yield _document(task, task, [{"value": one} for one in get_objects(task, regions, "a region")], unit)
        return
    key = "predictions" if side == "pred" and task.get("predictions") else "annotations"
    for one in get_objects(task, key, "an annotation"):
        if not one.get("was_cancelled"):
            data = {**fields(task.get("data"), "data"), **one}
            yield _document(task, data, get_objects(one, "result", "a region"), unit)


def _document(
    task: dict[str, Any], found: dict[str, Any], regions: list[dict[str, Any]], unit: str | None
) -> Extraction:
    marked = [one for one in regions if "value" in one and _labels(one["value"])]
    mentions = read_each(_mentions, marked, "result")
    ends = {one.get("id"): some[0] for one, some in zip(marked, mentions, strict=True)}
    made = tuple(one for some in mentions for one in some)
    text = _text(found)
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


def _mentions(region: dict[str, Any]) -> tuple[Mention, ...]:
    """A mention for each label of a region."""
    value = region["value"]
    return tuple(
        mention({"start": value.get("start"), "end": value.get("end"), "type": label}) for label in _labels(value)
    )


def _labels(value: Any) -> list[Any]:
    found = value.get("labels", value.get("hypertextlabels")) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _text(found: dict[str, Any]) -> str:
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


LABELSTUDIO = Format(
    name="labelstudio",
    title="JSON and JSON-MIN of Label Studio",
    looks='"data" and "annotations", or (JSON-MIN) regions that have "start", "end" and "labels"',
    read=read,
    read_reference=partial(read, side="gold"),
    sniff=_is_labelstudio,
    settings=("unit", "annotator"),
)

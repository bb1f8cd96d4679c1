"""DocRED: documents with `vertexSet` and `labels`, and submissions: a list of relations, each with its title.

A submitted relation is `{"title": …, "h_idx": 0, "t_idx": 1, "r": "P17", "evidence": [2]}`. Both are JSON lists, which
are read whole. `facts_of` reads the facts of the training data, which Ign F1 leaves out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from matchwise.errors import FormatError
from matchwise.formats import Format, has_keys
from matchwise.formats.io.records import fields, get_list, records, require, take, values
from matchwise.formats.io.source import Text, name_of, place_errors
from matchwise.tasks.relations import Fact, Relation, RelationSet, read_evidence


def read(source: Text) -> Iterator[RelationSet]:
    """Yield the documents of a file by title; a submission without facts for a title has no document for it.

    >>> from io import StringIO
    >>> list(read(StringIO('[{"title": "A", "h_idx": 0, "t_idx": 1, "r": "P17", "evidence": [2]}]')))[0].relations
    (Relation(type='P17', subj=0, obj=1, evidence=frozenset({2})),)
    """
    name = name_of(source)
    submitted: dict[str, list[Relation]] = {}
    for number, value in values(source):
        with place_errors(name, number):
            found = fields(value)
            if "h_idx" in found or "t_idx" in found:
                submitted.setdefault(_title(found), []).append(_relation(found, "h_idx", "t_idx"))
            else:
                yield _document(found)
    for title, relations in submitted.items():
        yield RelationSet(tuple(relations), title)


def facts_of(source: Text) -> set[Fact]:
    """The facts of training documents, for all names of both entities, or of a `.fact` file of evaluation.py.

    >>> from io import StringIO
    >>> facts_of(StringIO('[["Paris", "France", "P17"]]'))
    {('Paris', 'France', 'P17')}
    """
    found: set[Fact] = set()
    for some in records(source, _facts):
        found |= some
    if not found:
        raise FormatError("found no facts, expected training documents with vertexSet and labels", name_of(source))
    return found


def _facts(value: Any) -> set[Fact]:
    match value:
        case [str(head), str(tail), str(kind)]:
            return {(head, tail, kind)}
        case list():
            return {fact for part in value for fact in _facts(part)}
    found = _document(fields(value, "a document or a fact"), named=True)
    return {
        (head, tail, one.type)
        for one in found.relations
        for head in found.names[one.subj]
        for tail in found.names[one.obj]
    }


def _document(found: dict[str, Any], *, named: bool = False) -> RelationSet:
    names = tuple(map(_names, get_list(found, "vertexSet")))
    relations = tuple(_relation(fields(label, "a label"), "h", "t") for label in get_list(found, "labels"))
    for end in chain.from_iterable((one.subj, one.obj) for one in relations) if names or named else ():
        if not 0 <= end < len(names):
            raise ValueError(f"found the entity {end}, expected one of the {len(names)} in vertexSet")
    return RelationSet(relations, None if named else _title(found), names)


def _names(mentions: Any) -> tuple[str, ...]:
    """The names of an entity, each once."""
    if not isinstance(mentions, list):
        raise ValueError(f"vertexSet: expected a list of mentions for each entity, found {mentions!r}")
    found: dict[str, None] = {}
    for mention in mentions:
        name = fields(mention, "a mention").get("name")
        if isinstance(name, str):
            found[name] = None
    return tuple(found)


def _relation(found: dict[str, Any], head: str, tail: str) -> Relation:
    subj, obj, kind = take(found, (head, tail, "r"), "a relation")
    if type(subj) is not int or type(obj) is not int:
        name, end = (head, subj) if type(subj) is not int else (tail, obj)
        raise ValueError(f"{name}: expected the number of an entity, found {end!r}")
    return Relation(str(kind), subj, obj, read_evidence(found.get("evidence")))


def _title(found: dict[str, Any]) -> str:
    return str(require(found, "title", "a document or a relation"))


DOCRED = Format(
    name="docred",
    title="DocRED",
    looks='"vertexSet" and "labels", or "h_idx", "t_idx" and "r"',
    read=read,
    sniff=has_keys("vertexSet", "h_idx"),
    options={"facts": facts_of},
)

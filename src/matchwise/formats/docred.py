"""DocRED: documents with `vertexSet` and `labels`, and submissions: a list of relations, each with its title.

A submitted relation is `{"title": …, "h_idx": 0, "t_idx": 1, "r": "P17", "evidence": [2]}`. Both are JSON lists, which
are read whole. The facts of the training data (`facts_of`) mark the relations that Ign F1 leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, TypeAlias

from matchwise.errors import FormatError
from matchwise.formats.records import fields, listed, needed, values
from matchwise.formats.source import Text, name_of
from matchwise.tasks.relations import Relation, RelationSet

Fact: TypeAlias = tuple[str, str, str]
"""Head name, tail name, relation."""


def sniff(head: str, name: str) -> bool:
    return re.search(r'"(vertexSet|h_idx)"\s*:', head) is not None


def read(source: Text, *, facts: Collection[Fact] = ()) -> Iterator[RelationSet]:
    """The documents of a file by title; those of a submission that has nothing for a title are not there.

    >>> from io import StringIO
    >>> list(read(StringIO('[{"title": "A", "h_idx": 0, "t_idx": 1, "r": "P17", "evidence": [2]}]')))[0].relations
    (Relation(type='P17', subj=0, obj=1, evidence=frozenset({2}), known=False),)
    """
    name = name_of(source)
    submitted: dict[str, list[Relation]] = {}
    for number, value in values(source):
        try:
            found = fields(value)
            if "h_idx" in found or "t_idx" in found:
                submitted.setdefault(_title(found), []).append(_relation(found, "h_idx", "t_idx"))
            else:
                yield _document(found, facts)
        except ValueError as error:
            raise FormatError(str(error), name, number) from None
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise FormatError(f"found a value of another shape than expected ({error})", name, number) from None
    for title, relations in submitted.items():
        yield RelationSet(tuple(relations), title)


def facts_of(source: Text) -> set[Fact]:
    """Every (head name, tail name, relation) of a file of training documents, for all names of both entities."""
    found: set[Fact] = set()
    for _, value in values(source):
        document = fields(value)
        vertices = listed(document, "vertexSet")
        for label in listed(document, "labels"):
            found |= set(_facts(vertices, label["h"], label["t"], label["r"]))
    return found


def _document(found: dict[str, Any], facts: Collection[Fact]) -> RelationSet:
    vertices = listed(found, "vertexSet")
    made = []
    for label in listed(found, "labels"):
        one = _relation(fields(label, "a label"), "h", "t")
        known = bool(facts) and any(fact in facts for fact in _facts(vertices, one.subj, one.obj, one.type))
        made.append(Relation(one.type, one.subj, one.obj, one.evidence, known))
    return RelationSet(tuple(made), _title(found))


def _relation(found: dict[str, Any], head: str, tail: str) -> Relation:
    ends = [needed(found, name, "a relation") for name in (head, tail)]
    for name, end in zip((head, tail), ends, strict=True):
        if type(end) is not int:
            raise ValueError(f"{name}: expected the number of an entity, found {end!r}")
    subj, obj = ends
    return Relation(str(needed(found, "r", "a relation")), subj, obj, frozenset(listed(found, "evidence")))


def _title(found: dict[str, Any]) -> str:
    return str(needed(found, "title", "a document or a relation"))


def _facts(vertices: list[Any], head: int, tail: int, kind: str) -> Iterator[Fact]:
    for end in (head, tail):
        if not 0 <= end < len(vertices):
            raise ValueError(f"found the entity {end}, expected one of the {len(vertices)} in vertexSet")
    return ((one["name"], other["name"], kind) for one in vertices[head] for other in vertices[tail])

"""Statements of subject, relation and object: what is read as one, and the statements of a document.

>>> triple("Ada | born in | London")
Triple(subj='Ada', rel='born in', obj='London')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from matchwise.algebra.names import Var
from matchwise.tasks.lists import find_list, missing_key, read_list


class Triple(NamedTuple):
    """A statement; a blank node is a `Var`."""

    subj: str
    rel: str
    obj: str

    def __str__(self) -> str:
        return f"{self.subj} –{self.rel}→ {self.obj}"


@dataclass(frozen=True, slots=True)
class TripleSet:
    """The triples of a text or a graph."""

    triples: tuple[Triple, ...]
    id: str | int | None = None
    text: str = field(default="", compare=False, repr=False)
    confidences: tuple[float, ...] = field(default=(), compare=False, repr=False)
    """How sure a system is of each triple, if it says so."""


NAMES = (("subj", "rel", "obj"), ("sub", "rel", "obj"), ("subject", "predicate", "object"), ("s", "p", "o"))
"""What the parts of a triple are called."""


def triple(value: Any) -> Triple:
    """A triple, from a list, a dictionary or WebNLG's "subject | relation | object".

    >>> triple("Ada | born in | London") == triple({"subject": "Ada", "predicate": "born in", "object": "London"})
    True
    """
    if isinstance(value, Mapping):
        for names in (*NAMES, ("head", "type", "tail"), ("subj", "type", "obj")):
            if all(name in value for name in names):
                return triple([value[name] for name in names])
        raise missing_key("a triple with subj, rel and obj", value)
    if isinstance(value, str):
        value = value.split(" | ")
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise ValueError(f"expected (subject, relation, object), found {value!r}")
    if not all(isinstance(part, str | int | float) for part in value):
        raise ValueError(f"expected texts, found {value!r}")
    return Triple(*(part if isinstance(part, Var) else blank(str(part)) for part in value))


def blank(text: str) -> str:
    """A text, or a blank node if it begins as one: `_:b1`."""
    return Var(text) if text.startswith("_:") else text


LISTS = ("triples", "relations", "extractions")
"""Where a document has its triples."""


def triples(document: Any) -> list[Triple]:
    """The triples of a document: a `TripleSet`, a list, or a dictionary that has them under `triples`."""
    if isinstance(document, TripleSet):
        return list(document.triples)
    return list(read_list(triple, document, LISTS, "a TripleSet"))


def confidences(document: Any) -> tuple[float, ...]:
    """How sure a system is of each triple: what a `TripleSet` says, or `confidence` of triples in dictionaries.

    >>> confidences([{"s": "Ada", "p": "lived in", "o": "Bath", "confidence": 0.9}])
    (0.9,)
    """
    if isinstance(document, TripleSet):
        return document.confidences
    listed = document if isinstance(document, list | tuple) else find_list(document, LISTS) or ()
    said = (one.get("confidence") for one in listed if isinstance(one, Mapping))
    return tuple(float(one) for one in said if isinstance(one, int | float))

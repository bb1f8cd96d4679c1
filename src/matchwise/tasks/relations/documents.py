"""Relations and the documents that have them: objects, tuples or dictionaries, between mentions, names or numbers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from matchwise.tasks.lists import find_list
from matchwise.tasks.ner import Extraction, Mention, mention
from matchwise.views.words import Marked, Words, say


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of two mentions (or of two entities, by number or name), with the sentences that say so."""

    type: str
    subj: Any
    obj: Any
    evidence: frozenset[int] = frozenset()

    def in_words(self, words: Words) -> str:
        """`Rolf Ekeus PER –born in→ Stockholm LOC`."""
        return f"{say(self.subj, words)} –{self.type}→ {say(self.obj, words)}"

    def marks(self) -> Marked:
        """The spans of its arguments, to be marked."""
        return tuple(one for end in (self.subj, self.obj) if isinstance(end, Mention) for one in end.marks())


@dataclass(frozen=True, slots=True)
class RelationSet:
    """The relations of one document or sentence; `names` has the names of each entity, if arguments are numbers."""

    relations: tuple[Relation, ...]
    id: str | int | None = None
    names: tuple[tuple[str, ...], ...] = ()
    unseen: tuple[Relation, ...] = ()
    """The relations that Ign F1 asks precision of; filled in by `Unseen`."""
    labels: tuple[Relation, ...] = ()
    """The relations that evidence F1 compares, as often as a reference lists them; filled in by `Unseen`."""
    text: Any = field(default=(), compare=False, repr=False)
    """The words, for people who look at it."""


def relation(value: Any) -> Relation:
    """A relation, from a relation, `(type, subj, obj)` or a dictionary with `subj` and `obj`, or `head` and `tail`.

    >>> relation(("owns", (0, 1, "PER"), (4, 5, "ORG"))).obj
    Mention(span=(4, 5), type='ORG')
    """
    if isinstance(value, Relation):
        return value
    if isinstance(value, Mapping):
        for subj, obj in (("subj", "obj"), ("subject", "object"), ("head", "tail"), ("h", "t")):
            if subj in value and obj in value:
                one, other = (_end(value[name], value.get(f"{name}_type")) for name in (subj, obj))
                return Relation(_type(value), one, other, _evidence(value.get("evidence")))
        keys = ", ".join(map(str, value)) or "none"
        raise ValueError(f"expected a relation with type, subj and obj, found the keys {keys}")
    match value:
        case [str(kind), subj, obj] | [str(kind), [subj, obj]]:
            return Relation(kind, _end(subj), _end(obj))
    raise ValueError(f"expected a relation such as (type, subj, obj), found {value!r}")


def _type(value: Mapping[str, Any]) -> str:
    for name in ("type", "label", "relation", "relation_type", "r"):
        if name in value:
            if not isinstance(value[name], str | int):
                raise ValueError(f"expected the name of a relation under {name!r}, found {value[name]!r}")
            return str(value[name])
    raise ValueError(f"expected a relation with a type, found the keys {', '.join(map(str, value))}")


def _evidence(value: Any) -> frozenset[int]:
    match value:
        case None:
            return frozenset()
        case list() | tuple() | set() | frozenset() if all(isinstance(sentence, int) for sentence in value):
            return frozenset(value)
    raise ValueError(f"expected evidence as a list of sentence numbers, found {value!r}")


def _end(value: Any, kind: Any = None) -> Any:
    """Read an argument as a mention; a name or a number stays as it is."""
    if isinstance(value, str | int | Mention):
        return value
    match value:
        case [int(left), int(right)]:
            return mention((left, right, "" if kind is None else str(kind)))
    found = mention(value, typed=False)
    return found if kind is None or found.type else found._replace(type=str(kind))


def relations(document: Any) -> list[Relation]:
    """The relations of a document: a `RelationSet`, a list, or a dictionary that has them under `relations`."""
    match document:
        case RelationSet() | Extraction():
            return list(document.relations)
        case list() | tuple():
            return [relation(value) for value in document]
        case Mapping() if "relations" in document:
            return [relation(value) for value in find_list(document, ("relations",)) or ()]
    raise ValueError(f"expected a RelationSet or a list of relations, found {type(document).__name__}")


def distinct(document: Any) -> list[Relation]:
    """The relations as a set; the first of equal ones stays."""
    return _first(document, ends)


def distinct_spans(document: Any) -> list[Relation]:
    """The relations as a set of types and spans, whatever the types of the arguments are (sincere's boundaries)."""
    return _first(document, _spans)


def distinct_undirected(document: Any) -> list[Relation]:
    """The relations as a set in which (a, b) and (b, a) are one."""
    return _first(document, lambda one: frozenset(ends(one)))


def distinct_undirected_spans(document: Any) -> list[Relation]:
    """The relations as a set of types and spans in which (a, b) and (b, a) are one."""
    return _first(document, lambda one: frozenset(_spans(one)))


def last_labels(document: Any) -> list[Relation]:
    """One relation for two spans; the last of several counts (DyGIE++)."""
    return list({_spans(one): one for one in relations(document)}.values())


def _first(document: Any, arguments: Callable[[Relation], Hashable]) -> list[Relation]:
    several = relations(document)
    keys = [(one.type, arguments(one)) for one in several]
    if len(set(keys)) == len(keys):
        return several
    found: dict[Any, Relation] = {}
    for key, one in zip(keys, several, strict=True):
        found.setdefault(key, one)
    return list(found.values())


def _spans(one: Relation) -> tuple[Any, Any]:
    """The spans of the two arguments; a name or a number stays as it is."""
    subj, obj = (end.span if isinstance(end, Mention) else end for end in ends(one))
    return subj, obj


def ends(one: Relation) -> tuple[Any, Any]:
    """The two arguments, in either order."""
    return one.subj, one.obj

"""An expression against a type: does each selector lead to something that the type has?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, get_type_hints

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Move, Selector, Similarity
from matchwise.algebra.steps import Stepped
from matchwise.algebra.walk import check_metric, children
from matchwise.deriving.annotations import Field
from matchwise.deriving.jsonschema import union
from matchwise.deriving.typeinfo import (
    CollectionShape,
    Described,
    MappingShape,
    RecordShape,
    ScalarShape,
    TupleShape,
    UnionShape,
    UnknownShape,
    classes,
    describe,
    type_name,
)
from matchwise.errors import ExpressionError, suggestion

UNKNOWN = Described(UnknownShape(), (Any,))


def check(phi: Similarity, T: Any) -> None:
    """Find misspelt fields: raise an ExpressionError if φ selects a part that objects of type `T` do not have.

    It also does if a leaf cannot compare what it selects, as `edit` cannot compare a list. What the type leaves open
    (Any, unknown classes, functions without a return annotation) is taken on trust.

    >>> import matchwise as mw
    >>> from typing import NamedTuple
    >>> class Relation(NamedTuple):
    ...     type: str
    >>> mw.check(mw.eq("typ"), Relation)
    Traceback (most recent call last):
    matchwise.errors.ExpressionError: typ: Relation has no field 'typ'; did you mean 'type'?
    """
    _Check().similarity(check_metric(phi, "check()"), describe(T), "")


class _Check:
    """One walk; knows the recursive similarities it is inside of, and what they were checked against."""

    def __init__(self) -> None:
        self.inside: dict[str, Similarity] = {}
        self.seen: list[tuple[str, Any]] = []

    def similarity(self, phi: Similarity, at: Described, path: str) -> None:
        match phi:
            case nodes.Eq(sel) | nodes.Custom(sel=sel) | nodes.Variable(sel=sel):
                follow(at, sel, path)
            case nodes.Leaf(kind, sel):
                found, place = follow(at, sel, path)
                if kind.takes and not _may_be(found, kind.takes):
                    wanted = ", ".join(cls.__name__ for cls in kind.takes)
                    raise ExpressionError(f"{_shown(place)}{kind.name} compares {wanted}, but found {_name(found)}")
            case nodes.Subset(sel):
                items(*follow(at, sel, path), "subset")
            case nodes.Overlap(sel, inner, order="tree" | "graph"):
                found, place = follow(at, sel, path)
                self.similarity(inner, nodes_of(found, place), f"{place}[]")
            case nodes.Overlap(sel=sel) | nodes.Best(sel=sel) | nodes.Contingency(sel=sel):
                found, place = follow(at, sel, path)
                single = isinstance(phi, nodes.Best) and isinstance(found.shape, ScalarShape)
                item = found if single else items(found, place, type(phi).__name__.lower())
                for inner in children(phi):
                    self.similarity(inner, item, f"{place}[]")
            case nodes.Union(sel, cases):
                found, place = follow(at, sel, path)
                for case, inner in cases:
                    self.similarity(inner, narrow(found, case, place), place)
            case nodes.Recursive(name, inner, sel):
                found, place = follow(at, sel, path)
                before, self.inside = self.inside, {**self.inside, name: inner}
                self.again(name, found, place)
                self.inside = before
            case nodes.Again(name, sel):
                if name not in self.inside:
                    raise ExpressionError(f"{_shown(path)}again({name!r}) is outside of recursive({name!r}, phi)")
                self.again(name, *follow(at, sel, path))
            case Stepped(step, inner):
                self.similarity(inner, UNKNOWN if step.gives is None else describe(step.gives), path)
            case _:
                for inner in children(phi):
                    self.similarity(inner, at, path)

    def again(self, name: str, at: Described, path: str) -> None:
        """Check the recursive similarity of that name against a type, unless that is being done."""
        if (name, at.type) not in self.seen:
            self.seen.append((name, at.type))
            self.similarity(self.inside[name], at, path)


def follow(at: Described, sel: Selector, path: str) -> tuple[Described, str]:
    """The part that the selector leads to, and its path."""
    for step in sel:
        word = step if isinstance(step, str | int) else f"{step.__name__}()"
        path = f"{path}.{word}" if path else f"{word}"
        at = _step(at, step, path)
    return at, path


def items(at: Described, path: str, word: str) -> Described:
    """The items of a collection; an item of a mapping has a key and a value."""
    match at.shape:
        case CollectionShape(item=item):
            return describe(item)
        case MappingShape(key=key, value=value):
            return Described(RecordShape(dict, (Field("key", key), Field("value", value))), (at.type, "item"))
        case TupleShape(parts):
            return describe(union(parts))
        case UnionShape(cases):
            return _any_of(cases, lambda case: items(case, path, word))
        case UnknownShape():
            return UNKNOWN
        case _:
            raise ExpressionError(f"{_shown(path)}{word} needs a collection, but found {_name(at)}")


def nodes_of(at: Described, path: str) -> Described:
    """The nodes of a tree or graph, in those forms that a type can tell."""
    match at.shape:
        case RecordShape(fields=fields):
            types = {field.name: field.type for field in fields}
            if "nodes" in types and "edges" in types:
                return items(describe(types["nodes"]), f"{path}.nodes" if path else "nodes", "overlap")
            if "children" in types:
                return at
            expected = 'a field "children", or "nodes" and "edges"'
            raise ExpressionError(f"{_shown(path)}a tree or graph has {expected}, but found {_name(at)}")
        case CollectionShape(item=item):
            return nodes_of(describe(item), f"{path}[]")
        case ScalarShape():
            raise ExpressionError(f"{_shown(path)}order tree or graph needs a structure, but found {_name(at)}")
    return UNKNOWN


def narrow(at: Described, case: type | str, path: str) -> Described:
    """The case of a union that this class, or this name of a class, stands for."""
    cases = [describe(c) for c in at.shape.cases] if isinstance(at.shape, UnionShape) else [at]
    for found in cases:
        if any(case in (cls, cls.__name__) for cls in classes(found)):
            return found
    if isinstance(case, str):
        return UNKNOWN
    known = [cls for found in cases for cls in classes(found)]
    open_ended = any(isinstance(found.shape, UnknownShape) for found in cases)
    if not open_ended and not any(issubclass(case, cls) or issubclass(cls, case) for cls in known):
        names = ", ".join(cls.__name__ for cls in known)
        raise ExpressionError(f"{_shown(path)}union has a case {case.__name__}, but the value is one of {names}")
    return describe(case)


def _step(at: Described, step: Move, path: str) -> Described:
    if not isinstance(step, str | int):
        return _return_type(step)
    match at.shape:
        case UnionShape(cases):
            return _any_of(cases, lambda case: _step(case, step, path))
        case MappingShape(value=value):
            return describe(value)
        case UnknownShape():
            return UNKNOWN
    return _position(at, step, path) if isinstance(step, int) else _attribute(at, step, path)


def _position(at: Described, step: int, path: str) -> Described:
    match at.shape:
        case CollectionShape(item=item) as shape if shape.has_order:
            return describe(item)
        case TupleShape(parts):
            types = list(parts)
        case RecordShape(cls, fields) if issubclass(cls, tuple):
            types = [field.type for field in fields]
        case _:
            raise ExpressionError(f"{path}: {_name(at)} has no positions")
    if step >= len(types):
        raise ExpressionError(f"{path}: {_name(at)} has {len(types)} parts, numbered from 0")
    return describe(types[step])


def _attribute(at: Described, step: str, path: str) -> Described:
    fields = at.shape.fields if isinstance(at.shape, RecordShape) else ()
    for field in fields:
        if field.name == step:
            return describe(field.type)
    for cls in classes(at):
        found = getattr(cls, step, None)
        if isinstance(found, property) and found.fget is not None:
            return _return_type(found.fget)
        if hasattr(cls, step):
            return UNKNOWN
    if isinstance(at.shape, CollectionShape):
        advice = f"; it is a collection: write overlap({path.removesuffix(f'.{step}')!r}, eq({step!r}))"
        raise ExpressionError(f"{path}: {_name(at)} has no field {step!r}{advice}")
    raise ExpressionError(f"{path}: {_name(at)} has no field {step!r}{suggestion(step, [f.name for f in fields])}")


def _any_of(cases: Iterable[Any], look: Callable[[Described], Described]) -> Described:
    """What is found in those cases of a union that have it; an error if none has."""
    found, errors = [], []
    for case in cases:
        try:
            found.append(look(describe(case)))
        except ExpressionError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    if len(found) == 1:
        return found[0]
    if any(isinstance(part.shape, UnknownShape) or len(part.names) > 1 for part in found):
        return UNKNOWN
    return describe(union(part.type for part in found))


def _return_type(function: Callable[..., Any]) -> Described:
    """What a function says it returns; a class used as a function returns itself."""
    if isinstance(function, type):
        return describe(function)
    try:
        return describe(get_type_hints(function, include_extras=True).get("return", Any))
    except (NameError, TypeError, AttributeError):
        return UNKNOWN


def _may_be(at: Described, wanted: tuple[type, ...]) -> bool:
    """True if a value may be of one of these classes; what a type leaves open is taken on trust."""
    match at.shape:
        case UnknownShape():
            return True
        case UnionShape(cases):
            return any(_may_be(describe(case), wanted) for case in cases)
    return at.type == "item" or any(issubclass(cls, wanted) or _is_text_enum(cls, wanted) for cls in classes(at))


def _is_text_enum(cls: type, wanted: tuple[type, ...]) -> bool:
    """Members of an Enum of strings are compared as strings."""
    return wanted == (str,) and issubclass(cls, Enum) and all(isinstance(member.value, str) for member in cls)


def _name(at: Described) -> str:
    return f"an item of {type_name(at.names[0])}" if at.names[-1] == "item" else type_name(at.type)


def _shown(path: str) -> str:
    return f"{path}: " if path else ""

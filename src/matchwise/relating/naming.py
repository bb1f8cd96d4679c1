"""One naming of the variables of several structures: those that are matched with each other get one name.

Structures are taken one after the other. Each is aligned with the union of those before it; a variable that is matched
there takes the name it has there, and any other gets a name that nobody has. Then variables can be compared as names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from matchwise.algebra.nodes import (
    Again,
    Eq,
    Latent,
    Overlap,
    Recursive,
    Selector,
    Similarity,
    Union,
    Var,
)
from matchwise.algebra.walk import children, parts, rebuild
from matchwise.engine.relation import case_for, read_elements, read_part
from matchwise.relating.merging import Merger
from matchwise.relating.rebuilding import Fixed, replace_elements, replace_part
from matchwise.views.alignment import align

ANY_VOTE = 1e-12
"""A vote that keeps whatever one structure has."""

Rename = Callable[[str, Any], Any]
"""Space and name -> another name."""


def has_variables(phi: Similarity) -> bool:
    return any(isinstance(part, Latent) for part in parts(phi))


def compare_names(phi: Similarity) -> Similarity:
    """φ with variables that are compared as names."""
    match phi:
        case Latent(inner):
            return compare_names(inner)
        case Var(sel):
            return Eq(sel)
    return rebuild(phi, tuple(compare_names(part) for part in children(phi)))


def share_names(phi: Similarity, values: list[Any]) -> list[Any] | None:
    """The structures with one naming of their variables; None where variables cannot be renamed."""
    plain = compare_names(phi)
    made = [values[0]]
    union = values[0]
    used = set(_names(phi, union))
    try:
        for value in values[1:]:
            matched = {(space, name): other for space, name, other in align(phi, value, union).variables}
            for space, name in _names(phi, value):
                if (space, name) not in matched:
                    matched[space, name] = _fresh(space, name, used)
            made.append(_renamed(phi, value, partial(_look_up, matched), {}))
            used.update((space, name) for (space, _), name in matched.items())
            union = Merger(ANY_VOTE).fill(union, plain, [union, made[-1]], [0.5, 0.5])
    except Fixed:
        return None
    return made


def _look_up(names: dict[tuple[str, Any], Any], space: str, name: Any) -> Any:
    """The new name, of the class of the old one: an alignment knows names by their content."""
    other = names[space, name]
    if type(other) is type(name):
        return other
    if not isinstance(name, str):
        raise Fixed
    return type(name)(other)


def _names(phi: Similarity, value: Any) -> list[tuple[str, Any]]:
    """The variables of a structure."""
    found: dict[tuple[str, Any], None] = {}

    def see(space: str, name: Any) -> Any:
        found.setdefault((space, name))
        return name

    _renamed(phi, value, see, {})
    return list(found)


def _fresh(space: str, name: Any, used: set[tuple[str, Any]]) -> Any:
    """A name that nobody has, of the same class."""
    if not isinstance(name, str):
        raise Fixed
    other = name
    while (space, other) in used:
        other = type(name)(f"{other}'")
    used.add((space, other))
    return other


def _renamed(phi: Similarity, value: Any, rename: Rename, around: Mapping[str, Similarity]) -> Any:
    """The structure with every variable renamed that φ selects in it."""
    match phi:
        case Var(sel, space):
            return _renamed_at(sel, value, lambda name: rename(space, name))
        case Overlap(sel, inner):
            part = read_part(value, sel)
            if part is None:
                return value
            found = read_elements(part)
            made = [_renamed(inner, element, rename, around) for element in found]
            if all(x is y for x, y in zip(found, made, strict=True)):
                return value
            return replace_part(value, sel, replace_elements(part, made))
        case Union(sel, cases):
            return _renamed_at(sel, value, lambda part: _renamed(cases[case_for(cases, part)][1], part, rename, around))
        case Recursive(name, inner, sel):
            return _renamed_at(sel, value, lambda part: _renamed(inner, part, rename, {**around, name: inner}))
        case Again(name, sel) if name in around:
            return _renamed_at(sel, value, lambda part: _renamed(around[name], part, rename, around))
    for part in children(phi):
        value = _renamed(part, value, rename, around)
    return value


def _renamed_at(sel: Selector, value: Any, rename: Callable[[Any], Any]) -> Any:
    """The structure with the selected part renamed."""
    old = read_part(value, sel)
    new = None if old is None else rename(old)
    return value if new is old else replace_part(value, sel, new)

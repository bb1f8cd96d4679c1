"""One structure out of several: elements are aligned over all of them and kept by vote, fields are weighted medoids.

The expression says what is merged: a sum or a product is merged part by part, a collection element by element, and
anything else is the value that is most similar to all values there are.

Variables that are matched with each other get one name. Structures are taken one after the other. Each is aligned with
the union of those before it; a variable that is matched there takes the name it has there, and any other gets a name
that nobody has. Then variables can be compared as names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Mapping, MutableMapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Move, Selector, Similarity
from matchwise.algebra.walk import children, close, parts, rebuild
from matchwise.arrays import Floats
from matchwise.engine.keys import record_fields
from matchwise.engine.many.relation import ObjectPairs, content_of, read_elements, read_part, read_raw
from matchwise.engine.order import content_order
from matchwise.engine.selection import MISSING, case_of, kinds_of
from matchwise.engine.solve.assignment import assign_matrix
from matchwise.views.alignment import align

SIMILAR = 0.5
"""Elements of different candidates are one if their similarity is at least this share of their self-scores."""

TIED = 1e-9
"""Votes and similarities that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class Merger:
    """Merges values by a vote; `names` are the recursive similarities around the place."""

    threshold: float
    names: Mapping[str, Similarity] = field(default_factory=dict)

    def merge(self, phi: Similarity, values: list[Any], weights: list[float]) -> Any:
        """The value that φ makes of several values, each with its weight."""
        if len({content_of(value) for value in values}) == 1:
            return values[0]
        match phi:
            case nodes.Overlap(sel=(), order=order) if order not in ("tree", "graph"):
                return self._collection(phi, values, weights)
            case nodes.Recursive(name, inner, ()):
                return replace(self, names={**self.names, name: inner}).merge(inner, values, weights)
            case nodes.Again(name, ()) if name in self.names:
                return self.merge(self.names[name], values, weights)
        return self.fill(self.medoid(phi, values, weights), phi, values, weights)

    def fill(self, base: Any, phi: Similarity, values: list[Any], weights: list[float]) -> Any:
        """The base with all parts merged that φ compares."""
        match phi:
            case (
                (nodes.Sum() | nodes.Mean() | nodes.Product() | nodes.Normalized() | nodes.Above() | nodes.Minus())
                | nodes.Latent()
                | nodes.Substitution()
            ):
                for part in children(phi):
                    base = self.fill(base, part, values, weights)
                return base
            case nodes.Harmonic(precision):
                return self.fill(base, precision, values, weights)
            case nodes.Overlap(sel=(), order="tree" | "graph"):
                return base  # the most similar of the values
            case nodes.Overlap(sel=()) | nodes.Recursive(sel=()) | nodes.Again(sel=()):
                return self.merge(phi, values, weights)
        sel = getattr(phi, "sel", ())
        return self._part(base, phi, values, weights) if sel else base

    def _part(self, base: Any, phi: Any, values: list[Any], weights: list[float]) -> Any:
        """The base with the selected part merged, or without it where most values have none."""
        parts = [read_part(value, phi.sel) for value in values]
        here = [place for place, part in enumerate(parts) if part is not None]
        if not here:
            return base
        bare = replace(phi, sel=())
        try:
            if isinstance(bare, nodes.Overlap) and bare.order not in ("tree", "graph"):
                merged = self._collection(bare, parts, weights)
            elif sum(weights[place] for place in here) < self.threshold * sum(weights) - TIED:
                merged = next(read_raw(value, phi.sel) for place, value in enumerate(values) if place not in here)
            else:
                merged = self.merge(bare, [parts[place] for place in here], [weights[place] for place in here])
            return replace_part(base, phi.sel, merged)
        except Fixed:
            return base

    def _collection(self, phi: nodes.Overlap, values: list[Any], weights: list[float]) -> Any:
        """Elements that enough values have, each merged of its versions."""
        lists = [read_elements(value) for value in values]
        kind = next(value for value in values if value is not None)
        versions = align_lists(close(phi.inner, self.names), lists, weights, phi.order)
        enough = self.threshold * sum(weights) - TIED
        made = []
        for version in versions:
            shares = [weights[place] for place in version]
            if sum(shares) >= enough:
                made.append(self.merge(phi.inner, [lists[place][at] for place, at in version.items()], shares))
        return replace_elements(kind, made)

    def medoid(self, phi: Similarity, values: list[Any], weights: list[float]) -> Any:
        """The value with the highest expected similarity to all values; the most frequent of equals."""
        votes: dict[Any, float] = {}
        first: dict[Any, Any] = {}
        for value, weight in zip(values, weights, strict=True):
            content = content_of(value)
            first.setdefault(content, value)
            votes[content] = votes.get(content, 0.0) + weight
        distinct, shares = list(first.values()), list(votes.values())
        if len(distinct) == 1:
            return distinct[0]
        expected = compare_pool(close(phi, self.names), [distinct]) @ np.array(shares)
        rank = {place: number for number, place in enumerate(content_order(distinct))}
        best = expected.max()
        near = [place for place in range(len(distinct)) if expected[place] >= best - TIED * max(1.0, best)]
        return distinct[min(near, key=lambda place: (-shares[place], rank[place]))]


def align_lists(phi: Similarity, lists: list[list[Any]], weights: list[float], order: str) -> list[dict[int, int]]:
    """Which elements of the lists are versions of one element: list -> place, in the order in which they come."""
    if order == "index":
        most = max(map(len, lists), default=0)
        return [{k: at for k, one in enumerate(lists) if at < len(one)} for at in range(most)]
    return group_versions(compare_pool(phi, lists), lists, weights, order)


def compare_pool(phi: Similarity, lists: list[list[Any]]) -> Floats:
    """The share of their self-scores that any two elements have in common, over all lists laid end to end."""
    pool = [element for one in lists for element in one]
    cells = ObjectPairs(phi, pool, pool).tile(range(len(pool)), range(len(pool)))
    own = cells.diagonal()
    whole = own[:, None] + own[None, :]
    codes = [content_of(element) for element in pool]
    equal = np.array([[float(x == y) for y in codes] for x in codes]) if (own == 0).any() else np.zeros_like(cells)
    shares: Floats = np.divide(cells + cells.T, whole, out=equal, where=whole > 0)
    return shares


def group_versions(shares: Floats, lists: list[list[Any]], weights: list[float], order: str) -> list[dict[int, int]]:
    """Group elements into versions, given the shares of their self-scores."""
    starts = np.concatenate(([0], np.cumsum([len(one) for one in lists])))
    versions: list[dict[int, int]] = []
    for number, one in enumerate(lists):
        places = np.arange(starts[number], starts[number + 1])
        table = np.zeros((len(one), len(versions)))
        for column, version in enumerate(versions):
            members = [starts[k] + at for k, at in version.items()]
            votes = np.array([weights[k] for k in version])
            table[:, column] = shares[np.ix_(places, members)] @ votes / votes.sum()
        found = dict(_match(np.where(table >= SIMILAR - TIED, table, 0.0), order))
        columns, before = list(versions), None
        for at in range(len(one)):
            if at in found:
                version = columns[found[at]]
                version[number] = at
            else:  # a new version, after that of the element before it
                version = {number: at}
                versions.insert(next((k + 1 for k, other in enumerate(versions) if other is before), 0), version)
            before = version
    return versions


def _match(table: Floats, order: str) -> list[tuple[int, int]]:
    """The best pairs of elements and versions, each used once; in a sequence, in the same order on both sides."""
    if not table.size:
        return []
    if order == "sequence":
        from matchwise.engine.solve.sequence import match_matrix

        return match_matrix("1:1", table)
    return assign_matrix(table)


ANY_VOTE = 1e-12
"""A vote that keeps whatever one structure has."""

Rename = Callable[[str, Any], Any]
"""Space and name -> another name."""


def has_variables(phi: Similarity) -> bool:
    return any(isinstance(part, nodes.Latent) for part in parts(phi))


def compare_names(phi: Similarity) -> Similarity:
    """φ with variables that are compared as names."""
    match phi:
        case nodes.Latent(inner):
            return compare_names(inner)
        case nodes.Variable(sel):
            return nodes.Eq(sel)
    return rebuild(phi, tuple(compare_names(part) for part in children(phi)))


def share_names(phi: Similarity, values: list[Any]) -> list[Any] | None:
    """The structures with one naming of their variables; None where variables cannot be renamed."""
    plain = compare_names(phi)
    made = [values[0]]
    union = values[0]
    used = set(_names(phi, union))
    try:
        for value in values[1:]:
            known = _names(phi, union)
            matched = {(space, name): known[space, other] for space, name, other in align(phi, value, union).variables}
            for (space, content), name in _names(phi, value).items():
                if (space, content) not in matched:
                    matched[space, content] = _fresh(space, name, used)
            made.append(_rename(phi, value, partial(_look_up, matched), {}))
            union = Merger(ANY_VOTE).fill(union, plain, [union, made[-1]], [0.5, 0.5])
    except Fixed:
        return None
    return made


Names: TypeAlias = dict[tuple[str, Hashable], Any]
"""Space and content of a name -> a name: an alignment knows names by their content."""


def _look_up(names: Names, space: str, name: Any) -> Any:
    """The new name, of the class of the old one."""
    other = names[space, content_of(name)]
    if type(other) is type(name):
        return other
    if not isinstance(name, str):
        raise Fixed
    return type(name)(other)


def _names(phi: Similarity, value: Any) -> Names:
    """The variables of a structure."""
    found: Names = {}

    def see(space: str, name: Any) -> Any:
        found.setdefault((space, content_of(name)), name)
        return name

    _rename(phi, value, see, {})
    return found


def _fresh(space: str, name: Any, used: set[tuple[str, Hashable]]) -> Any:
    """A new name of the same class."""
    other = name
    while (space, content_of(other)) in used:
        if not isinstance(name, str):
            raise Fixed
        other = type(name)(f"{other}'")
    used.add((space, content_of(other)))
    return other


def _rename(phi: Similarity, value: Any, rename: Rename, around: Mapping[str, Similarity]) -> Any:
    """The structure with every variable renamed that φ selects in it."""
    match phi:
        case nodes.Variable(sel, space):
            return _rename_at(sel, value, lambda name: rename(space, name))
        case nodes.Overlap(sel, inner):
            part = read_part(value, sel)
            if part is None:
                return value
            found = read_elements(part)
            made = [_rename(inner, element, rename, around) for element in found]
            if all(x is y for x, y in zip(found, made, strict=True)):
                return value
            return replace_part(value, sel, replace_elements(part, made))
        case nodes.Union(sel, cases):
            kinds = kinds_of(phi)
            return _rename_at(sel, value, lambda part: _rename(cases[case_of(kinds, part)][1], part, rename, around))
        case nodes.Recursive(name, inner, sel):
            return _rename_at(sel, value, lambda part: _rename(inner, part, rename, {**around, name: inner}))
        case nodes.Again(name, sel) if name in around:
            return _rename_at(sel, value, lambda part: _rename(around[name], part, rename, around))
    for part in children(phi):
        value = _rename(part, value, rename, around)
    return value


def _rename_at(sel: Selector, value: Any, rename: Callable[[Any], Any]) -> Any:
    """The structure with the selected part renamed."""
    old = read_part(value, sel)
    new = None if old is None else rename(old)
    return value if new is old else replace_part(value, sel, new)


class Fixed(Exception):  # no error: the part stays as it is
    """A part that cannot be replaced: the result of a function, or a value that is computed from others."""


def replace_part(value: Any, sel: Selector, part: Any) -> Any:
    """The object with another part in the selected place; `MISSING` takes the key out of a mapping."""
    if not sel:
        return part
    step, rest = sel[0], sel[1:]
    if rest:
        inner = read_part(value, (step,))
        if inner is None:
            raise Fixed
        part = replace_part(inner, rest, part)
    return _replace_step(value, step, part)


def _replace_step(value: Any, step: Move, part: Any) -> Any:
    if callable(step):
        raise Fixed
    if isinstance(value, Mapping):
        name = step if step in value or str(step) not in value else str(step)
        made: Any = copy(value) if isinstance(value, MutableMapping) else dict(value)
        if part is MISSING:
            made.pop(name, None)
        else:
            made[name] = part
        return made
    if part is MISSING:
        raise Fixed
    if isinstance(step, int) and type(value) in (list, tuple):
        return type(value)([*value[:step], part, *value[step:][1:]])
    fields = getattr(value, "_fields", None) if isinstance(value, tuple) else record_fields(type(value))
    name = fields[step] if isinstance(step, int) and fields is not None else step
    if fields is None or name not in fields:
        raise Fixed
    if isinstance(value, tuple):
        return value._replace(**{str(name): part})  # type: ignore[attr-defined]  # a named tuple
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **{str(name): part})
    if hasattr(value, "model_copy"):
        return value.model_copy(update={name: part})
    made = copy(value)
    object.__setattr__(made, str(name), part)
    return made


def replace_elements(value: Any, elements: list[Any]) -> Any:
    """A collection of the same kind with other elements."""
    if isinstance(value, Mapping):
        return dict(elements)  # items are pairs of key and value
    if isinstance(value, tuple | set | frozenset):
        return type(value)(elements)
    return elements

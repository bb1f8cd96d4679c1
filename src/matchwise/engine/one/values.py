"""Values: equality of keys, leaves with partial credit, and users' own functions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from operator import attrgetter, countOf, itemgetter
from typing import Any, TypeAlias

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts
from matchwise.algebra.facts import facts as facts_of
from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Selector, Similarity
from matchwise.engine.keys import content_of, key, keys, row_keys
from matchwise.engine.one.evaluator import Cell, Evaluator, Match, as_number
from matchwise.engine.one.parts import Elements, Part
from matchwise.engine.selection import attempt, case_of, valid

Keyer: TypeAlias = Callable[[Part], Hashable]


class Key(Evaluator):
    """φ(x, y) = ⟦key(x) = key(y)⟧: equality, and whatever comes down to it."""

    def __init__(self, phi: Similarity, facts: Facts, factors: tuple[Evaluator, ...] = ()) -> None:
        super().__init__(phi, facts)
        self.factors = factors
        """Of a product, each factor by itself."""
        self.key = keyer(phi)
        self._paths = _plain_paths(phi)

    def score(self, p: Part, r: Part) -> float:
        return int(self.key(p) == self.key(r))

    def own(self, p: Part) -> float:
        self.key(p)
        return 1

    def keys(self, us: Sequence[Part] | Elements) -> list[Hashable]:
        """The key of each part, by columns where the values are plain; where a value has none, say which."""
        if isinstance(us, Elements):
            return self._keys(us.values) or [self.key(part) for part in us.parts()]
        if not us:
            return []
        known, name = us[0].side.known, (self, id(us))
        if name not in known:
            made = self._keys([u.value for u in us]) or [self.key(part) for part in us]
            known[name] = made, us  # the list is kept, so that no other has its id
        found: list[Hashable] = known[name][0]
        return found

    def _keys(self, values: list[Any]) -> list[Hashable] | None:
        """The same by columns; None if some value has to be looked at by itself."""
        try:
            if self.phi == nodes.Eq():
                return keys(values)
            rows = fetch(values, self._paths)
            return None if rows is None else row_keys(rows)
        except ValueError:
            return None  # whoever looks at one after the other says what was refused where

    def check(self, us: Sequence[Part]) -> None:
        self.keys(us)

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        mine, where = self.keys(us), dict[Hashable, list[int]]()
        for j, k in enumerate(self.keys(vs)):
            where.setdefault(k, []).append(j)
        return [(i, j, 1) for i, k in enumerate(mine) for j in where.get(k, ())]

    def buckets(self, us: Sequence[Part], vs: Sequence[Part]) -> list[tuple[list[int], list[int]]]:
        """The places of equal keys on both sides."""
        where: dict[Hashable, tuple[list[int], list[int]]] = {}
        for i, k in enumerate(self.keys(us)):
            where.setdefault(k, ([], []))[0].append(i)
        for j, k in enumerate(self.keys(vs)):
            if k in where:
                where[k][1].append(j)
        return [bucket for bucket in where.values() if bucket[1]]

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        self.keys(us)
        self.keys(vs)

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        mine, often = self.keys(us), Counter(self.keys(vs))
        return sum(map(often.__getitem__, mine))

    def tells_apart(self, us: Sequence[Part]) -> bool:
        return len(set(self.keys(us))) == len(us)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        if not self.factors:
            return super().match(p, r, counted=counted)
        pairs = tuple(Evaluator.match(factor, p, r) for factor in self.factors)
        return self._made("product", p, r, int(all(pair.score for pair in pairs)), pairs, counted=False)


def keyer(phi: Similarity) -> Keyer:
    """The function from a part to the key of a similarity that `has_key` accepts."""
    match phi:
        case nodes.Eq(sel):
            return partial(_key, sel)
        case nodes.Leaf(kind, sel, options):
            return partial(feature, sel, kind.feature, dict(options))
        case nodes.Product(factors):
            several = [keyer(factor) for factor in factors]
            return lambda part: tuple([of(part) for of in several])
        case nodes.Minus(inner, 0) | nodes.Mean(((_, inner),)):
            return keyer(inner)
        case nodes.Above(inner) if facts_of(inner).discrete.holds:
            return keyer(inner)
        case nodes.Above(nodes.Normalized(_, nodes.Overlap(sel, inner))):  # F ≥ 1 between bags: the bags are equal
            of_element = keyer(inner)
            return lambda part: frozenset(Counter(map(of_element, part.elements(sel).parts())).items())
        case nodes.Union(sel, cases):
            by_case = [keyer(inner) for _, inner in cases]
            return lambda part: _key_of_case(part.select(sel), cases, by_case)
        case nodes.Var(sel, space):
            return partial(_pair_of_name, sel, space)
    raise AssertionError(f"{phi!r} has no key")


def _key(sel: Selector, part: Part) -> Hashable:
    selected = part.select(sel)
    try:
        return key(selected.value)
    except ValueError as error:
        raise selected.fail(str(error)) from error


def feature(sel: Selector, make: Callable[[Any, dict[str, Any]], Any], options: dict[str, Any], part: Part) -> Any:
    """What a leaf compares of a value; a value that does not fit is compared as it is."""
    selected = part.select(sel)
    if type(selected.value) is Misfit:
        return selected.value
    try:
        return make(selected.value, options)
    except ValueError as error:
        raise selected.fail(str(error)) from error


def case_number(selected: Part, cases: Any) -> int:
    """The case of a union for a value."""
    try:
        return case_of(cases, selected.value)
    except ValueError as error:
        raise selected.fail(str(error)) from error


def _key_of_case(selected: Part, cases: Any, by_case: list[Keyer]) -> Hashable:
    number = case_number(selected, cases)
    return number, by_case[number](selected)


def _pair_of_name(sel: Selector, space: str, part: Part) -> Hashable:
    """The number of the pair that a variable is in; an unmatched variable equals only itself."""
    name = _key(sel, part)
    assert part.side.variables is not None, "variables are compared under a matching only"
    return part.side.variables.get((space, name), (part.side.name, name))


def _plain_paths(phi: Similarity) -> tuple[str, ...]:
    """What a product of two equalities or more compares, if one look at each object can fetch it."""
    factors = phi.factors if isinstance(phi, nodes.Product) else ()
    if len(factors) < 2 or not all(isinstance(factor, nodes.Eq) for factor in factors):
        return ()
    sels = [factor.sel for factor in factors]  # type: ignore[attr-defined]  # equalities
    return tuple(".".join(sel) for sel in sels) if all(sel and set(map(type, sel)) == {str} for sel in sels) else ()


def fetch(values: list[Any], paths: tuple[str, ...]) -> list[Any] | None:
    """Several parts of each of many objects of one class; None if they have to be looked at one by one."""
    cls = type(values[0]) if values else None
    if not paths or cls is None or countOf(map(type, values), cls) < len(values):
        return None
    if any("." in path for path in paths) if cls is dict else issubclass(cls, Mapping):
        return None
    get = itemgetter(*paths) if cls is dict else attrgetter(*paths)
    try:
        return list(map(get, values))
    except (AttributeError, KeyError):
        return None


class Leaf(Evaluator):
    """A similarity of two values by their features."""

    dense = True
    phi: nodes.Leaf

    def __init__(self, phi: nodes.Leaf, facts: Facts) -> None:
        super().__init__(phi, facts)
        self.leaf, self.options = phi.kind, dict(phi.options)
        self._make = partial(feature, phi.sel, phi.kind.feature, self.options)

    def feature(self, p: Part) -> Any:
        """What is compared of a value."""
        known, name = p.side.known, (p, self)
        made = known.get(name)
        if made is None:
            made = known[name] = self._make(p)
        return made

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        for side in (us,) if us is vs else (us, vs):
            for part in side:
                self.feature(part)

    def score(self, p: Part, r: Part) -> float:
        x, y = self.feature(p), self.feature(r)
        if type(x) is Misfit or type(y) is Misfit:
            return int(x == y)
        try:
            return as_number(self.leaf.compare(x, y, self.options))
        except ValueError as error:
            raise blame(p.select(self.phi.sel), r.select(self.phi.sel), error) from error

    def own(self, p: Part) -> float:
        if self.facts.unit.holds:
            self.feature(p)
            return 1
        return self.score(p, p)

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        near = self._reach(us, vs)
        assert near is not None, "else all pairs are compared"
        return [(i, j, w) for i, j in near.pairs() if (w := self.score(us[i], vs[j]))]

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        near = self._reach(us, vs)
        return len(us) * len(vs) if near is None else near.count()

    def _reach(self, us: Sequence[Part], vs: Sequence[Part]) -> Reach | None:
        """Which values are within reach of each other; None if that is not known."""
        if self.leaf.reach is None:
            return None
        features = [self.feature(part) for part in (*us, *vs)]
        found = None if Misfit in map(type, features) else self.leaf.reach(features, self.options)
        return None if found is None else Reach(*found, len(us))


class Reach:
    """The closed intervals of both sides, the first `cut` of them of the predictions, and which of them meet.

    Two intervals meet if the second begins inside the first, or the first begins later, inside the second.
    """

    def __init__(self, starts: Sequence[float], ends: Sequence[float], cut: int) -> None:
        mine, theirs = starts[:cut], starts[cut:]
        self.mine, self.theirs = (sorted(range(len(side)), key=side.__getitem__) for side in (mine, theirs))
        first, second = [mine[i] for i in self.mine], [theirs[j] for j in self.theirs]
        self.inside = [
            (bisect_left(second, low), bisect_right(second, high)) for low, high in zip(mine, ends[:cut], strict=True)
        ]
        self.later = [
            (bisect_right(first, low), bisect_right(first, high)) for low, high in zip(theirs, ends[cut:], strict=True)
        ]

    def count(self) -> int:
        """How many pairs meet."""
        return sum(max(0, high - low) for low, high in (*self.inside, *self.later))

    def pairs(self) -> list[tuple[int, int]]:
        """The pairs that meet, sorted."""
        met = [(i, self.theirs[at]) for i, (low, high) in enumerate(self.inside) for at in range(low, high)]
        return sorted(met + [(self.mine[at], j) for j, (low, high) in enumerate(self.later) for at in range(low, high)])


class Custom(Evaluator):
    """A user's own function of two values, or of two lists; equal values are compared once."""

    dense = True
    phi: nodes.Custom

    def score(self, p: Part, r: Part) -> float:
        p, r = p.select(self.phi.sel), r.select(self.phi.sel)
        x, y = p.value, r.value
        if type(x) is Misfit or type(y) is Misfit:
            return int(x == y)
        found, place = self._found(p, r), (content_of(x), content_of(y))
        if place not in found:
            if self.phi.batch:
                self._ask([p], [r])
            else:
                try:
                    found[place] = as_number(valid(attempt(self.phi.function, x, y), self.phi, self.facts))
                except ValueError as error:
                    raise blame(p, r, error) from error
        return found[place]

    def _found(self, p: Part, r: Part) -> dict[tuple[Hashable, Hashable], float]:
        """What the function returned for two values of these sides, by their content."""
        found: dict[tuple[Hashable, Hashable], float] = p.side.known.setdefault((self, r.side), {})
        return found

    def own(self, p: Part) -> float:
        if self.facts.unit.holds:
            p.select(self.phi.sel)
            return 1
        return self.score(p, p)

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine = self._values(us)
        theirs = mine if us is vs else self._values(vs)
        is_known = us is vs and self.facts.unit.holds  # φ(u, u) is 1, and nobody is asked
        if self.phi.batch and not is_known and mine and theirs:
            self._ask(mine, theirs)

    def _values(self, us: Sequence[Part]) -> list[Part]:
        """The first part of each content that the function is made for."""
        found: dict[Hashable, Part] = {}
        for one in us:
            part = one.select(self.phi.sel)
            if type(part.value) is not Misfit:
                found.setdefault(content_of(part.value), part)
        return list(found.values())

    def _ask(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        """Call a function of two lists, and keep what it returns."""
        from matchwise.engine.one.table import call

        found, rows = self._found(us[0], vs[0]), call(self.phi.function, us, vs)
        for u, row in zip(us, rows, strict=True):
            x = content_of(u.value)
            for v, w in zip(vs, row, strict=True):
                try:
                    found[x, content_of(v.value)] = as_number(valid(w, self.phi, self.facts))
                except ValueError as error:
                    raise blame(u, v, error) from error


def blame(x: Part, y: Part, problem: ValueError) -> Exception:
    """The error of two values that cannot be compared with each other."""
    return x.fail(f"{problem} (compared with {y.path() or 'the reference'})")

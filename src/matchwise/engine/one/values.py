"""Values: equality of keys, leaves with partial credit, and users' own functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts
from matchwise.algebra.facts import facts as facts_of
from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Selector, Similarity
from matchwise.engine.keys import PLAIN_KEYS, content_of, key, keys
from matchwise.engine.one.evaluator import Make, Match, PairEvaluator, as_number
from matchwise.engine.one.parts import PairSide, Part, remember
from matchwise.engine.selection import attempt, case_of, fetch_all, follow, kinds_of, valid
from matchwise.engine.solve.cells import Cell

Keyer: TypeAlias = Callable[[Part], Hashable]


class Key(PairEvaluator):
    """φ(x, y) = ⟦key(x) = key(y)⟧: equality, and whatever comes down to it."""

    def __init__(self, phi: Similarity, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make, phi.factors if isinstance(phi, nodes.Product) else ())
        self._find = keyer(phi)
        self.is_bare = phi == nodes.Eq()

    def key(self, p: Part) -> Hashable:
        """The key of a part; a text or a whole number is its own."""
        return p.value if self.is_bare and type(p.value) in PLAIN_KEYS else self._remembered(p)

    @remember
    def _remembered(self, p: Part) -> Hashable:
        return self._find(p)

    def score(self, p: Part, r: Part) -> float:
        return int(self.key(p) == self.key(r))

    def own(self, p: Part) -> float:
        self.key(p)
        return 1

    def is_idle(self, p: Part, r: Part, score: float) -> bool:
        return p.side.only_wrong and score == 1 and self.tells_all

    def keys(self, us: Sequence[Part]) -> list[Hashable]:
        """The key of each part."""
        found = column_keys(self.phi, [part.value for part in us], us[0].side) if us else []
        return list(map(self.key, us)) if found is None else found

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        mine, where = self.keys(us), dict[Hashable, list[int]]()
        for j, k in enumerate(self.keys(vs)):
            where.setdefault(k, []).append(j)
        return [(i, j, 1) for i, k in enumerate(mine) for j in where.get(k, ())]

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        self.keys(us)
        self.keys(vs)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        if not self.inputs:
            return super().match(p, r, counted=counted)
        pairs = [PairEvaluator.match(factor, p, r) for factor in self.inputs]
        return self._made("product", p, r, int(all(pair.score for pair in pairs)), pairs, counted=False)


def keyer(phi: Similarity) -> Keyer:
    """The function from a part to the key of a similarity that `has_key` accepts."""
    match phi:
        case nodes.Eq(sel):
            return lambda part: apply(key, part, sel)
        case nodes.Leaf(kind, sel, options):
            chosen = dict(options)

            def feature(value: Any) -> Any:
                return value if type(value) is Misfit else kind.feature(value, chosen)

            return lambda part: apply(feature, part, sel)
        case nodes.Product(factors):
            several = [keyer(factor) for factor in factors]
            return lambda part: tuple([of(part) for of in several])
        case nodes.Minus(inner, 0) | nodes.Mean(((_, inner),)):
            return keyer(inner)
        case nodes.Above(inner) if facts_of(inner).discrete.holds:
            return keyer(inner)
        case nodes.Above(nodes.Normalized(_, nodes.Overlap(sel, inner))):  # F ≥ 1 between bags: the bags are equal
            of_element = keyer(inner)
            return lambda part: frozenset(Counter(map(of_element, part.elements(sel))).items())
        case nodes.Union(sel, cases):
            by_case, find_case = [keyer(inner) for _, inner in cases], case_finder(phi)

            def of_case(part: Part) -> Hashable:
                number, selected = find_case(part)
                return number, by_case[number](selected)

            return of_case
        case nodes.Variable(sel, space):

            def of_variable(part: Part) -> Hashable:
                """The number of the pair that a variable is in; an unmatched variable equals only itself."""
                name = apply(key, part, sel)
                assert part.side.variables is not None, "variables are compared under a matching only"
                return part.side.variables.get((space, name), (part.side.name, name))

            return of_variable
    raise AssertionError(f"{phi!r} has no key")


def column_keys(phi: Similarity, values: list[Any], side: PairSide) -> list[Hashable] | None:
    """The keys of many values, field by field, which takes a third of the time; None if they need care one by one."""
    found: list[Any] | None = values
    match phi:
        case nodes.Eq(sel) | nodes.Variable(sel) | nodes.Union(sel):
            for step in sel:
                found = None if found is None else fetch_all(found, step)
            with suppress(ValueError):  # one by one, an error says which value it is
                return None if found is None else _keys_of_selected(phi, found, side)
        case nodes.Product(factors):
            columns = [column_keys(factor, values, side) for factor in factors]
            if None not in columns:
                return list(zip(*columns, strict=True))
    return None


def _keys_of_selected(phi: Similarity, values: list[Any], side: PairSide) -> list[Hashable] | None:
    match phi:
        case nodes.Variable(_, space):
            matched = side.variables
            assert matched is not None, "variables are compared under a matching only"
            return [matched.get((space, name), (side.name, name)) for name in keys(values)]
        case nodes.Union(_, cases):
            kinds, made = kinds_of(phi), list[Hashable](values)
            numbers = [case_of(kinds, value) for value in values]
            for number in set(numbers):
                places = [place for place, one in enumerate(numbers) if one == number]
                some = column_keys(cases[number][1], [values[place] for place in places], side)
                if some is None:
                    return None
                for place, k in zip(places, some, strict=True):
                    made[place] = number, k
            return made
    return keys(values)


def apply(function: Callable[[Any], Any], part: Part, sel: Selector) -> Any:
    """Apply a function to the selected value; a value that it refuses is named."""
    value = follow(part.value, sel, part.fail) if sel else part.value
    try:
        return function(value)
    except ValueError as error:
        raise part.fail(str(error), sel) from error


def case_finder(phi: nodes.Union) -> Callable[[Part], tuple[int, Part]]:
    """The function that finds the number of the case of the selected value, and the value."""
    kinds = kinds_of(phi)

    def find_case(part: Part) -> tuple[int, Part]:
        selected = part.select(phi.sel)
        try:
            return case_of(kinds, selected.value), selected
        except ValueError as error:
            raise selected.fail(str(error)) from error

    return find_case


class LeafPair(PairEvaluator):
    """A similarity of two values by their features."""

    dense = True
    phi: nodes.Leaf

    def __init__(self, phi: nodes.Leaf, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.options, self._make = dict(phi.options), keyer(phi)

    @remember
    def feature(self, p: Part) -> Any:
        """What is compared of a value; a value that does not fit is compared as it is."""
        return self._make(p)

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        for part in us if us is vs else (*us, *vs):
            self.feature(part)

    def score(self, p: Part, r: Part) -> float:
        x, y = self.feature(p), self.feature(r)
        if type(x) is Misfit or type(y) is Misfit:
            return int(x == y)
        try:
            return as_number(self.phi.kind.compare(x, y, self.options))
        except ValueError as error:
            raise blame(p.select(self.phi.sel), r.select(self.phi.sel), error) from error

    def own(self, p: Part) -> float:
        if self.facts.unit.holds:
            self.feature(p)
            return 1
        return self.score(p, p)


class CustomPair(PairEvaluator):
    """A user's own function of two values, or of two lists; equal values are compared once."""

    dense = True
    phi: nodes.Custom

    def score(self, p: Part, r: Part) -> float:
        p, r = p.select(self.phi.sel), r.select(self.phi.sel)
        found, place = self._found(p), (content_of(p.value), content_of(r.value))
        if place not in found:
            if self.phi.batch and Misfit not in (type(p.value), type(r.value)):
                self._ask([p], [r])
            else:
                try:
                    found[place] = self.call(p.value, r.value)
                except ValueError as error:
                    raise blame(p, r, error) from error
        return found[place]

    def call(self, x: Any, y: Any) -> float:
        """What a function of two values returns; values that it is not made for are equal or not."""
        if type(x) is Misfit or type(y) is Misfit:
            return int(x == y)
        return self._check(attempt(self.phi.function, x, y))

    def _found(self, p: Part) -> dict[tuple[Hashable, Hashable], float]:
        """What the function returned for two values, by their content."""
        found: dict[tuple[Hashable, Hashable], float] = p.side.answers.setdefault(self, {})
        return found

    def _check(self, answer: Any) -> float:
        return as_number(valid(answer, self.phi, self.facts))

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
        function, found = self.phi.function, self._found(us[0])
        try:
            table = np.asarray(attempt(function, [u.value for u in us], [v.value for v in vs]), dtype=np.float64)
            if table.shape != (len(us), len(vs)):
                raise ValueError(f"{function.__name__} returned {table.shape}, expected {(len(us), len(vs))}")
        except (ValueError, TypeError) as error:
            raise us[0].fail(str(error)) from error
        for u, row in zip(us, table.tolist(), strict=True):
            x = content_of(u.value)
            for v, w in zip(vs, row, strict=True):
                try:
                    found[x, content_of(v.value)] = self._check(w)
                except ValueError as error:
                    raise blame(u, v, error) from error


def blame(x: Part, y: Part, problem: ValueError) -> Exception:
    """The error of two values that cannot be compared with each other."""
    return x.fail(f"{problem} (compared with {y.path() or 'the reference'})")

"""Equality: values, features and whole objects that are equal or not, by a key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts
from matchwise.algebra.facts import facts as facts_of
from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Selector, Similarity
from matchwise.engine.keys import PLAIN_KEYS, key, keys
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Numbers
from matchwise.engine.many.kernels import Pairs, Vector
from matchwise.engine.one.parts import PairSide, Part, remember
from matchwise.engine.operators.operator import Make, Match, Operator
from matchwise.engine.selection import Kinds, case_of, fetch_all, follow, kinds_of
from matchwise.engine.solve.cells import Cell

Keyer: TypeAlias = Callable[[Part], Hashable]

Codes = tuple[int, Vector, Vector]
"""The number of codes, and the codes of both sides."""

WIDE = 2**40
"""Products of columns beyond it are numbered anew: four million times as many codes still fit into 64 bits."""


class Equality(Operator):
    """φ(x, y) = ⟦key(x) = key(y)⟧: equality, and whatever comes down to it."""

    verb = "hash join"

    def __init__(self, phi: Similarity, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make, phi.factors if isinstance(phi, nodes.Product) else ())
        self._find = keyer(phi)
        self.is_bare = phi == nodes.Eq()
        self.factors: tuple[Similarity, ...] = phi.factors if isinstance(phi, nodes.Product) else (phi,)
        """The fields that are compared; over arrays each is numbered once, for all metrics that compare it."""

    def key(self, p: Part) -> Hashable:
        """The key of a part; a text or a whole number is its own."""
        return p.value if self.is_bare and type(p.value) in PLAIN_KEYS else self._key_of(p)

    @remember
    def _key_of(self, p: Part) -> Hashable:
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
        pairs = [Operator.match(factor, p, r) for factor in self.inputs]
        return self._made("product", p, r, int(all(pair.score for pair in pairs)), pairs, counted=False)

    def codes(self, preds: Frame, refs: Frame, *, apart: bool = True) -> Codes:
        """Number the keys: elements have equal codes if their keys are equal and, `apart`, they are of one document."""
        size, mine, theirs = 1, np.zeros(len(preds), dtype=np.intp), np.zeros(len(refs), dtype=np.intp)
        for factor in self.factors:  # a mixed-radix number
            base, first, second = _number_field(factor, preds, refs)
            size, mine, theirs = size * base, mine * base + first, theirs * base + second
            if size > WIDE:
                distinct, both = np.unique(np.concatenate((mine, theirs)), return_inverse=True)
                size, mine, theirs = len(distinct), both[: len(mine)], both[len(mine) :]
        if apart and preds.documents is not None and refs.documents is not None:
            mine, theirs = preds.documents * size + mine, refs.documents * size + theirs
        return size, mine, theirs

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        _, mine, theirs = self.codes(preds, refs)
        i, j = kernels.join(mine, theirs)
        return Pairs(i, j, np.ones(len(i)))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        _, mine, theirs = self.codes(preds, refs)
        return (mine[i] == theirs[j]).astype(np.float64)

    def volume(self, preds: Frame, refs: Frame) -> int:
        return kernels.count_pairs(*self.codes(preds, refs)[1:])

    def self_scores(self, frame: Frame) -> Vector:
        for factor in self.factors:  # the keys are kept for `codes`
            if not isinstance(factor, nodes.Eq) or frame.column(factor.sel) is None:
                keys_of(factor, frame)
        return np.ones(len(frame))

    def detail(self) -> str:
        return f"on {self.phi!r}"

    def cost(self) -> str:
        return "O(n + m)"

    def children(self) -> Iterable[tuple[str, Operator]]:
        return ()


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
        case nodes.Product(factors):
            columns = [column_keys(factor, values, side) for factor in factors]
            return None if None in columns else list(zip(*columns, strict=True))
        case nodes.Eq(sel) | nodes.Variable(sel) | nodes.Union(sel):
            for step in sel:
                found = None if found is None else fetch_all(found, step)
        case _:
            found = None
    if found is None:
        return None
    with suppress(ValueError):  # one by one, an error says which value it is
        match phi:
            case nodes.Variable(_, space):
                matched = side.variables
                assert matched is not None, "variables are compared under a matching only"
                return [matched.get((space, name), (side.name, name)) for name in keys(found)]
            case nodes.Union(_, cases):
                kinds, made = kinds_of(phi), list[Hashable](found)
                numbers = [case_of(kinds, value) for value in found]
                for number in set(numbers):
                    places = [place for place, one in enumerate(numbers) if one == number]
                    some = column_keys(cases[number][1], [found[place] for place in places], side)
                    if some is None:
                        return None
                    for place, k in zip(places, some, strict=True):
                        made[place] = number, k
                return made
        return keys(found)
    return None


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


@remember
def _number_field(phi: Similarity, preds: Frame, refs: Frame) -> Codes:
    """The keys of both sides as numbers, whatever the document."""
    if isinstance(phi, nodes.Union):
        return _number_cases(phi, preds.select(phi.sel), refs.select(phi.sel))
    p, r = (frame.column(phi.sel) if isinstance(phi, nodes.Eq) else None for frame in (preds, refs))
    if p is None or r is None:
        mine, theirs = keys_of(phi, preds), keys_of(phi, refs)
    elif p.values is r.values:
        return len(p.values), p.codes, r.codes
    else:
        mine, theirs = keys(list(p.values)), keys(list(r.values))
    numbers = Numbers()
    a, b = numbers.of(mine, len(mine)), numbers.of(theirs, len(theirs))
    return (len(numbers), a, b) if p is None or r is None else (len(numbers), a[p.codes], b[r.codes])


def _number_cases(phi: nodes.Union, preds: Frame, refs: Frame) -> Codes:
    """The numbers of each case come after those of the cases before it."""
    size, mine, theirs = 0, np.empty(len(preds), dtype=np.intp), np.empty(len(refs), dtype=np.intp)
    members = [case_members(kinds_of(phi), frame) for frame in (preds, refs)]
    for number, (_, inner) in enumerate(phi.cases):
        p, r = (side.get(number, []) for side in members)
        base, first, second = _number_field(inner, preds.take(p), refs.take(r))
        mine[p], theirs[r] = first + size, second + size
        size += base
    return size, mine, theirs


@remember
def keys_of(phi: Similarity, frame: Frame) -> list[Hashable]:
    """The keys of a similarity that `has_key` accepts, by columns where they are equal values or features."""
    match phi:
        case nodes.Eq(sel):
            values = frame.values(sel)
            try:
                return keys(values)
            except ValueError as error:
                raise _locate(key, frame, sel) from error
        case nodes.Leaf():
            return read_features(phi, frame.values(phi.sel), frame)
        case nodes.Product(factors):
            return list(zip(*(keys_of(factor, frame) for factor in factors), strict=True))
        case nodes.Above(nodes.Normalized(_, nodes.Overlap(sel, inner))):
            # F ≥ 1 between bags: the bags are equal. By columns, trees are counted in a third of the time.
            flat = frame.flat(sel)
            found, ends = keys_of(inner, flat.frame), flat.offsets.tolist()
            return [frozenset(Counter(found[a:b]).items()) for a, b in pairwise(ends)]
        case nodes.Union(sel, cases):
            selected, made = frame.select(sel), list[Hashable]([None]) * len(frame)
            for number, members in case_members(kinds_of(phi), selected).items():
                for index, k in zip(members, keys_of(cases[number][1], selected.take(members)), strict=True):
                    made[index] = (number, k)
            return made
    return list(map(keyer(phi), frame.parts()))


def read_features(phi: nodes.Leaf, values: list[Any], frame: Frame) -> list[Hashable]:
    """What a leaf compares of values of a frame; a value that does not fit is compared as it is."""
    feature, options = phi.kind.feature, dict(phi.options)
    try:
        return [value if type(value) is Misfit else feature(value, options) for value in values]
    except ValueError as error:
        raise _locate(lambda value: type(value) is Misfit or feature(value, options), frame, phi.sel) from error


def _locate(function: Callable[[Any], Any], frame: Frame, sel: Selector) -> Exception:
    """The error of the first element whose selected value a function refuses."""
    for index, value in enumerate(frame.values(sel)):
        try:
            function(value)
        except ValueError as error:
            return frame.fail(index, str(error), sel)
    raise AssertionError("a value that is refused among others is refused alone")


@remember
def case_members(kinds: Kinds, values: Frame) -> dict[int, list[int]]:
    """The values of each case of a union, whatever the similarities of the cases are."""
    classes, number_of = list(map(type, values.items)), dict[type, int]()  # a case is chosen by the class of a value
    for cls in dict.fromkeys(classes):
        index = classes.index(cls)
        try:
            number_of[cls] = case_of(kinds, values.items[index])
        except ValueError as error:
            raise values.fail(index, str(error)) from error
    numbers = np.fromiter(map(number_of.__getitem__, classes), dtype=np.intp, count=len(classes))
    return {number: np.flatnonzero(numbers == number).tolist() for number in dict.fromkeys(number_of.values())}

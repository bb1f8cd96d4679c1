"""Types: credit for a near relative in a hierarchy, for levels that agree, for shared supertypes, or by weights."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import takewhile
from math import ldexp
from typing import Any, Literal, TypeAlias, final, get_args

from matchwise.algebra.build import Selectable, selector, word
from matchwise.algebra.leaves import LeafKind, always
from matchwise.algebra.nodes import Leaf, Number, Similarity, _number
from matchwise.errors import ExpressionError, check_choice
from matchwise.similarities.values import Bag, bag, bag_f1, bag_facts, describe_value, equality, name, paired_f1, share

Credited: TypeAlias = Literal["descendant", "ancestor", "either"]
Parents: TypeAlias = Mapping[Any, Any]
"""child -> parent, or a collection of parents."""


@word
def ontology(
    parents: Parents, sel: Selectable = None, *, credit: Number = 0.5, credited: Credited = "descendant"
) -> Similarity:
    """1 if equal, `credit` if the prediction is a descendant of the reference (φ_set of MUC-4), an ancestor, or either.

    A value that the hierarchy does not name has no relatives.

    >>> import matchwise as mw
    >>> phi = mw.ontology({"bombing": "attack"})
    >>> mw.score(phi, "bombing", "attack"), mw.score(phi, "attack", "bombing")
    (0.5, 0.0)
    """
    check_choice("credited", credited, get_args(Credited))
    options = (
        ("parents", hierarchy(parents, "ontology")),
        ("credit", share("credit", credit, "credit=0.5")),
        ("credited", credited),
    )
    return Leaf(ONTOLOGY, selector(sel), options)


@word
def supertypes(parents: Parents, sel: Selectable = None) -> Similarity:
    """F1 of the supertypes of two types; a type is its own supertype.

    The value is one type, or a collection of types.

    >>> import matchwise as mw
    >>> mw.score(mw.supertypes({"bombing": "attack", "arson": "attack"}), "bombing", "arson")
    0.5
    """
    return Leaf(SUPERTYPES, selector(sel), (("parents", hierarchy(parents, "supertypes")),))


@word
def levels(sel: Selectable = None, *, separator: str = ".") -> Similarity:
    """Credit for types such as `a.b.c`: 2^(d − D) if the first d > 0 levels agree, of D in the deeper type; else 0.

    A type is a tuple or list of levels, or a string of levels joined by `separator`.

    >>> import matchwise as mw
    >>> mw.score(mw.levels(), "conflict.attack.bombing", "conflict.attack.stabbing")
    0.5
    """
    if not isinstance(separator, str) or not separator:
        raise ExpressionError(f'separator={separator!r} does not separate; write levels("type", separator=".")')
    return Leaf(LEVELS, selector(sel), (("separator", separator),))


@final
class Hierarchy(tuple[tuple[Any, Any], ...]):
    """A hierarchy as data, sorted pairs (child, parent or tuple of parents); it remembers who descends from whom."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Hierarchy, (tuple(self),)

    def ancestors(self, value: Any) -> frozenset[Any]:
        """All proper ancestors of a value."""
        known = self._ancestors.get(value)
        if known is None:
            found: set[Any] = set()
            ahead = list(self._parents.get(value, ()))
            while ahead:
                parent = ahead.pop()
                if parent not in found:
                    found.add(parent)
                    ahead.extend(self._parents.get(parent, ()))
            known = frozenset(found)
            if value in self._parents:
                self._ancestors[value] = known
        return known

    @cached_property
    def _parents(self) -> dict[Any, tuple[Any, ...]]:
        return {child: parents if isinstance(parents, tuple) else (parents,) for child, parents in self}

    @cached_property
    def _ancestors(self) -> dict[Any, frozenset[Any]]:
        return {}


def hierarchy(parents: object, builder: str) -> Hierarchy:
    """Check a mapping child -> parent(s) and make it data."""
    if not isinstance(parents, Mapping) or not parents:
        raise ExpressionError(
            f'the hierarchy of {builder} is {describe_value(parents)}; write {builder}({{"bombing": "attack"}}, "type")'
        )
    pairs: dict[Any, tuple[Any, ...]] = {}
    try:
        for child, given in parents.items():
            above = {name(parent) for parent in _several(given)} if given is not None else set()
            pairs[name(child)] = tuple(sorted(above, key=_by_text))
    except ValueError as error:
        raise ExpressionError(f"the hierarchy of {builder}: {error}; write child: parent") from None
    try:
        TopologicalSorter(pairs).prepare()
    except CycleError as error:
        raise ExpressionError(
            f"the hierarchy of {builder} has a cycle: {' -> '.join(map(str, reversed(error.args[1])))}; "
            "take one of these parents out"
        ) from None
    ordered = sorted(pairs.items(), key=lambda pair: _by_text(pair[0]))
    return Hierarchy((child, above[0] if len(above) == 1 else above) for child, above in ordered if above)


def _several(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list | tuple | set | frozenset) else (value,)


def _by_text(value: Any) -> tuple[str, str]:
    return type(value).__name__, str(value)


def feature_ontology(value: Any, options: dict[str, Any]) -> Any:
    return name(value)


def feature_supertypes(value: Any, options: dict[str, Any]) -> Bag:
    types = {name(each) for each in _several(value)}
    return bag(types.union(*(options["parents"].ancestors(each) for each in types)))


def feature_levels(value: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    match value:
        case str():
            parts = tuple(str.__str__(value).split(options["separator"]))
        case list() | tuple():
            parts = tuple(name(level) for level in value)
        case _:
            raise ValueError(
                f"expected a type such as {options['separator'].join('ab')!r}, found {describe_value(value)}"
            )
    if not parts or "" in parts:
        raise ValueError(f"expected a type without empty levels, found {describe_value(value)}")
    return parts


def compare_ontology(f: Any, g: Any, options: dict[str, Any]) -> float:
    if f == g:
        return 1.0
    parents: Hierarchy = options["parents"]
    below, above = g in parents.ancestors(f), f in parents.ancestors(g)
    related = {"descendant": below, "ancestor": above, "either": below or above}[options["credited"]]
    return float(options["credit"]) if related else 0.0


def compare_levels(f: tuple[Any, ...], g: tuple[Any, ...], options: dict[str, Any]) -> float:
    agree = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(f, g, strict=False)))
    return ldexp(1.0, agree - max(len(f), len(g))) if agree else 0.0


def facts_ontology(options: dict[str, Any]) -> dict[str, str]:
    credit, credited = options["credit"], options["credited"]
    if credit == 0:
        return equality("types")
    facts = {"bounded": "the credit is at most 1", "unit": "a type is equal to itself"}
    if credited != "either":
        facts["strong"] = "a descendant of a descendant is a descendant"
        facts["triangle"] = "strong and bounded: 1 − φ(x, y) ≤ max(1 − φ(x, z), 1 − φ(z, y))"
        return facts
    facts["symmetric"] = "descendants and ancestors get the same credit"
    if credit <= 0.5:
        facts["triangle"] = "different types are at least 1/2 and at most 1 apart"
    return facts


facts_levels = always(
    bounded="d ≤ D",
    symmetric="d and D are symmetric",
    unit="d = D for equal types",
    kernel="a product of kernels: ⟦d > 0⟧, 2^d = exp(d ln 2), and 2^−D = min(2^−|x|, 2^−|y|)",
    triangle="different types are at least 1/2 and at most 1 apart",
)

ONTOLOGY = LeafKind(
    "ontology", feature_ontology, compare_ontology, facts_ontology, leading="parents", takes=(Hashable,)
)
SUPERTYPES = LeafKind("supertypes", feature_supertypes, bag_f1, bag_facts, paired_f1, leading="parents")
LEVELS = LeafKind("levels", feature_levels, compare_levels, facts_levels, takes=(str, Sequence))


@word
def informativity(weights: Mapping[Any, Number], sel: Selectable = None) -> Similarity:
    """The smaller weight of two values, min(w(x), w(y)), such as the weights of kinds of mention (§6).

    >>> import matchwise as mw
    >>> mw.score(mw.informativity({"name": 1, "nominal": 0.5, "pronoun": 0}), "name", "nominal")
    0.5
    """
    if not isinstance(weights, Mapping) or not weights:
        raise ExpressionError(f"the weights of informativity are {describe_value(weights)}; write {_EXAMPLE}")
    try:
        pairs = [(name(value), _number(weight, "weigh by", _EXAMPLE)) for value, weight in weights.items()]
    except ValueError as error:
        raise ExpressionError(f"the weights of informativity: {error}; write {_EXAMPLE}") from None
    ordered = tuple(sorted(pairs, key=lambda pair: (type(pair[0]).__name__, str(pair[0]))))
    return Leaf(INFORMATIVITY, selector(sel), (("weights", ordered),))


_EXAMPLE = 'informativity({"name": 1, "nominal": 0.5}, "kind")'


def feature_weight(value: Any, options: dict[str, Any]) -> float:
    weights = dict(options["weights"])
    try:
        return float(weights[name(value)])
    except KeyError:
        known = ", ".join(map(repr, weights))
        raise ValueError(f"expected one of {known}, found {describe_value(value)}") from None


def compare_weights(f: float, g: float, options: dict[str, Any]) -> float:
    return min(f, g)


def facts_weights(options: dict[str, Any]) -> dict[str, str]:
    weights = [weight for _, weight in options["weights"]]
    found = {
        "symmetric": "min is symmetric",
        "left": "min(w(x), w(y)) ≤ w(x)",
        "right": "min(w(x), w(y)) ≤ w(y)",
        "strong": "min(w(x), w(y)) ≥ min(w(x), w(z), w(y))",
        "kernel": "min of numbers that are not negative is a kernel",
    }
    if max(weights) <= 1:
        found["bounded"] = "no weight is above 1"
        found["triangle"] = "strong and bounded: 1 − φ(x, y) ≤ max(1 − φ(x, z), 1 − φ(z, y))"
    if all(weight == 1 for weight in weights):
        found["unit"] = "every weight is 1"
    return found


INFORMATIVITY = LeafKind(
    "informativity", feature_weight, compare_weights, facts_weights, leading="weights", takes=(Hashable,)
)

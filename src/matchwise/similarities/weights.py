"""Mention informativity: names tell more than nominals, nominals more than pronouns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from matchwise.algebra.build import Selectable, selector, word
from matchwise.algebra.nodes import Leaf, LeafKind, Number, Similarity, _number
from matchwise.errors import ExpressionError
from matchwise.similarities.values import found, name

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray


@word
def informativity(weights: Mapping[Any, Number], sel: Selectable = None) -> Similarity:
    """The smaller weight of two values, min(w(x), w(y)), such as the weights of kinds of mention (§6).

    >>> options = dict(informativity({"name": 1, "nominal": 0.5, "pronoun": 0}, "kind").options)
    >>> compare(feature("name", options), feature("nominal", options), options)
    0.5
    """
    if not isinstance(weights, Mapping) or not weights:
        raise ExpressionError(f"the weights of informativity are {found(weights)}; write {_EXAMPLE}")
    try:
        pairs = [(name(value), _number(weight, "weigh by", _EXAMPLE)) for value, weight in weights.items()]
    except ValueError as error:
        raise ExpressionError(f"the weights of informativity: {error}; write {_EXAMPLE}") from None
    ordered = tuple(sorted(pairs, key=lambda pair: (type(pair[0]).__name__, str(pair[0]))))
    return Leaf(INFORMATIVITY, selector(sel), (("weights", ordered),))


_EXAMPLE = 'informativity({"name": 1, "nominal": 0.5}, "kind")'


def feature(value: Any, options: dict[str, Any]) -> float:
    weights = dict(options["weights"])
    try:
        return float(weights[name(value)])
    except KeyError:
        known = ", ".join(map(repr, weights))
        raise ValueError(f"expected one of {known}, found {found(value)}") from None


def compare(f: float, g: float, options: dict[str, Any]) -> float:
    return min(f, g)


def matrix(fs: list[float], gs: list[float], options: dict[str, Any]) -> NDArray[float64]:
    import numpy as np

    smaller: NDArray[float64] = np.minimum.outer(np.array(fs, float), np.array(gs, float))
    return smaller


def facts(options: dict[str, Any]) -> dict[str, str]:
    weights = [weight for _, weight in options["weights"]]
    facts = {
        "symmetric": "min is symmetric",
        "left": "min(w(x), w(y)) ≤ w(x)",
        "right": "min(w(x), w(y)) ≤ w(y)",
        "strong": "min(w(x), w(y)) ≥ min(w(x), w(z), w(y))",
        "kernel": "min of numbers that are not negative is a kernel",
    }
    if max(weights) <= 1:
        facts["bounded"] = "no weight is above 1"
        facts["triangle"] = "strong and bounded: 1 − φ(x, y) ≤ max(1 − φ(x, z), 1 − φ(z, y))"
    if all(weight == 1 for weight in weights):
        facts["unit"] = "every weight is 1"
    return facts


INFORMATIVITY = LeafKind("informativity", feature, compare, facts, matrix, leading="weights")

"""Objects as weighted tokens, so that two objects are never more similar than the tokens they share.

    ψ(x, y) ≤ Σ { weight(token) : token in x and in y } + min(slack(x), slack(y))

An equality is a token, an element of a bag is one, and so is a field of an element: each field is matched by itself,
which can only add to the score. What has partial credit is slack: as much as it scores with itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Latent, Mean, Minus, Overlap, Product, Similarity, Sum
from matchwise.engine.relation import Column, has_key, relax_variables

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Place: TypeAlias = tuple[int, ...]
"""The part of ψ that a token belongs to, as the way to it."""


class Unbounded(Exception):  # no error: all pairs are compared
    """A part of ψ is not known to have an upper bound."""


class Tokens:
    """The tokens of the objects of one list: how often owner i has token k, and the slack of each owner."""

    def __init__(self, owners: list[int], codes: list[int], slack: Floats) -> None:
        self.owners, self.codes, self.slack = owners, codes, slack


class Vocabulary:
    """Numbers for tokens, the same for all lists, and the weight of each."""

    def __init__(self, psi: Similarity | None, keys: tuple[Similarity, ...]) -> None:
        self.psi, self.keys = psi, keys
        self.weights: list[float] = []
        self._codes: dict[Hashable, int] = {}
        self._blocks: dict[Hashable, int] = {}

    def blocks(self, xs: Sequence[Any]) -> list[int]:
        """The number of the block of each object: objects of two blocks have different keys."""
        if not self.keys:
            return [0] * len(xs)
        column = Column.of(xs)
        found = zip(*(column.keys(key) for key in self.keys), strict=True)
        made = [self._blocks.setdefault(key, len(self._blocks)) for key in found]
        column.forget()
        return made

    def tokens(self, xs: Sequence[Any], blocks: list[int]) -> Tokens:
        """What ψ compares of each object; objects of different blocks share nothing."""
        import numpy as np

        made = Tokens([], [], np.zeros(len(xs)))
        if self.psi is not None:
            column = Column.of(xs)
            self._add(made, self.psi, column, list(range(len(xs))), list(blocks), 1.0, ())
            column.forget()
        return made

    def _add(
        self,
        made: Tokens,
        phi: Similarity,
        column: Column,
        owners: list[int],
        prefix: list[Any],
        weight: float,
        place: Place,
    ) -> None:
        if not weight or not len(column):
            return
        if has_key(phi):
            self._add_keys(made, column.keys(phi), owners, prefix, weight, place)
            return
        match phi:
            case Sum():
                for number, (factor, bare, kept, own) in enumerate(column.terms(phi)):
                    those = [owners[i] for i in kept], [prefix[i] for i in kept]
                    self._add(made, bare, own, *those, weight * float(factor), (*place, number))
            case Mean(terms):
                total = float(sum(factor for factor, _ in terms))
                for number, (factor, part) in enumerate(terms):
                    self._add(made, part, column, owners, prefix, weight * float(factor) / total, (*place, number))
            case Minus(inner):
                self._add(made, inner, column, owners, prefix, weight, place)
            case Latent(inner):
                self._add(made, relax_variables(inner), column, owners, prefix, weight, place)
            case Overlap(sel, inner, match, order) if order == "index" or (
                match == "1:1" and order in ("bag", "sequence")
            ):
                own, of = column.elements(sel)
                self._add(made, inner, own, [owners[i] for i in of], [prefix[i] for i in of], weight, (*place, 0))
            case Product(factors):
                self._add_product(made, factors, phi, column, owners, prefix, weight, place)
            case _:
                self._add_slack(made, phi, column, owners, weight)

    def _add_product(
        self,
        made: Tokens,
        factors: tuple[Similarity, ...],
        phi: Similarity,
        column: Column,
        owners: list[int],
        prefix: list[Any],
        weight: float,
        place: Place,
    ) -> None:
        """Keys that go with one factor of any size make tokens of theirs; factors of at most 1 only take away."""
        keys = [column.keys(factor) for factor in factors if has_key(factor)]
        unbounded = [factor for factor in factors if not facts(factor).bounded]
        if len(unbounded) == 1:
            joint = list(zip(prefix, *keys, strict=True)) if keys else prefix
            self._add(made, unbounded[0], column, owners, joint, weight, place)
        elif keys and not unbounded:
            self._add_keys(made, list(zip(*keys, strict=True)), owners, prefix, weight, place)
        else:
            self._add_slack(made, phi, column, owners, weight)

    def _add_keys(
        self, made: Tokens, keys: list[Any], owners: list[int], prefix: list[Any], weight: float, place: Place
    ) -> None:
        codes, weights = self._codes, self.weights
        for name in zip(prefix, keys, strict=True):
            code = codes.setdefault((place, name), len(weights))
            if code == len(weights):
                weights.append(weight)
            made.codes.append(code)
        made.owners += owners

    def _add_slack(self, made: Tokens, phi: Similarity, column: Column, owners: list[int], weight: float) -> None:
        import numpy as np

        known = facts(phi)
        if known.left and known.right:
            most = np.array([float(value) for value in column.self_scores(phi)])
        elif known.bounded:
            most = np.ones(len(column))
        else:
            raise Unbounded
        made.slack += weight * np.bincount(owners, most, len(made.slack))

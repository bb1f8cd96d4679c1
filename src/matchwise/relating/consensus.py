"""One structure for several candidates: the one of the highest expected similarity, or one that is merged of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, NamedTuple

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Normalized
from matchwise.algebra.steps import with_step
from matchwise.corpus.suite import Scorable
from matchwise.engine.many.relation import content_of
from matchwise.engine.order import content_order
from matchwise.errors import ExpressionError
from matchwise.relating.comparison import ListComparison, Tile, list_objects
from matchwise.relating.merging import TIED, Fixed, Merger, compare_names, has_variables, share_names
from matchwise.relating.optimum import build, find_best, variants
from matchwise.sheets.shown import Tabled
from matchwise.views.alignment import Alignment, align
from matchwise.views.values import plain, shorten

CLIMBED = 2_000
"""Pairs, at most, that are compared to change one part of a structure."""

THRESHOLDS = (0.5, 0.4, 0.6, 0.3)
"""Votes that are tried where none is given; of equally good ones the first."""


class Support(NamedTuple):
    """How well the candidates agree with a part of the result: its mean score, as a share of what it could score."""

    path: str
    support: float


@dataclass(frozen=True, repr=False, slots=True)
class Consensus(Tabled):
    """What the candidates have in common.

    >>> from matchwise import consensus, f1
    >>> found = consensus(f1("xs"), [{"xs": ["a", "b"]}, {"xs": ["a"]}, {"xs": ["a", "c"]}])
    >>> found.value
    {'xs': ['a']}
    """

    value: Any
    kind: Literal["merged", "candidate"]
    expected: float
    """Σ w · φ(value, candidate) / Σ w."""
    best: int
    """The place of the candidate of the highest expected φ."""
    best_expected: float
    threshold: float | None
    """The share of votes that kept an element, if the value is merged by votes."""
    bound: float | None
    """No structure has a higher expected φ than this; None if nothing is known."""
    support: tuple[Support, ...]

    @property
    def proved(self) -> bool:
        """Whether no structure agrees better with the candidates."""
        return self.bound is not None and self.expected >= self.bound - TIED

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "expected": self.expected,
            "best": self.best,
            "best_expected": self.best_expected,
            "threshold": self.threshold,
            "bound": self.bound,
            "proved": self.proved,
            "support": {part.path: part.support for part in self.support},
        }

    def __str__(self) -> str:
        at_most = "" if self.bound is None else f", none above {self.bound:.4f}"
        said = f"expected {self.expected:.4f}{', proved' if self.proved else at_most}"
        if self.kind == "candidate":
            return f"candidate {self.best}: {said}"
        return f"merged: {said} (the best candidate, {self.best}: {self.best_expected:.4f})"

    def __repr__(self) -> str:
        return f"<Consensus {self}>"

    def tables(self, *, brief: bool = False) -> dict[str, list[dict[str, Any]]]:
        return {"support": [part._asdict() for part in self.support]}

    def notes(self) -> list[str]:
        return [str(self), f"value: {shorten(repr(plain(self.value)), 400)}"]


def consensus(
    phi: Scorable,
    candidates: Iterable[Any],
    *,
    merge: bool = True,
    threshold: float | None = None,
    weights: Sequence[float] | None = None,
) -> Consensus:
    """Find a structure that agrees well with all candidates under φ, and say how much better any other could be.

    >>> import matchwise as mw
    >>> found = mw.consensus(mw.f1(), [["a", "b"], ["b", "c"], ["a", "c", "d"]])
    >>> found.value, round(found.expected, 3), found.best, round(found.best_expected, 3)
    (['a', 'b', 'c'], 0.756, 0, 0.633)

    Without `merge` it is the candidate with the highest expected φ (minimum Bayes risk): Σ w · φ(candidate, other) over
    all candidates, itself included. With `merge`, elements are aligned over all candidates and kept if the
    candidates that have them hold at least `threshold` of the weight; a field is the weighted medoid of its values.
    Without a threshold, several are tried, and for F_β, precision and recall of exact fields and bags of exact elements
    the optimum is found. A merged structure is taken only if its expected φ is above that of the best candidate: `kind`
    says which of the two the value is. `bound` is what no structure exceeds, `proved` whether the value reaches it.
    """
    given = list_objects(candidates, "candidates")
    comparison = ListComparison(phi, given)
    shares = _check_weights(comparison, weights, threshold)
    comparison.check_together()
    table = comparison.tile(Tile(range(len(shares)), range(len(shares))))
    expected = [sum(w * float(s) for w, s in zip(shares, row, strict=True)) for row in table]
    rank = {place: number for number, place in enumerate(content_order(comparison.xs))}
    order = sorted(range(len(shares)), key=lambda place: (-round(expected[place], 9), rank[place]))
    best = order[0]
    made = Consensus(given[best], "candidate", expected[best], best, expected[best], None, None, ())
    if comparison.step is not None:
        return _add_support(made, comparison, shares)
    optimum = find_best(comparison.phi, [comparison.xs[place] for place in order], [shares[place] for place in order])
    made = replace(made, bound=None if optimum is None else max(optimum.bound, made.expected))
    if not merge or len(set(map(content_of, comparison.xs))) == 1:
        return _add_support(made, comparison, shares)
    psi, values = comparison.phi, [comparison.xs[place] for place in order]
    if has_variables(psi):
        psi, values = compare_names(psi), share_names(psi, values) or []
    votes = [shares[place] for place in order]
    searched = psi if threshold is None and isinstance(psi, Normalized) and psi == comparison.phi else None
    if searched is not None and optimum is not None and optimum.tokens is not None and not made.proved:
        with suppress(Fixed):
            made = _better(made, comparison, [build(searched, values, optimum.tokens)], shares)
    for tried in (THRESHOLDS if threshold is None else (threshold,)) if values and not made.proved else ():
        found = _better(made, comparison, [Merger(tried).fill(values[0], psi, values, votes)], shares)
        made = made if found is made else replace(found, threshold=tried)
    if searched is not None and facts(searched).bounded:  # else a structure that repeats a part gains without end
        with suppress(Fixed):
            made = _climb(made, comparison, searched, values, shares)
    return _add_support(made, comparison, shares)


def _check_weights(comparison: ListComparison, weights: Sequence[float] | None, threshold: float | None) -> list[float]:
    """The weights of the candidates, which add up to 1."""
    number = len(comparison.xs)
    if not number:
        raise ExpressionError("consensus() needs at least one candidate")
    if threshold is not None and not 0 < threshold <= 1:
        raise ExpressionError(f"threshold={threshold!r}; write the share of votes an element needs, such as 0.5")
    if weights is None:
        return [1 / number] * number
    if len(weights) != number or not all(weight >= 0 for weight in weights) or not 0 < sum(weights) < float("inf"):
        raise ExpressionError(
            f"weights={list(weights)!r}; write one number from 0 for each of the {number} candidates, not all of them 0"
        )
    return [weight / sum(weights) for weight in weights]


def _better(made: Consensus, comparison: ListComparison, values: list[Any], shares: list[float]) -> Consensus:
    """What was found, or the best of some other structures if it is better."""
    table = ListComparison(comparison.phi, values, comparison.ys).tile(Tile(range(len(values)), range(len(shares))))
    expected = [sum(w * float(s) for w, s in zip(shares, row, strict=True)) for row in table]
    score = max(expected, default=0.0)
    if score <= made.expected + TIED:
        return made
    return replace(made, value=values[expected.index(score)], kind="merged", expected=score, threshold=None)


def _climb(
    made: Consensus, comparison: ListComparison, psi: Normalized, values: list[Any], shares: list[float]
) -> Consensus:
    """Change one part after the other as long as that helps, where there are not too many."""
    value = values[0] if made.kind == "candidate" else made.value
    while not made.proved:
        others = list(islice(variants(psi, value, values), CLIMBED + 1))
        if len(others) * len(shares) > CLIMBED:
            return made
        found = _better(made, comparison, others, shares)
        if found is made:
            return made
        made, value = found, found.value
    return made


def _add_support(made: Consensus, comparison: ListComparison, shares: list[float]) -> Consensus:
    """The result with the support of its parts: elements of collections, and fields of records."""
    value = comparison.xs[made.best] if made.kind == "candidate" else made.value  # as the metric reads it

    def of(other: Any) -> dict[str, float]:
        return _shares(align(with_step(comparison.step, comparison.phi), value, other))

    total = dict.fromkeys(of(value), 0.0)  # all its parts, in order
    for candidate, weight in zip(comparison.ys, shares, strict=True):
        for path, share in of(candidate).items():
            total[path] = total.get(path, 0.0) + weight * share
    return replace(made, support=tuple(Support(path, min(1.0, share)) for path, share in total.items()))


def _shares(alignment: Alignment) -> dict[str, float]:
    """The score of each part of the left side, as a share of its self-score; the outermost pair of a part counts."""
    found: dict[str, float] = {}
    for node in alignment.walk():
        if node.pred_path and node.predicted:
            found.setdefault(node.pred_path, float(node.score / node.predicted))
        for part in node.spurious:
            found.setdefault(part.path, 0.0)
    return found

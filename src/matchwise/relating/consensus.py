"""One structure for several candidates: the one of the highest expected similarity, or one that is merged of them.

How similar can any structure be to all of them on average? Structures are bags of tokens (`matchwise.relating.search`):
Σ(S, s) is at most the weight of the tokens they share. Once the size T of S is fixed, F_β is a sum over its tokens,

    Σ_i w_i F_β(S, s_i) ≤ Σ_{t ∈ S} weight(t) · Σ_{i: t ∈ s_i} (1 + β²) w_i / (T + β² |s_i|),

so that the best S of each size holds the tokens with the largest terms, and the best of all sizes is an upper bound. It
is reached where structures are nothing but tokens: records of exact fields and of bags of exact elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, pairwise
from math import lcm
from typing import Any, Literal, NamedTuple

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Normalized, Overlap, Product, Selector, Similarity, Sum
from matchwise.algebra.steps import with_step
from matchwise.arrays import Floats
from matchwise.corpus.suite import Scorable
from matchwise.engine.many.relation import column_of, content_of, keys_of, own_scores, read_elements, read_part
from matchwise.engine.order import content_order
from matchwise.engine.rewrite import has_key
from matchwise.engine.selection import MISSING
from matchwise.errors import ExpressionError
from matchwise.relating.comparison import ListComparison, Tile, list_objects
from matchwise.relating.merging import (
    TIED,
    Fixed,
    Merger,
    compare_names,
    has_variables,
    replace_elements,
    replace_part,
    share_names,
)
from matchwise.relating.search import Unbounded, Vocabulary
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

    >>> import matchwise as mw
    >>> found = mw.consensus(mw.f1("xs"), [{"xs": ["a", "b"]}, {"xs": ["a"]}, {"xs": ["a", "c"]}])
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


STEPS = 256
"""Sizes at which a bound is looked for, where sizes are not multiples of a unit."""

SORTED, PACKED = 10_000_000, 50_000
"""Sizes times tokens, at most, that are tried one by one: where all tokens weigh the same, and where they do not."""


@dataclass(frozen=True, slots=True)
class BestStructure:
    """The highest expected similarity that any structure can have, and the tokens that have it, if they are known."""

    bound: float
    tokens: Counter[Hashable] | None = None


def find_best(phi: Similarity, values: list[Any], shares: list[float]) -> BestStructure | None:
    """The bound for φ, None if nothing is known."""
    known = facts(phi)
    trivial = BestStructure(1.0) if known.bounded else None
    if not isinstance(phi, Normalized) or not _is_sized(phi.inner):
        return trivial
    if phi.kind in ("jaccard", "edit"):
        phi = replace(phi, kind="f1")  # J ≤ F, and so is the edit similarity
    try:
        votes = Votes.of(phi, values, shares)
    except Unbounded:
        return trivial
    found = votes.best()
    return replace(found, bound=min(1.0, found.bound)) if trivial else found


def _is_sized(phi: Similarity) -> bool:
    """Whether the self-score of a structure is the weight of its tokens and its slack."""
    if has_key(phi):
        return True
    match phi:
        case Sum(terms) | nodes.Mean(terms):
            return all(_is_sized(part) for _, part in terms)
        case Overlap(inner=inner, match=match, order=order, align_by=None) if order == "index" or (
            match == "1:1" and order in ("bag", "sequence")
        ):
            return _is_sized(inner)
        case Product(factors):
            large = [factor for factor in factors if not facts(factor).bounded]
            return all(facts(factor).unit for factor in factors if factor not in large) and all(map(_is_sized, large))
    return bool(facts(phi).left and facts(phi).right)


@dataclass(frozen=True, slots=True)
class Votes:
    """The m-th copy of each token, its size, and which candidates have it."""

    phi: Normalized
    names: list[Hashable]
    sizes: Floats
    have: Floats
    """Copies × candidates, 0 or 1."""
    groups: list[Any]
    """Copies of which a structure has one at most: the values of a field."""
    slack: Floats
    wholes: Floats
    """The self-score of each candidate."""
    shares: Floats

    @staticmethod
    def of(phi: Normalized, values: list[Any], shares: list[float]) -> Votes:
        vocabulary = Vocabulary(phi.inner, ())
        tokens = vocabulary.tokens(values, [0] * len(values))
        often = Counter(zip(tokens.codes, tokens.owners, strict=True))
        most: dict[int, int] = {}
        for (code, _), number in often.items():
            most[code] = max(most.get(code, 0), number)
        names = {code: name for name, code in vocabulary.codes.items()}
        copies = [(code, copy) for code, number in most.items() for copy in range(number)]
        have = np.array([[float(often[code, owner] > copy) for owner in range(len(values))] for code, copy in copies])
        wholes = own_scores(phi.inner, values)
        is_sum = isinstance(phi.inner, Sum)
        places = [names[code][0] for code, _ in copies]
        groups = [place if is_sum and len(place) == 1 else (place, copy) for copy, place in enumerate(places)]
        return Votes(
            phi, [names[code] for code, _ in copies], np.array([vocabulary.weights[code] for code, _ in copies]),
            have.reshape(len(copies), len(values)), groups, tokens.slack, wholes, np.array(shares),
        )  # fmt: skip

    def best(self) -> BestStructure:
        """The best of all sizes; sizes between two steps are bounded by the smaller divisor and the larger size."""
        unit = self._unit()
        if unit is None:
            most = float(self.sizes.sum() + self.slack.max(initial=0))
            steps = np.linspace(0, most, STEPS + 1)
            bounds = (self._fill(low, high) for low, high in pairwise(steps.tolist()))
            return BestStructure(max([self._constant(0), *bounds]))
        whole = np.rint(self.sizes / unit).astype(int)
        found = BestStructure(self._constant(0), Counter())
        for size in range(1, int(whole.sum()) + 1):
            value, chosen = self._choose(size, size * unit, whole)
            if value > found.bound + 1e-12:
                found = BestStructure(value, Counter(self.names[place] for place in chosen))
        return found

    def _unit(self) -> float | None:
        """What all sizes are multiples of, if they are few."""
        if self.slack.any() or not len(self.sizes):
            return None if self.slack.any() else 1.0
        exact = [Fraction(size).limit_denominator(1000) for size in self.sizes.tolist()]
        if any(abs(float(size) - one) > 1e-12 for size, one in zip(exact, self.sizes.tolist(), strict=True)):
            return None
        are_alike = len(set(exact)) == 1
        unit = float(exact[0] if are_alike else Fraction(1, lcm(*(size.denominator for size in exact))))
        return unit if float(self.sizes.sum()) / unit * len(exact) <= (SORTED if are_alike else PACKED) else None

    def _terms(self, size: float) -> Floats:
        """What a matched part adds, by candidate, for structures of a size; 0 where the score is 0/0."""
        square = float(self.phi.beta) ** 2
        match self.phi.kind:
            case "precision":
                above, below = 1.0, np.full(len(self.wholes), size)
            case "recall":
                above, below = 1.0, self.wholes
            case _:
                above, below = 1 + square, size + square * self.wholes
        terms: Floats = np.divide(above * self.shares, below, out=np.zeros(len(below)), where=below > 0)
        return terms

    def _constant(self, size: float) -> float:
        """What 0/0 adds: candidates whose divisor is 0."""
        return float(self.phi.empty) * float(self.shares[self._terms(size) == 0].sum())

    def _choose(self, size: int, whole_size: float, whole: Any) -> tuple[float, list[int]]:
        """The tokens of the highest value that have exactly a size."""
        gains = self.sizes * (self.have @ self._terms(whole_size))
        places = self._one_of_each_group(gains)
        constant = self._constant(whole_size)
        if (whole == 1).all():
            if size > len(places):
                return -1.0, []
            return float(gains[places[:size]].sum()) + constant, places[:size]
        # A knapsack that is filled exactly.
        table = np.full((len(places) + 1, size + 1), -np.inf)
        table[0, 0] = 0
        for row, place in enumerate(places, start=1):
            table[row] = table[row - 1]
            if whole[place] <= size:
                table[row, whole[place] :] = np.maximum(
                    table[row - 1, whole[place] :], table[row - 1, : size + 1 - whole[place]] + gains[place]
                )
        chosen, left = [], size
        for row in range(len(places), 0, -1):
            if table[row, left] > table[row - 1, left]:
                chosen.append(places[row - 1])
                left -= int(whole[places[row - 1]])
        return float(table[-1, size]) + constant, chosen

    def _fill(self, low: float, high: float) -> float:
        """At most what structures of a size from low to high are worth: tokens may be cut, and slack is shared."""
        if self.phi.kind == "precision" and not low:
            return float(self.shares.sum())
        terms = self._terms(low)
        gains = self.have @ terms
        places = self._one_of_each_group(gains)
        pieces = [(float(gains[place]), float(self.sizes[place])) for place in places]
        for before, after in pairwise([0.0, *sorted(set(self.slack.tolist()) - {0.0})]):
            pieces.append((float(terms[self.slack >= after].sum()), after - before))
        total, room = self._constant(high), high
        for gain, size in sorted(pieces, reverse=True):
            taken = min(size, room)
            total += gain * taken
            room -= taken
        return total

    def _one_of_each_group(self, gains: Floats) -> list[int]:
        """The places of the copies that gain most, one of each group, by falling gain."""
        order: list[int] = np.argsort(-gains, kind="stable").tolist()
        if len(set(self.groups)) == len(order):
            return order
        kept: dict[Any, int] = {}
        for place in order:
            kept.setdefault(self.groups[place], place)
        return list(kept.values())


def build(phi: Normalized, values: list[Any], tokens: Counter[Hashable]) -> Any:
    """A structure of these tokens, made of the parts that the values have; raises `Fixed` where there is none."""
    made = values[0]
    for place, part in root_parts(phi):
        sel: Selector = part.sel
        there = [one for one in (read_part(value, sel) for value in values) if one is not None]
        if isinstance(part, Overlap) and has_key(part.inner) and part.order == "bag":
            found = _take(part.inner, list(map(read_elements, there)), (*place, 0), tokens)
            made = replace_part(made, sel, replace_elements(there[0] if there else [], found))
        elif has_key(part) and sel and place:
            found = _take(replace(part, sel=()), [[one] for one in there], place, tokens)
            if found or read_part(made, sel) is not None:
                made = replace_part(made, sel, found[0] if found else MISSING)
        else:
            raise Fixed
        if isinstance(read_part(made, sel), Mapping):
            raise Fixed  # it cannot hold two values of one key
    return made


def root_parts(phi: Normalized) -> list[tuple[tuple[int, ...], Any]]:
    """The terms of a normalised sum, or its only part, with their places; raises `Fixed` if they share a part."""
    inner = phi.inner
    found: list[tuple[tuple[int, ...], Any]] = [((), inner)]
    if isinstance(inner, Sum):
        found = [((number,), part) for number, (_, part) in enumerate(inner.terms)]
    if not all(hasattr(part, "sel") for _, part in found):
        raise Fixed
    sels: list[Selector] = [part.sel for _, part in found]
    if any(a[: len(b)] == b for i, a in enumerate(sels) for j, b in enumerate(sels) if i != j):
        raise Fixed
    return found


def variants(phi: Normalized, value: Any, values: list[Any]) -> Iterator[Any]:
    """The structures that differ from one in a single part: another value of a field, an element more or less."""
    for place, part in root_parts(phi):
        there = [one for one in (read_part(other, part.sel) for other in values) if one is not None]
        own = read_part(value, part.sel)
        with suppress(Fixed):
            if not isinstance(part, Overlap) or part.order in ("tree", "graph"):
                if own is not None and place:  # a term of a sum may be absent
                    yield replace_part(value, part.sel, MISSING)
                for one in {content_of(one): one for one in there}.values():
                    yield replace_part(value, part.sel, one)
            elif part.order == "bag" and there and not any(isinstance(some, Mapping) for some in there):
                elements = read_elements(own)
                for left_out in range(len(elements)):
                    rest = elements[:left_out] + elements[left_out + 1 :]
                    yield replace_part(value, part.sel, replace_elements(there[0], rest))
                for one in {content_of(one): one for some in there for one in read_elements(some)}.values():
                    yield replace_part(value, part.sel, replace_elements(there[0], [*elements, one]))


def _take(phi: Similarity, lists: list[list[Any]], place: tuple[int, ...], tokens: Counter[Hashable]) -> list[Any]:
    """As many parts of each token as there should be; a new one comes after the part that it follows in its list."""
    first: dict[Hashable, Any] = {}
    order: list[Hashable] = []
    for parts in lists:
        at = 0
        for name, part in zip(keys_of(phi, column_of(parts)), parts, strict=True):
            if name not in first:
                first[name] = part
                order.insert(at, name)
            at = order.index(name) + 1
    return [first[name] for name in order for _ in range(tokens[place, (0, name)])]

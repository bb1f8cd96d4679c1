"""All pairs with φ(x, y) ≥ t, without comparing all pairs: who shares too little cannot reach t.

Objects are weighted tokens, so that two objects are never more similar than the tokens they share:

    ψ(x, y) ≤ Σ { weight(token) : token in x and in y } + min(slack(x), slack(y))

An equality is a token, an element of a bag is one, and so is a field of an element: each field is matched by itself,
which can only add to the score. What has partial credit is slack: as much as it scores with itself.

A threshold φ(x, y) ≥ t demands equal keys of a pair, and that an inner similarity ψ is large enough:

    φ(x, y) ≥ t  ⟹  key(x) = key(y)  and  ψ(x, y) ≥ p · ψ(x, x) + q · ψ(y, y) + c

For F₁ p = q = t / 2, for Jaccard p = q = t / (1 + t), for precision p = t and q = 0. A pair that does not meet the
demand need not be compared; a pair that meets it may still be below t.

Tokens are ordered from rare to frequent. From each object the rarest are taken, until the others, with the
slack, cannot reach what t demands. Two objects that reach t share one of these tokens (prefix filtering, Chaudhuri et
al. 2006, with weights and slack); an object whose slack alone reaches it is compared with its whole block.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Above, Harmonic, Latent, Mean, Minus, Normalized, Overlap, Product, Similarity, Sum
from matchwise.arrays import Floats, Integers
from matchwise.engine.many.frame import Frame
from matchwise.engine.many.kernels import join, occurrences
from matchwise.engine.many.relation import column_of, keys_of, own_scores, terms_of
from matchwise.engine.operators.build import operator
from matchwise.engine.rewrite import has_key, outermost, relax
from matchwise.errors import check_jobs
from matchwise.relating.comparison import ListComparison, share_work, tiles

if TYPE_CHECKING:
    from matchwise.runners.runner import Done

TOLERANCE = 1e-6
"""Share by which a demand is lowered, so that no pair is lost by rounding."""

CANDIDATES = 2_000_000
"""Pairs that are looked at together."""

BOUNDED = 200_000
"""Pairs whose tokens are laid out together."""

AT_ONCE = 20_000
"""Pairs that are compared together."""


FoundPart: TypeAlias = "tuple[Integers, Integers, Floats]"
"""Places of pairs and their similarities."""


class FoundPairs(NamedTuple):
    """Pairs of places and their similarities, in order of the first place, and how many pairs were compared."""

    rows: Integers
    columns: Integers
    scores: Floats
    compared: int


def find(comparison: ListComparison, threshold: float, *, jobs: int = 1, done: Done | None = None) -> FoundPairs:
    """Every pair with φ(x, y) ≥ threshold; of one list compared with itself, pairs of two places only.

    Where φ is symmetric each pair is there once, the lower place first.
    """
    check_jobs(jobs)
    candidates = _Candidates.of(comparison, threshold)
    parts: list[FoundPart] = []
    compared = 0
    if candidates is None:
        parts += find_by_tiles(comparison, threshold, jobs, done)
        n, m = comparison.shape
        compared = n * (n + 1) // 2 if comparison.symmetric else n * m
    else:
        for (rows, columns), values in share_work(partial(_compare, comparison), candidates.pieces(), jobs, "pair"):
            keep = values >= threshold
            parts.append((rows[keep], columns[keep], values[keep]))
            compared += len(rows)
            if done is not None:
                done(compared)
    empty = np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0)
    rows, columns, scores = (np.concatenate(part) for part in zip(empty, *parts, strict=True))
    order = np.lexsort((columns, rows))
    return FoundPairs(rows[order], columns[order], scores[order], compared)


def find_by_tiles(comparison: ListComparison, threshold: float, jobs: int, done: Done | None) -> Iterator[FoundPart]:
    """The same pairs, found by comparing all, tile by tile. Pairs that score 0 are left out."""
    for tile, values in tiles(comparison, jobs=jobs, done=done):
        i, j = (values >= threshold if threshold > 0 else values).nonzero()
        rows, columns = i + tile.rows.start, j + tile.columns.start
        keep = comparison.keep(rows, columns)
        yield rows[keep], columns[keep], values[i, j][keep]


def _compare(comparison: ListComparison, places: tuple[Integers, Integers]) -> Floats:
    rows, columns = places
    return np.array([float(w) for w in comparison.relation.at(rows.tolist(), columns.tolist())])


class _SearchSide:
    """The objects of one side: all their tokens, the rarest of them, and what each demands."""

    def __init__(self, tokens: WeightedTokens, blocks: list[int], own: Floats, least: Floats) -> None:
        self.tokens, self.own, self.least = tokens, own, least * (1 - TOLERANCE)
        self.blocks = np.array(blocks, dtype=np.intp)
        self.loose = (tokens.slack >= self.least).nonzero()[0]
        """Objects that may reach what is demanded without sharing anything."""

    def arrange(self, codes: Integers, weights: Floats) -> None:
        """Lay the tokens out, the rarest first; `codes` numbers the k-th of equal tokens of an owner by itself."""
        from scipy.sparse import csr_array

        owners = np.array(self.tokens.owners, dtype=np.intp)
        order = np.lexsort((codes, owners))
        owners, codes = owners[order], codes[order]
        values = weights[codes]
        shape = len(self.own), len(weights)
        starts = np.searchsorted(owners, np.arange(len(self.own) + 1))
        self.all = csr_array((values, codes, starts), shape=shape)
        self.flags = csr_array((np.ones(len(codes)), codes, starts), shape=shape)
        before = np.concatenate(([0.0], np.cumsum(values)))
        self.most = before[starts[1:]] - before[starts[:-1]] + self.tokens.slack
        rest = before[starts[1:]][owners] - before[:-1]
        """The weight of each token and of those behind it."""
        first = rest + self.tokens.slack[owners] >= self.least[owners] * (1 - TOLERANCE)
        first &= ~np.isin(owners, self.loose)  # these are compared with their whole block
        kept = np.concatenate(([0], np.cumsum(first)))[starts]
        self.rare = csr_array((np.ones(int(kept[-1]), dtype=np.int32), codes[first], kept), shape=shape)


class _Candidates:
    """The pairs that may reach the threshold."""

    def __init__(self, comparison: ListComparison, wanted: Demand, mine: _SearchSide, theirs: _SearchSide) -> None:
        self.comparison, self.wanted, self.mine, self.theirs = comparison, wanted, mine, theirs

    @classmethod
    def of(cls, comparison: ListComparison, threshold: float) -> _Candidates | None:
        """The candidates; None if little or nothing is known about what a pair must share."""
        wanted = demand(comparison.phi, threshold) if comparison.step is None else None
        if wanted is None or not all(comparison.shape):
            return None
        try:
            vocabulary, mine, theirs = comparison.relation.blame(partial(_sides, comparison, wanted))
        except Unbounded:
            if not wanted.keys:
                return None
            wanted = Demand(wanted.keys)
            vocabulary, mine, theirs = _sides(comparison, wanted)
        if not wanted.keys and 2 * max(len(mine.loose) / len(mine.own), len(theirs.loose) / len(theirs.own)) > 1:
            return None
        _number_tokens(mine, theirs, vocabulary.weights)
        return cls(comparison, wanted, mine, theirs)

    def pieces(self) -> Iterator[tuple[Integers, Integers]]:
        """As many pairs as are compared together."""
        for rows, columns in self.pairs():
            for start in range(0, len(rows), AT_ONCE):
                yield rows[start : start + AT_ONCE], columns[start : start + AT_ONCE]

    def pairs(self) -> Iterator[tuple[Integers, Integers]]:
        """In blocks of rows whose candidates fit into memory."""
        mine, theirs = self.mine, self.theirs
        often = np.diff(theirs.rare.tocsc().indptr)
        volume = np.asarray(mine.rare @ often, dtype=np.float64).ravel()
        sizes = np.bincount(theirs.blocks, minlength=int(mine.blocks.max()) + 1)
        loose = np.bincount(theirs.blocks[theirs.loose], minlength=len(sizes))
        volume += loose[mine.blocks]
        volume[mine.loose] += sizes[mine.blocks[mine.loose]]
        ends = np.searchsorted(np.cumsum(volume), np.arange(CANDIDATES, volume.sum() + CANDIDATES, CANDIDATES)) + 1
        start = 0
        for end in np.unique(np.minimum(np.append(ends, len(volume)), len(volume))).tolist():
            if end > start:
                rows, columns = self._of_rows(start, end)
                for first in range(0, len(rows), BOUNDED):
                    yield self._filter(rows[first : first + BOUNDED], columns[first : first + BOUNDED])
            start = end

    def _of_rows(self, start: int, end: int) -> tuple[Integers, Integers]:
        """The pairs of some rows that share a rare token, or of which one is loose and the other in its block."""
        mine, theirs = self.mine, self.theirs
        shared = (mine.rare[start:end] @ theirs.rare.T).tocoo()
        rows, columns = [shared.row.astype(np.intp) + start], [shared.col.astype(np.intp)]
        own = np.arange(start, end)
        is_loose = np.isin(own, mine.loose)
        for some, others in ((own[is_loose], np.arange(len(theirs.own))), (own[~is_loose], theirs.loose)):
            i, j = join(mine.blocks[some], theirs.blocks[others])
            rows.append(some[i])
            columns.append(others[j])
        return np.concatenate(rows), np.concatenate(columns)  # in which no pair is twice: the loose have no rare tokens

    def _filter(self, rows: Integers, columns: Integers) -> tuple[Integers, Integers]:
        """Drop the pairs that cannot meet the demand even by everything they share."""
        keep = self.comparison.keep(rows, columns)
        rows, columns = rows[keep], columns[keep]
        wanted, mine, theirs = self.wanted, self.mine, self.theirs
        if wanted.psi is None or not len(rows):
            return rows, columns
        least = (wanted.p * mine.own[rows] + wanted.q * theirs.own[columns] + wanted.c) * (1 - TOLERANCE)
        keep = np.minimum(mine.most[rows], theirs.most[columns]) >= least
        rows, columns, least = rows[keep], columns[keep], least[keep]
        shared = np.asarray(mine.all[rows].multiply(theirs.flags[columns]).sum(axis=1)).ravel()
        most = shared + np.minimum(mine.tokens.slack[rows], theirs.tokens.slack[columns])
        keep = most >= least
        return rows[keep], columns[keep]


def _sides(comparison: ListComparison, wanted: Demand) -> tuple[Vocabulary, _SearchSide, _SearchSide]:
    """Both sides; one list that is compared with itself by a demand that treats both alike is one side."""
    vocabulary = Vocabulary(wanted.psi, wanted.keys)
    mine = _side(vocabulary, comparison, wanted, pred=True)
    if comparison.xs is comparison.ys and wanted.p == wanted.q:
        return vocabulary, mine, mine
    return vocabulary, mine, _side(vocabulary, comparison, wanted, pred=False)


def _side(vocabulary: Vocabulary, comparison: ListComparison, wanted: Demand, *, pred: bool) -> _SearchSide:
    xs = comparison.xs if pred else comparison.ys
    blocks = vocabulary.blocks(xs)
    tokens = vocabulary.tokens(xs, blocks)
    own = np.zeros(len(xs))
    if wanted.psi is not None and (wanted.p or wanted.q):
        own = own_scores(wanted.psi, xs)
    return _SearchSide(tokens, blocks, own, own * (wanted.of_pred if pred else wanted.of_ref) + wanted.c)


def _number_tokens(mine: _SearchSide, theirs: _SearchSide, weights: list[float]) -> None:
    """Number the tokens of both sides from rare to frequent."""
    several, numbered = [], []
    for side in (mine,) if theirs is mine else (mine, theirs):
        owners, codes = (np.array(column, dtype=np.int64) for column in (side.tokens.owners, side.tokens.codes))
        several.append(occurrences(owners * max(1, len(weights)) + codes))
        numbered.append(codes)
    most = 1 + max((int(count.max()) for count in several if len(count)), default=0)
    codes = np.concatenate([code * most + count for code, count in zip(numbered, several, strict=True)])
    names, codes, often = np.unique(codes, return_inverse=True, return_counts=True)
    ranks = np.empty(len(names), dtype=np.intp)
    ranks[np.argsort(often, kind="stable")] = np.arange(len(names))
    by_rank = np.empty(len(names))
    by_rank[ranks] = np.array(weights)[names // most] if len(names) else 0
    cut = len(numbered[0])
    mine.arrange(ranks[codes[:cut]], by_rank)
    if theirs is not mine:
        theirs.arrange(ranks[codes[cut:]], by_rank)


class Unbounded(Exception):  # no error: all pairs are compared
    """A part of ψ is not known to have an upper bound."""


class WeightedTokens:
    """The tokens of the objects of one list: how often owner i has token k, and the slack of each owner."""

    def __init__(self, owners: list[int], codes: list[int], slack: Floats) -> None:
        self.owners, self.codes, self.slack = owners, codes, slack


class Vocabulary:
    """Numbers for tokens, the same for all lists, and the weight of each."""

    def __init__(self, psi: Similarity | None, keys: tuple[Similarity, ...]) -> None:
        self.psi, self.keys = psi, keys
        self.weights: list[float] = []
        self.codes: dict[Any, int] = {}
        """The number of each token: the part of ψ that it is compared by, and its keys."""
        self._blocks: dict[Hashable, int] = {}

    def blocks(self, xs: Sequence[Any]) -> list[int]:
        """The number of the block of each object: objects of two blocks have different keys."""
        if not self.keys:
            return [0] * len(xs)
        column = column_of(xs)
        found = zip(*(keys_of(key, column) for key in self.keys), strict=True)
        made = [self._blocks.setdefault(key, len(self._blocks)) for key in found]
        column.side.forget()
        return made

    def tokens(self, xs: Sequence[Any], blocks: list[int]) -> WeightedTokens:
        """What ψ compares of each object; objects of different blocks share nothing."""
        made = WeightedTokens([], [], np.zeros(len(xs)))
        if self.psi is not None:
            column = column_of(xs)
            self._add(made, self.psi, _Parts(column, list(range(len(xs))), list(blocks)))
            column.side.forget()
        return made

    def _add(self, made: WeightedTokens, phi: Similarity, of: _Parts) -> None:
        if not of.weight or not len(of.column):
            return
        if has_key(phi):
            self._add_keys(made, keys_of(phi, of.column), of)
            return
        match phi:
            case Sum():
                for number, (factor, bare, kept, own) in enumerate(terms_of(phi, of.column)):
                    self._add(made, bare, of.take(own, kept).inside(number, of.weight * float(factor)))
            case Mean(terms):
                total = float(sum(factor for factor, _ in terms))
                for number, (factor, part) in enumerate(terms):
                    self._add(made, part, of.inside(number, of.weight * float(factor) / total))
            case Minus(inner):
                self._add(made, inner, of)
            case Latent(inner):
                self._add(made, relax(inner), of)
            case Overlap(sel, inner, match, order) if order == "index" or (
                match == "1:1" and order in ("bag", "sequence")
            ):
                flat = of.column.select(sel[:-1]).flat(sel[-1:])
                self._add(made, inner, of.take(flat.frame, flat.owners.tolist()).inside(0, of.weight))
            case Product(factors):
                self._add_product(made, factors, phi, of)
            case _:
                self._add_slack(made, phi, of)

    def _add_product(self, made: WeightedTokens, factors: tuple[Similarity, ...], phi: Similarity, of: _Parts) -> None:
        """Keys that go with one factor of any size make tokens of theirs; factors of at most 1 only take away."""
        keys = [keys_of(factor, of.column) for factor in factors if has_key(factor)]
        unbounded = [factor for factor in factors if not facts(factor).bounded]
        if len(unbounded) == 1:
            joint = list(zip(of.prefix, *keys, strict=True)) if keys else of.prefix
            self._add(made, unbounded[0], of._replace(prefix=joint))
        elif keys and not unbounded:
            self._add_keys(made, list(zip(*keys, strict=True)), of)
        else:
            self._add_slack(made, phi, of)

    def _add_keys(self, made: WeightedTokens, keys: list[Any], of: _Parts) -> None:
        codes, weights = self.codes, self.weights
        for name in zip(of.prefix, keys, strict=True):
            code = codes.setdefault((of.place, name), len(weights))
            if code == len(weights):
                weights.append(of.weight)
            made.codes.append(code)
        made.owners += of.owners

    def _add_slack(self, made: WeightedTokens, phi: Similarity, of: _Parts) -> None:
        known = facts(phi)
        if known.left and known.right:
            most = operator(phi).self_scores(of.column)
        elif known.bounded:
            most = np.ones(len(of.column))
        else:
            raise Unbounded
        made.slack += of.weight * np.bincount(of.owners, most, len(made.slack))


class _Parts(NamedTuple):
    """Parts of objects: the object and the keys of each, what they weigh, and which part of ψ compares them."""

    column: Frame
    owners: list[int]
    prefix: list[Any]
    weight: float = 1.0
    place: tuple[int, ...] = ()

    def take(self, column: Frame, kept: Sequence[int]) -> _Parts:
        """What a column has of the parts at these positions."""
        owners, prefix = ([side[i] for i in kept] for side in (self.owners, self.prefix))
        return self._replace(column=column, owners=owners, prefix=prefix)

    def inside(self, number: int, weight: float) -> _Parts:
        return self._replace(weight=weight, place=(*self.place, number))


LEAST = 1e-300
"""Stands for all that is above 0."""


@dataclass(frozen=True, slots=True)
class Demand:
    """Equal `keys`, and ψ(x, y) ≥ p · ψ(x, x) + q · ψ(y, y) + c, if there is a ψ."""

    keys: tuple[Similarity, ...] = ()
    psi: Similarity | None = None
    p: float = 0.0
    q: float = 0.0
    c: float = 0.0

    @property
    def of_pred(self) -> float:
        """ψ(x, y) is at least this times ψ(x, x), whatever y is: y is large enough itself, as ψ(x, y) ≤ ψ(y, y)."""
        return self.p / (1 - self.q) if self._capped and self.q < 1 else self.p

    @property
    def of_ref(self) -> float:
        """As `of_pred`, of ψ(y, y)."""
        return self.q / (1 - self.p) if self._capped and self.p < 1 else self.q

    @property
    def _capped(self) -> bool:
        return self.psi is not None and bool(facts(self.psi).left) and bool(facts(self.psi).right)


def demand(phi: Similarity, threshold: float) -> Demand | None:
    """What φ(x, y) ≥ threshold requires of a pair; None if nothing is known."""
    if threshold <= 0:
        return None
    if has_key(phi):
        return Demand((phi,))
    match phi:
        case Latent():
            peeled = outermost(phi)
            return Demand((), phi, c=threshold) if peeled == phi else demand(peeled, threshold)
        case Normalized("error_rate"):
            return None
        case Normalized(kind, inner, beta):
            t, square = threshold, float(beta) ** 2
            match kind:
                case "precision":
                    p, q = t, 0.0
                case "recall":
                    p, q = 0.0, t
                case "jaccard":
                    p = q = t / (1 + t)
                case _:  # and of an edit similarity, which is at most F1
                    p, q = t / (1 + square), t * square / (1 + square)
            return Demand((), inner, p, q)
        case Above(inner, least):
            return demand(inner, max(float(least), LEAST)) if threshold <= 1 and (least > 0 or phi.strict) else None
        case Minus(inner, amount):
            return demand(inner, threshold + float(amount))
        case Harmonic(precision, recall):
            bounded = facts(precision).bounded and facts(recall).bounded
            least = threshold / (2 - threshold) if bounded and threshold < 2 else threshold / 2
            return demand(precision, least) or demand(recall, least)
        case Product(factors):
            return _of_product(factors, threshold)
        case Sum() | Overlap() | Mean():
            return Demand((), phi, c=threshold)
    return None


def _of_product(factors: tuple[Similarity, ...], threshold: float) -> Demand | None:
    """All keys are equal; where no factor is above 1, each of them is at least t."""
    keys = tuple(factor for factor in factors if has_key(factor))
    rest = [factor for factor in factors if not has_key(factor)]
    unbounded = [factor for factor in rest if not facts(factor).bounded]
    if len(unbounded) > 1:
        return Demand(keys) if keys else None
    for factor in unbounded or rest:
        found = demand(factor, threshold)
        if found is not None and (found.psi is not None or found.keys):
            return replace(found, keys=(*keys, *found.keys))
    return Demand(keys) if keys else None

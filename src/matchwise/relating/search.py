"""All pairs with φ(x, y) ≥ t, without comparing all pairs: who shares too little cannot reach t.

Tokens are ordered from rare to frequent. From each object the rarest are taken, until the others, with the
slack, cannot reach what t demands. Two objects that reach t share one of these tokens (prefix filtering, Chaudhuri et
al. 2006, with weights and slack); an object whose slack alone reaches it is compared with its whole block.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from matchwise.arrays import Floats, Integers
from matchwise.engine.many.kernels import join, occurrences
from matchwise.errors import check_jobs
from matchwise.relating.comparison import ListComparison, share_work, tiles
from matchwise.relating.tokens import Demand, Unbounded, Vocabulary, WeightedTokens, demand

if TYPE_CHECKING:
    from matchwise.runners.progress import Done


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
    return np.array([float(w) for w in comparison.at(rows.tolist(), columns.tolist())])


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
    from matchwise.engine.many.relation import ObjectColumn

    xs = comparison.xs if pred else comparison.ys
    blocks = vocabulary.blocks(xs)
    tokens = vocabulary.tokens(xs, blocks)
    own = np.zeros(len(xs))
    if wanted.psi is not None and (wanted.p or wanted.q):
        column = ObjectColumn.of(xs)
        own = np.array([float(value) for value in column.self_scores(wanted.psi)])
        column.forget()
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

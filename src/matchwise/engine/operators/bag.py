"""Collections of discrete elements: overlap and inclusion by an inverted index.

Two collections that share no element never meet; Σ over equal elements is Σ min(count).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from itertools import pairwise
from typing import ClassVar

from matchwise.algebra.nodes import Match, Number, Overlap, Subset
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.discrete import Discrete
from matchwise.engine.pairs import Pairs, Table
from matchwise.engine.parts import Parts
from matchwise.engine.solvers.matching import Matched


class BagOverlap(Operator):
    """Σ^◇[δ] of two collections."""

    verb: ClassVar[str] = "bag overlap"

    def __init__(self, phi: Overlap, inner: Discrete) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.sel = phi.sel
        self.match = phi.match

    def bags(self, parts: Parts) -> list[list[Hashable]]:
        """The keys of each collection."""
        made: list[list[Hashable]] | None = parts.memo.get(self)
        if made is None:
            flat = parts.flat(self.sel)
            keys = self.inner.keys(flat.parts)
            made = [keys] if len(parts) == 1 else [keys[a:b] for a, b in pairwise(flat.offsets)]
            parts.memo[self] = made
        return made

    def one(self, pred: Parts, ref: Parts) -> Number:
        (p,), (r,) = self.bags(pred), self.bags(ref)
        return shared(self.match, p, r)

    def aligned(self, preds: Parts, refs: Parts) -> Matched:
        """The matched pairs of two lists of elements: equal ones, first come first."""
        places: dict[Hashable, list[int]] = {}
        for j, k in enumerate(self.inner.keys(refs)):
            places.setdefault(k, []).append(j)
        found: Matched = []
        met: dict[Hashable, int] = {}
        for i, k in enumerate(self.inner.keys(preds)):
            here, before = places.get(k, []), met.get(k, 0)
            met[k] = before + 1
            match self.match:
                case "1:1":
                    chosen = here[before : before + 1]
                case "N:1":
                    chosen = here[:1]
                case "1:N":
                    chosen = [] if before else here
                case "N:N":
                    chosen = here
            found += [(i, j, 1) for j in chosen]
        return found

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        p, r = self.bags(preds), self.bags(refs)
        owner = {k: j for j, bag in enumerate(r) for k in bag}
        if len(owner) == sum(map(len, r)) and all(len(set(bag)) == len(bag) for bag in p):
            return _tally(p, owner)
        index: dict[Hashable, list[tuple[int, int]]] = {}
        for j, bag in enumerate(r):
            for k, count in Counter(bag).items():
                index.setdefault(k, []).append((j, count))
        made: Table = []
        for bag in p:
            row: dict[int, Number] = {}
            for k, count in Counter(bag).items():
                for j, other in index.get(k, ()):
                    row[j] = row.get(j, 0) + _joint(self.match, count, other)
            made.append(row)
        return made

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        if self.known(preds, refs) is not None or len(rows) * 2 > len(preds) + len(refs):
            return super().probe(preds, refs, rows, columns)
        p, r, match = self.bags(preds), self.bags(refs), self.match
        return [shared(match, p[i], r[j]) for i, j in zip(rows, columns, strict=True)]

    def _selfs(self, parts: Parts) -> list[Number]:
        if self.match == "N:N":
            return [shared("N:N", bag, bag) for bag in self.bags(parts)]
        return list(map(len, self.bags(parts)))

    def detail(self) -> str:
        return f"{self.match}, inverted index on {self.inner.phi!r}"

    def cost(self) -> str:
        return "O(elements + non-zero)"


class Inclusion(Operator):
    """φ_⊆(P, R) = ⟦∅ ≠ P ⊆ R⟧."""

    verb: ClassVar[str] = "inclusion"

    def __init__(self, phi: Subset, inner: Discrete) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.sel = phi.sel

    def sets(self, parts: Parts) -> list[frozenset[Hashable]]:
        made: list[frozenset[Hashable]] | None = parts.memo.get(self)
        if made is None:
            flat = parts.flat(self.sel)
            keys = self.inner.keys(flat.parts)
            made = parts.memo[self] = [frozenset(keys[a:b]) for a, b in pairwise(flat.offsets)]
        return made

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        holders: dict[Hashable, set[int]] = {}
        for j, members in enumerate(self.sets(refs)):
            for k in members:
                holders.setdefault(k, set()).add(j)
        nobody: set[int] = set()
        return [
            dict.fromkeys(sorted(set.intersection(*(holders.get(k, nobody) for k in members))), 1) if members else {}
            for members in self.sets(preds)
        ]

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        p, r = self.sets(preds), self.sets(refs)
        return [int(bool(p[i]) and p[i] <= r[j]) for i, j in zip(rows, columns, strict=True)]

    def _selfs(self, parts: Parts) -> list[Number]:
        return [int(bool(members)) for members in self.sets(parts)]

    def detail(self) -> str:
        return "inverted index"


def shared(match: Match, pred: list[Hashable], ref: list[Hashable]) -> Number:
    """Σ^◇[δ] of two bags of keys."""
    if match == "1:1":
        p, r = set(pred), set(ref)
        common = p & r
        if len(p) == len(pred) or len(r) == len(ref):
            return len(common)
        counts = Counter(pred)
        return sum(min(counts[k], count) for k, count in Counter(ref).items() if k in common)
    here, there = Counter(pred), Counter(ref)
    return sum(_joint(match, here[k], there[k]) for k in here.keys() & there.keys())


def _joint(match: Match, pred: int, ref: int) -> int:
    """What an element found so often on each side adds."""
    match match:
        case "1:1":
            return min(pred, ref)
        case "N:1":
            return pred
        case "1:N":
            return ref
        case "N:N":
            return pred * ref


def _tally(bags: list[list[Hashable]], owner: dict[Hashable, int]) -> Table:
    """Elements that occur once a side: count, for each collection, who owns its elements."""
    made: Table = []
    get = owner.get
    for bag in bags:
        row: dict[int, Number] = {}
        for k in bag:
            j = get(k)
            if j is not None:
                row[j] = row.get(j, 0) + 1
        made.append(row)
    return made

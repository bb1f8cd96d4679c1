"""Collections of discrete elements: overlap and inclusion by an inverted index.

Two collections that share no element never meet; Σ over equal elements is Σ min(count).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from itertools import compress, pairwise
from operator import ne, sub
from typing import ClassVar

from matchwise.algebra.nodes import Match, Number, Overlap, Subset
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.discrete import Discrete
from matchwise.engine.order import content_order
from matchwise.engine.pairs import Cells, Matrix, Pairs, Table, table
from matchwise.engine.parts import Parts
from matchwise.engine.solvers.matching import Matched

FEW = 32
"""Up to this many collections a side are compared one by one where a matrix is asked for."""


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
        """The matched pairs of two lists of elements; elements of one key are told apart by content, then position."""
        theirs = _places(self.inner.keys(refs))
        found: Matched = []
        for k, here in _places(self.inner.keys(preds)).items():
            there = theirs.get(k, [])
            if there and len(here) + len(there) > 2:
                here, there = _by_content(preds, here), _by_content(refs, there)
            match self.match:
                case "1:1":
                    found += [(i, j, 1) for i, j in zip(here, there, strict=False)]
                case "N:1":
                    found += [(i, j, 1) for i in here for j in there[:1]]
                case "1:N":
                    found += [(i, j, 1) for i in here[:1] for j in there]
                case "N:N":
                    found += [(i, j, 1) for i in here for j in there]
        return sorted(found)

    def matrix(self, preds: Parts, refs: Parts) -> Matrix:
        """A few small sets are met pair by pair: for 12 × 12 lists of tags a third of the time of an index."""
        p, r = ([set(bag) for bag in self.bags(parts)] if len(parts) <= FEW else [] for parts in (preds, refs))
        each = len(p) == len(preds) and len(r) == len(refs) and self.match == "1:1" and preds is not refs
        if not each or sum(map(len, p)) < sum(map(len, self.bags(preds))):  # some element is there twice
            return self._product(preds, refs)
        import numpy as np

        return np.array([[len(x & y) for y in r] for x in p], dtype=np.float64).reshape(len(p), len(r))

    def _product(self, preds: Parts, refs: Parts) -> Matrix:
        """Σ of all pairs by one product of sparse arrays; the k-th of equal elements has a place of its own."""
        from itertools import accumulate

        import numpy as np

        from matchwise.engine.kernels.tiles import count_shared

        codes: dict[Hashable, int] = {}
        sides = []
        for parts, once in ((preds, self.match == "1:N"), (refs, self.match == "N:1")):
            rows = [_numbered(self.match, bag, codes, once=once) for bag in self.bags(parts)]
            places = np.array([place for row in rows for place in row], dtype=np.intp)
            weights = np.array([float(weight) for row in rows for weight in row.values()])
            sides.append(((places, weights), np.array([0, *accumulate(map(len, rows))])))
        (mine, starts), (theirs, ends) = sides
        return count_shared(mine, theirs, max(1, len(codes)), (starts, ends))

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        if self._forced(preds, refs) is not None:
            return table(len(preds), self.cells(preds, refs))
        p, r = self.bags(preds), self.bags(refs)
        return _met(p, r) if _once_each(p) and _once_each(r) else self._counted(p, r)

    def _counted(self, p: list[list[Hashable]], r: list[list[Hashable]]) -> Table:
        """Elements that are several times in a collection."""
        index: dict[Hashable, list[tuple[int, int]]] = {}
        for j, bag in enumerate(r):
            for k, count in Counter(bag).items():
                index.setdefault(k, []).append((j, count))
        made: Table = []
        for bag in p:
            row: dict[int, Number] = {}
            for k, count in Counter(bag).items():
                for j, other in index.get(k, ()):
                    row[j] = row.get(j, 0) + joint(self.match, count, other)
            made.append(row)
        return made

    def _forced(self, preds: Parts, refs: Parts) -> Cells | None:
        """The equal elements, if each occurs once a side."""
        return self.inner.forced(preds.flat(self.sel).parts, refs.flat(self.sel).parts)

    def _cells(self, preds: Parts, refs: Parts) -> Cells:
        """Elements that occur once a side: count how often each two collections own the same one."""
        forced = self._forced(preds, refs)
        if forced is None:
            return super()._cells(preds, refs)
        mine, theirs = preds.flat(self.sel).owners(), refs.flat(self.sel).owners()
        counts = Counter(zip(map(mine.__getitem__, forced[0]), map(theirs.__getitem__, forced[1]), strict=True))
        return [i for i, _ in counts], [j for _, j in counts], list(counts.values())

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        if self.known(preds, refs) is not None or len(rows) * 2 > len(preds) + len(refs):
            return super().probe(preds, refs, rows, columns)
        p, r, match = self.bags(preds), self.bags(refs), self.match
        return [shared(match, p[i], r[j]) for i, j in zip(rows, columns, strict=True)]

    def along(self, preds: Parts, refs: Parts) -> list[Number]:
        """Σ of each two collections; where all have as many elements as their partners, most of these are equal."""
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        if self.match != "1:1" or p.offsets != r.offsets:
            places = list(range(len(preds)))
            return self.probe(preds, refs, places, places)
        mine, theirs = self.inner.keys(p.parts), self.inner.keys(r.parts)
        made: list[Number] = list(map(sub, p.offsets[1:], p.offsets))
        for owner in set(compress(p.owners(), map(ne, mine, theirs))):
            a, b = p.offsets[owner : owner + 2]
            made[owner] = shared("1:1", mine[a:b], theirs[a:b])
        return made

    def apart(self, parts: Parts) -> bool:
        """No element is in two collections, or twice in one."""
        return self.inner.apart(parts.flat(self.sel).parts)

    def _selfs(self, parts: Parts) -> list[Number]:
        if self.match == "N:N":
            return [shared("N:N", bag, bag) for bag in self.bags(parts)]
        flat = parts.flat(self.sel)
        self.inner.within(flat.parts)  # refuses what cannot be compared
        return list(map(sub, flat.offsets[1:], flat.offsets))

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


def _numbered(match: Match, bag: list[Hashable], codes: dict[Hashable, int], *, once: bool) -> dict[int, int]:
    """The place and the weight of each element of a bag; Σ of products of weights is Σ^◇ of two bags."""
    made: dict[int, int] = {}
    for key, number in Counter(bag).items():
        if match == "1:1":
            made |= {codes.setdefault((key, place), len(codes)): 1 for place in range(number)}
        else:
            made[codes.setdefault(key, len(codes))] = 1 if once else number
    return made


def _places(keys: list[Hashable]) -> dict[Hashable, list[int]]:
    places: dict[Hashable, list[int]] = {}
    for place, k in enumerate(keys):
        places.setdefault(k, []).append(place)
    return places


def _by_content(parts: Parts, places: list[int]) -> list[int]:
    return [places[number] for number in content_order([parts.items[place] for place in places])]


def _once_each(bags: list[list[Hashable]]) -> bool:
    """Whether no collection has an element twice."""
    return sum(map(len, map(set, bags))) == sum(map(len, bags))


def _met(p: list[list[Hashable]], r: list[list[Hashable]]) -> Table:
    """How many elements each two sets share."""
    index: dict[Hashable, list[int]] = {}
    for j, bag in enumerate(r):
        for k in bag:
            index.setdefault(k, []).append(j)
    made: Table = []
    for bag in p:
        row: dict[int, Number] = {}
        for k in bag:
            for j in index.get(k, ()):
                row[j] = row.get(j, 0) + 1
        made.append(row)
    return made


def shared(match: Match, pred: list[Hashable], ref: list[Hashable]) -> Number:
    """Σ^◇[δ] of two bags of keys."""
    if match == "1:1":
        if pred == ref:
            return len(pred)
        before = 0
        if len(pred) == len(ref) and (pred[0] == ref[0] or pred[-1] == ref[-1]):
            # Equal elements in one place are one pair of a best matching: mostly, few are left to be looked up.
            other = list(map(ne, pred, ref))
            before = other.count(False)
            pred, ref = list(compress(pred, other)), list(compress(ref, other))
        p, r = set(pred), set(ref)
        common = p & r
        if len(p) == len(pred) or len(r) == len(ref):
            return before + len(common)
        counts: dict[Hashable, int] = {}
        for k in ref:
            counts[k] = counts.get(k, 0) + 1
        for k in pred:  # a Counter of so few elements takes longer to make than to use
            if counts.get(k):
                counts[k] -= 1
                before += 1
        return before
    if match == "N:1":
        return sum(map(set(ref).__contains__, pred))
    if match == "1:N":
        return sum(map(set(pred).__contains__, ref))
    here, there = Counter(pred), Counter(ref)
    return sum(joint(match, here[k], there[k]) for k in here.keys() & there.keys())


def joint(match: Match, pred: int, ref: int) -> int:
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

"""Where a similarity is applied: to a selected part, by the type of a value, or again to a recursive one."""

from __future__ import annotations

from typing import Any, ClassVar

from matchwise.algebra.nodes import Again, Number, Recursive, Selector, Similarity, Union
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.discrete import case_members
from matchwise.engine.pairs import Pairs, Table, as_matrix, as_table, lookup
from matchwise.engine.parts import Parts


class Select(Operator):
    """φ of a part that many objects share (the entity of each mention): computed once per distinct part."""

    verb: ClassVar[str] = "select"

    def __init__(self, phi: Similarity, sel: Selector, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.sel = sel
        self.dense = inner.dense

    def distinct(self, parts: Parts) -> tuple[list[int], Parts]:
        return parts.select(self.sel).distinct()

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        (p, xs), (r, ys) = self.distinct(preds), self.distinct(refs)
        places: dict[int, list[int]] = {}
        for j, code in enumerate(r):
            places.setdefault(code, []).append(j)
        rows: Table = [
            {j: w for code, w in row.items() for j in places[code]} for row in as_table(self.inner.pairs(xs, ys))
        ]
        return [rows[code] for code in p]

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        (p, xs), (r, ys) = self.distinct(preds), self.distinct(refs)
        known = self.inner.known(xs, ys)
        if known is not None:
            return lookup(known, [p[i] for i in rows], [r[j] for j in columns])
        wanted = [(p[i], r[j]) for i, j in zip(rows, columns, strict=True)]
        places = list(dict.fromkeys(wanted))
        found = self.inner.probe(xs, ys, [a for a, _ in places], [b for _, b in places])
        return list(map(dict(zip(places, found, strict=True)).__getitem__, wanted))

    def _selfs(self, parts: Parts) -> list[Number]:
        codes, distinct = self.distinct(parts)
        values = self.inner.selfs(distinct)
        return [values[code] for code in codes]

    def detail(self) -> str:
        from matchwise.engine.selection import join

        return f"{join('', self.sel)}, once per distinct object"


class ByCase(Operator):
    """φ_T by the type of the value: the cases never meet each other."""

    verb: ClassVar[str] = "union"

    def __init__(self, phi: Union, *inputs: Operator) -> None:
        super().__init__(phi, *inputs)
        self.sel, self.cases = phi.sel, phi.cases
        self.dense = any(operator.dense for operator in inputs)

    def members(self, parts: Parts) -> dict[int, tuple[list[int], Parts]]:
        made: dict[int, tuple[list[int], Parts]] | None = parts.memo.get(self)
        if made is None:
            values = parts.select(self.sel)
            groups = case_members(values, self.cases)
            made = {
                number: (members, values if len(members) == len(values) else values.take(members))
                for number, members in groups.items()
            }
            parts.memo[self] = made
        return made

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        mine, theirs = self.members(preds), self.members(refs)
        found = {
            number: self.inputs[number].pairs(mine[number][1], theirs[number][1]) for number in mine if number in theirs
        }
        if any(not isinstance(pairs, list) for pairs in found.values()):
            import numpy as np

            cells = np.zeros((len(preds), len(refs)))
            for number, pairs in found.items():
                rows, columns = mine[number][0], theirs[number][0]
                cells[np.asarray(rows)[:, None], np.asarray(columns)[None, :]] = as_matrix(
                    pairs, len(rows), len(columns)
                )
            return cells
        made: Table = [{} for _ in preds.items]
        for number, pairs in found.items():
            columns = theirs[number][0]
            for i, row in zip(mine[number][0], as_table(pairs), strict=True):
                made[i] = {columns[b]: w for b, w in row.items()}
        return made

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        mine, theirs = self._places(preds), self._places(refs)
        cells = [(mine[i], theirs[j]) for i, j in zip(rows, columns, strict=True)]
        wanted: dict[int, list[int]] = {}
        for place, ((case, _), (other, _)) in enumerate(cells):
            if case == other:
                wanted.setdefault(case, []).append(place)
        values: list[Number] = [0] * len(rows)
        for number, places in wanted.items():
            p, r = self.members(preds)[number][1], self.members(refs)[number][1]
            found = self.inputs[number].probe(
                p, r, [cells[place][0][1] for place in places], [cells[place][1][1] for place in places]
            )
            for place, w in zip(places, found, strict=True):
                values[place] = w
        return values

    def _places(self, parts: Parts) -> list[tuple[int, int]]:
        """The case of each value, and its number within the case."""
        made: list[tuple[int, int]] | None = parts.memo.get((self, "places"))
        if made is None:
            made = parts.memo[self, "places"] = [(0, 0)] * len(parts)
            for number, (members, _) in self.members(parts).items():
                for within, index in enumerate(members):
                    made[index] = number, within
        return made

    def _selfs(self, parts: Parts) -> list[Number]:
        values: list[Number] = [0] * len(parts)
        for number, (members, own) in self.members(parts).items():
            for index, value in zip(members, self.inputs[number].selfs(own), strict=True):
                values[index] = value
        return values

    def children(self) -> tuple[tuple[str, Any], ...]:
        names = [case if isinstance(case, str) else case.__name__ for case, _ in self.cases]
        return tuple(zip(names, self.inputs, strict=True))


class Recur(Operator):
    """A recursive similarity, applied to a part, first or again; recursion ends where the data does."""

    verb: ClassVar[str] = "recur"

    def __init__(self, phi: Again | Recursive, target: Operator | None = None) -> None:
        super().__init__(phi, *(() if target is None else (target,)))
        self.sel = phi.sel
        self.target = target

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        assert self.target is not None
        return self.target.pairs(preds.select(self.sel), refs.select(self.sel))

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        assert self.target is not None
        return self.target.probe(preds.select(self.sel), refs.select(self.sel), rows, columns)

    def _selfs(self, parts: Parts) -> list[Number]:
        assert self.target is not None
        return self.target.selfs(parts.select(self.sel))

    def detail(self) -> str:
        return self.phi.name  # type: ignore[attr-defined, no-any-return]  # Recursive and Again have names

"""What every operator of a plan can do with two lists of parts."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

from matchwise.algebra.facts import Facts
from matchwise.algebra.nodes import Number, Similarity
from matchwise.engine.pairs import Cells, Matrix, Pairs, as_matrix, as_table, lookup
from matchwise.engine.parts import Parts


class Operator:
    """φ over lists of parts. An operator finds its non-zero pairs (`pairs`), or is asked for some (`probe`).

    `pairs` is a join, `probe` a look-up; a product joins on one factor and probes the others. `selfs` are the φ(x, x).
    """

    verb: ClassVar[str]
    dense: bool = False
    """Whether every pair has to be compared, because no join finds the non-zero ones."""

    facts: Facts
    """What is known of φ where it stands; set by the planner."""

    def __init__(self, phi: Similarity, *inputs: Operator) -> None:
        self.phi = phi
        self.inputs = inputs

    @cached_property
    def best_with_itself(self) -> bool:
        """Whether a collection of parts is best matched to itself part by part."""
        return self.facts.self_score.holds

    def pairs(self, preds: Parts, refs: Parts) -> Pairs:
        """All non-zero φ(x, y), computed once for each two lists."""
        if not len(preds) or not len(refs):
            return [{} for _ in range(len(preds))]
        tag = (self, refs)
        made: Pairs | None = preds.memo.get(tag)
        if made is None:
            made = self._pairs(preds, refs)
            if preds is not refs:  # a list that remembered itself would outlive the document
                preds.memo[tag] = made
        return made

    def known(self, preds: Parts, refs: Parts) -> Pairs | None:
        """The pairs, if they were computed already."""
        return preds.memo.get((self, refs))

    def one(self, pred: Parts, ref: Parts) -> Number:
        """φ of two lists of one object."""
        return self.probe(pred, ref, [0], [0])[0]

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        """φ at the given places."""
        return lookup(self.pairs(preds, refs), rows, columns)

    def selfs(self, parts: Parts) -> list[Number]:
        """φ(x, x) of each part, computed once for each list."""
        if not len(parts):
            return []
        tag = (self, "self")
        made: list[Number] | None = parts.memo.get(tag)
        if made is None:
            made = parts.memo[tag] = self._selfs(parts)
        return made

    def apart(self, parts: Parts) -> bool:
        """Whether it is known that different parts of a list score 0: Σ over all pairs is that over equal ones."""
        return False

    def cells(self, preds: Parts, refs: Parts) -> Cells:
        """All non-zero pairs as columns, which must not be changed; functions of one table share its places."""
        tag = (self, "cells", refs)
        made: Cells | None = preds.memo.get(tag)
        if made is None:
            made = self._cells(preds, refs)
            if preds is not refs:
                preds.memo[tag] = made
        return made

    def _cells(self, preds: Parts, refs: Parts) -> Cells:
        table = as_table(self.pairs(preds, refs))
        rows = [i for i, row in enumerate(table) for _ in row]
        columns = list(chain.from_iterable(table))
        return rows, columns, list(chain.from_iterable([row.values() for row in table]))

    def at(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        """`probe`, remembered: whoever asks again at the very same places is given the very same answer."""
        for tag in ((self, "cells", refs), (self, "at", refs)):
            made: Cells | None = preds.memo.get(tag)
            if made is not None and made[0] is rows and made[1] is columns:
                return made[2]
        values = self.probe(preds, refs, rows, columns)
        if made is None and preds is not refs:
            preds.memo[tag] = rows, columns, values
        return values

    def forced(self, preds: Parts, refs: Parts) -> Cells | None:
        """The non-zero pairs, if it is known that no part is in two of them, so that every matching takes them all."""
        return None

    def matrix(self, preds: Parts, refs: Parts) -> Matrix:
        return as_matrix(self.pairs(preds, refs), len(preds), len(refs))

    def volume(self, preds: Parts, refs: Parts) -> int:
        """About how many pairs are not zero."""
        return len(preds) * len(refs) if self.dense else 0

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        raise AssertionError(f"{type(self).__name__} does not say how to find its pairs")

    def _selfs(self, parts: Parts) -> list[Number]:
        places = list(range(len(parts)))
        return self.probe(parts, parts, places, places)

    def cost(self) -> str:
        """The cost class, in n and m parts a side."""
        return "O(n·m)" if self.dense else "O(n + m + non-zero)"

    def detail(self) -> str:
        return ""

    def children(self) -> tuple[tuple[str, Any], ...]:
        """The inputs, each with the place it has."""
        return tuple(("", operator) for operator in self.inputs)

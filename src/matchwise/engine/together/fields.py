"""The fields of many documents at once: the walk of `engine.credit`, with a column of documents for each number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from matchwise.algebra.nodes import Number, Selector
from matchwise.engine.credit import conditions_of, shared_steps
from matchwise.engine.operators.bag import BagOverlap
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.compound import Add, Multiply, Term
from matchwise.engine.operators.matching import MatchElements
from matchwise.engine.operators.routing import ByCase, Recur
from matchwise.engine.parts import Parts
from matchwise.engine.selection import join
from matchwise.engine.together.blocks import Apart, sums
from matchwise.engine.together.values import Places, Values, inverse, matchings, meeting, values


@dataclass(slots=True)
class FieldColumns:
    """One leaf path: what each document adds to `credit.Field`."""

    weight: Number
    first: int
    """The first document that has such a path; documents by themselves would name it then."""

    right: Values
    paired: Values
    predicted: Values
    reference: Values

    def add(self, other: FieldColumns) -> None:
        if self.weight != other.weight:
            raise Apart  # documents by themselves name such rows apart
        self.first = min(self.first, other.first)
        self.right = self.right + other.right
        self.paired = self.paired + other.paired
        self.predicted = self.predicted + other.predicted
        self.reference = self.reference + other.reference


class Owned(NamedTuple):
    """Objects of one side, and the document of each."""

    parts: Parts
    documents: Places

    def present(self, term: Term) -> Owned:
        kept, parts = term.present(self.parts)
        return self if parts is self.parts else Owned(parts, self.documents[kept])

    def select(self, sel: Selector) -> Owned:
        return Owned(self.parts.select(sel), self.documents)

    def elements(self, sel: Selector) -> Owned:
        import numpy as np

        flat = self.parts.flat(sel)
        return Owned(flat.parts, np.repeat(self.documents, np.diff(flat.offsets)))


@dataclass(frozen=True, slots=True)
class Met:
    """Objects of both sides, and which of them were matched."""

    p: Owned
    r: Owned
    rows: Places
    columns: Places
    first: int = 0

    def values(self, operator: Operator) -> Values:
        return values(operator, self.p.parts, self.r.parts, self.rows, self.columns)

    def own_first(self) -> Met:
        """The same, first named by the first document that has any of the objects."""
        return replace(self, first=int(min(side.documents.min() for side in (self.p, self.r) if len(side.documents))))


class Walk:
    """One walk over a plan, which finds the fields of so many documents, by path."""

    def __init__(self, documents: int) -> None:
        self.documents = documents
        self.found: dict[str, FieldColumns] = {}

    def fields(self) -> dict[str, FieldColumns]:
        """The fields in the order in which documents by themselves would name them."""
        return dict(sorted(self.found.items(), key=lambda one: one[1].first))

    def walk(self, operator: Operator, met: Met, weight: Number, path: str) -> None:
        """Add what `operator` sees of all objects, of which some pairs were matched."""
        match operator:
            case Recur(target=target, sel=sel):
                assert target is not None
                if met.p.parts.items or met.r.parts.items:
                    selected = replace(met.own_first(), p=met.p.select(sel), r=met.r.select(sel))
                    self.walk(target, selected, weight, join(path, sel))
            case Add():
                for term in operator.terms:
                    below = join(path, shared_steps(term.phi) if term.sel is None else term.sel)
                    _, _, a, _, b = meeting(term, met.p.parts, met.r.parts, met.rows, met.columns)
                    inside = Met(met.p.present(term), met.r.present(term), a, b, met.first)
                    self.walk(term.operator, inside, weight * term.weight, below)
            case BagOverlap(sel=sel):
                sizes = [self._count(side.elements(sel).documents) for side in (met.p, met.r)]
                equal = self._sum(met.values(operator), met.p.documents[met.rows])
                self._add(join(path, sel) + "[]", FieldColumns(weight, met.first, equal, equal, *sizes))
            case MatchElements(sel=sel):
                found = matchings(operator, met.p.parts, met.r.parts, met.rows, met.columns)
                inside = Met(met.p.elements(sel), met.r.elements(sel), *found.aligned(), met.first)
                self.walk(operator.inner, inside, weight, join(path, sel) + "[]")
            case Multiply() if (split := conditions_of(operator)) is not None:
                conditions, inner = split
                for condition in conditions:
                    passed = met.values(condition) != 0
                    met = replace(met, rows=met.rows[passed], columns=met.columns[passed])
                self.walk(inner, met, weight, path)
            case ByCase():
                self._cases(operator, met, weight, join(path, operator.sel))
            case _:
                self._leaf(operator, met, weight, path)

    def _leaf(self, operator: Operator, met: Met, weight: Number, path: str) -> None:
        import numpy as np

        p, r, of_pair = met.p, met.r, met.p.documents[met.rows]
        right = self._sum(met.values(operator), of_pair)
        if operator.facts.unit.holds:
            paired, predicted, reference = map(self._count, (of_pair, p.documents, r.documents))
        else:
            xx, yy = (np.asarray(operator.selfs(side.parts), dtype=np.float64) for side in (p, r))
            paired = self._sum(np.minimum(xx[met.rows], yy[met.columns]), of_pair)
            predicted, reference = self._sum(xx, p.documents), self._sum(yy, r.documents)
        self._add(path, FieldColumns(weight, met.first, right, paired, predicted, reference))

    def _cases(self, operator: ByCase, met: Met, weight: Number, path: str) -> None:
        import numpy as np

        mine, theirs = operator.members(met.p.parts), operator.members(met.r.parts)
        for number, inner in enumerate(operator.inputs):
            kept_p, own_p = mine.get(number, ([], met.p.parts.take([])))
            kept_r, own_r = theirs.get(number, ([], met.r.parts.take([])))
            if kept_p or kept_r:
                a = inverse(kept_p, len(met.p.parts))[met.rows]
                b = inverse(kept_r, len(met.r.parts))[met.columns]
                both = np.nonzero((a >= 0) & (b >= 0))[0]
                p, r = Owned(own_p, met.p.documents[kept_p]), Owned(own_r, met.r.documents[kept_r])
                self.walk(inner, Met(p, r, a[both], b[both]).own_first(), weight, path)

    def _add(self, path: str, field: FieldColumns) -> None:
        if path in self.found:
            self.found[path].add(field)
        else:
            self.found[path] = field

    def _sum(self, amounts: Values, documents: Places) -> Values:
        import numpy as np

        return np.asarray(sums(amounts, documents, self.documents), dtype=np.float64)

    def _count(self, documents: Places) -> Values:
        import numpy as np

        return np.bincount(documents, minlength=self.documents).astype(np.float64)

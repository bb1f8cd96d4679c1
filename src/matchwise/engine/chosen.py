"""The pairs chosen at every Σ, and who reads them: counts by field of a sum, and by the label of an element.

Both readings follow one optimal matching, equal optima broken by content, so that no count depends on input order. The
law they keep: Σ_root = Σ_fields weight · right.

    lines[].price   the price of all lines of all documents: how much of it there is on each side, how much of it met,
                    how much of that was right
    args[].role     as a label: the Σ of events, spread over what the arguments of matched events share
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, NamedTuple

from matchwise.algebra.build import overlap
from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.algebra.walk import children
from matchwise.engine.batch import run
from matchwise.engine.frame import Frame, Vector
from matchwise.engine.kernels import short
from matchwise.engine.keys import key
from matchwise.engine.operators.bag import BagOverlap
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.bracket import Threshold
from matchwise.engine.operators.compound import Add, Multiply, Term, meet
from matchwise.engine.operators.equality import Equality
from matchwise.engine.operators.latent import LatentMatch, settled
from matchwise.engine.operators.matching import MatchElements
from matchwise.engine.operators.routing import ByCase, Recur, Select
from matchwise.engine.plan import Plan, plan
from matchwise.engine.selection import join
from matchwise.engine.solve import Cell
from matchwise.engine.solvers.assignment import assign
from matchwise.errors import ExpressionError

Collection = BagOverlap | MatchElements


@dataclass(frozen=True, slots=True)
class Field:
    """One leaf path of a sum: how much there is on each side, how much of it met, how much was right."""

    weight: Number = 1
    right: Number = 0
    paired: Number = 0
    predicted: Number = 0
    reference: Number = 0

    @property
    def wrong(self) -> Number:
        return self.paired - self.right

    @property
    def missing(self) -> Number:
        return self.reference - self.paired

    @property
    def invented(self) -> Number:
        return self.predicted - self.paired

    def __add__(self, other: Field) -> Field:
        return Field(
            self.weight,
            self.right + other.right,
            self.paired + other.paired,
            self.predicted + other.predicted,
            self.reference + other.reference,
        )


@dataclass(slots=True)
class FieldColumns:
    """One leaf path: what each document adds to `Field`, one after the other."""

    weight: Number
    first: int
    """The first document that has such a path."""

    right: Vector
    paired: Vector
    predicted: Vector
    reference: Vector

    def plus(self, other: FieldColumns, add: Callable[[Vector, Vector], Vector] = short.plus) -> FieldColumns:
        """The same path of other parts."""
        return FieldColumns(
            self.weight,
            min(self.first, other.first),
            add(self.right, other.right),
            add(self.paired, other.paired),
            add(self.predicted, other.predicted),
            add(self.reference, other.reference),
        )


def fields(plan: Plan, preds: Frame, refs: Frame) -> dict[str, FieldColumns]:
    """The fields of a batch by path (`lines[].price`), in the order in which the sum names them.

    What a field counts on one side is its share of Σ(x, x). Where a collection is best matched to itself part by part,
    that is the self-score of the part; elsewhere it is what the field adds when the side is compared with itself.
    """
    sigma, preds, refs = settled(plan.sigma(), preds, refs)
    found = _fields(sigma, preds, refs)
    if not sigma.facts.self_score.holds:
        nothing = preds.kernels.full(len(preds), 0)
        mine, theirs = (_fields(sigma, side, side, itself=True) for side in (preds, refs))
        for path, row in found.items():
            row.predicted = mine[path].right if path in mine else nothing
            row.reference = theirs[path].right if path in theirs else nothing
    plain = preds.kernels.plain
    in_order = sorted(found.items(), key=lambda one: one[1].first)  # as documents by themselves would name them
    return {
        path: replace(
            row,
            right=plain(row.right),
            paired=plain(row.paired),
            predicted=plain(row.predicted),
            reference=plain(row.reference),
        )
        for path, row in in_order
    }


def _fields(sigma: Operator, preds: Frame, refs: Frame, *, itself: bool = False) -> dict[str, FieldColumns]:
    walk = _Walk(preds)
    places = preds.kernels.index(len(preds))
    walk.add(sigma, _Met(preds, refs, places, places, itself=itself), 1, "")
    return walk.found


class _Met(NamedTuple):
    """Objects of both sides, which of them were matched, and the first document that has any of their paths.

    `itself` if both sides are one, whose objects `align_by` matches to themselves.
    """

    p: Frame
    r: Frame
    i: Vector
    j: Vector
    first: int = 0
    itself: bool = False

    def own_first(self) -> _Met:
        """The same, with paths that only the documents of these objects have."""
        scopes = [frame.scope() for frame in (self.p, self.r) if len(frame)]
        return self._replace(first=min(int(min(of)) for of in scopes))

    def values(self, operator: Operator) -> Vector:
        return operator.at(self.p, self.r, self.i, self.j)


class _Walk:
    """One walk over a plan, which finds the fields of a batch of documents."""

    def __init__(self, root: Frame) -> None:
        self.kernels, self.documents = root.kernels, len(root)
        self.found: dict[str, FieldColumns] = {}

    def add(self, operator: Operator, met: _Met, weight: Number, path: str) -> None:
        """Add what the operator sees of all objects, of which some pairs were matched."""
        match operator:
            case Recur(target=target, sel=sel):
                assert target is not None
                if len(met.p) or len(met.r):
                    below = met._replace(p=met.p.select(sel), r=met.r.select(sel)).own_first()
                    self.add(target, below, weight, join(path, sel))
            case Add():
                for term in operator.terms:
                    self._add_term(term, met, weight, path)
            case BagOverlap(sel=sel):
                equal = self._sum(met.values(operator), self._of_pairs(met))
                sizes = (self._sum_all(side.flat(sel).frame, None) for side in (met.p, met.r))
                self._add(join(path, sel) + "[]", FieldColumns(weight, met.first, equal, equal, *sizes))
            case MatchElements(sel=sel):
                p, r = met.p.flat(sel).frame, met.r.flat(sel).frame
                if met.itself and operator.by is not None:
                    i = j = self.kernels.index(len(p))
                else:
                    _, i, j, _ = operator.chosen(met.p, met.r, met.i, met.j)
                below = _Met(p, r, i, j, met.first, met.itself and operator.by is not None)
                self.add(operator.inner, below, weight, join(path, sel) + "[]")
            case Multiply() if (split := conditions_of(operator)) is not None:
                conditions, inner = split
                for condition in conditions:
                    passed = self.kernels.nonzero(met.values(condition))
                    met = met._replace(i=self.kernels.gather(met.i, passed), j=self.kernels.gather(met.j, passed))
                self.add(inner, met, weight, path)
            case ByCase():
                self._add_cases(operator, met, weight, join(path, operator.sel))
            case _:
                self._add_leaf(operator, met, weight, path)

    def _add_term(self, term: Term, met: _Met, weight: Number, path: str) -> None:
        below = join(path, shared_steps(term.phi) if term.sel is None else term.sel)
        _, p, a, r, b = meet(term, met.p, met.r, met.i, met.j)
        self.add(term.operator, _Met(p, r, a, b, met.first, met.itself), weight * term.weight, below)

    def _add_cases(self, operator: ByCase, met: _Met, weight: Number, path: str) -> None:
        kernels = self.kernels
        mine, theirs = (operator.members(side) if len(side) else {} for side in (met.p, met.r))
        for number, inner in enumerate(operator.inputs):
            sides, places = [], []
            for frame, members, at in ((met.p, mine, met.i), (met.r, theirs, met.j)):
                if number not in members:
                    sides.append(frame.take([]))
                    places.append(kernels.places([-1] * len(at)))
                else:
                    kept, own = members[number]
                    sides.append(own)
                    places.append(at if kept is None else kernels.gather(kernels.inverse(kept, len(frame)), at))
            if len(sides[0]) or len(sides[1]):
                both = kernels.both_kept(*places)
                i, j = (kernels.gather(at, both) for at in places)
                self.add(inner, _Met(sides[0], sides[1], i, j, itself=met.itself).own_first(), weight, path)

    def _add_leaf(self, operator: Operator, met: _Met, weight: Number, path: str) -> None:
        kernels, of_pair = self.kernels, self._of_pairs(met)
        values = kernels.gather(operator.self_scores(met.p), met.i) if met.itself else met.values(operator)
        right = self._sum(values, of_pair)
        if operator.facts.unit.holds:
            paired = self._sum(kernels.full(len(met.i), 1), of_pair)
            predicted, reference = (self._sum_all(side, None) for side in (met.p, met.r))
        else:
            xx, yy = operator.self_scores(met.p), operator.self_scores(met.r)
            paired = self._sum(kernels.minimum(kernels.gather(xx, met.i), kernels.gather(yy, met.j)), of_pair)
            predicted, reference = self._sum_all(met.p, xx), self._sum_all(met.r, yy)
        self._add(path, FieldColumns(weight, met.first, right, paired, predicted, reference))

    def _add(self, path: str, row: FieldColumns) -> None:
        """Rows of one path and different weights stay apart, for Σ weight · right to be the whole."""
        if path in self.found and self.found[path].weight != row.weight:
            path = f"{path} (weight {row.weight})"
        known = self.found.get(path)
        if known is None:
            self.found[path] = row
            return
        self.found[path] = known.plus(row, self.kernels.plus)

    def _of_pairs(self, met: _Met) -> Vector:
        """The document of each matched pair."""
        if met.p.documents is None:
            return self.kernels.zeros(len(met.i))
        return self.kernels.gather(met.p.documents, met.i)

    def _sum(self, amounts: Vector, documents: Vector) -> Vector:
        return self.kernels.sum_by(documents, amounts, self.documents)

    def _sum_all(self, frame: Frame, amounts: Vector | None) -> Vector:
        documents = self.kernels.zeros(len(frame)) if frame.documents is None else frame.documents
        return self._sum(self.kernels.full(len(frame), 1) if amounts is None else amounts, documents)


def shared_steps(phi: Similarity) -> Selector:
    """What a term without a selector of its own is about: the steps with which all its selectors begin."""
    if hasattr(phi, "sel"):
        return phi.sel  # type: ignore[no-any-return]
    found = [shared_steps(part) for part in children(phi)]
    return tuple(steps[0] for steps in takewhile(lambda steps: len(set(steps)) == 1, zip(*found, strict=False)))


def conditions_of(product: Multiply) -> tuple[list[Operator], Operator] | None:
    """The factors that are 0 or 1 (a key, a floor) and the sum whose parts they let pass, if that is all there is."""
    factors = (product.first, *product.rest)
    sums = [factor for factor in factors if isinstance(factor, Add | Recur)]
    conditions: list[Operator] = [factor for factor in factors if isinstance(factor, Equality | Threshold)]
    return (conditions, sums[0]) if len(sums) == 1 and len(conditions) == len(factors) - 1 else None


class ByLabel(NamedTuple):
    """One label: the documents of a batch that have it, and the quantities of each.

    A matched pair adds to `matched` of the predicted element's label and to `recalled` of the reference's.
    """

    label: Hashable
    documents: list[int]
    matched: Sequence[Number]
    predicted: Sequence[Number]
    reference: Sequence[Number]
    recalled: Sequence[Number]


def labels(plan: Plan, sel: Selector, preds: Frame, refs: Frame) -> list[ByLabel]:
    """The quantities of a batch by the label of the elements of the outermost collection, or of one inside it."""
    sigmas = plan.sums if plan.root == "sides" else (plan.sigma(),)
    levels = [_elements(plan, sigma, sel, preds, refs) for sigma in sigmas]
    shares = [_share(plan, sigmas[0], sel, levels[0], preds), _share(plan, sigmas[-1], sel, levels[-1], refs, ref=True)]
    return _by_label(preds, levels[0], levels[-1], shares, split(sel)[1])


def _share(
    plan: Plan, sigma: Operator, sel: Selector, level: _Level, side: Frame, *, ref: bool = False
) -> tuple[Vector, Vector]:
    """The elements of one side that count by themselves, and the share of Σ(x, x) of each."""
    frame, own = (level.r, level.reference) if ref else (level.p, level.predicted)
    if level.by_parts:
        return side.kernels.index(len(frame)), own
    found = _elements(plan, sigma, sel, side, side)
    return (found.j if ref else found.i), found.w


class _Level(NamedTuple):
    """Elements of both sides, what each of them counts by itself, and those that are matched, each with its share."""

    p: Frame
    r: Frame
    predicted: Vector
    reference: Vector
    i: Vector
    j: Vector
    w: Vector
    by_parts: bool
    """Whether Σ(x, x) is the sum of what each element counts by itself."""


def _elements(plan: Plan, sigma: Operator, sel: Selector, preds: Frame, refs: Frame) -> _Level:
    """The elements that have the label, with the share of Σ that falls to each."""
    before, collection = _collection(plan, sigma)
    outer = collection
    _, preds, refs = settled(sigma, preds, refs)
    p, r = preds.select(before), refs.select(before)
    kernels = preds.kernels
    i = j = kernels.index(len(p))
    predicted, reference, weights = (kernels.full(len(p), 1) for _ in range(3))
    operator: Operator = collection
    for number, inner_sel in enumerate([(), *split(sel)[0]]):
        if number:
            collection, others = _factors(operator, inner_sel)
            for factor in others:
                predicted = kernels.times(predicted, factor.self_scores(p))
                reference = kernels.times(reference, factor.self_scores(r))
                weights = kernels.times(weights, factor.at(p, r, i, j))
        chosen = collection.chosen(p, r, i, j)
        flat_p, flat_r = p.flat(collection.sel), r.flat(collection.sel)
        weights = kernels.gather(weights, chosen.block)
        predicted, reference = kernels.gather(predicted, flat_p.owners()), kernels.gather(reference, flat_r.owners())
        p, r, i, j, operator = flat_p.frame, flat_r.frame, chosen.a, chosen.b, collection.inner
        amounts = chosen.w
    return _Level(
        p,
        r,
        kernels.times(predicted, operator.self_scores(p)),
        kernels.times(reference, operator.self_scores(r)),
        i,
        j,
        kernels.times(weights, amounts),
        counts_part_by_part(outer),
    )


def counts_part_by_part(collection: Collection) -> bool:
    """Whether Σ(x, x) of a collection is the sum of the self-scores of its elements."""
    if isinstance(collection, MatchElements) and collection.by is not None:
        return True
    return collection.match != "N:N" and collection.inner.best_with_itself


def _by_label(
    root: Frame, precise: _Level, recalled: _Level, shares: list[tuple[Vector, Vector]], sel: Selector
) -> list[ByLabel]:
    """The quantities of each label of each document; P is read from one level, R from another (mostly the same)."""
    kernels, size = root.kernels, len(root)
    frames = [precise.p, recalled.r, *(() if precise is recalled else (precise.r, recalled.p))]
    names: dict[Hashable, int] = {}
    codes = [_label_codes(frame, sel, names) for frame in frames]
    scopes = [frame.scope() for frame in frames]
    found, of, cell, order = kernels.group(kernels.concatenate(codes), kernels.concatenate(scopes), size)
    cells = kernels.gather(cell, kernels.inverse(order, len(order)))
    mine, theirs = cells[: len(frames[0])], cells[len(frames[0]) : len(frames[0]) + len(frames[1])]
    columns = [
        kernels.plain(kernels.sum_by(places, amounts, len(found)))
        for places, amounts in (
            (kernels.gather(mine, precise.i), precise.w),
            (kernels.gather(mine, shares[0][0]), shares[0][1]),
            (kernels.gather(theirs, shares[1][0]), shares[1][1]),
            (kernels.gather(theirs, recalled.j), recalled.w),
        )
    ]
    documents = kernels.plain(of)
    written = _as_written(frames, sel, names)
    by_label = dict(kernels.runs(found))
    return [
        ByLabel(label, documents[by_label[code]], *(column[by_label[code]] for column in columns))
        for label, code in written
        if code in by_label
    ]


def _label_codes(frame: Frame, sel: Selector, names: dict[Hashable, int]) -> Vector:
    """The number of each element's label; labels of both sides are numbered together."""
    column = frame.column(sel)
    if column is None:
        labels = labels_of(frame, sel)
        for one in dict.fromkeys(labels):
            names.setdefault(one, len(names))
        return frame.kernels.places(list(map(names.__getitem__, labels)))
    numbers = [names.setdefault(label(value), len(names)) for value in column.values]
    return frame.kernels.gather(frame.kernels.places(numbers), frame.kernels.places(column.codes))


def _as_written(frames: list[Frame], sel: Selector, names: dict[Hashable, int]) -> list[tuple[Hashable, int]]:
    """The labels in the order in which documents bring them, as the first of them writes it (1 is 1.0)."""
    first: dict[int, tuple[tuple[int, int, int], Hashable]] = {}
    for side, frame in enumerate(frames):
        met: dict[Hashable, int] = {}
        found = labels_of(frame, sel)
        for name in dict.fromkeys(found):
            met[name] = found.index(name)
        for name, place in met.items():
            document = 0 if frame.documents is None else int(frame.documents[place])
            known = first.get(names[name])
            if known is None or (document, side, place) < known[0]:
                first[names[name]] = (document, side, place), found[place]
    return [(name, code) for code, (_, name) in sorted(first.items(), key=lambda one: one[1][0])]


def outermost_collection(plan: Plan) -> tuple[Selector, Collection]:
    """The collection that the outermost Σ of a plan matches, and the path to the object that has it."""
    return _collection(plan, plan.sigma())


def _collection(plan: Plan, sigma: Operator) -> tuple[Selector, Collection]:
    match sigma.inner if isinstance(sigma, LatentMatch) else sigma:
        case BagOverlap() | MatchElements() as collection:
            return (), collection
        case Select(sel=before, inner=BagOverlap() | MatchElements() as collection):
            return before, collection
    raise ExpressionError(f"{plan.phi!r} has no elements to break down: it is no overlap of a collection at its root")


def _factors(operator: Operator, sel: Selector) -> tuple[Collection, list[Operator]]:
    """The sum over the collection in question, and what it is multiplied by."""
    factors = [operator.first, *operator.rest] if isinstance(operator, Multiply) else [operator]
    sums = [factor for factor in factors if isinstance(factor, BagOverlap | MatchElements) and factor.sel == sel]
    if len(sums) != 1:
        raise ExpressionError(f"{operator.phi!r} is no product with one sum over {sel}")
    return sums[0], [factor for factor in factors if factor is not sums[0]]


def split(sel: Selector) -> tuple[list[Selector], Selector]:
    """The collections on the way to a label, and the label: `args[].role` -> `[("args",)], ("role",)`."""
    levels: list[Selector] = []
    steps: list[object] = []
    for step in sel:
        if isinstance(step, str) and step.endswith("[]"):
            levels.append((*steps, step.removesuffix("[]")))  # type: ignore[arg-type]  # steps of a selector
            steps = []
        else:
            steps.append(step)
    return levels, tuple(steps)  # type: ignore[arg-type]


def labels_of(frame: Frame, sel: Selector) -> list[Any]:
    """The label of each element."""
    column = frame.column(sel)
    if column is not None:
        names = list(map(label, column.values))
        return [names[code] for code in column.codes.tolist()]
    items = frame.select(sel).items
    return items if OWN_LABELS.issuperset(map(type, items)) else list(map(label, items))


OWN_LABELS = frozenset({str, int, type(None)})
"""Types of values that are their own labels."""


def label(value: Any) -> Hashable:
    """A value as it is where it can be told apart, else its content."""
    return value if type(value) in OWN_LABELS else key(value)


def chosen_pairs(phi: Similarity, pred: Any, ref: Any) -> list[tuple[int, int]]:
    """The elements that the outermost Σ of φ(pred, ref) matches, by position.

    >>> from matchwise.algebra.build import overlap
    >>> chosen_pairs(overlap("xs"), {"xs": ["a", "b"]}, {"xs": ["b", "c"]})
    [(1, 0)]
    """

    def read(preds: Frame, refs: Frame) -> list[tuple[int, int]]:
        made = plan(phi)
        before, collection = outermost_collection(made)
        _, preds, refs = settled(made.sigma(), preds, refs)
        place = preds.kernels.index(1)
        found = collection.chosen(preds.select(before), refs.select(before), place, place)
        return list(zip(preds.kernels.plain(found.a), preds.kernels.plain(found.b), strict=True))

    return run(read, [pred], [ref])


def similar_pairs(phi: Similarity, xs: Sequence[Any], ys: Sequence[Any]) -> list[Cell]:
    """All non-zero φ(x, y) of two lists of objects: (i, j, φ), sorted.

    >>> from matchwise.algebra.build import f1
    >>> similar_pairs(f1(), [["a", "b"], ["c"]], [["b"]])
    [(0, 0, 0.6666666666666666)]
    """

    def read(preds: Frame, refs: Frame) -> list[Cell]:
        collection = plan(overlap(None, phi)).sigma()
        assert isinstance(collection, BagOverlap | MatchElements)
        p, r = preds.flat(()).frame, refs.flat(()).frame
        return list(zip(*map(p.kernels.plain, collection.inner.join(p, r)), strict=True))

    return run(read, [list(xs)], [list(ys)])


Table = list[dict[int, Number]]
"""The positive weights of each row, by column."""


def best_pairs(table: Sequence[Mapping[int, Number]]) -> list[tuple[int, int]]:
    """The 1:1 matching of greatest total weight of a table of positive weights: (row, column), rows ascending."""
    return assign([dict(row) for row in table])

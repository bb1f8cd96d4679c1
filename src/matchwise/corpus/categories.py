"""The category of each element: correct, partial, incorrect, missed or spurious (Chinchor and Sundheim 1993).

Elements are paired 1:1 so that their credit is greatest and, among such pairings, so that most of them meet.

>>> from matchwise.algebra.build import eq
>>> grading = Grading("xs", credit=eq(0) * eq(1), meets=eq(0), label=1)
>>> print(Categories(grading).add({"xs": [(1, "a"), (2, "a"), (9, "b")]}, {"xs": [(1, "a"), (2, "b"), (3, "b")]}))
label  correct  incorrect  partial  missed  spurious  predicted  reference
a            1          0        0       0         0          2          1
b            0          1        0       1         1          1          2
all          1          1        0       1         1          3          3
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from matchwise.algebra.build import Selectable, overlap, selector
from matchwise.algebra.nodes import Harmonic, Latent, Normalized, Number, Overlap, Selector, Similarity
from matchwise.algebra.steps import Step, Stepped, split_step
from matchwise.corpus.counts import label_text, name_labels
from matchwise.corpus.suite import Suite
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, run
from matchwise.engine.operators.operator import Operator
from matchwise.engine.plan import Program
from matchwise.engine.solve.cells import UNITS, in_order, solve
from matchwise.errors import MergeError, count_units, naming_document
from matchwise.sheets.shown import FrameTables, Shown
from matchwise.sheets.table import Cell, ColumnHead, PrintedTable, Sheet

Category: TypeAlias = Literal["correct", "incorrect", "partial", "missed", "spurious"]

CATEGORIES: tuple[Category, ...] = get_args(Category)

COLUMNS = (*CATEGORIES, "predicted", "reference")
"""What is counted of each label."""

CategoryCell: TypeAlias = tuple[Category, Hashable, Hashable]
"""Category, predicted label, reference label; None where a side has nothing, or an element without a label."""


@dataclass(frozen=True, slots=True)
class Grading:
    """When two elements of a collection are correct, and when they are at least about the same thing.

    `credit` is a similarity of at most 1: a pair with 1 is correct, with more than 0 partial. A pair with none that
    `meets` (two spans that overlap, say) is incorrect; all others are missed or spurious. `label` is counted by.
    """

    sel: Selector
    credit: Similarity
    meets: Similarity
    label: Selector
    step: Step | None
    """What happens to documents first, as in `step | phi`."""

    def __init__(
        self,
        sel: Selectable,
        *,
        credit: Similarity,
        meets: Similarity,
        label: Selectable = "type",
        step: Step | None = None,
    ) -> None:
        object.__setattr__(self, "sel", selector(sel))
        object.__setattr__(self, "credit", credit)
        object.__setattr__(self, "meets", meets)
        object.__setattr__(self, "label", selector(label))
        object.__setattr__(self, "step", step)


def gradings_of(suite: Suite, meets: Mapping[str, Similarity], label: Selectable = "type") -> dict[str, Grading]:
    """Metric -> the grading that gives it its counts, for the metrics that the suite has; `meets` as in `Grading`.

    >>> from matchwise.algebra.build import eq, f1
    >>> suite = Suite(strict=f1("mentions", eq("span") * eq("type")))
    >>> gradings_of(suite, {"strict": eq("span")})["strict"].credit
    eq("span") * eq("type")
    """
    return {name: grading_of(suite, name, phi, label) for name, phi in meets.items() if name in suite.metrics}


def _no_label(element: Any) -> str:
    return ""


def grading_of(suite: Suite, metric: str, meets: Similarity, label: Selectable = _no_label) -> Grading:
    """The grading that gives a metric its counts; pairs without credit that `meets` are errors of one element."""
    sigma = sigma_of(suite, metric)
    step, _ = split_step(suite.metrics[metric])
    return Grading(sigma.sel, credit=sigma.inner, meets=meets, label=label, step=step)


def sigma_of(suite: Suite, metric: str) -> Overlap:
    """The collection that a metric counts, and when two of its elements are the same."""
    phi: Similarity = suite.metrics[metric]
    while isinstance(phi, Normalized | Latent | Stepped | Harmonic):
        phi = phi.precision if isinstance(phi, Harmonic) else phi.inner
    if not isinstance(phi, Overlap):
        raise TypeError(f"{metric} counts no elements: {phi!r}")
    return phi


class PairedElements(NamedTuple):
    """The elements of a document on both sides, and the pairs of them by place, with their credit."""

    preds: list[Any]
    refs: list[Any]
    pairs: list[tuple[int, int, Number]]


class GradedItem(NamedTuple):
    """One element or pair of elements: its category, and where and what it is on each side."""

    category: Category
    pred_path: str | None
    pred: Any
    pred_label: Hashable
    ref_path: str | None
    ref: Any
    ref_label: Hashable
    document: str | int | None

    def to_dict(self) -> dict[str, Any]:
        from matchwise.views.values import plain

        return {
            "document": self.document,
            "category": self.category,
            "pred": None if self.pred_path is None else {"path": self.pred_path, "value": plain(self.pred)},
            "ref": None if self.ref_path is None else {"path": self.ref_path, "value": plain(self.ref)},
        }


class Categories(Shown):
    """Counts the elements of documents by category and label; `keep` also keeps the items that are not correct.

    Tables of one grading add up by `+`; `keep="all"` keeps the correct ones as well.
    """

    def __init__(self, grading: Grading, *, keep: Literal["none", "errors", "all"] = "none") -> None:
        self.grading = grading
        self.keep = keep
        self.counts: Counter[CategoryCell] = Counter()
        self.items: list[GradedItem] = []
        self.documents = 0

    @cached_property
    def _program(self) -> Program:
        parts = {"credit": self.grading.credit, "meets": self.grading.meets}
        return Program({name: overlap(self.grading.sel, phi) for name, phi in parts.items()})

    def add(self, pred: Any, ref: Any, id: str | int | None = None) -> Categories:
        """Count one document."""
        with naming_document(self.documents if id is None else id):
            self.add_all([(pred, ref, id)])
        return self

    def add_all(self, documents: list[tuple[Any, Any, str | int | None]]) -> None:
        """Count a batch of documents, all or none of them."""
        preds, refs = [pred for pred, _, _ in documents], [ref for _, ref, _ in documents]
        ids = [self.documents + place if id is None else id for place, (_, _, id) in enumerate(documents)]
        counts, items = run(partial(self._grade, ids), preds, refs, self.grading.step)
        self.counts.update(counts)
        self.items += items
        self.documents += len(documents)

    def pair_all(self, preds: list[Any], refs: list[Any]) -> list[PairedElements]:
        """The elements of each document of a batch, and how they are paired."""
        return run(self._pair_documents, preds, refs, self.grading.step)

    def _pair_documents(self, preds: Frame, refs: Frame) -> list[PairedElements]:
        ps, rs, pairs = self._pair(preds, refs)
        begin, after = (np.searchsorted(side.scope(), np.arange(len(preds) + 1)).tolist() for side in (ps, rs))
        mine, theirs = ps.items, rs.items
        made = [
            PairedElements(mine[a:b], theirs[c:d], [])
            for (a, b), (c, d) in zip(pairwise(begin), pairwise(after), strict=True)
        ]
        documents = ps.scope().tolist()
        for i, j, credit in pairs:
            of = documents[i]
            made[of].pairs.append((i - begin[of], j - after[of], 1 if credit >= 1 else credit or 0))
        return made

    def _pair(self, preds: Frame, refs: Frame) -> tuple[Frame, Frame, list[tuple[int, int, Number]]]:
        """The elements of a batch, laid end to end, and their pairs with their credit."""
        from matchwise.engine.many.chosen import collection_of

        (before, credit), (_, meets) = (collection_of(plan.sigma()) for plan in self._program.plans.values())
        ps, rs = (side.select(before).flat(credit.sel).frame for side in (preds, refs))
        return ps, rs, _pair_elements(credit.inner, meets.inner, ps, rs)

    def _grade(self, ids: list[Any], preds: Frame, refs: Frame) -> tuple[Counter[CategoryCell], list[GradedItem]]:
        """The counts of a batch, and the items that are kept, document by document."""
        from matchwise.engine.many.chosen import labels_of

        ps, rs, pairs = self._pair(preds, refs)
        mine, theirs = labels_of(ps, self.grading.label), labels_of(rs, self.grading.label)
        met_p, met_r = {i for i, _, _ in pairs}, {j for _, j, _ in pairs}
        found: list[tuple[Category, int | None, int | None]] = [
            ("correct" if worth >= 1 else "partial" if worth else "incorrect", i, j) for i, j, worth in pairs
        ]
        found += [("missed", None, j) for j in range(len(rs)) if j not in met_r]
        found += [("spurious", i, None) for i in range(len(ps)) if i not in met_p]
        counts = Counter(
            (category, None if i is None else mine[i], None if j is None else theirs[j]) for category, i, j in found
        )
        items = []
        for category, i, j in found:
            if self.keep == "all" or (self.keep == "errors" and category != "correct"):
                pred = (None, None, None) if i is None else (ps.path(i), ps.items[i], mine[i])
                ref = (None, None, None) if j is None else (rs.path(j), rs.items[j], theirs[j])
                of = int(ps.scope()[i] if i is not None else rs.scope()[j])
                items.append((of, GradedItem._make((category, *pred, *ref, ids[of]))))
        return counts, [item for _, item in sorted(items, key=itemgetter(0))]

    def zero(self) -> Categories:
        """An empty table of the same grading, which shares its plan."""
        made = Categories(self.grading, keep=self.keep)
        made._program = self._program
        return made

    def __add__(self, other: Categories) -> Categories:
        if self.grading != other.grading:
            raise MergeError(f"cannot add categories of different gradings:\n  {self.grading}\n  {other.grading}")
        made = self.zero()
        made.counts = self.counts + other.counts
        made.items = self.items + other.items
        made.documents = self.documents + other.documents
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value for name, value in self.__dict__.items() if name != "_program"
        }  # made anew where it is needed

    def total(self) -> dict[Category, int]:
        """How many elements or pairs of each category there are."""
        found = dict.fromkeys(CATEGORIES, 0)
        for (category, _, _), number in self.counts.items():
            found[category] += number
        return found

    def frame_tables(self) -> FrameTables:
        return {
            "categories": lambda: [{"label": label, **row} for label, row in self.by_label().items()],
            "confusion": lambda: self.confusion().to_dict(),
        }

    def sheet(self) -> Sheet:
        rows: list[dict[str, Cell]] = [{"label": label_text(label), **row} for label, row in self.rows("all")]
        return Sheet((PrintedTable("scores", tuple(rows)),))

    def by_label(self) -> dict[Hashable, dict[str, int]]:
        """Label -> how many there are of each category and on each side; a pair stands under the reference's label."""
        found: dict[Hashable, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COLUMNS, 0))
        for (category, mine, theirs), number in self.counts.items():
            label = mine if category == "spurious" else theirs
            found[label][category] += number
            if category != "missed":
                found[mine]["predicted"] += number
            if category != "spurious":
                found[theirs]["reference"] += number
        return {label: found[label] for label in sorted(found, key=str)}

    def rows(self, all: str) -> list[tuple[Hashable, dict[str, int]]]:
        """Each label with its numbers, and at last what they add up to, under the name of `all`."""
        rows = self.by_label()
        sums = {name: sum(row[name] for row in rows.values()) for name in COLUMNS}
        return [*rows.items(), (all, sums)]

    def confusion(self) -> Confusion:
        """Count pairs of predicted and reference labels, with missed and spurious elements."""
        made = Confusion()
        for (category, mine, theirs), number in self.counts.items():
            predicted = None if category == "missed" else _known_label(mine)
            made[predicted, None if category == "spurious" else _known_label(theirs)] += number
        return made

    def to_dict(self) -> dict[str, Any]:
        return {
            "documents": self.documents,
            "categories": self.total(),
            "by": [{"label": label, **row} for label, row in self.by_label().items()],
            "confusion": self.confusion().to_dict(),
            "items": [item.to_dict() for item in self.items],
        }

    def __repr__(self) -> str:
        found = ", ".join(f"{number} {category}" for category, number in self.total().items() if number)
        return f"<Categories of {count_units(self.documents, 'documents')}: {found or 'nothing'}>"


def _pair_elements(credit: Operator, meets: Operator, preds: Frame, refs: Frame) -> list[tuple[int, int, Number]]:
    """The pairs with their credit: the best by credit, among equals the best by `meets`, equal ones by content."""
    worth, near = credit.join(preds, refs), meets.join(preds, refs)
    i, j, _, _ = kernels.group(np.concatenate([worth.i, near.i]), np.concatenate([worth.j, near.j]), len(refs))
    first, second = credit.at(preds, refs, i, j), meets.at(preds, refs, i, j)
    is_alone = (np.bincount(i)[i] == 1) & (np.bincount(j)[j] == 1)
    cells = list(zip(i.tolist(), j.tolist(), first.tolist(), second.tolist(), strict=True))
    chosen = [cells[place][:3] for place in np.flatnonzero(is_alone).tolist()]
    contested = [cells[place] for place in np.flatnonzero(~is_alone).tolist()]
    scopes = preds.scope()
    content = preds.sort_by_content, refs.sort_by_content
    for _, group in groupby(contested, key=lambda cell: int(scopes[cell[0]])):
        some = list(group)
        scale = 1 + sum(round(w * UNITS) for _, _, _, w in some)
        both = [(a, b, round(x * UNITS) * scale + round(y * UNITS)) for a, b, x, y in some]
        ordered = in_order(both, content)
        for place in solve([cell for _, cell in ordered], exact=True):
            chosen.append(some[ordered[place][0]][:3])
    return sorted(chosen)


def _known_label(label: Hashable) -> Hashable:
    """The label of an element in a confusion, where None says that there is no element."""
    return label_text(label) if label is None else label


class Confusion(Shown, Counter[tuple[Hashable, Hashable]]):
    """(predicted label, reference label) -> how often; None on a side that has nothing.

    An element without a label has the label `(none)`, as in other tables.
    """

    @property
    def predicted(self) -> list[Hashable]:
        """The labels that were predicted, sorted."""
        return sorted(dict.fromkeys(mine for mine, _ in self if mine is not None), key=str)

    @property
    def reference(self) -> list[Hashable]:
        """The labels that were meant, sorted."""
        return sorted(dict.fromkeys(theirs for _, theirs in self if theirs is not None), key=str)

    def to_dict(self) -> list[dict[str, Any]]:
        """One row for each cell that is not empty, largest first."""
        cells = sorted(self.items(), key=lambda cell: (-cell[1], str(cell[0])))
        return [{"predicted": mine, "reference": theirs, "count": number} for (mine, theirs), number in cells if number]

    def frame_tables(self) -> FrameTables:
        return {"confusion": self.to_dict}

    def sheet(self) -> Sheet:
        return Sheet((self.print_table("scores", "reference"),))

    def print_table(self, title: str, corner: str) -> PrintedTable:
        """Reference labels down, predicted labels across, with missed and spurious elements."""
        columns = name_labels(self.predicted, {corner, "(missed)"}) | {"(missed)": None}
        rows: list[dict[str, Cell]] = [
            {corner: str(theirs), **{column: self[mine, theirs] for column, mine in columns.items()}}
            for theirs in self.reference
        ]
        last = {column: self[mine, None] for column, mine in columns.items() if mine is not None}
        heads = {corner: ColumnHead("", corner, "text")}
        return PrintedTable(title, (*rows, {corner: "(spurious)", **last}), frozenset(columns), heads)

    def __repr__(self) -> str:
        return f"<Confusion of {self.total()} elements>"

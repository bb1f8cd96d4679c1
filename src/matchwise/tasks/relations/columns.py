"""The step of `docred` for many documents at once: relations as columns, without an object for each document."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from matchwise.arrays import Integers
from matchwise.engine.kernels import long
from matchwise.engine.kernels.blocks import find
from matchwise.engine.table import WIDE, Column, Columns, DocumentTable, ElementTable
from matchwise.tasks.relations.documents import Relation, RelationSet

if TYPE_CHECKING:
    from matchwise.tasks.relations.steps import Unseen


def choose_all(step: Unseen, preds: list[Any], refs: list[Any]) -> tuple[Any, Any] | None:
    """Both sides of many documents after the step; None if they have to be read one by one."""
    if not set(map(type, chain(preds, refs))) <= {RelationSet}:
        return None
    mine, theirs = RelationColumns(preds), RelationColumns(refs)
    try:
        kinds = Column.of(mine.kinds + theirs.kinds)
        ends = Column.of(mine.subj + theirs.subj + mine.obj + theirs.obj)
    except ValueError:  # whoever reads them one by one says which argument cannot be compared
        return None
    if not set(map(type, ends.values)) <= ({int} if step.facts else {int, str}) or set(map(type, kinds.values)) - {str}:
        return None  # facts know entities by number or by name
    split, both = len(mine), len(mine) + len(theirs)
    subj, obj = ends.codes[:both], ends.codes[both:]
    mine.codes, theirs.codes = (
        [column[some] for column in (kinds.codes, subj, obj)] for some in (slice(split), slice(split, None))
    )
    mine.values = theirs.values = [kinds.values, ends.values, ends.values]
    size = len(refs) * max(len(kinds.values), 1) * max(len(ends.values), 1) ** 2
    if size >= WIDE or (step.facts and not _named(theirs, refs)):
        return None
    codes, others = mine.number(), theirs.number()
    kept = long.distinct(codes)
    predicted = unseen = mine.pick(kept)
    reference = labels = theirs.pick(np.arange(len(theirs)))
    if long.has_twice(others):
        last = list(dict(zip(others.tolist(), range(len(others)), strict=True)).values())
        reference, labels = theirs.pick(np.array(last)), theirs.lose_evidence(set(last))
    if step.facts and len(others):
        right = kept[find(np.sort(others, kind="stable"), codes[kept])[1]]
        known = _known(step, mine, right, refs)
        if known:
            is_unseen = np.ones(len(mine), dtype=bool)
            is_unseen[known] = False
            unseen = mine.pick(kept[is_unseen[kept]])
    return (
        DocumentTable({"relations": predicted, "unseen": unseen, "labels": predicted}, RelationSet),
        DocumentTable({"relations": reference, "unseen": reference, "labels": labels}, RelationSet),
    )


class RelationColumns:
    """The relations of one side, laid end to end, and their fields; both sides number the values together."""

    def __init__(self, documents: list[RelationSet]) -> None:
        lists = [one.relations for one in documents]
        self.relations: list[Relation] = list(chain.from_iterable(lists))
        self.offsets = long.offsets_of(lists)
        self.owners = long.owners_of(self.offsets)
        self.kinds = [one.type for one in self.relations]
        self.subj = [one.subj for one in self.relations]
        self.obj = [one.obj for one in self.relations]
        self.codes: list[Integers] = []
        self.values: list[Sequence[Any]] = []
        """Which of these values the type, the subject and the object of each relation have."""

    def __len__(self) -> int:
        return len(self.relations)

    def number(self) -> Integers:
        """Number the relations: equal where document, type and arguments are."""
        found: Integers = self.owners
        for codes, values in zip(self.codes, self.values, strict=True):
            found = found * len(values) + codes
        return found

    def pick(self, rows: Integers, relations: list[Relation] | None = None) -> ElementTable:
        """Take some of the relations, in the order of the documents; their evidence may be that of others."""
        given, every = relations or self.relations, len(rows) == len(self)
        offsets = self.offsets if every else np.searchsorted(self.owners[rows], np.arange(len(self.offsets)))
        kind, subj, obj = (
            Column(codes if every else codes[rows], values)
            for codes, values in zip(self.codes, self.values, strict=True)
        )

        def evidence() -> Column:
            return Column.listed([one.evidence for one in (given if every else map(given.__getitem__, rows.tolist()))])

        columns = {"type": lambda: kind, "subj": lambda: subj, "obj": lambda: obj, "evidence": evidence}
        return ElementTable(offsets, Columns(columns), Relation)

    def lose_evidence(self, kept: set[int]) -> ElementTable:
        """All labels; those that are not kept have evidence that no prediction finds."""
        from matchwise.tasks.relations.steps import without_evidence

        made = [one if row in kept else without_evidence(one) for row, one in enumerate(self.relations)]
        return self.pick(np.arange(len(self)), made)


def _known(step: Unseen, mine: RelationColumns, right: Integers, refs: list[RelationSet]) -> list[int]:
    """The correct predictions that are facts."""
    found = []
    for row, owner in zip(right.tolist(), mine.owners[right].tolist(), strict=True):
        names = refs[owner].names
        if step.knows(mine.kinds[row], names[mine.subj[row]], names[mine.obj[row]]):
            found.append(row)
    return found


def _named(theirs: RelationColumns, refs: list[RelationSet]) -> bool:
    """True if all arguments are numbers of entities that have names."""
    sizes = np.array([len(one.names) for one in refs])[theirs.owners]
    least = np.array([min(max(number, -1), 2**31) for number in theirs.values[1]], dtype=np.intp)
    return all(bool(((least[end] >= 0) & (least[end] < sizes)).all()) for end in theirs.codes[1:])

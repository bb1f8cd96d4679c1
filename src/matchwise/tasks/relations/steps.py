"""Facts of the training data, which DocRED's Ign F1 does not count: (name of the head, name of the tail, relation).

A relation is known if any name of its subject and any name of its object are such a fact.

    Ign precision = (correct − correct and known) / (predicted − correct and known)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from itertools import chain
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.arrays import Integers
from matchwise.engine.many import kernels
from matchwise.engine.many.kernels import WIDE
from matchwise.engine.many.table import Column, Columns, DocumentTable, ElementTable
from matchwise.errors import DataError, ExpressionError
from matchwise.tasks.relations.documents import Relation, RelationSet, relations

Fact: TypeAlias = tuple[str, str, str]
"""Head name, tail name, relation."""

Key: TypeAlias = tuple[str, Any, Any]
"""Type, subject and object: relations that agree in them are one relation."""


@dataclass(frozen=True, repr=False)
class Unseen:
    """The step of `docred`: correct predictions that are known are left out, but of Ign precision only.

    Each side is a set. If a prediction is submitted twice, the first one counts. If a reference lists a relation twice,
    evidence is compared with the last one, and the evidence of the others counts as missed: the script sums the
    evidence of all labels.

    >>> ref = [("capital", "Paris", "France"), ("river", "Paris", "Seine")]
    >>> pred, _ = Unseen(frozenset({("Paris", "France", "capital")}))([*ref, ("capital", "Lyon", "France")], ref)
    >>> [one.subj for one in pred.relations], [one.subj for one in pred.unseen]
    (['Paris', 'Paris', 'Lyon'], ['Paris', 'Lyon'])
    """

    facts: frozenset[Fact] = frozenset()

    def __call__(self, pred: Any, ref: Any) -> tuple[RelationSet, RelationSet]:
        mine, theirs = read_sides(relations, pred, ref)
        keys, others = ([(one.type, one.subj, one.obj) for one in side] for side in (mine, theirs))
        predicted = dict(zip(keys, mine, strict=True))
        if len(predicted) < len(mine):
            first = dict(zip(reversed(keys), reversed(mine), strict=True))
            predicted = {key: first[key] for key in predicted}
        reference = dict(zip(others, theirs, strict=True))
        kept, right = tuple(predicted.values()), tuple(reference.values())
        unseen = kept
        if self.facts:
            names = ref.names if isinstance(ref, RelationSet) else ()
            _check_named(others, names)
            unseen = tuple(
                [
                    one
                    for (kind, subj, obj), one in predicted.items()
                    if (kind, subj, obj) not in reference
                    or not self.knows(kind, _names(subj, names), _names(obj, names))
                ]
            )
        labels = right if len(right) == len(theirs) else tuple(_with_lost_evidence(others, theirs))
        return RelationSet(kept, unseen=unseen, labels=kept), RelationSet(right, unseen=right, labels=labels)

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[Any, Any] | None:
        """Both sides of many documents as tables; None unless arguments are numbers (or, without facts, names)."""
        if not set(map(type, chain(preds, refs))) <= {RelationSet}:
            return None
        mine, theirs = RelationColumns(preds), RelationColumns(refs)
        try:
            kinds = Column.of(mine.kinds + theirs.kinds)
            ends = Column.of(mine.subj + theirs.subj + mine.obj + theirs.obj)
        except ValueError:  # whoever reads them one by one says which argument cannot be compared
            return None
        known = {int} if self.facts else {int, str}  # facts know entities by number or by name
        if not set(map(type, ends.values)) <= known or not set(map(type, kinds.values)) <= {str}:
            return None
        split, both = len(mine), len(mine) + len(theirs)
        subj, obj = ends.codes[:both], ends.codes[both:]
        mine.codes, theirs.codes = (
            [column[some] for column in (kinds.codes, subj, obj)] for some in (slice(split), slice(split, None))
        )
        mine.values = theirs.values = [kinds.values, ends.values, ends.values]
        size = len(refs) * max(len(kinds.values), 1) * max(len(ends.values), 1) ** 2
        if size >= WIDE or (self.facts and not _named(theirs, refs)):
            return None
        codes, others = mine.number(), theirs.number()
        kept = kernels.distinct(codes)
        predicted = unseen = mine.pick(kept)
        reference = labels = theirs.pick(np.arange(len(theirs)))
        if kernels.has_twice(others):
            last = list(dict(zip(others.tolist(), range(len(others)), strict=True)).values())
            reference, labels = theirs.pick(np.array(last)), theirs.lose_evidence(set(last))
        if self.facts and len(others):
            right = kept[kernels.find(np.sort(others, kind="stable"), codes[kept])[1]]
            is_unseen = np.ones(len(mine), dtype=bool)
            for row, owner in zip(right.tolist(), mine.owners[right].tolist(), strict=True):
                names = refs[owner].names
                is_unseen[row] = not self.knows(mine.kinds[row], names[mine.subj[row]], names[mine.obj[row]])
            unseen = predicted if is_unseen.all() else mine.pick(kept[is_unseen[kept]])
        return (
            DocumentTable({"relations": predicted, "unseen": unseen, "labels": predicted}, RelationSet),
            DocumentTable({"relations": reference, "unseen": reference, "labels": labels}, RelationSet),
        )

    def knows(self, kind: str, heads: tuple[str, ...], tails: tuple[str, ...]) -> bool:
        """True if any of the heads and any of the tails are a fact."""
        known = self.tails
        for head in heads:  # no any(): it takes twice as long
            found = known.get(head)
            if found is not None and kind in found and not found[kind].isdisjoint(tails):
                return True
        return False

    @cached_property
    def tails(self) -> dict[str, dict[str, set[str]]]:
        """Head -> relation -> tails."""
        found: dict[str, dict[str, set[str]]] = {}
        for head, tail, kind in self.facts:
            found.setdefault(head, {}).setdefault(kind, set()).add(tail)
        return found

    @cached_property
    def digest(self) -> str:
        """A hash of the facts that does not depend on their order."""
        rows = "\n".join(sorted("\t".join(fact) for fact in self.facts))
        return sha256(rows.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def __repr__(self) -> str:
        return f"Unseen({len(self.facts)} facts, {self.digest})" if self.facts else "Unseen()"


def _make(facts: Iterable[Fact] = ()) -> Unseen:
    return Unseen(frozenset(facts))


unseen_facts = StepKind(
    "unseen_facts",
    _make,
    data=lambda made: {"facts": tuple(sorted(made.facts))},
    batch=Unseen.together,
    gives=RelationSet,
)
"""`relations.unseen_facts()`: what DocRED's Ign F1 leaves out."""


def _with_lost_evidence(keys: list[Key], several: list[Relation]) -> Iterator[Relation]:
    """All labels; the evidence of one that is listed again below is lost."""
    last = dict(zip(keys, range(len(keys)), strict=True))
    for place, (key, one) in enumerate(zip(keys, several, strict=True)):
        yield one if last[key] == place else without_evidence(one)


def without_evidence(one: Relation) -> Relation:
    """A label with as much evidence as before, but none that a prediction finds."""
    lost: Any = frozenset(("replaced", sentence) for sentence in one.evidence)
    return replace(one, evidence=lost)


def _check_named(keys: list[Key], names: tuple[tuple[str, ...], ...]) -> None:
    """Refuse a reference with arguments whose names are not known."""
    if {*map(itemgetter(1), keys), *map(itemgetter(2), keys)} <= _numbers(len(names)):
        return
    for _, subj, obj in keys:
        _names(obj, names)
        _names(subj, names)


@lru_cache(maxsize=1024)
def _numbers(size: int) -> frozenset[int]:
    return frozenset(range(size))


def _names(end: Any, names: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    if isinstance(end, int) and 0 <= end < len(names):
        return names[end]
    if isinstance(end, str):
        return (end,)
    raise DataError(
        f"found the argument {end!r} without a name to look up in the facts; expected names, or a vertexSet as in "
        "DocRED; leave out facts to score without Ign F1",
        side="reference",
    )


def as_facts(given: Any) -> frozenset[Fact]:
    """Check the facts of an option."""
    if given is None:
        return frozenset()
    if isinstance(given, Iterable):
        found = list(given)
        of_three = set(map(type, found)) == {tuple} and set(map(len, found)) == {3}
        if of_three and set(map(type, chain.from_iterable(found))) == {str}:
            return frozenset(found)
    raise ExpressionError(
        "facts are (head name, tail name, relation); read them by formats.docred.facts_of(path), "
        "or from the command line --option facts=train_annotated.json"
    )


class RelationColumns:
    """The relations of one side, laid end to end, and their fields; both sides number the values together."""

    def __init__(self, documents: list[RelationSet]) -> None:
        lists = [one.relations for one in documents]
        self.relations: list[Relation] = list(chain.from_iterable(lists))
        self.offsets = kernels.offsets_of(lists)
        self.owners = kernels.owners_of(self.offsets)
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
        made = [one if row in kept else without_evidence(one) for row, one in enumerate(self.relations)]
        return self.pick(np.arange(len(self)), made)


def _named(theirs: RelationColumns, refs: list[RelationSet]) -> bool:
    """True if all arguments are numbers of entities that have names."""
    sizes = np.array([len(one.names) for one in refs])[theirs.owners]
    least = np.array([min(max(number, -1), 2**31) for number in theirs.values[1]], dtype=np.intp)
    return all(bool(((least[end] >= 0) & (least[end] < sizes)).all()) for end in theirs.codes[1:])

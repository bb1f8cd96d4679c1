"""Facts of the training data, which DocRED's Ign F1 does not count: (name of the head, name of the tail, relation).

A relation is known if any name of its subject and any name of its object are such a fact.

    Ign precision = (correct − correct and known) / (predicted − correct and known)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from hashlib import sha256
from itertools import chain
from operator import itemgetter
from typing import Any, TypeAlias

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.errors import DataError, ExpressionError
from matchwise.records import record, replace
from matchwise.tasks.relations.documents import Relation, RelationSet, relations

Fact: TypeAlias = tuple[str, str, str]
"""Head name, tail name, relation."""

Key: TypeAlias = tuple[str, Any, Any]
"""Type, subject and object: relations that agree in them are one relation."""


@record(repr=False, slots=False)
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
        from matchwise.tasks.relations.columns import choose_all

        return choose_all(self, preds, refs)

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

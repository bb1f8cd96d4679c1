"""Facts of the training data, which DocRED's Ign F1 does not count: (name of the head, name of the tail, relation).

A relation is known if any name of its subject and any name of its object are such a fact.

    Ign precision = (correct − correct and known) / (predicted − correct and known)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain
from typing import Any, TypeAlias

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.errors import DataError, ExpressionError
from matchwise.tasks.relations.documents import Relation, RelationSet, relations

Fact: TypeAlias = tuple[str, str, str]
"""Head name, tail name, relation."""

Key: TypeAlias = tuple[str, Any, Any]
"""Type, subject and object: relations that agree in them are one relation."""

Names: TypeAlias = tuple[tuple[str, ...], ...]
"""The names of each entity of a document."""


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
        predicted: dict[Key, Relation] = {}
        for one in mine:
            predicted.setdefault((one.type, one.subj, one.obj), one)
        others = [(one.type, one.subj, one.obj) for one in theirs]
        last = {key: place for place, key in enumerate(others)}
        kept, right = tuple(predicted.values()), tuple([theirs[place] for place in last.values()])
        unseen = kept
        if self.facts:
            names = ref.names if isinstance(ref, RelationSet) else ()
            for _, subj, obj in others:
                _names(obj, names), _names(subj, names)  # refuses an argument whose names are not known
            unseen = tuple([one for key, one in predicted.items() if key not in last or not self.knows(key, names)])
        labels = [
            one if last[key] == place else _lose_evidence(one)
            for place, (key, one) in enumerate(zip(others, theirs, strict=True))
        ]
        return RelationSet(kept, unseen=unseen, labels=kept), RelationSet(right, unseen=right, labels=tuple(labels))

    def knows(self, relation: Key, names: Names) -> bool:
        """True if any name of the subject and any name of the object are a fact."""
        kind, subj, obj = relation
        tails = _names(obj, names)
        return any(not self.tails.get((head, kind), _NO_TAILS).isdisjoint(tails) for head in _names(subj, names))

    @cached_property
    def tails(self) -> dict[tuple[str, str], set[str]]:
        """Head and relation -> tails."""
        found: dict[tuple[str, str], set[str]] = {}
        for head, tail, kind in self.facts:
            found.setdefault((head, kind), set()).add(tail)
        return found

    @cached_property
    def digest(self) -> str:
        """A hash of the facts that does not depend on their order."""
        rows = "\n".join(sorted("\t".join(fact) for fact in self.facts))
        return sha256(rows.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def __repr__(self) -> str:
        return f"Unseen({len(self.facts)} facts, {self.digest})" if self.facts else "Unseen()"


unseen_facts = StepKind(
    "unseen_facts",
    lambda facts=(): Unseen(frozenset(facts)),
    data=lambda made: {"facts": tuple(sorted(made.facts))},
    gives=RelationSet,
)
"""`relations.unseen_facts()`: what DocRED's Ign F1 leaves out."""

_NO_TAILS: frozenset[str] = frozenset()


def _lose_evidence(one: Relation) -> Relation:
    """A label with as much evidence as before, but none that a prediction finds."""
    lost: Any = frozenset(("replaced", sentence) for sentence in one.evidence)
    return replace(one, evidence=lost)


def _names(end: Any, names: Names) -> tuple[str, ...]:
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

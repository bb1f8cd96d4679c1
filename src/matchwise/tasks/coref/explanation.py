"""What a system got wrong: entities split, merged, missing or invented; mentions missing, spurious or ill-bounded.

Entities are read through the matching that gives CEAF_e its value: each reference entity has one partner at most.

>>> print(errors(from_clusters([[(0, 2), (5, 6)]]), from_clusters([[(0, 1), (5, 6), (8, 9)]])).table())
entities   predicted 1  reference 1  matched 1  exact 0  split 0  merged 0  missing 0  invented 0
mentions   predicted 2  reference 3  correct 1  moved 0  boundary 1  missing 1  spurious 0
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

from matchwise.corpus.suite import Suite
from matchwise.engine.chosen import Table, best_pairs, chosen_pairs
from matchwise.tasks.coref.entities import Entity, EntitySet, Mention, all_mentions, from_clusters
from matchwise.tasks.coref.equations import ceaf_e
from matchwise.tasks.coref.steps import Preparation, numbered

Kind: TypeAlias = Literal[
    "split", "merged", "missing entity", "invented entity", "moved", "boundary", "missing", "spurious"
]

ENTITIES = ("predicted", "reference", "matched", "exact", "split", "merged", "missing", "invented")
MENTIONS = ("predicted", "reference", "correct", "moved", "boundary", "missing", "spurious")


@dataclass(frozen=True, slots=True)
class Error:
    """One error: its kind, the document, and what stands on each side (entity ids, spans as text)."""

    kind: Kind
    document: str
    pred: str
    ref: str

    def __str__(self) -> str:
        sides = " → ".join(side for side in (self.ref, self.pred) if side)
        return f"{self.kind:<15}  {self.document + ': ' if self.document else ''}{sides}"


@dataclass(frozen=True, slots=True)
class Errors:
    """Counts that add up over documents, and each error.

    entities   matched: pairs of the optimal matching; exact: those of equal mentions; split: further predicted entities
               that hold mentions of a reference entity; merged: further reference entities in a predicted one; missing:
               reference entities of which nothing is found; invented: predicted ones that have nothing of the reference
    mentions   correct: in the partner of their entity; moved: found, but in another entity; boundary: missing and
               spurious mentions that overlap, paired; missing and spurious: the rest
    """

    entities: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ENTITIES, 0))
    mentions: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MENTIONS, 0))
    found: tuple[Error, ...] = ()

    def __add__(self, other: Errors) -> Errors:
        if not isinstance(other, Errors):
            return NotImplemented
        return Errors(
            {name: number + other.entities[name] for name, number in self.entities.items()},
            {name: number + other.mentions[name] for name, number in self.mentions.items()},
            self.found + other.found,
        )

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of errors that there are."""
        return get_args(Kind)

    def of(self, kind: Kind) -> tuple[Error, ...]:
        """The errors of one kind."""
        return tuple(error for error in self.found if error.kind == kind)

    def table(self) -> str:
        rows = {"entities": self.entities, "mentions": self.mentions}
        return "\n".join(
            f"{name:<10} {'  '.join(f'{label} {number}' for label, number in row.items())}"
            for name, row in rows.items()
        )

    def to_dict(self) -> dict[str, Any]:
        found = [{"kind": e.kind, "document": e.document, "pred": e.pred, "ref": e.ref} for e in self.found]
        return {"entities": dict(self.entities), "mentions": dict(self.mentions), "errors": found}

    def __str__(self) -> str:
        return "\n".join([self.table(), *map(str, self.found)])


def errors(pred: EntitySet, ref: EntitySet, *, prepare: Preparation | None = None) -> Errors:
    """The errors of one document; `prepare` says which mentions are the same, as the step of a suite does."""
    step = prepare or Preparation()
    pred, ref = Preparation(step.singletons, None, step.zeros, step.repeated, step.words)(pred, ref)
    return _Reading(pred, ref, step).errors()


def explain(of: Suite) -> Callable[[EntitySet, EntitySet], Errors]:
    """What finds the errors of a document, (prediction, reference) -> Errors, under the options of a suite."""
    return partial(errors, prepare=_step_of(of))


def _step_of(suite: Suite) -> Preparation:
    found = (step.function for step in suite.steps)
    return next((one for one in found if isinstance(one, Preparation)), Preparation())


def partners(of: Suite, pred: EntitySet, ref: EntitySet) -> dict[int, int]:
    """Reference entity -> predicted entity of the optimal matching, both as they were read."""
    step = _step_of(of)
    mine, theirs = numbered(pred, ref, "exact" if step.mentions is None else step.mentions, step.zeros)
    return _partners(mine, theirs)


class _Reading:
    """One document, its mentions numbered so that equal ones have equal numbers."""

    def __init__(self, pred: EntitySet, ref: EntitySet, step: Preparation) -> None:
        self.pred, self.ref = pred, ref
        self.mine, self.theirs = numbered(pred, ref, "exact" if step.mentions is None else step.mentions, step.zeros)
        self.owner_pred = _owners(self.mine)
        self.owner_ref = _owners(self.theirs)
        self.mention_pred = dict(zip(_numbers(self.mine), all_mentions(pred), strict=True))
        self.mention_ref = dict(zip(_numbers(self.theirs), all_mentions(ref), strict=True))
        self.partner = _partners(self.mine, self.theirs)
        self.words_pred, self.words_ref = pred.words, ref.words

    def errors(self) -> Errors:
        found = [*self._entities(), *self._mentions()]
        kinds: list[str] = [error.kind for error in found]
        correct = sum(
            number in self.owner_pred and self.partner.get(owner) == self.owner_pred[number]
            for number, owner in self.owner_ref.items()
        )
        exact = sum(
            _numbers_of(self.theirs.entities[j]) == _numbers_of(self.mine.entities[i]) for j, i in self.partner.items()
        )
        entities = (
            len(self.pred.entities),
            len(self.ref.entities),
            len(self.partner),
            exact,
            *map(kinds.count, ("split", "merged", "missing entity", "invented entity")),
        )
        mentions = (
            len(self.owner_pred),
            len(self.owner_ref),
            correct,
            *map(kinds.count, ("moved", "boundary", "missing", "spurious")),
        )
        return Errors(
            dict(zip(ENTITIES, entities, strict=True)), dict(zip(MENTIONS, mentions, strict=True)), tuple(found)
        )

    def _entities(self) -> Iterator[Error]:
        for j, entity in enumerate(self.theirs.entities):
            held = dict.fromkeys(self.owner_pred[n] for n in _numbers_of(entity) if n in self.owner_pred)
            if not held:
                yield self._error("missing entity", ref=self._whole(self.ref, j))
            for i in _others(held, self.partner.get(j)):
                yield self._error("split", self._whole(self.pred, i), self._whole(self.ref, j))
        partner = {i: j for j, i in self.partner.items()}
        for i, entity in enumerate(self.mine.entities):
            held = dict.fromkeys(self.owner_ref[n] for n in _numbers_of(entity) if n in self.owner_ref)
            if not held:
                yield self._error("invented entity", self._whole(self.pred, i))
            for j in _others(held, partner.get(i)):
                yield self._error("merged", self._whole(self.pred, i), self._whole(self.ref, j))

    def _mentions(self) -> Iterator[Error]:
        for number, owner in self.owner_ref.items():
            if number in self.owner_pred and self.partner.get(owner) != self.owner_pred[number]:
                i = self.owner_pred[number]
                span = _text(self.words_ref, self.mention_ref[number])
                yield self._error("moved", _name(self.pred.entities[i]), f"{span} of {_name(self.ref.entities[owner])}")
        missing = [number for number in self.owner_ref if number not in self.owner_pred]
        spurious = [number for number in self.owner_pred if number not in self.owner_ref]
        paired = self._overlapping(missing, spurious)
        for number in missing:
            text = _text(self.words_ref, self.mention_ref[number])
            if number in paired:
                yield self._error("boundary", _text(self.words_pred, self.mention_pred[paired[number]]), text)
            else:
                yield self._error("missing", ref=text)
        taken = set(paired.values())
        for number in spurious:
            if number not in taken:
                yield self._error("spurious", _text(self.words_pred, self.mention_pred[number]))

    def _overlapping(self, missing: list[int], spurious: list[int]) -> dict[int, int]:
        """Missing and spurious mentions that share words, one to one, the most words in all."""
        index: dict[Any, list[int]] = {}
        theirs = [set(self.mention_pred[number].places()) for number in spurious]
        for b, places in enumerate(theirs):
            for place in places:
                index.setdefault(place, []).append(b)
        table: Table = []
        for number in missing:
            mine = set(self.mention_ref[number].places())
            near = sorted({b for place in mine for b in index.get(place, ())})
            table.append({b: len(mine & theirs[b]) / len(mine | theirs[b]) for b in near})
        return {missing[a]: spurious[b] for a, b in best_pairs(table)}

    def _error(self, kind: Kind, pred: str = "", ref: str = "") -> Error:
        return Error(kind, self.ref.id or self.pred.id, pred, ref)

    def _whole(self, document: EntitySet, number: int) -> str:
        entity = document.entities[number]
        words = self.words_pred if document is self.pred else self.words_ref
        shown = ", ".join(_text(words, mention) for mention in entity.mentions[:3])
        more = f", … ({len(entity.mentions)} mentions)" if len(entity.mentions) > 3 else ""
        return f"{_name(entity)} {{{shown}{more}}}"


def _numbers_of(entity: Entity) -> list[int]:
    return sorted(mention.left for mention in entity.mentions)


def _numbers(document: EntitySet) -> list[int]:
    return [mention.left for mention in all_mentions(document)]


def _owners(document: EntitySet) -> dict[int, int]:
    """The entity of each mention, by numbers."""
    return {mention.left: number for number, entity in enumerate(document.entities) for mention in entity.mentions}


def _partners(pred: EntitySet, ref: EntitySet) -> dict[int, int]:
    """Reference entity -> predicted entity of the optimal matching."""
    return {j: i for i, j in chosen_pairs(ceaf_e(), pred, ref)}


def _others(held: dict[int, None], partner: int | None) -> list[int]:
    """Those besides the partner; without a partner among them, the first counts as the whole."""
    several = list(held)
    if partner in held:
        return [number for number in several if number != partner]
    return several[1:]


def _name(entity: Entity) -> str:
    return f"entity {entity.id}" if entity.id else "entity"


def _text(words: list[str], mention: Mention) -> str:
    said = " ".join(words[mention.left : mention.right])
    return f"{said!r} [{mention.left}, {mention.right})" if said else f"[{mention.left}, {mention.right})"


__all__ = ["Error", "Errors", "errors", "explain", "from_clusters"]

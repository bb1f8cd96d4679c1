"""How entities and mentions go wrong: entities split, merged, missed or spurious; mentions moved or badly bounded.

Entities are read through the matching that gives CEAF_e its value: each reference entity has one partner at most, and a
pair is worth φ_4 = 2 |K ∩ R| / (|K| + |R|). A mention is right if it is in the partner of its entity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from matchwise.algebra.build import f1
from matchwise.algebra.nodes import Number
from matchwise.corpus.suite import Suite
from matchwise.engine.many.chosen.pairs import best_pairs
from matchwise.engine.one.pairs import chosen_pairs
from matchwise.engine.plan import score
from matchwise.tasks.coref.entities import Entity, EntitySet, Mention, all_mentions
from matchwise.tasks.coref.pairing import find_alike
from matchwise.tasks.coref.steps import MENTION, Preparation, number_mentions
from matchwise.tasks.declaration import Analyse
from matchwise.tasks.errors import Left, Rule, sort_out
from matchwise.tasks.views import rows_of
from matchwise.views.errors import Case, Level
from matchwise.views.model import Mark, Passage, SideName, Status, View
from matchwise.views.words import Marked, Words, stretches, text_at

SHOWN = 5
"""How many mentions of an entity are shown."""


CEAF_E = f1("entities", f1("mentions", MENTION, empty=0), empty=0)
"""Which entities belong together: the pairs of CEAF_e (Luo 2005)."""


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a document, in its entities and in its mentions."""
    return lambda pred, ref: PairedEntities.read(suite, pred, ref).levels()


@dataclass(frozen=True, slots=True)
class SaidMention:
    """A mention in words, and the rest of its entity if the error is about that."""

    mention: Mention
    entity: Entity
    is_moved: bool = False

    def in_words(self, words: Words) -> str:
        """`the old man`, `he with the old man`, `he alone`."""
        said = _in_words(self.mention, words)
        if not self.is_moved:
            return said
        company = next((one for one in self.entity.mentions if one != self.mention), None)
        return f"{said} alone" if company is None else f"{said} with {_in_words(company, words)}"

    def marks(self) -> Marked:
        return stretches((self.mention.left, self.mention.right))


@dataclass(frozen=True, slots=True)
class SaidEntity:
    """An entity in words, with the numbers of its mentions; `part` if it is only named as the whole of another one."""

    entity: Entity
    numbers: list[int]
    part: bool = False

    def in_words(self, words: Words) -> str:
        """`{the old man, he, … 5 in all}`."""
        mentions = self.entity.mentions
        shown = [_in_words(one, words) for one in mentions[:SHOWN]]
        more = [f"… {len(mentions)} in all"] if len(mentions) > SHOWN else []
        return f"{'part of ' if self.part else ''}{{{', '.join([*shown, *more])}}}"

    def marks(self) -> Marked:
        return tuple(one for mention in self.entity.mentions for one in stretches((mention.left, mention.right)))


def _in_words(mention: Mention, words: Words) -> str:
    """The words of a mention; an empty node is ∅."""
    if not mention.words:
        return text_at((mention.left, mention.right), words)
    said: list[str] = []
    before = None
    for offset, node in mention.words:
        said += ["…"] if before is not None and offset > before + 1 else []
        said.append("∅" if node else text_at((offset, offset + 1), words))
        before = offset
    return " ".join(said)


class PairedEntities:
    """Two documents as a suite compares them, their mentions numbered so that equal ones have equal numbers."""

    def __init__(self, pred: EntitySet, ref: EntitySet, step: Preparation) -> None:
        self.pred, self.ref = pred, ref
        mine, theirs = number_mentions(pred, ref, "exact" if step.mentions is None else step.mentions, step.zeros)
        self.numbers_pred, self.numbers_ref = _numbers(mine), _numbers(theirs)
        self.owner_pred, self.owner_ref = _owners(self.numbers_pred), _owners(self.numbers_ref)
        self.mention_pred = dict(zip(self.owner_pred, all_mentions(pred), strict=True))
        self.mention_ref = dict(zip(self.owner_ref, all_mentions(ref), strict=True))
        self.partner = {j: i for i, j in chosen_pairs(CEAF_E, mine, theirs)}
        """Reference entity -> predicted entity."""

    @classmethod
    def read(cls, suite: Suite, pred: Any, ref: Any) -> PairedEntities:
        """Both sides as the step of a suite prepares them."""
        found = (step.function for step in suite.steps)
        step = next((one for one in found if isinstance(one, Preparation)), Preparation())
        return cls(*Preparation(step.singletons, None, step.zeros, step.repeated, step.words)(pred, ref), step)

    def levels(self) -> list[Level]:
        return [self._entities(), self._mentions()]

    def is_right(self, number: int) -> bool:
        """True if both sides have a mention, in entities that are partners."""
        mine, theirs = self.owner_pred.get(number), self.owner_ref.get(number)
        return mine is not None and theirs is not None and self.partner.get(theirs) == mine

    def _entities(self) -> Level:
        mine, theirs = (
            [SaidEntity(*one) for one in zip(side.entities, numbers, strict=True)]
            for side, numbers in ((self.pred, self.numbers_pred), (self.ref, self.numbers_ref))
        )
        pairs = [(i, j, _phi4(mine[i].numbers, theirs[j].numbers)) for j, i in sorted(self.partner.items())]
        missed, spurious = "missed entity", "spurious entity"
        level = sort_out("entities", mine, theirs, pairs, kind=_name_difference, missed=missed, spurious=spurious)

        def find_near(case: Case) -> Case:
            """An entity without a partner was merged into, or split from, the one that has most of its mentions."""
            if case.kind not in (missed, spurious):
                return case
            is_missed = case.pred is None
            owners, others = (self.owner_pred, mine) if is_missed else (self.owner_ref, theirs)
            held = Counter(owners[number] for number in (case.ref or case.pred).numbers if number in owners)
            if not held:
                return case
            [(near, _)] = held.most_common(1)
            return replace(case, kind="merged" if is_missed else "split", near=replace(others[near], part=True))

        return replace(level.revise(find_near), matched=_plain(level.matched))

    def _mentions(self) -> Level:
        mine, theirs = (
            [SaidMention(mentions[number], side.entities[owner]) for number, owner in owners.items()]
            for side, mentions, owners in (
                (self.pred, self.mention_pred, self.owner_pred),
                (self.ref, self.mention_ref, self.owner_ref),
            )
        )
        place = {number: i for i, number in enumerate(self.owner_pred)}
        same = {j: place[number] for j, number in enumerate(self.owner_ref) if number in place}
        right = [(same[j], j, 1) for j, number in enumerate(self.owner_ref) if self.is_right(number)]
        moved = Rule("moved", lambda left, lacking: [(same[j], j) for j in lacking if j in same])
        level = sort_out("mentions", mine, theirs, right, [moved, Rule("boundary", _join_overlapping)])
        return level.revise(_show_company)


def _phi4(mine: list[int], theirs: list[int]) -> Fraction:
    return Fraction(2 * len(set(mine) & set(theirs)), len(mine) + len(theirs))


def _name_difference(pred: SaidEntity, ref: SaidEntity) -> str:
    mine, theirs = set(pred.numbers), set(ref.numbers)
    wrong = [*(["missing"] if theirs - mine else []), *(["extra"] if mine - theirs else [])]
    return f"{' and '.join(wrong)} mentions"


def _join_overlapping(left: Left, lacking: Left) -> list[tuple[int, int]]:
    """Missed and spurious mentions that share words, one to one, the most words in all."""
    missed, spurious = list(lacking), list(left)
    alike = find_alike([lacking[j].mention for j in missed], [left[i].mention for i in spurious], 0.0)
    return [(spurious[b], missed[a]) for a, b in best_pairs(alike)]


def _show_company(case: Case) -> Case:
    """A mention that is in another entity is shown with the company it has there."""
    if case.kind != "moved":
        return case
    return replace(case, pred=replace(case.pred, is_moved=True), ref=replace(case.ref, is_moved=True))


def _numbers(document: EntitySet) -> list[list[int]]:
    """The numbers of the mentions of each entity."""
    return [[mention.left for mention in entity.mentions] for entity in document.entities]


def _owners(entities: list[list[int]]) -> dict[int, int]:
    """The entity of each mention, by numbers."""
    return {number: place for place, entity in enumerate(entities) for number in entity}


def _plain(amount: Number) -> Number:
    return int(amount) if amount == int(amount) else amount


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """What is wrong with entities and mentions, and the text of both sides with the entities numbered."""
    paired = PairedEntities.read(suite, pred, ref)
    mine, theirs = paired.pred.words, paired.ref.words
    rows = rows_of(paired.levels(), mine or theirs, theirs or mine)
    value = score(suite.metrics[metric], pred, ref)
    return View("", (*rows, *_passages(paired, mine or theirs, theirs or mine)), metric, value)


def _passages(paired: PairedEntities, pred: list[str], ref: list[str]) -> Iterator[Passage]:
    """Mark both texts; a mention is right if the partner of its entity has it, too."""
    partner = {i: j + 1 for j, i in paired.partner.items()}
    free = iter(range(len(paired.ref.entities) + 1, len(paired.ref.entities) + len(paired.pred.entities) + 1))
    places = [partner[i] if i in partner else next(free) for i in range(len(paired.pred.entities))]
    if pred:
        yield Passage("predicted", tuple(pred), tuple(_marks(paired, "predicted", places, len(pred))))
    if ref:
        places = list(range(1, len(paired.ref.entities) + 1))
        yield Passage("reference", tuple(ref), tuple(_marks(paired, "reference", places, len(ref))))


def _marks(paired: PairedEntities, side: SideName, places: list[int], end: int) -> Iterator[Mark]:
    wrong: Status
    if side == "predicted":
        wrong, document, numbers = "spurious", paired.pred, paired.numbers_pred
    else:
        wrong, document, numbers = "missed", paired.ref, paired.numbers_ref
    for place, entity, several in zip(places, document.entities, numbers, strict=True):
        for mention, number in zip(entity.mentions, several, strict=True):
            if mention.right <= end:
                status = "right" if paired.is_right(number) else wrong
                yield Mark(mention.left, mention.right, "", status, place)

"""How entities and mentions go wrong: entities split, merged, missed or spurious; mentions moved or badly bounded.

Entities are read through the matching that gives CEAF_e its value: each reference entity has one partner at most, and a
pair is worth φ_4 = 2 |K ∩ R| / (|K| + |R|). A mention is right if it is in the partner of its entity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from matchwise.algebra.build import f1
from matchwise.corpus.suite import Suite
from matchwise.engine.many.chosen.pairs import best_pairs
from matchwise.engine.one.pairs import chosen_pairs
from matchwise.engine.plan import score
from matchwise.tasks.coref.entities import Entity, EntitySet, Mention, all_mentions
from matchwise.tasks.coref.pairing import find_alike
from matchwise.tasks.coref.steps import MENTION, Preparation, number_mentions
from matchwise.tasks.declaration import Analyse
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
    return lambda pred, ref: Paired.read(suite, pred, ref).levels()


@dataclass(frozen=True, slots=True)
class Said:
    """A mention in words; `company` is the rest of its entity, if the error is about that."""

    mention: Mention
    company: tuple[Mention, ...] | None = None

    def in_words(self, words: Words) -> str:
        """`the old man`, `he with the old man`, `he alone`."""
        said = _in_words(self.mention, words)
        if self.company is None:
            return said
        return f"{said} with {_in_words(self.company[0], words)}" if self.company else f"{said} alone"

    def marks(self) -> Marked:
        return stretches((self.mention.left, self.mention.right))


@dataclass(frozen=True, slots=True)
class SaidEntity:
    """An entity in words; `part` if it is only named as the whole of another one."""

    entity: Entity
    part: bool = False

    def in_words(self, words: Words) -> str:
        """`{the old man, he, … 5 in all}`."""
        mentions = self.entity.mentions
        shown = [_in_words(one, words) for one in mentions[:SHOWN]]
        more = [f"… {len(mentions)} in all"] if len(mentions) > SHOWN else []
        return f"{'part of ' if self.part else ''}{{{', '.join([*shown, *more])}}}"

    def marks(self) -> Marked:
        return tuple(one for mention in self.entity.mentions for one in Said(mention).marks())


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


class Paired:
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
    def read(cls, suite: Suite, pred: Any, ref: Any) -> Paired:
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
        cases, right = [], []
        matched: Fraction | int = 0
        for j, i in sorted(self.partner.items()):
            mine, theirs = set(self.numbers_pred[i]), set(self.numbers_ref[j])
            credit = Fraction(2 * len(mine & theirs), len(mine) + len(theirs))
            matched += credit
            pair = SaidEntity(self.pred.entities[i]), SaidEntity(self.ref.entities[j])
            if credit == 1:
                right.append(pair)
            else:
                wrong = [*(["missing"] if theirs - mine else []), *(["extra"] if mine - theirs else [])]
                cases.append(Case(f"{' and '.join(wrong)} mentions", *pair, 1 - credit, is_partial=True))
        for j, entity in enumerate(self.ref.entities):
            if j not in self.partner:
                near = _most(self.owner_pred, self.numbers_ref[j])
                merged = None if near is None else SaidEntity(self.pred.entities[near], part=True)
                kind = "missed entity" if merged is None else "merged"
                cases.append(Case(kind, ref=SaidEntity(entity), near=merged))
        taken = set(self.partner.values())
        for i, entity in enumerate(self.pred.entities):
            if i not in taken:
                near = _most(self.owner_ref, self.numbers_pred[i])
                whole = None if near is None else SaidEntity(self.ref.entities[near], part=True)
                cases.append(Case("spurious entity" if whole is None else "split", SaidEntity(entity), near=whole))
        predicted, reference = len(self.pred.entities), len(self.ref.entities)
        return Level("entities", _plain(matched), predicted, reference, tuple(cases), tuple(right))

    def _mentions(self) -> Level:
        right = [number for number in self.owner_ref if self.is_right(number)]
        pairs = tuple((Said(self.mention_pred[number]), Said(self.mention_ref[number])) for number in right)
        return Level(
            "mentions", len(right), len(self.owner_pred), len(self.owner_ref), tuple(self._wrong_mentions()), pairs
        )

    def _wrong_mentions(self) -> Iterator[Case]:
        for number, owner in self.owner_ref.items():
            if number in self.owner_pred and not self.is_right(number):
                mine = self.pred.entities[self.owner_pred[number]]
                yield Case(
                    "moved",
                    _in_company(self.mention_pred[number], mine),
                    _in_company(self.mention_ref[number], self.ref.entities[owner]),
                )
        missed = [number for number in self.owner_ref if number not in self.owner_pred]
        spurious = [number for number in self.owner_pred if number not in self.owner_ref]
        paired = self._match_overlapping(missed, spurious)
        for number, other in paired.items():
            yield Case("boundary", Said(self.mention_pred[other]), Said(self.mention_ref[number]))
        for number in missed:
            if number not in paired:
                yield Case("missed", ref=Said(self.mention_ref[number]))
        taken = set(paired.values())
        for number in spurious:
            if number not in taken:
                yield Case("spurious", Said(self.mention_pred[number]))

    def _match_overlapping(self, missed: list[int], spurious: list[int]) -> dict[int, int]:
        """Missed and spurious mentions that share words, one to one, the most words in all."""
        mine, theirs = (
            [self.mention_pred[number] for number in spurious],
            [self.mention_ref[number] for number in missed],
        )
        return {missed[a]: spurious[b] for a, b in best_pairs(find_alike(theirs, mine, 0.0))}


def _numbers(document: EntitySet) -> list[list[int]]:
    """The numbers of the mentions of each entity."""
    return [[mention.left for mention in entity.mentions] for entity in document.entities]


def _owners(entities: list[list[int]]) -> dict[int, int]:
    """The entity of each mention, by numbers."""
    return {number: place for place, entity in enumerate(entities) for number in entity}


def _most(owners: dict[int, int], numbers: list[int]) -> int | None:
    """The entity of the other side with most of these mentions; the first of equals."""
    held = Counter(owners[number] for number in numbers if number in owners)
    return held.most_common(1)[0][0] if held else None


def _in_company(mention: Mention, entity: Entity) -> Said:
    return Said(mention, tuple(one for one in entity.mentions if one != mention))


def _plain(amount: Fraction | int) -> Fraction | int:
    return int(amount) if amount == int(amount) else amount


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """What is wrong with entities and mentions, and the text of both sides with the entities numbered."""
    paired = Paired.read(suite, pred, ref)
    mine, theirs = paired.pred.words, paired.ref.words
    rows = rows_of(paired.levels(), mine or theirs, theirs or mine)
    value = score(suite.metrics[metric], pred, ref)
    return View("", (*rows, *_passages(paired, mine or theirs, theirs or mine)), metric, value)


def _passages(paired: Paired, pred: list[str], ref: list[str]) -> Iterator[Passage]:
    """Mark both texts; a mention is right if the partner of its entity has it, too."""
    partner = {i: j + 1 for j, i in paired.partner.items()}
    free = iter(range(len(paired.ref.entities) + 1, len(paired.ref.entities) + len(paired.pred.entities) + 1))
    places = [partner[i] if i in partner else next(free) for i in range(len(paired.pred.entities))]
    if pred:
        yield Passage("predicted", tuple(pred), tuple(_marks(paired, "predicted", places, len(pred))))
    if ref:
        places = list(range(1, len(paired.ref.entities) + 1))
        yield Passage("reference", tuple(ref), tuple(_marks(paired, "reference", places, len(ref))))


def _marks(paired: Paired, side: SideName, places: list[int], end: int) -> Iterator[Mark]:
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

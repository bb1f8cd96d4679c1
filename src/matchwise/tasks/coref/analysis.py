"""How entities and mentions go wrong: entities split, merged, missed or spurious; mentions moved or badly bounded.

Entities are read through the matching that gives CEAF_e its value: each reference entity has one partner at most, and a
pair is worth φ_4 = 2 |K ∩ R| / (|K| + |R|). A mention is right if it is in the partner of its entity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from typing import Any

from matchwise.algebra.build import f1
from matchwise.corpus.suite import Suite
from matchwise.engine.one.pairs import chosen_pairs
from matchwise.engine.solve.assignment import assign
from matchwise.tasks.coref.entities import CorefMention, Entity, EntitySet
from matchwise.tasks.coref.steps import MENTION, Preparation, find_alike, number_mentions
from matchwise.tasks.errors import Left, Rule, sort_out
from matchwise.tasks.views import rows_of
from matchwise.views.errors import Case, Level
from matchwise.views.model import Mark, Status, View, ViewPassage
from matchwise.views.words import Marked, Words, stretches, text_at

SHOWN = 5
"""How many mentions of an entity are shown."""


CEAF_E = f1("entities", f1("mentions", MENTION, empty=0), empty=0)
"""Which entities belong together: the pairs of CEAF_e (Luo 2005)."""


@dataclass(frozen=True, slots=True)
class SaidMention:
    """A mention in words, and the rest of its entity if the error is about that."""

    mention: CorefMention
    entity: Entity
    repeated: frozenset[str]
    is_moved: bool = False

    def in_words(self, words: Words) -> str:
        """`the old man`, `he (word 7) with the old man`, `he alone`."""
        said = _tell_apart(self.mention, words, self.repeated)
        if not self.is_moved:
            return said
        others = [one for one in self.entity.mentions if one != self.mention]
        telling = [one for one in others if _in_words(one, words) not in self.repeated]
        company = next(iter(telling or others), None)
        return f"{said} alone" if company is None else f"{said} with {_tell_apart(company, words, self.repeated)}"

    def marks(self) -> Marked:
        return stretches((self.mention.left, self.mention.right))


@dataclass(frozen=True, slots=True)
class SaidEntity:
    """An entity in words, with the numbers of its mentions; `part` if it is only named as the whole of another one."""

    entity: Entity
    numbers: list[int]
    repeated: frozenset[str]
    part: bool = False
    other: frozenset[int] = frozenset()
    """The mentions of the entity that it is compared with; those that it alone has are shown first."""

    def in_words(self, words: Words) -> str:
        """`{the old man, he (word 7), … 5 in all}`."""
        both = zip(self.entity.mentions, self.numbers, strict=True)
        mentions = [one for one, _ in sorted(both, key=lambda pair: pair[1] in self.other)]
        shown = [_tell_apart(one, words, self.repeated) for one in mentions[:SHOWN]]
        more = [f"… {len(mentions)} in all"] if len(mentions) > SHOWN else []
        return f"{'part of ' if self.part else ''}{{{', '.join([*shown, *more])}}}"

    def marks(self) -> Marked:
        return tuple(one for mention in self.entity.mentions for one in stretches((mention.left, mention.right)))


def _tell_apart(mention: CorefMention, words: Words, repeated: frozenset[str]) -> str:
    """The words of a mention, and its place if other mentions have the same words."""
    said = _in_words(mention, words)
    return f"{said} (word {mention.left})" if said in repeated else said


def _in_words(mention: CorefMention, words: Words) -> str:
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


class NumberedEntities:
    """One side of a document, whose mentions have numbers; a mention that both sides have has one number."""

    def __init__(self, document: EntitySet, numbered: EntitySet, repeated: frozenset[str]) -> None:
        self.words = document.words
        self.repeated = repeated
        self.entities = [
            SaidEntity(entity, [mention.left for mention in other.mentions], repeated)
            for entity, other in zip(document.entities, numbered.entities, strict=True)
        ]
        self.owner = {number: place for place, one in enumerate(self.entities) for number in one.numbers}
        """The entity of each mention."""

    def mentions(self) -> list[SaidMention]:
        every = ((mention, one.entity) for one in self.entities for mention in one.entity.mentions)
        return [SaidMention(mention, entity, self.repeated) for mention, entity in every]


class PairedEntities:
    """Two documents as a suite compares them."""

    def __init__(self, suite: Suite, pred: Any, ref: Any) -> None:
        steps = (step.function for step in suite.steps)
        step = next((one for one in steps if isinstance(one, Preparation)), Preparation())
        sides = replace(step, mentions=None)(pred, ref)
        numbered = number_mentions(*sides, "exact" if step.mentions is None else step.mentions, step.zeros)
        repeated = _find_repeated(*sides)
        self.mine, self.theirs = (NumberedEntities(*side, repeated) for side in zip(sides, numbered, strict=True))
        self.partner = {j: i for i, j in chosen_pairs(CEAF_E, *numbered)}
        """Reference entity -> predicted entity."""

    def levels(self) -> list[Level]:
        return [self._entities(), self._mentions()]

    def view(self, metric: str, value: float) -> View:
        """What is wrong with entities and mentions, and the text of both sides with the entities numbered."""
        mine, theirs = self.mine.words or self.theirs.words, self.theirs.words or self.mine.words
        passages = _passages(self, mine, theirs) if mine else ()
        return View("", (*rows_of(self.levels(), mine, theirs), *passages), metric, value)

    def is_right(self, number: int) -> bool:
        """True if both sides have a mention, in entities that are partners."""
        mine, theirs = self.mine.owner.get(number), self.theirs.owner.get(number)
        return mine is not None and theirs is not None and self.partner.get(theirs) == mine

    def _entities(self) -> Level:
        mine, theirs = self.mine.entities, self.theirs.entities
        missed, spurious = "missed entity", "spurious entity"
        pairs = []
        for j, i in sorted(self.partner.items()):
            shared = len(set(mine[i].numbers) & set(theirs[j].numbers))
            pairs.append((i, j, Fraction(2 * shared, len(mine[i].numbers) + len(theirs[j].numbers))))
        level = sort_out("entities", mine, theirs, pairs, kind=_name_difference, missed=missed, spurious=spurious)

        def find_near(case: Case) -> Case:
            """An entity without a partner was merged into, or split from, the one that has most of its mentions."""
            if case.kind not in (missed, spurious):
                mine, theirs = (frozenset(side.numbers) for side in (case.pred, case.ref))
                return replace(case, pred=replace(case.pred, other=theirs), ref=replace(case.ref, other=mine))
            other = self.mine if case.pred is None else self.theirs
            numbers = (case.ref or case.pred).numbers
            held = Counter(other.owner[number] for number in numbers if number in other.owner)
            if not held:
                return case
            [(near, _)] = held.most_common(1)
            kind = "merged" if case.pred is None else "split"
            return replace(case, kind=kind, near=replace(other.entities[near], part=True))

        matched = int(level.matched) if level.matched == int(level.matched) else level.matched
        return replace(level.revise(find_near), matched=matched)

    def _mentions(self) -> Level:
        place = {number: i for i, number in enumerate(self.mine.owner)}
        same = {j: place[number] for j, number in enumerate(self.theirs.owner) if number in place}
        right = [(same[j], j, 1) for j, number in enumerate(self.theirs.owner) if self.is_right(number)]
        moved = Rule("moved", lambda left, lacking: [(same[j], j) for j in lacking if j in same])
        rules = [moved, Rule("boundary", _join_overlapping)]
        level = sort_out("mentions", self.mine.mentions(), self.theirs.mentions(), right, rules)
        return level.revise(_show_company)


def _find_repeated(pred: EntitySet, ref: EntitySet) -> frozenset[str]:
    """What several mentions of a document say: two pronouns, a name that comes back."""
    words = ref.words or pred.words
    spans = {one[:2]: one for side in (pred, ref) for entity in side.entities for one in entity.mentions}
    said = Counter(_in_words(one, words) for one in spans.values())
    return frozenset(text for text, number in said.items() if number > 1)


def _name_difference(pred: SaidEntity, ref: SaidEntity) -> str:
    mine, theirs = set(pred.numbers), set(ref.numbers)
    wrong = [*(["missed"] if theirs - mine else []), *(["spurious"] if mine - theirs else [])]
    return f"{' and '.join(wrong)} mentions"


def _join_overlapping(left: Left, lacking: Left) -> list[tuple[int, int]]:
    """Missed and spurious mentions that share words, one to one, the most words in all."""
    missed, spurious = list(lacking), list(left)
    alike = find_alike([lacking[j].mention for j in missed], [left[i].mention for i in spurious], 0.0)
    return [(spurious[b], missed[a]) for a, b in assign(alike)]


def _show_company(case: Case) -> Case:
    """A mention that is in another entity is shown with the company it has there."""
    if case.kind != "moved":
        return case
    return replace(case, pred=replace(case.pred, is_moved=True), ref=replace(case.ref, is_moved=True))


def _passages(paired: PairedEntities, pred: list[str], ref: list[str]) -> Iterator[ViewPassage]:
    """Mark both texts; partners have the number of the reference's, and other predicted entities higher ones."""
    partner, free = {i: j for j, i in paired.partner.items()}, count(len(paired.theirs.entities))
    places = {i: partner[i] if i in partner else next(free) for i in range(len(paired.mine.entities))}
    yield ViewPassage("predicted", tuple(pred), tuple(_marks(paired, paired.mine, "spurious", places, len(pred))))
    same = {j: j for j in range(len(paired.theirs.entities))}
    yield ViewPassage("reference", tuple(ref), tuple(_marks(paired, paired.theirs, "missed", same, len(ref))))


def _marks(
    paired: PairedEntities, side: NumberedEntities, wrong: Status, places: dict[int, int], end: int
) -> Iterator[Mark]:
    """A mention is right if the partner of its entity has it, too."""
    for place, one in enumerate(side.entities):
        for mention, number in zip(one.entity.mentions, one.numbers, strict=True):
            if mention.right <= end:
                status = "right" if paired.is_right(number) else wrong
                yield Mark(mention.left, mention.right, "", status, places[place] + 1)

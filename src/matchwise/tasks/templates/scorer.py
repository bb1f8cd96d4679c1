"""MUC-4's scoring program as a step: which template of a response is which of the key, and what became of each filler.

Two templates may be paired if their types and one of seven slots agree at least partly; a common word is enough there,
and so is it if none of the seven slots is filled. The pairs with the highest recall are taken first, in whole per
cent, and among equals the first. A person may have changed the pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from matchwise.algebra.build import eq, mean
from matchwise.algebra.steps import LeftOut, StepKind, read_sides
from matchwise.tasks.roles.fillers import RoleEntity, SlotFiller, Template, TemplateSet
from matchwise.tasks.templates import muc4
from matchwise.tasks.templates.adjudication import Judgement, Judgements, fill_of
from matchwise.tasks.templates.fills import Fill, read_fill
from matchwise.tasks.templates.pairing import Paired, Placed, numbers_of, text_of
from matchwise.tasks.templates.slotscore import SlotRules, SlotScore, SlotScoring
from matchwise.tasks.templates.values import Category, SlotReading, document

Status: TypeAlias = Literal["matched", "missing", "spurious", "optional", "irrelevant"]


@dataclass(frozen=True, slots=True)
class _Filled:
    """A template as it is given and as it is shown, and the fillers of each slot, in MUC-4's notation and as shown."""

    place: int
    template: Template
    shown: Template
    fills: Mapping[str, list[Fill]]
    fillers: Mapping[str, list[SlotFiller]]


@dataclass(frozen=True, slots=True)
class TemplateScore:
    """A template of the response, of the key, or both, by their places, and the scores of their slots.

    Optional templates of a key that nothing was paired with have no scores. A text without templates is irrelevant.
    """

    pred: int | None
    ref: int | None
    status: Status
    slots: Mapping[str, SlotScore]
    is_optional: bool = False
    """Whether the template of the key may be left out."""


@dataclass(frozen=True)
class TemplateScoring:
    """The step. `slots` are those that are scored, if not all are; the other options are those of `SlotRules`."""

    slots: tuple[str, ...] = ()
    judgements: tuple[tuple[Any, ...], ...] = ()
    """What a person said, as `Judgements.data` has it."""
    categories: tuple[str, ...] = muc4.CATEGORIES
    hierarchy: tuple[tuple[str, str], ...] = tuple(muc4.HIERARCHY.items())
    ignored: str = muc4.PREMODIFIERS

    filler = eq("slot") * mean(eq("partner"), eq("whole"))
    """Fillers that were matched have a partner in common; if they are right, all of it."""

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "hierarchy", tuple(dict(self.hierarchy).items())
        )  # a dictionary, where text was parsed

    @cached_property
    def rules(self) -> SlotRules:
        judged = Judgements(tuple(Judgement(*one) for one in self.judgements))
        return SlotRules(self.categories, dict(self.hierarchy), self.ignored, judged)

    @cached_property
    def reading(self) -> SlotReading:
        """How the values are read that people see."""
        return SlotReading(
            words=True,
            ignored=self.ignored,
            whole=muc4.WHOLE,
            categories=self.categories,
            upper=True,
            alternatives=True,
            type_slot=muc4.TYPE,
        )

    def __call__(self, pred: Any, ref: Any) -> tuple[Paired, Paired]:
        mine, theirs = read_sides(document, pred, ref)
        responses, keys = list(self._fill(mine)), list(self._fill(theirs))
        scores = self._score(mine, theirs, responses, keys)
        met = [(one.pred, one.ref) for one in scores if one.status == "matched"]
        p = numbers_of(len(responses), [i for i, _ in met if i is not None], 1)
        r = numbers_of(len(keys), [j for _, j in met if j is not None], 2)
        predicted, reference = self._place(scores, (responses, keys), (p, r))
        relevant = any(bool(responses) or not one.optional for one in theirs.templates)
        return (
            Paired(tuple(one.shown for one in responses), p, tuple(predicted), text_of(bool(responses)), mine.id),
            Paired(tuple(one.shown for one in keys), r, tuple(reference), text_of(relevant), theirs.id),
        )

    def score(self, pred: Any, ref: Any) -> list[TemplateScore]:
        """The templates of a document, those of the key first, with what became of their fillers."""
        mine, theirs = read_sides(document, pred, ref)
        return self._score(mine, theirs, list(self._fill(mine)), list(self._fill(theirs)))

    def _score(
        self, mine: TemplateSet, theirs: TemplateSet, responses: list[_Filled], keys: list[_Filled]
    ) -> list[TemplateScore]:
        id = mine.id if theirs.id is None else theirs.id
        responses, keys = _in_order(responses), _in_order(keys)
        pairs = self._pair(id, responses, keys)
        taken = {one.place for one in pairs.values()}
        made = []
        for key in keys:
            other = pairs.get(key.place)
            if other is None and key.template.optional:
                only = not responses and all(one.template.optional for one in keys)
                status: Status = "irrelevant" if only and key is keys[0] else "optional"
                made.append(TemplateScore(None, key.place, status, {}, is_optional=True))
            else:
                status, place = ("missing", None) if other is None else ("matched", other.place)
                slots = self._slots(id, other, key)
                made.append(TemplateScore(place, key.place, status, slots, is_optional=key.template.optional))
        stars = (mine.irrelevant if responses else not keys) - sum(one.status == "missing" for one in made)
        made += [TemplateScore(None, None, "irrelevant", {})] * max(0, stars)
        made += [
            TemplateScore(one.place, None, "spurious", self._slots(id, one, None))
            for one in responses
            if one.place not in taken
        ]
        return made

    def left_out(self, pred: Any, ref: Any) -> list[LeftOut]:
        """The predicted slots that MUC-4 does not have, for a warning; their fillers count."""
        found, _ = read_sides(document, pred, ref)
        known = {*muc4.KNOWN, *self.categories, *self.slots}
        slots = (filler.slot for one in found.templates for filler in one.fillers)
        return [LeftOut(f"unknown slot {slot!r}") for slot in slots if slot not in known]

    def _fill(self, side: TemplateSet) -> Iterator[_Filled]:
        read = self.reading.document(side)
        for place, (given, shown) in enumerate(zip(side.templates, read.templates, strict=True)):
            fills: dict[str, list[Fill]] = {}
            fillers: dict[str, list[SlotFiller]] = {}
            found = [read_fill(given.type, "element"), *map(self._fill_of, given.fillers)]
            for fill, filler in zip(found, shown.fillers, strict=True):
                if fill is not None:
                    fills.setdefault(filler.slot, []).append(fill)
                    fillers.setdefault(filler.slot, []).append(filler)
            yield _Filled(place, given, shown, fills, fillers)

    def _fill_of(self, one: SlotFiller) -> Fill:
        kind, value = self.rules.kind(one.slot), one.value
        if one.written:
            fill = read_fill(one.written, kind)
        elif isinstance(value, Category):
            tag = fill_of("hum_tgt_name", value.tag)
            named = fill_of(muc4.TYPE, value.names)
            fill = named if tag is None else ("xref", named, tag)
        elif isinstance(value, RoleEntity):
            fill = fill_of(one.slot if kind != "element" else muc4.TYPE, value.mentions)
        else:
            fill = str(value).upper()
        return ("optional", fill) if one.optional and fill is not None else fill

    def _slots(
        self, id: Any, response: _Filled | None, key: _Filled | None, *, final: bool = True
    ) -> dict[str, SlotScore]:
        p, r = ({} if one is None else one.fills for one in (response, key))
        about = id, None if key is None else key.template.id
        return {
            slot: SlotScoring(self.rules, about, slot, p.get(slot, ()), r.get(slot, ())).score(final=final)
            for slot in dict.fromkeys((*(muc4.FILLED if final else ()), *p, *r))
        }

    def _pair(self, id: Any, responses: Sequence[_Filled], keys: Sequence[_Filled]) -> dict[int, _Filled]:
        """The place of a key -> the response that it is paired with."""
        by_hand = self.rules.judgements.fills.get((id, muc4.TEMPLATE), [])
        alone = [[str(one[side]) for one in by_hand if one[3 - side] is None] for side in (1, 2)]
        together = {(str(one.response), str(one.key)): one.credit for one in by_hand}
        ranked = []
        for key in keys:
            for response in responses:
                ids = str(response.template.id), str(key.template.id)
                if ids[0] in alone[0] or ids[1] in alone[1] or together.get(ids) == 0:
                    continue
                if together.get(ids):
                    ranked.append((101, key, response))
                elif self._may_be_paired(id, response, key):
                    ranked.append((self._recall(id, response, key), key, response))
        found: dict[int, _Filled] = {}
        taken = set()
        for _, key, response in sorted(ranked, key=lambda one: -one[0]):
            if key.place not in found and response.place not in taken:
                found[key.place] = response
                taken.add(response.place)
        return found

    def _may_be_paired(self, id: Any, response: _Filled, key: _Filled) -> bool:
        def agrees(slot: str) -> bool | None:
            sides = response.fills.get(slot, ()), key.fills.get(slot, ())
            return SlotScoring(self.rules, (id, key.template.id), slot, *sides).agree()

        if not agrees(muc4.TYPE):
            return False
        found = [agrees(slot) for slot in muc4.ANCHORS]
        return any(found) or all(one is None for one in found)

    def _recall(self, id: Any, response: _Filled, key: _Filled) -> int:
        scores = self._slots(id, response, key, final=False).values()
        possible = sum(one.possible for one in scores)
        right, partly = (sum(one.count(credit) for one in scores) for credit in (1, 0.5))
        return percent(right, partly, possible) if possible else 100

    def _place(
        self, scores: Sequence[TemplateScore], sides: tuple[list[_Filled], ...], numbers: tuple[tuple[int, ...], ...]
    ) -> tuple[list[Placed], list[Placed]]:
        """The fillers of both sides that count, each with a number that only the filler it was matched with has."""
        made: tuple[list[Placed], list[Placed]] = [], []
        outcomes = (
            (one, slot, outcome)
            for one in scores
            for slot, score in one.slots.items()
            if not self.slots or slot in self.slots
            for outcome in score.outcomes
        )
        for number, (one, slot, outcome) in enumerate(outcomes, start=1):
            for side, template, place in zip((0, 1), (one.pred, one.ref), outcome[:2], strict=True):
                if template is None or place is None:
                    continue
                filled, alone = sides[side][template], -2 * number - side
                filler, fill = filled.fillers[slot][place], filled.fills[slot][place]
                partner, whole = (number if outcome.credit >= least else alone for least in (0.5, 1))
                of = numbers[side][template], slot, filler.value, filled.shown.type, filler.optional
                made[side].append(Placed(*of, fill, partner, whole))
        return made


def percent(right: int, partly: int, of: int) -> int:
    """(right + ½ partly) / of in whole per cent, as the program rounds: cut to tenths, a half to the even number.

    >>> percent(1, 0, 8), percent(3, 0, 8), percent(2, 0, 3)
    (12, 38, 67)
    """
    whole, tenths = divmod(500 * (2 * right + partly) // of, 10)
    return whole + (tenths > 5 or (tenths == 5 and whole % 2 == 1))


def _in_order(templates: list[_Filled]) -> list[_Filled]:
    """By their numbers as texts, of equal ones the last first, as the program does; as given, if one has no number."""
    if any(one.template.id is None for one in templates):
        return templates
    return sorted(templates, key=lambda one: (str(one.template.id), -one.place))


scored_templates = StepKind("scored_templates", TemplateScoring, left_out=TemplateScoring.left_out, gives=Paired)
"""`templates.scored_templates(…)`: which template is which, and which fillers were matched."""

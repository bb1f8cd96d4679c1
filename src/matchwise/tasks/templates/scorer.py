"""MUC-4's scoring program as a step, which pairs templates and says what became of each filler, and its score report.

Two templates may be paired if their types and one of seven slots agree at least partly; a common word is enough there,
and so is it if none of the seven slots is filled. The pairs with the highest recall are taken first, in whole per
cent, and among equals the first. A person may have changed the pairs.

The report has a row for each slot, and the totals, as the scoring program of 1992 printed it.

REC = (COR + ½ PAR) / POS    PRE = (COR + ½ PAR) / ACT    OVG = SPU / ACT    FAL = (INC + SPU) / wrong values there are

Percentages are whole numbers, and the F-measures are made of them. ICR and IPA are what a person judged to be right or
partly right; NON is what neither side had to fill.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.algebra.build import eq, mean
from matchwise.algebra.steps import LeftOut, StepKind, read_sides
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError
from matchwise.tasks.roles.fillers import RoleEntity, SlotFiller, Template, TemplateSet
from matchwise.tasks.templates import muc4
from matchwise.tasks.templates.adjudication import Judgement, Judgements, fill_of
from matchwise.tasks.templates.muc4 import Fill, read_fill
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

Measure = int | None


class ScoreRow(NamedTuple):
    """A row of the report. A measure is None if there is nothing to divide by (0 in the row of texts).

    Fallout is of closed lists only.
    """

    possible: int
    actual: int
    correct: int
    partial: int
    incorrect: int
    judged_correct: int
    judged_partial: int
    spurious: int
    missing: int
    noncommittal: int
    recall: Measure
    precision: Measure
    overgeneration: Measure
    fallout: Measure = None


class ScoreReport:
    """The report of documents that were added.

    >>> from matchwise.tasks.templates import suite
    >>> key = [("BOMBING", {"hum_tgt_name": ["ANA PAZ"], "incident_stage_of_execution": "ACCOMPLISHED"})]
    >>> made = report(suite("muc4"), [([("ATTACK", {"hum_tgt_name": ["THE ANA PAZ"]})], key)])
    >>> made.rows()["ALL TEMPLATES"]
    ScoreRow(possible=3, actual=2, correct=1, partial=1, incorrect=0, judged_correct=0, judged_partial=0, spurious=0, \
missing=1, noncommittal=20, recall=50, precision=75, overgeneration=0, fallout=None)
    >>> made.f_measures()
    ('60.0', '68.18', '53.57')
    """

    def __init__(self, slots: Sequence[str] = ()) -> None:
        self.slots = [slot for slot in muc4.FILLED if not slots or slot in slots]
        self.templates: dict[Status, int] = dict.fromkeys(_PARTS, 0) | {"optional": 0, "irrelevant": 0}
        self.sums: dict[tuple[Status, str], list[int]] = {(part, slot): _ZERO for part in _PARTS for slot in self.slots}
        self.texts = [0, 0, 0, 0]
        """Texts that both sides, the key alone, the response alone and neither find relevant."""

    def add(self, scores: Sequence[TemplateScore]) -> None:
        """Add a document; if all templates of its key are optional, the text is as relevant as it is found."""
        for one in scores:
            self.templates[one.status] += 1
            for slot in self.slots if one.slots else ():
                before = self.sums[one.status, slot]
                self.sums[one.status, slot] = [x + y for x, y in zip(before, counts_of(one.slots[slot]), strict=True)]
        keys, found = [one for one in scores if one.ref is not None], any(one.pred is not None for one in scores)
        is_relevant = found if keys and all(one.is_optional for one in keys) else bool(keys)
        self.texts[0 if found and is_relevant else 1 if is_relevant else 2 if found else 3] += 1

    def rows(self) -> dict[str, ScoreRow]:
        """The rows in their order, by the names that the report gives them."""
        matched, missing, spurious = (self.templates[part] for part in _PARTS)
        counts = [matched + missing, matched + spurious, matched, 0, 0, 0, 0, spurious, missing]
        made = {"template-id": _row([*counts, self.templates["irrelevant"], 0])}
        made |= {
            muc4.FILLED[slot].row: _row(self._sum(_PARTS, [slot]), fallout=slot in muc4.SET_FILLS)
            for slot in self.slots
        }
        made |= {
            name: _row(self._sum(_PARTS, [slot for slot in self.slots if slot.startswith(start)]))
            for name, start in _GROUPS.items()
        }
        made |= {name: _row(self._sum(parts, self.slots)) for name, parts in _TOTALS.items()}
        for name, slots in (("SET FILLS ONLY", muc4.SET_FILLS), ("STRING FILLS ONLY", muc4.STRING_FILLS)):
            total = self._sum(("matched", "missing"), [slot for slot in self.slots if slot in slots])
            made[name] = _row(total, fallout=name == "SET FILLS ONLY")
        both, key, response, neither = self.texts
        texts = [both + key, both + response, both, 0, 0, 0, 0, response, key, neither, response + neither]
        return made | {"TEXT FILTERING": ScoreRow(*(one or 0 for one in _row(texts, fallout=True)))}

    @property
    def scores(self) -> dict[str, float]:
        """Nothing: what the metrics have without rounding is no number of its own."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """The rows by name, and the three F-measures as they are printed."""
        return {"rows": {name: row._asdict() for name, row in self.rows().items()}, "f_measures": self.f_measures()}

    def f_measures(self) -> tuple[str, str, str] | None:
        """F of all templates with P and R alike, with P and with R twice as important; None if one is undefined."""
        total = self.rows()["ALL TEMPLATES"]
        if total.recall is None or total.precision is None:
            return None
        one, two, half = (_f(weight, total.precision, total.recall) for weight in _WEIGHTS)
        return one, two, half

    def __str__(self) -> str:
        rows = self.rows()
        before = (next(iter(_GROUPS)), next(iter(_TOTALS)))
        head = f"{'SLOT':<20}  POS ACT|COR PAR INC|ICR IPA|SPU MIS NON|REC PRE OVG FAL"
        lines = [" * * * TOTAL SLOT SCORES * * *", "", head, _LINE]
        for name, row in rows.items():
            lines += ([_LINE] if name in before else []) + [_write(name, row)]
        found = self.f_measures()
        if found is None:
            return "\n".join([*lines, "F-MEASURES not available, Recall or Precision Nil", ""])
        measures = f"{'F-MEASURES':<48}" + " ".join(f"{one:>9}" for one in found)
        return "\n".join([*lines, _LINE, f"{'':50}   P&R      2P&R      P&2R", measures, ""])

    def _sum(self, parts: Iterable[Status], slots: Sequence[str]) -> list[int]:
        return [sum(column) for column in zip(_ZERO, *(self.sums[p, s] for p in parts for s in slots), strict=True)]


def report(suite: Suite, pairs: Iterable[tuple[Any, Any]]) -> ScoreReport:
    """The report of (response, key) pairs of documents under the preset `muc4`."""
    step = suite.steps[0].function if suite.steps else None
    if not isinstance(step, TemplateScoring):
        raise ExpressionError('only the preset muc4 has a score report; write suite("muc4")')
    made = ScoreReport(step.slots)
    for pred, ref in pairs:
        made.add(step.score(pred, ref))
    return made


_PARTS: tuple[Status, ...] = ("matched", "missing", "spurious")

_GROUPS = {"inc-total": "incident_", "perp-total": "perp_", "phys-tgt-total": "phys_", "hum-tgt-total": "hum_"}

_TOTALS: dict[str, tuple[Status, ...]] = {
    "MATCHED/MISSING": ("matched", "missing"),
    "MATCHED/SPURIOUS": ("matched", "spurious"),
    "MATCHED ONLY": ("matched",),
    "ALL TEMPLATES": _PARTS,
}

_WEIGHTS = (Fraction(1, 2), Fraction(4, 5), Fraction(1, 5))

_ZERO = [0] * 11

_LINE = "-----------------------------+-----------+-------+-----------+---------------"


def counts_of(score: SlotScore) -> list[int]:
    """POS ACT COR PAR INC ICR IPA SPU MIS NON and the wrong values that there could have been."""
    spurious = sum(one.ref is None for one in score.outcomes)
    missing = sum(one.pred is None for one in score.outcomes)
    grades = [score.count(1), score.count(0.5), score.count(0)]
    judged = [score.count(1, judged=True), score.count(0.5, judged=True)]
    sides = [len(score.outcomes) - spurious, len(score.outcomes) - missing]
    return [*sides, *grades, *judged, spurious, missing, score.is_empty, score.wrong]


def _row(counts: Sequence[int], *, fallout: bool = False) -> ScoreRow:
    possible, actual, correct, partial, incorrect, icr, ipa, spurious, missing, empty, wrong = counts
    return ScoreRow(
        *(possible, actual, correct, partial, incorrect, icr, ipa, spurious, missing, empty),
        percent(correct, partial, possible) if possible else None,
        percent(correct, partial, actual) if actual else None,
        percent(spurious, 0, actual) if actual else None,
        percent(incorrect + spurious, 0, wrong) if fallout and wrong else None,
    )


def _f(weight: Fraction, precision: int, recall: int) -> str:
    """1 / (w / P + (1 − w) / R) with two decimals, the last of which is left out if it is 0."""
    value = 1 / (weight / precision + (1 - weight) / recall) if precision and recall else Fraction(0)
    text = f"{float(round(value, 2)):.2f}"
    return text[:-1] if text.endswith("0") else text


def _write(name: str, row: ScoreRow) -> str:
    counts: list[Any] = list(row[:10])
    if name == "TEXT FILTERING":
        counts[3:7] = "****"
    p, a, c, h, i, judged, half, s, m, n = (f"{one:>3}" for one in counts)
    measures = " ".join(f"{'*' if one is None else one:>3}" for one in row[10:])
    if row.fallout is None:
        measures = measures[:-4]
    return f"{name:<20} {p:>4} {a}|{c} {h} {i}|{judged} {half}|{s} {m} {n}|{measures}".rstrip()

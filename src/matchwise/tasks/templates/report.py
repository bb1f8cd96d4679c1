"""MUC-4's score report: a row for each slot, and the totals, as the scoring program of 1992 printed it.

REC = (COR + ½ PAR) / POS    PRE = (COR + ½ PAR) / ACT    OVG = SPU / ACT    FAL = (INC + SPU) / wrong values there are

Percentages are whole numbers, and the F-measures are made of them. ICR and IPA are what a person judged to be right or
partly right; NON is what neither side had to fill.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError
from matchwise.tasks.templates import muc4
from matchwise.tasks.templates.scorer import Status, TemplateScore, TemplateScoring, percent
from matchwise.tasks.templates.slotscore import SlotScore

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

"""How templates and their fillers go wrong: templates missed or spurious, fillers in a wrong slot, repeated, cut badly.

The kinds of Das et al. (2022), read from one optimal pairing of templates instead of from all matchings. The fillers
that have no credit are paired 1:1 in this order, and the rest are missed or spurious:

wrong span      text of the same slot that overlaps
wrong role      the same value in another slot of the pair
duplicate       a value that another prediction was matched with
wrong template  the same value in another template, best in the same slot
wrong value     another value of the same slot
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from matchwise.algebra.build import best, eq, f1
from matchwise.algebra.nodes import Normalized, Overlap, Product, Similarity
from matchwise.corpus.suite import Suite
from matchwise.engine.plan import score
from matchwise.engine.rewrite import outermost
from matchwise.engine.solve.assignment import CostRows, assign
from matchwise.errors import ExpressionError
from matchwise.tasks import Analyse
from matchwise.tasks.errors import Left, Rule, analyse_alone, sort_out
from matchwise.tasks.roles.fillers import RoleEntity, Template, share_words
from matchwise.tasks.templates.pairing import (
    ENTITIES,
    PAIRING,
    SHARED,
    GttPairing,
    Paired,
    Placed,
    SumPairing,
    credits,
    iterx_incidents,
    values,
)
from matchwise.tasks.templates.scorer import TemplateScoring
from matchwise.tasks.templates.values import FilledEvent, SlotReading, type_names
from matchwise.tasks.views import elements_of
from matchwise.views.errors import Case, Level, sides_of
from matchwise.views.model import View, ViewRow, ViewRows, passages
from matchwise.views.values import write_value
from matchwise.views.words import Marked, Words, words_of_both


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a document under a suite's pairing, in its templates and in their fillers."""
    read = reader(suite)
    return analyse_alone(lambda pred, ref: read(pred, ref).levels())


def reader(suite: Suite) -> Callable[[Any, Any], Fillers]:
    """A function that pairs the templates and fillers of a document as a suite does."""
    pairing = _find_pairing(suite)
    same = SAME if isinstance(pairing, TemplateScoring) else _value(pairing.filler)
    return lambda pred, ref: Fillers(*pairing(pred, ref), pairing.filler, same, pairing.reading.type_slot)


SAME = values(ENTITIES["words"], best("names") * (f1("tag", SHARED) > 0))
"""When two values are the same to MUC-4's program, wherever they stand: what it matched it knows only in one place."""


@dataclass(frozen=True, slots=True)
class SaidFiller:
    """A filler in words; `suffix` says more, such as the template that it is in."""

    placed: Placed
    suffix: str = ""

    def in_words(self, words: Words) -> str:
        """`victim: the mayor / Ms. Paz`."""
        return f"{self.placed.slot}: {_in_words(self.placed.value, words)}{self.suffix}"

    def marks(self) -> Marked:
        """The spans of its mentions, to be marked."""
        value = self.placed.value
        found = RoleEntity(value.mentions).marks() if isinstance(value, RoleEntity | FilledEvent) else ()
        return tuple((left, right, self.placed.slot) for left, right, _ in found)


def _in_words(value: Any, words: Words) -> str:
    match value:
        case RoleEntity():
            return value.in_words(words)
        case FilledEvent():
            return f"{value.type} {RoleEntity(value.mentions).in_words(words)}"
    return write_value(value)


@dataclass(frozen=True, slots=True)
class Fillers:
    """One document whose templates are paired, and its fillers."""

    pred: Paired
    ref: Paired
    filler: Similarity
    value: Similarity
    """When two values are the same, wherever they stand."""
    type_slot: str

    def levels(self) -> list[Level]:
        return [self._templates(), self._fillers()]

    def _templates(self) -> Level:
        mine = dict(zip(self.pred.numbers, self.pred.templates, strict=True))
        cases, right = [], []
        for number, one in zip(self.ref.numbers, self.ref.templates, strict=True):
            if number < 0:
                cases += [] if one.optional else [Case("missed template", ref=one.type)]
            elif self._is_same_type(mine[number], one):
                right.append((mine[number].type, one.type))
            else:
                cases.append(Case("wrong type", mine[number].type, one.type))
        cases += [Case("spurious template", one.type) for number, one in mine.items() if number < 0]
        reference = len(right) + sum(case.ref is not None for case in cases)
        return Level("templates", len(right), len(mine), reference, tuple(cases), tuple(right))

    def _is_same_type(self, pred: Template, ref: Template) -> bool:
        """True if the types share a name or agree by the rule of the suite (GTT)."""
        if set(type_names(pred.type)) & set(type_names(ref.type)):
            return True
        mine, theirs = ([each for each in one.fillers if each.slot == self.type_slot] for one in (pred, ref))
        return any(credit >= 1 for row in credits(self.value, mine, theirs) for credit in row.values())

    def _fillers(self) -> Level:
        mine, theirs = ([one for one in side.fillers if one.slot != self.type_slot] for side in (self.pred, self.ref))
        credit = credits(eq("pair") * self.filler, mine, theirs)
        pairs = [(i, j, credit[i][j]) for i, j in assign(credit)]
        same = credits(self.value, mine, theirs)
        """The credit of two values, whatever slots and templates they are in."""

        def find_repeated(left: Left, lacking: Left) -> Iterator[tuple[int, int]]:
            """Predictions of a value that another prediction was matched with."""
            for i in left:
                alike = (j for j in sorted(same[i]) if same[i][j] >= 1 and j not in lacking)
                found = next((j for j in alike if _place(mine[i]) == _place(theirs[j])), None)
                if found is not None:
                    yield i, found

        def moved(kind: str, where: Callable[[Placed, Placed], bool]) -> Rule:
            """Equal values whose places `where` accepts."""

            def find(left: Left, lacking: Left) -> Iterable[tuple[int, int]]:
                rows = ((i, [j for j, w in row.items() if w >= 1 and j in lacking]) for i, row in enumerate(same))
                return assign([{j: 1 for j in row if i in left and where(mine[i], theirs[j])} for i, row in rows])

            return Rule(kind, find)

        rules = [
            Rule("wrong span", lambda left, lacking: assign(_compare_slots(mine, left, lacking, _near))),
            moved("wrong role", lambda p, r: p.pair == r.pair and p.slot != r.slot),
            Rule("duplicate", find_repeated),
            moved("wrong template", lambda p, r: p.pair != r.pair and p.slot == r.slot),
            moved("wrong template", lambda p, r: p.pair != r.pair),
            Rule("wrong value", lambda left, lacking: assign(_compare_slots(mine, left, lacking, lambda x, y: 1))),
        ]
        said = [SaidFiller(one) for one in mine], [SaidFiller(one) for one in theirs]
        return sort_out("fillers", *said, pairs, rules).revise(_show_template)


def _place(filler: Placed) -> tuple[int, str]:
    return filler.pair, filler.slot


def _compare_slots(mine: list[Placed], left: Left, lacking: Left, weight: Callable[[Any, Any], float]) -> CostRows:
    """The weights of the remaining values of one slot, inside pairs of templates."""
    return [
        {
            j: w
            for j, other in lacking.items()
            if i in left and _place(one) == _place(other.placed) and (w := weight(one.value, other.placed.value))
        }
        for i, one in enumerate(mine)
    ]


def _show_template(case: Case) -> Case:
    """Say which template a filler is in, where that matters."""
    pred, near = case.pred, case.near
    if case.kind == "wrong template":
        pred = replace(pred, suffix=f" in {pred.placed.type}")
    elif case.kind == "duplicate":
        near = replace(near, suffix=" once")
    return replace(case, pred=pred, near=near, where=(case.ref or case.pred).placed.type)


def _find_pairing(of: Suite) -> GttPairing | SumPairing | TemplateScoring:
    """The suite's pairing, or one by the equation of its fillers."""
    step = next(iter(of.steps), None)
    if step == iterx_incidents():
        return PAIRING
    function = None if step is None else step.function
    if isinstance(function, GttPairing | TemplateScoring):
        return function
    for name in ("muc4", "fillers"):
        match function, outermost(of.metrics[name]) if name in of.metrics else None:
            case SlotReading() as reading, Normalized(
                inner=Overlap(inner=Product((*_, Overlap(inner=filler))) as inner)
            ):
                return SumPairing(reading, inner, filler)
    raise ExpressionError('this suite does not pair templates; write explain("templates", preds, refs)')


def _value(filler: Similarity) -> Similarity:
    """δ_slot × φ_T without δ_slot."""
    assert isinstance(filler, Product)
    kept = [factor for factor in filler.factors if factor != eq("slot")]
    return kept[0] if len(kept) == 1 else Product(tuple(kept))


def _near(pred: Any, ref: Any) -> float:
    are_entities = isinstance(pred, RoleEntity) and isinstance(ref, RoleEntity)
    return share_words(pred, ref) if are_entities else 0


def view_templates(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """Template by template, and in each of them filler by filler."""
    value = score(suite.metrics[metric], pred, ref)
    paired = reader(suite)(pred, ref)
    templates, fillers = paired.levels()
    mine, theirs = words_of_both(pred, ref)
    rows = ViewRows(tuple(_rows(paired, templates, fillers, mine, theirs)), right=len(fillers.right))
    placed, known = ([one for one in side if one[0].marks()] for side in elements_of([fillers]))
    return View("", (rows, *passages(placed, known, mine, theirs)), metric, value)


def _rows(paired: Fillers, templates: Level, fillers: Level, pred: Words, ref: Words) -> Iterator[ViewRow]:
    """The templates of the reference in their order, then the spurious ones; those without errors are left out."""
    mine, theirs = (dict(zip(side.numbers, side.templates, strict=True)) for side in (paired.pred, paired.ref))
    inside: dict[int, list[Case]] = {}
    for case in fillers.cases:
        inside.setdefault((case.ref or case.pred).placed.pair, []).append(case)
    wrong = {(case.pred, case.ref) for case in templates.cases if case.kind == "wrong type"}
    for number in dict.fromkeys((*theirs, *mine)):
        pair = tuple(side[number].type if number in side else None for side in (mine, theirs))
        cases = inside.get(number, [])
        if pair[0] is None:
            if theirs[number].optional:
                continue
            yield ViewRow("missed", "missed template", ref=pair[1])
        elif pair[1] is None:
            yield ViewRow("spurious", "spurious template", pair[0])
        elif pair in wrong:
            yield ViewRow("wrong", "wrong type", *pair)
        elif cases:
            yield ViewRow("wrong", pair[1])
        for case in cases:
            yield ViewRow(case.status, case.kind, *sides_of(case, pred, ref), depth=1)

"""When two fillers are the same, and the step that pairs the templates of a document once for every score and table.

Each filler is then by itself, with the number of its pair: Σ_templates of paired templates is Σ_fillers under δ_pair.

GTT takes of all matchings of templates the one with the best F1, and of equal ones the first that it tries. A pair of
templates adds a to the predicted fillers that are right and b to the reference fillers that are found:

    F = 2pr / (p + r),  p = Σa / |P|,  r = Σb / |R|

GTT tries every mapping of predicted to reference templates. A pair that earns anything has a, b ≥ 1 and always helps,
so that only matchings of such pairs are tried here. Where these are too many, one assignment after the other is made by
the gradient of F, as long as F grows; F is concave, so that an assignment that is best by its own gradient is optimal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import perm, prod
from typing import Any, ClassVar, NamedTuple, TypeAlias

from matchwise.algebra.build import best, custom, eq, f1, jaccard, overlap, subset, union
from matchwise.algebra.nodes import Match, Similarity
from matchwise.algebra.steps import StepKind, read_sides, step
from matchwise.engine.one.pairs import chosen_pairs, similar_pairs, similar_pairs_of_all
from matchwise.engine.solve.assignment import CostRows, assign
from matchwise.engine.solve.cells import Cell
from matchwise.tasks.role_mentions import Incidents, Typed, prepare
from matchwise.tasks.roles.fillers import NOTHING, RoleEntity, SlotFiller, Template, TemplateSet
from matchwise.tasks.templates import muc4
from matchwise.tasks.templates.values import Category, FilledEvent, SlotReading, document

SHARED = jaccard(empty=0) > 0
"""φ_str of two mentions, each the words that are no premodifiers: ⟦J_words[δ] > 0⟧ (appendix C)."""

ENTITIES: dict[str, Similarity] = {
    "words": best("words", SHARED),
    "subset": subset("mentions"),
    "any": best("mentions"),
    "phi3": overlap("mentions"),
    "phi4": f1("mentions", empty=0),
}
"""When two entities are the same: share a word (MUC-4), φ_⊆ (CEAF-REE), share a mention, |P ∩ R|, F1 of mentions."""

EVENT = eq("type") * best("mentions")


def values(
    entities: Similarity, category: Similarity | None = None, more: Mapping[type | str, Similarity] | None = None
) -> Similarity:
    """φ_T by the type T of a filler's value; numbers, truth values and other text are compared by equality.

    >>> values(ENTITIES["subset"])
    union("value", {templates.Category: best("names"), templates.FilledEvent: eq("type") * best("mentions"), \
roles.RoleEntity: subset("mentions"), bool: eq(), float: eq(), str: eq()})
    """
    cases: dict[type | str, Similarity] = {
        RoleEntity: entities,
        Category: best("names") if category is None else category,
        FilledEvent: EVENT,
        bool: eq(),
        float: eq(),
        str: eq(),
    }
    return union("value", {**cases, **(more or {})})


def fillers(value: Similarity, sel: Any = "fillers", *, match: Match = "1:1") -> Similarity:
    """Σ_fillers[δ_slot × φ_T]."""
    return overlap(sel, eq("slot") * value, match=match)


def contained(pred: str, ref: str) -> bool:
    """GTT's test of types, Python's `in`: "bomb" is right for "bombing"."""
    return pred in ref


def types(template: Template) -> list[SlotFiller]:
    """The type of a template as a filler."""
    return [filler for filler in template.fillers if filler.slot == muc4.TYPE]


@step(gives=Incidents)
def iterx_incidents(pred: Any, ref: Any) -> tuple[Incidents, Incidents]:
    """Both sides as IterX's ceaf_rme.py has them; slots that hold no entities are left out.

    >>> pred, ref = [("bombing", {"target": ["bank"]})], [("attack / bombing", {"target": ["the bank"]})]
    >>> mine, theirs = iterx_incidents()(pred, ref)
    >>> mine.subset[0].type == theirs.subset[0].type
    True
    """

    def read(given: Any) -> list[Typed]:
        return [
            (one.type, [(each.slot, each.value.given) for each in one.fillers if isinstance(each.value, RoleEntity)])
            for one in document(given).templates
        ]

    return prepare(*read_sides(read, pred, ref))


Gains: TypeAlias = Sequence[dict[int, tuple[int, int]]]
"""For each predicted template the reference templates that it may be paired with, and what the pair adds, (a, b)."""

Pairs: TypeAlias = dict[int, int]

MOST = 10_000
"""The number of matchings beyond which they are not all tried."""


def search(gains: Gains, width: int, predicted: int, reference: int) -> Pairs:
    """The pairs with the best F1, where |P| fillers are predicted and the reference has |R|, in `width` templates.

    >>> search([{0: (4, 2), 1: (2, 4)}], 2, 5, 6)
    {0: 1}
    """
    free = {j for row in gains for j in row}
    if len(free) == sum(map(len, gains)) == sum(map(bool, gains)):  # nothing to choose
        return {i: j for i, row in enumerate(gains) for j in row}
    if _number(gains) > MOST:
        return _climb(gains, predicted, reference)
    best: Pairs = {}
    highest = 0.0
    for pairs, a, b in _matchings(0, gains, frozenset()):
        value = _f1(a, b, predicted, reference)
        if value > highest or (value == highest and _is_tried_before(pairs, best, gains, width)):
            best, highest = pairs, value
    return best


def _number(gains: Gains) -> int:
    """About how many matchings there are: templates of one type are a block in which each may be paired with each."""
    blocks = Counter(frozenset(row) for row in gains if row)
    return prod(perm(max(rows, len(columns)), min(rows, len(columns))) for columns, rows in blocks.items())


def _matchings(i: int, gains: Gains, taken: frozenset[int]) -> Iterator[tuple[Pairs, int, int]]:
    """The matchings from template i on, with Σa and Σb of their pairs.

    A template stays alone only if others may take all that it could be paired with.
    """
    if i == len(gains):
        yield {}, 0, 0
        return
    free = [j for j in gains[i] if j not in taken]
    for j in free:
        right, found = gains[i][j]
        for pairs, a, b in _matchings(i + 1, gains, taken | {j}):
            yield {i: j, **pairs}, a + right, b + found
    if len(free) < len(gains) - i:
        yield from _matchings(i + 1, gains, taken)


def _f1(a: int, b: int, predicted: int, reference: int) -> float:
    """F computed in GTT's order of operations, so that ties agree."""
    p, r = a / predicted, b / reference
    return 2 * p * r / (p + r) if a else 0.0


def _is_tried_before(pairs: Pairs, others: Pairs, gains: Gains, width: int) -> bool:
    """True if GTT tries these pairs first.

    Its mappings are in lexicographic order, a template that is mapped to nothing last. A mapping may also have pairs
    that earn nothing; of the mappings with the same earning pairs the first counts.
    """

    def first(these: Pairs) -> list[int]:
        taken = set(these.values())
        mapping = []
        for i, row in enumerate(gains):
            place = these.get(i)
            if place is None:
                place = next((j for j in range(width) if j not in taken and j not in row), width)
                taken.add(place)
            mapping.append(place)
        return mapping

    return first(pairs) < first(others)


def _climb(gains: Gains, predicted: int, reference: int) -> Pairs:
    best: Pairs = {}
    highest, a, b = 0.0, predicted, reference
    while True:
        right, found = b * b * predicted, a * a * reference  # the gradient of F at (a, b) but for a common factor
        pairs = dict(assign([{j: right * x + found * y for j, (x, y) in row.items()} for row in gains]))
        a, b = (sum(gains[i][j][side] for i, j in pairs.items()) for side in (0, 1))
        value = _f1(a, b, predicted, reference)
        if value <= highest:
            return best
        best, highest = pairs, value


class Placed(NamedTuple):
    """A filler alone: the number of its pair of templates, its slot and value, the type of its template.

    Where MUC-4's program matched it, it has a number in common with its `partner`, and if it is right also `whole`;
    `fill` is the filler in MUC-4's notation.
    """

    pair: int
    slot: str
    value: Any
    type: str
    optional: bool = False
    fill: Any = None
    partner: int = 0
    whole: int = 0

    def __repr__(self) -> str:
        return f"{self.slot} {self.value}"


@dataclass(frozen=True, slots=True)
class Paired:
    """One side of a document: its templates, the number of the pair that each is in, and their fillers.

    A template without a partner has a number that no template of the other side has, below 0: odd in a prediction, even
    in a reference. `text` has an element if the document has a template.
    """

    templates: tuple[Template, ...]
    numbers: tuple[int, ...]
    fillers: tuple[Placed, ...]
    text: tuple[Placed, ...]
    id: str | int | None = None


def matched(document: Paired) -> list[Placed]:
    """The fillers of templates that have a partner."""
    return [one for one in document.fillers if one.pair >= 0]


def matched_missing(document: Paired) -> list[Placed]:
    """The fillers that MUC-4's main score counts: all of a reference, those in pairs of a prediction."""
    return [one for one in document.fillers if one.pair >= 0 or one.pair % 2 == 0]


def matched_spurious(document: Paired) -> list[Placed]:
    """All fillers of a prediction, those in pairs of a reference."""
    return [one for one in document.fillers if one.pair >= 0 or one.pair % 2 == 1]


def string_fills(document: Paired) -> list[Placed]:
    """The fillers of MUC-4's slots for strings, without those of spurious templates."""
    return [one for one in matched_missing(document) if one.slot in muc4.STRING_FILLS]


def set_fills(document: Paired) -> list[Placed]:
    """The fillers of MUC-4's slots for categories, without those of spurious templates."""
    return [one for one in matched_missing(document) if one.slot in muc4.SET_FILLS]


GTT_VALUE = values(ENTITIES["subset"], best("names", custom(contained, facts=("unit", "left", "right"))))
"""φ_T of GTT."""


@dataclass(frozen=True, slots=True)
class GttPairing:
    """Pairs templates as GTT does: their types agree, and `search` finds the pairs with the best F1 of fillers.

    Reference templates that are written alike count once, and their entities without mentions are dropped. A predicted
    entity without mentions is within every other. Only the slots in `slots` are kept for scoring, if any are named.
    """

    slots: tuple[str, ...] = ()

    filler: ClassVar[Similarity] = eq("slot") * GTT_VALUE
    reading: ClassVar[SlotReading] = SlotReading(squad=True, type_slot=muc4.TYPE)

    def __call__(self, pred: Any, ref: Any) -> tuple[Paired, Paired]:
        [mine], [theirs] = self.together([pred], [ref])
        return mine, theirs

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[list[Paired], list[Paired]]:
        """Pair the templates of many documents: their fillers are compared at once."""
        sides = [self._read(pred, ref) for pred, ref in zip(preds, refs, strict=True)]
        fillers = [[[one for each in side.templates for one in each.fillers] for side in both] for both in sides]
        similar = similar_pairs_of_all(self.filler, [mine for mine, _ in fillers], [theirs for _, theirs in fillers])
        made = [
            number_pairs(*both, self._pair(*both, cells), self.slots)
            for both, cells in zip(sides, similar, strict=True)
        ]
        return [pred for pred, _ in made], [ref for _, ref in made]

    def _read(self, pred: Any, ref: Any) -> tuple[TemplateSet, TemplateSet]:
        given, known = read_sides(document, pred, ref)
        mine, theirs = self.reading(given, _distinct(known))
        if any(_is_empty(one.value) for template in mine.templates for one in template.fillers):
            mine, theirs = _with_nothing(mine, only_empty=True), _with_nothing(theirs)
        return mine, theirs

    def _pair(self, pred: TemplateSet, ref: TemplateSet, similar: list[Cell]) -> list[tuple[int, int]]:
        """The pairs of templates, given which fillers are similar."""
        sides = [[(n, one) for n, each in enumerate(side.templates) for one in each.fillers] for side in (pred, ref)]
        mine, theirs = ([n for n, _ in side] for side in sides)
        right: dict[tuple[int, int], set[int]] = {}
        found: dict[tuple[int, int], set[int]] = {}
        types = set()
        for place, other, _ in similar:
            pair = mine[place], theirs[other]
            right.setdefault(pair, set()).add(place)
            found.setdefault(pair, set()).add(other)
            if sides[0][place][1].slot == muc4.TYPE:
                types.add(pair)
        gains: list[dict[int, tuple[int, int]]] = [{} for _ in pred.templates]
        for i, j in sorted(types):
            gains[i][j] = len(right[i, j]), len(found[i, j])
        return sorted(search(gains, len(ref.templates), len(mine), len(theirs)).items())


gtt = StepKind("gtt", GttPairing, batch=GttPairing.together, gives=Paired)
"""`templates.gtt()`: which template is which by GTT's rules, and their fillers as they are compared."""


def _distinct(one: TemplateSet) -> TemplateSet:
    """Drop repeated templates, and entities without mentions."""
    seen: list[Any] = []
    kept = []
    for template in one.templates:
        fillers = tuple([filler for filler in template.fillers if not _is_empty(filler.value)])
        values = [value.given if isinstance(value, RoleEntity) else value for value in [each.value for each in fillers]]
        written = (template.type, [each.slot for each in fillers], values)
        if written not in seen:
            seen.append(written)
            kept.append(replace(template, fillers=fillers))
    return TemplateSet(tuple(kept), one.id)


def _is_empty(value: Any) -> bool:
    return isinstance(value, RoleEntity) and not value.mentions


def _with_nothing(one: TemplateSet, *, only_empty: bool = False) -> TemplateSet:
    """Add ∅ to the mentions of each entity, so that an entity without mentions is a subset of every other."""

    def filler(given: SlotFiller) -> SlotFiller:
        value = given.value
        if not isinstance(value, RoleEntity) or (only_empty and value.mentions):
            return given
        return replace(given, value=replace(value, mentions=(*value.mentions, NOTHING)))

    templates = (replace(each, fillers=tuple(map(filler, each.fillers))) for each in one.templates)
    return TemplateSet(tuple(templates), one.id)


@dataclass(frozen=True, slots=True)
class SumPairing:
    """Pairs templates by the best sum of `score`, to read errors from."""

    reading: SlotReading
    score: Similarity
    filler: Similarity

    def __call__(self, pred: Any, ref: Any) -> tuple[Paired, Paired]:
        mine, theirs = self.reading(pred, ref)
        return number_pairs(mine, theirs, chosen_pairs(overlap("templates", self.score), mine, theirs))


def number_pairs(
    pred: TemplateSet, ref: TemplateSet, pairs: Sequence[tuple[int, int]], slots: tuple[str, ...] = ()
) -> tuple[Paired, Paired]:
    """Both sides with their fillers by themselves, without optional templates that nothing was paired with."""
    made = []
    for side, which in ((pred, 1), (ref, 2)):
        numbers, placed = numbers_of(len(side.templates), [pair[which - 1] for pair in pairs], which), list[Placed]()
        for one, number in zip(side.templates, numbers, strict=True):
            if which == 1 or number >= 0 or not one.optional:
                placed += [Placed(number, each.slot, each.value, one.type, each.optional) for each in one.fillers]
        kept = tuple([one for one in placed if not slots or one.slot in slots])
        made.append(Paired(side.templates, numbers, kept, text_of(bool(side.templates)), side.id))
    return made[0], made[1]


def credits(phi: Similarity, preds: Sequence[Any], refs: Sequence[Any]) -> CostRows:
    """All non-zero φ of pairs of templates."""
    table: CostRows = [{} for _ in preds]
    for i, j, w in similar_pairs(phi, preds, refs):
        table[i][j] = w
    return table


def numbers_of(length: int, met: list[int], side: int) -> tuple[int, ...]:
    """The number of the pair that each template is in; side is 1 for a prediction, 2 for a reference."""
    found = {place: number for number, place in enumerate(met)}
    return tuple(found.get(place, -2 * place - side) for place in range(length))


def text_of(relevant: bool) -> tuple[Placed, ...]:
    """One element, if a text is about an incident."""
    return (Placed(0, "(text)", True, "(text)"),) if relevant else ()


_ANY = values(ENTITIES["any"])

PAIRING = SumPairing(
    SlotReading(squad=True, alternatives=True, type_slot=muc4.TYPE),
    (fillers(_ANY, types) > 0) * fillers(_ANY, match="N:1"),
    eq("slot") * _ANY,
)
"""What errors are read from where a suite pairs no templates: those of one type with most entities in common."""

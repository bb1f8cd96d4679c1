"""The step that pairs the templates of a document once, so that every score and every table reads the same alignment.

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
from collections.abc import Iterator, Sequence
from math import perm, prod
from typing import Any, NamedTuple, TypeAlias

from matchwise.algebra.build import eq, overlap
from matchwise.algebra.nodes import Number, Similarity
from matchwise.algebra.steps import StepKind
from matchwise.engine.many.chosen.pairs import PairRows, best_pairs, chosen_pairs_of_each, similar_pairs_of_each
from matchwise.engine.one.pairs import chosen_pairs, similar_pairs
from matchwise.errors import DataError
from matchwise.records import given, record
from matchwise.tasks.roles.fillers import Template, TemplateSet
from matchwise.tasks.templates import muc4
from matchwise.tasks.templates.adjudication import NONE, Judgement, Judgements
from matchwise.tasks.templates.reading import Reading
from matchwise.tasks.templates.values import Checked, Unknown, document

Gains: TypeAlias = Sequence[dict[int, tuple[int, int]]]
"""For each predicted template the reference templates that it may be paired with, and what the pair adds, (a, b)."""

Pairs: TypeAlias = dict[int, int]

Cells: TypeAlias = list[tuple[int, int, Number]]
"""Fillers of a prediction and a reference, by place, with their credit."""

Found: TypeAlias = tuple[list[tuple[int, int]], Cells]
"""The templates of a document that are paired and, as far as they were compared, which of their fillers match."""

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
        pairs = dict(best_pairs([{j: right * x + found * y for j, (x, y) in row.items()} for row in gains]))
        a, b = (sum(gains[i][j][side] for i, j in pairs.items()) for side in (0, 1))
        value = _f1(a, b, predicted, reference)
        if value <= highest:
            return best
        best, highest = pairs, value


class Placed(NamedTuple):
    """A filler alone: the number of its pair of templates, its slot and value, the type of its template."""

    pair: int
    slot: str
    value: Any
    type: str
    optional: bool = False

    def __repr__(self) -> str:
        return f"{self.slot} {self.value}"


@record
class Paired:
    """One side of a document: its templates, the number of the pair that each is in, and their fillers.

    A template without a partner has a number that no template of the other side has, below 0. `expected` are the
    fillers that MUC-4's score of matched and missing templates counts: all of a reference, those in pairs of a
    prediction. `text` has an element if the document has a template.
    """

    templates: tuple[Template, ...]
    numbers: tuple[int, ...]
    fillers: tuple[Placed, ...]
    expected: tuple[Placed, ...]
    text: tuple[Placed, ...]
    id: str | int | None = None


def matched(document: Paired) -> list[Placed]:
    """The fillers of templates that have a partner."""
    return [one for one in document.fillers if one.pair >= 0]


def string_fills(document: Paired) -> list[Placed]:
    """The fillers of MUC-4's slots for strings."""
    return [one for one in document.fillers if one.slot in muc4.STRING_FILLS]


def set_fills(document: Paired) -> list[Placed]:
    """The fillers of MUC-4's slots for categories."""
    return [one for one in document.fillers if one.slot in muc4.SET_FILLS]


@record
class TemplatePairing:
    """Reads both sides and pairs their templates: the best pairing by `by`, among equals the best by `score`.

    Without `by` it is GTT's: templates may be paired if their types agree, and `search` finds the pairs with the best
    F1 of fillers, of which several may match one.

    Only the slots in `slots` are kept for scoring, if any are named. Optional templates and fillers of a reference
    (MUC-4) that nothing was matched with by `filler` are left out.
    """

    reading: Reading
    by: Similarity | None
    score: Similarity
    filler: Similarity
    slots: tuple[str, ...] = ()
    judgements: Judgements = NONE
    known: tuple[str, ...] = ()
    """The slots that templates have, if that is known; others are named when files are scored."""

    def __call__(self, pred: Any, ref: Any) -> tuple[Paired, Paired]:
        [mine], [theirs] = self.together([pred], [ref])
        return mine, theirs

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[list[Paired], list[Paired]]:
        """Both sides of many documents."""
        read = [self.reading(pred, ref) for pred, ref in zip(preds, refs, strict=True)]
        found = self._find(read)
        made = [self._pair(*sides, pairs) for sides, (pairs, _) in zip(read, found, strict=True)]
        mine, theirs = [one for one, _ in made], [one for _, one in made]
        return mine, theirs

    def _pair(self, mine: TemplateSet, theirs: TemplateSet, pairs: list[tuple[int, int]]) -> tuple[Paired, Paired]:
        p = _numbers(len(mine.templates), [i for i, _ in pairs], 1)
        r = _numbers(len(theirs.templates), [j for _, j in pairs], 2)
        placed, known = self._place(mine, p), self._place(theirs, r, ref=True)
        if self.judgements:
            placed, known = self.judgements.apply(theirs.id if theirs.id is not None else mine.id, placed, known)
        if any(one.optional for one in known):
            known = self._without_unmet(placed, known)
        expected = tuple(one for one in placed if one.pair >= 0)
        relevant = any(bool(mine.templates) or not one.optional for one in theirs.templates)
        return (
            Paired(mine.templates, p, placed, expected, _TEXT if mine.templates else (), mine.id),
            Paired(theirs.templates, r, known, known, _TEXT if relevant else (), theirs.id),
        )

    def read(self, pred: Any) -> Checked:
        """Read a prediction and list its unknown slots, if the known ones are declared."""
        try:
            found = document(pred)
        except ValueError as error:
            raise DataError(str(error), side="prediction") from None
        slots = (filler.slot for one in found.templates for filler in one.fillers)
        return Checked(found, tuple(Unknown(slot) for slot in slots if self.known and slot not in self.known))

    def _find(self, documents: list[tuple[TemplateSet, TemplateSet]]) -> list[Found]:
        """The templates of each document that are paired, by position, in the order of the prediction."""
        if self.by is not None:
            preds, refs = [pred for pred, _ in documents], [ref for _, ref in documents]
            phi = overlap("templates", self.score, align_by=self.by)
            return [(pairs, []) for pairs in chosen_pairs_of_each(phi, preds, refs)]
        mine, theirs = (
            [[one for each in sides[side].templates for one in each.fillers] for sides in documents] for side in (0, 1)
        )
        credited = similar_pairs_of_each(self.filler, mine, theirs)
        return [self._search(*sides, cells) for sides, cells in zip(documents, credited, strict=True)]

    def _search(self, pred: TemplateSet, ref: TemplateSet, cells: Cells) -> Found:
        if not cells:
            return [], []
        mine, theirs = ([n for n, each in enumerate(side.templates) for _ in each.fillers] for side in (pred, ref))
        slots = [one.slot for each in pred.templates for one in each.fillers]
        right: dict[tuple[int, int], set[int]] = {}
        found: dict[tuple[int, int], set[int]] = {}
        types = set()
        for place, other, _ in cells:
            pair = mine[place], theirs[other]
            right.setdefault(pair, set()).add(place)
            found.setdefault(pair, set()).add(other)
            if slots[place] == self.reading.type_slot:
                types.add(pair)
        gains: list[dict[int, tuple[int, int]]] = [{} for _ in pred.templates]
        for i, j in sorted(types):
            gains[i][j] = len(right[i, j]), len(found[i, j])
        pairs = search(gains, len(ref.templates), len(mine), len(theirs))
        return sorted(pairs.items()), [cell for cell in cells if pairs.get(mine[cell[0]]) == theirs[cell[1]]]

    def _place(self, side: TemplateSet, numbers: Sequence[int], *, ref: bool = False) -> tuple[Placed, ...]:
        made = []
        for template, number in zip(side.templates, numbers, strict=True):
            if ref and template.optional and number < 0:
                continue
            kind = template.type
            made += [Placed(number, one.slot, one.value, kind, one.optional) for one in template.fillers]
        return tuple([one for one in made if one.slot in self.slots] if self.slots else made)

    def _without_unmet(self, preds: tuple[Placed, ...], refs: tuple[Placed, ...]) -> tuple[Placed, ...]:
        met = {j for _, j in chosen_pairs(overlap(None, eq("pair") * self.filler), preds, refs)}
        return tuple(one for place, one in enumerate(refs) if place in met or not one.optional)


def _make(
    *,
    score: Similarity,
    filler: Similarity,
    by: Similarity | None = None,
    slots: tuple[str, ...] = (),
    judgements: tuple[tuple[Any, ...], ...] = (),
    known: tuple[str, ...] = (),
    words: bool = False,
    ignored: str = "",
    normalize: str = "none",
    whole: tuple[str, ...] = (),
    categories: tuple[str, ...] = (),
    upper: bool = False,
    alternatives: bool = False,
    type_slot: str = "",
    distinct: bool = False,
) -> TemplatePairing:
    reading = Reading(words, ignored, normalize, whole, categories, upper, alternatives, type_slot, distinct)
    return TemplatePairing(
        reading, by, score, filler, slots, Judgements(tuple(Judgement(*one) for one in judgements)), known
    )


def _data(made: TemplatePairing) -> dict[str, Any]:
    own = {name: getattr(made, name) for name in ("score", "filler", "by", "slots", "known")}
    reading = given(made.reading)
    judged = [
        (document, slot, *(tuple(sorted(side, key=repr)) for side in sides), 0, credit)
        for (document, slot, *sides), credit in made.judgements.settled.items()
    ]
    return own | {"judgements": tuple(sorted(judged, key=repr))} | reading


paired_templates = StepKind(
    "paired_templates",
    _make,
    data=_data,
    batch=TemplatePairing.together,
    read=TemplatePairing.read,
    gives=Paired,
)
"""`templates.paired_templates(…)`: which template is which, and their fillers as they are compared."""


def credits(phi: Similarity, preds: Sequence[Any], refs: Sequence[Any]) -> PairRows:
    """All non-zero φ of pairs of templates."""
    table: PairRows = [{} for _ in preds]
    for i, j, w in similar_pairs(phi, preds, refs):
        table[i][j] = w
    return table


def _numbers(length: int, met: list[int], side: int) -> tuple[int, ...]:
    found = {place: number for number, place in enumerate(met)}
    return tuple(found.get(place, -2 * place - side) for place in range(length))


_TEXT = (Placed(0, "(text)", True, "(text)"),)

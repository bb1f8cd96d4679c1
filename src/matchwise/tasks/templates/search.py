"""GTT's search: of all matchings of templates the one with the best F1, and of equal ones the first that GTT tries.

A pair of templates adds a to the predicted fillers that are right and b to the reference fillers that are found:

    F = 2pr / (p + r),  p = Σa / |P|,  r = Σb / |R|

GTT tries every mapping of predicted to reference templates. A pair that earns anything has a, b ≥ 1 and always helps,
so that only matchings of such pairs are tried here. Where these are too many, one assignment after the other is made by
the gradient of F, as long as F grows; F is concave, so that an assignment that is best by its own gradient is optimal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import perm, prod
from typing import TypeAlias

from matchwise.engine.chosen.pairs import best_pairs

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
    if _number(gains) > MOST:
        return _climb(gains, predicted, reference)
    best: Pairs = {}
    highest = 0.0
    for pairs in _matchings(0, gains, frozenset()):
        value = _f1(pairs, gains, predicted, reference)
        if value > highest or (value == highest and _is_tried_before(pairs, best, gains, width)):
            best, highest = pairs, value
    return best


def _number(gains: Gains) -> int:
    """About how many matchings there are: templates of one type are a block in which each may be paired with each."""
    blocks = Counter(frozenset(row) for row in gains if row)
    return prod(perm(max(rows, len(columns)), min(rows, len(columns))) for columns, rows in blocks.items())


def _matchings(i: int, gains: Gains, taken: frozenset[int]) -> Iterator[Pairs]:
    """The matchings from template i on; it stays alone only if others may take all that it could be paired with."""
    if i == len(gains):
        yield {}
        return
    free = [j for j in gains[i] if j not in taken]
    for j in free:
        for pairs in _matchings(i + 1, gains, taken | {j}):
            yield {i: j, **pairs}
    if len(free) < len(gains) - i:
        yield from _matchings(i + 1, gains, taken)


def _f1(pairs: Pairs, gains: Gains, predicted: int, reference: int) -> float:
    """F in the order of operations that GTT has, so that its ties are ours."""
    a, b = _sums(pairs, gains)
    p, r = a / predicted, b / reference
    return 2 * p * r / (p + r) if pairs else 0.0


def _sums(pairs: Pairs, gains: Gains) -> tuple[int, int]:
    found = [gains[i][j] for i, j in pairs.items()]
    return sum(a for a, _ in found), sum(b for _, b in found)


def _is_tried_before(pairs: Pairs, others: Pairs, gains: Gains, width: int) -> bool:
    """Whether GTT comes to these pairs first.

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
        value = _f1(pairs, gains, predicted, reference)
        if value <= highest:
            return best
        best, highest = pairs, value
        a, b = _sums(pairs, gains)

"""The choices of nervaluate 1.2.1: each prediction in its turn takes a reference, and never gives it back.

This is not a similarity, because it depends on the order of mentions. It is a step before scoring, which numbers the
pairs that it chose for each of the four schemes. The optimal matching is the preset `optimal`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.tasks.ner.documents import SameTokens, name_other_words, read
from matchwise.tasks.ner.mentions import Mention, Span, pieces
from matchwise.tasks.ner.tags import Scheme
from matchwise.views.words import Marked, Words


class ChosenMentions(NamedTuple):
    """A mention and its pair number under each scheme: the number of its reference, or one below zero."""

    span: Span
    type: str
    strict: int
    exact: int
    partial: int
    typed: int
    own: int = 0
    """Its pair in nervaluate's table by type, for which a mention meets those of its own type only; and by its type."""
    own_typed: int = 0

    def in_words(self, words: Words) -> str:
        """The mention in words."""
        return Mention(self.span, self.type).in_words(words)

    def marks(self) -> Marked:
        """Its spans in the text, to be marked."""
        return Mention(self.span, self.type).marks()


@dataclass(frozen=True, slots=True)
class Choices:
    """Both sides of a document with their pairs; `percent` of a reference must be covered for two spans to meet.

    >>> pred, ref = Choices()([(0, 3, "PER"), (0, 6, "ORG")], [(0, 6, "ORG")])
    >>> [one.strict for one in pred], [one.strict for one in ref]
    ([0, -2], [0])
    """

    scheme: Scheme = "lenient"
    percent: float = 1.0
    only: tuple[str, ...] | None = None
    by_type: bool = False
    """Whether pairs are also chosen among the mentions of each type by themselves."""

    def __call__(self, pred: Any, ref: Any) -> tuple[list[ChosenMentions], list[ChosenMentions]]:
        preds, refs = read_sides(self._read, *_same_tokens(pred, ref))
        meeting = self._find_meeting(preds, refs)
        strict = exact = typed = _choose(preds, refs, meeting, _exact)
        if max(map(len, meeting), default=0) > 1:  # there is a choice
            strict, typed = (_choose(preds, refs, meeting, best) for best in (_strict, _closest_of_type))
        own = own_typed = [0] * len(preds)
        if self.by_type:
            of_type = [
                [place for place in places if refs[place].type == one.type]
                for one, places in zip(preds, meeting, strict=True)
            ]
            own, own_typed = (_choose(preds, refs, of_type, best) for best in (_exact, _closest_of_type))
        numbers = zip(strict, exact, exact, typed, own, own_typed, strict=True)
        return (
            [ChosenMentions(*one, *chosen) for one, chosen in zip(preds, numbers, strict=True)],
            [ChosenMentions(*one, n, n, n, n, *((n, n) if self.by_type else (0, 0))) for n, one in enumerate(refs)],
        )

    def _read(self, document: Any) -> list[Mention]:
        found = read(document, self.scheme)
        return found if self.only is None else [one for one in found if one.type in self.only]

    def _find_meeting(self, preds: list[Mention], refs: list[Mention]) -> list[list[int]]:
        """For each prediction, the references that it covers enough of; only those that begin near it are compared."""
        theirs = sorted((*_ends(one.span), place) for place, one in enumerate(refs))
        starts = [start for start, _, _ in theirs]
        widest = max((end - start for start, end, _ in theirs), default=0)
        found = []
        for one in preds:
            left, right = _ends(one.span)
            near = theirs[bisect_left(starts, left - widest) : bisect_right(starts, max(left, right))]
            found.append(
                sorted(
                    place
                    for start, end, place in near
                    if one.span == refs[place].span
                    or (left < end and start < right and self._is_enough(one.span, refs[place].span))
                )
            )
        return found

    def _is_enough(self, span: Span, other: Span) -> bool:
        width = sum(right - left for left, right in pieces(other))
        shared = sum(max(0, min(b, d) - max(a, c)) for a, b in pieces(span) for c, d in pieces(other))
        return width > 0 and shared / width * 100.0 >= self.percent


_same_tokens = SameTokens()

nervaluate = StepKind("nervaluate", Choices, left_out=name_other_words)
"""`ner.nervaluate()`: the pairs that nervaluate chooses."""


def _ends(span: Span) -> tuple[int, int]:
    return span if isinstance(span[0], int) else (span[0][0], span[-1][1])


Best = Callable[[Mention, list[int], list[Mention]], int]
"""Which of the free references a prediction takes."""


def _choose(preds: list[Mention], refs: list[Mention], meeting: list[list[int]], best: Best) -> list[int]:
    """The free reference that each prediction takes, or a number below zero."""
    taken: set[int] = set()
    pairs: list[int] = []
    for place, (one, places) in enumerate(zip(preds, meeting, strict=True)):
        free = [other for other in places if other not in taken]
        pair = (best(one, free, refs) if len(free) > 1 else free[0]) if free else -1 - place
        pairs.append(pair)
        taken.add(pair)
    return pairs


def _strict(one: Mention, free: list[int], refs: list[Mention]) -> int:
    return next((place for place in free if refs[place] == one), free[0])


def _exact(one: Mention, free: list[int], refs: list[Mention]) -> int:
    return next((place for place in free if refs[place].span == one.span), free[0])


def _closest_of_type(one: Mention, free: list[int], refs: list[Mention]) -> int:
    same = [place for place in free if refs[place].type == one.type]
    return min(same, key=lambda place: _distance(one, refs[place])) if same else free[0]


def _distance(one: Mention, other: Mention) -> int:
    (left, right), (start, end) = _ends(one.span), _ends(other.span)
    return abs(left - start) + abs(right - end)

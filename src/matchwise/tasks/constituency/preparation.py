"""The step before scoring: what of two trees is compared, as EVALB of 2006 has it, or all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, compress
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.errors import DataError
from matchwise.tasks.constituency.parameters import Parameters
from matchwise.tasks.constituency.trees import Bracket, Tree, crossing, tree

Mismatch: TypeAlias = Literal["skip", "error"]


class Tag(NamedTuple):
    """A word and its tag."""

    place: int
    label: str


class Scored:
    """One side of a sentence; compared by what its collections hold."""

    __slots__ = ("_short", "brackets", "crossing", "crossings", "is_scored", "many", "sentences", "tags")

    def __init__(self, brackets: list[Bracket], tags: list[Tag], sentences: list[int]) -> None:
        self.brackets = brackets
        self.tags = tags
        self.sentences = sentences
        """The sentence, if it is there."""
        self.is_scored = True
        self.crossing: list[int] = [0]
        """Of a prediction, one for each bracket that crosses; of a reference, one for the sentence."""
        self.crossings = 0
        self.many = False
        """Whether more than two brackets cross."""
        self._short: Scored | None = None

    @property
    def whole(self) -> list[Scored]:
        """The sentence, if it is scored; made when it is asked for, as an object that holds itself is freed late."""
        return [self] if self.is_scored else []

    @property
    def short(self) -> Scored:
        """The same, or nothing where the sentence is longer than the cut-off."""
        return self if self._short is None else self._short

    def cut_off(self) -> None:
        self._short = nothing([])

    def crossed(self, number: int) -> None:
        self.crossing, self.crossings, self.many = [0] * number, number, number > 2

    def __repr__(self) -> str:
        return f"<{len(self.tags)} words, {len(self.brackets)} brackets>"


def nothing(sentences: list[int]) -> Scored:
    """A sentence of which nothing is scored."""
    made = Scored([], [], sentences)
    made.is_scored, made.crossing = False, []
    return made


@dataclass(frozen=True, slots=True)
class Evalb:
    """EVALB: words and brackets are left out by their labels; a sentence whose words differ is skipped, or an error."""

    parameters: Parameters
    mismatch: Mismatch = "skip"
    cutoff: int | None = 40
    _labels: dict[str, str | None] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __call__(self, pred: Any, ref: Any) -> tuple[Scored, Scored]:
        mine, theirs = read(pred, "prediction"), read(ref, "reference")
        kept, others = self._kept(mine.tags), self._kept(theirs.tags)
        parsed = any(kept)
        if parsed and self.parameters.quotes and sum(kept) != sum(others):
            self._put_back_quotes(mine, kept, theirs, others)
        words, expected = _chosen(mine.words, kept), _chosen(theirs.words, others)
        if not parsed or not self._same(words, expected):
            if self.mismatch == "error":
                raise DataError(_other_words(words, expected), side="prediction")
            p, r = nothing([]), nothing([0])
        else:
            p, r = self._scored(mine, kept), self._scored(theirs, others)
            p.crossed(crossing(p.brackets, r.brackets))
        if self.cutoff is not None and self._length(theirs) > self.cutoff:
            p.cut_off()
            r.cut_off()
        return p, r

    def _kept(self, tags: Sequence[str]) -> list[int]:
        """How often each word is kept."""
        delete = self.parameters.delete
        return [0 if tag in delete else 1 for tag in tags]

    def _length(self, one: Tree) -> int:
        uncounted = self.parameters.uncounted
        return sum([tag not in uncounted for tag in one.tags])

    def _same(self, words: list[str], expected: list[str]) -> bool:
        if words == expected:
            return True
        pairs = self.parameters.same_words
        return len(words) == len(expected) and all(
            a == b or (a, b) in pairs or (b, a) in pairs for a, b in zip(words, expected, strict=True)
        )

    def _scored(self, one: Tree, kept: list[int]) -> Scored:
        canonical = self.parameters.canonical
        places = list(accumulate(kept, initial=0))
        labels, known = self._labels, self._label
        brackets = []
        for start, end, label in one.brackets:
            left, right = places[start], places[end]
            if left < right:
                name = labels[label] if label in labels else known(label)
                if name is not None:
                    brackets.append(_bracket((left, right, name)))
        tags = _chosen(one.tags, kept)
        if not canonical.keys().isdisjoint(tags):
            tags = [canonical.get(tag, tag) for tag in tags]
        return Scored(brackets, list(map(_tag, enumerate(tags))), [0])

    def _label(self, label: str) -> str | None:
        """A label without its function tags (`NP-SBJ`, `NP=2`); None if it is left out."""
        plain = label.partition("-")[0].partition("=")[0]
        canonical = self.parameters.canonical
        name = canonical.get(plain, plain)
        left_out = name in {canonical.get(other, other) for other in self.parameters.delete}
        if len(self._labels) > 10_000:
            self._labels.clear()
        made = self._labels[label] = None if left_out else name
        return made

    def _put_back_quotes(self, mine: Tree, kept: list[int], theirs: Tree, others: list[int]) -> None:
        """Where one side takes a quote for punctuation, which is left out, and the other does not, both keep it.

        EVALB may put the same quote back twice, where another follows; then words differ, and the sentence is skipped.
        """
        delete = self.parameters.delete
        left, right = self._quotes(mine, kept), self._quotes(theirs, others)
        for at, one in enumerate(left):
            place, tag = one[0], mine.tags[one[1]]
            for there, other in enumerate(right):
                if other[0] != place or (tag in delete) == (theirs.tags[other[1]] in delete):
                    continue
                if tag in delete:
                    kept[one[1]] += 1
                    _move(left, at)
                else:
                    others[other[1]] += 1
                    _move(right, there)

    def _quotes(self, one: Tree, kept: list[int]) -> list[list[int]]:
        """Each word that may be a quote: its place among the words that are kept, and among all."""
        places = accumulate(kept, initial=0)
        return [
            [place, at]
            for at, (place, word, tag) in enumerate(zip(places, one.words, one.tags, strict=False))
            if word in ("'", '"', "/") and tag in self.parameters.quotes
        ]


def _chosen(cells: Sequence[str], kept: list[int]) -> list[str]:
    if max(kept, default=0) < 2:
        return list(compress(cells, kept))
    return [cell for cell, times in zip(cells, kept, strict=True) for _ in range(times)]


_bracket = partial(tuple.__new__, Bracket)
_tag = partial(tuple.__new__, Tag)


def _move(quotes: list[list[int]], first: int) -> None:
    """A word was put back: this quote and the ones after it are one place further."""
    for quote in quotes[first:]:
        quote[0] += 1


@dataclass(frozen=True, slots=True)
class Whole:
    """All brackets, as they are; both sides have as many words."""

    def __call__(self, pred: Any, ref: Any) -> tuple[Scored, Scored]:
        mine, theirs = read(pred, "prediction"), read(ref, "reference")
        if len(mine.words) != len(theirs.words):
            problem = f"found {len(mine.words)} words, expected {len(theirs.words)} as in the reference"
            raise DataError(problem, side="prediction")
        return self._scored(mine), self._scored(theirs)

    def _scored(self, one: Tree) -> Scored:
        return Scored(list(one.brackets), list(map(_tag, enumerate(one.tags))), [0])


def read(document: Any, side: str) -> Tree:
    """A tree, or an error that says on which side there is none."""
    try:
        return tree(document)
    except ValueError as error:
        raise DataError(str(error), side=side) from None


def _other_words(words: list[str], expected: list[str]) -> str:
    if len(words) != len(expected):
        return (
            f"found {len(words)} words, expected {len(expected)} as in the reference (without those that are left out)"
        )
    word, other = next((a, b) for a, b in zip(words, expected, strict=True) if a != b)
    return f"found the word {word!r}, expected {other!r} as in the reference"

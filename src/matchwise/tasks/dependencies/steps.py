"""The step before scoring: both sides of a text, word by word, with aligned words and what is known of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matchwise.algebra.steps import StepKind
from matchwise.errors import DataError
from matchwise.tasks.dependencies.columns import LaidTexts
from matchwise.tasks.dependencies.enhancements import simplify
from matchwise.tasks.dependencies.sentences import Sentence, Trees, sentences
from matchwise.tasks.dependencies.words import Aligned, Text, cut_alike, difference, same_words, text, words


@dataclass(frozen=True, slots=True)
class Alignment:
    """Align words by their characters; with `strict`, refuse what is not a tree."""

    trees: Trees = "strict"
    aligned: bool = False
    """Whether the accuracy over aligned words is asked for."""
    enhancements: str = ""
    """The kinds of enhancements that are left out of both graphs."""

    def __call__(self, pred: Any, ref: Any) -> tuple[Aligned, Aligned]:
        [mine], [theirs] = self.together([pred], [ref])
        return mine, theirs

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[list[Aligned], list[Aligned]]:
        """Align many texts."""
        mine, theirs = self._read(preds, "prediction"), self._read(refs, "reference")
        laid = LaidTexts(mine, theirs)
        laid.check(self.trees)
        numbers, left, right = zip(*map(_align, mine, theirs), strict=True) if mine else ((), (), ())
        spans = [one[1:] for one in left], [one[1:] for one in right]
        aligned = self.aligned and any(own is not None for own in numbers)
        return laid.collect(numbers, spans, aligned=aligned)

    def _read(self, documents: list[Any], side: str) -> list[list[Sentence]]:
        try:
            found = list(map(sentences, documents))
        except (TypeError, ValueError) as error:
            raise DataError(str(error), side=side) from None
        if self.enhancements:
            found = [[simplify(one, self.enhancements) for one in several] for several in found]
        return found


aligned_words = StepKind("aligned_words", Alignment, batch=Alignment.together, gives=Aligned)
"""`dependencies.aligned_words()`: which word is which."""


def _align(mine: list[Sentence], theirs: list[Sentence]) -> tuple[list[int] | None, Text, Text]:
    """The number of each predicted word in the reference, or a unique one below 0; None if both are cut alike.

    Then the texts of both.
    """
    right = text(theirs)
    if len(mine) == len(theirs) and all(map(cut_alike, mine, theirs)):
        return None, right, right
    left = text(mine)
    if left.characters != right.characters:
        raise DataError(difference(left.characters, right.characters), side="prediction")
    pred = words(mine, left)
    made = [-number for number in range(1, len(pred.spans) + 1)]
    for i, j in same_words(pred, words(theirs, right)):
        made[i] = j + 1
    return made, left, right

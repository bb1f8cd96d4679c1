"""Both sides of a text, word by word: aligned words and what is known of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress, repeat
from typing import Any

from matchwise.algebra.steps import StepKind
from matchwise.errors import DataError
from matchwise.tasks.dependencies.enhancements import simplify
from matchwise.tasks.dependencies.sentences import BLANK, Sentence, Trees, check, refusal, sentences
from matchwise.tasks.dependencies.universal import CONTENT, FUNCTIONAL, features, graphs
from matchwise.tasks.dependencies.words import (
    Aligned,
    Arc,
    Edge,
    Text,
    Words,
    cut_alike,
    difference,
    same_words,
    text,
    words,
)


@dataclass(frozen=True, slots=True)
class Alignment:
    """The step before scoring: align words by their characters; with `strict`, refuse what is not a tree."""

    trees: Trees = "strict"
    aligned: bool = False
    """Whether the accuracy over aligned words is asked for."""
    enhancements: str = ""
    """The kinds of enhancements that are left out of both graphs."""

    def __call__(self, pred: Any, ref: Any) -> tuple[Aligned, Aligned]:
        mine, theirs = self._read(pred, "prediction"), self._read(ref, "reference")
        left, right, numbers = _align(mine, theirs)
        lemmas = [lemma for one in theirs for lemma in one.lemmas]
        arcs, edges = _arcs(mine, numbers, lemmas if BLANK in lemmas else None, "prediction")
        expected, graph = _arcs(theirs, None, None, "reference")
        return (
            Aligned("prediction", left, arcs, _content(arcs), edges),
            Aligned("reference", right, expected, _content(expected), graph, *self._find(expected, numbers)),
        )

    def _find(self, expected: list[Arc], numbers: list[int] | None) -> tuple[list[Arc], ...]:
        """The words of a reference that the prediction has too, and the content words among them."""
        if not self.aligned or numbers is None:
            return ()
        numbered = set(numbers)
        found = [arc for arc in expected if arc.dep in numbered]
        return found, _content(found)

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[list[Aligned], list[Aligned]] | None:
        """Align many texts; None if an enhanced graph cannot be read."""
        from matchwise.tasks.dependencies.batches import collections

        mine = [self._read(one, "prediction") for one in preds]
        theirs = [self._read(one, "reference") for one in refs]
        left, right, numbers = zip(*map(_align, mine, theirs), strict=True)
        made = collections(mine, theirs, numbers, self.aligned)
        if made is None:
            return None
        pred = map(Aligned, repeat("prediction"), left, *made[0])
        return list(pred), list(map(Aligned, repeat("reference"), right, *made[1]))

    def _read(self, document: Any, side: str) -> list[Sentence]:
        try:
            found = sentences(document)
        except (TypeError, ValueError) as error:
            raise DataError(str(error), side=side) from None
        if self.enhancements:
            found = [simplify(one, self.enhancements) for one in found]
        for one in found:
            check(one, side, self.trees)
        return found


aligned_words = StepKind("aligned_words", Alignment, batch=Alignment.together, gives=Aligned)
"""`dependencies.aligned_words()`: which word is which."""


def _align(mine: list[Sentence], theirs: list[Sentence]) -> tuple[Text, Text, list[int] | None]:
    """Both sides as texts, and the number of each predicted word in the reference, if the two are cut differently."""
    right = text(theirs)
    if _alike(mine, theirs):
        return right, right, None
    left = text(mine)
    if left.characters != right.characters:
        raise DataError(difference(left.characters, right.characters), side="prediction")
    return left, right, _numbers(words(mine, left), words(theirs, right))


def _numbers(pred: Words, ref: Words) -> list[int]:
    """The number of each predicted word in the reference, or a unique number below 0."""
    made = [-number for number in range(1, len(pred.spans) + 1)]
    for i, j in same_words(pred, ref):
        made[i] = j + 1
    return made


def _alike(mine: list[Sentence], theirs: list[Sentence]) -> bool:
    """True if both sides are cut at the same places."""
    return len(mine) == len(theirs) and all(map(cut_alike, mine, theirs))


_arc = partial(tuple.__new__, Arc)  # as Arc._make does, in half the time
_edge = partial(tuple.__new__, Edge)


def _arcs(
    several: Sequence[Sentence], numbers: list[int] | None, lemmas: list[str] | None, side: str
) -> tuple[list[Arc], list[Edge]]:
    """The words of some sentences by their numbers, and the edges of their enhanced graphs."""
    arcs: list[Arc] = []
    edges: list[Edge] = []
    for one in several:
        start, length = len(arcs), len(one.heads)
        end = start + length
        own: Sequence[int] = range(start + 1, end + 1) if numbers is None else numbers[start:end]
        govs = one.heads if not start and numbers is None else [own[head - 1] if head else 0 for head in one.heads]
        rels = [label.partition(":")[0] if ":" in label else label for label in one.deprels]
        feats = list(map(features.__getitem__, one.feats))
        functional: list[tuple[int | str, ...]] = [()] * length
        for place in compress(range(length), map(FUNCTIONAL.__contains__, rels)):
            if one.heads[place]:
                functional[one.heads[place] - 1] += own[place], rels[place], one.upos[place], feats[place]
        found: Sequence[str] = one.lemmas
        if lemmas is not None:  # a lemma that the reference leaves open is right, whatever it is
            found = [BLANK if n > 0 and lemmas[n - 1] == BLANK else mine for n, mine in zip(own, found, strict=True)]
        rows = zip(own, govs, rels, one.deprels, one.upos, one.xpos, feats, found, functional, strict=True)
        arcs += map(_arc, rows)
        if one.deps.count(BLANK) < length:
            edges += _edges(one, own, side)
    return arcs, edges


def _content(arcs: list[Arc]) -> list[Arc]:
    return list(compress(arcs, [arc.rel in CONTENT for arc in arcs]))


def _edges(one: Sentence, own: Sequence[int], side: str) -> list[Edge]:
    """The edges without those to and from empty nodes, which cannot be aligned."""
    try:
        return [
            _edge((dep, own[head - 1] if head else 0, label))
            for dep, cell in zip(own, one.deps, strict=True)
            for head, label in graphs[cell]
        ]
    except (IndexError, ValueError):
        cell = next(cell for cell in one.deps if not _is_graph(cell, len(own)))
        problem = f"found the enhanced dependencies {cell!r}, expected head:label|… with heads up to {len(own)}"
        raise refusal(one, problem, side) from None


def _is_graph(cell: str, length: int) -> bool:
    try:
        return all(head <= length for head, _ in graphs[cell])
    except ValueError:
        return False

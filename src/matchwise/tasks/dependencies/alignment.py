"""Both sides of a text with the words of the reference as the measure: each word is an arc to its head.

Word 3 of the reference is 3 on both sides. A predicted word that is none of the reference has a number below 0, so that
it equals none; the head of a root is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.errors import DataError
from matchwise.tasks.dependencies.segments import cut_alike, difference
from matchwise.tasks.dependencies.sentences import BLANK, Sentence, sentences
from matchwise.tasks.dependencies.universal import CONTENT, FUNCTIONAL, Graphs, Universal
from matchwise.tasks.dependencies.words import Text, Words, same_words, text, words

Trees: TypeAlias = Literal["strict", "any"]


class Arc(NamedTuple):
    """A word and its relation to its head."""

    dep: int
    gov: int
    rel: str
    """The relation without its subtype."""
    deprel: str
    upos: str
    xpos: str
    feats: str
    """The universal features."""
    lemma: str
    functional: tuple[int | str, ...]
    """Number, relation, tag and features of each function word that depends on it, one after the other."""


class Edge(NamedTuple):
    """An edge of the enhanced graph; its label may be a path through nodes that were collapsed."""

    dep: int
    gov: int
    label: str


class Aligned:
    """One side of a text; compared by what its collections hold."""

    __slots__ = ("arcs", "content", "edges", "sentences", "side", "tokens")

    def __init__(self, side: str, text: Text, arcs: list[Arc], edges: list[Edge]) -> None:
        self.side = side
        self.tokens = text.tokens
        self.sentences = text.sentences
        self.arcs = arcs
        self.content = list(compress(arcs, [arc.rel in CONTENT for arc in arcs]))
        self.edges = edges

    def __repr__(self) -> str:
        return f"<{self.side} of {len(self.arcs)} words>"


@dataclass(frozen=True, slots=True)
class Alignment:
    """The step before scoring: words are aligned by their characters, and what is no tree is refused where `strict`."""

    trees: Trees = "strict"

    def __call__(self, pred: Any, ref: Any) -> tuple[Aligned, Aligned]:
        mine, theirs = _read(pred, "prediction"), _read(ref, "reference")
        for side, several in (("prediction", mine), ("reference", theirs)):
            for one in several:
                _check(one, side, self.trees)
        right = text(theirs)
        if _alike(mine, theirs):
            left, numbers = right, None
        else:
            left = text(mine)
            if left.characters != right.characters:
                raise DataError(difference(left.characters, right.characters), side="prediction")
            numbers = _numbers(words(mine, left), words(theirs, right))
        lemmas = [lemma for one in theirs for lemma in one.lemmas]
        arcs, edges = _arcs(mine, numbers, lemmas if BLANK in lemmas else None, "prediction")
        expected, graph = _arcs(theirs, None, None, "reference")
        return Aligned("prediction", left, arcs, edges), Aligned("reference", right, expected, graph)


def _numbers(pred: Words, ref: Words) -> list[int]:
    """The number of each predicted word in the reference, or one of its own below 0."""
    made = [-number for number in range(1, len(pred.spans) + 1)]
    for i, j in same_words(pred, ref):
        made[i] = j + 1
    return made


def _read(document: Any, side: str) -> list[Sentence]:
    try:
        return sentences(document)
    except (TypeError, ValueError) as error:
        raise DataError(str(error), side=side) from None


def _alike(mine: list[Sentence], theirs: list[Sentence]) -> bool:
    """Whether both sides are cut in the same places."""
    return len(mine) == len(theirs) and all(map(cut_alike, mine, theirs))


def _check(one: Sentence, side: str, trees: Trees) -> None:
    heads, number = one.heads, len(one.heads)
    if heads and not 0 <= min(heads) <= max(heads) <= number:
        word = next(place for place, head in enumerate(heads, start=1) if not 0 <= head <= number)
        raise _refused(one, f"the head of word {word} is {heads[word - 1]}, expected 0 to {number}", side)
    if trees == "strict":
        problem = _is_no_tree(heads)
        if problem:
            raise _refused(one, f'{problem}, expected a tree; write trees="any" to score it all the same', side)


def _refused(one: Sentence, problem: str, side: str) -> DataError:
    where = f" (line {one.line})" if one.line else ""
    return DataError(f"sentence {one.id}{where}: {problem}" if one.id is not None else f"{problem}{where}", side=side)


def _is_no_tree(heads: tuple[int, ...]) -> str | None:
    roots = heads.count(0)
    if roots != 1:
        return f"found {roots or 'no'} root{'s' * (roots != 1)}"
    met = [0] * len(heads)
    for start in range(1, len(heads) + 1):
        word = start
        while word and not met[word - 1]:
            met[word - 1] = start
            word = heads[word - 1]
        if word and met[word - 1] == start:
            return f"found a cycle through word {word}"
    return None


_arc = partial(tuple.__new__, Arc)  # as Arc._make does, in half the time
_edge = partial(tuple.__new__, Edge)
_graphs = Graphs()
_universal = Universal()


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
        feats = list(map(_universal.__getitem__, one.feats))
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


def _edges(one: Sentence, own: Sequence[int], side: str) -> list[Edge]:
    """Edges to and from empty nodes are left out: there is nothing to align these by."""
    try:
        return [
            _edge((dep, own[head - 1] if head else 0, label))
            for dep, cell in zip(own, one.deps, strict=True)
            for head, label in _graphs[cell]
        ]
    except (IndexError, ValueError):
        cell = next(cell for cell in one.deps if not _is_graph(cell, len(own)))
        problem = f"found the enhanced dependencies {cell!r}, expected head:label|… with heads up to {len(own)}"
        raise _refused(one, problem, side) from None


def _is_graph(cell: str, length: int) -> bool:
    try:
        return all(head <= length for head, _ in _graphs[cell])
    except ValueError:
        return False

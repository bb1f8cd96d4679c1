"""Both sides of a text, word by word: aligned words and what is known of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate, chain, compress, count, pairwise, repeat
from typing import Any, TypeAlias

from matchwise.algebra.steps import StepKind
from matchwise.engine.kernels import short
from matchwise.engine.table import Column, Columns, ElementTable, Numbers, Slice
from matchwise.errors import DataError
from matchwise.tasks.dependencies.enhancements import simplify
from matchwise.tasks.dependencies.sentences import BLANK, Sentence, Trees, check, refusal, sentences
from matchwise.tasks.dependencies.universal import CONTENT, FUNCTIONAL, basic, features, graphs
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
        [mine], [theirs] = self._align_all([pred], [ref], short)
        return mine, theirs

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[list[Aligned], list[Aligned]]:
        """Align many texts, by arrays."""
        from matchwise.engine.kernels import long

        return self._align_all(preds, refs, long)

    def _align_all(self, preds: list[Any], refs: list[Any], kernels: Any) -> tuple[list[Aligned], list[Aligned]]:
        mine = [self._read(one, "prediction") for one in preds]
        theirs = [self._read(one, "reference") for one in refs]
        left, right, numbers = zip(*map(_align, mine, theirs), strict=True)
        p, r = ParsedSide("prediction", mine, numbers), ParsedSide("reference", theirs, [None] * len(refs))
        p.leave_open(r)
        share, collect = kernels.pick(_keep_lists, _share_columns), kernels.pick(_collect_objects, _collect_slices)
        arcs, edges = share(p.arcs, r.arcs), share(p.edges, r.edges)
        both = p.aligned_with(r) if self.aligned and any(own is not None for own in numbers) else None
        return (
            list(map(Aligned, repeat(p.name), left, *collect(p, arcs[0], edges[0], p.choose_words()))),
            list(map(Aligned, repeat(r.name), right, *collect(r, arcs[1], edges[1], r.choose_words(both)))),
        )

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


Lists: TypeAlias = dict[str, list[Any]]


class ParsedSide:
    """The words of some texts and the edges of their enhanced graphs, as columns."""

    def __init__(self, name: str, texts: Sequence[list[Sentence]], numbers: Sequence[list[int] | None]) -> None:
        self.name = name
        several = list(chain.from_iterable(texts))
        lengths = [len(one.heads) for one in several]
        ends = list(accumulate(lengths, initial=0))
        self.offsets = [ends[place] for place in accumulate(map(len, texts), initial=0)]
        dep = list(chain.from_iterable([range(1, b - a + 1) for a, b in pairwise(self.offsets)]))
        for place, own in enumerate(numbers):
            if own is not None:
                dep[self.offsets[place] : self.offsets[place + 1]] = own
        starts = list(chain.from_iterable(map(repeat, ends, lengths)))
        heads = list(chain.from_iterable([one.heads for one in several]))
        gov = [dep[start + head - 1] if head else 0 for start, head in zip(starts, heads, strict=True)]
        deprel = list(chain.from_iterable([one.deprels for one in several]))
        upos = list(chain.from_iterable([one.upos for one in several]))
        xpos = list(chain.from_iterable([one.xpos for one in several]))
        feats = list(map(features.__getitem__, chain.from_iterable([one.feats for one in several])))
        lemma = list(chain.from_iterable([one.lemmas for one in several]))
        rel = list(map(basic.__getitem__, deprel))
        functional: list[tuple[int | str, ...]] = [()] * len(dep)
        for place in compress(count(), map(FUNCTIONAL.__contains__, rel)):
            if heads[place]:
                functional[starts[place] + heads[place] - 1] += dep[place], rel[place], upos[place], feats[place]
        columns = dep, gov, rel, deprel, upos, xpos, feats, lemma, functional
        self.arcs: Lists = dict(zip(Arc._fields, columns, strict=True))
        lengths = list(chain.from_iterable(map(repeat, lengths, lengths)))
        try:
            found = list(map(graphs.__getitem__, chain.from_iterable([one.deps for one in several])))
        except ValueError:
            raise _refuse_graph(several, name) from None
        edges = list(chain.from_iterable(found))
        words = [word for word, each in enumerate(found) for _ in each]
        if True in [head > lengths[word] for word, (head, _) in zip(words, edges, strict=True)]:
            raise _refuse_graph(several, name)
        sizes = list(accumulate(map(len, found), initial=0))
        self.edge_offsets = [sizes[place] for place in self.offsets]
        self.edges: Lists = {
            "dep": [dep[word] for word in words],
            "gov": [dep[starts[word] + head - 1] if head else 0 for word, (head, _) in zip(words, edges, strict=True)],
            "label": [label for _, label in edges],
        }

    def aligned_with(self, ref: ParsedSide) -> list[tuple[int, int]]:
        """The words that the reference has too: the place of each here and there."""
        numbers = self.arcs["dep"]
        return [
            (place, first + numbers[place] - 1)
            for (begin, end), first in zip(pairwise(self.offsets), ref.offsets, strict=False)
            for place in range(begin, end)
            if numbers[place] > 0
        ]

    def leave_open(self, ref: ParsedSide) -> None:
        """A lemma that the reference leaves open is right, whatever it is."""
        mine, theirs = self.arcs["lemma"], ref.arcs["lemma"]
        if BLANK in theirs:
            for place, there in self.aligned_with(ref):
                if theirs[there] == BLANK:
                    mine[place] = BLANK

    def choose_words(self, aligned: list[tuple[int, int]] | None = None) -> list[list[int]]:
        """The content words; also the words that the other side has too, and the content words among them, if given."""
        is_content = list(map(CONTENT.__contains__, self.arcs["rel"]))
        content = list(compress(count(), is_content))
        if aligned is None:
            return [content]
        found = [there for _, there in aligned]
        return [content, found, [word for word in found if is_content[word]]]


def _keep_lists(*sides: Lists) -> tuple[Lists, ...]:
    return sides


def _collect_objects(side: ParsedSide, arcs: Lists, edges: Lists, chosen: list[list[int]]) -> list[list[Any]]:
    """The collections of one text: all words, content words, edges, and the other words that are chosen."""
    words = list(map(Arc, *arcs.values()))
    content, *others = [[[words[place] for place in places]] for places in chosen]
    return [[words], content, [list(map(Edge, *edges.values()))], *others]


def _collect_slices(side: ParsedSide, arcs: Columns, edges: Columns, chosen: list[list[int]]) -> list[list[Slice]]:
    """The same collections of many texts, by arrays."""
    import numpy as np

    words = ElementTable(side.offsets, arcs, Arc)
    rows = [np.array(places, dtype=np.intp) for places in chosen]
    content, *others = [words.picked(each, np.searchsorted(each, side.offsets).tolist()).slices() for each in rows]
    return [words.slices(), content, ElementTable(side.edge_offsets, edges, Edge).slices(), *others]


def _share_columns(*sides: Lists) -> list[Columns]:
    """Number the values of both sides together, when a column is needed."""

    @cache
    def number(name: str) -> list[Column]:
        numbers = Numbers()
        codes = [numbers.of(one[name], len(one[name])) for one in sides]
        values = list(numbers)
        return [Column(each, values) for each in codes]

    def column(name: str, side: int) -> Column:
        return number(name)[side]

    return [Columns({name: partial(column, name, side) for name in one}) for side, one in enumerate(sides)]


def _refuse_graph(several: list[Sentence], side: str) -> DataError:
    """The error of the first sentence whose enhanced graph cannot be read."""
    one, cell = next((one, cell) for one in several for cell in one.deps if not _is_graph(cell, len(one.heads)))
    length = len(one.heads)
    problem = f"found the enhanced dependencies {cell!r}, expected head:label|… with heads up to {length}"
    return refusal(one, problem, side)


def _is_graph(cell: str, length: int) -> bool:
    try:
        return all(head <= length for head, _ in graphs[cell])
    except ValueError:
        return False

"""Both sides of a text, word by word: aligned words and what is known of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra.steps import StepKind
from matchwise.engine.many import kernels
from matchwise.engine.many.table import Column, Columns, ElementTable, Numbers, Slice
from matchwise.errors import DataError
from matchwise.tasks.dependencies.cells import CodedCells, Laid, are_trees, find_spans
from matchwise.tasks.dependencies.enhancements import simplify
from matchwise.tasks.dependencies.sentences import (
    CONTENT,
    FUNCTIONAL,
    Sentence,
    Trees,
    basic,
    check,
    features,
    graphs,
    refusal,
    sentences,
)
from matchwise.tasks.dependencies.words import (
    Aligned,
    Arc,
    Edge,
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
        [mine], [theirs] = self.together([pred], [ref])
        return mine, theirs

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[list[Aligned], list[Aligned]]:
        """Align many texts."""
        mine, theirs = self._read(preds, "prediction"), self._read(refs, "reference")
        numbers = list(map(_align, mine.texts, theirs.texts))
        left, right = find_spans(mine, theirs) or _list_spans(mine, theirs, numbers)
        cells = CodedCells(mine, theirs)
        p = ParsedSide("prediction", mine, numbers, cells)
        r = ParsedSide("reference", theirs, [None] * len(refs), cells)
        p.leave_open(r)
        arcs, edges = _share_columns(p.arcs, r.arcs), _share_columns(p.edges, r.edges)
        both = p.align_with(r)[1] if self.aligned and any(own is not None for own in numbers) else None
        return (
            list(map(Aligned, repeat(p.name), left, *_collect(p, arcs[0], edges[0], p.choose_words()))),
            list(map(Aligned, repeat(r.name), right, *_collect(r, arcs[1], edges[1], r.choose_words(both)))),
        )

    def _read(self, documents: list[Any], side: str) -> Laid:
        try:
            found = list(map(sentences, documents))
        except (TypeError, ValueError) as error:
            raise DataError(str(error), side=side) from None
        if self.enhancements:
            found = [[simplify(one, self.enhancements) for one in text] for text in found]
        laid = Laid(found)
        if not are_trees(laid, self.trees):
            for one in laid.sentences:
                check(one, side, self.trees)
        return laid


aligned_words = StepKind("aligned_words", Alignment, batch=Alignment.together, gives=Aligned)
"""`dependencies.aligned_words()`: which word is which."""


def _align(mine: list[Sentence], theirs: list[Sentence]) -> list[int] | None:
    """The number of each predicted word in the reference, or a unique one below 0; None if both are cut alike."""
    if len(mine) == len(theirs) and all(map(cut_alike, mine, theirs)):
        return None
    right, left = text(theirs), text(mine)
    if left.characters != right.characters:
        raise DataError(difference(left.characters, right.characters), side="prediction")
    pred = words(mine, left)
    made = [-number for number in range(1, len(pred.spans) + 1)]
    for i, j in same_words(pred, words(theirs, right)):
        made[i] = j + 1
    return made


def _list_spans(mine: Laid, theirs: Laid, numbers: list[list[int] | None]) -> Any:
    """The tokens and sentences of each text, of both sides; texts that are cut alike share them."""
    right = [text(one)[1:] for one in theirs.texts]
    left = [both if own is None else text(one)[1:] for one, own, both in zip(mine.texts, numbers, right, strict=True)]
    return left, right


Lists: TypeAlias = dict[str, Any]


class ParsedSide:
    """The words of some texts and the edges of their enhanced graphs, as columns."""

    def __init__(self, name: str, laid: Laid, numbers: Sequence[list[int] | None], cells: CodedCells) -> None:
        self.name, self.offsets, self.cells = name, laid.offsets, cells
        ends = laid.ends
        # Each sentence begins with its root, so that head h of a sentence is h places after that.
        dep, rooted = laid.number_words(numbers)
        sentence = kernels.owners_of(kernels.places(ends))
        begins = kernels.places(ends)[sentence]
        roots = begins + sentence
        heads = laid.heads
        gov = rooted[roots + heads]
        rel, upos, feats = (
            cells.derive("deprels", basic, laid),
            cells.get("upos", laid),
            cells.derive("feats", features, laid),
        )
        functional: list[tuple[int | str, ...]] = [()] * len(dep)
        found = cells.find(rel, FUNCTIONAL)
        known = zip(
            dep[found].tolist(),
            *[one.at(found).items() for one in (rel, upos, feats)],
            strict=True,
        )
        places = [each[found].tolist() for each in (begins, heads)]
        for begin, head, row in zip(*places, known, strict=True):
            if head:
                functional[begin + head - 1] += row
        self.rel = rel
        self.arcs: Lists = {
            "dep": dep,
            "gov": gov,
            "rel": rel,
            "deprel": cells.get("deprels", laid),
            "upos": upos,
            "xpos": cells.get("xpos", laid),
            "feats": feats,
            "lemma": cells.get("lemmas", laid),
            "functional": functional,
        }
        try:
            borders, ahead, labels = cells.edges(laid)
        except (ValueError, OverflowError):
            raise _refuse_graph(laid.sentences, name) from None
        self.edge_offsets = borders[kernels.places(self.offsets)].tolist()
        words = kernels.owners_of(borders)
        if ahead.max(initial=0) > min(laid.lengths, default=0):  # it may be more than its own sentence has
            most = kernels.places(laid.lengths)[sentence[words]]
            if (ahead > most).any():
                raise _refuse_graph(laid.sentences, name)
        gov = rooted[roots[words] + ahead]
        self.edges: Lists = {"dep": dep[words], "gov": gov, "label": labels}

    def align_with(self, ref: ParsedSide) -> tuple[Any, Any]:
        """The words that the reference has too: their places here and there."""
        dep = self.arcs["dep"]
        here = np.flatnonzero(dep > 0)
        owners = kernels.owners_of(kernels.places(self.offsets))[here]
        first = kernels.places([offset - 1 for offset in ref.offsets])[owners]
        return here, first + dep[here]

    def leave_open(self, ref: ParsedSide) -> None:
        """A lemma that the reference leaves open is right, whatever it is."""
        found = self.cells.find_blank(ref.arcs["lemma"])
        if len(found):
            here, there = self.align_with(ref)
            is_open = kernels.spread(ref.offsets[-1], found, np.ones(len(found)))
            places = here[np.flatnonzero(is_open[there])]
            self.arcs["lemma"] = self.cells.leave_open(self.arcs["lemma"], places)

    def choose_words(self, aligned: Any = None) -> list[Any]:
        """The content words; also the words that the other side has too, and the content words among them, if given."""
        content = self.cells.find(self.rel, CONTENT)
        if aligned is None:
            return [content]
        is_content = kernels.spread(self.offsets[-1], content, np.ones(len(content)))
        return [content, aligned, aligned[np.flatnonzero(is_content[aligned])]]


def _collect(side: ParsedSide, arcs: Columns, edges: Columns, chosen: list[Any]) -> list[list[Slice]]:
    """The collections of each text: all words, content words, edges, and the other words that are chosen."""
    words = ElementTable(side.offsets, arcs, Arc)
    content, *others = [words.pick(each, np.searchsorted(each, side.offsets).tolist()).slices() for each in chosen]
    return [words.slices(), content, ElementTable(side.edge_offsets, edges, Edge).slices(), *others]


def _share_columns(*sides: Lists) -> list[Columns]:
    """Number the values of both sides together, when a column is needed, if they are not numbered yet."""

    @cache
    def number(name: str) -> list[Column]:
        columns = [one[name] for one in sides]
        if isinstance(columns[0], Column):
            return columns
        if not isinstance(columns[0], list):
            low = min([int(each.min(initial=0)) for each in columns])
            whole = range(low, 1 + max([int(each.max(initial=0)) for each in columns]))
            return [Column(each - low, whole) for each in columns]
        numbers = Numbers()
        codes = [numbers.of(each, len(each)) for each in columns]
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

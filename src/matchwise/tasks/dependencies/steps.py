"""Both sides of a text, word by word: aligned words and what is known of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import repeat
from typing import Any, TypeAlias

from matchwise.algebra.steps import StepKind
from matchwise.arrays import np
from matchwise.engine.kernels import short
from matchwise.engine.table import Column, Columns, ElementTable, Numbers, Slice
from matchwise.errors import DataError
from matchwise.records import record
from matchwise.tasks.dependencies.cells import CodedCells, Laid, ListedCells, are_trees, find_spans
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


@record
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
        mine, theirs = self._read(preds, "prediction", kernels), self._read(refs, "reference", kernels)
        numbers = list(map(_align, mine.texts, theirs.texts))
        left, right = kernels.pick(_list_spans, _find_spans)(mine, theirs, numbers)
        cells = kernels.pick(ListedCells, CodedCells)(mine, theirs)
        p = ParsedSide("prediction", mine, numbers, kernels, cells)
        r = ParsedSide("reference", theirs, [None] * len(refs), kernels, cells)
        p.leave_open(r)
        share, collect = kernels.pick(_keep_lists, _share_columns), kernels.pick(_collect_objects, _collect_slices)
        arcs, edges = share(p.arcs, r.arcs), share(p.edges, r.edges)
        both = p.align_with(r)[1] if self.aligned and any(own is not None for own in numbers) else None
        return (
            list(map(Aligned, repeat(p.name), left, *collect(p, arcs[0], edges[0], p.choose_words()))),
            list(map(Aligned, repeat(r.name), right, *collect(r, arcs[1], edges[1], r.choose_words(both)))),
        )

    def _read(self, documents: list[Any], side: str, kernels: Any) -> Laid:
        try:
            found = list(map(sentences, documents))
        except (TypeError, ValueError) as error:
            raise DataError(str(error), side=side) from None
        if self.enhancements:
            found = [[simplify(one, self.enhancements) for one in text] for text in found]
        laid = Laid(found)
        if not kernels.pick(lambda *_: False, are_trees)(laid, self.trees):
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


def _find_spans(mine: Laid, theirs: Laid, numbers: list[list[int] | None]) -> Any:
    return find_spans(mine, theirs) or _list_spans(mine, theirs, numbers)


def _list_spans(mine: Laid, theirs: Laid, numbers: list[list[int] | None]) -> Any:
    """The tokens and sentences of each text, of both sides; texts that are cut alike share them."""
    right = [text(one)[1:] for one in theirs.texts]
    left = [both if own is None else text(one)[1:] for one, own, both in zip(mine.texts, numbers, right, strict=True)]
    return left, right


Lists: TypeAlias = dict[str, Any]


class ParsedSide:
    """The words of some texts and the edges of their enhanced graphs, as columns."""

    def __init__(
        self, name: str, laid: Laid, numbers: Sequence[list[int] | None], kernels: Any, cells: ListedCells | CodedCells
    ) -> None:
        self.name, self.offsets, self.kernels, self.cells = name, laid.offsets, kernels, cells
        ends = laid.ends
        # Each sentence begins with its root, so that head h of a sentence is h places after that.
        dep, rooted = kernels.pick(Laid.list_numbers, Laid.array_numbers)(laid, numbers)
        sentence = kernels.owners_of(kernels.places(ends))
        begins = kernels.gather(kernels.places(ends), sentence)
        roots = kernels.plus(begins, sentence)
        heads = kernels.pick(Laid.list_heads, lambda laid: laid.heads)(laid)
        gov = kernels.gather(rooted, kernels.plus(roots, heads))
        rel, upos, feats = (
            cells.derive("deprels", basic, laid),
            cells.get("upos", laid),
            cells.derive("feats", features, laid),
        )
        functional: list[tuple[int | str, ...]] = [()] * len(dep)
        found = cells.find(rel, FUNCTIONAL)
        known = zip(
            kernels.plain(kernels.gather(dep, found)),
            *[one.at(found).items() for one in (rel, upos, feats)],
            strict=True,
        )
        places = [kernels.plain(kernels.gather(each, found)) for each in (begins, heads)]
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
        self.edge_offsets = kernels.plain(kernels.gather(borders, kernels.places(self.offsets)))
        words = kernels.owners_of(borders)
        largest = kernels.pick(max, lambda heads: heads.max())(ahead) if len(ahead) else 0
        if largest > min(laid.lengths, default=0):  # it may be more than its own sentence has
            most = kernels.gather(kernels.places(laid.lengths), kernels.gather(sentence, words))
            if len(kernels.nonzero(kernels.larger(kernels.difference(ahead, most), 0, True))):
                raise _refuse_graph(laid.sentences, name)
        gov = kernels.gather(rooted, kernels.plus(kernels.gather(roots, words), ahead))
        self.edges: Lists = {"dep": kernels.gather(dep, words), "gov": gov, "label": labels}

    def align_with(self, ref: ParsedSide) -> tuple[Any, Any]:
        """The words that the reference has too: their places here and there."""
        kernels, dep = self.kernels, self.arcs["dep"]
        here = kernels.nonzero(kernels.larger(dep, 0, True))
        owners = kernels.gather(kernels.owners_of(kernels.places(self.offsets)), here)
        first = kernels.gather(kernels.places([offset - 1 for offset in ref.offsets]), owners)
        return here, kernels.plus(first, kernels.gather(dep, here))

    def leave_open(self, ref: ParsedSide) -> None:
        """A lemma that the reference leaves open is right, whatever it is."""
        kernels = self.kernels
        found = self.cells.find_blank(ref.arcs["lemma"])
        if len(found):
            here, there = self.align_with(ref)
            is_open = kernels.spread(ref.offsets[-1], found, kernels.full(len(found), 1))
            places = kernels.gather(here, kernels.nonzero(kernels.gather(is_open, there)))
            self.arcs["lemma"] = self.cells.leave_open(self.arcs["lemma"], places)

    def choose_words(self, aligned: Any = None) -> list[Any]:
        """The content words; also the words that the other side has too, and the content words among them, if given."""
        content = self.cells.find(self.rel, CONTENT)
        if aligned is None:
            return [content]
        is_content = self.kernels.spread(self.offsets[-1], content, self.kernels.full(len(content), 1))
        return [
            content,
            aligned,
            self.kernels.gather(aligned, self.kernels.nonzero(self.kernels.gather(is_content, aligned))),
        ]


def _keep_lists(*sides: Lists) -> list[Lists]:
    return [{name: each.items() if isinstance(each, Column) else each for name, each in side.items()} for side in sides]


_arc = partial(tuple.__new__, Arc)  # as Arc._make does, in half the time
_edge = partial(tuple.__new__, Edge)


def _collect_objects(side: ParsedSide, arcs: Lists, edges: Lists, chosen: list[Any]) -> list[list[Any]]:
    """The collections of one text: all words, content words, edges, and the other words that are chosen."""
    words = list(map(_arc, zip(*arcs.values(), strict=True)))
    content, *others = [[[words[place] for place in places]] for places in chosen]
    return [[words], content, [list(map(_edge, zip(*edges.values(), strict=True)))], *others]


def _collect_slices(side: ParsedSide, arcs: Columns, edges: Columns, chosen: list[Any]) -> list[list[Slice]]:
    """The same collections of many texts, by arrays."""
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

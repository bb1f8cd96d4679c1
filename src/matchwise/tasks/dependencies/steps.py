"""Both sides of a text, word by word: aligned words and what is known of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import accumulate, chain, compress, count, pairwise, repeat
from typing import Any, TypeAlias

from matchwise.algebra.steps import StepKind
from matchwise.arrays import np
from matchwise.engine.kernels import short
from matchwise.engine.table import Column, Columns, ElementTable, Numbers, Slice
from matchwise.errors import DataError
from matchwise.records import record
from matchwise.tasks.dependencies.enhancements import simplify
from matchwise.tasks.dependencies.sentences import (
    BLANK,
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
    Text,
    Words,
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
        mine = [self._read(one, "prediction") for one in preds]
        theirs = [self._read(one, "reference") for one in refs]
        left, right, numbers = zip(*map(_align, mine, theirs), strict=True)
        p, r = (
            ParsedSide("prediction", mine, numbers, kernels),
            ParsedSide("reference", theirs, [None] * len(refs), kernels),
        )
        p.leave_open(r)
        share, collect = kernels.pick(_keep_lists, _share_columns), kernels.pick(_collect_objects, _collect_slices)
        arcs, edges = share(p.arcs, r.arcs), share(p.edges, r.edges)
        both = p.align_with(r) if self.aligned and any(own is not None for own in numbers) else None
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


Lists: TypeAlias = dict[str, Any]


class ParsedSide:
    """The words of some texts and the edges of their enhanced graphs, as columns."""

    def __init__(
        self, name: str, texts: Sequence[list[Sentence]], numbers: Sequence[list[int] | None], kernels: Any
    ) -> None:
        self.name = name
        several = list(chain.from_iterable(texts))
        lengths = [len(one.heads) for one in several]
        ends = list(accumulate(lengths, initial=0))
        self.offsets = [ends[place] for place in accumulate(map(len, texts), initial=0)]
        sizes = [end - begin for begin, end in pairwise(self.offsets)]
        owns = [range(1, n + 1) if own is None else own for n, own in zip(sizes, numbers, strict=True)]
        self.numbers = list(chain.from_iterable(owns))
        # Each sentence begins with its root, so that head h of a sentence is h places after that.
        dep, rooted = kernels.places(self.numbers), kernels.places(_add_roots(self.numbers, ends))
        sentence = kernels.owners_of(kernels.places(ends))
        roots = kernels.plus(kernels.gather(kernels.places(ends), sentence), sentence)
        heads = list(chain.from_iterable([one.heads for one in several]))
        gov = kernels.gather(rooted, kernels.plus(roots, kernels.places(heads)))
        deprel = list(chain.from_iterable([one.deprels for one in several]))
        upos = list(chain.from_iterable([one.upos for one in several]))
        xpos = list(chain.from_iterable([one.xpos for one in several]))
        feats = list(map(features.__getitem__, chain.from_iterable([one.feats for one in several])))
        lemma = list(chain.from_iterable([one.lemmas for one in several]))
        rel = list(map(basic.__getitem__, deprel))
        functional: list[tuple[int | str, ...]] = [()] * len(heads)
        starts = chain.from_iterable(map(repeat, ends, lengths))
        is_functional = list(map(FUNCTIONAL.__contains__, rel))
        known = zip(*[compress(each, is_functional) for each in (self.numbers, rel, upos, feats)], strict=True)
        rows = zip(compress(starts, is_functional), compress(heads, is_functional), known, strict=True)
        for start, head, row in rows:
            if head:
                functional[start + head - 1] += row
        columns = dep, gov, rel, deprel, upos, xpos, feats, lemma, functional
        self.arcs: Lists = dict(zip(Arc._fields, columns, strict=True))
        try:
            found = list(map(graphs.__getitem__, chain.from_iterable([one.deps for one in several])))
            edges = list(chain.from_iterable(found))
            ahead = [head for head, _ in edges]
            heads = kernels.places(ahead)
        except (ValueError, OverflowError):
            raise _refuse_graph(several, name) from None
        borders = list(accumulate(map(len, found), initial=0))
        self.edge_offsets = [borders[place] for place in self.offsets]
        words = kernels.owners_of(kernels.places(borders))
        if max(ahead, default=0) > min(lengths, default=0):
            most = kernels.gather(kernels.places(lengths), kernels.gather(sentence, words))
            if len(kernels.nonzero(kernels.larger(kernels.difference(heads, most), 0, True))):
                raise _refuse_graph(several, name)
        gov = kernels.gather(rooted, kernels.plus(kernels.gather(roots, words), heads))
        self.edges: Lists = {"dep": kernels.gather(dep, words), "gov": gov, "label": [label for _, label in edges]}

    def align_with(self, ref: ParsedSide) -> list[tuple[int, int]]:
        """The words that the reference has too: the place of each here and there."""
        numbers = self.numbers
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
            for place, there in self.align_with(ref):
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


def _add_roots(numbers: list[int], ends: list[int]) -> list[int]:
    """The number of each word, with 0 for the root before each sentence."""
    return list(chain.from_iterable([(0, *numbers[begin:end]) for begin, end in pairwise(ends)]))


def _keep_lists(*sides: Lists) -> tuple[Lists, ...]:
    return sides


_arc = partial(tuple.__new__, Arc)  # as Arc._make does, in half the time
_edge = partial(tuple.__new__, Edge)


def _collect_objects(side: ParsedSide, arcs: Lists, edges: Lists, chosen: list[list[int]]) -> list[list[Any]]:
    """The collections of one text: all words, content words, edges, and the other words that are chosen."""
    words = list(map(_arc, zip(*arcs.values(), strict=True)))
    content, *others = [[[words[place] for place in places]] for places in chosen]
    return [[words], content, [list(map(_edge, zip(*edges.values(), strict=True)))], *others]


def _collect_slices(side: ParsedSide, arcs: Columns, edges: Columns, chosen: list[list[int]]) -> list[list[Slice]]:
    """The same collections of many texts, by arrays."""
    words = ElementTable(side.offsets, arcs, Arc)
    rows = [np.array(places, dtype=np.intp) for places in chosen]
    content, *others = [words.pick(each, np.searchsorted(each, side.offsets).tolist()).slices() for each in rows]
    return [words.slices(), content, ElementTable(side.edge_offsets, edges, Edge).slices(), *others]


def _share_columns(*sides: Lists) -> list[Columns]:
    """Number the values of both sides together, when a column is needed."""

    @cache
    def number(name: str) -> list[Column]:
        columns = [one[name] for one in sides]
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

"""The words of some sentences laid end to end, and their cells as columns: lists of texts, or numbers of cells.

Sentences that were read from files have numbers already. Others are numbered here, both sides together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from itertools import accumulate, chain
from operator import sub
from typing import Any

from matchwise.arrays import Integers, np
from matchwise.engine.kernels import short
from matchwise.engine.table import Column, Memo, Numbers
from matchwise.tasks.dependencies.blocks import Block, Cells, Vocabulary
from matchwise.tasks.dependencies.sentences import BLANK, Sentence, Trees, graphs
from matchwise.tasks.excerpts import find_runs


class Laid:
    """The sentences of some texts, and their words, laid end to end."""

    def __init__(self, texts: list[list[Sentence]]) -> None:
        self.texts = texts
        self.sentences = list(chain.from_iterable(texts))
        self.runs: list[tuple[Block, int, int]] = []
        """The blocks that the sentences are in, each with the first word and the end; none if one is in no block."""
        self.lengths: list[int] = []
        for block, begin, end in find_runs(self.sentences) or ():
            self.runs.append((block, block.starts[begin], block.starts[end]))
            self.lengths += map(sub, block.starts[begin + 1 : end + 1], block.starts[begin:end])
        if not self.runs:
            self.lengths = [len(one.heads) for one in self.sentences]
        self.ends = list(accumulate(self.lengths, initial=0))
        """Where the words of each sentence begin, and where the last one ends."""
        self.offsets = [self.ends[place] for place in accumulate(map(len, texts), initial=0)]
        """Where the words of each text begin."""

    @cached_property
    def heads(self) -> list[int]:
        if not self.runs:
            return list(self.list_cells("heads"))
        return list(chain.from_iterable([block.heads[begin:end] for block, begin, end in self.runs]))

    def list_cells(self, name: str) -> Iterator[Any]:
        """A column, word by word."""
        return chain.from_iterable([getattr(one, name) for one in self.sentences])

    def list_codes(self, name: str) -> Iterator[int]:
        """The numbers of a column's cells."""
        return chain.from_iterable([block.codes[name][begin:end] for block, begin, end in self.runs])

    def vocabularies(self) -> list[Vocabulary]:
        """The vocabularies of all blocks."""
        return [block.vocabulary for block, _, _ in self.runs] or [Vocabulary()]


def are_trees(laid: Laid, trees: Trees) -> bool:
    """True if all heads are words of their sentence and, where `strict`, all sentences are trees."""
    try:
        heads, ends = np.array(laid.heads, dtype=np.intp), np.array(laid.ends, dtype=np.intp)
    except OverflowError:
        return False
    lengths, sentence = np.diff(ends), np.repeat(np.arange(len(laid.lengths)), laid.lengths)
    if (heads < 0).any() or (heads > lengths[sentence]).any():
        return False
    if trees != "strict":
        return True
    is_root, last = heads == 0, len(heads)
    if (np.bincount(sentence[is_root], minlength=len(lengths)) != 1).any():
        return False
    up = np.append(np.where(is_root, last, ends[sentence] + heads - 1), last)
    for _ in range(int(lengths.max(initial=0)).bit_length()):
        up = up[up]  # twice as far up; behind the root is the last place
    return bool((up == last).all())


class ListedCells:
    """Cells of one text as lists."""

    def __init__(self, *sides: Laid) -> None:
        """Each side is listed by itself."""

    def get(self, name: str, laid: Laid) -> Column:
        """A column of one side."""
        return Column.listed(list(laid.list_cells(name)))

    def derive(self, name: str, function: Memo[str], laid: Laid) -> Column:
        """What a function makes of each cell."""
        return Column.listed(list(map(function.__getitem__, laid.list_cells(name))))

    def find(self, column: Column, wanted: Set[str]) -> list[int]:
        """The places whose value is one of these."""
        return [place for place, value in enumerate(column.values) if value in wanted]

    def find_blank(self, lemmas: Column) -> list[int]:
        """The places of words without a lemma."""
        return self.find(lemmas, {BLANK}) if BLANK in lemmas.values else []

    def leave_open(self, lemmas: Column, places: list[int]) -> Column:
        """The lemmas, blank at these places, too."""
        made = list(lemmas.values)
        for place in places:
            made[place] = BLANK
        return Column.listed(made)

    def edges(self, laid: Laid) -> tuple[list[int], list[int], Column]:
        """Where the enhanced edges of each word begin, then the head and the label of each edge."""
        found = list(map(graphs.__getitem__, laid.list_cells("deps")))
        rows = list(chain.from_iterable(found))
        return short.offsets_of(found), [head for head, _ in rows], Column.listed([label for _, label in rows])


class CodedCells:
    """Cells of many texts as numbers, the same ones on both sides."""

    def __init__(self, *sides: Laid) -> None:
        self.sides = sides
        first, *others = chain.from_iterable([side.vocabularies() for side in sides])
        words = sum(side.ends[-1] for side in sides)
        self.is_shared = all(other is first for other in others) and max(map(len, first.values())) <= 4 * words
        """Whether the numbers of the blocks are kept; a few words of a large vocabulary have numbers of their own."""
        self.vocabulary = first if self.is_shared else Vocabulary()
        self.known: dict[Any, list[Column]] = {}
        """What was made, for each side."""
        self.labels = Cells()
        """The labels of edges."""

    def get(self, name: str, laid: Laid) -> Column:
        """A column of one side."""
        if name not in self.known:
            codes = [_to_array(self._code(name, side), side.ends[-1]) for side in self.sides]
            values = list(self.vocabulary[name].texts)
            self.known[name] = [Column(each, values) for each in codes]
        return self.known[name][self.sides.index(laid)]

    def _code(self, name: str, side: Laid) -> Iterator[int]:
        return (
            side.list_codes(name) if self.is_shared else map(self.vocabulary[name].__getitem__, side.list_cells(name))
        )

    def derive(self, name: str, function: Memo[str], laid: Laid) -> Column:
        """What a function makes of each cell."""
        column, tag = self.get(name, laid), (name, function.function)
        if tag not in self.known:
            numbers = Numbers()
            codes = numbers.of(map(function.__getitem__, column.values), len(column.values))
            values = list(numbers)
            self.known[tag] = [Column(codes[each.codes], values) for each in self.known[name]]
        return self.known[tag][self.sides.index(laid)]

    def find(self, column: Column, wanted: Set[str]) -> Integers:
        """The places whose value is one of these."""
        return np.flatnonzero(np.array([value in wanted for value in column.values], dtype=bool)[column.codes])

    def find_blank(self, lemmas: Column) -> Integers:
        """The places of words without a lemma."""
        return np.flatnonzero(lemmas.codes == self.vocabulary["lemmas"].get(BLANK, -1))

    def leave_open(self, lemmas: Column, places: Integers) -> Column:
        """The lemmas, blank at these places, too."""
        codes = lemmas.codes.copy()
        codes[places] = self.vocabulary["lemmas"][BLANK]
        return Column(codes, lemmas.values)

    def edges(self, laid: Laid) -> tuple[Integers, Integers, Column]:
        """Where the enhanced edges of each word begin, then the head and the label of each edge."""
        column = self.get("deps", laid)
        used = np.flatnonzero(np.bincount(column.codes, minlength=len(column.values)))
        found = [graphs[column.values[code]] for code in used.tolist()]
        rows = list(chain.from_iterable(found))
        heads = np.array([head for head, _ in rows], dtype=np.intp)
        labels = _to_array(map(self.labels.__getitem__, [label for _, label in rows]), len(rows))
        sizes, begins = np.zeros((2, len(column.values)), dtype=np.intp)
        sizes[used] = list(map(len, found))
        begins[used] = np.cumsum(sizes[used]) - sizes[used]
        several = sizes[column.codes]
        borders = np.concatenate(([0], np.cumsum(several)))
        places = np.arange(borders[-1]) + np.repeat(begins[column.codes] - borders[:-1], several)
        return borders, heads[places], Column(labels[places], self.labels.texts)


def _to_array(numbers: Iterable[int], length: int) -> Integers:
    return np.fromiter(numbers, dtype=np.intp, count=length)

"""The words of some sentences laid end to end, and their cells as columns.

Their tokens and sentences are spans of the characters of each text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from itertools import accumulate, chain, pairwise
from operator import sub
from typing import Any

import numpy as np

from matchwise.arrays import Integers
from matchwise.engine.many.table import Column, ElementTable, Memo, Numbers, Slice, number_codes
from matchwise.engine.many.tokens import number_tokens
from matchwise.tasks.dependencies.blocks import PLACES, Block, GridBlock, stack
from matchwise.tasks.dependencies.sentences import BLANK, Sentence, Trees, graphs
from matchwise.tasks.excerpts import find_runs


class Laid:
    """The sentences of some texts, and their words, laid end to end."""

    def __init__(self, texts: list[list[Sentence]]) -> None:
        self.texts = texts
        self.sentences = list(chain.from_iterable(texts))
        self.runs: list[tuple[Block, int, int]] = find_runs(self.sentences) or []
        """The blocks of the sentences, each with the first sentence and the end; none if a sentence is in no block."""
        self.lengths: list[int] = []
        for block, begin, end in self.runs:
            self.lengths += map(sub, block.starts[begin + 1 : end + 1], block.starts[begin:end])
        if not self.runs:
            self.lengths = [len(one.heads) for one in self.sentences]
        self.ends = list(accumulate(self.lengths, initial=0))
        """Where the words of each sentence begin, and where the last one ends."""
        self.offsets = [self.ends[place] for place in accumulate(map(len, texts), initial=0)]
        """Where the words of each text begin."""

    def list_cells(self, name: str) -> Iterator[Any]:
        """A column, word by word."""
        if self.runs:
            runs = [(block, block.starts[begin], block.starts[end]) for block, begin, end in self.runs]
            return chain.from_iterable([block.list_cells(name, begin, end) for block, begin, end in runs])
        return chain.from_iterable([getattr(one, name) for one in self.sentences])

    @cached_property
    def grids(self) -> list[tuple[GridBlock, slice]]:
        """The blocks with the words that are in them, if all are of grids, else none."""
        found = [
            (block, slice(block.starts[begin], block.starts[end]))
            for block, begin, end in self.runs
            if isinstance(block, GridBlock)
        ]
        return found if len(found) == len(self.runs) else []

    def number_words(self, found: Sequence[list[int] | None]) -> tuple[Integers, Integers]:
        """The number of each word in its text where none was found, then the same with 0 before each sentence."""
        offsets, words = np.array(self.offsets), np.arange(self.ends[-1])
        made = words + 1 - np.repeat(offsets[:-1], np.diff(offsets))
        for own, begin, end in zip(found, self.offsets, self.offsets[1:], strict=False):
            if own is not None:
                made[begin:end] = own
        rooted = np.zeros(len(words) + len(self.lengths), dtype=np.intp)
        rooted[words + 1 + np.repeat(np.arange(len(self.lengths)), self.lengths)] = made
        return made, rooted

    @cached_property
    def heads(self) -> Integers:
        """The heads as an array."""
        if self.grids:
            return np.concatenate([block.heads[words] for block, words in self.grids])
        return np.array(list(self.list_cells("heads")), dtype=np.intp)


def are_trees(laid: Laid, trees: Trees) -> bool:
    """True if all heads are words of their sentence and, where `strict`, all sentences are trees."""
    try:
        heads, ends = laid.heads, np.array(laid.ends, dtype=np.intp)
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


class CodedCells:
    """Cells of many texts as numbers, the same ones on both sides."""

    def __init__(self, *sides: Laid) -> None:
        self.sides = sides
        picked = [block.grid.pick(words) for side in sides for block, words in side.grids]
        self.grid = stack(picked) if all(side.grids for side in sides) else None
        self.known: dict[Any, list[Column]] = {}
        """What was made, for each side."""
        self.labels, self.texts = Numbers(), list[str]()
        """The labels of edges, and a list of them, which both sides share."""

    def get(self, name: str, laid: Laid) -> Column:
        """A column of one side."""
        if name not in self.known:
            codes, values = self._number(name)
            borders = list(accumulate([side.ends[-1] for side in self.sides], initial=0))
            self.known[name] = [Column(codes[begin:end], values) for begin, end in pairwise(borders)]
        return self.known[name][self.sides.index(laid)]

    def _number(self, name: str) -> tuple[Integers, list[str]]:
        if self.grid is not None:
            values, codes = number_tokens([self.grid.tokens(PLACES[name])])
            return codes, values
        numbers, cells = Numbers(), chain.from_iterable([side.list_cells(name) for side in self.sides])
        return numbers.of(cells, sum(side.ends[-1] for side in self.sides)), list(numbers)

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
        return np.flatnonzero(lemmas.codes == lemmas.values.index(BLANK)) if BLANK in lemmas.values else np.arange(0)

    def leave_open(self, lemmas: Column, places: Integers) -> Column:
        """The lemmas, blank at these places, too."""
        codes = lemmas.codes.copy()
        codes[places] = lemmas.values.index(BLANK)
        return Column(codes, lemmas.values)

    def edges(self, laid: Laid) -> tuple[Integers, Integers, Column]:
        """Where the enhanced edges of each word begin, then the head and the label of each edge."""
        column = self.get("deps", laid)
        used = np.flatnonzero(np.bincount(column.codes, minlength=len(column.values)))
        found = [graphs[column.values[code]] for code in used.tolist()]
        rows = list(chain.from_iterable(found))
        heads = np.array([head for head, _ in rows], dtype=np.intp)
        labels = self.labels.of([label for _, label in rows], len(rows))
        self.texts[:] = self.labels
        sizes, begins = np.zeros((2, len(column.values)), dtype=np.intp)
        sizes[used] = list(map(len, found))
        begins[used] = np.cumsum(sizes[used]) - sizes[used]
        several = sizes[column.codes]
        borders = np.concatenate(([0], np.cumsum(several)))
        places = np.arange(borders[-1]) + np.repeat(begins[column.codes] - borders[:-1], several)
        return borders, heads[places], Column(labels[places], self.texts)


Spans = tuple[Integers, Integers, Integers]
"""Where spans begin, where they end, and which is the first of each text."""


def find_spans(pred: Laid, ref: Laid) -> list[list[tuple[Slice, Slice]]] | None:
    """The tokens and sentences of each text of both sides; None if some were not read into grids, or contain spaces.

    They are made of forms that are the same words as `words.text` reads.
    """
    mine, theirs = _measure(pred), _measure(ref)
    if mine is None or theirs is None:
        return None
    tokens, sentences = map(_share, mine, theirs)
    return [list(zip(*both, strict=True)) for both in zip(tokens, sentences, strict=True)]


def _measure(laid: Laid) -> tuple[Spans, Spans] | None:
    """The spans of tokens and of sentences."""
    blocks = [block for block, _ in laid.grids]
    if not blocks or any(block.lengths is None for block in blocks):
        return None
    lengths, counts = [], []
    for block, (_, begin, end) in zip(blocks, laid.runs, strict=True):
        starts = block.token_starts[begin : end + 1]
        counts.append(np.diff(starts))
        lengths.append(block.lengths[starts[0] : starts[-1]])  # type: ignore[index]  # see above
    borders = _accumulate(lengths)
    tokens = _accumulate(counts)
    texts = _accumulate([np.array(list(map(len, laid.texts)))])
    return _cut(borders, tokens[texts]), _cut(borders[tokens], texts)


def _accumulate(parts: list[Integers]) -> Integers:
    return np.concatenate(([0], np.cumsum(np.concatenate(parts))))


def _cut(borders: Integers, offsets: Integers) -> Spans:
    """The spans between borders, counted from the beginning of each text."""
    begin = np.repeat(borders[offsets[:-1]], np.diff(offsets))
    return borders[:-1] - begin, borders[1:] - begin, offsets


def _share(mine: Spans, theirs: Spans) -> tuple[list[Slice], list[Slice]]:
    """The spans of each text; equal spans of both sides have the same code."""
    begins, ends = np.concatenate((mine[0], theirs[0])), np.concatenate((mine[1], theirs[1]))
    wide = int((ends - begins).max(initial=0)) + 1
    codes = begins * wide + ends - begins
    distinct, codes = number_codes(codes, int(codes.max(initial=0)) + 1)
    values = [(code // wide, code // wide + code % wide) for code in distinct.tolist()]
    cut = len(mine[0])
    first, second = (
        ElementTable(offsets.tolist(), {"": Column(part, values)}, tuple).slices()
        for part, offsets in ((codes[:cut], mine[2]), (codes[cut:], theirs[2]))
    )
    return first, second

"""Align many texts at once, with arrays, as `Alignment` aligns one.

A cell of a column is a number, and what it says is asked once for each different cell. The words of all texts of a side
are numbered through: word h of a sentence that begins at s is the word s + h - 1 of its side. MLAS compares the
function words of a content word one by one, in order: each such family has a number, made of the number of the family
without its last word. Families of two sides that are numbered by the same tree are equal when their numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from matchwise.engine.table import Column, ElementTable, Integers, Numbers, Slice
from matchwise.tasks.dependencies.sentences import BLANK, Sentence
from matchwise.tasks.dependencies.universal import CONTENT, FUNCTIONAL, features, graphs
from matchwise.tasks.dependencies.words import Arc, Edge


class Families(Sequence[tuple[Any, ...]]):
    """Families by number; family 0 is empty. Every word is described by the same columns of numbers.

    >>> import numpy as np
    >>> families = Families([range(1, 4), ["det", "case"]])
    >>> families.numbers(np.array([2, 2]), [np.array([0, 1]), np.array([1, 0])], 3)
    array([0, 0, 2])
    >>> list(families)
    [(), (1, 'case'), (1, 'case', 2, 'det')]
    """

    def __init__(self, values: Sequence[Sequence[Any]]) -> None:
        self.values = values
        self._smaller: list[tuple[int, int]] = [(0, 0)]
        """For each family: the family without its last word, and that word."""
        self._larger: dict[tuple[int, int], int] = {}

    def numbers(self, heads: Integers, columns: Sequence[Integers], length: int) -> Integers:
        """Number the family of each word, given the head and the columns of each function word."""
        words = np.zeros(len(heads), dtype=np.intp)
        for values, column in zip(self.values, columns, strict=True):
            words = words * len(values) + column
        made = [0] * length
        smaller, larger = self._smaller, self._larger
        for head, word in zip(heads.tolist(), words.tolist(), strict=True):
            longer = made[head], word
            number = larger.get(longer)
            if number is None:
                number = larger[longer] = len(smaller)
                smaller.append(longer)
            made[head] = number
        return np.array(made, dtype=np.intp)

    def __len__(self) -> int:
        return len(self._smaller)

    def __getitem__(self, number: Any) -> Any:
        if not number:
            return ()
        before, word = self._smaller[number]
        known: list[Any] = []
        for values in reversed(self.values):
            word, place = divmod(word, len(values))
            known.append(values[place])
        return (*self[before], *reversed(known))


Own: TypeAlias = list[int] | None
"""The number of each word of a text in the reference; None where the words of both sides are the same."""


class Collections(NamedTuple):
    """The collections of each text of one side."""

    arcs: list[Slice]
    content: list[Slice]
    edges: list[Slice]
    aligned: list[Slice]
    aligned_content: list[Slice]


def collections(
    preds: list[list[Sentence]], refs: list[list[Sentence]], numbers: Sequence[Own], aligned: bool
) -> tuple[Collections, Collections] | None:
    """The collections of both sides; None if an enhanced graph cannot be read (aligning that text alone names it)."""
    cells = Cells()
    mine, theirs = ParsedSide(preds, numbers, cells), ParsedSide(refs, [None] * len(refs), cells)
    mine.leave_open(theirs)
    try:
        cells.read()
    except ValueError:
        return None
    if not (mine.edges_are_between_words() and theirs.edges_are_between_words()):
        return None
    least, most = mine.dep.min(initial=0), max(side.dep.max(initial=0) for side in (mine, theirs))
    values = cells.values(range(int(least), int(most) + 1))
    found = mine.aligned_with(theirs) if aligned and any(own is not None for own in numbers) else None
    return mine.collections(values, None), theirs.collections(values, found)


class Cells:
    """The different cells of both sides, and what they say."""

    def __init__(self) -> None:
        self.deprels, self.upos, self.xpos, self.features, self.lemmas, self.deps = (Numbers() for _ in range(6))
        self.rels, self.feats, self.labels = (Numbers() for _ in range(3))

    def read(self) -> None:
        """Read each cell; ValueError for an enhanced graph that cannot be read."""
        self.rel = self.deprels.each(lambda cell: self.rels[cell.partition(":")[0]])
        self.universal = self.features.each(lambda cell: self.feats[features[cell]])
        self.is_content = self.rels.each(CONTENT.__contains__).astype(np.bool_)
        self.is_functional = self.rels.each(FUNCTIONAL.__contains__).astype(np.bool_)
        found = [graphs[cell] for cell in self.deps]
        edges = list(chain.from_iterable(found))
        self.degree = np.fromiter(map(len, found), dtype=np.intp, count=len(found))
        self.first_edge = np.cumsum(self.degree) - self.degree
        self.edge_head = np.fromiter([head for head, _ in edges], dtype=np.intp, count=len(edges))
        self.edge_label = self.labels.of([label for _, label in edges], len(edges))

    def values(self, words: range) -> dict[str, Sequence[Any]]:
        """What the numbers of each column mean, on both sides."""
        found = {"rel": self.rels, "deprel": self.deprels, "upos": self.upos, "xpos": self.xpos, "feats": self.feats}
        listed = {name: list(one) for name, one in (found | {"lemma": self.lemmas, "label": self.labels}).items()}
        families = Families([words, listed["rel"], listed["upos"], listed["feats"]])
        return {**listed, "dep": words, "gov": words, "functional": families}


class ParsedSide:
    """The words of all texts of one side, column by column."""

    def __init__(self, texts: list[list[Sentence]], numbers: Sequence[Own], cells: Cells) -> None:
        several = list(chain.from_iterable(texts))
        self.cells = cells
        self.lengths = np.fromiter([len(one.heads) for one in several], dtype=np.intp, count=len(several))
        self.ends = np.cumsum(self.lengths)
        sizes = [sum([len(one.heads) for one in text]) for text in texts]
        self.offsets = list(accumulate(sizes, initial=0))
        total = self.offsets[-1]
        self.starts = np.repeat(self.ends - self.lengths, self.lengths)
        """Where the sentence of each word begins."""
        self.heads = np.fromiter(chain.from_iterable([one.heads for one in several]), dtype=np.intp, count=total)
        self.dep = np.arange(1, total + 1) - np.repeat(self.offsets[:-1], sizes)
        for place, own in enumerate(numbers):
            if own is not None:
                self.dep[self.offsets[place] : self.offsets[place + 1]] = own
        self.deprels = cells.deprels.of(chain.from_iterable([one.deprels for one in several]), total)
        self.upos = cells.upos.of(chain.from_iterable([one.upos for one in several]), total)
        self.xpos = cells.xpos.of(chain.from_iterable([one.xpos for one in several]), total)
        self.features = cells.features.of(chain.from_iterable([one.feats for one in several]), total)
        self.lemmas = cells.lemmas.of(chain.from_iterable([one.lemmas for one in several]), total)
        self.deps = cells.deps.of(chain.from_iterable([one.deps for one in several]), total)

    def leave_open(self, ref: ParsedSide) -> None:
        """Accept any lemma where the reference has none."""
        blank = self.cells.lemmas[BLANK]
        if (ref.lemmas == blank).any():
            aligned = np.flatnonzero(self.dep > 0)
            self.lemmas[aligned[ref.lemmas[self.aligned_with(ref)] == blank]] = blank

    def aligned_with(self, ref: ParsedSide) -> Integers:
        """The reference words that the aligned words of this side correspond to, in order."""
        aligned = self.dep > 0
        first = np.repeat(ref.offsets[:-1], np.diff(self.offsets))
        found: Integers = (first + self.dep - 1)[aligned]
        return found

    def edges_are_between_words(self) -> bool:
        """True if every edge of an enhanced graph comes from a word of its sentence."""
        degree = self.cells.degree[self.deps]
        self.edge_offsets = np.concatenate(([0], np.cumsum(degree)))
        self.edge_words = np.repeat(np.arange(len(degree)), degree)
        place = np.arange(len(self.edge_words)) - self.edge_offsets[self.edge_words]
        self.edges = self.cells.first_edge[self.deps[self.edge_words]] + place
        ends = np.repeat(self.lengths, self.lengths)[self.edge_words]
        return bool((self.cells.edge_head[self.edges] <= ends).all())

    def collections(self, values: dict[str, Sequence[Any]], aligned: Integers | None) -> Collections:
        """All collections of this side; `aligned` are the words that the other side has, too (None: all)."""
        cells, least = self.cells, values["dep"][0]
        rel, feats = cells.rel[self.deprels], cells.universal[self.features]
        functional = np.flatnonzero(cells.is_functional[rel] & (self.heads > 0))
        known = [self.dep - least, rel, self.upos, feats]
        families: Families = values["functional"]  # type: ignore[assignment]
        heads = self.starts[functional] + self.heads[functional] - 1
        columns = {
            "dep": known[0],
            "gov": self._govs(np.arange(len(self.heads)), self.heads) - least,
            "rel": rel,
            "deprel": self.deprels,
            "upos": self.upos,
            "xpos": self.xpos,
            "feats": feats,
            "lemma": self.lemmas,
            "functional": families.numbers(heads, [column[functional] for column in known], len(rel)),
        }
        arcs = _table(self.offsets, columns, values, Arc)
        content = np.flatnonzero(cells.is_content[rel])
        words, graph = self._pick(arcs, content), self._graph(values).slices()
        if aligned is None:
            return Collections(arcs.slices(), words, graph, arcs.slices(), words)
        both = aligned[cells.is_content[rel[aligned]]]
        return Collections(arcs.slices(), words, graph, self._pick(arcs, aligned), self._pick(arcs, both))

    def _pick(self, arcs: ElementTable, words: Integers) -> list[Slice]:
        """Some words of each text."""
        return arcs.picked(words, np.searchsorted(words, self.offsets).tolist()).slices()

    def _graph(self, values: dict[str, Sequence[Any]]) -> ElementTable:
        words, cells, least = self.edge_words, self.cells, values["dep"][0]
        govs = self._govs(words, cells.edge_head[self.edges])
        columns = {"dep": self.dep[words] - least, "gov": govs - least, "label": cells.edge_label[self.edges]}
        return _table(self.edge_offsets[self.offsets].tolist(), columns, values, Edge)

    def _govs(self, words: Integers, heads: Integers) -> Integers:
        """The numbers of some words' heads."""
        return np.where(heads, self.dep[self.starts[words] + heads - 1], 0)


def _table(
    offsets: list[int], columns: dict[str, Integers], values: dict[str, Sequence[Any]], make: Callable[..., Any]
) -> ElementTable:
    return ElementTable(offsets, {name: Column(codes, values[name]) for name, codes in columns.items()}, make)

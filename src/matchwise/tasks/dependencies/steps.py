"""The step before scoring: both sides of a text, word by word, with aligned words and what is known of each.

The words of many texts, and the edges of their enhanced graphs, are columns: on the 10,000 sentences of
benchmarks/whole.py, `score` takes half the time that objects for words and edges would take.

udeval's --enhancements leaves out of both sides what a treebank does not have:

1 gapping: an edge along a path becomes the edge of the basic tree
2 parents that a conjunct shares: of a word that is a conj, only that
3 dependents that conjuncts share: nothing, as the test of udeval 0.2.9 never holds
4 subjects of controlled verbs: no nsubj of an xcomp
5 relative clauses: ref becomes the edge of the basic tree, and arguments from outside of an acl are left out
6 case information: obl:in is obl, but advcl:relcl stays

udeval counts every pair of equal edges: two of a kind and two of the same kind are four pairs. Where no edge is there
twice, this is Σ↔[δ].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain, repeat
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra.steps import StepKind
from matchwise.arrays import Integers
from matchwise.engine.many.frame import Column, ElementTable, Numbers
from matchwise.engine.many.kernels import join, owners_of, within
from matchwise.errors import DataError, ExpressionError
from matchwise.tasks.dependencies.sentences import (
    BLANK,
    CONTENT,
    FUNCTIONAL,
    ParsedSentence,
    Trees,
    check,
    cut_subtypes,
    read_features,
    read_graph,
    refusal,
    sentences,
)
from matchwise.tasks.dependencies.words import (
    AlignedText,
    Arc,
    Edge,
    Text,
    cut_alike,
    difference,
    same_words,
    text,
    words,
)

KINDS = "123456"

WITH_CASE = frozenset(["obl", "nmod", "conj", "advcl"])
NO_CASE = frozenset(["pass", "relcl", "xsubj"])

Edges: TypeAlias = list[tuple[int, list[str]]]
"""Head and path, which is most often one relation."""


def check_kinds(given: str | int | None) -> str:
    """The kinds that are left out, from digits such as "12"; 0 is none.

    >>> check_kinds("21"), check_kinds(0)
    ('12', '')
    """
    if given is None or str(given) == "0":
        return ""
    if isinstance(given, bool) or not str(given) or not set(str(given)) <= set(KINDS):
        raise ExpressionError(f"enhancements={given!r} is unknown; write digits from 1 to 6, as in enhancements=12")
    return "".join(sorted(set(str(given))))


def simplify(one: ParsedSentence, kinds: str) -> ParsedSentence:
    """Remove these kinds of enhancements; a cell that cannot be read stays, and is reported later.

    >>> one = ParsedSentence((2, 0), ("nsubj", "root"), ("She", "left"), deps=("2:nsubj|2:conj:and>nsubj", "0:root"))
    >>> simplify(one, "1").deps
    ('2:nsubj|2:nsubj', '0:root')
    """
    relations = [label.partition(":")[0] for label in one.deprels]
    return replace(one, deps=tuple(_cell(one, place, relations, kinds) for place in range(len(one.heads))))


def _cell(one: ParsedSentence, place: int, relations: list[str], kinds: str) -> str:
    try:
        edges: Edges = [(head, label.split(">")) for head, label in read_graph(one.deps[place])]
    except ValueError:
        return one.deps[place]
    if any(head > len(relations) for head, _ in edges):
        return one.deps[place]
    own = one.heads[place], [relations[place]]
    if "1" in kinds:
        edges = _without_gapping(edges, own)
    if "2" in kinds:
        edges = [edge for edge in edges if len(edge[1]) == 1 and edge[1][0].startswith("conj")][-1:] or edges
    if "4" in kinds:
        edges = [edge for edge in edges if not _is_controlled(edge, relations)]
    if "5" in kinds:
        kept = (edge for edge in edges if edge[1][0] == "ref" or not _is_outside(edge[0], place, one.heads, relations))
        edges = [own if edge[1][0] == "ref" else edge for edge in kept]
    if "6" in kinds:
        edges = [(head, list(map(_without_case, steps))) for head, steps in edges]
    return "|".join(f"{head}:{'>'.join(steps)}" for head, steps in edges) or BLANK


def _without_gapping(edges: Edges, own: tuple[int, list[str]]) -> Edges:
    """Replace gapping paths by basic edges; only an edge that is put back may occur twice."""
    made: Edges = []
    for edge in edges:
        if len(edge[1]) > 1:
            made.append(own)
        elif edge not in made:
            made.append(edge)
    return made


def _is_controlled(edge: tuple[int, list[str]], relations: list[str]) -> bool:
    head, steps = edge
    return head > 0 and relations[head - 1] == "xcomp" and any(step.startswith("nsubj") for step in steps)


def _is_outside(head: int, place: int, heads: tuple[int, ...], relations: list[str]) -> bool:
    """True if the head is an acl of the word before: udeval counts the word from 0 and heads from 1."""
    return head > 0 and relations[head - 1].startswith("acl") and heads[head - 1] == place


def _without_case(step: str) -> str:
    relation, *subtypes = step.split(":")
    return relation if relation in WITH_CASE and len(subtypes) == 1 and subtypes[0] not in NO_CASE else step


def equal_edges(pred: AlignedText, ref: AlignedText) -> int:
    """How many pairs of edges are equal; of a graph and itself, how many edges there are.

    That is what udeval divides. A graph without parallel edges has as many equal pairs with itself, and the two are one
    measure: Σ↔[δ].
    """
    return len(pred.edges) if pred.side == ref.side else pred.equal_edges[0]


def equal_edges_without_subtypes(pred: AlignedText, ref: AlignedText) -> int:
    """As `equal_edges`; two edges of one word to one head that only their subtypes tell apart are two equal pairs."""
    return len(pred.edges) if pred.side == ref.side else pred.equal_edges[1]


@dataclass(frozen=True, slots=True)
class WordAlignment:
    """Align words by their characters; with `strict`, refuse what is not a tree."""

    trees: Trees = "strict"
    aligned: bool = False
    """Whether the accuracy over aligned words is asked for."""
    enhancements: str = ""
    """The kinds of enhancements that are left out of both graphs."""

    def __call__(self, pred: Any, ref: Any) -> tuple[AlignedText, AlignedText]:
        [mine], [theirs] = self.together([pred], [ref])
        return mine, theirs

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[list[AlignedText], list[AlignedText]]:
        """Align many texts."""
        mine, theirs = self._read(preds, "prediction"), self._read(refs, "reference")
        laid = LaidTexts(mine, theirs)
        laid.check(self.trees)
        numbers, left, right = zip(*map(_align, mine, theirs), strict=True) if mine else ((), (), ())
        spans = [one[1:] for one in left], [one[1:] for one in right]
        aligned = self.aligned and any(own is not None for own in numbers)
        return laid.collect(numbers, spans, aligned=aligned)

    def _read(self, documents: list[Any], side: str) -> list[list[ParsedSentence]]:
        try:
            found = list(map(sentences, documents))
        except (TypeError, ValueError) as error:
            raise DataError(str(error), side=side) from None
        if self.enhancements:
            found = [[simplify(one, self.enhancements) for one in several] for several in found]
        return found


aligned_words = StepKind("aligned_words", WordAlignment, batch=WordAlignment.together, gives=AlignedText)
"""`dependencies.aligned_words()`: which word is which."""


def _align(mine: list[ParsedSentence], theirs: list[ParsedSentence]) -> tuple[list[int] | None, Text, Text]:
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


SIDES = ("prediction", "reference")


class LaidTexts:
    """The texts of the prediction, then those of the reference, so that all cells are numbered together."""

    def __init__(self, preds: list[list[ParsedSentence]], refs: list[list[ParsedSentence]]) -> None:
        self.sides = preds, refs
        self.sentences = list(chain.from_iterable(preds + refs))
        self.lengths = np.array([len(one.heads) for one in self.sentences], dtype=np.intp)
        self.ends = np.concatenate(([0], np.cumsum(self.lengths)))
        """Where the words of each sentence begin, and where the last one ends."""
        self.offsets = self.ends[list(accumulate(map(len, preds + refs), initial=0))]
        """Where the words of each text begin."""
        self.owners = owners_of(self.ends)
        """The sentence of each word."""

    def check(self, trees: Trees) -> None:
        """Refuse heads that are not words of their sentence and, where `strict`, sentences that are not trees."""
        if not self._are_trees(trees):
            for one, side in self._each():
                check(one, side, trees)

    def _each(self) -> Iterator[tuple[ParsedSentence, str]]:
        """Each sentence with its side."""
        for side, texts in zip(SIDES, self.sides, strict=True):
            for one in chain.from_iterable(texts):
                yield one, side

    @cached_property
    def heads(self) -> Integers:
        cells = chain.from_iterable([one.heads for one in self.sentences])
        return np.fromiter(cells, dtype=np.intp, count=int(self.ends[-1]))

    def _number(self, name: str) -> Column:
        """A column, word by word."""
        return _number(chain.from_iterable([getattr(one, name) for one in self.sentences]), int(self.ends[-1]))

    def _are_trees(self, trees: Trees) -> bool:
        try:
            heads = self.heads
        except OverflowError:
            return False
        if (heads < 0).any() or (heads > self.lengths[self.owners]).any():
            return False
        if trees != "strict":
            return True
        is_root, last = heads == 0, len(heads)
        if (np.bincount(self.owners[is_root], minlength=len(self.lengths)) != 1).any():
            return False
        up = np.append(np.where(is_root, last, self.ends[self.owners] + heads - 1), last)
        for _ in range(int(self.lengths.max(initial=0)).bit_length()):
            up = up[up]  # twice as far up; behind the root is the last place
        return bool((up == last).all())

    def collect(
        self, numbers: Sequence[list[int] | None], spans: tuple[list[Any], list[Any]], *, aligned: bool
    ) -> tuple[list[AlignedText], list[AlignedText]]:
        """The collections of each text, for both sides.

        `numbers` has the number of each predicted word in the reference (below 0 for one that is not there), or None
        where both are cut alike; `aligned` asks for the words of the reference that the prediction has too.
        """
        texts, words = len(numbers), np.arange(self.ends[-1])
        dep = words + 1 - np.repeat(self.offsets[:-1], np.diff(self.offsets))
        for own, begin, end in zip(numbers, self.offsets, self.offsets[1:], strict=False):
            if own is not None:
                dep[begin:end] = own
        # Each sentence begins with its root, so that head h of a sentence is h places after that.
        rooted, roots = np.zeros(len(words) + len(self.lengths), dtype=np.intp), self.ends[self.owners] + self.owners
        rooted[words + 1 + self.owners] = dep
        cut = int(self.offsets[texts])
        here = np.flatnonzero(dep[:cut] > 0)
        there = self.offsets[texts + np.searchsorted(self.offsets, here, side="right") - 1] + dep[here] - 1

        arcs = self._find_arcs(dep, rooted[roots + self.heads], here, there)
        edges, equal = self._find_edges(dep, rooted, roots, texts)
        is_content = _find(arcs.columns["rel"], CONTENT)
        chosen = [np.flatnonzero(is_content)]
        if aligned:
            both = np.concatenate((words[:cut], np.sort(there)))  # in a prediction all words may stay
            chosen += [both, both[is_content[both]]]
        tables = [arcs, *[arcs.take(rows, np.searchsorted(rows, self.offsets)) for rows in chosen]]
        tables.insert(2, edges)
        parts: list[list[Any]] = [[each for half in table.halve(texts) for each in half] for table in tables]
        parts.insert(3, list(zip(*equal, strict=True)) * 2)
        names = chain.from_iterable(repeat(side, texts) for side in SIDES)
        made = list(map(AlignedText, names, chain(*spans), *parts))
        return made[:texts], made[texts:]

    def _find_arcs(self, dep: Integers, gov: Integers, here: Integers, there: Integers) -> ElementTable:
        deprel, upos, xpos, feats, lemma = map(self._number, ("deprels", "upos", "xpos", "feats", "lemmas"))
        rel, feats = _derive(deprel, lambda label: label.partition(":")[0]), _derive(feats, read_features)
        if BLANK in lemma.values:  # a lemma that the reference leaves open is right, whatever it is
            blank = lemma.values.index(BLANK)
            lemma.codes[here[lemma.codes[there] == blank]] = blank
        functional: dict[int, tuple[int | str, ...]] = {}
        places = np.flatnonzero(_find(rel, FUNCTIONAL) & (self.heads > 0))
        above = self.ends[self.owners[places]] + self.heads[places] - 1
        rows = zip(dep[places].tolist(), *[one.at(places).items() for one in (rel, upos, feats)], strict=True)
        for place, row in zip(above.tolist(), rows, strict=True):
            functional[place] = functional.get(place, ()) + row
        some = _number([(), *functional.values()], 1 + len(functional))  # most words have none
        codes = np.zeros(len(dep), dtype=np.intp)
        codes[list(functional)] = some.codes[1:]
        words = some._replace(codes=codes)
        columns = *map(Column.of_numbers, (dep, gov)), rel, deprel, upos, xpos, feats, lemma, words
        return ElementTable(self.offsets, dict(zip(Arc._fields, columns, strict=True)), Arc)

    def _find_edges(
        self, dep: Integers, rooted: Integers, roots: Integers, texts: int
    ) -> tuple[ElementTable, list[list[int]]]:
        """The enhanced edges of each text, and how many pairs of a text are equal, with their subtypes and without."""
        codes, cells = self._number("deps")
        try:
            found = [read_graph(cell) for cell in cells]
            heads = np.array([head for graph in found for head, _ in graph], dtype=np.intp)
        except (ValueError, OverflowError):
            raise self._refuse_graph() from None
        labels = _number([label for graph in found for _, label in graph], len(heads))
        sizes = np.array(list(map(len, found)), dtype=np.intp)
        borders = np.concatenate(([0], np.cumsum(sizes[codes])))
        words = owners_of(borders)  # the word of each edge
        places = np.arange(len(words)) + ((np.cumsum(sizes) - sizes)[codes] - borders[:-1])[words]
        if (heads[places] > self.lengths[self.owners[words]]).any():
            raise self._refuse_graph()
        labels = labels.at(places)
        columns = *map(Column.of_numbers, (dep[words], rooted[roots[words] + heads[places]])), labels
        first, wide = columns[0].codes * len(columns[1].values) + columns[1].codes, len(labels.values)
        table = ElementTable(borders[self.offsets], dict(zip(Edge._fields, columns, strict=True)), Edge)
        owners, cut = owners_of(table.offsets), int(table.offsets[texts])
        equal = []
        for each in (labels, _derive(labels, cut_subtypes)):
            codes = within(first * wide + each.codes, owners % max(texts, 1))
            here, _ = join(codes[:cut], codes[cut:])
            equal.append(np.bincount(owners[here], minlength=texts).tolist())
        return table, equal

    def _refuse_graph(self) -> DataError:
        """The error of the first sentence whose enhanced graph cannot be read."""
        each = ((one, cell, side) for one, side in self._each() for cell in one.deps)
        one, cell, side = next(row for row in each if not _is_graph(row[1], len(row[0].heads)))
        problem = f"found the enhanced dependencies {cell!r}, expected head:label|… with heads up to {len(one.heads)}"
        return refusal(one, problem, side)


def _number(cells: Iterable[Any], length: int) -> Column:
    """`length` cells as a column."""
    numbers = Numbers()
    return Column(numbers.of(cells, length), list(numbers))


def _derive(column: Column, function: Callable[[str], str]) -> Column:
    """What a function makes of each cell."""
    made = _number(map(function, column.values), len(column.values))
    return Column(made.codes[column.codes], made.values)


def _find(column: Column, wanted: frozenset[str]) -> Any:
    """Whether each element has one of the values."""
    return np.array([value in wanted for value in column.values], dtype=bool)[column.codes]


def _is_graph(cell: str, length: int) -> bool:
    try:
        return all(head <= length for head, _ in read_graph(cell))
    except ValueError:
        return False

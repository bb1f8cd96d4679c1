"""The trees of some sentences as columns: what is compared.

What becomes of a label is asked once for each label. A word that is left out takes no place: if words are kept k₀, k₁,
… times, a bracket over the words [a, b) covers the places [k₀ + … + kₐ₋₁, k₀ + … + k_b₋₁).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, compress
from typing import Any, NamedTuple

import numpy as np

from matchwise.engine.many import kernels
from matchwise.engine.many.table import Column, ElementTable, Numbers
from matchwise.engine.many.tokens import equal, number_tokens
from matchwise.tasks.constituency.trees import Bracket, Tree


class Tag(NamedTuple):
    """A word and its tag."""

    place: int
    label: str


class ListedTrees:
    """Trees with the columns of a `Forest`; words, tags and labels are lists."""

    def __init__(self, trees: list[Tree]) -> None:
        self.tree = trees.__getitem__
        self.words, self.tags = ([part for one in trees for part in getattr(one, name)] for name in ("words", "tags"))
        self.word_offsets = kernels.places(accumulate([len(one.words) for one in trees], initial=0))
        self.bracket_offsets = kernels.places(accumulate([len(one.brackets) for one in trees], initial=0))
        found = list(zip(trees, accumulate([len(one.words) for one in trees], initial=0), strict=False))
        self.starts = kernels.places([at + start for one, at in found for start, _, _ in one.brackets])
        self.ends = kernels.places([at + end for one, at in found for _, end, _ in one.brackets])
        self.labels = [label for one in trees for _, _, label in one.brackets]


class Labels:
    """What becomes of labels and tags, by their number; `label` makes None of a label that is left out."""

    def __init__(
        self,
        names: list[str],
        label: Callable[[str], str | None] = str,
        tag: Callable[[str], str] = str,
        delete: Sequence[str] | frozenset[str] = (),
    ) -> None:
        self.given = names
        known = Numbers(zip(names, range(len(names)), strict=True))
        labels = list(map(label, names))
        self.tags = kernels.places([known[tag(name)] for name in names])
        self.labels = kernels.places([0 if name is None else known[name] for name in labels])
        self.is_shown = kernels.places([int(name is not None) for name in labels])
        self.kept = kernels.places([int(name not in delete) for name in names])
        self.names = list(known)


class BracketSide:
    """The sentences of one side, the numbers of their tags and labels, and how often each word is kept."""

    def __init__(self, trees: Any, tags: Any, labels: Any, known: Labels) -> None:
        """`trees` is a `Forest`, or has its columns."""
        self.trees, self.tags, self.labels, self.known = trees, tags, labels, known
        self.keep(known.kept[tags])

    def keep(self, kept: Any) -> None:
        """Keep each word the given number of times."""
        self.kept, self.places = kept, _add_up(kept)
        """How often each word is kept, and the place of each word among those that are, and the end."""
        self.first = self.places[self.trees.word_offsets]
        self.lengths = np.diff(self.first).tolist()

    def count_words(self, uncounted: frozenset[str]) -> list[int]:
        """The length of each sentence without the words that have some tags."""
        counted = kernels.places([int(name not in uncounted) for name in self.known.given])[self.tags]
        found: list[int] = np.diff(_add_up(counted)[self.trees.word_offsets]).tolist()
        return found

    def sentence(self, place: int) -> list[str]:
        """The words that are left of a sentence."""
        return choose(self.trees.tree(place).words, self.kept_of(place))

    def kept_of(self, place: int) -> list[int]:
        """How often each word of a sentence is kept."""
        a, b = self.trees.word_offsets[place : place + 2]
        found: list[int] = self.kept[a:b].tolist()
        return found

    def differences(self, other: BracketSide, which: Any) -> set[int]:
        """Find the sentences among `which` whose words differ from the other side's; both have equally many."""
        words, expected = self.trees.words, other.trees.words
        listed = isinstance(words, list)
        if listed and words == expected and kernels.same_places(self.kept, other.kept):
            return set()
        (mine, owners), (theirs, _) = self._words_left(which), other._words_left(which)
        if listed:
            pairs = zip([words[row] for row in mine], [expected[row] for row in theirs], strict=True)
            places: Any = [place for place, (word, other_word) in enumerate(pairs) if word != other_word]
        else:
            places = (~equal(words.part(mine), expected.part(theirs))).nonzero()[0]
        return set(owners[places].tolist())

    def _words_left(self, which: Any) -> tuple[Any, Any]:
        """The words that are left in some of the sentences, each as often as it is kept, and their sentences."""
        owners = kernels.owners_of(self.first)
        here = np.flatnonzero(which[owners])
        return kernels.owners_of(self.places)[here], owners[here]

    def words(self, valid: Any, places: range) -> ElementTable:
        """The words of the valid sentences."""
        rows, owners = self._words_left(valid)
        offsets = _add_up(np.diff(self.first) * valid)
        columns = {
            "place": Column(np.arange(len(rows)) - offsets[owners], places),
            "label": Column(self.known.tags[self.tags[rows]], self.known.names),
        }
        return ElementTable(offsets.tolist(), columns, Tag)

    def brackets(self, valid: Any, places: range, *, empty: bool = False) -> ElementTable:
        """The brackets of the valid sentences; those around no word are left out unless `empty`."""
        trees = self.trees
        starts, ends = self.places[trees.starts], self.places[trees.ends]
        owners = kernels.owners_of(trees.bracket_offsets)
        shown = self.known.is_shown[self.labels] * valid[owners]
        shown = shown if empty else (shown * np.minimum(ends - starts, shown))
        here = np.flatnonzero(shown)
        first = self.first[owners[here]]
        columns = {
            "start": Column(starts[here] - first, places),
            "end": Column(ends[here] - first, places),
            "label": Column(self.known.labels[self.labels[here]], self.known.names),
        }
        return ElementTable(_add_up(shown)[trees.bracket_offsets].tolist(), columns, Bracket)


def lay_out(mine: Any, theirs: Any, **becomes: Any) -> tuple[BracketSide, BracketSide]:
    """Both sides; `becomes` says what becomes of labels and tags, as `Labels` has it."""
    several = [mine.tags, mine.labels, theirs.tags, theirs.labels]
    if isinstance(mine.tags, list):
        known = Numbers()
        codes: list[Any] = [kernels.places([known[label] for label in each]) for each in several]
        names = list(known)
    else:
        names, numbers = number_tokens(several)
        codes = np.split(numbers, np.cumsum([len(each.begins) for each in several[:-1]]))
    labels = Labels(names, **becomes)
    mine = BracketSide(mine, codes[0], codes[1], labels)
    return mine, BracketSide(theirs, codes[2], codes[3], labels)


def choose(cells: Sequence[str], kept: list[int]) -> list[str]:
    """Each cell as often as it is kept."""
    if max(kept, default=0) < 2:
        return list(compress(cells, kept))
    return [cell for cell, times in zip(cells, kept, strict=True) for _ in range(times)]


def _add_up(amounts: Any) -> Any:
    """Where each begins if all are laid end to end, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(amounts)))

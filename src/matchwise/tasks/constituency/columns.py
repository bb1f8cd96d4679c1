"""The trees of some sentences as columns, over lists for one sentence and over arrays for many: what is compared.

What becomes of a label is asked once for each label. A word that is left out takes no place: if words are kept k₀, k₁,
… times, a bracket over the words [a, b) covers the places [k₀ + … + kₐ₋₁, k₀ + … + k_b₋₁).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, compress
from typing import Any, NamedTuple

from matchwise.arrays import np
from matchwise.engine.table import Column, ElementTable, Numbers
from matchwise.engine.tokens import equal, number_tokens
from matchwise.tasks.constituency.trees import Bracket, Tree


class Tag(NamedTuple):
    """A word and its tag."""

    place: int
    label: str


class ListedTrees:
    """Trees with the columns of a `Forest`; words, tags and labels are lists."""

    def __init__(self, trees: list[Tree], kernels: Any) -> None:
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
        kernels: Any,
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

    def __init__(self, trees: Any, tags: Any, labels: Any, known: Labels, kernels: Any) -> None:
        """`trees` is a `Forest`, or has its columns."""
        self.trees, self.tags, self.labels, self.known, self.kernels = trees, tags, labels, known, kernels
        self.keep(kernels.gather(known.kept, tags))

    def keep(self, kept: Any) -> None:
        """Keep each word the given number of times."""
        self.kept, self.places = kept, self._add_up(kept)
        """How often each word is kept, and the place of each word among those that are, and the end."""
        self.first = self.kernels.gather(self.places, self.trees.word_offsets)
        self.lengths = self.kernels.plain(self.kernels.sizes_of(self.first))

    def count_words(self, uncounted: frozenset[str]) -> list[int]:
        """The length of each sentence without the words that have some tags."""
        k = self.kernels
        counted = k.gather(k.places([int(name not in uncounted) for name in self.known.given]), self.tags)
        found: list[int] = k.plain(k.sizes_of(k.gather(self._add_up(counted), self.trees.word_offsets)))
        return found

    def _add_up(self, amounts: Any) -> Any:
        return self.kernels.pick(_add_list, _add_array)(amounts)

    def sentence(self, place: int) -> list[str]:
        """The words that are left of a sentence."""
        return choose(self.trees.tree(place).words, self.kept_of(place))

    def kept_of(self, place: int) -> list[int]:
        """How often each word of a sentence is kept."""
        a, b = self.trees.word_offsets[place : place + 2]
        found: list[int] = self.kernels.plain(self.kept[a:b])
        return found

    def differences(self, other: BracketSide, which: Any) -> set[int]:
        """Find the sentences among `which` whose words differ from the other side's; both have equally many."""
        words, expected = self.trees.words, other.trees.words
        listed = isinstance(words, list)
        if listed and words == expected and self.kernels.same_places(self.kept, other.kept):
            return set()
        (mine, owners), (theirs, _) = self._words_left(which), other._words_left(which)
        if listed:
            pairs = zip([words[row] for row in mine], [expected[row] for row in theirs], strict=True)
            places: Any = [place for place, (word, other_word) in enumerate(pairs) if word != other_word]
        else:
            places = (~equal(words.part(mine), expected.part(theirs))).nonzero()[0]
        return set(self.kernels.plain(self.kernels.gather(owners, places)))

    def _words_left(self, which: Any) -> tuple[Any, Any]:
        """The words that are left in some of the sentences, each as often as it is kept, and their sentences."""
        k = self.kernels
        owners = k.owners_of(self.first)
        here = k.nonzero(k.gather(which, owners))
        return k.gather(k.owners_of(self.places), here), k.gather(owners, here)

    def words(self, valid: Any, places: range) -> ElementTable:
        """The words of the valid sentences."""
        k = self.kernels
        rows, owners = self._words_left(valid)
        offsets = self._add_up(k.times(k.sizes_of(self.first), valid))
        columns = {
            "place": Column(k.difference(k.index(len(rows)), k.gather(offsets, owners)), places),
            "label": Column(k.gather(self.known.tags, k.gather(self.tags, rows)), self.known.names),
        }
        return ElementTable(k.plain(offsets), columns, Tag)

    def brackets(self, valid: Any, places: range, *, empty: bool = False) -> ElementTable:
        """The brackets of the valid sentences; those around no word are left out unless `empty`."""
        k, trees = self.kernels, self.trees
        starts, ends = k.gather(self.places, trees.starts), k.gather(self.places, trees.ends)
        owners = k.owners_of(trees.bracket_offsets)
        shown = k.times(k.gather(self.known.is_shown, self.labels), k.gather(valid, owners))
        shown = shown if empty else k.times(shown, k.minimum(k.difference(ends, starts), shown))
        here = k.nonzero(shown)
        first = k.gather(self.first, k.gather(owners, here))
        columns = {
            "start": Column(k.difference(k.gather(starts, here), first), places),
            "end": Column(k.difference(k.gather(ends, here), first), places),
            "label": Column(k.gather(self.known.labels, k.gather(self.labels, here)), self.known.names),
        }
        return ElementTable(k.plain(k.gather(self._add_up(shown), trees.bracket_offsets)), columns, Bracket)


def lay_out(mine: Any, theirs: Any, kernels: Any, **becomes: Any) -> tuple[BracketSide, BracketSide]:
    """Both sides; `becomes` says what becomes of labels and tags, as `Labels` has it."""
    several = [mine.tags, mine.labels, theirs.tags, theirs.labels]
    if isinstance(mine.tags, list):
        known = Numbers()
        codes: list[Any] = [kernels.places([known[label] for label in each]) for each in several]
        names = list(known)
    else:
        names, numbers = number_tokens(several)
        codes = np.split(numbers, np.cumsum([len(each.begins) for each in several[:-1]]))
    labels = Labels(kernels, names, **becomes)
    mine = BracketSide(mine, codes[0], codes[1], labels, kernels)
    return mine, BracketSide(theirs, codes[2], codes[3], labels, kernels)


def choose(cells: Sequence[str], kept: list[int]) -> list[str]:
    """Each cell as often as it is kept."""
    if max(kept, default=0) < 2:
        return list(compress(cells, kept))
    return [cell for cell, times in zip(cells, kept, strict=True) for _ in range(times)]


def _add_list(amounts: list[int]) -> list[int]:
    return list(accumulate(amounts, initial=0))


def _add_array(amounts: Any) -> Any:
    return np.concatenate(([0], np.cumsum(amounts)))

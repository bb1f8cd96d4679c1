"""Prepare many sentences at once, with arrays, as `Evalb` prepares one.

Each distinct label is looked up once. A word that is left out takes no place: if words are kept k₀, k₁,
… times, a bracket over the words [a, b) covers the places [k₀ + … + kₐ₋₁, k₀ + … + k_b₋₁).
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from matchwise.engine.table import Column, ElementTable, Integers, owners_of
from matchwise.tasks.constituency.forests import Forest, equal, number_tokens
from matchwise.tasks.constituency.steps import Evalb, Scored, Tag, choose, put_back
from matchwise.tasks.constituency.trees import Bracket, crossing, parse

Truths: TypeAlias = "NDArray[np.bool_]"


def prepare(evalb: Evalb, mine: Forest, theirs: Forest) -> tuple[list[Scored], list[Scored]] | None:
    """Both sides of each sentence; None where one of them is an error."""
    names, [mine_tags, mine_labels, tags, labels] = number_tokens([mine.tags, mine.labels, theirs.tags, theirs.labels])
    known = Labels(evalb, names)
    p, r = BracketSide(mine, mine_tags, mine_labels, known), BracketSide(theirs, tags, labels, known)
    if evalb.parameters.quotes:
        _put_back_quotes(evalb, p, r)
    valid = _same_words(evalb, p, r)
    if evalb.mismatch == "error" and not valid.all():
        return None
    places = range(1 + max(int(side.lengths.max(initial=0)) for side in (p, r)))
    brackets, others = (side.brackets(valid, places) for side in (p, r))
    crossings = _crossings(brackets, others)
    preds = list(map(Scored, brackets.slices(), p.words(valid, places).slices()))
    refs = list(map(Scored, others.slices(), r.words(valid, places).slices()))
    for pred, ref, is_valid, number, words in zip(
        preds, refs, valid.tolist(), crossings, p.lengths.tolist(), strict=True
    ):
        if is_valid:
            pred.cross(number)
        else:
            pred.leave_out()
            ref.leave_out()
            pred.count_as("errors" if words else "skipped")
    if evalb.cutoff is not None:
        lengths = _totals(known.counted[tags], theirs.word_offsets)
        for place in (lengths > evalb.cutoff).nonzero()[0].tolist():
            preds[place].cut_off()
            refs[place].cut_off()
    return preds, refs


def keep_all(mine: Forest, theirs: Forest) -> tuple[list[Scored], list[Scored]] | None:
    """Both sides of each sentence as they are, as `Whole` has them; None where one has another number of words."""
    lengths = np.diff(mine.word_offsets)
    if not np.array_equal(lengths, np.diff(theirs.word_offsets)):
        return None
    names, [mine_tags, mine_labels, tags, labels] = number_tokens([mine.tags, mine.labels, theirs.tags, theirs.labels])
    places = range(1 + int(lengths.max(initial=0)))
    preds = _keep(mine, mine_tags, mine_labels, names, places)
    return preds, _keep(theirs, tags, labels, names, places)


def _keep(forest: Forest, tags: Integers, labels: Integers, names: list[str], places: range) -> list[Scored]:
    first = forest.word_offsets[owners_of(forest.bracket_offsets)]
    starts, ends = Column(forest.starts - first, places), Column(forest.ends - first, places)
    columns = {"start": starts, "end": ends, "label": Column(labels, names)}
    brackets = ElementTable(forest.bracket_offsets.tolist(), columns, Bracket)
    place = np.arange(len(tags)) - forest.word_offsets[owners_of(forest.word_offsets)]
    columns = {"place": Column(place, places), "label": Column(tags, names)}
    words = ElementTable(forest.word_offsets.tolist(), columns, Tag)
    return list(map(Scored, brackets.slices(), words.slices()))


class Labels:
    """What EVALB makes of each label and tag, by number."""

    def __init__(self, evalb: Evalb, names: list[str]) -> None:
        known = dict(zip(names, range(len(names)), strict=True))
        canonical = evalb.parameters.canonical
        tags = [known.setdefault(canonical.get(name, name), len(known)) for name in names]
        labels = [-1 if label is None else known.setdefault(label, len(known)) for label in map(evalb.label, names)]
        self.names = list(known)
        self.tags, self.labels = np.array(tags, dtype=np.intp), np.array(labels, dtype=np.intp)
        """Under which number each is compared; −1 if it is left out."""
        delete, uncounted = evalb.parameters.delete, evalb.parameters.uncounted
        self.kept = np.array([name not in delete for name in names], dtype=np.intp)
        self.counted = np.array([name not in uncounted for name in names], dtype=np.intp)


class BracketSide:
    """The sentences of one side, the numbers of their tags and labels, and how often each word is kept."""

    def __init__(self, forest: Forest, tags: Integers, labels: Integers, known: Labels) -> None:
        self.forest, self.tags, self.labels, self.known = forest, tags, labels, known
        self.kept = known.kept[tags]

    @cached_property
    def places(self) -> Integers:
        """The place of each word among those that are kept, and the end."""
        return _sums(self.kept)

    @cached_property
    def first(self) -> Integers:
        """The place at which each sentence begins, and the end."""
        found: Integers = self.places[self.forest.word_offsets]
        return found

    @cached_property
    def lengths(self) -> Integers:
        """How many words are left of each sentence."""
        return np.diff(self.first)

    def words_left(self, which: Truths) -> tuple[Integers, Integers]:
        """The words that are left in some of the sentences, each as often as it is kept, and their sentences."""
        owners = owners_of(self.first)
        here = which[owners]
        return np.repeat(np.arange(len(self.kept)), self.kept)[here], owners[here]

    def brackets(self, valid: Truths, places: range) -> ElementTable:
        forest = self.forest
        starts, ends = self.places[forest.starts], self.places[forest.ends]
        labels, owners = self.known.labels[self.labels], owners_of(forest.bracket_offsets)
        here = np.flatnonzero((starts < ends) & (labels >= 0) & valid[owners])
        owners = owners[here]
        first = self.first[owners]
        columns = {
            "start": Column(starts[here] - first, places),
            "end": Column(ends[here] - first, places),
            "label": Column(labels[here], self.known.names),
        }
        return ElementTable(_offsets(owners, len(forest)), columns, Bracket)

    def words(self, valid: Truths, places: range) -> ElementTable:
        rows, owners = self.words_left(valid)
        offsets = _offsets(owners, len(self.forest))
        columns = {
            "place": Column(np.arange(len(rows)) - np.asarray(offsets)[owners], places),
            "label": Column(self.known.tags[self.tags[rows]], self.known.names),
        }
        return ElementTable(offsets, columns, Tag)

    def sentence(self, place: int) -> list[str]:
        """The remaining words of one sentence."""
        a, b = self.forest.word_offsets[place : place + 2]
        return choose(parse(self.forest.texts[place]).words, self.kept[a:b].tolist())


def _put_back_quotes(evalb: Evalb, p: BracketSide, r: BracketSide) -> None:
    a, c = p.forest.word_offsets, r.forest.word_offsets
    number, expected = _totals(p.kept, a), _totals(r.kept, c)
    for place in ((number != expected) & (number > 0)).nonzero()[0].tolist():
        here, there = slice(*a[place : place + 2]), slice(*c[place : place + 2])
        kept, others = p.kept[here].tolist(), r.kept[there].tolist()
        put_back(evalb.parameters, parse(p.forest.texts[place]), kept, parse(r.forest.texts[place]), others)
        p.kept[here], r.kept[there] = kept, others


def _same_words(evalb: Evalb, p: BracketSide, r: BracketSide) -> Truths:
    """True for each sentence with words, and the words of the reference."""
    same: Truths = (p.lengths > 0) & (p.lengths == r.lengths)
    (mine, owners), (theirs, _) = p.words_left(same), r.words_left(same)
    other = owners[~equal(p.forest.words.part(mine), r.forest.words.part(theirs))]
    for place in set(other.tolist()):
        same[place] = evalb.same(p.sentence(place), r.sentence(place))
    return same


def _crossings(pred: ElementTable, ref: ElementTable) -> list[int]:
    """How many brackets of each prediction cross one of the reference."""
    return list(map(crossing, _spans(pred), _spans(ref)))


def _spans(brackets: ElementTable) -> list[list[tuple[int, int]]]:
    starts, ends = (brackets.columns[name].codes.tolist() for name in ("start", "end"))
    spans = list(zip(starts, ends, strict=True))
    return [spans[a:b] for a, b in pairwise(brackets.offsets)]


def _sums(amounts: Integers) -> Integers:
    """0, a₀, a₀ + a₁, …"""
    return np.concatenate(([0], np.cumsum(amounts)))


def _totals(amounts: Integers, offsets: Integers) -> Integers:
    """Σ of each stretch."""
    return np.diff(_sums(amounts)[offsets])


def _offsets(owners: Integers, number: int) -> list[int]:
    """Where each stretch of elements begins, and where the last one ends."""
    found: list[int] = _sums(np.bincount(owners, minlength=number)).tolist()
    return found

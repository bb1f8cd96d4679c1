"""The step before scoring: choose what is compared of two trees, as EVALB (2006) does, or take all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, chain, pairwise
from operator import add
from typing import Any, Literal, TypeAlias, get_args

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.engine.many import kernels
from matchwise.engine.many.table import ElementTable
from matchwise.errors import DataError, ExpressionError, suggestion
from matchwise.tasks.constituency.columns import BracketSide, ListedTrees, Tag, lay_out
from matchwise.tasks.constituency.parameters import Parameters, parameters_of
from matchwise.tasks.constituency.trees import Bracket, Forest, Tree, count_crossing, forest, tree
from matchwise.tasks.excerpts import find_runs

Mismatch: TypeAlias = Literal["skip", "error"]

Status: TypeAlias = Literal["valid", "errors", "skipped"]
"""How EVALB counts a sentence: errors have other words than the reference, and skipped ones have no words."""

HERE: tuple[int, ...] = (0,)


class Scored:
    """One side of a sentence; equal if its collections are equal."""

    __slots__ = (
        "_short",
        "brackets",
        "crossing",
        "crossings",
        "errors",
        "is_scored",
        "many",
        "skipped",
        "tags",
        "valid",
    )

    def __init__(self, brackets: Sequence[Bracket], tags: Sequence[Tag]) -> None:
        self.brackets = brackets
        self.tags = tags
        self.valid = self.errors = self.skipped = HERE
        """The sentence: a reference has it in all three, and a prediction in the one where EVALB counts it."""
        self.is_scored = True
        self.crossing = HERE
        """One element for each crossing bracket of a prediction; one for the sentence of a reference."""
        self.crossings = 0
        self.many = False
        """Whether more than two brackets cross."""
        self._short: Scored | None = None

    @property
    def whole(self) -> list[Scored]:
        """The sentence itself, if it is scored. Made on demand: an object that refers to itself is freed late."""
        return [self] if self.is_scored else []

    @property
    def short(self) -> Scored:
        """The sentence itself, unless it is longer than the cut-off."""
        return self if self._short is None else self._short

    def cut_off(self) -> None:
        """Leave the sentence out of the short ones."""
        self._short = Scored(self.brackets[:0], self.tags[:0])
        self._short.leave_out()
        self._short.count_as(None)

    def leave_out(self) -> None:
        """Score nothing of this sentence."""
        self.is_scored, self.crossing = False, ()

    def count_as(self, status: Status | None) -> None:
        """Note how EVALB counts the sentence of this prediction; None if it does not."""
        self.valid, self.errors, self.skipped = (HERE if status == name else () for name in get_args(Status))

    def cross(self, number: int) -> None:
        """Note that the sentence is valid, and how many brackets of this prediction cross."""
        self.count_as("valid")
        self.crossing, self.crossings, self.many = HERE * number, number, number > 2

    def __repr__(self) -> str:
        return f"<{len(self.tags)} words, {len(self.brackets)} brackets>"


@dataclass(frozen=True, slots=True)
class Evalb:
    """EVALB: words and brackets are left out by their labels; a sentence whose words differ is skipped, or an error."""

    parameters: Parameters
    mismatch: Mismatch = "skip"
    cutoff: int | None = 40

    def __call__(self, pred: Any, ref: Any) -> tuple[Scored, Scored]:
        return _prepare_one(self, pred, ref)

    def prepare(self, mine: Any, theirs: Any) -> tuple[list[Scored], list[Scored]]:
        """Both sides of each sentence."""
        p, r = lay_out(mine, theirs, **self._becomes())
        if self.parameters.quotes:
            self._put_back_quotes(p, r)
        valid = [int(a == b > 0) for a, b in zip(p.lengths, r.lengths, strict=True)]
        for place in p.differences(r, kernels.places(valid)):
            valid[place] = int(self._is_same(p.sentence(place), r.sentence(place)))
        if self.mismatch == "error" and not all(valid):
            wrong = valid.index(0)
            raise DataError(_other_words(p.sentence(wrong), r.sentence(wrong)), side="prediction")
        which, places = kernels.places(valid), range(1 + max([*p.lengths, *r.lengths], default=0))
        sides = [(one.brackets(which, places), one.words(which, places)) for one in (p, r)]
        preds, refs = (_score(*side) for side in sides)
        crossings = map(count_crossing, *(_spans(brackets) for brackets, _ in sides))
        for pred, ref, is_valid, number, words in zip(preds, refs, valid, crossings, p.lengths, strict=True):
            if is_valid:
                pred.cross(number)
            else:
                pred.leave_out()
                ref.leave_out()
                pred.count_as("errors" if words else "skipped")
        if self.cutoff is not None:
            for place, length in enumerate(r.count_words(self.parameters.uncounted)):
                if length > self.cutoff:
                    preds[place].cut_off()
                    refs[place].cut_off()
        return preds, refs

    def _becomes(self) -> dict[str, Any]:
        """What becomes of labels and tags."""
        canonical, delete = self.parameters.canonical, self.parameters.delete
        left_out = {canonical.get(name, name) for name in delete}

        def label(name: str) -> str | None:
            """The label without its function tags (`NP-SBJ`, `NP=2`); None if it is left out."""
            plain = name.partition("-")[0].partition("=")[0]
            found = canonical.get(plain, plain)
            return None if found in left_out else found

        return {"label": label, "tag": lambda name: canonical.get(name, name), "delete": delete}

    def _put_back_quotes(self, p: BracketSide, r: BracketSide) -> None:
        other = [place for place, (a, b) in enumerate(zip(p.lengths, r.lengths, strict=True)) if a != b and a > 0]
        for place in other:
            kept, others = p.kept_of(place), r.kept_of(place)
            put_back(self.parameters, p.trees.tree(place), kept, r.trees.tree(place), others)
            for side, made in ((p, kept), (r, others)):
                a, b = side.trees.word_offsets[place : place + 2]
                side.kept[a:b] = made
        if other:
            p.keep(p.kept)
            r.keep(r.kept)

    def count_kept(self, tags: Sequence[str]) -> list[int]:
        """How often each word is kept."""
        delete = self.parameters.delete
        return [0 if tag in delete else 1 for tag in tags]

    def _is_same(self, words: list[str], expected: list[str]) -> bool:
        """True if each word is that of the reference, or may stand for it."""
        pairs = self.parameters.same_words
        return all(a == b or (a, b) in pairs or (b, a) in pairs for a, b in zip(words, expected, strict=True))


def _prepare_one(step: Evalb | Whole, pred: Any, ref: Any) -> tuple[Scored, Scored]:
    [left], [right] = step.prepare(*(ListedTrees([one]) for one in read_sides(tree, pred, ref)))
    return left, right


def _prepare_all(step: Evalb | Whole, preds: list[Any], refs: list[Any]) -> tuple[list[Scored], list[Scored]] | None:
    """Prepare many sentences; None if they have to be read one by one."""
    mine, theirs = gather(preds), gather(refs)
    if mine is not None and theirs is not None:
        return step.prepare(mine, theirs)
    if set(map(type, chain(preds, refs))) == {Tree}:
        return step.prepare(ListedTrees(preds), ListedTrees(refs))
    return None


def _score(brackets: ElementTable, words: ElementTable) -> list[Scored]:
    """One side of each sentence."""
    return list(map(Scored, brackets.slices(), words.slices()))


def _spans(brackets: ElementTable) -> list[list[tuple[int, int]]]:
    """The spans of the brackets of each sentence."""
    spans = list(zip(brackets.columns["start"].items(), brackets.columns["end"].items(), strict=True))
    return [spans[a:b] for a, b in pairwise(brackets.offsets)]


def _make(parameters: str | Mapping[str, Any] = "COLLINS", mismatch: Mismatch = "skip", cutoff: Any = None) -> Evalb:
    if mismatch not in get_args(Mismatch):
        raise ExpressionError(f"no mismatch={mismatch!r}{suggestion(str(mismatch), get_args(Mismatch))}")
    if cutoff is not None and (isinstance(cutoff, bool) or not isinstance(cutoff, int) or cutoff < 1):
        raise ExpressionError(f"cutoff={cutoff!r} is unknown; write a number of words, or None")
    read = parameters_of(parameters)
    return Evalb(read, mismatch, read.cutoff if cutoff is None else cutoff)


def _data(made: Evalb) -> dict[str, Any]:
    cutoff = None if made.cutoff == made.parameters.cutoff else made.cutoff
    return {"parameters": made.parameters.data, "mismatch": made.mismatch, "cutoff": cutoff}


evalb = StepKind("evalb", _make, data=_data, batch=_prepare_all, gives=Scored)
"""`constituency.evalb()`: what EVALB of 2006 compares of two trees."""


@dataclass(frozen=True, slots=True)
class Whole:
    """Compare all brackets as they are; both sides must have the same number of words."""

    def __call__(self, pred: Any, ref: Any) -> tuple[Scored, Scored]:
        return _prepare_one(self, pred, ref)

    def prepare(self, mine: Any, theirs: Any) -> tuple[list[Scored], list[Scored]]:
        """Both sides of each sentence."""
        p, r = lay_out(mine, theirs)
        for found, expected in zip(p.lengths, r.lengths, strict=True):
            if found != expected:
                problem = f"found {found} words, expected {expected} as in the reference"
                raise DataError(problem, side="prediction")
        valid, places = kernels.places([1] * len(p.lengths)), range(1 + max(p.lengths, default=0))
        preds, refs = (_score(one.brackets(valid, places, empty=True), one.words(valid, places)) for one in (p, r))
        return preds, refs


whole = StepKind("whole", Whole, batch=_prepare_all, symmetric=True, gives=Scored)
"""`constituency.whole()`: all brackets of two trees, as they are."""


def _other_words(words: list[str], expected: list[str]) -> str:
    if not words and not expected:
        return "found no words, expected some (without those that are left out)"
    if len(words) != len(expected):
        return (
            f"found {len(words)} words, expected {len(expected)} as in the reference (without those that are left out)"
        )
    word, other = next((a, b) for a, b in zip(words, expected, strict=True) if a != b)
    return f"found the word {word!r}, expected {other!r} as in the reference"


def put_back(parameters: Parameters, mine: Tree, kept: list[int], theirs: Tree, others: list[int]) -> None:
    """Where one side takes a quote for punctuation and the other does not, both keep it; `kept` says how often.

    EVALB may put the same quote back twice, where another follows; then words differ, and the sentence is skipped.
    """
    delete = parameters.delete
    left, right = _quotes(parameters, mine, kept), _quotes(parameters, theirs, others)
    for at, one in enumerate(left):
        place, tag = one[0], mine.tags[one[1]]
        for there, other in enumerate(right):
            if other[0] != place or (tag in delete) == (theirs.tags[other[1]] in delete):
                continue
            if tag in delete:
                kept[one[1]] += 1
                _move(left, at)
            else:
                others[other[1]] += 1
                _move(right, there)


def _quotes(parameters: Parameters, one: Tree, kept: list[int]) -> list[list[int]]:
    """The places of words that may be quotes, among the kept words and among all."""
    places = accumulate(kept, initial=0)
    return [
        [place, at]
        for at, (place, word, tag) in enumerate(zip(places, one.words, one.tags, strict=False))
        if word in ("'", '"', "/") and tag in parameters.quotes
    ]


def _move(quotes: list[list[int]], first: int) -> None:
    """Shift this quote and the following ones by one place: a word was put back."""
    for quote in quotes[first:]:
        quote[0] += 1


def gather(documents: Sequence[Any]) -> Forest | None:
    """Join documents into one forest, if all are texts or trees of a few forests (as a file is read)."""
    sources = [one.source if type(one) is Tree else one for one in documents]
    kinds = set(map(type, sources))
    if kinds == {str}:
        return forest(sources)
    runs: list[tuple[Forest, int, int]] | None = find_runs(documents) if kinds == {Forest} else None
    if runs is None or len(runs) > FEW:
        return None
    return reduce(add, [stand.part(begin, end) for stand, begin, end in runs])


FEW = 32
"""Runs of neighbouring trees that are worth to be joined."""

"""The step before scoring: choose what is compared of two trees, as EVALB (2006) does, or take all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import accumulate, compress
from operator import add
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.errors import DataError, ExpressionError, suggestion
from matchwise.tasks.constituency.parameters import Parameters, parameters_of
from matchwise.tasks.constituency.trees import Bracket, Tree, crossing, tree

if TYPE_CHECKING:
    from matchwise.tasks.constituency.forests import Forest

Mismatch: TypeAlias = Literal["skip", "error"]

Status: TypeAlias = Literal["valid", "errors", "skipped"]
"""How EVALB counts a sentence: errors have other words than the reference, and skipped ones have no words."""

HERE: tuple[int, ...] = (0,)


class Tag(NamedTuple):
    """A word and its tag."""

    place: int
    label: str


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


def nothing() -> Scored:
    """A sentence in which nothing is scored."""
    made = Scored([], [])
    made.leave_out()
    return made


@dataclass(frozen=True, slots=True)
class Evalb:
    """EVALB: words and brackets are left out by their labels; a sentence whose words differ is skipped, or an error."""

    parameters: Parameters
    mismatch: Mismatch = "skip"
    cutoff: int | None = 40
    _labels: dict[str, str | None] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __call__(self, pred: Any, ref: Any) -> tuple[Scored, Scored]:
        mine, theirs = read_sides(tree, pred, ref)
        kept, others = self.count_kept(mine.tags), self.count_kept(theirs.tags)
        parsed = any(kept)
        if parsed and self.parameters.quotes and sum(kept) != sum(others):
            put_back(self.parameters, mine, kept, theirs, others)
        words, expected = choose(mine.words, kept), choose(theirs.words, others)
        if not parsed or not self.same(words, expected):
            if self.mismatch == "error":
                raise DataError(_other_words(words, expected), side="prediction")
            p, r = nothing(), nothing()
            p.count_as("errors" if parsed else "skipped")
        else:
            p, r = self._side(mine, kept), self._side(theirs, others)
            p.cross(crossing([one[:2] for one in p.brackets], [one[:2] for one in r.brackets]))
        if self.cutoff is not None and self._length(theirs) > self.cutoff:
            p.cut_off()
            r.cut_off()
        return p, r

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[list[Scored], list[Scored]] | None:
        """Prepare many sentences at once; None unless all can be read this way and none is an error."""
        mine, theirs = gather(preds), gather(refs)
        if mine is None or theirs is None:
            return None
        from matchwise.tasks.constituency.batches import prepare

        return prepare(self, mine, theirs)

    def count_kept(self, tags: Sequence[str]) -> list[int]:
        """How often each word is kept."""
        delete = self.parameters.delete
        return [0 if tag in delete else 1 for tag in tags]

    def _length(self, one: Tree) -> int:
        uncounted = self.parameters.uncounted
        return sum([tag not in uncounted for tag in one.tags])

    def same(self, words: list[str], expected: list[str]) -> bool:
        """Whether two sentences have the same words."""
        if words == expected:
            return True
        pairs = self.parameters.same_words
        return len(words) == len(expected) and all(
            a == b or (a, b) in pairs or (b, a) in pairs for a, b in zip(words, expected, strict=True)
        )

    def _side(self, one: Tree, kept: list[int]) -> Scored:
        canonical = self.parameters.canonical
        places = list(accumulate(kept, initial=0))
        labels, known = self._labels, self.label
        brackets = []
        for start, end, label in one.brackets:
            left, right = places[start], places[end]
            if left < right:
                name = labels[label] if label in labels else known(label)
                if name is not None:
                    brackets.append(_bracket((left, right, name)))
        tags = choose(one.tags, kept)
        if not canonical.keys().isdisjoint(tags):
            tags = [canonical.get(tag, tag) for tag in tags]
        return Scored(brackets, list(map(_tag, enumerate(tags))))

    def label(self, label: str) -> str | None:
        """A label without its function tags (`NP-SBJ`, `NP=2`); None if it is left out."""
        plain = label.partition("-")[0].partition("=")[0]
        canonical = self.parameters.canonical
        name = canonical.get(plain, plain)
        left_out = name in {canonical.get(other, other) for other in self.parameters.delete}
        if len(self._labels) > 10_000:
            self._labels.clear()
        made = self._labels[label] = None if left_out else name
        return made


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


evalb = StepKind("evalb", _make, data=_data, batch=Evalb.together, gives=Scored)
"""`constituency.evalb()`: what EVALB of 2006 compares of two trees."""


def choose(cells: Sequence[str], kept: list[int]) -> list[str]:
    """Each cell as often as it is kept."""
    if max(kept, default=0) < 2:
        return list(compress(cells, kept))
    return [cell for cell, times in zip(cells, kept, strict=True) for _ in range(times)]


_bracket = partial(tuple.__new__, Bracket)
_tag = partial(tuple.__new__, Tag)


@dataclass(frozen=True, slots=True)
class Whole:
    """Compare all brackets as they are; both sides must have the same number of words."""

    def __call__(self, pred: Any, ref: Any) -> tuple[Scored, Scored]:
        mine, theirs = read_sides(tree, pred, ref)
        if len(mine.words) != len(theirs.words):
            problem = f"found {len(mine.words)} words, expected {len(theirs.words)} as in the reference"
            raise DataError(problem, side="prediction")
        return self._side(mine), self._side(theirs)

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[list[Scored], list[Scored]] | None:
        """Prepare many sentences at once; None unless all can be read this way and none is an error."""
        mine, theirs = gather(preds), gather(refs)
        if mine is None or theirs is None:
            return None
        from matchwise.tasks.constituency.batches import keep_all

        return keep_all(mine, theirs)

    def _side(self, one: Tree) -> Scored:
        return Scored(list(one.brackets), list(map(_tag, enumerate(one.tags))))


whole = StepKind("whole", Whole, batch=Whole.together, symmetric=True, gives=Scored)
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
    sources: list[Any] = [one.source if type(one) is Tree else one if type(one) is str else None for one in documents]
    kinds = set(map(type, sources))
    if kinds == {str}:
        from matchwise.tasks.constituency.forests import forest

        return forest(sources)
    if kinds != {tuple}:
        return None
    runs: list[tuple[Forest, int, int]] = []
    for stand, place in sources:
        if runs and runs[-1][0] is stand and runs[-1][2] == place:
            runs[-1] = stand, runs[-1][1], place + 1
        elif len(runs) == FEW:
            return None
        else:
            runs.append((stand, place, place + 1))
    return reduce(add, [stand.part(begin, end) for stand, begin, end in runs])


FEW = 32
"""Runs of neighbouring trees that are worth to be joined."""

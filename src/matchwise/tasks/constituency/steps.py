"""The step before scoring: choose what is compared of two trees, as EVALB (2006) does, or take all.

`Parameters` are what EVALB leaves out and takes for the same: its parameter files, COLLINS.prm and new.prm among them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, combinations, compress, pairwise
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from matchwise.algebra.names import given
from matchwise.algebra.steps import StepKind, read_sides
from matchwise.arrays import Integers
from matchwise.engine.many.frame import Column, ElementTable, Numbers
from matchwise.engine.many.kernels import offsets_of, owners_of
from matchwise.errors import DataError, ExpressionError, FormatError, count_units, suggestion
from matchwise.tasks.constituency.trees import Bracket, Tree, count_crossing, tree


@dataclass(frozen=True, repr=False, slots=True)
class Parameters:
    """A parameter file."""

    name: str
    delete: frozenset[str]
    """DELETE_LABEL: brackets with such a label and words with such a tag do not count."""
    uncounted: frozenset[str] = frozenset({"-NONE-"})
    """DELETE_LABEL_FOR_LENGTH: words with such a tag do not add to the length of a sentence."""
    quotes: frozenset[str] = frozenset()
    """QUOTE_LABEL: tags that a quote or an apostrophe may be given by mistake."""
    same: tuple[tuple[str, str], ...] = (("ADVP", "PRT"),)
    """EQ_LABEL: labels that are taken for each other."""
    same_words: tuple[tuple[str, str], ...] = ()
    """EQ_WORD"""
    labelled: bool = True
    """LABELED: whether labels of brackets are compared."""
    cutoff: int | None = None
    """CUTOFF_LEN: the scores are also given for the sentences of at most this many words."""
    canonical: dict[str, str] = field(default_factory=dict, init=False, compare=False, repr=False)
    """Each label that is taken for another -> the first of them."""

    def __post_init__(self) -> None:
        for one, other in self.same:
            first, second = (self.canonical.get(label, label) for label in (one, other))
            self.canonical[one] = self.canonical[other] = first
            self.canonical.update((label, first) for label, name in self.canonical.items() if name == second)
        self._check_chains()

    def _check_chains(self) -> None:
        """Refuse chains: with A = B and B = C, EVALB still distinguishes A from C, which a single label cannot."""
        pairs = {pair for one, other in self.same for pair in ((one, other), (other, one))}
        for one, other in combinations(sorted(self.canonical), 2):
            if self.canonical[one] == self.canonical[other] and (one, other) not in pairs:
                raise ExpressionError(
                    f"EQ_LABEL joins {one} and {other} through another label only; add EQ_LABEL {one} {other}"
                )

    def read_label(self, name: str) -> str | None:
        """A label without its function tags (`NP-SBJ`, `NP=2`); None if it is left out.

        >>> COLLINS.read_label("PRT-TMP"), COLLINS.read_label("TOP")
        ('ADVP', None)
        """
        plain = name.partition("-")[0].partition("=")[0]
        found = self.canonical.get(plain, plain)
        return None if found in {self.canonical.get(each, each) for each in self.delete} else found

    @property
    def data(self) -> str | tuple[tuple[str, Any], ...]:
        """Their name if they have one, else their content."""
        if KNOWN.get(self.name) == self:
            return self.name
        said = given(self)
        return tuple((name, tuple(sorted(value)) if name in _SETS else value) for name, value in said.items())

    def __repr__(self) -> str:
        """Sorted, as a signature needs it."""
        lists = ", ".join(f"{name}={sorted(getattr(self, name))}" for name in ("delete", "uncounted", "quotes"))
        pairs = f"same={self.same}, same_words={self.same_words}"
        return f"Parameters({self.name!r}, {lists}, {pairs}, labelled={self.labelled}, cutoff={self.cutoff})"

    def __str__(self) -> str:
        return self.name


_COLLINS = frozenset(("TOP", "-NONE-", ",", ":", "``", "''", "."))

COLLINS = Parameters("COLLINS", _COLLINS)
NEW = Parameters("new", _COLLINS | {"S1", "?", "!"}, quotes=frozenset(("``", "''", "POS", "NN", "CD", "VBZ", ":")))

KNOWN = {"COLLINS": COLLINS, "new": NEW}

_SETS = ("delete", "uncounted", "quotes")


def parameters_of(name: str | Mapping[str, Any]) -> Parameters:
    """The parameters of a name, of a `.prm` file, or of a mapping.

    >>> sorted(parameters_of("new").delete - parameters_of("COLLINS").delete)
    ['!', '?', 'S1']
    """
    if isinstance(name, Mapping | tuple):
        given: dict[str, Any] = dict(name)
        given |= {key: frozenset(given[key]) for key in _SETS if key in given}
        return Parameters(**given)
    if name in KNOWN:
        return KNOWN[name]
    if not isinstance(name, str) or not name.endswith(".prm"):
        hint = suggestion(str(name), KNOWN, ", or a file that ends in .prm")
        raise ExpressionError(f"no parameters {name!r}{hint}")
    return read_parameters(name)


def read_parameters(path: str) -> Parameters:
    """Read a parameter file of EVALB. DEBUG and MAX_ERROR, which change no score, have no effect."""
    found: dict[str, list[Any]] = {name: [] for name in _VALUES}
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from None
    for number, line in enumerate(lines, start=1):
        word, *values = [""] if line.isspace() or line.startswith("#") else line.split()
        if not word or word in _NO_EFFECT:
            continue
        if word not in found:
            raise FormatError(f"found {word!r}{suggestion(word, found)}", path, number)
        pattern, expected = _VALUES[word]
        if not re.fullmatch(pattern, " ".join(values)):
            raise FormatError(f"found {line.strip()!r}, expected {word} and {expected}", path, number)
        found[word].append(values[0] if len(values) == 1 else tuple(values))
    *lists, same, words, cutoff, labelled = found.values()
    delete, uncounted, quotes = map(frozenset, lists)
    last = int(cutoff[-1]) if cutoff else None
    is_labelled = labelled[-1:] != ["0"]
    try:
        return Parameters(
            os.path.basename(path), delete, uncounted, quotes, tuple(same), tuple(words), is_labelled, last
        )
    except ExpressionError as error:
        raise FormatError(str(error), path) from None


_VALUES = {
    "DELETE_LABEL": (r"\S+", "a label"),
    "DELETE_LABEL_FOR_LENGTH": (r"\S+", "a label"),
    "QUOTE_LABEL": (r"\S+", "a label"),
    "EQ_LABEL": (r"\S+ \S+", "two labels"),
    "EQ_WORD": (r"\S+ \S+", "two words"),
    "CUTOFF_LEN": (r"0*[1-9][0-9]{0,8}", "a number of words above 0"),
    "LABELED": (r"[01]", "0 or 1"),
}
"""What a line of the file sets -> its values as a pattern, and in words."""

_NO_EFFECT = ("DEBUG", "MAX_ERROR")

Mismatch: TypeAlias = Literal["skip", "error"]

Status: TypeAlias = Literal["valid", "errors", "skipped"]
"""How EVALB counts a sentence: errors have other words than the reference, and skipped ones have no words."""

STATUSES: tuple[Status, ...] = get_args(Status)

HERE: tuple[int, ...] = (0,)


class Tag(NamedTuple):
    """A word and its tag."""

    place: int
    label: str


class Scored:
    """One side of a sentence, with as many elements in `crossing` as brackets of a prediction cross (a reference: 1).

    A prediction has the sentence under the status by which EVALB counts it, a reference under all three.
    """

    def __init__(
        self,
        brackets: Sequence[Bracket],
        tags: Sequence[Tag],
        statuses: Sequence[Status] = STATUSES,
        crossing: int = 1,
        crossings: int = 0,
        is_scored: bool = True,
        is_short: bool = True,
    ) -> None:
        self.brackets, self.tags, self.crossings = brackets, tags, crossings
        self.valid, self.errors, self.skipped = (HERE if name in statuses else () for name in STATUSES)
        self.crossing, self.many = HERE * crossing, crossings > 2
        self.is_scored, self.is_short = is_scored, is_short

    @property
    def whole(self) -> list[Scored]:
        """The sentence itself, if it is scored. Made on demand: an object that refers to itself is freed late."""
        return [self] if self.is_scored else []

    @property
    def short(self) -> Scored:
        """The sentence itself; if it is longer than the cut-off, one in which nothing counts."""
        return self if self.is_short else Scored(self.brackets[:0], self.tags[:0], (), 0, is_scored=False)

    def __repr__(self) -> str:
        return f"<{len(self.tags)} words, {len(self.brackets)} brackets>"


class Kept(NamedTuple):
    """How EVALB counts a sentence, and both trees, with how often each word is kept; no trees if it is not valid."""

    status: Status
    pred: tuple[Tree, list[int]]
    ref: tuple[Tree, list[int]]


_NOTHING: tuple[Tree, list[int]] = (Tree((), (), ()), [])


@dataclass(frozen=True, slots=True)
class Evalb:
    """EVALB: words and brackets are left out by their labels; a sentence whose words differ is skipped, or an error."""

    parameters: Parameters
    mismatch: Mismatch = "skip"
    cutoff: int | None = 40

    def __call__(self, pred: Any, ref: Any) -> tuple[Scored, Scored]:
        [mine], [theirs] = self.together([pred], [ref])
        return mine, theirs

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[list[Scored], list[Scored]]:
        """Choose in many sentences."""
        read = [read_sides(tree, pred, ref) for pred, ref in zip(preds, refs, strict=True)]
        kept = [self._keep(p, r) for p, r in read]
        laid = self._lay([one.pred for one in kept] + [one.ref for one in kept])
        (mine, theirs), tags = (table.halve(len(kept)) for table in laid)
        preds, refs = [], []
        rows = zip(kept, read, mine, tags[0], _spans(mine), theirs, tags[1], _spans(theirs), strict=True)
        for one, (_, ref), found, own, spans, expected, other, there in rows:
            is_valid = one.status == "valid"
            number = count_crossing(spans, there)
            words = len(ref.tags) - sum(map(self.parameters.uncounted.__contains__, ref.tags))
            is_short = self.cutoff is None or words <= self.cutoff
            preds.append(Scored(found, own, (one.status,), number, number, is_valid, is_short))
            refs.append(Scored(expected, other, crossing=int(is_valid), is_scored=is_valid, is_short=is_short))
        return preds, refs

    def _keep(self, pred: Tree, ref: Tree) -> Kept:
        """How often each word of both sides is kept, and how EVALB counts the sentence."""
        kept, others = self.count_kept(pred.tags), self.count_kept(ref.tags)
        if self.parameters.quotes and 0 < sum(kept) != sum(others):
            put_back(self.parameters, pred, kept, ref, others)
        words, expected = choose(pred.words, kept), choose(ref.words, others)
        if len(words) == len(expected) > 0 and (words == expected or self._are_same(words, expected)):
            return Kept("valid", (pred, kept), (ref, others))
        if self.mismatch == "error":
            raise DataError(_other_words(words, expected), side="prediction")
        return Kept("errors" if words else "skipped", _NOTHING, _NOTHING)

    def count_kept(self, tags: Sequence[str]) -> list[int]:
        """How often each word is kept."""
        delete = self.parameters.delete
        return [0 if tag in delete else 1 for tag in tags]

    def _lay(self, trees: list[tuple[Tree, list[int]]]) -> tuple[ElementTable, ElementTable]:
        """Brackets and tags, by the places of the words that are kept; brackets around none are left out."""
        kept = np.array(list(chain.from_iterable(kept for _, kept in trees)), dtype=np.intp)
        before = np.concatenate(([0], np.cumsum(kept)))  # kept words before each word
        firsts = offsets_of([kept for _, kept in trees])
        borders: Integers = offsets_of([one.brackets for one, _ in trees])
        rows = list(chain.from_iterable([one.brackets for one, _ in trees]))
        first = firsts[owners_of(borders)]
        start, end = (np.fromiter(map(itemgetter(side), rows), np.intp, len(rows)) for side in (0, 1))
        start, end = (before[first + places] - before[first] for places in (start, end))
        label, labels = _number(map(itemgetter(2), rows), len(rows), self.parameters.read_label)
        chosen = np.flatnonzero((start < end) & (label >= 0))
        columns = *map(Column.of_numbers, (start[chosen], end[chosen])), Column(label[chosen], labels)
        brackets = ElementTable(
            np.searchsorted(chosen, borders), dict(zip(Bracket._fields, columns, strict=True)), Bracket
        )
        words = np.repeat(np.arange(len(kept)), kept)
        every = chain.from_iterable([one.tags for one, _ in trees])
        tag, tags = _number(every, len(kept), lambda tag: self.parameters.canonical.get(tag, tag))
        place = Column.of_numbers(np.arange(len(words)) - before[firsts[owners_of(before[firsts])]])
        columns = place, Column(tag[words], tags)
        return brackets, ElementTable(before[firsts], dict(zip(Tag._fields, columns, strict=True)), Tag)

    def _are_same(self, words: list[str], expected: list[str]) -> bool:
        """True if each word is that of the reference, or may stand for it."""
        pairs = self.parameters.same_words
        return all(a == b or (a, b) in pairs or (b, a) in pairs for a, b in zip(words, expected, strict=True))


def _number(labels: Iterable[str], length: int, read: Callable[[str], str | None]) -> tuple[Integers, list[str]]:
    """Labels as they are read, by number: -1 for one that is left out."""
    known, names = Numbers(), Numbers()
    codes = known.of(labels, length)
    numbers = [-1 if (name := read(label)) is None else names[name] for label in known]
    return np.array(numbers, dtype=np.intp)[codes], list(names)


def _spans(brackets: ElementTable) -> Iterator[list[tuple[int, int]]]:
    """The spans of the brackets of each sentence."""
    every = list(zip(*[brackets.columns[name].items() for name in ("start", "end")], strict=True))
    return (every[begin:end] for begin, end in pairwise(brackets.offsets.tolist()))


def choose(cells: Sequence[str], kept: list[int]) -> list[str]:
    """Each cell as often as it is kept."""
    if max(kept, default=0) < 2:
        return list(compress(cells, kept))
    return [cell for cell, times in zip(cells, kept, strict=True) for _ in range(times)]


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


@dataclass(frozen=True, slots=True)
class Whole:
    """Compare all brackets as they are; both sides must have the same number of words."""

    def __call__(self, pred: Any, ref: Any) -> tuple[Scored, Scored]:
        p, r = read_sides(tree, pred, ref)
        if len(p.words) != len(r.words):
            problem = f"found {count_units(len(p.words), 'words')}, expected {len(r.words)} as in the reference"
            raise DataError(problem, side="prediction")
        mine, theirs = (Scored(one.brackets, list(map(Tag, range(len(one.tags)), one.tags))) for one in (p, r))
        return mine, theirs


whole = StepKind("whole", Whole, symmetric=True, gives=Scored)
"""`constituency.whole()`: all brackets of two trees, as they are."""


def _other_words(words: list[str], expected: list[str]) -> str:
    if not words and not expected:
        return "found no words, expected some (without those that are left out)"
    if len(words) != len(expected):
        found = count_units(len(words), "words")
        return f"found {found}, expected {len(expected)} as in the reference (without those that are left out)"
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

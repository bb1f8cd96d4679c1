"""A phrase structure tree as its words, their tags, and labelled brackets around them; and many trees as columns.

The text of many trees is cut up by arrays, and no object is made of a tree before somebody asks for it. Between two
brackets that follow each other there is nothing, a label, or a label and a word; anything else is left to `parse`,
which reads one tree and says what is wrong. Without the brackets around words, the k-th bracket that opens at some
depth is closed by the k-th that closes there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from matchwise.arrays import Flags, Integers
from matchwise.engine.many.tokens import PADDING, Tokens, join
from matchwise.tasks.excerpts import Excerpt, excerpt
from matchwise.views.words import Marked, Words, text_at


class Bracket(NamedTuple):
    """A constituent: the words [start, end) and a label."""

    start: int
    end: int
    label: str

    def in_words(self, words: Words) -> str:
        """`NP the old man`."""
        return f"{self.label} {text_at((self.start, self.end), words)}"

    def marks(self) -> Marked:
        """Its spans in the text, to be marked."""
        return ((self.start, self.end, self.label),)


@dataclass(frozen=True, slots=True)
class Tree(Excerpt):
    """The words of a sentence with their tags, and its brackets from the outside in, from left to right."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    brackets: tuple[Bracket, ...]
    id: str | int | None = None
    line: int | None = None
    """Where it begins in its file."""

    def __post_init__(self) -> None:
        if len(self.words) != len(self.tags):
            raise ValueError(f"expected a tag for each of {len(self.words)} words, found {len(self.tags)}")

    def _read(self, name: str) -> dict[str, Any]:
        made = parse(self._text())
        return {"words": made.words, "tags": made.tags, "brackets": made.brackets}

    def _text(self) -> str:
        """What it is parsed from: its source, or one of the texts of a forest."""
        text: str = self.source if isinstance(self.source, str) else self.source.texts[self.place]
        return text

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self.source is None:
            return object.__reduce_ex__(self, protocol)
        return excerpt, (Tree, self._text(), {"id": self.id, "line": self.line})


def tree(value: Any) -> Tree:
    """A tree, from one, from its text, or from a nested list `["S", ["NP", ["DT", "the"], …], …]`.

    >>> tree("(S (NP (DT the) (NN man)) (VP (VBZ sleeps)))").brackets[1]
    Bracket(start=0, end=2, label='NP')
    >>> tree(["S", ["NP", ["DT", "the"]]]).brackets
    (Bracket(start=0, end=1, label='S'), Bracket(start=0, end=1, label='NP'))
    """
    if isinstance(value, Tree):
        return value
    if isinstance(value, str):
        return parse(value)
    if hasattr(value, "label") and hasattr(value, "leaves"):
        return parse(" ".join(str(value).split()))  # a Tree of NLTK prints brackets
    if isinstance(value, list | tuple):
        return parse(_write(value))
    raise ValueError(f"expected a Tree, or the text of one such as (S (NP …)), found {type(value).__name__}")


def _write(value: Any) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, list | tuple) or not value or not isinstance(value[0], str):
        raise ValueError(f'expected a label and what it covers, as in ["NP", …], found {value!r}')
    return f"({value[0]} {' '.join(map(_write, value[1:]))})"


_NODE = re.compile(r"\(([^\s()]*)\s*([^\s()]*)\s*((?:\)\s*)*)([^()]*)")
"""An opening bracket, its label, perhaps a word, the brackets that close after it, and what should not be there."""


def parse(text: str, *, id: str | int | None = None, line: int | None = None) -> Tree:
    """Parse the text of a tree; several trees in a row are read as one, and `()` has no words."""
    nodes = _NODE.findall(text)
    if text[:1] != "(" and not text.lstrip().startswith("(") and text.strip():
        raise ValueError(f"found {text.strip()[:20]!r}, expected a tree that begins with (")
    number = 0
    made: list[list[Any]] = []
    around: list[list[Any]] = []
    for label, word, closing, rest in nodes:
        if rest:
            raise _refusal("" if closing else word, rest)
        if word:
            number += 1
            if closing in _ONE:
                continue
            closed = closing.count(")") - 1
            if closed < 0:
                raise ValueError(f"found ({label} {word} without ) after the word; write each word as (TAG word)")
        else:
            node = [number, number, label]
            made.append(node)
            around.append(node)
            if not closing:
                continue
            closed = closing.count(")")
        if closed > len(around):
            raise ValueError("found more closing than opening brackets")
        for node in around[-closed:] if closed else ():
            node[1] = number
        del around[len(around) - closed :]
    if around:
        raise ValueError(f"found {len(around)} brackets that are not closed, the first with the label {around[0][2]!r}")
    words = tuple([word for _, word, _, _ in nodes if word])
    tags = tuple([label for label, word, _, _ in nodes if word])
    return Tree(words, tags, tuple(map(Bracket._make, made)), id, line)


_ONE = (")", ") ")
"""How most words end."""


def _refusal(word: str, rest: str) -> ValueError:
    if word:
        return ValueError(f"found the words {word} {rest.strip()[:20]} in one bracket; write each as (TAG word)")
    return ValueError(f"found {rest.strip()[:20]!r} outside of a bracket; write each word as (TAG word)")


def count_crossing(pred: Sequence[tuple[int, int]], ref: Sequence[tuple[int, int]]) -> int:
    """Count the predicted spans that cross a reference span; spans of one tree never cross.

    >>> count_crossing([(0, 2), (1, 3)], [(1, 3)])
    1
    """
    there = set(ref)
    number = 0
    for start, end in [span for span in pred if span not in there]:
        for a, b in there:
            if a < start < b < end or start < a < end < b:
                number += 1
                break
    return number


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Forest:
    """Trees laid end to end: tree t has the words word_offsets[t], …, word_offsets[t + 1] − 1, and so its brackets."""

    texts: list[str]
    words: Tokens
    tags: Tokens
    labels: Tokens
    starts: Integers
    """For each bracket: the place of its first word among the words of all trees, and the place after its last."""
    ends: Integers
    word_offsets: Integers
    bracket_offsets: Integers

    def __len__(self) -> int:
        return len(self.word_offsets) - 1

    def tree(self, place: int) -> Tree:
        """One of the trees, parsed."""
        return parse(self.texts[place])

    def part(self, begin: int, end: int) -> Forest:
        """The trees begin, …, end − 1."""
        (a, b), (c, d) = self.word_offsets[[begin, end]], self.bracket_offsets[[begin, end]]
        words, brackets = slice(a, b), slice(c, d)
        return Forest(
            self.texts[begin:end],
            self.words.part(words),
            self.tags.part(words),
            self.labels.part(brackets),
            self.starts[brackets] - a,
            self.ends[brackets] - a,
            self.word_offsets[begin : end + 1] - a,
            self.bracket_offsets[begin : end + 1] - c,
        )

    def __add__(self, other: Forest) -> Forest:
        words, brackets = self.word_offsets[-1], self.bracket_offsets[-1]
        return Forest(
            self.texts + other.texts,
            join([self.words, other.words]),
            join([self.tags, other.tags]),
            join([self.labels, other.labels]),
            np.concatenate((self.starts, other.starts + words)),
            np.concatenate((self.ends, other.ends + words)),
            np.concatenate((self.word_offsets, other.word_offsets[1:] + words)),
            np.concatenate((self.bracket_offsets, other.bracket_offsets[1:] + brackets)),
        )


TOKEN, SPACE, OPEN, CLOSE = range(4)
_KINDS = bytes(
    {"(": OPEN, ")": CLOSE}.get(c, SPACE if c.isascii() and c.isspace() else TOKEN) for c in map(chr, range(256))
)
_OTHER_SPACE = re.compile(r"[^\S\x00-\x7f]")


def forest(texts: list[str]) -> Forest | None:
    """The trees of some texts, as `parse` reads each; None where one cannot be read, or has unusual characters.

    >>> made = forest(["(S (NP (PRP I)) (VP (VBP am)))", "", "(S (VP (VB Go)))"])
    >>> made.words.strings(), made.labels.strings(), made.starts.tolist(), made.ends.tolist()
    (['I', 'am', 'Go'], ['S', 'NP', 'VP', 'S', 'VP'], [0, 0, 1, 2, 2], [2, 1, 2, 3, 3])
    """
    whole = "".join(texts)
    if "\0" in whole or not (whole.isascii() or _OTHER_SPACE.search(whole) is None):
        return None
    text = whole.encode("utf-8", "surrogatepass") + PADDING
    kinds = np.frombuffer(text.translate(_KINDS), dtype=np.uint8)
    inside = kinds == TOKEN
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    begins, ends = edges[::2], edges[1::2]
    marks = kinds >= OPEN
    marks[begins] = True
    seen = np.flatnonzero(marks)  # brackets, and where tokens begin
    place = np.flatnonzero(kinds[seen] >= OPEN)  # the brackets among them
    bracket = seen[place]
    opens = kinds[bracket] == OPEN
    labelled = opens & inside[bracket + 1]
    words = np.diff(place, append=len(seen)) - 1 - labelled  # how many follow each bracket
    leaves = np.flatnonzero(words > 0)
    if inside[0] or place[:1].any() or len(seen) > len(place) == 0 or not _are_leaves(leaves, words, opens):
        return None

    inner = np.ones(len(place), dtype=np.bool_)
    inner[leaves] = inner[leaves + 1] = False
    nodes = np.flatnonzero(inner)
    up = opens[nodes]
    depth = np.concatenate(([0], np.cumsum(np.where(up, 1, -1))))
    sizes = map(len, texts if whole.isascii() else [one.encode("utf-8", "surrogatepass") for one in texts])
    cuts = np.fromiter(accumulate(sizes, initial=0), dtype=np.intp, count=len(texts) + 1)
    word_offsets = np.searchsorted(bracket[leaves], cuts)
    whole_words = np.array_equal(word_offsets, np.searchsorted(bracket[leaves + 1], cuts))
    if not whole_words or depth.min() < 0 or depth[np.searchsorted(bracket[nodes], cuts)].any():
        return None

    closing = _find_closing(depth[1:] - up)
    before = np.cumsum(words)[nodes]
    number = place - np.arange(len(place))  # of the token after each bracket
    tokens = Tokens(text, begins, ends - begins)
    opening = nodes[up]
    return Forest(
        texts=texts,
        words=tokens.part(number[leaves] + labelled[leaves]),
        tags=_labels(tokens, number[leaves], labelled[leaves]),
        labels=_labels(tokens, number[opening], labelled[opening]),
        starts=before[up],
        ends=before[closing[up]],
        word_offsets=word_offsets,
        bracket_offsets=np.searchsorted(bracket[opening], cuts),
    )


def _are_leaves(leaves: Integers, words: Integers, opens: Flags) -> bool:
    """Whether words follow opening brackets only, one each, and are followed by closing ones."""
    if not len(leaves):
        return True
    right = (words[leaves] == 1) & opens[leaves]
    return bool(leaves[-1] + 1 < len(words) and right.all() and not opens[leaves + 1].any())


def _find_closing(level: Integers) -> Integers:
    """The closing bracket of each opening one: brackets of one level open and close in turn."""
    order = np.argsort(level.astype(np.min_scalar_type(level.max(initial=0))), kind="stable")
    made = np.empty(len(level), dtype=np.intp)
    made[order[::2]] = order[1::2]
    return made


def _labels(tokens: Tokens, numbers: Integers, labelled: Flags) -> Tokens:
    """The given tokens, or nothing where there is no label."""
    if labelled.all():
        return tokens.part(numbers)
    begins, lengths = np.zeros((2, len(numbers)), dtype=np.intp)
    begins[labelled], lengths[labelled] = (part[numbers[labelled]] for part in (tokens.begins, tokens.lengths))
    return Tokens(tokens.text, begins, lengths)

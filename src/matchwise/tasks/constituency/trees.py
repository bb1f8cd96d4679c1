"""A phrase structure tree as its words, their tags, and labelled brackets around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import starmap
from string import whitespace
from typing import Any, NamedTuple

from matchwise.errors import count_units
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
class Tree:
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


def parse(text: str, *, id: str | int | None = None, line: int | None = None) -> Tree:
    """Parse the text of a tree; several trees in a row are read as one, and `()` has no words."""
    before, *parts = text.split("(")
    if before.strip():
        raise ValueError(f"found {text.strip()[:20]!r}, expected a tree that begins with (")
    words: list[str] = []
    tags: list[str] = []
    made: list[list[Any]] = []
    around: list[list[Any]] = []
    for label, word, closed in map(_read_node, parts):
        if word:
            words.append(word)
            tags.append(label)
            if closed == 1:
                continue
            closed -= 1  # its own
        else:
            made.append(node := [len(words), 0, label])
            around.append(node)
        if closed:
            if closed > len(around):
                raise ValueError("found more closing than opening brackets")
            for node in around[-closed:]:
                node[1] = len(words)
            del around[-closed:]
    if around:
        found = count_units(len(around), "open brackets")
        raise ValueError(f"found {found}, the first with the label {around[0][2]!r}")
    return Tree(tuple(words), tuple(tags), tuple(starmap(Bracket, made)), id, line)


@lru_cache(maxsize=1 << 15)
def _read_node(part: str) -> tuple[str, str, int]:
    """What follows an opening bracket: a label, perhaps a word, and how many brackets close after it.

    >>> _read_node("NN man)) ")
    ('NN', 'man', 2)
    """
    head, _, after = part.partition(")")
    is_unnamed = head[:1].isspace()
    cells = [*([""] if is_unnamed else []), *head.split(None, 1 if is_unnamed else 2), "", "", ""]
    label, word, rest = cells[:3]
    if rest:
        raise ValueError(f"found the words {word} {rest.strip()[:20]} in one bracket; write each as (TAG word)")
    rest = after.lstrip(f"){whitespace}").partition(")")[0]
    if rest:
        raise ValueError(f"found {rest.strip()[:20]!r} outside of a bracket; write each word as (TAG word)")
    closed = part.count(")")
    if word and not closed:
        raise ValueError(f"found ({label} {word} without ) after the word; write each word as (TAG word)")
    return label, word, closed


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

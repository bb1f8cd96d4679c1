"""Quotes that one side takes for punctuation, which is left out, and the other for something else."""

from __future__ import annotations

from itertools import accumulate

from matchwise.tasks.constituency.parameters import Parameters
from matchwise.tasks.constituency.trees import Tree


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
    """Each word that may be a quote: its place among the words that are kept, and among all."""
    places = accumulate(kept, initial=0)
    return [
        [place, at]
        for at, (place, word, tag) in enumerate(zip(places, one.words, one.tags, strict=False))
        if word in ("'", '"', "/") and tag in parameters.quotes
    ]


def _move(quotes: list[list[int]], first: int) -> None:
    """A word was put back: this quote and the ones after it are one place further."""
    for quote in quotes[first:]:
        quote[0] += 1

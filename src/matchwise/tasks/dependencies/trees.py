"""Heads that are words of their sentence, and make it a tree: one root, and no cycle."""

from __future__ import annotations

from typing import Literal, TypeAlias

from matchwise.errors import DataError
from matchwise.tasks.dependencies.sentences import Sentence

Trees: TypeAlias = Literal["strict", "any"]


def check(one: Sentence, side: str, trees: Trees) -> None:
    """Refuse a sentence with a head that is no word of it, and what is no tree where `strict`."""
    heads, number = one.heads, len(one.heads)
    if heads and not 0 <= min(heads) <= max(heads) <= number:
        word = next(place for place, head in enumerate(heads, start=1) if not 0 <= head <= number)
        raise refused(one, f"the head of word {word} is {heads[word - 1]}, expected 0 to {number}", side)
    if trees == "strict":
        problem = _is_no_tree(heads)
        if problem:
            raise refused(one, f'{problem}, expected a tree; write trees="any" to score it all the same', side)


def refused(one: Sentence, problem: str, side: str) -> DataError:
    """What is wrong with a sentence, with its id and its line where it has them."""
    where = f" (line {one.line})" if one.line else ""
    return DataError(f"sentence {one.id}{where}: {problem}" if one.id is not None else f"{problem}{where}", side=side)


def _is_no_tree(heads: tuple[int, ...]) -> str | None:
    roots = heads.count(0)
    if roots != 1:
        return f"found {roots or 'no'} root{'s' * (roots != 1)}"
    up = (0, *heads)
    met = [-1] + [0] * len(heads)
    for start in range(1, len(up)):
        word = start
        while not met[word]:
            met[word] = start
            word = up[word]
        if met[word] == start:
            return f"found a cycle through word {word}"
    return None

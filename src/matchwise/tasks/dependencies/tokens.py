"""The tokens and sentences of many texts as spans of their characters, by arrays."""

from __future__ import annotations

from typing import Any

from matchwise.arrays import Integers, np
from matchwise.engine.table import Column, ElementTable, Slice
from matchwise.tasks.dependencies.cells import Laid

Spans = tuple[Integers, Integers, Integers]
"""Where spans begin, where they end, and which is the first of each text."""


def find_spans(pred: Laid, ref: Laid) -> list[list[tuple[Slice, Slice]]] | None:
    """The tokens and sentences of each text of both sides; None if some were not read into grids, or contain spaces.

    They are made of forms that are the same words as `words.text` reads.
    """
    mine, theirs = _measure(pred), _measure(ref)
    if mine is None or theirs is None:
        return None
    tokens, sentences = map(_share, mine, theirs)
    return [list(zip(*both, strict=True)) for both in zip(tokens, sentences, strict=True)]


def _measure(laid: Laid) -> tuple[Spans, Spans] | None:
    """The spans of tokens and of sentences."""
    blocks = [block for block, _ in laid.grids]
    if not blocks or any(block.lengths is None for block in blocks):
        return None
    lengths, counts = [], []
    for block, (_, begin, end) in zip(blocks, laid.runs, strict=True):
        starts = block.token_starts[begin : end + 1]
        counts.append(np.diff(starts))
        lengths.append(block.lengths[starts[0] : starts[-1]])  # type: ignore[index]  # see above
    borders = _accumulate(lengths)
    tokens = _accumulate(counts)
    texts = _accumulate([np.array(list(map(len, laid.texts)))])
    return _cut(borders, tokens[texts]), _cut(borders[tokens], texts)


def _accumulate(parts: list[Integers]) -> Integers:
    return np.concatenate(([0], np.cumsum(np.concatenate(parts))))


def _cut(borders: Integers, offsets: Integers) -> Spans:
    """The spans between borders, counted from the beginning of each text."""
    begin = np.repeat(borders[offsets[:-1]], np.diff(offsets))
    return borders[:-1] - begin, borders[1:] - begin, offsets


def _share(mine: Spans, theirs: Spans) -> tuple[list[Slice], list[Slice]]:
    """The spans of each text; equal spans of both sides have the same code."""
    begins, ends = np.concatenate((mine[0], theirs[0])), np.concatenate((mine[1], theirs[1]))
    wide = int((ends - begins).max(initial=0)) + 1
    codes, values = _number(begins * wide + ends - begins)
    values = [(code // wide, code // wide + code % wide) for code in values]
    cut = len(mine[0])
    first, second = (
        ElementTable(offsets.tolist(), {"": Column(part, values)}, _keep).slices()
        for part, offsets in ((codes[:cut], mine[2]), (codes[cut:], theirs[2]))
    )
    return first, second


def _number(codes: Integers) -> tuple[Integers, list[Any]]:
    """The codes without gaps, and what each of them was."""
    most = int(codes.max(initial=0)) + 1
    if most > 8 * len(codes):
        distinct, found = np.unique(codes, return_inverse=True)
        return found, distinct.tolist()
    is_used = np.zeros(most, dtype=bool)
    is_used[codes] = True
    return (np.cumsum(is_used) - 1)[codes], np.flatnonzero(is_used).tolist()


def _keep(span: tuple[int, int]) -> tuple[int, int]:
    return span

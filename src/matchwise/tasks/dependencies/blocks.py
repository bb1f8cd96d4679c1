"""Sentences of a file, many at a time: a sentence is cut out when somebody asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matchwise.arrays import Flags, Integers, np
from matchwise.tasks.dependencies.sentences import Multiword, has_spaces
from matchwise.tasks.grids import Grid

PLACES = {"forms": 1, "lemmas": 2, "upos": 3, "xpos": 4, "feats": 5, "heads": 6, "deprels": 7, "deps": 8}
"""The columns of CoNLL-U that a sentence has."""


class Block:
    """Sentences laid end to end: sentence k has the words starts[k], …, starts[k + 1] − 1."""

    __slots__ = ("columns", "starts")

    def __init__(self, columns: dict[str, list[Any]], starts: list[int]) -> None:
        self.columns, self.starts = columns, starts

    def list_cells(self, name: str, begin: int, end: int) -> list[Any]:
        """A column of some words."""
        return self.columns[name][begin:end]

    def cut(self, name: str, place: int) -> tuple[Any, ...]:
        """A column of one sentence."""
        return tuple(self.list_cells(name, *self.starts[place : place + 2]))


class GridBlock(Block):
    """Sentences whose cells are places in a text: words are rows."""

    __slots__ = ("borders", "forms", "grid", "heads", "lengths", "token_starts")

    def __init__(
        self, grid: Grid, heads: Integers, starts: Integers, multiwords: Sequence[Sequence[Multiword]]
    ) -> None:
        super().__init__({}, starts.tolist())
        self.grid, self.heads = grid, heads
        self.forms, begins = grid.join(PLACES["forms"])
        self.borders: list[int] = begins[starts].tolist()
        """Where the forms of each sentence begin."""
        is_token, self.lengths = self._find_tokens(begins, starts, multiwords)
        """The characters of each token; None if one of them has a space, which is no character of the text."""
        self.token_starts = np.concatenate(([0], np.cumsum(is_token)))[starts]
        """Where the tokens of each sentence begin."""

    def _find_tokens(
        self, begins: Integers, starts: Integers, multiwords: Sequence[Sequence[Multiword]]
    ) -> tuple[Flags, Integers | None]:
        """Which words begin a token, and the length of each token."""
        is_character = (np.frombuffer(self.forms, dtype=np.uint8) & 0xC0) != 0x80  # not a further byte of one
        lengths = np.diff(np.concatenate(([0], np.cumsum(is_character)))[begins]) - 1
        is_token = np.ones(len(lengths), dtype=bool)
        rows = [(place, *token) for place, tokens in enumerate(multiwords) for token in tokens]
        if rows:
            owners, firsts, lasts, forms = zip(*rows, strict=True)
            at, sizes = starts[list(owners)] + firsts - 1, np.subtract(lasts, firsts)
            is_token[np.repeat(at + sizes - np.cumsum(sizes), sizes) + np.arange(1, 1 + sizes.sum())] = False
            lengths[at] = list(map(len, forms))
        is_spaced = has_spaces(self.forms.decode()) or any(has_spaces(row[-1]) for row in rows)
        return is_token, None if is_spaced else lengths[is_token]

    def list_cells(self, name: str, begin: int, end: int) -> list[Any]:
        if name == "heads":
            return list(self.heads[begin:end].tolist())
        return self.grid.pick(slice(begin, end)).texts(PLACES[name])

    def join_forms(self, place: int) -> bytes:
        """The forms of one sentence with a tab after each."""
        begin, end = self.borders[place : place + 2]
        return self.forms[begin:end]

"""Sentences of a file, many at a time: a sentence is cut out when somebody asks for it."""

from __future__ import annotations

from typing import Any

from matchwise.arrays import Integers
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

    __slots__ = ("borders", "forms", "grid", "heads")

    def __init__(self, grid: Grid, heads: Integers, starts: list[int]) -> None:
        super().__init__({}, starts)
        self.grid, self.heads = grid, heads
        self.forms, begins = grid.join(PLACES["forms"])
        self.borders: list[int] = begins[starts].tolist()
        """Where the forms of each sentence begin."""

    def list_cells(self, name: str, begin: int, end: int) -> list[Any]:
        if name == "heads":
            return list(self.heads[begin:end].tolist())
        return self.grid.pick(slice(begin, end)).texts(PLACES[name])

    def join_forms(self, place: int) -> bytes:
        """The forms of one sentence with a tab after each."""
        begin, end = self.borders[place : place + 2]
        return self.forms[begin:end]

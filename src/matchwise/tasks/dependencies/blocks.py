"""Sentences of a file, many at a time: few cells differ, so they are numbers, and a sentence is cut out when asked for.

Files that are compared share a vocabulary, so that equal cells have equal numbers.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

CODED = ("lemmas", "upos", "xpos", "feats", "deprels", "deps")
"""The columns whose cells are numbered."""

MOST = 100_000
"""Cells of a column that a vocabulary has, or a few more."""


class Cells(dict[str, int]):
    """The different cells of a column, numbered as they are met."""

    __slots__ = ("texts",)

    def __init__(self) -> None:
        self.texts: list[str] = []
        """The cells in the order of their numbers."""

    def __missing__(self, cell: str) -> int:
        with _lock:  # another thread may read a file, too
            if cell not in self:
                self.texts.append(cell)
                self[cell] = len(self.texts) - 1
        return self[cell]


_lock = Lock()


class Vocabulary(dict[str, Cells]):
    """The cells of each column."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__((name, Cells()) for name in CODED)


class Current:
    """The vocabulary of the files that are read now."""

    found = Vocabulary()

    @classmethod
    def get(cls) -> Vocabulary:
        if max(map(len, cls.found.values())) > MOST:
            cls.found = Vocabulary()
        return cls.found


class Block:
    """Sentences laid end to end: sentence k has the words starts[k], …, starts[k + 1] − 1."""

    __slots__ = ("codes", "forms", "heads", "starts", "vocabulary")

    def __init__(self, columns: dict[str, list[str]], heads: list[int], starts: list[int]) -> None:
        self.vocabulary = Current.get()
        self.forms, self.heads, self.starts = columns["forms"], heads, starts
        self.codes = {name: list(map(self.vocabulary[name].__getitem__, columns[name])) for name in CODED}

    def cut(self, name: str, place: int) -> tuple[Any, ...]:
        """A column of one sentence."""
        begin, end = self.starts[place : place + 2]
        if name not in self.codes:
            return tuple(getattr(self, name)[begin:end])
        return tuple(map(self.vocabulary[name].texts.__getitem__, self.codes[name][begin:end]))

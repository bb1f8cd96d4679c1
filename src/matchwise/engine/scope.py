"""Several documents in one list: which parts are whose."""

from __future__ import annotations

from itertools import chain, repeat
from operator import sub


class Scope:
    """Where one list has parts of several documents: which are whose. Parts of two documents are never equal.

    Those of document d are offsets[d]:offsets[d + 1]; of parts that were taken out, only the document of each is known.
    """

    __slots__ = ("_documents", "offsets")

    def __init__(self, offsets: list[int] | None, documents: list[int] | None = None) -> None:
        self.offsets = offsets
        self._documents = documents

    @property
    def documents(self) -> list[int]:
        """The document of each part."""
        if self._documents is None:
            assert self.offsets is not None
            self._documents = owners(self.offsets)
        return self._documents

    def of_elements(self, offsets: list[int]) -> Scope:
        """That of the elements of the parts' collections, laid end to end."""
        if self.offsets is not None:
            return Scope(list(map(offsets.__getitem__, self.offsets)))
        lengths = map(sub, offsets[1:], offsets)
        return Scope(None, list(chain.from_iterable(map(repeat, self.documents, lengths))))

    def of_some(self, indices: list[int]) -> Scope:
        """That of the parts at the given positions."""
        return Scope(None, list(map(self.documents.__getitem__, indices)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scope):
            return NotImplemented
        if self.offsets is not None and other.offsets is not None:
            return self.offsets == other.offsets
        return self.documents == other.documents

    __hash__ = None  # type: ignore[assignment]  # nobody needs it


def owners(offsets: list[int]) -> list[int]:
    """The owner of each element, where those of owner i are offsets[i]:offsets[i + 1].

    >>> owners([0, 2, 2, 3])
    [0, 0, 2]
    """
    lengths = map(sub, offsets[1:], offsets)
    return list(chain.from_iterable(map(repeat, range(len(offsets) - 1), lengths)))

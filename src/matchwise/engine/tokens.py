"""Tokens of a text as arrays: places in it, which are compared and numbered eight bytes at a time.

A text must not have a zero byte: zeros fill a token up to eight bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from matchwise.arrays import Flags, Integers, np
from matchwise.records import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH = 8
PADDING = b" " * WIDTH
"""A text ends with it, so that eight bytes can be read at the beginning of its last token."""


@record(eq=False, repr=False)
class Tokens:
    """Some tokens of a text in UTF-8."""

    text: bytes
    begins: Integers
    lengths: Integers

    def part(self, rows: Any) -> Tokens:
        """Some of these tokens."""
        return Tokens(self.text, self.begins[rows], self.lengths[rows])

    def __add__(self, other: Tokens) -> Tokens:
        """Join these tokens with the tokens of another text."""
        after = len(self.text)
        begins = np.concatenate((self.begins, other.begins + after))
        return Tokens(self.text + other.text, begins, np.concatenate((self.lengths, other.lengths)))

    def strings(self) -> list[str]:
        begins, ends = self.begins.tolist(), (self.begins + self.lengths).tolist()
        return [self.text[a:b].decode("utf-8", "surrogatepass") for a, b in zip(begins, ends, strict=True)]

    def chunks(self, after: int = 0) -> NDArray[np.uint64]:
        """Eight bytes of each token as one number, starting after `after` bytes."""
        windows = np.ndarray(len(self.text) - WIDTH + 1, dtype="<u8", buffer=self.text, strides=(1,))
        left = np.minimum(self.lengths - after, WIDTH)
        if not after:
            return windows[self.begins] & _masks()[left]
        return windows[np.minimum(self.begins + after, len(windows) - 1)] & _masks()[np.maximum(left, 0)]


@cache
def _masks() -> NDArray[np.uint64]:
    """A mask for each number of remaining bytes of a token."""
    return np.array([(1 << 8 * left) - 1 for left in range(WIDTH + 1)], dtype=np.uint64)


def equal(mine: Tokens, theirs: Tokens) -> Flags:
    """Compare two lists of tokens one by one."""
    same: Flags = mine.lengths == theirs.lengths
    rows, after = np.flatnonzero(same), 0
    while len(rows):
        p, r = mine.part(rows), theirs.part(rows)
        same[rows] = p.chunks(after) == r.chunks(after)
        after += WIDTH
        rows = rows[same[rows] & (p.lengths > after)]
    return same


def number_tokens(several: Sequence[Tokens]) -> tuple[list[str], list[Integers]]:
    """The distinct tokens of all, and the number of each.

    >>> import numpy as np
    >>> number_tokens([Tokens(b"VP NP VP" + PADDING, np.array([0, 3, 6]), np.array([2, 2, 2]))])
    (['NP', 'VP'], [array([1, 0, 1])])
    """
    chunks = np.concatenate([tokens.chunks() for tokens in several])
    long = np.concatenate([tokens.lengths for tokens in several]) > WIDTH
    chunks[long] = _LONG
    distinct, numbers = np.unique(chunks, return_inverse=True)
    short = (chunk.to_bytes(WIDTH, "little").rstrip(b"\0") for chunk in distinct.tolist() if chunk != _LONG)
    names = [name.decode("utf-8", "surrogatepass") for name in short]
    more: dict[str, int] = {}
    others = [name for tokens in several for name in tokens.part(tokens.lengths > WIDTH).strings()]
    for place, name in zip(np.flatnonzero(long).tolist(), others, strict=True):
        numbers[place] = more.setdefault(name, len(names) + len(more))
    ends = np.cumsum([len(tokens.begins) for tokens in several])
    return [*names, *more], np.split(numbers, ends[:-1])


_LONG = 2 ** (8 * WIDTH) - 1
"""A number that no eight bytes of UTF-8 make."""


SLOTS = 16
"""Bits that say where a token is looked up. With 40 different tokens, one time in a hundred two have the same place."""

LONGEST = 64
"""A token of more bytes is not numbered: eight bytes more take half a megabyte."""

ODD = 0x9E3779B97F4A7C15


class TokenNumbers:
    """Numbers of the different tokens of texts that are read one after the other.

    >>> import numpy as np
    >>> numbers = TokenNumbers()
    >>> numbers.of(Tokens(b"VP NP VP" + PADDING, np.array([0, 3, 6]), np.array([2, 2, 2]))), numbers.names
    (array([0, 1, 0]), ['VP', 'NP'])
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self._codes, self._lengths = np.zeros((2, 1 << SLOTS), dtype=np.intp)
        self._chunks: list[NDArray[np.uint64]] = []

    def of(self, tokens: Tokens) -> Integers | None:
        """The number of each token; None if two that differ have the same place, or one is long."""
        longest = int(tokens.lengths.max(initial=0))
        if longest > LONGEST:
            return None
        chunks = [tokens.chunks(after) for after in range(0, longest, WIDTH)]
        while len(self._chunks) < len(chunks):
            self._chunks.append(np.zeros(1 << SLOTS, dtype=np.uint64))
        mixed = np.zeros(len(tokens.begins), dtype=np.uint64)
        for power, column in enumerate(chunks, start=1):
            mixed += column * np.uint64(pow(ODD, power, 1 << 64))
        slots = (mixed >> np.uint64(64 - SLOTS)).astype(np.intp)
        while not (known := self._are_known(tokens, chunks, slots)).all():
            place = int(known.argmin())
            slot = slots[place]
            if self._lengths[slot]:
                return None
            self._lengths[slot], self._codes[slot] = tokens.lengths[place], len(self.names)
            for kept, column in zip(self._chunks, chunks, strict=False):
                kept[slot] = column[place]
            self.names += tokens.part([place]).strings()
        return self._codes[slots]

    def _are_known(self, tokens: Tokens, chunks: list[NDArray[np.uint64]], slots: Integers) -> Flags:
        """For each token, whether it is the one that is known at its place."""
        same: Flags = self._lengths[slots] == tokens.lengths
        for kept, column in zip(self._chunks, chunks, strict=False):
            same &= kept[slots] == column
        return same

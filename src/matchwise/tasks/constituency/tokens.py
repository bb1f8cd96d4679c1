"""Pieces of a text, known by where they are: compared and numbered as arrays, eight bytes at a time.

No string is made of a token before somebody asks for it. A text has no byte of zero: that is what follows a token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.intp]"

WIDTH = 8
PADDING = b" " * WIDTH
"""A text ends with it, so that eight bytes can be read at the beginning of its last token."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tokens:
    """Some tokens of a text in UTF-8."""

    text: bytes
    begins: Array
    lengths: Array

    def part(self, rows: Any) -> Tokens:
        """Some of them."""
        return Tokens(self.text, self.begins[rows], self.lengths[rows])

    def __add__(self, other: Tokens) -> Tokens:
        """These and those of another text."""
        import numpy as np

        after = len(self.text)
        begins = np.concatenate((self.begins, other.begins + after))
        return Tokens(self.text + other.text, begins, np.concatenate((self.lengths, other.lengths)))

    def strings(self) -> list[str]:
        begins, ends = self.begins.tolist(), (self.begins + self.lengths).tolist()
        return [self.text[a:b].decode("utf-8", "surrogatepass") for a, b in zip(begins, ends, strict=True)]

    def chunks(self, after: int = 0) -> NDArray[np.uint64]:
        """Eight bytes of each token as one number, or what is left of it after `after` bytes, which it has."""
        import numpy as np

        windows = np.ndarray(len(self.text) - WIDTH + 1, dtype="<u8", buffer=self.text, strides=(1,))
        found: NDArray[np.uint64] = windows[self.begins + after]
        return found & _masks()[np.minimum(self.lengths - after, WIDTH)]


@cache
def _masks() -> NDArray[np.uint64]:
    """By how many bytes are left of a token."""
    import numpy as np

    return np.array([(1 << 8 * left) - 1 for left in range(WIDTH + 1)], dtype=np.uint64)


def equal(mine: Tokens, theirs: Tokens) -> NDArray[np.bool_]:
    """Whether each token is the one beside it."""
    import numpy as np

    same: NDArray[np.bool_] = mine.lengths == theirs.lengths
    rows, after = np.flatnonzero(same), 0
    while len(rows):
        p, r = mine.part(rows), theirs.part(rows)
        same[rows] = p.chunks(after) == r.chunks(after)
        after += WIDTH
        rows = rows[same[rows] & (p.lengths > after)]
    return same


def numbered(several: Sequence[Tokens]) -> tuple[list[str], list[Array]]:
    """The distinct tokens of all, and the number of each.

    >>> import numpy as np
    >>> numbered([Tokens(b"VP NP VP" + PADDING, np.array([0, 3, 6]), np.array([2, 2, 2]))])
    (['NP', 'VP'], [array([1, 0, 1])])
    """
    import numpy as np

    chunks = np.concatenate([tokens.chunks() for tokens in several])
    long = np.concatenate([tokens.lengths for tokens in several]) > WIDTH
    chunks[long] = _LONG
    distinct, numbers = np.unique(chunks, return_inverse=True)
    names = [_string(chunk) for chunk in distinct.tolist() if chunk != _LONG]
    more: dict[str, int] = {}
    for place, name in zip(np.flatnonzero(long).tolist(), _long_ones(several), strict=True):
        numbers[place] = more.setdefault(name, len(names) + len(more))
    ends = np.cumsum([len(tokens.begins) for tokens in several])
    return [*names, *more], np.split(numbers, ends[:-1])


_LONG = 2 ** (8 * WIDTH) - 1
"""No eight bytes of UTF-8."""


def _string(chunk: int) -> str:
    return chunk.to_bytes(WIDTH, "little").rstrip(b"\0").decode("utf-8", "surrogatepass")


def _long_ones(several: Sequence[Tokens]) -> list[str]:
    return [name for tokens in several for name in tokens.part(tokens.lengths > WIDTH).strings()]

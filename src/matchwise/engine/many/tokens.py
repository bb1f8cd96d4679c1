"""Tokens of a text as arrays: places in it, which are compared and numbered eight bytes at a time.

A text must not have a zero byte: zeros fill a token up to eight bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from operator import eq
from typing import TYPE_CHECKING, Any

import numpy as np

from matchwise.arrays import Flags, Integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEPWISE = 256
"""Bytes of a token that are compared eight at a time; a longer one is compared as a whole (4 MB: 0.8 s, not 8.9)."""

WIDTH = 8
PADDING = b" " * WIDTH
"""A text ends with it, so that eight bytes can be read at the beginning of its last token."""


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Tokens:
    """Some tokens of a text in UTF-8."""

    text: bytes
    begins: Integers
    lengths: Integers

    def part(self, rows: Any) -> Tokens:
        """Some of these tokens."""
        return Tokens(self.text, self.begins[rows], self.lengths[rows])

    def strings(self) -> list[str]:
        begins, ends = self.begins.tolist(), (self.begins + self.lengths).tolist()
        return [self.text[a:b].decode("utf-8", "surrogatepass") for a, b in zip(begins, ends, strict=True)]

    def chunks(self, after: int = 0) -> NDArray[np.uint64]:
        """Eight bytes of each token as one number, starting after `after` bytes; no token is shorter than that."""
        windows = np.ndarray(len(self.text) - WIDTH + 1, dtype="<u8", buffer=self.text, strides=(1,))
        places, left = (self.begins + after, self.lengths - after) if after else (self.begins, self.lengths)
        return windows[places] & _masks()[np.minimum(left, WIDTH)]


@cache
def _masks() -> NDArray[np.uint64]:
    """A mask for each number of remaining bytes of a token."""
    return np.array([(1 << 8 * left) - 1 for left in range(WIDTH + 1)], dtype=np.uint64)


def equal(mine: Tokens, theirs: Tokens) -> Flags:
    """Compare two lists of tokens one by one."""
    same: Flags = mine.lengths == theirs.lengths
    rows, after = np.flatnonzero(same), 0
    while len(rows) and after < STEPWISE:
        p, r = mine.part(rows), theirs.part(rows)
        same[rows] = p.chunks(after) == r.chunks(after)
        after += WIDTH
        rows = rows[same[rows] & (p.lengths > after)]
    same[rows] = list(map(eq, mine.part(rows).strings(), theirs.part(rows).strings()))
    return same


def number_tokens(several: Sequence[Tokens]) -> tuple[list[str], Integers]:
    """The distinct tokens of all, and the number of each.

    >>> import numpy as np
    >>> number_tokens([Tokens(b"VP NP VP" + PADDING, np.array([0, 3, 6]), np.array([2, 2, 2]))])
    (['NP', 'VP'], array([1, 0, 1]))
    """
    tokens = join(several) if len(several) > 1 else several[0]
    found = _find_equal(tokens.chunks())
    rows, after = np.flatnonzero(tokens.lengths >= WIDTH), WIDTH  # eight bytes may be the beginning of a longer token
    while len(rows) and after < STEPWISE:
        found[rows] = rows[_find_equal(tokens.part(rows).chunks(after), found[rows])]
        after += WIDTH
        rows = rows[tokens.lengths[rows] >= after]
    whole: dict[str, int] = {}
    found[rows] = list(map(whole.setdefault, tokens.part(rows).strings(), rows.tolist()))
    first = np.flatnonzero(found == np.arange(len(found)))
    numbers = np.empty(len(found), dtype=np.intp)
    numbers[first] = np.arange(len(first))
    return tokens.part(first).strings(), numbers[found]


def join(several: Sequence[Tokens]) -> Tokens:
    """The tokens of several texts as tokens of one; a text that some of them share is copied once."""
    texts = {id(tokens.text): tokens.text for tokens in several}
    starts = dict(zip(texts, accumulate(map(len, texts.values()), initial=0), strict=False))
    begins = np.concatenate([tokens.begins + starts[id(tokens.text)] for tokens in several])
    return Tokens(b"".join(texts.values()), begins, np.concatenate([tokens.lengths for tokens in several]))


MIXER = 0x9E3779B97F4A7C15
"""Multiplying by it spreads numbers over a table (Knuth, The Art of Computer Programming, volume 3, 6.4)."""


def _find_equal(parts: NDArray[np.uint64], codes: Integers | None = None) -> Integers:
    """One of the places where part and code are the same as here, for each place; the same one for all of them.

    It is found by a hash table. A place that loses its slot to another one tries again, with another hash.
    """
    hashes = parts if codes is None else parts ^ (codes.astype(np.uint64) * np.uint64(MIXER))
    bits = max(8, len(parts).bit_length())
    table = np.empty(1 << bits, dtype=np.intp)
    found, rows = np.empty(len(parts), dtype=np.intp), np.arange(len(parts))
    while len(rows):
        hashes = (hashes ^ (hashes >> np.uint64(32))) * np.uint64(MIXER)
        slots = (hashes >> np.uint64(64 - bits)).view(np.intp)
        table[slots] = rows
        same = table[slots]
        is_other = parts[same] != parts[rows]
        if codes is not None:
            is_other |= codes[same] != codes[rows]
        found[rows] = same
        lost = np.flatnonzero(is_other)
        rows, hashes = rows[lost], hashes[lost]
    return found

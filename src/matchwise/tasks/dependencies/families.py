"""The function words of each word, as a number: that of a family is made of that of the family without its last word.

MLAS compares the function words of a content word one by one, in order. Families of two sides that are numbered by the
same tree are equal when their numbers are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.intp]"


class Families(Sequence[tuple[Any, ...]]):
    """Families by number; 0 has nobody. What is known of a word is the same columns for each, by number.

    >>> import numpy as np
    >>> families = Families([range(1, 4), ["det", "case"]])
    >>> families.numbers(np.array([2, 2]), [np.array([0, 1]), np.array([1, 0])], 3)
    array([0, 0, 2])
    >>> list(families)
    [(), (1, 'case'), (1, 'case', 2, 'det')]
    """

    def __init__(self, values: Sequence[Sequence[Any]]) -> None:
        self.values = values
        self._smaller: list[tuple[int, int]] = [(0, 0)]
        """Of each family, the one without its last word, and that word."""
        self._larger: dict[tuple[int, int], int] = {}

    def numbers(self, heads: Array, columns: Sequence[Array], length: int) -> Array:
        """The family of each of so many words, from the head of each function word and what is known of it."""
        import numpy as np

        words = np.zeros(len(heads), dtype=np.intp)
        for values, column in zip(self.values, columns, strict=True):
            words = words * len(values) + column
        made = [0] * length
        smaller, larger = self._smaller, self._larger
        for head, word in zip(heads.tolist(), words.tolist(), strict=True):
            longer = made[head], word
            number = larger.get(longer)
            if number is None:
                number = larger[longer] = len(smaller)
                smaller.append(longer)
            made[head] = number
        return np.array(made, dtype=np.intp)

    def __len__(self) -> int:
        return len(self._smaller)

    def __getitem__(self, number: Any) -> Any:
        if not number:
            return ()
        before, word = self._smaller[number]
        known: list[Any] = []
        for values in reversed(self.values):
            word, place = divmod(word, len(values))
            known.append(values[place])
        return (*self[before], *reversed(known))

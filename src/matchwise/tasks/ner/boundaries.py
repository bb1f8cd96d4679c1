"""Where mentions begin and end in many sentences: what `tags` reads one by one, as arrays.

All sentences are one sequence of tags with an O between each two, which no mention crosses. What happens between two
neighbouring tags is looked up for all neighbours at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from matchwise.engine.table import Column, Numbers, Table
from matchwise.tasks.ner.mentions import Mention
from matchwise.tasks.ner.tags import CUTS, GRAMMARS, Rules, Scheme

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.intp]"

ENDS, STARTS, GOES_ON = 1, 2, 4
"""What happens between two tags, as bits."""

MOST = 1024
"""Tags that are numbered; a file with more of them is read sentence by sentence."""


class Steps:
    """The rules of a scheme as an array: what happens between tag i and tag j."""

    def __init__(self, rules: Rules) -> None:
        import numpy as np

        self.rules = rules
        self.number = Numbers()
        self.kinds = Numbers()
        self.kind_of = np.zeros(0, dtype=np.intp)
        """The type of each tag."""
        self._between = np.zeros((0, 0), dtype=np.int8)
        self.growing = Lock()
        """The arrays grow as tags are met, in whichever thread that is."""

    def codes(self, tags: Iterable[str], length: int) -> Array:
        """The number of each tag."""
        codes = self.number.of(tags, length)
        if len(self.number) > len(self.kind_of):
            self._learn(list(self.number)[len(self.kind_of) :])
        return codes

    def _learn(self, names: list[str]) -> None:
        """Tags that are met for the first time; one that the scheme does not have is not kept, nor are too many."""
        import numpy as np

        try:
            if len(self.number) > MOST:
                raise ValueError(f"found more than {MOST} tags")
            kinds = [self.kinds[self.rules[name].kind] for name in names]
        except ValueError:
            for name in names:
                del self.number[name]
            raise
        known, met = len(self.kind_of), len(self.number)
        self.kind_of = np.concatenate((self.kind_of, np.array(kinds, dtype=np.intp)))
        grown = np.full((met, met), -1, dtype=np.int8)
        grown[:known, :known] = self._between
        self._between = grown

    def bits(self, codes: Array) -> NDArray[np.int8]:
        """What happens before each tag but the first."""
        found: NDArray[np.int8] = self._between[codes[:-1], codes[1:]]
        unknown = found < 0
        if unknown.any():
            names = list(self.number)
            for i, j in set(zip(codes[:-1][unknown].tolist(), codes[1:][unknown].tolist(), strict=True)):
                step = self.rules[names[i]][names[j]]
                self._between[i, j] = 0 if step is None else step.ends + 2 * step.starts + 4 * step.goes_on
            found = self._between[codes[:-1], codes[1:]]
        return found


_STEPS: Final[dict[Scheme, Steps]] = {}


def read_all(sentences: Sequence[Sequence[str]], scheme: Scheme) -> Table:
    """The mentions of each sentence, as `read_tags` reads them; a tag that the scheme does not have is a ValueError.

    >>> [list(one) for one in read_all([["O", "B-PER"], [], ["I-LOC"]], "lenient").slices()]
    [[Mention(span=(1, 2), type='PER')], [], [Mention(span=(0, 1), type='LOC')]]
    """
    import numpy as np

    rules = CUTS[scheme] if scheme in CUTS else GRAMMARS[scheme]
    steps = _STEPS.setdefault(scheme, Steps(rules))
    tags = ["O"]
    for sentence in sentences:
        tags += sentence
        tags.append("O")
    with steps.growing:
        codes = steps.codes(tags, len(tags))
        bits = np.concatenate((np.zeros(1, dtype=np.int8), steps.bits(codes)))
        kinds = steps.kind_of[codes]
    begins, ends, kinds = (_cut if scheme in CUTS else _parse)(bits, kinds)
    first = np.cumsum([1, *(len(sentence) + 1 for sentence in sentences)])
    owners = np.searchsorted(first, ends - 1, side="right") - 1
    begins = np.maximum(begins, first[owners]) - first[owners]  # a mention that never started is from the beginning
    counts = np.bincount(owners, minlength=len(sentences))
    columns = {"span": _spans(begins, ends - first[owners]), "type": Column(kinds, list(steps.kinds))}
    return Table([0, *np.cumsum(counts).tolist()], columns, Mention)


def _cut(bits: NDArray[np.int8], kinds: Array) -> tuple[Array, Array, Array]:
    """Wherever the rule says so a mention ends, which began at the last start before it."""
    import numpy as np

    starts = np.concatenate(([0], np.nonzero(bits & STARTS)[0]))
    ends = np.nonzero(bits & ENDS)[0]
    return starts[np.searchsorted(starts, ends) - 1], ends, kinds[ends - 1]


def _parse(bits: NDArray[np.int8], kinds: Array) -> tuple[Array, Array, Array]:
    """A mention is from the first start after which everything goes on, to where that stops, if it may end there."""
    import numpy as np

    stops = np.nonzero((bits & GOES_ON) == 0)[0]
    starts = np.nonzero(bits & STARTS)[0]
    after = np.searchsorted(stops, starts, side="right")
    first = np.diff(after, prepend=-1) > 0
    begins, ends = starts[first], stops[after[first]]
    whole = (bits[ends] & ENDS) > 0
    return begins[whole], ends[whole], kinds[begins[whole]]


def _spans(begins: Array, ends: Array) -> Column:
    import numpy as np

    width = int(ends.max(initial=0)) + 1
    distinct, codes = np.unique(begins * width + ends, return_inverse=True)
    values: list[Any] = list(zip((distinct // width).tolist(), (distinct % width).tolist(), strict=True))
    return Column(codes, values)

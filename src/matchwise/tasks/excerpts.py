"""Documents of a file whose fields are read when somebody first asks for them.

Most documents are scored by the columns of the block they were read in. Then nobody needs their fields one by one.

>>> from dataclasses import dataclass
>>> class Texts(list[str]):
...     def cut(self, name: str, place: int) -> list[str]:
...         return self[place].split()
>>> @dataclass(frozen=True, slots=True)
... class Line(Excerpt):
...     words: list[str]
...     number: int
>>> excerpts(Line, Texts(["to be", "or not"]), range(2), number=[7, 8])[1]
Line(words=['or', 'not'], number=8)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar


class Excerpt:
    """The base of a record whose fields may still be in its source; a record that is made by hand has no source."""

    __slots__ = ("place", "source")

    source: Any
    """Where fields that are empty are read from, or None."""
    place: int
    """Which record of the source it is."""

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in Excerpt.__slots__]  # not offered to users

    def _read(self, name: str) -> Mapping[str, Any]:
        """The value of a field, and of others that are found on the way."""
        return {name: self.source.cut(name, self.place)}

    if not TYPE_CHECKING:  # a type checker would accept any attribute

        def __getattr__(self, name: str) -> Any:  # of a slot that is empty
            if name == "source":
                return None
            if name not in self.__dataclass_fields__ or self.source is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            found = self._read(name)
            for each, value in found.items():
                object.__setattr__(self, each, value)
            return found[name]


Class = TypeVar("Class", bound=Excerpt)


def excerpts(cls: type[Class], source: Any, places: Sequence[int], **known: Iterable[Any]) -> list[Class]:
    """Make the records at some places of a source; `known` has a value for each of them, by field."""
    made = list(map(cls.__new__, repeat(cls, len(places))))
    for name, values in {"source": repeat(source), "place": places, **known}.items():
        deque(map(getattr(cls, name).__set__, made, values), 0)  # a record cannot be changed otherwise
    return made


def excerpt(cls: type[Class], source: Any, known: Mapping[str, Any]) -> Class:
    """Make the record of a source that has only one."""
    return excerpts(cls, source, (0,), **{name: (value,) for name, value in known.items()})[0]


def find_runs(documents: Iterable[Excerpt]) -> list[tuple[Any, int, int]] | None:
    """Join neighbours: (source, first place, place after the last) for each run; None if a document has no source.

    >>> find_runs(excerpts(Excerpt, "abcdef", [0, 1, 2, 5, 3, 4]))
    [('abcdef', 0, 3), ('abcdef', 5, 6), ('abcdef', 3, 5)]
    """
    runs: list[tuple[Any, int, int]] = []
    for source, some in groupby(documents, attrgetter("source")):
        if source is None:
            return None
        places = [one.place for one in some]
        one_run = places == list(range(places[0], places[-1] + 1))
        breaks = [] if one_run else [at for at, (a, b) in enumerate(pairwise(places), start=1) if b != a + 1]
        runs += [(source, places[a], places[b - 1] + 1) for a, b in pairwise([0, *breaks, len(places)])]
    return runs

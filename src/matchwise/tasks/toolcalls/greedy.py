"""Pairs that are chosen one after the other: each call takes the first one that is left and fits.

agentevals does so where the arguments of calls need not be equal, and BFCL's leaderboard always. A call may so take the
only partner of another one. `recall("calls", eq("name") * (recall("arguments") >= 1))` pairs calls as well as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar

from matchwise.algebra.steps import StepKind
from matchwise.engine.keys import key
from matchwise.tasks.toolcalls.calls import Call, plain_sides

One = TypeVar("One")
Other = TypeVar("Other")


def take_first(ones: Sequence[One], others: Sequence[Other], fits: Callable[[One, Other], bool]) -> list[int]:
    """The place of the one that takes each of the others; those that are left have a negative number of their own.

    >>> take_first(["ab", "a"], ["a", "b", "c"], lambda one, other: other in one)
    [0, -2, -3]
    """
    takers = [-1 - place for place in range(len(others))]
    for number, one in enumerate(ones):
        for place, other in enumerate(others):
            if takers[place] < 0 and fits(one, other):
                takers[place] = number
                break
    return takers


class PairedMessage(NamedTuple):
    """A message, and the numbers of the pairs of its calls."""

    role: str
    calls: tuple[int, ...]


class PairedCalls(NamedTuple):
    """The numbers of the pairs that calls belong to: in messages, and where predictions or references choose."""

    messages: tuple[PairedMessage, ...]
    subset: tuple[int, ...]
    superset: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FirstFits:
    """Pairs calls as agentevals does if the arguments of one may be a part of the other's.

    `unordered` and `subset` ask this of references as if they were predictions: with `arguments="subset"`, those of the
    reference must be a part of the predicted ones there.
    """

    arguments: Literal["subset", "superset"]

    def __call__(self, pred: Any, ref: Any) -> tuple[PairedCalls, PairedCalls]:
        mine, theirs = plain_sides(pred, ref)
        said = [PairedMessage(one.role, tuple(range(len(one.calls)))) for one in mine.messages]
        expected = []
        for place, one in enumerate(theirs.messages):
            beside = mine.messages[place].calls if place < len(said) else ()
            expected.append(PairedMessage(one.role, tuple(take_first(beside, one.calls, self._fits))))
        wants, makes = theirs.calls, mine.calls
        made = take_first(wants, makes, lambda one, other: self._fits(other, one))
        wanted = take_first(makes, wants, lambda one, other: self._fits(other, one))
        return (
            PairedCalls(tuple(said), tuple(range(len(makes))), tuple(made)),
            PairedCalls(tuple(expected), tuple(wanted), tuple(range(len(wants)))),
        )

    def _fits(self, one: Call, other: Call) -> bool:
        if self.arguments == "superset":
            one, other = other, one
        inside, around = one.arguments, other.arguments
        return one.name == other.name and all(
            name in around and key(around[name]) == key(value) for name, value in inside.items()
        )


first_fits = StepKind("first_fits", FirstFits, gives=PairedCalls)

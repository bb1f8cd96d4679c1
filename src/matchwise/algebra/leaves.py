"""What a leaf computes, and the values that it is not made for.

A value that does not fit its place ("n/a" for a price) is equal to nothing but an equal misfit, whatever compares it. A
leaf is thereby extended from the values it is made for to all values: a misfit against a proper value scores 0, against
itself 1. Each fact of a leaf still holds, as it does of a union whose second case is equality.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matchwise.algebra.nodes import Number


def always(**facts: str) -> Callable[[dict[str, Any]], dict[str, str]]:
    """The facts of a leaf that has them whatever its options are, each with its reason."""
    return partial(_state, facts)


def _state(facts: dict[str, str], _: dict[str, Any]) -> dict[str, str]:
    return facts


_NO_FACTS = always()


@dataclass(frozen=True, repr=False)
class LeafKind:
    """What a kind of leaf computes. Kinds compare by name; their functions live beside their builder.

    feature   value, options -> what is compared, made once per value; raises ValueError("expected …") on a wrong value
    compare   feature, feature, options -> number: the definition
    paired    features, features, places, places, options -> array: the same of many pairs, at places that go together;
              a column and a row of all places give the table of all pairs. Without it each pair of distinct values is
              compared once, which is enough for labels
    reach     features, options -> (starts, ends): features whose closed intervals do not meet score 0; None: unknown
    discrete  compare is equality of features, which has all facts
    facts     options -> facts that hold, each with its reason; those that follow from others are left out
    """

    name: str
    feature: Callable[[Any, dict[str, Any]], Any] = field(compare=False)
    compare: Callable[[Any, Any, dict[str, Any]], Number] = field(compare=False)
    facts: Callable[[dict[str, Any]], dict[str, str]] = field(default=_NO_FACTS, compare=False)
    paired: Callable[[list[Any], list[Any], Any, Any, dict[str, Any]], Any] | None = field(default=None, compare=False)
    reach: Callable[[list[Any], dict[str, Any]], tuple[list[float], list[float]] | None] | None = field(
        default=None, compare=False
    )
    discrete: bool = field(default=False, compare=False)
    leading: str | None = field(default=None, compare=False)
    """The option written before the selector, if there is one (`ontology(parents, "type")`)."""
    takes: tuple[type, ...] = field(default=(), compare=False)
    """The classes of the values that it compares; none where it decides value by value."""
    unsigned: frozenset[str] = field(default=frozenset(), compare=False)
    """Options that no score depends on, such as the file of a cache; the signature leaves them out."""

    def __repr__(self) -> str:
        return f"LeafKind(name={self.name!r})"


class Misfit:
    """A plain value of the wrong type, compared by what it looks like: NaN is equal to itself here.

    >>> Misfit("n/a") == Misfit("n/a"), Misfit("1") == Misfit(1), Misfit("n/a")
    (True, False, 'n/a')
    """

    __slots__ = ("shown", "value")

    def __init__(self, value: Any) -> None:
        self.value: Final = value
        self.shown: Final = f"{type(value).__name__} {self!r}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Misfit) and self.shown == other.shown

    def __hash__(self) -> int:
        return hash(self.shown)

    def __repr__(self) -> str:
        try:
            return repr(self.value)
        except ValueError:  # an integer with more digits than Python agrees to write
            return hex(self.value)
        except RecursionError:
            return f"a {type(self.value).__name__} that is nested too deeply"

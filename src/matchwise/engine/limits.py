"""How long an exact solver may search, and what it knows when it stops: a score, or two bounds.

Without limits every score is the optimum. With them, the lower bound is a score that was reached and the upper bound
one that no matching exceeds; nothing is approximated silently.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Contingency, Normalized, Number, Overlap, Similarity
from matchwise.algebra.walk import is_searched, parts
from matchwise.engine.tuning import PER_SECOND
from matchwise.errors import ExpressionError, MatchwiseError


@dataclass(frozen=True, slots=True)
class Bounds:
    """Two bounds of a score: lower ≤ φ(x, y) ≤ upper. The score is proved if they are equal.

    >>> import matchwise as mw
    >>> print(mw.Bounds(0.75, 0.75), mw.Bounds(0.75, 0.8))
    0.7500 (proved) 0.7500–0.8000
    """

    lower: Number
    upper: Number

    @property
    def proved(self) -> bool:
        return self.lower == self.upper

    def to_dict(self) -> dict[str, Any]:
        return {"lower": self.lower, "upper": self.upper, "proved": self.proved}

    def __str__(self) -> str:
        lower, upper = f"{float(self.lower):.4f}", f"{float(self.upper):.4f}"
        return f"{lower} (proved)" if self.proved else f"{lower}–{upper}"


MOST = 10_000_000
"""More pairs of elements than this do not fit into memory once they are terms."""

FEWEST = PER_SECOND // 5
"""Pairs of elements that are written down under any time limit: what takes no time to speak of."""


class Late(Exception):  # no error: who gave the limits is told bounds
    """There is not enough time left to write the problem down."""


class Limits(Struct, frozen=True):
    """`time_limit` seconds for a document; `gap`: stop when upper − lower ≤ gap · upper."""

    time_limit: float | None = None
    gap: float = 0.0
    deadline: float | None = None

    def __post_init__(self) -> None:
        if self.time_limit is not None and not self.time_limit >= 0:
            raise MatchwiseError(f"time_limit={self.time_limit!r}; write the seconds that a document may take")
        if not 0 <= self.gap < 1:
            raise MatchwiseError(f"gap={self.gap!r}; write a share of the score from 0 to 1, such as 0.01")

    def __bool__(self) -> bool:
        return self.time_limit is not None or self.gap > 0

    @property
    def room(self) -> int:
        """How many pairs of elements fit into memory and into the time left, to be written down and bounded once."""
        if self.deadline is None:
            return MOST
        return min(MOST, max(FEWEST, int(PER_SECOND * (self.deadline - monotonic()))))

    def late(self) -> bool:
        return self.deadline is not None and monotonic() > self.deadline

    def half(self) -> Limits:
        """These limits with half of the remaining time."""
        if self.deadline is None:
            return self
        now = monotonic()
        return replace(self, deadline=now + (self.deadline - now) / 2)

    def start(self) -> Limits:
        """These limits with the clock running."""
        if self.time_limit is None:
            return self
        return replace(self, deadline=monotonic() + self.time_limit)


UNLIMITED = Limits()


def check_bounded(phi: Similarity) -> None:
    """Refuse bounds of a φ that need not grow with its parts: `align_by` and functions of a contingency table.

    Nor does a Jaccard score s / (p + r − s) grow with s where s may exceed p + r.
    """
    for part in parts(phi):
        match part:
            case Overlap(align_by=by) if by is not None and is_searched(by):
                problem = "what is aligned by it"
            case Contingency(inner=inner) if is_searched(inner):
                problem = "a function of it"
            case Normalized("error_rate", inner) if is_searched(inner):
                problem = "an error rate, which falls where its optimum grows,"
            case Normalized("jaccard", inner) if is_searched(inner) and not facts(inner).self_score.holds:
                problem = "a Jaccard score above 1"
            case _:
                continue
        raise ExpressionError(
            f"an optimum was not proved within the limits, and {problem} has no bounds: {part!r}; "
            "leave time_limit and gap out"
        )


class Search(Struct):
    """The solving of one document: its limits, what was found under each name, and which end of the bounds is read."""

    limits: Limits
    known: dict[Hashable, Any] = field(default_factory=dict)
    end: Literal["lower", "upper"] = "lower"
    open: bool = False
    """True if something was not proved."""


_CURRENT: ContextVar[Search | None] = ContextVar("search", default=None)


def current() -> Search | None:
    """The current search, if limits are set."""
    return _CURRENT.get()


def reads_upper() -> bool:
    """True if the upper end of the bounds is being read."""
    search = current()
    return search is not None and search.end == "upper"


Found = TypeVar("Found", bound=Any)
"""What a solver returns: at least two bounds, `lower` and `upper`."""


def answer(name: Hashable, solve: Callable[[Limits], Found]) -> Found:
    """Solve within the limits of the current search, once for each name; without a search, to the optimum."""
    search = current()
    if search is None:
        return solve(UNLIMITED)
    if name not in search.known:
        search.known[name] = solve(search.limits)
    found: Found = search.known[name]
    if found.lower != found.upper:
        search.open = True
    return found


@contextmanager
def start_search(limits: Limits) -> Iterator[Search]:
    """Solve under limits until the end of the `with` block; the clock starts now."""
    search: Search = Search(limits.start())
    token = _CURRENT.set(search)
    try:
        yield search
    finally:
        _CURRENT.reset(token)

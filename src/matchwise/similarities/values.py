"""What leaves accept: one wording for a wrong value, one check for an option that is a share of 1.

Bags are compared by their F1, 2 Σ min(f, g) / (|f| + |g|); a bag is a frozen set of (part, count).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from enum import Enum
from reprlib import repr as brief
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from matchwise.algebra.leaves import always
from matchwise.algebra.nodes import Number, _number
from matchwise.arrays import Floats, Integers
from matchwise.errors import ExpressionError, suggestion


def describe_value(value: object) -> str:
    """Type and value, cut short.

    >>> describe_value(3), describe_value(None), describe_value("a" * 100)
    ('int 3', 'None', "str 'aaaaaaaaaaaa...aaaaaaaaaaaaa'")
    """
    return "None" if value is None else f"{type(value).__name__} {brief(value)}"


def string(value: Any) -> str:
    """A plain `str`, also from a subclass of it; a member of an Enum of strings compares by its value."""
    if isinstance(value, Enum):
        value = value.value
    if not isinstance(value, str):
        raise ValueError(f"expected a string, found {describe_value(value)}")
    return str.__str__(value)


def name(value: Any) -> Any:
    """A value that can be looked up: a type, a class, a label. `True` is not 1, so truth values are no names."""
    if value is None or isinstance(value, bool) or (isinstance(value, float) and value != value):
        raise ValueError(f"expected a name, found {describe_value(value)}")
    try:
        hash(value)
    except TypeError:
        raise ValueError(f"expected a hashable name, found {describe_value(value)}") from None
    return string(value) if isinstance(value, str) else value


Scale: TypeAlias = Literal["clip", "shift"]
"""How a number x from −1 to 1 becomes a similarity: max(0, x), or (1 + x) / 2."""


def check_scale(scale: object) -> None:
    if scale not in get_args(Scale):
        raise ExpressionError(f"scale={scale!r}{suggestion(str(scale), get_args(Scale))}")


def share(option: str, value: object, example: str) -> Number:
    """An option that is a number between 0 and 1."""
    number = _number(value, f"set {option} to", example)
    if number > 1:
        raise ExpressionError(f"{option}={value!r} is above 1, where no score lies; write {example}")
    return number


def equality(what: str) -> dict[str, str]:
    """The facts of a leaf that compares by equality: δ has all of them."""
    reason = f"δ of {what}"
    return dict.fromkeys(("bounded", "symmetric", "unit", "left", "right", "strong", "kernel", "triangle"), reason)


def same(f: Any, g: Any, options: dict[str, Any]) -> int:
    """`compare` of a discrete leaf."""
    return int(f == g)


def one_by_one(
    compare: Callable[..., Number], fs: list[Any], gs: list[Any], a: Integers, b: Integers, options: dict[str, Any]
) -> Floats:
    """`paired` of a leaf by its `compare`."""
    rows, columns = np.broadcast_arrays(a, b)
    pairs = zip(rows.ravel().tolist(), columns.ravel().tolist(), strict=True)
    return np.array([compare(fs[i], gs[j], options) for i, j in pairs], dtype=float).reshape(rows.shape)


Bag: TypeAlias = frozenset[tuple[Any, int]]


def bag(parts: Iterable[Hashable]) -> Bag:
    return frozenset(Counter(parts).items())


def bag_f1(f: Bag, g: Bag, options: dict[str, Any]) -> float:
    """2 Σ min(f, g) / (|f| + |g|); two empty bags score 1.

    >>> bag_f1(bag("aab"), bag("abc"), {})
    0.6666666666666666
    """
    if not f and not g:
        return 1.0
    counts = dict(g)
    shared = sum(min(count, counts.get(part, 0)) for part, count in f)
    return 2 * shared / (_size(f) + _size(g))


def paired_f1(fs: list[Bag], gs: list[Bag], a: Integers, b: Integers, options: dict[str, Any]) -> Floats:
    """All pairs through an inverted index, where bags that share no part never meet; some pairs one by one."""
    if a.ndim == 1:
        return one_by_one(bag_f1, fs, gs, a, b, options)
    shared = np.zeros((len(fs), len(gs)))
    columns = _postings(gs)
    for part, (rows, ours) in _postings(fs).items():
        if part in columns:
            cols, theirs = columns[part]
            shared[np.ix_(rows, cols)] += np.minimum.outer(ours, theirs)
    total = np.add.outer(np.array([_size(f) for f in fs], float), np.array([_size(g) for g in gs], float))
    scores: Floats = np.divide(2 * shared, total, out=np.ones_like(shared), where=total > 0)
    return scores


bag_facts = always(
    bounded="2 Σ min(f, g) ≤ |f| + |g|",
    symmetric="min and + are symmetric",
    unit="2 |f| / (|f| + |f|) = 1, and two empty bags score 1",
    kernel="F1 (Lemma 7) of Σ min(f, g), which is a kernel",
)


def _size(f: Bag) -> int:
    return sum(count for _, count in f)


def _postings(bags: list[Bag]) -> dict[Any, tuple[list[int], list[int]]]:
    """Which bags hold a part, and how often."""
    index: dict[Any, tuple[list[int], list[int]]] = {}
    for i, parts in enumerate(bags):
        for part, count in parts:
            rows, counts = index.setdefault(part, ([], []))
            rows.append(i)
            counts.append(count)
    return index

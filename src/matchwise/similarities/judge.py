"""A judge: a user's function, such as a language model, decides pairs that no rule can decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from math import isfinite
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra.build import Selectable, selector, word
from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Leaf, Similarity, require_name
from matchwise.arrays import Floats, Integers
from matchwise.errors import DataError, ExpressionError, count_units
from matchwise.similarities.answers import Answers, as_content, check_kept
from matchwise.similarities.values import describe_value

Decide: TypeAlias = Callable[[list[tuple[Any, Any]]], list[Any]]
"""Pairs of a prediction and a reference -> a score from 0 to 1 for each."""


@word
def judge(
    function: Decide,
    sel: Selectable = None,
    *,
    version: str,
    symmetric: bool = False,
    cache: str | PathLike[str] | None = None,
    replay: bool = False,
    at_once: int = 256,
) -> Similarity:
    """Let your `function(pairs)` decide: it returns a number from 0 to 1 for each pair (pred, ref) of plain JSON.

    Equal values score 1 without a question, and no pair is asked for twice. `version` names the judge; it stands in the
    signature. `cache` is a file that keeps the answers; with `replay=True` the file has to know all of them. A call has
    at most `at_once` pairs. With `symmetric=True` the sides may be exchanged: of (x, y) and (y, x) one is asked for.

    >>> import matchwise as mw
    >>> def same_start(pairs):
    ...     return [pred[:1] == ref[:1] for pred, ref in pairs]
    >>> phi = mw.judge(same_start, "answer", version="1")
    >>> mw.score(phi, {"answer": "ab"}, {"answer": "ac"}), mw.score(phi, {"answer": "b"}, {"answer": "ac"})
    (1.0, 0.0)
    """
    if isinstance(at_once, bool) or not isinstance(at_once, int) or at_once < 1:
        raise ExpressionError(f"at_once={at_once!r}; write how many pairs a call may have, as in at_once=64")
    file, again = check_kept("judge", version, cache, replay)
    options = (
        ("function", require_name(function, "judge")),
        ("version", version),
        ("symmetric", bool(symmetric)),
        ("cache", file),
        ("replay", again),
        ("at_once", at_once),
    )
    return Leaf(JUDGE, selector(sel), options)


@lru_cache(maxsize=64)
def _answers(function: Decide, version: str, file: str | None, replay: bool) -> Answers:
    return Answers(function, version, file, replay)


def feature(value: Any, options: dict[str, Any]) -> str:
    """The value as JSON text, which is what the cache knows it by."""
    try:
        return as_content(value)
    except (TypeError, ValueError):
        raise ValueError(f"expected text or other plain JSON, found {describe_value(value)}") from None


def compare(f: str, g: str, options: dict[str, Any]) -> float:
    return decide([(f, g)], options)[0]


def paired(fs: list[str], gs: list[str], a: Integers, b: Integers, options: dict[str, Any]) -> Floats:
    rows, columns = np.broadcast_arrays(a, b)
    pairs = zip(rows.ravel().tolist(), columns.ravel().tolist(), strict=True)
    return np.array(decide([(fs[i], gs[j]) for i, j in pairs], options)).reshape(rows.shape)


def decide(pairs: Iterable[tuple[str, str]], options: dict[str, Any]) -> list[float]:
    """The scores of pairs of features."""
    contents = [_content(f, g, options["symmetric"]) for f, g in pairs]
    function: Decide = options["function"]

    def ask(questions: list[Any]) -> list[float | DataError]:
        asked = [(pred, ref) for pred, ref in questions]
        made = function(asked)
        if not isinstance(made, Iterable):
            raise DataError(
                f"{function.__name__} returned {describe_value(made)} for a list of "
                f"{count_units(len(asked), 'pairs')}; return a list with a number from 0 to 1 for each pair"
            )
        found = list(made)
        if len(found) != len(asked):
            raise DataError(f"{function.__name__} returned {len(found)} scores for {len(asked)} pairs")
        return [_valid(answer, function, pair) for answer, pair in zip(found, asked, strict=True)]

    answers = _answers(function, options["version"], options["cache"], options["replay"])
    known = answers.give((content for content in contents if content is not None), ask, options["at_once"])
    return [1.0 if content is None else float(known[content]) for content in contents]


def _content(f: str, g: str, symmetric: bool) -> str | None:
    """What the judge is asked; nothing about equal values."""
    if f == g:
        return None
    first, second = (g, f) if symmetric and g < f else (f, g)
    return f"[{first}, {second}]"


def _valid(answer: Any, function: Decide, pair: tuple[Any, Any]) -> float | DataError:
    """The score, or what is wrong with it; the other answers of the same call are kept all the same."""
    try:
        number = float(answer)
    except (TypeError, ValueError):
        number = float("nan")
    if not isfinite(number) or not 0 <= number <= 1:
        return DataError(f"{function.__name__} returned {answer!r} for {pair!r}; return a number from 0 to 1")
    return number


def facts(options: dict[str, Any]) -> dict[str, str]:
    made = {
        "bounded": "an answer above 1 is refused",
        "unit": "equal values score 1 without a question",
    }
    return made | ({"symmetric": "of (x, y) and (y, x) one is asked for"} if options["symmetric"] else {})


JUDGE = LeafKind(
    "judge",
    feature,
    compare,
    facts,
    paired,
    leading="function",
    unsigned=frozenset({"cache", "replay", "at_once"}),
)

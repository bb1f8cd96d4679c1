"""Try the laws that are claimed of a similarity on given objects, those of its own functions on what they get."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace as with_fields
from typing import Any

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Contingency, Custom, Number, Similarity
from matchwise.algebra.walk import check_metric, parts, replace
from matchwise.engine import reference
from matchwise.engine.keys import key
from matchwise.engine.plan import Plan, Planner, plan
from matchwise.errors import ExpressionError
from matchwise.testing.general import GENERAL
from matchwise.testing.laws import FACTS, Breach, Evidence, Law, differs

MOST = 30
"""So many values of an inner function are tried with each other."""


def check_laws(phi: Similarity, objects: Any, *, examples: int = 100) -> tuple[str, ...]:
    """Check the facts that are claimed of φ, and the laws of every similarity; return the names of those checked.

    `objects` are objects of the kind that φ compares, each of which is compared with each, or a Hypothesis strategy
    that draws them (`examples` times up to five, and fewer when a law is broken). The functions of `custom` and
    `contingency` inside φ are checked on what they get. The first law that is broken raises a `LawError`.

    >>> from matchwise import custom
    >>> def begins(pred: str, ref: str) -> bool:
    ...     return ref.startswith(pred)
    >>> check_laws(custom(begins, facts=("unit",)), ["a", "ab", "b"])
    ('range', 'bounded', 'unit', 'left', 'right', 'text', 'order', 'mirror', 'engine', 'self-score', 'alignment')
    >>> check_laws(custom(begins, facts=("symmetric",)), ["a", "ab", "b"])
    Traceback (most recent call last):
    ...
    matchwise.testing.laws.LawError: custom(begins, facts=("symmetric",)) breaks the law "symmetric": φ(x, y) = φ(y, x)
      found    φ(x, y) = 1, φ(y, x) = 0
      x        'a'
      y        'ab'
      claimed  begins: declared; check_laws tests it
    """
    check_metric(phi, "check_laws()")
    if _is_strategy(objects):
        return _check_drawn(phi, objects, examples)
    if isinstance(objects, str | bytes) or not isinstance(objects, Iterable):
        raise ExpressionError(
            f"check_laws() needs a list of objects or a Hypothesis strategy, not {objects!r}; write [x, y]"
        )
    return _check(phi, tuple(objects))


def _is_strategy(objects: object) -> bool:
    """Whoever has a strategy has imported Hypothesis; nobody else needs it."""
    strategies = sys.modules.get("hypothesis.strategies")
    return strategies is not None and isinstance(objects, strategies.SearchStrategy)


def _check_drawn(phi: Similarity, objects: Any, examples: int) -> tuple[str, ...]:
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    checked: dict[str, None] = {}
    quiet = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )

    @quiet
    @given(st.lists(objects, min_size=1, max_size=5))
    def draw(drawn: list[Any]) -> None:
        checked.update(dict.fromkeys(_check(phi, tuple(drawn))))

    draw()
    return tuple(checked)


def _check(phi: Similarity, objects: tuple[Any, ...]) -> tuple[str, ...]:
    for inner in dict.fromkeys(part for part in parts(phi) if isinstance(part, Custom | Contingency)):
        alone = with_fields(inner, sel=())
        _try(alone, _values(phi, inner, objects), (*FACTS, BATCH))
    return _try(phi, objects, (*FACTS, *GENERAL))


def _try(phi: Similarity, objects: tuple[Any, ...], laws: tuple[Law, ...]) -> tuple[str, ...]:
    table = tuple(tuple(_score(phi, x, y) for y in objects) for x in objects)
    evidence = Evidence(phi, facts(phi), objects, table)
    tried = [law for law in laws if law.claimed(evidence)]
    for law in tried:
        law.check(evidence)
    return tuple(law.name for law in tried)


def _score(phi: Similarity, x: Any, y: Any) -> Number:
    """φ(x, y) as planned; of a custom function by a call, as the plan believes what is declared and spares calls."""
    planned = plan(phi).score(x, y)
    if not isinstance(phi, Custom):
        return planned
    called = reference.score(phi, x, y)
    return int(called) if isinstance(called, bool) else called


def _values(phi: Similarity, inner: Custom | Contingency, objects: tuple[Any, ...]) -> tuple[Any, ...]:
    """What `inner` is given when φ compares the objects."""
    seen: dict[Hashable, Any] = {}

    def see(value: Any) -> Any:
        seen.setdefault(_content(value), value)
        return value

    made = Plan(replace(phi, {inner: _watched(inner, see)}), Planner())
    for x in objects:
        for y in objects:
            made.score(x, y)
    return tuple(seen.values())[:MOST]


def _watched(inner: Custom | Contingency, see: Callable[[Any], Any]) -> Similarity:
    """The same similarity, which shows what it is given: a function its values, a table the collections it is of."""
    if isinstance(inner, Contingency):
        return with_fields(inner, sel=(*inner.sel, see))

    def watch(pred: Any, ref: Any) -> Any:
        for side in (pred, ref):
            for value in side if inner.batch else [side]:
                see(value)
        return inner.function(pred, ref)

    watch.__name__ = inner.function.__name__
    return with_fields(inner, function=watch)


def _content(value: Any) -> Hashable:
    try:
        return key(value)
    except ValueError:  # no content of its own
        return id(value)


def _batch_differs(e: Evidence) -> Iterator[Breach]:
    """The table was made pair by pair; a batched function has to return it for all values at once, too."""
    match e.phi:
        case Custom(function, batch=True) if e.objects:
            whole = function(list(e.objects), list(e.objects))
            for i, j, value in e.cells():
                if differs(value, float(whole[i][j])):
                    found = f"φ(x, y) = {value}, but {float(whole[i][j])} among {len(e.objects)} values"
                    yield found, (e.objects[i], e.objects[j])


BATCH = Law("batch", "a batched function says of many values what it says of two", _batch_differs)

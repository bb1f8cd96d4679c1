"""Try the laws that a similarity claims on given objects, and the laws of its own functions on what they get.

The laws of every similarity compare it with another way to write, run or read the same thing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace as with_fields
from math import fsum, prod
from random import Random
from typing import Any

from matchwise.algebra.build import vocabulary
from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Best, Contingency, Custom, Leaf, Number, Overlap, Similarity, Subset, Union
from matchwise.algebra.parse import parse
from matchwise.algebra.walk import check_metric, children, mirror, parts, rebuild, replace
from matchwise.engine import reference
from matchwise.engine.keys import key, record_fields
from matchwise.engine.many.frame import run
from matchwise.engine.one.parts import compare
from matchwise.engine.plan import Plan, plan
from matchwise.engine.selection import elements
from matchwise.errors import ExpressionError
from matchwise.testing.laws import FACTS, Breach, Evidence, Law, differs
from matchwise.views.alignment import Alignment, align

MOST = 30
"""So many values of an inner function are tried with each other."""


def check_laws(phi: Similarity, objects: Any, *, examples: int = 100) -> tuple[str, ...]:
    """Check the facts that are claimed of φ, and the laws of every similarity; return the names of those checked.

    `objects` are objects of the kind that φ compares, each of which is compared with each, or a Hypothesis strategy
    that draws them (`examples` times up to five, and fewer when a law is broken). The functions of `custom` and
    `contingency` inside φ are checked on what they get. The first law that is broken raises a `LawError`.

    >>> import matchwise as mw
    >>> def begins(pred: str, ref: str) -> bool:
    ...     return ref.startswith(pred)
    >>> check_laws(mw.custom(begins, facts=("unit",)), ["a", "ab", "b"])
    ('range', 'bounded', 'unit', 'left', 'right', 'text', 'order', 'mirror', 'engine', 'self-score', 'alignment')
    >>> check_laws(mw.custom(begins, facts=("symmetric",)), ["a", "ab", "b"])
    Traceback (most recent call last):
    ...
    matchwise.testing.laws.LawError: custom(begins, facts=("symmetric",)) breaks the law "symmetric": φ(x, y) = φ(y, x)
      found    φ(x, y) = 1, φ(y, x) = 0
      x        'a'
      y        'ab'
      claimed  begins: declared; check_laws tests it
    """
    phi = check_metric(phi, "check_laws()")
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
    tried = [law for law in laws if law.is_claimed(evidence)]
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

    made = Plan(replace(phi, {inner: _watch(inner, see)}))
    for x in objects:
        for y in objects:
            made.score(x, y)
    return tuple(seen.values())[:MOST]


def _watch(inner: Custom | Contingency, see: Callable[[Any], Any]) -> Similarity:
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


FEW = 9
"""The reference engine tries all matchings: it is asked about collections of at most this many elements,"""

FEWER = 3
"""or this many, where `align_by` makes it list the matchings one by one."""


def _unreadable(e: Evidence) -> Iterator[Breach]:
    names = _names(e.phi)
    if names is None:
        return
    try:
        again = parse(repr(e.phi), names)
    except ExpressionError as error:
        yield f"{error}", ()
    else:
        if again != e.phi:
            yield f"parse gives {again!r}", ()


def _names(phi: Similarity) -> dict[str, object] | None:
    """The functions and classes that the text of φ mentions; None if a name is unknown to `parse` or ambiguous."""
    named: list[Any] = []
    for part in parts(phi):
        if isinstance(part, Leaf) and part.kind.name not in vocabulary:
            return None
        named += [part.function] if isinstance(part, Custom | Contingency) else []
        named += [value for _, value in part.options if callable(value)] if isinstance(part, Leaf) else []
        named += [case for case, _ in part.cases if isinstance(case, type)] if isinstance(part, Union) else []
        named += [step for step in getattr(part, "sel", ()) if callable(step)]
    found = {value.__name__: value for value in named}
    return found if all(found[value.__name__] is value for value in named) else None


def _order_matters(e: Evidence) -> Iterator[Breach]:
    """The same expression, with every bag it selects put into another order first."""
    for reorder in (backwards, shuffle):
        psi = _reorder(e.phi, reorder)
        if psi == e.phi:
            return
        for i, j, value in e.cells():
            other = plan(psi).score(e.objects[i], e.objects[j])
            if differs(value, other):
                found = f"φ(x, y) = {value}, and {other} with the elements {reorder.__name__}"
                yield found, (e.objects[i], e.objects[j])


def backwards(value: Any) -> Any:
    """A collection from its end; any other value as it is."""
    found = elements(value)
    return value if found is None else found[::-1]


def shuffle(value: Any) -> Any:
    """A collection in a random order, always the same."""
    found = elements(value)
    return value if found is None else Random(len(found)).sample(found, len(found))


def _reorder(phi: Similarity, reorder: Any) -> Similarity:
    changed = rebuild(phi, tuple(_reorder(part, reorder) for part in children(phi)))
    match changed:
        case Overlap(sel, order="bag") | Best(sel) | Contingency(_, sel) | Subset(sel):
            return with_fields(changed, sel=(*sel, reorder))
    return changed


def _not_mirrored(e: Evidence) -> Iterator[Breach]:
    mirrored = mirror(e.phi)
    if mirrored is None or mirrored == e.phi:  # then it is symmetric, which is a law of its own
        return
    for i, j, value in e.cells():
        other = plan(mirrored).score(e.objects[j], e.objects[i])
        if differs(value, other):
            yield f"φ(x, y) = {value}, {mirrored!r} of (y, x) = {other}", (e.objects[i], e.objects[j])


def _find_plan_breaches(e: Evidence) -> Iterator[Breach]:
    small = [_affordable(e.phi, x) for x in e.objects]
    for i, j, value in e.cells():
        if small[i] and small[j]:
            exact = reference.score(e.phi, e.objects[i], e.objects[j])
            many = run(plan(e.phi).operator.table, [e.objects[i]], [e.objects[j]], plan(e.phi).step).item()
            for found in (value, many):
                if differs(found, exact):
                    yield f"planned {found}, by the equation {float(exact)}", (e.objects[i], e.objects[j])
                    break


def _self_score_otherwise(e: Evidence) -> Iterator[Breach]:
    for x in e.objects:
        if not _affordable(e.phi, x):
            continue
        exact = reference.self_score(e.phi, x)
        one = compare(None, lambda pred, _: plan(e.phi).operator.own(pred), x, x)
        for value in (one, run(lambda pred, _: plan(e.phi).operator.self_scores(pred).item(), [x], [x])):
            if differs(value, exact):
                yield f"planned {value}, by the equation {float(exact)}", (x,)
                break


def _affordable(phi: Similarity, x: Any) -> bool:
    lists_matchings = any(isinstance(part, Overlap) and part.align_by is not None for part in parts(phi))
    return largest(x) <= (FEWER if lists_matchings else FEW)


def largest(value: Any) -> int:
    """The size of the largest collection in an object."""
    if isinstance(value, str | bytes):
        return 0
    if isinstance(value, Mapping):
        return max([len(value), *map(largest, value.values())])
    if isinstance(value, Collection):
        return max([len(value), *map(largest, value)])
    return max((largest(getattr(value, name)) for name in record_fields(type(value)) or ()), default=0)


def _not_aligned(e: Evidence) -> Iterator[Breach]:
    for i, j, value in e.cells():
        alignment = align(e.phi, e.objects[i], e.objects[j])
        if differs(value, alignment.score):
            yield f"score {value}, alignment {alignment.score}", (e.objects[i], e.objects[j])
        for fault in faults(alignment):
            yield fault, (e.objects[i], e.objects[j])


def faults(alignment: Alignment) -> Iterator[str]:
    """The nodes of an alignment whose score is not made of the pairs below them."""
    for node in alignment.walk():
        below = [pair.score for pair in node.pairs]
        match node.kind:
            case "match":
                made = fsum(below)
            case "sum":
                made = fsum(pair.weight * pair.score for pair in node.pairs)
            case "product":
                made = prod(map(float, below))
            case _:
                continue
        if differs(node.score, made):
            yield f"{node.text} at {node.pred_path or 'all'}: score {node.score}, its pairs make {made}"


GENERAL = (
    Law("text", "parse(repr(φ)) = φ", _unreadable),
    Law("order", "the order of a bag does not matter", _order_matters),
    Law("mirror", "exchanging the sides exchanges P and R", _not_mirrored),
    Law("engine", "the planned score is that of the equation", _find_plan_breaches),
    Law("self-score", "the planned φ(x, x) is that of the equation", _self_score_otherwise),
    Law("alignment", "a score is made of the scores of the aligned pairs", _not_aligned),
)
"""The laws that need φ itself."""

"""The laws of every similarity: they compare it with another way to write, run or read the same thing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace as with_fields
from math import fsum, prod
from random import Random
from typing import Any

from matchwise.algebra.build import vocabulary
from matchwise.algebra.nodes import Best, Contingency, Custom, Leaf, Overlap, Similarity, Subset, Union
from matchwise.algebra.parse import parse
from matchwise.algebra.walk import children, mirror, parts, rebuild
from matchwise.engine import reference
from matchwise.engine.batch import run
from matchwise.engine.keys import record_fields
from matchwise.engine.plan import over_arrays, plan
from matchwise.engine.selection import elements
from matchwise.errors import ExpressionError
from matchwise.testing.laws import Breach, Evidence, Law, differs
from matchwise.views.alignment import Alignment, align

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
    """The functions and classes that the text of φ mentions; None if a word of it is not parse's, or stands for two."""
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
    for reorder in (backwards, shuffled):
        psi = _reordered(e.phi, reorder)
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


def shuffled(value: Any) -> Any:
    """A collection in a random order, always the same."""
    found = elements(value)
    return value if found is None else Random(len(found)).sample(found, len(found))


def _reordered(phi: Similarity, reorder: Any) -> Similarity:
    changed = rebuild(phi, tuple(_reordered(part, reorder) for part in children(phi)))
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


def _planned_otherwise(e: Evidence) -> Iterator[Breach]:
    small = [_affordable(e.phi, x) for x in e.objects]
    for i, j, value in e.cells():
        if small[i] and small[j]:
            exact = reference.score(e.phi, e.objects[i], e.objects[j])
            for found in (value, over_arrays(plan(e.phi), e.objects[i], e.objects[j])):
                if differs(found, exact):
                    yield f"planned {found}, by the equation {float(exact)}", (e.objects[i], e.objects[j])
                    break


def _self_score_otherwise(e: Evidence) -> Iterator[Breach]:
    for x in e.objects:
        if not _affordable(e.phi, x):
            continue
        value = run(lambda pred, _: plan(e.phi).operator.own(pred), [x], [x])
        exact = reference.self_score(e.phi, x)
        if differs(value, exact):
            yield f"planned {value}, by the equation {float(exact)}", (x,)


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
    Law("engine", "the planned score is that of the equation", _planned_otherwise),
    Law("self-score", "the planned φ(x, x) is that of the equation", _self_score_otherwise),
    Law("alignment", "a score is made of the scores of the aligned pairs", _not_aligned),
)
"""The laws that need φ itself."""

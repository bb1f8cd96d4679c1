"""Ways through an expression: its children, all its parts, and expressions made from it part by part."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace as with_fields
from functools import lru_cache
from typing import Final

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Kind, Match, Number, Scorer, Selector, Similarity
from matchwise.algebra.nodes import children as children
from matchwise.algebra.steps import Stepped
from matchwise.errors import ExpressionError, advise_metric, describe, suggestion


def rebuild(phi: Similarity, parts: tuple[Similarity, ...]) -> Similarity:
    """The same node with other children; products in products and sums in sums are joined, as `*` and `+` do.

    >>> from matchwise.algebra.build import eq
    >>> rebuild(eq("a") * eq("b"), (eq("c") * eq("d"), eq("b")))
    eq("c") * eq("d") * eq("b")
    """
    if all(new is old for new, old in zip(parts, children(phi), strict=True)):
        return phi
    match phi:
        case nodes.Product():
            return nodes.Product(tuple(factor for part in parts for factor in _factors(part)))
        case nodes.Sum(terms):
            return nodes.Sum(
                tuple(term for (weight, _), part in zip(terms, parts, strict=True) for term in _spread(weight, part))
            )
        case nodes.Mean(terms):
            return nodes.Mean(tuple(_mean_term(weight, part) for (weight, _), part in zip(terms, parts, strict=True)))
        case nodes.Overlap():
            return with_fields(phi, inner=parts[0], align_by=parts[1] if len(parts) > 1 else None)
        case nodes.Union(sel, cases):
            return nodes.Union(sel, tuple((case, part) for (case, _), part in zip(cases, parts, strict=True)))
        case nodes.Harmonic():
            return nodes.Harmonic(*parts)
        case _:
            return with_fields(phi, inner=parts[0])  # type: ignore[type-var]  # every node is a dataclass


def _factors(part: Similarity) -> tuple[Similarity, ...]:
    return part.factors if isinstance(part, nodes.Product) else (part,)


def _spread(weight: Number, part: Similarity) -> tuple[tuple[Number, Similarity], ...]:
    return tuple((weight * w, p) for w, p in part.terms) if isinstance(part, nodes.Sum) else ((weight, part),)


def _mean_term(weight: Number, part: Similarity) -> tuple[Number, Similarity]:
    """As `mean` reads its parts: `2 * phi` is a weight, which also divides; a sum of several parts is one part."""
    match part:
        case nodes.Sum(((inner_weight, inner),)):
            return weight * inner_weight, inner
        case nodes.Sum() if weight != 1:
            return weight, nodes.Mean(((1, part),))
        case _:
            return weight, part


def parts(phi: Similarity) -> Iterator[Similarity]:
    """φ and every expression inside it, top down, left to right."""
    yield phi
    for part in children(phi):
        yield from parts(part)


def variables(phi: Similarity) -> frozenset[str]:
    """The spaces of the variables of φ that no `latent` inside it matches.

    >>> from matchwise.algebra.build import eq, f1, latent, var
    >>> sorted(variables(f1("props", eq("rel") * var("subj") * var("obj", space="events")))), variables(latent(var()))
    (['', 'events'], frozenset())
    """
    match phi:
        case nodes.Variable(space=space):
            return frozenset({space})
        case nodes.Latent():
            return frozenset()
    return _variables(phi)


@lru_cache(maxsize=4096)
def _variables(phi: Similarity) -> frozenset[str]:
    return frozenset[str]().union(*(variables(part) for part in children(phi)))


@lru_cache(maxsize=4096)
def is_searched(phi: Similarity) -> bool:
    """Whether φ has an optimum that is searched for, as it cannot be computed in polynomial time."""
    match phi:
        case nodes.Latent(inner):
            if variables(inner):
                return True
        case nodes.Overlap(order="graph"):
            return True
        case nodes.Overlap(match=match, order="tree") if match != "1:1":
            return True
    return any(map(is_searched, children(phi)))


def replace(phi: Similarity, changes: Mapping[Similarity, Similarity]) -> Similarity:
    """φ with each of its parts that is a key of `changes` exchanged for the value; what was put in is left as it is.

    >>> from matchwise.algebra.build import eq, f1, jaccard
    >>> replace(f1("entities", f1("mentions", eq("span"))), {eq("span"): jaccard("span")})
    f1("entities", f1("mentions", jaccard("span")))
    """
    return replace_all([phi], changes, f"does not occur in {phi!r}")[0]


def replace_all(
    several: Collection[Similarity], changes: Mapping[Similarity, Similarity], unused: str
) -> list[Similarity]:
    """The same for several similarities; `unused` says what is wrong with a key that is a part of none of them."""
    for old, new in changes.items():
        if not isinstance(old, Similarity) or not isinstance(new, Similarity):
            raise ExpressionError(
                f"replace() maps similarities to similarities, not {{{old!r}: {new!r}}}; write {{phi: psi}}"
            )
    used: set[Similarity] = set()
    changed = [_replace(phi, changes, used) for phi in several]
    for old in changes:
        if old not in used:
            leaves = {repr(part) for phi in several for part in parts(phi) if not children(part)}
            raise ExpressionError(f"nothing to replace: {old!r} {unused}{suggestion(repr(old), leaves)}")
    return changed


def _replace(phi: Similarity, changes: Mapping[Similarity, Similarity], used: set[Similarity]) -> Similarity:
    if phi in changes:
        used.add(phi)
        return changes[phi]
    return rebuild(phi, tuple(_replace(part, changes, used) for part in children(phi)))


def shift(phi: Similarity, steps: Selector) -> Similarity:
    """φ of the part that `steps` lead to, as a similarity of the whole object.

    >>> from matchwise.algebra.build import eq, overlap
    >>> shift(eq("name") * overlap("ids", eq("key")), ("party",))
    eq("party.name") * overlap("party.ids", eq("key"))
    """
    if not steps:
        return phi
    if hasattr(phi, "sel"):
        return with_fields(phi, sel=(*steps, *phi.sel))  # type: ignore[type-var]  # every node is a dataclass
    return rebuild(phi, tuple(shift(part, steps) for part in children(phi)))


def close(phi: Similarity, bodies: Mapping[str, Similarity]) -> Similarity:
    """Write out the recursive similarities that φ refers to, given their bodies by name, so that φ can stand alone."""
    match phi:
        case nodes.Again(name, sel) if name in bodies:
            others = {other: body for other, body in bodies.items() if other != name}
            return nodes.Recursive(name, close(bodies[name], others), sel)
        case nodes.Recursive(name):
            bodies = {other: body for other, body in bodies.items() if other != name}
    return rebuild(phi, tuple(close(part, bodies) for part in children(phi)))


MIRRORED_MATCH: Final[dict[Match, Match]] = {"1:1": "1:1", "N:1": "1:N", "1:N": "N:1", "N:N": "N:N"}
MIRRORED_KIND: Final[dict[Kind, Kind]] = {
    "precision": "recall",
    "recall": "precision",
    "f1": "f1",
    "jaccard": "jaccard",
    "edit": "edit",
}


def mirror(phi: Similarity) -> Similarity | None:
    """The ψ with ψ(x, y) = φ(y, x) for all x and y, or None where the algebra has no word for it.

    >>> from matchwise.algebra.build import precision
    >>> mirror(precision("mentions", match="N:1"))
    recall("mentions", match="1:N")
    """
    match phi:
        case nodes.Leaf(kind, _, options) if not (kind.discrete or "symmetric" in kind.facts(dict(options))):
            return None
        case (
            nodes.Custom(declared=declared) | nodes.Contingency(declared=declared)
        ):  # said of φ as it is, with what is inside it
            return phi if {"symmetric", "kernel"} & set(declared) else None
        case nodes.Normalized(kind) if kind not in MIRRORED_KIND:
            return None
        case nodes.Subset():
            return None
        case Stepped(step) if not step.symmetric:
            return None
    mirrored = tuple(mirror(part) for part in children(phi))
    known = tuple(part for part in mirrored if part is not None)
    if len(known) < len(mirrored):
        return None
    match phi:
        case nodes.Harmonic():
            return nodes.Harmonic(known[1], known[0])
        case nodes.Normalized(kind, _, beta, empty):
            return nodes.Normalized(MIRRORED_KIND[kind], known[0], beta, empty)
        case nodes.Overlap(sel, _, matching, order):
            return nodes.Overlap(sel, known[0], MIRRORED_MATCH[matching], order, *known[1:])
        case _:
            return rebuild(phi, known)


def check_metric(phi: object, caller: str) -> Similarity:
    """The metric that is meant: a similarity, or that of a form; refuse anything else and say what to write.

    >>> check_metric("ner", "score()")
    Traceback (most recent call last):
    ...
    matchwise.errors.ExpressionError: score() needs a metric such as f1("relations"), not the string 'ner'. \
For a task: evaluate(ner.suite(), preds, refs).
    """
    if isinstance(phi, Scorer):
        return phi.metric
    if not isinstance(phi, Similarity):
        raise ExpressionError(
            f'{caller} needs a metric such as f1("relations"), not {describe(phi)}. {advise_metric(phi)}'
        )
    return phi

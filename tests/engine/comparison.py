"""Where the library and the second opinion differ about one expression and some pairs of documents."""

import re
from collections.abc import Iterator
from dataclasses import replace
from math import fsum, isclose
from random import Random
from typing import Any

import second_opinion
import small_cases

from matchwise import Alignment, MatchwiseError, Similarity, align, evaluate, score
from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Again, Contingency, Custom, Eq, Harmonic, Normalized, Overlap, Subset, Sum, Union
from matchwise.algebra.walk import parts

Documents = list[tuple[Any, Any]]

MANY = 16
"""Documents that are enough to be counted together."""


def differences(phi: Similarity, preds: list[Any], refs: list[Any], random: Random) -> Iterator[str]:
    """What differs for all pairs of a prediction and a reference, one sentence each, first the subject."""
    known = [(x, y) for x in preds for y in refs if is_known(phi, x, y)]
    if not known:
        return
    for x, y in known:
        exact = second_opinion.score(phi, x, y)
        if not is_same(score(phi, x, y), exact):
            yield f"score: {score(phi, x, y)} for {float(exact)} of {x} and {y}"
        yield from (f"alignment: {fault} of {x} and {y}" for fault in wrong_alignment(phi, x, y))
    several = known * -(-MANY // len(known))
    yield from wrong_counts(phi, several)
    yield from wrong_fields(phi, several)
    yield from wrong_labels(phi, several)
    if all(part.order == "bag" for part in parts(phi) if isinstance(part, Overlap)):
        yield from wrong_when_shuffled(phi, several, random)


def is_known(phi: Similarity, x: Any, y: Any) -> bool:
    """Whether neither side refuses the document; which one it is that looks at a wrong part first is nobody's law."""
    try:
        second_opinion.counts(phi, x, y)
        second_opinion.score(phi, x, y)
        evaluate(phi, [x], [y])
        align(phi, x, y)
    except (second_opinion.Refused, MatchwiseError):
        return False
    return True


def is_same(found: Any, exact: Any) -> bool:
    return isclose(found, exact, rel_tol=1e-12, abs_tol=1e-12)


def wrong_counts(phi: Similarity, documents: Documents) -> Iterator[str]:
    """Many documents counted together, by the outermost normaliser or as a mean."""
    preds, refs = [x for x, _ in documents], [y for _, y in documents]
    report = evaluate(phi, preds, refs)["score"]
    for place, (x, y) in enumerate(documents):
        exact = second_opinion.score(phi, x, y)
        if not is_same(report.per_document[place], exact):
            yield f"document: {report.per_document[place]} for {float(exact)} of {x} and {y}"
    if isinstance(phi, Normalized | Overlap | Sum):
        exact = tuple(map(sum, zip(*(second_opinion.counts(phi, x, y) for x, y in documents), strict=True)))
        found = report.counts.matched, report.counts.predicted, report.counts.reference
        if not all(map(is_same, found, exact)):
            yield f"counts: {found} for {tuple(map(float, exact))} of {documents}"
        if isinstance(phi, Normalized) and not is_same(report.value, second_opinion.ratio(phi, *exact)):
            yield f"value: {report.value} for {second_opinion.ratio(phi, *exact)} of {documents}"
    elif not isinstance(phi, Harmonic):
        exact = sum(second_opinion.score(phi, x, y) for x, y in documents) / len(documents)
        if not is_same(report.value, exact):
            yield f"value: {report.value} for {float(exact)} of {documents}"
    lean = evaluate(phi, preds, refs, keep="sums")["score"]
    if (lean.counts, lean.value, lean.macro) != (report.counts, report.value, report.macro):
        yield f"sums: {lean.counts} for {report.counts} of {documents}"


def wrong_fields(phi: Similarity, documents: Documents) -> Iterator[str]:
    """Σ_fields weight · right is what was matched."""
    if not isinstance(phi, Normalized | Overlap | Sum):
        return
    preds, refs = [x for x, _ in documents], [y for _, y in documents]
    report = evaluate(phi, preds, refs, fields=True)
    rows, counts = report.fields(), report["score"].counts
    for name, total in (("right", counts.matched), ("predicted", counts.predicted), ("reference", counts.reference)):
        made = fsum(row.weight * getattr(row, name) for row in rows)
        if not is_same(made, total):
            yield f"fields {name}: {made} for {total} of {documents}"


def wrong_labels(phi: Similarity, documents: Documents) -> Iterator[str]:
    """The counts of all labels add up to the counts."""
    below = phi.inner if isinstance(phi, Normalized) else phi
    if not isinstance(below, Overlap):
        return
    preds, refs = [x for x, _ in documents], [y for _, y in documents]
    report = evaluate(phi, preds, refs, by=label)
    counts = report["score"].counts
    for name in ("matched", "predicted", "reference", "found"):
        made = fsum(getattr(part["score"].counts, name) for part in report.by.values())
        if not is_same(made, getattr(counts, name)):
            yield f"labels {name}: {made} for {getattr(counts, name)} of {documents}"


def label(element: Any) -> str:
    return str(element.get("k", "none") if isinstance(element, dict) else element)


def wrong_when_shuffled(phi: Similarity, documents: Documents, random: Random) -> Iterator[str]:
    """The order of a bag changes no bit."""
    again = [(small_cases.shuffle(random, x), small_cases.shuffle(random, y)) for x, y in documents]
    for one, two in zip(documents, again, strict=True):
        if score(phi, *one) != score(phi, *two):
            yield f"shuffled score: {score(phi, *two)} for {score(phi, *one)} of {one}"
    fields = isinstance(phi, Normalized | Overlap | Sum)
    by = label if isinstance(phi.inner if isinstance(phi, Normalized) else phi, Overlap) else None
    one, two = (
        evaluate(phi, [x for x, _ in side], [y for _, y in side], fields=fields, by=by).to_dict()
        for side in (documents, again)
    )
    for name in one:
        if one[name] != two[name]:
            yield f"shuffled {name}: {two[name]} for {one[name]} of {documents}"


def wrong_alignment(phi: Similarity, x: Any, y: Any) -> Iterator[str]:
    """Every node of the alignment has the score of its part, made of its pairs, by a matching that is allowed."""
    found = align(phi, x, y)
    named = {repr(part): part for part in parts(phi)}
    if not is_same(found.score, second_opinion.score(phi, x, y)):
        yield f"score {found.score} for {float(second_opinion.score(phi, x, y))}"
    for node in found.walk():
        for side, path, value in ((x, node.pred_path, node.pred), (y, node.ref_path, node.ref)):
            if not second_opinion.same(resolve(side, path), value):
                yield f"{path} is {resolve(side, path)!r}, not {value!r}"
        part = named.get(node.text)
        if part is not None and not any(isinstance(inner, Again) for inner in parts(part)):
            yield from wrong_node(part, node)


def wrong_node(phi: Similarity, node: Alignment) -> Iterator[str]:
    below = [(pair.weight, pair.score) for pair in node.pairs]
    if node.kind in ("match", "sum") and not is_same(node.score, fsum(weight * value for weight, value in below)):
        yield f"{node.text} = {node.score} is not the sum of {below}"
    if node.kind == "leaf" and isinstance(phi, Eq | Contingency | Custom | Subset | Union):
        phi = replace(phi, sel=())  # a leaf shows the values that it selects
    exact = second_opinion.score(phi, node.pred, node.ref)
    if not is_same(node.score, exact):
        yield f"{node.text} = {node.score} for {float(exact)}"
    for side, worth in ((node.pred, node.predicted), (node.ref, node.reference)):
        exact = second_opinion.Evaluator({}, {}).self_score(phi, side)
        if not is_same(worth, exact) and not (worth == 1 and facts(phi).bounded):  # a value out of 1, outside a sum
            yield f"{node.text} of {side} with itself = {worth} for {float(exact)}"
    if isinstance(phi, Overlap):
        pairs = [
            (place(phi, node.pred_path, one.pred_path), place(phi, node.ref_path, one.ref_path)) for one in node.pairs
        ]
        us, before = second_opinion.structure(phi.order, second_opinion.select(node.pred, phi.sel))
        vs, after = second_opinion.structure(phi.order, second_opinion.select(node.ref, phi.sel))
        allowed = [*second_opinion.matchings(pairs, phi.match, phi.order, before, after)]
        if len(set(pairs)) < len(pairs) or tuple(pairs) not in allowed:
            yield f"{node.text} matches {pairs}"
        missed, spurious = ({part.path for part in rest} for rest in (node.missed, node.spurious))
        if {place(phi, node.pred_path, path) for path in spurious} != {*range(len(us))} - {i for i, _ in pairs}:
            yield f"{node.text} has {spurious} spurious beside {pairs}"
        if {place(phi, node.ref_path, path) for path in missed} != {*range(len(vs))} - {j for _, j in pairs}:
            yield f"{node.text} has {missed} missed beside {pairs}"


def place(phi: Overlap, above: str, path: str) -> int:
    """The number of the element of a collection that a path leads into: 3 of items[3].k in items."""
    collection = ".".join([*([above] if above else []), *map(str, phi.sel)])
    return int(path.removeprefix(collection)[1:].partition("]")[0])


def resolve(value: Any, path: str) -> Any:
    """What stands at a path such as items[3].tags[0]."""
    for number, name in re.findall(r"\[(\d+)\]|([^.\[\]]+)", path):
        value = value[int(number)] if number else value[name]
    return value

"""Zeros that refer back, and which of them a system resolves (Tuggener 2014), counted as corefud-scorer counts them.

A zero of the reference that is not the first mention of its entity is resolved if its counterpart is not the first of
its own entity, and that entity holds the counterpart of an earlier mention too. One that is linked elsewhere is wrong
on both sides, one without a counterpart is missing, and zeros that only the system has refer back to nothing.
"""

from __future__ import annotations

from itertools import chain, repeat

from matchwise.tasks.coref.entities import EntitySet, all_mentions
from matchwise.tasks.coref.pairing import Pairs, content, in_order, is_zero


def zero_anaphors(
    pred: EntitySet, ref: EntitySet, pairs: Pairs, *, with_head: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Numbers for the zeros of both sides that refer back; resolved ones have the same number.

    The counterpart of a mention is the equal one, if there is one, and only then the one that it is paired with: where
    a zero depends on other words than the zero at its place, the two differ, and one zero of the system can be the
    counterpart of two.
    """
    preds, refs = all_mentions(pred), all_mentions(ref)
    if not any(map(is_zero, chain(preds, refs))):
        return (), ()
    owner = list(chain.from_iterable(repeat(n, len(entity.mentions)) for n, entity in enumerate(pred.entities)))
    first = {entity[0] for entity in _entities(pred)}
    equal = {content(mention, with_head): i for i, mention in enumerate(preds)}
    paired = {j: i for i, j in pairs.items()}
    resolved: list[int] = []
    elsewhere: list[int] = []
    expected: list[int] = []
    covered: set[int] = set()
    for entity in _entities(ref):
        before: set[int] = set()
        for at, j in enumerate(entity):
            i = equal.get(content(refs[j], with_head), paired.get(j))
            if at and is_zero(refs[j]):
                expected.append(j)
                if i is not None:
                    covered.add(i)
                    if i not in first:
                        (resolved if owner[i] in before else elsewhere).append(j)
            if i is not None:
                before.add(owner[i])
    invented = [i for i, mention in enumerate(preds) if is_zero(mention) and i not in first and i not in covered]
    wrong = len(elsewhere) + len(invented)
    return (*resolved, *range(-wrong, 0)), tuple(expected)


def _entities(document: EntitySet) -> list[list[int]]:
    """The mentions of each entity, by position, in the order of the text."""
    found, start = [], 0
    for entity in document.entities:
        if entity.mentions:
            found.append([start + at for at in in_order(entity.mentions, range(len(entity.mentions)))])
        start += len(entity.mentions)
    return found

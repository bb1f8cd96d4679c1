"""Several references, element by element: what stands in any of them is acceptable, what stands in all is required.

The elements of the references are first matched with each other, if they are at least half alike: matched ones are
forms of one thing. A prediction is then matched with these things, each by its most similar form.

any   a thing that only some references have is right if it is predicted, and not missed if it is not
all   a thing that only some references have is no part of the reference: to predict it is wrong
"""

from __future__ import annotations

from typing import Any

from matchwise.algebra.build import best, custom, normalize, overlap
from matchwise.algebra.nodes import Match, Number, Similarity
from matchwise.corpus.elements import elements_of, root_collection, sort_by_content
from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import Tally
from matchwise.errors import ExpressionError
from matchwise.views.alignment import align

ALIKE = 0.5
"""How similar elements of two references must be to be forms of one thing."""

TINY = 1e-9
"""Similarities that differ by less count as equal."""


def count_elements(tally: Tally, pred: Any, refs: list[Any]) -> list[float]:
    """The row of a document: its counts under each metric."""
    if tally.scores.labels is not None or tally.scores.fields is not None:
        raise ExpressionError('references per element have no table by label or field; write per="document" for them')
    pred, prepared = _prepared(tally.suite, pred, refs)
    row: list[float] = []
    for name, phi in tally.suite.metrics.items():
        required_only = tally.suite.several is not None and tally.suite.several.how == "all"
        row += map(float, _count(name, phi, pred, prepared, required_only))
    return row


def _prepared(suite: Suite, pred: Any, refs: list[Any]) -> tuple[Any, list[Any]]:
    if suite.prepare is None:
        return pred, refs
    pairs = [suite.prepare(pred, ref) for ref in refs]
    if any(mine is not pairs[0][0] and mine != pairs[0][0] for mine, _ in pairs):
        raise ExpressionError(
            'the step before scoring makes a different prediction for each reference; write per="document"'
        )
    return pairs[0][0], [ref for _, ref in pairs]


def _count(name: str, phi: Similarity, pred: Any, refs: list[Any], required_only: bool) -> tuple[Number, ...]:
    """What a document has matched, predicted, in its reference and recalled."""
    try:
        sigma = root_collection(phi)
    except ExpressionError as error:
        raise ExpressionError(f'{name}: {error}, or write per="document"') from None
    if sigma.order != "bag" or sigma.align_by is not None:
        raise ExpressionError(f'{name}: references per element need a bag; write per="document" for {sigma!r}')
    forms = unite([elements_of(sigma, ref, "reference") for ref in refs], sigma.inner)
    if required_only:
        forms = [one for one in forms if len(one) == len(refs)]
    mine = _document([[element] for element in elements_of(sigma, pred, "prediction")])
    found = align(_things(sigma.inner, sigma.match), mine, _document(forms))
    spared: Number = sum(part.score for part in found.missed if len(part.value["forms"]) < len(refs))
    return found.score, found.predicted, found.reference - spared, found.score


def unite(references: list[list[Any]], phi: Similarity) -> list[list[Any]]:
    """The things that the references name, each as the list of its forms, at most one from each reference.

    >>> from matchwise.algebra.build import eq
    >>> unite([["a", "b"], ["b", "c"]], eq())
    [['b', 'b'], ['a'], ['c']]
    """
    first, *others = sort_by_content([sort_by_content(one) for one in references])
    forms = [[element] for element in first]
    sigma = _things(phi * (normalize(phi, "f1") >= ALIKE), "1:1")
    for more in others:
        found = align(sigma, _document([[element] for element in more]), _document(forms))
        forms = [
            *([*pair.ref["forms"], *pair.pred["forms"]] for pair in found.pairs),
            *(part.value["forms"] for part in (*found.missed, *found.spurious)),
        ]
    return forms


def _things(phi: Similarity, match: Match) -> Similarity:
    """Elements are compared with things by the most similar form, and equally similar things by how many have them."""
    alike = best("forms", phi)
    return overlap("things", alike, match=match, align_by=alike * custom(prefer, "references"))


def prefer(_: Any, references: int) -> float:
    """Slightly less than 1, and the more, the more references have a thing: it decides between equals only."""
    return 1 - TINY / references


def _document(forms: list[list[Any]]) -> dict[str, Any]:
    return {"things": [{"forms": one, "references": len(one)} for one in forms]}

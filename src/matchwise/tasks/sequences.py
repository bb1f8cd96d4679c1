"""Sequences of anything: P, R and F1 by the longest common subsequence (paper §5), Jaccard, and position by position.

>>> from matchwise.corpus.tally import Tally
>>> Tally(suite()).add([1, 2, 3, 4, 5], [1, 3, 5, 7, 9]).report()["lcs"].counts
Counts(matched=3, predicted=5, reference=5)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matchwise.algebra.build import eq, f1, jaccard
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Suite
from matchwise.tasks import Task, similarity_option
from matchwise.tasks.sets import refuse_document, value_under


def suite(preset: str = "paper", *, items: Similarity | None = None) -> Suite:
    """The metrics of sequences, for lists and for dictionaries that have one under `items` (or `tokens`).

    >>> suite()["lcs"]
    f1(sequences.sequence, order="sequence")
    """
    TASK.check(preset, items=items)
    phi = eq() if items is None else items
    metrics = {
        "lcs": f1(sequence, phi, order="sequence"),
        "jaccard": jaccard(sequence, phi, order="sequence"),
        "position": f1(sequence, phi, order="index"),
        "exact": f1(sequence, phi, order="sequence") >= 1,
    }
    return TASK.make_suite(preset, metrics, title={"items": items})


def sequence(document: Any) -> list[Any]:
    """The items of a list or tuple, the words of a text, or what a dictionary has under `items` or `tokens`."""
    match document:
        case list() | tuple():
            return list(document)
        case str():
            return document.split()
        case Mapping():
            names = ("items", "tokens", "sequence", "values", "text", "prediction")
            items = value_under(document, names, "a sequence under 'items'")
            return [] if items is None else sequence(items)
    raise refuse_document("a list", document)


TASK = Task(
    name="sequences",
    title="sequences of anything: F1 and Jaccard by the longest common subsequence, position by position, exact match",
    presets={
        "paper": (
            "order-preserving matching as in the paper: the best common subsequence, also of graded items; 0/0 is 1."
        )
    },
    suite=suite,
    options=(similarity_option("items", "items", "the credit of two items", default="eq()", example="edit()"),),
    references={"lcs": ("hirschberg-1977",)},
    example="matchwise score sequences system.jsonl -r gold.jsonl",
)

"""One side of a text with the words of the reference as the measure: each word is an arc to its head.

Word 3 of the reference is 3 on both sides. A predicted word that is none of the reference has a number below 0, so that
it equals none; the head of a root is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from matchwise.tasks.dependencies.words import Text


class Arc(NamedTuple):
    """A word and its relation to its head."""

    dep: int
    gov: int
    rel: str
    """The relation without its subtype."""
    deprel: str
    upos: str
    xpos: str
    feats: str
    """The universal features."""
    lemma: str
    functional: tuple[int | str, ...]
    """Number, relation, tag and features of each function word that depends on it, one after the other."""


class Edge(NamedTuple):
    """An edge of the enhanced graph; its label may be a path through nodes that were collapsed."""

    dep: int
    gov: int
    label: str


class Aligned:
    """One side of a text; compared by what its collections hold."""

    __slots__ = ("aligned", "aligned_content", "arcs", "content", "edges", "sentences", "side", "tokens")

    def __init__(
        self,
        side: str,
        text: Text,
        arcs: Sequence[Arc],
        content: Sequence[Arc],
        edges: Sequence[Edge],
        aligned: Sequence[Arc] | None = None,
        aligned_content: Sequence[Arc] | None = None,
    ) -> None:
        self.side = side
        self.tokens = text.tokens
        self.sentences = text.sentences
        self.arcs = arcs
        self.content = content
        self.edges = edges
        self.aligned = arcs if aligned is None else aligned
        """A reference has the words here that the prediction has too; in a prediction all words may stay."""
        self.aligned_content = content if aligned_content is None else aligned_content

    def __repr__(self) -> str:
        return f"<{self.side} of {len(self.arcs)} words>"

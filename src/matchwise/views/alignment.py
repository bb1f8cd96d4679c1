"""Which part was matched with which: a tree of pairs with scores, values and the path of each on both sides."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from matchwise.algebra.nodes import Number, Scorer, Similarity
from matchwise.algebra.walk import check_metric
from matchwise.engine.limits import Limits, start_search
from matchwise.engine.one.parts import Part, compare_all
from matchwise.engine.operators.operator import Match, MatchKind, Unmatched
from matchwise.engine.plan import Plan, plan
from matchwise.views.html import to_html, with_style
from matchwise.views.model import View, view_of
from matchwise.views.text import to_text
from matchwise.views.values import number, plain


@dataclass(frozen=True, slots=True)
class UnmatchedPart:
    """A part of one side that no part of the other side was matched with; `score` is what it was worth."""

    path: str
    value: Any
    score: Number


@dataclass(frozen=True, repr=False, slots=True)
class Alignment:
    """The score of two objects, with the pairs of parts that it is made of.

    match      score = Σ score of the pairs: the elements of two collections
    sum        score = Σ weight · score of the pairs: the fields of two records
    product    score = Π score of the pairs
    mean       score from two or more pairs of the same objects (weighted or harmonic mean)
    normalize  score from the one pair beneath it and the two self-scores
    bracket    score is a function of the one pair beneath it
    latent     score is that of the one pair beneath it, under the matching of `variables`
    leaf       two values

    >>> import matchwise as mw
    >>> alignment = mw.align(mw.f1("xs"), {"xs": ["a", "b"]}, {"xs": ["a"]})
    >>> alignment.score
    0.6666666666666666
    """

    kind: MatchKind
    text: str
    score: Number
    pred_path: str
    ref_path: str
    pred: Any
    ref: Any
    pairs: tuple[Alignment, ...] = ()
    missed: tuple[UnmatchedPart, ...] = ()
    spurious: tuple[UnmatchedPart, ...] = ()
    weight: Number = 1
    predicted: Number = 1
    reference: Number = 1
    variables: tuple[tuple[str, Any, Any], ...] = ()
    """The matched variables of `latent`: space, predicted name, reference name."""
    proved: bool = True
    """Whether no better alignment was left out by a limit."""
    look: Callable[[], View] | None = field(default=None, compare=False)
    """How a task shows it, if it does so in a way of its own."""

    def __iter__(self) -> Iterator[Alignment]:
        """The matched elements of the outermost collection (or the fields of the outermost record)."""
        return iter(self.inner.pairs)

    @property
    def inner(self) -> Alignment:
        """The alignment beneath normalisers and brackets."""
        below = self
        while below.kind in ("normalize", "bracket", "latent") and below.pairs:
            below = below.pairs[0]
        return below

    def walk(self) -> Iterator[Alignment]:
        """This pair and all pairs inside it."""
        yield self
        for pair in self.pairs:
            yield from pair.walk()

    def leaves(self) -> Iterator[Alignment]:
        """All pairs of values."""
        return (pair for pair in self.walk() if pair.kind == "leaf")

    def to_dict(self) -> dict[str, Any]:
        """The whole tree as plain data."""
        matched = [{"space": space, "pred": plain(x), "ref": plain(y)} for space, x, y in self.variables]
        return {
            "kind": self.kind,
            "similarity": self.text,
            "score": float(self.score),
            "weight": float(self.weight),
            "predicted": float(self.predicted),
            "reference": float(self.reference),
            "pred": {"path": self.pred_path, "value": plain(self.pred)},
            "ref": {"path": self.ref_path, "value": plain(self.ref)},
            "pairs": [pair.to_dict() for pair in self.pairs],
            "missed": [_part(part) for part in self.missed],
            "spurious": [_part(part) for part in self.spurious],
            **({"variables": matched} if self.kind == "latent" else {}),
            **({} if self.proved else {"proved": False}),
        }

    def to_json(self, indent: int | None = None) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def view(self) -> View:
        """The alignment as people see it."""
        return view_of(self) if self.look is None else self.look()

    def __str__(self) -> str:
        return to_text(self.view())

    def __repr__(self) -> str:
        return f"<Alignment {number(self.score)}: {self.view().why}>"

    def _repr_html_(self) -> str:
        return with_style(to_html(self.view()))


def _part(part: UnmatchedPart) -> dict[str, Any]:
    return {"path": part.path, "value": plain(part.value), "score": float(part.score)}


def align(
    phi: Similarity | Scorer, pred: Any, ref: Any, *, time_limit: float | None = None, gap: float = 0.0
) -> Alignment:
    """The best matching behind a score, down to the leaves; with a limit, the best that was found in time."""
    [found] = align_all(phi, [pred], [ref], time_limit=time_limit, gap=gap)
    return found


TOGETHER = 32
"""Documents that are matched together: an alignment takes 50 KB for an invoice of a dozen lines."""


def align_all(
    phi: Similarity | Scorer,
    preds: Sequence[Any],
    refs: Sequence[Any],
    *,
    time_limit: float | None = None,
    gap: float = 0.0,
) -> Iterator[Alignment]:
    """The same of several documents, some of which are matched together unless each has a search with a limit."""
    made, limits = plan(check_metric(phi, "align()")), Limits(time_limit, gap)
    some = 1 if limits else TOGETHER
    for start in range(0, len(preds), some):
        with start_search(limits) if limits else nullcontext() as search:
            found = build_alignments(made, preds[start : start + some], refs[start : start + some])
        yield from [replace(one, proved=not search.open) for one in found] if search else found


def build_alignments(
    made: Plan, preds: Sequence[Any], refs: Sequence[Any], *, only_wrong: bool = False
) -> list[Alignment]:
    """The alignments of documents, matched together; with `only_wrong`, without pairs that are right."""

    def read(p: Part, r: Part) -> Alignment:
        return _alignment(made.operator.match(p, r))

    return compare_all(made.step, made.operator.solve_all, read, preds, refs, only_wrong=only_wrong)


def _alignment(found: Match) -> Alignment:
    """A match with the paths of its parts written out."""
    return Alignment(
        found.kind,
        found.text,
        found.score,
        found.pred.path(),
        found.ref.path(),
        found.pred.value,
        found.ref.value,
        tuple(map(_alignment, found.pairs)),
        _unmatched_parts(found.missed),
        _unmatched_parts(found.spurious),
        found.weight,
        found.predicted,
        found.reference,
        found.variables,
    )


def _unmatched_parts(parts: Unmatched) -> tuple[UnmatchedPart, ...]:
    return tuple([UnmatchedPart(part.path(), part.value, worth) for part, worth in parts])

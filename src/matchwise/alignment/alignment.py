"""Which part was matched with which: a tree of pairs with scores, values and the path of each on both sides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from matchwise.algebra.nodes import Number
from matchwise.alignment.values import WIDTH, plain, short
from matchwise.deriving.faults import Undeclared

Kind: TypeAlias = Literal["leaf", "match", "sum", "product", "mean", "normalize", "bracket", "latent"]


SHOWN = 4
"""Where more fields of a record are right than this, they are printed in one row."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of one side that no part of the other side was matched with; `score` is what it was worth."""

    path: str
    value: Any
    score: Number


@dataclass(frozen=True, slots=True)
class Alignment:
    """φ(pred, ref), and the pairs it is made of.

    match      score = Σ score of the pairs: the elements of two collections
    sum        score = Σ weight · score of the pairs: the fields of two records
    product    score = Π score of the pairs
    mean       score from two or more pairs of the same objects (weighted or harmonic mean)
    normalize  score from the one pair beneath it and the two self-scores
    bracket    score is a function of the one pair beneath it
    latent     score is that of the one pair beneath it, under the matching of `variables`
    leaf       two values
    """

    kind: Kind
    text: str
    score: Number
    pred_path: str
    ref_path: str
    pred: Any
    ref: Any
    pairs: tuple[Alignment, ...] = ()
    missed: tuple[Part, ...] = ()
    spurious: tuple[Part, ...] = ()
    weight: Number = 1
    predicted: Number = 1
    reference: Number = 1
    variables: tuple[tuple[str, Any, Any], ...] = ()
    """The matched variables of `latent`: space, predicted name, reference name."""
    proved: bool = True
    """Whether no better alignment was left out by a limit."""

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

    def __str__(self) -> str:
        rows = list(_rows(self.inner, ""))
        left = max((len(row[0]) for row in rows), default=0)
        right = max((len(row[1]) for row in rows), default=0)
        lines = [f"{a:<{left}}  {b:<{right}}  {c}".rstrip() for a, b, c in rows]
        return "\n".join([_headline(self), *_names(self), *lines])


def _part(part: Part) -> dict[str, Any]:
    return {"path": part.path, "value": plain(part.value), "score": float(part.score)}


def _headline(alignment: Alignment) -> str:
    text = alignment.text if len(alignment.text) <= 80 else alignment.text[:77] + "..."
    return f"{text} = {number(alignment.score)}   ({counts(alignment)})"


def counts(alignment: Alignment) -> str:
    """What was matched of how much, and whether a limit left it unproved."""
    below = alignment.inner
    amounts = zip((below.score, below.predicted, below.reference), ("matched", "predicted", "reference"), strict=True)
    limited = () if alignment.proved else ("the best found within the limits, not proved",)
    return ", ".join([*(f"{number(amount)} {name}" for amount, name in amounts), *limited])


def _names(alignment: Alignment) -> Iterator[str]:
    """The matched variables, one line for each space."""
    spaces = dict.fromkeys(space for space, _, _ in alignment.variables)
    for space in spaces:
        pairs = [f"{short(x)} ~ {short(y)}" for other, x, y in alignment.variables if other == space]
        yield f"variables {space + ' ' if space else ''}{', '.join(pairs)}"


def _rows(node: Alignment, indent: str) -> Iterator[tuple[str, str, str]]:
    """(paths, score, what): one row per pair; a pair of records or collections is opened unless it is all right."""
    plain = [pair for pair in node.pairs if node.kind == "sum" and pair.inner.kind == "leaf" and _is_right(pair)]
    together = plain if len(plain) > SHOWN else []
    for pair in node.pairs:
        if pair not in together:
            yield from _pair_rows(pair, indent)
    if together:
        names = ", ".join(pair.pred_path.removeprefix(node.pred_path).removeprefix(".") for pair in together)
        yield f"{indent}= {len(together)} others", "", names if len(names) <= WIDTH else names[: WIDTH - 1] + "…"
    for part in node.missed:
        yield f"{indent}- {part.path or 'all'}", f"0/{number(part.score)}", f"missed    {short(part.value)}"
    for part in node.spurious:
        if isinstance(part.value, tuple) and part.value and all(isinstance(one, Undeclared) for one in part.value):
            for one in part.value:
                yield f"{indent}+ {one.path}", "0/1", f"undeclared  {short(one.value)}"
        else:
            yield f"{indent}+ {part.path or 'all'}", f"0/{number(part.score)}", f"spurious  {short(part.value)}"


def _is_right(pair: Alignment) -> bool:
    below = pair.inner
    whole = pair.score == max(pair.predicted, pair.reference) and pair.predicted == pair.reference
    return whole and not below.missed and not below.spurious


def _pair_rows(pair: Alignment, indent: str) -> Iterator[tuple[str, str, str]]:
    below = pair.inner
    full = max(pair.predicted, pair.reference)
    right = _is_right(pair)
    mark = "=" if right else "≈" if pair.score else "≠"
    paths = pair.pred_path if pair.pred_path == pair.ref_path else f"{pair.pred_path} ~ {pair.ref_path}"
    credit = f"{number(pair.score)}/{number(full)}"
    if pair.weight != 1:
        credit = f"{number(pair.weight)} × {credit}"
    if below.kind == "leaf" or right or not (below.pairs or below.missed or below.spurious):
        same = right and short(pair.pred) == short(pair.ref)
        values = short(pair.pred) if same else f"{short(pair.pred)} {mark} {short(pair.ref)}"
        yield f"{indent}{mark} {paths or 'all'}", credit, values
        return
    yield f"{indent}{mark} {paths or 'all'}", credit, ""
    yield from _rows(below, indent + "  ")


def number(value: Number) -> str:
    """An integer as it is, anything else with four digits."""
    as_float = float(value)
    return str(int(as_float)) if as_float.is_integer() else f"{as_float:.4f}"

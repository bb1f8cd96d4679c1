"""How clauses go wrong: a wrong concept, role, operator, box or argument; missing or extra clauses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from matchwise.corpus.suite import Suite
from matchwise.deriving.hints import Var
from matchwise.tasks.analysis import Analyse, pair_up, view_of_levels
from matchwise.tasks.drs.structures import Clause
from matchwise.views.alignment import Alignment, align
from matchwise.views.analysis import Level
from matchwise.views.model import Chunk, Line, Lines, Status, View


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a structure under the matching of its boxes and referents."""
    return lambda pred, ref: [_level(_aligned(suite, metric, pred, ref))]


def _aligned(suite: Suite, metric: str, pred: Any, ref: Any) -> Alignment:
    return align(suite.metrics[metric], pred, ref)


def _level(found: Alignment) -> Level:
    below = found.inner
    same = {(space, x): y for space, x, y in found.variables}

    def moved(one: Clause) -> Clause:
        box, first, second = (
            same.get((type(value).__name__, value)) if isinstance(value, Var) else value
            for value in (one.box, one.first, one.second)
        )
        return one._replace(box=box, first=first, second=second)  # type: ignore[arg-type]  # None matches nothing

    def named(kind: str, fields: tuple[str, ...], of: str | None = None) -> Any:
        def key(one: Clause) -> Any:
            values = tuple(getattr(one, field) for field in fields)
            return None if None in values or (of is not None and one.kind != of) else (one.kind, *values)

        return kind, lambda one: key(moved(one)), key

    rules = [
        named("wrong concept", ("box", "first"), "concept"),
        named("wrong role", ("box", "first", "second"), "role"),
        named("wrong operator", ("box", "first", "second"), "operator"),
        named("wrong box", ("rel", "first", "second")),
        named("wrong argument", ("box", "rel", "first")),
        named("wrong argument", ("box", "rel", "second")),
    ]
    missed, spurious = ([part.value for part in side] for side in (below.missed, below.spurious))
    rest = (lambda one: "missing clause", lambda one: "extra clause")
    cases = [
        replace(case, pred=case.pred and say(case.pred), ref=case.ref and say(case.ref))
        for case in pair_up(missed, spurious, rules, rest)
    ]
    right = tuple((pair.pred, pair.ref) for pair in below.pairs)
    return Level("clauses", below.score, below.predicted, below.reference, tuple(cases), right)


def say(clause: Clause) -> str:
    """`b1 Agent e1 x1`."""
    return " ".join(str(word) for word in (clause.box, clause.rel, clause.first, clause.second) if word != "")


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """The clauses that are wrong, and those of both sides with these marked."""
    found = _aligned(suite, metric, pred, ref)
    level, below = _level(found), found.inner
    made = view_of_levels([level], metric, found.score, (), ())
    if not level.cases:
        return made
    sides: tuple[tuple[str, list[Clause], list[Clause], Status], ...] = (
        ("predicted", [pair.pred for pair in below.pairs], [part.value for part in below.spurious], "spurious"),
        ("reference", [pair.ref for pair in below.pairs], [part.value for part in below.missed], "missed"),
    )
    lines = [
        Lines(
            title,
            tuple(Line((Chunk(say(one)),), 0, status if one in wrong else "right") for one in sorted({*right, *wrong})),
        )
        for title, right, wrong, status in sides
    ]
    spaces = dict.fromkeys(space for space, _, _ in found.variables)
    pairs = {space: ", ".join(f"{x} ~ {y}" for other, x, y in found.variables if other == space) for space in spaces}
    notes = tuple(f"variables {space + ' ' if space else ''}{names}" for space, names in pairs.items())
    return replace(made, parts=(*made.parts, *lines), notes=notes)

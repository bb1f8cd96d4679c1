"""How clauses go wrong: a wrong concept, role, operator, box or argument; missing or extra clauses."""

from __future__ import annotations

from typing import Any

from matchwise.corpus.suite import Suite
from matchwise.deriving.hints import Var
from matchwise.tasks.declaration import Analyse
from matchwise.tasks.drs.structures import Clause
from matchwise.tasks.errors import Rule, join_keys, say_cases, sort_out_alignment
from matchwise.tasks.views import view_of_levels
from matchwise.views.alignment import Alignment, align
from matchwise.views.errors import Level
from matchwise.views.model import Chunk, Line, Lines, Status, View, name_variables

KINDS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("wrong concept", ("box", "first"), "concept"),
    ("wrong role", ("box", "first", "second"), "role"),
    ("wrong operator", ("box", "first", "second"), "operator"),
    ("wrong box", ("rel", "first", "second"), ""),
    ("wrong argument", ("box", "rel", "first"), ""),
    ("wrong argument", ("box", "rel", "second"), ""),
)
"""Kind, the fields that a spurious and a missing clause have in common then, and the kind of clause if it is one."""


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a structure under the matching of its boxes and referents."""
    return lambda pred, ref: [_level(align(suite.metrics[metric], pred, ref))]


def _level(found: Alignment) -> Level:
    same = {(space, x): y for space, x, y in found.variables}

    def move(one: Clause) -> Clause:
        box, first, second = (
            same.get((type(value).__name__, value)) if isinstance(value, Var) else value
            for value in (one.box, one.first, one.second)
        )
        return one._replace(box=box, first=first, second=second)  # type: ignore[arg-type]  # None matches nothing

    def rule(kind: str, fields: tuple[str, ...], of: str) -> Rule:
        def key(one: Clause) -> Any:
            values = tuple(getattr(one, field) for field in fields)
            return None if None in values or one.kind not in (of or one.kind,) else (one.kind, *values)

        return join_keys(kind, lambda one: key(move(one)), key)

    rules = (rule(*one) for one in KINDS)
    return say_cases(sort_out_alignment("clauses", found.inner, rules, "missing clause", "extra clause"), say, say)


def say(clause: Clause) -> str:
    """`b1 Agent e1 x1`."""
    return " ".join(str(word) for word in (clause.box, clause.rel, clause.first, clause.second) if word != "")


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """The wrong clauses, and all clauses of both sides with the wrong ones marked."""
    found = align(suite.metrics[metric], pred, ref)
    below = found.inner
    sides: tuple[tuple[str, list[Clause], list[Clause], Status], ...] = (
        ("predicted", [pair.pred for pair in below.pairs], [part.value for part in below.spurious], "spurious"),
        ("reference", [pair.ref for pair in below.pairs], [part.value for part in below.missed], "missed"),
    )
    drawn = [
        Lines(
            title,
            tuple(Line((Chunk(say(one)),), 0, status if one in wrong else "right") for one in sorted({*right, *wrong})),
        )
        for title, right, wrong, status in sides
    ]
    return view_of_levels([_level(found)], metric, found.score, drawn=drawn, notes=name_variables(found))

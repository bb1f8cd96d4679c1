"""How graphs go wrong: a wrong concept, relation, value or target; nodes, relations and attributes missing or extra."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from matchwise.algebra.nodes import Latent
from matchwise.algebra.steps import split_step
from matchwise.corpus.suite import Suite
from matchwise.deriving.hints import Var
from matchwise.tasks.amr.graphs import AMR, INSTANCE
from matchwise.tasks.declaration import Analyse
from matchwise.tasks.errors import Rule, analyse_fields, join_keys, say_cases, sort_out_alignment
from matchwise.tasks.views import view_of_levels
from matchwise.views.alignment import Alignment, align
from matchwise.views.errors import Case, Level
from matchwise.views.model import Chunk, Line, Lines, Status, View, name_variables

KINDS: dict[str, Callable[[Any, str, Any], tuple[Any, ...]]] = {
    "wrong concept": lambda subj, rel, obj: (subj,) if rel == INSTANCE else (None,),
    "wrong relation": lambda subj, rel, obj: (subj, obj),
    "wrong value": lambda subj, rel, obj: (None,) if obj is None or isinstance(obj, Var) else (subj, rel),
    "wrong target": lambda subj, rel, obj: (subj, rel),
}
"""What a spurious and a missing proposition have in common that are one error; None has nothing in common."""


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a graph under the matching of its variables; names and other bags are compared value by value."""
    if not _has_variables(suite, metric):
        return analyse_fields(suite, metric)
    return lambda pred, ref: [_level(*_align(suite, metric, pred, ref))]


def _align(suite: Suite, metric: str, pred: Any, ref: Any) -> tuple[Alignment, AMR, AMR]:
    step, phi = split_step(suite.metrics[metric])
    mine, theirs = (pred, ref) if step is None else step(pred, ref)
    return align(phi, mine, theirs), mine, theirs


def _has_variables(suite: Suite, metric: str) -> bool:
    _, phi = split_step(suite.metrics[metric])
    return isinstance(phi, Latent)


def _level(found: Alignment, pred: AMR, ref: AMR) -> Level:
    same = {x: y for _, x, y in found.variables}
    mine, theirs = _concepts(pred), _concepts(ref)

    def rule(kind: str) -> Rule:
        def key(subj: Any, rel: str, obj: Any) -> Any:
            made = KINDS[kind](subj, rel, obj)
            return None if None in made else made

        def of_pred(prop: Any) -> Any:
            subj, obj = (same.get(end) if isinstance(end, Var) else end for end in (prop.subj, prop.obj))
            return key(subj, prop.rel, obj)

        return join_keys(kind, of_pred, lambda prop: key(prop.subj, prop.rel, prop.obj))

    def name(case: Case) -> Case:
        return case if case.kind in KINDS else replace(case, kind=f"{case.kind} {_name(case.ref or case.pred)}")

    level = sort_out_alignment("propositions", found.inner, map(rule, KINDS), "missing", "extra").revise(name)
    return say_cases(level, lambda one: _say(one, mine), lambda one: _say(one, theirs))


def _name(prop: Any) -> str:
    if prop.rel == INSTANCE:
        return "concept"
    return "relation" if isinstance(prop.obj, Var) else "attribute"


def _concepts(graph: AMR) -> dict[Any, str]:
    """Map each node to its concept."""
    return {prop.subj: str(prop.obj) for prop in graph.props if prop.rel == INSTANCE}


def _say(prop: Any, concepts: dict[Any, str]) -> str:
    if prop.rel == INSTANCE:
        return f"{prop.subj} / {prop.obj}"
    target = concepts.get(prop.obj, prop.obj) if isinstance(prop.obj, Var) else prop.obj
    return f"{concepts.get(prop.subj, prop.subj)} :{prop.rel} {target}"


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """The propositions that are wrong, and both graphs in PENMAN notation with these marked."""
    if not _has_variables(suite, metric):
        return replace(align(suite.metrics[metric], pred, ref).view(), metric=metric)
    found, mine, theirs = _align(suite, metric, pred, ref)
    below = found.inner
    sides = (("predicted", mine, below.spurious, "spurious"), ("reference", theirs, below.missed, "missed"))
    drawn = [
        Lines(title, tuple(penman(graph, {part.value for part in parts}, status)))  # type: ignore[arg-type]  # a status
        for title, graph, parts, status in sides
    ]
    levels = [_level(found, mine, theirs)]
    return view_of_levels(levels, metric, found.score, drawn=drawn, notes=name_variables(found))


def penman(graph: AMR, wrong: Iterable[Any], status: Status) -> Iterator[Line]:
    """Write the graph line by line, each node once; a relation is inverted if nothing else reaches its node."""
    marked, concepts = set(wrong), _concepts(graph)
    waiting: list[tuple[Any, Any, int, bool]] = [(None, graph.top, 0, False)] if graph.top is not None else []
    seen: set[Any] = set()
    said: set[Any] = set()
    props = [prop for prop in graph.props if prop.rel != INSTANCE]
    while True:
        while waiting:
            prop, name, depth, back = waiting.pop()
            if prop is not None and prop in said:
                continue
            said.add(prop)
            role = "" if prop is None else f":{prop.rel}{'-of' if back else ''} "
            chunks = [Chunk(role, status if prop in marked else None)] if role else []
            if not isinstance(name, Var) or name in seen:
                yield _line([*chunks, Chunk(str(name), status if prop in marked else None)], depth, status)
                continue
            seen.add(name)
            is_wrong = any(one.rel == INSTANCE and one.subj == name for one in marked)
            yield _line(
                [*chunks, Chunk(f"({name} / {concepts.get(name, '?')})", status if is_wrong else None)], depth, status
            )
            out = [(one, one.obj, depth + 1, False) for one in props if one.subj == name and one not in said]
            into = [(one, one.subj, depth + 1, True) for one in props if one.obj == name and one.subj not in seen]
            waiting += [*reversed(into), *reversed(out)]
        left = next((name for name in concepts if name not in seen), None)
        if left is None:
            return
        waiting.append((None, left, 0, False))


def _line(chunks: list[Chunk], depth: int, status: Status) -> Line:
    return Line(tuple(chunks), depth, status if any(chunk.status for chunk in chunks) else "right")

"""What is wrong with calls: tools, arguments, values and order; and the calls of a document side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from matchwise.algebra.build import normalize, overlap
from matchwise.corpus.suite import Suite
from matchwise.engine.keys import key
from matchwise.engine.one.pairs import chosen_pairs
from matchwise.engine.plan import score
from matchwise.tasks import Analyse
from matchwise.tasks.errors import Rule, analyse_alone, analyse_fields, by_key, sort_out
from matchwise.tasks.toolcalls.steps import ReadCall, ResolvedCalls
from matchwise.views.errors import Case, Level
from matchwise.views.model import View, ViewRow, ViewRows
from matchwise.views.values import write_both, write_value

KINDS = {"missed": "missed argument", "spurious": "spurious argument", "undeclared": "unknown argument"}


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of each document, in names and values of arguments, as the score of the preset `calls` counts them."""
    step = _step_of(suite)
    fields = analyse_fields(Suite(arguments=normalize(step.arguments, "f1")), "arguments")

    def levels(pred: Any, ref: Any) -> list[Level]:
        mine, theirs, pairs = _pair(step, pred, ref)
        places = ((i, j, 1) for i, j in pairs)
        level = sort_out("values", mine, theirs, places, RULES, missed="missed call", spurious="spurious call")
        cases = [_whole(step, case) for case in level.cases]
        for i, j in pairs:
            [[found]] = fields([mine[i]], [theirs[j]])
            for case in (one for one in found.cases if one.lost):  # an argument that is null costs nothing
                where = case.where.removeprefix("arguments").removeprefix(".")
                cases.append(replace(case, kind=KINDS.get(case.kind, case.kind), where=f"{mine[i].name}.{where}"))
        sizes = [sum(score(step.call, one, one) for one in side) for side in (mine, theirs)]
        matched = sum(score(step.call, mine[i], theirs[j]) for i, j in pairs)
        right = [(mine[i], theirs[j]) for i, j in pairs if key(mine[i]) == key(theirs[j])]
        return [Level("values", matched, sizes[0], sizes[1], tuple(cases), tuple((_say(a), _say(b)) for a, b in right))]

    return analyse_alone(levels)


def _step_of(suite: Suite) -> ResolvedCalls:
    found = [step.function for step in suite.steps if isinstance(step.function, ResolvedCalls)]
    return found[0] if found else ResolvedCalls()


Pairs = list[tuple[int, int]]


def _pair(step: ResolvedCalls, pred: Any, ref: Any) -> tuple[tuple[ReadCall, ...], tuple[ReadCall, ...], Pairs]:
    """The calls of both sides, and the places of those that were paired."""
    mine, theirs = step(pred, ref)
    return mine.calls, theirs.calls, chosen_pairs(overlap("calls", step.call, order=step.order), mine, theirs)


def _arguments(call: ReadCall) -> Any:
    return key(dict(call.arguments)) if call.arguments else None


RULES = Rule("wrong order", by_key(key)), Rule("wrong tool", by_key(_arguments))


def _whole(step: ResolvedCalls, case: Case) -> Case:
    """A case of a call as a whole, which loses its name and all of its values."""
    one = case.pred if case.ref is None else case.ref
    pred, ref = (None if side is None else _say(side) for side in (case.pred, case.ref))
    return replace(case, pred=pred, ref=ref, lost=score(step.call, one, one))


def _say(call: ReadCall) -> str:
    return f"{call.name}({', '.join(f'{name}={write_value(value)}' for name, value in _given(call).items())})"


def _given(call: ReadCall) -> dict[str, Any]:
    """The arguments of a call, also those that its tool does not declare."""
    more = {one.path: one.value for one in getattr(call.arguments, "undeclared", ())}
    return {name: value for name, value in call.arguments.items() if value is not None} | more


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """The calls of both sides, those that were paired side by side, argument by argument."""
    step = _step_of(suite)
    mine, theirs, pairs = _pair(step, pred, ref)
    [[level]] = errors(suite, metric)([pred], [ref])
    rows = [row for i, j in pairs for row in _rows(mine[i], theirs[j])]
    rows += [
        ViewRow(case.status, case.kind, case.pred, case.ref)
        for case in level.cases
        if case.kind in ("missed call", "spurious call", "wrong tool", "wrong order")
    ]
    counts = level.matched, level.predicted, level.reference
    return View("", (ViewRows(tuple(rows)),), metric, score(suite.metrics[metric], pred, ref), counts)


def _rows(mine: ReadCall, theirs: ReadCall) -> Iterator[ViewRow]:
    own, other = _given(mine), _given(theirs)
    is_right = key(own) == key(other)
    yield ViewRow("right" if is_right else "partial", mine.name, mine.name, theirs.name)
    for name in {**other, **own}:
        if name not in own:
            yield ViewRow("missed", name, None, write_value(other[name]), depth=1)
        elif name not in other:
            yield ViewRow("spurious", name, write_value(own[name]), None, depth=1)
        else:
            same = key(own[name]) == key(other[name])
            yield ViewRow("right" if same else "wrong", name, *write_both(own[name], other[name]), depth=1)

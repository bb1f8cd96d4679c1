"""Calls of tools by agents: which tools, with which arguments, in which order.

>>> from matchwise.corpus.tally import Tally
>>> ref = [{"name": "search", "arguments": {"query": "tea", "limit": 5}}]
>>> report = Tally(suite()).add('[search(query="tea", limit=10)]', ref).report()
>>> round(report["score"].f1, 4), report["names"].f1, report["exact"].value
(0.6667, 1.0, 0.0)

A call counts one for its name and one for each value among its arguments. Calls are matched so that the total is best.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from matchwise.algebra.build import best, eq, f1, normalize, overlap, precision, recall
from matchwise.algebra.steps import step
from matchwise.corpus.suite import Suite
from matchwise.deriving.hints import Setting
from matchwise.engine.keys import key
from matchwise.engine.one.pairs import chosen_pairs
from matchwise.engine.plan import score
from matchwise.errors import ExpressionError
from matchwise.tasks import Analyse, Option, Task
from matchwise.tasks.errors import Rule, analyse_alone, analyse_fields, by_key, sort_out
from matchwise.tasks.toolcalls.calls import Accepted as Accepted
from matchwise.tasks.toolcalls.calls import Call as Call
from matchwise.tasks.toolcalls.calls import Message as Message
from matchwise.tasks.toolcalls.calls import Trajectory as Trajectory
from matchwise.tasks.toolcalls.calls import json_schema, plain_sides, tools_of
from matchwise.tasks.toolcalls.calls import trajectory as trajectory
from matchwise.tasks.toolcalls.steps import CallOrder, ReadCall, ResolvedCalls
from matchwise.tasks.toolcalls.steps import ast_check as ast_check
from matchwise.tasks.toolcalls.steps import first_fits as first_fits
from matchwise.tasks.toolcalls.steps import resolved_calls as resolved_calls
from matchwise.views.errors import Case, Level
from matchwise.views.model import View, ViewRow, ViewRows
from matchwise.views.values import write_both, write_value


def suite(
    preset: Literal["calls", "bfcl", "agentevals", "adk"] = "calls",
    *,
    order: CallOrder | None = None,
    tools: Any = None,
    settings: Mapping[str, Setting] | None = None,
    arguments: Literal["exact", "ignore", "subset", "superset"] | None = None,
    names: Literal["exact", "underscores"] | None = None,
) -> Suite:
    """The metrics of a preset, for messages, responses of models, lists of calls and texts with calls.

    >>> suite("adk")["in_order"]
    toolcalls.conversations() | (recall("calls", eq("name") * eq("arguments"), order="sequence") >= 1)
    """
    TASK.check(preset, order=order, tools=tools, settings=settings, arguments=arguments, names=names)
    if preset == "bfcl":
        every = f1("calls", best("places"))
        metrics = {"accuracy": f1("calls", eq("pair")) >= 1, "optimal": every >= 1, "calls": every}
        return TASK.make_suite(preset, metrics, ast_check(names == "underscores"), title={"names": names or "exact"})
    if preset == "calls":
        schemas = {} if tools is None else {name: json_schema(one) for name, one in tools_of(tools).items()}
        said = json.dumps(schemas, ensure_ascii=False)
        made = ResolvedCalls(said, tuple((settings or {}).items()), order or "bag")
        right = eq("name") * (normalize(made.arguments, "f1") >= 1)
        ordered: Any = {"order": made.order}
        metrics = {
            "score": f1("calls", made.call, **ordered),
            "calls": f1("calls", right, **ordered),
            "names": f1("calls", eq("name"), **ordered),
            "exact": f1("calls", right, **ordered) >= 1,
            "subset": precision("calls", right, **ordered) >= 1,
            "superset": recall("calls", right, **ordered) >= 1,
        }
        return TASK.make_suite(preset, metrics, resolved_calls.of(made), title={"order": made.order})
    title = {"arguments": arguments or "exact"}
    if arguments in ("subset", "superset"):
        if preset == "adk":
            raise ExpressionError(f"arguments={arguments!r} is for agentevals; adk has exact and ignore")
        strict = f1("messages", eq("role") * (f1("calls") >= 1), order="index") >= 1
        subset, superset = precision("subset") >= 1, recall("superset") >= 1
        metrics = {"strict": strict, "unordered": subset * superset, "subset": subset, "superset": superset}
        return TASK.make_suite(preset, metrics, first_fits(arguments), title=title)
    same = eq("name") if arguments == "ignore" else eq("name") * eq("arguments")
    if preset == "adk":
        metrics = {
            "exact": f1("calls", same, order="index") >= 1,
            "in_order": recall("calls", same, order="sequence") >= 1,
            "any_order": recall("calls", same) >= 1,
        }
    else:
        step = eq("role") * (f1("calls", same) >= 1)
        metrics = {
            "strict": f1("messages", step, order="index") >= 1,
            "unordered": f1("calls", same) >= 1,
            "subset": precision("calls", same) >= 1,
            "superset": recall("calls", same) >= 1,
        }
    return TASK.make_suite(preset, metrics, conversations(), title=title)


@step(separate=True, symmetric=True, gives=Trajectory)
def conversations(pred: Any, ref: Any) -> tuple[Trajectory, Trajectory]:
    """Both sides as messages with calls."""
    return plain_sides(pred, ref)


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
    return f"{call.name}({', '.join(f'{name}={write_value(value)}' for name, value in _all_arguments(call).items())})"


def _all_arguments(call: ReadCall) -> dict[str, Any]:
    """The arguments of a call, also those that its tool does not declare."""
    more = {one.path: one.value for one in getattr(call.arguments, "undeclared", ())}
    return {name: value for name, value in call.arguments.items() if value is not None} | more


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """The calls of both sides, those that were paired side by side, argument by argument."""
    step = _step_of(suite)
    mine, theirs, pairs = _pair(step, pred, ref)
    [[level]] = errors(suite, metric)([pred], [ref])
    rows = [row for i, j in pairs for row in _argument_rows(mine[i], theirs[j])]
    rows += [
        ViewRow(case.status, case.kind, case.pred, case.ref)
        for case in level.cases
        if case.kind in ("missed call", "spurious call", "wrong tool", "wrong order")
    ]
    counts = level.matched, level.predicted, level.reference
    return View("", (ViewRows(tuple(rows)),), metric, score(suite.metrics[metric], pred, ref), counts)


def _argument_rows(mine: ReadCall, theirs: ReadCall) -> Iterator[ViewRow]:
    own, other = _all_arguments(mine), _all_arguments(theirs)
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


TASK = Task(
    name="toolcalls",
    title="calls of tools by agents: names, arguments and order; BFCL's AST check, trajectories of agentevals and ADK",
    presets={
        "calls": (
            "our own: F1 over the names and argument values of calls that are matched optimally, of whole calls and of "
            "names; exact, subset and superset are shares of documents. What a reference calls optional costs nothing."
        ),
        "bfcl": (
            "the AST check of bfcl-eval 2026.3.23 for simple (Python, Java, JavaScript), multiple and parallel calls; "
            "the answers take calls greedily there, and `optimal` pairs them as well as possible."
        ),
        "agentevals": (
            "the trajectory matches of agentevals 0.0.9: strict, unordered, subset and superset, with arguments that "
            "are exact, ignored, or a part of the other's (greedily, as there); true is not 1 here."
        ),
        "adk": (
            "the tool trajectory of google-adk 2.13: exact, in_order and any_order; a document is one invocation, and "
            "true is not 1 here."
        ),
    },
    suite=suite,
    options=(
        Option(
            "order", help="whether calls are matched in any order, or in the order of both sides", presets=("calls",)
        ),
        Option(
            "tools",
            help="the schemas of the tools, which give arguments their types, as OpenAI, Anthropic or MCP lists them",
            takes="tools",
            presets=("calls",),
            format="chats",
        ),
        Option(
            "settings",
            'similarities and hints by tool and argument: {"search.query": tokens(), "search.limit": ignore()}',
            type="mapping",
            takes="path: similarity or hint",
            presets=("calls",),
            example='{"search.query": tokens()}',
        ),
        Option("arguments", help="whether arguments must be equal", presets=("agentevals", "adk")),
        Option(
            "names",
            help="whether dots in the names of tools were written as underscores, as OpenAI's models must",
            presets=("bfcl",),
        ),
    ),
    formats=("adk", "genai", "bfcl", "chats"),
    references={
        "score": ("chen-etal-2023-unified",),
        "accuracy": ("patil-2025",),
    },
    example="matchwise score toolcalls system.jsonl -r gold.jsonl",
    shown=("score",),
    view=view,
    errors=errors,
)

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
from collections.abc import Mapping
from typing import Any, Literal

from matchwise.algebra.build import best, eq, f1, normalize, precision, recall
from matchwise.algebra.steps import step
from matchwise.corpus.suite import Suite
from matchwise.deriving.hints import Setting
from matchwise.errors import ExpressionError
from matchwise.tasks import Option, Task
from matchwise.tasks.toolcalls.analysis import errors, view
from matchwise.tasks.toolcalls.bfcl import ast_check as ast_check
from matchwise.tasks.toolcalls.calls import Accepted as Accepted
from matchwise.tasks.toolcalls.calls import Call as Call
from matchwise.tasks.toolcalls.calls import Message as Message
from matchwise.tasks.toolcalls.calls import Trajectory as Trajectory
from matchwise.tasks.toolcalls.calls import json_schema, plain_sides, tools_of
from matchwise.tasks.toolcalls.calls import trajectory as trajectory
from matchwise.tasks.toolcalls.greedy import first_fits as first_fits
from matchwise.tasks.toolcalls.steps import CallOrder, ResolvedCalls
from matchwise.tasks.toolcalls.steps import resolved_calls as resolved_calls


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

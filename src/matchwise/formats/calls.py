"""Calls of tools: messages and responses of models, BFCL's files, ADK's eval sets, and OpenTelemetry's GenAI spans.

chats   {"id": 1, "messages": [{"role": "assistant", "tool_calls": [{"function": {"name": …, "arguments": …}}]}]}
        messages of OpenAI, Anthropic, Gemini and LangChain, responses and batches of them, or {"calls": […]}
bfcl    {"id": …, "result": "[search(query='tea')]"}, and {"id": …, "ground_truth": [{"search": {"query": ["tea"]}}]}
adk     {"eval_cases": [{"eval_id": …, "conversation": [{"intermediate_data": {"tool_uses": […]}}]}]}
genai   {"resourceSpans": […]}, or spans with "attributes"; a trace or a conversation is a document
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from matchwise.formats import Format, has_keys
from matchwise.formats.io.records import fields, get_list, id_of, records, require, values
from matchwise.formats.io.source import Text, name_of, place_errors
from matchwise.formats.logs import unwrap
from matchwise.tasks.toolcalls import Accepted, Call, Message, Trajectory, trajectory
from matchwise.tasks.toolcalls.calls import ONE, SEVERAL, language_of, tools_of

IDS = ("id", "custom_id", "thread_id", "conversation_id", "session_id", "run_id")
EXPECTED = ("reference_outputs", "expected", "expected_calls", "reference")


def read_chats(source: Text) -> Iterator[Trajectory]:
    """The calls of conversations, or of responses of a model.

    >>> from io import StringIO
    >>> answer = {"id": 1, "content": [{"type": "tool_use", "name": "search", "input": {"query": "tea"}}]}
    >>> next(read_chats(StringIO(json.dumps(answer)))).calls[0].name
    'search'
    """
    return _chats(source, ())


def read_expected(source: Text) -> Iterator[Trajectory]:
    """The calls that were expected, from a file that may hold both sides."""
    return _chats(source, EXPECTED)


def _chats(source: Text, names: tuple[str, ...]) -> Iterator[Trajectory]:
    for number, value in values(source):
        for one in (unwrap(value) or [value]) if isinstance(value, dict) else [value]:
            with place_errors(name_of(source), number):
                found, place = fields(one), one
                for key in ("response", "body", "result", "message"):  # a line of a batch
                    if "custom_id" in found and isinstance(place.get(key), dict):
                        place = place[key]
                expected = next((found[name] for name in names if found.get(name) is not None), place)
                tools = tools_of(found["tools"]) if found.get("tools") else {}
                yield replace(trajectory(expected), id=id_of(found, IDS), tools=tools)


def read_tools(path: str) -> dict[str, Any]:
    """The schemas of tools in a file: a list of tools, or one on each line."""
    found = [value for _, value in values(path)]
    with place_errors(path):
        return tools_of(found[0] if len(found) == 1 else found)


def read_bfcl(source: Text) -> Iterator[Trajectory]:
    """What a model answered; a text that cannot be read as calls has none, as on the leaderboard."""
    return records(source, _result)


def _result(value: Any) -> Trajectory:
    one = fields(value)
    try:
        found = trajectory(require(one, "result", "a result of BFCL"), language_of(one.get("id")))
    except ValueError:
        if "result" not in one:
            raise
        found = Trajectory()
    return replace(found, id=id_of(one))


def read_bfcl_answers(source: Text) -> Iterator[Trajectory]:
    """The accepted answers; the functions are in the same lines, or in the file of questions beside the folder.

    >>> from io import StringIO
    >>> line = '{"id": "a", "ground_truth": [{"f": {"x": [1, ""]}}]}'
    >>> next(read_bfcl_answers(StringIO(line))).calls[0].arguments
    {'x': Accepted(values=(1,), optional=True)}
    """
    known: dict[Any, Any] = {}
    questions = Path(os.fspath(source)) if isinstance(source, str | os.PathLike) else Path()
    questions = questions.parent.parent / questions.name if questions.parent.name == "possible_answer" else Path()
    if questions.is_file():
        known = {one.get("id"): one.get("function") for _, one in values(questions)}

    def build(value: Any) -> Trajectory:
        one = fields(value)
        if "result" in one:
            return _result(one)  # of another model
        functions = one.get("function") or known.get(one.get("id")) or []
        require(one, "ground_truth", "an answer of BFCL")
        calls = [_answer(answer) for answer in get_list(one, "ground_truth")]
        return Trajectory((Message("assistant", tuple(calls)),), id_of(one), tools_of(functions))

    return records(source, build)


def _answer(value: Any) -> Call:
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError(
            f'ground_truth: expected an answer such as {{"search": {{"query": ["tea"]}}}}, found {value!r}'
        )
    [(name, arguments)] = value.items()
    return Call(name, {key: _accept(one) for key, one in fields(arguments, "arguments").items()})


def _accept(several: Any) -> Any:
    if isinstance(
        several, str
    ):  # a slip of simple_java_64: the checker takes its letters for the values, and "" for one
        several = [*several, ""]
    if not isinstance(several, list):
        return several
    return Accepted(tuple(_inside(one) for one in several if one != ""), "" in several)


def _inside(value: Any) -> Any:
    """A value whose objects have lists of accepted values."""
    if isinstance(value, dict):
        return {key: _accept(one) for key, one in value.items()}
    return [_inside(one) for one in value] if isinstance(value, list) else value


def read_adk(source: Text) -> Iterator[Trajectory]:
    """The invocations of an eval set, or what an agent did in each invocation of an eval result."""
    return _invocations(source, "actual_invocation")


def read_adk_reference(source: Text) -> Iterator[Trajectory]:
    """The invocations of an eval set, or what was expected in each invocation of an eval result."""
    return _invocations(source, "expected_invocation")


def _invocations(source: Text, side: str) -> Iterator[Trajectory]:
    for number, value in values(source):
        with place_errors(name_of(source), number):
            whole = _snake(fields(value))
            for case in map(_snake, whole.get("eval_cases") or whole.get("eval_case_results") or ()):
                both = case.get("eval_metric_result_per_invocation")
                turns = case.get("conversation", ()) if both is None else [_snake(one)[side] for one in both]
                for place, turn in enumerate(turns or ()):
                    data = _snake(_snake(turn or {}).get("intermediate_data") or {})
                    events = [_snake(one).get("content") for one in data.get("invocation_events") or ()]
                    made = trajectory(
                        {"calls": data.get("tool_uses") or []} if not events else [e for e in events if e]
                    )
                    yield replace(made, id=f"{case.get('eval_id')}#{place + 1}")


def _snake(value: Mapping[str, Any]) -> dict[str, Any]:
    """An object whose keys may be in camel case."""
    return {re.sub(r"(?<!^)([A-Z])", r"_\1", key).lower(): one for key, one in value.items()}


def read_genai(source: Text) -> Iterator[Trajectory]:
    """The calls of each trace, or of each conversation, in the order of time.

    Tools that were executed count; where none were, calls that models asked for.
    """
    spans: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for number, value in values(source):
        with place_errors(name_of(source), number):
            for span in _spans(fields(value)):
                about = _attributes(span.get("attributes"))
                trace = span.get("traceId") or (span.get("context") or {}).get("trace_id") or ""
                begin = span.get("startTimeUnixNano") or span.get("start_time") or 0
                spans.setdefault(about.get("gen_ai.conversation.id") or trace, []).append((begin, about))
    for id, several in spans.items():
        found = [about for _, about in sorted(several, key=lambda one: str(one[0]).zfill(30))]
        with place_errors(name_of(source), None, id):
            executed = [one for one in found if one.get("gen_ai.operation.name") == "execute_tool"]
            asked = [message for one in found for message in _decode(one.get("gen_ai.output.messages")) or ()]
            calls = [
                {"name": one.get("gen_ai.tool.name"), "arguments": one.get("gen_ai.tool.call.arguments")}
                for one in executed
            ]
            yield replace(trajectory({"calls": calls} if calls or not asked else asked), id=id)


def _spans(value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if "resourceSpans" in value:
        for resource in value["resourceSpans"]:
            for scope in resource.get("scopeSpans", ()):
                yield from scope.get("spans", ())
    elif "attributes" in value:
        yield dict(value)


def _attributes(found: Any) -> dict[str, Any]:
    """Attributes as a dictionary; OTLP has a list of keys and typed values."""
    if isinstance(found, list):
        return {one["key"]: next(iter(one["value"].values()), None) for one in found}
    return dict(found or {})


def _decode(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


CHATS = Format(
    name="chats",
    title="messages and responses of models with calls of tools, or lists of calls",
    looks='"messages", "choices", "output", "content" or "calls"',
    read=read_chats,
    read_reference=read_expected,
    sniff=has_keys("custom_id", *SEVERAL, *ONE, *EXPECTED),
    options={"tools": read_tools},
)
BFCL = Format(
    name="bfcl",
    title="results and possible answers of BFCL",
    looks='"id" with "result" or "ground_truth"',
    read=read_bfcl,
    read_reference=read_bfcl_answers,
    sniff=lambda head, name: (
        has_keys("ground_truth")(head, name)
        or (has_keys("result")(head, name) and not has_keys("custom_id")(head, name))
    ),
)
ADK = Format(
    name="adk",
    title="eval sets and eval results of ADK",
    looks='"eval_cases" or "eval_case_results"',
    read=read_adk,
    read_reference=read_adk_reference,
    sniff=has_keys("eval_cases", "evalCases", "eval_case_results", "evalCaseResults"),
)
GENAI = Format(
    name="genai",
    title="OpenTelemetry's spans of GenAI",
    looks='"resourceSpans", or spans with "attributes" such as "gen_ai.tool.name"',
    read=read_genai,
    sniff=lambda head, name: has_keys("resourceSpans")(head, name) or "gen_ai." in head,
)

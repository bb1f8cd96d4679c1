"""Calls of tools, and the messages that they are made in, as models, frameworks and benchmarks write them.

>>> call({"function": {"name": "search", "arguments": '{"query": "tea"}'}})
Call(name='search', arguments={'query': 'tea'}, optional=False, instead=())
>>> trajectory('[search(query="tea", limit=3)]').calls[0].arguments
{'query': 'tea', 'limit': 3}

A reference may say more than one right answer: `optional` calls, other calls that are right `instead`, and arguments
that are `Accepted` in several ways or may be left out. As JSON:

    {"name": "search", "arguments": {"query": "tea", "limit": 10}, "optional": true,
     "accepted": {"query": ["teas"]}, "optional_arguments": ["limit"], "instead": [{"name": "browse"}]}
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from matchwise.algebra.steps import read_sides
from matchwise.errors import DataError
from matchwise.tasks.lists import missing_key, read_each
from matchwise.tasks.toolcalls.languages import written_call


class Accepted(NamedTuple):
    """The values of an argument that are right; an optional argument may also be left out."""

    values: tuple[Any, ...]
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A tool and its arguments, which are JSON; those of a reference may hold `Accepted`."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    optional: bool = False
    """Whether a reference call may be left out."""
    instead: tuple[Call, ...] = ()
    """Calls that are right in the place of this one."""

    @property
    def has_options(self) -> bool:
        """True if there is more than one right way to make the call."""
        return self.optional or bool(self.instead) or _has_accepted(self.arguments)


def _has_accepted(value: Any) -> bool:
    if isinstance(value, Accepted):
        return True
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return any(map(_has_accepted, inside))


class Message(NamedTuple):
    """One message of a conversation, and the calls that it makes."""

    role: str
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The messages of a conversation, or the calls alone, which are then one message."""

    messages: tuple[Message, ...] = ()
    id: str | int | None = None
    tools: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The JSON Schemas of the arguments of this document's tools, where its file has them."""

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(call for message in self.messages for call in message.calls)


def trajectory(value: Any, language: str = "") -> Trajectory:
    """The trajectory that a document stands for: messages, a response, a list of calls, or a text with calls."""
    if isinstance(value, Trajectory):
        return value
    if value is None:
        return Trajectory()
    if language and isinstance(value, str):
        value = [written_call(value, language)]
    return Trajectory(tuple(_messages(value)))


def plain_sides(pred: Any, ref: Any) -> tuple[Trajectory, Trajectory]:
    """Both trajectories, of which the reference says one right way to make each call."""
    mine, theirs = read_sides(trajectory, pred, ref)
    if any(one.has_options for one in theirs.calls):
        problem = "found calls with optional or accepted parts, which only the presets calls and bfcl know"
        raise DataError(f"{problem}; write plain calls, or --preset calls", side="reference")
    return mine, theirs


def _read_text(text: str) -> list[Any]:
    """What a model wrote: JSON, or calls as Python writes them."""
    try:
        found = json.loads(text)
        return found if isinstance(found, list) else [found]
    except ValueError:
        return list(_python_calls(text))


def _python_calls(text: str) -> Iterator[Call]:
    stripped = text.strip().strip("`\n ")
    try:
        found: Any = ast.parse(stripped if stripped.startswith("[") else f"[{stripped}]", mode="eval").body
    except (SyntaxError, ValueError):
        raise ValueError(f"expected calls as JSON or as [search(query='tea')], found {text[:60]!r}") from None
    for one in found.elts:
        if not isinstance(one, ast.Call):
            raise ValueError(f"expected calls such as search(query='tea'), found {ast.unparse(one)[:60]!r}")
        yield Call(ast.unparse(one.func), {str(word.arg): _plain(word.value) for word in one.keywords})


def _plain(node: ast.expr) -> Any:
    """The value that Python text stands for; a name or a call inside of it is its text."""
    match node:
        case ast.List(elts) | ast.Tuple(elts):
            return [_plain(one) for one in elts]
        case ast.Dict(keys, values):
            return {_plain(k): _plain(v) for k, v in zip(keys, values, strict=True) if k is not None}
    try:
        return ast.literal_eval(node)
    except ValueError:
        return {"true": True, "false": False, "null": None}.get(text := ast.unparse(node), text)


ROLES = {"ai": "assistant", "human": "user", "model": "assistant", "AIMessageChunk": "assistant", "developer": "system"}
ONE = ("role", "lc", "tool_calls", "content", "parts", "function_call")
SEVERAL = ("messages", "choices", "message", "output", "calls", "outputs", "steps")


PARTS = ("tool_use", "tool_call", "function_call")


def _messages(value: Any) -> Iterator[Message]:
    """The messages of a conversation, of a response of a model, of a list of calls, or of the steps of a graph."""
    if isinstance(value, str):
        value = _read_text(value)
    if isinstance(value, list | tuple):
        is_message = (isinstance(one, Mapping) and any(key in one for key in (*ONE, "message")) for one in value)
        if all(is_message) or all(isinstance(one, list) for one in value):
            for one in value:
                yield from _messages(one)
        else:
            is_typed = any(isinstance(one, Mapping) and one.get("type") in PARTS for one in value)
            calls = _call_parts({"content": value}) if is_typed else value
            yield Message("assistant", read_each(call, calls, "calls"))
        return
    if not isinstance(value, Mapping):
        raise ValueError(f"expected messages or calls, found {type(value).__name__}")
    if "lc" in value:
        value = value["kwargs"]
    key = next((key for key in (*SEVERAL, *ONE) if key in value), None)
    if key is None:
        raise missing_key("a document with messages or calls", value)
    if key in SEVERAL:
        yield from _messages(value[key] or [])
        return
    role = str(value.get("role") or value.get("type") or "assistant")
    yield Message(ROLES.get(role, role), read_each(call, _call_parts(value), "tool_calls"))


def _call_parts(message: Mapping[str, Any]) -> Iterator[Any]:
    """The calls of a message: in a field of their own, or among the parts of its content."""
    yield from message.get("tool_calls") or ()
    if message.get("function_call"):
        yield message["function_call"]
    if message.get("tool_calls"):
        return  # LangChain repeats Anthropic's content
    for key in ("content", "parts"):
        parts = message.get(key)
        for part in parts if isinstance(parts, list) else ():
            inside = next((part[key] for key in ("functionCall", "function_call", "toolCall") if part.get(key)), None)
            if inside is not None or part.get("type") in PARTS:
                yield inside or part


NAMES = ("name", "tool_name", "tool")
ARGUMENTS = ("arguments", "args", "input", "tool_input", "parameters")


def call(value: Any) -> Call:
    """The call that a value stands for: `{"name": …, "arguments": …}`, or as another tool writes it."""
    if isinstance(value, Call):
        return value
    if isinstance(value, str):  # a step of a graph, or a call as Python writes it
        return Call(value) if re.fullmatch(r"[\w.:/-]+", value) else next(_python_calls(value))
    if not isinstance(value, Mapping):
        raise ValueError(f'expected a call such as {{"name": "search", "arguments": {{}}}}, found {value!r}')
    inside = value["function"] if isinstance(value.get("function"), Mapping) else value
    name = next((inside[key] for key in NAMES if isinstance(inside.get(key), str)), None)
    if name is None and len(value) == 1:
        [(name, given)] = value.items()  # {"search": {"query": "tea"}}
        return Call(str(name), _arguments(given))
    if name is None:
        raise missing_key("a call with a name", value)
    arguments = _arguments(next((inside[key] for key in ARGUMENTS if inside.get(key) is not None), {}))
    accepted, optional = value.get("accepted") or {}, value.get("optional_arguments") or ()
    for path in dict.fromkeys((*accepted, *optional)):
        *way, last = path.split(".")
        place = arguments
        for key in way:
            place[key] = place = dict(place.get(key) or {})
        if last not in place and path not in accepted:
            raise ValueError(f"optional_arguments: there is no argument {path!r}, found {', '.join(place) or 'none'}")
        known = (place[last],) if last in place else ()
        place[last] = Accepted((*known, *accepted.get(path, ())), path in optional)
    return Call(name, arguments, value.get("optional") is True, read_each(call, value.get("instead") or (), "instead"))


NOT_JSON = "(not JSON)"
"""The argument that holds what a model wrote in place of a JSON object."""


def _arguments(given: Any) -> dict[str, Any]:
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except ValueError:
            return {NOT_JSON: given}
    return dict(given) if isinstance(given, Mapping) else {} if given is None else {NOT_JSON: given}


SCHEMAS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema")
TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}
"""Types of BFCL and what JSON Schema calls them."""


def tools_of(value: Any) -> dict[str, Any]:
    """The JSON Schemas of the arguments of tools, by name, from a list of tools as OpenAI, Anthropic or MCP has it.

    >>> tools_of([{"name": "search", "input_schema": {"properties": {"query": {"type": "string"}}}}])
    {'search': {'properties': {'query': {'type': 'string'}}}}
    """
    listed = value.get("tools", value.get("function", value)) if isinstance(value, Mapping) else value
    if isinstance(listed, Mapping):
        listed = [listed] if "name" in listed else [{"name": name, "parameters": one} for name, one in listed.items()]
    found: dict[str, Any] = {}
    for tool in listed:
        inside = tool.get("function", tool) if isinstance(tool, Mapping) else {}
        if not isinstance(inside, Mapping) or not isinstance(inside.get("name"), str):
            raise ValueError(f'expected a tool such as {{"name": "search", "parameters": {{}}}}, found {tool!r}')
        found[inside["name"]] = next((inside[key] for key in SCHEMAS if inside.get(key)), {})
    return found


def json_schema(schema: Any) -> Any:
    """A schema in the words of JSON Schema: BFCL's `dict` is an object, Gemini's `STRING` a string."""
    if isinstance(schema, list):
        return [json_schema(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {key: json_schema(one) for key, one in schema.items()}
    if isinstance(schema.get("type"), str):
        kind = TYPES.get(schema["type"].lower(), schema["type"].lower())
        made = {key: one for key, one in made.items() if key != "type"} | ({"type": kind} if kind else {})
    return made

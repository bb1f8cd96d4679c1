"""Calls of tools, and the messages that they are made in, as models, frameworks and benchmarks write them.

>>> call({"function": {"name": "search", "arguments": '{"query": "tea"}'}})
Call(name='search', arguments={'query': 'tea'}, optional=False, instead=())
>>> trajectory('[search(query="tea", limit=3)]').calls[0].arguments
{'query': 'tea', 'limit': 3}

A reference may say more than one right answer: `optional` calls, other calls that are right `instead`, and arguments
that are `Accepted` in several ways or may be left out. As JSON:

    {"name": "search", "arguments": {"query": "tea", "limit": 10}, "optional": true,
     "accepted": {"query": ["teas"]}, "optional_arguments": ["limit"], "instead": [{"name": "browse"}]}

BFCL has calls in Java and JavaScript, too, and its leaderboard finds values by patterns, not by grammar. What looks odd
in `convert` is what it does: strings in a Java array keep their quotes, the elements of an ArrayList are whatever
stands between commas, and a class body is left out.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from matchwise.algebra.steps import read_sides
from matchwise.errors import DataError, shorten
from matchwise.tasks.lists import missing_key, read_each


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
    calls = message.get("tool_calls") or ()
    if not isinstance(calls, list | tuple):
        raise ValueError(f"tool_calls: expected a list, found {type(calls).__name__}")
    yield from calls
    if message.get("function_call"):
        yield message["function_call"]
    if calls:
        return  # LangChain repeats Anthropic's content
    for key in ("content", "parts"):
        parts = message.get(key)
        for part in parts if isinstance(parts, list) else ():
            if not isinstance(part, Mapping):
                continue  # a text
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
        found = Call(value) if re.fullmatch(r"[\w.:/-]+", value) else next(_python_calls(value), None)
        if found is None:
            raise ValueError("expected a call such as search(query='tea'), found an empty text")
        return found
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


def language_of(id: Any) -> str:
    """The language that an id of BFCL names, if it is not Python.

    >>> language_of("simple_java_7"), language_of("simple_javascript_7"), language_of("simple_python_7")
    ('java', 'javascript', '')
    """
    found = re.search(r"(?:^|_)(java|javascript)_\d", id) if isinstance(id, str) else None
    return found[1] if found else ""


def written_call(text: str, language: str) -> dict[str, dict[str, str]]:
    """A call in Java or JavaScript: the texts of its arguments, by the name of the tool.

    >>> written_call("[Map.put(key='a', values=new int[]{1, 2})]", "java")
    {'Map.put': {'key': 'a', 'values': 'new int[]{1,2}'}}
    """
    inside = text.strip("`\n ").removeprefix("[").removesuffix("]").strip().removesuffix(";")
    found = re.fullmatch(r"([^(]+)\((.*)\)", inside, re.DOTALL)
    arguments: dict[str, str] = {}
    if found is None:
        raise ValueError(f"expected a call such as [search(query='tea')], found {shorten(text)}")
    for part in _split(found[2], text):
        named = re.fullmatch(r"([\w$.]+)\s*=(?![=>])\s*(.*)", part, re.DOTALL)
        name, value = (named[1], named[2]) if named else (part, part)
        if name in arguments or not value:
            raise ValueError(f"expected each argument once, with a value, found {shorten(text)}")
        if named or re.fullmatch(r"[A-Za-z_$][\w$]*", part):  # other values without a name are left out there
            arguments[name] = _unquote(value, language)
    return {found[1].strip(): arguments}


_STRING = r'"(?:\\.|[^"\\])*"' + r"|'(?:\\.|[^'\\])*'"
_TOKENS = re.compile(rf"{_STRING}|`[^`]*`|<(?:[\w\s,.?\[\]]|<[\w\s,.?\[\]]*>)*>|.", re.DOTALL)


def _split(text: str, whole: str) -> Iterator[str]:
    """The parts between commas that are in no brackets."""
    part, depth = "", 0
    for token in _TOKENS.findall(text):
        depth += (token in "([{") - (token in ")]}")
        if depth < 0:
            break
        if token == "," and not depth:
            yield part.strip()
            part = ""
        else:
            part += token
    if depth:
        raise ValueError(f"expected one call with matching brackets, found {shorten(whole)}")
    if part.strip():
        yield part.strip()


def _unquote(text: str, language: str) -> str:
    if language == "javascript":
        return text[1:-1] if text[0] == text[-1] and text[0] in "'\"" else text
    if re.fullmatch(_STRING, text):
        return text[1:-1]
    array = re.fullmatch(r"new\s+(\w+)\s*\[\s*\](\s*\{.*\})", text, re.DOTALL)
    if array:
        return f"new {array[1]}[]{''.join(one for one in _TOKENS.findall(array[2]) if not one.isspace())}"
    body = re.fullmatch(r"(new\s+[\w.]+\s*(?:<.*?>)?\s*\(.*?\))\s*\{.*\}", text, re.DOTALL)
    return re.sub(r"(?<=,)\s+(?=[^<>()]*>)", "", body[1] if body else text)


def convert(text: str, language: str, kind: str, inner: str = "") -> Any:
    """The value that a text stands for, or the text if it is not written as the type is.

    >>> convert("7L", "java", "long"), convert("7", "java", "long"), convert("['a']", "javascript", "array", "String")
    (7, '7', ['a'])
    """
    known = JAVA if language == "java" else JAVASCRIPT
    return known[kind](text, inner) if kind in known else text


def _number(pattern: str, make: Callable[[str], Any]) -> Callable[[str, str], Any]:
    def read(text: str, inner: str) -> Any:
        found = re.match(rf"({pattern})$", text)
        return make(found[1].rstrip("lLfFn")) if found else text

    return read


def _truth(text: str, inner: str) -> Any:
    return {"true": True, "false": False}.get(text, text)


def _java_list(text: str, inner: str) -> Any:
    listed = re.search(r"new\s+ArrayList<\w*>\(Arrays\.asList\((.+?)\)\)", text)
    added = re.search(r"new\s+ArrayList<\w*>\(\)\s*\{\{\s*(.+?)\s*\}\}", text, re.DOTALL)
    if listed:
        elements = listed[1].split(",")
    elif added:
        elements = re.findall(r"add\((.+?)\)", added[1])
    else:
        return [] if re.search(r"new\s+ArrayList<\w*>\(\)", text) else text
    stripped = [one.strip() for one in elements]
    return [one[1:-1] if inner in ("char", "String") else convert(one, "java", inner) for one in stripped]


def _java_array(text: str, inner: str) -> Any:
    found = re.search(r"new\s+\w+\[\]\s*\{(.*?)\}", text)
    return [convert(one.strip(), "java", inner) for one in found[1].split(",") if one.strip()] if found else text


def _java_map(text: str, inner: str) -> Any:
    found = re.search(r"new\s+HashMap<.*?>\s*\(\)\s*\{\s*\{?\s*(.*?)\s*\}?\s*\}", text, re.DOTALL)
    if found:
        return {name: _guess(one.strip(), '"') for name, one in re.findall(r"put\(\"(.*?)\",\s*(.*?)\)", found[1])}
    return {} if re.search(r"new\s+HashMap<.*?>\s*\(\)", text) else text


def _array(text: str, inner: str) -> Any:
    code = text.strip()
    inside = r"\[\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\]"
    nested = re.match(rf"{inside}|\bnew\s+Array\(\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\)", code)
    if nested:
        rows = [row.strip().removeprefix("[") for row in re.findall(r"\[(.*?)\]", nested[0])]
        return [[_guess(one.strip(), "'\"") for one in row.split(",")] for row in rows]
    found = re.match(r"\[(.*?)\]|\bnew\s+Array\((.*?)\)", code)
    if not found:
        return code
    elements = (found[1] if found[1] is not None else found[2]).strip()
    several = [one.strip() for one in elements.split(",")] if elements else []
    return [convert(one, "javascript", inner) if inner else _guess(one, "'\"") for one in several]


def _object(text: str, inner: str) -> Any:
    code = text.strip()
    found = re.match(r"\{(.*?)\}", code)
    if code == "{}" or not found:
        return {} if found else code
    made = {}
    for name, value in re.findall(r"([^:]+):\s*(.*?)(?:,\s*(?=[^,]+:)|$)", found[1]):
        one = value.strip()
        read = {"[]": _array, "{}": _object}.get(one[:1] + one[-1:])
        made[name.strip().strip("'\"")] = read(one, "") if read else _guess(one.strip("'\""), "'\"")
    return made


def _string(text: str, inner: str) -> str:
    return text[1:-1] if text[:1] == text[-1:] and text[:1] in ("'", '"') else text


def _guess(text: str, quotes: str) -> Any:
    """The value of an element whose type nobody declares."""
    text = text.strip()
    if text[:1] == text[-1:] and text and text[0] in quotes:
        return text[1:-1]
    suffixed = re.match(r"-?\d+(\.\d+)?([eE][+-]?\d+)?[fF]$|-?\d+[lL]$", text) if quotes == '"' else None
    if suffixed:
        return int(text[:-1]) if text[-1] in "lL" else float(text[:-1])
    for make in (int, float):
        try:
            return make(text)
        except ValueError:
            continue
    return _truth(text, "")


_DECIMAL = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
JAVA: dict[str, Callable[[str, str], Any]] = {
    **dict.fromkeys(("byte", "short", "integer"), _number(r"-?\d+", int)),
    "long": _number(r"-?\d+[lL]", int),
    "float": _number(rf"{_DECIMAL}[fF]", float),
    "double": _number(_DECIMAL, float),
    "boolean": _truth,
    "ArrayList": _java_list,
    "Array": _java_array,
    "HashMap": _java_map,
}
JAVASCRIPT: dict[str, Callable[[str, str], Any]] = {
    "integer": _number(r"-?\d+", int),
    "float": _number(r"-?\d+(?:\.\d+)?", float),
    "Bigint": _number(r"-?\d+n", int),
    "Boolean": _truth,
    "String": _string,
    "array": _array,
    "dict": _object,
}

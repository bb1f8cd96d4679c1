"""Calls of BFCL in Java and JavaScript: how they are written, and which values the texts of their arguments stand for.

The leaderboard finds values by patterns, not by grammar. What looks odd below is what they do: strings in a Java array
keep their quotes, the elements of an ArrayList are whatever stands between commas, and a class body is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from matchwise.errors import shorten


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

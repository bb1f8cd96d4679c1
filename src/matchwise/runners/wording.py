"""A suite as text, to be sent to other machines: its expressions in words, its types by name, and never code.

A worker reads the text with `parse`, and imports a type by its name. A suite that cannot be written so is sent as the
name under which a module has it: `"package.module:suite"`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any, get_args, get_origin

from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Derived, Several, Suite, as_suite
from matchwise.errors import ExpressionError
from matchwise.tasks.words import parse

ADVICE = 'define the suite in a module that the workers can import, and write suite="package.module:name"'


def write_suite(suite: Suite | Similarity | str) -> str:
    """The text of a suite; it is an error at once if the suite that is read from it would be another.

    >>> from matchwise.algebra.build import f1
    >>> read_suite(write_suite(f1("xs"))) == Suite(score=f1("xs"))
    True
    """
    if isinstance(suite, str):
        text = json.dumps({"name": suite})
        read_suite(text)
        return text
    suite = as_suite(suite)
    text = json.dumps(
        {
            "entries": [(name, _written(entry)) for name, entry in suite.entries],
            "names": {T.__name__: _name_of(T) for T in _types(suite)},
            "title": suite.title,
            "by": suite.by,
            "several": suite.several,
        }
    )
    try:
        again = read_suite(text)
    except ExpressionError as error:
        raise ExpressionError(f"the suite cannot be sent as text ({error}); {ADVICE}") from None
    if again.signature != suite.signature:
        raise ExpressionError(f"{suite!r} cannot be sent as text; {ADVICE}")
    return text


@lru_cache(maxsize=16)
def read_suite(text: str) -> Suite:
    """The suite that was written."""
    found = json.loads(text)
    if "name" in found:
        named = _named(found["name"])
        return as_suite(named if isinstance(named, Suite | Similarity) else named())
    names = {name: _named(where) for name, where in found["names"].items()}
    return Suite(
        {name: parse(entry, names) if isinstance(entry, str) else _derived(*entry) for name, entry in found["entries"]},
        title=found["title"],
        by={name: path if isinstance(path, str) else tuple(path) for name, path in found["by"]},
        several=None if found["several"] is None else Several(*found["several"]),
    )


def _written(entry: Similarity | Derived) -> Any:
    return repr(entry) if isinstance(entry, Similarity) else (entry.how, entry.names, entry.where)


def _derived(how: Any, names: list[str], where: Any) -> Derived:
    return Derived(how, tuple(names), where)


def _types(suite: Suite) -> Iterator[type]:
    """The classes that steps have as options: those of the user, whom nobody else knows."""
    for step in suite.steps:
        for _, value in step.options:
            for one in (value, *get_args(value)):
                if isinstance(one, type) and get_origin(one) is None and one.__module__ != "builtins":
                    yield one


def _name_of(T: Any) -> str:
    module, name = getattr(T, "__module__", "__main__"), getattr(T, "__qualname__", "")
    if module == "__main__" or not name or "<locals>" in name or _named(f"{module}:{name}") is not T:
        raise ExpressionError(f"{T!r} cannot be imported by name; define it at the top of a module, or write a schema")
    return f"{module}:{name}"


def _named(where: str) -> Any:
    module, colon, name = where.partition(":")
    if not colon or not module or not name:
        raise ExpressionError(f"suite={where!r}; write a suite, or its name as in 'package.module:suite'")
    try:
        found: Any = import_module(module)
        for step in name.split("."):
            found = getattr(found, step)
    except (ImportError, AttributeError) as error:
        raise ExpressionError(f"{where}: {error}; install the module where the workers run") from None
    return found

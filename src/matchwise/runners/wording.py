"""A suite as text, to be sent to other machines: its expressions in words, its type by name, and never code.

A worker reads the text with `parse`, and imports a type by its name. A suite with another step before scoring than a
form's is sent as the name under which a module has it: `"package.module:suite"`.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import import_module
from typing import Any

from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Derived, Several, Suite, as_suite
from matchwise.deriving.hints import Hint
from matchwise.deriving.sources.jsonschema import hint
from matchwise.errors import ExpressionError
from matchwise.similarities import parse
from matchwise.tasks.documents.form import Form, form

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
    step = suite.prepare
    if step is not None and not isinstance(step, Form):
        raise ExpressionError(f"the step before scoring, {step!r}, cannot be sent as text; {ADVICE}")
    text = json.dumps(
        {
            "entries": [(name, _written(entry)) for name, entry in suite.entries],
            "form": None if step is None else _written_form(step),
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
    entries = {name: parse(entry) if isinstance(entry, str) else _derived(*entry) for name, entry in found["entries"]}
    return Suite(
        entries,
        prepare=None if found["form"] is None else _read_form(**found["form"]),
        title=found["title"],
        by={name: path if isinstance(path, str) else tuple(path) for name, path in found["by"]},
        several=None if found["several"] is None else Several(*found["several"]),
    )


def _written(entry: Similarity | Derived) -> Any:
    return repr(entry) if isinstance(entry, Similarity) else (entry.how, entry.names, entry.where)


def _derived(how: Any, names: list[str], where: Any) -> Derived:
    return Derived(how, tuple(names), where)


def _written_form(step: Form) -> dict[str, Any]:
    return {
        "type": None if step.schema else _name_of(step.type),
        "schema": step.schema,
        "settings": [(path, [repr(one) for one in _listed(setting)]) for path, setting in step.settings],
        "extra": step.extra,
        "fences": step.fences,
        "normalizer": step.normalizer,
    }


def _read_form(type: str | None, schema: str | None, settings: list[tuple[str, list[str]]], **options: Any) -> Form:
    T = json.loads(schema) if schema else _named(str(type))
    return form(T, {path: _read_setting(texts) for path, texts in settings}, **options)


def _read_setting(texts: list[str]) -> Any:
    found = tuple(hint(text) or parse(text) for text in texts)
    return found[0] if len(found) == 1 else found


def _listed(setting: Any) -> tuple[Similarity | Hint, ...]:
    return setting if isinstance(setting, tuple) else (setting,)


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

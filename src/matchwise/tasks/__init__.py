"""One module per task: its data classes, equations, suites by preset and references. No algorithms, no parsing.

A task module has `DESCRIPTION` (one line), `PRESETS` (name -> one sentence), `suite(preset=..., **options)`, `OPTIONS`
(name -> what it may be), `REFERENCES` (metric -> BibTeX) and `EXAMPLE` (a command line). It is found by being here.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from matchwise.errors import ExpressionError, suggestion


def list_tasks() -> list[str]:
    """The names of the tasks there are; nothing is imported."""
    from pkgutil import iter_modules

    return sorted(found.name for found in iter_modules(__path__) if not found.name.startswith("_"))


def task(name: str) -> ModuleType:
    """The module of a task: `task("coref").suite(preset="conll12")`."""
    if name not in list_tasks():
        raise ExpressionError(f"no task {name!r}{suggestion(name, list_tasks())}")
    return import_module(f"{__name__}.{name}")

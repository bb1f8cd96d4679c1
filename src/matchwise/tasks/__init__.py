"""What can be scored: one folder per task with its data classes and equations, declared in `catalogue`.

>>> task("coref").default, task("coref").formats[0]
('conll12', 'conll2012')
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from matchwise.errors import ExpressionError, suggestion
from matchwise.plugins import find_plugins, load_plugin
from matchwise.tasks import catalogue
from matchwise.tasks.declaration import Late as Late
from matchwise.tasks.declaration import Option as Option
from matchwise.tasks.declaration import Task as Task


def list_tasks() -> list[str]:
    """The names of all tasks, those of other packages among them; no task is imported."""
    return sorted({*_own_tasks(), *find_plugins("matchwise.tasks")})


def is_task(name: str) -> bool:
    """True if a task has this name."""
    return name in _own_tasks() or name in find_plugins("matchwise.tasks")


@cache
def _own_tasks() -> frozenset[str]:
    return frozenset(found.name for found in iter_modules(catalogue.__path__))


def task(name: str) -> Task:
    """What a task offers: its presets, options, formats and references.

    >>> task("ner").suite(preset="seqeval")["strict"]
    f1(mentions_seqeval, eq("span") * eq("type"), empty=0)
    """
    if name in _own_tasks():
        found: Task = import_module(f"{__name__}.catalogue.{name}").TASK
    elif name in find_plugins("matchwise.tasks"):
        found = load_plugin("matchwise.tasks", name, Task)
    else:
        raise ExpressionError(f"no task {name!r}{suggestion(name, list_tasks())}")
    return found

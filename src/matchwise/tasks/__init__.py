"""What can be scored: one folder per task with its data classes and equations, declared in `catalogue`.

>>> task("coref").default, task("coref").formats[0]
('conll12', 'conll2012')
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from matchwise.algebra.names import packages
from matchwise.errors import ExpressionError, suggestion
from matchwise.plugins import find_plugins, load_plugin
from matchwise.tasks.declaration import Late as Late
from matchwise.tasks.declaration import Option as Option
from matchwise.tasks.declaration import Task as Task

packages.append(__name__)


def list_tasks() -> list[str]:
    """List the names of all tasks, also of other packages, without importing them.

    >>> from matchwise import list_tasks
    >>> "coref" in list_tasks()
    True
    """
    from pkgutil import iter_modules

    from matchwise.tasks import catalogue

    return sorted({*(found.name for found in iter_modules(catalogue.__path__)), *find_plugins("matchwise.tasks")})


def is_task(name: str) -> bool:
    """True if a task has this name."""
    return _is_own(name) or name in find_plugins("matchwise.tasks")


def _is_own(name: str) -> bool:
    return name.isidentifier() and name[0] != "_" and find_spec(f"{__name__}.catalogue.{name}") is not None


def task(name: str) -> Task:
    """What a task offers: its presets, options, formats and references.

    >>> task("ner").suite(preset="seqeval")["strict"]
    ner.same_tokens() | f1(ner.mentions_seqeval, eq("span") * eq("type"), empty=0)
    """
    if _is_own(name):
        found: Task = import_module(f"{__name__}.catalogue.{name}").TASK
    elif name in find_plugins("matchwise.tasks"):
        found = load_plugin("matchwise.tasks", name, Task)
    else:
        raise ExpressionError(f"no task {name!r}{suggestion(name, list_tasks())}")
    return found

"""What can be scored: one folder per task with its data classes and equations, declared in `catalogue`.

>>> task("coref").default, task("coref").formats[0]
('conll12', 'conll2012')
"""

from __future__ import annotations

from importlib import import_module

from matchwise.errors import ExpressionError, suggestion
from matchwise.tasks.declaration import Late as Late
from matchwise.tasks.declaration import Option as Option
from matchwise.tasks.declaration import Task as Task


def list_tasks() -> list[str]:
    """The names of all tasks; no task is imported."""
    from pkgutil import iter_modules

    from matchwise.tasks import catalogue

    return sorted(found.name for found in iter_modules(catalogue.__path__))


def task(name: str) -> Task:
    """What a task offers: its presets, options, formats and references.

    >>> task("ner").suite(preset="seqeval")["strict"]
    f1(mentions_seqeval, eq("span") * eq("type"), empty=0)
    """
    if name not in list_tasks():
        raise ExpressionError(f"no task {name!r}{suggestion(name, list_tasks())}")
    found: Task = import_module(f"{__name__}.catalogue.{name}").TASK
    return found

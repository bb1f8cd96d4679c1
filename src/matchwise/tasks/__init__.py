"""What can be scored: one folder or module per task, with its data classes, its equations and its `TASK`.

>>> task("coref").default, task("coref").formats[0]
('conll12', 'conll2012')
"""

from __future__ import annotations

from importlib import import_module

from matchwise.errors import ExpressionError, suggestion
from matchwise.plugins import find_plugins, load_plugin
from matchwise.tasks.declaration import Option as Option
from matchwise.tasks.declaration import Task as Task

TASKS = (
    "amr",
    "boxes",
    "constituency",
    "coref",
    "dependencies",
    "documents",
    "drs",
    "events",
    "nary",
    "ner",
    "relations",
    "results",
    "role_mentions",
    "roles",
    "sdp",
    "sequences",
    "sets",
    "sounds",
    "srl",
    "tables",
    "templates",
    "toolcalls",
    "tracks",
    "transcripts",
    "triples",
)
"""The tasks of this package; each is declared by `TASK` of the module of its name."""


def list_tasks() -> list[str]:
    """List the names of all tasks, also of other packages, without importing them.

    >>> import matchwise as mw
    >>> "coref" in mw.list_tasks()
    True
    """
    return sorted({*TASKS, *find_plugins("matchwise.tasks")})


def is_task(name: str) -> bool:
    """True if a task has this name."""
    return name in TASKS or name in find_plugins("matchwise.tasks")


def task(name: str) -> Task:
    """What a task offers: its presets, options, formats and references.

    >>> import matchwise as mw
    >>> mw.task("ner").suite(preset="seqeval")["strict"]
    ner.same_tokens() | f1(ner.mentions_seqeval, eq("span") * eq("type"), empty=0)
    """
    if name in TASKS:
        found: Task = import_module(f"{__name__}.{name}").TASK
    elif name in find_plugins("matchwise.tasks"):
        found = load_plugin("matchwise.tasks", name, Task)
    else:
        raise ExpressionError(f"no task {name!r}{suggestion(name, list_tasks())}")
    return found

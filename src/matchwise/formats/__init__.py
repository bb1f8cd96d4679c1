"""Bytes to the objects of a task, one document at a time; no scoring.

A format module has `sniff(head, name) -> bool` (does a file that begins like this look like the format?) and
`read(source, ...)`, which yields documents that have an `id`; where a file may hold both sides it also has
`read_reference(source)`. `FORMATS` says which formats a task has, `OPTIONS` which of its options are files.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from matchwise.errors import FormatError, suggestion
from matchwise.tasks import task as declared


def formats_of(task: str) -> tuple[str, ...]:
    """The names of a task's formats."""
    return declared(task).formats


def format_module(name: str) -> ModuleType:
    """The module of a format."""
    return import_module(f"{__name__}.{name}")


def sniffed(task: str, head: str, name: str) -> str:
    """The first format of the task that a file with this beginning looks like."""
    from matchwise.formats.io.head import objects

    try:
        for known in formats_of(task):
            if format_module(known).sniff(head, name):
                return known
        found = ", ".join(next(iter(objects(head)), ()))
    finally:
        objects.cache_clear()
    keys = f": its first JSON object has the keys {found}" if found else ""
    formats = suggestion("", formats_of(task))
    raise FormatError(f"looks like none of the formats of {task}{keys}{formats}; write --input-format NAME", name)

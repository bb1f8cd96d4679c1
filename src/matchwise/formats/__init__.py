"""Bytes to the objects of a task, one document at a time; no scoring.

Each module declares its `FORMAT`; a task says which formats it has. What the readers share is in `formats/io`.
"""

from __future__ import annotations

from importlib import import_module

from matchwise.errors import FormatError, suggestion
from matchwise.formats.declaration import Format as Format
from matchwise.plugins import find_plugins, load_plugin
from matchwise.tasks import task as declared


def formats_of(task: str) -> tuple[str, ...]:
    """The names of a task's formats, those that other packages add at the end."""
    return (*declared(task).formats, *_added_formats(task))


def find_format(name: str) -> Format:
    """The format with this name: `find_format("conllu").read("dev.conllu")`."""
    if name in find_plugins("matchwise.formats"):
        found: Format = load_plugin("matchwise.formats", name, Format)
    else:
        found = import_module(f"{__name__}.{name}").FORMAT
    return found


def _added_formats(task: str) -> tuple[str, ...]:
    """The formats that other packages add to a task."""
    return tuple(name for name in sorted(find_plugins("matchwise.formats")) if task in find_format(name).tasks)


def recognize(task: str, head: str, name: str) -> str:
    """The first format of the task that a file with this beginning looks like."""
    from matchwise.formats.io.head import objects

    try:
        for known in formats_of(task):
            if find_format(known).sniff(head, name):
                return known
        found = ", ".join(next(iter(objects(head)), ()))
    finally:
        objects.cache_clear()
    keys = f": its first JSON object has the keys {found}" if found else ""
    formats = suggestion("", formats_of(task))
    raise FormatError(f"looks like none of the formats of {task}{keys}{formats}; write --input-format NAME", name)

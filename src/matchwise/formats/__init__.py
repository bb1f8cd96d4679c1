"""Bytes to the objects of a task, one document at a time; no scoring.

A format module has `sniff(head, name) -> bool` (does a file that begins like this look like the format?) and
`read(source, ...)`, which yields documents that have an `id`; where a file may hold both sides it also has
`read_reference(source)`. `FORMATS` says which formats a task has, `OPTIONS` which of its options are files.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from matchwise.errors import FormatError, suggestion

FORMATS: dict[str, tuple[str, ...]] = {
    "constituency": ("ptb",),
    "amr": ("penman", "mrp"),
    "coref": ("conll2012", "semeval2010", "corefud", "scorch", "corefjson"),
    "dependencies": ("conllu",),
    "drs": ("clauses",),
    "events": ("tbf", "brat", "wikievents", "oneie", "rams", "dygie", "extractions"),
    "nary": ("scirex", "jsonl"),
    "ner": ("brat", "oneie", "dygie", "extractions", "conll2003"),
    "relations": ("brat", "docred", "oneie", "dygie", "extractions"),
    "role_mentions": ("grit", "iterx", "gtt", "wikievents", "jsonl"),
    "roles": ("grit", "iterx", "gtt", "wikievents", "jsonl"),
    "sdp": ("sdp", "mrp"),
    "srl": ("conll09", "conll05", "propositions"),
    "templates": ("muc4", "better", "iterx", "gtt", "wikievents", "templates"),
}
"""Task -> its formats, in the order in which they are tried on a file."""


OPTIONS: dict[tuple[str, str], tuple[str, str]] = {
    ("relations", "facts"): ("docred", "facts_of"),
    ("templates", "adjudications"): ("adjudications", "read"),
}
"""(task, option of its suite) -> the module and the function that read it, where a command line names a file."""


def formats_of(task: str) -> tuple[str, ...]:
    """The names of a task's formats."""
    return FORMATS.get(task, ())


def format_module(name: str) -> ModuleType:
    """The module of a format."""
    return import_module(f"{__name__}.{name}")


def option_reader(task: str, option: str) -> Callable[[str], Any] | None:
    """What reads the file that an option names, if it is one that does."""
    if (task, option) not in OPTIONS:
        return None
    module, function = OPTIONS[task, option]
    found: Callable[[str], Any] = getattr(format_module(module), function)
    return found


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

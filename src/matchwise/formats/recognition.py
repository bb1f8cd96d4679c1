"""Which format of a task a file looks like: each format says how its files begin (`Format.sniff`)."""

from __future__ import annotations

import os

from matchwise.errors import FormatError, suggestion
from matchwise.formats import find_format, formats_of
from matchwise.formats.io.beginning import head, objects
from matchwise.formats.io.lines import read_once


def format_of(path: str, task: str, name: str | None = None) -> str:
    """The format of a file: the one that is named, or the first of the task's that it looks like."""
    known = formats_of(task)
    if name is not None:
        if name not in (*known, "jsonl"):
            raise FormatError(f"{task} has no format {name!r}{suggestion(name, known)}", path)
        return name
    if not known:
        return "jsonl"
    if path != "-" and read_once(path):
        formats = suggestion("", known, "; write --input-format NAME")
        raise FormatError(f"found a pipe, whose format cannot be looked at first{formats}", path)
    start = head(path)
    if start.strip() in ("", "[]") and not os.path.isdir(path):
        return "jsonl"  # a file without documents is one in any format
    return recognize(task, start, path)


def recognize(task: str, head: str, name: str) -> str:
    """The first format of the task that a file with this beginning looks like."""
    try:
        for known in formats_of(task):
            if looks_like(known, head, name):
                return known
        found = ", ".join(next(iter(objects(head)), ()))
    finally:
        objects.cache_clear()
    keys = f": its first JSON object has the keys {found}" if found else ""
    formats = formats_of(task)
    if len(formats) == 1:
        only = f"; write --input-format {formats[0]} if it is"
        raise FormatError(f"does not look like {formats[0]}, the only format of {task}{keys}{only}", name)
    known = suggestion("", formats, "; write --input-format NAME")
    raise FormatError(f"looks like none of the formats of {task}{keys}{known}", name)


def looks_like(format: str, head: str, name: str) -> bool:
    """True if a file that begins with this text, and has this name, looks like the format.

    >>> looks_like("conll2012", "#begin document (a); part 000", "a.txt")
    True
    """
    sniff = find_format(format).sniff
    return sniff is not None and sniff(head, name)

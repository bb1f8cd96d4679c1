"""Tasks, formats and words of the vocabulary that other installed packages add through entry points.

A package says in its `pyproject.toml` where they are, as in `[project.entry-points."matchwise.tasks"]`.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from matchwise.errors import PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Group: TypeAlias = Literal["matchwise.tasks", "matchwise.formats", "matchwise.similarities"]


@cache
def find_plugins(group: Group) -> dict[str, EntryPoint]:
    """Name -> where it is; nothing is imported."""
    found: dict[str, EntryPoint] = {}
    if not _has_plugins():
        return found
    from importlib.metadata import entry_points

    for entry in entry_points(group=group):
        before = found.setdefault(entry.name, entry)
        if before.value != entry.value:
            raise PluginError(
                f"{_package(before)} and {_package(entry)} both add {entry.name!r} to {group}; uninstall one of them"
            )
    return found


@cache
def load_plugin(group: Group, name: str, expected: type | None = None) -> Any:
    """What a package adds under a name, imported, of the type that is expected, or a function."""
    entry = find_plugins(group)[name]
    where = f"{_package(entry)} adds {name!r} to {group} as {entry.value}"
    try:
        value = entry.load()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise PluginError(f"{where}, which cannot be imported: {problem}; update or uninstall it") from error
    if not (callable(value) if expected is None else isinstance(value, expected)):
        kind = "a function" if expected is None else f"a {expected.__module__}.{expected.__qualname__}"
        raise PluginError(f"{where}, which is {type(value).__name__}, expected {kind}")
    if expected is not None and value.name != name:
        raise PluginError(f"{where}, which calls itself {value.name!r}; give both the same name")
    return value


@cache
def _has_plugins() -> bool:
    """True if a package names one of our groups: importlib.metadata would take 40 ms to say that none does."""
    for path in sys.path:
        if os.path.isfile(path):
            return True  # a zip file, which only importlib.metadata reads
        try:
            folders = [name for name in os.listdir(path or ".") if name.endswith((".dist-info", ".egg-info"))]
        except OSError:
            continue
        for folder in folders:
            try:
                with open(os.path.join(path, folder, "entry_points.txt"), "rb") as file:
                    if b"[matchwise." in file.read():
                        return True
            except OSError:
                continue  # most packages have none
    return False


def _package(entry: EntryPoint) -> str:
    """The name of the package that has an entry point."""
    return f"the package {'?' if entry.dist is None else entry.dist.name}"

"""What a user's Python file defines: `metrics.py:suite`, `types.py:Invoice`.

A file is imported under a name that holds its path, as a submodule of this one. Another process that is sent one of its
classes or functions finds the file by that name, and a file called `types.py` hides no module of the standard library.
In signatures it is called by its own name and a digest of what it holds, wherever it is.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import Any

from matchwise.algebra.nodes import Similarity
from matchwise.algebra.text import STATED_NAME
from matchwise.deriving import derive
from matchwise.errors import RAISED, ExpressionError, FormatError, near_word
from matchwise.formats.io.entries import place_errors
from matchwise.formats.io.lines import Lines

__path__: list[str] = []  # so that Python looks for submodules, and asks the finder below


def load_definition(where: str) -> Any:
    """The thing that `FILE.py:NAME` names."""
    path, _, name = where.rpartition(":")
    if not path or not name.replace(".", "").isidentifier():
        raise ExpressionError(f"{where}: expected FILE.py:NAME, as in metrics.py:suite")
    found: Any = module(path)
    for step in name.split("."):
        if not hasattr(found, step):
            known = [word for word in vars(found) if not word.startswith("_")]
            raise ExpressionError(f"{path} defines no {step!r}{near_word(step, known)}")
        found = getattr(found, step)
    return found


def module(path: str) -> ModuleType:
    """The module that a file is."""
    if not os.path.isfile(path):
        raise ExpressionError(f"{path}: no such file")
    try:
        return import_module(f"{__name__}.{_name(os.path.abspath(path))}")
    except RAISED as error:
        raise ExpressionError(f"{_place(error, os.path.abspath(path))}: {type(error).__name__}: {error}") from error


def _name(path: str) -> str:
    return "file_" + os.fsencode(path).hex()


def _place(error: BaseException, path: str) -> str:
    """The line of the user's file where it went wrong."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return f"{path}:{error.lineno}"
    line, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == path:
            line = step.tb_lineno
        step = step.tb_next
    return path if line is None else f"{path}:{line}"


class _Loader(SourceFileLoader):
    """Tells the module what to call itself in signatures."""

    def exec_module(self, module: ModuleType) -> None:
        digest = sha256(self.get_data(self.path)).hexdigest()[:8]
        setattr(module, STATED_NAME, f"{os.path.basename(self.path)}#{digest}")
        super().exec_module(module)


class _Finder:
    """Finds the file whose path is in the name."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        start = f"{__name__}.file_"
        if not name.startswith(start):
            return None
        file = os.fsdecode(bytes.fromhex(name.removeprefix(start)))
        folder = os.path.dirname(file)
        if folder not in sys.path:
            sys.path.append(folder)  # what the file imports from beside it
        return spec_from_file_location(name, file, loader=_Loader(name, file))


if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
    sys.meta_path.append(_Finder())


def schema(path: str) -> Any:
    with closing(Lines(path)) as lines:
        text = b"".join(line.data for line in lines).decode("utf-8", "replace")
    with place_errors(path):
        try:
            made = json.loads(text)
        except json.JSONDecodeError as error:
            raise FormatError(f"cannot read this as JSON: {error}", path, error.lineno) from None
    if not isinstance(made, dict):
        raise FormatError(f"found {type(made).__name__}, expected a JSON Schema, which is an object", path)
    return made


def metric_of_schema(path: str) -> Similarity:
    """The metric of the documents that a schema describes."""
    return derive(schema(path))

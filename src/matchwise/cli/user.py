"""What a user writes down: expressions, values of options, definitions in Python files, JSON Schemas, logs of tools.

A Python file is imported under a name that holds its path, as a submodule of this one. Another process that is sent one
of its classes or functions finds the file by that name, and a file called `types.py` hides no module of the standard
library. In signatures it is called by its own name and a digest of what it holds, wherever it is.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from contextlib import closing
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from itertools import islice
from types import FunctionType, ModuleType
from typing import Any

from matchwise.algebra.nodes import Scorer, Similarity
from matchwise.algebra.parse import syntax
from matchwise.algebra.text import STATED_NAME
from matchwise.cli import remark
from matchwise.cli.inputs import split_name
from matchwise.corpus.suite import Derived, Suite, as_suite
from matchwise.deriving.annotations import Field
from matchwise.deriving.jsonschema import annotation, hint
from matchwise.deriving.typeinfo import RecordShape, describe
from matchwise.errors import RAISED, ExpressionError, FormatError, MatchwiseError, near_word, shorten
from matchwise.formats.io.decoding import Decoding
from matchwise.formats.io.source import Lines, place_errors
from matchwise.formats.jsonl import documents_of
from matchwise.formats.logs import find_log
from matchwise.similarities.vocabulary import parse

_NAMED = re.compile(r"^\s*([A-Za-z_]\w*)\s*=(?!=)(.*)$", re.DOTALL)
_FILE = re.compile(r"^(.*\.py):([A-Za-z_][\w.]*)$")


def parse_metrics(texts: list[str]) -> Suite:
    """The metrics of all --metric, in order."""
    if len(texts) == 1 and not _NAMED.match(texts[0]):
        return as_suite(_parse_metric(texts[0].strip()))
    metrics: dict[str, Similarity | Derived] = {}
    references: dict[str, tuple[str, ...]] = {}
    for text in texts:
        named = _NAMED.match(text)
        name, expression = (named[1], named[2].strip()) if named else (None, text.strip())
        more = _parse_metric(expression)
        if isinstance(more, Similarity):
            more = Suite({name or f"score{len(metrics) + 1}": more})
        elif name is not None:
            raise ExpressionError(f"--metric {text}: a suite has names of its own; leave out {name}=")
        for known in more:
            if known in metrics:
                raise ExpressionError(f"two metrics have the name {known!r}; write --metric NAME=EXPR")
        metrics |= dict(more.entries)
        references |= dict(more.references)
    return Suite(metrics, references=references)


def _parse_metric(text: str) -> Similarity | Suite:
    """An expression, or what a Python file defines."""
    if not _FILE.match(text) and not text.endswith(".py"):
        return parse(text)
    found = load_definition(text)
    if isinstance(found, Scorer):
        found = found.metric
    if isinstance(found, Suite | Similarity):
        return found
    raise ExpressionError(f"{text} is {type(found).__name__}, expected a similarity or a suite")


def read_value(text: str) -> Any:
    """Read a number, true, false, none, an expression or a mapping; everything else is text."""
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(syntax(text))
    except (ValueError, SyntaxError, TypeError):
        pass
    if re.match(r"\w+\(", text):
        return _read_expression(text)
    return _read_mapping(text) if text.startswith("{") else text


def _read_expression(text: str) -> Any:
    """A similarity, or a hint such as weight(2)."""
    return hint(text) or parse(text)


def _read_mapping(text: str) -> dict[Any, Any]:
    """`{"lines[].text": edit(), "number": (eq(), weight(3))}`: settings by path."""
    try:
        read = syntax(text)
        assert isinstance(read, ast.Dict)
        keys = [ast.literal_eval(key or read) for key in read.keys]  # **more has no key, and is no constant
    except (SyntaxError, ValueError, TypeError, AssertionError):
        raise ExpressionError(f'cannot read {text}; write {{"lines[].text": edit(), "notes": ignore()}}') from None
    found = [
        tuple(_read_expression(ast.unparse(part)) for part in value.elts)
        if isinstance(value, ast.Tuple)
        else _read_expression(ast.unparse(value))
        for value in read.values
    ]
    return dict(zip(keys, found, strict=True))


def load_schema(path: str) -> dict[str, Any]:
    """A JSON Schema."""
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


def load_type(args: Namespace) -> tuple[Any, dict[str, Any] | None, tuple[Field, ...]]:
    """The class of --type, the schema of --schema, and the fields of what goes first, if it is a record."""
    T = load_definition(args.type, type) if args.type else None
    schema = load_schema(args.schema) if args.schema else None
    shape = describe(T if schema is None else annotation(schema)).shape
    return T, schema, shape.fields if isinstance(shape, RecordShape) else ()


AUTO = "auto"


def find_log_keys(args: Namespace, inputs: list[str], fields: Iterable[Field], *, is_json: bool) -> None:
    """Find what --text and --ref-text would be, and the key of ids, where files are logs that we know; and say so.

    A line that has nothing of what is declared (by the type, the schema or the first reference) cannot be a document
    itself: then it is looked at as if somebody asked. Unless references are JSON, their format knows their ids.
    """
    declared = {name for field in fields for name in (field.name, *field.aliases)}
    if args.refs and not (args.type or args.schema):
        line = next(iter(_first_lines(args.refs[0])), None)
        declared = set(line) if isinstance(line, dict) else set()
    declared -= {"id", args.id, args.ref_id}
    predictions = [split_name(one)[1] for one in inputs]
    is_unnamed = args.ref_id is None and args.id == "id"
    for option, files in (("text", predictions), ("ref_text", list(args.refs or ()))):
        given = getattr(args, option)
        path = next(iter(files), "")
        if given not in (None, AUTO) or not os.path.isfile(path):
            continue
        found, lacking = None, None
        for line in _first_lines(path):  # some may be errors of the tool, without an answer
            is_foreign = bool(declared) and isinstance(line, dict) and not declared & line.keys()
            try:
                found = found or find_log(line, reference=option == "ref_text", asked=given == AUTO or is_foreign)
            except FormatError as error:
                lacking = FormatError(error.problem, path)
        if lacking is not None and found is None:
            raise lacking
        spelling = f"--{option.replace('_', '-')}"
        if found is None and given == AUTO:
            raise ExpressionError(
                f"{spelling} auto: {path} does not look like a log of a tool that we know; write {spelling} KEY"
            )
        if found is None:
            continue
        setattr(args, option, found.path)
        said = f"{path}: {found.name}, read with {spelling} {found.path}"
        if option == "text" and args.id == "id" != found.id:
            args.id, args.ref_id = found.id, args.ref_id or ("id" if is_json else None)
            said += f" --id {found.id}" + (f" --ref-id {args.ref_id}" if args.ref_id else "")
        if option == "ref_text" and is_unnamed and found.id != "id":
            args.ref_id = found.id
            said += f" --ref-id {found.id}"
        remark(said, args)


LOOKED_AT = 20
"""Lines of a file that are looked at."""


def _first_lines(path: str) -> list[Any]:
    """The first documents of a file, as far as they can be read; nothing if there is no such file."""
    if not os.path.isfile(path):
        return []
    try:
        with closing(documents_of(path, Decoding(key=None))) as documents:
            return list(islice(documents, LOOKED_AT))
    except MatchwiseError:
        return []  # what is wrong with it is said when it is read


METRICS = (Similarity, Suite, Scorer)


def load_definition(where: str, wanted: type | tuple[type, ...] = METRICS) -> Any:
    """The thing that `FILE.py:NAME` names; without a name the error lists what is wanted."""
    path, _, name = (where, "", "") if where.endswith(".py") else where.rpartition(":")
    if not path or not (name.replace(".", "") or "x").isidentifier():
        raise ExpressionError(f"{where}: expected FILE.py:NAME, as in metrics.py:suite")
    if not os.path.isfile(path):
        raise ExpressionError(f"{path}: no such file")
    whole = os.path.abspath(path)
    try:
        found: Any = import_module(START + os.fsencode(whole).hex())
    except RAISED as error:
        raise ExpressionError(f"{_place(error, whole)}: {type(error).__name__}: {error}") from error
    if not name:
        given = ((word, value) for word, value in vars(found).items() if isinstance(value, wanted))
        known = [word for word, value in given if not isinstance(value, type) or value.__module__ == found.__name__]
        kind = "class" if wanted is type else "metric"
        listed = f"{path} defines {', '.join(known)}" if known else f"{path} defines no {kind}"
        raise ExpressionError(f"{listed}; say which {kind} is meant, as in {path}:{known[-1] if known else 'NAME'}")
    for step in name.split("."):
        if not hasattr(found, step):
            known = [word for word in vars(found) if not word.startswith("_")]
            raise ExpressionError(f"{path} defines no {step!r}{near_word(step, known)}")
        found = getattr(found, step)
    if wanted is type and isinstance(found, (*METRICS, int, float, str, FunctionType, ModuleType)):
        instead = f"; write --metric {where}" if isinstance(found, METRICS) else ""
        raise ExpressionError(f"{where} is {shorten(found)}, expected a class{instead}")
    return found


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


START = f"{__name__}.file_"

__path__: list[str] = []  # so that Python looks for submodules, and asks the finder below


class _Loader(SourceFileLoader):
    """Tells the module what to call itself in signatures."""

    def exec_module(self, module: ModuleType) -> None:
        from hashlib import sha256  # takes 3 ms, which most commands have no use for

        digest = sha256(self.get_data(self.path)).hexdigest()[:8]
        setattr(module, STATED_NAME, f"{os.path.basename(self.path)}#{digest}")
        super().exec_module(module)


class _Finder:
    """Finds the file whose path is in the name."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith(START):
            return None
        file = os.fsdecode(bytes.fromhex(name.removeprefix(START)))
        folder = os.path.dirname(file)
        if folder not in sys.path:
            sys.path.append(folder)  # what the file imports from beside it
        return spec_from_file_location(name, file, loader=_Loader(name, file))


if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
    sys.meta_path.append(_Finder())

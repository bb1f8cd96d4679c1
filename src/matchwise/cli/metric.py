"""Which suite the arguments ask for: a task's preset, expressions, a definition in a file, or a type's own."""

from __future__ import annotations

import os
import re
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.algebra.nodes import Scorer, Similarity
from matchwise.corpus.suite import Derived, Suite, as_suite, take_several
from matchwise.errors import ExpressionError, check_preset, near_word, suggestion

if TYPE_CHECKING:
    from matchwise.corpus.pairing import OnError
    from matchwise.tasks import Option, Task

SAMPLE = 1000
"""References that a schema is inferred from where none is given."""


class ChosenMetrics(NamedTuple):
    """The suite with the metrics that --only keeps, the `whole` suite, and the task, preset and type they came from.

    `fits` says that the suite fits plain JSON to the type itself, so that what does not fit is scored and no error;
    `options` comes from --option.
    """

    suite: Suite
    whole: Suite
    task: str | None = None
    preset: str | None = None
    type: Any = None
    fits: bool = False
    options: Mapping[str, Any] = {}
    unreadable: OnError = "raise"
    """What becomes of a prediction that cannot be read."""

    @property
    def declared(self) -> Task | None:
        """The task as it is declared."""
        return None if self.task is None else find_task(self.task)


def split(args: Namespace) -> tuple[str | None, list[str]]:
    """The task among the inputs, if the first is one, and the files."""
    from matchwise.tasks import is_task, list_tasks

    inputs = list(args.inputs or ()) if not isinstance(args.inputs, str) else [args.inputs]
    if inputs and is_task(inputs[0]):
        return inputs[0], inputs[1:]
    if args.metric:
        return None, inputs
    if args.type or args.schema:
        return "documents", inputs
    advice = "name a task first (matchwise tasks lists them), or write --metric 'f1(\"relations\")' or --type"
    if not inputs or os.path.exists(inputs[0]):
        raise ExpressionError(advice)
    raise ExpressionError(f"no task {inputs[0]!r}{near_word(inputs[0], list_tasks()) or '; ' + advice}")


def choose(args: Namespace, task: str | None, files: Sequence[str] = ()) -> ChosenMetrics:
    """What the arguments ask for, checked against the type where there is one.

    Without a reference, the shape of documents is inferred from `files`.
    """
    T = None
    if args.type:
        from matchwise.cli.user import load_definition

        T = load_definition(args.type)
    preset, options = None, {}
    known = set() if task is None else {option.name for option in find_task(task).options}
    fits = not args.metric and known >= {"type", "schema"}
    if args.metric:
        suite = _parse_metrics(args.metric)
    elif fits:
        assert task is not None
        options = _text_options(args) | options_of(args, task)
        suite, preset = _preset(task, args, options, _shape(task, T, args, files))
    elif T is not None or args.schema:
        suite = Suite(score=derive_metric(T, args.schema))
    else:
        assert task is not None, "split asks for a task otherwise"
        options = options_of(args, task)
        suite, preset = _preset(task, args, options)
    own = args.preset or args.option or getattr(args, "adjudications", None)
    if (args.metric or T is not None or args.schema) and own and not fits:
        raise ExpressionError(
            "--preset and --option belong to a task's own suite; leave out --metric, --type and --schema"
        )
    whole = suite
    if args.only:
        suite = only(suite, args.only)
    if args.metric and T is not None:
        from matchwise.deriving import check

        for phi in suite.metrics.values():
            check(phi, T)
    if getattr(args, "references", None):
        suite, whole = (take_several(one, args.references, args.per) for one in (suite, whole))
    on_error: OnError | None = getattr(args, "on_error", None)
    args.on_error = on_error or "raise"
    empty = fits and getattr(args, "unknown_keys", None) != "error"
    return ChosenMetrics(suite, whole, task, preset, T, fits, options, on_error or ("empty" if empty else "raise"))


def _text_options(args: Namespace) -> dict[str, Any]:
    """The options of a form that follow from the options of the files."""
    made = {}
    if getattr(args, "text", None) or getattr(args, "ref_text", None):
        made["fences"] = "find"
    if getattr(args, "unknown_keys", None) == "ignore":
        made["extra"] = "ignore"
    return made


def _shape(name: str, T: Any, args: Namespace, files: Sequence[str]) -> dict[str, Any]:
    """The type, the schema, or documents (of the reference, or else of the files) to infer one from."""
    if args.schema:
        from matchwise.cli.user import schema

        found = schema(args.schema)
        return {"schema": found, **_without_id(found, args.id)}
    if T is not None:
        return {"type": T, **_without_id(T, args.id)}
    if args.preset not in (None, find_task(name).default):
        return {}
    refs = getattr(args, "refs", None) or files
    if not refs:
        raise ExpressionError(f"{name} needs a type or a schema; write --type models.py:Invoice or --schema FILE.json")
    from matchwise.formats.io.lines import read_once

    if any(map(read_once, refs)):
        side = "a file" if refs is files else "the reference"
        raise ExpressionError(f"{name} needs --type or --schema where {side} is standard input or a pipe")
    from itertools import islice

    from matchwise.cli.inputs import files_of
    from matchwise.formats.io.decoding import Decoding
    from matchwise.formats.jsonl import documents_of

    several = getattr(args, "references", None) is not None and len(refs) == 1
    key = None if args.id == "none" else args.id
    decoding = Decoding(key=key, keep_id=False, several=several, text=getattr(args, "ref_text", None))
    paths = [path for one in refs for path in files_of(one)]
    found = list(islice((document for path in paths for document in documents_of(path, decoding)), SAMPLE))
    return {"sample": [one for listed in found for one in listed] if several else found}


def _without_id(T: Any, key: str) -> dict[str, Any]:
    """Leave the id out of the comparison: documents are paired by it, so it is always right."""
    from matchwise.deriving import typeinfo
    from matchwise.deriving.hints import ignore
    from matchwise.deriving.jsonschema import annotation

    shape = typeinfo.describe(annotation(T) if isinstance(T, Mapping) else T).shape
    declared = isinstance(shape, typeinfo.RecordShape) and any(field.name == key for field in shape.fields)
    return {"settings": {key: ignore()}} if declared else {}


def find_task(name: str) -> Task:
    from matchwise.tasks import task

    return task(name)


def _preset(
    name: str, args: Namespace, options: dict[str, Any], more: dict[str, Any] | None = None
) -> tuple[Suite, str | None]:
    about = find_task(name)
    preset: str = about.default if args.preset is None else args.preset
    check_preset(preset, about.presets, name)
    more = more or {}
    if isinstance(options.get("settings"), dict):
        more = more | {"settings": more.get("settings", {}) | options["settings"]}
    try:
        return about.suite(**{**options, **more, "preset": preset}), preset
    except (TypeError, ValueError) as error:
        raise ExpressionError(f"{name}: {error}") from error


def options_of(args: Namespace, task: str) -> dict[str, Any]:
    """The options of the task's suite, as --option has them."""
    about = find_task(task)
    found: dict[str, Any] = {}
    for text in args.option:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise ExpressionError(f"--option {text}: write --option NAME=VALUE")
        found[name] = _read_option(about.option(name), value.strip())
    if getattr(args, "adjudications", None):
        if about.questions is None:
            raise ExpressionError(f"{task} does not use adjudications; leave out --adjudications")
        found["adjudications"] = _read_option(about.option("adjudications"), args.adjudications)
    return found


def _read_option(option: Option, text: str) -> Any:
    """The value of an option, or what is in the file that it names."""
    if not option.format:
        return text if text.lower() == "none" and option.is_choice else _value(text)
    if text in ("", "-"):
        raise ExpressionError(f"{option.name}={text}: expected the name of a file (standard input is for documents)")
    from matchwise.formats import find_format

    return find_format(option.format).options[option.name](text)


def _value(text: str) -> Any:
    """Read a number, true, false, none, an expression or a mapping; everything else is text."""
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    import ast

    from matchwise.algebra.parse import syntax

    try:
        return ast.literal_eval(syntax(text))
    except (ValueError, SyntaxError, TypeError):
        pass
    if re.match(r"\w+\(", text):
        return _expression(text)
    if text.startswith("{"):
        return _mapping(text)
    return text


def _expression(text: str) -> Any:
    """A similarity, or a hint such as weight(2)."""
    from matchwise.deriving.jsonschema import hint
    from matchwise.similarities.vocabulary import parse

    return hint(text) or parse(text)


def _mapping(text: str) -> dict[Any, Any]:
    """`{"lines[].text": edit(), "number": (eq(), weight(3))}`: settings by path."""
    import ast

    from matchwise.algebra.parse import syntax

    try:
        read = syntax(text)
        assert isinstance(read, ast.Dict)
        keys = [ast.literal_eval(key or read) for key in read.keys]  # **more has no key, and is no constant
    except (SyntaxError, ValueError, TypeError, AssertionError):
        raise ExpressionError(f'cannot read {text}; write {{"lines[].text": edit(), "notes": ignore()}}') from None
    found = [
        tuple(_expression(ast.unparse(part)) for part in value.elts)
        if isinstance(value, ast.Tuple)
        else _expression(ast.unparse(value))
        for value in read.values
    ]
    return dict(zip(keys, found, strict=True))


_NAMED = re.compile(r"^\s*([A-Za-z_]\w*)\s*=(?!=)(.*)$", re.DOTALL)
_FILE = re.compile(r"^(.*\.py):([A-Za-z_][\w.]*)$")


def _parse_metrics(texts: list[str]) -> Suite:
    """The metrics of all --metric, in order."""
    if len(texts) == 1 and not _NAMED.match(texts[0]):
        return as_suite(_one(texts[0].strip()))
    metrics: dict[str, Similarity | Derived] = {}
    references: dict[str, tuple[str, ...]] = {}
    for text in texts:
        named = _NAMED.match(text)
        name, expression = (named[1], named[2].strip()) if named else (None, text.strip())
        more = _one(expression)
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


def _one(text: str) -> Similarity | Suite:
    if _FILE.match(text):
        from matchwise.cli.user import load_definition

        found = load_definition(text)
        if isinstance(found, Scorer):
            found = found.metric
        if isinstance(found, Suite | Similarity):
            return found
        raise ExpressionError(f"{text} is {type(found).__name__}, expected a similarity or a suite")
    from matchwise.similarities.vocabulary import parse

    return parse(text)


def only(suite: Suite, names: str) -> Suite:
    """The given metrics of the suite, with the metrics that they are derived from."""
    entries = dict(suite.entries)
    wanted: list[str] = []
    for name in (name.strip() for name in names.split(",") if name.strip()):
        if name not in entries:
            raise ExpressionError(f"no metric {name!r} in the suite{suggestion(name, entries)}")
        entry = entries[name]
        wanted += [name, *(entry.names if isinstance(entry, Derived) else ())]
    references = {name: keys for name, keys in suite.references if name in wanted}
    kept = {name: entry for name, entry in entries.items() if name in wanted}
    return Suite(
        kept,
        references=references,
        title=suite.title,
        by=dict(suite.by),
        several=suite.several,
    )


def derive_metric(T: Any, schema: str | None) -> Similarity:
    """The metric of a JSON Schema, or else of a type."""
    if schema is not None:
        from matchwise.cli.user import metric_of_schema

        return metric_of_schema(schema)
    from matchwise.deriving import derive

    return derive(T)

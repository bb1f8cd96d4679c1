"""Which suite the arguments ask for: a task's preset, expressions, a definition in a file, or a type's own."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from itertools import islice
from typing import Any, NamedTuple

from matchwise.corpus.pairing import OnError
from matchwise.corpus.suite import Derived, Suite, take_several
from matchwise.errors import ExpressionError, FormatError, PluginError, check_preset, near_word, suggestion
from matchwise.formats import find_format, formats_of
from matchwise.tasks import Option, Task, is_task, list_tasks
from matchwise.tasks import task as find_task

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
    declared: Task | None = None
    """The task as it is declared."""
    settings: Mapping[str, str] = {}
    """Of --option: how a format reads its files."""


def split(args: Namespace) -> tuple[str | None, list[str]]:
    """The task among the inputs, if the first is one, and the files."""
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
    word, known = inputs[0], list_tasks()
    if is_task(word.lower()):
        raise ExpressionError(f"no task {word!r}; did you mean {word.lower()!r}?")
    if near := near_word(word, known):
        raise ExpressionError(f"no task {word!r}{near}")
    for task in known:
        with suppress(PluginError):  # a package that cannot be imported has no presets
            if word.lower() in find_task(task).presets:
                raise ExpressionError(f"{word!r} is a preset of {task}; write {task} --preset {word.lower()}")
    raise ExpressionError(f"no task {word!r}; {advice}")


def choose(args: Namespace, task: str | None, files: Sequence[str] = ()) -> ChosenMetrics:
    """What the arguments ask for, checked against the type where there is one.

    Without a reference, the shape of documents is inferred from `files`.
    """
    about = None if task is None else find_task(task)
    fits = not args.metric and about is not None and {"type", "schema"} <= {option.name for option in about.options}
    if fits or "auto" in (args.text, args.ref_text):
        _find_log_keys(args, is_json=about is None or not formats_of(about.name))
    preset, T = None, None
    options: dict[str, Any] = {}
    settings: dict[str, str] = {}
    if args.metric or args.type or args.schema:
        from matchwise.cli.user import derive_metric, load_definition, parse_metrics

        if args.type:
            T = load_definition(args.type, type)
        if (args.preset or args.option or args.adjudications) and not fits:
            raise ExpressionError(
                "--preset and --option belong to a task's own suite; leave out --metric, --type and --schema"
            )
    if args.lax and not fits:
        raise ExpressionError("--lax reads values by the type of a document; write it with --type or --schema alone")
    if args.metric:
        suite = parse_metrics(args.metric)
    elif about is not None and (fits or not (args.type or args.schema)):
        options, settings = _read_options(args, about)
        shape = _shape(about, T, args, files) if fits else {}
        preset = about.default if args.preset is None else args.preset
        check_preset(preset, about.presets, about.name)
        if isinstance(options.get("settings"), dict):
            shape = shape | {"settings": shape.get("settings", {}) | options["settings"]}
        try:
            suite = about.suite(**{**options, **shape, "preset": preset})
        except (TypeError, ValueError) as error:
            raise ExpressionError(f"{about.name}: {error}") from error
    else:
        suite = Suite(score=derive_metric(T, args.schema))
    whole = suite
    if args.only:
        suite = keep_metrics(suite, args.only)
    if args.metric and T is not None:
        from matchwise.deriving import check

        for phi in suite.metrics.values():
            check(phi, T)
    if args.references:
        suite, whole = (take_several(one, args.references, args.per) for one in (suite, whole))
    unreadable: OnError = args.on_error or ("empty" if fits and args.unknown_keys != "error" else "raise")
    args.on_error = args.on_error or "raise"
    return ChosenMetrics(suite, whole, task, preset, T, fits, options, unreadable, about, settings)


AUTO = "auto"


def _find_log_keys(args: Namespace, *, is_json: bool) -> None:
    """Find what --text and --ref-text would be, and the key of ids, where files are logs that we know; and say so.

    A line that has nothing of what is declared (by the type, the schema or the first reference) cannot be a document
    itself: then it is looked at as if somebody asked. Unless references are JSON, their format knows their ids.
    """
    from matchwise.cli.output import remark
    from matchwise.formats.logs import find_log

    declared: set[str] = set()
    if args.type:
        from matchwise.cli.user import load_definition
        from matchwise.engine.keys import record_fields

        T: Any = load_definition(args.type, type)
        known = getattr(T, "model_fields", {}).values()  # Pydantic's, which may have other names
        declared = {str(name) for one in known for name in (one.alias, one.validation_alias)}
        declared |= set(record_fields(T) or getattr(T, "__annotations__", {}))
    elif args.schema or args.refs:
        line = next(iter(_first_lines(args.schema or args.refs[0])), None)
        declared = set((line.get("properties") or ()) if args.schema else line) if isinstance(line, dict) else set()
    declared -= {"id", args.id, args.ref_id}
    predictions = [one.partition("=")[2] if not os.path.exists(one) else one for one in split(args)[1]]
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
    from matchwise.errors import MatchwiseError
    from matchwise.formats.io.decoding import Decoding
    from matchwise.formats.jsonl import documents_of

    if not os.path.isfile(path):
        return []
    try:
        with closing(documents_of(path, Decoding(key=None))) as documents:
            return list(islice(documents, LOOKED_AT))
    except MatchwiseError:
        return []  # what is wrong with it is said when it is read


def _read_options(args: Namespace, about: Task) -> tuple[dict[str, Any], dict[str, str]]:
    """The options of the task's suite, of --option and those that follow from others; and settings of its formats."""
    found: dict[str, Any] = {}
    settings: dict[str, str] = {}
    known = {option.name for option in about.options}
    if "fences" in known and (args.text or args.ref_text):
        found["fences"] = "find"
    if "extra" in known and args.unknown_keys == "ignore":
        found["extra"] = "ignore"
    if "lax" in known and args.lax:
        found["lax"] = True
    for text in args.option:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise ExpressionError(f"--option {text}: write --option NAME=VALUE")
        if name not in known and any(name in find_format(one).settings for one in formats_of(about.name)):
            settings[name] = value.strip()
        else:
            found[name] = _read_option(about.option(name), value.strip())
    if args.adjudications:
        if about.questions is None:
            raise ExpressionError(f"{about.name} does not use adjudications; leave out --adjudications")
        found["adjudications"] = _read_option(about.option("adjudications"), args.adjudications)
    return found, settings


def _read_option(option: Option, text: str) -> Any:
    """The value of an option, or what is in the file that it names."""
    if not option.format:
        from matchwise.cli.user import read_value

        return text if text.lower() == "none" and option.is_choice else read_value(text)
    if text in ("", "-"):
        raise ExpressionError(f"{option.name}={text}: expected the name of a file (standard input is for documents)")
    return find_format(option.format).options[option.name](text)


def _shape(about: Task, T: Any, args: Namespace, files: Sequence[str]) -> dict[str, Any]:
    """The type, the schema, or documents (of the reference, or else of the files) to infer one from."""
    if args.schema or T is not None:
        from matchwise.cli.user import load_schema
        from matchwise.deriving import typeinfo
        from matchwise.deriving.hints import ignore
        from matchwise.deriving.jsonschema import annotation

        found = load_schema(args.schema) if args.schema else T
        shape = typeinfo.describe(annotation(found) if args.schema else found).shape
        names = {field.name for field in shape.fields} if isinstance(shape, typeinfo.RecordShape) else set()
        made: dict[str, Any] = {"schema" if args.schema else "type": found}
        if paired := names & {args.id, args.ref_id}:  # documents are paired by ids, which are always right
            made["settings"] = {key: ignore() for key in sorted(paired)}
        return made
    if args.preset not in (None, about.default):
        return {}
    refs = args.refs or files
    if not refs:
        raise ExpressionError(
            f"{about.name} needs a type or a schema; write --type models.py:Invoice or --schema FILE.json"
        )
    from matchwise.cli.inputs import files_of
    from matchwise.formats.io.decoding import Decoding
    from matchwise.formats.io.source import read_once
    from matchwise.formats.jsonl import documents_of

    if any(map(read_once, refs)):
        side = "a file" if refs is files else "the reference"
        raise ExpressionError(f"{about.name} needs --type or --schema where {side} is standard input or a pipe")
    several = args.references is not None and len(refs) == 1
    ids = describe_ids(args, reference=refs is not files)
    decoding = Decoding(**ids, keep_id=False, several=several, text=args.ref_text)
    paths = [path for one in refs for path in files_of(one)]
    sample = list(islice((document for path in paths for document in documents_of(path, decoding)), SAMPLE))
    return {"sample": [one for listed in sample for one in listed] if several else sample}


def describe_ids(args: Namespace, *, reference: bool) -> dict[str, Any]:
    """The key that holds the ids of a side (None to pair by position), and the advice where a document lacks it."""
    key, advice = args.id, "write --id KEY for another"
    if reference and args.ref_id is not None:
        key, advice = args.ref_id, "write --ref-id KEY for another"
    elif reference:
        advice += ", or --ref-id KEY if only the references have another"
    return {"key": None if "none" in (args.id, key) else key, "key_advice": advice}


def keep_metrics(suite: Suite, names: str) -> Suite:
    """The given metrics of the suite, with the metrics that they are derived from."""
    entries = dict(suite.entries)
    wanted: list[str] = []
    for name in (name.strip() for name in names.split(",") if name.strip()):
        if name not in entries:
            raise ExpressionError(f"no metric {name!r} in the suite{suggestion(name, entries)}")
        entry = entries[name]
        wanted += [name, *(entry.names if isinstance(entry, Derived) else ())]
    return Suite(
        {name: entry for name, entry in entries.items() if name in wanted},
        references={name: keys for name, keys in suite.references if name in wanted},
        title=suite.title,
        by=dict(suite.by),
        several=suite.several,
    )

"""What the arguments ask for: a suite (a task's, expressions, a definition in a file, a type's own), and documents.

The shards of a folder or of a pattern such as `part-*.jsonl` are read as one file, one after the other. Documents that
have a `.json` file each, and no ids, are named after their files.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from glob import glob
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.algebra.nodes import Similarity
from matchwise.corpus.pairing import Failed, OnError
from matchwise.corpus.suite import Derived, Suite, take_several
from matchwise.corpus.table import Id
from matchwise.errors import (
    DataError,
    ExpressionError,
    FormatError,
    PluginError,
    count_units,
    cut,
    near_word,
    suggestion,
)
from matchwise.formats import find_format, format_of, formats_of, head
from matchwise.formats.io.decoding import NO_KEY, Decoding
from matchwise.formats.io.documents import Pairing, Source, TaskFile, flatten, join_files
from matchwise.formats.io.source import EVAL, TABLES, bare_name, read_once
from matchwise.formats.jsonl import JsonLines, LogFile, Shards, documents_of
from matchwise.sheets.table import write_one_line
from matchwise.tasks import Option, Task, is_task, list_tasks
from matchwise.tasks import task as find_task

if TYPE_CHECKING:
    from matchwise.deriving.annotations import Field


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
    options: dict[str, Any] = {}
    settings: dict[str, str] = {}
    preset, T, schema = None, None, None
    fields: tuple[Field, ...] = ()
    if args.type or args.schema:
        from matchwise.cli.user import load_type

        T, schema, fields = load_type(args)
    if fits or "auto" in (args.text, args.ref_text):
        from matchwise.cli.user import find_log_keys

        find_log_keys(args, split(args)[1], fields, is_json=about is None or not formats_of(about.name))
    if (args.metric or args.type or args.schema) and (args.preset or args.option or args.adjudications) and not fits:
        raise ExpressionError(
            "--preset and --option belong to a task's own suite; leave out --metric, --type and --schema"
        )
    if args.lax and not fits:
        raise ExpressionError("--lax reads values by the type of a document; write it with --type or --schema alone")
    if args.metric:
        from matchwise.cli.user import parse_metrics

        suite = parse_metrics(args.metric)
    elif about is not None and (fits or not (args.type or args.schema)):
        options, settings = _read_options(args, about)
        shape: dict[str, Any] = {}
        if args.type or args.schema:
            shape = {"type": T} if schema is None else {"schema": schema}
            if paired := {field.name for field in fields} & {args.id, args.ref_id}:  # which are always right
                from matchwise.deriving import ignore

                shape["settings"] = {key: ignore() for key in sorted(paired)}
        elif fits:
            shape = _sample(about, args, files)
        preset = about.default if args.preset is None else args.preset
        about.check(preset)
        if isinstance(options.get("settings"), dict):
            shape = shape | {"settings": shape.get("settings", {}) | options["settings"]}
        try:
            suite = about.suite(**{**options, **shape, "preset": preset})
        except (TypeError, ValueError) as error:
            raise ExpressionError(f"{about.name}: {error}") from error
    else:
        from matchwise.deriving import derive

        suite = Suite(score=derive(T if schema is None else schema))
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


SAMPLE = 1000
"""References that a schema is inferred from where none is given."""


def _sample(about: Task, args: Namespace, files: Sequence[str]) -> dict[str, Any]:
    """Documents, of the reference or else of the files, to infer a schema from, if the preset needs one."""
    if args.preset not in (None, about.default):
        return {}
    refs = args.refs or files
    if not refs:
        raise ExpressionError(
            f"{about.name} needs a type or a schema; write --type models.py:Invoice or --schema FILE.json"
        )
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
    if not wanted:
        raise ExpressionError(f"--only names no metric{suggestion('', entries)}")
    return Suite(
        {name: entry for name, entry in entries.items() if name in wanted},
        references={name: keys for name, keys in suite.references if name in wanted},
        title=suite.title,
        by=dict(suite.by),
        several=suite.several,
    )


def split_name(text: str) -> tuple[str, str]:
    """The name of a system and its file: `NAME=FILE`, or the file for both.

    >>> split_name("new=runs/7.jsonl"), split_name("runs/7.jsonl")
    (('new', 'runs/7.jsonl'), ('runs/7.jsonl', 'runs/7.jsonl'))
    """
    name, equals, path = text.partition("=")
    if equals and name and path and os.sep not in name and not os.path.lexists(text):
        return name, path
    return text, text


def source(text: str, chosen: ChosenMetrics, args: Namespace, *, lazy: bool = False, reference: bool = False) -> Source:
    """The documents of a file, or of the shards that a pattern or a folder stands for."""
    path = text if reference else split_name(text)[1]
    is_one = False
    if path != "-" and os.path.isdir(path) and chosen.task is not None and formats_of(chosen.task):
        with suppress(FormatError):  # a folder may be one file: brat keeps documents in files
            is_one = format_of(path, chosen.task, args.input_format) != "jsonl"
    paths = [path] if is_one else files_of(path)
    if len(paths) == 1 and not (os.path.isdir(path) and bare_name(paths[0]).endswith(".json")):
        return _file(paths[0], chosen, args, lazy=lazy, reference=reference)
    return _join_shards(path, paths, chosen, args, lazy=lazy, reference=reference)


def references(chosen: ChosenMetrics, args: Namespace, *, lazy: bool = False) -> Source:
    """The reference file; several are its shards, or with --references several references of each document."""
    if len(args.refs) == 1:
        return source(args.ref, chosen, args, lazy=lazy, reference=True)
    if args.references is not None:
        return join_files([source(path, chosen, args, lazy=lazy, reference=True) for path in args.refs])
    paths = [one for path in args.refs for one in files_of(path)]
    made = _join_shards(", ".join(args.refs), paths, chosen, args, lazy=lazy, reference=True)
    made.repeated = "write --references any if the files are several references of the same documents"
    if args.command not in ("score", "compare"):
        made.repeated = f"write -r once ({args.command} takes one reference for each document)"
    return made


ENDINGS = (".jsonl", ".ndjson", ".json", *TABLES)


def files_of(path: str) -> list[str]:
    """The file itself, or the files of a pattern or a folder, sorted by name."""
    if os.path.isdir(path):
        shards = (name for name in os.listdir(path) if bare_name(name).endswith(ENDINGS))
        names = sorted(name for name in shards if not name.startswith((".", "_")))  # Spark's _SUCCESS, .part-0.crc
        if not names:
            endings = ", ".join(ENDINGS)
            raise FormatError(f"found a directory without shards, expected files that end in {endings}", path)
        return [os.path.join(path, name) for name in names]
    if path == "-" or os.path.lexists(path) or not any(mark in path for mark in "*?["):
        return [path]
    found = sorted(one for one in glob(path, recursive=True) if not os.path.isdir(one))
    if not found:
        raise FormatError("no file matches the pattern", path)
    return found


def _join_shards(
    name: str, paths: list[str], chosen: ChosenMetrics, args: Namespace, *, lazy: bool, reference: bool
) -> Shards:
    parts = [_file(path, chosen, args, lazy=lazy, reference=reference) for path in paths]
    for part in parts:
        if isinstance(part, JsonLines) and isinstance(parts[0], JsonLines):
            part.decoding = parts[0].decoding  # which counts the warnings of all
    return Shards(name, parts, paths)


def _file(path: str, chosen: ChosenMetrics, args: Namespace, *, lazy: bool, reference: bool) -> Source:
    """A task's own format where the task has one that fits, else JSON."""
    text = args.ref_text if reference else args.text
    may_be_log = text and args.input_format != "jsonl" and chosen.task is not None and formats_of(chosen.task)
    if may_be_log and (bare_name(path).endswith((*TABLES, EVAL)) or head(path).lstrip()[:1] in ("{", "[")):
        assert chosen.task is not None, "it has formats"
        lines = JsonLines(path, Decoding(**describe_ids(args, reference=reference), text=text))
        return LogFile(lines, chosen.task, args.input_format, chosen.settings)
    format = "jsonl" if chosen.task is None else format_of(path, chosen.task, args.input_format)
    if format != "jsonl" and text:
        raise ExpressionError(f"{path} is read as {format}; --text and --ref-text are for JSON lines")
    if chosen.task is None and args.input_format not in (None, "jsonl"):
        raise ExpressionError(f"--input-format {args.input_format} needs a task: matchwise score TASK PRED -r REF")
    listed = reference and len(args.refs) == 1 and args.references is not None
    if format != "jsonl":
        if listed:
            raise ExpressionError(
                f"--references {args.references}: {path} ({format}) has one reference for each document; "
                "write -r REF once for each file of references"
            )
        return TaskFile(path, format, named=args.id != "none", reference=reference, settings=chosen.settings)
    return JsonLines(path, decoding(chosen, args, several=listed, reference=reference), lazy=lazy)


def one_file(args: Namespace, command: str) -> tuple[ChosenMetrics, str]:
    """The chosen suite, and the only file of predictions."""
    task, files = split(args)
    if len(files) != 1:
        raise ExpressionError(f"{command} takes one file of predictions, not {len(files)}")
    check_stdin(files, *args.refs)
    return choose(args, task), files[0]


@contextmanager
def open_pairing(asked: ChosenMetrics, pred: str, args: Namespace, *, lazy: bool = False) -> Iterator[Pairing]:
    """The documents of both files side by side, with what the arguments say of errors."""
    with (
        closing(source(pred, asked, args, lazy=lazy)) as preds,
        closing(references(asked, args, lazy=lazy)) as refs,
    ):
        if args.ref_id is not None and isinstance(refs, TaskFile):
            said = f"--ref-id names a key of JSON documents, but {refs.name} is {refs.format}; leave it out"
            raise ExpressionError(said)
        if args.id not in ("id", "none") and isinstance(preds, TaskFile) and isinstance(refs, TaskFile):
            both = dict.fromkeys((preds.format, refs.format))
            said = f"--id {args.id} names a key of JSON documents, but the files are read as {' and '.join(both)}"
            is_looking = args.command in ("align", "errors")
            more = f", or write --document {args.id} to show that document" if is_looking else ""
            raise ExpressionError(f"{said}; leave it out{more}")
        name_by_file(args, preds, refs)
        yield Pairing(
            preds,
            refs,
            on_error=args.on_error,
            unreadable=asked.unreadable,
            missing=args.missing,
            max_errors=args.max_errors,
        )


def name_by_file(args: Namespace, *sources: Source) -> None:
    """Name documents that have a file each after it, unless they have ids in every source that has such files."""
    if args.id != "id" or args.ref_id is not None:
        return
    folders = {
        one: first
        for source in sources
        for one in flatten(source)
        if isinstance(one, Shards) and (first := one.peek()) is not None
    }
    for one in folders:
        one.named_by_file = "all" if any(first.id is None for first in folders.values()) else "broken"


def describe_missing(file: str, missing: Sequence[Any], counted: str = "counted as empty") -> str:
    """How many documents have no prediction, and some of them."""
    ids = ", ".join(write_one_line(cut(str(id))) for id in missing[:NAMED]) + (", …" if len(missing) > NAMED else "")
    return f"{file}: {len(missing)} without prediction, {counted}: {ids}"


def describe_unreadable(file: str, unreadable: Sequence[Failed]) -> str:
    """How many predictions could not be read, and why the first could not."""
    several = count_units(len(unreadable), "predictions")
    return f"{file}: {several} could not be read, counted as empty; the first: {unreadable[0].problem}"


def check_readable(failed: Sequence[Failed], pairing: Pairing) -> None:
    """Refuse a file of which no line could be read, and a key of --text that no prediction has: it is misspelt."""
    decoding = pairing.preds.decoding
    errors = [one for one in failed if not one.is_unreadable]
    if errors and pairing.on_error == "raise" and pairing.documents == len(pairing.missing) + len(failed) - len(errors):
        raise DataError(f"{errors[0].problem}; none of {count_units(len(failed), 'lines')} could be read")
    if decoding is None or decoding.text is None or not 0 < len(failed) == pairing.documents:
        return
    if all(NO_KEY in one.problem for one in failed):
        raise DataError(failed[0].problem)


NAMED = 5
"""Documents that a note names, and errors that are shown."""


def decoding(chosen: ChosenMetrics, args: Namespace, *, several: bool = False, reference: bool = False) -> Decoding:
    """How the documents of a JSON file of either side are decoded."""
    text = args.ref_text if reference else args.text
    if several and text is not None:
        raise ExpressionError('--ref-text and a list under "references" do not go together; write -r REF several times')
    strict = chosen.fits and args.unknown_keys == "error"
    if strict and chosen.type is None:
        raise ExpressionError("--unknown-keys error needs --type FILE.py:CLASS, which says what is known")
    own = None if chosen.declared is None else chosen.declared.document
    T = None if chosen.fits else chosen.type if chosen.type is not None else own
    has_form = False
    if chosen.fits and not reference and text is None:
        from matchwise.tasks.documents.form import form_of

        form = form_of(chosen.suite)
        has_form = form is not None and form.fences == "refuse"  # it knows the kinds of what is not JSON
    return Decoding(
        T,
        **describe_ids(args, reference=reference),
        unknown_keys="error" if args.unknown_keys in (None, "count") else args.unknown_keys,
        keep_id=not chosen.fits,
        several=several,
        text=text,
        find=not chosen.fits or not chosen.suite.steps,
        has_form=has_form,
        checked=chosen.type if strict else None,
    )


def check_stdin(files: list[str], *refs: str | None, twice: str | None = None) -> None:
    """Refuse to read standard input twice; `twice` says what reads all files two times."""
    paths = [split_name(file)[1] for file in files]
    if "-" in (*paths, *refs) and sys.stdin is None:
        raise ExpressionError("standard input is closed; give the file a name")
    if [*paths, *refs].count("-") > 1:
        raise ExpressionError("- is standard input, which can be read only once; give the other file a name")
    for ref in refs:
        if ref is not None and len(paths) > 1 and read_once(ref):
            found = "standard input" if ref == "-" else f"a pipe ({ref})"
            raise ExpressionError(f"the reference is read once for each system and cannot be {found}; save it first")
    for path in (*paths, *filter(None, refs)) if twice else ():
        if read_once(path):
            raise ExpressionError(f"{twice} twice, but {path} can be read only once; save it to a file first")


def pair_files(chosen: ChosenMetrics, pred: str, args: Namespace) -> Iterator[tuple[Any, Any, Id]]:
    """(prediction, reference, id); a document without a prediction is empty."""
    with open_pairing(chosen, pred, args) as pairing:
        for number, (mine, theirs) in enumerate(pairing):
            id = number if theirs.id is None else theirs.id
            yield *pairing.read(mine, theirs), id


def only_metric(asked: ChosenMetrics, command: str) -> Suite:
    """The suite, if it has one metric."""
    names = [name for name, entry in asked.suite.entries if isinstance(entry, Similarity)]
    if len(names) > 1:
        raise ExpressionError(f"{command} needs one metric, not {', '.join(names)}; write --only {names[0]}")
    return asked.suite

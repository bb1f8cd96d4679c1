"""The files of a command as sources of documents, as pairs, and as collections with a name for each document.

The shards of a folder or of a pattern such as `part-*.jsonl` are read as one file, one after the other. Documents that
have a `.json` file each, and no ids, are named after their files.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from glob import glob
from itertools import islice
from typing import Any, Literal, NamedTuple

from matchwise.algebra.nodes import Similarity
from matchwise.cli import end_partial
from matchwise.cli.metric import ChosenMetrics, choose, describe_ids, split
from matchwise.cli.output import note
from matchwise.cli.parser import METRIC, OUTPUT, READING, Parser, add_group
from matchwise.corpus.pairing import Failed
from matchwise.corpus.suite import Suite
from matchwise.corpus.table import Id
from matchwise.errors import DataError, ExpressionError, FormatError, MatchwiseError, count_units
from matchwise.formats import format_of, formats_of, head
from matchwise.formats.io.decoding import NO_KEY, Decoding
from matchwise.formats.io.documents import Entry, Pairing, Source, TaskFile, flatten, join_files
from matchwise.formats.io.source import TABLES, bare_name, read_once
from matchwise.formats.jsonl import JsonLines, LogFile
from matchwise.runners.runner import Progress
from matchwise.sheets.table import write_one_line


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


class Shards(Source):
    """Yield the documents of several sources as if they were one."""

    def __init__(self, name: str, parts: list[Source], paths: list[str]) -> None:
        self.name, self.parts, self.paths = name, parts, paths
        self.named_by_file: Literal["all", "broken", "none"] = "none"
        """The documents whose id is the name of their file; one that is broken may have no legible id."""
        first = parts[0]
        self.decoding, self.pair, self.remedy = first.decoding, first.pair, first.remedy
        self.leaves_out_empty = first.leaves_out_empty
        self._read = 0
        """The part that is being read."""
        self._last = 0
        """The part of which a document was last read again."""

    def __iter__(self) -> Iterator[Entry]:
        names = None if self.named_by_file == "none" else self._name_files()
        for number, part in enumerate(self.parts):
            self._read = number
            for entry in part:
                is_nameless = entry.id is None and isinstance(entry.document, MatchwiseError)
                id = names[number] if names and (is_nameless or self.named_by_file == "all") else entry.id
                yield entry._replace(id=id, spot=_Spot(number, entry.spot))
            part.close()  # a folder may have more files than a process may have open

    def _name_files(self) -> list[str]:
        """The files as they are called in their folder, without .json."""
        paths = list(map(os.path.abspath, self.paths))
        folder = os.path.commonpath(list(map(os.path.dirname, paths)))
        return [bare_name(os.path.relpath(path, folder)).removesuffix(".json") for path in paths]

    def peek(self) -> Entry | None:
        """The first document, if each seems to have a `.json` file of its own."""
        if not all(isinstance(part, JsonLines) and part.whole for part in self.parts):
            return None
        found = list(islice(self.parts[0], 2))
        self.parts[0].close()
        if self.decoding is not None:
            self.decoding.warnings.clear()  # it is read once more
        return found[0] if len(found) == 1 else None

    def document(self, entry: Entry) -> Any:
        if isinstance(entry.document, MatchwiseError) or not isinstance(entry.spot, _Spot):
            return super().document(entry)
        number = entry.spot.part
        if self._last not in (number, self._read):
            self.parts[self._last].close()
        self._last = number
        return self.parts[number].document(entry._replace(spot=entry.spot.spot))

    def written(self, entry: Entry) -> bytes | None:
        part, spot = entry.spot
        found: bytes | None = self.parts[part].written(entry._replace(spot=spot))
        return found

    def park(self, entry: Entry) -> Entry:
        kept: Entry = self.parts[entry.spot.part].park(entry._replace(spot=entry.spot.spot))
        return kept._replace(spot=entry.spot)

    def place(self, entry: Entry) -> str:
        if not isinstance(entry.spot, _Spot):
            return self.parts[0].place(entry)
        return self.parts[entry.spot.part].place(entry._replace(spot=entry.spot.spot))

    def close(self) -> None:
        for part in self.parts:
            part.close()

    def progress(self) -> float | None:
        return (self._read + (self.parts[self._read].progress() or 0.0)) / len(self.parts)


class _Spot(NamedTuple):
    """Which part, and where in it."""

    part: int
    spot: Any


def _file(path: str, chosen: ChosenMetrics, args: Namespace, *, lazy: bool, reference: bool) -> Source:
    """A task's own format where the task has one that fits, else JSON."""
    text = args.ref_text if reference else args.text
    is_log = bare_name(path).endswith((*TABLES, ".eval")) or (text and head(path).lstrip()[:1] in ("{", "["))
    if text and is_log and chosen.task is not None and formats_of(chosen.task) and args.input_format != "jsonl":
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


def note_missing(file: str, missing: Sequence[Any], counted: str = "counted as empty") -> int:
    """Say which documents have no prediction; the exit code follows."""
    if missing:
        note(describe_missing(file, missing, counted))
    return end_partial(len(missing), 0)


def describe_missing(file: str, missing: Sequence[Any], counted: str = "counted as empty") -> str:
    """How many documents have no prediction, and some of them."""
    ids = ", ".join(write_one_line(str(id)) for id in missing[:NAMED]) + (", …" if len(missing) > NAMED else "")
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


def pair_files(
    chosen: ChosenMetrics, pred: str, args: Namespace, *, missing: list[Any] | None = None
) -> Iterator[tuple[Any, Any, Id]]:
    """(prediction, reference, id); a document without a prediction is empty, and is named in `missing`."""
    with open_pairing(chosen, pred, args) as pairing:
        for number, (mine, theirs) in enumerate(pairing):
            id = number if theirs.id is None else theirs.id
            yield *pairing.read(mine, theirs), id
        if missing is not None:
            missing += pairing.missing


def only_metric(asked: ChosenMetrics, command: str) -> Suite:
    """The suite, if it has one metric."""
    names = [name for name, entry in asked.suite.entries if isinstance(entry, Similarity)]
    if len(names) > 1:
        raise ExpressionError(f"{command} needs one metric, not {', '.join(names)}; write --only {names[0]}")
    return asked.suite


ONE_OR_TWO = "A task and one or two files; the documents of the first are compared with the documents of the second."


def add_comparison_options(to: Parser, formats: tuple[str, ...]) -> None:
    """The options of all commands that compare the documents of files with each other."""
    add_group(to, "what is measured", *METRIC)
    add_group(to, "files", *READING)
    add_group(to, "running", "--jobs")
    add_group(to, "output", *OUTPUT, format={"choices": formats})


class DocumentCollection(NamedTuple):
    """The documents of a file, their ids, and where each was read."""

    documents: list[Any]
    ids: list[Any]
    places: list[str]

    @property
    def names(self) -> list[Any]:
        """The ids, if every document has one of its own; else the places."""
        if None not in self.ids and len(set(self.ids)) == len(self.ids):
            return self.ids
        return self.places

    def place(self, error: DataError) -> DataError:
        """The error with the place of its document, where it knows only the number."""
        if not isinstance(error.document, int):
            return error
        return DataError(f"{self.places[error.document]}: {': '.join(filter(None, (error.path, error.problem)))}")


def read_collection(path: str, asked: ChosenMetrics, args: Namespace, *, reference: bool = False) -> DocumentCollection:
    """Read a whole file; a document that cannot be read is an error."""
    made = DocumentCollection([], [], [])
    with closing(source(path, asked, args, reference=reference)) as entries:
        name_by_file(args, entries)
        for entry in entries:
            made.documents.append(entries.document(entry))
            made.ids.append(entry.id)
            made.places.append(entries.place(entry))
    return made


@contextmanager
def show_progress(file: str, args: Namespace, *collections: DocumentCollection) -> Iterator[Progress]:
    """Progress while documents are compared; an error says which line the wrong document is on."""
    progress = Progress(file, lambda: None, quiet=args.quiet, what="pairs compared")
    try:
        yield progress
    except DataError as error:
        raise collections[-1 if error.side == "reference" else 0].place(error) from None
    finally:
        progress.end()


def read_one_or_two(args: Namespace, command: str) -> tuple[Suite, list[str], list[DocumentCollection]]:
    """The metric, the files, and their documents."""
    task, files = split(args)
    if len(files) not in (1, 2):
        raise ExpressionError(f"{command} compares the documents of one or two files, not {len(files)}")
    check_stdin(files)
    asked = choose(args, task, files)
    suite = only_metric(asked, command)
    return suite, files, [read_collection(file, asked, args) for file in files]

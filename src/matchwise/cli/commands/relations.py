"""The commands that relate documents to each other: `matrix`, `nearest`, `duplicates`, `consensus` and `agreement`."""

from __future__ import annotations

import csv
import json
import os
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from typing import IO, Any

import numpy as np

from matchwise.algebra.build import Selectable, f1
from matchwise.algebra.nodes import Normalized, Overlap
from matchwise.algebra.steps import split_step
from matchwise.cli import DONE, PARTIAL
from matchwise.cli.inputs import (
    check_stdin,
    only_metric,
    read_collection,
    read_one_or_two,
    show_progress,
    source,
    split_name,
)
from matchwise.cli.metric import ChosenMetrics, choose, split
from matchwise.cli.output import csv_text, emit, json_lines, json_text, note, whole
from matchwise.corpus.elements import root_collection
from matchwise.corpus.suite import Suite
from matchwise.corpus.table import Id
from matchwise.engine.rewrite import outermost
from matchwise.errors import DataError, ExpressionError, FormatError, count_units, shorten, suggestion
from matchwise.formats.io.entries import Entry, Source
from matchwise.formats.io.lines import Lines
from matchwise.formats.io.pairing import join_files
from matchwise.relating.agreement import Agreement, agreement, render
from matchwise.relating.annotations import LONG, Annotators
from matchwise.relating.comparison import matrix
from matchwise.relating.consensus import Consensus, consensus
from matchwise.relating.gamma import Gamma, gamma
from matchwise.relating.neighbours import Duplicates, Neighbour, duplicates, nearest
from matchwise.runners.progress import Progress
from matchwise.views.values import align_cells, plain


def run_matrix(args: Namespace) -> int:
    if args.format == "npy" and not args.output:
        raise ExpressionError("--format npy is a file of numbers; write -o FILE.npy")
    suite, files, collections = read_one_or_two(args, "matrix")
    rows, columns = collections[0], collections[-1]
    others = columns.documents if len(files) == 2 else None
    with show_progress(files[0], args, *collections) as progress:
        options = {"distance": args.distance, "kernel": args.kernel, "jobs": args.jobs, "done": progress}
        values = matrix(suite, rows.documents, others, **options)
    if args.format == "npy":
        with whole(args.output) as path, open(path, "wb") as file:
            np.save(file, values)
    else:
        emit("".join(_matrix_text(values, rows.names, columns.names, args.format)), args)
    return DONE


def _matrix_text(values: Any, rows: list[Any], columns: list[Any], format: str) -> Iterator[str]:
    if format == "json":
        yield json.dumps({"rows": rows, "columns": columns, "values": values.tolist()}, ensure_ascii=False) + "\n"
    elif format == "jsonl":  # as a sparse matrix: one line for each value that is not 0
        pairs = zip(*values.nonzero(), strict=True)
        yield from json_lines({"row": rows[i], "column": columns[j], "value": float(values[i, j])} for i, j in pairs)
    elif format == "csv":
        yield csv_text([["", *columns], *([name, *row] for name, row in zip(rows, values.tolist(), strict=True))])
    else:
        cells = [
            ["", *map(str, columns)],
            *([str(name), *(f"{w:.4f}" for w in row)] for name, row in zip(rows, values, strict=True)),
        ]
        yield align_cells(cells) + "\n"


def run_nearest(args: Namespace) -> int:
    suite, files, collections = read_one_or_two(args, "nearest")
    mine, theirs = collections[0], collections[-1]
    others = theirs.documents if len(files) == 2 else None
    with show_progress(files[0], args, *collections) as progress:
        found = nearest(
            suite, mine.documents, others, k=args.k, threshold=args.threshold, jobs=args.jobs, done=progress
        )
    emit("".join(_nearest_text(found, mine.names, theirs.names, args.format)), args)
    return DONE


def _nearest_text(found: list[list[Neighbour]], mine: list[Any], theirs: list[Any], format: str) -> Iterator[str]:
    if format == "text":
        for name, neighbours in zip(mine, found, strict=True):
            near = ", ".join(f"{theirs[one.place]} ({one.score:.4f})" for one in neighbours)
            yield f"{name}: {near or 'nothing is similar'}\n"
        return
    rows = [
        {"document": name, "nearest": [{"document": theirs[one.place], "score": one.score} for one in neighbours]}
        for name, neighbours in zip(mine, found, strict=True)
    ]
    if format == "json":
        yield json_text(rows)
    else:
        yield from json_lines(rows)


def run_duplicates(args: Namespace) -> int:
    suite, files, (collection, *more) = read_one_or_two(args, "duplicates")
    if more:
        raise ExpressionError("duplicates takes one file of documents, not 2")
    with show_progress(files[0], args, collection) as progress:
        found = duplicates(suite, collection.documents, threshold=args.threshold, jobs=args.jobs, done=progress)
    emit("".join(_duplicates_text(found, collection.names, args)), args)
    return DONE


def _duplicates_text(found: Duplicates, names: list[Any], args: Namespace) -> Iterator[str]:
    rows = [{"first": names[first], "second": names[second], "score": score} for first, second, score in found.pairs]
    if args.format == "json":
        clusters = [[names[place] for place in places] for places in found.clusters]
        yield json_text(found.to_dict() | {"clusters": clusters, "pairs": rows})
    elif args.format == "jsonl":
        yield from json_lines(rows)
    elif args.format == "csv":
        yield csv_text([("first", "second", "score"), *(row.values() for row in rows)])
    else:
        yield f"{found}\n"
        yield from ("\n" if rows else "", *(f"{row['score']:.4f}  {row['first']}  {row['second']}\n" for row in rows))
        for number, places in enumerate(found.clusters, start=1):
            head = "\n" if number == 1 else ""
            yield f"{head}cluster {number}: {', '.join(str(names[place]) for place in places)}\n"


def run_consensus(args: Namespace) -> int:
    task, files = split(args)
    if len(files) < 2:
        raise ExpressionError(f"consensus needs two or more files of readings, not {len(files)}")
    check_stdin(files)
    asked = choose(args, task, files)
    only_metric(asked, "consensus")
    summary = _Summary()
    with ExitStack() as opened:
        output = _open(opened, args.output) if args.output else None
        support = _open(opened, args.support) if args.support else None
        for entry, found, readings in _found(asked, files, args):
            row = _line(_row(entry, found, args))
            if output is None:
                emit(row, args)
            else:
                output.write(row)
            if support is not None:
                support.write(_line({"document": entry.id, **found.to_dict()}))
            summary.add(found, readings < len(files))
    note(str(summary))
    return PARTIAL if summary.incomplete else DONE


def _open(opened: ExitStack, path: str) -> IO[str]:
    """Open a file that appears only when it is completely written."""
    name = opened.enter_context(whole(path))
    return opened.enter_context(open(name, "w", encoding="utf-8", errors="surrogatepass"))


def _found(asked: ChosenMetrics, files: list[str], args: Namespace) -> Iterator[tuple[Entry, Consensus, int]]:
    """Each document with its consensus, and how many readings of it there are."""
    with closing(join_files([source(file, asked, args) for file in files], references=False)) as joined:
        progress = Progress(", ".join(files), joined.progress, quiet=args.quiet)
        for number, entry in enumerate(joined, start=1):
            yield entry, *_of_document(asked, joined, entry, files, args)
            progress(number)
        progress.end()


def _of_document(
    asked: ChosenMetrics, joined: Source, entry: Entry, files: list[str], args: Namespace
) -> tuple[Consensus, int]:
    readings = joined.document(entry)
    try:
        return consensus(asked.suite, readings, merge=args.choose == "merged", threshold=args.threshold), len(readings)
    except DataError as error:
        where = joined.place(entry)
        if isinstance(error.document, int) and len(readings) == len(files):
            where = files[error.document] if entry.id is None else f"{files[error.document]}: document {entry.id}"
        raise DataError(": ".join(filter(None, (where, error.path, error.problem)))) from error


def _row(entry: Entry, found: Consensus, args: Namespace) -> Any:
    """The document as plain data, with its id."""
    row = plain(found.value)
    if entry.id is None or args.id == "none":
        return row
    if not isinstance(row, dict):
        return {args.id: entry.id, "value": row}
    return (
        row if row.get(args.id) is not None else {args.id: entry.id, **{k: v for k, v in row.items() if k != args.id}}
    )


def _line(row: Any) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


class _Summary:
    """The numbers that are printed after a consensus of many documents."""

    def __init__(self) -> None:
        self.documents = self.merged = self.proved = self.incomplete = 0
        self.expected = self.best = 0.0

    def add(self, found: Consensus, incomplete: bool) -> None:
        self.documents += 1
        self.merged += found.kind == "merged"
        self.proved += found.proved
        self.incomplete += incomplete
        self.expected += found.expected
        self.best += found.best_expected

    def __str__(self) -> str:
        number = max(1, self.documents)
        scores = f"{self.expected / number:.4f} (the best readings: {self.best / number:.4f})"
        said = (
            f"{count_units(self.documents, 'documents')}, {self.merged} merged, {self.proved} proved to be the optimum"
        )
        said += f": mean expected score {scores}"
        return said + (f"; not in all files: {self.incomplete}" if self.incomplete else "")


def run_agreement(args: Namespace) -> int:
    suite, annotators, label = _read_long(args) if _is_long(args) else _read_files(args)
    found = agreement(
        suite,
        annotators,
        by=args.by,
        label=args.label or label,
        units=args.units,
        absent=args.absent,
        pairs=args.pairs,
        method=args.ci,
        level=args.level,
        resamples=args.resamples,
        seed=args.seed,
    )
    spans = None if args.gamma is None else _gamma(suite, annotators, args.gamma, args.seed)
    if args.format == "json":
        made = found.to_dict() | ({} if spans is None else {"gamma": spans.to_dict()})
        emit(json_text(made), args)
    else:
        emit("\n\n".join(_blocks(found, spans, args)) + "\n", args)
    return DONE


def _blocks(found: Agreement, spans: Gamma | None, args: Namespace) -> Iterator[str]:
    yield render(found, args.worst)
    if spans is not None:
        yield str(spans)
    for id, _ in found.worst(args.view):
        first, second, alignment = found.view(id)
        yield f"{id}  {first} against {second}\n{alignment}"


def _gamma(suite: Suite, annotators: Annotators, asked: str, seed: int) -> Gamma:
    """γ of the elements that were named; those of a task are read by a function, which is that of its metric."""
    elements, marked, fields = asked.partition("[]")
    span, _, category = fields.lstrip(".").partition(",")
    if not marked or not span:
        raise ExpressionError(
            f"--gamma {asked}: write ELEMENTS[].SPAN or ELEMENTS[].SPAN,CATEGORY, as in mentions[].span,type"
        )
    where: Selectable = elements or None
    [phi] = suite.metrics.values()
    step, bare = split_step(phi)
    read = root_collection(bare).sel if isinstance(outermost(bare), Normalized | Overlap) else ()
    if read and callable(read[0]) and (not elements or read[0].__name__.partition("_")[0] == elements):
        where = read
    elif step is not None and not step.checks and not step.separate:
        raise ExpressionError(f"--gamma cannot read the elements of {step!r} by themselves; write another --preset")
    return gamma(annotators, where, span=span, category=category or None, seed=seed)


def _is_long(args: Namespace) -> bool:
    """True if there is one file, and no task: a table of all annotators."""
    from matchwise.tasks import is_task

    return len(args.inputs) == 1 and not is_task(args.inputs[0])


def _read_files(args: Namespace) -> tuple[Suite, Annotators, None]:
    """One file for each annotator."""
    task, files = split(args)
    if len(files) < 2:
        raise ExpressionError(f"agreement needs the files of two or more annotators, not {len(files)}")
    check_stdin(files, None)
    asked = choose(args, task, [split_name(file)[1] for file in files])
    return only_metric(asked, "agreement"), _annotators(asked, files, args), None


def _read_long(args: Namespace) -> tuple[Suite, Annotators, str | None]:
    """One table with the labels of all annotators; they are compared by F1, and by κ where each has one label."""
    [path] = args.inputs
    names = args.columns.split(",")
    if len(names) != len(LONG):
        raise ExpressionError(f"--columns {args.columns}: write the columns of document, annotator and label")
    rows = list(_long_rows(path, names))
    suite = Suite(labels=f1("labels"))
    if args.metric:
        suite = only_metric(choose(args, None), "agreement")
    single = len({row[:2] for row in rows}) == len(rows)
    return suite, rows, "label" if single else None


def _long_rows(path: str, names: list[str]) -> Iterator[tuple[Any, Any, Any]]:
    """The rows of a table, as CSV, TSV or JSON lines; an empty label is none."""
    with closing(Lines(path)) as lines:
        texts = [line.data.decode("utf-8", "replace") for line in lines]
    rows: Iterable[tuple[int, dict[Any, Any]]]
    if texts and texts[0].lstrip().startswith("{"):
        rows = ((at, _json_row(text, lines.name, at)) for at, text in enumerate(texts, start=1) if text.strip())
    else:
        reader = csv.DictReader(texts, delimiter=max("\t;,", key="".join(texts[:1]).count))
        rows = ((reader.line_num, row) for row in reader)
        known = reader.fieldnames or ()
        for name in names:
            if name not in known:
                raise FormatError(f"found no column {name!r}{suggestion(name, known)}; {ONE_TABLE}", lines.name, 1)
    for number, row in rows:
        id, annotator, label = (row.get(name) for name in names)
        if id in (None, "") or annotator in (None, "") or None in row:
            raise FormatError(f"found {shorten(row)}, expected {', '.join(names)}; {ONE_TABLE}", lines.name, number)
        if label not in (None, ""):
            yield id, annotator, label


ONE_TABLE = (
    "one file is a table with a row for each document, annotator and label (--columns names them); or give each "
    "annotator a file"
)


def _json_row(text: str, path: str, number: int) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", path, number) from None
    if not isinstance(found, dict):
        raise FormatError(f"found {shorten(found)}, expected an object", path, number)
    return found


def _annotators(asked: ChosenMetrics, files: list[str], args: Namespace) -> dict[str, dict[Id, Any] | list[Any]]:
    """The documents of each file, by id or in order; a file goes by its name."""
    read = {name: read_collection(file, asked, args) for name, file in zip(_names(files), files, strict=True)}
    named = {name: all(id is not None for id in one.ids) for name, one in read.items()}
    if len(set(named.values())) > 1:
        having, lacking = (next(name for name in named if named[name] is there) for there in (True, False))
        raise DataError(f"the documents of {having} have ids, but not all of {lacking}; write --id KEY, or --id none")
    if not any(named.values()):
        return {name: one.documents for name, one in read.items()}
    found: dict[str, dict[Id, Any] | list[Any]] = {}
    for name, one in read.items():
        places: dict[Id, Any] = {}
        for id, document, place in zip(one.ids, one.documents, one.places, strict=True):
            if id in places:
                raise DataError(f"{place}: found the id {id!r} a second time; make the ids unique")
            places[id] = document
        found[name] = places
    return found


def _names(files: list[str]) -> list[str]:
    """The names of NAME=FILE, or files by their names, with as much of the path as tells them apart."""
    short = [os.path.basename(name) for name, _ in map(split_name, files)]
    names = short if len(set(short)) == len(short) else files
    if len(set(names)) < len(names):
        raise ExpressionError("the same file is given twice; compare the files of different annotators")
    return names

"""`matchwise agreement`: how well annotators agree, who deviates and where."""

from __future__ import annotations

import csv
import json
import os
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from typing import Any

from matchwise.algebra.build import Selectable, f1
from matchwise.algebra.nodes import Normalized, Overlap
from matchwise.algebra.steps import split_step
from matchwise.cli import DONE, emit
from matchwise.cli.documents import DocumentCollection, read_collection
from matchwise.cli.inputs import check_stdin, choose, only_metric, split, split_name
from matchwise.cli.parser import METRIC, OUTPUT, READING, RESAMPLING, Parser, add_group, add_shared, count
from matchwise.corpus.elements import root_collection
from matchwise.corpus.suite import Suite
from matchwise.corpus.table import Id
from matchwise.engine.rewrite import outermost
from matchwise.errors import DataError, ExpressionError, FormatError, shorten, suggestion
from matchwise.formats.io.source import Lines
from matchwise.formats.io.units import meet
from matchwise.relating.agreement import Agreement, agreement, render
from matchwise.relating.annotations import LONG, Annotators
from matchwise.relating.gamma import Gamma, gamma
from matchwise.reports.records import json_text
from matchwise.runners.runner import Progress
from matchwise.sheets.table import write_one_line
from matchwise.tasks import is_task

EXAMPLES = """\
  matchwise agreement ner ann.conll bob.conll cem.conll --only strict
  matchwise agreement ner labelstudio.json --only strict         (one export of several annotators)
  matchwise agreement --metric 'f1("relations")' ann.jsonl bob.jsonl --by type --view 3
  matchwise agreement --metric 'f1("spans")' ann.jsonl bob.jsonl --units span --label type --gamma 'spans[].span,type'
  matchwise agreement labels.csv                      (columns document, annotator, label)"""


def add_arguments(to: Parser) -> None:
    to.add_argument(
        "inputs",
        nargs="+",
        metavar="[TASK] FILE",
        help="A task and one file for each annotator, or one export of several annotators (Label Studio, Prodigy); or "
        "one table (CSV, TSV, JSON lines) of all labels.",
    )
    to.add_argument(
        "--columns",
        metavar="D,A,L",
        help="The columns of such a table that hold document, annotator and label (default: %(default)s).",
        default="document,annotator,label",
    )
    add_group(to, "what is measured", *METRIC)
    add_group(to, "files", *READING)
    add = add_group(to, "what is shown")
    add("--by", metavar="FIELD", help="Also show the labels on which annotators agree least.")
    add("--label", metavar="FIELD", help="Also print κ of the labels of documents or, with --units, of elements.")
    add("--units", metavar="FIELD", help="Elements of two annotators are the same unit if this field is equal.")
    add(
        "--absent",
        choices=("label", "missing"),
        help="Count a unit that an annotator lacks as a label of its own, or as missing (default: %(default)s).",
        default="label",
    )
    add("--gamma", metavar="ELEMENTS[].SPAN[,CATEGORY]", help="Also print γ of spans, as in 'mentions[].span,type'.")
    add(
        "--worst",
        metavar="N",
        help="Name the N documents with the least agreement (default: 5).",
        type=count,
        default=5,
    )
    add(
        "--view",
        metavar="N",
        help="Also show the differences in the N worst documents, between the two annotators that differ most.",
        type=count,
        default=0,
    )
    add = add_group(to, "statistics")
    add(
        "--pairs",
        metavar="N",
        help="Compare N pairs of annotations to estimate agreement by chance (default: %(default)s).",
        type=count,
        default=20_000,
    )
    add(
        "--ci",
        choices=("delta", "bootstrap"),
        help="Make the intervals by the delta method or by the bootstrap (default: %(default)s).",
        default="delta",
    )
    add_shared(add, *RESAMPLING)
    to.set_defaults(resamples=1000)
    add_group(to, "output", *OUTPUT, format={"choices": ("text", "json")})


def run(args: Namespace) -> int:
    is_one_table = len(args.inputs) == 1 and not is_task(args.inputs[0])
    suite, annotators, label = _read_long(args) if is_one_table else _read_files(args)
    progress = Progress(", ".join(args.inputs), lambda: None, quiet=args.quiet, what="pairs compared")
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
        done=progress,
    )
    progress.end()
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
        yield f"{write_one_line(f'{id}  {first} against {second}')}\n{alignment}"


def _gamma(suite: Suite, annotators: Annotators, asked: str, seed: int) -> Gamma:
    """γ of the named elements; the elements of a task are read by the function that its metric selects them with."""
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


def _read_files(args: Namespace) -> tuple[Suite, Annotators, None]:
    """One file for each annotator."""
    task, files = split(args)
    check_stdin(files, None)
    asked = choose(args, task, [split_name(file)[1] for file in files])
    suite = only_metric(asked, "agreement")
    is_one = len(files) == 1  # what people have annotated, if the file has predictions of a model too
    read = {
        name: read_collection(split_name(file)[1] if is_one else file, asked, args, reference=is_one)
        for name, file in zip(_names(files), files, strict=True)
    }
    if len(read) == 1:
        read = _split_by_annotator(*read.values())
    if len(read) < 2:
        raise ExpressionError(f"agreement needs the files of two or more annotators, not {len(files)}")
    return suite, _meet(_annotators(read)), None


def _split_by_annotator(whole: DocumentCollection) -> dict[str, DocumentCollection]:
    """The documents of each annotator, where a file says who made which."""
    made: dict[str, DocumentCollection] = {}
    for document, id, place in zip(whole.documents, whole.ids, whole.places, strict=True):
        one = made.setdefault(getattr(document, "annotator", ""), DocumentCollection([], [], []))
        one.documents.append(document)
        one.ids.append(id)
        one.places.append(place)
    return {} if "" in made else made


def _meet(found: dict[str, dict[Id, Any] | list[Any]]) -> dict[str, dict[Id, Any] | list[Any]]:
    """The documents of all annotators, which count the same units."""
    keyed: dict[str, dict[Any, Any]] = {
        name: dict(one if isinstance(one, dict) else enumerate(one)) for name, one in found.items()
    }
    for id in dict.fromkeys(chain.from_iterable(keyed.values())):
        having = [one for one in keyed.values() if id in one]
        for one, document in zip(having, meet([one[id] for one in having])[0], strict=True):
            one[id] = document
    return {name: one if isinstance(found[name], dict) else list(one.values()) for name, one in keyed.items()}


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


def _annotators(read: dict[str, DocumentCollection]) -> dict[str, dict[Id, Any] | list[Any]]:
    """The documents of each annotator, by id or in order."""
    named = {name: all(id is not None for id in one.ids) for name, one in read.items()}
    if len(set(named.values())) > 1:
        having, lacking = (next(name for name in named if named[name] is there) for there in (True, False))
        raise DataError(f"the documents of {having} have ids, but not all of {lacking}; write --id KEY")
    if not any(named.values()):
        return {name: one.documents for name, one in read.items()}
    found: dict[str, dict[Id, Any] | list[Any]] = {}
    for name, one in read.items():
        places: dict[Id, Any] = {}
        for id, document, place in zip(one.ids, one.documents, one.places, strict=True):
            if id in places:
                raise DataError(f"{place}: found the id {shorten(id)} a second time; make the ids unique")
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

"""`matchwise errors`: what a system got wrong, by the kinds of errors that the task has."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

from matchwise.cli import DONE, PARTIAL
from matchwise.cli.commands.align import analysis
from matchwise.cli.inputs import check_stdin, pair_files
from matchwise.cli.metric import chosen, split
from matchwise.cli.output import emit, note
from matchwise.errors import DataError, ExpressionError, suggestion
from matchwise.tasks.views import add_document
from matchwise.views.errors import Errors


def run(args: Namespace) -> int:
    task, files = split(args)
    if len(files) != 1:
        raise ExpressionError(f"errors takes one file of predictions, not {len(files)}")
    check_stdin(files, *args.refs)
    asked = chosen(args, task)
    find, total, seen = analysis(asked, args), Errors(()), []
    missing: list[Any] = []
    for pred, ref, id in pair_files(asked, files[0], args, missing=missing):
        seen.append(str(id))
        if args.document and str(id) not in args.document:
            continue
        try:
            add_document(total, find, pred, ref, id)
        except DataError as error:
            if error.document is None:
                error.document = id
            raise
    for id in args.document:
        if id not in seen:
            raise ExpressionError(f"no document {id!r}{suggestion(id, seen[:2000])}")
    if not total.documents:
        raise DataError(f"{', '.join(args.refs)}: no document")
    for kind in args.kind:
        if kind not in total.kinds:
            raise ExpressionError(f"no kind of error {kind!r}{suggestion(kind, total.kinds)}")
    _print(total, args)
    if missing:
        note(f"{files[0]}: {len(missing)} without prediction, counted as empty: {', '.join(map(str, missing[:5]))}")
    return PARTIAL if missing else DONE


def _print(total: Errors, args: Namespace) -> None:
    made = total.to_dict()
    if args.kind:
        made["errors"] = [row for row in made["errors"] if row["kind"] in args.kind]
    match args.format:
        case "json":
            text = json.dumps(made, ensure_ascii=False, indent=2, default=str) + "\n"
        case "jsonl":
            text = "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in made["errors"])
        case "markdown":
            text = total.to_markdown() + "\n"
        case "html":
            text = total.to_html() + "\n"
        case _:
            text = total.to_text(kinds=args.kind) + "\n"
    emit(text, args)

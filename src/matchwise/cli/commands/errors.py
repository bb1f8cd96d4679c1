"""`matchwise errors`: what a system got wrong, by kind."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from collections import Counter
from shutil import get_terminal_size
from typing import Any

from matchwise.cli import emit, remark
from matchwise.cli.documents import (
    check_any,
    choose_documents,
    count_faults,
    find_errors,
    note_failed,
    visit_documents,
)
from matchwise.cli.inputs import describe_missing, one_file, open_pairing
from matchwise.cli.parser import FILES, METRIC, OUTPUT, Parser, add_group, add_shared
from matchwise.corpus.table import Id
from matchwise.errors import ExpressionError, suggestion
from matchwise.reports.records import json_lines, json_text
from matchwise.tasks.views import add_documents
from matchwise.views.errors import EXAMPLES as SHOWN
from matchwise.views.errors import Errors

EXAMPLES = """\
  matchwise errors coref run.conll -r gold.conll
  matchwise errors templates run.json -r gold.json --preset gtt
  matchwise errors templates run.muc -r key.muc --preset muc4 --kind role --format jsonl"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="+", metavar="[TASK] PRED", help="A task and one file of predictions.")
    add_shared(to.add_argument, "--document")
    to.add_argument("--kind", action="append", default=[], metavar="KIND", help="Show only this kind; may be repeated.")
    to.add_argument("--whole", action="store_true", help="Show long values and texts whole.")
    add_group(to, "what is measured", *METRIC)
    add_group(to, "files", *FILES)
    add_group(to, "output", *OUTPUT, format={"choices": ("text", "json", "jsonl", "markdown", "html")})


def run(args: Namespace) -> int:
    asked, file = one_file(args, "errors")
    find, total, faults = find_errors(asked, args), Errors(()), Counter[str]()

    def make(ids: list[Id], preds: list[Any], refs: list[Any]) -> list[None]:
        add_documents(total, find, ids, preds, refs)
        return [None] * len(ids)

    add = count_faults(asked, make, faults)
    with open_pairing(asked, file, args) as pairing, choose_documents(args.document, None) as wanted:
        for _ in visit_documents(pairing, wanted, add, quiet=args.quiet):
            pass  # it is added
    check_any(total.documents, pairing)
    for kind in args.kind:
        if kind not in total.kinds:
            raise ExpressionError(f"no kind of error {kind!r}{suggestion(kind, total.kinds)}")
    _print_errors(total, args)
    if pairing.missing:
        remark(describe_missing(file, pairing.missing), args)
    return note_failed(pairing, args, faults)


def _print_errors(total: Errors, args: Namespace) -> None:
    match args.format:
        case "json" | "jsonl":
            made = total.to_dict()
            if args.kind:
                made["errors"] = [row for row in made["errors"] if row["kind"] in args.kind]
            text = json_text(made) if args.format == "json" else "".join(json_lines(made["errors"]))
        case "markdown":
            text = total.to_markdown(kinds=args.kind) + "\n"
        case "html":
            text = total.to_html(kinds=args.kind) + "\n"
        case _:
            width = 80 if args.output or not sys.stdout.isatty() else max(get_terminal_size().columns, 80)
            text = total.to_text(width=width, kinds=args.kind, whole=args.whole) + "\n"
            cut = next((kind for kind in total.kinds if len(total.of(kind)) > SHOWN and not args.kind), None)
            text += f"\n(--kind {shlex.quote(cut)} shows all {len(total.of(cut))} of them)\n" if cut else ""
    emit(text, args)

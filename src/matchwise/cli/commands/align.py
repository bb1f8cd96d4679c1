"""`matchwise align`: documents with what is wrong in them."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from typing import Any

from matchwise.cli import emit, emit_each, is_screen, remark
from matchwise.cli.documents import (
    Made,
    Make,
    choose_documents,
    choose_metrics,
    count_faults,
    make_views,
    note_failed,
    visit_documents,
)
from matchwise.cli.inputs import ChosenMetrics, check_stdin, one_file, open_pairing
from matchwise.cli.parser import FILES, LIMITS, METRIC, OUTPUT, Parser, add_group, add_shared, positive
from matchwise.cli.scoring import note_right, score_file
from matchwise.corpus.pairing import NAMED
from matchwise.corpus.report import Report
from matchwise.corpus.table import Id
from matchwise.errors import count_units
from matchwise.formats.io.documents import Pairing
from matchwise.reports.records import json_lines, json_text
from matchwise.views.alignment import Alignment, align_all
from matchwise.views.model import View
from matchwise.views.text import draw, to_text

EXAMPLES = """\
  matchwise align ner run.conll -r gold.conll --worst 5
  matchwise align coref run.conll -r gold.conll --document doc-7
  matchwise align --metric 'f1("relations")' run.jsonl -r gold.jsonl --format jsonl"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="+", metavar="[TASK] PRED", help="A task and one file of predictions.")
    add_shared(to.add_argument, "--document")
    to.add_argument("--worst", metavar="N", help="Show only the N worst documents, the worst first.", type=positive)
    to.add_argument("--wrong", action="store_true", help="Show only documents that are not all right.")
    to.add_argument("--whole", action="store_true", help="Show long values and texts whole.")
    add_shared(to.add_argument, *LIMITS)
    add_group(to, "what is measured", *METRIC)
    add_group(to, "files", *FILES)
    add_group(to, "output", *OUTPUT, format={"choices": ("text", "json", "jsonl")})


def run(args: Namespace) -> int:
    asked, file = one_file(args, "align")
    worst, faults = _worst(asked, file, args), Counter[str]()
    with open_pairing(asked, file, args) as pairing:
        if args.format == "text":
            views = make_views(asked, args, only_wrong=args.wrong)
            shown = _shown(pairing, args, worst, count_faults(asked, views, faults))
            _print_views((view for _, view in shown if not args.wrong or list(view.rows())), args)
        else:
            rows = _shown(pairing, args, worst, count_faults(asked, _aligner(asked, args), faults))
            data = (
                {"document": id, "metric": metric, **found.to_dict()}
                for id, (metric, found) in rows
                if not args.wrong or not found.inner.score == found.inner.predicted == found.inner.reference
            )
            emit_each(json_lines(data) if args.format == "jsonl" else [json_text(list(data))], args)
    return note_failed(pairing, args, faults)


def _worst(asked: ChosenMetrics, file: str, args: Namespace) -> list[Id] | None:
    """The wrong documents that are lowest by the metric that is shown, lowest first; what is unreadable is named."""
    if args.worst is None:
        return None
    check_stdin([file], *args.refs, twice="--worst reads the files")
    outcome = score_file(asked, file, args)
    unread = [(one.document, one.problem) for one in outcome.unreadable]
    if unread:
        remark(f"{file}: {count_units(len(unread), 'predictions')} could not be read, counted as empty:", args)
        for id, problem in unread[:NAMED]:
            remark(f"  {id}: {problem}", args)
        if len(unread) > NAMED:
            remark(f"  and {len(unread) - NAMED} more", args)
    report = Report(outcome.table, asked.suite)
    found = [id for id, _ in report.worst(args.worst, choose_metrics(asked, args)[0])]
    if not found:
        note_right(is_all_read=not unread)
    return found


def _shown(
    pairing: Pairing, args: Namespace, worst: list[Any] | None, make: Make[list[Made]]
) -> Iterator[tuple[Id, Made]]:
    """What is made of each document that was asked for, the worst first."""
    with choose_documents(args.document, worst) as wanted:
        found = visit_documents(pairing, wanted, make, quiet=args.quiet or (worst is None and not args.output))
        if worst is not None:
            made = dict(found)
            found = ((id, made[id]) for id in worst if id in made)
        yield from ((id, one) for id, several in found for one in several)


def _aligner(asked: ChosenMetrics, args: Namespace) -> Make[list[tuple[str, Alignment]]]:
    """What aligns documents by every metric."""

    def make(ids: list[Id], preds: list[Any], refs: list[Any]) -> list[list[tuple[str, Alignment]]]:
        by_metric = (
            [(name, found) for found in align_all(phi, preds, refs, time_limit=args.time_limit, gap=args.gap)]
            for name, phi in asked.suite.metrics.items()
        )
        return list(map(list, zip(*by_metric, strict=True)))

    return make


def _print_views(shown: Iterator[View], args: Namespace) -> None:
    if args.output or not is_screen():
        texts = (to_text(view, whole=args.whole) + "\n" for view in shown)
        emit_each((f"\n{text}" if number else text for number, text in enumerate(texts)), args)
        return
    for number, view in enumerate(shown):
        emit("\n" if number else "", args)
        draw(view, sys.stdout, whole=args.whole)

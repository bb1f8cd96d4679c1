"""`matchwise report`: a web page with the scores and with what is wrong in the worst documents."""

from __future__ import annotations

import json
from argparse import Namespace
from contextlib import nullcontext
from time import gmtime, strftime
from typing import Any

from matchwise.algebra.build import selector
from matchwise.cli import emit, end_partial
from matchwise.cli.documents import find_errors, make_views, visit_documents
from matchwise.cli.inputs import ChosenMetrics, check_stdin, choose, open_pairing, split
from matchwise.cli.parser import (
    BREAKDOWNS,
    BY_DELTA,
    FILES,
    INTERVALS,
    METRIC,
    NUMBERS,
    RUNNING,
    WRITING,
    Parser,
    add_group,
    add_shared,
    count,
)
from matchwise.cli.scoring import make_results, score_files
from matchwise.corpus.breakdown import with_fields, with_labels
from matchwise.corpus.table import Id
from matchwise.engine.limits import Limits, start_search
from matchwise.engine.selection import join
from matchwise.errors import ExpressionError, FormatError
from matchwise.reports.documents import SeenSystem, choose_documents
from matchwise.reports.page import to_page
from matchwise.tasks.views import TOGETHER, add_documents
from matchwise.views.errors import Errors
from matchwise.views.model import View
from matchwise.views.values import plain

EXAMPLES = """\
  matchwise report coref run.conll -r gold.conll -o report.html
  matchwise report --type models.py:Invoice run.jsonl -r gold.jsonl --title "Prompt 7" --worst 100 -o report.html"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="+", metavar="[TASK] PRED", help="A task and one or more files of predictions.")
    add_group(to, "what is measured", *METRIC)
    add_group(to, "files", *FILES)
    add = add_group(to, "what is shown")
    add("--title", metavar="TEXT", help="The title of the page.", default="")
    add("--note", metavar="FILE.md", help="Begin the page with this text, a few lines of Markdown.")
    add("--worst", metavar="N", help="Show the N worst documents (default: %(default)s).", type=count, default=50)
    add_shared(add, *BREAKDOWNS, "--average", *NUMBERS)
    add_group(to, "statistics", *INTERVALS, ci=BY_DELTA)
    add_group(to, "running", *RUNNING)
    to.set_defaults(format="html", per_document=False, layout=None)
    add_group(to, "output", *WRITING)


def run(args: Namespace) -> int:
    task, files = split(args)
    if not files:
        raise ExpressionError("expected a file of predictions: matchwise report TASK PRED -r REF -o report.html")
    check_stdin(files, *args.refs, twice="report reads its files")
    note = _read_note(args.note) if args.note else ""
    asked = choose(args, task)
    _choose_breakdown(asked, args)
    outcomes = score_files(asked, files, args)
    found = make_results(asked, outcomes, args)
    found = found._replace(view=found.view._replace(worst=0, metrics=()))
    shown = choose_documents(found, args.worst)
    unreadable = [{one["document"] for one in system.unreadable} for system in found.systems]
    seen = [_look(asked, file, set(shown), lost, args) for file, lost in zip(files, unreadable, strict=True)]
    today = strftime("%Y-%m-%d", gmtime())
    emit(to_page(found, seen, shown, title=args.title, note=note, made=today, most=args.worst), args)
    return end_partial(sum(len(one.table.missing) for one in outcomes), sum(len(one.errors) for one in outcomes))


def _read_note(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", path) from None


def _choose_breakdown(asked: ChosenMetrics, args: Namespace) -> None:
    """Count fields, or the labels of the task, where nothing else was asked for and all metrics have them."""
    if args.by or args.fields or args.average != "micro" or args.references:
        return
    try:
        if args.metric or asked.task in (None, "documents"):
            args.fields = bool(with_fields(asked.suite))
            return
        gradings = asked.declared.gradings if asked.declared else None
        found = gradings(asked.preset, **asked.options) if gradings else {}
        for name in (next(iter(asked.suite)), *found):  # the label of the headline, or else of another metric
            label = join("", found[name].label) if name in found else ""
            if label and len(with_labels(asked.suite, selector(label))) == len(asked.suite.metrics):
                args.by = label
                return
    except ExpressionError:  # such metrics have neither
        return


def _look(asked: ChosenMetrics, file: str, wanted: set[Id], unreadable: set[Id], args: Namespace) -> SeenSystem:
    """The views of the documents that are wanted, and the errors of all by kind; the file is read again."""
    find, errors, limits = find_errors(asked, args), Errors(()), Limits(args.time_limit, args.gap)
    view, written = make_views(asked, args), dict[Id, str]()
    together = 1 if limits else TOGETHER  # a search has its own time

    def look(ids: list[Id], preds: list[Any], refs: list[Any]) -> list[list[View]]:
        with start_search(limits) if limits else nullcontext():
            add_documents(errors, find, ids, preds, refs)
        for id, pred in zip(ids, preds, strict=True):
            if id in unreadable:
                text = pred.decode("utf-8", "replace") if isinstance(pred, bytes) else pred
                written[id] = text if isinstance(text, str) else json.dumps(plain(text), ensure_ascii=False)
        shown = [place for place, id in enumerate(ids) if id in wanted]
        made = zip(shown, view(*([some[place] for place in shown] for some in (ids, preds, refs))), strict=True)
        views = dict(made)
        return [views.get(place, []) for place in range(len(ids))]

    with open_pairing(asked, file, args) as pairing:
        found = {
            id: made
            for id, made in visit_documents(pairing, lambda id: True, look, together=together, quiet=args.quiet)
            if made
        }
    return SeenSystem(errors, found, written)

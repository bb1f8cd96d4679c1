"""`matchwise cite`: the BibTeX of a task's metrics."""

from __future__ import annotations

from argparse import Namespace

from matchwise.cli import DONE, emit
from matchwise.cli.parser import OUTPUT, Parser, add_group
from matchwise.errors import ExpressionError, suggestion
from matchwise.reports.records import json_text
from matchwise.tasks import list_references, look_up, task

EXAMPLES = """\
  matchwise cite coref >> paper.bib
  matchwise cite coref muc b_cubed"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="+", metavar="TASK [METRIC]", help="A task, and some of its metrics if you like.")
    to.add_argument("--preset", metavar="NAME", help="Cite only the metrics of this preset.")
    add_group(to, "output", *OUTPUT, format={"choices": ("text", "json")})


def run(args: Namespace) -> int:
    name, *metrics = args.inputs
    about = task(name)
    known = look_up(about.references)
    found = {} if args.preset is not None and not metrics else known
    if args.preset is not None:
        about.check(args.preset)
        found = found | list_references(about.suite(preset=args.preset))
    for metric in metrics:
        if metric not in found:
            raise ExpressionError(f"{name} has no reference for {metric!r}{suggestion(metric, found)}")
    found = {metric: found[metric] for metric in (dict.fromkeys(metrics) if metrics else found)}
    entries = dict.fromkeys(entry for some in found.values() for entry in some)
    emit(json_text(found) if args.format == "json" else "\n\n".join(entries) + "\n", args)
    return DONE

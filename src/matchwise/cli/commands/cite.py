"""`matchwise cite`: the BibTeX of a task's metrics."""

from __future__ import annotations

import json
from argparse import Namespace

from matchwise.cli import DONE
from matchwise.cli.output import emit
from matchwise.errors import ExpressionError, suggestion
from matchwise.tasks import task
from matchwise.tasks.citations import look_up, references


def run(args: Namespace) -> int:
    name, *metrics = args.inputs
    about = task(name)
    known = look_up(about.references)
    found = {} if args.preset is not None and not metrics else known
    if args.preset is not None:
        if args.preset not in about.presets:
            raise ExpressionError(f"{name} has no preset {args.preset!r}{suggestion(args.preset, about.presets)}")
        found = found | references(about.suite(preset=args.preset))
    for metric in metrics:
        if metric not in found:
            raise ExpressionError(f"{name} has no reference for {metric!r}{suggestion(metric, found)}")
    found = {metric: found[metric] for metric in (dict.fromkeys(metrics) if metrics else found)}
    if args.format == "json":
        emit(json.dumps(found, ensure_ascii=False, indent=2) + "\n", args)
    else:
        emit("\n\n".join(dict.fromkeys(entry for some in found.values() for entry in some)) + "\n", args)
    return DONE

"""`matchwise cite`: the BibTeX of a task's metrics."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from matchwise.cli import DONE
from matchwise.cli.output import emit
from matchwise.errors import ExpressionError, suggestion
from matchwise.tasks import task


def run(args: Namespace) -> int:
    name, *metrics = args.inputs
    module = task(name)
    known: Mapping[str, Any] = getattr(module, "REFERENCES", {})
    if args.preset is not None:
        if args.preset not in module.PRESETS:
            raise ExpressionError(f"{name} has no preset {args.preset!r}{suggestion(args.preset, module.PRESETS)}")
        metrics = [*metrics, *(metric for metric in module.suite(preset=args.preset) if metric in known)]
    for metric in metrics:
        if metric not in known:
            raise ExpressionError(f"{name} has no reference for {metric!r}{suggestion(metric, known)}")
    found = {metric: _entries(known[metric]) for metric in (dict.fromkeys(metrics) if metrics else known)}
    if args.format == "json":
        emit(json.dumps(found, ensure_ascii=False, indent=2) + "\n", args)
    else:
        entries = dict.fromkeys(entry.strip() for entries in found.values() for entry in entries)
        emit("\n\n".join(entries) + "\n", args)
    return DONE


def _entries(reference: Any) -> list[str]:
    """The entries of one metric: one, several, or with their keys."""
    if isinstance(reference, str):
        return [reference]
    if isinstance(reference, Mapping):
        return [str(entry) for entry in reference.values()]
    return [entry for entry in reference if isinstance(entry, str) and entry.lstrip().startswith("@")]

"""Intervals and comparisons as the arguments ask for them."""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from typing import TYPE_CHECKING, Any

from matchwise.cli.output import note
from matchwise.errors import FormatError
from matchwise.formats.io.lines import Lines

if TYPE_CHECKING:
    from matchwise.corpus.report import Report
    from matchwise.corpus.table import Table


def intervals_of(scored: Report | Table, args: Namespace) -> tuple[dict[str, tuple[float, float]], dict[str, Any]]:
    """Metric -> interval of its value, and how they were made."""
    from matchwise.corpus.intervals import intervals

    found = intervals(
        scored,
        method=args.ci,
        level=args.level,
        scores=("value",),
        cluster=clusters(args.clusters),
        resamples=args.resamples,
        seed=args.seed,
    )
    for warning in found.warnings:
        note(f"warning: {warning}")
    made = {
        row.metric: (row.low, row.high)
        for row in found.rows
        if row.part is None and row.headline and row.low is not None and row.high is not None
    }
    kept = ("method", "level", "units", "n", "resamples", "seed")
    how = {name: getattr(found, name) for name in kept if getattr(found, name) is not None}
    return made, {"intervals": how}


def clusters(path: str | None) -> dict[Any, str] | None:
    """Document -> cluster, from lines of id, tab, cluster; a whole number is an id of either kind."""
    if path is None:
        return None
    found: dict[Any, str] = {}
    with closing(Lines(path)) as lines:
        for line in lines:
            text = line.data.decode("utf-8", "replace").rstrip("\r\n")
            if not text.strip():
                continue
            id, tab, cluster = text.partition("\t")
            if not tab:
                raise FormatError(f"found {text[:60]!r}, expected an id, a tab and a cluster", path, line.number)
            found[id] = cluster
            if id.isdecimal():
                found[int(id)] = cluster
    return found

"""Intervals and comparisons as the arguments ask for them."""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.cli.output import note
from matchwise.errors import FormatError
from matchwise.formats.io.lines import Lines

if TYPE_CHECKING:
    from matchwise.corpus.report import Report
    from matchwise.corpus.slices import Part
    from matchwise.corpus.table import Table


class Found(NamedTuple):
    """The intervals of the values of metrics, those of labels and fields, and how they were made."""

    metrics: dict[str, tuple[float, float]]
    parts: dict[Part, tuple[float, float]]
    how: dict[str, Any]


def intervals_of(scored: Report | Table, args: Namespace, *, warn: bool = True) -> Found:
    """The intervals that --ci asks for."""
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
    for warning in found.warnings if warn else ():
        note(f"warning: {warning}")
    ends = [
        (row, (row.low, row.high))
        for row in found.rows
        if row.headline and row.low is not None and row.high is not None
    ]
    kept = ("method", "level", "units", "n", "resamples", "seed")
    how = {name: getattr(found, name) for name in kept if getattr(found, name) is not None}
    return Found(
        {row.metric: both for row, both in ends if row.part is None},
        {row.part: both for row, both in ends if row.part is not None},
        {"intervals": how},
    )


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

"""`matchwise compare`: systems against the first of them, from predictions or from saved score tables."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from matchwise.cli import DONE, GATE, PARTIAL
from matchwise.cli.inputs import check_stdin, named
from matchwise.cli.metric import chosen, split
from matchwise.cli.output import emit, note
from matchwise.cli.statistics import clusters
from matchwise.errors import ExpressionError

if TYPE_CHECKING:
    from matchwise.cli.scoring import Outcome
    from matchwise.corpus.table import Table


def run(args: Namespace) -> int:
    from matchwise.corpus.compare import compare
    from matchwise.corpus.estimates import counted
    from matchwise.views.tables.differences import render

    tables, partial = _tables(args)
    if len(tables) < 2:
        raise ExpressionError("compare needs two or more systems: matchwise compare TASK A B -r REF")
    found = compare(
        tables,
        method=args.ci,
        level=args.level,
        cluster=clusters(args.clusters),
        resamples=args.resamples,
        seed=args.seed,
    )
    emit(render(found, args.format), args)
    for warning in found.warnings if args.format in ("csv", "jsonl") else ():  # the others hold them
        note(f"warning: {warning}")
    if args.fail_on_regression and found.lowest_p_holm > args.alpha:
        documents = f"{counted(found.n, found.units)}, where p_holm is at least {found.lowest_p_holm:.4g}"
        note(f"warning: --fail-on-regression cannot fail at --alpha {args.alpha:g} on {documents}")
    worse = found.regressions(args.alpha) if args.fail_on_regression else []
    for row in worse:
        part = "" if row.part is None else f" of {row.part.name}"
        difference = f"{row.metric} {row.score}{part} {row.difference:+.4f} (p = {row.p_holm:.4f})"
        note(f"failed: {row.system} is worse than {row.baseline}: {difference}")
    return GATE if worse else PARTIAL if partial else DONE


def _tables(args: Namespace) -> tuple[dict[str, Table], bool]:
    """The score table of each system, and whether documents are missing or failed in any."""
    from matchwise.corpus.table import Table

    if args.ref is None:
        if args.metric or args.type or args.schema:
            raise ExpressionError("expected -r REF, the reference file (score tables need no metric)")
        _check_names(args.inputs)
        loaded = {name: Table.load(path) for name, path in map(named, args.inputs)}
        return loaded, any(one.errors for one in loaded.values())
    from matchwise.cli.scoring import score
    from matchwise.corpus.systems import shared_stretches

    task, files = split(args)
    _check_names(files)
    check_stdin(files, *args.refs)
    asked = chosen(args, task)
    found: dict[str, Table] = {}
    partial = stretches = False
    for file in files:
        name = named(file)[0]
        outcome = score(asked, file, args)
        partial |= outcome.partial
        stretches |= outcome.stretches
        for text in (*outcome.notes(name), *_unproved(outcome, name), *(() if found else outcome.left_whole())):
            note(text)
        found[name] = outcome.table()
    return shared_stretches(found) if stretches else found, partial


def _unproved(outcome: Outcome, file: str) -> Iterator[str]:
    """Where a limit ended the search: the scores that were reached are compared, and may be too low."""
    report = outcome.tally.report()
    for name in report:
        if not report[name].bounds.proved:
            yield f"warning: {file}: {name} is not proved, {report[name].bounds}; what was found is compared"


def _check_names(files: list[str]) -> None:
    names = [named(file)[0] for file in files]
    for name in names:
        if names.count(name) > 1:
            raise ExpressionError(f"{name} is there twice; compare different systems")

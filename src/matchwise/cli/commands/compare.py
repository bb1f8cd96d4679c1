"""`matchwise compare`: systems against one of them, or each against each, from predictions or saved score tables."""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from typing import Any, NamedTuple

from matchwise.cli import emit, finish, note, remark
from matchwise.cli.inputs import check_stdin, choose, split, split_name
from matchwise.cli.parser import (
    ABSENT_PREDICTIONS,
    BY_DELTA,
    ELEMENTS,
    FILES,
    INTERVALS,
    LAYOUT,
    METRIC,
    NUMBERS,
    OUTPUT,
    REFERENCES,
    RUNNING,
    Parser,
    add_group,
    add_shared,
)
from matchwise.cli.scoring import choose_display, score_files, show, show_sheet
from matchwise.corpus.counts import Portion
from matchwise.corpus.report import Report
from matchwise.corpus.storage import is_table
from matchwise.corpus.table import Table
from matchwise.errors import ExpressionError, FormatError, count_units, suggestion
from matchwise.formats.io.source import Lines
from matchwise.formats.logs import load_scores
from matchwise.reports.records import comparison_rows, elements, json_text
from matchwise.reports.results import Results, System
from matchwise.reports.scores import elements as element_tables
from matchwise.statistics.compare import Comparison, Difference, compare, share_stretches
from matchwise.statistics.intervals import intervals
from matchwise.tasks import is_task

EXAMPLES = """\
  matchwise compare coref a.conll b.conll -r gold.conll
  matchwise compare --metric 'f1("relations")' base.jsonl new.jsonl -r gold.jsonl --fail-on-regression
  matchwise compare base.table.jsonl new.table.jsonl        (tables of score --save-table)
  matchwise compare run1.eval run2.eval                     (scores in logs of Inspect)"""


def add_arguments(to: Parser) -> None:
    to.add_argument(
        "inputs", nargs="+", metavar="[TASK] PRED", help="A task and two or more files; the first is the baseline."
    )
    add_group(to, "what is measured", *METRIC)
    add_group(to, "files", *FILES, ref={"required": False})
    add_group(to, "several references", *REFERENCES)
    add = add_group(to, "statistics")
    add(
        "--baseline",
        metavar="NAME",
        help="Compare with this system instead of the first (a file, or NAME of NAME=FILE).",
    )
    add(
        "--pairs",
        choices=("baseline", "all"),
        help="Compare each system with the baseline, or each with each other (default: %(default)s).",
        default="baseline",
    )
    add_shared(add, *INTERVALS, ci=BY_DELTA)
    add("--by", metavar="FIELD", help="Also compare each label of this field, such as type.")
    add("--fields", action="store_true", help="Also compare each field of a record.")
    add_shared(add, *ELEMENTS)
    add("--layout", choices=("wide", "long"), help=f"{LAYOUT.format('long')}.")
    add_shared(add, *NUMBERS)
    to.set_defaults(per_document=False, worst=0, average="micro")
    add(
        "--alpha",
        metavar="A",
        help="Call a difference significant if p_holm is at most A (default: %(default)s).",
        type=float,
        default=0.05,
    )
    add = add_group(to, "gates")
    add(
        "--fail-on-regression",
        action="store_true",
        help="Exit with code 1 if a system is significantly worse than the baseline.",
    )
    add_shared(add, *ABSENT_PREDICTIONS)
    add_group(to, "running", *RUNNING)
    add_group(to, "output", *OUTPUT, format={"choices": ("text", "json", "jsonl", "csv", "markdown", "latex")})


def run(args: Namespace) -> int:
    for option, given in (("--layout wide", args.layout == "wide"), ("--fail-on-regression", args.fail_on_regression)):
        if args.pairs == "all" and given:
            raise ExpressionError(f"{option} compares with the baseline; leave out --pairs all")
    tables, systems, outcomes = _tables(args)
    if args.baseline is not None and args.baseline not in tables:
        raise ExpressionError(f"--baseline {args.baseline}: no such system{suggestion(args.baseline, tables)}")
    only = [name.strip() for name in args.only.split(",") if name.strip()] if args.only else None
    found = compare(tables, baseline=args.baseline, pairs=args.pairs, metrics=only, **statistics_options(args))
    _show(found, tables, systems, args)
    for warning in found.warnings if args.format in ("csv", "jsonl") else ():  # the others hold them
        remark(f"warning: {warning}", args)
    if args.fail_on_regression and found.lowest_p_holm > args.alpha:
        documents = f"{count_units(found.n, found.units)}, where p_holm is at least {found.lowest_p_holm:.4g}"
        note(f"warning: --fail-on-regression cannot fail at --alpha {args.alpha:g} on {documents}")
    worse = found.regressions(args.alpha) if args.fail_on_regression else []
    return finish(outcomes, args, [_describe(row) for row in worse], is_gated=args.fail_on_regression)


def _describe(row: Difference) -> str:
    part = "" if row.part is None else f" of {row.part.name}"
    difference = f"{row.metric} {row.score}{part} {row.difference:+.4f} (p_holm = {row.p_holm:.4f})"
    return f"{row.system} is worse than {row.baseline}: {difference}"


def _show(found: Comparison, tables: dict[str, Table], systems: list[System], args: Namespace) -> None:
    """The differences, or the table of a paper; then what became of the elements of each system."""
    results = _results(found, tables, systems, args)
    if args.format == "json":
        more = {system.prediction: elements(results, system) for system in results.systems}
        emit(json_text(found.to_dict() | ({"elements": more} if any(more.values()) else {})), args)
    elif args.layout == "wide":
        show(results, args)
    elif args.format in ("csv", "jsonl"):
        emit(comparison_rows(found, args.format), args)
    else:
        made = found.sheet()
        made = made._replace(tables=(*made.tables, *element_tables(results)), numbers=results.view.numbers)
        show_sheet(made, args)


def _results(found: Comparison, tables: dict[str, Table], systems: list[System], args: Namespace) -> Results:
    """The systems with their scores, for the table of a paper and for the tables of elements."""
    if args.layout == "wide":
        by_name = {system.prediction: system.categories for system in systems}
        how: dict[str, Any] = {}
        systems = []
        for name, table in tables.items():
            metrics, _, how, _ = intervals_of(table, args)
            systems.append(System(name, table.report(), intervals=metrics, categories=by_name.get(name, {})))
    else:
        how = {}
    return Results(
        ", ".join(args.refs) or None,
        len(next(iter(tables.values()))),
        found.signature,
        tuple(systems),
        view=choose_display(args, 1),
        notes=how,
        comparison=found,
    )


def _tables(args: Namespace) -> tuple[dict[str, Table], list[System], dict[str, Table]]:
    """The score table of each system, its categories, and the table as it was before stretches were shared."""
    if args.ref is None:
        if args.metric or args.type or args.schema:
            raise ExpressionError("expected -r REF, the reference file (score tables need no metric)")
        if is_task(args.inputs[0]):
            raise ExpressionError("expected -r REF, the reference file (score tables need no task)")
        for option in ("categories", "confusion"):
            if getattr(args, option):
                raise ExpressionError(f"--{option} needs the documents: matchwise compare TASK A B -r REF --{option}")
        _check_names(args.inputs)
        loaded = {  # saved score tables, or scores of logs of Inspect
            name: load_scores(path) if path.endswith((".eval", ".json")) and not is_table(path) else Table.load(path)
            for name, path in map(split_name, args.inputs)
        }
        return loaded, [], loaded
    task, files = split(args)
    _check_names(files)
    check_stdin(files, *args.refs)
    asked = choose(args, task)
    outcomes = score_files(asked, files, args)
    systems = []
    for outcome in outcomes:
        report = Report(outcome.table, asked.suite)
        systems.append(System(outcome.name, report, categories=outcome.categories))
        for name in report:
            if not report[name].bounds.proved:  # a limit ended a search: the score that was found may be too low
                said = f"{name} is not proved, {report[name].bounds}; what was found is compared"
                remark(f"warning: {outcome.name}: {said}", args)
    found = {outcome.name: outcome.table for outcome in outcomes}
    return share_stretches(found) if any(one.stretches for one in outcomes) else found, systems, found


def _check_names(files: list[str]) -> None:
    names = [split_name(file)[0] for file in files]
    if len(names) < 2:
        raise ExpressionError("compare needs two or more systems: matchwise compare TASK A B -r REF")
    for name in names:
        if names.count(name) > 1:
            raise ExpressionError(f"{name} is given twice; compare different systems")


class FoundIntervals(NamedTuple):
    """The intervals of metrics, labels and fields, how they were made, and what to doubt."""

    metrics: dict[str, tuple[float, float]]
    parts: dict[Portion, tuple[float, float]]
    how: dict[str, Any]
    warnings: tuple[str, ...]


def intervals_of(scored: Report | Table, args: Namespace) -> FoundIntervals:
    """The intervals that --ci asks for, if it is there."""
    if not args.ci:
        return FoundIntervals({}, {}, {}, ())
    found = intervals(scored, scores=("value",), **statistics_options(args))
    ends = [
        (row, (row.low, row.high)) for row in found if row.headline and row.low is not None and row.high is not None
    ]
    kept = ("method", "level", "units", "n", "resamples", "seed")
    how = {name: getattr(found, name) for name in kept if getattr(found, name) is not None}
    return FoundIntervals(
        {row.metric: both for row, both in ends if row.part is None},
        {row.part: both for row, both in ends if row.part is not None},
        {"intervals": how},
        found.warnings,
    )


def statistics_options(args: Namespace) -> dict[str, Any]:
    """The options of intervals and comparisons."""
    same = {name: getattr(args, name) for name in ("level", "resamples", "seed")}
    return {"method": args.ci, "cluster": _clusters(args.clusters), **same}


def _clusters(path: str | None) -> dict[Any, str] | None:
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

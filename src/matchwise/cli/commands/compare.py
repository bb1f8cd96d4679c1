"""`matchwise compare`: systems against one of them, or each against each, from predictions or saved score tables."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from matchwise.cli import finish
from matchwise.cli.inputs import check_stdin, split_name
from matchwise.cli.metric import choose, split
from matchwise.cli.output import (
    choose_display,
    emit,
    intervals_of,
    json_text,
    markup,
    note,
    remark,
    show_text,
    statistics_options,
    write_results,
)
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
from matchwise.cli.scoring import score_files
from matchwise.corpus.report import Report
from matchwise.corpus.storage import is_table
from matchwise.corpus.table import Table
from matchwise.errors import ExpressionError, count_units, suggestion
from matchwise.formats.log_scores import load_scores
from matchwise.reports.records import comparison_rows, elements
from matchwise.reports.results import Results, System
from matchwise.reports.scores import elements as element_tables
from matchwise.reports.scores import sheet
from matchwise.statistics.compare import Comparison, Difference, compare, share_stretches

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
    if len(tables) < 2:
        raise ExpressionError("compare needs two or more systems: matchwise compare TASK A B -r REF")
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
    elif args.format in ("csv", "jsonl"):
        wide = args.layout == "wide"
        emit(write_results(results, args.format) if wide else comparison_rows(found, args.format), args)
    else:
        if args.layout == "wide":
            made = sheet(results)
        else:
            made = found.sheet()
            made = made._replace(tables=(*made.tables, *element_tables(results)), numbers=results.view.numbers)
        if args.format == "text":
            show_text(made, args)
        else:
            emit(markup(made, args.format), args)


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
    for name in names:
        if names.count(name) > 1:
            raise ExpressionError(f"{name} is given twice; compare different systems")

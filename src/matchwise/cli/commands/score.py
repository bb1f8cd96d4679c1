"""`matchwise score`: predictions against a reference."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection
from contextlib import suppress

from matchwise.cli.gates import add_limits, finish, gates, name_fields
from matchwise.cli.inputs import check_stdin, pair_files
from matchwise.cli.metric import ChosenMetrics, choose, split
from matchwise.cli.options import BREAKDOWNS, NUMBERS, REFERENCES, RUNNING, Arguments, columns, count
from matchwise.cli.output import emit, note, remark, show
from matchwise.cli.results import make_results
from matchwise.cli.scoring import score_files
from matchwise.corpus.report import OfficialReport, Report
from matchwise.errors import ExpressionError, count_units
from matchwise.reports.results import Results, System
from matchwise.sheets.table import write_cell

EXAMPLES = """\
  matchwise score coref run.conll -r gold.conll
  matchwise score coref a.conll b.conll -r gold.conll --preset conll12 --format markdown
  matchwise score --metric 'f1("relations", eq("type") * eq("subj") * eq("obj"))' run.jsonl -r gold.jsonl
  matchwise score --metric metrics.py:suite run.jsonl.gz -r gold.jsonl --by type --jobs 4
  matchwise score --type models.py:Invoice run.jsonl -r gold.jsonl --fields --fail-under f1=0.85
  producer | matchwise score ner - -r gold.conll --format json -o scores.json"""


def add_arguments(to: Arguments) -> None:
    to.add("inputs", nargs="+", metavar="[TASK] PRED", help="A task and one or more files of predictions; - is stdin.")
    to.metric()
    to.files()
    to.group("several references", *REFERENCES)
    group = to.group("what is shown", *BREAKDOWNS)
    group.add("--per-document", action="store_true", help="Also print the scores of every document.")
    group.add("--worst", metavar="N", help="Also name the N documents with the lowest score.", type=count, default=0)
    group.add("--score-only", action="store_true", help="Print nothing but the main score of each system.")
    group.shared("--average")
    group.add(
        "--columns",
        metavar="NAME,...",
        help="Print only these scores and counts, as in f1 or precision,recall.",
        type=columns,
        default=(),
    )
    group.layout(
        "wide for several systems, but long in csv and jsonl; of one, the rows that papers of coreference print",
        official=True,
    )
    group.shared(*NUMBERS)
    to.group("statistics").intervals(None)
    group = to.group("running", *RUNNING)
    group.add("--save-table", metavar="FILE", help="Save the counts of every document (.jsonl, .jsonl.gz or .parquet).")
    group.add(
        "--save-tally", metavar="FILE", help="Save the sums of this shard for matchwise merge (a small .json file)."
    )
    group.add("--collect-adjudications", metavar="FILE", help="Add the mismatches that a person should judge to FILE.")
    group = to.group("gates")
    group.add(
        "--fail-under",
        action="append",
        default=[],
        metavar="[METRIC:]SCORE=X",
        help="Exit with code 1 if a score is lower, as in f1=0.85 or muc:recall=0.8; may be repeated.",
    )
    add_limits(group)
    to.output()


def run(args: Namespace) -> int:
    task, files = split(args)
    if not files:
        raise ExpressionError("expected a file of predictions: matchwise score TASK PRED -r REF")
    check_stdin(files, *args.refs)
    asked = choose(args, task)
    args.fields = args.fields or name_fields(args.fail_under, asked.suite)
    names = _official_names(asked, args)
    bounds = gates(args.fail_under, asked.suite, fields=args.fields, official=names)
    is_official = args.layout == "official" or any(gate.metric in names for gate in bounds)
    for option in ("--save-table", "--save-tally"):
        if getattr(args, option[2:].replace("-", "_")) and len(files) > 1:
            raise ExpressionError(f"{option} keeps one system; score them one by one, or leave it out")
    if args.collect_adjudications:
        from matchwise.cli.commands.adjudicate import check_collecting, collect

        check_collecting(asked, files, args)
    if is_official:
        _check_official(asked, files, args)
    outcomes = score_files(asked, files, args)
    results = make_results(asked, outcomes, args)
    if is_official:
        both = zip(results.systems, files, strict=True)
        systems = (system._replace(official=_report(asked, file, args)) for system, file in both)
        results = results._replace(systems=tuple(systems))
    if _has_nothing_to_find(results.systems[0].report):
        said = f"{', '.join(args.refs)}: found nothing that is scored here; is it the right file and task?"
        remark(f"warning: {said}", args)
    if args.score_only:
        values = (float(system.report[system.report.headline].value) for system in results.systems)
        emit("".join(f"{write_cell(value, 'score', results.view.numbers)}\n" for value in values), args)
    elif args.layout == "official" and args.format == "text":
        emit("\n".join(_write_official(system, results) for system in results.systems), args)
    else:
        show(results, args)
    tables = {outcome.name: outcome.table for outcome in outcomes}
    if args.save_table:
        tables[outcomes[0].name].save(args.save_table)
    if args.save_tally:
        tables[outcomes[0].name].fold().save(args.save_tally)
    if args.collect_adjudications:
        for said in collect(asked, files, args):
            note(said)
    low = [
        text
        for system in results.systems
        for gate in bounds
        if (text := gate.explain_failure(system.report, system.official.scores if system.official else {}))
    ]
    return finish(tables, args, low, is_gated=bool(bounds))


def _official_names(asked: ChosenMetrics, args: Namespace) -> Collection[str]:
    """The numbers that only the report of the preset's scorer has."""
    if asked.declared is None or args.metric or asked.declared.report is None:
        return ()
    with suppress(ExpressionError):  # of presets that have no report
        return asked.declared.report(asked.suite, ()).scores
    return ()


def _check_official(asked: ChosenMetrics, files: list[str], args: Namespace) -> None:
    """Say before anything is scored why there is no report."""
    if asked.declared is None or args.metric or asked.declared.report is None:
        raise ExpressionError(
            "--layout official is for boxes --preset coco, templates --preset muc4 and triples --preset carb; write "
            "matchwise score templates PRED -r REF --preset muc4 --layout official"
        )
    if args.layout == "official" and args.format not in ("text", "json"):
        raise ExpressionError(f"--layout official is text or JSON; leave out --format {args.format}")
    check_stdin(files, *args.refs, twice="the official report reads the files")
    asked.declared.report(asked.suite, ())


def _report(asked: ChosenMetrics, file: str, args: Namespace) -> OfficialReport:
    """The report of one system."""
    report = None if asked.declared is None else asked.declared.report
    assert report is not None, "_check_official asks for it"
    return report(asked.suite, ((pred, ref) for pred, ref, _ in pair_files(asked, file, args)))


def _write_official(system: System, results: Results) -> str:
    """The report of one system, with its name if there are several."""
    name = f"{system.prediction}\n\n" if len(results.systems) > 1 else ""
    return f"{name}{system.official}\n{count_units(results.documents, 'documents')}\n{results.signature}\n"


def _has_nothing_to_find(report: Report) -> bool:
    """True if every metric counts, and no reference has anything to count."""
    metrics = [report[name] for name in report.suite.metrics]
    return all(metric.has_sides and not metric.is_derived and not metric.counts.reference for metric in metrics)

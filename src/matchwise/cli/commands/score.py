"""`matchwise score`: predictions against a reference; `matchwise merge`: what several shards saved.

Gates: `--fail-under f1=0.85` makes a low score an exit code.

[METRIC:]SCORE=X      METRIC is a metric, or the path of a field (`lines[].sku:recall=0.95`), which asks for --fields;
                      SCORE is f1, precision, recall, value or macro
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterable
from contextlib import closing
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.cli import DONE, GATE, PARTIAL
from matchwise.cli.inputs import NAMED, check_stdin, pair_files, split_name
from matchwise.cli.metric import ChosenMetrics, choose, split
from matchwise.cli.output import emit, note, show
from matchwise.cli.scoring import Outcome, score
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Suite
from matchwise.corpus.values import Combined, Measured
from matchwise.errors import DataError, ExpressionError, FormatError, count_units, suggestion
from matchwise.formats.io.lines import Lines
from matchwise.views.results import Display, Layout, Results, System
from matchwise.views.table import NumberStyle, write_cell

if TYPE_CHECKING:
    from matchwise.corpus.counts import Part
    from matchwise.corpus.table import Table
    from matchwise.statistics.compare import Comparison


def run_score(args: Namespace) -> int:
    task, files = split(args)
    if not files:
        raise ExpressionError("expected a file of predictions: matchwise score TASK PRED -r REF")
    check_stdin(files, *args.refs)
    asked = choose(args, task)
    args.fields = args.fields or name_fields(args.fail_under, asked.suite)
    bounds = gates(args.fail_under, asked.suite, fields=args.fields)
    for option in ("--save-table", "--save-tally"):
        if getattr(args, option[2:].replace("-", "_")) and len(files) > 1:
            raise ExpressionError(f"{option} keeps one system; score them one by one, or leave it out")
    if args.collect_adjudications:
        from matchwise.cli.commands.adjudicate import check_collecting, collect

        check_collecting(asked, files, args)
    if args.layout == "official":
        _check_official(asked, files, args)
    outcomes = outcomes_of(asked, files, args)
    results = results_of(asked, files, outcomes, args)
    if _has_nothing_to_find(results.systems[0].report):
        note(f"warning: {', '.join(args.refs)}: found nothing that is scored here; is it the right file and task?")
    if args.score_only:
        emit("".join(f"{_number(system, results.view.numbers)}\n" for system in results.systems), args)
    elif args.layout == "official":
        emit("\n".join(_write_official(asked, file, results, args) for file in files), args)
    else:
        show(results, args)
    if args.save_table:
        outcomes[0].table().save(args.save_table)
    if args.save_tally:
        outcomes[0].table().fold().save(args.save_tally)
    if args.collect_adjudications:
        for said in collect(asked, files, args):
            note(said)
    low = [text for system in results.systems for gate in bounds if (text := gate.explain_failure(system.report))]
    for text in low:
        note(f"failed: {text}")
    if low:
        return GATE
    return PARTIAL if any(outcome.partial for outcome in outcomes) else DONE


def _check_official(asked: ChosenMetrics, files: list[str], args: Namespace) -> None:
    """Say before anything is scored why there is no report."""
    if asked.declared is None or args.metric or asked.declared.report is None:
        raise ExpressionError(
            "only templates has --layout official; write matchwise score templates PRED -r REF --preset muc4 "
            "--layout official"
        )
    if args.format != "text":
        raise ExpressionError(f"--layout official is text; leave out --format {args.format}")
    check_stdin(files, *args.refs, twice="--layout official reads the files")
    asked.declared.report(asked.suite, ())


def _write_official(asked: ChosenMetrics, file: str, results: Results, args: Namespace) -> str:
    """The report of one system, with its name if there are several."""
    report = None if asked.declared is None else asked.declared.report
    assert report is not None, "_check_official asks for it"
    made = report(asked.suite, ((pred, ref) for pred, ref, _ in pair_files(asked, file, args)))
    name = f"{split_name(file)[0]}\n\n" if len(results.systems) > 1 else ""
    return f"{name}{made}\n{count_units(results.documents, 'documents')}\n{results.signature}\n"


def _has_nothing_to_find(report: Report) -> bool:
    """True if every metric counts, and no reference has anything to count."""
    metrics = [report[name] for name in report.suite.metrics]
    return all(isinstance(metric, Measured) and metric.has_sides and not metric.counts.reference for metric in metrics)


def _number(system: System, numbers: NumberStyle) -> str:
    """The main score by itself."""
    return write_cell(float(system.report[system.report.headline].value), "score", numbers)


def outcomes_of(asked: ChosenMetrics, files: list[str], args: Namespace) -> list[Outcome]:
    """The counts of each system; what a person should know besides is said."""
    outcomes = [score(asked, file, args) for file in files]
    for file, outcome in zip(files, outcomes, strict=True):
        for said in outcome.notes(split_name(file)[0]):
            note(said)
        if not len(outcome.tally):
            raise DataError(f"{split_name(file)[0]}: no document could be scored")
    for said in (text for outcome in outcomes[:1] for text in outcome.left_whole()):
        note(said)
    return outcomes


def results_of(asked: ChosenMetrics, files: list[str], outcomes: list[Outcome], args: Namespace) -> Results:
    systems = []
    notes: dict[str, Any] = {}
    doubts: dict[str, None] = {}  # several systems may have the same
    for file, outcome in zip(files, outcomes, strict=True):
        errors = tuple({"document": failed.document, "problem": failed.problem} for failed in outcome.failed)
        report = Report(outcome.tally.scores, asked.suite)
        intervals, parts, notes, warnings = intervals_of(report, args)
        doubts |= dict.fromkeys(warnings)
        systems.append(
            System(split_name(file)[0], report, outcome.missing, errors, intervals, parts, outcome.categories)
        )
    for warning in doubts:
        note(f"warning: {warning}")
    return Results(
        ", ".join(args.refs),
        outcomes[0].documents,
        asked.suite.signature,
        tuple(systems),
        asked.task,
        asked.preset,
        view_of(args, len(files)),
        notes,
        _comparison(files, outcomes, args) if args.ci and len(files) > 1 else None,
    )


def view_of(args: Namespace, systems: int) -> Display:
    """Choose the display: several systems are shown as a table for a paper, in percent."""
    for_programs = getattr(args, "format", "html") in ("csv", "jsonl")
    usual: Layout = "wide" if systems > 1 and not for_programs and args.average == "micro" else "long"
    layout: Layout = usual if args.layout in (None, "official") else args.layout
    paper = layout == "wide" and args.digits is None
    digits = args.digits if args.digits is not None else 1 if paper else 4
    return Display(
        args.per_document,
        args.average,
        args.worst,
        NumberStyle(digits, args.percent or paper),
        args.categories,
        args.confusion,
        layout,
    )


def _comparison(files: list[str], outcomes: list[Outcome], args: Namespace) -> Comparison | None:
    """The systems against the first; None where two files have one name, or systems cut a text into other documents."""
    from matchwise.statistics.compare import compare

    names = [split_name(file)[0] for file in files]
    if len(set(names)) < len(names) or any(outcome.stretches for outcome in outcomes):
        return None
    tables = {name: outcome.table() for name, outcome in zip(names, outcomes, strict=True)}
    return compare(tables, **statistics(args))


SCORES = ("f1", "precision", "recall", "value", "macro")
_GATE = re.compile(r"^(?:(?P<metric>.+):)?(?P<score>[^:=]+)=(?P<bound>[^=]+)$")


class Gate(NamedTuple):
    """A score that must be reached."""

    metric: str
    score: str
    bound: float
    text: str

    def explain_failure(self, report: Report) -> str | None:
        """The message of a failed gate, or None."""
        value = self._value(report)
        if value >= self.bound:
            return None
        shown = f"{self.metric}:{self.score} is {value:.4f}, below {self.bound:g}"
        if self.bound <= 1 or not self._is_at_most_one(report):
            return shown
        return f"{shown} (scores are from 0 to 1; write {self.bound / 100:g} for {self.bound:g} %)"

    def _is_at_most_one(self, report: Report) -> bool:
        """False for a sum, and for what may count several times, as brackets that cross."""
        from matchwise.algebra.facts import facts

        phi = report.suite.metrics.get(self.metric)
        return phi is None or bool(facts(phi).bounded)

    def _value(self, report: Report) -> float:
        if self.metric in report:
            metric = report[self.metric]
            # The value that is derived from F1s is their F1.
            of_derived = isinstance(metric, Combined) and self.score == "f1"
            return float(metric.value if of_derived else getattr(metric, self.score))
        rows = {row.path: row for row in report.fields()}
        if self.metric not in rows:
            hint = suggestion(self.metric, [*report, *rows])
            raise ExpressionError(f"--fail-under {self.text}: no metric or field {self.metric!r}{hint}")
        if self.score not in ("f1", "precision", "recall"):
            raise ExpressionError(
                f"--fail-under {self.text}: a field has f1, precision and recall, but no {self.score}"
            )
        return float(getattr(rows[self.metric], self.score))


def gates(texts: Iterable[str], suite: Suite, *, fields: bool = False) -> list[Gate]:
    """The gates as they are written, for the metrics of a suite (or, with `fields`, for fields of its sums).

    >>> from matchwise.algebra.build import f1
    >>> gates(["recall=0.8"], Suite(muc=f1("mentions")))
    [Gate(metric='muc', score='recall', bound=0.8, text='recall=0.8')]
    """
    return [_gate(text, suite, fields) for text in texts]


def name_fields(texts: Iterable[str], suite: Suite) -> bool:
    """Whether a gate is for a field: a path into a list or a record, or any name where the suite reads forms."""
    names = [found["metric"] for text in texts if (found := _GATE.match(text)) and found["metric"]]
    if not names:
        return False
    from matchwise.tasks.documents.form import form_of

    reads_forms = form_of(suite) is not None
    return any(name not in suite and (reads_forms or "[" in name or "." in name) for name in names)


def _gate(text: str, suite: Suite, fields: bool) -> Gate:
    found = _GATE.match(text)
    if not found:
        raise ExpressionError(f"--fail-under {text}: write SCORE=X or METRIC:SCORE=X, as in f1=0.85")
    score = found["score"].strip()
    if score not in SCORES:
        raise ExpressionError(f"--fail-under {text}: no score {score!r}{suggestion(score, SCORES)}")
    try:
        bound = float(found["bound"])
    except ValueError:
        bound = nan
    if not isfinite(bound):
        raise ExpressionError(f"--fail-under {text}: {found['bound']!r} is not a number; write a score such as 0.85")
    metric = found["metric"] or _headline(suite, text)
    if metric not in suite and not fields:
        hint = suggestion(metric, suite)
        raise ExpressionError(f"--fail-under {text}: no metric {metric!r}{hint} (fields are counted with --fields)")
    return Gate(metric, score, bound, text)


def _headline(suite: Suite, text: str) -> str:
    """The default metric: the only one, or the only derived one."""
    names = list(suite)
    derived = [name for name in names if name not in suite.metrics]
    for found in (names, derived):
        if len(found) == 1:
            return found[0]
    raise ExpressionError(f"--fail-under {text}: which metric? write {names[0]}:{text}; there are {', '.join(names)}")


class FoundIntervals(NamedTuple):
    """The intervals of metrics, labels and fields, how they were made, and what to doubt."""

    metrics: dict[str, tuple[float, float]]
    parts: dict[Part, tuple[float, float]]
    how: dict[str, Any]
    warnings: tuple[str, ...]


def intervals_of(scored: Report | Table, args: Namespace) -> FoundIntervals:
    """The intervals that --ci asks for, if it is there."""
    if not args.ci:
        return FoundIntervals({}, {}, {}, ())
    from matchwise.statistics.intervals import intervals

    found = intervals(scored, scores=("value",), **statistics(args))
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


def statistics(args: Namespace) -> dict[str, Any]:
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


def run_merge(args: Namespace) -> int:
    from matchwise.corpus.table import Table, merge

    found = merge(map(Table.load, args.inputs))
    by_documents = args.ci if args.ci != "delta" or args.clusters else None
    for option, asked in ((f"--ci {args.ci}", by_documents), ("--save-table", args.save_table)):
        if asked and found.keep == "sums":
            named = "--ci with --clusters" if asked == "delta" else option
            raise ExpressionError(f"{named} needs the counts of each document: merge tables of score --save-table")
    if args.save_table:
        found.save(args.save_table)
    if not len(found):
        raise DataError("the merged tables hold no documents")
    if args.save_tally:
        found.fold().save(args.save_tally)
    if found.labels is None and args.average in ("macro", "weighted"):
        raise ExpressionError(f"--average {args.average} needs labels; score the shards with --by FIELD")
    show(_merge_results(found, args), args)
    for id, problem in found.errors[:NAMED]:
        note(f"error: {problem}" if id is None else f"error: document {id}: {problem}")
    return PARTIAL if found.errors or found.missing else DONE


def _merge_results(found: Table, args: Namespace) -> Results:
    intervals, parts, how, warnings = intervals_of(found, args)
    for warning in warnings:
        note(f"warning: {warning}")
    errors = tuple({"document": id, "problem": problem} for id, problem in found.errors)
    system = System(" + ".join(args.inputs), found.report(), tuple(found.missing), errors, intervals, parts)
    numbers = NumberStyle(4 if args.digits is None else args.digits, args.percent)
    view = Display(average=args.average, numbers=numbers)
    return Results(None, found.documents, found.signature, (system,), view=view, notes=how)

"""`matchwise score`: predictions against a reference, and gates that end it with exit code 1.

--fail-under [METRIC:]SCORE=X    METRIC is a metric, or the path of a field (`lines[].sku:recall=0.95`), which asks for
                                 --fields; SCORE is f1, precision, recall, value or macro; the value of an error rate
                                 must not be above X. Numbers of an official report are named alone: ap=0.4
--fail-unreadable N              more than N predictions (or N%) could not be read, whether they count as empty or
                                 are left out
--fail-missing N                 more than N documents (or N%) have no prediction

A gate decides: 0 if it holds, 1 if not. Where no gate was asked for, documents that are missing or could not be scored
end a command with 4.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from math import isfinite, nan
from typing import NamedTuple

from matchwise.cli import emit, finish, note, remark
from matchwise.cli.inputs import ChosenMetrics, check_stdin, choose, pair_files, split
from matchwise.cli.parser import (
    ABSENT_PREDICTIONS,
    BREAKDOWNS,
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
    columns,
    count,
)
from matchwise.cli.scoring import make_results, score_files, show
from matchwise.corpus.report import OfficialReport, Report
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError, count_units, suggestion
from matchwise.reports.results import Results, System
from matchwise.sheets.table import write_cell

EXAMPLES = """\
  matchwise score coref run.conll -r gold.conll
  matchwise score coref a.conll b.conll -r gold.conll --preset conll12 --format markdown
  matchwise score --metric 'f1("relations", eq("type") * eq("subj") * eq("obj"))' run.jsonl -r gold.jsonl
  matchwise score --metric metrics.py:suite run.jsonl.gz -r gold.jsonl --by type --jobs 4
  matchwise score --type models.py:Invoice run.jsonl -r gold.jsonl --fields --fail-under f1=0.85
  producer | matchwise score ner - -r gold.conll --format json -o scores.json"""


def add_arguments(to: Parser) -> None:
    to.add_argument(
        "inputs", nargs="+", metavar="[TASK] PRED", help="A task and one or more files of predictions; - is stdin."
    )
    add_group(to, "what is measured", *METRIC)
    add_group(to, "files", *FILES)
    add_group(to, "several references", *REFERENCES)
    add = add_group(to, "what is shown", *BREAKDOWNS)
    add("--per-document", action="store_true", help="Also print the scores of every document.")
    add("--worst", metavar="N", help="Also name the N documents with the lowest score.", type=count, default=0)
    add("--score-only", action="store_true", help="Print nothing but the main score of each system.")
    add_shared(add, "--average")
    add(
        "--columns",
        metavar="NAME,...",
        help="Print only these scores and counts, as in f1 or precision,recall.",
        type=columns,
        default=(),
    )
    usual = "wide for several systems, but long in csv and jsonl; of one, the rows that papers of coreference print"
    official = "or the report of the scorer that the preset follows (boxes --preset coco, for one)"
    add("--layout", choices=("wide", "long", "official"), help=f"{LAYOUT.format(usual)}, {official}.")
    add_shared(add, *NUMBERS)
    add_group(to, "statistics", *INTERVALS)
    add = add_group(to, "running", *RUNNING)
    add("--save-table", metavar="FILE", help="Save the counts of every document (.jsonl, .jsonl.gz or .parquet).")
    add("--save-tally", metavar="FILE", help="Save the sums of this shard for matchwise merge (a small .json file).")
    add("--collect-adjudications", metavar="FILE", help="Add the mismatches that a person should judge to FILE.")
    add = add_group(to, "gates")
    add(
        "--fail-under",
        action="append",
        default=[],
        metavar="[METRIC:]SCORE=X",
        help="Exit with code 1 if a score is lower, as in f1=0.85 or muc:recall=0.8; may be repeated.",
    )
    add_shared(add, *ABSENT_PREDICTIONS)
    add_group(to, "output", *OUTPUT)


def run(args: Namespace) -> int:
    task, files = split(args)
    if not files:
        raise ExpressionError("expected a file of predictions: matchwise score TASK PRED -r REF")
    check_stdin(files, *args.refs)
    if args.clusters and not args.ci:
        raise ExpressionError("--clusters is for intervals; write --ci, too")
    asked = choose(args, task)
    is_official, bounds = args.layout == "official", list[Gate]()
    if args.fail_under:
        names = _official_names(asked, args)
        bounds, args.fields = _read_gates(args.fail_under, asked.suite, fields=args.fields, official=names)
        is_official |= any(gate.metric in names for gate in bounds)
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
    report = results.systems[0].report
    found = [report[name] for name in asked.suite.metrics]
    if all(metric.has_sides and not metric.is_derived and not metric.counts.reference for metric in found):
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
        f"{system.prediction}: {text}" if len(files) > 1 else text
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
    if args.references:
        raise ExpressionError(
            f"the official report compares with one reference; leave out --references {args.references}"
        )
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


SCORES = ("f1", "precision", "recall", "value", "macro")


_GATE = re.compile(r"^(?:(?P<metric>.+):)?(?P<score>[^:=]+)=(?P<bound>[^=]+)$")


class Gate(NamedTuple):
    """A score that must be reached."""

    metric: str
    score: str
    bound: float
    text: str

    def explain_failure(self, report: Report, official: Mapping[str, float]) -> str | None:
        """The message of a failed gate, or None."""
        value = official[self.metric] if self.metric in official else self._value(report)
        if self.score in ("value", "macro") and self.metric in report and report[self.metric].is_error:
            is_failed = value > self.bound
            return f"{self.metric}:{self.score} is {value:.4f}, above {self.bound:g}" if is_failed else None
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
            of_derived = metric.is_derived and self.score == "f1"
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


def _read_gates(
    texts: Iterable[str], suite: Suite, *, fields: bool, official: Collection[str] = ()
) -> tuple[list[Gate], bool]:
    """The gates as they are written, and whether fields are counted for them.

    `official` has the names of numbers that stand in the official report only. Any other name that is not a metric is a
    field: a path into a list or a record, or any name where the suite reads forms.

    >>> from matchwise.algebra.build import f1
    >>> _read_gates(["recall=0.8"], Suite(muc=f1("mentions")), fields=False)
    ([Gate(metric='muc', score='recall', bound=0.8, text='recall=0.8')], False)
    """
    made = []
    for text in texts:
        found = _GATE.match(text)
        if not found:
            raise ExpressionError(f"--fail-under {text}: write SCORE=X or METRIC:SCORE=X, as in f1=0.85")
        score, bound = found["score"].strip(), nan
        if score not in SCORES and (found["metric"] or score not in official):
            raise ExpressionError(f"--fail-under {text}: no score {score!r}{suggestion(score, [*SCORES, *official])}")
        with suppress(ValueError):
            bound = float(found["bound"])
        if not isfinite(bound):
            said = f"{found['bound']!r} is not a number; write a score such as 0.85"
            raise ExpressionError(f"--fail-under {text}: {said}")
        number = found["metric"] if score == "value" else score
        if number in official:
            made.append(Gate(number, "value", bound, text))
        else:
            made.append(Gate(found["metric"] or _headline(suite, text), score, bound, text))
    others = [gate for gate in made if gate.metric not in suite and gate.metric not in official]
    if others and not fields:
        from matchwise.tasks.documents.form import form_of

        reads_forms = form_of(suite) is not None
        fields = any(reads_forms or "[" in gate.metric or "." in gate.metric for gate in others)
        if not fields:
            name, text = others[0].metric, others[0].text
            hint = f"{suggestion(name, suite)} (fields are counted with --fields)"
            raise ExpressionError(f"--fail-under {text}: no metric {name!r}{hint}")
    return made, fields


def _headline(suite: Suite, text: str) -> str:
    """The default metric: the only one, or the only derived one."""
    names = list(suite)
    derived = [name for name in names if name not in suite.metrics]
    for found in (names, derived):
        if len(found) == 1:
            return found[0]
    raise ExpressionError(f"--fail-under {text}: which metric? write {names[0]}:{text}; there are {', '.join(names)}")

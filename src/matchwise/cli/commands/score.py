"""`matchwise score`: predictions against a reference.

Gates: `--fail-under f1=0.85` makes a low score an exit code.

[METRIC:]SCORE=X      METRIC is a metric, or the path of a field (`lines[].sku:recall=0.95`), which asks for --fields;
                      SCORE is f1, precision, recall, value or macro
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterable
from math import isfinite, nan
from typing import NamedTuple

from matchwise.cli import DONE, GATE, PARTIAL
from matchwise.cli.inputs import check_stdin, pair_files, split_name
from matchwise.cli.metric import ChosenMetrics, choose, split
from matchwise.cli.options import BREAKDOWNS, NUMBERS, REFERENCES, RUNNING, Arguments, count
from matchwise.cli.output import emit, note, show
from matchwise.cli.results import make_results, score_files
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError, count_units, suggestion
from matchwise.reports.results import Results
from matchwise.sheets.table import write_cell

EXAMPLES = """\
  matchwise score coref run.conll -r gold.conll
  matchwise score coref a.conll b.conll -r gold.conll --preset conll12 --format markdown
  matchwise score --metric 'f1("relations", eq("type") * eq("subj") * eq("obj"))' run.jsonl -r gold.jsonl
  matchwise score --metric metrics.py:suite run.jsonl.gz -r gold.jsonl --by type --jobs 4
  matchwise score --type models.py:Invoice run.jsonl -r gold.jsonl --fields --fail-under f1=0.85
  producer | matchwise score ner - -r gold.conll --format json -o scores.json"""


def add_arguments(to: Arguments) -> None:
    to.inputs("+", "[TASK] PRED", "A task and one or more files of predictions; - is stdin.")
    to.metric()
    to.files()
    to.group("several references", *REFERENCES)
    group = to.group("what is shown", *BREAKDOWNS)
    group.flag("--per-document", "Also print the scores of every document.")
    group.value("--worst", "N", "Also name the N documents with the lowest score.", type=count, default=0)
    group.flag("--score-only", "Print nothing but the main score of each system.")
    group.shared("--average")
    group.layout("wide for several systems, but long in csv and jsonl", official=True)
    group.shared(*NUMBERS)
    to.group("statistics").intervals(None)
    group = to.group("running", *RUNNING)
    group.value("--save-table", "FILE", "Save the counts of every document (.jsonl, .jsonl.gz or .parquet).")
    group.value("--save-tally", "FILE", "Save the sums of this shard for matchwise merge (a small .json file).")
    group.value("--collect-adjudications", "FILE", "Add the mismatches that a person should judge to FILE.")
    group.several(
        "--fail-under",
        "[METRIC:]SCORE=X",
        "Exit with code 1 if a score is lower, as in f1=0.85 or muc:recall=0.8; may be repeated.",
    )
    to.output()


def run(args: Namespace) -> int:
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
    outcomes = score_files(asked, files, args)
    results = make_results(asked, files, outcomes, args)
    if _has_nothing_to_find(results.systems[0].report):
        note(f"warning: {', '.join(args.refs)}: found nothing that is scored here; is it the right file and task?")
    if args.score_only:
        values = (float(system.report[system.report.headline].value) for system in results.systems)
        emit("".join(f"{write_cell(value, 'score', results.view.numbers)}\n" for value in values), args)
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
    return all(metric.has_sides and not metric.is_derived and not metric.counts.reference for metric in metrics)


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

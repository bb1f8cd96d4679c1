"""Gates: what ends a command with exit code 1, and why an exit code is not 0.

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
from argparse import ArgumentTypeError, Namespace
from collections.abc import Collection, Iterable, Mapping
from math import isfinite, nan
from typing import NamedTuple

from matchwise.cli import DONE, GATE, end_partial, note
from matchwise.cli.options import Arguments
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Suite
from matchwise.corpus.table import Table
from matchwise.errors import ExpressionError, count_units, suggestion


class Limit(NamedTuple):
    """How many documents may have a fault: a number of them, or a share in percent."""

    most: float
    is_share: bool

    @classmethod
    def read(cls, text: str) -> Limit:
        """
        >>> Limit.read("5%"), Limit.read("3")
        (Limit(most=5.0, is_share=True), Limit(most=3.0, is_share=False))
        """
        number = text.removesuffix("%").strip()
        is_share = text.endswith("%")
        try:
            most = float(number)
        except ValueError:
            most = nan
        if not 0 <= most < float("inf") or not (is_share or most.is_integer()):
            raise ArgumentTypeError(f"{text!r}; write a number of documents, as in 3, or a share of them, as in 5%")
        return cls(most, is_share)

    def explain_failure(self, found: int, documents: int, fault: str) -> str | None:
        """The message of a failed gate, or None."""
        if found <= (self.most * documents / 100 if self.is_share else self.most):
            return None
        allowed = f"{self.most:g} %" if self.is_share else f"{self.most:g}"
        return f"{found} of {count_units(documents, 'documents')} {fault}; at most {allowed} may"


def add_limits(to: Arguments) -> None:
    """The gates for predictions that are not there."""
    to.add(
        "--fail-unreadable",
        metavar="N",
        help="Exit with code 1 if more than N predictions (or N%%, as in 5%%) could not be read, whether they count as "
        "empty or are left out.",
        type=Limit.read,
    )
    to.add(
        "--fail-missing",
        metavar="N",
        help="Exit with code 1 if more than N documents (or N%%) have no prediction.",
        type=Limit.read,
    )


def finish(tables: Mapping[str, Table], args: Namespace, failures: Iterable[str], *, is_gated: bool) -> int:
    """The exit code of scored systems; the last line on stderr says why it is not 0."""
    said = list(failures)
    for name, table in tables.items():
        for limit, found, fault in (
            (args.fail_unreadable, len(table.unreadable) + table.left_out, "could not be read"),
            (args.fail_missing, len(table.missing), "have no prediction"),
        ):
            if limit is not None and (failure := limit.explain_failure(found, table.documents, fault)):
                said.append(f"{name}: {failure}")
    for failure in said:
        note(f"failed: {failure}")
    if said:
        return GATE
    if is_gated or args.fail_unreadable is not None or args.fail_missing is not None:
        return DONE
    return end_partial(
        sum(len(one.missing) for one in tables.values()), sum(len(one.unscored) for one in tables.values())
    )


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


def gates(
    texts: Iterable[str], suite: Suite, *, fields: bool = False, official: Collection[str] = ()
) -> list[Gate]:
    """The gates as they are written, for the metrics of a suite (or, with `fields`, for fields of its sums).

    `official` has the names of numbers that stand in the official report only.

    >>> from matchwise.algebra.build import f1
    >>> gates(["recall=0.8"], Suite(muc=f1("mentions")))
    [Gate(metric='muc', score='recall', bound=0.8, text='recall=0.8')]
    """
    return [_gate(text, suite, fields, official) for text in texts]


def name_fields(texts: Iterable[str], suite: Suite) -> bool:
    """Whether a gate is for a field: a path into a list or a record, or any name where the suite reads forms."""
    names = [found["metric"] for text in texts if (found := _GATE.match(text)) and found["metric"]]
    if not names:
        return False
    from matchwise.tasks.documents.form import form_of

    reads_forms = form_of(suite) is not None
    return any(name not in suite and (reads_forms or "[" in name or "." in name) for name in names)


def _gate(text: str, suite: Suite, fields: bool, official: Collection[str]) -> Gate:
    found = _GATE.match(text)
    if not found:
        raise ExpressionError(f"--fail-under {text}: write SCORE=X or METRIC:SCORE=X, as in f1=0.85")
    score = found["score"].strip()
    if score not in SCORES and (found["metric"] or score not in official):
        raise ExpressionError(f"--fail-under {text}: no score {score!r}{suggestion(score, [*SCORES, *official])}")
    try:
        bound = float(found["bound"])
    except ValueError:
        bound = nan
    if not isfinite(bound):
        raise ExpressionError(f"--fail-under {text}: {found['bound']!r} is not a number; write a score such as 0.85")
    number = found["metric"] if score == "value" else score
    if number in official:
        return Gate(number, "value", bound, text)
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

"""Gates: `--fail-under f1=0.85` makes a low score an exit code.

[METRIC:]SCORE=X      METRIC is a metric, or the path of a field (`lines[].sku:recall=0.95`), which asks for --fields;
                      SCORE is f1, precision, recall, value or macro
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from matchwise.corpus.report import Report
from matchwise.corpus.suite import Suite
from matchwise.corpus.values import Combined
from matchwise.errors import ExpressionError, suggestion

SCORES = ("f1", "precision", "recall", "value", "macro")
_GATE = re.compile(r"^(?:(?P<metric>.+):)?(?P<score>[^:=]+)=(?P<bound>[^=]+)$")


@dataclass(frozen=True, slots=True)
class Gate:
    """A score that must be reached."""

    metric: str
    score: str
    bound: float
    text: str

    def failed(self, report: Report) -> str | None:
        """What is too low, if anything is."""
        value = self._value(report)
        return None if value >= self.bound else f"{self.metric}:{self.score} is {value:.4f}, below {self.bound:g}"

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
        raise ExpressionError(
            f"--fail-under {text}: {found['bound']!r} is not a number; write a score such as 0.85"
        ) from None
    metric = found["metric"] or _headline(suite, text)
    if metric not in suite and not fields:
        hint = suggestion(metric, suite)
        raise ExpressionError(f"--fail-under {text}: no metric {metric!r}{hint} (fields are counted with --fields)")
    return Gate(metric, score, bound, text)


def _headline(suite: Suite, text: str) -> str:
    """The metric that is meant where none is named: the only one, or the only one that is derived from the others."""
    names = list(suite)
    derived = [name for name in names if name not in suite.metrics]
    for found in (names, derived):
        if len(found) == 1:
            return found[0]
    raise ExpressionError(f"--fail-under {text}: which metric? write {names[0]}:{text}; there are {', '.join(names)}")

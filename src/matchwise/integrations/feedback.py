"""What a document scores, and why, in words: for optimisers that read feedback and for evaluation frameworks.

>>> from matchwise.tasks.documents import form
>>> bills = form({"properties": {"number": {"type": "string"}, "total": {"type": "number"}}})
>>> judge = feedback(bills)
>>> judge('{"number": "R-1", "total": 9}', {"number": "R-1", "total": 9.5}).score
0.5
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from matchwise.corpus.pairing import add_missing
from matchwise.corpus.suite import Scorable, as_suite
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError
from matchwise.integrations.training import read_document
from matchwise.tasks.documents import Form
from matchwise.views.alignment import align

FAULTS = 10
"""How many faults a text lists."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """The score of one document, what was right and wrong in it, and its counts, which add up over documents."""

    score: float
    text: str
    tally: Tally = field(repr=False, compare=False)


def feedback(metric: Scorable) -> Callable[[Any, Any], Feedback]:
    """Make a function of (prediction, reference), which may be JSON texts, that says the score and what was wrong.

    The score is that of the headline of a suite. A prediction that cannot be read or compared counts as an empty one.

    >>> import matchwise as mw
    >>> mw.feedback(mw.f1("xs"))('{"xs": ["a"]}', {"xs": ["a", "b"]}).text.splitlines()[-2]
    '− xs[1]             b'
    """
    suite = as_suite(metric)

    def judge(pred: Any, ref: Any) -> Feedback:
        tally = Tally(suite, keep="documents")
        if isinstance(metric, Form):
            text = "\n".join([str(metric.align(pred, ref)), *map(str, metric.faults(pred)[:FAULTS])])
            tally.add(pred, ref)
        else:
            text = _add(tally, read_document(pred), read_document(ref))
        report = tally.report()
        return Feedback(float(report[report.headline].per_document[0]), text, tally)

    return judge


def _add(tally: Tally, pred: Any, ref: Any) -> str:
    """Count a document without a form and explain it; a prediction that cannot be compared counts as an empty one."""
    if ref is None:
        raise DataError("the reference is not JSON", side="reference")
    problem = "the prediction is not JSON"
    if pred is not None:
        try:
            tally.add(pred, ref)
            return str(align(next(iter(tally.suite.metrics.values())), pred, ref))
        except DataError as error:
            if error.side == "reference":
                raise
            problem = f"prediction: {error.path}: {error.problem}" if error.path else f"prediction: {error.problem}"
    add_missing(tally, ref)
    return problem

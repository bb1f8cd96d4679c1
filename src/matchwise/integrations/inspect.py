"""A scorer for Inspect: each sample has the value of its document and its alignment, the task the scores of the corpus.

@task
def receipts():
    return Task(dataset=samples, solver=generate(), scorer=structured_score(form))
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from matchwise.corpus.pairing import add_missing
from matchwise.corpus.suite import Scorable, Suite, as_suite
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError
from matchwise.integrations.training import scores
from matchwise.tasks.documents import Form, load
from matchwise.views.alignment import align

FAULTS = 10
"""How many faults an explanation lists."""


def structured_score(form: Scorable) -> Scorer:
    """Score the JSON that a model wrote against the JSON of the target.

    The value of a sample is that of its document (of the headline of a suite); `mean` and `stderr` are over samples,
    and the metrics of the suite over the whole corpus, whose counts are added over samples and epochs. The explanation
    shows which field was matched with which.
    """
    suite = as_suite(form)

    @metric(name="corpus", scores="unreduced")
    def corpus() -> Metric:
        def measure(found: list[SampleScore]) -> dict[str, Any]:
            total = Tally(suite, keep="sums")
            for one in found:
                total += Tally.from_bytes(b64decode(one.score.metadata["counts"]), suite)
            return dict(scores(total.report()))

        return measure

    @scorer(metrics=[mean(), stderr(), corpus()], name="matchwise")
    def structured() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return _score(form, suite, state.output.completion, target.text)

        return score

    return structured()


def _score(form: Scorable, suite: Suite, completion: str, target: str) -> Score:
    tally = Tally(suite, keep="documents")
    if isinstance(form, Form):
        pred, ref = completion, target
        explained = "\n".join([str(form.align(pred, ref)), *map(str, form.faults(pred)[:FAULTS])])
        tally.add(pred, ref)
    else:
        pred, ref = load(completion, fences="find")[0], load(target)[0]
        explained = _add(tally, pred, ref)
    report = tally.report()
    return Score(
        value=float(report[report.headline].per_document[0]),
        answer=completion,
        explanation=explained,
        metadata={"counts": b64encode(tally.to_bytes()).decode("ascii"), "signature": suite.signature},
    )


def _add(tally: Tally, pred: Any, ref: Any) -> str:
    """Count a document without a form and explain it; a prediction that cannot be compared counts as an empty one."""
    if ref is None:
        raise DataError("the target is not JSON", side="reference")
    problem = "the completion is not JSON"
    if pred is not None:
        try:
            tally.add(pred, ref)
            phi = next(iter(tally.suite.metrics.values()))
            return str(align(phi, pred, ref))
        except DataError as error:
            if error.side == "reference":
                raise
            problem = str(error)
    add_missing(tally, ref)
    return problem

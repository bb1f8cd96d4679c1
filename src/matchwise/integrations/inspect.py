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

from matchwise.corpus.suite import Scorable, as_suite
from matchwise.corpus.tally import Tally
from matchwise.integrations.feedback import feedback
from matchwise.integrations.training import scores


def structured_score(form: Scorable) -> Scorer:
    """Score the JSON that a model wrote against the JSON of the target.

    The value of a sample is that of its document (of the headline of a suite); `mean` and `stderr` are over samples,
    and the metrics of the suite over the whole corpus, whose counts are added over samples and epochs. The explanation
    shows which field was matched with which.
    """
    suite, judge = as_suite(form), feedback(form)

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
            found = judge(state.output.completion, target.text)
            counts = b64encode(found.tally.to_bytes()).decode("ascii")
            return Score(
                value=found.score,
                answer=state.output.completion,
                explanation=found.text,
                metadata={"counts": counts, "signature": suite.signature},
            )

        return score

    return structured()

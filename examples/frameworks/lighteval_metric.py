"""A metric for LightEval: F1 of the fields of all samples together."""

from collections.abc import Sequence
from typing import Any

from lighteval.metrics.sample_preparator import GenerativePreparator
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.tasks.requests import SamplingMethod
from receipt import FORM

import matchwise as mw


def corpus_f1(samples: Sequence[Any]) -> float:
    """LightEval gives all samples with what was said and the reference, as texts."""
    preds, refs = [one.preds[0] for one in samples], [one.golds[0] for one in samples]
    return mw.Metric(FORM).compute(predictions=preds, references=refs)["score"]


fields_f1 = CorpusLevelMetric(
    metric_name="fields_f1",
    higher_is_better=True,
    category=SamplingMethod.GENERATIVE,
    sample_level_fn=GenerativePreparator(),
    corpus_level_fn=corpus_f1,
)

"""The form that the recipes of this folder score by."""

from typing import Annotated, TypedDict

import matchwise as mw
from matchwise.tasks import documents


class Receipt(TypedDict):
    shop: Annotated[str, mw.edit()]
    issued: str
    total: Annotated[float, mw.close(abs=0.01)]


FORM = documents.form(Receipt, fences="find")


def named_scores(score: documents.Score) -> dict[str, float]:
    """Precision and recall of one answer, for a mean over answers.

    An answer without a field has no wrong one, so that its precision is 0/0, which counts as 1. In a mean that would
    reward silence: here 0/0 is what F1 is, 1 only if there was nothing to find.
    """
    counts = score.counts
    return {"precision": counts.precision(empty=score.f1), "recall": counts.recall(empty=score.f1)}

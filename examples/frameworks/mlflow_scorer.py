"""A scorer for MLflow's evaluation of models that write text: a value and its rationale for each row."""

from typing import Any

from mlflow.entities import Feedback
from mlflow.genai.scorers import scorer
from receipt import FORM, named_scores


@scorer
def fields(outputs: Any, expectations: dict[str, Any]) -> list[Feedback]:
    """F1, precision and recall of the fields of `expectations["reference"]`."""
    reference = expectations["reference"]
    score = FORM.score(outputs, reference)
    return [
        Feedback(name="f1", value=score.f1, rationale=str(FORM.align(outputs, reference))),
        *(Feedback(name=name, value=value) for name, value in named_scores(score).items()),
    ]

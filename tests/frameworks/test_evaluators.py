"""The evaluators for pydantic-evals, DSPy and spaCy, run by the frameworks themselves."""

import dspy
import pytest
import spacy
from pydantic_evals import Case, Dataset
from spacy.tokens import Doc, Span
from spacy.training import Example

import matchwise as mw
from matchwise.integrations.dspy import feedback_metric
from matchwise.integrations.pydantic_evals import Structured
from matchwise.integrations.spacy import make_entity_scorer
from matchwise.tasks.documents import form

pytestmark = pytest.mark.filterwarnings("ignore")  # the frameworks' own libraries warn

BILLS = form({"properties": {"number": {"type": "string"}, "total": {"type": "number"}}})
GOLD = {"number": "R-1", "total": 9.5}


def test_a_case_of_pydantic_evals_has_a_score_and_a_reason() -> None:
    dataset = Dataset(
        name="bills", cases=[Case(name="a", inputs="scan", expected_output=GOLD)], evaluators=[Structured(BILLS)]
    )
    report = dataset.evaluate_sync(lambda _: {"number": "R-1", "total": 9}, progress=False)
    (score,) = report.cases[0].scores.values()
    assert score.value == 0.5
    assert score.reason is not None
    assert "≠ total  9          9.5" in score.reason


def test_a_metric_of_dspy_returns_the_score_and_what_was_wrong() -> None:
    metric = feedback_metric(mw.f1("xs"), field="answer")
    example = dspy.Example(question="?", answer={"xs": ["a", "b"]}).with_inputs("question")
    found = metric(example, dspy.Prediction(answer='{"xs": ["a"]}'))
    assert found.score == 2 / 3
    assert "− xs[1]" in found.feedback
    evaluate = dspy.Evaluate(devset=[example], metric=metric, display_progress=False)
    assert evaluate(lambda question: dspy.Prediction(answer={"xs": ["a", "b"]})).score == 100.0


def test_a_scorer_of_spacy_is_found_by_its_name() -> None:
    vocab = spacy.blank("en").vocab
    words = ["Marie", "Curie", "was", "born", "in", "Warsaw"]
    pred, ref = Doc(vocab, words), Doc(vocab, words)
    pred.ents = [Span(pred, 0, 2, "PER"), Span(pred, 5, 6, "ORG")]
    ref.ents = [Span(ref, 0, 2, "PER"), Span(ref, 5, 6, "LOC")]
    make = spacy.registry.scorers.get("matchwise.entities.v1")
    assert make is make_entity_scorer
    found = make(preset="optimal")([Example(pred, ref)])
    assert (found["ents_strict_f"], found["ents_exact_f"]) == (0.5, 1.0)
    assert found["ents_per_type"]["PER"] == {"p": 1.0, "r": 1.0, "f": 1.0}

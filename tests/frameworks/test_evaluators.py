"""The evaluators for pydantic-evals, DSPy and spaCy, run by the frameworks themselves."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import dspy
import pytest
import spacy
from pydantic_evals import Case, Dataset
from spacy.tokens import Doc, DocBin, Span
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


def test_spacy_evaluate_reports_the_scores_of_a_pipeline(tmp_path: Path) -> None:
    pipeline = spacy.blank("en")
    config = {"scorer": {"@scorers": "matchwise.entities.v1", "preset": "seqeval"}}
    pipeline.add_pipe("entity_ruler", config=config).add_patterns([{"label": "PER", "pattern": "Marie Curie"}])
    pipeline.to_disk(tmp_path / "pipeline")
    gold = pipeline.make_doc("Marie Curie was born in Warsaw")
    gold.ents = [Span(gold, 0, 2, "PER"), Span(gold, 5, 6, "LOC")]
    DocBin(docs=[gold]).to_disk(tmp_path / "gold.spacy")
    files = [str(tmp_path / name) for name in ("pipeline", "gold.spacy", "scores.json")]
    subprocess.run([sys.executable, "-m", "spacy", "evaluate", *files[:2], "--output", files[2]], check=True)
    found = json.loads(Path(files[2]).read_text(encoding="utf-8"))
    assert (found["ents_strict_p"], found["ents_strict_r"]) == (1.0, 0.5)


def test_gepa_reads_the_feedback() -> None:
    """The model that is asked for a better prompt is told what was wrong."""

    class Answers(dspy.LM):
        def __init__(self) -> None:
            super().__init__("none", cache=False)
            self.reflected: list[str] = []

        def forward(self, prompt: Any = None, messages: Any = None, **options: Any) -> Any:
            raise NotImplementedError

        def __call__(self, prompt: Any = None, messages: Any = None, **options: Any) -> list[str]:
            text = str(prompt or messages)
            if "[[ ## answer ## ]]" not in text:
                self.reflected.append(text)
                return ["```\nList all.\n```"]
            return ['[[ ## answer ## ]]\n{"xs": ["a"]}\n\n[[ ## completed ## ]]']

    model = Answers()
    example = dspy.Example(question="?", answer='{"xs": ["a", "b"]}').with_inputs("question")
    optimizer = dspy.GEPA(
        metric=feedback_metric(mw.f1("xs"), field="answer"), max_metric_calls=6, reflection_lm=model, num_threads=1
    )
    with dspy.context(lm=model):
        optimizer.compile(dspy.Predict("question -> answer"), trainset=[example], valset=[example])
    assert any("− xs[1]" in text for text in model.reflected)

"""Adapters without their frameworks, which `make test-integrations` installs: both sides, the score and the words."""

import asyncio
import sys
from base64 import b64decode
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any, Generic, TypeVar

import pytest

import matchwise as mw
from matchwise.corpus.tally import Tally

A, B, C = TypeVar("A"), TypeVar("B"), TypeVar("C")
PRED, REF = {"xs": ["a", "b"]}, {"xs": ["b", "c", "d"]}
"""Precision is 1/2 and recall 1/3."""
METRIC = mw.precision("xs")
SAID = [
    'precision("xs") 0.5000   2 missed, 1 spurious, 1 right',
    "1 matched, 2 predicted, 3 reference",
    "         predicted  reference",
    "− xs[1]             c",
    "− xs[2]             d",
    "+ xs[0]  a",
    "= 1 right",
]


def load(monkeypatch: pytest.MonkeyPatch, name: str, **modules: dict[str, Any]) -> Any:
    """An adapter of ours that finds these names in the modules it imports."""
    for module, names in modules.items():
        made = ModuleType(module.replace("__", "."))
        vars(made).update(names)
        monkeypatch.setitem(sys.modules, made.__name__, made)
    monkeypatch.delitem(sys.modules, f"matchwise.integrations.{name}", raising=False)
    found = import_module(f"matchwise.integrations.{name}")
    monkeypatch.delitem(sys.modules, f"matchwise.integrations.{name}")
    return found


def test_dspy_compares_a_field_of_the_prediction_with_that_of_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = load(monkeypatch, "dspy", dspy={"Prediction": SimpleNamespace})
    score = adapter.feedback_metric(METRIC, field="answer")
    found = score(SimpleNamespace(answer=REF, other=PRED), SimpleNamespace(answer=PRED, other=REF))
    assert (found.score, found.feedback.splitlines()) == (0.5, SAID)


def test_pydantic_evals_compares_the_output_with_what_was_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    class Evaluator(Generic[A, B, C]):
        pass

    class EvaluatorContext(Generic[A, B, C]):
        pass

    names = {"EvaluationReason": SimpleNamespace, "Evaluator": Evaluator, "EvaluatorContext": EvaluatorContext}
    adapter = load(monkeypatch, "pydantic_evals", pydantic_evals={}, pydantic_evals__evaluators=names)
    found = adapter.Structured(METRIC).evaluate(SimpleNamespace(output=PRED, expected_output=REF))
    assert (found.value, found.reason.splitlines()) == (0.5, SAID)


def test_inspect_scores_samples_and_the_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def metric(**options: Any) -> Any:
        asked.append(options)
        return lambda made: made

    def scorer(metrics: list[Any], name: str) -> Any:
        asked.append((metrics[:2], name, metrics[2]))
        return lambda made: made

    names = dict.fromkeys(("Metric", "SampleScore", "Scorer", "Target"), object)
    named = {**names, "Score": SimpleNamespace, "mean": lambda: "mean", "stderr": lambda: "stderr"}
    modules = {"inspect_ai__scorer": {**named, "metric": metric, "scorer": scorer}}
    adapter = load(monkeypatch, "inspect", inspect_ai={}, inspect_ai__solver={"TaskState": object}, **modules)
    score = adapter.structured_score(METRIC)
    state = SimpleNamespace(output=SimpleNamespace(completion='{"xs": ["a", "b"]}'))
    found = asyncio.run(score(state, SimpleNamespace(text='{"xs": ["b", "c", "d"]}')))
    assert (found.value, found.answer, found.explanation.splitlines()) == (0.5, '{"xs": ["a", "b"]}', SAID)
    assert found.metadata["signature"] == mw.Suite(score=METRIC).signature
    tally = Tally.from_bytes(b64decode(found.metadata["counts"]), mw.Suite(score=METRIC))
    assert tally.report()["score"].counts == mw.Counts(1, 2, 3)
    [options, (first, name, corpus)] = asked
    assert (options, first, name) == ({"name": "corpus", "scores": "unreduced"}, ["mean", "stderr"], "matchwise")
    made = corpus([SimpleNamespace(score=found), SimpleNamespace(score=found)])
    assert made == {"score": 0.5, "score.precision": 0.5, "score.recall": 1 / 3}


def test_spacy_reports_every_metric_and_the_first_by_type() -> None:
    from matchwise.integrations.spacy import make_entity_scorer

    def document(*spans: tuple[int, int, str]) -> Any:
        return SimpleNamespace(ents=[SimpleNamespace(start=a, end=b, label_=label) for a, b, label in spans])

    pred, ref = document((0, 1, "PER"), (2, 3, "LOC")), document((0, 1, "PER"), (2, 4, "LOC"), (5, 6, "PER"))
    found = make_entity_scorer("seqeval")([SimpleNamespace(predicted=pred, reference=ref)])
    assert found == {
        "ents_strict_p": 0.5,
        "ents_strict_r": 1 / 3,
        "ents_strict_f": 0.4,
        "ents_per_type": {"LOC": {"p": 0.0, "r": 0.0, "f": 0.0}, "PER": {"p": 1.0, "r": 0.5, "f": 2 / 3}},
    }
    assert sorted(make_entity_scorer()([SimpleNamespace(predicted=pred, reference=ref)])) == [
        *(f"ents_{name}_{letter}" for name in ("exact", "partial") for letter in "fpr"),
        "ents_per_type",
        *(f"ents_{name}_{letter}" for name in ("strict", "type") for letter in "fpr"),
    ]

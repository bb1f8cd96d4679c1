"""The scorer for Inspect, in evaluations that run offline with its mock model."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, match, mean, scorer

import matchwise as mw
from matchwise import eq, f1
from matchwise.cli import main
from matchwise.formats.logs import load_scores
from matchwise.integrations.inspect import structured_score
from matchwise.tasks.documents import evaluate, form

pytestmark = pytest.mark.filterwarnings("ignore")  # Inspect's own libraries warn

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "inspect" / "receipts.py"
BILLS = form({"properties": {"number": {"type": "string"}, "total": {"type": "number"}}})
GOLD = [{"number": "1", "total": 2.5}, {"number": "2", "total": 4}, {}]
SAID = ['{"number": "1", "total": 2.5}', '{"number": "2", "total": "n/a"}', "Sorry."]


def model_that_says(texts: Sequence[str]) -> Model:
    """A mock model that answers the number of a sample with the text at that place."""

    def answer(messages: list[Any], *_: Any) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", texts[int(messages[-1].text.split()[-1]) % len(texts)])
        output.usage = ModelUsage()  # or a tokenizer would be fetched to count it
        return output

    return get_model("mockllm/model", custom_outputs=answer)


def run(folder: Path, scorer: Scorer, said: Sequence[str], gold: Sequence[Any], epochs: int = 1) -> EvalLog:
    samples = [Sample(input=str(n), target=json.dumps(ref)) for n, ref in enumerate(gold)]
    task = Task(dataset=samples, scorer=scorer, epochs=epochs)
    (log,) = eval(task, model=model_that_says(said), display="none", log_dir=str(folder))
    assert log.status == "success", log.error
    return log


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {name: found.value for scored in log.results.scores for name, found in scored.metrics.items()}


def test_samples_have_values_and_the_task_has_the_scores_of_the_corpus(tmp_path: Path) -> None:
    log = run(tmp_path, structured_score(BILLS), SAID, GOLD)
    whole = evaluate(BILLS, SAID, GOLD).score
    assert log.samples is not None
    found = [sample.scores["matchwise"] for sample in log.samples]
    assert [score.value for score in found] == whole.per_document
    assert "≠ total" in found[1].explanation
    assert 'total: "n/a" is not a number' in found[1].explanation
    assert metrics(log) == {
        "mean": whole.macro,
        "stderr": metrics(log)["stderr"],
        "score": whole.f1,
        "score.precision": whole.precision,
        "score.recall": whole.recall,
    }


def test_epochs_count_in_the_corpus(tmp_path: Path) -> None:
    log = run(tmp_path, structured_score(BILLS), SAID, GOLD, epochs=2)
    assert log.samples is not None
    counts = [sample.scores["matchwise"].metadata["counts"] for sample in log.samples]
    assert len(counts) == 6
    whole = evaluate(BILLS, SAID * 2, GOLD * 2).score
    assert (metrics(log)["score"], metrics(log)["mean"]) == (whole.f1, whole.macro)


def test_a_suite_scores_json_and_counts_what_it_cannot_compare_as_empty(tmp_path: Path) -> None:
    suite = mw.Suite(types=f1("xs", eq("a")), both=f1("xs", eq("a") * eq("b")), mean=mw.average("types", "both"))
    gold = [{"xs": [{"a": 1, "b": 2}]}] * 4
    said = ['```json\n{"xs": [{"a": 1, "b": 3}]}\n```', '{"xs": 3}', "no", json.dumps(gold[0])]
    log = run(tmp_path, structured_score(suite), said, gold)
    assert log.samples is not None
    assert [sample.scores["matchwise"].value for sample in log.samples] == [0.5, 0.0, 0.0, 1.0]
    assert "expected a collection" in log.samples[1].scores["matchwise"].explanation
    assert log.samples[2].scores["matchwise"].explanation == "the prediction is not JSON"
    assert (metrics(log)["types.recall"], metrics(log)["both.recall"], metrics(log)["types"]) == (0.5, 0.25, 2 / 3)


def test_the_task_file_runs_offline() -> None:
    done = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["mean", "0.5504"]
    assert lines[2].split() == ["score", "0.6437"]
    assert "≈ shop  0.9091/1  Bakery Lnd  Bakery L‹u›nd" in done.stdout


def test_inspect_runs_the_task_file_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (log,) = eval(str(EXAMPLE.relative_to(ROOT)), model=model_that_says(["{}"]), display="none", log_dir=str(tmp_path))
    assert log.status == "success", log.error
    assert metrics(log)["score"] == 0


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_the_scores_of_a_log_are_those_that_inspect_has(tmp_path: Path, ending: Any) -> None:
    @scorer(metrics={"length": [mean()], "right": [mean()]}, name="parts")
    def parts() -> Scorer:
        async def score(state: Any, target: Any) -> Score:
            text = state.output.completion
            return Score(value={"length": len(text), "right": text == target.text})

        return score

    samples = [Sample(id=f"s{n}", input=str(n), target=json.dumps(ref)) for n, ref in enumerate(GOLD)]
    task = Task(dataset=samples, scorer=[structured_score(BILLS), match("exact"), parts()], epochs=2)
    model = model_that_says(SAID)
    (log,) = eval(task, model=model, display="none", log_dir=str(tmp_path), log_format=ending)
    report = load_scores(log.location).report()
    assert log.results is not None
    theirs = {
        (one.scorer, one.name, name): found.value for one in log.results.scores for name, found in one.metrics.items()
    }
    assert report["match"].value == theirs["match", "match", "accuracy"]
    assert report["parts/length"].value == theirs["parts", "length", "mean"]
    assert report["parts/right"].value == theirs["parts", "right", "mean"]
    assert report["score"].f1 == theirs["matchwise", "matchwise", "score"]
    assert report.documents == 3


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_a_log_is_scored_against_its_own_targets(tmp_path: Path, ending: Any, capsys: Any) -> None:
    samples = [Sample(id=f"s{n}", input=str(n), target=json.dumps(ref)) for n, ref in enumerate(GOLD[:2])]
    task = Task(dataset=samples, scorer=match("exact"))
    (log,) = eval(task, model=model_that_says(SAID), display="none", log_dir=str(tmp_path), log_format=ending)
    command = ["score", "--metric", 'eq("number")', log.location, "-r", log.location, "--ref-text", "auto"]
    assert main([*command, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"][0]["metrics"]["score"]["value"] == 1.0


def test_a_target_that_is_no_json_is_an_error(tmp_path: Path) -> None:
    task = Task(dataset=[Sample(input="0", target="no JSON")], scorer=structured_score(f1("xs")))
    (log,) = eval(task, model=model_that_says(["{}"]), display="none", log_dir=str(tmp_path))
    assert log.status == "error"
    assert "the reference is not JSON" in log.error.message

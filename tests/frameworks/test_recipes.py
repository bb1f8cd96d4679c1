"""The recipes for DeepEval, MLflow, lm-evaluation-harness and LightEval, run by these frameworks, offline."""

import json
import os
import subprocess
import sys
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

import matchwise
from matchwise.tasks import documents

DATA = Path(__file__).parents[2] / "examples" / "data" / "receipts.completions.jsonl"
RECIPES = Path(__file__).parents[2] / "examples" / "frameworks"


def run(script: str, folder: Path) -> Any:
    """What a script prints last."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(matchwise.__file__).parents[1]), str(RECIPES)]),
        "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(folder),
    }
    command = [sys.executable, str(Path(__file__).with_name(script)), str(folder)]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def whole() -> documents.Score:
    """The scores of the stored completions."""
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    form = run_path(str(RECIPES / "receipt.py"))["FORM"]
    return documents.evaluate(form, [row["completion"] for row in rows], [row["reference"] for row in rows]).score


def test_deepeval_runs_the_metric(tmp_path: Path) -> None:
    assert run("deepeval_run.py", tmp_path) == {"near": 2 / 3, "scores": [0.0, 1.0]}


def test_mlflow_runs_the_scorer(tmp_path: Path) -> None:
    assert run("mlflow_run.py", tmp_path) == {"f1/mean": 0.5, "precision/mean": 0.5, "recall/mean": 0.5}


def test_the_harness_has_the_mean_of_documents_and_the_score_of_the_corpus(tmp_path: Path) -> None:
    score = whole()
    assert score.macro != score.f1
    assert run("lm_eval_run.py", tmp_path) == {"fields": pytest.approx(score.macro, abs=1e-12), "f1": score.f1}


def test_lighteval_scores_the_corpus(tmp_path: Path) -> None:
    assert run("lighteval_run.py", tmp_path) == {"fields_f1": whole().f1}

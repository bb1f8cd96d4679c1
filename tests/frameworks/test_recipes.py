"""The recipes for DeepEval and MLflow, run by these frameworks, offline."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import matchwise

RECIPES = Path(__file__).parents[2] / "examples" / "frameworks"


def run(script: str, folder: Path) -> Any:
    """What a script prints last."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(matchwise.__file__).parents[1]), str(RECIPES)]),
        "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
        "MLFLOW_DISABLE_TELEMETRY": "true",
    }
    command = [sys.executable, str(Path(__file__).with_name(script)), str(folder)]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_deepeval_runs_the_metric(tmp_path: Path) -> None:
    assert run("deepeval_run.py", tmp_path) == {"near": 2 / 3, "scores": [0.0, 1.0]}


def test_mlflow_runs_the_scorer(tmp_path: Path) -> None:
    assert run("mlflow_run.py", tmp_path) == {"f1/mean": 0.5, "precision/mean": 0.5, "recall/mean": 0.5}

"""The steps of the GitHub Action run as GitHub runs them, and fail where they should."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import matchwise

WORKFLOW = Path(__file__).parents[2] / "examples" / "github" / "evaluate.yml"
MODEL = "from typing import TypedDict\n\n\nclass Invoice(TypedDict):\n    number: str\n    total: float\n"


def scripts() -> dict[str, str]:
    """The steps that call matchwise, by name."""
    found = {}
    for step in WORKFLOW.read_text(encoding="utf-8").split("      - ")[1:]:
        name, _, script = step.partition("        run: |\n")
        if script:
            found[name.splitlines()[0].removeprefix("name: ")] = textwrap.dedent(script)
    return found


def run_step(folder: Path, name: str) -> tuple[int, str]:
    """The exit code of a step, and what the page of the job shows."""
    command = folder / "bin" / "matchwise"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m matchwise "$@"\n')
    command.chmod(0o755)
    summary = folder / "summary.md"
    summary.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(matchwise.__file__).parents[1]),
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    done = subprocess.run(["bash", "-e", "-c", scripts()[name]], cwd=folder, env=environment, capture_output=True)
    return done.returncode, summary.read_text(encoding="utf-8")


def write(folder: Path, name: str, wrong: int) -> None:
    rows = [{"id": f"d{n}", "number": str(n), "total": -1 if n < wrong else n} for n in range(40)]
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models.py").write_text(MODEL)
    write(tmp_path, "gold.jsonl", 0)
    write(tmp_path, "baseline.jsonl", 1)
    return tmp_path


@pytest.mark.parametrize(("wrong", "scored", "compared"), [(0, 0, 0), (3, 0, 0), (20, 1, 1)])
def test_the_job_fails_where_the_run_is_too_bad(folder: Path, wrong: int, scored: int, compared: int) -> None:
    write(folder, "run.jsonl", wrong)
    code, page = run_step(folder, "Score")
    f1 = 1 - wrong / 80
    assert (code, f"| score | {f1:.4f} | {f1:.4f} | {f1:.4f} |" in page) == (scored, True)
    code, page = run_step(folder, "Compare with the baseline")
    assert code == compared
    assert page.startswith("## Against the baseline\n")
    assert "| score |" in page

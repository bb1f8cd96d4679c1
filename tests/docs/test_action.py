"""The GitHub Action, run as GitHub runs it, with the inputs of our example workflow: it fails where it should."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from action import escape, find_line

import matchwise

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
EXAMPLE = yaml.safe_load((ROOT / "examples/github/evaluate.yml").read_text(encoding="utf-8"))
GIVEN = EXAMPLE["jobs"]["extraction"]["steps"][-1]["with"]
MODEL = """from pydantic import BaseModel


class Line(BaseModel):
    item: str
    price: float


class Invoice(BaseModel):
    number: str
    lines: list[Line]
"""
PRICE = "file=models.py,line=6"


def run_action(folder: Path, **given: str) -> tuple[int, list[str], str]:
    """The exit code of the action, its annotations, and what the page of the job shows."""
    step = ACTION["runs"]["steps"][-1]
    inputs: dict[str, Any] = {name: said.get("default", "") for name, said in ACTION["inputs"].items()}
    command = folder / "bin" / "python"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    command.chmod(0o755)
    summary = folder / "summary.md"
    summary.unlink(missing_ok=True)
    variables = {
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(matchwise.__file__).parents[1]),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_STEP_SUMMARY": str(summary),
        "INPUTS": json.dumps(inputs | GIVEN | given),
    }
    words = ["bash", "-e", "-c", step["run"]]
    done = subprocess.run(words, cwd=folder, env=os.environ | variables, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    page = summary.read_text(encoding="utf-8")
    return done.returncode, [line for line in done.stdout.splitlines() if line.startswith("::")], page


def write(folder: Path, name: str, wrong: int) -> None:
    rows = [
        {"id": f"d{n}", "number": str(n), "lines": [{"item": "tea", "price": -1 if n < wrong else n}]}
        for n in range(40)
    ]
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models.py").write_text(MODEL)
    write(tmp_path, "gold.jsonl", 0)
    write(tmp_path, "baseline.jsonl", 1)
    return tmp_path


@pytest.mark.parametrize("wrong", [0, 3])
def test_a_gate_that_holds_passes_and_shows_its_tables(folder: Path, wrong: int) -> None:
    write(folder, "run.jsonl", wrong)
    code, annotations, page = run_action(folder)
    assert (code, annotations) == (0, [])
    f1 = f"{1 - wrong / 120:.4f}"
    assert f"| score | {f1} | {f1} | {f1} |" in page
    assert page.index("## Scores\n") < page.index("lines\\[\\].price") < page.index("## Against the baseline\n")
    assert "**failed" not in page


def test_a_gate_that_fails_annotates_the_fields_that_fail(folder: Path) -> None:
    write(folder, "run.jsonl", 20)
    code, annotations, page = run_action(folder)
    assert code == 1
    assert annotations == [
        "::error::failed: score:f1 is 0.8333, below 0.9",
        f"::error {PRICE}::lines[].price: f1 0.5000 is below 0.9: 20 wrong",
        "::error::failed: run.jsonl is worse than baseline.jsonl: score f1 -0.1583 (p_holm = 0.0001)",
        f"::error {PRICE}::failed: run.jsonl is worse than baseline.jsonl: "
        "score f1 of lines[].price -0.4750 (p_holm = 0.0003)",
    ]
    assert "**failed: score:f1 is 0.8333, below 0.9**" in page


def test_labels_of_a_task_are_annotated_as_fields_are(folder: Path) -> None:
    data = ROOT / "examples" / "data"
    given = {"task": "ner", "preset": "seqeval", "type": "", "baseline": "", "options": "--by type"}
    files = {"predictions": str(data / "ner_system.conll"), "reference": str(data / "ner_gold.conll")}
    gates = {"fail-under": "strict:f1=0.6", "fail-unreadable": "", "fail-missing": ""}
    code, annotations, _ = run_action(folder, **given, **files, **gates)
    assert code == 1
    assert annotations == [
        "::error::failed: strict:f1 is 0.5000, below 0.6",
        "::error::LOC: f1 0.0000 is below 0.6",
        "::error::ORG: f1 0.0000 is below 0.6",
    ]


def test_a_wrong_input_is_annotated_once_with_what_to_type(folder: Path) -> None:
    write(folder, "run.jsonl", 0)
    code, annotations, _ = run_action(folder, type="models.py:Invoices")
    assert code == 2
    assert annotations == ["::error::error: models.py defines no 'Invoices'; did you mean 'Invoice'?"]


def test_an_input_is_data_and_no_shell(folder: Path) -> None:
    write(folder, "run.jsonl", 0)
    code, [said], _ = run_action(folder, predictions="$(touch owned); `touch owned`")
    assert (code, "no such file" in said.lower()) == (3, True)
    assert not (folder / "owned").exists()


@pytest.mark.parametrize(
    ("path", "line"), [("number", 10), ("lines", 11), ("lines[].price", 6), ("lines[].prize", None), ("tip", None)]
)
def test_a_field_is_found_where_its_class_defines_it(folder: Path, path: str, line: int | None) -> None:
    assert find_line(folder / "models.py", "Invoice", path) == line


def test_what_would_end_an_annotation_is_written_as_a_code() -> None:
    assert escape("50 %\n::error::", ":,") == "50 %25%0A%3A%3Aerror%3A%3A"


def test_the_example_gives_inputs_that_the_action_has() -> None:
    assert set(GIVEN) <= set(ACTION["inputs"])
    assert {name for name, said in ACTION["inputs"].items() if said.get("required")} <= set(GIVEN)
    assert all(said["description"].endswith(".") for said in ACTION["inputs"].values())

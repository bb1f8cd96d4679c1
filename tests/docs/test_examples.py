"""Every script in examples/ runs."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_the_example_runs_without_a_warning(path: Path) -> None:
    done = subprocess.run([sys.executable, "-W", "error", path], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_demo_has_three_jobs_and_a_report(tmp_path: Path) -> None:
    page = tmp_path / "demo.html"
    words = [sys.executable, ROOT / "examples" / "demo.py", page]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    for line in ("strict     0.5000  0.5000  0.5000", "r03   score 0.7692", "+0.0912  +0.0606  +0.1219  0.0001"):
        assert line in done.stdout
    assert done.stdout.endswith(f"The report is {page}\n")
    assert "small" in page.read_text(encoding="utf-8")

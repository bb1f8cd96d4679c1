"""The page for readers of the paper names cases, files and tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")


def test_every_test_on_the_page_exists() -> None:
    folder = ROOT / "tests" / "equations"
    written = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    names = re.findall(r"`(test_\w+)`", PAGE)
    assert len(names) == 30
    assert [name for name in names if f"def {name}(" not in written] == []
    assert all((folder / name).exists() for name in re.findall(r"`(test_\w+\.py)`", PAGE))


def test_every_case_and_file_on_the_page_exists() -> None:
    package = ROOT / "src" / "matchwise"
    reference = (package / "engine" / "reference.py").read_text(encoding="utf-8")
    assert [name for name in re.findall(r"`case (\w+)`", PAGE) if not re.search(rf"case .*\b{name}\(", reference)] == []
    assert [name for name in re.findall(r"`(_\w+)`", PAGE) if f"def {name}(" not in reference] == []
    assert [name for name in re.findall(r"`(\w+/[\w/]+\.py)`", PAGE) if not (package / name).exists()] == []

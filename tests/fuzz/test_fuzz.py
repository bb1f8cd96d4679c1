"""Minutes of hostile inputs, the same in every run; `make fuzz` runs a million others."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

HERE = Path(__file__).parent
INPUTS = 60_000
SHARES = 6


@pytest.fixture
def fuzz(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.syspath_prepend(HERE)
    from fuzz import fuzz

    return fuzz


@pytest.mark.parametrize("share", range(SHARES))
def test_hostile_inputs_are_read_or_refused_in_words(share: int, fuzz: Callable[..., Any], tmp_path: Path) -> None:
    size = INPUTS // SHARES
    outcome = fuzz(20, range(share * size, (share + 1) * size), tmp_path, kind="files")
    assert outcome.defects == []
    assert outcome.clean > size / 10
    assert outcome.refused > size / 10


@pytest.mark.parametrize(
    ("kind", "size"), [("tables", 15_000), ("answers", 8_000), ("schemas", 8_000), ("values", 12_000)]
)
def test_inputs_of_one_kind_are_read_or_refused_in_words(
    kind: str, size: int, fuzz: Callable[..., Any], tmp_path: Path
) -> None:
    outcome = fuzz(21, range(size), tmp_path, kind=kind)
    assert outcome.defects == []
    assert outcome.clean > size / 20
    assert outcome.refused > size / 10


def test_an_answer_that_is_not_found_is_a_defect(
    fuzz: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matchwise.tasks.documents import loading

    monkeypatch.setattr(loading, "_leave_out_thoughts", lambda text: text.partition("<think>")[0])
    outcome = fuzz(21, range(200), tmp_path, kind="answers")
    assert any(defect.startswith("answer: Defect") for defect in outcome.defects)


def test_what_nobody_expected_is_a_defect(fuzz: Callable[..., Any], tmp_path: Path) -> None:
    from fuzz import Outcome, run_one
    from targets import Target

    def fail(path: Path) -> None:
        raise KeyError(path.name)

    def hang(path: Path) -> None:
        while True:
            pass

    outcome = Outcome()
    for run in (fail, hang):
        run_one(Target("a", [b""], ".txt", run), b"x", tmp_path / "input.txt", "input 2", outcome, seconds=0.1)
    found = [defect.split(" at ")[0] for defect in outcome.defects]
    assert found == ["a: KeyError", "a: Hang"]


def test_an_input_is_determined_by_its_seed_and_number(fuzz: Callable[..., Any], tmp_path: Path) -> None:
    from targets import make, targets

    known = targets(tmp_path)
    one, other = ([make(Random(f"1 {n}"), target, []) for n, target in enumerate(known)] for _ in range(2))
    assert one == other

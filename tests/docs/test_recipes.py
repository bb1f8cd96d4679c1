"""The recipes for eval frameworks that need nothing but matchwise."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "frameworks"
GOLD = {"shop": "Bakery Lund", "issued": "2026-03-14", "total": 12.4}


def test_promptfoo_gets_a_grade_and_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    for name in ("receipt", "promptfoo_assert"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    recipe = import_module("promptfoo_assert")
    context = {"vars": {"reference": GOLD}, "config": {"threshold": 0.9}}
    good = recipe.get_assert('```json\n{"shop": "Bakery Lund", "issued": "2026-03-14", "total": 12.4}\n```', context)
    assert (good["pass"], good["score"]) == (True, 1.0)
    poor = recipe.get_assert('{"shop": "Bakery Lund", "issued": "2026-03-14", "total": 1}', context)
    assert (poor["pass"], poor["score"], poor["named_scores"]["recall"]) == (False, 2 / 3, 2 / 3)
    assert "≠ total  1          12.4" in poor["reason"]
    none = recipe.get_assert("Sorry.", {"vars": {"reference": GOLD}})
    assert (none["pass"], none["score"]) == (False, 0.0)
    assert none["named_scores"] == {"precision": 0.0, "recall": 0.0}
    assert "not JSON" in none["reason"]

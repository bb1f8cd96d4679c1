"""Every example in a docstring runs."""

import doctest
import importlib
from pathlib import Path

import pytest

import matchwise

ROOT = Path(matchwise.__file__).parent
FRAMEWORKS = {"matchwise.integrations.inspect", "matchwise.integrations.torchmetrics"}
"""Modules that import what is not installed here; `make test-integrations` runs them."""

NAMES = [
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(ROOT.rglob("*.py"))
    if path.name != "__main__.py"
]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in FRAMEWORKS])
def test_the_examples_of_a_module_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", matchwise.__all__)
def test_every_public_name_has_a_sentence_and_an_example(name: str) -> None:
    said = getattr(matchwise, name).__doc__ or ""
    assert said.splitlines()[0].endswith((".", ":"))
    assert ">>> " in said

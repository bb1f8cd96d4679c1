"""Calls of tools: frozen scores of bfcl-eval, agentevals and google-adk, which toolcalls/freeze.py made."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import matchwise as mw
from matchwise.formats.calls import _answer
from matchwise.tasks import toolcalls
from matchwise.tasks.toolcalls import Message, Trajectory
from matchwise.tasks.toolcalls.calls import tools_of

HERE = Path(__file__).parent / "toolcalls"


def cases(name: str) -> list[Any]:
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def reference(functions: list[Any], wanted: list[Any]) -> Trajectory:
    calls = tuple(_answer(one) for one in wanted)
    return Trajectory((Message("assistant", calls),), None, tools_of(functions))


@pytest.mark.parametrize("names", ["exact", "underscores"])
def test_the_ast_check_is_that_of_bfcl_eval(names: str) -> None:
    suite = toolcalls.suite("bfcl", names=names)
    for one, functions, wanted, made, valid in cases("bfcl"):
        if one == names:
            assert mw.score(suite["accuracy"], made, reference(functions, wanted)) == valid, (functions, wanted, made)


def test_calls_in_java_and_javascript_are_checked_as_by_bfcl_eval() -> None:
    suite = toolcalls.suite("bfcl")
    for language, function, wanted, made, valid in cases("languages"):
        ref = replace(reference([function], [wanted]), id=f"simple_{language}_0")
        assert mw.score(suite["accuracy"], made, ref) == valid, (language, function, wanted, made)


def test_the_best_pairing_accepts_all_that_the_greedy_one_does() -> None:
    for names, functions, wanted, made, valid in cases("bfcl"):
        suite = toolcalls.suite("bfcl", names=names)
        assert mw.score(suite["optimal"], made, reference(functions, wanted)) >= valid


@pytest.mark.parametrize(
    ("preset", "arguments"),
    [(preset, mode) for preset in ("agentevals", "adk") for mode in ("exact", "ignore")]
    + [("agentevals", "subset"), ("agentevals", "superset")],
)
def test_trajectories_match_as_in_the_package(preset: str, arguments: Any) -> None:
    suite = toolcalls.suite(preset, arguments=arguments)  # type: ignore[arg-type]  # one of two
    for pred, ref, scores in cases(preset):
        assert {name: mw.score(phi, pred, ref) for name, phi in suite.metrics.items()} == scores[arguments]

"""Calls of tools: trajectories beside agentevals, and BFCL's check beside bfcl-eval, if they are installed.

They are heavy (langchain, and the clients of twenty models) and not among the packages of the benchmarks; each has an
environment of its own, in which matchwise is installed, too: `python benchmarks/toolcalls.py`.
"""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

from workload.clock import seconds
from workload.table import Table, duration

import matchwise as mw
from matchwise.formats.calls import read_bfcl_answers
from matchwise.tasks import toolcalls


def calls(random: Random, number: int) -> list[dict[str, Any]]:
    return [
        {"name": f"tool{random.randrange(4)}", "arguments": {"a": random.randrange(9), "b": {"c": ["x", "y"]}}}
        for _ in range(number)
    ]


def messages(made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A conversation with a call in each message of the assistant, in OpenAI's form."""
    said = [{"role": "user", "content": "?"}]
    for one in made:
        call = {"type": "function", "id": "1", "function": {**one, "arguments": json.dumps(one["arguments"])}}
        said.append({"role": "assistant", "content": "", "tool_calls": [call]})  # type: ignore[dict-item]
        said.append({"role": "tool", "tool_call_id": "1", "content": "ok"})
    return said


def trajectories(table: Table) -> None:
    from agentevals.trajectory.match import create_trajectory_match_evaluator as make

    random, modes = Random(1), ("strict", "unordered", "subset", "superset")
    rules = [make(trajectory_match_mode=mode) for mode in modes]
    suite = toolcalls.suite("agentevals")
    for length, number in ((5, 200), (50, 40)):
        refs = [calls(random, length) for _ in range(number)]
        pairs = [(messages(random.sample(ref, length)), messages(ref)) for ref in refs]
        report = mw.evaluate(suite, [pred for pred, _ in pairs], [ref for _, ref in pairs])
        scores = [[rule(outputs=pred, reference_outputs=ref)["score"] for rule in rules] for pred, ref in pairs]
        assert [report[mode].value for mode in modes] == [sum(one) / number for one in zip(*scores, strict=True)]

        def ours(pairs: Any = pairs) -> None:
            mw.evaluate(suite, [pred for pred, _ in pairs], [ref for _, ref in pairs])

        def peer(pairs: Any = pairs) -> None:
            for pred, ref in pairs:
                for rule in rules:
                    rule(outputs=pred, reference_outputs=ref)

        compare(table, f"agentevals, four modes, {number} × {length} calls", ours, peer)


def leaderboard(table: Table) -> None:
    handlers: Any = ModuleType("bfcl_eval.constants.model_config")  # the clients of all models
    handlers.MODEL_CONFIG_MAPPING = {"model": SimpleNamespace(underscore_to_dot=False)}
    sys.modules["bfcl_eval.constants.model_config"] = handlers
    from io import StringIO

    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    random, number = Random(2), 1000
    inner = {"type": "dict", "properties": {}}
    about = {"type": "dict", "properties": {"a": {"type": "integer"}, "b": inner}, "required": ["a"]}
    functions = [{"name": f"tool{place}", "parameters": about} for place in range(4)]
    made = [calls(random, 4) for _ in range(number)]
    answers = [
        [{one["name"]: {"a": [one["arguments"]["a"]], "b": [{"c": [["x", "y"]]}]}} for one in several]
        for several in made
    ]
    preds = [[{one["name"]: one["arguments"]} for one in random.sample(several, 4)] for several in made]
    lines = (json.dumps({"ground_truth": one, "function": functions}) for one in answers)
    refs = list(read_bfcl_answers(StringIO("\n".join(lines))))
    suite = toolcalls.suite("bfcl")

    def peer() -> list[bool]:
        both = zip(preds, answers, strict=True)
        return [ast_checker(functions, *one, Language.PYTHON, "parallel", "model")["valid"] for one in both]

    assert mw.evaluate(suite, preds, refs)["accuracy"].value == sum(peer()) / number
    compare(table, f"bfcl-eval, {number} × 4 parallel calls", lambda: mw.evaluate(suite, preds, refs), peer)


def compare(table: Table, what: str, ours: Any, peer: Any) -> None:
    mine, theirs = seconds(ours, times=3), seconds(peer, times=3)
    table.add(what, duration(mine), "≥ 1×", theirs > mine, peer=duration(theirs), ratio=f"{theirs / mine:.1f}×")


def main() -> None:
    table = Table("calls of tools, documents in memory to scores", width=66)
    for package, run in (("agentevals", trajectories), ("bfcl_eval", leaderboard)):
        if find_spec(package) is not None:
            run(table)
        else:
            print(f"{package} is not installed")


if __name__ == "__main__":
    main()

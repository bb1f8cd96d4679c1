"""What is drawn at random: every option of intervals and tests reaches the numbers, in every command that has it."""

import json
import random
from typing import Any

import pytest

METRIC = ("--metric", 'f1("xs", eq("k"))')
GOLD = [{"id": n, "xs": [{"k": k, "t": "ab"[k % 2]} for k in range(1 + n % 4)]} for n in range(16)]


def guess(seed: int) -> list[dict[str, Any]]:
    by = random.Random(seed)
    return [{**one, "xs": [x if by.random() < 0.7 else {**x, "k": 9} for x in one["xs"]]} for one in GOLD]


def numbers(found: Any, *names: str) -> str:
    """The numbers under these names, wherever they stand."""
    if isinstance(found, dict):
        own = [json.dumps(found[name]) for name in names if name in found]
        return ";".join([*own, *(numbers(one, *names) for one in found.values())])
    return ";".join(numbers(one, *names) for one in found) if isinstance(found, list) else ""


COMMANDS: dict[str, tuple[list[str], list[str], tuple[str, ...], list[list[str]]]] = {
    "score": (["run"], ["-r", "gold"], ("interval",), [["--ci", "delta"], ["--ci", "bca"], ["--clusters", "clusters"]]),
    "merge": (["table"], [], ("interval",), [["--ci", "delta"], ["--ci", "bca"], ["--clusters", "clusters"]]),
    "compare": (
        ["run", "other"],
        ["-r", "gold"],
        ("low", "high", "p"),
        [["--ci", "delta"], ["--clusters", "clusters"]],
    ),
    "agreement": (["run", "other", "gold"], [], ("low", "high"), [["--ci", "delta"]]),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_what_is_drawn_changes_the_numbers(run, write, tmp_path, command: str) -> None:
    files, more, names, others = COMMANDS[command]
    paths = {"run": guess(1), "other": guess(2), "gold": GOLD}
    known = {name: write(f"{name}.jsonl", documents) for name, documents in paths.items()}
    known["clusters"] = write("clusters.tsv", "".join(f"{n}\t{n % 12}\n" for n in range(16)))
    known["table"] = str(tmp_path / "table.jsonl")
    assert run("score", *METRIC, known["run"], "-r", known["gold"], "--save-table", known["table"]).code == 0

    def measure(*words: str) -> str:
        given = [known.get(word, word) for word in (*files, *more, *words)]
        ran = run(command, *(() if command == "merge" else METRIC), *given, "--format", "json", "-q")
        assert ran.code == 0, ran.err
        return numbers(ran.json, *names)

    base = ["--ci", "bootstrap", "--resamples", "300"]
    varied = [["--level", "0.5"], ["--resamples", "400"], ["--seed", "5"], *others]
    found = [measure(*base), *(measure(*base, *one) for one in varied)]
    assert len(set(found)) == len(found)
    assert measure(*base) == found[0]


def test_agreement_by_chance_is_drawn_from_as_many_pairs_as_are_asked_for(run, write) -> None:
    files = [write(f"annotator{seed}.jsonl", guess(seed)) for seed in (1, 2, 3)]
    found = set()
    for more in ((), ("--pairs", "100"), ("--pairs", "100", "--seed", "4")):
        ran = run("agreement", *METRIC, *files, "--format", "json", "-q", *more)
        assert ran.code == 0, ran.err
        found.add(ran.json["alpha"]["expected"])
    assert len(found) == 3

"""What takes long says how far it is, on stderr; --quiet says nothing."""

import pytest

from matchwise.runners import runner

from .conftest import GOLD, METRIC, RUN


@pytest.mark.parametrize("command", ["score", "errors", "report", "compare", "duplicates", "agreement"])
def test_what_takes_long_shows_its_progress(command: str, run, write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "ELSEWHERE", 0.0)  # seconds before a line is written
    twins = [GOLD[0] | {"id": place} for place in range(3)]
    made, gold = write("run.jsonl", twins if command == "duplicates" else RUN), write("gold.jsonl", GOLD)
    words = {
        "compare": (made, gold, "-r", gold),
        "duplicates": (made, "--threshold", "0.5"),
        "agreement": (made, gold),
    }.get(command, (made, "-r", gold))
    said = [
        line
        for line in run(command, "--metric", METRIC, *words).err.splitlines()
        if " documents" in line or " pairs" in line
    ]
    assert any(line.startswith(f"{made}") for line in said)
    assert not any(
        line.startswith(f"{made}:") for line in run(command, "--metric", METRIC, *words, "-q").err.splitlines()
    )

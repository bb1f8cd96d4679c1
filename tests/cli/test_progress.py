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


def test_documents_that_are_not_printed_one_by_one_show_their_progress(
    run, write, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "ELSEWHERE", 0.0)
    made, gold = write("run.jsonl", RUN), write("gold.jsonl", GOLD)
    align = ("align", "--metric", METRIC, made, "-r", gold)
    assert not run(*align).err
    assert run(*align, "-o", tmp_path / "out.txt").err.startswith(f"{made}: ")
    assert sum(line.startswith(f"{made}: ") for line in run(*align, "--worst", "1").err.splitlines()) == 2


def test_of_shards_those_that_were_read_count_as_a_whole(run, write, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "ELSEWHERE", 0.0)
    for side in ("run", "gold"):
        (tmp_path / side).mkdir()
        for part in range(4):
            write(f"{side}/part-{part}.jsonl", [GOLD[0] | {"id": f"{part}-{place}"} for place in range(30)])
    said = run("score", "--metric", METRIC, tmp_path / "run", "-r", tmp_path / "gold").err.splitlines()
    assert said[0].startswith(f"{tmp_path / 'run'}: 32 documents, ")
    assert ", 27 %, " in said[0]  # the first of four, and 2 of the 30 documents of the second
    assert said[-1].endswith(", 100 %, 0:00 left")

"""`matchwise score srl` and `matchwise score sdp` on the example files."""

from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "examples" / "data"
SRL = "srl", DATA / "srl_system.props", "-r", DATA / "srl_gold.props"
SDP = "sdp", DATA / "sdp_system.sdp", "-r", DATA / "sdp_gold.sdp"


def counts(found, name: str) -> tuple[int, int, int]:
    metric = found.json["systems"][0]["metrics"][name]["counts"]
    return metric["matched"], metric["predicted"], metric["reference"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), (6, 9, 9)),
        (("--option", "continuations=separate"), (7, 9, 10)),
        (("--option", "without=()"), (10, 13, 13)),
    ],
)
def test_arguments_by_span(run, options, expected) -> None:
    assert counts(run("score", *SRL, *options, "--format", "json"), "arguments") == expected


def test_propositions_by_head_word(run) -> None:
    assert counts(run("score", *SRL, "--preset", "conll09", "--format", "json"), "labeled") == (15, 17, 18)


def test_a_table_by_role_has_no_rows_of_metrics_that_do_not_know_the_role(run) -> None:
    found = run("score", *SRL, "--by", "role").out.split("\n\n")[1].splitlines()
    assert [line.split()[:2] for line in found[2:5]] == [
        ["(proposition)", "propositions"], ["A0", "arguments"], ["A0", "unlabeled"]
    ]  # fmt: skip


def test_edges_and_graphs(run) -> None:
    found = run("score", *SDP, "--format", "json")
    assert counts(found, "labeled") == (5, 6, 7)
    assert counts(found, "unlabeled") == (6, 6, 7)
    assert counts(found, "unlabeled_exact") == (1, 2, 2)


def test_predications_of_verbs(run) -> None:
    found = run("score", *SDP, "--preset", "semeval15", "--format", "json")
    assert counts(found, "frames") == (1, 2, 3)


def test_graphs_of_two_kinds_are_not_compared(run, write) -> None:
    line = '{"id": "1001", "tops": [0], "nodes": [{"id": 0, "anchors": [{"from": 0, "to": 3}]}]}\n'
    found = run("score", "sdp", write("a.mrp", line), "-r", DATA / "sdp_gold.sdp")
    assert found.code == 3
    assert "found nodes with anchors, expected none as in the reference" in found.err

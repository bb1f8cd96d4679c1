"""`matchwise score amr`: files to scores, certificates, and what becomes of broken graphs."""

import json
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "examples" / "data"
GOLD = "# ::id a\n(w / want-01 :ARG0 (b / boy))\n\n# ::id b\n(c / cat)\n"


@pytest.fixture
def gold(write) -> str:
    return write("gold.amr", GOLD)


def test_a_score_is_proved(run) -> None:
    ran = run("score", "amr", DATA / "amr_system.amr", "-r", DATA / "amr_gold.amr")
    assert ran.code == 0
    assert ran.out.splitlines()[:2] == [
        "metric  precision  recall      f1  matched  predicted  reference  bounds",
        "smatch     0.8438  0.8710  0.8571       27         32         31  proved",
    ]


def test_json_has_the_bounds(run) -> None:
    ran = run("score", "amr", DATA / "amr_system.amr", "-r", DATA / "amr_gold.amr", "--format", "json")
    [system] = ran.json["systems"]
    assert system["metrics"]["smatch"]["bounds"] == {"lower": 6 / 7, "upper": 6 / 7, "proved": True}


def test_presets_and_options_change_what_is_counted(run) -> None:
    words = ("score", "amr", DATA / "amr_system.amr", "-r", DATA / "amr_gold.amr", "--format", "jsonl")
    assert '"matched": 27' in run(*words, "--preset", "smatchpp").out
    assert '"reference": 29' in run(*words, "--preset", "no_top").out
    assert '"metric": "negation"' in run(*words, "--option", "aspects=true").out


def test_relations_can_be_counted_apart(run) -> None:
    ran = run("score", "amr", DATA / "amr_system.amr", "-r", DATA / "amr_gold.amr", "--by", "rel")
    assert "polarity    smatch     0.0000  0.0000  0.0000        0          0          1" in ran.out


def test_graphs_are_joined_by_their_ids(run, write, gold) -> None:
    pred = write("pred.amr", "# ::id b\n(x / cat)\n\n# ::id a\n(w / want-01 :ARG0 (b / boy))\n")
    assert "1.0000" in run("score", "amr", pred, "-r", gold).out


def test_graphs_without_ids_are_paired_by_position_if_asked(run, write, gold) -> None:
    pred = write("pred.amr", "(w / want-01 :ARG0 (b / boy))\n\n(x / cat)\n")
    assert run("score", "amr", pred, "-r", gold).code == 3
    assert "1.0000" in run("score", "amr", pred, "-r", gold, "--id", "none").out


def test_a_broken_graph_stops_the_run_with_its_line(run, write, gold) -> None:
    pred = write("pred.amr", "# ::id a\n(w / want-01\n   :ARG0 (b / boy)\n\n# ::id b\n(c / cat)\n")
    ran = run("score", "amr", pred, "-r", gold)
    assert (ran.code, ran.out) == (3, "")
    assert f"{pred}:2: found a graph that begins here and is never closed" in ran.err


def test_a_broken_graph_may_count_as_empty(run, write, gold) -> None:
    pred = write("pred.amr", "# ::id a\n(w / want-01\n   :ARG0 (b / boy)\n\n# ::id b\n(c / cat)\n")
    ran = run("score", "amr", pred, "-r", gold, "--on-error", "empty", "--format", "jsonl")
    assert ran.code == 0
    assert '"matched": 2, "predicted": 2, "reference": 6' in ran.out


def test_a_missing_graph_counts_as_empty_and_is_named(run, write, gold) -> None:
    ran = run("score", "amr", write("pred.amr", "# ::id b\n(c / cat)\n"), "-r", gold)
    assert ran.code == 4
    assert "1 without prediction, counted as empty: a" in ran.err


def test_processes_share_the_work(run) -> None:
    words = ("score", "amr", DATA / "amr_system.amr", "-r", DATA / "amr_gold.amr")
    assert run(*words, "--jobs", "2").out == run(*words).out


def test_mrp_graphs_are_scored_too(run, write) -> None:
    nodes, edges = [{"id": 0, "label": "see"}, {"id": 1, "label": "cat"}], [{"source": 0, "target": 1, "label": "A"}]
    text = json.dumps({"id": "1", "framework": "eds", "tops": [0], "nodes": nodes, "edges": edges})
    ran = run("score", "amr", write("a.mrp", text), "-r", write("b.mrp", text.replace('"see"', '"saw"')))
    assert "smatch     0.7500  0.7500  0.7500        3          4          4  proved" in ran.out


@pytest.fixture
def hard(write) -> tuple[str, str]:
    """Two graphs with errors, the second of which is not proved at once."""
    leaves = " ".join(f":ARG{k % 3} (v{k} / c{k % 4} :ARG{k % 2} (w{k} / c{k % 5}))" for k in range(30))
    others = " ".join(f":ARG{k % 2} (v{k} / c{k % 5} :ARG{k % 3} (w{k} / c{k % 4}))" for k in range(30))
    small = "(a / b :ARG0 (c / d) :ARG1 (e / f) :ARG2 (g / h) :ARG3 (i / y))"
    pred = write("pred.amr", f"# ::id 1\n{small}\n\n# ::id 2\n(r / c0 {leaves})\n")
    return pred, write("ref.amr", f"# ::id 1\n{small.replace('y', 'x')}\n\n# ::id 2\n(r / c0 {others})\n")


def test_each_graph_says_whether_its_score_is_proved_under_a_limit(run, hard) -> None:
    found = run("score", "amr", hard[0], "-r", hard[1], "--gap", "0.9", "--per-document")
    rows = [line.split() for line in found.out.splitlines() if line.startswith(("1 ", "2 "))]
    assert rows[0][-1] == "proved"
    assert "–" in rows[1][-1]


def test_the_worst_graphs_have_their_bounds_under_a_limit(run, hard) -> None:
    words = ("score", "amr", hard[0], "-r", hard[1], "--gap", "0.9", "--worst", "2")
    *_, first, second, _, _, _ = run(*words).out.splitlines()
    rows = first.split(), second.split()
    assert [row[0] for row in rows] == ["2", "1"]
    assert ("–" in rows[0][-1], rows[1][-1]) == (True, "proved")
    [worst, best] = run(*words, "--format", "json").json["systems"][0]["worst"]
    assert worst["bounds"]["lower"] == worst["value"] < worst["bounds"]["upper"]
    assert best["bounds"]["proved"]


def test_the_mean_over_graphs_has_its_bounds_under_a_limit(run, hard) -> None:
    words = ("score", "amr", hard[0], "-r", hard[1], "--gap", "0.9")
    assert "–" in run(*words, "--average", "documents").out.splitlines()[1]
    found = run(*words, "--format", "json").json["systems"][0]["metrics"]["smatch"]
    assert found["macro_bounds"]["lower"] == found["macro"] < found["macro_bounds"]["upper"]


def test_the_mean_over_graphs_is_proved_without_a_limit(run) -> None:
    ran = run("score", "amr", DATA / "amr_system.amr", "-r", DATA / "amr_gold.amr", "--average", "documents")
    assert ran.out.splitlines()[:2] == [
        "metric  average    precision  recall      f1  bounds",
        "smatch  documents     0.8591  0.8591  0.8571  proved",
    ]


def test_a_page_says_between_what_the_score_of_a_graph_is(run, hard) -> None:
    assert (
        "–"
        in run("report", "amr", hard[0], "-r", hard[1], "--gap", "0.9").out.split("<summary><b>2</b> <code>")[1][:20]
    )


def test_alignments_are_the_best_that_was_found_within_a_limit(run, hard) -> None:
    found = run("align", "amr", hard[0], "-r", hard[1], "--gap", "0.9", "--document", "2", "--format", "json").json[0]
    score = run("score", "amr", hard[0], "-r", hard[1], "--gap", "0.9", "--worst", "1", "--format", "json").json
    assert found["score"] == score["systems"][0]["worst"][0]["value"]


def test_a_comparison_says_that_a_score_is_not_proved(run, hard) -> None:
    ran = run("compare", "amr", hard[0], hard[1], "-r", hard[1], "--gap", "0.9")
    [warning] = ran.err.splitlines()
    assert warning.startswith(f"matchwise: warning: {hard[0]}: smatch is not proved, 0.")
    assert warning.endswith("; what was found is compared")


def test_the_top_of_a_graph_can_be_left_out(run) -> None:
    words = ("score", "amr", DATA / "amr_system.amr", "-r", DATA / "amr_gold.amr")
    left_out, no_top = run(*words, "--option", "top=none").out, run(*words, "--preset", "no_top").out
    assert left_out.splitlines()[:2] == no_top.splitlines()[:2] != run(*words).out.splitlines()[:2]
    assert "|top:none|" in left_out

"""`matchwise score`: what is printed, and with which exit code."""

import csv
import io
import json
from pathlib import Path

import pytest

from matchwise import Suite, eq, f1

from .conftest import RUN

DATA = Path(__file__).parents[2] / "examples" / "data"
METRIC = 'rel=f1("relations", eq("type") * eq("subj") * eq("obj"))'
SIGNATURE = Suite(rel=f1("relations", eq("type") * eq("subj") * eq("obj"))).signature


@pytest.fixture
def score(run, system, gold):
    """`matchwise score --metric METRIC run.jsonl -r gold.jsonl` with further words."""
    return lambda *words: run("score", "--metric", METRIC, system, "-r", gold, *words)


def test_text_is_a_table_the_documents_and_the_signature(score) -> None:
    expected = (
        "metric  precision  recall      f1  matched  predicted  reference\n"
        "rel        0.5000  0.6667  0.5714        2          4          3\n"
        "\n"
        f"3 documents\n{SIGNATURE}\n"
    )
    assert score("--signature", "long") == (0, expected, "")


def test_a_long_signature_is_cut_to_one_line_that_keeps_its_hash(score) -> None:
    line = score().out.splitlines()[-1]
    kept = SIGNATURE[SIGNATURE.index("|matchwise:") :]  # as long as the version is
    assert line == SIGNATURE[: 80 - len("…") - len(kept)] + "…" + kept
    assert line.startswith('rel=f1("relations", eq("type") * eq("subj") * eq')


def test_json_has_exactly_the_documented_keys(score, system, gold) -> None:
    assert score("--format", "json").json == {
        "task": None,
        "preset": None,
        "reference": gold,
        "documents": 3,
        "signature": SIGNATURE,
        "systems": [
            {
                "prediction": system,
                "metrics": {
                    "rel": {
                        "precision": 0.5,
                        "recall": 2 / 3,
                        "f1": 4 / 7,
                        "value": 4 / 7,
                        "counts": {"matched": 2, "predicted": 4, "reference": 3},
                        "macro": 0.5,
                        "macro_precision": 0.5,
                        "macro_recall": 2.5 / 3,
                    }
                },
                "missing": [],
                "errors": [],
            }
        ],
    }


def test_json_lines_are_one_row_for_each_metric(score, system) -> None:
    [row] = map(json.loads, score("--format", "jsonl").out.splitlines())
    assert row == {
        "table": "scores",
        "system": system,
        "metric": "rel",
        "precision": 0.5,
        "recall": 2 / 3,
        "f1": 4 / 7,
        "matched": 2,
        "predicted": 4,
        "reference": 3,
        "signature": SIGNATURE,
    }


def test_csv_is_unrounded_and_carries_the_signature(score) -> None:
    [row] = csv.DictReader(io.StringIO(score("--format", "csv").out))
    assert (row["f1"], row["signature"]) == (repr(4 / 7), SIGNATURE)


def test_markdown_is_a_table_with_the_signature_as_code(score) -> None:
    assert score("--format", "markdown").out == (
        "| metric | precision | recall | f1 | matched | predicted | reference |\n"
        "| :--- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| rel | 0.5000 | 0.6667 | 0.5714 | 2 | 4 | 3 |\n"
        f"\n3 documents\n\n```\n{SIGNATURE}\n```\n"
    )


def test_a_score_has_at_most_the_digits_of_a_float(score) -> None:
    assert score("--score-only", "--digits", 17).code == 0
    ran = score("--score-only", "--digits", 18)
    assert (ran.code, "argument --digits: '18' is not a whole number from 0 to 17" in ran.err) == (2, True)


def test_latex_is_booktabs_in_percent_if_asked(score) -> None:
    assert score("--format", "latex", "--percent", "--digits", "1").out == (
        "\\begin{tabular}{lrrr}\n\\toprule\nMetric & P & R & F$_1$ \\\\\n\\midrule\n"
        "rel & 50.0 & 66.7 & 57.1 \\\\\n\\bottomrule\n\\end{tabular}\n"
        f"\n% the rules need \\usepackage{{booktabs}}\n% 3 documents\n% {SIGNATURE}\n"
    )


def test_several_systems_make_one_table(run, system, gold) -> None:
    ran = run("score", "--metric", METRIC, f"new={system}", f"gold={gold}", "-r", gold)
    assert ran.out.splitlines()[:4] == [
        "                rel",
        "system      P      R     F1",
        "new      50.0   66.7   57.1",
        "gold    100.0  100.0  100.0",
    ]
    ran = run("score", "--metric", METRIC, system, gold, "-r", gold, "--layout", "long")
    assert [line.split()[3] for line in ran.out.splitlines()[1:3]] == ["0.5714", "1.0000"]


def test_the_score_only_is_a_bare_number_for_each_system(run, score, system, gold) -> None:
    assert score("--score-only").out == "0.5714\n"
    assert score("--score-only", "--percent", "--digits", 1).out == "57.1\n"
    assert run("score", "--metric", METRIC, system, gold, "-r", gold, "--score-only").out == "57.1\n100.0\n"


def test_by_a_field_breaks_the_metric_down(score) -> None:
    [system] = score("--by", "type", "--format", "json").json["systems"]
    counts = {row["label"]: row["metrics"]["rel"]["counts"] for row in system["by"]}
    assert counts == {
        "lives": {"matched": 0, "predicted": 1, "reference": 1},
        "works": {"matched": 2, "predicted": 3, "reference": 2},
    }


def test_per_document_adds_the_score_of_each(score) -> None:
    [system] = score("--per-document", "--format", "json").json["systems"]
    assert [(row["document"], row["rel"]) for row in system["per_document"]] == [("d1", 0.5), ("d2", 1.0), ("d3", 0.0)]


def test_csv_of_documents_has_a_row_for_each(score) -> None:
    rows = csv.DictReader(io.StringIO(score("--per-document", "--format", "csv").out))
    assert [(row["document"], row["value"], row["matched"]) for row in rows] == [
        ("d1", "0.5", "1"),
        ("d2", "1.0", "1"),
        ("d3", "0.0", "0"),
    ]


def test_worst_lists_the_lowest_documents_first(score) -> None:
    [system] = score("--worst", 2, "--format", "json").json["systems"]
    assert system["worst"] == [{"document": "d3", "value": 0.0}, {"document": "d1", "value": 0.5}]


def test_the_mean_over_documents_says_so(score) -> None:
    assert score("--average", "documents").out.splitlines()[:2] == [
        "metric  average    precision  recall      f1",
        "rel     documents     0.5000  0.8333  0.5000",
    ]


NER = (
    "score",
    "ner",
    DATA / "ner_system.conll",
    "-r",
    DATA / "ner_gold.conll",
    "--preset",
    "seqeval",
    "--only",
    "strict",
)


@pytest.mark.parametrize(("average", "theirs"), [("macro", "macro"), ("weighted", "weighted")])
def test_the_means_over_labels_are_those_of_seqeval(run, average, theirs) -> None:
    from seqeval.metrics.sequence_labeling import precision_recall_fscore_support

    blocks = [(DATA / f"ner_{name}.conll").read_text().strip().split("\n\n")[1:] for name in ("gold", "system")]
    files = [[[line.split()[-1] for line in block.splitlines()] for block in file] for file in blocks]
    expected = precision_recall_fscore_support(*files, average=theirs, zero_division=0)[:3]
    row = json.loads(run(*NER, "--by", "type", "--average", average, "--format", "jsonl").out.splitlines()[0])
    assert (row["metric"], row["average"]) == ("strict", average)
    assert [row[name] for name in ("precision", "recall", "f1")] == pytest.approx(expected, abs=1e-12)
    weigh = "equally" if average == "macro" else "reference"
    [system] = run(*NER, "--by", "type", "--format", "json").json["systems"]
    found = system["over_labels"]["strict"][weigh]
    assert [found[name] for name in ("precision", "recall", "f1")] == pytest.approx(expected, abs=1e-12)


def test_a_mean_over_labels_needs_labels(run, write, tmp_path) -> None:
    ran = run(*NER, "--average", "macro")
    assert ran.code == 2
    assert "--average macro needs labels; name them with --by FIELD, as in --by type" in ran.err
    run(*NER, "--save-table", tmp_path / "t.jsonl")
    ran = run("merge", tmp_path / "t.jsonl", "--average", "weighted")
    assert ran.code == 2
    assert "--average weighted needs labels; score the shards with --by FIELD" in ran.err


def test_merged_tables_have_the_mean_over_labels_of_the_whole(run, tmp_path) -> None:
    whole = run(*NER, "--by", "type", "--average", "macro", "--save-table", tmp_path / "t.jsonl")
    merged = run("merge", tmp_path / "t.jsonl", "--average", "macro")
    assert merged.out.splitlines()[:2] == whole.out.splitlines()[:2]


def test_fields_counts_each_field_of_a_sum(run, system, gold) -> None:
    ran = run(
        "score",
        "--metric",
        'f1("relations", eq("type") + eq("obj"))',
        system,
        "-r",
        gold,
        "--fields",
        "--format",
        "json",
    )
    [scored] = ran.json["systems"]
    assert {row["path"]: row["right"] for row in scored["fields"]} == {"relations[].type": 2, "relations[].obj": 3}


def test_intervals_are_added_with_how_they_were_made(run, write) -> None:
    documents = [{"id": number, "xs": [1, 2]} for number in range(40)]
    other = [{"id": number, "xs": [1, 2 + number % 2]} for number in range(40)]
    ran = run(
        "score", "--metric", 'f1("xs")', write("a.jsonl", other), "-r", write("g.jsonl", documents), "--ci",
        "--format", "json",
    )  # fmt: skip
    [scored] = ran.json["systems"]
    assert [round(end, 4) for end in scored["metrics"]["score"]["interval"]] == [0.6608, 0.8221]
    assert ran.json["intervals"] == {"method": "delta", "level": 0.95, "units": "documents", "n": 40}


def test_a_score_above_the_gate_is_fine(score) -> None:
    assert score("--fail-under", "f1=0.57").code == 0


def test_a_score_below_the_gate_exits_with_one_and_says_which(score) -> None:
    ran = score("--fail-under", "rel:recall=0.7", "--fail-under", "precision=0.5")
    assert (ran.code, ran.err) == (1, "matchwise: failed: rel:recall is 0.6667, below 0.7\n")
    assert "0.5714" in ran.out


def test_a_gate_on_a_field(run, system, gold) -> None:
    ran = run(
        "score", "--metric", 'f1("relations", eq("type") + eq("obj"))', system, "-r", gold, "--fields",
        "--fail-under", "relations[].type:precision=0.6",
    )  # fmt: skip
    assert (ran.code, ran.err) == (1, "matchwise: failed: relations[].type:precision is 0.5000, below 0.6\n")


@pytest.mark.parametrize(
    ("gate", "problem"),
    [
        ("f1", "write SCORE=X or METRIC:SCORE=X, as in f1=0.85"),
        ("recal=0.5", "no score 'recal'; did you mean 'recall'?"),
        ("f1=high", "'high' is not a number; write a score such as 0.85"),
        ("rle:f1=0.5", "no metric 'rle'; did you mean 'rel'? (fields are counted with --fields)"),
    ],
)
def test_a_gate_that_cannot_be_read_is_a_usage_error(score, gate, problem) -> None:
    ran = score("--fail-under", gate)
    assert ran.code == 2
    assert problem in ran.err


def test_a_gate_must_say_which_of_several_metrics_it_means(run, system, gold) -> None:
    ran = run(
        "score", "--metric", 'a=f1("relations")', "--metric", 'b=recall("relations")', system, "-r", gold,
        "--fail-under", "f1=0.5",
    )  # fmt: skip
    assert ran.code == 2
    assert "which metric? write a:f1=0.5; there are a, b" in ran.err


def test_metrics_without_a_name_are_numbered(run, system, gold) -> None:
    ran = run("score", "--metric", 'f1("relations")', "--metric", 'recall("relations")', system, "-r", gold)
    assert [line.split()[0] for line in ran.out.splitlines()[1:3]] == ["score1", "score2"]


def test_two_metrics_of_one_name_are_refused(run, system, gold) -> None:
    ran = run("score", "--metric", "a=eq()", "--metric", "a=eq()", system, "-r", gold)
    assert ran.code == 2
    assert "two metrics have the name 'a'" in ran.err


def test_only_keeps_the_metrics_that_are_named(run, system, gold) -> None:
    metrics = ("--metric", 'a=f1("relations")', "--metric", 'b=recall("relations")')
    ran = run("score", *metrics, system, "-r", gold, "--only", "b", "--format", "json")
    assert list(ran.json["systems"][0]["metrics"]) == ["b"]


def test_only_suggests_a_metric(run, system, gold) -> None:
    ran = run("score", "--metric", METRIC, system, "-r", gold, "--only", "rle")
    assert ran.code == 2
    assert "no metric 'rle' in the suite; did you mean 'rel'?" in ran.err


def test_a_suite_of_a_python_file(run, write, system, gold) -> None:
    path = write(
        "metrics.py",
        "from matchwise import Suite, average, f1, recall\n"
        "suite = Suite(a=f1('relations'), b=recall('relations'), both=average('a', 'b'))\n",
    )
    ran = run("score", "--metric", f"{path}:suite", system, "-r", gold, "--format", "json", "--fail-under", "f1=0.9")
    assert ran.code == 1
    metrics = ran.json["systems"][0]["metrics"]
    assert metrics["both"]["value"] == (4 / 7 + 2 / 3) / 2


def test_a_name_that_a_python_file_lacks_gets_a_suggestion(run, write, system, gold) -> None:
    path = write("metrics.py", "from matchwise import f1\nsuite = f1('relations')\n")
    ran = run("score", "--metric", f"{path}:siute", system, "-r", gold)
    assert (ran.code, ran.err) == (2, f"matchwise: error: {path} defines no 'siute'; did you mean 'suite'?\n")


def test_an_error_in_a_python_file_names_its_line(run, write, system, gold) -> None:
    path = write("metrics.py", "x = 1\nsuite = x / 0\n")
    ran = run("score", "--metric", f"{path}:suite", system, "-r", gold)
    assert (ran.code, ran.err) == (2, f"matchwise: error: {path}:2: ZeroDivisionError: division by zero\n")


def test_a_file_may_be_called_like_a_standard_module(run, write, system, gold) -> None:
    path = write("types.py", "from matchwise import f1\nsuite = f1('relations')\n")
    assert run("score", "--metric", f"{path}:suite", system, "-r", gold).code == 0


def test_a_wrong_expression_is_a_usage_error_with_its_column(run, system, gold) -> None:
    ran = run("score", "--metric", 'f1("relations", eqq("type"))', system, "-r", gold)
    assert ran.code == 2
    assert "column 17: unknown word 'eqq'; did you mean 'eq'?" in ran.err


def test_a_mistyped_field_names_file_and_line_and_suggests(run, system, gold) -> None:
    ran = run("score", "--metric", 'f1("relations", eq("typ"))', system, "-r", gold)
    assert ran.code == 3
    assert ran.err.startswith(f"matchwise: error: {system}:1: relations[0]: found dict ")
    assert ran.err.endswith("without key 'typ'; did you mean 'type'?\n")


def test_presets_belong_to_tasks(run, system, gold) -> None:
    ran = run("score", "--metric", METRIC, system, "-r", gold, "--preset", "x")
    assert ran.code == 2
    assert "--preset and --option belong to a task's own suite" in ran.err


def test_output_goes_to_a_file(score, tmp_path) -> None:
    path = tmp_path / "scores.json"
    assert score("--format", "json", "-o", path) == (0, "", "")
    assert json.loads(path.read_text())["documents"] == 3


def test_a_failed_run_leaves_the_output_file_as_it_was(run, system, gold, tmp_path) -> None:
    path = tmp_path / "scores.json"
    path.write_text("before")
    assert run("score", "--metric", 'f1("x")', system, "-r", gold, "-o", path).code == 3
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []
    assert path.read_text() == "before"


def test_an_output_that_cannot_be_written_is_an_error(score, tmp_path) -> None:
    ran = score("-o", tmp_path / "no" / "scores.json")
    assert ran.code == 3
    assert "cannot be written: No such file or directory" in ran.err


def test_the_debug_variable_shows_the_traceback(run, system, gold, monkeypatch) -> None:
    from matchwise import FormatError

    monkeypatch.setenv("MATCHWISE_DEBUG", "1")
    with pytest.raises(FormatError, match="without key 'x'"):
        run("score", "--metric", 'f1("x")', system, "-r", gold)


def test_a_gate_in_percent_is_told_how_scores_are_written(run, system, gold) -> None:
    ran = run("score", "--metric", METRIC, system, "-r", gold, "--fail-under", "f1=90")
    assert ran.code == 1
    assert ran.err == "matchwise: failed: rel:f1 is 0.5714, below 90 (scores are from 0 to 1; write 0.9 for 90 %)\n"


def test_a_gate_of_one_is_no_percentage(run, system, gold) -> None:
    ran = run("score", "--metric", METRIC, system, "-r", gold, "--fail-under", "f1=1")
    assert (ran.code, ran.err) == (1, "matchwise: failed: rel:f1 is 0.5714, below 1\n")


def test_a_gate_decides_the_exit_code_where_documents_are_missing_too(run, write, gold) -> None:
    words = ("score", "--metric", METRIC, write("run.jsonl", RUN[:2]), "-r", gold)
    assert run(*words).code == 4
    assert run(*words, "--fail-under", "recall=0.6").code == 0
    assert run(*words, "--fail-under", "recall=0.7").code == 1


def test_a_gate_of_a_sum_may_be_above_one(run, system, gold) -> None:
    ran = run("score", "--metric", 'overlap("relations")', system, "-r", gold, "--fail-under", "value=90")
    assert ran.err == "matchwise: failed: score:value is 2.0000, below 90\n"


@pytest.mark.parametrize("bound", ["nan", "inf", "-inf", "90%"])
def test_a_gate_is_a_finite_number(run, system, gold, bound) -> None:
    ran = run("score", "--metric", METRIC, system, "-r", gold, "--fail-under", f"f1={bound}")
    assert ran.code == 2
    assert f"--fail-under f1={bound}: {bound!r} is not a number; write a score such as 0.85" in ran.err


def test_a_reference_with_nothing_to_find_is_a_warning(run, write) -> None:
    gold = write("gold.jsonl", [{"id": "a", "relations": []}])
    ran = run("score", "ner", gold, "-r", gold)
    assert ran.code == 0
    assert ran.err == f"matchwise: warning: {gold}: found nothing that is scored here; is it the right file and task?\n"


def test_files_without_a_task_are_told_to_name_one(run, gold) -> None:
    ran = run("score", gold, "-r", gold)
    assert ran.code == 2
    assert ran.err.startswith("matchwise: error: name a task first (matchwise tasks lists them), or write --metric ")
    assert run("score", "relatons", gold, "-r", gold).err == (
        "matchwise: error: no task 'relatons'; did you mean 'relations'?\n"
    )


def test_an_empty_reference_is_named(run, write, system) -> None:
    empty = write("empty.jsonl", "")
    ran = run("score", "--metric", METRIC, system, "-r", empty)
    assert (ran.code, ran.err) == (3, f"matchwise: error: {empty}: found no documents\n")


def test_the_same_doubt_about_several_systems_is_printed_once(run, system, gold) -> None:
    ran = run("score", "--metric", METRIC, system, gold, "-r", gold, "--ci")
    assert ran.err.count("3 documents are too few for confidence intervals, which need 10\n") == 1


def test_a_column_of_values_that_are_all_f1s_is_left_out(run) -> None:
    files = (DATA / "sdp_system.sdp", "-r", DATA / "sdp_gold.sdp")
    first = run("score", "sdp", *files).out.splitlines()[0]
    assert first.split() == ["metric", "precision", "recall", "f1", "matched", "predicted", "reference"]
    table = run("score", "sdp", *files, "--format", "csv").out.splitlines()[0]
    assert "f1,value,matched" in table  # programs find the same columns whatever the numbers are

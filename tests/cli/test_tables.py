"""Score tables: saved, merged, compared."""

import csv
import json
from pathlib import Path

import pytest

METRIC = 'ents=f1("xs")'
GOLD = [{"id": number, "xs": [1, 2]} for number in range(40)]
GOOD = [{"id": number, "xs": [1, 2]} for number in range(40)]
POOR = [{"id": number, "xs": [1, 2 + number % 2]} for number in range(40)]


@pytest.fixture
def saved(run, write, tmp_path):
    """Score documents and keep their table."""

    def table(name, preds, refs=GOLD):
        path = tmp_path / name
        words = ("--metric", METRIC, write(f"{name}.run.jsonl", preds), "-r", write("gold.jsonl", refs))
        assert run("score", *words, "--save-table", path).code == 0
        return str(path)

    return table


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "parquet"])
def test_shards_merge_to_the_whole(run, saved, ending) -> None:
    shards = [saved(f"a.{ending}", POOR[:15], GOLD[:15]), saved(f"b.{ending}", POOR[15:], GOLD[15:])]
    ran = run("merge", *shards, "--format", "json")
    assert ran.code == 0
    assert ran.json["documents"] == 40
    [system] = ran.json["systems"]
    assert system["metrics"]["ents"]["counts"] == {"matched": 60, "predicted": 80, "reference": 80}


def test_a_merged_table_is_printed_with_its_signature(run, saved) -> None:
    ran = run("merge", saved("a.jsonl", POOR))
    assert ran.out == (
        "metric  precision  recall      f1  matched  predicted  reference\n"
        "ents       0.7500  0.7500  0.7500       60         80         80\n"
        "\n40 documents\n" + ran.out.splitlines()[-1] + "\n"
    )
    assert ran.out.splitlines()[-1].startswith('ents=f1("xs")|matchwise:')


def test_a_merged_table_can_be_kept_and_has_intervals(run, saved, tmp_path) -> None:
    both = tmp_path / "both.jsonl"
    shards = [saved("a.jsonl", POOR[:15], GOLD[:15]), saved("b.jsonl", POOR[15:], GOLD[15:])]
    assert run("merge", *shards, "--save-table", both).code == 0
    low, high = run("merge", both, "--ci", "--format", "json").json["systems"][0]["metrics"]["ents"]["interval"]
    assert (round(low, 4), round(high, 4)) == (0.6608, 0.8221)


def test_tables_that_share_a_document_are_refused(run, saved) -> None:
    path = saved("a.jsonl", POOR)
    ran = run("merge", path, path)
    assert ran.code == 3
    assert "is in two tables" in ran.err


def test_a_file_that_is_no_table_is_an_error(run, write) -> None:
    ran = run("merge", write("a.jsonl", GOLD))
    assert ran.code == 3
    assert "a.jsonl" in ran.err
    assert "Traceback" not in ran.err


def test_systems_are_compared_with_the_first(run, write) -> None:
    words = (write("poor.jsonl", POOR), write("good.jsonl", GOOD), "-r", write("gold.jsonl", GOLD))
    ran = run("compare", "--metric", METRIC, *words, "--format", "json")
    assert ran.code == 0, ran.err
    [row] = ran.json["differences"]
    assert (row["metric"], row["difference"]) == ("ents", 0.25)
    assert row["p"] < 0.001
    assert ran.json["seed"] == 0


def test_a_comparison_is_a_table_in_markdown(run, saved) -> None:
    ran = run("compare", poor := saved("poor.jsonl", POOR), good := saved("good.jsonl", GOOD), "--format", "markdown")
    head, _, row, *_ = ran.out.splitlines()
    assert head.startswith(f"| metric | {poor} | {good} | difference |".replace("_", r"\_"))
    assert row.startswith("| ents | 0.7500 | 1.0000 | +0.2500 |")
    assert '\n```\nents=f1("xs")|matchwise:' in ran.out


def test_latex_has_a_minus_a_small_p_and_a_comment_that_names_booktabs(run, saved) -> None:
    out = run("compare", saved("good.jsonl", GOOD), saved("poor.jsonl", POOR), "--format", "latex").out
    row = next(line for line in out.splitlines() if line.startswith("ents "))
    assert " & $-$0.2500 & " in row
    assert row.count("$<$0.001") == 2  # p and p_holm
    assert "\n% the rules need \\usepackage{booktabs}\n" in out


def test_a_comparison_is_a_table_in_latex_with_its_notes_as_comments(run, saved) -> None:
    ran = run("compare", saved("poor.jsonl", POOR), saved("good.jsonl", GOOD), "--format", "latex")
    assert r"Difference & Low & High & $p$ & $p$ (Holm) \\" in ran.out
    assert "% 40 documents; 95 % intervals by the paired delta method\n" in ran.out


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_comparison_is_rows_of_metrics_and_labels(run, write, format) -> None:
    gold = [{"id": number, "xs": [{"t": number % 2 == 0, "n": number}]} for number in range(20)]
    poor = [gold[0] | {"xs": []}, *gold[1:]]
    words = ("--metric", METRIC, write("a.jsonl", gold), write("b.jsonl", poor), "-r", write("gold.jsonl", gold))
    ran = run("compare", *words, "--by", "t", "--format", format)
    if format == "csv":
        rows = list(csv.DictReader(ran.out.splitlines()))
    else:
        rows = [json.loads(line) for line in ran.out.splitlines()]
    assert [row.get("label") or None for row in rows] == [None, "False", "True"]
    assert [float(row["value"]) for row in rows] == pytest.approx([38 / 39, 1, 18 / 19], abs=1e-12)


def test_saved_tables_are_compared_without_the_documents(run, saved) -> None:
    ran = run("compare", saved("poor.jsonl", POOR), saved("good.jsonl", GOOD), "--format", "json")
    assert ran.code == 0, ran.err
    assert ran.json["differences"][0]["difference"] == 0.25


def test_only_the_metrics_asked_for_are_compared_and_corrected_for(run, write, tmp_path) -> None:
    suite = tmp_path / "own.py"
    suite.write_text(
        "from matchwise import Suite, average, f1\nmine = Suite(x=f1('xs'), y=f1('xs'), mean=average('x', 'y'))\n"
    )
    metrics = ("--metric", f"{suite}:mine")
    gold, files = write("gold.jsonl", GOLD), [write("poor.jsonl", POOR), write("good.jsonl", GOOD)]
    tables = []
    for file in files:
        tables.append(f"{file}.table.jsonl")
        assert run("score", *metrics, file, "-r", gold, "--save-table", tables[-1]).code == 0
    for words in ((*metrics, *files, "-r", gold), tables):
        (row,) = run("compare", *words, "--only", "mean", "--format", "json").json["differences"]
        assert (row["metric"], row["p_holm"]) == ("mean", row["p"])
    ran = run("compare", *tables, "--only", "men")
    assert (ran.code, ran.err) == (2, "matchwise: error: no metric 'men' in the suite; did you mean 'mean'?\n")


def test_a_significant_regression_can_fail_the_run(run, saved) -> None:
    good, poor = saved("good.jsonl", GOOD), saved("poor.jsonl", POOR)
    assert run("compare", poor, good, "--fail-on-regression").code == 0
    ran = run("compare", good, poor, "--fail-on-regression")
    assert ran.code == 1
    assert f"failed: {poor} is worse than {good}: ents f1 -0.2500 (p_holm = " in ran.err


FIVE = (
    "warning: 5 documents are too few for confidence intervals, which need 10",
    "warning: with 5 documents p cannot be below 0.0625, so no difference can reach p ≤ 0.05",
)


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "csv", "jsonl", "json"])
def test_a_comparison_of_five_documents_says_in_every_format_what_it_cannot_do(run, saved, format: str) -> None:
    tables = [saved(f"{name}.jsonl", rows[:5], GOLD[:5]) for name, rows in (("poor", POOR), ("good", GOOD))]
    ran = run("compare", *tables, "--format", format)
    if format == "json":
        assert [f"warning: {warning}" for warning in ran.json["warnings"]] == list(FIVE)
    elif format in ("csv", "jsonl"):
        assert ran.err == "".join(f"matchwise: {warning}\n" for warning in FIVE)
    else:
        assert all(warning in ran.out for warning in FIVE)
        assert ran.err == ""


def test_a_gate_that_cannot_fail_says_so(run, saved) -> None:
    tables = [saved(f"{name}.jsonl", rows[:5], GOLD[:5]) for name, rows in (("good", GOOD), ("poor", POOR))]
    ran = run("compare", *tables, "--fail-on-regression")
    assert (ran.code, ran.err) == (
        0,
        "matchwise: warning: --fail-on-regression cannot fail at --alpha 0.05 on 5 documents, "
        "where p_holm is at least 0.0625\n",
    )
    assert run("compare", *tables, "--fail-on-regression", "--alpha", "0.1").err == ""


def test_a_bootstrap_of_few_documents_has_a_warning(run, saved) -> None:
    path = saved("poor.jsonl", POOR)
    assert run("merge", path, "--ci").err == ""
    assert run("merge", path, "--ci", "bootstrap", "--resamples", 200).err == (
        "matchwise: warning: bootstrap intervals are too narrow for fewer than 100 documents, and there are 40; "
        'use the delta method (method="delta", --ci delta)\n'
    )


def test_the_seed_decides_the_resamples(run, saved) -> None:
    good, poor = saved("good.jsonl", GOOD), saved("poor.jsonl", POOR)
    words = ("compare", poor, good, "--ci", "bootstrap", "--resamples", 200, "--format", "json")
    first, again, other = (run(*words, "--seed", seed).json["differences"][0]["low"] for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_clusters_of_documents_are_the_units(run, write, saved) -> None:
    clusters = write("clusters.tsv", "".join(f"{number}\tsource-{number % 20}\n" for number in range(40)))
    ran = run("merge", saved("a.jsonl", POOR), "--ci", "--clusters", clusters, "--format", "json")
    assert ran.json["intervals"]["n"] == 20


def test_clusters_name_documents_by_text_too(run, write) -> None:
    documents = [{"id": f"d{number}", "xs": [number % 3]} for number in range(30)]
    gold = write("gold.jsonl", [{**one, "xs": [0]} for one in documents])
    clusters = write("clusters.tsv", "".join(f"d{number}\tsource {number % 10}\n" for number in range(30)))
    words = ("score", "--metric", 'f1("xs")', write("run.jsonl", documents), "-r", gold, "--ci", "--format", "json")
    assert run(*words, "--clusters", clusters).json["intervals"]["n"] == 10
    assert run(*words).json["intervals"]["n"] == 30


def test_json_has_the_intervals_of_labels_and_fields_that_csv_has_and_means_over_labels(run, write) -> None:
    gold = write("gold.jsonl", [{"id": n, "xs": [{"t": "AB"[n % 2], "v": n}], "k": n % 3} for n in range(40)])
    half = write("half.jsonl", [{"id": n, "xs": [{"t": "AB"[n % 2], "v": n - n % 4}], "k": n % 2} for n in range(40)])
    words = ("score", half, "-r", gold, "--ci", "--metric")
    by = (*words, 'f1("xs", eq("t") * eq("v"))', "--by", "t")
    fields = (*words, 'normalize(eq("k") + overlap("xs", eq("v")), "f1")', "--fields")
    for asked, kind, name in ((by, "label", "t"), (fields, "field", "field")):
        system = run(*asked, "--format", "json").json["systems"][0]
        rows = [row for row in csv.DictReader(run(*asked, "--format", "csv").out.splitlines()) if row["low"]]
        wanted = [(row[name], row["metric"], float(row["low"]), float(row["high"])) for row in rows]
        assert [(one[kind], one["metric"], one["low"], one["high"]) for one in system["intervals"]] == wanted
        assert len(wanted) == 2
        assert all(low < high for _, _, low, high in wanted)
    means = run(*by, "--format", "json").json["systems"][0]["over_labels"]["score"]
    assert means["equally"] == {"precision": 0.25, "recall": 0.25, "f1": 0.25}


def test_a_line_without_a_cluster_is_an_error(run, write, saved) -> None:
    path = write("clusters.tsv", "1\ta\n2 b\n")
    ran = run("merge", saved("a.jsonl", POOR), "--ci", "--clusters", path)
    assert (ran.code, ran.err) == (3, f"matchwise: error: {path}:2: found '2 b', expected an id, a tab and a cluster\n")


def test_one_system_cannot_be_compared(run, saved) -> None:
    ran = run("compare", saved("a.jsonl", POOR))
    assert ran.code == 2
    assert "compare needs two or more systems" in ran.err


def test_a_comparison_of_a_task_needs_the_reference(run, saved) -> None:
    ran = run("compare", "ner", saved("a.jsonl", POOR), saved("b.jsonl", POOR))
    assert (ran.code, ran.err) == (
        2,
        "matchwise: error: expected -r REF, the reference file (score tables need no task)\n",
    )


def test_the_same_file_twice_is_refused(run, saved) -> None:
    path = saved("a.jsonl", POOR)
    ran = run("compare", path, path)
    assert ran.code == 2
    assert "is given twice; compare different systems" in ran.err


def test_the_errors_of_a_run_are_part_of_its_table(run, write, tmp_path) -> None:
    broken = [*GOOD[:39], {"id": 39, "xs": None}]
    words = ("--metric", METRIC, write("run.jsonl", broken), "-r", write("gold.jsonl", GOLD), "--on-error", "skip")
    table = tmp_path / "t.jsonl"
    assert run("score", *words, "--save-table", table).code == 4
    ran = run("merge", table, "--format", "json")
    assert ran.code == 4
    [error] = ran.json["systems"][0]["errors"]
    assert error["document"] == 39
    assert json.loads(table.read_text().splitlines()[0])["documents"] == 39


def test_a_merged_table_names_the_documents_that_failed(run, write, tmp_path) -> None:
    broken = write("run.jsonl", [*GOOD[:39], {"id": 39, "xs": 7}])
    words = ("--metric", METRIC, broken, "-r", write("gold.jsonl", GOLD), "--on-error", "skip")
    run("score", *words, "--save-table", tmp_path / "t.jsonl")
    ran = run("merge", tmp_path / "t.jsonl")
    problem = f"{broken}:40: xs: found int 7, expected a collection (list, tuple, set, mapping)"
    why = "matchwise: exit code 4: 1 document that could not be scored\n"
    assert (ran.code, ran.err) == (4, f"matchwise: error: document 39: {problem}\n{why}")


def test_a_merged_table_in_which_a_prediction_is_missing_is_incomplete(run, write, tmp_path) -> None:
    words = ("--metric", METRIC, write("run.jsonl", GOOD[:39]), "-r", write("gold.jsonl", GOLD))
    assert run("score", *words, "--save-table", tmp_path / "t.jsonl").code == 4
    ran = run("merge", tmp_path / "t.jsonl", "--format", "json")
    why = "matchwise: exit code 4: 1 document without prediction\n"
    assert (ran.code, ran.json["systems"][0]["missing"], ran.err) == (4, [39], why)


BROKEN = {
    "cannot be scored": [*GOOD[:30], *({"id": number, "xs": 7} for number in range(30, 40))],
    "cannot be read": "".join(
        json.dumps(document)[: -1 if document["id"] < 30 else -3] + ("}\n" if document["id"] < 30 else "\n")
        for document in GOOD
    ),
    "have no id": "".join(json.dumps(one) + "\n" if one["id"] < 30 else '{"xs": [1, 2\n' for one in GOOD),
}


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.parametrize("ending", ["files", "jsonl", "parquet"])
def test_predictions_that_count_as_empty_are_compared(run, write, tmp_path, fault, ending) -> None:
    good, broken, gold = write("good.jsonl", GOOD), write("broken.jsonl", BROKEN[fault]), write("gold.jsonl", GOLD)
    scoring = "--metric", METRIC, "-r", gold, "--on-error", "empty"
    if ending == "files":
        words = [good, broken, *scoring]
    else:
        words = [tmp_path / f"{name}.table.{ending}" for name in ("good", "broken")]
        for file, table in zip((good, broken), words, strict=True):
            run("score", file, *scoring, "--save-table", table)
    ran = run("compare", *words, "--format", "json", "--fail-on-regression")
    [row] = ran.json["differences"]
    assert (row["baseline_value"], row["value"], row["units"], row["differing"]) == (1.0, 120 / 140, 40, 10)
    assert row["p"] < 0.01
    assert "failed: " in ran.err
    assert ran.code == 1
    [warning] = ran.json["warnings"]
    assert warning.startswith("10 documents ")
    assert ": ," not in warning
    assert warning.endswith(("30, 31, 32, 33, 34 and 5 more", "and 5 more"))


def test_a_table_counts_an_empty_prediction_once(run, write, tmp_path) -> None:
    words = write("run.jsonl", BROKEN["cannot be scored"]), "-r", write("gold.jsonl", GOLD), "--on-error", "empty"
    run("score", "--metric", METRIC, *words, "--save-table", tmp_path / "t.jsonl")
    ran = run("merge", tmp_path / "t.jsonl", "--format", "json")
    assert (ran.code, ran.json["documents"]) == (4, 40)
    assert ran.json["systems"][0]["metrics"]["ents"]["f1"] == 120 / 140


@pytest.fixture
def tallied(run, write, tmp_path):
    """Score documents and keep their tally."""

    def tally(name, preds, refs, *words, code=0):
        path = tmp_path / name
        files = (write(f"{name}.run.jsonl", preds), "-r", write(f"{name}.gold.jsonl", refs))
        assert run("score", "--metric", METRIC, *files, *words, "--save-tally", path).code == code
        return str(path)

    return tally


def measured(ran):
    """All that a result says of a system but its name."""
    [system] = ran.json["systems"]
    return {name: value for name, value in system.items() if name != "prediction"}, ran.json["documents"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_tallies_of_shards_merge_to_the_whole(run, write, tallied, jobs) -> None:
    words = ("--jobs", jobs)
    shards = [tallied("a.json", POOR[:15], GOLD[:15], *words), tallied("b.json", POOR[15:], GOLD[15:], *words)]
    whole = run("score", "--metric", METRIC, write("p", POOR), "-r", write("g", GOLD), "--format", "json")
    assert measured(run("merge", *shards, "--format", "json")) == measured(whole)


def test_tallies_keep_what_is_missing_and_what_went_wrong(run, write, tallied) -> None:
    broken = [*POOR[:3], {"id": 3, "xs": 7}, *POOR[5:]]
    words = ("--on-error", "skip")
    shards = [
        tallied("a.json", broken[:10], GOLD[:11], *words, code=4),
        tallied("b.json", broken[10:], GOLD[11:], *words),
    ]
    ran = run("merge", *shards, "--format", "json")
    assert ran.code == 4
    [system] = ran.json["systems"]
    assert system["missing"] == [4]
    assert [error["document"] for error in system["errors"]] == [3]
    assert ran.json["documents"] == 40


def test_merged_tallies_can_be_kept_and_merged_again(run, tallied, tmp_path) -> None:
    shards = [tallied(f"{n}.json", POOR[n : n + 10], GOLD[n : n + 10]) for n in (0, 10, 20)]
    assert run("merge", *shards[:2], "--save-tally", tmp_path / "two.json").code == 0
    two, three = (
        run("merge", tmp_path / "two.json", shards[2], "--format", "json"),
        run("merge", *shards, "--format", "json"),
    )
    assert measured(two) == measured(three)


def test_a_tally_and_a_table_merge(run, saved, tallied) -> None:
    ran = run("merge", saved("a.jsonl", POOR[:15], GOLD[:15]), tallied("b.json", POOR[15:], GOLD[15:]))
    assert ran.out.splitlines()[1].split() == ["ents", "0.7500", "0.7500", "0.7500", "60", "80", "80"]


@pytest.mark.parametrize("option", [["--ci", "bootstrap"], ["--save-table", "all.jsonl"]])
def test_what_needs_documents_is_refused_of_tallies(run, tallied, option) -> None:
    ran = run("merge", tallied("a.json", POOR, GOLD), *option)
    assert ran.code == 2
    named = "--ci bootstrap" if option[0] == "--ci" else option[0]
    assert f"{named} needs the counts of each document" in ran.err


def test_a_tally_that_is_cut_off_is_an_error(run, write, tallied, tmp_path) -> None:
    data = Path(tallied("a.json", POOR, GOLD)).read_bytes()
    ran = run("merge", write("cut.json", data[:200]))
    assert ran.code == 3
    assert "cut.json:1: not a score table as matchwise saves it" in ran.err


def test_merged_macro_averages_are_those_of_the_whole(run, write, tallied) -> None:
    shards = [tallied("a.json", POOR[:15], GOLD[:15]), tallied("b.json", POOR[15:], GOLD[15:])]
    whole = run("score", "--metric", METRIC, write("p", POOR), "-r", write("g", GOLD), "--average", "documents")
    assert run("merge", *shards, "--average", "documents").out == whole.out


MIDDLE = [{"id": number, "xs": [1, 2 + (number % 4 == 0)]} for number in range(40)]


def test_each_system_is_compared_with_each(run, saved) -> None:
    tables = [f"{name}={saved(f'{name}.jsonl', docs)}" for name, docs in (("p", POOR), ("m", MIDDLE), ("g", GOOD))]
    rows = run("compare", *tables, "--pairs", "all", "--format", "json").json["differences"]
    assert [(row["baseline"], row["system"], row["difference"]) for row in rows] == [
        ("p", "m", 0.125), ("p", "g", 0.25), ("m", "g", 0.125),
    ]  # fmt: skip
    for option in (("--layout", "wide"), ("--fail-on-regression",)):
        ran = run("compare", *tables, "--pairs", "all", *option)
        assert ran.code == 2
        assert f"{' '.join(option)} compares with the baseline; leave out --pairs all" in ran.err


def test_a_baseline_is_named(run, saved) -> None:
    tables = [f"{name}={saved(f'{name}.jsonl', docs)}" for name, docs in (("p", POOR), ("m", MIDDLE), ("g", GOOD))]
    rows = run("compare", *tables, "--baseline", "g", "--format", "json").json["differences"]
    assert [(row["baseline"], row["system"], row["difference"]) for row in rows] == [
        ("g", "p", -0.25),
        ("g", "m", -0.125),
    ]
    ran = run("compare", *tables, "--baseline", "gg")
    assert (ran.code, ran.err) == (2, "matchwise: error: --baseline gg: no such system; did you mean 'g'?\n")
    ran = run("compare", *tables, "--baseline", "g", "--fail-on-regression")
    assert ran.code == 1
    assert "failed: p is worse than g" in ran.err


def test_tallies_of_shards_have_the_intervals_of_the_whole(run, saved, tallied) -> None:
    shards = [tallied("a.json", POOR[:15], GOLD[:15]), tallied("b.json", POOR[15:], GOLD[15:])]
    whole = run("merge", saved("whole.jsonl", POOR), "--ci", "--format", "json").json
    merged = run("merge", *shards, "--ci", "--format", "json").json
    assert merged["systems"][0]["metrics"] == whole["systems"][0]["metrics"]
    low, high = merged["systems"][0]["metrics"]["ents"]["interval"]
    assert (round(low, 4), round(high, 4)) == (0.6608, 0.8221)


def test_a_regression_is_a_gate_that_fails_also_where_predictions_are_missing(run, write) -> None:
    gold = write("gold.jsonl", [{"id": str(k), "xs": [1]} for k in range(5)])
    poor = write("poor.jsonl", [{"id": str(k), "xs": [2]} for k in range(4)])
    command = ("compare", "--metric", 'f1("xs")', gold, poor, "-r", gold)
    assert run(*command).code == 4
    ran = run(*command, "--fail-on-regression", "--alpha", "0.0625")  # the lowest p of five documents
    assert ran.code == 1
    assert "cannot fail" not in ran.err

"""`--by` where only some metrics, or only some elements, have the label."""

from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "examples" / "data"
TREES = "score", "constituency", DATA / "constituency_system.mrg", "-r", DATA / "constituency_gold.mrg"
WORDS = "score", "dependencies", DATA / "dependencies_system.conllu", "-r", DATA / "dependencies_gold.conllu"
EVENTS = DATA / "events_system.jsonl", "-r", DATA / "events_gold.jsonl"


def metrics(ran) -> list[str]:
    """Those that the table by label has."""
    return list(ran.json["systems"][0]["by"][0]["metrics"])


def test_arguments_without_a_distance_share_a_row(run) -> None:
    ran = run("score", "events", *EVENTS, "--preset", "rams", "--by", "distance")
    rows = ran.out.split("\n\n")[1].splitlines()[2:]
    assert rows == [
        "(none)      arg_c      0.6667  0.6667  0.6667        2          3          3",
        "(micro)     arg_c      0.6667  0.6667  0.6667        2          3          3",
        "(macro)     arg_c      0.6667  0.6667  0.6667",
        "(weighted)  arg_c      0.6667  0.6667  0.6667",
    ]


def test_a_comparison_names_elements_without_a_label_likewise(run) -> None:
    ran = run("compare", "events", EVENTS[0], *EVENTS[2:], *EVENTS[1:], "--preset", "rams", "--by", "distance")
    assert ran.out.split("\n\n")[1].splitlines()[2].startswith("(none)  arg_c ")


def test_in_json_a_label_that_is_not_there_is_null(run) -> None:
    ran = run("score", "events", *EVENTS, "--preset", "rams", "--by", "distance", "--format", "json")
    assert [row["label"] for row in ran.json["systems"][0]["by"]] == [None]


def test_brackets_and_tags_are_counted_by_label(run) -> None:
    ran = run(*TREES, "--by", "label", "--format", "json")
    assert (ran.code, metrics(ran)) == (0, ["labelled", "unlabelled", "tags"])
    assert ran.err == (
        "matchwise: not broken down by label, which their elements do not have: "
        "complete, complete_unlabelled, crossing, no_crossing, few_crossing, valid, errors, skipped\n"
    )


@pytest.mark.parametrize("command", ["score", "compare", "report"])
def test_of_several_systems_is_said_once_what_is_left_out(run, command: str) -> None:
    words = (command, *TREES[1:3], TREES[4], *TREES[3:], "--by", "label")
    assert run(*words).err.count("not broken down by label") == 1


def test_the_scores_of_short_sentences_are_counted_by_label(run) -> None:
    ran = run(*TREES, "--by", "label", "--option", "cutoff=40", "--format", "json")
    assert metrics(ran) == ["labelled", "unlabelled", "tags", "labelled_40", "unlabelled_40", "tags_40"]


@pytest.mark.parametrize("label", ["rel", "deprel", "upos", "xpos", "feats", "lemma"])
@pytest.mark.parametrize(("preset", "left_out"), [("ud", "tokens, sentences, elas, eulas"), ("paper", "elas")])
def test_arcs_are_counted_by_each_of_their_labels(run, preset: str, label: str, left_out: str) -> None:
    ran = run(*WORDS, "--preset", preset, "--by", label)
    assert ran.code == 0
    assert ran.err == f"matchwise: not broken down by {label}, which their elements do not have: {left_out}\n"


def test_a_table_of_all_metrics_is_that_of_each_by_itself(run) -> None:
    whole, alone = (run(*WORDS, "--by", "rel", *more).out.splitlines() for more in ((), ("--only", "las,clas")))
    rows = [line.split() for line in whole if line.split()[1:2] in (["las"], ["clas"])]
    assert rows == [line.split() for line in alone if line.split()[1:2] in (["las"], ["clas"])]
    assert rows


def test_metrics_without_the_label_name_those_that_have_it(run) -> None:
    ran = run(*TREES, "--by", "label", "--only", "complete")
    assert (ran.code, ran.out) == (2, "")
    assert "cannot break complete down by label, which their elements do not have; " in ran.err
    assert "the elements of labelled, unlabelled, tags have it" in ran.err


def test_of_a_label_that_some_metrics_have_is_said_what_to_write(run) -> None:
    ran = run(*TREES, "--by", "start")
    assert ran.code == 3
    assert "complete cannot be broken down by start; leave it out (--only labelled,unlabelled): " in ran.err
    assert run(*TREES, "--by", "start", "--only", "labelled,unlabelled").code == 0


def test_a_label_that_no_metric_has_is_not_to_be_left_out(run) -> None:
    ran = run(*TREES, "--by", "lable", "--only", "labelled,unlabelled")
    assert ran.code == 3
    assert ": labelled cannot be broken down by lable: " in ran.err
    assert ran.err.endswith(" has no 'lable'; did you mean 'label'?\n")


def test_a_record_is_not_broken_down_by_labels_but_into_fields(run, write) -> None:
    gold = write("gold.jsonl", [{"id": "a", "n": 1, "xs": [1]}])
    ran = run("score", "documents", gold, "-r", gold, "--by", "label")
    assert ran.code == 2
    assert len(ran.err) < 300
    assert "or ask for a table of its fields (--fields)" in ran.err


def test_the_average_over_fields_needs_no_other_option(run, write) -> None:
    gold, poor = (
        write("gold.jsonl", [{"id": "a", "n": 1, "xs": [1]}]),
        write("poor.jsonl", [{"id": "a", "n": 1, "xs": []}]),
    )
    ran = run("score", "--metric", 'normalize(eq("n") + overlap("xs"), "f1")', poor, "-r", gold, "--average", "fields")
    assert "score   fields      1.0000  0.5000  0.5000" in ran.out


@pytest.mark.parametrize("name", [str, int])
def test_clusters_are_found_by_ids_of_either_kind(run, write, name) -> None:
    gold = write("gold.jsonl", [{"id": name(k), "xs": [1]} for k in range(6)])
    clusters = write("clusters.tsv", "".join(f"{k}\t{'ab'[k % 2]}\n" for k in range(6)))
    ran = run("score", "--metric", 'f1("xs")', gold, "-r", gold, "--ci", "--clusters", clusters)
    assert "2 clusters are too few" in ran.err


def test_a_narrow_table_drops_what_every_row_says_before_a_number(run) -> None:
    system, gold = DATA / "ner_system.conll", DATA / "ner_gold.conll"
    files = f"a_system_with_a_name={system}", f"the_gold_standard={gold}", "-r", gold
    out = run("score", "ner", *files, "--only", "strict", "--by", "type").out
    assert out.split("\n\n")[1].splitlines()[1:3] == [
        "system                type        precision  recall     f1  matched  reference",
        "a_system_with_a_name  LOC               0.0     0.0    0.0        0          1",
    ]
    assert "\n(metric of every row: strict)\n(no room for predicted; --format csv has all columns)\n" in out

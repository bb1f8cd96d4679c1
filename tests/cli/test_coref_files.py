"""Coreference from files: the awkward inputs of real scoring, each with the choice that was made for it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]
Write = Callable[..., str]


def conll(*parts: tuple[str, list[str]], separator: str = " ", begin: str = "part {:03d}") -> str:
    """Documents `a`, part by part: the text of each word and its column of mentions."""
    lines = []
    for number, (words, cells) in enumerate(parts):
        lines.append(f"#begin document (a); {begin.format(number)}")
        for at, (word, cell) in enumerate(zip(words.split(), cells, strict=True)):
            lines.append(separator.join(["a", str(number), str(at), word, "NN", cell]))
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"


ONE = ("Ann saw her dog it", ["(0)", "-", "(1|(0)", "1)", "(1)"])
TWO = ("He saw him", ["(0)", "-", "(0)"])
WRONG = ("Ann saw her dog it", ["(0)", "-", "(1|(0)", "1)", "(0)"])
GOLD = conll(ONE, TWO)
SYSTEM = conll(WRONG, TWO)


def value(ran: Any, metric: str = "conll") -> float:
    found: float = ran.json["systems"][0]["metrics"][metric]["value"]
    return found


@pytest.fixture
def gold(write: Write) -> str:
    return write("gold.conll", GOLD)


def scored(run: Run, pred: str, gold: str, *more: str, stdin: bytes | None = None) -> Any:
    return run("score", "coref", pred, "-r", gold, "--format", "json", *more, stdin=stdin)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("run.conll", SYSTEM.encode()),
        ("run.conll.gz", SYSTEM.encode()),
        ("tabs.conll", conll(WRONG, TWO, separator="\t").encode()),
        ("wide.conll", conll(WRONG, TWO, separator="    ").encode()),
        ("windows.conll", SYSTEM.replace("\n", "\r\n").encode()),
        ("bom.conll", b"\xef\xbb\xbf" + SYSTEM.encode()),
        ("underscores.conll", SYSTEM.replace(" -\n", " _\n").encode()),
        ("short.conll", conll(WRONG, TWO, begin="part {}").encode()),
        ("nothing_after.conll", SYSTEM.rstrip().encode()),
    ],
)
def test_however_a_file_is_written_its_scores_are_the_same(
    run: Run, write: Write, gold: str, name: str, data: bytes
) -> None:
    ran = scored(run, write(name, data), gold)
    assert (ran.code, value(ran, "muc")) == (0, pytest.approx(2 / 3))


@pytest.mark.parametrize("data", [SYSTEM.encode(), b"\xef\xbb\xbf" + conll(WRONG, TWO).encode()])
def test_predictions_come_from_standard_input(run: Run, gold: str, data: bytes) -> None:
    ran = scored(run, "-", gold, stdin=data)
    assert (ran.code, value(ran, "muc")) == (0, pytest.approx(2 / 3))


def test_clusters_as_json_are_scored_against_conll(run: Run, write: Write, gold: str) -> None:
    documents = [
        {"doc_key": "a; part 000", "clusters": [[[0, 0], [2, 2], [4, 4]], [[2, 3]]]},
        {"doc_key": "a; part 001", "clusters": [[[0, 0], [2, 2]]]},
    ]
    ran = scored(run, write("run.jsonl", documents), gold)
    assert (ran.code, value(ran, "muc")) == (0, pytest.approx(2 / 3))


@pytest.mark.parametrize("data", [b"", b"\n\n", b" \r\n"])
def test_an_empty_file_has_none_of_the_documents(run: Run, write: Write, gold: str, data: bytes) -> None:
    ran = scored(run, write("empty.conll", data), gold)
    assert (ran.code, value(ran), ran.json["systems"][0]["missing"]) == (4, 0.0, ["a; part 000", "a; part 001"])


def test_a_missing_document_counts_as_empty_and_is_named(run: Run, write: Write, gold: str) -> None:
    ran = scored(run, write("run.conll", conll(ONE)), gold)
    counts = ran.json["systems"][0]["metrics"]["b3"]["counts"]
    assert (ran.code, ran.json["systems"][0]["missing"]) == (4, ["a; part 001"])
    assert (counts["matched"], counts["predicted"], counts["reference"]) == (4, 4, 6)


def test_a_document_that_only_the_predictions_have_is_an_error_or_left_out(run: Run, write: Write) -> None:
    pred, gold = write("run.conll", GOLD), write("one.conll", conll(ONE))
    ran = scored(run, pred, gold)
    assert ran.code == 3
    assert "no reference has the id 'a; part 001'" in ran.err
    assert value(scored(run, pred, gold, "--on-error", "skip")) == 1.0


def test_a_repeated_span_is_an_error_or_counted_in_its_first_entity(run: Run, write: Write, gold: str) -> None:
    pred = write("run.conll", GOLD.replace("Ann NN (0)", "Ann NN (0)|(7)"))
    ran = scored(run, pred, gold)
    assert ran.code == 3
    assert f"the span [0, 1) 'Ann' is in entity 0 ({pred}:2) and again in entity 7 ({pred}:2)" in ran.err
    assert value(scored(run, pred, gold, "--option", "repeated=first")) == 1.0


def test_a_broken_document_can_be_left_out_or_counted_as_empty(run: Run, write: Write, gold: str) -> None:
    pred = write("run.conll", SYSTEM.replace("-", "5)", 1))
    found = [scored(run, pred, gold, "--on-error", choice) for choice in ("skip", "empty")]
    assert [ran.code for ran in found] == [4, 0]
    assert all(f"{pred}:3: found '5)', but no mention of entity 5 is open" in ran.err for ran in found)
    counts = [ran.json["systems"][0]["metrics"]["mentions"]["counts"] for ran in found]
    assert [(count["matched"], count["reference"]) for count in counts] == [(2, 2), (2, 6)]


def test_json_that_is_no_document_can_be_left_out_or_counted_as_empty(run: Run, write: Write, gold: str) -> None:
    broken = {"doc_key": "a; part 000", "clusters": [[[0, 0], [2]]]}
    pred = write("run.jsonl", [broken, {"doc_key": "a; part 001", "clusters": [[[0, 0], [2, 2]]]}])
    found = [scored(run, pred, gold, "--on-error", choice) for choice in ("skip", "empty")]
    assert [ran.code for ran in found] == [4, 0]
    assert all(f"{pred}:1: clusters[0][1]: found [2], expected a span [start, end]" in ran.err for ran in found)
    counts = [ran.json["systems"][0]["metrics"]["mentions"]["counts"] for ran in found]
    assert [(count["matched"], count["reference"]) for count in counts] == [(2, 2), (2, 6)]


def test_other_words_are_refused_or_ignored(run: Run, write: Write, gold: str) -> None:
    pred = write("run.conll", GOLD.replace("dog", "cat"))
    ran = scored(run, pred, gold)
    assert (ran.code, "word 4 is 'cat' in the prediction and 'dog' in the reference" in ran.err) == (3, True)
    assert value(scored(run, pred, gold, "--option", "words=ignore")) == 1.0


def test_percentages_are_rounded_not_cut_off(run: Run, write: Write, gold: str) -> None:
    ran = run("score", "coref", write("run.conll", SYSTEM), "-r", gold, "--percent", "--digits", "2", "--only", "muc")
    assert "66.67" in ran.out


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("cut.conll", GOLD[:-15].encode(), "cut.conll:12: the file ends within document 'a; part 001'"),
        ("open.conll", GOLD.replace("(1)", "(1").encode(), "open.conll:6: a mention of entity 1 is opened here"),
        ("shut.conll", GOLD.replace("-", "5)", 1).encode(), "shut.conll:3: found '5)', but no mention"),
        ("split.conll", GOLD.replace("(1)", "(3+4)").encode(), "an entity with two antecedents (3+4) cannot be scored"),
        ("utf16.conll", GOLD.encode("utf-16"), "utf16.conll:1: found UTF-16, expected UTF-8"),
        ("packed.conll", b"\x1f\x8b\x08", "packed.conll:1: found compressed data, expected text"),
        ("other.txt", b"Maria sells her bakery.\n", "other.txt: looks like none of the formats of coref"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_its_line(
    run: Run, write: Write, gold: str, name: str, data: bytes, problem: str
) -> None:
    ran = scored(run, write(name, data), gold)
    assert ran.code == 3
    assert problem in ran.err


def test_documents_without_ids_are_paired_in_order(run: Run, write: Write) -> None:
    pred = write("run.jsonl", [{"clusters": [[[0, 0], [2, 2]]]}, {"clusters": []}])
    ref = write("gold.jsonl", [{"clusters": [[[0, 0], [2, 2]]]}, {"clusters": [[[1, 1], [4, 4]]]}])
    assert value(scored(run, pred, ref), "muc") == pytest.approx(2 / 3)


def test_the_files_of_scorch_are_scored(run: Run, write: Write) -> None:
    gold = write("gold.json", json.dumps({"type": "clusters", "clusters": {"1": ["a", "b", "c"], "2": ["d", "e"]}}))
    pred = write("run.json", json.dumps({"type": "graph", "mentions": list("abcde"), "links": [["a", "b"]]}))
    assert value(scored(run, pred, gold), "muc") == 0.5


def test_the_table_for_a_paper_names_every_system_and_metric(run: Run, write: Write, gold: str) -> None:
    one, two = write("one.conll", SYSTEM), write("two.conll", GOLD)
    ran = run("score", "coref", one, two, "-r", gold, "--format", "latex")
    assert ran.code == 0
    assert [ran.out.count(name) for name in ("one.conll", "two.conll")] == [1, 1]
    assert r"\multicolumn{3}{c}{MUC} & \multicolumn{3}{c}{B$^3$}" in ran.out


def test_what_went_wrong_is_counted_and_named(run: Run, write: Write, gold: str) -> None:
    ran = run("errors", "coref", write("run.conll", SYSTEM), "-r", gold)
    assert ran.out == (
        "entities   F1 0.8222   2.4667 matched, 3 predicted, 3 reference\n"
        "kind               count  share of loss  F1 without\n"
        "missed mentions        1          62.5%      0.9333\n"
        "spurious mentions      1          37.5%      0.8889\n"
        "\n"
        "mentions   F1 0.8333   5 matched, 6 predicted, 6 reference\n"
        "kind   count  share of loss  F1 without\n"
        "moved      1         100.0%      1.0000\n"
        "\n"
        "missed mentions\n"
        "  a; part 000: {her dog}, should be {it, her dog}\n"
        "\n"
        "spurious mentions\n"
        "  a; part 000: {it, Ann, her}, should be {Ann, her}\n"
        "\n"
        "moved\n"
        "  a; part 000: it with Ann, should be it with her dog\n"
    )


def test_what_went_wrong_follows_the_preset(run: Run, write: Write, gold: str) -> None:
    pred = write("run.conll", SYSTEM)
    found = [
        run("errors", "coref", pred, "-r", gold, "--preset", name, "--format", "json") for name in ("paper", "e2e")
    ]
    assert [ran.json["levels"][1]["predicted"] for ran in found] == [6, 5]  # the response of e2e has no singletons


def test_all_of_a_missing_document_is_missed(run: Run, write: Write, gold: str) -> None:
    ran = run("errors", "coref", write("run.conll", conll(ONE)), "-r", gold, "--kind", "missed", "--format", "jsonl")
    assert ran.code == 4
    assert [json.loads(line)["ref"] for line in ran.out.splitlines()] == ["He", "him"]


def test_the_output_of_a_system_that_holds_the_gold_is_read_by_side(run, write) -> None:
    both = {"doc_key": "a", "clusters": [[[0, 0], [2, 2]]], "predicted_clusters": [[[0, 0], [3, 3]]]}
    path = write("output.jsonl", [both])
    found = run("score", "coref", path, "-r", path, "--format", "json").json["systems"][0]["metrics"]["mentions"]
    assert found["counts"] == {"matched": 1, "predicted": 2, "reference": 2}


def test_what_is_not_scored_is_noted_on_both_sides(run, write) -> None:
    rows = [
        "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DISCOURSE_DEIXIS",
        "# newdoc id = a",
        "1 Ann _ _ _ _ _ _ _ _ (EntityID=1|MarkableID=m1|ElementOf=3) _ _",
        "2 Bob _ _ _ _ _ _ _ _ (EntityID=2|MarkableID=m2|ElementOf=3) (MarkableID=m2|MentionAnchor=m1) _",
        "3 they _ _ _ _ _ _ _ _ (EntityID=3|MarkableID=m3) _ (EntityID=9|MarkableID=m3)",
    ]
    plain = [" ".join([*row.split()[:10], row.split()[10].replace("|ElementOf=3", ""), "_", "_"]) for row in rows[2:]]
    gold, system = write("gold.conllua", "\n".join(rows)), write("sys.conllua", "\n".join([*rows[:2], *plain]))
    options = ("--preset", "corefud", "--option", "singletons=keep", "--option", "mentions=exact")
    for first, second, noted in ((system, gold, gold), (gold, system, gold)):
        found = run("score", "coref", first, "-r", second, *options)
        assert found.code == 0
        assert f"{noted}: mention that is part of a split antecedent (ElementOf), scored without it (2" in found.err
        assert f"{noted}: bridging reference, not scored" in found.err
        assert f"{noted}: discourse deixis, not scored" in found.err
    assert run("score", "coref", system, "-r", system, *options).err == ""

"""`matchwise score drs`: files to scores, kinds of clauses, and what becomes of broken structures."""

import gzip
from pathlib import Path

import pytest

GOLD = Path(__file__).parents[2] / "examples" / "data" / "formats" / "clauses.clf"


@pytest.fixture
def system(write) -> str:
    text = GOLD.read_text(encoding="utf-8").replace("Experiencer", "Agent").replace("x3", "u").replace('"tom"', '"bo"')
    return write("system.clf", text)


def test_a_score_is_proved(run, system) -> None:
    ran = run("score", "drs", system, "-r", GOLD)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[:2] == [
        "metric   precision  recall      f1  matched  predicted  reference  bounds",
        "clauses     0.8889  0.8889  0.8889       16         18         18  proved",
    ]


def test_presets_and_options_change_what_is_counted(run, system) -> None:
    words = ("score", "drs", system, "-r", GOLD, "--format", "jsonl")
    assert '"matched": 23, "predicted": 25' in run(*words, "--preset", "paper").out
    assert '"matched": 23, "predicted": 25' in run(*words, "--option", "refs=all").out
    assert '"matched": 17, "predicted": 18' in run(*words, "--option", "ignore=roles").out


def test_kinds_are_counted_apart(run, system) -> None:
    ran = run("score", "drs", system, "-r", GOLD, "--by", "kind")
    assert "operator    clauses     1.0000  1.0000  1.0000        5          5          5" in ran.out
    assert "role        clauses     0.6667  0.6667  0.6667        4          6          6" in ran.out


def test_structures_are_paired_by_position(run, write) -> None:
    gold = write("gold.clf", "b1 NOT b2\n\nb1 REF x1\n")
    assert "1.0000" in run("score", "drs", write("same.clf", "b1 NOT b2\n\nb1 REF x1\n"), "-r", gold).out
    assert "0.0000" in run("score", "drs", write("turned.clf", "b1 REF x1\n\nb1 NOT b2\n"), "-r", gold).out


def test_a_structure_that_is_missing_is_an_error(run, write) -> None:
    ran = run("score", "drs", write("one.clf", "b1 NOT b2\n"), "-r", GOLD)
    assert (ran.code, ran.out) == (3, "")
    assert (
        f"found 1 document in {write('one.clf', '')} and 2 documents in {GOLD}, and no ids to join them by" in ran.err
    )


def test_of_a_missing_structure_is_said_what_to_write_in_its_place(run, write) -> None:
    gold = write("gold.clf", "b1 NOT b2\n\nb1 NOT b2\n")
    ran = run("score", "drs", write("one.clf", "b1 NOT b2\n"), "-r", gold)
    assert '"id"' not in ran.err
    assert ran.err.endswith('write a clause that equals none, such as b1 missing "n.01" x1\n')
    pred = write("two.clf", 'b1 missing "n.01" x1\n\nb1 NOT b2\n')
    assert (
        "clauses     0.5000  0.5000  0.5000        1          2          2" in run("score", "drs", pred, "-r", gold).out
    )


@pytest.mark.parametrize(
    ("option", "choices"), [("refs", "all, needed"), ("ignore", "concepts, nothing, roles, senses")]
)
def test_none_is_no_value_of_an_option_that_does_not_have_it(run, option: str, choices: str) -> None:
    ran = run("score", "drs", GOLD, "-r", GOLD, "--option", f"{option}=none")
    assert (ran.code, ran.out) == (2, "")
    assert f"{option}='none' is unknown; there are {choices}" in ran.err


def test_none_stands_for_no_value_where_an_option_is_no_choice_of_words(run) -> None:
    assert run("score", "drs", GOLD, "-r", GOLD, "--option", "synsets=none") == run("score", "drs", GOLD, "-r", GOLD)


def test_a_broken_clause_stops_the_run_with_its_line(run, write) -> None:
    pred = write("pred.clf", "b1 NOT b2\n\n%%% He\nb1 male x1\n")
    ran = run("score", "drs", pred, "-r", GOLD)
    assert (ran.code, ran.out) == (3, "")
    assert f"{pred}:4: found 'male' without a sense, expected a concept as in b1 male \"n.02\" x1" in ran.err


@pytest.mark.parametrize(("how", "reference", "code"), [("empty", 18, 0), ("skip", 14, 4)])
def test_a_broken_structure_may_count_as_empty_or_be_left_out(run, write, how: str, reference: int, code: int) -> None:
    pred = write("pred.clf", "b1 NOT b2\n\nb1 male x1\n")
    ran = run("score", "drs", pred, "-r", GOLD, "--on-error", how, "--format", "jsonl")
    assert ran.code == code
    assert f'"matched": 0, "predicted": 1, "reference": {reference}' in ran.out


def test_the_first_line_may_be_the_broken_one(run, write) -> None:
    pred = write("pred.clf", "b1 NOT\n\nb1 NOT b2\n")
    assert f"{pred}:1: found 'b1 NOT', expected three or four words" in run("score", "drs", pred, "-r", GOLD).err


def test_every_broken_structure_of_a_file_is_named(run, write) -> None:
    pred = write("pred.clf", "b1 NOT\n\nb1 NOT b2\n\nb1 REF x1\nx1 NOT b2\n")
    ran = run("check", "drs", pred)
    assert ran.code == 3
    assert ran.out.splitlines()[0] == f"{pred}: 2 errors, 3 documents"
    assert f"{pred}:6: found 'x1' as a box and as a referent" in ran.out


def test_compressed_files_and_standard_input_are_read(run, tmp_path) -> None:
    packed = tmp_path / "system.clf.gz"
    packed.write_bytes(gzip.compress(GOLD.read_bytes()))
    assert "1.0000" in run("score", "drs", packed, "-r", GOLD).out
    assert "1.0000" in run("score", "drs", "-", "-r", GOLD, stdin=GOLD.read_bytes()).out


def test_graphs_in_other_notations_are_refused(run, write) -> None:
    ran = run("score", "drs", write("pred.amr", "(b / boy)\n"), "-r", GOLD)
    assert (ran.code, ran.out) == (3, "")
    assert "does not look like clauses, the only format of drs" in ran.err


def test_processes_share_the_work(run, system) -> None:
    words = ("score", "drs", system, "-r", GOLD)
    assert run(*words, "--jobs", "2").out == run(*words).out


def test_an_alignment_says_which_names_were_matched(run, system) -> None:
    ran = run("align", "drs", system, "-r", GOLD)
    assert "variables Referent e1 ~ e1, t1 ~ t1, u ~ x3, x1 ~ x1, x2 ~ x2" in ran.out

"""Where an error is that only scoring finds: the id of the document, or the line it begins on, or its number."""

import json

import pytest

GOLD = "a B-PER\nb I-PER\n\nc O\nd B-PER\n\ne B-LOC\nf O\n\ng B-LOC\n"
WRONG = "expected a tag such as O, B-PER or I-PER, found 'Q-PER'"


@pytest.fixture
def columns(run, write):
    def command(pred: str, ref: str, *more: str):
        return run("score", "ner", write("run.conll", pred), "-r", write("gold.conll", ref), *more)

    return command


def test_a_wrong_tag_of_a_sentence_without_id_is_named_by_the_line_the_sentence_begins_on(columns) -> None:
    ran = columns(GOLD.replace("d B-PER", "d Q-PER"), GOLD)
    assert (ran.code, ran.out) == (3, "")
    assert "run.conll:4: " in ran.err
    assert WRONG in ran.err


def test_a_wrong_tag_of_the_reference_is_named_in_the_reference(columns) -> None:
    ran = columns(GOLD, GOLD.replace("g B-LOC", "g Q-PER"))
    assert ran.code == 3
    assert "gold.conll:10: " in ran.err


def test_a_sentence_that_is_cut_elsewhere_is_named_by_its_line(columns) -> None:
    ran = columns(GOLD.replace("c O\n", "c O\n\n").replace("f O\n\n", "f O\n"), GOLD)
    assert ran.code == 3
    assert "run.conll:4: found 1 tag, expected 2 as in the reference" in ran.err


def test_a_sentence_with_an_id_is_named_by_it(columns) -> None:
    named = "# id = s1\na B-PER\n\n# id = s2\nb O\n"
    ran = columns(named.replace("b O", "b Q-PER"), named)
    assert "run.conll: document s2: " in ran.err


def test_comments_and_document_marks_are_not_the_first_line(columns) -> None:
    ran = columns("-DOCSTART- O\n\n# a comment\na Q-PER\nb O\nc O\nd O\n", "a O\nb O\nc O\nd O\n")
    assert "run.conll:4: " in ran.err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_json_document_without_id_is_named_by_its_number(run, write, jobs: str) -> None:
    pred = write("run.jsonl", '{"tags": ["O"]}\n{"tags": ["Q-PER"]}\n')
    ran = run("score", "ner", pred, "-r", write("gold.jsonl", '{"tags": ["O"]}\n{"tags": ["O"]}\n'), "--jobs", jobs)
    assert ran.code == 3
    assert "run.jsonl[1]: " in ran.err


def test_propositions_are_named_by_the_line_their_sentence_begins_on(run, write) -> None:
    from matchwise.formats import conll05, conll09

    props = "-  (A0*)\nsay (V*)\n\n\n-  (A1*)\nsay (V*)\n"
    assert [one.line for one in conll05.read(write("run.props", props))] == [1, 5]
    row = "1 Cats cat cat N N _ _ 0 0 ROOT ROOT _ _\n"
    assert [one.line for one in conll09.read(write("run.txt", row + "\n" + row))] == [1, 3]


def test_a_document_that_fails_does_not_change_the_numbers_of_the_others(columns) -> None:
    arguments = "--on-error", "skip", "--per-document", "--only", "strict", "--format", "csv"
    ran = columns(GOLD.replace("d B-PER", "d Q-PER"), GOLD, *arguments)
    assert ran.code == 4
    assert [line.split(",")[1] for line in ran.out.splitlines()[1:]] == ["0", "2", "3"]


def test_an_error_has_the_number_of_its_document(columns) -> None:
    ran = columns(GOLD.replace("d B-PER", "d Q-PER"), GOLD, "--on-error", "skip", "--format", "json")
    [error] = ran.json["systems"][0]["errors"]
    assert (error["document"], error["problem"].split(": ")[0].rsplit("/", 1)[-1]) == (1, "run.conll:4")


def test_systems_that_fail_in_different_documents_are_compared_in_the_others(run, write) -> None:
    one, other = GOLD.replace("d B-PER", "d Q-PER"), GOLD.replace("e B-LOC", "e Q-PER").replace("g B-LOC", "g O")
    files = write("one.conll", one), write("other.conll", other), "-r", write("gold.conll", GOLD)
    ran = run("compare", "ner", *files, "--on-error", "skip", "--only", "strict", "--format", "json")
    [row] = json.loads(ran.out)["differences"]
    # documents 0 and 3 are left: 2 of 2 and 1 of 2
    assert (ran.code, row["units"], row["differing"]) == (4, 2, 1)

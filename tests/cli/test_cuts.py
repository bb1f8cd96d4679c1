"""Systems that cut one text into other sentences: scored side by side, and compared in the stretches they share."""

import json

import pytest


def conllu(*sentences: str, named: bool = True, root: int = 1) -> str:
    """Each word is a sentence's letter; the first is the root, and the head of the others."""
    found = []
    for words in sentences:
        rows = [f"# sent_id = {words[0]}"] if named else []
        for number, word in enumerate(words, start=1):
            head, deprel = (0, "root") if number == root else (root, "dep")
            rows.append(f"{number}\t{word}\t_\t_\t_\t_\t{head}\t{deprel}\t_\t_")
        found.append("\n".join(rows) + "\n\n")
    return "".join(found)


@pytest.fixture
def compare(run, write):
    def command(*texts: str, ref: str, more: tuple[str, ...] = ()):
        files = [write(f"{name}.conllu", text) for name, text in zip("abcd", texts, strict=False)]
        arguments = "--only", "las", "--format", "json", *more
        return run("compare", "dependencies", *files, "-r", write("gold.conllu", ref), *arguments)

    return command


@pytest.mark.parametrize("named", [True, False])
def test_systems_are_compared_in_the_stretches_that_all_of_them_begin(compare, named: bool) -> None:
    gold = conllu("ab", "cd", "ef", "gh", named=named)
    ran = compare(gold, conllu("abcd", "ef", "gh", named=named), conllu("ab", "cd", "efgh", named=named), ref=gold)
    assert ran.code == 0
    first, second = json.loads(ran.out)["differences"]
    # ab and cd are one stretch, and so are ef and gh: in one of each two, c or g has another head
    assert [row["units"] for row in (first, second)] == [2, 2]
    assert [row["differing"] for row in (first, second)] == [1, 1]
    assert [row["value"] for row in (first, second)] == [6 / 8, 6 / 8]


def test_scores_with_intervals_compare_no_systems_that_cut_a_text_differently(run, write) -> None:
    gold, cut = (write(f"{words[0]}.conllu", conllu(*words)) for words in (("ab", "cd"), ("abcd",)))
    ran = run("score", "dependencies", gold, cut, "-r", gold, "--only", "las", "--ci", "--format", "json")
    assert (ran.code, "comparison" in ran.json, [one["metrics"]["las"]["f1"] for one in ran.json["systems"]]) == (
        0,
        False,
        [1.0, 0.5],
    )


def test_systems_that_cut_alike_are_compared_sentence_by_sentence(compare) -> None:
    gold = conllu("ab", "cd", "ef")
    [row] = json.loads(compare(gold, conllu("ab", "cd", "ef", root=2), ref=gold).out)["differences"]
    assert (row["units"], row["differing"], row["value"]) == (3, 3, 0.0)


def test_a_sentence_that_fails_in_one_of_two_systems_that_cut_alike_is_left_out_of_both(compare) -> None:
    gold = conllu("ab", "cd", "ef", named=False)
    broken = gold.replace("1\tc\t_\t_\t_\t_\t0", "1\tc\t_\t_\t_\t_\t2")
    ran = compare(gold, broken, ref=gold, more=("--on-error", "skip"))
    found = json.loads(ran.out)
    assert (ran.code, found["n"]) == (4, 2)
    assert "1 document could not be scored and was left out: 1" in found["warnings"]


def test_a_sentence_that_fails_where_cuts_differ_is_an_error_that_says_so(compare) -> None:
    gold = conllu("ab", "cd", "ef")
    broken = gold.replace("1\tc\t_\t_\t_\t_\t0", "1\tc\t_\t_\t_\t_\t2")
    ran = compare(conllu("abcd", "ef"), broken, ref=gold, more=("--on-error", "skip"))
    assert ran.code == 3
    assert "the systems cut the text in different places, and " in ran.err
    assert "b.conllu has documents that could not be scored (c)" in ran.err


def test_of_columns_the_sentences_must_be_the_same(run, write) -> None:
    gold = write("gold.conll", "a B-PER\nb O\n\nc B-LOC\n")
    ran = run("compare", "ner", gold, write("cut.conll", "a B-PER\n\nb O\n\nc B-LOC\n"), "-r", gold)
    assert ran.code == 3
    assert "found 3 documents in " in ran.err
    assert "and no ids to join them by" in ran.err

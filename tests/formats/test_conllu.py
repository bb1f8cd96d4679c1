"""CoNLL-U to sentences, and two files side by side."""

import gzip
import pickle
from copy import copy
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from matchwise.errors import FormatError
from matchwise.formats import conllu, recognize
from matchwise.formats.conllu import read
from matchwise.formats.io.documents import Pairing, TaskFile
from matchwise.tasks.dependencies import Multiword, ParsedSentence

TEXT = """# newdoc id = d
# sent_id = s 1
# text = Vamos del
1\tVamos\tir\tVERB\tV\tMood=Ind\t0\troot\t0:root\t_
2-3\tdel\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tde\tde\tADP\tP\t_\t1\tcase\t1:case\t_
2.1\tx\t_\t_\t_\t_\t_\t_\t1:obj\t_
3\tel\tel\tDET\tD\t_\t1\tdet\t1:det|2.1:det\t_

1\tSí\tsí\tINTJ\t_\t_\t0\troot\t_\t_
"""


def row(id: str, form: str = "a", head: str = "0") -> str:
    return "\t".join([id, form, "_", "_", "_", "_", head, "root", "_", "_"]) + "\n"


def test_words_tokens_and_ids_are_read_and_empty_nodes_are_no_words() -> None:
    one, other = read(StringIO(TEXT))
    assert (one.id, one.forms, one.heads) == ("s 1", ("Vamos", "de", "el"), (0, 1, 1))
    assert (one.multiwords, one.tokens(), one.line) == ((Multiword(2, 3, "del"),), ["Vamos", "del"], 4)
    assert (one.deps, one.feats) == (("0:root", "1:case", "1:det|2.1:det"), ("Mood=Ind", "_", "_"))
    assert (other.id, other.forms, other.line) == (None, ("Sí",), 10)


def test_zero_bytes_tell_words_apart() -> None:
    text = row("1", "a") + row("2", "a\0", "1") + row("3", "\0", "1")
    [one] = read(StringIO(text))
    assert one.forms == ("a", "a\0", "\0")


def test_crlf_bom_compression_and_blank_lines_are_all_right(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(("\ufeff\n\n" + TEXT + "\n \n\n").replace("\n", "\r\n").encode()))
    assert [(one.forms, one.line) for one in read(path)] == [(("Vamos", "de", "el"), 6), (("Sí",), 12)]
    crlf = StringIO(TEXT.replace("\n", "\r\n"), newline="")
    assert [one.forms for one in read(crlf)] == [("Vamos", "de", "el"), ("Sí",)]


@pytest.mark.parametrize("before", ["", row("1") + " \n"])
def test_a_line_of_other_spaces_is_no_empty_line_whatever_is_near_it(before: str) -> None:
    text = before + row("1") + "\u00a0\n" + row("1")
    with pytest.raises(FormatError, match=rf":{2 + before.count(chr(10))}: found 1 column, expected 10"):
        list(read(StringIO(text)))


def test_spaces_after_the_last_line_are_nothing() -> None:
    assert len(list(read(StringIO(row("1") + " \n" + row("1") + "\t")))) == 2
    assert len(list(read(StringIO(row("1") + "\t")))) == 1


def test_a_long_sentence_is_read() -> None:
    [one] = read(StringIO("".join(row(str(number)) for number in range(1, 3001))))
    assert len(one.heads) == 3000


def test_comments_without_a_sentence_are_none() -> None:
    assert list(read(StringIO("# a\n\n# b\n"))) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1\ta\n", "<text>:1: found 2 columns, expected 10, separated by tabs"),
        (row("1") + "# late\n", "<text>:2: found 1 column, .* comments come before the first word"),
        (row("1") + row("3"), "<text>:2: found word 3, expected 2"),
        (row("1") + row("x"), "<text>:2: found the word number 'x', expected 8, 8-9 or 8.1"),
        (row("1", head="_"), "<text>:1: found the head '_', expected the number of a word, or 0"),
        (row("1") + row("2", head="1\x1c"), r"<text>:2: found the head '1\\x1c', expected the number of a word, or 0"),
        (row("1", head="2"), "<text>:1: found the head 2, expected 0 to 1"),
        (row("1", head="-1"), "<text>:1: found the head -1, expected 0 to 1"),
        (row("1", form=""), "<text>:1: found a word without a form"),
        (row("1.1"), "<text>:1: found a sentence without a word"),
        (row("2-3", head="_") + row("1"), "<text>:1: found the token 2-3, expected one that begins with word 1"),
        (row("1-2", head="_") + row("1"), r"<text>:2: the sentence ends within the token 'a' \(1-2\)"),
        (row("1-2", head="_") + row("1") + row("2-2", head="_") + row("2"), "<text>:3: found the token 2-2"),
        (row("1-2", form="", head="_") + row("1") + row("2"), "<text>:1: found a token without a form"),
        ("# a\n\n\n" + row("1") + "\n" + row("2"), "<text>:6: found word 2, expected 1"),
        (row("1") + "1.1\tx\n", "<text>:2: found 2 columns, expected 10"),
        (row("1-2", head="_") + row("1") + row("2", head="9"), "<text>:3: found the head 9, expected 0 to 2"),
        (row("1-2", head="_") + row("1") + row("2", form=""), "<text>:3: found a word without a form"),
        (row("1-2", head="_") + row("1") + row("2")[:-1] + "\t_\n", "<text>:3: found 11 columns, expected 10"),
        (row("1") + row("1.1") + row("3"), "<text>:3: found word 3, expected 2"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        list(read(StringIO(text)))


def test_the_sentences_before_a_broken_one_are_read() -> None:
    found = read(
        StringIO(row("1") + "\n# a\n" + row("1", "b") + "\n" + row("1") + row("3") + "\n" + row("1", head="x"))
    )
    assert [next(found).forms, next(found).forms] == [("a",), ("b",)]
    with pytest.raises(FormatError, match="<text>:7: found word 3, expected 2"):
        next(found)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (row("1") + row("3")[:-3] + "\n", "<text>:2: found word 3, expected 2"),
        (row("1")[:-3] + "\n" + row("x"), "<text>:2: found the word number 'x', expected 8, 8-9 or 8.1"),
        (row("1")[:-3] + "\n" + row("x")[:-3] + "\n", "<text>:1: found 9 columns, expected 10"),
        (row("1")[:-3] + "\n" + row("2")[:-1] + "\t_\n", "<text>:1: found 9 columns, expected 10"),
        (row("1") + row("9" * 5000), "<text>:1: found a number of more than 4,300 digits"),
        (row("1") + row("2", head="9" * 30), "<text>:2: found the head '9{30}', expected the number of a word, or 0"),
    ],
)
@pytest.mark.parametrize("before", ["", row("1") + row("2-3", head="_") + row("2") + row("3") + "\n"])
def test_of_several_mistakes_the_same_is_said_wherever_the_sentence_is(text: str, problem: str, before: str) -> None:
    line, _, rest = problem.removeprefix("<text>:").partition(":")
    with pytest.raises(FormatError, match=f"<text>:{int(line) + before.count(chr(10))}:{rest}"):
        list(read(StringIO(before + text)))


def test_a_sentence_of_a_file_is_equal_to_one_that_is_made_by_hand() -> None:
    by_hand = ParsedSentence(
        (0, 1, 1), ("root", "case", "det"), ("Vamos", "de", "el"), ("ir", "de", "el"), ("VERB", "ADP", "DET"),
        ("V", "P", "D"), ("Mood=Ind", "_", "_"), ("0:root", "1:case", "1:det|2.1:det"), (Multiword(2, 3, "del"),),
        "s 1", 4,
    )  # fmt: skip

    def found() -> ParsedSentence:
        return next(read(StringIO(TEXT)))

    assert (found(), hash(found()), repr(found())) == (by_hand, hash(by_hand), repr(by_hand))
    assert pickle.loads(pickle.dumps(found())) == copy(found()) == by_hand
    assert replace(found(), id="b") == replace(by_hand, id="b") != found()
    with pytest.raises(AttributeError, match="'ParsedSentence' object has no attribute 'words'"):
        getattr(found(), "words")  # noqa: B009  # mypy knows that it is not there


def test_files_that_are_cut_elsewhere_are_paired_by_their_characters(tmp_path: Path) -> None:
    pred, ref = tmp_path / "pred.conllu", tmp_path / "ref.conllu"
    pred.write_text(row("1", "ab") + "\n" + row("1", "c") + "\n")
    ref.write_text("# sent_id = x\n" + row("1", "a") + "\n# sent_id = y\n" + row("1", "b") + "\n" + row("1", "c"))
    pairs = list(Pairing(TaskFile(str(pred), "conllu"), TaskFile(str(ref), "conllu")))
    assert [pair.ref.id for pair in pairs] == ["x", 2]
    assert [one.forms for one in pairs[0].ref.document] == [("a",), ("b",)]


def test_files_of_other_texts_are_refused(tmp_path: Path) -> None:
    pred, ref = tmp_path / "pred.conllu", tmp_path / "ref.conllu"
    pred.write_text(row("1", "ab") + "\n" + row("1", "x") + "\n")
    ref.write_text(row("1", "ab") + "\n" + row("1", "c"))
    with pytest.raises(FormatError, match=r"pred.conllu: .* found 'x', expected 'c'; .* line 3; .* line 3"):
        list(Pairing(TaskFile(str(pred), "conllu"), TaskFile(str(ref), "conllu")))


def test_a_file_is_recognised_by_its_first_word() -> None:
    for before in ("", "\n\n", "# a\n\n# b\n"):
        assert recognize("dependencies", before + TEXT, "a.txt") == "conllu"
    with pytest.raises(FormatError, match="does not look like conllu"):
        recognize("dependencies", "(S (NP))", "a.txt")


def test_half_a_character_is_read_all_the_same() -> None:
    assert [one.forms for one in read(StringIO(row("1", "\ud800")))] == [("\ud800",)]


def write_token(*ids: str) -> str:
    words = {id for id in ids if "-" not in id}
    return "".join(
        f"{id}\tx\t" + "\t".join("_" * 4) + ("\t0\troot\t_\t_\n" if id in words else "\t_\t_\t_\t_\n") for id in ids
    )


@pytest.mark.parametrize("copies", [1, 300])
def test_multiword_tokens_may_touch_and_not_overlap(copies: int) -> None:
    fine = write_token("1-2", "1", "2", "3-4", "3", "4") + "\n"
    read = list(conllu.read(StringIO(fine * copies)))
    assert [[token[:2] for token in one.multiwords] for one in read] == [[(1, 2), (3, 4)]] * copies
    wrong = write_token("1-3", "1", "2-3", "2", "3") + "\n"
    with pytest.raises(FormatError, match=rf":{7 * copies + 3}: found the token 2-3 inside of 1-3"):
        list(conllu.read(StringIO(fine * copies + wrong)))


def test_a_token_of_one_word_is_read() -> None:
    [found] = read(StringIO("1-1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n1\tx\t_\t_\t_\t_\t0\troot\t_\t_\n\n"))
    assert [one[:2] for one in found.multiwords] == [(1, 1)]


@pytest.mark.parametrize("head", ["-1", "3"])
def test_a_head_outside_of_the_sentence_is_refused(head: str) -> None:
    text = f"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t{head}\tdep\t_\t_\n\n"
    with pytest.raises(FormatError, match=f"found the head {head}, expected 0 to 2, the words of the sentence"):
        list(conllu.read(StringIO(text)))

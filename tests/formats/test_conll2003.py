"""CoNLL columns to tagged sentences."""

import gzip
import pickle
from io import StringIO
from pathlib import Path

import pytest

from matchwise.errors import FormatError
from matchwise.formats import find_format, recognize
from matchwise.formats.columns import read_conll2003 as read
from matchwise.tasks.ner import Tagged

TEXT = "-DOCSTART- -X- O O\n\nU.N. NNP I-NP B-ORG\nofficial NN I-NP O\n\nEkeus NNP I-NP B-PER\n"


def test_sentences_end_at_empty_lines_and_documents_are_skipped() -> None:
    assert [(one.tokens, one.tags) for one in read(StringIO(TEXT))] == [
        (("U.N.", "official"), ("B-ORG", "O")),
        (("Ekeus",), ("B-PER",)),
    ]


def test_the_gold_column_of_conlleval_is_the_last_but_one() -> None:
    assert [one.tags for one in read(StringIO("a B-X O\n"), column=-2)] == [("B-X",)]
    assert [one.tags for one in read(StringIO("O a\n"), column=-2)] == [("O",)]


def test_tabs_crlf_bom_and_a_missing_last_newline_are_all_right(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_bytes("\ufeffÉva\tB-PER\r\n\r\nx\tO".encode())
    assert [(one.tokens, one.tags) for one in read(str(path))] == [(("Éva",), ("B-PER",)), (("x",), ("O",))]


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.conll.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert len(list(read(str(path)))) == 2


def test_comments_before_a_sentence_are_skipped_and_may_give_its_id() -> None:
    [one, other] = read(StringIO("# id = s-1\n# text = a b\na O\n\n#tag B-X\n"))
    assert (one.id, one.tokens) == ("s-1", ("a",))
    assert (other.id, other.tokens) == (None, ("#tag",))


def test_another_number_of_columns_is_an_error_that_names_the_line() -> None:
    with pytest.raises(FormatError, match="<text>:2: found 3 columns, expected 2 as on line 1"):
        list(read(StringIO("a O\nb c O\n")))


def test_a_column_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FormatError, match="found 2 columns, expected a column 5"):
        list(read(StringIO("a O\n"), column=5))


def test_the_format_is_recognised() -> None:
    assert find_format("conll2003").sniff(TEXT, "a.txt")
    assert not find_format("conll2003").sniff("just some text\nand more\n", "a.txt")
    assert recognize("ner", TEXT, "a.txt") == "conll2003"


def test_a_file_with_a_wrong_tag_is_still_recognised() -> None:
    assert find_format("conll2003").sniff("John B-PER\nSmith I-PER\nlives Q\nin O\n", "a.conll")


def test_an_id_is_that_of_the_next_sentence_though_an_empty_line_is_between() -> None:
    [one] = read(StringIO("# id = 7\n\nU.N. B-ORG\n"))
    assert (one.id, one.line) == ("7", 3)


def test_a_word_alone_is_an_error_though_another_line_has_a_blank_too_many() -> None:
    with pytest.raises(FormatError, match="<text>:3: found 2 columns, expected 3 as on line 1"):
        list(read(StringIO("x y O\n\na  b\nword\n\n")))


def test_a_line_of_any_white_space_ends_a_sentence() -> None:
    assert len(list(read(StringIO("a B-PER\n\u3000\nb B-LOC\n\x0b\nc O\n")))) == 3


def test_white_space_that_is_not_ascii_separates_columns() -> None:
    [one] = read(StringIO("word\u2003X B-PER\n"))
    assert (one.tokens, one.tags) == (("word",), ("B-PER",))


def test_a_sentence_has_the_line_of_its_first_word_and_can_be_sent_to_another_process() -> None:
    [_, one] = read(StringIO("a O\n\n\nb B-X\nc I-X\n"))
    assert (one, one.line) == (Tagged(("B-X", "I-X"), None, ("b", "c")), 4)
    assert pickle.loads(pickle.dumps(one)) == one


def test_lines_between_documents_say_nothing_about_the_format() -> None:
    assert recognize("ner", "-DOCSTART-\n\nEU B-ORG\n\n-DOCSTART-\n\nEU B-ORG\n\n", "a.txt") == "conll2003"

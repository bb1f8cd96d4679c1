"""CoNLL columns to tagged sentences."""

import gzip
import pickle
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from matchwise.engine.many.table import Numbers
from matchwise.errors import FormatError
from matchwise.formats.conll2003 import _list_block, _Reading, read
from matchwise.formats.io.source import CHARACTERS
from matchwise.formats.recognition import looks_like, recognize
from matchwise.runners.runner import evaluate
from matchwise.tasks.ner import Tagged, suite
from matchwise.tasks.ner.documents import Columns

TEXT = "-DOCSTART- -X- O O\n\nU.N. NNP I-NP B-ORG\nofficial NN I-NP O\n\nEkeus NNP I-NP B-PER\n"


def test_sentences_end_at_empty_lines_and_documents_are_skipped() -> None:
    assert [(one.tokens, one.tags) for one in read(StringIO(TEXT))] == [
        (("U.N.", "official"), ("B-ORG", "O")),
        (("Ekeus",), ("B-PER",)),
    ]


def test_the_gold_column_of_conlleval_is_the_last_but_one() -> None:
    assert [one.tags for one in read(StringIO("a B-X O\n"), column=-2)] == [("B-X",)]


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


def test_an_empty_file_has_no_sentences() -> None:
    assert list(read(StringIO(""))) == []


def test_another_number_of_columns_is_an_error_that_names_the_line() -> None:
    with pytest.raises(FormatError, match="<text>:2: found 3 columns, expected 2 as on line 1"):
        list(read(StringIO("a O\nb c O\n")))


def test_a_column_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FormatError, match="found 2 columns, expected a column 5"):
        list(read(StringIO("a O\n"), column=5))


def test_the_format_is_recognised() -> None:
    assert looks_like("conll2003", TEXT, "a.txt")
    assert not looks_like("conll2003", "just some text\nand more\n", "a.txt")
    assert recognize("ner", TEXT, "a.txt") == "conll2003"


def test_a_file_with_a_wrong_tag_is_still_recognised() -> None:
    assert looks_like("conll2003", "John B-PER\nSmith I-PER\nlives Q\nin O\n", "a.conll")


def many(sentences: int) -> list[str]:
    return [f"word{k} X B-PER\nnext X O\n\n" for k in range(sentences)]


def test_a_long_file_reads_alike_in_blocks_and_line_by_line() -> None:
    lines = many(9_000)
    at_once = list(read(StringIO("".join(lines))))
    one_by_one = list(read(StringIO("".join(f" {line}" for line in lines))))  # a blank before a word: no block
    assert len(at_once) == 9_000
    assert (at_once[-1].tags, at_once[-1].tokens, at_once[-1].line) == (("B-PER", "O"), ("word8999", "next"), 26_998)
    assert [(one.tags, one.tokens, one.line) for one in at_once] == [
        (one.tags, one.tokens, one.line) for one in one_by_one
    ]


def test_a_line_that_lacks_a_column_is_named_though_the_next_has_one_more() -> None:
    lines = many(9_000)
    lines[8_500] = "word X\nnext X O B-PER\n\n"
    with pytest.raises(FormatError, match=r":25501: found 2 columns, expected 3 as on line 1"):
        list(read(StringIO("".join(lines))))


def test_white_space_that_is_not_ascii_separates_columns_in_a_long_file_too() -> None:
    lines = many(9_000)
    lines[8_500] = "word\u2003X B-PER\n X O\n\n"  # three columns and two, by two blanks each
    with pytest.raises(FormatError, match=r":25502: found 2 columns, expected 3 as on line 1"):
        list(read(StringIO("".join(lines))))


def test_an_id_is_that_of_the_next_sentence_though_an_empty_line_is_between() -> None:
    [one] = read(StringIO("# id = 7\n\nU.N. B-ORG\n"))
    assert (one.id, one.line) == ("7", 3)


def test_a_word_alone_is_an_error_though_another_line_has_a_blank_too_many() -> None:
    with pytest.raises(FormatError, match="<text>:3: found 2 columns, expected 3 as on line 1"):
        list(read(StringIO("x y O\n\na  b\nword\n\n")))


LINES = ["a X O", "b\tX\tB-P", "c X I-P", "", "", " ", "\t", "w", "a  b", "a b c d", " x y z", "a\u2003X O", "é X O",
         "# id = 3", "# a", "#", "-DOCSTART- X O", "a X O ", "a\x1cb O", "a X O\r"]  # fmt: skip


@given(st.lists(st.sampled_from(LINES[:5]) | st.sampled_from(LINES), max_size=12), st.booleans())
@example(["a X O", "", "", "", "b\tX\tB-P", "c X I-P"], True)
def test_any_lines_read_alike_in_blocks_and_line_by_line(lines: list[str], ends: bool) -> None:
    text = "a X O\n\n" + "\n".join(lines) + ("\n" if ends else "")
    assert outcome(read(StringIO(text))) == outcome(_Reading("<text>", -1).sentences(text.replace("\r", ""), 1))


def outcome(sentences: Iterator[Tagged]) -> list[object]:
    """What is read, and how that ends."""
    made: list[object] = []
    try:
        made.extend((one.tags, one.id, one.tokens, one.line) for one in sentences)
    except FormatError as error:
        made.append(str(error))
    return made


def test_tags_are_numbered_by_arrays_as_they_are_by_lists() -> None:
    tags = ["O", "B-P", "I-P", "B-É", "B-organization", "I-organization/government-agency", "B-organization-x"]
    lines = [f"w X {tag}\n" + "\n" * (place % 4 == 3) for place, tag in enumerate(tags * 3)]
    reading = _Reading("<text>", -1)
    reading.width = 3
    for rows in (lines[:7], lines):  # a later block has longer tags
        text = "".join(rows) + "\n"
        numbered, listed = reading._number_block(text, 5, Columns(3, 2)), _list_block(text, 5, Columns(3, 2))
        assert numbered is not None
        assert listed is not None
        assert (numbered.lengths, numbered.lines) == (listed.lengths, listed.lines)
        end, mine, theirs = len(listed.lengths), Numbers(O=0), Numbers(O=0)
        codes, others = numbered.number(1, end, mine).tolist(), listed.number(1, end, theirs).tolist()
        assert (
            [list(mine)[code] for code in codes] == [list(theirs)[code] for code in others] == (tags * 3)[4 : len(rows)]
        )
        assert [numbered.cut("tokens", place) for place in range(end)] == [("w",) * size for size in listed.lengths]


def test_a_sentence_of_a_block_is_like_one_that_was_made_by_hand() -> None:
    [_, one] = read(StringIO("a O\n\n\nb B-X\nc I-X\n"))
    made = Tagged(("B-X", "I-X"), None, ("b", "c"), 4)
    assert one == made
    assert hash(one) == hash(made)
    assert repr(one) == repr(made)
    assert repr(pickle.loads(pickle.dumps(one))) == repr(made)
    with pytest.raises(AttributeError, match="'Tagged' object has no attribute 'words'"):
        one.words  # type: ignore[attr-defined]  # noqa: B018


def test_sentences_of_blocks_are_scored_in_any_order_and_beside_others() -> None:
    lines = [f"a X B-P\nb X {'IO'[k % 3 % 2]}{'-P' if k % 3 != 1 else ''}\n\n" for k in range(200)]
    preds, refs = list(read(StringIO("".join(lines)))), list(read(StringIO("".join(lines[::-1]))))
    expected = evaluate(suite("seqeval"), [list(one.tags) for one in preds], [list(one.tags) for one in refs])
    assert evaluate(suite("seqeval"), preds, refs)["strict"].counts == expected["strict"].counts
    assert evaluate(suite("seqeval"), preds[::-1], refs[::-1])["strict"].counts == expected["strict"].counts
    mixed = [one if place % 2 else list(one.tags) for place, one in enumerate(preds)]
    assert evaluate(suite("seqeval"), mixed, refs)["strict"].counts == expected["strict"].counts


def test_a_long_sentence_is_read_in_few_pieces(counted_reads: Any) -> None:
    file = counted_reads("a O\n\n" + "x" * (CHARACTERS * 64) + " B-PER\n\nb O\n")
    assert [one.tags for one in read(file)] == [("O",), ("B-PER",), ("O",)]
    assert file.number < 12  # 66, if each piece has as many characters

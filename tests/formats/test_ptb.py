"""Trees in brackets, one on each line or over several."""

import gzip
from io import StringIO
from pathlib import Path

import pytest

from matchwise.errors import FormatError
from matchwise.formats import recognize
from matchwise.formats.ptb import entries, read


def test_a_tree_on_each_line_may_be_empty() -> None:
    found = [(one.words, one.line) for one in read(StringIO("(S (A a))\n\n(())\n(S (A b))\n\n\n"))]
    assert found == [(("a",), 1), ((), 2), ((), 3), (("b",), 4)]


def test_a_tree_over_several_lines_ends_with_its_brackets() -> None:
    text = "\n( (S (NP (A a))\n     (VP (B b))))\n\n( (S\n  (A c)))\n"
    assert [(one.words, one.line) for one in read(StringIO(text))] == [(("a", "b"), 2), (("c",), 5)]


def test_crlf_bom_and_compression_are_all_right(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg.gz"
    path.write_bytes(gzip.compress("\ufeff(S (A é))\r\n\r\n(S (A b))".encode()))
    assert [one.words for one in read(path)] == [("é",), (), ("b",)]


def test_a_broken_tree_is_an_error_with_its_line() -> None:
    with pytest.raises(FormatError, match="<text>:2: found the words a b in one bracket"):
        list(read(StringIO("(S (A a))\n(S a b)\n")))


def test_a_broken_tree_does_not_keep_the_next_from_being_read() -> None:
    found = [entry.document for entry in entries(StringIO("(S (A a))\n" * 60 + "(S (A a)\n(S (A b))\n"))]
    assert isinstance(found[60], FormatError)
    assert found[61].words == ("b",)


def test_a_tree_that_is_cut_off_is_an_error() -> None:
    with pytest.raises(FormatError, match="<text>:1: found 2 open brackets"):
        list(read(StringIO("(S (NP\n(A a)\n")))


def test_a_file_is_recognised_by_its_first_bracket() -> None:
    assert recognize("constituency", "\n (S (A a))", "a.txt") == "ptb"
    with pytest.raises(FormatError, match="does not look like ptb"):
        recognize("constituency", "1\ta", "a.txt")


def test_empty_lines_between_trees_are_sentences_and_those_at_the_end_are_none() -> None:
    text = "(S (A a))\n" * 49 + "\n\n" + "(S (A b))\n" + "\n" * 60
    assert [(one.line, one.words) for one in read(StringIO(text))][48:] == [
        (49, ("a",)),
        (50, ()),
        (51, ()),
        (52, ("b",)),
    ]

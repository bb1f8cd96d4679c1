"""Clauses to structures: what is read, and what is refused where."""

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise.errors import FormatError
from matchwise.formats import recognize
from matchwise.formats.clauses import entries, parse, read
from matchwise.tasks.drs import DRS


def words(text: str) -> list[tuple[str, ...]]:
    return [tuple(one[:4]) for one in parse(text).clauses]


def test_clauses_come_in_the_order_in_which_they_are_written() -> None:
    assert words('b1 REF x1\nb1 male "n.02" x1\nb2 Agent e1 x1') == [
        ("b1", "REF", "x1", ""),
        ("b1", "male.n.02", "x1", ""),
        ("b2", "Agent", "e1", "x1"),
    ]


def test_comments_are_read_over() -> None:
    text = "% DRS 1\n  % indented\nb1 REF x1   % He [0...2]\nb1 REF x2\t% tab\n% . [17...18]\n"
    assert words(text) == [("b1", "REF", "x1", ""), ("b1", "REF", "x2", "")]


def test_the_sentence_above_is_kept() -> None:
    assert parse("%%% He grins .\n% a\nb1 REF x1").comments == ("%%% He grins .",)


def test_a_percent_sign_in_a_constant_begins_no_comment() -> None:
    assert words('b1 Quantity x1 "50%"\nb1 Unit x1 "%"') == [
        ("b1", "Quantity", "x1", '"50%"'),
        ("b1", "Unit", "x1", '"%"'),
    ]


def test_a_constant_may_have_blanks() -> None:
    assert words('b1 Name x1 "new york % x"  % New "York"')[0][3] == '"new york % x"'


def test_words_may_be_kept_apart_by_tabs() -> None:
    assert words("b1\tAgent \t e1  x1\r\n") == [("b1", "Agent", "e1", "x1")]


def test_empty_lines_keep_structures_apart() -> None:
    text = "\n\n% a\n\nb1 NOT b2\n\n \t\n% b\nb1 REF x1\n"
    assert [[one.rel for one in made.clauses] for made in read(StringIO(text))] == [["NOT"], ["REF"]]


def test_comments_without_clauses_are_no_structure() -> None:
    assert list(read(StringIO("%%% a\n\n%%% b\n"))) == []


def test_structures_have_no_ids() -> None:
    assert [entry.id for entry in entries(StringIO("b1 NOT b2\n\nb1 NOT b2"))] == [None, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("b1 NOT b2\nb1 NOT", "<text>:2: found 'b1 NOT', expected three or four words, as in b1 REF x1"),
        ("b1 Agent e1 x1 x2", "<text>:1: found 'b1 Agent e1 x1 x2', expected three or four words"),
        ("b1 Agent e1", "<text>:1: found the role Agent with one argument, expected two, as in b1 Agent e1 x1"),
        ("%\nb1 male x1", "<text>:2: found 'male' without a sense, expected a concept as in b1 male \"n.02\" x1"),
        ('"b" NOT b2', '<text>:1: found the constant "b" in the place of a box, expected a name such as b1'),
        ('b1 male "n.02" "x"', '<text>:1: found the constant "x" after male "n.02", expected a name such as x1'),
        ('b1 male "n2" x1', '<text>:1: found "n2" in the place of the sense of male, expected one such as "n.02"'),
        ('b1 REF "x"', '<text>:1: found the constant "x" after REF, expected a name such as x1'),
        ('b1 NOT "x"', '<text>:1: found the constant "x" after NOT, expected a name such as b2'),
        ('b1 IMP b2 "x"', '<text>:1: found the constant "x" after IMP, expected a name such as b2'),
        ('b1 PRP "x" b2', '<text>:1: found the constant "x" after PRP, expected a name such as x1'),
        ('b1 Name x1 "tom', '<text>:1: found "tom, whose quote is not closed'),
        ("b1 REF x1\nb2 NOT b3\nb3 Agent e1 b2", "<text>:3: found 'b2' as a box and as a referent"),
        ("b1 REF x1\nx1 NOT b3", "<text>:2: found 'x1' as a box and as a referent; give one of them another name"),
    ],
)
def test_what_is_no_clause_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse(text)
    assert str(caught.value).startswith(message)


def test_a_broken_structure_does_not_hide_the_next() -> None:
    broken, whole = entries(StringIO("b1 NOT\nb1 male x1\n\nb1 NOT b2\n"))
    assert isinstance(broken.document, FormatError)
    assert broken.document.line == 1
    assert isinstance(whole.document, DRS)


def test_parse_takes_one_structure() -> None:
    with pytest.raises(FormatError, match="found 2 structures, expected one; read several with"):
        parse("b1 NOT b2\n\nb1 NOT b2")


@pytest.mark.parametrize("head", ["%%% a\n\nb1 REF x1 % x", 'b1 male "n.02" x1', "k0\tNOT\tb1", "% a", "b1 NOT"])
def test_clauses_are_recognised(head: str) -> None:
    assert recognize("drs", head, "x") == "clauses"


@pytest.mark.parametrize("head", ['{"clauses": []}', "(b / boy)", "# ::id 1", "<xml>"])
def test_other_files_are_not_taken_for_clauses(head: str) -> None:
    with pytest.raises(FormatError, match="does not look like clauses, the only format of drs"):
        recognize("drs", head, "x")


@given(st.text(alphabet="b1xREF \"%'\n\tagent.v0", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for entry in entries(StringIO(text)):
        assert isinstance(entry.document, DRS | FormatError)

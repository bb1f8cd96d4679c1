"""CoNLL-2005 props to propositions."""

import gzip
from io import StringIO
from pathlib import Path

import pytest

from matchwise.errors import FormatError
from matchwise.formats import find_format, recognize
from matchwise.formats.srl import read_conll05 as read
from matchwise.tasks.srl import RoleArgument

PROPS = """\
-      (A0*        *
say     (V*)       *
-      (A1*    (A0*)
sleep     *)    (V*)

-

-      (A0*)
be      (V*)
"""


def test_each_verb_has_a_column_of_arguments() -> None:
    first, second, third = read(StringIO(PROPS.replace("(A0*  ", "(A0*) ", 1)))
    assert [(one.predicate, one.verb, one.args) for one in first.propositions] == [
        (1, "say", (RoleArgument((0, 1), "A0"), RoleArgument((1, 2), "V"), RoleArgument((2, 4), "A1"))),
        (3, "sleep", (RoleArgument((2, 3), "A0"), RoleArgument((3, 4), "V"))),
    ]
    assert second.propositions == ()
    assert len(third.propositions) == 1


def test_columns_before_the_verbs_are_passed_over_and_the_first_is_the_word() -> None:
    text = "Cats NNS (NP*) (S* * - (A0*)\nsleep VBP (VP*) *) * sleep (V*)\n\nOh UH * (S*) * -\n"
    one, other = read(StringIO(text))
    assert one.tokens == ("Cats", "sleep")
    assert [(prop.predicate, prop.verb, len(prop.args)) for prop in one.propositions] == [(1, "sleep", 2)]
    assert (other.tokens, other.propositions) == (("Oh",), ())


def test_nested_arguments_and_named_closing_brackets_are_read() -> None:
    [one] = read(StringIO("- (A1(A0*)\nbe (V*V)\n- *A1)\n"))
    assert one.propositions[0].args == (
        RoleArgument((0, 3), "A1"),
        RoleArgument((0, 1), "A0"),
        RoleArgument((1, 2), "V"),
    )


def test_a_compressed_file_with_windows_lines_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.props.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf- (A0*)\r\nbe (V*)\r\n\r\n\r\n-\r\n"))
    assert [len(one.propositions) for one in read(str(path))] == [1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- *\nbe (V*\n", r"<text>:2: found \(V\*, which is never closed in its sentence"),
        ("- *)\nbe (V*)\n", r"<text>:1: found '\*\)', which closes an argument that was not opened"),
        ("- (A0*)\n\n- *\nbe (V*A0)\n", r"<text>:1: found 0 verbs, expected a column of arguments for each, found 1"),
        ("be (V*A0)\n", r"<text>:1: found '\(V\*A0\)', which closes A0, expected V"),
        ("be A0*\n", r"<text>:1: found 'A0\*', expected a tag such as"),
        ("be (V*)\n- * *\n", "<text>:2: found 3 columns, expected 2 as in the line that begins the sentence"),
        ("-\n\nbe (V*) *\n", "<text>:3: found 1 verb, expected a column of arguments for each, found 2"),
    ],
)
def test_what_is_wrong_is_an_error_that_names_the_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        list(read(StringIO(text)))


def test_the_format_is_recognised() -> None:
    assert find_format("conll05").sniff(PROPS, "a.props")
    assert find_format("conll05").sniff("-\n-\n\n", "a.props")
    assert not find_format("conll05").sniff("just some text\nand more\n", "a.txt")
    assert not find_format("conll05").sniff("a (b\nc d)\n", "a.txt")
    assert recognize("srl", PROPS, "a.txt") == "conll05"


def test_a_file_that_is_cut_off_is_recognised_so_that_the_error_names_the_line() -> None:
    cut = "\n".join(PROPS.splitlines()[:3]) + "\n"
    assert recognize("srl", cut, "a.props") == "conll05"
    with pytest.raises(FormatError, match="<text>:1: found 1 verb, expected a column of arguments for each, found 2"):
        list(read(StringIO(cut)))

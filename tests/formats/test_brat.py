"""brat standoff to mentions, relations and events."""

import gzip
from io import StringIO
from pathlib import Path

import pytest

from matchwise.errors import FormatError
from matchwise.formats import recognize
from matchwise.formats.standoff import read_brat as read
from matchwise.tasks.ner import Mention

TEXT = """T1\tPER 0 11\tMarie Curie
T2\tLOC 24 30;35 40\tWarsaw north
R1\tBornIn Arg1:T1 Arg2:T2\t
T3\tBirth 16 20\tborn
E1\tBirth:T3 Person:T1 Place2:T2
T4\tCause 50 55\tthus
E2\tCause:T4 Effect:E1
A1\tNegation E1
#1\tAnnotatorNotes T1\tsure
*\tEquiv T1 T2
"""


def test_mentions_leave_out_triggers_and_may_be_discontinuous() -> None:
    [one] = read(StringIO(TEXT))
    assert one.mentions == (Mention((0, 11), "PER"), Mention(((24, 30), (35, 40)), "LOC"))


def test_relations_have_typed_arguments() -> None:
    [one] = read(StringIO(TEXT))
    assert [(r.type, r.subj.type, r.obj.type) for r in one.relations] == [("BornIn", "PER", "LOC")]


def test_events_have_triggers_and_an_event_as_an_argument_stands_for_its_trigger() -> None:
    [one] = read(StringIO(TEXT))
    birth, cause = one.events
    assert (birth.trig.type, birth.trig.mention.span) == ("Birth", (16, 20))
    assert [arg.role for arg in birth.args] == ["Person", "Place"]
    assert cause.args[0].mention.span == (16, 20)


def test_a_directory_is_all_its_files_sorted_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = ["b.ann", "a.ann", "a.txt"]
    for name in listed:
        (tmp_path / name).write_text("T1\tX 0 1\ta\n", encoding="utf-8")
    monkeypatch.setattr("os.listdir", lambda path: listed)  # each system lists in an order of its own
    assert [one.id for one in read(str(tmp_path))] == ["a", "b"]


def test_a_directory_may_hold_packed_files_beside_plain_text(tmp_path: Path) -> None:
    (tmp_path / "a.ann.gz").write_bytes(gzip.compress(b"T1\tX 0 1\ta\n"))
    (tmp_path / "a.txt").write_text("a b", encoding="utf-8")
    assert [(one.id, one.text, len(one.mentions)) for one in read(str(tmp_path))] == [("a", "a b", 1)]


def test_a_directory_without_annotations_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"found a directory without \.ann files"):
        list(read(str(tmp_path)))


def test_a_mention_beyond_any_text_is_read_and_no_text_is_made_up_for_it() -> None:
    [one] = read(StringIO("T1\tX 3000000000 3000000001\ta\n"))
    assert (one.mentions, one.text) == ((Mention((3_000_000_000, 3_000_000_001), "X"),), "")


def test_an_empty_file_is_an_empty_document() -> None:
    [one] = read(StringIO(""))
    assert (one.mentions, one.relations, one.events) == ((), (), ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("T1\tPER x y\tz\n", "<text>:1: found 'PER x y.*', expected a type and offsets such as PER 0 5"),
        ("R1\tOwns Arg1:T1 Arg2:T9\nT1\tPER 0 1\ta\n", "<text>:1: found T9, which is not in the file"),
        ("R1\tOwns Arg1:T1\nT1\tPER 0 1\ta\n", "<text>:1: found 1 argument, expected Arg1 and Arg2"),
        ("E1\tDie T1\n", "<text>:1: found 'Die', expected a role and what fills it"),
        ("hello\n", "<text>:1: found 'hello', expected an annotation such as T1, R1 or E1"),
    ],
)
def test_what_is_wrong_is_said_with_the_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        list(read(StringIO(text)))


def test_the_format_is_recognised_by_name_or_content() -> None:
    assert recognize("ner", "", "a.ann") == "brat"
    assert recognize("events", TEXT, "a.txt") == "brat"


def test_a_role_of_digits_alone_is_left_as_it_is() -> None:
    [one] = read(StringIO("T1\tBirth 0 4\tborn\nT2\tPER 5 8\tAda\nE1\tBirth:T1 12:T2 Who3:T2\n"))
    assert [arg.role for arg in one.events[0].args] == ["12", "Who"]


def test_a_mention_may_be_empty_but_not_end_before_it_begins() -> None:
    [one] = read(StringIO("T1\tPER 5 5\t\n"))
    assert one.mentions == (Mention((5, 5), "PER"),)
    with pytest.raises(FormatError, match="expected a type and offsets such as PER 0 5"):
        list(read(StringIO("T1\tPER 5 4\t\n")))

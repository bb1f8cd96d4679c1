"""CoNLL-2009 columns, and JSON lines, to propositions."""

from io import StringIO

import pytest

from matchwise.errors import FormatError
from matchwise.formats import recognize
from matchwise.formats.srl import PROPOSITIONS
from matchwise.formats.srl import read_conll09 as read
from matchwise.tasks.srl import Proposition, RoleArgument


def row(number: int, form: str, pred: str = "_", *args: str, tab: str = "\t") -> str:
    fill = "_" if pred == "_" else "Y"
    return tab.join([str(number), form, form, form, "N", "N", "_", "_", "0", "0", "X", "X", fill, pred, *args])


TEXT = "\n".join([row(1, "Cats", "_", "A0|A1"), row(2, "sleep", "sleep.01", "_"), "", row(1, "Oh"), ""])


def test_predicates_have_senses_and_words_have_roles() -> None:
    one, other = read(StringIO(TEXT))
    args = RoleArgument((0, 1), "A0"), RoleArgument((0, 1), "A1")
    assert one.propositions == (Proposition(1, args, "sleep", "sleep.01"),)
    assert (other.tokens, other.propositions) == (("Oh",), ())


def test_the_parse_is_that_of_the_columns_that_eval09_reads() -> None:
    text = "1 Cats c c N N _ _ 2 9 SBJ PRED _ _\n2 sleep s s V V _ _ 0 8 ROOT X _ _\n3 . . . P P _ _ _ 7 _ X _ _\n"
    [one] = read(StringIO(text))
    assert (one.heads, one.deprels) == ((2, 0, "_"), ("SBJ", "ROOT", "_"))


def test_columns_may_be_separated_by_spaces_and_dashes_stand_for_nothing() -> None:
    text = row(1, "Cats", "-", "-", tab="  ") + "\n" + row(2, "sleep", "sleep.01", "A0", tab="  ")
    [one] = read(StringIO(text))
    assert one.propositions == (Proposition(1, (RoleArgument((1, 2), "A0"),), "sleep", "sleep.01"),)


def test_a_form_may_have_a_space_in_it_where_columns_are_separated_by_tabs() -> None:
    [one] = read(StringIO(row(1, "10 000")))
    assert one.tokens == ("10 000",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\ta\tb\n", "<text>:1: found 3 columns, expected at least 14"),
        (row(1, "a") + "\n" + row(2, "b", "_", "A0"), "<text>:2: found 15 columns, expected 14 as in the sentence"),
        (row(1, "a", "b.01"), "<text>:1: found 1 predicate, expected a column of arguments for each, found 0"),
    ],
)
def test_what_is_wrong_is_an_error_that_names_the_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        list(read(StringIO(text)))


def test_the_formats_of_propositions_are_recognised() -> None:
    assert recognize("srl", TEXT, "a.txt") == "conll09"
    assert recognize("srl", '{"verbs": []}\n', "a.txt") == "propositions"


def test_json_lines_have_spans_or_tags() -> None:
    text = (
        '{"id": "a", "propositions": [{"predicate": 1, "args": [{"start": 0, "end": 1, "role": "A0"}]}]}\n'
        '{"id": "b", "words": ["Cats", "sleep"], "verbs": [{"verb": "sleep", "tags": ["B-A0", "B-V"]}]}\n'
    )
    one, other = PROPOSITIONS.read(StringIO(text))
    assert (one.id, one.propositions[0].args) == ("a", (RoleArgument((0, 1), "A0"),))
    assert (other.tokens, other.propositions[0].args[1]) == (("Cats", "sleep"), RoleArgument((1, 2), "V"))


def test_a_document_without_propositions_is_an_error_that_names_the_line() -> None:
    with pytest.raises(FormatError, match="<text>:2: expected a document with propositions, found the keys id"):
        list(PROPOSITIONS.read(StringIO('{"verbs": []}\n{"id": 1}\n')))


def test_a_cell_that_is_empty_between_tabs_holds_nothing() -> None:
    text = "\n".join([row(1, "Cats", "", "A0"), row(2, "sleep", "sleep.01", "")]).replace("\tY\t\t", "\t_\t\t")
    [one] = read(StringIO(text))
    assert one.propositions == (Proposition(1, (RoleArgument((0, 1), "A0"),), "sleep", "sleep.01"),)

"""What errors say, and that nothing of it is lost on the way from another process."""

import pickle
from typing import Any

import pytest

from matchwise.errors import (
    DataError,
    ExpressionError,
    FormatError,
    MatchwiseError,
    check_choice,
    check_jobs,
    count_units,
    describe,
    name_some,
    naming_document,
    near_word,
    shorten,
    suggestion,
    write_error,
)

DATA: list[tuple[DataError | FormatError, str]] = [
    (DataError("found 3"), "found 3"),
    (DataError("found 3", "xs[0]"), "xs[0]: found 3"),
    (DataError("found 3", document=0), "document 0: found 3"),
    (DataError("found 3", side="reference"), "reference: found 3"),
    (DataError("found 3", "xs[0]", "d7", "prediction"), "document d7 prediction: xs[0]: found 3"),
    (FormatError("found 3"), "found 3"),
    (FormatError("found 3", "a.conll"), "a.conll: found 3"),
    (FormatError("found 3", "a.conll", 12), "a.conll:12: found 3"),
]


@pytest.mark.parametrize(("error", "said"), DATA, ids=range(len(DATA)))
def test_an_error_says_where_it_is_and_travels_whole(error: DataError | FormatError, said: str) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), vars(again), str(again)) == (type(error), vars(error), said)


def test_the_document_of_an_error_of_data_is_named_and_of_no_other() -> None:
    with pytest.raises(DataError) as found, naming_document("d7"):
        raise DataError("found 3", "xs", document=1)
    assert str(found.value) == "document d7: xs: found 3"
    with pytest.raises(FormatError, match=r"^a\.json: found 3$"), naming_document("d7"):
        raise FormatError("found 3", "a.json")


def test_words_are_suggested_if_they_are_near_and_listed_in_order_if_not() -> None:
    assert suggestion("recal", ["recall", "f1"]) == "; did you mean 'recall'?"
    assert suggestion("x", ["b", "a", 3]) == "; there are 3, a, b"
    assert suggestion("x", [], "; write a field") == "; write a field"
    assert near_word("x", ["recall"]) == ""


class Silent:
    def __repr__(self) -> str:
        raise ValueError


class Leaving(Exception):
    def __str__(self) -> str:
        raise SystemExit(3)


class Closing(Exception):
    def __str__(self) -> str:
        raise GeneratorExit


def test_values_and_errors_are_written_shortly_even_if_their_text_fails() -> None:
    assert shorten("x" * 58) == repr("x" * 58)  # 60 characters with its quotes
    assert shorten("x" * 59) == "'" + "x" * 56 + "..."
    assert shorten(Silent()) == "<Silent>"
    assert describe("ner") == "the string 'ner'"
    assert describe(3) == "3"
    assert [write_error(error) for error in (ValueError("a"), ValueError(), Leaving(), Closing())] == [
        *("ValueError: a", "ValueError", "Leaving", "Closing")
    ]


def test_names_are_counted_once_and_the_rest_is_a_number() -> None:
    assert name_some(["a", "a", "b"]) == "a, b"
    assert name_some("abcde") == "a, b, c, d, e"
    assert name_some("abcdef") == "a, b, c, d, e and 1 more"
    assert name_some("abc", 2, most=2) == "a, b and 3 more"
    assert [count_units(number, "documents") for number in (0, 1, 2)] == ["0 documents", "1 document", "2 documents"]


@pytest.mark.parametrize("jobs", [0, True, 1.0, "2", -1])
def test_jobs_are_a_whole_number_from_1(jobs: Any) -> None:
    with pytest.raises(MatchwiseError) as found:
        check_jobs(jobs)
    assert str(found.value) == f"jobs={jobs!r}; write jobs=1, or the number of processes that share the work"
    check_jobs(1)


def test_a_choice_lists_all_that_there_are() -> None:
    for choices, said in ((("a", "b", "c"), 'k="a", k="b" or k="c"'), (("a",), 'k="a"')):
        with pytest.raises(ExpressionError) as found:
            check_choice("k", "z", choices)
        assert str(found.value) == f"k='z'; write {said}"

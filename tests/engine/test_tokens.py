"""Tokens of a text as arrays."""

from hypothesis import given
from hypothesis import strategies as st

from matchwise.engine.many.tokens import PADDING, Tokens, equal, number_tokens


@given(st.lists(st.text("aé日\U0001f600", max_size=9), max_size=6), st.lists(st.text("aé日", max_size=9), max_size=6))
def test_tokens_are_equal_where_their_strings_are(mine: list[str], theirs: list[str]) -> None:
    size = min(len(mine), len(theirs))
    p, r = tokens(mine[:size]), tokens(theirs[:size])
    assert equal(p, r).tolist() == [a == b for a, b in zip(p.strings(), r.strings(), strict=True)]


@given(st.lists(st.lists(st.text("aé日", max_size=20), max_size=6), min_size=1, max_size=3))
def test_tokens_of_one_string_have_one_number(several: list[list[str]]) -> None:
    names, numbers = number_tokens([tokens(strings) for strings in several])
    assert [names[number] for number in numbers.tolist()] == [string for strings in several for string in strings]
    assert len(set(names)) == len(names)


def test_a_token_is_not_the_beginning_of_a_longer_one() -> None:
    strings = ["x" * length for length in (8, 9, 7, 16, 17, 64, 65, 8)]
    names, found = number_tokens([tokens(strings)])
    assert [names[number] for number in found.tolist()] == strings
    assert len(names) == 7


def tokens(strings: list[str]) -> Tokens:
    import numpy as np

    encoded = [string.encode() for string in strings]
    lengths = np.array([len(one) for one in encoded], dtype=np.intp)
    return Tokens(b"".join(encoded) + PADDING, np.cumsum(lengths) - lengths, lengths)

from __future__ import annotations

from enum import Enum
from fractions import Fraction

import pytest

from matchwise.errors import ExpressionError
from matchwise.similarities.strings import NORMALIZERS, casefold, edit, jaro, normalizer, text, tokens


class Colour(str, Enum):  # noqa: UP042  # whose str() is "Colour.RED"
    RED = "red"


@pytest.mark.parametrize(
    ("pred", "ref", "value"),
    [
        ("kitten", "sitting", 4 / 7),
        ("flaw", "lawn", 2 / 4),
        ("abc", "abc", 1),
        ("", "", 1),
        ("", "abc", 0),
        ("abc", "xyz", 0),
        ("Zoë", "Zoe", 2 / 3),
        ("👍🏽", "👍", 1 / 2),
        ("\ud800a", "\ud800b", 1 / 2),
    ],
)
def test_edit_is_one_minus_levenshtein_over_the_longer_length(score, pred, ref, value):
    assert score(edit(), pred, ref) == value


def test_edit_is_rounded_once_so_that_a_floor_keeps_what_lies_on_it(score):
    assert score(edit(floor=0.1), "abcdefghij", "aABCDEFGHI") == 0.1


def test_edit_below_its_floor_scores_zero(score):
    assert score(edit(floor=0.6), "kitten", "sitting") == 0


def test_edit_compares_normalised_strings(score):
    assert score(edit(normalize="casefold"), "KITTEN", "sitting") == 4 / 7
    assert score(jaro(normalize="casefold"), "MARTHA", "marhta") == pytest.approx(17 / 18, abs=1e-12)


def test_edit_reads_a_string_enum_as_its_value(score):
    assert score(edit(), Colour.RED, "red") == 1


def test_edit_of_very_long_strings_is_exact(score):
    assert score(edit(), "a" * 50_000 + "b", "a" * 50_000 + "c") == 50_000 / 50_001


@pytest.mark.parametrize(
    ("pred", "ref", "value"),
    [
        ("martha", "marhta", Fraction(17, 18)),
        ("dwayne", "duane", Fraction(37, 45)),
        ("dixon", "dicksonx", Fraction(23, 30)),
        ("crate", "trace", Fraction(11, 15)),
        ("", "", 1),
        ("", "a", 0),
        ("a", "a", 1),
        ("\ud800", "\ud800", 1),
    ],
)
def test_jaro_has_its_published_values_without_winklers_bonus(score, pred, ref, value):
    assert score(jaro(), pred, ref) == pytest.approx(float(value), abs=1e-15)


def test_jaro_below_its_floor_scores_zero(score):
    assert score(jaro(floor=0.95), "martha", "marhta") == 0


@pytest.mark.parametrize(
    ("pred", "ref", "value"),
    [
        ("the big red bus", "a red bus.", 4 / 5),
        ("red red bus", "red bus bus", 4 / 6),
        ("The", "a", 1),
        ("", "", 1),
        ("the", "bus", 0),
        ("bus", "", 0),
    ],
)
def test_tokens_is_the_f1_of_squad(score, pred, ref, value):
    assert score(tokens(), pred, ref) == value


def test_tokens_of_other_normalisers_keep_articles_and_case(score):
    assert score(tokens(normalize="none"), "The bus", "the bus") == 1 / 2


@pytest.mark.parametrize(
    ("name", "given", "normal"),
    [
        ("none", " A ", " A "),
        ("casefold", "Straße", "strasse"),
        ("nfkc", "ﬁve Ⅳ", "five IV"),
        ("space", "\ta\u00a0 b\n", "a b"),
        ("squad", "The  cat's a-hat, an 'Other' thesis.", "cats ahat other thesis"),
        ("muc", "THE BOMB(S) OF A GROUP", "bombs of group"),
        ("nfkc casefold space", "  ﬁVE  ", "five"),
        ("squad", "a–b", "–b"),
        ("squad", "İ\ud800 the", "i̇\ud800"),
    ],
)
def test_normalizers_do_what_their_name_says(name, given, normal):
    assert normalizer(name)(given) == normal


def test_normalizers_work_from_left_to_right():
    assert (normalizer("casefold nfkc")("K"), normalizer("nfkc casefold")("K")) == ("k", "k")
    assert (normalizer("casefold nfkc")("ℌ"), normalizer("nfkc casefold")("ℌ")) == ("H", "h")


@pytest.mark.parametrize("name", NORMALIZERS)
def test_normalising_twice_changes_nothing(name):
    once = normalizer(name)("  The ﬁrst  Straße, an İ a THE–End ")
    assert normalizer(name)(once) == once


def test_text_is_equality_after_normalising(score):
    assert score(text(normalize="muc"), "The Bomb!", "bomb") == 1
    assert score(text(normalize="none"), "Bomb", "bomb") == 0


def test_casefold_is_text_with_its_normaliser(score):
    assert casefold("name") == text("name", normalize="casefold")
    assert score(casefold(), "STRASSE", "straße") == 1


def test_blanks_between_normalisers_do_not_make_another_expression():
    assert text(normalize=" nfkc   casefold ") == text(normalize="nfkc casefold")


@pytest.mark.parametrize("phi", [edit(), jaro(), tokens(), casefold()])
@pytest.mark.parametrize(("value", "found"), [(3, "int 3"), (None, "None"), (b"x", "bytes b'x'")])
def test_what_is_no_string_is_refused(score, phi, value, found):
    with pytest.raises(ValueError, match=f"^expected a string, found {found}$"):
        score(phi, value, "x")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: text(normalize="casefolt"), "unknown normaliser 'casefolt'; did you mean 'casefold'?"),
        (
            lambda: edit(normalize=""),
            "normalize='' names no normaliser; there are casefold, lower, muc, nfkc, none, punctuation, space, "
            "squad, whisper",
        ),
        (
            lambda: tokens(normalize=None),
            "normalize=None names no normaliser; there are casefold, lower, muc, nfkc, none, punctuation, space, "
            "squad, whisper",
        ),
        (lambda: edit(floor=1.5), 'floor=1.5 is above 1, where no score lies; write edit("name", floor=0.5)'),
        (
            lambda: jaro(floor=-1),
            'cannot set floor to -1: it must be finite and not negative; write jaro("name", floor=0.5)',
        ),
        (
            lambda: edit(floor="0.5"),
            "cannot set floor to '0.5', which is not a number; write edit(\"name\", floor=0.5)",
        ),
    ],
)
def test_wrong_options_are_refused_when_built(build, message):
    with pytest.raises(ExpressionError) as error:
        build()
    assert str(error.value) == message

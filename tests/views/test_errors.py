"""Errors by kind in every form: what each kind costs, which examples are shown, and systems side by side."""

import re

import pytest

import matchwise as mw
from matchwise.errors import MergeError
from matchwise.views.errors import Case, Error, Errors, Level, errors_html

# 1 of 6 predicted and 3 reference elements is matched, so that 7 of 9 have no partner: 4 of `extra`, 2 of `type`, 1 of
# `missed`. Without `extra` F1 is 2/5, without `type` 4/9, without `missed` 4/10.
EXTRA = tuple(Case("extra", f"p{number}") for number in range(4))
OLD = Level("mentions", 1, 6, 3, (Case("type", "a", "b"), Case("missed", ref="<c>"), *EXTRA))
NEW = Level("mentions", 2, 3, 3, (Case("type", "q", "r"),))

TWO_ORDERS = """\
(by share of loss; F1 without ranks kinds otherwise, because it also depends on
how many elements are predicted once they are corrected)"""


def old() -> Errors:
    return Errors(("mentions",)).add([OLD], "d1")


def new() -> Errors:
    return Errors(("mentions",)).add([NEW], "d2")


def cells(html: str) -> list[list[str]]:
    """The cells of each row, without bars."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [re.findall(r">([^<>]+)</t[dh]>", row) for row in rows]


def examples(html: str) -> list[str]:
    return re.findall(r"<(?:span|b)>(.*?)</(?:span|b)>", html.partition("</thead>")[2])


def test_kinds_are_ranked_by_what_they_cost_and_f1_without_may_rank_them_otherwise() -> None:
    assert (
        old().to_text(examples=2)
        == f"""\
mentions   F1 0.2222   1 matched, 6 predicted, 3 reference
kind    count  share of loss  F1 without
extra       4          57.1%      0.4000
type        1          28.6%      0.4444
missed      1          14.3%      0.4000
{TWO_ORDERS}

extra (2 of 4)
  d1: p0
  d1: p1

type
  d1: a, should be b

missed
  d1: <c> is missing"""
    )


def test_one_kind_has_all_its_errors_and_no_note_about_its_rank() -> None:
    assert (
        old().to_text(kinds=("extra",))
        == """\
mentions   F1 0.2222   1 matched, 6 predicted, 3 reference
kind   count  share of loss  F1 without
extra      4          57.1%      0.4000

extra
  d1: p0
  d1: p1
  d1: p2
  d1: p3"""
    )


def test_kinds_that_cost_the_same_are_ranked_by_name() -> None:
    level = Level("mentions", 0, 2, 0, (Case("b", "x"), Case("a", "y")))
    assert Errors(()).add([level]).kinds == ("a", "b")


def test_as_many_examples_are_shown_as_are_asked_for() -> None:
    assert examples(old().to_html()) == ["d1: p0", "d1: p1", "d1: p2", "d1: a, should be b", "d1: &lt;c&gt; is missing"]
    assert examples(old().to_html(examples=1)) == ["d1: p0", "d1: a, should be b", "d1: &lt;c&gt; is missing"]
    assert examples(old().to_html(kinds=("type",))) == ["d1: a, should be b"]
    assert old().to_markdown(1, ("extra",)).splitlines()[4:] == ["| extra | 4 | 57.1% | 0.4000 | d1: p0 |"]
    assert old().to_markdown().splitlines()[4:] == [
        "| extra | 4 | 57.1% | 0.4000 | d1: p0; d1: p1; d1: p2 |",
        "| type | 1 | 28.6% | 0.4444 | d1: a, should be b |",
        "| missed | 1 | 14.3% | 0.4000 | d1: \\<c\\> is missing |",
    ]


def test_systems_stand_side_by_side_in_the_order_of_what_the_last_one_loses() -> None:
    made = errors_html([("old", old()), ("new", new())], 1, "{:.2f}".format)
    assert "<b>mentions</b>F1 0.22 → 0.67</p>" in made
    assert cells(made)[1:] == [
        ["type", "1", "29% → 100%", "0.44 → 1.00"],
        ["extra", "4 → 0", "57% → 0%", "0.40 → 0.67"],
        ["missed", "1 → 0", "14% → 0%", "0.40 → 0.67"],
    ]
    assert examples(made) == [
        *("old", "d1: a, should be b", "new", "d2: q, should be r"),
        *("old", "d1: p0", "old", "d1: &lt;c&gt; is missing"),
    ]
    assert "ranks kinds otherwise" in made
    assert "ranks kinds otherwise" not in errors_html([("new", new())])


def test_a_level_that_one_system_lacks_is_empty_there() -> None:
    other = Errors(("heads",)).add([Level("heads", 1, 2, 1, (Case("extra", "x"),))], "d1")
    made = errors_html([("a", new()), ("b", other)])
    assert [row for row in cells(made) if row[0] != "kind"] == [
        ["type", "1 → 0", "100% → 0%", "1.0000"],
        ["extra", "0 → 1", "0% → 100%", "1.0000"],
    ]


def test_only_levels_with_the_kinds_that_are_named_are_shown() -> None:
    both = Errors(()).add([NEW, Level("<heads>", 0, 1, 0, (Case("extra", "x"),))], "d1")
    assert both.to_text(kinds=("extra",)).splitlines()[0] == "<heads>   F1 0.0000   0 matched, 1 predicted, 0 reference"
    assert both.to_markdown(kinds=("extra",)).splitlines()[0] == "**\\<heads\\>** F1 0.0000"
    assert [kind.name for total in both.totals.values() for kind in total.kinds.values()] == ["type", "extra"]


def test_an_example_is_of_its_level_and_its_kind() -> None:
    both = Errors(()).add([NEW, Level("heads", 0, 1, 1, (Case("type", "x", "y"),))], "d1")
    assert [row.split(" | ")[-1] for row in both.to_markdown().splitlines() if row.startswith("| type")] == [
        "d1: q, should be r |",
        "d1: x, should be y |",
    ]


def test_errors_add_up_in_order_and_only_with_the_same_levels() -> None:
    total = old() + new()
    assert (total.documents, [error.document for error in total.found]) == (2, ["d1"] * 6 + ["d2"])
    assert repr(total) == "<Errors of 2 documents: 4 extra, 2 type, 1 missed>"
    one, other = Errors(("a", "b")), Errors(("b", "a"))
    with pytest.raises(MergeError, match="cannot add errors of a, b and errors of b, a"):
        one + other


def test_as_data_whole_numbers_are_whole_and_what_says_nothing_is_left_out() -> None:
    level = Level("values", 0.5, 3, 1.0, (Case("missed", ref="x", lost=2, where="lines[0]"), Case("extra", "y")))
    made = Errors(()).add([level], 7).to_dict()
    assert made["errors"] == [
        {"kind": "missed", "document": 7, "level": "values", "pred": None, "ref": "x", "where": "lines[0]", "size": 2},
        {"kind": "extra", "document": 7, "level": "values", "pred": "y", "ref": None},
    ]
    [found] = made["levels"]
    assert {name: repr(found[name]) for name in ("f1", "matched", "predicted", "reference")} == {
        "f1": "0.25", "matched": "0.5", "predicted": "3", "reference": "1",
    }  # fmt: skip
    # `missed` lost two elements, which then are predicted, too: 2 (0.5 + 2) / (5 + 1); `extra` one: 1 / (2 + 1)
    assert found["kinds"] == [
        {"kind": "missed", "count": 1, "share": 2 / 3, "f1_without": 5 / 6},
        {"kind": "extra", "count": 1, "share": 1 / 3, "f1_without": 1 / 3},
    ]


@pytest.mark.parametrize(
    ("case", "level", "said"),
    [
        (Case("missed", ref="x", lost=3), "values", "x is missing (3 values)"),
        (Case("missed", ref="x", lost=3), "mentions", "x is missing"),
        (Case("extra", "x", lost=3), "values", "x (3 values)"),
        (Case("extra", "x", lost=1.5), "values", "x"),
        (Case("wrong", "x", "y", lost=3), "values", "x, should be y"),
        (Case("split", None, "x", near="z"), "entities", "z, should be x"),
        (Case("split", "x", near="z"), "entities", "x, should be z"),
        (Case("wrong", "7", 7), "values", '"7", should be 7'),
    ],
)
def test_an_error_says_how_many_values_are_lost_together(case: Case, level: str, said: str) -> None:
    [error] = Errors(()).add([Level(level, 0, 0, 0, (case,))]).found
    assert str(error) == said


def test_the_place_of_an_error_is_written_on_one_line_and_0_is_a_document() -> None:
    assert str(Error("x", 0, "values", "p", None, "a\nb")) == "0: a⏎b: p"
    assert str(Error("x", "", "values", "p", None)) == "p"


def test_an_error_that_just_fits_is_one_line() -> None:
    error = Error("split", "d1", "entities", "an answer", "another")
    whole = "d1: an answer, should be another"
    assert error.to_lines(len(whole)) == [whole]
    assert error.to_lines(len(whole) - 1) == ["d1: an answer,", "  should be another"]
    assert error.to_lines(14) == ["d1: an answer,", "  should be a…"]
    assert error.to_lines(13) == ["d1: an answ…,", "  should be …"]


def test_a_case_says_what_became_of_its_elements_and_what_correcting_it_adds() -> None:
    cases = (Case("k", ref=1, lost=2), Case("k", 1, lost=2), Case("k", 1, 2, lost=2), Case("k", 1, 2, is_partial=True))
    assert [case.status for case in cases] == ["missed", "spurious", "wrong", "partial"]
    assert [case.correction for case in cases] == [(2, 2), (0, -2), (2, 0), (1, 0)]


def test_the_words_of_each_side_are_its_own() -> None:
    pred, ref = (
        {"tokens": ["Ann", "Lee"], "mentions": [(0, 1, "PER")]},
        {"tokens": ["Bob", "Fox"], "mentions": [(0, 2, "PER")]},
    )
    assert [str(error) for error in mw.explain("ner", [pred], [ref]).found] == ["0: Ann PER, should be Bob Fox PER"]


def test_errors_in_a_notebook_have_the_style_of_charts_and_long_lines_are_cut_at_the_width() -> None:
    assert ".mw-bars" in old()._repr_html_().partition("</style>")[0]
    long = Errors(()).add([Level("m", 0, 1, 0, (Case("extra", "x" * 100),))], "d")
    assert long.to_text(width=40).splitlines()[-1] == "  d: " + "x" * 34 + "…"
    assert long.to_text(whole=True).splitlines()[-1] == "  d: " + "x" * 100


def test_kinds_that_differ_in_no_digit_that_is_printed_have_one_order() -> None:
    cases = (Case("a", "x"), Case("a", "y"), Case("b", "x", "y"))  # 20000/20002 without a, 20002/20004 without b
    found = Errors(()).add([Level("m", 10_000, 10_003, 10_001, cases)], "d1")
    assert [f"{better:.6f}" for _, _, better in found.totals["m"].rows()] == ["0.999900", "0.999900"]
    assert "ranks kinds otherwise" not in found.to_text()

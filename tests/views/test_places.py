"""Which words of a long text are shown around what is wrong, where marks open and close, and their colours."""

import pytest

import matchwise as mw
from matchwise.tasks.ner import Mention
from matchwise.views.alignment import align
from matchwise.views.html import to_html
from matchwise.views.model import (
    Chunk,
    Mark,
    PictureBox,
    View,
    ViewLine,
    ViewLines,
    ViewPassage,
    ViewPicture,
    ViewRow,
    ViewRows,
    colours,
    places,
    view_of,
)
from matchwise.views.text import TextStretch, differences, lay_out, shorten_stretches, to_text
from matchwise.views.words import in_tokens, text_at, words_of, words_of_both

WORDS = tuple(f"w{number}" for number in range(60))


def shown(*marks: Mark, focus: tuple[Mark, ...] | None = None, number: int = 60, whole: bool = False) -> str:
    passage = ViewPassage("predicted", WORDS[:number], marks)
    found = []
    for place in places(passage, marks if focus is None else focus, whole):
        opening, closing = (("".join(mark.label for mark in some)) for some in (place.opening, place.closing))
        found.append(
            "…" if place.word is None else f"{opening and f'{opening}['}{place.word}{closing and f']{closing}'}"
        )
    return " ".join(found)


def between(first: int, last: int) -> str:
    return " ".join(WORDS[first:last])


A, B = Mark(20, 22, "A"), Mark(1, 3, "B")

SHOWN = {
    "six words on either side": ((A,), {}, f"… {between(14, 20)} A[w20 w21]A {between(22, 28)} …"),
    "no gap before the first word": ((Mark(6, 7, "A"),), {}, f"{between(0, 6)} A[w6]A {between(7, 13)} …"),
    "a gap before the second": ((Mark(7, 8, "A"),), {}, f"… {between(1, 7)} A[w7]A {between(8, 14)} …"),
    "no gap after the last word": ((Mark(53, 54, "A"),), {}, f"… {between(47, 53)} A[w53]A {between(54, 60)}"),
    "a gap before the last": ((Mark(52, 53, "A"),), {}, f"… {between(46, 52)} A[w52]A {between(53, 59)} …"),
    "a mark around the words that are shown": (
        (Mark(10, 30, "A"), Mark(10, 12, "B")),
        {"focus": (Mark(20, 21),)},
        f"… A[{between(14, 27)}]A …",
    ),
    "nothing in focus": ((A,), {"focus": ()}, "…"),
    "a mark without words": (
        (Mark(20, 20, "A"),),
        {},
        f"… {between(14, 20)} A[∅]A {between(20, 26)} …",
    ),
    "a mark without words after all that are shown": (
        (Mark(26, 26, "A"),),
        {"focus": (Mark(20, 20),)},
        f"… {between(14, 26)} A[∅]A …",
    ),
    "a mark without words at the end": ((Mark(3, 3, "A"),), {"number": 3}, "w0 w1 w2 A[∅]A"),
    "forty words are shown whole": ((B,), {"number": 40}, f"w0 B[w1 w2]B {between(3, 40)}"),
    "forty-one are not": ((B,), {"number": 41}, f"w0 B[w1 w2]B {between(3, 9)} …"),
    "unless they are asked for": ((B,), {"number": 41, "whole": True}, f"w0 B[w1 w2]B {between(3, 41)}"),
    "the longer mark is outside, then by label": (
        (Mark(1, 3, "B"), Mark(1, 3, "A"), Mark(0, 3, "C"), Mark(1, 2, "D")),
        {"number": 4},
        "C[w0 ABD[w1]D w2]BAC w3",
    ),
    "stretches that touch are one": (
        (Mark(10, 11, "A"), Mark(23, 24, "B")),
        {},
        f"… {between(4, 10)} A[w10]A {between(11, 23)} B[w23]B {between(24, 30)} …",
    ),
    "a word between them is a gap": (
        (Mark(10, 11, "A"), Mark(24, 25, "B")),
        {},
        f"… {between(4, 10)} A[w10]A {between(11, 17)} … {between(18, 24)} B[w24]B {between(25, 31)} …",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_words_are_shown_around_what_is_wrong(name: str) -> None:
    marks, options, expected = SHOWN[name]
    assert shown(*marks, **options) == expected


def test_entities_are_coloured_by_number_and_labels_in_their_order() -> None:
    marks = (Mark(0, 1, "b"), Mark(1, 2, "a"), Mark(0, 1, "c", number=9), Mark(0, 1, number=8))
    assert colours([View("", (ViewPassage("predicted", ("x", "y"), marks),))]) == {"a": 0, "b": 1, 9: 0, 8: 7}


def test_what_is_wrong_is_said_in_one_line_without_headings() -> None:
    rows = (
        ViewRow("wrong", "heading"),
        ViewRow("right", "a", "1", "1"),
        ViewRow("missed", "b", ref="x", size=3),
        ViewRow("missed", "c", ref="y"),
        ViewRow("spurious", "d", "y"),
    )
    view = View("d1", (ViewRows(rows, right=2), ViewRows((), right=4)))
    assert view.why == "2 missed (4 values), 1 spurious, 7 right"


def test_a_picture_is_as_large_as_its_boxes_unless_its_size_is_known() -> None:
    boxes = (PictureBox((1, 2, 30, 40)), PictureBox((10, 0, 5, 5)))
    assert ViewPicture(boxes).size == (31, 42)
    assert ViewPicture(boxes, 100).size == (100, 42)
    assert ViewPicture(boxes, None, 90).size == (31, 90)
    assert ViewPicture(()).size == (1, 1)
    assert 'viewBox="0 0 100 42"' in to_html(View("", (ViewPicture(boxes, 100),)))


PASSAGE = (Mark(0, 2, "PER", "wrong", 3), Mark(1, 2), Mark(3, 4, "LOC"))


def test_marks_are_brackets_with_sign_number_and_label_and_a_full_line_is_folded() -> None:
    view = View("d1", (ViewPassage("predicted", ("Ann", "Lee", "left", "Rome"), PASSAGE),))
    assert to_text(view).splitlines()[1:] == ["predicted  ≠[3 Ann [Lee] PER] left [Rome LOC]"]
    line = "predicted  ≠[3 Ann [Lee] PER] left"
    assert to_text(view, len(line)).splitlines()[1:] == [line, "           [Rome LOC]"]
    assert to_text(view, len(line) - 1).splitlines()[1:] == [line[:-5], "           left [Rome LOC]"]
    styles = [[(one.text, one.style) for one in words] for words in lay_out(view)][1]
    assert styles[-3:] == [("[", "colour 1"), ("Rome", "colour 1"), (" LOC]", "colour 1")]
    assert ("left", "") in styles


def test_marks_that_are_right_have_no_sign_in_a_text() -> None:
    view = View("d1", (ViewPassage("reference", ("a",), (Mark(0, 1, "X", "missed"), Mark(0, 1, "Y"))),))
    assert to_text(view).splitlines()[1:] == ["reference  −[[a Y] X]"]


@pytest.mark.parametrize(
    ("pred", "ref", "mine", "theirs"),
    [
        ("abcde", "abcdx", "abcd‹e›", "abcd‹x›"),
        ("abcdexyz", "abcdefghi", "abcde‹xyz›", "abcde‹fghi›"),  # 5 of 9 are common: more than half
        ("abcdwxyz", "abcdefgh", "abcd‹wxyz›", "abcd‹efgh›"),  # just half
        ("abcdvwxyz", "abcdefghi", "abcdvwxyz", "abcdefghi"),
        ("aXbcYdefgh", "aUbcVdefgh", "a‹XbcY›defgh", "a‹UbcV›defgh"),  # two equal letters between two changes
        ("aXbcdYefgh", "aUbcdVefgh", "a‹X›bcd‹Y›efgh", "a‹U›bcd‹V›efgh"),
        ("abcd", "abcdef", "abcd", "abcdef"),  # one of them is too short
        ("insert me", "insert it me", "insert me", "insert ‹it ›me"),
    ],
)  # fmt: skip
def test_the_letters_in_which_two_texts_differ_are_marked(pred: str, ref: str, mine: str, theirs: str) -> None:
    written = ["".join(f"‹{one.text}›" if one.changed else one.text for one in side) for side in differences(pred, ref)]
    assert written == [mine, theirs]


@pytest.mark.parametrize(
    ("width", "cut"),
    [
        (26, "abcdefghijklmnopqrstuVwxyz"),
        (25, "abcdefghijklmnopqrstuVwx…"),
        (24, "abcdefghijklmnopqrstuVw…"),
        (23, "…efghijklmnopqrstuVwxyz"),
        (9, "…stuVwxyz"),
        (5, "…uVw…"),
    ],
)
def test_a_long_value_is_cut_around_its_first_change(width: int, cut: str) -> None:
    stretches = TextStretch("abcdefghijklmnopqrstu"), TextStretch("V", True), TextStretch("wxyz")
    made = shorten_stretches(stretches, width)
    assert "".join(one.text for one in made) == cut
    assert [one.text for one in made if one.changed] == ["V"]


def test_words_at_the_end_of_a_text_are_words_and_beyond_it_places_are_said() -> None:
    words = ["the", "old", "man"]
    assert [text_at(span, words) for span in ((1, 3), (2, 4), (-1, 2), ((0, 1), (2, 4)))] == [
        *("old man", "2–4", "-1–2", "0–1 … 2–4")
    ]


def test_a_mark_on_characters_is_on_every_word_that_it_touches() -> None:
    marks = ((0, 3, "a"), (3, 4, "b"), (2, 5, "c"), (4, 7, "d"), (7, 11, "e"), (0, 11, "f"))
    assert in_tokens("the old man", marks)[1] == (
        *((0, 1, "a"), (1, 1, "b"), (0, 2, "c"), (1, 2, "d"), (2, 3, "e"), (0, 3, "f")),
    )


class Failing:
    @property
    def tokens(self) -> object:
        raise ValueError


def test_words_are_looked_for_under_their_names_in_order_and_a_side_without_any_borrows_them() -> None:
    assert words_of({"words": ["b"], "tokens": ("a",), "forms": ["c"]}) == ("a",)
    assert words_of({"tokens": [], "words": ["b"]}) == ("b",)
    assert words_of({"sentences": [["a", "b"], "no sentence", ["c"]]}) == ("a", "b", "c")
    assert words_of(Failing()) == ()
    assert words_of_both({"tokens": ["a"]}, {"tokens": ["b"]}) == (("a",), ("b",))
    assert words_of_both({}, {"tokens": ["b"]}) == (("b",), ("b",))
    assert words_of_both({"tokens": ["a"]}, {}) == (("a",), ("a",))


def test_a_long_name_takes_half_of_a_line_and_headings_alone_have_no_columns() -> None:
    rows = ViewRows((ViewRow("wrong", "a_very_long_name_of_a_field", "1", "2"),))
    assert to_text(View("d", (rows,)), 30).splitlines()[1:] == [
        "                 predicted  reference",
        "≠ a_very_long_…  1          2",
    ]
    heading = ViewRows((ViewRow("partial", "items", credit="1/2"),), right=1)
    assert to_text(View("d", (heading,))).splitlines()[1:] == ["≈ items  1/2", "= 1 right"]


TOKENS = ["Ann", "Lee", "met", "Bob", "in", "Rome"]


def test_an_alignment_of_spans_is_drawn_on_the_words_of_the_document_or_on_those_that_are_given() -> None:
    mine, theirs = [Mention((0, 2), "PER"), Mention((3, 4), "LOC")], [Mention((0, 1), "PER"), Mention((3, 4), "LOC")]
    theirs.append(Mention((5, 6), "LOC"))
    phi = mw.f1("mentions", mw.eq("type") * mw.jaccard("span"))
    drawn = [
        "predicted  ≈[Ann Lee PER] met [Bob LOC] in Rome",
        "reference  ≈[Ann PER] Lee met [Bob LOC] in −[Rome LOC]",
    ]
    both = align(
        phi, {"mentions": mine, "tokens": [word.upper() for word in TOKENS]}, {"mentions": theirs, "tokens": TOKENS}
    )
    assert to_text(view_of(both)).splitlines()[-2:] == drawn
    assert (
        to_text(view_of(align(phi, {"mentions": mine}, {"mentions": theirs}), words=TOKENS)).splitlines()[-2:] == drawn
    )
    assert (
        to_text(view_of(align(phi, {"mentions": mine, "tokens": TOKENS}, {"mentions": theirs}))).splitlines()[-2:]
        == drawn
    )


EVERYTHING = View(
    "d<",
    (
        ViewRows(
            (ViewRow("wrong", "a", "INV-701", "INV-101", "1/2", 9), ViewRow("missed", "b<", ref="z" * 301)),
            title="T<",
            right=1,
            names="x, y",
        ),
        ViewLines("L<", (ViewLine((Chunk("a<"), Chunk("b", "wrong")), 1, "wrong", "c<"), ViewLine((Chunk("d"),)))),
    ),
    "m<",
    0.5,
    (1, 2.5, 3),
    ("n<",),
)


def test_every_part_of_a_view_is_written_in_html() -> None:
    assert [line for line in to_html(EVERYTHING).splitlines() if line] == [
        '<section class="mw-view">',
        '<p class="mw-head"><b>d&lt;</b>m&lt; 0.5000 · 1 wrong, 1 missed, 1 right</p>'
        '<p class="mw-note">1 matched, 2.5000 predicted, 3 reference</p><p class="mw-note">n&lt;</p>',
        '<p class="mw-note">T&lt;</p><div class="mw-wide" tabindex="0"><table>',
        '<thead><tr><th scope="col"></th><th scope="col">credit</th><th scope="col">predicted</th>'
        '<th scope="col">reference</th></tr></thead>',
        "<tbody>",
        '<tr><td class="mw-d6"><span class="mw-wrong"><span class="mw-sign" title="wrong">≠</span>a</span></td>'
        '<td class="mw-n">1/2</td><td class="mw-value">INV-<span class="mw-changed">7</span>01</td>'
        '<td class="mw-value">INV-<span class="mw-changed">1</span>01</td></tr>',
        '<tr><td><span class="mw-missed"><span class="mw-sign" title="missed">−</span>b&lt;</span></td>'
        f'<td class="mw-n"></td><td class="mw-value"></td><td class="mw-value">{"z" * 299}…</td></tr>',
        "</tbody></table></div>",
        '<p class="mw-more mw-right"><span class="mw-sign">=</span> 1 right: x, y</p>',
        '<p class="mw-side">L&lt;</p><div class="mw-lines" tabindex="0"><span class="mw-wrong">≠   a&lt;'
        '<span class="mw-wrong">b</span></span>  <span class="mw-note">c&lt;</span>',
        "<span>  d</span></div>",
        "</section>",
    ]
    assert '<th scope="col">credit</th>' not in to_html(View("", (ViewRows((ViewRow("wrong", "a", "1", "2"),)),)))
    assert "z" * 301 in to_html(EVERYTHING, whole=True)


def test_every_part_of_a_view_is_written_in_text() -> None:
    assert to_text(EVERYTHING, 60).splitlines() == [
        "d<   m< 0.5000   1 wrong, 1 missed, 1 right",
        "1 matched, 2.5000 predicted, 3 reference",
        "n<",
        "T<",
        "                            predicted  reference",
        "                  ≠ a  1/2  INV-‹7›01  INV-‹1›01",
        "− b<",
        f"    reference  {'z' * 44}…",
        "= 1 right: x, y",
        "L<",
        "≠   a<b  c<",
        "  d",
    ]
    assert to_text(EVERYTHING, 60, whole=True).splitlines()[7:9] == [
        f"    reference  {'z' * 45}",
        f"{' ' * 15}{'z' * 45}",
    ]


def test_values_below_each_other_are_shown_in_a_narrow_place_also_where_one_is_empty() -> None:
    rows = (
        ViewRow("wrong", "name", "", "a reference of many words that needs a line"),
        ViewRow("wrong", "deep", "x" * 22, "y" * 25, depth=1),
        ViewRow("missed", "gone", None, "only the reference has one"),
    )
    assert to_text(View("d1", (ViewRows(rows),)), 20).splitlines()[2:] == [
        "≠ name",
        "    predicted",
        "    reference  a reference of many…",
        "  ≠ deep",
        f"      predicted  {'x' * 19}…",
        f"      reference  {'y' * 19}…",
        "− gone",
        "    reference  only the reference …",
    ]
    assert to_text(View("d1", (ViewRows(rows),)), 36, whole=True).splitlines()[1:] == [
        "≠ name",
        "    predicted",
        "    reference  a reference of many w",
        "               ords that needs a lin",
        "               e",
        "  ≠ deep",
        f"      predicted  {'x' * 20}",
        "                 xx",
        f"      reference  {'y' * 20}",
        "                 yyyyy",
        "− gone",
        "    reference  only the reference ha",
        "               s one",
    ]

"""The page of HTML: whole, by itself, and data in it stays data."""

from html.parser import HTMLParser
from typing import Any

import pytest

from matchwise.algebra.build import eq, f1, normalize, overlap
from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import Tally
from matchwise.reports.documents import SeenSystem, anchor_of
from matchwise.reports.page import Parts, to_page, write_note
from matchwise.reports.results import Display, Results, System
from matchwise.sheets.html import Spread, forest, histogram, table_html, text_of
from matchwise.sheets.table import PLAIN
from matchwise.statistics.compare import compare
from matchwise.views.alignment import align
from matchwise.views.errors import Case, Errors, Level
from matchwise.views.html import ROWS, to_html
from matchwise.views.model import Mark, View, ViewPassage, view_of

EVIL = "<script>alert(1)</script>\"'&</title></details>\x00\x1b[0m\ud800"
VOID = {"br", "input", "meta", "wbr"}


class Page(HTMLParser):
    """Checks that elements are closed as they were opened, and keeps what there is."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


PHI = f1("items", eq("name") + eq("price"))


def looked(pred: Any, ref: Any, id: str = "d1") -> SeenSystem:
    errors = Errors(()).add([Level("values", 0, 1, 1, (Case(str(pred), "x", "y", where="items[0].name"),))], id)
    return SeenSystem(errors, {id: [view_of(align(PHI, pred, ref), metric="score")]}, {id: str(pred)})


def page(
    pred: Any, ref: Any, id: str = "d1", prediction: str = "run.jsonl", title: str = "", note: str = "", **view: Any
) -> tuple[Page, str]:
    phi = PHI
    tally = Tally(Suite(score=phi), fields=True).add(pred, ref, id)
    results = Results(
        "gold", 1, tally.signature,
        (System(prediction, tally.report(), unreadable=({"document": id, "problem": "x"},), faults={str(pred): 3}),),
        "documents", view=Display(**view),
        notes={"intervals": {"method": "delta", "level": 0.95, "units": "documents", "n": 2}},
    )  # fmt: skip
    text = to_page(results, [looked(pred, ref, id)], [id], title=title, note=note)
    return Page(text), text


def test_of_the_unreadable_predictions_the_first_are_shown_as_many_as_asked_for() -> None:
    lost = tuple({"document": f"d{number}", "problem": "broken"} for number in range(4))
    report = Tally(Suite(score=PHI)).add(PRED, REF, "d").report()
    results = Results("gold", 1, report.signature, (System("run", report, unreadable=lost),), "documents")
    seen = SeenSystem(Errors(()), {}, {f"d{number}": f"written {number}" for number in range(4)})
    shown = [to_page(results, [seen], [], most=most).count("written ") for most in (1, 3, 50)]
    assert shown == [1, 3, 4]


PRED = {"items": [{"name": "a", "price": 1}, {"name": "x", "price": 3}]}
REF = {"items": [{"name": "a", "price": 2}, {"name": "b", "price": 9}, {"name": "c", "price": 4}]}


def test_every_element_is_closed() -> None:
    found, _ = page(PRED, REF)
    assert found.open == []


def test_the_page_shows_scores_fields_and_the_alignment() -> None:
    found, _ = page(PRED, REF)
    words = " ".join(found.words.split())
    for said in ("precision", "items[].name", "≠", "−", "items[1]", "predicted", "0.4000", "1/2"):
        assert said in words


@pytest.mark.parametrize(
    ("pred", "ref", "more"),
    [
        ({"items": [{"name": EVIL, "price": EVIL}]}, REF, {}),
        (PRED, {"items": [{"name": EVIL, "price": 1}]}, {}),
        (PRED, REF, {"id": EVIL}),
        (PRED, REF, {"prediction": EVIL}),
        (PRED, REF, {"title": EVIL}),
        (PRED, REF, {"note": EVIL}),
    ],
)
def test_data_is_never_markup(pred: Any, ref: Any, more: Any) -> None:
    found, text = page(pred, ref, per_document=True, **more)
    assert found.tags.count("script") == text.count("<script") == 1  # our own
    assert found.open == []
    assert "alert(1)" in found.words + "".join(str(value) for _, value in found.attributes)
    text.encode("utf-8")
    assert "\x00" not in text


def test_joiners_are_kept_and_signs_that_turn_text_around_are_written_out() -> None:
    assert text_of("👩\u200d👧 می\u200cروم") == "👩\u200d👧 می\u200cروم"
    assert text_of("\u202eevil\x00") == "\\x202eevil\\x00"


def test_the_page_asks_for_nothing_from_elsewhere() -> None:
    found, text = page(PRED, REF)
    assert not {name for name, _ in found.attributes} & {"src", "onclick", "onload"}
    assert all(str(value).startswith("#") for name, value in found.attributes if name == "href")
    assert "default-src 'none'" in text
    assert "http" not in text.replace("http-equiv", "")


def test_a_long_alignment_is_cut_and_says_so() -> None:
    pred, ref = {"items": []}, {"items": [{"name": n, "price": n} for n in range(ROWS + 5)]}
    found, _ = page(pred, ref)
    assert "and 5 more rows" in found.words


def test_a_leaf_is_shown_by_itself() -> None:
    phi = normalize(overlap("xs"), "f1")
    tally = Tally(Suite(score=phi)).add({"xs": [1]}, {"xs": [1]}, "a")
    seen = SeenSystem(Errors(()), {"a": [view_of(align(eq("y"), {"y": 1}, {"y": 2}))]})
    text = to_page(Results("gold", 1, tally.signature, (System("run", tally.report()),)), [seen], ["a"])
    assert "≠" in Page(text).words


def test_scores_alone_are_a_page_too() -> None:
    tally = Tally(Suite(score=f1("xs")), keep="sums").add({"xs": [1]}, {"xs": [1]}, "a")
    found = Page(to_page(Results("gold", 1, tally.signature, (System("run", tally.report()),))))
    assert ("Documents by score" in found.words, "1.0000" in found.words) == (False, True)
    unnamed = to_page(Results("gold", 1, tally.signature, (System("", tally.report()),)))
    assert "<title>Scores</title>" in unnamed


@pytest.mark.parametrize(
    "marks",
    [
        (Mark(0, 2, EVIL), Mark(1, 3, EVIL, "missed", 7)),  # they cross
        (Mark(0, 3, "A"), Mark(1, 2, "B", "wrong"), Mark(1, 3, EVIL)),
        (Mark(0, 2, "A"), Mark(1, 3, "B"), Mark(1, 4, EVIL, "spurious")),
    ],
)
def test_marks_that_cross_are_closed_and_their_labels_are_no_markup(marks: tuple[Mark, ...]) -> None:
    view = View("d1", parts=(ViewPassage("predicted", ("a", EVIL, "c", "d"), marks),))
    text = to_html(view)
    found = Page(text)
    assert (found.open, "script" in found.tags) == ([], False)
    for mark in marks:
        assert found.words.count(mark.label.replace("\x00", "").replace("\x1b", "")[:8]) >= 1
    opened = text.count('class="mw-span')
    crossing = sum(a.start < b.start < a.end < b.end for a in marks for b in marks)
    assert opened == len(marks) + crossing


def test_a_score_on_a_border_is_counted_above_it_whatever_its_rounding() -> None:
    drawn = histogram([Spread("", [0.95 - 0.3])], "f1")  # 0.6499999999999999
    assert 'aria-label="Documents by f1: 1 from 0.65"' in drawn
    assert "unreadable" not in drawn


def test_two_systems_share_a_histogram_in_which_unreadable_documents_stand_alone() -> None:
    drawn = histogram([Spread('a "b"', [1.0, 0.5]), Spread("<c>", [0.5], 7)], "f1")
    assert (
        'aria-label="Documents by f1: a &quot;b&quot; 1 from 0.5, 1 from 0.95; &lt;c&gt; 7 unreadable, 1 from 0.5"'
        in drawn
    )
    assert drawn.count("<svg") == 1
    assert "<title>&lt;c&gt;: 7 documents unreadable</title>" in drawn


def test_a_note_is_a_little_markdown_and_nothing_else() -> None:
    made = str(write_note('# New *prompt*\n\n- [run](https://e.org/?a=1&b="2)\n- [x](javascript:alert(1))\n\n`<b>`'))
    assert made == (
        '<p>New <i>prompt</i></p><ul><li><a href="https://e.org/?a=1&amp;b=&quot;2">run</a></li>'
        "<li>[x](javascript:alert(1))</li></ul><p><code>&lt;b&gt;</code></p>"
    )


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("* a *b*\n* *c*", "<ul><li>a <i>b</i></li><li><i>c</i></li></ul>"),
        ("- 2 * 3 and *b*", "<ul><li>2 * 3 and <i>b</i></li></ul>"),
        (
            "Two:\n- a\n  goes on\n- **`b*c*`**",
            "<p>Two:</p><ul><li>a goes on</li><li><b><code>b&#42;c&#42;</code></b></li></ul>",
        ),
        ("[*a*](https://e.org/*b*)", '<p><a href="https://e.org/&#42;b&#42;"><i>a</i></a></p>'),
    ],
)
def test_stars_of_a_note_are_bullets_or_marks_or_stars(text: str, made: str) -> None:
    assert str(write_note(text)) == made


def test_the_farthest_end_of_the_differences_is_at_the_edge() -> None:
    drawn = forest([("a", 0.25, None, None), ("b", -0.1, -0.5, 0.3)])
    assert 'cx="490.0"' in drawn
    assert 'd="M220.0 36H508.0"' in drawn


def test_a_long_name_of_a_difference_is_cut_at_its_beginning() -> None:
    drawn = forest([("x" * 28, 0.5, None, None), ("xy" + "z" * 27, 0.5, None, None)])
    assert f">{'x' * 28}</text>" in drawn
    assert f">…{'z' * 27}</text>" in drawn


def test_the_page_of_one_system_has_the_columns_that_were_asked_for() -> None:
    whole, _ = page(PRED, REF)
    assert "precision" in whole.words
    assert "missed" in whole.words
    _, text = page(PRED, REF, columns=("f1", "missed"))
    heads = text.partition('class="mw-sortable parts"')[2].partition("</thead>")[0]
    assert [head for head in ("F1", "precision", "recall", "wrong", "missed", "spurious") if f">{head}<" in heads] == [
        "F1",
        "missed",
    ]


def test_of_three_systems_the_change_is_that_of_the_last_from_the_first() -> None:
    rows = [{"score": score, "wrong": wrong} for score, wrong in ((0.5, 19), (0.9, 1), (0.75, 4))]
    drawn = Parts("label", "Labels", ["a", "b", "c"], {"PER": rows}).draw(Display())
    assert drawn["rows"][0]["cells"] == ["0.5000", "0.9000", "0.7500", "+0.2500", "19 → 4"]


def test_differences_name_the_score_that_is_compared_only_where_there_are_several() -> None:
    tables = {"old": Tally(Suite(items=PHI)).add(PRED, REF), "new": Tally(Suite(items=PHI)).add(REF, REF)}
    for scores, is_shown in ((("value",), False), (("value", "recall"), True)):
        (table,) = compare(tables, scores=scores).sheet().tables
        assert (">score</th>" in table_html(table, PLAIN)) is is_shown


def test_a_link_to_a_document_has_letters_digits_dots_and_dashes_and_is_there_once() -> None:
    known: dict[str, int] = {}
    ids = ["r03", "r 03!", "«r 03»", "a.b-c_d", "!!", 7, "r03"]
    assert [anchor_of(id, known) for id in ids] == [
        *("doc-r03", "doc-r-03", "doc-r-03-2", "doc-a.b-c_d", "doc-0", "doc-7", "doc-r03-2"),
    ]

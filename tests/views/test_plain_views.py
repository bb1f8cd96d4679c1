"""The views of documents that are given as plain values, task by task: their exact text."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import matchwise as mw
from matchwise.cli import main
from matchwise.errors import shorten
from matchwise.tasks.views import metric_of, view_of
from matchwise.views.model import Chunk, View, ViewLine, ViewLines
from matchwise.views.text import TextStretch, differences, shorten_stretches, to_text
from matchwise.views.values import plain, write_both, write_value
from matchwise.views.words import in_tokens, words_of

DATA = Path(__file__).parents[2] / "examples" / "data"


def text(task: str, pred: Any, ref: Any, **options: Any) -> str:
    suite = mw.task(task).suite(**options)
    return to_text(view_of(task, suite, metric_of(task, suite), pred, ref, title="d1"))


def test_items_of_a_set_are_shown_by_their_place() -> None:
    assert text("sets", ["ink", "paper", "glue"], ["ink", "pen", "glue"]) == (
        "d1   f1 0.6667   1 missed, 1 spurious, 2 right\n"
        "2 matched, 3 predicted, 3 reference\n"
        "       predicted  reference\n"
        "− [1]             pen\n"
        "+ [1]  paper\n"
        "= 2 right"
    )


def test_a_wrong_answer_is_shown_beside_the_right_ones() -> None:
    assert text("sets", "the tower of Paris", ["Eiffel Tower", "Tour Eiffel"], preset="squad") == (
        "d1   exact 0   1 wrong\n"
        "0 matched, 1 predicted, 1 reference\n"
        "   predicted           reference\n"
        "≠  the tower of Paris  Eiffel Tower, Tour Eiffel"
    )


def test_elements_of_a_sequence_are_shown_by_their_place() -> None:
    assert text("sequences", ["boil", "stir", "serve"], ["boil", "salt", "stir"]) == (
        "d1   lcs 0.6667   1 missed, 1 spurious, 2 right\n"
        "2 matched, 3 predicted, 3 reference\n"
        "       predicted  reference\n"
        "− [1]             salt\n"
        "+ [2]  serve\n"
        "= 2 right"
    )


LINE = {"type": "object", "properties": {"sku": {"type": "string"}, "price": {"type": "number"}}}
SCHEMA = {
    "properties": {
        "number": {"type": "string"},
        "total": {"type": "number"},
        "items": {"type": "array", "items": LINE},
    }
}


def test_a_document_is_shown_field_by_field() -> None:
    pred = {"number": "INV-701", "total": 119.0, "items": [{"sku": "b", "price": 2.5}, {"sku": "z", "price": 1}]}
    ref = {"number": "INV-101", "total": 119.0, "items": [{"sku": "b", "price": 2.75}]}
    assert text("documents", {**pred, "tax": 2}, ref, schema=SCHEMA) == (
        "d1   score 0.3636   2 wrong, 2 spurious (3 values), 2 right\n"
        "2 matched, 7 predicted, 4 reference\n"
        "                  predicted       reference\n"
        "≠ number          INV-‹7›01       INV-‹1›01\n"
        "≈ items      1/4\n"
        "  ≈ [0]      1/2\n"
        "    ≠ price       2.5             2.75\n"
        "  + [1]      0/2  sku z, price 1\n"
        "+ tax             2\n"
        "= 2 right"
    )


def test_clauses_of_a_structure_are_shown_on_both_sides() -> None:
    ref = [["b1", "male", '"n.02"', "x1"], ["b1", "sing", '"v.01"', "e1"], ["b1", "Agent", "e1", "x1"]]
    pred = [["k0", "male", '"n.02"', "y"], ["k0", "sing", '"v.01"', "e"], ["k0", "Theme", "e", "y"]]
    assert text("drs", pred, ref) == (
        "d1   clauses 0.6667   1 wrong, 2 right\n"
        "2 matched, 3 predicted, 3 reference\n"
        "variables Box k0 ~ b1\n"
        "variables Referent e ~ e1, y ~ x1\n"
        "              predicted     reference\n"
        "≠ wrong role  k0 Theme e y  b1 Agent e1 x1\n"
        "= 2 right\n"
        "predicted\n"
        "+ k0 Theme e y\n"
        "  k0 male.n.02 y\n"
        "  k0 sing.v.01 e\n"
        "reference\n"
        "− b1 Agent e1 x1\n"
        "  b1 male.n.02 x1\n"
        "  b1 sing.v.01 e1"
    )


WORDS = ["Parsing", "news", "with", "a", "chart", "beats", "a", "beam", "search", "on", "news"]


def paper(method: Any, kind: str = "result") -> dict[str, Any]:
    args = {"Task": [[0, 1]], "Material": [[1, 2], [10, 11]], "Method": method}
    return {"text": WORDS, "relations": [{"type": kind, "args": args}]}


def test_a_wrong_relation_is_shown_argument_by_argument() -> None:
    assert text("nary", paper([[7, 9]]), paper([[4, 5]])) == (
        "d1   relations 0   1 wrong\n"
        "0 matched, 1 predicted, 1 reference\n"
        "                  predicted    reference\n"
        "≠ wrong argument\n"
        "  ≠ Method        beam search  chart\n"
        "predicted  [Parsing Task] [news Material] with a chart beats a ≠[beam\n"
        "           search Method] on [news Material]\n"
        "reference  [Parsing Task] [news Material] with a ≠[chart Method] beats a beam\n"
        "           search on [news Material]"
    )


def test_a_relation_of_a_wrong_type_shows_the_types() -> None:
    shown = text("nary", paper([[4, 5]]), paper([[4, 5]], "compare")).splitlines()
    assert shown[2:4] == ["              predicted  reference", "≠ wrong type  result     compare"]


def test_a_relation_that_lacks_an_argument_and_has_another_shows_both() -> None:
    pred = {"relations": [("result", {"Task": [[0, 1]], "Metric": [[9, 10]]})]}
    ref = {"relations": [("result", {"Task": [[0, 1]], "Method": [[4, 5]]})]}
    assert text("nary", pred, ref).splitlines()[2:] == [
        "                  predicted  reference",
        "≠ wrong argument",
        "  − Method                   4–5",
        "  + Metric        9–10",
    ]


def test_a_missed_or_spurious_relation_is_marked_with_all_its_arguments() -> None:
    none, one = {"relations": []}, paper([[4, 5]])
    for sides, sign in (((none, one), "−"), ((one, none), "+")):
        marks = f"{sign}[Parsing Task] {sign}[news Material] with a {sign}[chart Method] beats a beam"
        assert [line[11:] for line in text("nary", *sides).splitlines() if "[" in line] == [
            marks,
            f"search on {sign}[news Material]",
        ]


@pytest.mark.parametrize(
    ("pred", "kind"),
    [
        (paper([[4, 5]], "compare"), "wrong type"),
        (paper([[7, 9]]), "wrong argument"),
        (paper([[7, 9]], "compare"), "wrong type and arguments"),
        ({"relations": []}, "missed"),
    ],
)
def test_the_kinds_of_errors_of_relations(pred: Any, kind: str) -> None:
    assert [error.kind for error in mw.explain("nary", [pred], [paper([[4, 5]])]).found] == [kind]


def test_a_template_is_shown_slot_by_slot_and_in_its_text() -> None:
    pred = {"text": WORDS, "templates": [("study", {"task": [[[0, 1]]], "tool": [[[3, 5]]]}), ("talk", {})]}
    ref = {"text": WORDS, "templates": [("study", {"task": [[[0, 1]]], "tool": [[[4, 5]]]})]}
    assert text("templates", pred, ref) == (
        "d1   muc4 0.5000   1 wrong, 1 spurious, 1 right\n"
        "                     predicted        reference\n"
        "≠ study\n"
        "  ≠ wrong span       tool: ‹a ›chart  tool: chart\n"
        "+ spurious template  talk\n"
        "= 1 right\n"
        "predicted  [Parsing task] news with ≠[a chart tool] beats a beam search on news\n"
        "reference  [Parsing task] news with a ≠[chart tool] beats a beam search on news"
    )


def test_templates_of_a_text_are_read_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slots = '{"who": [[[0, %d]]], "what": [[[1, 2]]]}'
    line = '{"id": "d", "tokens": ["Ada", "fled"], "templates": [{"type": "t", "slots": ' + slots + "}]}"
    (tmp_path / "gold.jsonl").write_text(line % 1)
    (tmp_path / "run.jsonl").write_text(line % 2)
    main(["align", "templates", str(tmp_path / "run.jsonl"), "-r", str(tmp_path / "gold.jsonl")])
    assert capsys.readouterr().out.splitlines()[2:] == [
        "≠ t",
        "  ≠ wrong span  who: Ada‹ fled›  who: Ada",
        "= 1 right",
        "predicted  ≠[Ada [fled what] who]",
        "reference  ≠[Ada who] [fled what]",
    ]


def test_arguments_of_predicates_are_shown_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    main(["align", "srl", str(DATA / "srl_system.props"), "-r", str(DATA / "srl_gold.props"), "--document", "0"])
    assert capsys.readouterr().out == (
        "0   arguments 0.7500   1 wrong, 3 right\n"
        "3 matched, 4 predicted, 4 reference\n"
        "              predicted                  reference\n"
        "≠ wrong role  the old gate A‹1› of open  the old gate A‹0› of open\n"
        "= 3 right\n"
        "predicted  [The keeper A0] said [≠[the old gate A1] opens [at noon AM-TMP] A1]\n"
        "reference  [The keeper A0] said [≠[the old gate A0] opens [at noon AM-TMP] A1]\n"
    )


def test_brat_shows_the_words_that_its_annotations_cover(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = "T1\tPER 0 9\tAda Novak\nT2\tLOC 20 24\tLinz\nR1\t%s Arg1:T1 Arg2:T2\n"
    for side, kind in (("gold", "LivesIn"), ("run", "Owns")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "d.ann").write_text(lines % kind)
    main(["align", "relations", str(tmp_path / "run" / "d.ann"), "-r", str(tmp_path / "gold" / "d.ann")])
    assert capsys.readouterr().out.splitlines()[2:] == [
        "≠ wrong type",
        "    predicted  Ada Novak PER –‹Owns›→ Linz LOC",
        "    reference  Ada Novak PER –‹LivesIn›→ Linz LOC",
        "predicted  ≠[Ada Novak PER] … ≠[Linz LOC]",
        "reference  ≠[Ada Novak PER] … ≠[Linz LOC]",
    ]


def test_docred_shows_the_names_of_entities(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = DATA / "formats" / "docred.json"
    run = tmp_path / "run.json"
    run.write_text('[{"title": "Move", "h_idx": 0, "t_idx": 1, "r": "P17", "evidence": [0]}]')
    main(["align", "relations", str(run), "-r", str(gold), "--preset", "docred"])
    assert capsys.readouterr().out.splitlines()[2:] == [
        "              predicted               reference",
        "≠ wrong type  Ada Novak –P‹17›→ Linz  Ada Novak –P‹551›→ Linz",
    ]


def test_wide_letters_take_two_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, run = tmp_path / "gold.conll", tmp_path / "run.conll"
    gold.write_text("東京 B-場所\nは O\n日本 B-LOC\n", encoding="utf-8")
    run.write_text("東京 B-場所\nは O\n日本 B-ORG\n", encoding="utf-8")
    words = ["ner", str(run), "-r", str(gold), "--only", "strict"]
    assert main(["align", *words]) == 0
    assert "        predicted   reference\n≠ type  日本 ‹ORG›  日本 ‹LOC›\n" in capsys.readouterr().out
    assert main(["score", *words, "--by", "type"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert "場所        strict     1.0000  1.0000  1.0000        1          1          1" in rows
    assert "(weighted)  strict     0.5000  0.5000  0.5000" in rows


def test_the_names_of_groups_may_have_wide_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.jsonl").write_text('{"xs": ["a"], "ys": ["a"]}\n')
    Path("m.py").write_text('import matchwise as mw\nboth = mw.Suite(一致=mw.f1("xs"), b=mw.f1("ys"))\n', "utf-8")
    assert main(["score", "run.jsonl", "-r", "run.jsonl", "--metric", "m.py:both", "--layout", "wide"]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        "                   一致                  b",
        "system         P      R     F1      P      R     F1",
        "run.jsonl  100.0  100.0  100.0  100.0  100.0  100.0",
    ]


@pytest.mark.parametrize(
    ("label", "written"),
    [("a\nb", "a⏎b"), ("a\r\n\tb", "a⏎⇥b"), ("\x1b[2J", "\\x1b[2J"), ("می\u200cروم", "می\u200cروم")],
)
def test_a_label_stays_in_its_row(tmp_path: Path, capsys: pytest.CaptureFixture[str], label: str, written: str) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text(json.dumps({"xs": [{"t": label}]}))
    words = ["score", str(run), "-r", str(run), "--metric", 'f1("xs")', "--by", "t"]
    assert main(words) == 0
    cells = capsys.readouterr().out.splitlines()[5].split("  ")
    assert cells[0] == written
    assert main([*words, "--format", "csv"]) == 0
    assert f",{label}," in capsys.readouterr().out.replace('"', "")


def test_a_label_stays_in_its_row_of_an_agreement(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [tmp_path / "ann.jsonl", tmp_path / "bob.jsonl"]
    for name in names:
        name.write_text(json.dumps({"id": "d1", "xs": [{"t": "a\nb"}]}))
    assert main(["agreement", *map(str, names), "--metric", 'f1("xs")', "--by", "t"]) == 0
    assert "label      f1  matched  first  second\na⏎b    1.0000        1      1       1\n" in capsys.readouterr().out


def test_what_is_no_sentence_is_left_out_of_the_words() -> None:
    assert words_of({"sentences": [["a", "b"], 3, None, ["c"]]}) == ("a", "b", "c")


def test_values_that_cannot_be_compared_or_written_are_shown() -> None:
    assert write_both(np.array([1, 2]), np.array([1, 2]))[0] == "array([1, 2])"
    assert write_value(10**5000) == "a number of more than 4,000 digits"
    cycle: list[Any] = []
    cycle += [cycle, cycle]
    assert write_value(cycle) == "a value that contains itself, or is nested too deeply"


def test_a_value_without_a_repr_is_named_by_its_class() -> None:
    deep: list[Any] = []
    for _ in range(200_000):
        deep = [deep]
    assert [shorten(value) for value in (deep, 10**5000, [1])] == ["<list>", "<int>", "[1]"]


class Wordless:
    __str__ = __repr__ = lambda self: None  # type: ignore[assignment]  # what Python refuses

    def __getattr__(self, name: str) -> Any:
        raise LookupError(name)


class Text(str):
    def __str__(self) -> str:
        raise LookupError("no text")


def test_values_of_classes_that_fail_are_shown_by_the_names_of_their_classes() -> None:
    assert write_value({"a": Wordless(), "b": [1, Wordless()], "c": Text("x"), "d": Text("")}) == (
        "a <Wordless>, b (1, <Wordless>), c x"
    )
    assert write_both(Wordless(), Wordless()) == ("<Wordless>", "<Wordless>")
    assert write_both(Text("7"), 7) == ('"7"', "7")
    assert words_of(Wordless()) == ()
    assert str(mw.explain(mw.eq(), ["a"], [Wordless()])).endswith("  0: a, should be <Wordless>")


def test_a_mark_that_begins_at_a_space_marks_the_word_after_it() -> None:
    words = ("the", "old", "man")
    assert in_tokens("the old man", ((3, 7, "A"), (0, 4, "B"), (7, 8, "C"))) == (
        words, ((1, 2, "A"), (0, 1, "B"), (2, 2, "C")),
    )  # fmt: skip


def test_texts_of_five_characters_have_their_difference_marked_and_shorter_ones_have_not() -> None:
    assert differences("abcde", "abcdx")[0] == (TextStretch("abcd"), TextStretch("e", True))
    assert differences("abcd", "abcx")[0] == (TextStretch("abcd"),)


def test_an_ellipsis_never_stands_for_the_last_character_alone() -> None:
    stretches = (TextStretch("a" * 20), TextStretch("b", True))
    assert shorten_stretches(stretches, 10) == (TextStretch("…"), TextStretch("a" * 8), TextStretch("b", True))


def test_a_headline_that_just_fits_is_one_line() -> None:
    view = View("d1", (), score=0.5)
    whole = "d1   0.5000   nothing on either side"
    assert to_text(view, len(whole)) == whole
    assert to_text(view, len(whole) - 1) == "d1   0.5000\nnothing on either side"


def test_a_set_of_all_sorts_is_shown_in_the_order_of_its_content() -> None:
    assert (write_value({1, "a", None}), plain({"a", 1})) == ("nothing, 1, a", [1, "a"])


@pytest.mark.parametrize(("width", "cut"), [(80, "n" * 40), (34, "n" * 27 + "…"), (12, "n" * 19 + "…")])
def test_a_note_has_the_rest_of_its_line_and_never_fewer_than_twenty_characters(width: int, cut: str) -> None:
    line = ViewLine((Chunk("ab"),), note="n" * 40)
    assert to_text(View("d1", (ViewLines("", (line,)),)), width).splitlines()[-1] == f"  ab  {cut}"


@pytest.mark.parametrize(("width", "cut"), [(4, "abc…"), (9, "abcdefgh…"), (10, "abcdefghij")])
def test_a_text_without_a_change_is_cut_at_its_end(width: int, cut: str) -> None:
    assert "".join(one.text for one in shorten_stretches((TextStretch("abcdefghij"),), width)) == cut


def test_a_stretch_between_two_changes_is_marked_with_them_if_it_is_short() -> None:
    for between, marked in (("bc", "XbcY"), ("bcd", "X|Y")):
        mine, _ = differences(f"aaaaaX{between}Yaaaaa", f"aaaaaV{between}Waaaaa")
        assert "|".join(one.text for one in mine if one.changed) == marked


@pytest.mark.parametrize(("document", "words"), [
    ({"tokens": "a b"}, ()), ({"sentences": "a b"}, ()), ({"text": "a b"}, "a b"),
    ({"words": ["a"], "text": "b"}, ("a",)),
])  # fmt: skip
def test_only_a_text_is_read_letter_by_letter(document: dict[str, Any], words: Any) -> None:
    assert words_of(document) == words


def test_an_entry_of_a_mapping_has_the_weight_of_its_value() -> None:
    phi = mw.parse('normalize(overlap("m", eq("key") * (3 * edit("value"))), "f1")')
    [row] = mw.align(phi, {"m": {"k": "abcd"}}, {"m": {"k": "abxx"}}).view().rows()
    assert (row.name, row.credit) == ("m.k", "3 × 0.5000/1")


def test_an_entry_whose_key_is_right_in_part_is_not_right() -> None:
    phi = mw.parse('normalize(overlap("m", edit("key") * eq("value")), "f1")')
    pred, ref = {"m": {"appel": 1, "pear": 2}}, {"m": {"apple": 1, "pear": 2}}
    assert str(mw.align(phi, pred, ref)).splitlines()[2:] == [
        "                               predicted  reference",
        "≈ m.appel ~ m.apple  0.6000/1",
        "  ≈ key              0.6000/1  app‹el›    app‹le›",
        "= 2 right",
    ]
    [error] = mw.explain(phi, [pred], [ref]).found
    assert str(error) == "0: m.apple: appel, 1, should be apple, 1"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (10**4_500, "a number of more than 4,000 digits"),
        (-(10**4_500), "a number of more than 4,000 digits"),
        (-12, "-12"),
        (1e14, "100000000000000"),
        (-1e14, "-100000000000000"),
        (-1e15, "-1000000000000000.0"),
        (-0.5, "-0.5"),
        (" ", '" "'),
    ],
    ids=range(8),
)
def test_numbers_and_blanks_are_written_on_both_sides_of_zero(value: Any, written: str) -> None:
    assert write_value(value) == written

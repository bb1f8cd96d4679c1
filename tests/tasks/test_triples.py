"""Triples: what is read as one, blank nodes, the presets graph, webnlg, text2kgbench and carb, kinds of errors."""

from typing import Any

import pytest

import matchwise as mw
from matchwise import Var
from matchwise.tasks import task, triples
from matchwise.tasks.triples import Triple, TripleSet, triple
from matchwise.tasks.triples.statements import compare_triples


@pytest.mark.parametrize(
    "value",
    [
        ["Ada", "born in", "Bath"],
        "Ada | born in | Bath",
        {"sub": "Ada", "rel": "born in", "obj": "Bath"},
        {"subject": "Ada", "predicate": "born in", "object": "Bath"},
        {"head": "Ada", "type": "born in", "tail": "Bath"},
    ],
)
def test_a_triple_is_written_in_many_ways(value: Any) -> None:
    assert triple(value) == Triple("Ada", "born in", "Bath")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (["Ada", "born in"], r"triples\[0\]: expected \(subject, relation, object\), found \['Ada', 'born in'\]"),
        ({"sub": "Ada"}, r"triples\[0\]: expected a triple with subj, rel and obj, found the keys sub"),
        (["Ada", None, "Bath"], r"triples\[0\]: expected texts"),
    ],
)
def test_what_is_no_triple_is_refused(value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        triples.triples([value])


def test_blank_nodes_are_matched_whatever_they_are_called() -> None:
    ref = [("bridge", "length", "_:a"), ("_:a", "value", "2467"), ("_:a", "unit", "metre")]
    pred = [("_:2", "unit", "metre"), ("bridge", "length", "_:2"), ("_:2", "value", "2467")]
    phi = triples.suite("graph")["triples"]
    assert mw.plan(phi).bounds(pred, ref) == mw.Bounds(1, 1)
    assert mw.score(phi, [("bridge", "length", "_:2"), ("_:3", "unit", "metre")], ref) == 0.4
    assert triple(["_:a", "r", "x"]).subj == Var("_:a")
    assert mw.score(phi, TripleSet((Triple("a", "r", "b"),)), {"triples": [["a", "r", "c"]]}) == 0


def test_a_blank_node_is_not_the_text_that_names_it() -> None:
    assert mw.score(triples.suite()["triples"], [("a", "r", "x")], [("a", "r", "_:x")]) == 0


def test_webnlg_reads_words_and_gives_half_credit() -> None:
    suite = triples.suite("webnlg")
    pred, ref = [("Ada_Lovelace", "birthPlace", "London (city)")], [("Ada", "birth place", "London")]
    assert {name: round(mw.score(phi, pred, ref), 4) for name, phi in suite.metrics.items()} == {
        "strict": 0.6667,
        "exact": 0.6667,
        "partial": 0.8333,
        "ent_type": 1.0,
    }
    assert mw.score(suite["strict"], [], ref) == 0


def test_webnlg_compares_a_part_with_another_one_where_it_shares_no_word() -> None:
    ref = ("ada", "born in", "bath")
    assert compare_triples(("bath", "born in", "ada"), ref) == (1 / 3, 1, 1, 1 / 3)
    assert compare_triples(("born in", "ada", "bath"), ref) == (1 / 3, 1, 1, 1 / 3)


def test_ten_triples_need_no_tries_of_their_orders() -> None:
    ref = [(f"subject {n}", "relation", f"object {n}") for n in range(10)]
    assert mw.score(triples.suite("webnlg")["strict"], ref[::-1], ref) == 1


def test_carb_takes_the_most_precise_pair_first() -> None:
    ref = [("man", "sat lay", "mat"), ("man", "sat", "rug")]
    pred = [("man", "sat", "mat"), ("man", "lay", "mat")]
    report = mw.evaluate(triples.suite("carb"), [pred], [ref])
    assert report["carb"].precision == 0.5
    assert report["optimal"].precision == pytest.approx((1 + 2 / 3) / 2)
    assert report["carb"].recall == pytest.approx((3 / 4 + 2 / 3) / 2)


def kinds(pred: Any, ref: Any) -> list[str]:
    analyse = task("triples").errors
    assert analyse is not None
    [[level]] = analyse(triples.suite(), "triples")([pred], [ref])
    return [case.kind for case in level.cases]


def test_each_kind_of_error_is_named() -> None:
    ref = [("a", "r", "_:b"), ("_:b", "s", "c")]
    assert kinds([("a", "r", "_:x"), ("_:x", "s", "c")], ref) == []
    assert kinds([("a", "r", "_:x"), ("c", "s", "_:x")], ref) == ["wrong direction"]
    assert kinds([("a", "r", "_:x"), ("_:x", "s", "d")], ref) == ["wrong object"]
    assert kinds([("a", "r", "_:x"), ("d", "s", "c")], ref) == ["wrong subject"]
    assert kinds([("a", "r", "_:x"), ("_:x", "t", "c")], ref) == ["wrong relation"]
    assert kinds([("a", "r", "_:x"), ("e", "t", "d")], ref) == ["missed", "spurious"]


def test_webnlg_reads_triples_with_empty_parts_and_with_bars():
    step = triples.webnlg_triples()
    assert step([("Lord_Byron", "", "poet")], [("a | b", "rel", "c (d)")]) == (
        [("lord byron", "", "poet")],
        [("a | b", "rel", "c")],
    )


@pytest.mark.parametrize(
    ("pred", "ref", "strict", "partial"),
    [
        (("-- ada", "born", "x"), ("ada", "born", "x"), 2 / 3, 5 / 6),  # of a prediction, longer signs stay words
        (("- ada", "born", "x"), ("ada", "born", "x"), 1, 1),
        (("ada", "born", "x"), ("-- ada", "born", "x"), 1, 1),  # of a reference none is left
        (("ada", "born", "x"), ("- ada", "born", "x"), 1, 1),
    ],
)
def test_webnlg_leaves_out_signs_as_its_script_does(
    pred: tuple[str, str, str], ref: tuple[str, str, str], strict: float, partial: float
) -> None:
    found = compare_triples(pred, ref)
    assert (found.strict, found.partial) == pytest.approx((strict, partial))

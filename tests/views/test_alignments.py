"""Who was matched with whom: pairs, paths, what was missed and what is spurious, on examples worked by hand."""

import json
from dataclasses import dataclass
from enum import Enum
from random import Random
from textwrap import dedent
from typing import Any

import pytest

from matchwise import (
    align,
    best,
    custom,
    edit,
    eq,
    f1,
    harmonic,
    latent,
    mean,
    normalize,
    overlap,
    precision,
    recall,
    score,
    subset,
    union,
    var,
)
from matchwise.algebra.nodes import Similarity
from matchwise.tasks import roles
from matchwise.tasks.ner import Mention
from matchwise.views.alignment import align_all
from matchwise.views.html import to_html


@dataclass(frozen=True)
class Line:
    product: str
    price: float | None = None


@dataclass(frozen=True)
class Order:
    number: int
    lines: tuple[Line, ...]


PRED = Order(7, (Line("pencil", 2.0), Line("ink", 5.0), Line("cup", 1.0)))
REF = Order(8, (Line("ink", 4.0), Line("pencils", 2.0)))
line = edit("product") + eq("price")
order = normalize(2 * eq("number") + overlap("lines", line), "f1")


def paths(alignment: Any) -> list[tuple[str, str]]:
    return [(pair.pred_path, pair.ref_path) for pair in alignment]


def test_the_elements_of_a_collection_are_paired_with_their_paths() -> None:
    found = align(f1("lines", line), PRED, REF)
    assert paths(found) == [("lines[0]", "lines[1]"), ("lines[1]", "lines[0]")]


def test_what_no_reference_was_matched_with_is_spurious() -> None:
    [part] = align(f1("lines", line), PRED, REF).inner.spurious
    assert (part.path, part.value, part.score) == ("lines[2]", Line("cup", 1.0), 2)


def test_what_no_prediction_was_matched_with_is_missed() -> None:
    [part] = align(f1("lines", line), REF, PRED).inner.missed
    assert (part.path, part.value, part.score) == ("lines[2]", Line("cup", 1.0), 2)


def test_the_score_of_a_pair_is_that_of_the_inner_similarity() -> None:
    first, second = align(f1("lines", line), PRED, REF)
    assert float(first.score) == score(line, PRED.lines[0], REF.lines[1])
    assert second.score == 1  # the product, not the price


def test_the_leaves_are_all_pairs_of_values() -> None:
    found = [(leaf.pred_path, leaf.pred, leaf.ref) for leaf in align(order, PRED, REF).leaves()]
    assert found == [
        ("number", 7, 8),
        ("lines[0].product", "pencil", "pencils"),
        ("lines[0].price", 2.0, 2.0),
        ("lines[1].product", "ink", "ink"),
        ("lines[1].price", 5.0, 4.0),
    ]


def test_a_field_of_a_sum_that_one_side_lacks_is_missed_or_spurious() -> None:
    found = align(line, Line("ink"), Line("ink", 4.0))
    assert [(part.path, part.value, part.score) for part in found.missed] == [("price", 4.0, 1)]
    assert found.spurious == ()


def test_a_field_that_both_sides_lack_is_not_mentioned() -> None:
    found = align(line, Line("ink"), Line("ink"))
    assert ([pair.pred_path for pair in found], found.missed, found.spurious) == (["product"], (), ())


def test_weights_stand_beside_the_pairs_of_a_sum() -> None:
    number, lines = align(order, PRED, REF)
    assert (number.weight, number.score, lines.weight) == (2, 0, 1)


def test_a_record_prints_as_a_tree_of_its_fields() -> None:
    # edit("pencil", "pencils") = 6/7
    assert str(align(normalize(eq("number") + overlap("lines", line), "f1"), PRED, REF)).splitlines() == [
        'normalize(eq("number") + overlap("lines", edit("product") + eq("price… 0.4762',
        "2 wrong, 1 partial, 1 spurious (2 values), 2 right",
        "2.8571 matched, 7 predicted, 5 reference",
        "                         predicted             reference",
        "≠ number                 7                     8",
        "≈ lines        2.8571/6",
        "  ≈ [0] ~ [1]  1.8571/2",
        "    ≈ product  0.8571/1  pencil                pencil‹s›",
        "  ≈ [1] ~ [0]       1/2",
        "    ≠ price              5                     4",
        "  + [2]             0/2  product cup, price 1",
        "= 2 right",
    ]


def test_the_rows_show_what_is_right_wrong_missed_and_spurious() -> None:
    relation = eq("type") * eq("subj")
    x = {"rels": [{"type": "a", "subj": 1}, {"type": "b", "subj": 1}]}
    y = {"rels": [{"type": "b", "subj": 1}, {"type": "c", "subj": 2}]}
    assert (
        str(align(f1("rels", relation), x, y))
        == dedent(
            """
        f1("rels", eq("type") * eq("subj")) 0.5000   1 missed, 1 spurious, 1 right
        1 matched, 2 predicted, 2 reference
                   predicted       reference
        − rels[1]                  type c, subj 2
        + rels[0]  type a, subj 1
        = 1 right
        """
        ).strip()
    )


def test_an_alignment_can_be_walked_many_times() -> None:
    found = align(order, PRED, REF)
    assert list(found.walk()) == list(found.walk())
    assert list(found) == list(found)


def test_it_is_plain_json() -> None:
    read = json.loads(align(f1("lines", eq("product")), PRED, REF).to_json())
    assert read["kind"] == "normalize"
    [match] = read["pairs"]
    assert match["pairs"][0]["pred"] == {"path": "lines[1].product", "value": "ink"}
    assert match["spurious"][1] == {"path": "lines[2]", "value": {"product": "cup", "price": 1.0}, "score": 1.0}


class Colour(Enum):
    RED = "red"


def test_values_without_a_json_form_are_written_as_json_can_hold_them() -> None:
    x = {"xs": [{1, 2}, Colour.RED, float("inf"), b"a", range(2)]}
    read = json.loads(align(overlap("xs"), x, {"xs": []}).to_json())
    assert [part["value"] for part in read["spurious"]] == [[1, 2], "red", "inf", "b'a'", [0, 1]]


def test_unicode_stays_readable() -> None:
    assert '"été"' in align(overlap(None), ["été"], ["été"]).to_json()


# Equal optima


def test_equal_optima_are_broken_by_content_not_by_position() -> None:
    one, two = {"k": 1, "note": "a"}, {"k": 1, "note": "b"}
    for pred in ([one, two], [two, one]):
        [pair] = align(overlap(None, eq("k")), pred, [{"k": 1}])
        assert pred[int(pair.pred_path[1])] is one


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N"])
def test_the_same_parts_are_matched_whatever_order_they_come_in(match: Any) -> None:
    def likely(x: dict[str, Any], y: dict[str, Any]) -> float:
        return 0.5

    preds = [{"note": note} for note in "cab"]
    refs = [{"note": note} for note in "yx"]
    found = set()
    for p, r in ((preds, refs), (preds[::-1], refs), (preds, refs[::-1])):
        pairs = align(overlap(None, custom(likely), match=match), p, r).pairs
        found.add(frozenset((pair.pred["note"], pair.ref["note"]) for pair in pairs))
    assert len(found) == 1


def test_the_best_pair_among_equals_is_chosen_by_content() -> None:
    for pred in (["b", "a"], ["a", "b"]):
        [pair] = align(best(), pred, ["a", "b"]).pairs
        assert (pair.pred, pair.ref) == ("a", "a")


def test_pairs_of_weight_0_are_dropped() -> None:
    found = align(overlap(None, edit()), ["abc"], ["xyz"])
    assert (found.pairs, len(found.missed), len(found.spurious)) == ((), 1, 1)


def test_a_matching_chosen_by_another_similarity_shows_pairs_without_credit() -> None:
    phi = overlap(None, eq("value"), align_by=eq("id"))
    [pair] = align(phi, [{"id": 1, "value": "a"}], [{"id": 1, "value": "b"}]).pairs
    assert pair.score == 0


# Every kind of node


def test_a_sequence_is_aligned_without_crossings() -> None:
    found = align(overlap(None, order="sequence"), ["b", "a", "c"], ["a", "b", "c"])
    pairs = [(int(a[1]), int(b[1])) for a, b in paths(found)]
    assert len(pairs) == 2
    assert all((i - k) * (j - m) >= 0 for i, j in pairs for k, m in pairs)


def test_positions_are_aligned_with_themselves() -> None:
    assert paths(align(overlap(None, order="index"), ["a", "b"], ["a", "x", "b"])) == [("[0]", "[0]")]


def test_several_predictions_may_share_a_reference() -> None:
    assert paths(align(overlap(None, match="N:1"), ["a", "a"], ["a"])) == [("[0]", "[0]"), ("[1]", "[0]")]


@pytest.mark.parametrize(
    ("phi", "kinds"),
    [
        (f1("xs"), ["normalize", "match", "leaf"]),
        (overlap("xs") - 1, ["bracket", "match", "leaf"]),
        (f1("xs") > 0.5, ["bracket", "normalize", "match", "leaf"]),
        (eq("k") * overlap("xs"), ["product", "leaf", "match", "leaf"]),
        (eq("k") + eq("l"), ["sum", "leaf", "leaf"]),
        (mean(eq("k"), eq("l")), ["mean", "leaf", "leaf"]),
        (harmonic(precision("xs"), recall("xs")), ["mean"] + 2 * ["normalize", "match", "leaf"]),
        (best("xs"), ["bracket", "leaf"]),
        (union("k", {int: eq()}), ["leaf"]),
        (subset("xs"), ["leaf"]),
        (eq(), ["leaf"]),
    ],
    ids=repr,
)
def test_the_kinds_of_the_nodes(phi: Any, kinds: list[str]) -> None:
    x = {"k": 1, "l": 2, "xs": ["a"]}
    found = align(phi, x, x)
    assert [node.kind for node in found.walk()] == kinds
    assert found.score == score(phi, x, x)


def test_values_of_different_types_meet_without_credit() -> None:
    found = align(union("v", {int: eq(), str: edit()}), {"v": 1}, {"v": "a"})
    assert (found.kind, found.score, found.pred, found.ref) == ("leaf", 0, 1, "a")


def test_two_empty_objects_have_an_empty_alignment() -> None:
    found = align(f1("xs"), {"xs": []}, {"xs": []})
    assert (found.score, list(found), found.inner.missed, found.inner.spurious) == (1, [], (), ())


def test_a_data_class_that_says_how_it_reads_is_shown_so() -> None:
    found = align(roles.suite()["ceaf_ree"], {"Weapon": [["bomb", (3, 5)]]}, {})
    assert "+ spurious  Weapon: bomb / 3–5" in str(found)


def test_an_alignment_that_a_limit_stopped_says_that_it_is_not_proved() -> None:
    random = Random(1)

    def graph() -> dict[str, Any]:
        names = [f"v{number}" for number in range(60)]
        return {"edges": [{"x": random.choice(names), "y": random.choice(names)} for _ in range(120)]}

    phi = latent(f1("edges", var("x") * var("y")))
    found = align(phi, graph(), graph(), time_limit=0.01)
    assert not found.proved
    assert found.to_dict()["proved"] is False
    assert "the best found within the limits, not proved" in str(found).splitlines()


def test_several_documents_are_aligned_together_as_each_is_alone() -> None:
    phi = f1("xs", eq("a") + edit("b"))
    preds: list[Any] = [{"xs": [{"a": 1, "b": "ab"}, {"a": 2}]}, {"xs": []}, {"xs": [{"b": "ac"}]}]
    refs: list[Any] = [{"xs": [{"a": 1, "b": "abc"}]}, {"xs": [{"a": 3}]}, {"xs": [{"b": "ac"}]}]
    alone = [align(phi, pred, ref) for pred, ref in zip(preds, refs, strict=True)]
    assert list(align_all(phi, preds, refs)) == alone
    assert list(align_all(phi, preds, refs, time_limit=60)) == alone
    assert [found.score for found in alone] == [pytest.approx(2 * (1 + 2 / 3) / 5, abs=1e-12), 0, 1]


def test_an_alignment_that_was_finished_within_its_limits_is_proved() -> None:
    found = align(f1("xs"), {"xs": [1]}, {"xs": [1]}, time_limit=5.0)
    assert found.proved
    assert "proved" not in found.to_dict()


def halve(pred: str, ref: str) -> float:
    assert (pred, ref) == ("pred", "ref")
    return 0.5


@pytest.mark.parametrize(
    "phi",
    [
        custom(halve),
        mean(custom(halve), custom(halve)),
        custom(halve) >= 0.5,
        best(None, custom(halve)),
        union(None, {str: custom(halve)}),
        mean(custom(halve) * custom(halve)),
        harmonic(custom(halve), custom(halve)),
    ],
)
def test_a_function_outside_of_sums_is_given_a_prediction_and_a_reference_only(phi: Similarity) -> None:
    sides = (["pred"], ["ref"]) if "best" in repr(phi) else ("pred", "ref")
    found = align(phi, *sides)
    assert found.score == score(phi, *sides)
    assert (found.predicted, found.reference) == (1, 1)


def test_places_are_shown_in_the_words_of_the_reference_where_the_words_differ() -> None:
    pred = {"words": ["x", "y"], "mentions": [Mention((0, 1), "PER")]}
    ref = {"words": ["a", "b"], "mentions": [Mention((1, 2), "PER")]}
    shown = str(align(f1("mentions"), pred, ref))
    assert shown.splitlines()[-2:] == ["predicted  +[a PER] b", "reference  a −[b PER]"]
    assert "+[x PER] y" in str(align(f1("mentions"), pred, {"mentions": ref["mentions"]}))


def test_html_shows_long_values_whole_if_asked() -> None:
    view = align(f1("xs"), {"xs": ["a" * 400]}, {"xs": ["b" * 400]}).view()
    assert "a" * 400 in to_html(view, whole=True)
    assert "a" * 400 not in to_html(view)


def test_html_shows_all_rows_if_asked() -> None:
    view = align(f1("xs"), {"xs": [f"p{number}." for number in range(999)]}, {"xs": []}).view()
    assert "p998." in to_html(view, whole=True)
    assert "p998." not in to_html(view)

"""Values worked by hand, asked from outside: of two objects, of many documents, of short lists and of long ones.

Lists of 66 elements are long enough for whatever is computed in tables, lists of 1 and 3 for whatever is not.
"""

from fractions import Fraction
from math import isclose
from string import ascii_lowercase
from typing import Any

import pytest

from matchwise import (
    Counts,
    DataError,
    Similarity,
    align,
    best,
    close,
    custom,
    edit,
    eq,
    evaluate,
    f1,
    fbeta,
    jaccard,
    mean,
    normalize,
    overlap,
    precision,
    recall,
    score,
)
from matchwise.algebra.nodes import Match
from matchwise.engine.reference import score as by_definition

SIZES = [1, 3, 66]
CODES = [a + b for a in ascii_lowercase for b in ascii_lowercase]


def check(phi: Similarity, pred: Any, ref: Any, exact: Any) -> None:
    """φ is this number: as a score, as an alignment, and as a document among few and many."""
    found = [score(phi, pred, ref), float(align(phi, pred, ref).score)]
    found += evaluate(phi, [pred], [ref])["score"].per_document
    if len(str(pred)) < 1000:
        found += evaluate(phi, [pred] * 40, [ref] * 40)["score"].per_document
    assert all(isclose(value, exact, rel_tol=1e-12, abs_tol=1e-12) for value in found), (set(found), exact)


def check_counts(phi: Similarity, pred: Any, ref: Any, matched: Any, predicted: Any, reference: Any) -> None:
    assert evaluate(phi, [pred], [ref])["score"].counts == Counts(matched, predicted, reference)
    many = evaluate(phi, [pred] * 40, [ref] * 40)["score"].counts
    assert many == Counts(40 * matched, 40 * predicted, 40 * reference)


# All pairs


def test_equal_elements_of_a_bag_meet_each_other_when_all_may_meet_all() -> None:
    pred, ref = {"xs": ["a", "a", "b"]}, {"xs": ["a", "c"]}
    check_counts(f1("xs", match="N:N"), pred, ref, 2, 5, 2)
    check(f1("xs", match="N:N"), pred, ref, 4 / 7)
    check(precision("xs", match="N:N"), pred, ref, 2 / 5)
    check(recall("xs", match="N:N"), pred, ref, 1)
    check(jaccard("xs", match="N:N"), pred, ref, 2 / 5)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
def test_bags_with_equal_elements_inside_elements(size: int, match: Any) -> None:
    pred = {"items": [{"k": code, "xs": [code, code, "?"]} for code in CODES[:size]]}
    ref = {"items": [{"k": code, "xs": [code]} for code in CODES[:size]]}
    matched, own, other = {"1:1": (1, 3, 1), "N:1": (2, 3, 1), "1:N": (1, 3, 1), "N:N": (2, 5, 1)}[match]
    check(overlap("items", f1("xs", match=match)), pred, ref, size * Fraction(2 * matched, own + other))
    check_counts(f1("items", eq("k") * overlap("xs", match=match)), pred, ref, size * matched, size * own, size * other)


@pytest.mark.parametrize("size", SIZES)
def test_graded_elements_meet_each_other_when_all_may_meet_all(size: int) -> None:
    pred, ref = {"xs": [{"w": "ab"}, {"w": "ab"}, {"w": "ac"}] * size}, {"xs": [{"w": "ab"}]}
    # Σ(P, P) = size² · (4 · 1 + 4 · 1/2 + 1)
    check_counts(f1("xs", edit("w"), match="N:N"), pred, ref, 2.5 * size, 7 * size**2, 1)


# Thresholds


def same_end(x: str, y: str) -> float:
    """1/2 of two different words with the same end."""
    return 1.0 if x == y else 0.5 if x[-2:] == y[-2:] else 0.0


def same_ends(xs: list[str], ys: list[str]) -> list[list[float]]:
    return [[same_end(x, y) for y in ys] for x in xs]


HALVES = [edit("w"), custom(same_end, "w"), custom(same_ends, "w", batch=True), mean(eq("v"), edit("u")), f1("bag")]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("half", HALVES, ids=repr)
def test_a_value_at_the_threshold_passes_it_only_where_equal_is_enough(half: Similarity, size: int) -> None:
    def items(other: str, number: int) -> list[dict[str, Any]]:
        return [
            {"w": other * 2 + code, "u": other * 2 + code, "v": number, "bag": [other + code, code]}
            for code in CODES[:size]
        ]

    pred, ref = {"items": items("!", 1)}, {"items": items("?", 1)}
    if half == mean(eq("v"), edit("u")):
        ref = {"items": [{**item, "v": 2, "u": item["u"].replace("?", "!")} for item in ref["items"]]}
    check(overlap("items", half >= 0.5), pred, ref, size)
    check(overlap("items", half > 0.5), pred, ref, 0)
    check(overlap("items", half > 0.49), pred, ref, size)
    check(overlap("items", half >= 0.51), pred, ref, 0)
    check(f1("items", half - 0.25), pred, ref, 1 / 3)
    check(overlap("items", half - 0.5), pred, ref, 0)


@pytest.mark.parametrize("size", SIZES)
def test_numbers_at_the_edge_of_a_tolerance_are_close(size: int) -> None:
    pred, ref = ({"items": [{"n": 10 * n + shift} for n in range(size)]} for shift in (0, 2))
    for tolerance, found in ((1.5, 0), (2, size), (2.5, size)):
        check(overlap("items", close("n", abs=tolerance) >= 1), pred, ref, found)


# Normalisers


def same_head(x: str, y: str) -> int:
    return int(x[:2] == y[:2])


def same_heads(xs: list[str], ys: list[str]) -> list[list[int]]:
    return [[same_head(x, y) for y in ys] for x in xs]


UNIT = ("symmetric", "unit", "left", "right")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "word",
    [
        eq("head"),
        custom(same_head, "text"),
        custom(same_head, "text", facts=UNIT),
        custom(same_heads, "text", batch=True),
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    ("normalised", "exact"),
    [
        (precision, Fraction(1, 2)),
        (recall, Fraction(1, 3)),
        (f1, Fraction(2, 5)),
        (jaccard, Fraction(1, 4)),
    ],
)
def test_collections_of_two_and_three_that_share_one(normalised: Any, exact: Fraction, word: Any, size: int) -> None:
    pred, ref = two_and_three(size)
    check(overlap("items", normalised("words", word)), pred, ref, size * exact)
    check(f1("items", normalised("words", word)), pred, ref, exact)
    check(jaccard("items", normalised("words", word)), pred, ref, exact / (2 - exact))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "word", [eq("head"), custom(same_head, "text"), custom(same_heads, "text", batch=True)], ids=repr
)
def test_recall_weighs_as_much_as_beta_says(word: Similarity, size: int) -> None:
    pred, ref = two_and_three(size)
    # (1 + β²) · 1 / (2 + β² · 3)
    check(overlap("items", fbeta("words", word, beta=2)), pred, ref, size * Fraction(5, 14))
    check(overlap("items", fbeta("words", word, beta=0.5)), pred, ref, size * Fraction(5, 11))


def two_and_three(size: int) -> tuple[Any, Any]:
    def words(*heads: str) -> list[dict[str, str]]:
        return [{"head": head, "text": head + str(place)} for place, head in enumerate(heads)]

    pred = {"items": [{"words": words(code, "!!")} for code in CODES[:size]]}
    ref = {"items": [{"words": words("??", code, "..")} for code in CODES[:size]]}
    return pred, ref


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("empty", [1, 0, 0.5])
def test_two_empty_collections_score_what_is_said_of_them(empty: float, size: int) -> None:
    nothing = {"items": [{"words": []}] * size}
    something = {"items": [{"words": [{"head": "a", "text": "a"}]}] * size}
    for word in (eq("head"), custom(same_head, "text")):
        check(overlap("items", f1("words", word, empty=empty)), nothing, nothing, size * empty)
        check(overlap("items", jaccard("words", word, empty=empty)), nothing, something, 0)
        check(overlap("items", precision("words", word, empty=empty)), nothing, something, size * empty)
        check(overlap("items", recall("words", word, empty=empty)), something, nothing, size * empty)


# Alignments by another similarity


def nearness(x: Any, y: Any) -> float:
    return float(GIVEN[x["by"], y["by"]])


GIVEN = {("a", "a"): 0.5, ("b", "b"): 0.5, ("a", "b"): 0.6, ("b", "a"): 0.3}


@pytest.mark.parametrize("unit", [1e-12, 1e-6, 0.1])
@pytest.mark.parametrize("size", [2, 12])
def test_the_smallest_advantage_by_align_by_outweighs_all_that_the_inner_similarity_adds(
    unit: float, size: int
) -> None:
    def ring(x: int, y: int) -> float:
        """Everyone with himself, by a hair, rather than with his neighbour."""
        return 0.5 + (unit if x == y == 0 else 0) if y in (x, (x + 1) % size) else 0.0

    pred = {"xs": [{"place": n, "value": n} for n in range(size)]}
    ref = {"xs": [{"place": n, "value": (n - 1) % size} for n in range(size)]}
    check(overlap("xs", eq("value"), align_by=custom(ring, "place")), pred, ref, 0)
    check(overlap("xs", 1000 * eq("value"), align_by=custom(ring, "place")), pred, ref, 0)


def test_the_alignment_is_the_best_by_align_by_and_scored_by_the_inner_similarity() -> None:
    pred = {"xs": [{"by": "a", "v": 1}, {"by": "b", "v": 2}]}
    ref = {"xs": [{"by": "a", "v": 2}, {"by": "b", "v": 1}]}
    check(overlap("xs", eq("v"), align_by=custom(nearness)), pred, ref, 0)
    check(overlap("xs", eq("v"), align_by=custom(nearness), match="N:1"), pred, ref, 1)
    check(overlap("xs", eq("v"), align_by=custom(nearness), match="1:N"), pred, ref, 1)
    check(overlap("xs", eq("v"), align_by=custom(nearness), match="N:N"), pred, ref, 2)
    check(overlap("xs", eq("v"), align_by=custom(nearness), order="index"), pred, ref, 0)


@pytest.mark.parametrize("size", SIZES)
def test_among_equal_alignments_the_best_by_the_inner_similarity_is_taken(size: int) -> None:
    pred = {"xs": [{"type": "t", "v": n} for n in range(size)]}
    ref = {"xs": [{"type": "t", "v": size - n} for n in range(size)]}
    check(f1("xs", eq("v"), align_by=eq("type")), pred, ref, Fraction(size - 1, size))


# The best pair


def smaller(x: int, y: int) -> int:
    return min(x, y)


@pytest.mark.parametrize("facts", [(), ("symmetric", "left", "right")])
def test_the_best_pair_of_a_collection_with_itself(facts: tuple[str, ...]) -> None:
    phi = custom(smaller, unnormalized=True, facts=facts)
    pred, ref = {"xs": [1, 4, 3]}, {"xs": [2, 1]}
    check_counts(normalize(eq("y") + best("xs", phi), "f1"), {**pred, "y": 1}, {**ref, "y": 1}, 3, 5, 3)
    check(normalize(best("xs", phi), "f1"), pred, ref, 4 / 6)
    check(normalize(best("xs", phi), "precision"), pred, ref, 2 / 4)
    check(normalize(best("xs", phi), "recall"), pred, ref, 1)
    check(normalize(best("xs", phi), "jaccard"), pred, ref, 1 / 2)


def larger(x: int, y: int) -> int:
    return max(x, y) if x != y else 0


@pytest.mark.parametrize("size", SIZES)
def test_the_best_pair_of_a_collection_with_itself_may_be_two_elements(size: int) -> None:
    phi = best("xs", custom(larger, unnormalized=True))
    pred, ref = {"items": [{"xs": [1, 4, 3]}] * size}, {"items": [{"xs": [2]}] * size}
    check(overlap("items", normalize(phi, "precision")), pred, ref, size)
    check(overlap("items", normalize(phi, "f1", empty=0)), pred, ref, size * 2)
    check_counts(normalize(2 * overlap("items", phi), "f1"), pred, ref, 8 * size, 8 * size, 0)


def test_the_best_pair_of_nothing_scores_nothing() -> None:
    check(normalize(best("xs"), "f1", empty=0.5), {"xs": []}, {"xs": []}, 0.5)
    check(normalize(best("xs"), "f1"), {"xs": []}, {"xs": ["a"]}, 0)


@pytest.mark.parametrize(
    ("phi", "exact"),
    [
        (mean(eq("a"), Fraction(2, 3) * eq("a")), 1.0),
        (mean(eq("a"), 2 * eq("b") + Fraction(2, 3) * eq("a")), (1 + 2 / 3) / 2),
    ],
)
def test_fractions_in_a_mean_round_alike_over_lists_and_arrays(phi: Similarity, exact: float) -> None:
    pred, ref = {"a": "x", "b": 1}, {"a": "x", "b": 2}
    assert score(phi, pred, ref) == exact
    assert evaluate(phi, [pred] * 64, [ref] * 64)["score"].counts.matched == 64 * exact


@pytest.mark.parametrize("outer", ["1:1", "N:1", "1:N", "N:N"])
@pytest.mark.parametrize("inner", ["1:1", "N:1", "1:N", "N:N"])
@pytest.mark.parametrize("documents", [1, 40])
def test_a_collection_of_collections_counts_itself_as_the_reference_does(
    outer: Match, inner: Match, documents: int
) -> None:
    document = {"xs": [["a", "a", "b"], ["a"], ["b", "b"], []]}
    phi = overlap("xs", overlap(None, match=inner), match=outer)
    counts = evaluate(normalize(phi, "f1"), [document] * documents, [document] * documents)["score"].counts
    assert counts.predicted == counts.reference == documents * by_definition(phi, document, document)


FIELDS = 0.1 * eq("a") + 0.2 * eq("b") + eq("c") + 0.3 * eq("d")
"""Weights whose sum depends on the order of adding."""


@pytest.mark.parametrize("size", [1, 3, 40])
def test_fields_are_added_in_the_order_in_which_they_are_written(size: int) -> None:
    full, other = {"a": "x", "b": 2.5, "c": 1, "d": [1]}, {"a": "x", "b": 2.5, "c": True, "d": (1,)}
    counts = evaluate(normalize(FIELDS, "f1"), [full] * size, [other] * size).table().rows
    assert counts.tolist() == [0.1 + 0.2 + 0.3, 0.1 + 0.2 + 1 + 0.3, 0.1 + 0.2 + 1 + 0.3, 0.1 + 0.2 + 0.3] * size


@pytest.mark.parametrize("size", [1, 3, 40])
def test_a_field_that_is_missing_none_or_empty_equals_nothing(size: int) -> None:
    phi = eq("a") + eq("b") + eq("c") + 0.5 * eq("d")
    pred, ref = {"a": None, "b": [], "d": 1}, {"a": None, "b": {}, "c": 0, "d": 1.0}
    counts = evaluate(normalize(phi, "f1"), [pred] * size, [ref] * size).table().rows
    assert counts.tolist() == [0.5, 0.5, 1.5, 0.5] * size


def test_a_field_that_cannot_be_compared_is_named() -> None:
    with pytest.raises(DataError, match=r"^reference: xs\[1\]\.b: found NaN"):
        score(f1("xs", eq("a") + eq("b")), {"xs": [{"a": 1, "b": 2}]}, {"xs": [{"a": 1}, {"a": 1, "b": float("nan")}]})

"""Beyond the paper: an edit distance is Σ(x, x) + Σ(y, y) − 2 Σ(x, y), and L and E are read from it."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise import (
    Counts,
    ExpressionError,
    Similarity,
    Suite,
    Tally,
    align,
    compare,
    consensus,
    custom,
    duplicates,
    edit,
    eq,
    error_rate,
    evaluate,
    f1,
    latent,
    matrix,
    mean,
    nearest,
    normalize,
    overlap,
    parse,
    reward,
    score,
    substitute,
    var,
)

Value = Callable[[Similarity, Any, Any], Fraction]

WER = error_rate(order="sequence")
LEVENSHTEIN = normalize(overlap(None, substitute(), order="sequence"), "edit")

lists = st.lists(st.sampled_from("abc"), max_size=7)


def test_a_change_earns_what_it_does_not_cost(value: Value) -> None:
    assert value(substitute(), "a", "a") == 1
    assert value(substitute(), "a", "b") == Fraction(1, 2)
    assert value(substitute(cost=0.5), "a", "b") == Fraction(3, 4)
    assert value(substitute(edit()), "cats", "cat") == Fraction(7, 8)
    assert substitute(eq("x"), cost=2) == eq("x")


def test_the_error_rate_is_the_edits_over_the_reference(value: Value) -> None:
    # One word changed, one missing, of four.
    assert value(WER, ("a", "hat", "sat"), ("a", "cat", "sat", "up")) == Fraction(2, 4)
    assert value(WER, ("a", "b", "c"), ("a",)) == 2
    assert value(WER, (), ("a", "b")) == 1
    # Without a reference, it is the insertions (jiwer); and nothing for nothing is right.
    assert value(WER, ("a", "b"), ()) == 2
    assert value(WER, (), ()) == 0


def test_the_edit_similarity_is_one_minus_the_distance_over_the_larger_side(value: Value) -> None:
    assert value(LEVENSHTEIN, ("a", "hat", "sat"), ("a", "cat", "sat", "up")) == Fraction(1, 2)
    assert value(LEVENSHTEIN, (), ()) == 1
    assert value(LEVENSHTEIN, (), ("a",)) == 0
    # Where a change costs 2 the distance may be above the larger side.
    assert value(normalize(overlap(order="sequence"), "edit"), ("a",), ("b",)) == 0


def test_f1_is_the_edit_similarity_by_the_sum_of_both_sides(value: Value) -> None:
    x, y = ("a", "hat", "sat"), ("a", "cat", "sat", "up")
    assert value(f1(None, substitute(), order="sequence"), x, y) == 1 - Fraction(2, 7)


def test_the_letters_of_a_word_are_what_edit_compares() -> None:
    for x, y in (("kitten", "sitting"), ("", "ab"), ("flaw", "lawn"), ("same", "same")):
        assert score(LEVENSHTEIN, list(x), list(y)) == pytest.approx(score(edit(), x, y), abs=1e-15)


def weigh(pred: str, ref: str) -> Fraction:
    """To delete or insert a vowel costs 2, anything else 1; a change costs 1."""
    return Fraction((1 + (pred in "ae")) + (1 + (ref in "ae")) - (pred != ref), 2)


@given(lists, lists)
def test_elements_that_cost_more_have_a_larger_self_score(x: list[str], y: list[str]) -> None:
    phi = error_rate(None, custom(weigh, unnormalized=True, facts=("symmetric", "left", "right")), order="sequence")

    @cache
    def distance(i: int, j: int) -> int:
        if not i or not j:
            return sum(1 + (one in "ae") for one in x[:i] + y[:j])
        return min(
            distance(i - 1, j) + 1 + (x[i - 1] in "ae"),
            distance(i, j - 1) + 1 + (y[j - 1] in "ae"),
            distance(i - 1, j - 1) + (x[i - 1] != y[j - 1]),
        )

    assert score(phi, x, y) == distance(len(x), len(y)) / (sum(1 + (one in "ae") for one in y) or 1)


@given(st.lists(st.tuples(lists, lists), min_size=1, max_size=6), st.integers(0, 6))
def test_error_rates_add_up_over_documents_as_counts_do(documents: list[tuple[list[str], list[str]]], at: int) -> None:
    preds, refs = [pred for pred, _ in documents], [ref for _, ref in documents]
    report = evaluate(WER, preds, refs)["score"]
    length = sum(map(len, refs))
    edits = sum(score(WER, pred, ref) * (len(ref) or 1) for pred, ref in documents)
    assert report.value == pytest.approx(edits / (length or 1), abs=1e-12)
    halves = [Tally(WER) for _ in range(2)]
    for place, (pred, ref) in enumerate(documents):
        halves[place >= at].add(pred, ref)
    assert sum(halves[1:], halves[0]).report()["score"].counts == report.counts
    assert report.per_document == [score(WER, pred, ref) for pred, ref in documents]


def test_counts_have_an_error_rate() -> None:
    assert Counts(4.5, 5, 6).error_rate() == 2 / 6
    assert Counts(0, 3, 0).error_rate() == 3
    assert Counts().error_rate() == 0


def test_the_edit_similarity_of_a_corpus_is_the_mean_of_its_documents() -> None:
    preds, refs = [["a", "b"], ["a"]], [["a", "c"], ["a"]]
    assert evaluate(Suite(edit=LEVENSHTEIN), preds, refs)["edit"].value == 0.75
    assert evaluate(Suite(edit=mean(LEVENSHTEIN)), preds, refs)["edit"].value == 0.75


def test_an_alignment_has_the_words_that_were_changed() -> None:
    found = align(WER, ["the", "cat", "sat", "on", "mat"], ["the", "cat", "sits", "on", "the", "mat"])
    pairs = [(pair.pred, pair.ref, pair.score) for pair in found.leaves()]
    assert ("sat", "sits", 0.0) in pairs
    assert [missed.value for missed in found.pairs[0].missed] == ["the"]


@given(lists, lists)
def test_long_and_short_ways_are_one(x: list[str], y: list[str]) -> None:
    """A change that costs 1 is matched bit by bit, any other row by row."""
    slow = overlap(None, substitute(custom(alike, facts=("symmetric", "unit"))), order="sequence")
    assert score(overlap(None, substitute(), order="sequence"), x, y) == score(slow, x, y)


def alike(pred: object, ref: object) -> bool:
    return pred == ref


def test_the_text_reads_back() -> None:
    for text in (
        'error_rate("words", order="sequence")',
        'error_rate("words", eq(), order="sequence")',
        'error_rate("words", substitute(edit(), cost=0.5))',
        'normalize(overlap("words", match="N:1"), "error_rate")',
        'normalize(overlap("tree", substitute(eq("tag")), order="tree"), "edit", empty=0)',
    ):
        assert repr(parse(text)) == text


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(ExpressionError, match=r"cost=3: a deletion and an insertion cost 2"):
        substitute(cost=3)
    with pytest.raises(ExpressionError, match=r"empty=0 does not go with an error rate"):
        normalize(overlap(), "error_rate", empty=0)
    with pytest.raises(ExpressionError, match=r'write normalize\(latent\(overlap\("xs", var\(\)\)\), "error_rate"\)'):
        latent(error_rate("xs", var()))


def test_the_highest_error_rates_are_the_worst_documents() -> None:
    report = evaluate(WER, [["a"], ["b"], ["a", "b", "c"]], [["a"], ["a"], ["a"]])
    assert report.worst() == [(2, 2.0), (1, 1.0)]


def test_the_best_of_several_references_has_the_lowest_error_rate() -> None:
    report = evaluate(WER, [["a", "b"]], [[["a", "c"], ["a", "b", "c"], ["d"]]], references="any")
    assert report["score"].value == 1 / 3


def test_a_lower_error_rate_is_better() -> None:
    refs = [["a", "b", "c"]] * 20
    reports = {
        name: evaluate(WER, [pred] * 20, refs) for name, pred in (("worse", ["x", "y", "c"]), ("better", refs[0]))
    }
    found = compare(reports)
    assert "error_rate" in [row.score for row in found.improvements()]
    assert found.regressions() == []
    assert found["score"].gain == -found["score"].difference > 0


def test_what_looks_for_the_most_similar_refuses_an_error_rate() -> None:
    for ask in (nearest, duplicates, consensus, matrix):
        with pytest.raises(
            ExpressionError, match=r'is an error rate, which is 0 for equal ones; write normalize\(phi, "ed'
        ):
            ask(WER, [["a"], ["b"]], **({"threshold": 0.5} if ask is duplicates else {}))
    with pytest.raises(ExpressionError, match="an error rate is no reward"):
        reward(WER)

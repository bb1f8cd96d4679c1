"""Intervals of reports: values worked by hand, edges, parts, clusters, and what is said about doubtful ones."""

import json
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import matchwise as mw
from matchwise.algebra.build import eq, f1, mean, overlap, recall
from matchwise.corpus.counts import Portion, Reading
from matchwise.corpus.statistic import statistic
from matchwise.corpus.suite import Suite, average
from matchwise.corpus.table import Table
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError, MatchwiseError
from matchwise.runners.runner import evaluate
from matchwise.statistics.intervals import error_warnings, intervals, sample_warnings, support
from matchwise.statistics.variation import student

F1 = statistic({"m": Reading("f1")}, "m")


def corpus(*rows: tuple[int, int, int, int], kind: Any = "f1", **details: Any) -> Table:
    return Table("by hand", {"m": Reading(kind)}, (None,) * len(rows), np.array(rows, dtype=float), **details)


HALF_RIGHT = corpus(*[(2, 2, 2, 2), (1, 2, 2, 1)] * 20)


def test_the_interval_is_that_of_the_delta_method_on_the_logit_scale() -> None:
    # Each document is off by ±1 of the 160 items of both sides: 2·2 − 0.75·4 and 2·1 − 0.75·4.
    error = sqrt(40 / 39 * 40) / 160
    margin = student(0.975, 39) * error / (0.75 * 0.25)
    low, high = (1 / (1 + exp(-(log(3) + side * margin))) for side in (-1, 1))
    found = intervals(HALF_RIGHT)["m"]
    assert (found.value, found.units) == (0.75, 40)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)


def test_another_level_gives_another_width() -> None:
    wide, narrow = (intervals(HALF_RIGHT, level=level)["m"] for level in (0.99, 0.5))
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low < narrow.low < 0.75


def test_a_perfect_score_gets_half_an_error() -> None:
    # 200 of 200 items become 200 of 201, of which twenty documents are off by 10 and the half item by −200 of 201².
    found = intervals(corpus(*[(5, 5, 5, 5)] * 20))["m"]
    assert (found.value, found.high) == (1, 1)
    assert found.low == pytest.approx(1 / (1 + exp(HALF_AN_ITEM - log(200))), abs=1e-12)


HALF_AN_ITEM = student(0.975, 19) * sqrt(20 / 19 * (20 * 10**2 + 200**2)) / 200


def test_a_score_of_nothing_gets_half_a_match() -> None:
    found = intervals(corpus(*[(0, 5, 5, 0)] * 20))["m"]
    assert (found.value, found.low) == (0, 0)
    assert found.high == pytest.approx(1 / (1 + exp(log(200) - HALF_AN_ITEM)), abs=1e-12)


def test_a_perfect_average_gets_half_an_error() -> None:
    suite = Suite(a=f1("xs"), b=recall("xs"), both=average("a", "b"))
    tally = Tally(suite)
    for _ in range(20):
        tally.add({"xs": [1, 2]}, {"xs": [1, 2]})
    found = intervals(tally)["both"]
    assert (found.value, found.high) == (1, 1)
    assert found.low is not None
    assert 0.85 < found.low < 0.95


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 3)), min_size=10, max_size=30))
def test_an_interval_lies_between_0_and_1_and_holds_the_value(rows: Any) -> None:
    found = intervals(corpus(*((m, m + p, m + r, m) for m, p, r in rows)))
    for row in found:
        if row.low is not None and row.high is not None:
            assert 0 <= row.low <= row.value + 1e-12
            assert row.value - 1e-12 <= row.high <= 1


def test_documents_that_are_empty_on_both_sides_are_no_evidence() -> None:
    padded = intervals(corpus(*[(2, 2, 2, 2), (1, 2, 2, 1), (0, 0, 0, 0)] * 20))
    assert (padded.n, padded["m"]) == (60, intervals(HALF_RIGHT)["m"])


def test_documents_without_anything_do_count_for_a_total() -> None:
    values = [1, 3, 0, 0] * 10
    found = intervals(corpus(*((value, value, value, value) for value in values), kind="total"))["m"]
    error = sqrt(40) * float(np.std(values, ddof=1))
    assert (found.score, found.value, found.units) == ("total", 40, 40)
    assert (found.low, found.high) == pytest.approx(
        tuple(40 + side * student(0.975, 39) * error for side in (-1, 1)), abs=1e-9
    )


def test_a_score_above_1_gets_a_plain_interval() -> None:
    # Under N:1 a recall of 3 out of 2 is possible, and 1 is no bound.
    found = intervals(corpus(*[(3, 3, 2, 3), (1, 3, 2, 1)] * 20, kind="recall"))["m"]
    assert found.value == 1
    assert found.high == pytest.approx(1 + student(0.975, 39) * sqrt(40 / 39 * 40) / 80, abs=1e-12)


def test_a_score_above_1_gets_the_same_interval_from_sums() -> None:
    table = corpus(*[(3, 3, 2, 3), (1, 3, 2, 1)] * 20, kind="recall")
    assert intervals(table.fold())["m"] == intervals(table)["m"]


def test_a_mean_of_documents_has_the_interval_of_its_values() -> None:
    tally = Tally(mean(f1("xs"), eq("y")))
    for number in range(30):
        tally.add({"xs": [1], "y": number % 3}, {"xs": [1], "y": 0})
    found = intervals(tally)
    assert [(row.metric, row.score, row.units) for row in found] == [("score", "mean", 30)]
    values = [1.0 if number % 3 == 0 else 0.5 for number in range(30)]
    value = sum(values) / 30
    margin = student(0.975, 29) * float(np.std(values, ddof=1)) / sqrt(30) / (value * (1 - value))
    assert found["score"].low == pytest.approx(1 / (1 + exp(-(log(value / (1 - value)) - margin))), abs=1e-12)


@pytest.mark.parametrize("method", ["delta", "bootstrap", "bca"])
def test_fewer_than_ten_documents_have_values_and_a_warning_but_no_interval(method: Any) -> None:
    found = intervals(corpus(*[(1, 2, 2, 1)] * 9), method=method)
    assert (found["m"].value, found["m"].low, found["m"].high) == (0.5, None, None)
    assert found.warnings == ("9 documents are too few for confidence intervals, which need 10",)
    assert "–" in str(found)


def test_no_documents_have_a_value_but_no_interval() -> None:
    found = intervals(Tally(f1("xs")))
    assert (found["score"].value, found["score"].low) == (1, None)


def test_fewer_than_thirty_documents_have_a_warning() -> None:
    assert intervals(corpus(*[(1, 2, 2, 1), (2, 2, 2, 2)] * 6)).warnings == (
        "12 documents are few, so the intervals are rough",
    )


def labelled(rare: int) -> Tally:
    tally = Tally(f1("xs", eq("type") * eq("name")), by="type", fields=False)
    for number in range(40):
        ref = [{"type": "person", "name": 1}, {"type": "place", "name": 2}]
        ref += [{"type": "law", "name": 3}] * (number < rare)
        tally.add({"xs": [{"type": "person", "name": 1 + number % 2}, *ref[1:]]}, {"xs": ref})
    return tally


def test_labels_have_intervals_of_the_documents_in_which_they_occur() -> None:
    found = intervals(labelled(rare=12)).by
    assert {label: (row["score"].value, row["score"].units) for label, row in found.items()} == {
        "person": (0.5, 40),
        "place": (1, 40),
        "law": (1, 12),
    }


def test_rare_labels_have_a_warning_and_no_interval() -> None:
    found = intervals(labelled(rare=9))
    assert found.by["law"]["score"].low is None
    assert found.by["person"]["score"].low is not None
    assert found.warnings == ("no interval for what occurs in fewer than 10 documents: law",)


def test_fields_have_intervals() -> None:
    tally = Tally(f1("xs", eq("type") + eq("name")), fields=True)
    for number in range(40):
        tally.add({"xs": [{"type": 1, "name": number % 2}]}, {"xs": [{"type": 1, "name": 1}]})
    found = intervals(tally).fields
    assert {path: (row["score"].score, row["score"].value) for path, row in found.items()} == {
        "xs[].type": ("f1", 1),
        "xs[].name": ("f1", 0.5),
    }


def test_a_cluster_is_one_unit() -> None:
    by_place = [number // 2 for number in range(40)]
    found = intervals(HALF_RIGHT, cluster=by_place)
    assert (found.units, found.n, found["m"].units) == ("clusters", 20, 20)
    assert found["m"].value == found["m"].low == 0.75  # every cluster has one right and one half right


def test_clusters_may_be_given_by_id() -> None:
    tally = Tally(f1("xs"))
    for number in range(40):
        tally.add({"xs": [number % 2]}, {"xs": [1]}, id=f"d{number}")
    by_id = {f"d{number}": f"source {number % 10}" for number in range(40)}
    assert intervals(tally, cluster=by_id) == intervals(tally, cluster=[number % 10 for number in range(40)])


def test_a_document_without_cluster_is_named() -> None:
    with pytest.raises(DataError, match="document 39: has no cluster"):
        intervals(HALF_RIGHT, cluster=dict.fromkeys(range(39), "a"))
    with pytest.raises(DataError, match="found 3 of them as clusters, expected one for each of 40 documents"):
        intervals(HALF_RIGHT, cluster=[1, 2, 3])


def test_labels_are_summed_by_cluster_too() -> None:
    found = intervals(labelled(rare=40), cluster=[number // 2 for number in range(40)])
    assert found.by["person"]["score"].units == 20


@pytest.mark.parametrize("method", ["bootstrap", "bca"])
def test_bootstrap_intervals_are_the_same_for_the_same_seed(method: Any) -> None:
    rows = [(k % 3, 2 + k % 5, k % 3, 3) for k in range(60)]
    one, again, other = (intervals(corpus(*rows), method=method, resamples=500, seed=seed) for seed in (1, 1, 2))
    assert one.to_dict() == again.to_dict()
    assert one["m"] != other["m"]
    assert (one.resamples, one.seed) == (500, 1)


def test_bootstrap_and_delta_agree_on_a_large_corpus() -> None:
    rng = np.random.default_rng(1)
    matched = rng.binomial(8, 0.8, 4_000)
    rows = corpus(*((m, 8, 8 + k % 2, m) for k, m in enumerate(matched.tolist())))
    ends = [[intervals(rows, method=method)["m"].low, intervals(rows, method=method)["m"].high] for method in METHODS]
    assert ends[1] == pytest.approx(ends[0], abs=5e-4)
    assert ends[2] == pytest.approx(ends[0], abs=5e-4)


METHODS: list[Any] = ["delta", "bootstrap", "bca"]


def test_a_bootstrap_without_width_has_a_warning() -> None:
    found = intervals(corpus(*[(5, 5, 5, 5)] * 100), method="bootstrap", resamples=100)
    assert found.warnings == (
        "bootstrap intervals are too narrow for scores near 0 or 1: m (0 of 100 documents have an error); "
        'use the delta method (method="delta", --ci delta)',
        "all resamples give the same m, so the interval has no width; "
        'use the delta method (method="delta", --ci delta)',
    )
    assert intervals(corpus(*[(1, 2, 2, 1)] * 100)).warnings == ()  # nothing is drawn


@pytest.mark.parametrize("method", ["bootstrap", "bca"])
def test_a_bootstrap_of_fewer_than_a_hundred_documents_has_a_warning_with_their_number(method: Any) -> None:
    assert intervals(corpus(*[(2, 2, 2, 2), (1, 2, 2, 1)] * 49), method=method, resamples=100).warnings == (
        "bootstrap intervals are too narrow for fewer than 100 documents, and there are 98; "
        'use the delta method (method="delta", --ci delta)',
    )
    assert intervals(corpus(*[(2, 2, 2, 2), (1, 2, 2, 1)] * 50), method=method, resamples=100).warnings == ()
    assert intervals(corpus(*[(2, 2, 2, 2), (1, 2, 2, 1)] * 49)).warnings == ()


@pytest.mark.parametrize(
    ("common", "rare", "what"), [((2, 2, 2, 2), (1, 2, 2, 1), "an error"), ((0, 2, 2, 0), (1, 2, 2, 1), "a match")]
)
def test_a_bootstrap_near_0_or_1_has_a_warning_with_the_documents_it_rests_on(
    common: Any, rare: Any, what: str
) -> None:
    few, enough = (corpus(*[common] * 500, *[rare] * number, (0, 0, 0, 0)) for number in (29, 30))
    assert intervals(few, method="bootstrap", resamples=100).warnings == (
        f"bootstrap intervals are too narrow for scores near 0 or 1: m (29 of 529 documents have {what}); "
        'use the delta method (method="delta", --ci delta)',
    )
    assert intervals(enough, method="bootstrap", resamples=100).warnings == ()
    assert intervals(few).warnings == ()


def test_a_bootstrap_of_a_score_that_may_exceed_1_has_no_ends_to_be_near_to() -> None:
    rows = corpus(*[(3, 2, 2, 3)] * 120, *[(2, 2, 2, 2)] * 5)
    assert intervals(rows, method="bootstrap", resamples=100).warnings == ()


def test_a_score_with_as_many_errors_as_matches_rests_on_the_errors() -> None:
    forms = F1.project(np.array([(2, 2, 2, 2)] * 9 + [(0, 2, 2, 0)] * 9, dtype=float))
    assert support(F1, None, forms) == ("m", 9, "an error", 18)


@pytest.mark.parametrize("method", ["delta", "bootstrap", "bca"])
def test_ten_documents_are_enough_for_an_interval_and_nine_are_not(method: Any) -> None:
    rows = [(2, 2, 2, 2), (1, 2, 2, 1)] * 5
    ten, nine = (intervals(corpus(*some), method=method, resamples=100)["m"] for some in (rows, rows[:9]))
    assert ten.low is not None
    assert ten.low < ten.value == 0.75
    assert (nine.low, nine.high) == (None, None)


def test_intervals_print_as_a_table() -> None:
    assert str(intervals(HALF_RIGHT)) == (
        "metric  score       value     low    high  units\n"
        "m       precision  0.7500  0.6608  0.8221     40\n"
        "m       recall     0.7500  0.6608  0.8221     40\n"
        "m       f1         0.7500  0.6608  0.8221     40\n"
        "\n"
        "40 documents; 95 % intervals by the delta method on the logit scale\n"
        "by hand"
    )


def test_intervals_become_data() -> None:
    made = json.loads(json.dumps(intervals(labelled(rare=0), scores=["value"]).to_dict()))
    assert (made["method"], made["level"], made["n"], made["seed"]) == ("delta", 0.95, 40, None)
    assert [(row.get("label"), row["metric"], row["score"]) for row in made["intervals"]] == [
        (None, "score", "f1"),
        ("person", "score", "f1"),
        ("place", "score", "f1"),
    ]


def test_what_was_not_estimated_is_an_error_that_says_what_was() -> None:
    with pytest.raises(ExpressionError, match="no interval of 'n'"):
        intervals(HALF_RIGHT)["n"]
    assert intervals(HALF_RIGHT)["m", "recall"].score == "recall"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "bootstrp"}, "method='bootstrp'; did you mean 'bootstrap'"),
        ({"level": 95}, "level=95; write a share between 0 and 1"),
        ({"scores": "value"}, "scores='value'; write some of value, precision, recall, f1"),
        ({"resamples": 10}, "resamples=10; write at least 100"),
        ({"seed": -1}, "seed=-1; write a whole number that is not negative"),
    ],
)
def test_wrong_options_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(MatchwiseError, match=message):
        intervals(HALF_RIGHT, **options)


def test_something_that_was_not_scored_is_an_error() -> None:
    with pytest.raises(MatchwiseError, match="expected a report, a tally or a table, not list"):
        intervals([1, 2])  # type: ignore[arg-type]


def test_an_unnormalised_metric_of_a_real_tally_is_a_total() -> None:
    tally = Tally(overlap("xs"))
    for number in range(12):
        tally.add({"xs": [1, 2]}, {"xs": [1, 2 + number % 2]})
    assert (intervals(tally)["score"].value, intervals(tally)["score"].score) == (18, "total")


def test_documents_that_count_as_empty_are_named() -> None:
    report = evaluate(
        f1("xs"), {"a": {"xs": 3}, "b": {"xs": [1]}}, {"a": {"xs": [1]}, "b": {"xs": [1]}}, on_error="empty"
    )
    assert intervals(report).notes()[-1] == (
        "warning: 1 document had an error; a prediction that could not be scored counts as empty: a"
    )


def test_a_prediction_that_could_not_be_read_is_no_error_of_its_document() -> None:
    table = Table("by hand", {"m": Reading("f1")}, ("a", "b"), np.array([(0, 0, 1, 0), (1, 1, 1, 1)], dtype=float))
    table.errors, table.unreadable = [("a", "not JSON")], ["a"]
    assert error_warnings([table]) == ["1 document has a prediction that could not be read and counts as empty: a"]


def test_warnings_about_one_document_say_has_and_is() -> None:
    one_error = corpus((1, 2, 2, 1), *[(2, 2, 2, 2)] * 100)
    assert intervals(one_error, method="bootstrap", resamples=100).warnings == (
        "bootstrap intervals are too narrow for scores near 0 or 1: m (1 of 101 documents has an error); "
        'use the delta method (method="delta", --ci delta)',
    )
    assert intervals(corpus((1, 2, 2, 1))).warnings == (
        "1 document is too few for confidence intervals, which need 10",
    )


@pytest.mark.parametrize("level", [0, 1, 1.5])
def test_a_level_lies_between_nothing_and_certainty(level: float) -> None:
    found = mw.curve(f1("xs", eq("n")), [{"xs": [{"n": 1, "p": 0.5}]}], [{"xs": [{"n": 1}]}], confidence="p")
    with pytest.raises(MatchwiseError, match="write a share between 0 and 1"):
        found.best(level=level)


def test_a_document_of_nothing_counts_where_a_total_is_averaged() -> None:
    suite = mw.Suite(f=f1("xs"), total=mw.overlap("xs"), both=mw.average("f", "total"))
    docs = [{"xs": [number]} for number in range(12)] + [{"xs": []}] * 3
    found = mw.intervals(mw.evaluate(suite, docs, docs))
    assert [found[name].units for name in ("f", "total", "both")] == [12, 15, 15]


def test_an_unknown_interval_names_those_of_metrics() -> None:
    docs = [{"xs": [{"type": "a"}]}] * 12
    found = mw.intervals(mw.evaluate(f1("xs", eq("type")), docs, docs, by="type"))
    with pytest.raises(ExpressionError) as caught:
        found["zzz"]
    assert str(caught.value) == "no interval of 'zzz'; there are score, f1, score, precision, score, recall"


def test_all_scores_may_be_asked_for() -> None:
    docs = [{"xs": [1]}] * 12
    found = mw.intervals(mw.evaluate(mw.jaccard("xs"), docs, docs), scores=["value", "precision", "recall", "f1"])
    assert [row.score for row in found] == ["jaccard", "precision", "recall", "f1"]


@pytest.mark.parametrize("n", [9, 10, 11])
def test_a_rare_label_is_named_where_there_are_documents_enough_for_intervals(n: int) -> None:
    docs = [{"xs": [{"type": "rare" if number < 3 else "common"}]} for number in range(n)]
    found = mw.intervals(mw.evaluate(f1("xs", eq("type")), docs, docs, by="type"))
    few = f"{n} documents are few, so the intervals are rough"
    none = "9 documents are too few for confidence intervals, which need 10"
    rare = "no interval for what occurs in fewer than 10 documents: common, rare"
    assert found.warnings == ((none,) if n == 9 else (few, rare))


def test_intervals_in_a_line_are_those_of_the_metrics() -> None:
    docs = [{"xs": [{"type": "a"}]}] * 12
    found = mw.intervals(mw.evaluate(mw.Suite(m=f1("xs", eq("type")), n=f1("xs")), docs, docs, by="type"))
    assert repr(found) == "<Intervals of m 1.0000, n 1.0000>"


@pytest.mark.parametrize(
    ("how", "said"), [("skip", "could not be scored and was left out"), ("empty", "counts as empty")]
)
def test_a_document_with_an_error_is_left_out_or_counts_as_empty_and_not_both(how: Any, said: str) -> None:
    preds = [{"xs": [k % 3]} for k in range(20)] + [{"xs": 5}]
    found = intervals(evaluate(Suite(m=f1("xs")), preds, [{"xs": [1]}] * 21, on_error=how)).warnings
    assert [said in one for one in found if "left out" in one or "counts as empty" in one] == [True]


def test_what_occurs_in_ten_documents_is_not_rare() -> None:
    often = [(Portion("label", "m", "often"), 10), (Portion("label", "m", "rare"), 9)]
    assert sample_warnings(100, "documents", often) == ["no interval for what occurs in fewer than 10 documents: rare"]
    assert sample_warnings(9, "documents", often) == ["9 documents are too few for confidence intervals, which need 10"]


def test_the_interval_of_a_label_or_a_field_is_that_of_its_value_whatever_else_was_asked_for() -> None:
    refs = [{"xs": [{"t": "a"}, {"t": "a"}]}] * 12
    preds = [{"xs": [{"t": "a"}] * (place % 2 + 1)} for place in range(12)]
    report = mw.evaluate(mw.f1("xs", mw.eq("t")), preds, refs, by="t")
    for scores in (("value", "precision"), ("recall", "value"), ("value", "recall", "precision")):
        assert mw.intervals(report, scores=scores).by["a"]["score"].score == "f1"

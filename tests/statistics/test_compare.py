"""Comparisons of systems: differences, exact p-values, corrections, joined documents, refused nonsense."""

import json
import random
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import matchwise as mw
from matchwise.algebra.build import eq, f1, harmonic, mean, overlap, precision, recall
from matchwise.corpus.counts import Reading
from matchwise.corpus.statistic import statistic
from matchwise.corpus.suite import Suite, average
from matchwise.corpus.table import Table
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError, MatchwiseError, MergeError
from matchwise.runners.runner import evaluate
from matchwise.statistics.compare import Comparison, Difference, compare, lowest_p, share_stretches
from matchwise.statistics.intervals import intervals
from matchwise.statistics.variation import holm, p_value, student

F1 = statistic({"m": Reading("f1")}, "m")


def corpus(*rows: tuple[float, ...], **details: Any) -> Table:
    details = {"ids": (None,) * len(rows)} | details
    return Table("by hand", {"m": Reading("f1")}, rows=np.array(rows, dtype=float), **details)


def value(sums: Any) -> Any:
    return F1.of(F1.project(sums))


def f1_of(matched: Any, predicted: Any, reference: Any, axis: int = -1) -> Any:
    return 2 * matched.sum(axis=axis) / (predicted.sum(axis=axis) + reference.sum(axis=axis))


ONE = np.array([(m, 5, 5, m) for m in (1, 2, 3, 4, 5, 1, 2, 3)], dtype=float)
OTHER = np.array(
    [(m, p, 5, m) for m, p in ((2, 5), (2, 4), (5, 6), (4, 4), (4, 5), (3, 3), (2, 2), (4, 5))], dtype=float
)


def test_the_p_value_of_few_documents_is_exact() -> None:
    observed = abs(float(value(ONE.sum(axis=0)) - value(OTHER.sum(axis=0))))
    as_much = 0
    for exchanged in product([False, True], repeat=8):
        swap = np.array(exchanged)[:, None]
        a, b = np.where(swap, OTHER, ONE).sum(axis=0), np.where(swap, ONE, OTHER).sum(axis=0)
        as_much += abs(float(value(a) - value(b))) >= observed - 1e-12
    assert p_value(value, ONE, OTHER, 10_000, 0) == (as_much / 2**8, 2**8, True)


def test_the_exact_p_value_is_that_of_scipy() -> None:
    def difference(*columns: Any, axis: int = -1) -> Any:
        return f1_of(*columns[:3], axis=axis) - f1_of(*columns[3:], axis=axis)

    both = np.concatenate([ONE[:, [0, 1, 2]], OTHER[:, [0, 1, 2]]], axis=1)

    def statistic_of(exchanged: Any, axis: int = -1) -> Any:
        # A sample is 1 where a document keeps its sides and −1 where they are exchanged.
        signs = np.moveaxis(np.asarray(exchanged), axis, -1)[..., None]
        kept = np.where(signs > 0, both, np.roll(both, 3, axis=1))
        return difference(*np.moveaxis(kept, -1, 0), axis=-1)

    peer = stats.permutation_test(
        (np.ones(8), -np.ones(8)),
        lambda x, y, axis=-1: statistic_of(x, axis),
        permutation_type="samples",
        n_resamples=10_000,
        vectorized=True,
    )
    assert p_value(value, ONE, OTHER, 10_000, 0).p == pytest.approx(float(peer.pvalue), abs=1e-12)


@pytest.mark.parametrize("scale", [1, 0.1])
@pytest.mark.parametrize("copies", [4, 200])
def test_the_p_value_of_many_documents_is_close_to_that_of_a_plain_loop(copies: int, scale: float) -> None:
    rng = np.random.default_rng(3)
    reference = rng.poisson(5, 40) + 1
    matched = [rng.binomial(reference, share) for share in (0.75, 0.8)]
    one, other = (
        np.tile(np.stack([m, reference, m, reference], axis=1) * scale, (copies, 1))[: 40 * copies // 4]
        for m in matched
    )
    observed = abs(float(value(one.sum(axis=0)) - value(other.sum(axis=0))))
    drawn = []
    for _ in range(2_000):
        swap = rng.random(len(one))[:, None] < 0.5
        a, b = np.where(swap, other, one).sum(axis=0), np.where(swap, one, other).sum(axis=0)
        drawn.append(abs(float(value(a) - value(b))) >= observed - 1e-12)
    p = p_value(value, one, other, 20_000, 0).p
    assert p == pytest.approx(np.mean(drawn), abs=4 * sqrt(max(p * (1 - p), 1e-4) / 2_000))


def test_the_p_value_is_never_0() -> None:
    one, other = np.tile([[9.0, 9, 9, 9]], (60, 1)), np.tile([[0.0, 9, 9, 0]], (60, 1))
    assert p_value(value, one, other, 999, 0) == (1 / 1000, 999, False)


def test_equal_systems_have_a_p_value_of_1() -> None:
    found = compare({"a": corpus(*ONE.tolist() * 4), "b": corpus(*ONE.tolist() * 4)})["m"]
    assert (found.difference, found.low, found.high, found.p, found.differing) == (0, 0, 0, 1, 0)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_is_never_below_the_p_value_and_keeps_the_order(ps: list[float]) -> None:
    corrected = holm(ps)
    assert all(p <= q <= 1 for p, q in zip(ps, corrected, strict=True))
    assert [q for _, q in sorted(zip(ps, corrected, strict=True))] == sorted(corrected)


def test_holm_multiplies_the_smallest_by_all_and_the_largest_by_one() -> None:
    assert holm([0.04, 0.01, 0.02, 0.9]) == [0.08, 0.04, 0.06, 0.9]
    assert holm([]) == []


def test_the_paired_interval_is_that_of_the_delta_method() -> None:
    # Two documents in three are alike; in the third the second system finds one of 2 items more.
    one = corpus(*[(1, 2, 2, 1)] * 30)
    other = corpus(*[(1, 2, 2, 1), (1, 2, 2, 1), (2, 2, 2, 2)] * 10)
    found = compare({"one": one, "other": other})["m"]
    shares = np.array([0, 0, 1] * 10) / 60
    error = sqrt(30 / 29 * float(((shares - shares.mean()) ** 2).sum()))
    assert found.difference == pytest.approx(1 / 6, abs=1e-12)
    assert (found.low, found.high) == pytest.approx(
        (1 / 6 - student(0.975, 29) * error, 1 / 6 + student(0.975, 29) * error), abs=1e-12
    )
    assert (found.units, found.differing) == (30, 10)


@pytest.mark.parametrize("method", ["bootstrap", "bca"])
def test_the_paired_bootstrap_agrees_with_the_delta_method(method: Any) -> None:
    rng = np.random.default_rng(1)
    reference = rng.poisson(5, 1_000) + 1
    systems = {}
    for name, share in (("a", 0.7), ("b", 0.75)):
        matched = rng.binomial(reference, share)
        systems[name] = corpus(*np.stack([matched, reference, reference, matched], axis=1).tolist())
    found, delta = compare(systems, method=method)["m"], compare(systems)["m"]
    assert (found.low, found.high) == pytest.approx((delta.low, delta.high), abs=1.5e-3)
    assert found.p == delta.p


SUITE = Suite(
    f=f1("xs", eq("type")),
    sides=harmonic(precision("xs", eq("type"), match="N:1"), recall("xs", eq("type"), match="1:N")),
    mean=mean(f1("xs"), f1("xs", eq("name"))),
    total=overlap("xs", eq("type")),
    both=average("f", "sides"),
)


def tally_of(wrong: int, n: int = 40, suite: Any = SUITE, ids: bool = False, **details: Any) -> Tally:
    """Every so many-th document has a wrong type."""
    tally = Tally(suite, **details)
    for number in range(n):
        ref = [{"type": "person", "name": "ann"}, {"type": "place", "name": "rome"}]
        pred = [{"type": "law", "name": "ann"}, ref[1]] if number % wrong == 0 else ref
        tally.add({"xs": pred}, {"xs": ref}, id=f"d{number}" if ids else None)
    return tally


def test_every_kind_of_root_and_derived_value_is_compared() -> None:
    one, other = tally_of(2), tally_of(5)
    found = compare({"one": one, "other": other})
    assert [(row.metric, row.score) for row in found] == [
        ("f", "f1"),
        ("sides", "f1"),
        ("mean", "mean"),
        ("total", "total"),
        ("both", "average"),
    ]
    for row in found:
        assert row.baseline_value == pytest.approx(one.report()[row.metric].value, abs=1e-12)
        assert row.value == pytest.approx(other.report()[row.metric].value, abs=1e-12)
        assert row.low is not None
        assert row.high is not None
        assert row.low < row.difference < row.high


def test_several_systems_are_compared_with_the_first_or_with_the_named_one() -> None:
    systems = {"a": tally_of(2), "b": tally_of(3), "c": tally_of(5)}
    assert {(row.baseline, row.system) for row in compare(systems)} == {("a", "b"), ("a", "c")}
    assert {(row.baseline, row.system) for row in compare(systems, baseline="b")} == {("b", "a"), ("b", "c")}
    assert compare(systems)["f", "c"].system == "c"


def test_all_pairs_are_compared_when_asked() -> None:
    systems = {"a": tally_of(2), "b": tally_of(3), "c": tally_of(5)}
    pairs = [(row.baseline, row.system) for row in compare(systems, pairs="all") if row.metric == "f"]
    assert pairs == [("a", "b"), ("a", "c"), ("b", "c")]


def test_the_correction_is_for_all_systems_and_metrics() -> None:
    found = compare({"a": tally_of(2), "b": tally_of(3), "c": tally_of(5)})
    assert [row.p_holm for row in found] == holm([row.p for row in found])
    assert len(found.rows) == 10


def test_labels_are_compared_and_corrected_by_themselves() -> None:
    suite = Suite(f=f1("xs", eq("type")))
    found = compare({"a": tally_of(2, suite=suite, by="type"), "b": tally_of(5, suite=suite, by="type")})
    labels = [row for row in found if row.part is not None]
    assert {row.part.name: (row.baseline_value, row.units) for row in labels if row.part} == {
        "law": (0, 24),
        "person": (pytest.approx(2 / 3), 40),
        "place": (1, 40),
    }
    assert [row.p_holm for row in labels] == holm([row.p for row in labels])
    assert found["f"].p_holm == found["f"].p


def test_a_label_that_only_the_second_system_has_is_compared() -> None:
    right = Tally(Suite(f=f1("xs", eq("type"))), by="type")
    for _ in range(40):
        right.add({"xs": [{"type": "person"}, {"type": "place"}]}, {"xs": [{"type": "person"}, {"type": "place"}]})
    found = compare({"a": right, "b": tally_of(2, suite=right.suite, by="type")})
    assert {row.part.name: (row.value, row.units) for row in found if row.part} == {
        "law": (0, 20),
        "person": (pytest.approx(2 / 3), 40),
        "place": (1, 40),
    }


def test_fields_are_compared() -> None:
    suite = Suite(f=f1("xs", eq("type") + eq("name")))
    found = compare({"a": tally_of(2, suite=suite, fields=True), "b": tally_of(5, suite=suite, fields=True)})
    assert {row.part.name: (row.baseline_value, row.value) for row in found if row.part} == {
        "xs[].type": (0.75, 0.9),
        "xs[].name": (1, 1),
    }


def test_a_label_in_few_documents_has_a_warning() -> None:
    suite = Suite(f=f1("xs", eq("type")))
    found = compare({"a": tally_of(20, suite=suite, by="type"), "b": tally_of(10, suite=suite, by="type")})
    assert found.warnings == (
        "no interval for what occurs in fewer than 10 documents: law",
        "intervals of differences are too narrow for scores near 0 or 1: f (4 of 40 documents have an error), "
        "person (4 of 40 documents have an error), place (0 of 40 documents have an error); rely on p instead",
    )


def test_few_documents_have_an_exact_p_value_but_no_interval() -> None:
    found = compare({"a": corpus(*ONE.tolist()), "b": corpus(*OTHER.tolist())})
    assert (found["m"].low, found["m"].high) == (None, None)
    assert 0 < found["m"].p < 1
    assert found.warnings == ("8 documents are too few for confidence intervals, which need 10",)


def test_five_documents_have_no_interval_and_cannot_reach_the_usual_p_value() -> None:
    better = [(5, 5, 5, 5)] * 6
    worse = [(0, 5, 5, 0)] * 6
    found = compare({"a": corpus(*worse[:5]), "b": corpus(*better[:5])})
    assert (found["m"].difference, found["m"].low, found["m"].high, found["m"].p) == (1, None, None, 0.0625)
    assert found.warnings == (
        "5 documents are too few for confidence intervals, which need 10",
        "with 5 documents p cannot be below 0.0625, so no difference can reach p ≤ 0.05",
    )
    found = compare({"a": corpus(*worse), "b": corpus(*better)})
    assert (found["m"].p, found.warnings) == (
        0.03125,
        ("6 documents are too few for confidence intervals, which need 10",),
    )


def test_many_rows_on_few_documents_cannot_reach_the_usual_corrected_p_value() -> None:
    sides = {name: corpus(*[(matched, 5, 5, matched)] * 6) for name, matched in (("a", 0), ("b", 5))}
    found = compare(sides, scores=["value", "precision", "recall"])
    assert {row.p_holm for row in found} == {0.09375} == {found.lowest_p_holm}
    assert found.warnings[1:] == (
        "with 6 documents and 3 rows p_holm cannot be below 0.09375, so no difference can reach p_holm ≤ 0.05; "
        "compare fewer metrics",
    )
    suite = Suite(f=f1("xs", eq("type")))
    by_label = compare({"a": tally_of(2, 6, suite, by="type"), "b": tally_of(3, 6, suite, by="type")})
    assert not [text for text in by_label.warnings if "p_holm" in text]  # labels are corrected by themselves


def test_a_difference_that_rests_on_few_documents_has_a_warning() -> None:
    rows = [(2, 2, 2, 2)] * 300
    one, few, enough = (corpus(*[(1, 2, 2, 1)] * number, *rows[number:]) for number in (0, 9, 10))
    assert compare({"a": one, "b": few}).warnings == (
        "intervals of differences are too narrow for scores near 0 or 1: m (9 of 300 documents have an error); "
        "rely on p instead",
    )
    assert compare({"a": one, "b": enough}).warnings == ()
    by_recall = corpus(*[(1, 2, 2, 1)] * 9, (1, 1, 2, 1), *rows[10:])  # precision rests on 9, but the metric on 10
    assert compare({"a": one, "b": by_recall}, scores=("precision", "value")).warnings == ()
    assert compare({"a": one, "b": enough}, method="bootstrap", resamples=100).warnings == (
        "bootstrap intervals are too narrow for scores near 0 or 1: m (10 of 300 documents have an error); "
        'use the delta method (method="delta", --ci delta)',
    )


def test_documents_are_joined_by_id() -> None:
    one, other = tally_of(2, ids=True), tally_of(5, ids=True)
    shuffled = Tally(SUITE)
    width = len(SUITE.metrics) * 4
    for place in reversed(range(40)):
        shuffled.add_rows(other.scores.rows[place * width : (place + 1) * width], [other.scores.ids[place]])
    assert compare({"a": one, "b": shuffled}) == compare({"a": one, "b": other})


def test_labels_follow_their_documents_when_joined_by_id() -> None:
    suite = Suite(f=f1("xs", eq("type")))
    one, other = (tally_of(wrong, suite=suite, by="type", ids=True) for wrong in (2, 5))
    halves = [tally_of(5, n, suite, ids=True, by="type") for n in (40, 25)]
    late = table_of(halves[0]).take(range(25, 40))
    assert compare({"a": one, "b": late + table_of(halves[1])}) == compare({"a": one, "b": other})


def table_of(tally: Tally) -> Table:
    return tally.table()


def test_different_documents_are_an_error() -> None:
    with pytest.raises(DataError, match="1 of the documents of a are not in b: 39; compare systems on the same"):
        compare({"a": tally_of(2), "b": tally_of(5, n=39)})


def test_a_document_that_occurs_twice_is_an_error() -> None:
    tally = tally_of(2, ids=True)
    tally.scores.ids[1] = "d0"
    with pytest.raises(DataError, match="document d0: occurs twice in b"):
        compare({"a": tally_of(2, ids=True), "b": tally})


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_a_document_that_one_system_could_not_score_is_left_out_of_both(names: str) -> None:
    broken = tally_of(2)
    broken.errors.append((40, "ValueError: broken"))
    systems = {"a": broken, "b": tally_of(5, n=41)}
    found = compare({name: systems[name] for name in names})
    assert found.n == 40
    assert found.warnings == ("1 document could not be scored and was left out: 40",)


def test_different_references_are_an_error() -> None:
    changed = ONE.copy()
    changed[3, 2] = 7
    with pytest.raises(
        DataError, match=r"document 3: a and b were scored against different references: m counts 5 and 7"
    ):
        compare({"a": corpus(*ONE.tolist()), "b": corpus(*changed.tolist())})


def test_references_may_differ_where_a_step_before_scoring_sees_both_sides() -> None:
    changed = ONE.copy()
    changed[3, 2] = 7
    sides = {"a": corpus(*ONE.tolist(), prepared=True), "b": corpus(*changed.tolist(), prepared=True)}
    assert compare(sides)["m"].differing == 1


def test_different_metrics_are_an_error() -> None:
    with pytest.raises(MergeError, match="a and b were scored by different metrics"):
        compare({"a": tally_of(2), "b": tally_of(2, suite=f1("xs"))})


def test_a_cluster_is_one_unit() -> None:
    found = compare({"a": tally_of(2), "b": tally_of(5)}, cluster=[number // 4 for number in range(40)])
    assert (found.units, found.n, found["f"].units) == ("clusters", 10, 10)
    assert found["f"].p == 2 / 2**10  # each cluster improves: only no exchange or all differ as much


def test_the_same_seed_gives_the_same_result() -> None:
    systems = {"a": tally_of(2), "b": tally_of(5)}
    found = compare(systems, method="bootstrap", seed=3, resamples=500)
    assert found.to_dict() == compare(systems, method="bootstrap", seed=3, resamples=500).to_dict()
    assert (found.seed, found.resamples) == (3, 500)


def test_regressions_and_improvements_are_those_that_remain_after_the_correction() -> None:
    suite = Suite(f=f1("xs", eq("type")))
    good, poor = tally_of(39, suite=suite), tally_of(2, suite=suite)
    worse, better = compare({"good": good, "poor": poor}), compare({"poor": poor, "good": good})
    assert ([row.metric for row in worse.regressions()], worse.improvements()) == (["f"], [])
    assert ([row.metric for row in better.improvements()], better.regressions()) == (["f"], [])
    assert [row.metric for row in worse.regressions(alpha=worse["f"].p_holm)] == ["f"]


def test_scores_may_be_chosen() -> None:
    found = compare({"a": tally_of(2), "b": tally_of(5)}, scores=["precision", "value"])
    assert [row.score for row in found if row.metric == "f"] == ["precision", "f1"]


def test_a_comparison_prints_as_a_table() -> None:
    one = corpus(*[(1, 2, 2, 1)] * 30)
    other = corpus(*[(1, 2, 2, 1), (1, 2, 2, 1), (2, 2, 2, 2)] * 10)
    assert str(compare({"old": one, "new": other})) == (
        "metric     old     new  difference      low     high       p  p_holm  units\n"
        "m       0.5000  0.6667     +0.1667  +0.0771  +0.2562  0.0020  0.0020     30\n"
        "(no room for differing; to_pandas() has all columns)\n"
        "\n"
        "new is better than old: m +0.1667, p = 0.0020; 10 of 30 documents differ\n"
        "30 documents; 95 % intervals by the paired delta method\n"
        "p by exact randomisation over all exchanges; p_holm holds for all rows of its table together\n"
        "by hand"
    )


def test_the_p_value_of_a_row_depends_on_its_own_data_and_seed_alone() -> None:
    rng = random.Random(5)
    refs = [{"xs": [rng.randrange(9) for _ in range(4)], "ys": [rng.randrange(3)]} for _ in range(60)]

    def read(care: float) -> list[dict[str, Any]]:
        return [{name: [x if rng.random() < care else -1 for x in ref[name]] for name in ref} for ref in refs]

    one, other = read(0.7), read(0.78)
    alone, both = Suite(x=f1("xs")), Suite(y=recall("ys"), x=f1("xs"), all=average("x", "y"))
    order = rng.sample(range(60), 60)
    found = [
        compare({"a": evaluate(suite, mine, theirs), "b": evaluate(suite, others, theirs)}, scores=scores)["x"]
        for suite, mine, others, theirs, scores in (
            (alone, one, other, refs, ["value"]),
            (both, one, other, refs, ["value"]),
            (both, one, other, refs, ["precision", "recall", "value"]),
            (alone, *([side[n] for n in order] for side in (one, other, refs)), ["value"]),
        )
    ]
    assert not found[0].exact
    assert 0.01 < found[0].p < 0.5
    assert len({(row.p, row.exchanges) for row in found}) == 1


def test_what_is_printed_of_the_test_is_what_was_done() -> None:
    same, few = [(1, 2, 2, 1)] * 30, [(1, 2, 2, 1)] * 22 + [(2, 2, 2, 2)] * 8
    exact = compare({"a": corpus(*same), "b": corpus(*few)})
    assert (exact["m"].p, exact["m"].exchanges, exact["m"].exact) == (2 / 256, 256, True)
    assert exact.notes()[1].startswith("p by exact randomisation over all exchanges; p_holm")
    drawn = compare({"a": corpus(*same), "b": corpus(*[(2, 2, 2, 2)] * 30)})
    assert (drawn["m"].exchanges, drawn["m"].exact) == (10_000, False)
    assert drawn.notes()[1].startswith("p by approximate randomisation, 10000 exchanges, seed 0; p_holm")
    mixed = compare({"a": corpus(*same), "b": corpus(*few), "c": corpus(*[(2, 2, 2, 2)] * 30)})
    assert mixed.notes()[1].startswith(
        "p by approximate randomisation, 10000 exchanges, seed 0 (exact where few documents differ); p_holm"
    )


def test_three_systems_have_columns_of_different_names() -> None:
    three = {"a": corpus(*[(1, 2, 2, 1)] * 9), "b": corpus(*[(2, 2, 2, 2)] * 9), "c": corpus(*[(0, 2, 2, 0)] * 9)}
    assert str(compare(three)).splitlines()[:3] == [
        "metric       a  system   value  difference  low  high       p  p_holm  units",
        "m       0.5000  b       1.0000     +0.5000    –     –  0.0039  0.0078      9",
        "m       0.5000  c       0.0000     -0.5000    –     –  0.0039  0.0078      9",
    ]
    head = str(compare(three, pairs="all")).splitlines()[0].split("  ")
    assert [name.strip() for name in head if name][:5] == ["baseline", "its value", "system", "value", "difference"]


def test_intervals_that_no_row_has_are_not_announced() -> None:
    few = {"a": corpus(*[(1, 2, 2, 1)] * 8), "b": corpus(*[(2, 2, 2, 2)] * 8)}
    assert compare(few).notes()[0] == "8 documents"
    assert intervals(few["a"]).notes()[0] == "8 documents"


def test_a_comparison_becomes_data() -> None:
    made = json.loads(json.dumps(compare({"a": tally_of(2), "b": tally_of(5)}).to_dict()))
    assert (made["systems"], made["n"], made["seed"], made["resamples"]) == (["a", "b"], 40, 0, 10_000)
    assert set(made["differences"][0]) == {
        "metric", "score", "baseline", "system", "baseline_value", "value", "difference", "low", "high", "p", "p_holm",
        "units", "differing", "exchanges", "exact",
    }  # fmt: skip


def test_what_was_not_compared_is_an_error_that_says_what_was() -> None:
    with pytest.raises(ExpressionError, match="no difference of 'g'"):
        compare({"a": tally_of(2), "b": tally_of(5)})["g"]


@pytest.mark.parametrize(
    ("systems", "options", "message"),
    [
        ({"a": 1}, {}, "compare takes two systems or more"),
        ([1, 2], {}, "compare takes two systems or more"),
        ({"old": 1, "new": 2}, {"baseline": "odl"}, "no system 'odl'; did you mean 'old'"),
        ({"old": 1, "new": 2}, {"pairs": "some"}, 'pairs=\'some\'; write pairs="baseline" or pairs="all"'),
        ({"old": 1, "new": 2}, {}, "expected a report, a tally or a table, not int"),
    ],
)
def test_wrong_arguments_are_errors(systems: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(MatchwiseError, match=message):
        compare(systems, **options)


def test_documents_that_one_system_lacks_are_named_in_order() -> None:
    one, two = (
        evaluate(f1("xs"), [{"xs": []}] * len(ids), [{"xs": []}] * len(ids), ids=ids)
        for ids in (["d", "b", "c", "a", "e"], ["e"])
    )
    with pytest.raises(DataError, match="4 of the documents of one are not in two: a, b, c, d;"):
        compare({"one": one, "two": two})


def test_of_six_documents_that_one_system_lacks_five_are_named() -> None:
    one, two = (
        evaluate(f1("xs"), [{"xs": []}] * len(ids), [{"xs": []}] * len(ids), ids=list(ids)) for ids in ("abcdefg", "g")
    )
    with pytest.raises(DataError, match="6 of the documents of one are not in two: a, b, c, d, e …;"):
        compare({"one": one, "two": two})


def test_as_many_resamples_as_exchanges_are_all_of_them() -> None:
    rows = corpus(*[(1, 1, 1, 1)] * 10), corpus(*[(0, 1, 1, 0)] * 10)
    [row] = compare({"a": rows[0], "b": rows[1]}, resamples=1024).rows
    assert (row.exact, row.p, lowest_p(10, 1024)) == (True, 2**-9, 2**-9)
    assert lowest_p(10, 1023) == 1 / 1024


@pytest.mark.parametrize("n", [7, 10])
def test_a_system_that_is_better_everywhere_has_the_lowest_p_there_is(n: int) -> None:
    refs = [{"xs": [place]} for place in range(n)]
    systems = {"bad": [{"xs": []}] * n, "good": refs}
    scored = {name: mw.evaluate(f1("xs"), preds, refs) for name, preds in systems.items()}
    [row] = mw.compare(scored, resamples=2**n).rows
    assert row.p == lowest_p(n, 2**n) == 2.0 ** (1 - n)
    assert lowest_p(n, 2**n - 1) == 2.0**-n


def test_lowest_p_by_the_number_of_documents_and_of_exchanges() -> None:
    assert [lowest_p(n, 10_000) for n in (0, 1, 2, 5, 13, 14)] == [1.0, 1.0, 0.5, 0.0625, 2.0**-12, 1 / 10_001]
    assert lowest_p(10_000, 10_000) == 1 / 10_001


def test_the_metric_whose_references_differ_is_the_one_that_is_named() -> None:
    def scored(ys: list[int]) -> Table:
        suite = mw.Suite(a=f1("xs"), b=f1("ys"), c=f1("zs"))
        return mw.evaluate(suite, [{"xs": [], "ys": [], "zs": []}], [{"xs": [1], "ys": ys, "zs": [1, 2, 3]}]).table()

    with pytest.raises(DataError, match="scored against different references: b counts 2 and 4 of it"):
        mw.compare({"one": scored([1, 2]), "two": scored([1, 2, 3, 4])})


def stretches(*rows: tuple[str, int]) -> Table:
    """A table of stretches by their names, with so many items matched of 10."""
    counts = np.array([[matched, 10, 10, matched] for _, matched in rows], dtype=float)
    return Table("by hand", {"m": Reading("f1")}, [name for name, _ in rows], counts)


def test_stretches_of_systems_that_cut_a_text_elsewhere_are_summed_up() -> None:
    whole = stretches(("a", 1), ("b", 2), ("c", 3), ("d", 4))
    other = stretches(("a", 5), ("c", 6), ("d", 7))
    made = share_stretches({"one": whole, "two": whole, "three": other})
    assert {name: one.ids for name, one in made.items()} == {key: ["a", "c", "d"] for key in ("one", "two", "three")}
    assert made["one"].counts[:, 0].tolist() == [3, 3, 4]
    assert made["three"].counts[:, 0].tolist() == [5, 6, 7]
    assert share_stretches({"one": whole, "two": whole}) == {"one": whole, "two": whole}
    lost = stretches(("a", 5), ("c", 6))
    lost.errors.append(("d", "broken"))
    with pytest.raises(DataError, match="cut the text in different places, and two has documents that could not be"):
        share_stretches({"one": whole, "two": lost})


def test_a_corrected_p_value_is_at_most_1() -> None:
    sides = {name: stretches(("a", matched), ("b", matched)) for name, matched in (("one", 3), ("two", 7))}
    found = mw.compare(sides, scores=["value", "precision", "recall"])
    assert (found.lowest_p_holm, [row.p_holm for row in found]) == (1.0, [1.0] * 3)


def test_where_errors_and_matches_are_as_many_the_errors_are_named() -> None:
    half = stretches(*((f"d{n}", 10 * (n % 2)) for n in range(18)))
    assert mw.intervals(half, method="bootstrap", resamples=100).warnings[-1] == (
        "bootstrap intervals are too narrow for scores near 0 or 1: m (9 of 18 documents have an error); "
        'use the delta method (method="delta", --ci delta)'
    )


def test_no_difference_has_a_sign_like_others() -> None:
    report = evaluate(Suite(m=f1("xs")), [{"xs": [1]}] * 12, [{"xs": [1]}] * 12)
    assert "1.0000     +0.0000" in str(compare({"a": report, "b": report}))


def scored(metric: Any, wrong: int) -> Any:
    refs = [{"xs": [n], "ys": [n]} for n in range(20)]
    preds = [{"xs": [-1 if n < wrong else n], "ys": [-1 if n < 2 else n]} for n in range(20)]
    return evaluate(metric, preds, refs)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (9, 1, "new is better than old: score +0.4000, p = 0.0078; 8 of 20 documents differ"),
        (1, 9, "new is worse than old: score -0.4000, p = 0.0078; 8 of 20 documents differ"),
        (3, 2, "new is not significantly different from old: score +0.0500, p = 1.0000; 1 of 20 documents differs"),
        (3, 3, "new is not significantly different from old: score +0.0000, p = 1.0000; 0 of 20 documents differ"),
    ],
)
def test_the_verdict_is_said_in_words(before: int, after: int, said: str) -> None:
    found = compare({"old": scored(f1("xs"), before), "new": scored(f1("xs"), after)})
    assert found.verdicts() == [said]
    assert f"\n{said}\n" in str(found)


def test_a_lower_error_rate_is_better() -> None:
    found = compare({"old": scored(mw.error_rate("xs"), 9), "new": scored(mw.error_rate("xs"), 1)})
    assert found.verdicts() == ["new is better than old: score -0.4000, p = 0.0078; 8 of 20 documents differ"]


def test_the_verdict_of_several_metrics_names_those_that_differ() -> None:
    suite = Suite(x=f1("xs"), y=f1("ys"), both=average("x", "y"))
    systems = {name: scored(suite, wrong) for name, wrong in (("a", 9), ("b", 0), ("c", 9))}
    assert compare(systems).verdicts() == [
        "b is better than a by x, both, not significantly different by y; 9 of 20 documents differ",
        "c is not significantly different from a by any of 3 metrics; 0 of 20 documents differ",
    ]
    assert compare(systems, metrics=["x", "both"], baseline="b", pairs="all").verdicts()[0] == (
        "a is worse than b by all 2 metrics; 9 of 20 documents differ"
    )


@pytest.mark.parametrize("made", [lambda tally: tally, lambda tally: tally.table(), lambda tally: tally.report()])
def test_sums_of_documents_cannot_be_compared(made: Any) -> None:
    sums = [Tally(Suite(f=f1()), keep="sums").add(["a"], ["a", "b"]).add(["b"], ["b"]) for _ in "ab"]
    with pytest.raises(
        ExpressionError, match='only sums were kept, and no counts of each document; count with keep="doc'
    ):
        compare({"a": made(sums[0]), "b": made(sums[1])})


def test_verdicts_regressions_and_improvements_go_by_the_corrected_p() -> None:
    def row(metric: str, value: float, p: float, p_holm: float) -> Difference:
        return Difference(metric, "f1", "old", "new", 0.5, value, None, None, p, p_holm, 20, 9, 100, False, None, True)

    rows = (row("a", 0.7, 0.04, 0.08), row("b", 0.7, 0.01, 0.05), row("c", 0.3, 0.04, 0.08), row("d", 0.3, 0.01, 0.05))
    found = Comparison("delta", 0.95, "documents", 20, rows, (), "", 100, 0, systems=("old", "new"))
    assert [one.metric for one in found.improvements()] == ["b"]
    assert [one.metric for one in found.regressions()] == ["d"]
    assert found.verdicts() == [
        "new is better than old by b, worse by d, not significantly different by a, c; 9 of 20 documents differ"
    ]
    alone = Comparison("delta", 0.95, "documents", 20, rows[:1], (), "", 100, 0, systems=("old", "new"))
    assert alone.verdicts() == [
        "new is not significantly different from old: a +0.2000, p = 0.0800; 9 of 20 documents differ"
    ]

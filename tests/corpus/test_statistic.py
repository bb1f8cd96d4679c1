"""Statistics read from sums what a report reads from counts."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.algebra.build import eq, f1, fbeta, harmonic, jaccard, mean, overlap, precision, recall
from matchwise.corpus.counts import Portion
from matchwise.corpus.statistic import part_statistics, statistic, statistics
from matchwise.corpus.suite import Suite, average, product
from matchwise.corpus.tally import Tally
from matchwise.errors import ExpressionError

SUITE = Suite(
    f=f1("xs", eq("type")),
    f0=f1("xs", eq("type"), empty=0),
    f2=fbeta("xs", eq("type"), beta=2),
    j=jaccard("xs", eq("type")),
    p=precision("xs", eq("type")),
    r=recall("xs", eq("type"), empty=0),
    sides=harmonic(precision("xs", eq("type"), match="N:1"), recall("xs", eq("type"), match="1:N")),
    mean=mean(f1("xs"), f1("xs", eq("name"))),
    total=overlap("xs", eq("type")),
    soft=f1("xs", eq("type") + 0.3 * eq("name")),
    a=average("f", "j", "sides"),
    x=product("p", "r"),
    xyz=product("p", "r", "f"),
    means=average("f", "mean"),
    over=average("f", "f0", where="reference"),
    either=average("f", "f0", where="either"),
)
ELEMENTS = st.fixed_dictionaries({"type": st.sampled_from("AB"), "name": st.sampled_from("abc")})
DOCUMENTS = st.fixed_dictionaries({"xs": st.lists(ELEMENTS, max_size=4)})
PAIRS = st.lists(st.tuples(DOCUMENTS, DOCUMENTS), max_size=6)


def tally_of(pairs: Any, suite: Any = SUITE, **details: Any) -> Tally:
    tally = Tally(suite, **details)
    for pred, ref in pairs:
        tally.add(pred, ref)
    return tally


@given(PAIRS)
def test_every_score_of_every_kind_of_root_is_that_of_the_report(pairs: Any) -> None:
    tally = tally_of(pairs)
    report, rows = tally.report(), tally.table()
    for metric in SUITE:
        for score, one in statistics(rows.readings, metric, ["precision", "recall", "f1", "value"]):
            assert float(one.of(one.total(rows.counts))) == pytest.approx(getattr(report[metric], score), abs=1e-12)


@given(PAIRS)
def test_the_scores_of_a_label_are_those_of_the_report(pairs: Any) -> None:
    by_name = f1("xs", eq("name"))  # so that the two sides of a pair may have different labels
    suite = Suite(f=SUITE.metrics["f"], j=SUITE.metrics["j"], f2=SUITE.metrics["f2"], by_name=by_name)
    tally = tally_of(pairs, suite, by="type")
    report, rows = tally.report(), tally.table()
    for part in rows.parts:
        _, counts = rows.slice(part)
        for score, one in part_statistics(rows.readings, part, ["precision", "recall", "f1", "value"]):
            found = getattr(report.by[part.name][part.metric], score)
            assert float(one.of(one.total(counts))) == pytest.approx(found, abs=1e-12)


@given(PAIRS)
def test_the_scores_of_a_field_are_those_of_the_report(pairs: Any) -> None:
    tally = tally_of(pairs, Suite(soft=SUITE.metrics["soft"]), fields=True)
    rows = tally.table()
    for row in tally.report().fields():
        part = Portion("field", row.metric, row.path)
        if part in rows.parts:
            [(_, one)] = part_statistics(rows.readings, part, ["value"])
            assert float(one.of(one.total(rows.slice(part)[1]))) == pytest.approx(row.f1, abs=1e-12)


def test_the_value_of_a_field_is_its_f1_whatever_the_metric_is() -> None:
    soft = eq("type") + eq("name")
    suite = Suite(f2=fbeta("xs", soft, beta=2), p=precision("xs", soft), j=jaccard("xs", soft))
    found, missed = {"type": "A", "name": "a"}, {"type": "B", "name": "b"}
    rows = tally_of([({"xs": [found]}, {"xs": [found, missed]})], suite, fields=True).table()
    for metric in suite:
        part = next(one for one in rows.parts if one.metric == metric and one.name.endswith("name"))
        [(_, one)] = part_statistics(rows.readings, part, ["value"])
        assert float(one.of(one.total(rows.slice(part)[1]))) == 2 / 3


@pytest.mark.parametrize("sided", [False, True])
@pytest.mark.parametrize("metric", [name for name in SUITE if name != "mean"])
@settings(max_examples=10)
@given(st.lists(st.integers(1, 50), min_size=40, max_size=40))
def test_the_gradient_is_the_slope_of_the_value(metric: str, sided: bool, numbers: list[int]) -> None:
    one = statistic(Tally(SUITE).table().readings, metric, sided=sided)
    matched, missed, recalled, lost = np.array(numbers, dtype=float).reshape(4, -1)
    rows = np.stack([matched, matched + missed, recalled + lost, recalled], axis=1)  # no side matches more than it has
    sums = one.project(np.resize(rows, 4 * len(SUITE)))
    for place, slope in enumerate(one.gradient(sums)):
        step = np.zeros(len(sums))
        step[place] = 1e-4
        assert slope == pytest.approx(float(one.of(sums + step) - one.of(sums - step)) / 2e-4, abs=1e-5)


def test_the_gradient_of_an_average_over_one_metric_is_that_of_the_metric() -> None:
    suite = Suite(a=f1("xs"), b=f1("ys"), m=average("a", "b", where="reference"))
    rows = tally_of([({"xs": [1, 2], "ys": []}, {"xs": [1], "ys": []})], suite).table()
    alone, over = (statistic(rows.readings, name) for name in "am")
    slopes = [one.gradient(one.total(rows.counts)).tolist() for one in (alone, over)]
    assert slopes == [[1 / 3, pytest.approx(-2 / 9)], [1 / 3, pytest.approx(-2 / 9), 0, 0, 0, 0]]


def test_a_mean_has_no_precision() -> None:
    with pytest.raises(ExpressionError, match="a mean over documents has no counts, hence no precision"):
        statistic(Tally(SUITE).table().readings, "mean", "precision")


def test_the_value_of_an_f1_is_not_repeated_as_its_f1() -> None:
    found = statistics(Tally(SUITE).table().readings, "f", ["precision", "recall", "f1", "value"])
    assert [(score, one.score) for score, one in found] == [
        ("precision", "precision"),
        ("recall", "recall"),
        ("value", "f1"),
    ]
    found = statistics(Tally(SUITE).table().readings, "p", ["precision", "recall", "value"])
    assert [score for score, _ in found] == ["recall", "value"]


def test_an_unknown_metric_or_score_is_named() -> None:
    readings = Tally(SUITE).table().readings
    with pytest.raises(ExpressionError, match="no metric 'side' in the table; did you mean 'sides'"):
        statistic(readings, "side")
    with pytest.raises(ExpressionError, match="no score 'recal'; did you mean 'recall'"):
        statistic(readings, "f", "recal")  # type: ignore[arg-type]

"""Calibration and abstaining, by hand and on generated judgements."""

from fractions import Fraction

import numpy as np
import pytest

import matchwise as mw
from matchwise import close, edit, eq, f1, normalize, overlap
from matchwise.confidence.calibration import ConfidenceJudgements, calibrate, trace_risk
from matchwise.errors import DataError, ExpressionError, MatchwiseError


def judgements(seed: int, n: int = 4000, shift: float = 0.0) -> ConfidenceJudgements:
    rng = np.random.default_rng(seed)
    confidence = rng.random(n)
    credit = (rng.random(n) < np.clip(confidence + shift, 0, 1)).astype(float)
    return ConfidenceJudgements(confidence, credit, np.arange(n) // 10, n // 10)


def test_the_table_by_hand() -> None:
    found = calibrate(
        ConfidenceJudgements(np.array([0.95, 0.85, 0.1, 1.0]), np.array([1, 0, 0, 1.0]), np.zeros(4, int), 1), bins=2
    )
    low, high = found.bins
    assert (low.n, low.confidence, low.credit) == (1, 0.1, 0)
    assert (high.n, high.confidence, high.credit) == (3, pytest.approx(2.8 / 3), pytest.approx(2 / 3))
    assert found.error == pytest.approx(0.25 * 0.1 + 0.75 * 0.8 / 3)
    assert found.largest == pytest.approx(0.8 / 3)
    assert found.brier == pytest.approx((0.05**2 + 0.85**2 + 0.1**2) / 4)
    assert (found.error_low, found.error_high) == (None, None)
    assert [(one.low, one.high) for one in found.bins] == [(0, 0.5), (0.5, 1)]
    assert str(found).endswith("\nECE 0.2250, Brier score 0.1837, 4 predictions of 1 document")


@pytest.mark.parametrize("bins", [2, 3, 4, 5, 7, 10, 20, 100])
@pytest.mark.parametrize("digits", [1, 2, 3])
def test_a_confidence_lies_in_the_bin_of_its_decimal(bins, digits) -> None:
    for number in range(10**digits + 1):
        text = f"{number / 10**digits:.{digits}f}"
        found = calibrate(ConfidenceJudgements(np.array([float(text)]), np.ones(1), np.zeros(1, int), 1), bins=bins)
        b = min(Fraction(text) * bins // 1, bins - 1)
        assert [(one.low, one.high) for one in found.bins] == [(b / bins, (b + 1) / bins)]


def test_the_error_of_stated_confidences_is_that_of_exact_bins() -> None:
    """Models state 0.3, 0.6 and 0.7: each begins a bin of ten and does not end the one before."""
    confidence = [0.3, 0.35, 0.6, 0.65, 0.7, 0.75]
    credit = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0]
    found = calibrate(ConfidenceJudgements(np.array(confidence), np.array(credit), np.zeros(6, int), 1))
    assert [(one.low, one.n) for one in found.bins] == [(0.3, 2), (0.6, 2), (0.7, 2)]
    assert found.error == pytest.approx((abs(1 - 0.65) + abs(1 - 1.25) + abs(1 - 1.45)) / 6, abs=1e-12)


def test_a_confidence_of_single_precision_is_the_decimal_that_it_stands_for() -> None:
    docs = [{"xs": [{"name": "a", "p": np.float32(0.7)}, {"name": "b", "p": np.float32(0.6)}]}]
    found = mw.calibration(f1("xs", eq("name")), docs, docs, confidence="p")["elements"]
    assert [(one.low, one.confidence) for one in found.bins] == [(0.6, 0.6), (0.7, 0.7)]


@pytest.mark.parametrize("bins", range(2, 12))
def test_bins_of_equal_mass_are_cut_at_the_confidences_themselves(bins) -> None:
    for n in range(2, 40):
        confidence = np.arange(n) / n
        found = calibrate(ConfidenceJudgements(confidence, np.ones(n), np.zeros(n, int), 1), bins=bins, by="mass")
        cuts = [-(-k * (n - 1) // bins) for k in range(min(bins, n) + 1)] if bins < n else None
        if cuts is not None:
            cuts[-1] = n
            assert [one.n for one in found.bins] == np.diff(cuts).tolist()


def test_the_bounds_of_bins_are_printed_as_exactly_as_they_need() -> None:
    judged = ConfidenceJudgements(np.array([0.3, 0.8]), np.array([1.0, 0.0]), np.zeros(2, int), 1)
    assert str(calibrate(judged, bins=4)).splitlines()[:3] == [
        "      bin      n  confidence  credit      gap",
        "0.250-0.5      1      0.3000  1.0000   0.7000",
        "0.750-1.0      1      0.8000  0.0000  -0.8000",
    ]


def test_an_error_is_printed_with_its_interval_if_there_are_documents_enough() -> None:
    judged = ConfidenceJudgements(np.full(20, 0.5), np.array([1.0, 0.0] * 10), np.arange(20), 20)
    found = calibrate(judged, bins=1, by="mass")
    assert [(one.low, one.high, one.n) for one in found.bins] == [(0.5, 0.5, 20)]
    assert "ECE 0.0000 (0.0000 to 0.2500), " in str(found)


def test_honest_confidences_have_almost_no_error_and_shifted_ones_that_shift() -> None:
    assert calibrate(judgements(0)).error < 0.03
    shifted = calibrate(judgements(0, shift=-0.3))
    assert shifted.error_low < 0.27 < shifted.error_high  # less than 0.3, as no share is below 0


@pytest.mark.parametrize("by", ["width", "mass"])
def test_bins_hold_every_prediction_once(by) -> None:
    found = calibrate(judgements(1, n=500), by=by, bins=7)
    assert sum(one.n for one in found.bins) == found.n == 500
    if by == "mass":
        assert {one.n for one in found.bins} <= {71, 72}


def test_elements_have_the_credit_of_their_optimal_matching() -> None:
    pred = {"xs": [{"name": "ab", "p": 0.9}, {"name": "ab", "p": 0.8}, {"name": "zz", "p": 0.4}]}
    ref = {"xs": [{"name": "ab"}, {"name": "ac"}]}
    found = mw.calibration(f1("xs", edit("name")), [pred], [ref], confidence="p", bins=1)["elements"]
    assert found.bins[0].credit == pytest.approx((1 + 0.5 + 0) / 3)


def test_fields_are_judged_where_the_alignment_has_them() -> None:
    line = eq("sku") + close("price", abs=0.01)
    phi = normalize(eq("number") + overlap("lines", line), "f1")
    pred = {
        "number": "7",
        "sure": {"number": 0.9},
        "lines": [
            {"sku": "b", "price": 2.0, "sure": {"price": 0.6}},
            {"sku": "a", "price": 9.0, "sure": {"price": 0.7}},
            {"sku": "z", "price": 3.0, "sure": {"price": 0.1}},
            {"sku": "q", "price": None, "sure": {}},
        ],
    }
    ref = {"number": "8", "lines": [{"sku": "a", "price": 1.0}, {"sku": "b", "price": 2.0}]}
    found = mw.calibration(phi, [pred], [ref], fields={"number": "sure.number", "lines[].price": "lines[].sure.price"})
    assert (found["number"].n, found["number"].brier) == (1, pytest.approx(0.81))
    price = found["lines[].price"]
    assert price.n == 3
    assert price.brier == pytest.approx((0.4**2 + 0.7**2 + 0.1**2) / 3)


def test_wrong_calibrations_are_named() -> None:
    phi, docs = f1("xs", eq("name")), [{"xs": [{"name": 1, "p": 3}]}]
    with pytest.raises(DataError, match="found the confidence 3, expected a probability from 0 to 1"):
        mw.calibration(phi, docs, docs, confidence="p")
    with pytest.raises(MatchwiseError, match='write confidence="score" for elements, document="score"'):
        mw.calibration(phi, docs, docs)
    with pytest.raises(ExpressionError, match="go through different lists"):
        mw.calibration(phi, docs, docs, fields={"a": "xs[].p"})
    with pytest.raises(DataError, match="no prediction has the field 'b'"):
        mw.calibration(eq("a"), [{"a": 1}], [{"a": 1}], fields={"b": "a"})
    with pytest.raises(DataError, match="document 0 prediction: q: found None as a confidence, expected a number"):
        mw.calibration(eq("a"), [{"a": 1}], [{"a": 1}], fields={"a": "q"})
    with pytest.raises(MatchwiseError, match="bins=0; write a whole number from 1"):
        mw.calibration(phi, docs, docs, confidence="p", bins=0)
    with pytest.raises(DataError, match="there are no predictions to calibrate"):
        mw.calibration(phi, [{"xs": []}], docs, confidence="p")


def area(losses) -> float:
    return float(np.mean(np.cumsum(losses) / np.arange(1, len(losses) + 1)))


def test_risk_and_coverage_by_the_definition() -> None:
    rng = np.random.default_rng(3)
    confidence, loss = rng.permutation(200) / 200, rng.random(200)
    found = trace_risk(confidence, loss)
    order = np.argsort(-confidence)
    assert found.area == pytest.approx(area(loss[order]))
    assert found.excess == pytest.approx(area(loss[order]) - area(np.sort(loss)))
    for place in (0, 57, 199):
        assert found.risk[place] == pytest.approx(loss[order][: place + 1].mean())
        assert found.coverage[place] == pytest.approx((place + 1) / 200)
    assert found.coverage_at(1.0) == 1.0
    assert found.coverage_at(0.0) == 0.0


def test_ties_have_the_mean_area_of_all_orders() -> None:
    from itertools import permutations

    loss = np.array([0.0, 1.0, 0.5, 0.2])
    found = trace_risk(np.array([1.0, 0.5, 0.5, 0.5]), loss)
    assert found.area == pytest.approx(np.mean([area([0.0, *rest]) for rest in permutations(loss[1:])]))


def test_documents_that_are_right_where_they_are_sure_have_no_excess() -> None:
    preds = [{"xs": [1], "p": 0.9}, {"xs": [2, 9], "p": 0.5}, {"xs": [9], "p": 0.1}]
    refs = [{"xs": [1]}, {"xs": [2]}, {"xs": [3]}]
    found = mw.risk_coverage(f1("xs"), preds, refs, confidence="p")
    assert found.risk.tolist() == pytest.approx([0, 1 / 6, 4 / 9])
    assert found.excess == pytest.approx(0, abs=1e-12)
    turned = mw.risk_coverage(f1("xs"), [pred | {"p": -pred["p"]} for pred in preds], refs, confidence="p")
    assert turned.excess > 0.3
    with pytest.raises(MatchwiseError, match="confidences of documents need a metric from 0 to 1"):
        mw.risk_coverage(overlap("xs"), [{"xs": [1, 2], "p": 1}], [{"xs": [1, 2]}], confidence="p")


def test_elements_that_are_kept_have_the_risk_of_their_precision() -> None:
    pred = {"xs": [{"name": name, "p": p} for name, p in (("a", 0.9), ("x", 0.6), ("b", 0.3))]}
    found = mw.curve(f1("xs", eq("name")), [pred], [{"xs": [{"name": "a"}, {"name": "b"}]}], confidence="p")
    assert found.risk_coverage().risk.tolist() == pytest.approx((1 - found.precision).tolist())


def test_confidences_of_numpy_are_numbers_too() -> None:
    preds = [{"xs": [{"name": 1, "p": np.float32(0.5)}], "p": np.float64(0.25)}]
    found = mw.calibration(f1("xs", eq("name")), preds, preds, confidence="p", document="p")
    assert (found["elements"].error, found["documents"].error) == (0.5, 0.75)


def test_the_confidence_that_is_no_probability_is_the_one_that_is_named() -> None:
    docs = [{"xs": [{"name": "a", "p": 1.0}, {"name": "b", "p": 0.0}, {"name": "c", "p": 1.5}]}]
    with pytest.raises(DataError, match=r"found the confidence 1\.5, expected a probability"):
        mw.calibration(f1("xs", eq("name")), docs, docs, confidence="p")
    docs = [{"xs": [{"name": "a", "p": 0.0}, {"name": "b", "p": 1.0}, {"name": "c", "p": -0.5}]}]
    with pytest.raises(DataError, match=r"found the confidence -0\.5, expected a probability"):
        mw.calibration(f1("xs", eq("name")), docs, docs, confidence="p")
    fine = [{"xs": [{"name": "a", "p": 0.0}, {"name": "b", "p": 1.0}]}]
    assert mw.calibration(f1("xs", eq("name")), fine, fine, confidence="p")["elements"].error == 0.5


@pytest.mark.parametrize("risk", [-0.01, 1.01])
def test_a_risk_is_a_share(risk: float) -> None:
    with pytest.raises(MatchwiseError, match="write a share from 0 to 1"):
        mw.risk_coverage(f1("xs"), [{"xs": [1], "p": 0.5}], [{"xs": [1]}], confidence="p").coverage_at(risk)


def test_documents_may_be_half_right_when_their_confidences_are_judged() -> None:
    preds = [{"xs": [1, 9], "p": 0.75}, {"xs": [9], "p": 0.25}]
    found = mw.calibration(f1("xs"), preds, [{"xs": [1, 2]}, {"xs": [1]}], document="p")
    assert found["documents"].error == 0.25
    with pytest.raises(MatchwiseError, match="need a metric from 0 to 1"):
        mw.calibration(mw.overlap("xs"), [{"xs": [1, 2], "p": 1}], [{"xs": [1, 2]}], document="p")


def test_fields_are_calibrated_over_every_document() -> None:
    preds = [{"a": 1, "p": 0.5}, {"a": None, "p": 0.5}, {"a": 3, "p": 1.0}]
    found = mw.calibration(mw.normalize(eq("a") + eq("b"), "f1"), preds, [{"a": 1}] * 3, fields={"a": "p"})["a"]
    assert (found.n, found.documents, found.brier) == (2, 3, (0.25 + 1.0) / 2)
    assert found.to_dict()["documents"] == 3


@pytest.mark.parametrize("by", ["width", "mass"])
@pytest.mark.parametrize("bins", [1, 2])
def test_a_confidence_of_1_is_in_the_last_bin_and_one_of_0_in_the_first(by, bins: int) -> None:
    docs = [{"xs": [{"name": "a", "p": 1.0}, {"name": "b", "p": 0.0}, {"name": "c", "p": 1.0}]}]
    found = mw.calibration(f1("xs", eq("name")), docs, docs, confidence="p", bins=bins, by=by)["elements"]
    if bins == 1:
        assert [(one.low, one.high, one.n, one.confidence) for one in found.bins] == [(0, 1, 3, 2 / 3)]
    elif by == "width":
        assert [(one.low, one.high, one.n) for one in found.bins] == [(0, 0.5, 1), (0.5, 1, 2)]


def test_elements_that_are_worth_nothing_carry_no_risk() -> None:
    pred = {"xs": [{"tags": ["a"], "p": 0.9}, {"tags": [], "p": 0.8}, {"tags": ["b"], "p": 0.3}]}
    ref = {"xs": [{"tags": ["a"]}, {"tags": ["c"]}]}
    phi = f1("xs", mw.overlap("tags"))
    found = mw.curve(phi, [pred], [ref], confidence="p").risk_coverage()
    assert (found.thresholds.tolist(), found.risk.tolist()) == ([0.9, 0.3], [0, 0.5])


def test_one_document_above_1_is_enough_to_refuse_its_confidence() -> None:
    preds = [{"xs": [1, 2], "p": 1}, {"xs": [1], "p": 1}]
    with pytest.raises(MatchwiseError, match="need a metric from 0 to 1"):
        mw.calibration(mw.overlap("xs"), preds, preds, document="p")
    with pytest.raises(MatchwiseError, match="confidences of documents need a metric from 0 to 1"):
        mw.risk_coverage(mw.overlap("xs"), preds, preds, confidence="p")


def test_risk_and_coverage_are_printed() -> None:
    confidence = np.arange(100.0, 0, -1)
    loss = np.zeros(100)
    loss[[30, 50, 60, 70, 80, 85, 90, 92, 94, 96, 98]] = 1  # the risk is 1/31 there, and so on
    assert str(trace_risk(confidence, loss)).splitlines()[1] == (
        "coverage by risk: 0.3000 at 0.01, 0.8000 at 0.05, 0.9600 at 0.1, 1.0000 at 0.2"
    )


def test_bins_of_different_width_are_aligned() -> None:
    judged = ConfidenceJudgements(np.array([0.1, 0.5, 0.9]), np.array([0.0, 1.0, 1.0]), np.zeros(3, int), 1)
    assert str(calibrate(judged, bins=3)).splitlines()[:4] == [
        "        bin      n  confidence  credit      gap",
        "  0.0-0.333      1      0.1000  0.0000  -0.1000",
        "0.333-0.667      1      0.5000  1.0000   0.5000",
        "  0.667-1.0      1      0.9000  1.0000   0.1000",
    ]

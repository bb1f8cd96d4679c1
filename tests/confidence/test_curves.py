"""Curves against the definition: one evaluation for each threshold."""

import random
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import matchwise as mw
from matchwise import edit, eq, f1, fbeta, iou, jaccard, latent, overlap, var
from matchwise.confidence.ranking import TOGETHER, make_request, rank
from matchwise.engine.solve.assignment import Duals
from matchwise.errors import DataError, ExpressionError, MatchwiseError

METRICS = {
    "exact": f1("xs", eq("name")),
    "soft": f1("xs", eq("type") * edit("name")),
    "dense": f1("xs", edit("name")),
    "sum": f1("xs", eq("type") + edit("name")),
    "spans": f1("xs", iou("at")),
    "jaccard": jaccard("xs", edit("name")),
    "fbeta": fbeta("xs", edit("name"), beta=2),
    "n_to_one": f1("xs", edit("name"), match="N:1"),
    "one_to_n": f1("xs", edit("name"), match="1:N"),
    "exact_n_to_one": f1("xs", eq("name"), match="N:1"),
    "exact_one_to_n": f1("xs", eq("name"), match="1:N"),
    "n_to_n": f1("xs", eq("type") * edit("name"), match="N:N"),
    "exact_n_to_n": f1("xs", eq("name"), match="N:N"),
    "jaccard_n_to_n": jaccard("xs", iou("at"), match="N:N"),
    "nested": f1("doc.xs", eq("name")),
    "total": overlap("xs", eq("name")),
}


def corpus(seed: int, documents: int = 12, levels: int = 6):
    """Few names and few levels of confidence, so that there are contests and ties."""
    rng = random.Random(seed)
    names = ["ab", "abc", "abd", "b", "bcd", "xy"]

    def element():
        start = rng.randrange(5)
        found = {"name": rng.choice(names), "type": rng.choice("uv"), "at": (start, start + rng.randrange(1, 4))}
        return found | {"score": rng.randrange(levels) / levels}

    def document():
        xs = [element() for _ in range(rng.randrange(6))]
        return {"xs": xs, "doc": {"xs": xs}}

    return [document() for _ in range(documents)], [document() for _ in range(documents)]


def kept(document, threshold):
    xs = [one for one in document["xs"] if one["score"] >= threshold]
    return {"xs": xs, "doc": {"xs": xs}}


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("seed", range(3))
def test_every_point_is_the_evaluation_of_what_is_kept(name, seed) -> None:
    phi = METRICS[name]
    preds, refs = corpus(seed)
    found = mw.curve(phi, preds, refs, confidence="score")
    assert found.thresholds.tolist() == sorted({one["score"] for pred in preds for one in pred["xs"]}, reverse=True)
    for place, threshold in enumerate(found.thresholds):
        want = mw.evaluate(phi, [kept(pred, threshold) for pred in preds], refs)["score"].counts
        got = found.at(threshold)
        assert (got.matched, got.predicted, got.reference) == pytest.approx(
            (want.matched, want.predicted, want.reference), abs=1e-12
        )
        assert found.precision[place] == pytest.approx(want.precision(), abs=1e-12)
        assert found.recall[place] == pytest.approx(want.recall(), abs=1e-12)
        assert found.f1[place] == pytest.approx(want.f1(), abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_a_growing_matching_is_optimal_after_each_element(seed) -> None:
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 9 if seed < 30 else 40, 2)
    weights = rng.integers(0, 5, (n, m)) / 4 if seed % 2 else rng.random((n, m)) * (rng.random((n, m)) < 0.5)
    growing, total = Duals([{j: w for j, w in enumerate(row) if w} for row in weights.tolist()]), 0.0
    for i in range(n):
        total += growing.add(i)
        rows, columns = linear_sum_assignment(weights[: i + 1], maximize=True)
        assert total == pytest.approx(weights[rows, columns].sum(), abs=1e-12)
        pairs = [(a, b) for a, b in enumerate(growing.column_of) if b is not None]
        assert sum(weights[a, b] for a, b in pairs) == pytest.approx(total, abs=1e-12)
        assert len({b for _, b in pairs}) == len(pairs)


@pytest.mark.parametrize("assign", ["optimal", "greedy"])
@pytest.mark.parametrize("name", ["exact", "soft", "spans", "sum", "one_to_n", "exact_one_to_n"])
def test_no_order_of_the_input_matters(name, assign) -> None:
    options = {"confidence": "score", "by": "type", "assign": assign}
    for seed in range(6):
        preds, refs = corpus(seed, levels=2)
        rng = random.Random(seed)
        first = mw.curve(METRICS[name], preds, refs, **options)
        mine, theirs = ([{"xs": rng.sample(one["xs"], len(one["xs"]))} for one in side] for side in (preds, refs))
        second = mw.curve(METRICS[name], mine, theirs, **options)
        assert first.to_dict() == second.to_dict()
        assert [one.to_dict() for one in first.by.values()] == [one.to_dict() for one in second.by.values()]
        assert first.risk_coverage().area == pytest.approx(second.risk_coverage().area, abs=1e-12)
        assert first.precision_at(2) == pytest.approx(second.precision_at(2), abs=1e-12)
        found, turned = (
            mw.calibration(METRICS[name], *sides, confidence="score", bins=4)["elements"]
            for sides in ((preds, refs), (mine, theirs))
        )
        assert (found.error, found.brier) == pytest.approx((turned.error, turned.brier), abs=1e-12)


def test_a_prediction_that_is_equally_similar_to_two_references_takes_one_by_content() -> None:
    pred = {"xs": [{"at": (5, 15), "score": 0.9}, {"at": (0, 10), "score": 0.8}]}
    refs = [{"at": (0, 10)}, {"at": (10, 20)}]
    both = [
        mw.average_precision(f1("xs", iou("at")), [pred], [{"xs": xs}], confidence="score", similarities=(0.3, 0.5))
        for xs in (refs, refs[::-1])
    ]
    assert both[0] == both[1] == {0.3: pytest.approx(51 / 101, abs=1e-12), 0.5: pytest.approx(51 / 2 / 101, abs=1e-12)}


def test_equal_confidences_share_what_they_add_as_the_mean_over_all_orders() -> None:
    xs = [("a", 0.9), ("x", 0.5), ("b", 0.5), ("y", 0.5), ("c", 0.1)]
    pred = {"xs": [{"name": name, "score": score} for name, score in xs]}
    ref = {"xs": [{"name": name} for name in "abc"]}
    found = mw.curve(f1("xs", eq("name")), [pred], [ref], confidence="score")
    for k in range(1, 6):
        hits, gains = [], []
        for order in permutations(range(5)):
            ranks = [xs[i] for i in order]
            if [score for _, score in ranks] == sorted((score for _, score in ranks), reverse=True):
                right = [name in "abc" for name, _ in ranks[:k]]
                hits.append(sum(right))
                gains.append(sum(one / np.log2(rank + 2) for rank, one in enumerate(right)))
        ideal = sum(1 / np.log2(rank + 2) for rank in range(min(k, 3)))
        assert found.precision_at(k) == pytest.approx(np.mean(hits) / k, abs=1e-12)
        assert found.recall_at(k) == pytest.approx(np.mean(hits) / 3, abs=1e-12)
        assert found.ndcg(k) == pytest.approx(np.mean(gains) / ideal, abs=1e-12)


def test_the_curve_by_label_adds_up_to_the_whole() -> None:
    preds, refs = corpus(4)
    found = mw.curve(METRICS["soft"], preds, refs, confidence="score", by="type")
    assert list(found.by) == ["u", "v"]
    for part in ("matched", "predicted", "reference"):
        total = sum(getattr(found.by[label].at(0), part) for label in "uv")
        assert total == pytest.approx(getattr(found.at(0), part), abs=1e-12)
    alone = [{"xs": [one for one in doc["xs"] if one["type"] == "u"]} for doc in preds]
    theirs = [{"xs": [one for one in doc["xs"] if one["type"] == "u"]} for doc in refs]
    only = mw.curve(METRICS["soft"], alone, theirs, confidence="score")
    assert found.by["u"].average_precision == pytest.approx(only.average_precision, abs=1e-12)


def coco(preds, refs, similarity, points=101):
    """pycocotools' accumulate for one category, as written: greedy by falling score, envelope, 101 recalls."""
    rows, total = [], 0
    for pred, ref in zip(preds, refs, strict=True):
        total += len(ref["xs"])
        free = set(range(len(ref["xs"])))
        for one in sorted(pred["xs"], key=lambda one: -one["score"]):
            best = max(((mw.score(iou("at"), one, ref["xs"][j]), j) for j in free), default=(0, -1))
            rows.append((one["score"], best[0] >= similarity))
            if best[0] >= similarity:
                free.discard(best[1])
    rows.sort(key=lambda row: -row[0])
    return coco_of([hit for _, hit in rows], total, points)


def coco_of(rows, total, points=101):
    hits = np.cumsum(rows)
    precision = (hits / np.arange(1, len(rows) + 1)).tolist()
    for place in range(len(rows) - 1, 0, -1):
        precision[place - 1] = max(precision[place - 1], precision[place])
    places = np.searchsorted(hits / total, np.linspace(0, 1, points), side="left")
    return float(np.mean([precision[place] if place < len(rows) else 0.0 for place in places]))


@pytest.mark.parametrize("seed", range(5))
def test_average_precision_over_several_similarities_is_that_of_coco(seed) -> None:
    rng = random.Random(seed)

    def side(n):
        return [
            {"xs": [{"at": (s := rng.random() * 9, s + 1 + rng.random()), "score": rng.random()} for _ in range(n)]}
            for _ in range(8)
        ]

    preds, refs = side(5), side(4)
    found = mw.average_precision(f1("xs", iou("at")), preds, refs, confidence="score")
    assert list(found) == [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
    for similarity, value in found.items():
        assert value == pytest.approx(coco(preds, refs, similarity), abs=1e-12)


def test_average_precision_looks_at_the_recalls_of_pycocotools_and_a_curve_at_exact_ones() -> None:
    """0.35, 0.7 and 0.95 are 0.35000000000000003, 0.7000000000000001 and 0.9500000000000001 in pycocotools."""
    hits = [*[1] * 7, 0, *[1] * 7, 0, *[1] * 5, 0, 1]
    pred = {"xs": [{"name": n if hit else -1, "score": -n} for n, hit in enumerate(hits)]}
    ref = {"xs": [{"name": n} for n, hit in enumerate(hits) if hit]}
    found = mw.average_precision(f1("xs", eq("name")), [pred], [ref], confidence="score", similarities=(1.0,))
    assert found == {1.0: pytest.approx(coco_of(hits, 20), abs=1e-12)}
    assert found == {1.0: pytest.approx((35 * 1 + 35 * 14 / 15 + 25 * 19 / 21 + 6 * 20 / 23) / 101, abs=1e-12)}
    exact = mw.curve(f1("xs", eq("name")), [pred], [ref], confidence="score").interpolated(101)
    assert exact == pytest.approx((36 * 1 + 35 * 14 / 15 + 25 * 19 / 21 + 5 * 20 / 23) / 101, abs=1e-12)


def test_average_precision_by_label_is_the_mean_over_labels_with_a_reference() -> None:
    rng = random.Random(3)

    def side(labels, n=5):
        return [
            {
                "xs": [
                    {"at": (s := rng.random() * 9, s + 1), "label": rng.choice(labels), "score": rng.random()}
                    for _ in range(n)
                ]
            }
            for _ in range(6)
        ]

    preds, refs = side("abc"), side("ab")
    found = mw.average_precision(
        f1("xs", eq("label") * iou("at")), preds, refs, confidence="score", by="label", similarities=(0.5,)
    )
    alone = []
    for label in "ab":
        mine, theirs = (
            [{"xs": [one for one in doc["xs"] if one["label"] == label]} for doc in docs] for docs in (preds, refs)
        )
        alone.append(coco(mine, theirs, 0.5))
    assert found[0.5] == pytest.approx(np.mean(alone), abs=1e-12)


def test_eleven_points_by_hand() -> None:
    pred = {"xs": [{"name": name, "score": -place} for place, name in enumerate("axbyc")]}
    found = mw.curve(f1("xs", eq("name")), [pred], [{"xs": [{"name": name} for name in "abcd"]}], confidence="score")
    # P is 1 up to R = 0.25, 2/3 up to 0.5, 3/5 up to 0.75, then nothing
    assert found.interpolated(11) == pytest.approx((3 * 1 + 3 * 2 / 3 + 2 * 3 / 5) / 11, abs=1e-12)
    assert found.average_precision == pytest.approx((1 + 2 / 3 + 3 / 5) / 4, abs=1e-12)
    assert found.mean_average_precision == pytest.approx(found.average_precision, abs=1e-12)


def test_mean_average_precision_is_the_mean_of_the_documents_own() -> None:
    preds, refs = corpus(11)
    found = mw.curve(METRICS["exact"], preds, refs, confidence="score")
    own = [
        mw.curve(METRICS["exact"], [pred], [ref], confidence="score").average_precision
        for pred, ref in zip(preds, refs, strict=True)
        if ref["xs"]
    ]
    assert found.mean_average_precision == pytest.approx(np.mean(own), abs=1e-12)


def test_the_best_threshold_is_the_best_and_has_intervals() -> None:
    preds, refs = corpus(5, documents=40)
    found = mw.curve(METRICS["soft"], preds, refs, confidence="score")
    best = found.best()
    assert best.value == found.f1.max()
    assert best.threshold == found.thresholds[found.f1.argmax()]
    assert best.low < best.value < best.high
    assert best.threshold_low <= best.threshold <= best.threshold_high
    assert best.corrected <= best.value
    assert best == found.best()
    assert best != found.best(seed=1)
    assert found.best(resamples=0).low is None


@pytest.mark.parametrize("name", ["soft", "exact", "n_to_one"])
@pytest.mark.parametrize("beta", [1, 2])
def test_the_interval_at_the_best_threshold_is_that_of_the_score_there(name, beta) -> None:
    preds, refs = corpus(5, documents=40)
    best = mw.curve(METRICS[name], preds, refs, confidence="score").best(beta, resamples=100)
    phi = replace(METRICS[name], kind="f1" if beta == 1 else "fbeta", beta=beta)
    row = mw.intervals(mw.evaluate(phi, [kept(pred, best.threshold) for pred in preds], refs))["score"]
    assert (best.value, best.low, best.high) == pytest.approx((row.value, row.low, row.high), abs=1e-9)


def test_of_several_best_thresholds_the_highest_is_taken() -> None:
    preds, refs = [ranked(("a", 0.9), ("z", 0.8), ("y", 0.7), ("b", 0.6))], [ranked(("a", 1), ("b", 1))]
    best = mw.curve(METRICS["exact"], preds, refs, confidence="score").best()
    assert (best.threshold, best.value, best.counts.predicted) == (0.9, 2 / 3, 1)  # 4 / 6 at 0.6


def test_a_perfect_threshold_is_not_certain() -> None:
    docs = [{"xs": [{"name": "a", "score": 0.5}]}] * 20
    best = mw.curve(METRICS["exact"], docs, docs, confidence="score").best(resamples=100)
    assert (best.value, best.high) == (1, 1)
    assert 0.8 < best.low < 0.95


def test_the_best_threshold_on_other_documents_is_near_the_corrected_value() -> None:
    """The optimism of a small sample shows on new documents of the same kind."""
    gaps, corrected = [], []
    rest = corpus(1000, documents=400, levels=50)
    for seed in range(20):
        preds, refs = corpus(seed, documents=12, levels=50)
        best = mw.curve(METRICS["exact"], preds, refs, confidence="score").best(resamples=100)
        there = mw.curve(METRICS["exact"], *rest, confidence="score").at(best.threshold).f1()
        gaps.append(best.value - there)
        corrected.append(best.corrected - there)
    assert abs(np.mean(corrected)) < abs(np.mean(gaps))


def test_confidences_may_stand_in_the_document() -> None:
    from matchwise.tasks import ner

    preds = [
        {
            "mentions": [
                {"start": 0, "end": 2, "type": "PER", "score": 0.9},
                {"start": 3, "end": 4, "type": "LOC", "score": 0.2},
            ]
        }
    ]
    refs = [{"mentions": [{"start": 0, "end": 2, "type": "PER"}]}]
    found = mw.curve(ner.suite(), preds, refs, confidence="mentions[].score", metric="strict")
    assert found.thresholds.tolist() == [0.9, 0.2]
    assert found.precision.tolist() == [1.0, 0.5]
    with pytest.raises(DataError, match="document 0 prediction: found 1 confidence for 2 predicted elements"):
        mw.curve(ner.suite(), [preds[0] | {"scores": [1]}], refs, confidence="scores[]", metric="strict")


def test_wrong_input_is_named() -> None:
    phi, ref = f1("xs", eq("name")), {"xs": []}
    with pytest.raises(DataError, match="document 1 prediction: found 'high' as a confidence, expected a number"):
        mw.curve(phi, [{"xs": []}, {"xs": [{"name": 1, "score": "high"}]}], [ref, ref], confidence="score")
    late = [{"xs": []}] * (TOGETHER + 1) + [{"xs": [{"name": 1, "score": "high"}]}]
    with pytest.raises(DataError, match=f"document {TOGETHER + 1} prediction: found 'high'"):
        mw.curve(phi, late, [ref] * len(late), confidence="score")
    with pytest.raises(
        DataError, match=r"document 0 prediction: found 1000.*\.\.\. as a confidence, expected a number"
    ):
        mw.curve(phi, [{"xs": [{"name": 1, "score": 10**400}]}], [ref], confidence="score")
    with pytest.raises(DataError, match=r"document 0 prediction: xs\[0\]: .*score"):
        mw.curve(phi, [{"xs": [{"name": 1}]}], [ref], confidence="score")
    with pytest.raises(
        ExpressionError,
        match=r'curve\(\) needs to know where the confidence of an element is; write confidence="score"'.replace(
            "?", r"\?"
        ),
    ):
        mw.curve(phi, [], [], confidence=None)
    with pytest.raises(ExpressionError, match="has no collection at its root"):
        mw.curve(eq("x"), [], [], confidence="score")
    with pytest.raises(ExpressionError, match="variables are matched over all elements at once"):
        mw.curve(latent(f1("xs", var("a"))), [], [], confidence="score")
    with pytest.raises(ExpressionError, match="matched as a bag"):
        mw.curve(f1("xs", order="sequence"), [], [], confidence="score")
    with pytest.raises(ExpressionError, match=r"which metric\? write metric='a'; there are a, b"):
        mw.curve(mw.Suite(a=phi, b=phi), [], [], confidence="score")
    pairs = f1("xs", eq("name"), match="N:N")
    with pytest.raises(ExpressionError, match='counts pairs, which have no labels; write match="1:1"'):
        mw.curve(pairs, [], [], confidence="score", by="type")
    with pytest.raises(ExpressionError, match="counts pairs, which have no assign="):
        mw.curve(pairs, [], [], confidence="score", assign="greedy")
    with pytest.raises(ExpressionError, match=r"similarities= is about elements, but .* counts pairs"):
        mw.average_precision(pairs, [], [], confidence="score", assign="optimal")
    with pytest.raises(ExpressionError, match=r"calibration\(\) is about elements, but match=\"N:N\" counts pairs"):
        mw.calibration(pairs, [ref], [ref], confidence="score")
    of_pairs = mw.curve(pairs, [ref], [ref], confidence="score")
    for read in (of_pairs.ndcg, of_pairs.risk_coverage, lambda: of_pairs.precision_at(1)):
        with pytest.raises(
            ExpressionError, match=r'is about elements, but match="N:N" counts pairs; write match="1:1"'
        ):
            read()
    with pytest.raises(ExpressionError, match="assign='best'"):
        mw.curve(phi, [], [], confidence="score", assign="best")
    with pytest.raises(DataError, match="found no documents"):
        mw.curve(phi, [], [], confidence="score")
    found = mw.curve(phi, [ref], [ref], confidence="score")
    with pytest.raises(DataError, match="no predictions, and so no threshold"):
        found.best()
    with pytest.raises(DataError, match="no document has anything in its reference"):
        found.ndcg()
    with pytest.raises(MatchwiseError, match="k=0; write a whole number from 1"):
        found.precision_at(0)
    with pytest.raises(MatchwiseError, match="points=1; write 11"):
        found.interpolated(1)
    with pytest.raises(ExpressionError, match="this curve has no labels"):
        mw.curve(phi, [{"xs": [{"name": 1, "score": 1}]}], [ref], confidence="score").by  # noqa: B018


def test_no_predictions_make_an_empty_curve() -> None:
    found = mw.curve(f1("xs", eq("name")), [{"xs": []}], [{"xs": [{"name": 1}]}], confidence="score")
    assert (found.average_precision, found.interpolated(), found.at(0.5)) == (0.0, 0.0, mw.Counts(0, 0, 1))
    assert (found.precision_at(1), found.recall_at(1), found.ndcg(), found.mean_average_precision) == (0, 0, 0, 0)


def ranked(*found: tuple[str, float]) -> dict:
    return {"xs": [{"name": name, "score": score} for name, score in found]}


def test_recalls_that_are_not_reached_have_no_precision() -> None:
    found = mw.curve(METRICS["exact"], [ranked(("a", 0.9))], [ranked(("a", 1), ("b", 1))], confidence="score")
    assert found.interpolated(11) == pytest.approx(6 / 11, abs=1e-12)  # recalls 0, 0.1, …, 0.5 of 11
    assert found.interpolated(2) == 0.5
    whole = mw.curve(METRICS["exact"], [ranked(("a", 0.9))], [ranked(("a", 1))], confidence="score")
    assert (whole.interpolated(11), whole.interpolated(101)) == (1, 1)


def test_the_first_two_elements_may_share_a_rank() -> None:
    preds = [ranked(("a", 0.5), ("z", 0.5), ("b", 0.4)), ranked(("c", 0.4), ("y", 0.3))]
    refs = [ranked(("a", 1), ("b", 1)), ranked(("c", 1))]
    found = mw.curve(METRICS["exact"], preds, refs, confidence="score")
    assert found.precision_at(1) == (0.5 + 1) / 2
    assert found.recall_at(1) == (0.25 + 1) / 2
    assert found.precision_at(2) == (0.5 + 0.5) / 2


def test_credit_that_is_not_whole_stays_as_it_is() -> None:
    found = mw.curve(METRICS["dense"], [ranked(("ab", 0.9), ("xy", 0.2))], [ranked(("ac", 1))], confidence="score")
    assert found.matched.tolist() == [0.5, 0.5]


def test_credit_is_a_share_of_what_an_element_is_worth() -> None:
    request = make_request(f1("xs", 3 * edit("name")), "score")
    found = rank(request, [(ranked(("ab", 0.9), ("xy", 0.2)), ranked(("ac", 1)), None)])
    assert (found.gain.tolist(), found.worth.tolist()) == ([1.5, 0], [3, 3])
    assert found.credit.tolist() == [0.5, 0]


def test_elements_belong_to_their_document_however_many_come_before() -> None:
    docs = [ranked(("a", 0.9))] + [ranked()] * (TOGETHER - 1) + [ranked(("b", 0.5)), ranked(("a", 0.4), ("b", 0.3))]
    found = rank(make_request(METRICS["exact"], "score", by="name"), [(doc, doc, None) for doc in docs])
    assert found.document.tolist() == [0, TOGETHER, TOGETHER + 1, TOGETHER + 1]
    assert {label: np.flatnonzero(own).tolist() for label, own in found.by_label.items()} == {
        "a": [0, TOGETHER + 1],
        "b": [TOGETHER, TOGETHER + 1],
    }


def test_a_curve_as_data_has_the_areas_of_eleven_and_of_a_hundred_and_one_points() -> None:
    pred = {"xs": [{"name": name, "score": -place} for place, name in enumerate("axbyc")]}
    ref = {"xs": [{"name": name} for name in "abcd"]}
    made = mw.curve(f1("xs", eq("name")), [pred], [ref], confidence="score").to_dict()
    # P is 1 up to R = 0.25, 2/3 up to 0.5, 3/5 up to 0.75, then nothing.
    assert made["interpolated_11"] == pytest.approx((3 * 1 + 3 * 2 / 3 + 2 * 3 / 5) / 11, abs=1e-12)
    assert made["interpolated_101"] == pytest.approx((26 * 1 + 25 * 2 / 3 + 25 * 3 / 5) / 101, abs=1e-12)
    assert [(row["threshold"], row["matched"], row["predicted"]) for row in made["points"]] == [
        (0, 1, 1),
        (-1, 1, 2),
        (-2, 2, 3),
        (-3, 2, 4),
        (-4, 3, 5),
    ]
    assert (made["documents"], made["reference"], made["mean_average_precision"]) == (
        1,
        4,
        pytest.approx((1 + 2 / 3 + 3 / 5) / 4),
    )


def test_points_of_a_curve_are_spread_over_the_predictions() -> None:
    pred = {"xs": [{"name": name, "score": -place} for place, name in enumerate("abcdefghi")]}
    found = mw.curve(f1("xs", eq("name")), [pred], [pred], confidence="score")
    assert [row["predicted"] for row in found.rows(3)] == [1, 5, 9]
    assert [row["predicted"] for row in found.rows(9)] == list(range(1, 10)) == [r["predicted"] for r in found.rows()]
    assert [row["predicted"] for row in found.rows(8)] == [1, 3, 4, 5, 6, 7, 8, 9]


def test_confidences_beside_the_elements_are_counted_document_by_document() -> None:
    preds = [{"xs": ["a", "b"], "p": [0.9, 0.8]}, {"xs": ["c"], "p": [0.7]}, {"xs": ["d"], "p": [0.6]}]
    found = mw.curve(f1("xs"), preds, [{"xs": ["a"]}, {"xs": ["c"]}, {"xs": ["x"]}], confidence="p[]")
    assert (found.thresholds.tolist(), found.matched.tolist()) == ([0.9, 0.8, 0.7, 0.6], [1, 1, 2, 2])
    preds[2]["p"] = [0.6, 0.5]
    with pytest.raises(DataError, match="document 2 prediction: found 2 confidences for 1 predicted element"):
        mw.curve(f1("xs"), preds, [{"xs": []}] * 3, confidence="p[]")


def test_documents_of_a_curve_go_by_their_place_or_their_id() -> None:
    docs = [{"xs": [{"name": "a", "p": 0.5}]}] * 4
    request = make_request(f1("xs", eq("name")), "p")
    ranked = rank(request, [(doc, doc, "b" if place == 1 else None) for place, doc in enumerate(docs)])
    assert ranked.ids == [0, "b", 2, 3]
    named = mw.curve(f1("xs", eq("name")), docs, docs, confidence="p", ids=[*"wxyz"])
    assert named.ranked.ids == [*"wxyz"]


@pytest.mark.parametrize("assign", ["optimal", "greedy"])
def test_a_pair_that_is_as_similar_as_is_asked_for_counts(assign) -> None:
    docs = [{"xs": [{"at": (0, 2), "p": 0.9}]}], [{"xs": [{"at": (0, 1)}]}]
    options = {"confidence": "p", "similarities": (0.5, 0.51), "assign": assign}
    assert mw.average_precision(f1("xs", mw.iou("at")), *docs, **options) == {0.5: 1.0, 0.51: 0.0}


def test_a_metric_that_aligns_by_another_one_has_no_curve() -> None:
    with pytest.raises(ExpressionError, match="leave out order and align_by"):
        mw.curve(f1("xs", eq("a"), align_by=eq("b")), [], [], confidence="score")

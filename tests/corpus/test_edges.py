"""Edges of what is counted, compared and saved; each test was written for a planted mistake that survived."""

import json
import random
from array import array
from fractions import Fraction
from math import fsum

import numpy as np
import pytest

import matchwise as mw
from matchwise import MatchwiseError, eq, f1, latent, touch, var
from matchwise.algebra.steps import step
from matchwise.confidence.calibration import Judgements, calibrate, risk_coverage
from matchwise.confidence.ranking import make_request, rank
from matchwise.corpus.categories import Categories, Grading, gradings_of
from matchwise.corpus.counts import Part, Reading, Rows, exact_total
from matchwise.corpus.elements import content_of
from matchwise.corpus.loop import Counting, Reader, Unreadable
from matchwise.corpus.pairing import add_missing, pair_documents
from matchwise.corpus.references import unite
from matchwise.corpus.statistic import statistic
from matchwise.corpus.suite import after, as_suite, take_several
from matchwise.corpus.table import Table
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError, FormatError
from matchwise.statistics import resampling
from matchwise.statistics.compare import lowest_p, share_stretches
from matchwise.statistics.intervals import error_warnings
from matchwise.statistics.moments import moments
from matchwise.statistics.resampling import _draw_documents, _some_exchanges, p_value, unique_rows, weighted_sums
from matchwise.tasks import ner


@step
def shout(pred: object, ref: object) -> tuple[object, object]:
    return tuple({"xs": [text.upper() for text in side["xs"]]} for side in (pred, ref))  # type: ignore[index]


def test_per_element_documents_are_compared_after_the_step_of_the_metric() -> None:
    refs = [{"xs": ["A", "b"]}, {"xs": ["a", "c"]}]
    found = mw.evaluate(shout() | f1("xs"), [{"xs": ["a", "C", "d"]}], [refs], references="any", per="element")
    assert found["score"].counts == mw.Counts(2, 3, 2)


def test_per_element_the_collection_may_lie_deep_in_the_document() -> None:
    def deep(*xs: str) -> dict[str, object]:
        return {"a": {"b": {"xs": list(xs)}}}

    found = mw.evaluate(f1("a.b.xs"), [deep("x", "z")], [[deep("x"), deep("x", "y")]], references="any", per="element")
    assert found["score"].counts == mw.Counts(1, 2, 1)


def test_labels_alone_and_fields_alone_are_those_of_the_reference_that_counts() -> None:
    phi = f1("xs", eq("type") + eq("name"))
    pred = {"xs": [{"type": "a", "name": 1}]}
    refs = [{"xs": [{"type": "b", "name": 2}]}, {"xs": [{"type": "a", "name": 2}]}]
    labels = mw.evaluate(phi, [pred], [refs], by="type", references="any")
    assert labels.by["a"]["score"].counts == mw.Counts(1, 2, 2)
    fields = mw.evaluate(phi, [pred], [refs], fields=True, references="any")
    assert {row.path: row.right for row in fields.fields()} == {"xs[].type": 1, "xs[].name": 0}


def test_one_document_without_a_list_of_references_is_named_and_the_others_are_counted() -> None:
    refs = [[{"xs": [1]}], {"xs": [1]}, [{"xs": [2]}]]
    report = mw.evaluate(f1("xs"), [{"xs": [1]}] * 3, refs, ids=list("abc"), references="any", on_error="skip")
    assert [id for id, _ in report.errors] == ["b"]
    assert report["score"].counts == mw.Counts(1, 2, 2)


def test_documents_keep_their_ids_beside_one_that_cannot_be_scored() -> None:
    preds = [{"xs": ["a"]}, {"xs": 5}, {"xs": ["b"]}]
    table = mw.evaluate(f1("xs"), preds, [{"xs": ["a"]}] * 3, ids=["one", "two", "three"], on_error="skip").table()
    assert list(table.ids) == ["one", "three"]
    unnamed = mw.evaluate(f1("xs"), preds, [{"xs": ["a"]}] * 3, on_error="skip").table()
    assert list(unnamed.ids) == [0, 2]


@pytest.mark.parametrize("n", [9, 16, 17, 30])
def test_every_document_is_exchanged_in_half_of_the_resamples(n: int) -> None:
    first, seen = np.diag(np.arange(1.0, n + 1)), []

    def value(sums):
        seen.append(sums)
        return sums[..., 0]

    p_value(value, first, 0 * first, 500, 3)
    *_, moved = seen  # the second system is 0 everywhere, so that it has what was exchanged
    shares = (moved != 0).mean(axis=0)
    assert len(moved) == 500
    assert 0.4 < shares.min() < 0.5 < shares.max() < 0.6


@pytest.mark.parametrize("n", [7, 10])
def test_a_system_that_is_better_everywhere_has_the_lowest_p_there_is(n: int) -> None:
    refs = [{"xs": [place]} for place in range(n)]
    systems = {"bad": [{"xs": []}] * n, "good": refs}
    scored = {name: mw.evaluate(f1("xs"), preds, refs) for name, preds in systems.items()}
    [row] = mw.compare(scored, resamples=2**n).rows
    assert row.p == lowest_p(n, 2**n) == 2.0 ** (1 - n)
    assert lowest_p(n, 2**n - 1) == 2.0**-n


@pytest.mark.parametrize("risk", [-0.01, 1.01])
def test_a_risk_is_a_share(risk: float) -> None:
    with pytest.raises(MatchwiseError, match="write a share from 0 to 1"):
        mw.risk_coverage(f1("xs"), [{"xs": [1], "p": 0.5}], [{"xs": [1]}], confidence="p").coverage_at(risk)


@pytest.mark.parametrize("level", [0, 1, 1.5])
def test_a_level_lies_between_nothing_and_certainty(level: float) -> None:
    found = mw.curve(f1("xs", eq("n")), [{"xs": [{"n": 1, "p": 0.5}]}], [{"xs": [{"n": 1}]}], confidence="p")
    with pytest.raises(MatchwiseError, match="write a share between 0 and 1"):
        found.best(level=level)


def test_documents_may_be_half_right_when_their_confidences_are_judged() -> None:
    preds = [{"xs": [1, 9], "p": 0.75}, {"xs": [9], "p": 0.25}]
    found = mw.calibration(f1("xs"), preds, [{"xs": [1, 2]}, {"xs": [1]}], document="p")
    assert found["documents"].error == 0.25
    with pytest.raises(MatchwiseError, match="need a metric from 0 to 1"):
        mw.calibration(mw.overlap("xs"), [{"xs": [1, 2], "p": 1}], [{"xs": [1, 2]}], document="p")


def test_cells_of_a_confusion_that_are_as_large_stand_in_the_order_of_their_labels() -> None:
    strict = Grading(ner.mentions, credit=eq("span") * eq("type"), meets=touch("span"))
    pred, ref = ([(at, at + 1, label) for at, label in enumerate(labels)] for labels in ("bacc", "cbaa"))
    found = Categories(strict).add(pred, ref).confusion()
    assert [(row["predicted"], row["reference"], row["count"]) for row in found.to_dict()] == [
        ("c", "a", 2),
        ("a", "b", 1),
        ("b", "c", 1),
    ]


def test_a_tally_and_a_table_without_documents_are_something() -> None:
    assert Tally(f1("xs"))
    assert Tally(f1("xs")).table()


def initial(element: dict[str, str]) -> str:
    return element["name"][0]


def test_a_table_by_a_function_is_saved_with_its_name(tmp_path) -> None:
    docs = [{"xs": [{"name": "ann"}, {"name": "bob"}]}]
    report = mw.evaluate(f1("xs", eq("name")), docs, docs, by=initial)
    report.table().save(tmp_path / "scores.jsonl")
    again = Table.load(tmp_path / "scores.jsonl").report()
    assert {label: found["score"].counts for label, found in again.by.items()} == {
        "a": mw.Counts(1, 1, 1),
        "b": mw.Counts(1, 1, 1),
    }


def test_exchanged_sums_are_those_of_the_documents_that_were_drawn() -> None:
    rng = np.random.default_rng(0)
    for n, scale in ((9, 0.1), (65, 0.1), (73, 1.0), (40, 2.0**20)):  # fractions, and whole numbers with large sums
        apart = rng.integers(1, 50, (n, 3)) * scale + (scale > 1) * rng.integers(0, 2, (n, 3))
        bits = np.frombuffer(np.random.Generator(np.random.PCG64(7)).bytes(200 * -(-n // 8)), dtype=np.uint8)
        taken = np.unpackbits(bits.reshape(200, -1), axis=1)[:, :n].astype(bool)
        want = [[fsum(apart[row, column]) for column in range(3)] for row in taken]
        found = _some_exchanges(apart, 200, 7)
        assert found == pytest.approx(np.array(want), rel=1e-15, abs=0)


def test_weighted_sums_of_tiny_and_of_huge_numbers_are_exact() -> None:
    for scale in (1e-200, 1e-30, 1.0, 1e30):
        rows = np.array([[0.1, 1 / 3], [0.7, 2 / 7], [1e-9, 3.0]]) * scale
        weights = np.array([[3, 0, 2], [1, 5, 1000]])
        want = [
            [float(sum(int(w) * Fraction(float(x)) for w, x in zip(row, column, strict=True))) for column in rows.T]
            for row in weights
        ]
        assert weighted_sums(weights, rows) == pytest.approx(np.array(want), rel=3e-16, abs=0)


@pytest.mark.parametrize("bits", [20, 21, 30, 31])
def test_counts_are_packed_as_many_to_a_word_as_fit(bits: int) -> None:
    rows = np.array([[2.0**bits - 1, 1.0, 2.0**bits - 2], [5.0, 2.0**bits - 1, 0.0]])
    found = _draw_documents(rows, 300, np.random.default_rng(1))
    assert set(map(tuple, found.tolist())) == {tuple(a + b) for a in rows for b in rows}


def test_one_unit_has_no_variance_and_two_have_that_of_their_difference() -> None:
    assert moments(np.array([[3.0, 4.0]])).variance(np.array([1.0, 2.0])) == 0.0
    # The values are 11 and 5, three from their mean: 2 / 1 · (3² + 3²).
    assert moments(np.array([[3.0, 4.0], [1.0, 2.0]])).variance(np.array([1.0, 2.0])) == 36.0


def test_moments_of_fractions_are_exact() -> None:
    forms = np.array([[0.1, 3.0], [1 / 3, 2.0], [1e-9, 7.5]])
    found = moments(forms)
    columns = [[Fraction(float(x)) for x in column] for column in forms.T]
    assert list(found.sums) == [sum(column) for column in columns]
    assert found.squares.tolist() == [
        [sum(a * b for a, b in zip(one, other, strict=True)) for other in columns] for one in columns
    ]


def test_lowest_p_by_the_number_of_documents_and_of_exchanges() -> None:
    assert [lowest_p(n, 10_000) for n in (0, 1, 2, 5, 13, 14)] == [1.0, 1.0, 0.5, 0.0625, 2.0**-12, 1 / 10_001]
    assert lowest_p(10_000, 10_000) == 1 / 10_001


def test_what_is_added_up_from_shards_counts_every_document_that_was_seen() -> None:
    refs = [{"xs": [1]}] * 3
    shards = [mw.evaluate(f1("xs"), [{"xs": [1]}, {"xs": 5}, {"xs": []}], refs, on_error="skip").table()] * 2
    assert [one.fold().documents for one in shards] == [3, 3]
    assert (shards[0].fold() + shards[1].fold()).documents == 6
    assert (shards[0].fold() + shards[1]).documents == 6
    assert len(shards[0].fold() + shards[1].fold()) == 4


def test_a_step_stands_before_every_metric_but_not_before_what_is_derived() -> None:
    entries = {"a": f1("xs"), "b": f1("ys"), "both": mw.average("a", "b")}
    assert after(None, entries) == entries
    assert after(shout(), entries) == {"a": shout() | f1("xs"), "b": shout() | f1("ys"), "both": entries["both"]}


def test_an_average_with_a_mean_has_no_precision_even_if_only_sums_were_kept() -> None:
    suite = mw.Suite(f=f1("xs"), m=mw.mean(f1("xs"), f1("ys")), both=mw.average("f", "m", where="reference"))
    docs = [{"xs": [1], "ys": [2]}]
    report = mw.evaluate(suite, docs, docs, keep="sums")
    with pytest.raises(ExpressionError, match="a mean over documents has no counts, hence no precision"):
        _ = report["both"].precision
    assert "precision" not in report.to_dict()["metrics"]["both"]
    with pytest.raises(ExpressionError):
        _ = report["both"].macro_precision


def test_the_metric_whose_references_differ_is_the_one_that_is_named() -> None:
    def scored(ys: list[int]) -> Table:
        suite = mw.Suite(a=f1("xs"), b=f1("ys"), c=f1("zs"))
        return mw.evaluate(suite, [{"xs": [], "ys": [], "zs": []}], [{"xs": [1], "ys": ys, "zs": [1, 2, 3]}]).table()

    with pytest.raises(DataError, match="scored against different references: b counts 2 and 4 of it"):
        mw.compare({"one": scored([1, 2]), "two": scored([1, 2, 3, 4])})


def test_items_stand_in_the_order_of_the_predictions_whether_or_not_they_are_contested() -> None:
    grading = Grading("xs", credit=mw.edit(0), meets=mw.edit(0), label=1)
    pred, ref = {"xs": [("ab", 1), ("zz", 2), ("ac", 3)]}, {"xs": [("ab", 1), ("ac", 2), ("zy", 3)]}
    found = Categories(grading, keep="all").add(pred, ref)
    assert [(item.category, item.pred_path, item.ref_path) for item in found.items] == [
        ("correct", "xs[0]", "xs[0]"),
        ("partial", "xs[1]", "xs[2]"),
        ("correct", "xs[2]", "xs[1]"),
    ]


def test_fields_are_calibrated_over_every_document() -> None:
    preds = [{"a": 1, "p": 0.5}, {"a": None, "p": 0.5}, {"a": 3, "p": 1.0}]
    found = mw.calibration(mw.normalize(eq("a") + eq("b"), "f1"), preds, [{"a": 1}] * 3, fields={"a": "p"})["a"]
    assert (found.n, found.documents, found.brier) == (2, 3, (0.25 + 1.0) / 2)
    assert found.to_dict()["documents"] == 3


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


@pytest.mark.parametrize("at", [0, 1])
def test_streams_of_different_length_are_counted_in_words(at: int) -> None:
    sides = [iter([{"xs": [1]}] * number) for number in ((2, 3) if at else (3, 2))]
    with pytest.raises(DataError) as caught:
        mw.evaluate(f1("xs"), *sides)
    found = "2 predictions and 3 references" if at else "3 predictions and 2 references"
    assert str(caught.value) == (
        f"found {found}; give one prediction for each reference, an empty one where the system found nothing"
    )


def test_a_document_of_nothing_counts_where_a_total_is_averaged() -> None:
    suite = mw.Suite(f=f1("xs"), total=mw.overlap("xs"), both=mw.average("f", "total"))
    docs = [{"xs": [number]} for number in range(12)] + [{"xs": []}] * 3
    found = mw.intervals(mw.evaluate(suite, docs, docs))
    assert [found[name].units for name in ("f", "total", "both")] == [12, 15, 15]


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


@pytest.mark.parametrize("references", ["any", "all", "mean"])
def test_bounds_under_several_references_are_those_of_the_one_that_counts(references) -> None:
    phi = latent(f1("props", eq("rel") * var("subj") * var("obj")))

    def graph(seed: int) -> dict[str, object]:
        rng = random.Random(seed)
        return {
            "props": [{"rel": rng.randrange(3), "subj": rng.randrange(9), "obj": rng.randrange(9)} for _ in range(18)]
        }

    pred, refs = graph(2), [graph(3), graph(4)]
    alone = [mw.evaluate(phi, [pred], [ref], gap=0.9)["score"].bounds for ref in refs]
    report = mw.evaluate(phi, [pred] * 2, [refs] * 2, gap=0.9, references=references)
    join = {"any": max, "all": min, "mean": lambda values: sum(values) / 2}[references]
    found = report["score"].bounds
    assert (found.lower, found.upper) == (
        pytest.approx(join([one.lower for one in alone])),
        pytest.approx(join([one.upper for one in alone])),
    )
    assert report["score"].bounds_of(1) == pytest.approx(found)


def test_rows_of_more_columns_than_a_word_has_bits_are_told_apart() -> None:
    rows = np.zeros((3, 70))
    rows[:, 1:] = 1.0
    rows[0, 0] = 1.0  # the others are 0 there
    rows[2, 69] = 0.0
    kinds, often = unique_rows(np.concatenate([rows, np.zeros((1, 70)), rows[:1]]))
    assert sorted(map(tuple, kinds.tolist())) == sorted({*map(tuple, rows.tolist()), (0.0,) * 70})
    assert sorted(often) == [1, 1, 1, 2]


def test_a_corrected_p_value_is_at_most_1() -> None:
    sides = {name: stretches(("a", matched), ("b", matched)) for name, matched in (("one", 3), ("two", 7))}
    found = mw.compare(sides, scores=["value", "precision", "recall"])
    assert (found.lowest_p_holm, [row.p_holm for row in found]) == (1.0, [1.0] * 3)


def test_an_unknown_interval_names_those_of_metrics() -> None:
    docs = [{"xs": [{"type": "a"}]}] * 12
    found = mw.intervals(mw.evaluate(f1("xs", eq("type")), docs, docs, by="type"))
    with pytest.raises(ExpressionError) as caught:
        found["zzz"]
    assert str(caught.value) == "no interval of 'zzz'; there are score, f1, score, precision, score, recall"


def test_one_reference_may_be_all_that_a_document_has() -> None:
    found = mw.evaluate(shout() | f1("xs"), [{"xs": ["a", "b"]}], [[{"xs": ["A"]}]], references="any", per="element")
    assert found["score"].counts == mw.Counts(1, 2, 1)


@pytest.mark.parametrize("by", ["width", "mass"])
@pytest.mark.parametrize("bins", [1, 2])
def test_a_confidence_of_1_is_in_the_last_bin_and_one_of_0_in_the_first(by, bins: int) -> None:
    docs = [{"xs": [{"name": "a", "p": 1.0}, {"name": "b", "p": 0.0}, {"name": "c", "p": 1.0}]}]
    found = mw.calibration(f1("xs", eq("name")), docs, docs, confidence="p", bins=bins, by=by)["elements"]
    if bins == 1:
        assert [(one.low, one.high, one.n, one.confidence) for one in found.bins] == [(0, 1, 3, 2 / 3)]
    elif by == "width":
        assert [(one.low, one.high, one.n) for one in found.bins] == [(0, 0.5, 1), (0.5, 1, 2)]


def test_moments_of_large_whole_numbers_are_exact() -> None:
    for most in (2**25, 2**26, 2**27, 2**40):
        forms = np.array([[most - 1, 3], [most - 3, most - 5], [1, 2]], dtype=float)
        columns = [[int(x) for x in column] for column in forms.T]
        found = moments(forms)
        assert [int(x) for x in found.sums] == [sum(column) for column in columns]
        assert [[int(x) for x in row] for row in found.squares] == [
            [sum(a * b for a, b in zip(one, other, strict=True)) for other in columns] for one in columns
        ]


def test_all_scores_may_be_asked_for() -> None:
    docs = [{"xs": [1]}] * 12
    found = mw.intervals(mw.evaluate(mw.jaccard("xs"), docs, docs), scores=["value", "precision", "recall", "f1"])
    assert [row.score for row in found] == ["jaccard", "precision", "recall", "f1"]


@pytest.mark.parametrize("id", [2**63 - 1, 2**63, 2**70, -(2**63), -(2**63) - 1, "a", None])
def test_ids_of_any_size_are_saved(tmp_path, id) -> None:
    table = stretches((id, 3), (7, 4))
    for name in ("t.jsonl", "t.parquet"):
        table.save(tmp_path / name)
        assert Table.load(tmp_path / name) == table


def test_the_mean_over_no_fields_is_0() -> None:
    report = mw.evaluate(f1("xs", eq("a") + eq("b")), [{"xs": []}], [{"xs": []}], fields=True)
    assert report.over_fields("score") == 0.0
    assert report.means_over_fields("score") == {"precision": 0.0, "recall": 0.0, "f1": 0.0}


def test_contents_are_numbered_or_named() -> None:
    items = [{"a": 1}, {"a": 2}, {"a": 1}]
    assert content_of(items) == ([0, 1, 0], [0, 1])
    names, firsts = content_of(items, names=True)
    assert (names[0] == names[2] != names[1], names[0] != 0, firsts) == (True, True, [0, 1])


def test_where_errors_and_matches_are_as_many_the_errors_are_named() -> None:
    half = stretches(*((f"d{n}", 10 * (n % 2)) for n in range(18)))
    assert mw.intervals(half, method="bootstrap", resamples=100).warnings[-1] == (
        "bootstrap intervals are too narrow for scores near 0 or 1: m (9 of 18 documents have an error); "
        'use the delta method (method="delta", --ci delta)'
    )


def test_a_confusion_says_how_many_elements_it_has() -> None:
    grading = Grading("xs", credit=eq(0) * eq(1), meets=eq(0), label=1)
    pred, ref = {"xs": [(1, "a"), (2, "a"), (9, "b")]}, {"xs": [(1, "a"), (2, "a"), (3, "b")]}
    assert repr(Categories(grading).add(pred, ref).confusion()) == "<Confusion of 4 elements>"


@pytest.mark.parametrize("n", [9, 10, 11])
def test_a_rare_label_is_named_where_there_are_documents_enough_for_intervals(n: int) -> None:
    docs = [{"xs": [{"type": "rare" if number < 3 else "common"}]} for number in range(n)]
    found = mw.intervals(mw.evaluate(f1("xs", eq("type")), docs, docs, by="type"))
    few = f"{n} documents are few, so the intervals are rough"
    none = "9 documents are too few for confidence intervals, which need 10"
    rare = "no interval for what occurs in fewer than 10 documents: common, rare"
    assert found.warnings == ((none,) if n == 9 else (few, rare))


class Picky(Reader):
    def read(self, item, place):
        if item[0] == "bad":
            raise FormatError("no document", "file", 7)
        return item

    def read_all(self, items, place):
        return [self.read(item, place) for item in items]


def test_a_document_that_cannot_be_read_does_not_stop_the_others() -> None:
    good = ({"xs": [1]}, {"xs": [1]}, None)
    made = Counting(Tally(f1("xs")).zero(), Picky(), on_error="skip")(0, [good, ("bad", None, "b"), good])
    assert made.tally.report()["score"].counts == mw.Counts(2, 2, 2)
    assert [(one.document, one.problem, one.place) for one in made.failed] == [
        ("b", "FormatError: file:7: no document", 1)
    ]


class Leaving(Reader):
    def read(self, item, place):
        raise SystemExit(3)

    read_all = read


def test_a_reader_that_ends_the_program_is_an_error_of_its_document() -> None:
    with pytest.raises(DataError, match=r"^document d: SystemExit: 3$") as caught:
        Counting(Tally(f1("xs")).zero(), Leaving())(0, [(None, None, "d")])
    assert isinstance(caught.value.__cause__, SystemExit)


def test_where_memory_does_not_suffice_for_a_batch_documents_are_counted_one_by_one(monkeypatch) -> None:
    add = Tally._add

    def starved(self, preds, refs, ids):
        if len(preds) > 1:
            raise MemoryError
        return add(self, preds, refs, ids)

    monkeypatch.setattr(Tally, "_add", starved)
    docs = [{"xs": [number]} for number in range(5)]
    assert mw.evaluate(f1("xs"), docs, docs)["score"].counts == mw.Counts(5, 5, 5)


def test_intervals_in_a_line_are_those_of_the_metrics() -> None:
    docs = [{"xs": [{"type": "a"}]}] * 12
    found = mw.intervals(mw.evaluate(mw.Suite(m=f1("xs", eq("type")), n=f1("xs")), docs, docs, by="type"))
    assert repr(found) == "<Intervals of m 1.0000, n 1.0000>"


def test_a_packed_table_has_the_same_bytes_whenever_it_is_saved(tmp_path) -> None:
    stretches(("a", 3)).save(tmp_path / "t.jsonl.gz")
    assert (tmp_path / "t.jsonl.gz").read_bytes()[:8] == b"\x1f\x8b\x08\x00" + bytes(4)  # no name, no time


def test_confidences_beside_the_elements_are_counted_document_by_document() -> None:
    preds = [{"xs": ["a", "b"], "p": [0.9, 0.8]}, {"xs": ["c"], "p": [0.7]}, {"xs": ["d"], "p": [0.6]}]
    found = mw.curve(f1("xs"), preds, [{"xs": ["a"]}, {"xs": ["c"]}, {"xs": ["x"]}], confidence="p[]")
    assert (found.thresholds.tolist(), found.matched.tolist()) == ([0.9, 0.8, 0.7, 0.6], [1, 1, 2, 2])
    preds[2]["p"] = [0.6, 0.5]
    with pytest.raises(DataError, match="document 2 prediction: found 2 confidences for 1 predicted elements"):
        mw.curve(f1("xs"), preds, [{"xs": []}] * 3, confidence="p[]")


@pytest.mark.parametrize("details", [{"by": "rel"}, {"fields": True}])
def test_variables_are_matched_document_by_document_in_tables_too(details) -> None:
    phi = latent(f1("props", eq("rel") * var("subj") + eq("rel")))
    docs = [
        {"props": [{"rel": rel, "subj": subj} for rel, subj in pairs]}
        for pairs in (["ax", "by", "bx"], ["ay", "az"], ["bz", "ax", "ay"])
    ]
    turned = [*docs[1:], docs[0]]
    together = mw.evaluate(phi, docs, turned, **details).table()
    one_by_one = Tally(phi, **details)
    for pred, ref in zip(docs, turned, strict=True):
        one_by_one += Tally(phi, **details).add(pred, ref)
    assert together == one_by_one.table()


def test_errors_of_documents_are_said_by_kind() -> None:
    table = stretches(("a", 3), ("b", 4))
    table.errors += [("b", "broken"), ("z", "lost"), ("y", "lost"), (None, "file:3: no JSON")]
    assert error_warnings([table]) == [
        "2 documents could not be scored and were left out: z, y",
        "1 document had an error; a prediction that could not be scored counts as empty: b",
        "1 document could not be read: file:3: no JSON",
    ]


def test_a_document_with_wrong_references_goes_by_its_id_or_its_place() -> None:
    tally = Tally(take_several(as_suite(f1("xs")), "any")).add({"xs": [1]}, [{"xs": [1]}], "first")
    for id, want in ((None, 1), ("second", "second")):
        with pytest.raises(DataError) as caught:
            tally.add({"xs": [1]}, {"xs": [1]}, id)
        assert caught.value.document == want


def test_lists_of_different_length_are_refused_before_anything_is_scored() -> None:
    with pytest.raises(DataError, match="found 1 prediction and 2 references"):
        pair_documents([1], [1, 2])
    with pytest.raises(DataError, match="found 2 predictions and 2 references and 3 ids"):
        pair_documents([1, 2], [1, 2], [1, 2, 3])


def test_elements_that_are_worth_nothing_carry_no_risk() -> None:
    pred = {"xs": [{"tags": ["a"], "p": 0.9}, {"tags": [], "p": 0.8}, {"tags": ["b"], "p": 0.3}]}
    ref = {"xs": [{"tags": ["a"]}, {"tags": ["c"]}]}
    phi = f1("xs", mw.overlap("tags"))
    found = mw.curve(phi, [pred], [ref], confidence="p").risk_coverage()
    assert (found.thresholds.tolist(), found.risk.tolist()) == ([0.9, 0.3], [0, 0.5])


def test_an_optimum_that_is_proved_has_bounds_as_data_and_others_have_none() -> None:
    suite = mw.Suite(searched=latent(f1("xs", var())), plain=f1("xs"))
    made = mw.evaluate(suite, [{"xs": [1, 2]}], [{"xs": [3]}]).to_dict()["metrics"]
    assert made["searched"]["bounds"] == {"lower": 2 / 3, "upper": 2 / 3, "proved": True}
    assert "bounds" not in made["plain"]


def test_both_sides_of_a_metric_need_a_collection_to_be_broken_down() -> None:
    phi = mw.harmonic(mw.precision("xs", eq("type")), mw.normalize(eq("a") + eq("b"), "recall"))
    with pytest.raises(ExpressionError, match="it does not compare one collection"):
        Tally(phi, by="type")


def test_one_document_above_1_is_enough_to_refuse_its_confidence() -> None:
    preds = [{"xs": [1, 2], "p": 1}, {"xs": [1], "p": 1}]
    with pytest.raises(MatchwiseError, match="need a metric from 0 to 1"):
        mw.calibration(mw.overlap("xs"), preds, preds, document="p")
    with pytest.raises(MatchwiseError, match="risk needs a metric from 0 to 1"):
        mw.risk_coverage(mw.overlap("xs"), preds, preds, confidence="p")


def test_what_is_drawn_does_not_depend_on_how_much_is_drawn_at_once(monkeypatch) -> None:
    rng = np.random.default_rng(4)
    few, many = rng.integers(0, 2, (100, 2)).astype(float), rng.random((30, 2))
    made = []
    for block in (resampling.BLOCK, 200, 1):
        monkeypatch.setattr(resampling, "BLOCK", block)
        drawn = [resampling.resample(forms, 150, 3).tolist() for forms in (few, many)]
        exchanged = [_some_exchanges(forms, 150, 3).tolist() for forms in (few, many)]
        made.append((drawn, exchanged[0], exchanged[1] if block > 30 else None))
    assert made[0][0] == made[1][0] == made[2][0]
    assert made[0][1] == made[1][1] == made[2][1]


def test_each_bootstrap_has_its_own_interval() -> None:
    rows = [(f"d{n}", 10 - (n % 7 == 0) - 9 * (n % 50 == 0)) for n in range(150)]
    table = stretches(*rows)
    one = statistic({"m": Reading("f1")}, "m")
    forms = one.project(table.counts)
    values = one.of(resampling.resample(forms, 500, 1))
    want = {
        "bootstrap": resampling.percentile_interval(values, 0.95),
        "bca": resampling.bca_interval(one.of, forms, values, 0.95),
    }
    assert want["bootstrap"] != want["bca"]
    for method, ends in want.items():
        found = mw.intervals(table, method=method, resamples=500, seed=1, scores=["value"])["m"]
        assert (found.low, found.high) == ends


def test_weighted_sums_are_rounded_once() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        weights, rows = rng.integers(0, 2**20, (1, 40)), rng.random((40, 1))
        want = sum(int(w) * Fraction(float(x)) for w, x in zip(weights[0], rows[:, 0], strict=True))
        assert weighted_sums(weights, rows)[0, 0] == float(want)


def test_metrics_that_are_searched_are_saved_in_the_order_of_their_names(tmp_path) -> None:
    suite = mw.Suite({name: latent(f1("xs", var())) for name in "hgfedcba"})
    mw.evaluate(suite, [{"xs": [1]}], [{"xs": [1]}]).table().save(tmp_path / "t.jsonl")
    head = json.loads((tmp_path / "t.jsonl").read_text().splitlines()[0])
    assert head["searched"] == list("abcdefgh")


def test_risk_and_coverage_are_printed() -> None:
    confidence = np.arange(100.0, 0, -1)
    loss = np.zeros(100)
    loss[[30, 50, 60, 70, 80, 85, 90, 92, 94, 96, 98]] = 1  # the risk is 1/31 there, and so on
    assert str(risk_coverage(confidence, loss)).splitlines()[1] == (
        "coverage by risk: 0.3000 at 0.01, 0.8000 at 0.05, 0.9600 at 0.1, 1.0000 at 0.2"
    )


def test_documents_of_a_curve_go_by_their_place_or_their_id() -> None:
    docs = [{"xs": [{"name": "a", "p": 0.5}]}] * 4
    request = make_request(f1("xs", eq("name")), "p")
    ranked = rank(request, [(doc, doc, "b" if place == 1 else None) for place, doc in enumerate(docs)])
    assert ranked.ids == [0, "b", 2, 3]


class Illegible(Reader):
    def read(self, item, place):
        if item[0] == "bad":
            raise Unreadable("nothing to read")
        return item

    read_all = Picky.read_all


@pytest.mark.parametrize(("on_error", "unreadable", "left"), [("raise", "skip", 1), ("skip", "empty", 2)])
def test_what_cannot_be_read_is_treated_as_it_is_asked_for(on_error, unreadable, left: int) -> None:
    good, illegible, wrong = ({"xs": [1]}, {"xs": [1]}, 0), ("bad", {"xs": [1]}, 1), ({"xs": 5}, {"xs": [1]}, 2)
    made = Counting(Tally(f1("xs")).zero(), Illegible(), on_error=on_error, unreadable=unreadable)(0, [good, illegible])
    assert (len(made.tally), [one.document for one in made.failed]) == (left, [1])
    again = Counting(Tally(f1("xs")).zero(), Illegible(), on_error=on_error, unreadable=unreadable)
    if on_error == "raise":
        with pytest.raises(DataError, match="document 2"):
            again(0, [good, wrong])
    else:
        assert len(again(0, [good, wrong]).tally) == 1


def test_a_label_that_only_one_reference_has_counts_by_its_share() -> None:
    pred, refs = {"xs": [{"type": "a"}]}, [{"xs": [{"type": "a"}]}, {"xs": [{"type": "b"}]}]
    table = mw.evaluate(f1("xs", eq("type")), [pred], [refs], by="type", references="mean").table()
    assert {part.name: table.slice(part)[1].tolist() for part in table.parts} == {
        "a": [[0.5, 1.0, 0.5, 0.5]],
        "b": [[0.0, 0.0, 0.5, 0.0]],
    }


def test_a_missing_prediction_of_a_whole_value_has_its_four_counts() -> None:
    suite = mw.Suite(f=mw.normalize(mw.edit("name"), "f1"), m=mw.mean(mw.edit("name")))
    assert add_missing(Tally(suite), {"name": "Ann"}).table().counts.tolist() == [[0, 0, 1, 0, 0, 1, 1, 0]]


@pytest.mark.parametrize("assign", ["optimal", "greedy"])
def test_a_pair_that_is_as_similar_as_is_asked_for_counts(assign) -> None:
    docs = [{"xs": [{"at": (0, 2), "p": 0.9}]}], [{"xs": [{"at": (0, 1)}]}]
    options = {"confidence": "p", "similarities": (0.5, 0.51), "assign": assign}
    assert mw.average_precision(f1("xs", mw.iou("at")), *docs, **options) == {0.5: 1.0, 0.51: 0.0}


def test_sums_of_counts_are_exact_whatever_their_size() -> None:
    for numbers in ([2.0**40, 0.5], [2.0**39, 0.5], [2.0**60, 2.0**-10], [1e300, 0.25], [2.0**53, 1.0, 0.5]):
        assert exact_total(numbers) == sum(map(Fraction, numbers))
        assert exact_total(np.array(numbers)) == exact_total(numbers)
    assert repr(exact_total(np.array([0.5, 2.0, 0.5]))) == "3"
    assert exact_total(np.array([0.1] * 10)) == 10 * Fraction(0.1)


def test_forms_of_one_thing_are_at_least_half_alike() -> None:
    assert unite([["ab"], ["ac"]], mw.edit()) == [["ab", "ac"]]
    assert unite([["abc"], ["axy"]], mw.edit()) == [["abc"], ["axy"]]


def test_categories_of_documents_without_ids_go_by_their_places() -> None:
    found = Categories(Grading("xs", credit=eq(0), meets=eq(0), label=0), keep="all")
    found.add_all([({"xs": [(n,)]}, {"xs": [(n,)]}, "named" if n == 1 else None) for n in range(4)])
    found.add({"xs": [(9,)]}, {"xs": []})
    assert [item.document for item in found.items] == [0, "named", 2, 3, 4]


def test_ids_without_text_are_saved_as_numbers(tmp_path) -> None:
    import pyarrow.parquet

    for ids, kind in (([1, None, 3], "int64"), (["a", None], "string"), ([1, "a"], "string"), ([True, 1], "string")):
        stretches(*((id, 1) for id in ids)).save(tmp_path / "t.parquet")
        assert str(pyarrow.parquet.read_schema(tmp_path / "t.parquet").field("document").type) == kind


def test_the_order_of_labels_is_no_part_of_a_checksum(tmp_path) -> None:
    table = stretches(("a", 1), ("b", 2))
    table.parts[Part("label", "m", "late")] = Rows(array("q", [1]), array("d", [1.0, 2.0, 3.0, 1.0]))
    table.parts[Part("label", "m", "early")] = Rows(array("q", [0]), array("d", [4.0, 5.0, 6.0, 4.0]))
    for name in ("t.jsonl", "t.parquet"):
        table.save(tmp_path / name)
        assert Table.load(tmp_path / name).parts == table.parts


def test_only_the_metrics_of_a_suite_have_gradings() -> None:
    suite = mw.Suite(strict=f1("xs", eq(0) * eq(1)))
    assert list(gradings_of(suite, {"strict": eq(0), "other": eq(1)}, label=1)) == ["strict"]


def test_labels_that_cannot_be_looked_up_are_written_as_text() -> None:
    docs = [{"xs": [{"name": "a", "p": 0.9, "type": ["x"]}, {"name": "b", "p": 0.8, "type": 7}]}]
    found = mw.curve(f1("xs", eq("name")), docs, docs, confidence="p", by="type")
    assert list(found.by) == [7, "['x']"]


def test_bins_of_different_width_are_aligned() -> None:
    judged = Judgements(np.array([0.1, 0.5, 0.9]), np.array([0.0, 1.0, 1.0]), np.zeros(3, int), 1)
    assert str(calibrate(judged, bins=3)).splitlines()[:4] == [
        "        bin      n  confidence  credit      gap",
        "  0.0-0.333      1      0.1000  0.0000  -0.1000",
        "0.333-0.667      1      0.5000  1.0000   0.5000",
        "  0.667-1.0      1      0.9000  1.0000   0.1000",
    ]

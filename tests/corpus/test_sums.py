"""Sums instead of documents: nothing grows, nothing is rounded, and no score changes."""

import json
from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import matchwise as mw
from matchwise.algebra.build import custom, eq, f1, harmonic, jaccard, mean, normalize, overlap, precision, recall
from matchwise.corpus.counts import exact_product, expansion
from matchwise.corpus.report import Report
from matchwise.corpus.statistic import SCORES
from matchwise.corpus.suite import Suite, average
from matchwise.corpus.table import FOLDED, Table
from matchwise.corpus.tally import Tally
from matchwise.errors import ExpressionError, FormatError, MatchwiseError, MergeError
from matchwise.runners.runner import evaluate
from matchwise.similarities.numbers import close
from matchwise.statistics.intervals import intervals


def third(pred: Any, ref: Any) -> float:
    return 1 / 3 if pred == ref else 0.1


SUITE = Suite(
    f=f1("xs", eq("type"), empty=0),
    soft=normalize(overlap("xs", eq("type") + 0.3 * custom(third, "name")), "f1"),
    j=jaccard("xs"),
    sides=harmonic(precision("xs", eq("type"), match="N:1"), recall("xs", eq("type"), match="1:N")),
    mean=mean(f1("xs"), f1("xs", eq("name"))),
    both=average("f", "sides"),
)
COUNTED = Suite(f=f1("xs", eq("type")), soft=f1("xs", eq("type") + 0.3 * custom(third, "name"), empty=0))
ELEMENTS = st.fixed_dictionaries({"type": st.sampled_from("AB"), "name": st.sampled_from("abc")})
DOCUMENTS = st.fixed_dictionaries({"xs": st.lists(ELEMENTS, max_size=4)})
PAIRS = st.lists(st.tuples(DOCUMENTS, DOCUMENTS), min_size=1, max_size=6)


def counted(pairs: Any, suite: Suite = SUITE, **details: Any) -> Tally:
    tally = Tally(suite, **details)
    for pred, ref in pairs:
        tally.add(pred, ref)
    return tally


@given(st.lists(st.floats(-1e100, 1e100)))
def test_an_expansion_is_the_exact_sum(numbers: list[float]) -> None:
    assert sum(map(Fraction, expansion(numbers))) == sum(map(Fraction, numbers))


@pytest.mark.parametrize("largest", [1, 1e9, 1e100])
@given(st.data())
def test_an_array_has_the_expansion_of_its_list(largest: float, data: Any) -> None:
    numbers = data.draw(st.lists(st.floats(-largest, largest) | st.fractions(0, 1, max_denominator=99).map(float)))
    assert expansion(np.array(numbers, dtype=np.float64)) == expansion(numbers)


def test_an_array_that_cannot_be_split_has_the_expansion_of_its_list() -> None:
    for numbers in ([1.0, 5e-324], [2.0**60, 1.0], [1.0, float("inf")], [1 / 3] * 200_000):
        assert expansion(np.array(numbers)) == expansion(numbers)


@given(st.lists(st.floats(-1e9, 1e9)), st.lists(st.floats(-1e9, 1e9)))
def test_the_expansion_of_a_sum_does_not_depend_on_its_parts(some: list[float], more: list[float]) -> None:
    assert expansion(expansion(some) + expansion(more)) == expansion(more + some)


def test_an_infinite_sum_ends() -> None:
    assert expansion([1.0, float("inf")]) == (float("inf"),)


@given(PAIRS)
def test_sums_give_the_report_of_documents(pairs: Any) -> None:
    assert counted(pairs, keep="sums").report().to_dict() == counted(pairs).report().to_dict()


@given(PAIRS)
def test_sums_give_the_same_tables_of_labels_and_fields(pairs: Any) -> None:
    one, other = (counted(pairs, COUNTED, by="type", fields=True, keep=keep) for keep in ("sums", "documents"))
    assert one.report().to_dict() == other.report().to_dict()


@given(PAIRS, PAIRS)
def test_sums_of_shards_are_the_sums_of_the_whole(some: Any, more: Any) -> None:
    shards = counted(some, keep="sums") + counted(more, keep="sums")
    assert shards == counted(more + some, keep="sums")


@given(PAIRS, PAIRS)
def test_documents_and_sums_add_up_to_sums(some: Any, more: Any) -> None:
    assert counted(some) + counted(more, keep="sums") == counted(some + more, keep="sums")
    assert counted(some, keep="sums") + counted(more) == counted(some + more, keep="sums")


def test_only_a_few_documents_are_held() -> None:
    tally = Tally(f1("xs"), keep="sums", by="")
    for number in range(2 * FOLDED + 10):
        tally.add({"xs": [number % 3]}, {"xs": [number % 2]}, id=f"d{number}")
    assert (len(tally), len(tally.scores.ids), len(tally.scores.rows)) == (2 * FOLDED + 10, 10, 40)


def test_evaluate_can_keep_sums_only() -> None:
    preds, refs = [{"xs": [1]}] * 5, [{"xs": [1, 2]}] * 5
    report = evaluate(f1("xs"), preds, refs, keep="sums")
    assert (report["score"].f1, report["score"].macro, report.documents) == (2 / 3, 2 / 3, 5)


@pytest.mark.parametrize(
    "ask",
    [
        lambda report: report["f"].per_document,
        lambda report: report["both"].per_document,
        lambda report: report["f"].columns,
        lambda report: report.worst(),
        lambda report: report.columns(),
        lambda report: report.table(),
    ],
)
def test_who_asks_for_documents_is_told_that_they_were_not_kept(ask: Any) -> None:
    report = counted([({"xs": []}, {"xs": []})], keep="sums").report()
    with pytest.raises(ExpressionError, match=r'only sums were kept.*keep="documents"'):
        ask(report)


def test_another_word_for_what_is_kept_is_an_error() -> None:
    with pytest.raises(MatchwiseError, match="keep='rows'; write"):
        Tally(f1("xs"), keep="rows")  # type: ignore[arg-type]  # a mistake


@given(PAIRS)
def test_a_tally_of_sums_is_read_back_from_its_bytes(pairs: Any) -> None:
    tally = counted(pairs, COUNTED, by="type", fields=True, keep="sums")
    assert Tally.from_bytes(tally.to_bytes(), COUNTED) == tally


@given(PAIRS, PAIRS)
def test_totals_of_shards_give_the_report_of_the_whole(some: Any, more: Any) -> None:
    shards = counted(some).table().fold() + counted(more, keep="sums").table()
    assert shards.report().to_dict() == counted(some + more).report().to_dict()


def test_totals_are_read_back_from_a_file(tmp_path: Any) -> None:
    tally = counted(
        [({"xs": [{"type": "A", "name": "a"}]}, {"xs": [{"type": "A", "name": "b"}]})] * 3, COUNTED, by="type"
    )
    tally.table().fold().save(tmp_path / "a.json")
    found = Table.load(tmp_path / "a.json")
    assert found.report().to_dict() == tally.report().to_dict()
    found.save(tmp_path / "b.json")
    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a.json").read_bytes()


def test_the_size_of_totals_does_not_grow_with_the_documents(tmp_path: Any) -> None:
    pair = ({"xs": [{"type": "A", "name": "a"}]}, {"xs": [{"type": "A", "name": "b"}]})
    sizes = []
    for number in (100, 1000):
        counted([pair] * number, COUNTED).table().fold().save(tmp_path / "a.json")
        sizes.append((tmp_path / "a.json").stat().st_size)
    assert sizes[1] - sizes[0] < 150  # longer numbers, but not more of them


@given(PAIRS)
def test_a_folded_table_has_the_scores_of_its_documents(pairs: Any) -> None:
    tally = counted(pairs, COUNTED, by="type")
    assert tally.table().fold().report().to_dict() == tally.report().to_dict()


def test_sums_of_other_metrics_are_refused() -> None:
    with pytest.raises(MergeError, match="different metrics"):
        Tally(f1("xs")).table().fold() + Tally(f1("ys")).table().fold()


def test_totals_with_other_tables_are_refused() -> None:
    with pytest.raises(MergeError, match=r"by type and no label; count every shard with the same by=... \(--by\)"):
        Tally(f1("xs"), by="type").table().fold() + Tally(f1("xs")).table().fold()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "matchwise score table 9"}', "\xff"])
def test_a_file_that_holds_no_totals_is_an_error(content: str, tmp_path: Any) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(FormatError, match="not a score table as matchwise saves it"):
        Table.load(path)


def test_damaged_totals_are_an_error(tmp_path: Any) -> None:
    counted([({"xs": []}, {"xs": []})]).table().fold().save(tmp_path / "a.json")
    made = json.loads((tmp_path / "a.json").read_text())
    made["sums"]["totals"] = made["sums"]["totals"][:-1]
    (tmp_path / "a.json").write_text(json.dumps(made))
    with pytest.raises(FormatError, match="the checksum does not fit"):
        Table.load(tmp_path / "a.json")


def test_a_report_of_totals_has_no_suite() -> None:
    with pytest.raises(ExpressionError, match="names its suite by the signature only"):
        _ = Report(Tally(f1("xs")).table()).suite


def test_the_mean_is_that_of_all_documents_rounded_once() -> None:
    pairs = [({"xs": [{"type": "A", "name": "a"}]}, {"xs": [{"type": "A", "name": "b"}] * (n % 7)}) for n in range(50)]
    report = counted(pairs).report()
    assert counted(pairs, keep="sums").report()["f"].macro == fsum(report["f"].per_document) / 50


def test_many_documents_add_up_over_arrays_to_the_sums_of_few() -> None:
    def one(n: int) -> dict[str, Any]:
        return {"xs": [{"type": "AB"[n // k % 2], "name": "abc"[n // k % 3]} for k in range(1, n % 5 + 1)]}

    pairs = [(one(n), one(n + n % 3)) for n in range(100)]
    many = Tally(SUITE, keep="sums").update(*map(list, zip(*pairs, strict=True)))
    few = Tally(SUITE, keep="sums")
    for pred, ref in pairs:
        more = Tally(SUITE, keep="sums").add(pred, ref)
        more.scores.settle()
        few += more
    assert many == few


def test_sums_tell_how_many_documents_they_are_of() -> None:
    one = Tally(f1("xs")).add({"xs": [1]}, {"xs": [1]}).table().fold()
    assert repr(one) == "<Table of 1 document under score: f1>"
    assert repr(one + one) == "<Table of 2 documents under score: f1>"


def test_sums_of_a_table_keep_the_label() -> None:
    pred = {"xs": [{"type": "a"}]}
    assert evaluate(f1("xs", eq("type")), [pred], [pred], by="type").table().fold().by == ("type",)
    assert evaluate(f1("xs", eq("type")), [pred], [pred]).table().fold().by == ()


@given(st.floats(-1e100, 1e100), st.floats(-1e100, 1e100))
def test_a_product_and_its_rest_are_exact(x: float, y: float) -> None:
    assume(all(one == 0 or abs(one) > 1e-100 for one in (x, y)))
    assert sum(map(Fraction, exact_product(x, y))) == Fraction(x) * Fraction(y)


SPREAD = Suite(
    f=f1("xs"), graded=f1("xs", close(abs=2)), r=recall("xs", match="1:N"), j=jaccard("xs"), total=overlap("xs"),
    soft=mean(f1("xs"), f1("xs", close(abs=1))), all=average("f", "graded"), where=average("f", "r", where="either"),
)  # fmt: skip


def corpus(number: int) -> list[tuple[Any, Any]]:
    return [({"xs": [n % 3, n % 7, n]}, {"xs": [n % 5, n][: n % 4]}) for n in range(number)]


@pytest.mark.parametrize("number", [12, 700])
@pytest.mark.parametrize("size", [5, 12, 700])
def test_shards_keep_the_moments_that_intervals_need(number: int, size: int) -> None:
    pairs = corpus(number)
    kept = intervals(counted(pairs, SPREAD), scores=SCORES)
    total = Tally(SPREAD, keep="sums")
    for start in range(0, number, size):
        shard = counted(pairs[start : start + size], SPREAD, keep="sums")
        total += Tally.from_bytes(shard.to_bytes(), SPREAD)
    summed = intervals(total.report(), scores=SCORES)
    assert total == counted(pairs, SPREAD, keep="sums")
    assert [(row.metric, row.score, row.value, row.units) for row in summed] == [
        (row.metric, row.score, row.value, row.units) for row in kept
    ]
    for mine, theirs in zip(summed, kept, strict=True):
        if mine.metric in ("f", "r", "j", "total") or theirs.low is None:
            assert (mine.low, mine.high) == (theirs.low, theirs.high)
        else:
            assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12, rel=1e-12)
    assert summed.warnings == kept.warnings


def test_what_sums_cannot_give_is_named() -> None:
    report = counted(corpus(30), SPREAD, keep="sums").report()
    for options in ({"method": "bootstrap"}, {"cluster": [n % 9 for n in range(30)]}):
        with pytest.raises(ExpressionError, match=r'only sums were kept.*keep="documents"'):
            intervals(report, **options)
    labelled = evaluate(
        f1("xs", eq("t")), [{"xs": [{"t": n % 2}]} for n in range(30)], [{"xs": [{"t": 1}]}] * 30, by="t", keep="sums"
    )
    found = intervals(labelled)
    assert (found["score"].value, found.by) == (0.5, {})
    assert found.warnings == ("intervals of labels and fields need the counts of documents",)


def test_errors_of_documents_are_said_beside_intervals_of_sums() -> None:
    docs = [{"xs": [n]} for n in range(40)]
    report = evaluate(f1("xs"), [{"xs": None}, *docs[1:]], docs, on_error="skip", keep="sums")
    assert intervals(report).warnings == ("1 document had an error and was left out, or counts as empty: 0",)


def test_an_average_with_a_mean_has_no_precision_even_if_only_sums_were_kept() -> None:
    suite = mw.Suite(f=f1("xs"), m=mw.mean(f1("xs"), f1("ys")), both=mw.average("f", "m", where="reference"))
    docs = [{"xs": [1], "ys": [2]}]
    report = mw.evaluate(suite, docs, docs, keep="sums")
    with pytest.raises(ExpressionError, match="a mean over documents has no counts, hence no precision"):
        _ = report["both"].precision
    assert "precision" not in report.to_dict()["metrics"]["both"]
    with pytest.raises(ExpressionError):
        _ = report["both"].macro_precision


def test_a_report_of_few_documents_that_keeps_sums_saves_no_document(tmp_path: Any) -> None:
    report = counted([({"xs": []}, {"xs": []})], keep="sums").report()
    report.scores.save(tmp_path / "sums.jsonl")
    assert len((tmp_path / "sums.jsonl").read_text().splitlines()) == 1
    assert Table.load(tmp_path / "sums.jsonl").report().to_dict() == report.to_dict()

"""Documents and metrics with nothing on a side: what is averaged, what is right, and what no documents give."""

import gzip
from pathlib import Path
from typing import Any

import pytest

import matchwise as mw
from matchwise.errors import MatchwiseError

SUITE = mw.Suite(
    xs=mw.f1("xs"),
    ys=mw.f1("ys"),
    all=mw.average("xs", "ys"),
    ref=mw.average("xs", "ys", where="reference"),
    any=mw.average("xs", "ys", where="either"),
)
# F1 of xs is 2/3, 2/3, 0; ys are empty, only predicted, empty
PREDS: list[Any] = [{"xs": [1], "ys": []}, {"xs": [1, 2], "ys": [5]}, {"xs": [], "ys": []}]
REFS: list[Any] = [{"xs": [1, 2], "ys": []}, {"xs": [1], "ys": []}, {"xs": [3], "ys": []}]


def test_an_average_is_over_all_metrics_or_those_that_have_something_to_count() -> None:
    each = {
        "xs": [2 / 3, 2 / 3, 0],
        "ys": [1, 0, 1],
        "all": [5 / 6, 1 / 3, 0.5],
        "ref": [2 / 3, 2 / 3, 0],
        "any": [2 / 3, 1 / 3, 0],
    }
    whole = {"xs": 4 / 7, "ys": 0.0, "all": 2 / 7, "ref": 4 / 7, "any": 2 / 7}
    for keep in ("documents", "sums"):
        report = mw.evaluate(SUITE, PREDS, REFS, keep=keep)
        assert {name: report[name].value for name in report} == pytest.approx(whole, abs=1e-15)
        macros = {name: sum(values) / 3 for name, values in each.items()}
        assert {name: report[name].macro for name in report} == pytest.approx(macros, abs=1e-15)
    report = mw.evaluate(SUITE, PREDS, REFS)
    assert {name: pytest.approx(report[name].per_document, abs=1e-15) for name in report} == each
    assert [report[name].right for name in ("ys", "any")] == [[True, False, True], [False] * 3]


@pytest.mark.parametrize("method", ["delta", "bootstrap"])
def test_the_value_of_an_interval_is_that_of_the_report(method: Any) -> None:
    for number in (1, 3):  # of the first document alone, nothing has ys
        report = mw.evaluate(SUITE, PREDS[:number] * 12, REFS[:number] * 12)
        found = mw.intervals(report, method=method, resamples=100)
        assert {name: found[name].value for name in report} == {name: report[name].value for name in report}
        assert all(found[name].low <= found[name].value <= found[name].high for name in ("all", "ref", "any"))


def test_no_documents_give_what_each_metric_is_of_nothing() -> None:
    empty = mw.Tally(SUITE).report()
    assert {name: (empty[name].value, empty[name].macro) for name in empty} == {
        "xs": (1.0, 1.0), "ys": (1.0, 1.0), "all": (1.0, 1.0), "ref": (0.0, 0.0), "any": (0.0, 0.0),
    }  # fmt: skip
    rates = mw.Tally(
        mw.Suite(rate=mw.error_rate("xs"), found=mw.recall("xs", empty=0.25), left=mw.loss("rate"))
    ).report()
    assert [(rates[name].value, rates[name].macro) for name in rates] == [(0.0, 0.0), (0.25, 0.25), (1.0, 1.0)]
    assert (rates["rate"].macro_precision, rates["rate"].macro_recall) == (1.0, 1.0)


def test_a_document_of_which_one_side_lacks_something_is_not_right() -> None:
    preds, refs = [{"xs": [1]}, {"xs": [1, 2]}, {"xs": [1]}], [{"xs": [1, 2]}, {"xs": [1]}, {"xs": [1]}]
    sides = mw.harmonic(mw.precision("xs", match="N:1"), mw.recall("xs", match="1:N"))
    suite = mw.Suite(f=mw.f1("xs"), p=mw.precision("xs"), r=mw.recall("xs"), h=sides, e=mw.error_rate("xs"))
    report = mw.evaluate(suite, preds, refs, ids=["a", "b", "c"])
    assert [report[name].right for name in report] == [[False, False, True]] * 5
    assert [id for id, _ in report.worst(9, "p")] == ["b", "a"]
    assert [id for id, _ in report.worst(9, "r")] == ["a", "b"]
    assert report.worst(9, "e") == [("b", 1.0), ("a", 0.5)]
    assert report["e"].spread == report["e"].per_document == [0.5, 1.0, 0.0]


def test_labels_and_fields_count_where_either_side_has_them() -> None:
    preds, refs = [{"xs": [{"k": 1, "t": "a"}, {"k": 2, "t": "b"}]}], [{"xs": [{"k": 1, "t": "a"}, {"k": 3, "t": "c"}]}]
    report = mw.evaluate(mw.f1("xs", mw.eq("k") * mw.eq("t")), preds, refs, by="t")
    assert {label: part["score"].f1 for label, part in report.by.items()} == {"a": 1.0, "b": 0.0, "c": 0.0}
    assert report.over_labels("score") == 1 / 3
    assert report.over_labels("score", weigh="reference") == 0.5
    fields = mw.normalize(mw.eq("a") + mw.eq("b") + mw.eq("c") + mw.eq("d"), "f1")
    report = mw.evaluate(fields, [{"a": 1, "b": 2, "d": 4}], [{"a": 1, "c": 3, "d": 5}], fields=True)
    rows = {row.path: (row.right, row.wrong, row.missed, row.spurious) for row in report.fields()}
    assert rows == {"a": (1, 0, 0, 0), "b": (0, 0, 0, 1), "c": (0, 0, 1, 0), "d": (0, 1, 0, 0)}
    assert [report.over_fields("score", score) for score in ("precision", "recall", "f1")] == [0.5, 0.5, 0.25]


@pytest.mark.parametrize(
    "content",
    [
        *(b"{}", b"[]", b"PAR1", b"PAR1" + bytes(60)),
        *(gzip.compress(b"[]"), gzip.compress(b"x" * 99)[:20], b"\x1f\x8b\x08\0" + b"\xff" * 40),
    ],
    ids=range(7),
)  # fmt: skip
def test_a_file_that_is_damaged_or_something_else_is_no_table_and_stays(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(content)
    with pytest.raises(MatchwiseError, match="is not a score table, and it is not overwritten"):
        mw.Tally(SUITE).table().save(path)
    assert path.read_bytes() == content
    with pytest.raises(MatchwiseError, match=r"t\.jsonl"):
        mw.Table.load(path)


def test_a_tally_says_what_it_is_and_an_unknown_side_of_a_merge_is_refused() -> None:
    tally = mw.Tally(mw.f1("xs")).add(PREDS[0], REFS[0])
    assert repr(tally) == '<Tally of 1 documents under Suite(score=f1("xs"))>'
    for other in (3, None, tally.table()):
        with pytest.raises(TypeError, match="unsupported operand"):
            tally + other  # type: ignore[operator]  # that is the test
        with pytest.raises(TypeError, match="unsupported operand"):
            tally += other  # type: ignore[operator]  # that is the test


def test_the_mean_over_references_is_exact() -> None:
    ref = {"xs": [{"t": "a"}]}
    report = mw.evaluate(mw.f1("xs"), [ref], [[ref] * 6], references="mean", by="t")  # 6 · float(1/6) is less than 1
    assert report.by["a"]["score"].counts == report["score"].counts == mw.Counts(1, 1, 1)


def test_labels_that_are_numbers_are_saved_as_numbers(tmp_path: Path) -> None:
    labels = [1.5, 2, "2", None, (1.5, "a")]
    document = {"xs": [{"t": label} for label in labels]}
    report = mw.evaluate(mw.f1("xs", mw.eq("t")), [document], [document], by="t")
    for name in ("t.jsonl", "t.parquet"):
        report.table().save(tmp_path / name)
        assert list(mw.Table.load(tmp_path / name).report().by) == list(report.by)
        assert {type(label) for label in mw.Table.load(tmp_path / name).report().by} == set(map(type, labels))


def test_the_bounds_of_no_documents_are_those_of_nothing() -> None:
    empty = mw.Tally(mw.Suite(rate=mw.error_rate("xs"), f=mw.f1("xs", empty=0.5))).report()
    bounds = [(empty[name].macro_bounds.lower, empty[name].macro_bounds.upper) for name in empty]
    assert bounds == [(0.0, 0.0), (0.5, 0.5)]


def test_what_a_document_of_nothing_has_is_what_the_metric_says_of_it() -> None:
    for phi in (mw.jaccard("xs", empty=0.25), mw.f1("xs", empty=0.25), mw.recall("xs", empty=0.25)):
        assert mw.evaluate(phi, [{"xs": []}], [{"xs": []}])["score"].per_document == [0.25]


def test_of_several_references_the_lowest_error_rate_is_the_best() -> None:
    document, refs = {"xs": [1, 2]}, [{"xs": [1, 9, 9]}, {"xs": [1, 2]}, {"xs": [1]}]
    found = {
        how: mw.evaluate(mw.error_rate("xs"), [document], [refs], references=how)["score"].value
        for how in ("any", "all")
    }
    assert found == {"any": 0.0, "all": 1.0}

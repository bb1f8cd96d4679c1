"""Tallies grow document by document, and shards add up."""

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import matchwise as mw
from matchwise.algebra.build import custom, eq, f1, harmonic, mean, normalize, overlap, precision, recall
from matchwise.corpus.counts import exact_total
from matchwise.corpus.suite import Suite, average
from matchwise.corpus.tally import Tally
from matchwise.engine.plan import plan
from matchwise.errors import DataError, FormatError, MatchwiseError, MergeError
from matchwise.tasks import ner


def third(pred: Any, ref: Any) -> float:
    return 1 / 3 if pred == ref else 0.1


ITEM = eq("type") + 0.3 * custom(third, "name")
SUITE = Suite(
    f=f1("xs", eq("type")),
    soft=normalize(overlap("xs", ITEM), "f1", empty=0),
    sides=harmonic(precision("xs", eq("type"), match="N:1"), recall("xs", eq("type"), match="1:N")),
    mean=mean(f1("xs"), f1("xs", eq("name"))),
    both=average("f", "sides"),
)
COUNTED = Suite(f=f1("xs", eq("type")), soft=f1("xs", ITEM, empty=0))

ELEMENTS = st.fixed_dictionaries({"type": st.sampled_from("AB"), "name": st.sampled_from("abc")})
DOCUMENTS = st.fixed_dictionaries({"xs": st.lists(ELEMENTS, max_size=4)})
PAIRS = st.lists(st.tuples(DOCUMENTS, DOCUMENTS), max_size=4)
DETAILS: list[dict[str, Any]] = [{}, {"by": "type", "fields": True}]


def counted(pairs: Any, suite: Suite = SUITE, **details: Any) -> Tally:
    tally = Tally(suite, **details)
    for number, (pred, ref) in enumerate(pairs):
        tally.add(pred, ref, id=f"d{number}" if number % 2 else None)
    return tally


def scores(tally: Tally) -> dict[str, Any]:
    return tally.report().to_dict()


@given(PAIRS, PAIRS, PAIRS, st.sampled_from(DETAILS))
def test_merging_is_associative(a: Any, b: Any, c: Any, details: dict[str, Any]) -> None:
    x, y, z = (counted(pairs, COUNTED if details else SUITE, **details) for pairs in (a, b, c))
    assert (x + y) + z == x + (y + z)


@given(PAIRS, PAIRS, st.sampled_from(DETAILS))
def test_merging_in_another_order_changes_no_number(a: Any, b: Any, details: dict[str, Any]) -> None:
    x, y = (counted(pairs, COUNTED if details else SUITE, **details) for pairs in (a, b))
    one, other = scores(x + y), scores(y + x)
    by_path = {(row["metric"], row["path"]): row for row in one.pop("fields", [])}
    assert by_path == {(row["metric"], row["path"]): row for row in other.pop("fields", [])}
    assert one == other


@given(PAIRS)
def test_a_tally_without_documents_is_zero(a: Any) -> None:
    tally = counted(a)
    assert tally + Tally(SUITE) == Tally(SUITE) + tally == tally


@given(PAIRS, PAIRS)
def test_the_counts_of_a_corpus_are_the_sum_of_those_of_its_shards(a: Any, b: Any) -> None:
    shards = [counted(pairs).report()["f"].counts for pairs in (a, b)]
    assert counted([*a, *b]).report()["f"].counts == shards[0] + shards[1]


@given(DOCUMENTS, DOCUMENTS)
def test_the_value_of_one_document_is_its_score(pred: Any, ref: Any) -> None:
    report = Tally(SUITE).add(pred, ref).report()
    for name, phi in SUITE.metrics.items():
        assert report[name].value == report[name].macro == pytest.approx(float(plan(phi).score(pred, ref)), abs=1e-12)


def test_add_and_update_return_the_tally() -> None:
    tally = Tally(f1("xs"))
    assert tally.add({"xs": []}, {"xs": []}) is tally
    assert tally.update([{"xs": []}], [{"xs": []}], ids=["b"]) is tally
    assert (len(tally), tally.scores.names) == (2, [0, "b"])


TAGS = [["B-PER", "O"], ["O", "B-LOC"], ["O", "O"]]


@pytest.mark.parametrize("keep", ["documents", "sums"])
@pytest.mark.parametrize("times", [1, 40, 700])
def test_update_counts_every_document_of_a_batch(times: int, keep: Any) -> None:
    preds, refs = TAGS * times, [TAGS[0], TAGS[2], TAGS[2]] * times
    one_by_one = Tally(ner.suite("seqeval"), keep=keep)
    for pred, ref in zip(preds, refs, strict=True):
        one_by_one.add(pred, ref)
    assert Tally(ner.suite("seqeval"), keep=keep).update(preds, refs) == one_by_one
    assert len(one_by_one) == 3 * times


def test_a_batch_follows_what_was_counted_before() -> None:
    tally = Tally(f1("xs")).add({"xs": [1]}, {"xs": [1]})
    assert tally.update([{"xs": [1]}] * 2, [{"xs": [2]}] * 2).scores.names == [0, 1, 2]
    with pytest.raises(DataError, match="document 4 prediction: xs: found None"):
        tally.update([{"xs": []}, {"xs": None}], [{"xs": []}, {"xs": []}])
    assert len(tally) == 3


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (({"xs": [1]}, {"xs": [1]}), "the predictions are dict; for one document write add"),
        (([{"xs": [1]}], {"xs": [1]}), "the references are dict"),
        (([{"xs": [1]}], []), "found 1 prediction, 0 references; give one of each"),
        (([{"xs": [1]}], [{"xs": [1]}], ["a", "b"]), "found 1 prediction, 1 reference and 2 ids"),
    ],
)
def test_what_is_no_batch_is_refused(batch: Any, message: str) -> None:
    with pytest.raises(MatchwiseError, match=message):
        Tally(f1("xs")).update(*batch)


def test_adding_two_tallies_changes_neither() -> None:
    one, two = (Tally(f1("xs")).add({"xs": [1]}, {"xs": [1]}) for _ in range(2))
    assert [len(tally) for tally in (one + two, one, two)] == [2, 1, 1]


def test_a_report_does_not_change_with_its_tally() -> None:
    tally = Tally(f1("xs")).add({"xs": [1]}, {"xs": [1]})
    report = tally.report()
    tally.add({"xs": [1]}, {"xs": [2]})
    assert (report.documents, report["score"].f1, tally.report()["score"].f1) == (1, 1.0, 0.5)


def test_merging_different_metrics_names_both() -> None:
    with pytest.raises(MergeError, match=r'score=f1\("xs"\)[^\n]*\n  score=f1\("ys"\)'):
        Tally(f1("xs")) + Tally(f1("ys"))


def test_merging_a_table_of_fields_with_none_is_an_error() -> None:
    with pytest.raises(MergeError, match=r"count every shard with fields=True \(--fields\), or none"):
        Tally(f1("xs"), fields=True) + Tally(f1("xs"))


def test_merging_breakdowns_by_different_labels_is_an_error() -> None:
    with pytest.raises(MergeError, match="by type and no label"):
        Tally(f1("xs"), by="type") + Tally(f1("xs"))


def test_an_error_names_the_document_by_its_position() -> None:
    tally = Tally(f1("xs")).add({"xs": []}, {"xs": []})
    with pytest.raises(DataError, match=r"^document 1 prediction: xs: found None, expected a collection"):
        tally.add({"xs": None}, {"xs": []})


def test_an_error_names_the_document_by_its_id() -> None:
    with pytest.raises(DataError, match=r"^document d7 reference: found dict"):
        Tally(f1("xs")).add({"xs": []}, {"x": []}, id="d7")


def test_a_document_in_error_leaves_the_tally_as_it_was() -> None:
    tally = Tally(f1("xs", eq("a")), by="type").add({"xs": []}, {"xs": []})
    before = tally + tally.zero()
    with pytest.raises(DataError):
        tally.add({"xs": [{"a": 1}]}, {"xs": []})  # has no type
    assert tally == before


@given(PAIRS, st.sampled_from(DETAILS))
def test_a_tally_is_read_back_as_it_was_written(a: Any, details: dict[str, Any]) -> None:
    suite = COUNTED if details else SUITE
    tally = counted(a, suite, **details)
    read = Tally.from_bytes(tally.to_bytes(), suite)
    assert read == tally
    assert scores(read) == scores(tally)
    assert read.to_bytes() == tally.to_bytes()


def test_a_tally_read_back_goes_on_counting() -> None:
    tally = Tally(f1("xs"), by="type").add({"xs": [{"type": "A"}]}, {"xs": []})
    read = Tally.from_bytes(tally.to_bytes(), f1("xs")).add({"xs": [{"type": "B"}]}, {"xs": [{"type": "B"}]})
    assert {label: part["score"].f1 for label, part in read.report().by.items()} == {"A": 0.0, "B": 1.0}


def test_a_tally_of_another_suite_is_not_read() -> None:
    with pytest.raises(MergeError, match="counted under another suite"):
        Tally.from_bytes(Tally(f1("xs")).to_bytes(), f1("ys"))


@pytest.mark.parametrize("data", [b"", b"{}", Tally(f1("xs")).to_bytes()[:-4]])
def test_bytes_that_are_no_tally_are_a_format_error(data: bytes) -> None:
    with pytest.raises(FormatError):
        Tally.from_bytes(data, f1("xs"))


def test_a_tally_by_a_function_cannot_be_written() -> None:
    with pytest.raises(MatchwiseError, match="by len\\(\\) cannot be saved"):
        Tally(f1("xs"), by=len).to_bytes()


def test_a_tally_can_be_sent_to_another_process() -> None:
    tally = Tally(f1("xs"), by="type").add({"xs": [{"type": "A"}]}, {"xs": []})
    assert pickle.loads(pickle.dumps(tally)) == tally


def test_hundred_thousand_documents_take_less_than_ten_megabytes_a_metric() -> None:
    tally = Tally(f1("xs")).add({"xs": [1]}, {"xs": [1]})
    assert tally.scores.rows.itemsize * len(tally.scores.rows) * 100_000 == 3_200_000


def test_a_tally_and_a_table_without_documents_are_something() -> None:
    assert Tally(f1("xs"))
    assert Tally(f1("xs")).table()


def test_what_is_added_up_from_shards_counts_every_document_that_was_seen() -> None:
    refs = [{"xs": [1]}] * 3
    shards = [mw.evaluate(f1("xs"), [{"xs": [1]}, {"xs": 5}, {"xs": []}], refs, on_error="skip").table()] * 2
    assert [one.fold().documents for one in shards] == [3, 3]
    assert (shards[0].fold() + shards[1].fold()).documents == 6
    assert (shards[0].fold() + shards[1]).documents == 6
    assert len(shards[0].fold() + shards[1].fold()) == 4


def test_sums_of_counts_are_exact_whatever_their_size() -> None:
    for numbers in ([2.0**40, 0.5], [2.0**39, 0.5], [2.0**60, 2.0**-10], [1e300, 0.25], [2.0**53, 1.0, 0.5]):
        assert exact_total(numbers) == sum(map(Fraction, numbers))
        assert exact_total(np.array(numbers)) == exact_total(numbers)
    assert repr(exact_total(np.array([0.5, 2.0, 0.5]))) == "3"
    assert exact_total(np.array([0.1] * 10)) == 10 * Fraction(0.1)


def test_labels_that_cannot_be_looked_up_are_written_as_text() -> None:
    docs = [{"xs": [{"name": "a", "p": 0.9, "type": ["x"]}, {"name": "b", "p": 0.8, "type": 7}]}]
    found = mw.curve(f1("xs", eq("name")), docs, docs, confidence="p", by="type")
    assert list(found.by) == [7, "['x']"]

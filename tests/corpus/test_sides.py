"""Both sides of a corpus, however they are held."""

from collections.abc import Callable
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import matchwise as mw
from matchwise import Counts, agreement, close, curve, eq, evaluate, explain, f1, intervals, normalize, score_rows
from matchwise.corpus.pairing import Failed, add_missing, pair_documents
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, MatchwiseError
from matchwise.tasks import documents

GOLD = [{"n": 1, "xs": ["a"]}, {"n": 2, "xs": ["b", "c"]}, {"n": 3, "xs": []}]
TEXTS = ['{"n": 1, "xs": ["a"]}', None, '{"n": 4, "xs": []}']
IDS = [7, 8, 9]
FORM = documents.form({"properties": {"n": {"type": "integer"}, "xs": {"type": "array", "items": {"type": "string"}}}})


class Column:
    """A column of `datasets`: it has a length and items, and can be iterated."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: int) -> Any:
        return self.values[place]


HOLDERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "generator": lambda values: (value for value in values),
    "pandas": pandas.Series,
    "polars": polars.Series,
    "arrow": pyarrow.array,
    "chunked": lambda values: pyarrow.chunked_array([pyarrow.array(values)[:1], pyarrow.array(values)[1:]]),
    "numpy": lambda values: numpy.array(values, dtype=object),
    "elements": lambda values: numpy.array(values, dtype=object).flat,
    "datasets": Column,
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_documents_take_columns_of_any_library(holder) -> None:
    hold = HOLDERS[holder]
    run = documents.evaluate(FORM, hold(TEXTS), hold(GOLD), ids=hold(IDS), missing="empty")
    assert run.score.counts == documents.evaluate(FORM, [TEXTS[0], {}, TEXTS[2]], GOLD).score.counts
    assert (run.score.counts.matched, run.missing, run.unreadable) == (2, [8], [])
    assert run.report.scores.ids == IDS


@pytest.mark.parametrize("holder", HOLDERS)
def test_any_metric_takes_columns_of_any_library(holder) -> None:
    hold = HOLDERS[holder]
    report = evaluate(f1("xs"), hold(GOLD[::-1]), hold(GOLD), ids=hold(["a", "b", "c"]))
    assert report["score"].counts == Counts(2, 3, 3)
    assert report.scores.ids == ["a", "b", "c"]


def test_numbers_of_a_column_are_plain() -> None:
    for hold in (pandas.Series, polars.Series, pyarrow.array, numpy.array):
        assert evaluate(normalize(eq(), "f1"), hold([1, 2]), hold([1, 3]), ids=hold([5, 6])).scores.ids == [5, 6]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (
            pandas.DataFrame({"a": [1]}),
            'pandas DataFrame; write frame["output"] for a column, or frame.to_dict("records")',
        ),
        (polars.DataFrame({"a": [1]}), 'polars DataFrame; write frame["output"] for a column, or frame.iter_rows('),
        (pyarrow.table({"a": [1]}), 'pyarrow Table; write frame["output"] for a column, or frame.to_pylist()'),
    ],
)
def test_a_whole_frame_is_an_error_that_names_its_columns_and_rows(frame, said) -> None:
    with pytest.raises(DataError) as caught:
        documents.evaluate(FORM, frame, [GOLD[0]])
    assert f"the predictions are a {said}" in str(caught.value)


def test_mappings_are_joined_by_id_and_missing_predictions_count_as_empty_or_raise() -> None:
    preds, refs = {"b": GOLD[1]}, {"a": GOLD[0], "b": GOLD[1]}
    for run in (evaluate, lambda phi, *sides, **more: documents.evaluate(FORM, *sides, **more).report):
        with pytest.raises(
            DataError, match=r"found no prediction for document 'a'; write missing=\"empty\" to count it as empty"
        ):
            run(f1("xs"), preds, refs)
        report = run(f1("xs"), preds, refs, missing="empty")
        assert report.scores.ids == ["a", "b"]
        assert report["score"].recall in (2 / 3, 0.6)
    with pytest.raises(DataError, match=r"no reference has the id 'c'; .*; no prediction has the ids 'a', 'b'$"):
        evaluate(f1("xs"), {"c": {}}, refs, missing="empty")
    with pytest.raises(MatchwiseError, match='missing=\'skip\'; write missing="raise" or missing="empty"'):
        evaluate(f1("xs"), preds, refs, missing="skip")  # type: ignore[arg-type]


@pytest.mark.parametrize("jobs", [1, 2])
def test_missing_predictions_count_as_empty_for_every_kind_of_metric(jobs) -> None:
    phi = normalize(close("n", abs=0.5), "f1")  # reads nothing else than numbers
    report = evaluate(phi, [None, GOLD[1]], GOLD[:2], missing="empty", jobs=jobs)
    assert report["score"].counts == Counts(1, 1, 2)


def test_a_prediction_without_a_reference_is_skipped_and_named_as_in_the_shell() -> None:
    report = evaluate(f1("xs"), {"a": GOLD[0], "c": GOLD[1]}, {"a": GOLD[0]}, on_error="skip")
    assert report["score"].counts == Counts(1, 1, 1)
    assert report.errors == [("c", "no reference has the id 'c'")]


def test_skip_is_the_word_of_the_shell_for_record() -> None:
    report = evaluate(f1("xs"), [{"xs": 3}, GOLD[1]], GOLD[:2], on_error="skip")
    assert [id for id, _ in report.errors] == [0]
    assert len(report.scores) == 1


def test_series_with_different_indexes_are_refused() -> None:
    preds = pandas.Series(GOLD[:2], index=["b", "a"])
    refs = pandas.Series(GOLD[:2], index=["a", "b"])
    said = (
        r"^predictions and references are Series with different indexes \(row 0 is 'b' in one and 'a' in the other\); "
        r"write preds\.reindex\(refs\.index\) to pair them by index, or \.tolist\(\) after both"
    )
    for ask in (
        lambda: evaluate(f1("xs"), preds, refs),
        lambda: documents.evaluate(FORM, preds, refs),
        lambda: explain(f1("xs"), preds, refs),
        lambda: curve(f1("xs"), preds, refs, confidence="p"),
    ):
        with pytest.raises(DataError, match=said):
            ask()
    with pytest.raises(DataError, match=r"^references and ids are Series with different indexes"):
        evaluate(f1("xs"), list(preds), refs, ids=pandas.Series(["x", "y"]))
    with pytest.raises(DataError, match=r"^ann and bob are Series with different indexes"):
        agreement(f1("xs"), {"ann": preds, "bob": refs})
    assert evaluate(f1("xs"), preds.reindex(refs.index), refs)["score"].counts == Counts(0, 3, 3)
    assert evaluate(f1("xs"), preds.tolist(), refs.tolist())["score"].counts == Counts(3, 3, 3)
    assert evaluate(f1("xs"), preds, preds.copy())["score"].counts == Counts(3, 3, 3)


def test_a_series_of_clusters_goes_by_its_index() -> None:
    refs = [{"xs": [n % 4, n % 3]} for n in range(30)]
    report = evaluate(f1("xs"), [{"xs": [n % 4]} for n in range(30)], refs, ids=[f"d{n}" for n in range(30)])
    named = pandas.Series({f"d{n}": n // 2 for n in reversed(range(30))})
    expected = intervals(report, cluster=[n // 2 for n in range(30)])
    assert intervals(report, cluster=named)["score"] == expected["score"]
    assert intervals(report, cluster=named[::-1].reset_index(drop=True))["score"] == expected["score"]


def test_errors_are_explained_of_mappings_and_uneven_sides_are_refused() -> None:
    found = explain(f1("xs"), {"a": GOLD[0], "b": GOLD[0]}, {"b": GOLD[1], "a": GOLD[0]})
    assert (found.documents, {error.document for error in found.found}) == (2, {"b"})
    with pytest.raises(DataError, match="found 1 prediction and 2 references"):
        explain(f1("xs"), GOLD[:1], GOLD[:2])


@pytest.mark.parametrize(
    "frame", [pandas.DataFrame({"o": [{}], "g": [{}]}), polars.DataFrame({"o": [1], "g": [1]}), GOLD]
)
def test_names_of_columns_are_for_frames_of_engines(frame) -> None:
    with pytest.raises(
        MatchwiseError, match=r'write evaluate\(suite, preds, refs\), as in evaluate\(suite, frame\["outp'
    ):
        evaluate(f1("xs"), frame, pred="o", ref="g", id="i")
    with pytest.raises(
        MatchwiseError, match=r"are for a DataFrame of Spark or a Dataset of Ray, and the predictions are "
    ):
        evaluate(f1("xs"), frame, frame, isolate=False)  # type: ignore[call-overload]


def test_references_that_were_left_out_are_said_to_be_missing() -> None:
    with pytest.raises(MatchwiseError, match=r"^found no references; the predictions are list; write evaluate\("):
        evaluate(f1("xs"), GOLD, None)  # type: ignore[call-overload]


def test_nothing_of_ours_takes_the_name_of_an_engine() -> None:
    import matchwise.runners

    assert not {"spark", "ray"} & set(dir(matchwise.runners))
    with pytest.raises(
        MatchwiseError, match=r"^score_rows\(\) needs a DataFrame of Spark or a Dataset of Ray, not list;"
    ):
        score_rows(f1("xs"), GOLD, pred="o", ref="g", id="i")


def test_a_prediction_without_a_reference_is_an_error_where_nobody_may_choose() -> None:
    with pytest.raises(DataError, match=r"no reference has the id 'b'$"):
        list(pair_documents({"a": 1, "b": 2}, {"a": 1}))
    failed: list[Failed] = []
    assert list(pair_documents({"a": 1, "b": 2}, {"a": 1}, on_error="skip", failed=failed)) == [(1, 1, "a")]
    assert [one.document for one in failed] == ["b"]


@pytest.mark.parametrize("at", [0, 1])
def test_streams_of_different_length_are_counted_in_words(at: int) -> None:
    sides = [iter([{"xs": [1]}] * number) for number in ((2, 3) if at else (3, 2))]
    with pytest.raises(DataError) as caught:
        mw.evaluate(f1("xs"), *sides)
    found = "2 predictions and 3 references" if at else "3 predictions and 2 references"
    assert str(caught.value) == (
        f"found {found}; give one prediction for each reference, an empty one where the system found nothing"
    )


def test_lists_of_different_length_are_refused_before_anything_is_scored() -> None:
    with pytest.raises(DataError, match="found 1 prediction and 2 references"):
        pair_documents([1], [1, 2])
    with pytest.raises(DataError, match="found 2 predictions and 2 references and 3 ids"):
        pair_documents([1, 2], [1, 2], [1, 2, 3])


def test_a_missing_prediction_of_a_whole_value_has_its_four_counts() -> None:
    suite = mw.Suite(f=mw.normalize(mw.edit("name"), "f1"), m=mw.mean(mw.edit("name")))
    assert add_missing(Tally(suite), {"name": "Ann"}).table().counts.tolist() == [[0, 0, 1, 0, 0, 1, 1, 0]]

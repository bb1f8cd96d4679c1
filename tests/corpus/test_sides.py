"""Both sides of a corpus, however they are held."""

from collections.abc import Callable
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

from matchwise import Counts, close, eq, evaluate, f1, normalize
from matchwise.corpus.pairing import Failed, pair_documents
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
    with pytest.raises(DataError, match="no reference has the id 'c'"):
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


def test_a_prediction_without_a_reference_is_an_error_where_nobody_may_choose() -> None:
    with pytest.raises(DataError, match=r"no reference has the id 'b'$"):
        list(pair_documents({"a": 1, "b": 2}, {"a": 1}))
    failed: list[Failed] = []
    assert list(pair_documents({"a": 1, "b": 2}, {"a": 1}, on_error="skip", failed=failed)) == [(1, 1, "a")]
    assert [one.document for one in failed] == ["b"]

"""Frames of Spark and Ray, as far as they can be told without their packages: what they are asked, and what comes back.

Small classes stand in for a DataFrame and a Dataset and do with Arrow what the engines do on many machines;
`tests/distributed` runs the engines themselves.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow
import pytest

import matchwise as mw
from matchwise.errors import DataError, ExpressionError, MatchwiseError

ROWS: list[dict[str, Any]] = [
    {"doc": 10, "output": {"xs": ["a"]}, "gold": {"xs": ["a", "b"]}, "more": {"text": '{"xs": ["c"]}'}},
    {"doc": 2, "output": {"xs": ["c", "d", "e"]}, "gold": {"xs": ["c"]}, "more": {"text": "{"}},
    {"doc": 7, "output": None, "gold": {"xs": ["f"]}, "more": {"text": '{"xs": []}'}},
]
METRIC = mw.f1("xs")


class Dataset:
    """A Dataset of Ray in two blocks."""

    __module__ = "ray.data.dataset"

    def __init__(self, table: pyarrow.Table) -> None:
        self.table = table
        self.asked: dict[str, Any] = {}

    def columns(self) -> list[str]:
        return list(self.table.column_names)

    def map_batches(self, function: Callable[[Any], Any], **asked: Any) -> "Dataset":
        made = Dataset(pyarrow.concat_tables(function(self.table.slice(start, 2)) for start in (0, 2)))
        made.asked = asked
        return made

    def iter_rows(self) -> Iterator[dict[str, Any]]:
        return iter(self.table.to_pylist())


class Column:
    def __init__(self, values: pyarrow.ChunkedArray) -> None:
        self.values = values

    def alias(self, name: str) -> tuple[str, pyarrow.ChunkedArray]:
        return name, self.values


class DataFrame:
    """A DataFrame of Spark in two partitions of one batch each."""

    __module__ = "pyspark.sql.dataframe"

    def __init__(self, table: pyarrow.Table, schema: str = "") -> None:
        self.table, self.schema = table, schema

    @property
    def columns(self) -> list[str]:
        return list(self.table.column_names)

    def __getitem__(self, name: str) -> Column:
        first, *rest = name.split(".")
        values = self.table[first].combine_chunks()
        for part in rest:
            values = values.field(part)
        return Column(values)

    def select(self, *columns: tuple[str, Any]) -> "DataFrame":
        return DataFrame(pyarrow.table(dict(columns)))

    def mapInArrow(self, function: Callable[[Any], Any], schema: str) -> "DataFrame":
        parts = (self.table.slice(start, 2).to_batches() for start in (0, 2))
        return DataFrame(pyarrow.Table.from_batches([made for part in parts for made in function(iter(part))]), schema)

    def collect(self) -> list[dict[str, Any]]:
        return list(self.table.to_pylist())


def frame(kind: type, rows: list[dict[str, Any]] = ROWS) -> Any:
    return kind(pyarrow.Table.from_pylist(rows))


COLUMNS = {"pred": "output", "ref": "gold", "id": "doc"}
ENGINES = pytest.mark.parametrize("kind", [Dataset, DataFrame])


@ENGINES
def test_a_frame_has_the_scores_of_its_documents_in_the_order_of_their_ids(kind: type) -> None:
    report = mw.evaluate(METRIC, frame(kind), **COLUMNS, missing="empty", isolate=False)
    assert report.scores.ids == [2, 7, 10]
    assert report["score"].counts == mw.Counts(2, 4, 4)
    assert report["score"].per_document == [0.5, 0.0, 2 / 3]
    sums = mw.evaluate(METRIC, frame(kind), **COLUMNS, missing="empty", isolate=False, keep="sums")
    assert (sums.scores.keep, sums.documents, sums["score"].counts) == ("sums", 3, mw.Counts(2, 4, 4))


@ENGINES
def test_labels_fields_and_several_references_of_a_frame_are_those_of_one_process(kind: type) -> None:
    rows = [
        {"doc": f"d{n}", "output": {"xs": [{"t": "a"}, {"t": "b"}][: n + 1]}, "gold": {"xs": [{"t": "b"}]}}
        for n in range(2)
    ]
    found = mw.evaluate(mw.f1("xs", mw.eq("t")), frame(kind, rows), **COLUMNS, by="t", isolate=False)
    alone = mw.evaluate(mw.f1("xs", mw.eq("t")), *([row[side] for row in rows] for side in ("output", "gold")), by="t")
    assert found.by == alone.by
    plain = [{"doc": "d", "output": {"a": 1, "b": 2}, "gold": {"a": 1, "b": 3}}]
    fields = mw.normalize(mw.eq("a") + mw.eq("b"), "f1")
    report = mw.evaluate(fields, frame(kind, plain), **COLUMNS, fields=True, isolate=False)
    assert [(row.path, row.right) for row in report.fields()] == [("a", 1), ("b", 0)]
    several = [{"doc": "d", "output": {"xs": ["a"]}, "gold": [{"xs": ["b"]}, {"xs": ["a"]}]}]
    assert mw.evaluate(METRIC, frame(kind, several), **COLUMNS, references="any", isolate=False)["score"].f1 == 1.0


@ENGINES
def test_the_first_error_by_id_is_raised_or_all_are_named(kind: type) -> None:
    texts = {**COLUMNS, "pred": "more.text"} if kind is DataFrame else COLUMNS
    rows = ROWS if kind is DataFrame else [row | {"output": row["more"]["text"]} for row in ROWS]
    advice = 'write on_error="skip" or on_error="empty" to go on without it'
    with pytest.raises(DataError) as found:
        mw.evaluate(METRIC, frame(kind, rows), **texts, isolate=False)
    assert str(found.value).startswith("document 2: prediction: not JSON: found '{' (")
    assert str(found.value).endswith(advice)
    report = mw.evaluate(METRIC, frame(kind, rows), **texts, isolate=False, on_error="skip")
    assert (report.scores.ids, [id for id, _ in report.errors]) == ([7, 10], [2])
    report = mw.evaluate(METRIC, frame(kind, rows), **texts, isolate=False, on_error="empty")
    assert (report.scores.ids, report["score"].counts) == ([2, 7, 10], mw.Counts(0, 1, 4))


@ENGINES
def test_rows_of_a_frame_have_a_row_for_each_document_and_metric(kind: type) -> None:
    made = mw.score_rows(METRIC, frame(kind), **COLUMNS, missing="empty", isolate=False)
    rows = list(made.iter_rows()) if kind is Dataset else made.collect()
    names = ("value", "precision", "recall", "matched", "predicted", "reference")
    expected = {"10": (2 / 3, 1, 0.5, 1, 1, 2), "2": (0.5, 1 / 3, 1, 1, 3, 1), "7": (0, 1, 0, 0, 0, 1)}
    assert rows == [
        {"id": id, "metric": "score", **dict(zip(names, numbers, strict=True)), "error": None, "faults": None}
        for id, numbers in expected.items()
    ]
    if kind is DataFrame:
        assert [column.split()[0] for column in made.schema.split(", ")] == list(rows[0])
    made = mw.score_rows(METRIC, frame(kind), **COLUMNS, isolate=False)
    rows = list(made.iter_rows()) if kind is Dataset else made.collect()
    assert [(row["id"], row["error"] is None, row["value"]) for row in rows] == [
        ("10", True, 2 / 3),
        ("2", True, 0.5),
        ("7", False, None),
    ]


def test_ray_is_told_how_many_documents_a_task_has_and_spark_is_not() -> None:
    for given, size in ((None, 8192), (5, 5)):
        made = mw.score_rows(METRIC, frame(Dataset), **COLUMNS, missing="empty", isolate=False, batch_size=given)
        assert made.asked == {"batch_format": "pyarrow", "batch_size": size, "zero_copy_batch": True}
    with pytest.raises(MatchwiseError) as found:
        mw.evaluate(METRIC, frame(Dataset), **COLUMNS, batch_size=0)
    assert str(found.value) == "batch_size=0; write how many documents a task of Ray scores"
    with pytest.raises(MatchwiseError) as found:
        mw.evaluate(METRIC, frame(DataFrame), **COLUMNS, batch_size=5)
    assert str(found.value) == "batch_size is an option for Ray; for Spark write frame.repartition(n)"


AS_FRAME = 'write evaluate(suite, frame, pred="output", ref="gold", id="doc") with the names of its columns'

REFUSED: list[tuple[type, dict[str, Any], str]] = [
    (Dataset, {"pred": "output", "ref": "gold"}, f"this is a frame of Ray; {AS_FRAME}"),
    (DataFrame, {"pred": "output", "id": "doc"}, f"this is a frame of Spark; {AS_FRAME}"),
    (DataFrame, {"ref": "gold", "id": "doc"}, f"this is a frame of Spark; {AS_FRAME}"),
    (Dataset, {**COLUMNS, "refs": [1]}, f"this is a frame of Ray; {AS_FRAME}"),
    (Dataset, {**COLUMNS, "jobs": 2, "ids": [1]}, "ids= and jobs= cannot be used with Ray; leave it out"),
    (DataFrame, {**COLUMNS, "progress": True}, "progress= cannot be used with Spark; leave it out"),
    (DataFrame, {**COLUMNS, "categories": {}}, "categories= cannot be used with Spark; leave it out"),
    (DataFrame, {**COLUMNS, "ref": "gald"}, "ref='gald': the frame has no such column; did you mean 'gold'?"),
    (Dataset, {**COLUMNS, "id": 3}, "id=3: the frame has no such column; there are doc, gold, more, output"),
    (Dataset, {**COLUMNS, "missing": "skip"}, 'missing=\'skip\'; write missing="raise" or missing="empty"'),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "options", "said"), REFUSED, ids=range(len(REFUSED)))
def test_what_a_frame_cannot_do_is_refused_before_anything_runs(kind: type, options: dict[str, Any], said: str) -> None:
    with pytest.raises(MatchwiseError) as found:
        mw.evaluate(METRIC, frame(kind), **options)
    assert str(found.value) == said


def first_of(element: Any) -> Any:
    return element[0]


def test_columns_and_tasks_of_frames_are_refused_for_documents_in_memory() -> None:
    for options in ({"pred": "output"}, {"isolate": True}, {"batch_size": 3}, {"id": "doc"}):
        with pytest.raises(
            MatchwiseError, match=r"^pred=, ref=, id=, isolate= and batch_size= are for .* predictions are list;"
        ):
            mw.evaluate(METRIC, [1], [2], **options)
    with pytest.raises(MatchwiseError, match="predictions are list"):
        mw.evaluate(METRIC, [1])
    with pytest.raises(ExpressionError, match=r"by=<function .*> cannot be sent to other machines; name a field"):
        mw.evaluate(METRIC, frame(Dataset), **COLUMNS, by=first_of)


class Holder:
    suite = mw.Suite(score=METRIC)


def test_a_suite_may_be_an_attribute_of_a_class_of_a_module() -> None:
    report = mw.evaluate(f"{__name__}:Holder.suite", frame(Dataset), **COLUMNS, missing="empty", isolate=False)
    assert report["score"].counts == mw.Counts(2, 4, 4)

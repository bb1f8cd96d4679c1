"""Columns and rows of Hugging Face's `datasets`, as they come: lazily read, shuffled, filtered, and streamed."""

from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset

import matchwise as mw
from matchwise import f1
from matchwise.cli import main
from matchwise.tasks import documents

ROWS: list[dict[str, Any]] = [
    {"id": f"d{n}", "pred": {"xs": [n % 3, 7]}, "ref": {"xs": [n % 2, 7]}, "output": f'{{"n": {n % 3}}}'}
    for n in range(60)
]
PLAIN = mw.evaluate(f1("xs"), [row["pred"] for row in ROWS], [row["ref"] for row in ROWS], ids=[r["id"] for r in ROWS])


@pytest.fixture
def dataset() -> Dataset:
    return Dataset.from_list(ROWS)


def test_columns_have_the_scores_of_lists(dataset: Dataset) -> None:
    report = mw.evaluate(f1("xs"), dataset["pred"], dataset["ref"], ids=dataset["id"])
    assert report.scores == PLAIN.scores


def test_a_dataset_that_was_shuffled_and_filtered_has_its_own_rows(dataset: Dataset) -> None:
    some = dataset.shuffle(seed=3).filter(lambda row: row["ref"]["xs"][0] == 1)
    report = mw.evaluate(f1("xs"), some["pred"], some["ref"], ids=some["id"])
    assert sorted(report.scores.ids) == sorted(row["id"] for row in ROWS if row["ref"]["xs"][0] == 1)
    assert report["score"].counts.reference == 60


def test_rows_are_documents(dataset: Dataset) -> None:
    report = mw.evaluate(f1("pred.xs"), dataset, dataset)
    assert (report["score"].f1, report.documents) == (1.0, 60)


def test_a_stream_is_read_once(dataset: Dataset) -> None:
    stream = dataset.to_iterable_dataset()
    report = mw.evaluate(f1("xs"), (row["pred"] for row in stream), (row["ref"] for row in dataset), keep="sums")
    assert report["score"].counts == PLAIN["score"].counts


def test_a_column_of_texts_fills_a_form(dataset: Dataset) -> None:
    form = documents.form({"properties": {"n": {"type": "integer"}}})
    run = documents.evaluate(form, dataset["output"], [{"n": 0}] * 60, ids=dataset["id"])
    assert (run.score.recall, run.unreadable) == (20 / 60, [])


def test_a_dataset_on_disk_is_read_by_the_command_line(dataset: Dataset, tmp_path: Path, capsys: Any) -> None:
    dataset.to_parquet(tmp_path / "all.parquet")
    path = str(tmp_path / "all.parquet")
    assert main(["score", "--metric", 'f1("pred.xs")', path, "-r", path]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[1:4] == ["1.0000", "1.0000", "1.0000"]

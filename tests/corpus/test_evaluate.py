"""A corpus in one call: streams, mappings, progress, and clear errors."""

from collections.abc import Iterator
from itertools import repeat
from typing import Any

import pytest

from matchwise.algebra.build import f1
from matchwise.corpus.suite import Suite
from matchwise.errors import DataError, ExpressionError, MatchwiseError
from matchwise.runners.runner import evaluate

PHI = f1("xs")
ONE = {"xs": [1]}


def stream(number: int) -> Iterator[dict[str, list[int]]]:
    return ({"xs": [k % 3]} for k in range(number))


def test_generators_are_read_in_lock_step() -> None:
    report = evaluate(PHI, stream(1000), (ONE for _ in range(1000)))
    assert (report.documents, report["score"].counts.matched) == (1000, 333)


def test_no_document_is_read_ahead_of_the_other_side() -> None:
    read: list[str] = []

    def side(name: str) -> Iterator[dict[str, list[int]]]:
        for _ in range(3):
            read.append(name)
            yield ONE

    evaluate(PHI, side("pred"), side("ref"))
    assert read == ["pred", "ref"] * 3


def test_mappings_are_joined_by_id() -> None:
    report = evaluate(PHI, {"b": ONE, "a": {"xs": [2]}}, {"a": ONE, "b": ONE})
    assert report.columns()["document"] == ["a", "b"]
    assert report["score"].per_document == [0.0, 1.0]


def test_ids_name_the_documents() -> None:
    assert evaluate(PHI, [ONE, ONE], [ONE, ONE], ids=iter(["a", "b"])).columns()["document"] == ["a", "b"]


def test_a_callable_is_told_the_progress() -> None:
    done: list[int] = []
    evaluate(PHI, stream(600), stream(600), progress=done.append)
    assert done == [32, 600]


def test_progress_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    evaluate(PHI, [ONE], [ONE], progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("1 documents, ")


@pytest.mark.parametrize(
    ("preds", "refs", "message"),
    [
        ([ONE] * 3, [ONE] * 2, "found 3 predictions and 2 references; give one prediction for each reference"),
        (stream(3), stream(7), "found 3 predictions and 7 references"),
        (stream(7), stream(3), "found 7 predictions and 3 references"),
        (stream(2), repeat(ONE), "found 2 predictions and at least 100003 references"),
        ([], [], "found no documents to score"),
        (
            {"a": ONE},
            {"a": ONE, "b": ONE},
            "found no prediction for document 'b'; write missing=\"empty\" to count it as empty",
        ),
        (
            {"a": ONE, "c": ONE},
            {"a": ONE, "b": ONE},
            "for document 'b'; .*; no reference has the id 'c'; take it out, or write on_error=\"skip\"",
        ),
        ({str(k): ONE for k in range(9)}, {}, "no reference has the ids '0', '1', '2', '3', '4' and 4 more"),
        ({"1": ONE}, {1: ONE}, "no reference has the id '1'; ids are text on one side and numbers on the other"),
        ({"a": ONE}, [ONE], "one side is a mapping and the other is not"),
        ("a", "b", "the predictions are str 'a', expected a list .*write score\\(phi, pred, ref\\)"),
        ([ONE], 3, "the references are int 3, expected a list"),
    ],
)
def test_sides_that_do_not_fit_are_an_error(preds: Any, refs: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        evaluate(PHI, preds, refs)


def test_sides_of_known_length_are_compared_before_anything_is_scored() -> None:
    with pytest.raises(DataError, match="2 predictions and 1 reference;"):
        evaluate(PHI, [{"xs": None}, ONE], [ONE])


def test_as_many_ids_are_needed() -> None:
    with pytest.raises(DataError, match="found 2 predictions and 2 references and 1 id"):
        evaluate(PHI, stream(2), stream(2), ids=iter(["a"]))


def test_mappings_take_no_other_ids() -> None:
    with pytest.raises(DataError, match="the mappings have ids of their own"):
        evaluate(PHI, {"a": ONE}, {"a": ONE}, ids=["a"])


def test_a_list_is_not_a_suite() -> None:
    with pytest.raises(ExpressionError, match="or a suite, not \\["):
        evaluate([PHI], [ONE], [ONE])  # type: ignore[arg-type]


@pytest.mark.parametrize("jobs", [0, -1, True, 1.5, "2"])
def test_jobs_are_a_number_of_processes(jobs: Any) -> None:
    with pytest.raises(MatchwiseError, match=r"jobs=.*; write jobs=1"):
        evaluate(PHI, [ONE], [ONE], jobs=jobs)


def test_an_error_in_a_document_names_it() -> None:
    with pytest.raises(DataError, match=r"^document b prediction: xs: found None"):
        evaluate(Suite(f=PHI), [ONE, {"xs": None}], [ONE, ONE], ids=["a", "b"])


def test_what_a_source_raises_is_left_as_it_is() -> None:
    def broken() -> Iterator[dict[str, list[int]]]:
        yield ONE
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        evaluate(PHI, broken(), [ONE, ONE])

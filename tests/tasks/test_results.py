"""Result tables: what is read as one, which columns and rows meet, the presets, and the kinds of errors."""

import sqlite3
from contextlib import closing
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

import matchwise as mw
from matchwise.corpus.pairing import NOTHING
from matchwise.tasks import results, task
from matchwise.tasks.results import ResultTable, result

GOLD = {"columns": ["name", "sales"], "rows": [["Ada", 7], ["Ben", 5], ["Cy", None]]}


def score(preset: Any, metric: str, pred: Any, ref: Any, **options: Any) -> float:
    return mw.score(results.suite(preset, **options)[metric], pred, ref)


def test_rows_of_a_database_a_cursor_and_frames_are_one_result() -> None:
    import pandas
    import polars
    import pyarrow

    rows = (("Ada", 7), ("Cy", None))
    with closing(sqlite3.connect(":memory:")) as database:
        found = result(database.execute("SELECT 'Ada' AS name, 7 AS sales UNION ALL SELECT 'Cy', NULL"))
    assert found == ResultTable(("name", "sales"), rows)
    frame = pandas.DataFrame({"name": ["Ada", "Cy"], "sales": [7, None]})
    named: list[Any] = [
        frame,
        pyarrow.Table.from_pandas(frame),
        frame.to_dict("records"),
        polars.DataFrame(dict(frame)),
    ]
    for one in named:
        assert result(one) == ResultTable(("name", "sales"), rows)
    assert result(rows) == ResultTable(("1", "2"), rows)
    assert result({"columns": ["name", "sales"], "data": [list(row) for row in rows]}).rows == rows


def test_values_are_texts_numbers_and_null() -> None:
    given = [(True, Decimal("1.10"), Decimal("1e-30"), date(2026, 1, 2), float("nan"), b"x")]
    assert result(given).rows == ((1, 1.1, 1e-30, "2026-01-02", None, b"x"),)


def test_columns_of_one_name_are_told_apart() -> None:
    assert result({"columns": ["id", "id"], "rows": []}).columns == ("id", "id#2")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (7, "expected rows, or a dictionary with rows, found int"),
        ({"columns": []}, "expected a result with columns and rows, found the keys columns"),
        ({"columns": 2, "rows": []}, "columns: expected a list of names, found 2"),
        ([(1, 2), (3,)], r"rows\[1\]: expected 2 values, found 1"),
        (["ab"], r"rows\[0\]: expected the values of a row, found str"),
        ({"rows": [], "condition_cols": [0]}, "condition_cols: expected numbers below 0, found 0"),
    ],
)
def test_what_is_no_result_is_refused(value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        result(value)


def test_columns_and_rows_are_found_by_content() -> None:
    pred = {"columns": ["total", "who"], "rows": [[5, "Ben"], [None, "Cy"], [7, "Ada"]]}
    assert score("optimal", "cells", pred, GOLD) == score("spider", "exact", pred, GOLD) == 1
    assert score("optimal", "cells", pred, GOLD, columns="names") == 0
    assert score("bird", "exact", pred, GOLD) == 0


def test_scrambled_rows_score_1_in_spider2_only() -> None:
    pred = {"columns": ["name", "sales"], "rows": [["Ada", 5], ["Ben", None], ["Cy", 7]]}
    assert score("spider2", "exact", pred, GOLD) == 1
    assert score("spider", "exact", pred, GOLD) == 0
    assert score("optimal", "cells", pred, GOLD) == 0.5


def test_in_the_order_of_rows_spider_compares_their_texts_row_by_row() -> None:
    # 1 and 1.0 are equal, but are sorted to different sides of 1/
    pred, ref = [(1.0, "1/"), (1, "1/")], [(1, "1/"), (1.0, "1/")]
    assert score("spider", "exact", pred, ref) == 1
    assert score("spider", "exact", pred, {"rows": ref, "ordered": True}) == 0


def test_twenty_six_columns_in_another_order_are_proved_equal() -> None:
    rows = [[(row * 7 + column * column) % 11 for column in range(26)] for row in range(40)]
    pred = [row[::-1] for row in rows[::-1]]
    assert mw.plan(results.suite("spider")["exact"]).bounds(pred, rows) == mw.Bounds(1, 1)


def test_the_order_of_rows_counts_where_the_reference_says_so() -> None:
    pred, sql = [(1,), (2,)], "SELECT a FROM t ORDER BY a DESC"
    assert score("spider", "exact", pred, [(2,), (1,)]) == 1
    assert score("spider", "exact", pred, {"rows": [(2,), (1,)], "sql": sql}) == 0
    assert score("optimal", "cells", pred, {"rows": [(2,), (1,)], "ordered": True}) == 0
    assert score("optimal", "cells", pred, {"rows": [(2,), (1,)], "ordered": True}, order="bag") == 1
    assert score("optimal", "cells", pred, [(2,), (1,)], order="index") == 0


def test_numbers_may_differ_by_a_tolerance() -> None:
    pred, ref = [("a", 10), ("b", 2.004)], [("a", 10.005), ("b", 2)]
    assert score("optimal", "cells", pred, ref) == 0.5
    for columns in ("free", "names"):
        assert score("optimal", "cells", pred, ref, tolerance=0.005, columns=columns) == 1
    with pytest.raises(mw.ExpressionError, match="tolerance=0 is not positive"):
        results.suite(tolerance=0)


def test_a_query_that_failed_is_wrong_even_if_nothing_was_to_be_found() -> None:
    for preset, metric in (("optimal", "cells"), ("spider", "exact"), ("bird", "exact"), ("bird", "soft_f1")):
        assert score(preset, metric, {"error": "no such table"}, []) == 0
        assert score(preset, metric, [], []) == 1
    assert score("spider2", "exact", {"error": "no such table"}, [(1,)]) == 0
    report = mw.evaluate(results.suite("bird"), {}, {"q": []}, missing="empty")
    assert report["exact"].value == 0


def test_spider2_asks_for_some_columns_only() -> None:
    ref = {"columns": ["a", "b"], "rows": [[1, "x"], [2, "y"]], "condition_cols": [1]}
    assert score("spider2", "exact", [("y",), ("x",)], ref) == 1
    assert score("spider2", "exact", [(1,), (2,)], ref) == 0


def kinds(pred: Any, ref: Any, **options: Any) -> list[tuple[str, float]]:
    analyse = task("results").errors
    assert analyse is not None
    [[level]] = analyse(results.suite(**options), "cells")([pred], [ref])
    return [(case.kind, float(case.lost)) for case in level.cases]


def test_each_kind_of_error_is_named() -> None:
    names = [("Ada", 1), ("Ben", 2), ("Cy", 3)]
    assert kinds(names[:2], names) == [("missed row", 2)]
    assert kinds(names, names[:2]) == [("spurious row", 2)]
    assert kinds([row[:1] for row in names], names) == [("missed column", 3)]
    assert kinds([(*row, 0) for row in names], names) == [("spurious column", 3)]
    for value, kind in ((2.01, "rounded number"), (9, "wrong number"), ("2", "number or text"), (None, "NULL or not")):
        assert kinds([("Ada", 1), ("Ben", value), ("Cy", 3)], names) == [(kind, 1)]
    assert kinds([("Ada", 1), ("Bea", 2), ("Cy", 3)], names) == [("wrong text", 1)]
    assert kinds([("Ada", 1), (7, 2), ("Cy", 3)], names) == [("wrong value", 1)]
    swapped = [("row at another place", 2)] * 2
    assert kinds([names[1], names[0], names[2]], {"rows": names, "ordered": True}) == swapped
    assert kinds(NOTHING, names)[0] == ("failed query", 1)
    assert kinds({"error": "timeout"}, names) == [("failed query", 1), ("missed column", 3), ("missed column", 3)]
    assert kinds([("Ada", 1.5)], [("Ada", 1)], columns="names", tolerance=0.1) == [("wrong number", 1)]


@pytest.mark.parametrize(
    ("preset", "metric"), [("optimal", "exact"), ("spider", "exact"), ("bird", "exact"), ("spider2", "exact")]
)
def test_a_query_that_failed_is_wrong_also_where_nothing_was_to_be_found(preset: str, metric: str) -> None:
    assert score(preset, metric, {"error": "no such table"}, {"rows": []}) == 0


def test_a_row_without_values_is_refused() -> None:
    with pytest.raises(mw.DataError, match=r"rows\[0\]: found a row without values; a result without rows is \[\]"):
        score("optimal", "cells", {"columns": [], "rows": [[]]}, GOLD)


def test_numbers_that_are_too_large_for_a_float_are_equal_or_not() -> None:
    assert result([(10**400, Decimal("nan"), Decimal("-inf"))]).rows == ((str(10**400), None, float("-inf")),)
    assert score("spider2", "exact", [(10**400,)], [(10**400,)]) == 1
    assert score("spider2", "exact", [(10**400,)], [(7,)]) == 0


def test_whole_numbers_that_no_float_tells_apart_are_equal_or_not_also_with_a_tolerance() -> None:
    assert score("optimal", "exact", [(2**53 + 1,)], [(2**53 + 1,)], tolerance=1e-17) == 1
    assert score("optimal", "exact", [(2**53 + 1,)], [(2**53,)], tolerance=1e-17) == 0


def test_a_thousand_scrambled_rows_of_thirty_columns_are_found_unequal_without_a_search() -> None:
    rows = [tuple((row * 7 + column * column) % (11 + column) for column in range(30)) for row in range(1000)]
    turned = [column[place:] + column[:place] for place, column in enumerate(zip(*rows, strict=True))]
    scrambled = list(zip(*turned, strict=True))
    spider = results.suite("spider")
    assert mw.score(spider["exact"], scrambled, rows) == 0
    assert mw.evaluate(spider, [scrambled, rows], [rows, rows])["exact"].value == 0.5
    found = mw.plan(results.suite()["cells"]).bounds(scrambled, rows, time_limit=0.2)
    assert 0 < found.lower < found.upper

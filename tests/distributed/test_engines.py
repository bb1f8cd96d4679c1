"""Spark and Ray for real, on local clusters: the same bits as one process."""

import json
from typing import Any

import pyarrow
import pytest
from invoices import Invoice, deadly

from matchwise import Suite, average, close, custom, edit, eq, evaluate, f1, keyed, normalize, weight
from matchwise.errors import ExpressionError
from matchwise.runners import ray as on_ray
from matchwise.runners import spark as on_spark
from matchwise.tasks import documents

NUMBER = 500
REFS = [
    {"number": f"R-{n}", "lines": [{"sku": f"s{n % 7}", "count": n % 5}, {"sku": f"s{n % 3}", "count": 1}]}
    for n in range(NUMBER)
]
PREDS = [ref | {"lines": ref["lines"][: n % 3], "number": ref["number"][: 2 + n % 4]} for n, ref in enumerate(REFS)]
IDS = [f"d{n}" for n in range(NUMBER)]
SUITE = Suite(
    lines=f1("lines", eq("sku") * (eq("sku") + close("count", abs=1))),
    number=normalize(edit("number"), "f1"),
    both=average("lines", "number"),
)


class Engine:
    """One of the two engines, with rows to run it on."""

    def __init__(self, name: str, request: Any) -> None:
        self.name = name
        self.runner = {"spark": on_spark, "ray": on_ray}[name]
        self.engine = request.getfixturevalue({"spark": "session", "ray": "cluster"}[name])

    def rows(self, rows: list[dict[str, Any]]) -> Any:
        if self.name == "ray":
            return self.engine.data.from_arrow(pyarrow.Table.from_pylist(rows)).repartition(5)
        return self.engine.createDataFrame(rows, _schema(rows[0])).repartition(5)

    def collect(self, made: Any) -> list[dict[str, Any]]:
        return list(made.iter_rows()) if self.name == "ray" else [row.asDict() for row in made.collect()]

    def evaluate(self, suite: Any, rows: list[dict[str, Any]], **options: Any) -> Any:
        return self.runner.evaluate(suite, self.rows(rows), pred="output", ref="gold", id="doc", **options)


def _schema(row: dict[str, Any]) -> str:
    line = "struct<number:string,lines:array<struct<sku:string,count:bigint>>>"
    kinds = {str: "string", dict: line, int: "bigint", type(None): "string"}
    return ", ".join(f"{name} {kinds[type(value)]}" for name, value in row.items())


@pytest.fixture(params=["spark", "ray"])
def engine(request) -> Engine:
    return Engine(request.param, request)


def rows(preds: list[Any], refs: list[Any], ids: list[Any]) -> list[dict[str, Any]]:
    return [{"doc": id, "output": pred, "gold": ref} for pred, ref, id in zip(preds, refs, ids, strict=True)]


def test_structs_have_the_same_bits_as_in_one_process(engine) -> None:
    report = engine.evaluate(SUITE, rows(PREDS, REFS, IDS), isolate=False)
    assert report.scores == evaluate(SUITE, PREDS, REFS, keep="sums").scores
    assert report["both"].value == evaluate(SUITE, PREDS, REFS)["both"].value


def test_text_is_json_and_tables_by_field_are_added_too(engine) -> None:
    form = documents.form(Invoice, {"number": (edit(), weight(2)), "lines": keyed("sku")}, fences="find")
    texts = [f"Here: {json.dumps(pred)}" if n % 50 else "Sorry." for n, pred in enumerate(PREDS)]
    found = engine.evaluate(form.suite, rows(texts, [json.dumps(ref) for ref in REFS], IDS), fields=True)
    alone = documents.evaluate(form, texts, REFS, ids=IDS).report
    assert found["score"].counts == alone["score"].counts
    assert found["score"].macro == alone["score"].macro
    assert sorted(map(repr, found.fields())) == sorted(map(repr, alone.fields()))


def test_a_document_that_kills_its_process_is_one_error(engine) -> None:
    texts = ['{"xs": ["a"]}'] * 40
    poisoned = [*texts[:17], '{"xs": ["deadly"]}', "no JSON", *texts[19:]]
    report = engine.evaluate("invoices:poison", rows(poisoned, texts, list(range(40))))
    assert [id for id, _ in report.errors] == [17, 18]
    assert "ended the process with exit code 9" in report.errors[0][1]
    assert "cannot read this as JSON" in report.errors[1][1]
    assert report["score"].counts.matched == 38


def test_a_suite_is_named_where_text_cannot_hold_it(engine) -> None:
    same = Suite(score=f1("xs", custom(deadly)))
    texts = ['{"xs": ["a"]}'] * 4
    assert engine.evaluate("invoices:poison", rows(texts, texts, list("abcd")), isolate=False)["score"].f1 == 1.0
    with pytest.raises(ExpressionError, match=r"cannot be sent as text .*unknown name 'deadly'.* write suite="):
        engine.evaluate(same, rows(texts, texts, list("abcd")))


def test_results_by_document_are_rows_of_the_engine(engine) -> None:
    form = documents.form(Invoice)
    texts = [json.dumps(PREDS[4]), "Sorry.", json.dumps(REFS[2])]
    made = engine.runner.documents(
        form.suite, engine.rows(rows(texts, [json.dumps(ref) for ref in (REFS[4], REFS[1], REFS[2])], list("abc"))),
        pred="output", ref="gold", id="doc",
    )  # fmt: skip
    found = {row["id"]: row for row in engine.collect(made)}
    alone = documents.evaluate(form, texts, [REFS[4], REFS[1], REFS[2]], ids=list("abc"))
    assert [found[id]["value"] for id in "abc"] == alone.score.per_document
    assert [found[id]["recall"] for id in "abc"] == alone.score.recalls
    assert [len(found[id]["faults"]) for id in "abc"] == [0, 1, 0]
    assert [found[id]["error"] for id in "abc"] == [None, None, None]

"""Spark and Ray for real, on local clusters: the same bits as one process."""

import json
from typing import Any

import pyarrow
import pytest
from invoices import Invoice, deadly

from matchwise import (
    Counts,
    Suite,
    average,
    close,
    custom,
    edit,
    eq,
    evaluate,
    f1,
    intervals,
    keyed,
    normalize,
    score_rows,
    weight,
)
from matchwise.errors import DataError, ExpressionError, MatchwiseError
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
        self.engine = request.getfixturevalue({"spark": "session", "ray": "cluster"}[name])

    def rows(self, rows: list[dict[str, Any]]) -> Any:
        if self.name == "ray":
            return self.engine.data.from_arrow(pyarrow.Table.from_pylist(rows)).repartition(5)
        return self.engine.createDataFrame(rows, _schema(rows[0])).repartition(5)

    def collect(self, made: Any) -> list[dict[str, Any]]:
        return list(made.iter_rows()) if self.name == "ray" else [row.asDict() for row in made.collect()]

    def evaluate(self, suite: Any, rows: list[dict[str, Any]], **options: Any) -> Any:
        return evaluate(suite, self.rows(rows), pred="output", ref="gold", id="doc", **options)


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
    report = engine.evaluate(SUITE, rows(PREDS, REFS, IDS), keep="sums", isolate=False)
    assert report.scores == evaluate(SUITE, PREDS, REFS, keep="sums").scores
    alone = evaluate(SUITE, PREDS, REFS)
    assert report["both"].value == alone["both"].value
    ends = [(row.metric, row.score, round(row.low, 12), round(row.high, 12)) for row in intervals(report)]
    assert ends == [(row.metric, row.score, round(row.low, 12), round(row.high, 12)) for row in intervals(alone)]


def test_documents_are_kept_by_default_for_intervals_and_the_worst(engine) -> None:
    report = engine.evaluate(SUITE, rows(PREDS, REFS, IDS), isolate=False)
    order = sorted(range(NUMBER), key=IDS.__getitem__)
    alone = evaluate(SUITE, [PREDS[n] for n in order], [REFS[n] for n in order], ids=sorted(IDS))
    assert report.scores == alone.scores
    assert intervals(report).to_dict() == intervals(alone).to_dict()
    assert report.worst(3) == alone.worst(3)


def test_predictions_that_cannot_be_read_never_raise_the_score(engine) -> None:
    texts = [json.dumps({"xs": [n, n + 1]}) for n in range(40)]
    preds = [*texts[:17], "no JSON", *texts[18:]]
    options = {"isolate": False}
    with pytest.raises(DataError, match=r"^document 17: prediction: not JSON: found 'no JSON'"):
        engine.evaluate(f1("xs"), rows(preds, texts, list(range(40))), **options)
    report = engine.evaluate(f1("xs"), rows(preds, texts, list(range(40))), on_error="empty", **options)
    assert report["score"].counts == Counts(78, 78, 80)
    assert [id for id, _ in report.errors] == [17]
    report = engine.evaluate(f1("xs"), rows(preds, texts, list(range(40))), on_error="skip", **options)
    assert (report["score"].counts, report.documents) == (Counts(78, 78, 78), 39)


def test_null_predictions_are_errors_unless_they_count_as_empty(engine) -> None:
    texts = [json.dumps({"xs": [n, n + 1]}) for n in range(10)]
    preds = [*texts[:9], None]
    with pytest.raises(DataError, match=r"^document 9: prediction: found None, expected an object with 'xs'"):
        engine.evaluate(f1("xs"), rows(preds, texts, list(range(10))), isolate=False)
    report = engine.evaluate(f1("xs"), rows(preds, texts, list(range(10))), missing="empty", isolate=False)
    assert report["score"].counts == Counts(18, 18, 20)


def test_wrong_words_are_named(engine) -> None:
    frame = engine.rows(rows(['{"xs": []}'], ['{"xs": []}'], [1]))
    called = {"spark": "Spark", "ray": "Ray"}[engine.name]
    columns = {"pred": "output", "ref": "gold", "id": "doc"}
    with pytest.raises(MatchwiseError, match=rf"^this is a frame of {called}; write evaluate\(suite, frame, pred="):
        evaluate(f1("xs"), frame)
    with pytest.raises(MatchwiseError, match=rf"^this is a frame of {called}; write evaluate\(suite, frame, pred="):
        evaluate(f1("xs"), frame, frame)
    with pytest.raises(MatchwiseError, match=r"^pred='outptu': the frame has no such column; did you mean 'output'\?"):
        evaluate(f1("xs"), frame, **columns | {"pred": "outptu"})
    with pytest.raises(MatchwiseError, match=rf"^jobs= cannot be used with {called}; leave it out"):
        evaluate(f1("xs"), frame, **columns, jobs=2)
    with pytest.raises(TypeError, match=r"^evaluate\(\) got an unexpected keyword argument 'on_eror'"):
        evaluate(f1("xs"), frame, **columns, on_eror="skip")
    with pytest.raises(MatchwiseError, match=r"^on_error='drop'; write on_error=\"raise\""):
        evaluate(f1("xs"), frame, **columns, on_error="drop")
    with pytest.raises(MatchwiseError, match=r"^batch_size"):
        evaluate(f1("xs"), frame, **columns, batch_size=10 if engine.name == "spark" else 0)


def test_several_references_are_columns_of_lists(engine) -> None:
    texts = ['{"xs": ["a"]}', '{"xs": ["b"]}']
    refs = ['[{"xs": ["b"]}, {"xs": ["a"]}]', '[{"xs": ["c"]}]']
    report = engine.evaluate(f1("xs"), rows(texts, refs, [1, 2]), references="any", isolate=False)
    assert report["score"].counts == Counts(1, 2, 2)


def test_text_is_json_and_tables_by_field_are_added_too(engine) -> None:
    form = documents.form(Invoice, {"number": (edit(), weight(2)), "lines": keyed("sku")}, fences="find")
    texts = [f"Here: {json.dumps(pred)}" if n % 50 else "Sorry." for n, pred in enumerate(PREDS)]
    found = engine.evaluate(form, rows(texts, [json.dumps(ref) for ref in REFS], IDS), fields=True)
    alone = documents.evaluate(form, texts, REFS, ids=IDS).report
    assert found["score"].counts == alone["score"].counts
    assert found["score"].macro == alone["score"].macro
    assert sorted(map(repr, found.fields())) == sorted(map(repr, alone.fields()))


def test_a_document_that_kills_its_process_is_one_error(engine) -> None:
    texts = ['{"xs": ["a"]}'] * 40
    poisoned = [*texts[:17], '{"xs": ["deadly"]}', "no JSON", *texts[19:]]
    report = engine.evaluate("invoices:poison", rows(poisoned, texts, list(range(40))), on_error="skip")
    assert [id for id, _ in report.errors] == [17, 18]
    assert "ended the process with exit code 9" in report.errors[0][1]
    assert "not JSON: found 'no JSON'" in report.errors[1][1]
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
    made = score_rows(
        form, engine.rows(rows(texts, [json.dumps(ref) for ref in (REFS[4], REFS[1], REFS[2])], list("abc"))),
        pred="output", ref="gold", id="doc",
    )  # fmt: skip
    found = {row["id"]: row for row in engine.collect(made)}
    alone = documents.evaluate(form, texts, [REFS[4], REFS[1], REFS[2]], ids=list("abc"))
    assert [found[id]["value"] for id in "abc"] == alone.score.per_document
    assert [found[id]["recall"] for id in "abc"] == alone.score.recalls
    assert [len(found[id]["faults"]) for id in "abc"] == [0, 1, 0]
    assert [found[id]["error"] for id in "abc"] == [None, None, None]

"""Precision and recall of each document and their means, and means over fields."""

import json

import pytest

from matchwise import derive, evaluate, f1, keyed
from matchwise.errors import DeriveError, ExpressionError
from matchwise.tasks import documents

PREDS = [{"xs": [1, 2]}, {"xs": []}, {"xs": [1, 2, 3, 4]}]
REFS = [{"xs": [1]}, {"xs": [1, 2]}, {"xs": [1, 2, 9]}]


def test_each_document_has_precision_and_recall_and_macro_is_their_mean() -> None:
    report = evaluate(f1("xs"), PREDS, REFS)
    metric = report["score"]
    assert (metric.precisions, metric.recalls) == ([0.5, 1.0, 0.5], [1.0, 0.0, 2 / 3])
    assert (metric.macro_precision, metric.macro_recall) == (2 / 3, pytest.approx(5 / 9, abs=1e-12))
    columns = report.columns()
    assert (columns["score.precision"], columns["score.recall"]) == (metric.precisions, metric.recalls)


def test_sums_have_no_precision_of_each_document() -> None:
    report = evaluate(f1("xs"), PREDS, REFS, keep="sums")
    with pytest.raises(ExpressionError, match="only sums were kept"):
        _ = report["score"].macro_precision


def test_the_mean_over_fields_leaves_out_what_neither_side_has() -> None:
    strings = {name: {"type": "string"} for name in ("a", "b", "c")}
    form = documents.form({"properties": strings})
    report = documents.evaluate(form, [{"a": "1", "b": "x"}, {"a": "2"}], [{"a": "1", "b": "y"}, {"a": "3"}]).report
    assert [(row.path, row.f1) for row in report.fields()] == [("a", 0.5), ("b", 0.0), ("c", 1.0)]
    assert report.over_fields("score") == 0.25
    assert report.means_over_fields("score") == {"precision": 0.25, "recall": 0.25, "f1": 0.25}


def test_a_key_may_have_several_fields() -> None:
    schema = {
        "properties": {
            "lines": {
                "type": "array",
                "items": {"properties": {name: {"type": "string"} for name in ("sku", "size", "price")}},
                "x-matchwise": 'keyed("sku", "size")',
            }
        }
    }
    text = 'overlap("lines", eq("sku") * eq("size") * (eq("sku") + eq("size") + eq("price")))'
    assert text in repr(derive(schema))
    form = documents.form(schema)
    lines = [{"sku": "a", "size": "S", "price": "1"}, {"sku": "a", "size": "L", "price": "2"}]
    swapped = [lines[0] | {"size": "L"}, lines[1] | {"size": "S"}]
    assert form.score({"lines": lines}, {"lines": lines}).f1 == 1.0
    assert form.score({"lines": lines[::-1]}, {"lines": swapped}).counts.matched == 4  # by SKU alone the prices meet
    assert form.score({"lines": [{"sku": "a"}]}, {"lines": [{"sku": "a"}]}).f1 == 1.0
    for fields, message in (((), "keyed(None) names no field"), (("a", "a"), "keyed('a', 'a') names a field twice")):
        with pytest.raises(DeriveError) as caught:
            keyed(*fields)
        assert message in str(caught.value)


def test_the_command_line_shows_the_same(tmp_path, capsys) -> None:
    from matchwise.cli import main

    for name, side in (("run", PREDS), ("gold", REFS)):
        lines = (json.dumps({"id": number, **document}) + "\n" for number, document in enumerate(side))
        (tmp_path / f"{name}.jsonl").write_text("".join(lines))
    words = ["score", "--metric", 'f1("xs")', str(tmp_path / "run.jsonl"), "-r", str(tmp_path / "gold.jsonl")]
    assert main([*words, "--macro"]) == 0
    head, row, *_ = capsys.readouterr().out.splitlines()
    assert (head.split(), row.split()) == (
        ["metric", "average", "f1"],
        ["score", "documents", "0.4127"],
    )
    assert main([*words, "--per-document", "--format", "json"]) == 0
    first = json.loads(capsys.readouterr().out)["systems"][0]["per_document"][0]
    assert (first["score"], first["score.precision"], first["score.recall"]) == (2 / 3, 0.5, 1.0)
    assert main([*words, "--average", "fields"]) == 0
    assert "score   fields      0.5000  0.5000  0.5000" in capsys.readouterr().out

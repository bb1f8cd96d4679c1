"""Precision and recall of each document and their means, and means over fields."""

import json
from math import fsum
from typing import Any

import pytest

from matchwise import Suite, Tally, average, derive, evaluate, f1, harmonic, keyed, mean, overlap, precision, recall
from matchwise.corpus.table import Keep
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


def test_sums_know_the_means_but_no_document() -> None:
    metric = evaluate(f1("xs"), PREDS, REFS, keep="sums")["score"]
    assert (metric.macro_precision, metric.macro_recall) == (2 / 3, fsum([1.0, 0.0, 2 / 3]) / 3)
    with pytest.raises(ExpressionError, match="only sums were kept"):
        _ = metric.precisions


@pytest.mark.parametrize("keep", ["documents", "sums"])
def test_an_average_over_classes_has_means_of_its_sides_and_a_mean_has_none(keep: Any) -> None:
    suite = Suite(xs=f1("xs"), ys=f1("ys"), both=average("xs", "ys", where="either"), mean=mean(f1("xs")))
    preds, refs = ([document | {"ys": []} for document in side] for side in (PREDS, REFS))
    report = evaluate(suite, preds, refs, keep=keep)
    assert report["both"].macro_precision == report["xs"].macro_precision == 2 / 3
    assert report["both"].macro_recall == report["xs"].macro_recall
    with pytest.raises(ExpressionError, match="a mean over documents has no counts, hence no recall"):
        _ = report["mean"].macro_recall
    assert "macro_recall" not in report.to_dict()["metrics"]["mean"]


def test_merged_shards_have_the_means_of_the_whole_to_the_bit() -> None:
    whole = evaluate(f1("xs"), PREDS, REFS)
    for fold in (False, True):
        shards = [evaluate(f1("xs"), PREDS[some], REFS[some]).table() for some in (slice(1), slice(1, None))]
        one, two = (shard.fold() for shard in shards) if fold else shards
        assert (one + two).report().to_dict() == (two + one).report().to_dict() == whole.to_dict()


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
    assert main([*words, "--average", "documents"]) == 0
    head, row, *_ = capsys.readouterr().out.splitlines()
    assert (head.split(), row.split()) == (
        ["metric", "average", "precision", "recall", "f1"],
        ["score", "documents", "0.6667", "0.5556", "0.4127"],
    )
    assert main([*words, "--per-document", "--format", "json"]) == 0
    first = json.loads(capsys.readouterr().out)["systems"][0]["per_document"][0]
    assert (first["score"], first["score.precision"], first["score.recall"]) == (2 / 3, 0.5, 1.0)
    assert main([*words, "--average", "fields"]) == 0
    assert "score   fields      0.5000  0.5000  0.5000" in capsys.readouterr().out


@pytest.mark.parametrize("keep", ["documents", "sums"])
def test_the_mean_over_no_documents_is_the_value_of_nothing(keep: Keep) -> None:
    half = harmonic(precision("xs", empty=1), recall("xs", empty=0))
    suite = Suite(half=half, total=overlap("xs"), both=average("half", "total"))
    report = Tally(suite, keep=keep).report()
    assert [(report[name].value, report[name].macro) for name in suite] == [(0.0, 0.0)] * 3
    assert (report["half"].macro_precision, report["half"].macro_recall) == (1.0, 0.0)

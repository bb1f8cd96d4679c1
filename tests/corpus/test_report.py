"""Reports read every score from counts."""

import json
from typing import Any

import pytest

import matchwise as mw
from matchwise import latent, var
from matchwise.algebra.build import (
    eq,
    f1,
    fbeta,
    harmonic,
    jaccard,
    mean,
    normalize,
    overlap,
    precision,
    recall,
)
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.counts import Counts
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Suite, average, product
from matchwise.errors import ExpressionError
from matchwise.runners.runner import evaluate

PREDS = [{"xs": [1, 2]}, {"xs": [3]}, {"xs": []}]
REFS = [{"xs": [1, 2, 4, 5]}, {"xs": [6]}, {"xs": []}]
"""Together 2 matched, 3 predicted, 5 in the reference."""


def report(phi: Similarity | Suite, **details: Any) -> Report:
    return evaluate(phi, PREDS, REFS, **details)


@pytest.mark.parametrize(
    ("phi", "value"),
    [
        (precision("xs"), 2 / 3),
        (recall("xs"), 2 / 5),
        (f1("xs"), 4 / 8),
        (fbeta("xs", beta=2), 5 * 2 / (3 + 4 * 5)),
        (jaccard("xs"), 2 / 6),
        (overlap("xs"), 2.0),
        (3 * overlap("xs"), 6.0),
        (harmonic(precision("xs"), recall("xs")), 2 * (2 / 3) * (2 / 5) / (2 / 3 + 2 / 5)),
        (mean(f1("xs")), (2 / 3 + 0 + 1) / 3),
    ],
    ids=repr,
)
def test_the_value_is_that_of_the_kind_at_the_root(phi: Similarity, value: float) -> None:
    assert report(phi)["score"].value == pytest.approx(value, abs=1e-12)


def test_precision_recall_and_f1_are_read_from_the_same_counts() -> None:
    metric = report(jaccard("xs"))["score"]
    assert metric.counts == Counts(2, 3, 5)
    assert (metric.precision, metric.recall, metric.f1) == (2 / 3, 2 / 5, 4 / 8)


def test_macro_is_the_mean_of_the_documents() -> None:
    metric = report(f1("xs"))["score"]
    assert metric.per_document == [4 / 6, 0.0, 1.0]
    assert metric.macro == pytest.approx((4 / 6 + 1) / 3, abs=1e-12)


def test_an_empty_document_counts_as_the_metric_says() -> None:
    assert report(f1("xs", empty=0))["score"].per_document == [4 / 6, 0.0, 0.0]


def test_two_sides_are_counted_apart() -> None:
    sides = harmonic(precision("xs", match="N:1"), recall("xs", match="1:N"))
    metric = evaluate(sides, [{"xs": [1, 1]}], [{"xs": [1, 2]}])["score"]
    assert metric.counts == Counts(2, 2, 2, recalled=1)
    assert (metric.precision, metric.recall, metric.f1, metric.value) == (1.0, 0.5, 2 / 3, 2 / 3)


def test_a_metric_without_counts_has_no_precision() -> None:
    with pytest.raises(ExpressionError, match=r"has no counts, hence no precision; read \.value"):
        report(mean(f1("xs")))["score"].precision  # noqa: B018


def test_an_average_is_that_of_the_values_of_its_metrics() -> None:
    made = report(Suite(a=f1("xs"), b=precision("xs"), c=average("a", "b")))
    assert made["c"].value == pytest.approx((4 / 8 + 2 / 3) / 2, abs=1e-12)
    assert made["c"].f1 == 4 / 8
    assert made["c"].per_document == pytest.approx([(4 / 6 + 1) / 2, 0.0, 1.0], abs=1e-12)
    assert made["c"].macro == pytest.approx(((4 / 6 + 1) / 2 + 1) / 3, abs=1e-12)


def test_a_product_is_that_of_the_values_of_its_metrics() -> None:
    assert report(Suite(a=f1("xs"), b=precision("xs"), c=product("a", "b")))["c"].value == 4 / 8 * (2 / 3)


def test_a_derived_value_has_no_counts() -> None:
    with pytest.raises(ExpressionError, match='average\\("a"\\) has no counts of its own'):
        report(Suite(a=f1("xs"), c=average("a")))["c"].counts  # noqa: B018


def test_an_unknown_metric_is_an_error_that_suggests_one() -> None:
    with pytest.raises(ExpressionError, match="no metric 'scor' in the report; did you mean 'score'"):
        report(f1("xs"))["scor"]


def test_the_table_has_the_scores_the_counts_and_the_signature() -> None:
    made = report(Suite(f=f1("xs"), both=average("f")))
    assert str(made) == (
        "metric  precision  recall      f1  matched  predicted  reference\n"
        "f          0.6667  0.4000  0.5000        2          3          5\n"
        "both                       0.5000\n"
        "\n"
        "3 documents\n"
        f"{made.signature}"
    )


def test_the_table_has_a_column_of_values_where_one_is_not_f1() -> None:
    rows = str(report(Suite(j=jaccard("xs"), m=mean(f1("xs")), s=overlap("xs", eq() + 0.5 * eq())))).splitlines()
    assert rows[:4] == [
        "metric  precision  recall      f1   value  matched  predicted  reference",
        "j          0.6667  0.4000  0.5000  0.3333        2          3          5",
        "m                                  0.5556",
        "s          0.6667  0.4000  0.5000  3.0000        3     4.5000     7.5000",
    ]


def test_the_dictionary_is_unrounded() -> None:
    made = report(Suite(f=f1("xs"), m=mean(f1("xs")), both=average("f")))
    assert made.to_dict() == {
        "documents": 3,
        "signature": made.signature,
        "metrics": {
            "f": {
                "precision": 2 / 3,
                "recall": 0.4,
                "f1": 0.5,
                "value": 0.5,
                "counts": {"matched": 2, "predicted": 3, "reference": 5},
                "macro": made["f"].macro,
                "macro_precision": made["f"].macro_precision,
                "macro_recall": made["f"].macro_recall,
            },
            "m": {"value": made["m"].value, "macro": made["m"].value},
            "both": {"value": 0.5, "macro": made["f"].macro},
        },
    }


def test_json_is_the_dictionary() -> None:
    made = report(Suite(f=f1("xs"), both=average("f")))
    assert json.loads(made.to_json()) == made.to_dict()


def test_columns_have_one_row_per_document() -> None:
    suite = Suite(f=f1("xs"), m=mean(precision("xs")), both=average("f"))
    assert report(suite, ids=["a", "b", "c"]).columns() == {
        "document": ["a", "b", "c"],
        "f": [4 / 6, 0.0, 1.0],
        "f.precision": [1.0, 0.0, 1.0],
        "f.recall": [0.5, 0.0, 1.0],
        "f.matched": [2.0, 0.0, 0.0],
        "f.predicted": [2.0, 1.0, 0.0],
        "f.reference": [4.0, 1.0, 0.0],
        "m": [1.0, 0.0, 1.0],
        "both": [4 / 6, 0.0, 1.0],
    }


def test_the_worst_documents_come_lowest_first() -> None:
    assert report(f1("xs")).worst(2) == [(1, 0.0), (0, 4 / 6)]


def test_the_worst_documents_are_those_of_the_first_derived_value() -> None:
    suite = Suite(p=precision("xs"), r=recall("xs"), both=average("r"))
    assert report(suite, ids=["a", "b", "c"]).worst(2) == [("b", 0.0), ("a", 0.5)]
    assert report(suite, ids=["a", "b", "c"]).worst(2, "p") == [("b", 0.0), ("a", 1.0)]


def test_a_corpus_without_documents_has_the_values_of_nothing() -> None:
    from matchwise.corpus.tally import Tally

    made = Tally(Suite(f=f1("xs", empty=0), m=mean(f1("xs")), both=average("f"))).report()
    assert [(made[name].value, made[name].macro) for name in made] == [(0.0, 0.0), (1.0, 1.0), (0.0, 0.0)]


INVOICES = (
    [{"number": 1, "lines": [{"what": "pen", "price": 2}, {"what": "ink", "price": 9}]}],
    [{"number": 1, "lines": [{"what": "pen", "price": 3}]}],
)
INVOICE = normalize(3 * eq("number") + overlap("lines", eq("what") + 0.5 * eq("price")), "f1")


def test_the_fields_of_a_sum_are_right_wrong_missing_or_invented() -> None:
    made = evaluate(INVOICE, *INVOICES, fields=True)
    rows = [
        (row.path, row.weight, row.right, row.wrong, row.missed, row.spurious, row.predicted, row.reference)
        for row in made.fields()
    ]
    assert rows == [
        ("number", 3, 1, 0, 0, 0, 1, 1),
        ("lines[].what", 1, 1, 0, 0, 1, 2, 1),
        ("lines[].price", 0.5, 0, 1, 0, 1, 2, 1),
    ]


def test_the_weighted_fields_add_up_to_what_was_matched() -> None:
    made = evaluate(INVOICE, INVOICES[0] * 3, INVOICES[1] * 3, fields=True)
    assert sum(row.weight * row.right for row in made.fields()) == made["score"].counts.matched == 12


def test_a_field_has_precision_recall_and_f1() -> None:
    [_, what, _] = evaluate(INVOICE, *INVOICES, fields=True).fields()
    assert (what.precision, what.recall, what.f1) == (0.5, 1.0, 2 / 3)


def test_the_table_of_fields_is_printed_below() -> None:
    block = str(evaluate(INVOICE, *INVOICES, fields=True)).split("\n\n")[1]
    assert block.splitlines() == [
        "fields",
        "field          precision  recall      f1  right  wrong  missed  spurious",
        "number            1.0000  1.0000  1.0000      1      0       0         0",
        "lines[].what      0.5000  1.0000  0.6667      1      0       0         1",
        "lines[].price     0.0000  0.0000  0.0000      0      1       0         1",
        "(metric of every row: score)",
        "(no room for weight, predicted, reference; to_pandas() has all columns)",
    ]


def test_a_report_without_fields_says_how_to_ask_for_them() -> None:
    with pytest.raises(ExpressionError, match="fields=True"):
        report(f1("xs")).fields()


def test_fields_of_metrics_without_counts_are_an_error() -> None:
    with pytest.raises(ExpressionError, match="has a table of fields; write a sum of parts"):
        report(mean(f1("xs")), fields=True)


TYPED = (
    [{"xs": [{"type": "A", "id": 1}, {"type": "A", "id": 2}]}, {"xs": [{"type": "B", "id": 3}]}],
    [{"xs": [{"type": "A", "id": 1}]}, {"xs": [{"type": "B", "id": 3}, {"type": "C", "id": 4}]}],
)


def test_a_breakdown_counts_by_the_label_of_the_elements() -> None:
    made = evaluate(f1("xs", eq("type") * eq("id")), *TYPED, by="type")
    assert {label: parts["score"].counts for label, parts in made.by.items()} == {
        "A": Counts(1, 2, 1),
        "B": Counts(1, 1, 1),
        "C": Counts(0, 0, 1),
    }
    assert (made.by["A"]["score"].f1, made.by["C"]["score"].recall) == (2 / 3, 0.0)


def test_a_pair_of_different_labels_is_matched_under_one_and_recalled_under_the_other() -> None:
    made = evaluate(
        f1("xs", eq("id")), [{"xs": [{"type": "A", "id": 1}]}], [{"xs": [{"type": "B", "id": 1}]}], by="type"
    )
    assert made.by["A"]["score"].counts == Counts(1, 1, 0, recalled=0)
    assert made.by["B"]["score"].counts == Counts(0, 0, 1, recalled=1)


def test_the_breakdown_is_printed_and_exported() -> None:
    made = evaluate(f1("xs", eq("type") * eq("id")), *TYPED, by="type")
    assert str(made).split("\n\n")[1].splitlines() == [
        "labels",
        "type        metric  precision  recall      f1  matched  predicted  reference",
        "A           score      0.5000  1.0000  0.6667        1          2          1",
        "B           score      1.0000  1.0000  1.0000        1          1          1",
        "C           score      1.0000  0.0000  0.0000        0          0          1",
        "(micro)     score      0.6667  0.6667  0.6667        2          3          3",
        "(macro)     score      0.8333  0.6667  0.5556",
        "(weighted)  score      0.8333  0.6667  0.5556",
    ]
    assert made.to_dict()["by"][2]["label"] == "C"
    assert made.to_dict()["by"][2]["metrics"]["score"]["counts"] == {"matched": 0, "predicted": 0, "reference": 1}


def test_a_report_without_breakdown_says_how_to_ask_for_it() -> None:
    with pytest.raises(ExpressionError, match='by="type"'):
        report(f1("xs")).by  # noqa: B018


def test_a_breakdown_of_something_else_than_a_collection_is_an_error() -> None:
    with pytest.raises(ExpressionError, match=r"cannot break b=.* down by type: it does not compare one collection"):
        report(Suite(a=f1("xs"), b=mean(f1("xs"))), by="type")
    one_side = harmonic(precision("xs"), normalize(eq("a") + eq("b"), "recall"))
    with pytest.raises(ExpressionError, match=r"cannot break b=.* down by type: it does not compare one collection"):
        report(Suite(a=f1("xs"), b=one_side), by="type")


def test_the_mean_over_no_fields_is_0() -> None:
    report = mw.evaluate(f1("xs", eq("a") + eq("b")), [{"xs": []}], [{"xs": []}], fields=True)
    assert report.over_fields("score") == 0.0
    assert report.means_over_fields("score") == {"precision": 0.0, "recall": 0.0, "f1": 0.0}


def test_an_optimum_that_is_proved_has_bounds_as_data_and_others_have_none() -> None:
    suite = mw.Suite(searched=latent(f1("xs", var())), plain=f1("xs"))
    made = mw.evaluate(suite, [{"xs": [1, 2]}], [{"xs": [3]}]).to_dict()["metrics"]
    assert made["searched"]["bounds"] == {"lower": 2 / 3, "upper": 2 / 3, "proved": True}
    assert "bounds" not in made["plain"]


@pytest.mark.parametrize(("wrong", "more"), [(5, None), (6, "  and 1 more"), (8, "  and 3 more")])
def test_five_errors_are_printed_and_the_others_counted(wrong: int, more: str | None) -> None:
    preds = [{"xs": [1]}] + [{"xs": 3}] * wrong
    said = str(mw.evaluate(f1("xs"), preds, [{"xs": [1]}] * len(preds), on_error="skip")).splitlines()
    assert sum("found int 3" in line for line in said) == 5
    assert next((line for line in said if line.startswith("  and")), None) == more


def test_a_field_that_only_the_prediction_has_is_in_the_mean_over_fields() -> None:
    phi = normalize(eq("a") + eq("b"), "f1")
    assert mw.evaluate(phi, [{"a": 1, "b": 2}], [{"a": 1, "b": None}], fields=True).over_fields("score") == 0.5


EMPTY, ONE = {"xs": []}, {"xs": [1]}


@pytest.mark.parametrize(
    "suite",
    [
        Suite(f=f1("xs", empty=0)),
        Suite(f=f1("xs", empty=0), g=f1("xs", empty=0), mean=average("f", "g")),
        Suite(h=harmonic(precision("xs", empty=0), recall("xs", empty=0))),
        Suite(total=overlap("xs")),
    ],
    ids=["f1", "derived", "harmonic", "total"],
)
def test_a_document_with_nothing_on_either_side_is_right_whatever_0_by_0_is(suite) -> None:
    found = evaluate(suite, [EMPTY, ONE, ONE], [EMPTY, EMPTY, ONE], ids=["nothing", "spurious", "right"])
    assert found.worst() == [("spurious", 0.0)]
    assert evaluate(suite, [EMPTY, ONE], [EMPTY, ONE]).worst() == []


def test_the_histogram_draws_an_empty_document_among_the_right_ones() -> None:
    found = evaluate(f1("xs", empty=0), [EMPTY, ONE], [EMPTY, ONE])
    assert found["score"].per_document == [0.0, 1.0]
    assert found["score"].spread == [1.0, 1.0]
    assert "2 from 0.95" in found.chart()


@pytest.mark.parametrize(
    ("pred", "ref", "found"),
    [
        ("a", "ba", {"a": (1, 1, 1), "b": (0, 0, 1)}),
        ("b", "ba", {"a": (0, 0, 1, 1), "b": (1, 1, 1, 0)}),
        ("ba", "a", {"a": (1, 1, 1), "b": (0, 1, 0)}),
        ("ba", "cba", {"a": (1, 1, 1), "b": (1, 1, 1), "c": (0, 0, 1)}),
    ],
)
def test_of_elements_with_one_key_the_first_by_content_meet(pred: str, ref: str, found: dict[str, Any]) -> None:
    mine, theirs = ({"xs": [{"key": 1, "label": label} for label in side]} for side in (pred, ref))
    for phi in (f1("xs", eq("key")), f1("xs", eq("key"), match="1:1")):
        report = evaluate(Suite(f=phi), [mine], [theirs], by="label")
        rows = {row["label"]: tuple(row["metrics"]["f"]["counts"].values()) for row in report.to_dict()["by"]}
        assert rows == found


def test_truth_values_are_labels_by_their_names() -> None:
    document = {"xs": [{"done": True, "n": 1}, {"done": False, "n": 2}, {"done": 1, "n": 3}]}
    tally = mw.Tally(mw.f1("xs"), by="done").add(document, document)
    assert list(tally.report().by) == [1, "False", "True"]
    assert [row["label"] for row in json.loads(json.dumps(tally.report().to_dict()))["by"]] == [1, "False", "True"]
    assert list(mw.Tally.from_bytes(tally.to_bytes(), mw.f1("xs")).report().by) == [1, "False", "True"]

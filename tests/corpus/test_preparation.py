"""Suites that prepare documents before they score them, have a title, and averages over what there is to count."""

import pytest

from matchwise import DataError, ExpressionError, average, evaluate, f1, precision, replace
from matchwise.algebra.build import eq
from matchwise.corpus.preparation import read_sides
from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import Tally
from matchwise.tasks import events, ner, relations, sdp, srl


def swapped(pred: object, ref: object) -> tuple[object, object]:
    return ref, pred


def test_documents_are_prepared_before_they_are_counted() -> None:
    counts = Tally(Suite(x=f1("xs"), prepare=swapped)).add({"xs": [1]}, {"xs": [1, 2]}).report()["x"].counts
    assert (counts.predicted, counts.reference) == (2, 1)


def test_fields_and_labels_are_counted_of_what_was_prepared() -> None:
    pred, ref = {"xs": [{"t": "a"}]}, {"xs": [{"t": "a"}, {"t": "b"}]}
    report = evaluate(Suite(x=f1("xs", eq("t")), prepare=swapped), [pred], [ref], by="t")
    assert report.by["b"]["x"].counts.predicted == 1


def test_the_preparation_is_part_of_the_signature_and_of_the_text() -> None:
    suite = Suite(x=f1("xs"), prepare=swapped)
    assert suite.signature.startswith('x=f1("xs"); prepare=swapped|matchwise:')
    assert repr(suite) == 'Suite({"x": f1("xs")}, prepare=swapped)'


def test_suites_with_different_preparations_differ() -> None:
    assert Suite(x=f1("xs"), prepare=swapped) != Suite(x=f1("xs"))


def test_a_title_stands_for_the_expressions_in_the_signature() -> None:
    suite = Suite(x=f1("xs"), title="coref:conll12")
    title, _, digest = suite.signature.split("|")
    assert (title, digest) == ("coref:conll12", Suite(x=f1("xs")).signature.rsplit("|")[-1])


def test_a_replaced_suite_keeps_its_preparation_and_loses_its_title() -> None:
    changed = replace(Suite(x=f1("xs", eq("a")), prepare=swapped, title="t"), {eq("a"): eq("b")})
    assert changed == Suite(x=f1("xs", eq("b")), prepare=swapped)


def test_an_average_may_be_over_what_the_reference_has() -> None:
    suite = Suite(x=precision("xs", empty=0), y=precision("ys", empty=0), mean=average("x", "y", where="reference"))
    report = Tally(suite).add({"xs": [1, 2], "ys": [3]}, {"xs": [1], "ys": []}).report()
    assert (report["mean"].value, report["mean"].per_document) == (0.5, [0.5])


def test_an_average_may_be_over_what_either_side_has() -> None:
    suite = Suite(x=precision("xs", empty=0), y=precision("ys", empty=0), mean=average("x", "y", where="either"))
    report = Tally(suite).add({"xs": [1, 2], "ys": [3]}, {"xs": [1], "ys": []}).report()
    assert report["mean"].value == 0.25


def test_an_average_over_nothing_is_0() -> None:
    suite = Suite(x=f1("xs"), mean=average("x", where="reference"))
    assert Tally(suite).add({"xs": []}, {"xs": []}).report()["mean"].value == 0


def test_an_unknown_kind_of_average_is_refused() -> None:
    with pytest.raises(ExpressionError, match="where='both' is unknown"):
        average("x", where="both")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "suite",
    [
        ner.suite("nervaluate"), relations.suite("docred"), events.suite(triggers="gold"), srl.suite(),
        srl.suite("conll09"), sdp.suite(),
    ],
    ids=lambda suite: suite.title.split("|")[0],
)  # fmt: skip
def test_a_step_that_cannot_read_a_document_names_its_side(suite: Suite) -> None:
    with pytest.raises(DataError, match="document 0 reference: expected"):
        evaluate(suite, [[]], [7])


def test_a_value_of_another_shape_is_an_error_of_its_side() -> None:
    with pytest.raises(DataError, match="reference: found a value of another shape than expected"):
        read_sides(len, [], 7)  # type: ignore[arg-type]

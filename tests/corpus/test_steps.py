"""Metrics that begin with a step, suites that have a title, and averages over what there is to count."""

import re

import pytest

import matchwise as mw
from matchwise import DataError, ExpressionError, average, evaluate, f1, precision, replace, score
from matchwise.algebra.build import eq
from matchwise.algebra.steps import Step, StepKind, read_sides, step
from matchwise.corpus.suite import Suite, after
from matchwise.corpus.tally import Tally
from matchwise.tasks import events, ner, relations, sdp, srl


@step
def swapped(pred: object, ref: object) -> tuple[object, object]:
    return ref, pred


def test_a_step_is_done_before_documents_are_counted() -> None:
    counts = Tally(Suite(x=swapped() | f1("xs"))).add({"xs": [1]}, {"xs": [1, 2]}).report()["x"].counts
    assert (counts.predicted, counts.reference) == (2, 1)


def test_a_step_that_is_called_with_documents_says_how_it_is_written() -> None:
    message = 'swapped() takes options by name (none); write swapped() | f1("items") to compare after it'
    with pytest.raises(ExpressionError, match=re.escape(message)):
        swapped({"xs": [1]}, {"xs": [1, 2]})


def test_fields_and_labels_are_counted_of_what_comes_of_the_step() -> None:
    pred, ref = {"xs": [{"t": "a"}]}, {"xs": [{"t": "a"}, {"t": "b"}]}
    report = evaluate(Suite(x=swapped() | f1("xs", eq("t"))), [pred], [ref], by="t")
    assert report.by["b"]["x"].counts.predicted == 1


def test_the_step_is_part_of_the_signature_and_of_the_text() -> None:
    suite = Suite(x=swapped() | f1("xs"))
    assert suite.signature.startswith('x=swapped() | f1("xs")|matchwise:')
    assert repr(suite) == 'Suite(x=swapped() | f1("xs"))'


def test_suites_with_different_steps_differ() -> None:
    assert Suite(x=swapped() | f1("xs")) != Suite(x=f1("xs"))


def first(number: int) -> StepKind:
    """A factory: all its steps have one name."""

    @step
    def beginning(pred: list[str], ref: list[str]) -> tuple[object, object]:
        return pred[:number], ref[:number]

    return beginning


def test_two_steps_of_one_factory_are_two_steps() -> None:
    one, two = first(1)() | f1(), first(2)() | f1()
    assert repr(one) == repr(two) == "beginning() | f1()"
    assert (one == two, one.step == two.step, len({one, two})) == (False, False, 2)
    pred, ref = ["a", "b"], ["a", "c"]
    assert [score(phi, pred, ref) for phi in (one, two, one)] == [1, 0.5, 1]
    report = evaluate(Suite(one=one, two=two), [pred] * 3, [ref] * 3)
    assert (report["one"].f1, report["two"].f1) == (1, 0.5)


def test_a_step_that_is_defined_again_is_another_step() -> None:
    @step
    def some(pred: list[str], ref: list[str]) -> tuple[object, object]:
        return pred[:1], ref[:1]

    before = some() | f1()
    assert score(before, ["a", "b"], ["a", "c"]) == 1

    @step
    def some(pred: list[str], ref: list[str]) -> tuple[object, object]:
        return pred[1:], ref[1:]

    after = some() | f1()
    assert before != after
    assert [score(phi, ["a", "b"], ["a", "c"]) for phi in (after, before)] == [0, 1]
    assert some() | f1() == after


def test_steps_of_one_name_with_other_functions_are_two_steps() -> None:
    same, none = (Step("side", function=function) for function in (lambda p, r: (p, r), lambda p, r: ([], r)))
    alike = Step("side", batch=lambda ps, rs: (ps, rs))
    assert len({same | f1(), none | f1(), alike | f1()}) == 3
    assert [score(one | f1(), ["a"], ["a"]) for one in (same, none, alike)] == [1.0, 0.0, 1.0]


def test_metrics_that_share_a_step_run_it_once_for_a_batch() -> None:
    seen: list[int] = []

    @step
    def watched(pred: dict[str, list[int]], ref: dict[str, list[int]]) -> tuple[object, object]:
        seen.append(pred["xs"][0])
        return pred, ref

    suite = Suite(x=watched() | f1("xs"), y=watched() | f1("xs", match="N:1"), z=f1("xs"))
    evaluate(suite, [{"xs": [1]}, {"xs": [2]}], [{"xs": [1]}, {"xs": [3]}])
    assert seen == [1, 2]


def test_metrics_of_different_steps_are_counted_side_by_side() -> None:
    suite = Suite(x=f1("xs"), y=swapped() | f1("xs"), z=f1("xs", eq("t")))
    pred, ref = {"xs": [{"t": "a"}]}, {"xs": [{"t": "a"}, {"t": "b"}]}
    report = evaluate(suite, [pred], [ref], by="t")
    assert [(row.counts.predicted, row.counts.reference) for row in map(report.__getitem__, "xyz")] == [
        (1, 2), (2, 1), (1, 2),
    ]  # fmt: skip
    assert report.by["b"]["y"].counts.predicted == 1


def test_a_title_stands_for_the_expressions_in_the_signature() -> None:
    suite = Suite(x=f1("xs"), title="coref:conll12")
    title, _, digest = suite.signature.split("|")
    assert (title, digest) == ("coref:conll12", Suite(x=f1("xs")).signature.rsplit("|")[-1])


def test_a_replaced_suite_keeps_its_step_and_loses_its_title() -> None:
    changed = replace(Suite(x=swapped() | f1("xs", eq("a")), title="t"), {eq("a"): eq("b")})
    assert changed == Suite(x=swapped() | f1("xs", eq("b")))


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
    with pytest.raises(DataError, match="reference: the value does not have the shape that the step expects"):
        read_sides(len, [], 7)  # type: ignore[arg-type]


@step
def shout(pred: object, ref: object) -> tuple[object, object]:
    return tuple({"xs": [text.upper() for text in side["xs"]]} for side in (pred, ref))  # type: ignore[index]


def test_a_step_stands_before_every_metric_but_not_before_what_is_derived() -> None:
    entries = {"a": f1("xs"), "b": f1("ys"), "both": mw.average("a", "b")}
    assert after(None, entries) == entries
    assert after(shout(), entries) == {"a": shout() | f1("xs"), "b": shout() | f1("ys"), "both": entries["both"]}

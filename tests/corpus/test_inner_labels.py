"""Tables by a label that is not an element's own but of what it holds: `args[].role`."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import matchwise as mw
from matchwise import latent, var
from matchwise.algebra.build import eq, f1, harmonic, jaccard, overlap, precision, recall
from matchwise.corpus.counts import Counts
from matchwise.corpus.suite import Suite, replace
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.runner import evaluate

EVENTS = f1("events", eq("trig") * overlap("args", eq("span") * eq("role")))


def event(trig: Any, *args: tuple[int, str], **more: Any) -> dict[str, Any]:
    return {"trig": trig, "args": [{"span": span, "role": role} for span, role in args], **more}


def by_label(phi: Any, pred: Any, ref: Any, by: str = "args[].role") -> dict[Any, Counts]:
    report = evaluate(phi, [pred], [ref], by=by)
    return {label: part["score"].counts for label, part in report.by.items()}


def test_arguments_of_matched_events_are_counted_by_their_role() -> None:
    pred = {"events": [event(3, (0, "Agent"), (5, "Place")), event(8, (0, "Agent"))]}
    ref = {"events": [event(3, (0, "Agent"), (5, "Target")), event(9, (0, "Agent"))]}
    assert by_label(EVENTS, pred, ref) == {
        "Agent": Counts(matched=1, predicted=2, reference=2),
        "Place": Counts(matched=0, predicted=1, reference=0),
        "Target": Counts(matched=0, predicted=0, reference=1),
    }


def test_a_pair_of_two_roles_is_matched_for_one_and_recalled_for_the_other() -> None:
    phi = f1("events", eq("trig") * overlap("args", eq("span")))
    assert by_label(phi, {"events": [event(3, (5, "Place"))]}, {"events": [event(3, (5, "Target"))]}) == {
        "Place": Counts(matched=1, predicted=1, reference=0, recalled=0),
        "Target": Counts(matched=0, predicted=0, reference=1, recalled=1),
    }


def test_arguments_are_those_of_the_matching_of_events() -> None:
    # of two events of one trigger, each is matched with the one that shares more
    one, other = event(3, (0, "A"), (1, "A")), event(3, (2, "B"))
    assert by_label(EVENTS, {"events": [other, one]}, {"events": [one, other]}) == {
        "A": Counts(matched=2, predicted=2, reference=2),
        "B": Counts(matched=1, predicted=1, reference=1),
    }
    assert by_label(EVENTS, {"events": [event(3, (0, "A"), (2, "B"))]}, {"events": [one, other]}) == {
        "A": Counts(matched=1, predicted=1, reference=2),
        "B": Counts(matched=0, predicted=1, reference=1),
    }


def test_what_an_event_is_worth_its_arguments_are_worth() -> None:
    phi = f1("events", jaccard("kinds") * overlap("args", eq("span") * eq("role")))
    pred, ref = event(3, (0, "A"), (1, "B"), kinds=[1, 2]), event(3, (0, "A"), (1, "B"), kinds=[1])
    half = Counts(matched=0.5, predicted=1, reference=1)
    assert by_label(phi, {"events": [pred]}, {"events": [ref]}) == {"A": half, "B": half}


def test_a_label_may_be_several_collections_deep() -> None:
    phi = f1("groups", eq("of") * overlap("events", eq("trig") * overlap("args", eq("span"))))
    pred = {"groups": [{"of": "x", "events": [event(3, (0, "A"), (1, "B")), event(4, (0, "A"))]}]}
    ref = {"groups": [{"of": "x", "events": [event(3, (0, "A"))]}, {"of": "y", "events": [event(4, (0, "B"))]}]}
    assert by_label(phi, pred, ref, by="events[].args[].role") == {
        "A": Counts(matched=1, predicted=2, reference=1),
        "B": Counts(matched=0, predicted=1, reference=1),
    }


def test_two_sums_have_the_numerators_of_their_sides() -> None:
    of = {match: eq("trig") * overlap("args", eq("span"), match=match) for match in ("N:1", "1:N")}
    phi = harmonic(precision("events", of["N:1"]), recall("events", of["1:N"]))
    pred, ref = {"events": [event(3, (0, "A"), (0, "A"))]}, {"events": [event(3, (0, "A"), (1, "B"))]}
    assert by_label(phi, pred, ref) == {
        "A": Counts(matched=2, predicted=2, reference=1, recalled=1),
        "B": Counts(matched=0, predicted=0, reference=1),
    }


def test_both_sums_must_add_up_what_has_the_label() -> None:
    phi = harmonic(precision("events", eq("trig") * overlap("args", eq("span"))), recall("events", eq("trig")))
    with pytest.raises(ExpressionError, match=r"cannot break down by args\[\]\.role"):
        Tally(phi, by="args[].role")


def test_two_sums_have_the_self_scores_of_their_sides() -> None:
    phi = harmonic(precision("args", eq("span")), recall("args", eq("span"), match="N:N"))  # 2 · 2 pairs of equal spans
    assert by_label(phi, event(3, (0, "A"), (1, "B")), event(3, (0, "A"), (0, "A"), (1, "B")), by="role") == {
        "A": Counts(matched=1, predicted=1, reference=4, recalled=2),
        "B": Counts(matched=1, predicted=1, reference=1),
    }


arguments = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("AB")), max_size=4)
sides = st.dictionaries(st.integers(0, 2), arguments, max_size=3).map(
    lambda found: {"events": [event(trig, *args) for trig, args in found.items()]}
)
repeating = st.lists(st.tuples(st.integers(0, 1), arguments), max_size=4).map(
    lambda found: {"events": [event(trig, *args) for trig, args in found]}
)


def flat(document: Any) -> list[Any]:
    return [{"trig": one["trig"], **arg} for one in document["events"] for arg in one["args"]]


@settings(max_examples=100)
@given(sides, sides)
def test_where_no_trigger_is_there_twice_the_table_is_that_of_the_arguments_by_themselves(pred: Any, ref: Any) -> None:
    plain = f1(flat, eq("trig") * eq("span") * eq("role"))
    assert by_label(EVENTS, pred, ref) == by_label(plain, pred, ref, by="role")


@settings(max_examples=100)
@given(st.lists(st.tuples(repeating, repeating), min_size=1, max_size=4))
def test_the_rows_add_up_to_the_whole(corpus: list[tuple[Any, Any]]) -> None:
    phi = f1("events", eq("trig") * overlap("args", eq("span")))
    report = evaluate(phi, *zip(*corpus, strict=True), by="args[].role")
    counts = [part["score"].counts for part in report.by.values()]
    whole = report["score"].counts
    assert sum(one.matched for one in counts) == sum(one.found for one in counts) == whole.matched
    assert (sum(one.predicted for one in counts), sum(one.reference for one in counts)) == (
        whole.predicted,
        whole.reference,
    )


def test_a_suite_may_have_a_short_name_for_the_label() -> None:
    suite = Suite({"arg": EVENTS, "trig": f1("events", eq("trig"))}, by={"role": "args[].role"})
    document = {"events": [event(3, (0, "Agent"))]}
    report = evaluate(suite, [document], [document], by="role")
    assert {label: list(part) for label, part in report.by.items()} == {"Agent": ["arg"]}
    assert replace(suite, {eq("span"): jaccard("span")}).by == (("role", "args[].role"),)


def test_the_short_name_is_kept_in_other_processes_and_in_sums() -> None:
    suite = Suite({"score": EVENTS}, by={"role": "args[].role"})
    document = {"events": [event(3, (0, "Agent"))]}
    for options in ({"jobs": 2}, {"keep": "sums"}):
        report = evaluate(suite, [document] * 4, [document] * 4, by="role", **options)  # type: ignore[arg-type]
        assert report.by["Agent"]["score"].counts == Counts(4, 4, 4)


@pytest.mark.parametrize(
    "phi",
    [
        f1("events", eq("trig")),
        f1("events", overlap("other")),
        f1("events", overlap("args") * overlap("args", eq("role"))),
        f1("events", f1("args")),
    ],
)
def test_a_metric_without_the_sum_has_no_such_table(phi: Any) -> None:
    with pytest.raises(
        ExpressionError, match=r"cannot break down by args\[\]\.role: no metric of the suite multiplies"
    ):
        Tally(phi, by="args[].role")


def test_a_metric_whose_elements_lack_the_label_is_named() -> None:
    suite = Suite(args=f1("args", eq("span")), spans=f1("spans"))
    document = {"args": [{"span": 1, "role": "A"}], "spans": [7]}
    message = (
        r"spans\[0\]: spans cannot be broken down by role; leave it out \(--only args\): "
        r"int has no 'role'"
    )
    with pytest.raises(DataError, match=message):
        evaluate(suite, [document], [document], by="role")


def test_a_suite_may_say_which_metrics_have_a_label() -> None:
    suite = Suite({"args": f1("args", eq("span")), "spans": f1("spans")}, by={"role": ("args",)})
    document = {"args": [{"span": 1, "role": "A"}], "spans": [7]}
    found = evaluate(suite, [document], [document], by="role").by
    assert {label: list(parts) for label, parts in found.items()} == {"A": ["args"]}
    assert replace(suite, {eq("span"): jaccard("span")}).by == (("role", ("args",)),)


@pytest.mark.parametrize("details", [{"by": "rel"}, {"fields": True}])
def test_variables_are_matched_document_by_document_in_tables_too(details) -> None:
    phi = latent(f1("props", eq("rel") * var("subj") + eq("rel")))
    docs = [
        {"props": [{"rel": rel, "subj": subj} for rel, subj in pairs]}
        for pairs in (["ax", "by", "bx"], ["ay", "az"], ["bz", "ax", "ay"])
    ]
    turned = [*docs[1:], docs[0]]
    together = mw.evaluate(phi, docs, turned, **details).table()
    one_by_one = Tally(phi, **details)
    for pred, ref in zip(docs, turned, strict=True):
        one_by_one += Tally(phi, **details).add(pred, ref)
    assert together == one_by_one.table()


def test_both_sides_of_a_metric_need_a_collection_to_be_broken_down() -> None:
    phi = mw.harmonic(mw.precision("xs", eq("type")), mw.normalize(eq("a") + eq("b"), "recall"))
    with pytest.raises(ExpressionError, match="it does not compare one collection"):
        Tally(phi, by="type")

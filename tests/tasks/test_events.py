"""Events: the paper's definition, the field's, the minimal disagreements, modes of triggers, heads and entities."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from matchwise.corpus.categories import Categories
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.runner import evaluate
from matchwise.tasks import events
from matchwise.tasks.events import Argument, Event, EventSet, Trigger
from matchwise.tasks.events.structures import read
from matchwise.tasks.ner import Extraction, Mention

WITH_ARGUMENTS = [preset for preset in events.TASK.presets if preset != "evmeval"]


def event(kind: str, trigger: int, *args: tuple[int, int, str]) -> dict[str, Any]:
    return {"type": kind, "trigger": [trigger, trigger + 1], "args": list(args)}


def f1(pred: object, ref: object, preset: str = "paper", **options: Any) -> dict[str, float]:
    report = evaluate(events.suite(preset, **options), [pred], [ref])  # type: ignore[arg-type]
    return {name: report[name].f1 for name in report}


ATTACK = event("Attack", 3, (0, 1, "Agent"), (5, 6, "Target"))


def test_the_paper_asks_for_the_trigger() -> None:
    wrong_role = event("Attack", 3, (0, 1, "Target"), (5, 6, "Target"))
    assert f1([wrong_role], [ATTACK]) == {"trig_i": 1.0, "trig_c": 1.0, "arg_i": 1.0, "arg_c": 0.5}
    wrong_type = event("Die", 3, (0, 1, "Agent"), (5, 6, "Target"))
    assert f1([wrong_type], [ATTACK]) == {"trig_i": 1.0, "trig_c": 0.0, "arg_i": 0.0, "arg_c": 0.0}


@pytest.mark.parametrize(("preset", "expected"), [("paper", 0.0), ("oneie", 1.0), ("dygie", 1.0), ("text2event", 1.0)])
def test_316_an_argument_whose_trigger_is_one_token_off(preset: str, expected: float) -> None:
    assert f1([event("Attack", 4, (0, 1, "Agent"))], [event("Attack", 3, (0, 1, "Agent"))], preset)["arg_c"] == expected


@pytest.mark.parametrize(
    ("preset", "expected"), [("paper", 2 / 3), ("oneie", 1.0), ("dygie", 4 / 3), ("text2event", 2 / 3)]
)
def test_317_an_event_that_is_predicted_twice(preset: str, expected: float) -> None:
    pred = [event("Attack", 3, (0, 1, "Agent")), event("Attack", 8, (0, 1, "Agent"))]
    assert f1(pred, [event("Attack", 3, (0, 1, "Agent"))], preset)["arg_c"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("preset", "expected"), [("paper", 2 / 3), ("oneie", 2 / 3), ("dygie", 1.0), ("text2event", 2 / 3)]
)
def test_318_an_argument_with_two_roles_of_which_one_is_predicted(preset: str, expected: float) -> None:
    ref = [event("Attack", 3, (0, 1, "Victim"), (0, 1, "Agent"))]
    assert f1([event("Attack", 3, (0, 1, "Agent"))], ref, preset)["arg_c"] == pytest.approx(expected, abs=1e-12)


def test_dygie_knows_one_type_of_a_trigger_and_one_role_of_its_words_the_last() -> None:
    ref = [event("Attack", 3, (0, 1, "Agent")), event("Die", 3, (0, 1, "Victim"))]
    counts = evaluate(events.suite("dygie"), [ref[1:]], [ref])
    assert [counts[name].counts.reference for name in ("trig_c", "arg_c")] == [1, 1]
    assert f1(ref[1:], ref, "dygie") == {"trig_i": 1.0, "trig_c": 1.0, "arg_i": 1.0, "arg_c": 1.0}
    assert f1(ref[:1], ref, "dygie") == {"trig_i": 1.0, "trig_c": 0.0, "arg_i": 0.0, "arg_c": 0.0}


def test_319_three_coreferent_predictions_of_one_argument() -> None:
    ref = EventSet(
        (Event(Trigger(Mention((9, 10)), "Attack"), (Argument(Mention((0, 1)), "Agent", entity="e1"),)),),
        entities=(((2, 3), "e1"), ((4, 5), "e1")),
    )
    pred = [event("Attack", 9, (0, 1, "Agent"), (2, 3, "Agent"), (4, 5, "Agent"))]
    report = evaluate(events.suite("wikievents"), [pred], [ref])
    assert (report["arg_c_coref"].precision, report["arg_c_coref"].recall) == (1.0, 3.0)
    assert (report["arg_i_coref"].precision, report["arg_i_coref"].recall) == (1.0, 3.0)
    assert report["arg_c_coref"].f1 == 1.5
    assert report["arg_c"].f1 == 0.5
    assert evaluate(events.suite(mentions="entity"), [pred], [ref])["arg_c"].f1 == 0.5


def test_one_coreferent_prediction_is_right_by_entity_and_wrong_by_span() -> None:
    ref = EventSet(
        (Event(Trigger(Mention((9, 10)), "Attack"), (Argument(Mention((0, 1)), "Agent", entity="e1"),)),),
        entities=(((2, 3), "e1"),),
    )
    pred = [event("Attack", 9, (2, 3, "Agent"))]
    assert f1(pred, ref, mentions="entity")["arg_c"] == 1.0
    assert f1(pred, ref)["arg_c"] == 0.0


def test_arguments_may_be_compared_by_their_heads() -> None:
    ref = [{"type": "Die", "trigger": [9, 10], "args": [{"start": 0, "end": 3, "role": "Victim", "head": 2}]}]
    pred = [{"type": "Die", "trigger": [9, 10], "args": [{"start": 2, "end": 3, "role": "Victim", "head": 2}]}]
    assert f1(pred, ref, mentions="head")["arg_c"] == 1.0
    assert f1(pred, ref)["arg_c"] == 0.0


@pytest.mark.parametrize(
    ("mode", "counts"), [("strict", (1, 3, 3)), ("gold", (1, 2, 3)), ("default", (1, 3, 2)), ("loose", (1, 2, 2))]
)
def test_the_four_modes_choose_the_events_whose_arguments_count(mode: str, counts: tuple[int, int, int]) -> None:
    # the event at 3 is found, the one at 6 is missed, the one at 9 is invented
    ref = [event("Attack", 3, (0, 1, "Agent"), (1, 2, "Target")), event("Die", 6, (4, 5, "Victim"))]
    pred = [event("Attack", 3, (0, 1, "Agent"), (2, 3, "Target")), event("Die", 9, (4, 5, "Victim"))]
    found = evaluate(events.suite(triggers=mode), [pred], [ref])["arg_c"].counts  # type: ignore[arg-type]
    assert (found.matched, found.predicted, found.reference) == counts


def test_the_mode_stands_in_the_signature() -> None:
    assert events.suite(triggers="loose").signature.startswith(
        "events:paper|triggers:loose|mentions:exact|types:equal|"
    )


@pytest.mark.parametrize("by", ["type", "role"])
def test_every_preset_has_a_table_by_type_and_one_by_role(by: str) -> None:
    for preset in WITH_ARGUMENTS:
        report = evaluate(events.suite(preset), [[ATTACK]], [[ATTACK]], by=by)  # type: ignore[arg-type]
        assert {label for label, part in report.by.items() if part["arg_c"].counts.matched} == (
            {"Attack"} if by == "type" else {"Agent", "Target"}
        )


def test_the_papers_table_by_role_counts_arguments_of_right_triggers_only() -> None:
    ref = [event("Attack", 3, (0, 1, "Agent"), (5, 6, "Target")), event("Meet", 9, (0, 1, "Agent"))]
    pred = [event("Attack", 3, (0, 1, "Agent"), (5, 6, "Place")), event("Attack", 9, (0, 1, "Agent"))]
    report = evaluate(events.suite(), [pred], [ref], by="role")
    assert {label: part["arg_c"].counts.to_dict() for label, part in report.by.items()} == {
        "Agent": {"matched": 1, "predicted": 2, "reference": 2},
        "Place": {"matched": 0, "predicted": 1, "reference": 0},
        "Target": {"matched": 0, "predicted": 0, "reference": 1},
    }
    assert {name for part in report.by.values() for name in part} == {"arg_i", "arg_c"}


def test_rams_has_a_table_by_distance() -> None:
    ref = EventSet(
        (
            Event(
                Trigger(Mention((6, 7)), "x"), (Argument(Mention((1, 2)), "place"), Argument(Mention((8, 9)), "agent"))
            ),
        ),
        sentences=(0, 5, 10),
    )
    pred = [event("", 6, (1, 2, "place"), (12, 13, "agent"))]
    report = evaluate(events.suite("rams"), [pred], [ref], by="distance")
    assert {label: part["arg_c"].counts.to_dict() for label, part in report.by.items()} == {
        -1: {"matched": 1, "predicted": 1, "reference": 1},
        0: {"matched": 0, "predicted": 0, "reference": 1},
        1: {"matched": 0, "predicted": 1, "reference": 0},
    }


def test_an_event_without_arguments_earns_no_argument() -> None:
    counts = evaluate(events.suite(), [[event("Attack", 3)]], [[event("Attack", 3)]])["arg_c"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (0, 0, 0)


def test_types_may_agree_in_part() -> None:
    from matchwise.similarities.vocabulary import levels

    suite = events.suite(types=levels("type", separator="."))
    found = evaluate(suite, [[event("Conflict.Attack", 3)]], [[event("Conflict.Demonstrate", 3)]])
    assert 0 < found["trig_c"].f1 < 1


def test_the_categories_of_arguments_have_roles_as_labels() -> None:
    grading = events.gradings()["arg_c"]
    found = Categories(grading).add([event("Attack", 3, (0, 1, "Target"), (8, 9, "Agent"))], [ATTACK])
    assert found.confusion()["Target", "Agent"] == 1
    assert found.total() == {"correct": 0, "incorrect": 1, "partial": 0, "missed": 1, "spurious": 1}


def test_arguments_that_both_sides_repeat_are_paired_as_often_as_they_can_be() -> None:
    pred, ref = (event("Attack", trigger, (4, 6, "Agent"), (4, 6, "Agent")) for trigger in (10, 13))
    found = Categories(events.gradings()["arg_c"]).add([pred], [ref])
    assert found.total() == {"correct": 0, "incorrect": 2, "partial": 0, "missed": 0, "spurious": 0}


def test_an_event_without_a_trigger_is_an_error() -> None:
    with pytest.raises(DataError, match="expected an event with type and trigger, found the keys type"):
        f1([{"type": "Attack"}], [])


def test_an_unknown_mode_is_an_error() -> None:
    with pytest.raises(ExpressionError, match="triggers='golden' is unknown; did you mean 'gold'"):
        events.suite(triggers="golden")  # type: ignore[arg-type]


def corpus(seed: int) -> list[list[dict[str, Any]]]:
    """Events on few places, so that triggers and arguments repeat."""
    random = Random(seed)

    def one() -> dict[str, Any]:
        args = [(place, place + 1, random.choice("xy")) for place in random.choices(range(3), k=random.randint(0, 3))]
        return event(random.choice("AB"), random.randint(0, 2), *args)

    return [[one() for _ in range(random.randint(0, 3))] for _ in range(60)]


def flat(document: list[dict[str, Any]]) -> list[tuple[int, str, str]]:
    return [(left, one["type"], role) for one in document for left, _, role in one["args"]]


def counts(report: Any, name: str) -> tuple[float, float, float]:
    found = report[name].counts
    return found.matched, found.predicted, found.reference


@pytest.mark.parametrize("seed", range(5))
def test_oneie_counts_as_its_scorer_steps_through_the_lists(seed: int) -> None:
    preds, refs = corpus(seed), corpus(seed + 50)
    identified = classified = arg_i = arg_c = pred_args = ref_args = 0
    for pred, ref in zip(preds, refs, strict=True):
        for one in pred:
            same = [other for other in ref if other["trigger"] == one["trigger"]]
            identified += bool(same)
            classified += bool(same) and same[0]["type"] == one["type"]
        mine, theirs = set(flat(pred)), set(flat(ref))
        pred_args, ref_args = pred_args + len(mine), ref_args + len(theirs)
        for one_arg in mine:
            near = {other for other in theirs if other[:2] == one_arg[:2]}
            arg_i += bool(near)
            arg_c += any(other[2] == one_arg[2] for other in near)
    report = evaluate(events.suite("oneie"), preds, refs)
    triggers = sum(map(len, preds)), sum(map(len, refs))
    assert counts(report, "trig_i") == (identified, *triggers)
    assert counts(report, "trig_c") == (classified, *triggers)
    assert counts(report, "arg_i") == (arg_i, pred_args, ref_args)
    assert counts(report, "arg_c") == (arg_c, pred_args, ref_args)


@pytest.mark.parametrize("seed", range(5))
def test_dygie_counts_as_its_scorer_steps_through_its_dictionaries(seed: int) -> None:
    def read(document: list[dict[str, Any]]) -> tuple[dict[int, str], list[tuple[int, str, str]]]:
        types = {one["trigger"][0]: one["type"] for one in document}
        roles = {(one["trigger"][0], left): role for one in document for left, _, role in one["args"]}
        return types, [(left, types[place], role) for (place, left), role in roles.items()]

    preds, refs = corpus(seed), corpus(seed + 50)
    total = dict.fromkeys(("trig_i", "trig_c", "arg_i", "arg_c"), 0)
    for pred, ref in zip(preds, refs, strict=True):
        (mine, my_args), (theirs, their_args) = read(pred), read(ref)
        total["trig_i"] += sum(place in theirs for place in mine)
        total["trig_c"] += sum(theirs.get(place) == kind for place, kind in mine.items())
        total["arg_i"] += sum(any(arg[:2] == other[:2] for other in their_args) for arg in my_args)
        total["arg_c"] += sum(arg in their_args for arg in my_args)
    report = evaluate(events.suite("dygie"), preds, refs)
    for name, matched in total.items():
        place = 0 if name.startswith("trig") else 1
        sizes = [sum(len(read(document)[place]) for document in side) for side in (preds, refs)]
        assert counts(report, name) == (matched, *sizes)


@pytest.mark.parametrize("seed", range(5))
def test_text2event_and_rams_count_as_multisets(seed: int) -> None:
    preds, refs = corpus(seed), corpus(seed + 50)
    text2event, rams = evaluate(events.suite("text2event"), preds, refs), evaluate(events.suite("rams"), preds, refs)
    total = sum(len(flat(pred)) for pred in preds), sum(len(flat(ref)) for ref in refs)
    shared = sum((Counter(flat(pred)) & Counter(flat(ref))).total() for pred, ref in zip(preds, refs, strict=True))
    assert counts(text2event, "arg_c") == (shared, *total)

    def placed(document: list[dict[str, Any]]) -> Counter[Any]:
        return Counter((one["trigger"][0], left, role) for one in document for left, _, role in one["args"])

    linked = sum((placed(pred) & placed(ref)).total() for pred, ref in zip(preds, refs, strict=True))
    assert counts(rams, "arg_c") == (linked, *total)


@pytest.mark.parametrize("preset", ["paper", "oneie", "dygie", "text2event", "rams", "wikievents"])
def test_as_many_arguments_are_correct_as_the_metric_matches(preset: str) -> None:
    pred = [event("Attack", 3, (0, 1, "Agent")), event("Attack", 4, (5, 6, "Target"))]
    matched = evaluate(events.suite(preset), [pred], [[ATTACK]])["arg_c"].counts.matched  # type: ignore[arg-type]
    assert Categories(events.gradings(preset)["arg_c"]).add(pred, [ATTACK]).total()["correct"] == matched


def test_the_categories_know_the_types_that_may_agree_in_part() -> None:
    from matchwise.similarities.vocabulary import levels

    grading = events.gradings(types=levels("type", separator="."))["trig_c"]
    found = Categories(grading).add([event("Conflict.Attack", 3)], [event("Conflict.Demonstrate", 3)])
    assert found.total() == {"correct": 0, "incorrect": 0, "partial": 1, "missed": 0, "spurious": 0}


@pytest.mark.parametrize("preset", ["paper", "oneie", "rams"])
def test_events_that_are_no_list_are_an_error(preset: str) -> None:
    with pytest.raises(DataError, match="expected a list under 'events', found int"):
        f1({"events": 7}, [], preset)


def test_arguments_that_are_no_list_are_an_error() -> None:
    with pytest.raises(DataError, match="expected a list under 'args', found int"):
        f1([{"type": "Attack", "trigger": [3, 4], "args": 7}], [])


def crowded(random: Random) -> EventSet:
    """Few words, types and roles, so that triggers and arguments meet."""

    def mention() -> Mention:
        return Mention((left := random.randrange(3), left + 1))

    def argument() -> Argument:
        return Argument(mention(), random.choice("AB"), random.choice((None, 1)), random.choice((None, "e")))

    made = (
        Event(Trigger(mention(), random.choice("XY"), later=random.random() < 0.3), tuple(argument() for _ in range(3)))
        for _ in range(random.randrange(4))
    )
    return EventSet(tuple(made))


def as_extraction(one: EventSet) -> Extraction:
    return Extraction(events=one.events)


def as_list(one: EventSet) -> list[Event]:
    return list(one.events)


@pytest.mark.parametrize("preset", events.TASK.presets)
@pytest.mark.parametrize("form", [read, as_extraction, as_list])
def test_many_documents_count_as_one_by_one(preset: str, form: Any) -> None:
    random = Random(6)
    preds, refs = ([crowded(random) for _ in range(80)] for _ in range(2))
    made: Any = [list(map(form, side)) for side in (preds, refs)]
    suite = events.suite(preset)  # type: ignore[arg-type]
    tally = Tally(suite)
    for pred, ref in zip(*made, strict=True):
        tally.add(pred, ref)
    assert Tally(suite).update(*made) == tally


def test_types_that_python_takes_for_equal_are_told_apart_in_many_documents() -> None:
    def one(kind: Any) -> EventSet:
        return EventSet((Event(Trigger(Mention((0, 1)), kind)),))

    report = evaluate(events.suite("text2event"), [one(True)] * 40, [one(1)] * 40)
    assert (report["trig_i"].f1, report["trig_c"].f1) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("mode", "sides"), [("gold", (1, 2)), ("default", (2, 1)), ("loose", (1, 1)), ("strict", (2, 2))]
)
def test_errors_are_those_of_the_events_that_count(mode: Any, sides: tuple[int, int]) -> None:
    def attack(trigger: int, agent: int) -> dict[str, Any]:
        return {"type": "Attack", "trigger": [trigger, trigger + 1], "args": [(agent, agent + 1, "Agent")]}

    pred, ref = [attack(3, 0), attack(7, 5)], [attack(3, 1), attack(9, 5)]
    found = events.errors(events.suite(triggers=mode), "arg_c")([pred], [ref])[0]
    assert [(one.matched, one.predicted, one.reference) for one in found] == [(1, *sides), (0, *sides)]

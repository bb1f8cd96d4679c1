"""What a system got wrong in templates: each kind of error by itself, and all of them together."""

from random import Random
from typing import Any

import pytest

import matchwise as mw
from matchwise import eq, f1
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError
from matchwise.tasks import templates
from matchwise.tasks.roles.fillers import TemplateSet
from matchwise.tasks.templates.analysis import analyse
from matchwise.views.errors import Errors

Document = Any


def errors(pred: Document, ref: Document, preset: Any = "gtt", **options: Any) -> Errors:
    return mw.explain("templates", [pred], [ref], preset=preset, **options)


def kinds(pred: Document, ref: Document, preset: Any = "gtt") -> list[str]:
    return [error.kind for error in errors(pred, ref, preset).found]


REF = [("bombing", {"Victim": [["mayor", "the major of Lima"]], "Weapon": [["car bomb"]]})]


def test_a_right_document_has_no_errors() -> None:
    found = errors(REF, REF)
    assert (found.found, found.totals["fillers"].matched, found.totals["templates"].matched) == ([], 2, 1)


def test_a_missing_and_a_spurious_template() -> None:
    other = [("arson", {"Target": [["bank"]]})]
    assert kinds([], other) == ["missed template", "missed"]
    assert kinds(other, []) == ["spurious template", "spurious"]
    assert sorted(kinds(other, REF)) == ["missed", "missed", "missed template", "spurious", "spurious template"]


def test_text_that_overlaps_without_credit_is_a_span_error() -> None:
    pred = [("bombing", {"Victim": [["mayor"]], "Weapon": [["big car bomb"]]})]
    [error] = errors(pred, REF).found
    assert (error.kind, error.pred, error.ref) == ("wrong span", "Weapon: big car bomb", "Weapon: car bomb")


def test_spans_that_overlap_are_a_span_error() -> None:
    assert kinds([("t", {"r": [[[3, 6]]]})], [("t", {"r": [[[4, 6]]]})]) == ["wrong span"]


def test_an_entity_overlaps_with_no_event_and_no_category() -> None:
    event, category = {"event": "attack", "mentions": ["car bomb"]}, {"category": "car bomb"}
    for pred, ref in ((["car bomb"], event), (event, ["car bomb"]), (["car bomb"], category), (category, ["car bomb"])):
        assert kinds([("t", {"r": [pred]})], [("t", {"r": [ref]})]) == ["wrong value"]


def test_the_same_value_in_another_slot_is_a_wrong_role() -> None:
    pred = [("bombing", {"Victim": [["mayor"]], "Target": [["car bomb"]]})]
    assert kinds(pred, REF) == ["wrong role"]


def test_another_value_of_the_slot_is_a_wrong_value() -> None:
    assert kinds([("bombing", {"Victim": [["mayor"]], "Weapon": [["knife"]]})], REF) == ["wrong value"]


def test_a_filler_that_was_found_already_is_a_duplicate() -> None:
    pred = [("bombing", {"Victim": [["mayor"], ["the mayor"]], "Weapon": [["car bomb"]]})]
    [error] = errors(pred, REF).found
    assert (error.kind, error.pred, error.ref) == (
        "duplicate",
        "Victim: mayor",
        "Victim: mayor / major of lima once",
    )


def test_a_filler_of_another_template_is_in_a_wrong_template() -> None:
    ref = [*REF, ("arson", {"Target": [["bank"]], "Victim": [["clerk"]]})]
    pred = [
        ("bombing", {"Victim": [["mayor"], ["clerk"]], "Weapon": [["car bomb"]]}),
        ("arson", {"Target": [["bank"]]}),
    ]
    [error] = errors(pred, ref).found
    assert (error.kind, error.where, error.pred) == ("wrong template", "arson", "Victim: clerk in bombing")


def test_missing_and_spurious_fillers() -> None:
    assert kinds([("bombing", {"Victim": [["mayor"]]})], REF) == ["missed"]
    assert kinds([("bombing", {**REF[0][1], "PerpOrg": [["army"]]})], REF) == ["spurious"]


def test_a_pair_of_different_types_is_a_wrong_type() -> None:
    bank = {"phys_tgt_id": ["BANK"]}
    assert kinds([("ATTACK", bank)], [("BOMBING", bank)], "muc4") == ["wrong type"]


def test_gtt_pairs_no_templates_of_different_types() -> None:
    assert kinds([("arson", REF[0][1])], REF) == [
        "missed template",
        "spurious template",
        "wrong template",
        "wrong template",
    ]


def test_a_type_that_gtt_takes_for_right_is_no_error() -> None:
    assert kinds([("bomb", REF[0][1])], REF) == []


def test_an_empty_predicted_entity_is_right_for_gtt_and_near_nothing() -> None:
    assert kinds([("t", {"r": [[]]})], [("t", {"r": [[[3, 5]], [[7, 9]]]})]) == ["missed"]
    assert kinds([("t", {"r": [[[3, 5]], []]})], [("t", {"r": [[[4, 6]]]})]) == ["spurious"]


def test_partial_credit_is_a_kind_of_its_own() -> None:
    ref = [("BOMBING", {"phys_tgt_id": ["BANK"], "incident_instrument_type": "VEHICLE BOMB"})]
    pred = [("BOMBING", {"phys_tgt_id": ["BANK"], "incident_instrument_type": "BOMB"})]
    assert kinds(pred, ref, "muc4") == ["partial"]


@pytest.mark.parametrize("preset", templates.TASK.presets)
def test_every_filler_is_counted_once_on_each_side(preset: Any) -> None:
    names = ("Victim", "Target", "hum_tgt_name")
    for seed in range(40):
        random = Random(seed)

        def document(random: Random = random) -> Document:
            return [
                (
                    random.choice("ab"),
                    {slot: [[random.choice("vwxyz")] for _ in range(random.randint(0, 2))] for slot in names},
                )
                for _ in range(random.randint(0, 3))
            ]

        found = errors(document(), document(), preset)
        for total in found.totals.values():
            lost = total.predicted + total.reference - 2 * total.matched
            assert sum(kind.lost for kind in total.kinds.values()) == pytest.approx(float(lost), abs=1e-12)


def test_errors_of_documents_add_up() -> None:
    one, two = errors([], REF), errors(REF, REF)
    both = one + two
    assert (both.totals["templates"].reference, both.totals["fillers"].matched, both.found) == (2, 2, one.found)
    assert both.of("missed") == one.of("missed")


def test_errors_name_their_document_and_print_as_a_table_and_as_data() -> None:
    found = errors([], TemplateSet((templates.template(("arson", {"Target": [["bank"]]})),), "d7"))
    assert str(found) == (
        "templates   F1 0.0000   0 matched, 0 predicted, 1 reference\n"
        "kind             count  share of loss  F1 without\n"
        "missed template      1         100.0%      1.0000\n"
        "\n"
        "fillers   F1 0.0000   0 matched, 0 predicted, 1 reference\n"
        "kind    count  share of loss  F1 without\n"
        "missed      1         100.0%      1.0000\n"
        "\n"
        "missed template\n"
        "  d7: arson is missing\n"
        "\n"
        "missed\n"
        "  d7: arson: Target: bank is missing"
    )
    assert found.to_dict()["errors"][1] == {
        "kind": "missed", "document": "d7", "level": "fillers", "pred": None, "ref": "Target: bank", "where": "arson",
    }  # fmt: skip


def test_twelve_templates_a_side_are_explained_where_all_matchings_are_too_many_to_try() -> None:
    random = Random(1)
    pred, ref = ([("t", {"r": [[f"n{number}"]]}) for number in random.sample(range(20), 12)] for _ in range(2))
    assert errors(pred, ref).totals["templates"].matched == 12


def test_a_suite_of_another_kind_is_refused() -> None:
    with pytest.raises(ExpressionError, match="does not pair templates"):
        analyse(Suite(score=f1("templates", eq("type"))), "score")


@pytest.mark.parametrize(
    ("preset", "pred", "ref", "kinds"),
    [
        ("gtt", {"victim": [[], ["x"]]}, {"victim": [["y"], ["z"]]}, {"wrong value": 1}),  # ∅ is in y, and in x not
        ("gtt", {"victim": [["x"]]}, {"victim": [["y"], ["z"]]}, {"wrong value": 1, "missed": 1}),
        ("muc4", {"hum_tgt_name": ["the mayor"]}, {"hum_tgt_description": ["mayor of Lima"]}, {"wrong template": 1}),
        ("muc4", {"hum_tgt_name": ["the mayor"]}, {"hum_tgt_description": ["the man"]}, {"spurious": 1, "missed": 1}),
    ],
)
def test_what_is_the_same_value_to_a_scorer(preset: Any, pred: Any, ref: Any, kinds: dict[str, int]) -> None:
    found = errors([("BOMBING", pred)], [("BOMBING", ref)], preset)
    assert found.counts()["fillers"] == kinds


def test_a_value_is_the_same_elsewhere_only_if_its_tag_shares_a_word() -> None:
    def effect(name: str, tag: str) -> templates.Category:
        return templates.Category((name,), (tag,))

    names, slot = ["ANA PAZ", "JOE DOE"], "hum_tgt_effect_of_incident"
    key = [("ATTACK", {"hum_tgt_name": names, slot: [effect("DEATH", "ANA PAZ"), effect("INJURY", "JOE DOE")]})]
    moved = [effect("INJURY", "MR JOE"), effect("DEATH", "JOE DOE")]
    made = [("ATTACK", {"hum_tgt_name": names, slot: [effect("NO DEATH", "X")], "hum_tgt_type": moved})]
    [[_, level]] = analyse(templates.suite("muc4"), "all")([made], [key])
    assert [(case.kind, *(one and one.in_words(()) for one in (case.pred, case.ref))) for case in level.cases] == [
        ("wrong role", "hum_tgt_type: INJURY: 'mr joe'", f"{slot}: INJURY: 'joe doe'"),
        ("wrong value", f"{slot}: NO DEATH: 'x'", f"{slot}: DEATH: 'ana paz'"),
        ("spurious", "hum_tgt_type: DEATH: 'joe doe'", None),
    ]


def test_where_no_templates_are_paired_either_type_of_a_reference_will_do() -> None:
    pred = [("bombing", {"target": ["bank"]}), ("attack", {"target": ["the bus"]})]
    ref = [("attack / bombing", {"target": ["the bank"]}), ("kidnapping", {"target": ["bus"]})]
    [[level, fillers]] = analyse(templates.suite("iterx"), "rme_phi3")([pred], [ref])
    assert (level.right, [(case.kind, case.pred, case.ref) for case in level.cases]) == (
        (("bombing", "attack / bombing"),),
        [("missed template", None, "kidnapping"), ("spurious template", "attack", None)],
    )
    assert [case.kind for case in fillers.cases] == ["wrong template"]

"""Templates: the equations, MUC-4's report, GTT, IterX, BETTER, and where official numbers and equations part."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from matchwise import eq, levels, ontology
from matchwise.corpus.categories import Categories
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.runner import evaluate
from matchwise.tasks import templates
from matchwise.tasks.ner import Extraction
from matchwise.tasks.roles.fillers import RoleEntity, SlotFiller, Template, TemplateSet
from matchwise.tasks.templates import Category, FilledEvent
from matchwise.tasks.templates.pairing import search
from matchwise.tasks.templates.values import document as read_document

Document = Any


def scores(pred: Document, ref: Document, preset: str = "paper", **options: Any) -> dict[str, float]:
    report = evaluate(templates.suite(preset, **options), [pred], [ref])  # type: ignore[arg-type]
    return {name: report[name].value for name in report}


def counts(pred: Document, ref: Document, metric: str, preset: str = "muc4", **options: Any) -> tuple[Any, ...]:
    found = Tally(templates.suite(preset, **options)).add(pred, ref).report()[metric].counts  # type: ignore[arg-type]
    return found.matched, found.predicted, found.reference


def test_an_extraction_that_is_read_as_templates_keeps_its_id() -> None:
    assert read_document(Extraction(id="d7")) == TemplateSet((), "d7")


MAYOR, REBELS = ["mayor", "mayor of Lima"], ["guerrillas", "rebels"]


# The paper's equations


def test_eq_32_multiplies_the_fillers_by_the_type() -> None:
    ref = [("bombing", {"victim": [MAYOR], "perpetrator": [REBELS]})]
    assert scores([("bombing", {"victim": ["the mayor"]})], ref)["muc4"] == pytest.approx(2 / 3, abs=1e-12)
    assert scores([("arson", {"victim": ["the mayor"]})], ref)["muc4"] == 0.0


def test_ceaf_ree_of_templates_gives_nothing_for_one_wrong_mention() -> None:
    ref = [("bombing", {"victim": [MAYOR]})]
    assert scores([("bombing", {"victim": [["mayor", "driver"]]})], ref)["ree"] == 0.0
    assert scores([("bombing", {"victim": [["mayor"]]})], ref)["ree"] == 1.0


def test_ceaf_rme_of_templates_is_one_sided_and_its_recall_may_exceed_one() -> None:
    pred, ref = [("t", {"victim": ["a", "b"]})], [("t", {"victim": [["a", "b"]]})]
    report = evaluate(templates.suite(), [pred], [ref])["rme_subset"]
    assert (report.precision, report.recall) == (1.0, 2.0)
    assert scores(pred, ref)["rme_phi3"] == 1.0


def test_string_fills_share_a_word_that_is_no_premodifier() -> None:
    ref = [("t", {"victim": ["the mayor"]})]
    assert scores([("t", {"victim": ["the driver"]})], ref)["muc4"] == 0.0
    assert scores([("t", {"victim": ["MAYOR, of Lima"]})], ref)["muc4"] == 1.0


def test_a_string_of_premodifiers_only_is_still_itself() -> None:
    both = [("t", {"victim": ["the others"]})]
    assert scores(both, both)["muc4"] == 1.0


def test_the_premodifiers_are_an_option() -> None:
    pred, ref = [("t", {"victim": ["big dog"]})], [("t", {"victim": ["big cat"]})]
    assert scores(pred, ref)["muc4"] == 1.0
    assert scores(pred, ref, premodifiers="big small")["muc4"] == 0.0


def test_a_hierarchy_gives_half_credit_to_a_descendant_and_on_request_to_an_ancestor() -> None:
    ref = [("t", {"weapon": ["explosive"]})]
    pred = [("t", {"weapon": ["dynamite"]})]
    options = {"categories": ["weapon"], "hierarchy": {"dynamite": "explosive"}}
    assert scores(pred, ref, **options)["muc4"] == 0.5
    assert scores(ref, pred, **options)["muc4"] == 0.0
    assert scores(ref, pred, credited="ancestor", **options)["muc4"] == 0.5


def test_the_types_of_templates_may_have_levels() -> None:
    pred, ref = [("attack.bombing", {"victim": ["a"]})], [("attack.arson", {"victim": ["a"]})]
    assert scores(pred, ref)["muc4"] == 0.0
    found = scores(pred, ref, types=levels("type"))
    assert (found["muc4"], found["types"]) == (0.5, 0.5)


def test_fillers_of_any_type_stand_in_one_template() -> None:
    fillers = {
        "who": [["police", "officers"]],
        "over": True,
        "killed": 3,
        "stage": {"category": "done"},
        "after": {"event": "Protest", "mentions": ["march"]},
    }
    assert scores([("t", fillers)], [("t", fillers)])["muc4"] == 1.0
    other = {**fillers, "over": False, "killed": 4, "after": {"event": "Protest", "mentions": ["rally"]}}
    assert scores([("t", other)], [("t", fillers)])["muc4"] == pytest.approx(2 / 5, abs=1e-12)


def test_values_of_different_types_never_match() -> None:
    assert scores([("t", {"n": [1]})], [("t", {"n": [True]})])["muc4"] == 0.0
    assert scores([("t", {"n": ["1"]})], [("t", {"n": [1]})])["muc4"] == 0.0


def test_a_class_of_ones_own_takes_part_by_a_similarity_for_it() -> None:
    class Money:
        def __init__(self, amount: int) -> None:
            self.amount = amount

    pred, ref = (TemplateSet((Template("t", (SlotFiller("ransom", Money(n)),)),)) for n in (5, 5))
    assert scores(pred, ref, values={Money: eq("amount")})["muc4"] == 1.0
    with pytest.raises(DataError, match="found a Money"):
        scores(pred, ref)


def test_the_filler_similarity_may_be_changed() -> None:
    pred, ref = [("t", {"victim": [["a", "b"]]})], [("t", {"victim": [["b", "c"]]})]
    assert {name: scores(pred, ref, entities=name)["muc4"] for name in ("subset", "any", "phi3", "phi4")} == {
        "subset": 0.0, "any": 1.0, "phi3": 0.5, "phi4": 0.5,
    }  # fmt: skip


# MUC-4's score report


def incident(kind: str = "BOMBING", **slots: Any) -> tuple[str, dict[str, Any]]:
    return kind, slots


def test_the_type_is_a_slot_and_the_generic_one_is_half_right() -> None:
    ref = [incident(hum_tgt_name=["PAZ"])]
    assert counts([incident("ATTACK", hum_tgt_name=["PAZ"])], ref, "all") == (1.5, 2, 2)
    assert counts([incident("ARSON", hum_tgt_name=["PAZ"])], ref, "all") == (0, 2, 2)
    assert counts(ref, [incident("ATTACK", hum_tgt_name=["PAZ"])], "all") == (0, 2, 2)


def test_templates_are_paired_only_if_one_of_seven_slots_agrees() -> None:
    ref = [incident(incident_instrument_id=["BOMB"], hum_tgt_name=["PAZ"])]
    assert counts([incident(incident_instrument_id=["BOMB"], hum_tgt_name=["ROJAS"])], ref, "all") == (0, 3, 3)
    assert counts([incident(incident_instrument_id=["KNIFE"], hum_tgt_name=["PAZ"])], ref, "all") == (2, 3, 3)


def test_matched_only_leaves_out_templates_without_a_partner() -> None:
    ref = [incident(hum_tgt_name=["PAZ"]), incident("ARSON", hum_tgt_name=["ROJAS"], phys_tgt_id=["BANK"])]
    pred = [incident(hum_tgt_name=["PAZ"]), incident("ROBBERY", hum_tgt_name=["DIAZ"])]
    assert counts(pred, ref, "all") == (2, 4, 5)
    assert counts(pred, ref, "matched") == (2, 2, 2)
    assert counts(pred, ref, "matched_missing") == (2, 2, 5)
    assert counts(pred, ref, "matched_spurious") == (2, 4, 2)


def test_string_fills_and_set_fills_are_also_counted_by_themselves() -> None:
    ref = [incident(hum_tgt_name=["PAZ"], hum_tgt_type="CIVILIAN", hum_tgt_number="1", incident_date="03 APR 90")]
    assert counts(ref, ref, "strings") == (1, 1, 1)
    assert counts(ref, ref, "sets") == (2, 2, 2)
    assert counts(ref, ref, "all") == (5, 5, 5)
    assert counts([*ref, incident("ARSON", phys_tgt_id=["BUS"])], ref, "strings") == (1, 1, 1)


def test_text_filtering_asks_whether_a_document_has_templates_at_all() -> None:
    one = [incident(hum_tgt_name=["PAZ"])]
    report = evaluate(templates.suite("muc4"), [one, one, [], []], [one, [], one, []])["text_filtering"]
    assert (report.counts.matched, report.counts.predicted, report.counts.reference) == (1, 2, 2)


def tagged(name: str, *tag: str) -> Category:
    return Category((name,), tag)


@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        (tagged("CIVILIAN", "THE MARIA PAZ"), 1),
        (tagged("CIVILIAN", "PAZ"), Fraction(1, 2)),
        (tagged("CIVILIAN", "ROJAS"), Fraction(1, 2)),
        (tagged("CIVILIAN"), Fraction(1, 2)),
        (tagged("GOVERNMENT OFFICIAL", "MARIA PAZ"), 0),
    ],
)
def test_a_right_value_with_a_wrong_tag_is_half_right(pred: Category, expected: Fraction) -> None:
    ref = [incident(hum_tgt_name=["PAZ"], hum_tgt_type=[tagged("CIVILIAN", "MARIA PAZ")])]
    found = [incident(hum_tgt_name=["PAZ"], hum_tgt_type=[pred])]
    assert counts(found, ref, "all")[0] == 2 + expected


def test_a_partly_right_value_is_half_right_whatever_its_tag() -> None:
    ref = [incident(phys_tgt_id=["BANK"], incident_instrument_type=[tagged("VEHICLE BOMB", "CAR")])]
    pred = [incident(phys_tgt_id=["BANK"], incident_instrument_type=[tagged("EXPLOSIVE", "DYNAMITE")])]
    assert counts(pred, ref, "all") == (2.5, 3, 3)


def test_either_of_two_types_is_right() -> None:
    ref = [incident("ATTACK / ARSON", hum_tgt_name=["PAZ"])]
    assert counts([incident("ARSON", hum_tgt_name=["PAZ"])], ref, "all") == (2, 2, 2)


def test_an_optional_filler_or_template_is_not_missed() -> None:
    fillers = (
        SlotFiller("hum_tgt_name", RoleEntity(("PAZ",))),
        SlotFiller("phys_tgt_id", RoleEntity(("CAR",)), optional=True),
    )
    ref = TemplateSet((Template("BOMBING", fillers), Template("ARSON", fillers[:1], optional=True)))
    assert counts([incident(hum_tgt_name=["PAZ"])], ref, "all") == (2, 2, 2)
    assert counts([incident(hum_tgt_name=["PAZ"], phys_tgt_id=["CAR"])], ref, "all") == (3, 3, 3)
    assert counts([], TemplateSet(ref.templates[1:]), "text_filtering") == (0, 0, 0)


def test_strings_are_right_only_if_they_are_equal_without_premodifiers() -> None:
    ref = [incident(hum_tgt_name=["PAZ"], hum_tgt_description=["MAYOR OF LIMA"])]
    assert counts([incident(hum_tgt_name=["PAZ"], hum_tgt_description=["THE MAYOR LIMA"])], ref, "all") == (3, 3, 3)
    assert counts([incident(hum_tgt_name=["PAZ"], hum_tgt_description=["MAYOR"])], ref, "all") == (2, 3, 3)


def test_a_common_word_is_enough_to_pair_templates_and_gives_no_credit() -> None:
    pred, ref = [incident(hum_tgt_name=["LUIS PAZ"])], [incident(hum_tgt_name=["PAZ"])]
    assert counts(pred, ref, "matched") == (1, 2, 2)


def test_the_program_takes_premodifiers_out_of_the_ends_of_words() -> None:
    pred, ref = [incident(hum_tgt_name=["JUAN PAZ"])], [incident(hum_tgt_name=["PAZ"])]
    assert counts(pred, ref, "matched") == (0, 0, 0)


def test_templates_that_fill_none_of_the_seven_slots_may_be_paired() -> None:
    both = [incident(incident_date="03 APR 90")]
    assert counts(both, both, "matched") == (2, 2, 2)


@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        ("PERU: LIMA (CITY)", 1),
        ("PERU", Fraction(1, 2)),
        ("PERU: ICA (CITY)", Fraction(1, 2)),
        ("CHILE: LIMA (CITY)", 0),
    ],
)
def test_another_place_in_the_same_country_is_half_right(pred: str, expected: Fraction) -> None:
    ref = [incident(hum_tgt_name=["PAZ"], incident_location="PERU: LIMA (CITY)")]
    assert counts([incident(hum_tgt_name=["PAZ"], incident_location=pred)], ref, "all") == (2 + expected, 3, 3)


def test_a_place_in_a_country_that_the_key_names_alone_is_for_a_person_to_judge() -> None:
    ref = [incident(hum_tgt_name=["PAZ"], incident_location="PERU")]
    assert counts([incident(hum_tgt_name=["PAZ"], incident_location="PERU: ICA (CITY)")], ref, "all") == (2, 3, 3)


@pytest.mark.parametrize(
    ("pred", "expected"), [("13 APR 90", 3), ("23 APR 90", 2), ("- 13 APR 90", 2), ("15 APR 90", 3)]
)
def test_dates_are_equal_or_not_and_the_program_takes_the_last_digit_of_a_day_for_a_premodifier(
    pred: str, expected: int
) -> None:
    ref = [incident(hum_tgt_name=["PAZ"], incident_date="13 APR 90")]
    assert counts([incident(hum_tgt_name=["PAZ"], incident_date=pred)], ref, "all") == (expected, 3, 3)


def test_the_first_equal_filler_is_taken_and_the_rest_is_wrong_in_pairs() -> None:
    ref = [incident(hum_tgt_name=["PAZ", "ROJAS", "DIAZ"])]
    pred = [incident(hum_tgt_name=["PAZ", "PAZ"])]
    assert counts(pred, ref, "all") == (2, 3, 4)
    found = Categories(templates.gradings("muc4")["all"]).add(pred, ref)
    assert found.by_label()["hum_tgt_name"]["incorrect"] == 1


def test_a_general_value_without_a_tag_is_half_right_for_the_first_it_fits() -> None:
    ref = [
        incident(hum_tgt_name=["PAZ"], incident_instrument_type=[tagged("FIRE", "FIRE"), tagged("DYNAMITE", "CHARGE")])
    ]
    pred = [incident(hum_tgt_name=["PAZ"], incident_instrument_type=[tagged("EXPLOSIVE"), tagged("STONE")])]
    assert counts(pred, ref, "all") == (2.5, 4, 4)


@pytest.mark.parametrize(
    ("general", "special"),
    [
        ("EXPLOSIVE", "DYNAMITE"),
        ("BOMB", "MINE"),
        ("GUN", "MORTAR"),
        ("PROJECTILE", "ROCKET"),
        ("NO INJURY", "NO INJURY OR DEATH"),
        ("DESTROYED", "SOME DAMAGE"),
        ("POLITICAL FIGURE", "FORMER GOVERNMENT OFFICIAL"),
    ],
)
def test_a_more_general_value_is_half_right_and_a_more_special_one_is_wrong(general: str, special: str) -> None:
    def of(value: str) -> list[Any]:
        return [incident(hum_tgt_name=["PAZ"], incident_instrument_type=value)]

    assert counts(of(general), of(special), "all") == (2.5, 3, 3)
    assert counts(of(special), of(general), "all") == (2, 3, 3)


def test_a_special_value_is_found_once_by_more_general_ones() -> None:
    options = {"categories": "weapon", "hierarchy": {"dynamite": "explosive", "explosive": "arms"}}
    ref, pred = (
        [incident(hum_tgt_name=["PAZ"], weapon=names)] for names in (["dynamite", "stone"], ["explosive", "arms"])
    )
    assert counts(pred, ref, "all", **options) == (2.5, 4, 4)


def test_slots_and_a_hierarchy_of_ones_own_are_compared_by_the_same_rules() -> None:
    options = {"categories": "weapon", "hierarchy": {"dynamite": "explosive"}}
    ref, pred = ([incident(hum_tgt_name=["PAZ"], weapon=[name])] for name in ("dynamite", "explosive"))
    assert counts(pred, ref, "all", **options) == (2.5, 3, 3)
    assert counts(pred, ref, "all") == (2, 3, 3)
    assert counts(ref, pred, "all", **options) == (2, 3, 3)


def test_pairs_are_taken_by_recall_the_highest_first() -> None:
    ref = [incident(hum_tgt_name=["PAZ"], phys_tgt_id=["BUS"]), incident(hum_tgt_name=["PAZ"])]
    pred = [incident(hum_tgt_name=["PAZ"])]
    assert counts(pred, ref, "matched") == (2, 2, 2)


def test_two_templates_of_equal_recall_are_paired_in_the_order_of_their_numbers() -> None:
    fillers = (SlotFiller("hum_tgt_name", RoleEntity(("PAZ",))),)
    one, ten, two = (Template("BOMBING", fillers, id) for id in ("1", "10", "2"))
    suite = templates.suite("muc4")
    mine, theirs = suite.steps[0](TemplateSet((two, ten)), TemplateSet((one,)))
    assert (mine.numbers, theirs.numbers) == ((-1, 0), (0,))


def test_the_tables_by_slot_add_up_to_the_whole() -> None:
    ref = [incident(hum_tgt_name=["PAZ", "ROJAS"], phys_tgt_id=["BANK"])]
    pred = [incident("ATTACK", hum_tgt_name=["PAZ"], phys_tgt_id=["TOWN HALL"])]
    report = evaluate(templates.suite("muc4"), [pred], [ref], by="slot")
    parts = {slot: part["all"].counts.matched for slot, part in report.by.items() if slot != "(text)"}
    assert parts == {"hum_tgt_name": 1, "incident_type": 0.5, "phys_tgt_id": 0}
    assert report["all"].counts.matched == sum(parts.values())


def test_the_categories_are_those_of_muc() -> None:
    ref = [incident(hum_tgt_name=["PAZ", "ROJAS"], phys_tgt_id=["BANK"], hum_tgt_description=["CLERK"])]
    pred = [
        incident("ATTACK", hum_tgt_name=["PAZ"], phys_tgt_id=["TOWN HALL", "BUS"], hum_tgt_description=["THE CLERK"])
    ]
    found = Categories(templates.gradings("muc4")["all"]).add(pred, ref)
    assert found.total() == {"correct": 2, "incorrect": 1, "partial": 1, "missed": 1, "spurious": 1}
    assert found.by_label()["phys_tgt_id"]["incorrect"] == 1


def test_only_some_slots_may_be_scored_under_the_alignment_of_all() -> None:
    ref = [incident(hum_tgt_name=["PAZ"], phys_tgt_id=["BUS"])]
    pred = [incident(hum_tgt_name=["PAZ"], phys_tgt_id=["BANK"])]
    assert counts(pred, ref, "all", slots="phys_tgt_id") == (0, 1, 1)
    assert counts(pred, ref, "all", slots=["hum_tgt_name", "incident_type"]) == (2, 2, 2)


# GTT


def test_38_gtt_counts_the_type_as_a_slot_and_the_equation_does_not() -> None:
    pred, ref = [("bombing", {"Victim": [["x"]]})], [("bombing", {"Victim": [["a"]]})]
    assert scores(pred, ref, "gtt")["overall"] == 0.5
    assert scores(pred, ref)["ree"] == 0.0


def test_39_gtt_takes_two_predictions_for_one_entity_and_the_equation_does_not() -> None:
    pred, ref = [("bombing", {"Victim": [["a"], ["b"]]})], [("bombing", {"Victim": [["a", "b"]]})]
    assert scores(pred, ref, "gtt")["overall"] == 1.0
    assert scores(pred, ref)["ree"] == pytest.approx(2 / 3, abs=1e-12)


def test_310_gtt_tests_the_type_as_a_part_of_the_text() -> None:
    pred, ref = [("bomb", {"Victim": [["a"]]})], [("bombing", {"Victim": [["a"]]})]
    assert scores(pred, ref, "gtt")["overall"] == 1.0
    assert scores(pred, ref)["ree"] == 0.0


def gtt(pred: Any, ref: Any, **options: Any) -> tuple[Any, ...]:
    """What is right of what is predicted, what is found of the reference."""
    found = Tally(templates.suite("gtt", **options)).add(pred, ref).report()["overall"].counts
    return found.matched, found.predicted, found.found, found.reference


def test_gtt_drops_repeated_templates_of_the_reference_and_keeps_repeated_entities() -> None:
    one = ("t", {"Victim": [["mayor"], ["mayor"]]})
    assert gtt([one, one], [one, one]) == (3, 6, 3, 3)


def test_gtt_compares_reference_templates_before_strings_are_normalised() -> None:
    ref = [("t", {"Victim": [["mayor"]]}), ("t", {"Victim": [["the mayor"]]}), ("t", {"Victim": [["mayor", "mayor"]]})]
    assert gtt([], ref) == (0, 0, 0, 6)


def test_an_empty_predicted_entity_is_right_for_gtt_wherever_the_slot_has_an_entity() -> None:
    pred = [("t", {"Victim": [[]], "Weapon": [[]]})]
    assert gtt(pred, [("t", {"Victim": [["mayor"], ["driver"]]})]) == (2, 3, 3, 3)


def test_gtt_leaves_empty_entities_of_the_reference_out() -> None:
    assert gtt([("t", {"Victim": [["mayor"]]})], [("t", {"Victim": [["mayor"], []]})]) == (2, 2, 2, 2)


def test_gtt_normalises_text() -> None:
    assert scores([("t", {"Victim": [["The Mayor!"]]})], [("t", {"Victim": [["mayor"]]})], "gtt")["overall"] == 1.0


@pytest.mark.parametrize("options", [{}, {"slots": "Victim,incident_type"}])
def test_gtt_pairs_no_templates_of_different_types(options: Any) -> None:
    pred, ref = [("arson", {"Victim": [["mayor"]]})], [("attack", {"Victim": [["mayor"]]})]
    assert gtt(pred, ref, **options) == (0, 2, 0, 2)


def test_gtts_slots_are_scored_under_pairs_of_one_type() -> None:
    pred = [("arson", {"Victim": [["mayor"]]}), ("attack", {"Victim": [["driver"]]})]
    ref = [("attack", {"Victim": [["mayor"]]})]
    assert gtt(pred, ref, slots="Victim") == (0, 2, 0, 1)


# IterX


def test_34_iterx_and_the_equation_on_two_mentions_of_one_entity() -> None:
    pred, ref = [("t", {"r": [["a"], ["b"]]})], [("t", {"r": [["a", "b"]]})]
    assert scores(pred, ref, "iterx") == {"rme_subset": 1.0, "rme_phi3": 0.5}
    assert scores(pred, ref)["rme_subset"] == pytest.approx(4 / 3, abs=1e-12)
    assert scores(pred, ref)["rme_phi3"] == 1.0


def test_35_iterx_takes_any_mention_in_common() -> None:
    pred, ref = [("t", {"r": [["a", "x"]]})], [("t", {"r": [["a", "b"]]})]
    assert scores(pred, ref, "iterx")["rme_subset"] == 1.0
    assert scores(pred, ref)["rme_subset"] == 0.0


def test_36_iterx_counts_the_first_reference_entity_only() -> None:
    pred, ref = [("t", {"r": [["a"], ["a"]]})], [("t", {"r": [["a"], ["a", "b"]]})]
    found = evaluate(templates.suite("iterx"), [pred], [ref])["rme_subset"]
    assert (found.precision, found.recall) == (1.0, 0.5)
    assert evaluate(templates.suite(), [pred], [ref])["rme_subset"].recall == 1.0


def test_37_iterx_phi_3_counts_a_reference_of_two_types_twice() -> None:
    pred, ref = [("bombing", {"r": [["a"]]})], [("attack / bombing", {"r": [["a", "b"]]})]
    found = evaluate(templates.suite("iterx"), [pred], [ref])
    assert (found["rme_phi3"].recall, found["rme_subset"].recall) == (0.25, 1.0)


def test_iterx_goes_by_the_first_mention_that_any_reference_has() -> None:
    pred, ref = [("t", {"r": [["b", "a"], ["a"]]})], [("t", {"r": [["a"], ["b"]]})]
    assert evaluate(templates.suite("iterx"), [pred], [ref])["rme_subset"].recall == 1.0


def test_iterx_normalises_text_and_counts_what_is_then_equal_as_often_as_it_is_said() -> None:
    pred, ref = [("t", {"r": [["The Bank", "bank"]]})], [("t", {"r": [["a bank"]]})]
    found = evaluate(templates.suite("iterx"), [pred], [ref])["rme_phi3"].counts
    assert (found.matched, found.predicted, found.reference) == (2, 2, 1)


def test_iterx_leaves_out_what_is_no_entity() -> None:
    pred, ref = [("t", {"r": [["a"]], "n": 3})], [("t", {"r": [["a"]], "n": 4})]
    assert scores(pred, ref, "iterx") == {"rme_subset": 1.0, "rme_phi3": 1.0}


def test_iterx_gives_no_credit_for_the_type_itself() -> None:
    assert scores([("t", {"r": [["x"]]})], [("t", {"r": [["a"]]})], "iterx") == {"rme_subset": 0.0, "rme_phi3": 0.0}
    assert scores([("u", {"r": [["a"]]})], [("t", {"r": [["a"]]})], "iterx") == {"rme_subset": 0.0, "rme_phi3": 0.0}


# BETTER


def test_better_multiplies_the_f1_of_types_and_the_f1_of_fillers() -> None:
    ref = [("Protest", {"who": [["a", "b"]], "over": True}), ("Epidemic", {"disease": [["d"]]})]
    pred = [("Protest", {"who": [["b", "x"]], "over": False})]
    assert scores(pred, ref, "better") == {
        "types": pytest.approx(2 / 3), "fillers": pytest.approx(2 / 5), "granular": pytest.approx(4 / 15),
    }  # fmt: skip


def test_better_pairs_templates_by_their_fillers_and_counts_types_without_a_common_filler() -> None:
    ref = [("Protest", {"who": [["a"]]}), ("Protest", {"who": [["b"]]})]
    pred = [("Protest", {"who": [["b"]]}), ("Protest", {"who": [["x"]]})]
    assert scores(pred, ref, "better") == {"types": 1.0, "fillers": 0.5, "granular": 0.5}


def test_better_compares_events_by_type_and_anchor() -> None:
    ref = [("Protest", {"after": [FilledEvent("Riot", ((3, 7), (9, 12)))]})]
    assert scores([("Protest", {"after": [FilledEvent("Riot", ((9, 12),))]})], ref, "better")["fillers"] == 1.0
    assert scores([("Protest", {"after": [FilledEvent("Strike", ((9, 12),))]})], ref, "better")["fillers"] == 0.0


# What may be given


@pytest.mark.parametrize(
    "one",
    [
        Template("t", (SlotFiller("r", RoleEntity(("a", "b"))), SlotFiller("n", 3))),
        ("t", {"r": [["a", "b"]], "n": 3}),
        ("t", [("r", ["a", "b"]), ("n", 3)]),
        {"type": "t", "slots": {"r": [["a", "b"]], "n": [3], "none": None, "empty": []}},
        {"type": "t", "fillers": [{"slot": "r", "value": ["a", "b"]}, {"slot": "n", "value": 3}]},
        {"incident_type": "t", "r": [{"mentions": ["a", "b"]}], "n": 3},
    ],
)
def test_a_template_may_be_written_in_many_ways(one: object) -> None:
    ref = TemplateSet((Template("t", (SlotFiller("r", RoleEntity(("a", "b"))), SlotFiller("n", 3))),))
    for document in ([one], {"templates": [one]}, TemplateSet((templates.template(one),))):
        assert scores(document, ref)["ree"] == 1.0


@pytest.mark.parametrize("preset", templates.TASK.presets)
def test_unknown_slots_and_empty_templates_and_entities_are_counted_and_do_no_harm(preset: str) -> None:
    pred = [("t", {"nobody knows": [["x"]]}), ("t", {}), ("t", {"r": [[]]})]
    assert all(0 <= value <= 1 for value in scores(pred, [("t", {"r": [["a"]]})], preset).values())


@pytest.mark.parametrize("preset", templates.TASK.presets)
def test_the_order_of_templates_and_fillers_does_not_matter(preset: str) -> None:
    ref = [("t", {"r": [["a"], ["b"]], "q": [["c"]]}), ("t", {"r": [["a"]]}), ("u", {"q": [["c"]]})]
    pred = [("t", {"r": [["a"], ["x"]]}), ("u", {"q": [["c"], ["d"]]}), ("t", {"r": [["b"]], "q": [["c"]]})]
    turned = [(kind, {slot: values[::-1] for slot, values in reversed(slots.items())}) for kind, slots in pred[::-1]]
    assert scores(pred, ref, preset) == scores(turned, ref[::-1], preset)


@pytest.mark.parametrize(
    ("pred", "said"),
    [
        (["no template"], r"prediction: templates\[0\]: expected a template such as"),
        ([{"slots": {}}], r"templates\[0\]: expected a template with a type, found the keys slots"),
        ([("t", {"r": [[3.5]]})], r"templates\[0\]: r: expected a mention"),
        ([("t", [("r", None)])], r"r: expected a value, found None"),
        ([("t", {"r": [[5, 3]]})], r"r: expected a mention such as .* found \[5, 3\]"),
        ([("t", {"r": [{"category": None}]})], r"r: expected a category, found None"),
        ({"templates": 3}, "expected a list under 'templates', found int"),
        (5, "expected a TemplateSet or a list of templates, found int"),
    ],
)
def test_what_is_no_template_is_an_error_that_says_where(pred: object, said: str) -> None:
    with pytest.raises(DataError, match=said):
        scores(pred, [])


@pytest.mark.parametrize(
    ("preset", "options", "said"),
    [
        ("muc", {}, "templates has no preset 'muc'; did you mean 'muc4'"),
        ("gtt", {"types": eq("type")}, "types= belongs to paper, better, not to gtt; leave it out"),
        ("paper", {"entitys": "any"}, "templates has no option 'entitys'; did you mean 'entities'"),
        ("paper", {"entities": "al"}, "entities='al' is unknown"),
        ("muc4", {"credited": "either"}, "credited= belongs to paper, better, not to muc4; leave it out"),
        ("muc4", {"adjudications": ["x"]}, "adjudications are judgements"),
    ],
)
def test_a_wrong_option_is_an_error_that_says_what_to_write(preset: Any, options: Any, said: str) -> None:
    with pytest.raises(ExpressionError, match=said):
        templates.suite(preset, **options)


def test_options_stand_in_the_signature() -> None:
    plain, other = templates.suite("muc4"), templates.suite("muc4", premodifiers="BIG", slots="phys_tgt_id")
    assert plain.signature != other.signature
    assert other.signature.startswith("templates:muc4|premodifiers:BIG|slots:phys_tgt_id|")


def test_a_users_ontology_may_be_used_for_types() -> None:
    kinds = ontology({"bombing": "attack"}, "type", credited="ancestor")
    pred, ref = [("attack", {"r": ["a"]})], [("bombing", {"r": ["a"]})]
    assert scores(pred, ref, types=kinds)["muc4"] == 0.5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"slots": 7}, 'slots=7 is not a list of words; write slots="one,two"'),
        ({"premodifiers": [1]}, "premodifiers=.1. is not a list of words"),
        ({"hierarchy": 5}, "hierarchy=5 is not a dictionary; write hierarchy={'BOMBING': 'ATTACK'}"),
    ],
)
def test_an_option_of_the_wrong_kind_is_refused(options: Any, said: str) -> None:
    with pytest.raises(ExpressionError, match=said):
        templates.suite("muc4", **options)


def test_the_slots_of_gtt_add_up_to_its_score() -> None:
    pred = [("arson", {"Victim": [["a"]], "Target": [["x"]]}), ("bombing", {"Victim": [["b"]]})]
    ref = [("bombing", {"Victim": [["b", "c"]], "Target": [["y"]]}), ("arson", {"Victim": [["a"]]})]
    whole = Tally(templates.suite("gtt")).add(pred, ref).report()["overall"].counts
    parts = [
        Tally(templates.suite("gtt", slots=[slot])).add(pred, ref).report()["overall"].counts
        for slot in ("incident_type", "Victim", "Target")
    ]
    assert whole.matched == sum(part.matched for part in parts) == 4
    assert (whole.predicted, whole.reference) == (sum(p.predicted for p in parts), sum(p.reference for p in parts))


@pytest.mark.parametrize(
    ("preset", "metric"), [("paper", "ree"), ("gtt", "overall"), ("iterx", "rme_subset"), ("better", "fillers")]
)
def test_every_preset_has_a_table_by_slot(preset: str, metric: str) -> None:
    ref = [("bombing", {"victim": [["mayor"]], "weapon": [["bomb"]]}), ("arson", {"target": [["bank"]]})]
    pred = [("bombing", {"victim": [["mayor"], ["driver"]], "weapon": [["gun"]]})]
    report = evaluate(templates.suite(preset), [pred], [ref], by="slot")  # type: ignore[arg-type]
    found = {slot: part[metric].counts.to_dict() for slot, part in report.by.items() if slot != "incident_type"}
    assert found == {
        "target": {"matched": 0, "predicted": 0, "reference": 1},
        "victim": {"matched": 1, "predicted": 2, "reference": 1},
        "weapon": {"matched": 0, "predicted": 1, "reference": 1},
    }


@pytest.mark.parametrize("preset", templates.TASK.presets)
def test_templates_of_many_documents_are_paired_as_those_of_each(preset: Any) -> None:
    random = Random(9)

    def incident() -> Document:
        names = [[random.choice("abc") for _ in range(random.randint(1, 2))] for _ in range(random.randrange(3))]
        return (random.choice(("attack", "bombing")), {"VICTIM": names[:1], "TARGET": names[1:]})

    sides = [[[incident() for _ in range(random.randrange(4))] for _ in range(50)] for _ in range(2)]
    suite = templates.suite(preset)
    tally = Tally(suite)
    for pred, ref in zip(*sides, strict=True):
        tally.add(pred, ref)
    assert Tally(suite).update(*sides) == tally


@pytest.mark.parametrize("given", [{"event_type": "bombing"}, {"incident_type": 5, "Target": [["bank"]]}])
def test_iterx_refuses_a_template_without_a_type(given: Document) -> None:
    with pytest.raises(DataError, match="prediction: templates\\[0\\]: expected a template with a type"):
        scores([given], [], "iterx")


def test_of_equally_good_pairs_those_count_that_gtt_tries_first() -> None:
    """Mappings come in lexicographic order; a template that earns nothing still takes the first place it can."""
    assert search([{1: (1, 1)}, {1: (1, 1)}], 2, 2, 2) == {1: 1}  # [0, 1] comes before [1, 0]
    assert search([{0: (1, 1)}, {0: (1, 1)}], 2, 2, 2) == {0: 0}
    assert search([{0: (1, 1), 1: (1, 1)}, {0: (1, 1), 1: (1, 1)}], 2, 2, 2) == {0: 0, 1: 1}


def test_gtt_pairs_templates_of_many_documents_as_it_pairs_those_of_one() -> None:
    def attack(*victims: str) -> dict[str, Any]:
        return {"incident_type": "attack", "Victim": [[victim] for victim in victims]}

    preds = [[attack("a"), attack("b", "c")], [], [attack("d")], [attack("e")]]
    refs = [[attack("c"), attack("a", "b")], [attack("d")], [], [attack("d", "e"), attack("e")]]
    suite, alone = templates.suite("gtt"), []
    for pred, ref in zip(preds, refs, strict=True):
        found = Tally(suite).add(pred, ref).report()["overall"].counts
        alone.append((found.matched, found.predicted, found.reference))
    assert alone == [(4, 5, 5), (0, 0, 2), (0, 2, 0), (2, 2, 5)]
    whole = evaluate(suite, preds, refs)["overall"].counts
    assert (whole.matched, whole.predicted, whole.reference) == (6, 9, 12)


@pytest.mark.parametrize("preset", ["paper", "muc4", "gtt", "iterx", "better"])
def test_an_option_that_is_none_is_left_out(preset: Any) -> None:
    options = [one.name for one in templates.TASK.options if not one.presets or preset in one.presets]
    made, plain = templates.suite(preset, **dict.fromkeys(options)), templates.suite(preset)
    assert (made.title, dict(made.metrics)) == (plain.title, dict(plain.metrics))

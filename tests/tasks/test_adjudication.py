"""Judgements: what is asked, how an answer counts, and that the score says which answers it rests on."""

import pickle
from dataclasses import replace
from typing import Any

import pytest

import matchwise as mw
from matchwise.corpus.tally import Tally
from matchwise.tasks import templates
from matchwise.tasks.roles.fillers import RoleEntity, SlotFiller, Template, TemplateSet
from matchwise.tasks.templates import Category, Judgement, Judgements, questions
from matchwise.tasks.templates.adjudication import merge


def document(id: str | None = "d1", **slots: Any) -> TemplateSet:
    return TemplateSet((templates.template(("BOMBING", {"phys_tgt_id": ["BANK"], **slots})),), id)


REF = document(perp_organization_id=[["SENDERO LUMINOSO", "SL"]])
PRED = document(perp_organization_id=["SHINING PATH"])


def asked(pred: Any = PRED, ref: Any = REF, *known: Judgement) -> list[Judgement]:
    return questions(templates.suite("muc4", adjudications=known), pred, ref)  # type: ignore[arg-type]


def matched(*known: Judgement, metric: str = "strings", pred: Any = PRED, ref: Any = REF) -> tuple[Any, ...]:
    suite = templates.suite("muc4", adjudications=known) if known else templates.suite("muc4")
    found = Tally(suite).add(pred, ref).report()[metric].counts
    return found.matched, found.predicted, found.reference


def judged(credit: float | None, pred: Any = PRED, ref: Any = REF) -> Judgement:
    [one] = asked(pred, ref)
    return replace(one, credit=credit)


def test_a_mismatch_of_strings_in_paired_templates_is_asked_about() -> None:
    [one] = asked()
    assert one == Judgement(
        "d1", "perp_organization_id", ("SHINING PATH",), ("SENDERO LUMINOSO", "SL"), 0, None, "BOMBING"
    )


def test_what_the_automatic_rule_settles_is_not_asked() -> None:
    assert asked(document(perp_organization_id=["THE SENDERO LUMINOSO"])) == []


def test_a_common_word_settles_nothing() -> None:
    [one] = asked(document(perp_organization_id=["LUMINOSO GROUP"]))
    assert one.predicted == ("LUMINOSO GROUP",)


def test_a_filler_with_a_cross_reference_is_asked_about_as_it_is_written() -> None:
    tagged = SlotFiller("hum_tgt_description", RoleEntity(("MAYOR",)), written='"MAYOR": "PAZ"')
    pred = TemplateSet((Template("BOMBING", (*document().templates[0].fillers, tagged)),), "d1")
    ref = document(hum_tgt_description=["MAYOR"])
    [one] = asked(pred, ref)
    assert (one.predicted, one.reference) == (('"MAYOR": "PAZ"',), ("MAYOR",))
    assert matched(replace(one, credit=0.5), pred=pred, ref=ref) == (1.5, 2, 2)


def test_templates_that_are_not_paired_and_missing_fillers_raise_no_question() -> None:
    assert asked(document()) == []
    assert asked(TemplateSet((templates.template(("BOMBING", {"perp_organization_id": ["X"]})),))) == []


def test_categories_are_never_asked_about() -> None:
    ref, pred = document(phys_tgt_type="BANK OFFICE"), document(phys_tgt_type="OTHER")
    assert asked(pred, ref) == []


def test_a_date_that_differs_is_asked_about_and_half_right_is_proposed_for_what_is_alike() -> None:
    [one] = asked(document(incident_date="13 APR 90"), document(incident_date="24 APR 90"))
    assert (one.slot, one.proposed) == ("incident_date", 0.5)


@pytest.mark.parametrize(("credit", "expected"), [(None, 1), (0, 1), (0.5, 1.5), (1, 2)])
def test_an_answer_gives_its_credit_and_changes_no_count_of_fillers(credit: float | None, expected: float) -> None:
    assert matched(judged(credit)) == (expected, 2, 2)


def test_an_answer_is_about_its_document_and_slot_only() -> None:
    one = judged(1)
    assert matched(replace(one, document="d2")) == (1, 2, 2)
    assert matched(replace(one, slot="perp_individual_id")) == (1, 2, 2)


def test_an_answer_may_make_a_pair_of_two_templates() -> None:
    ref = TemplateSet((templates.template(("BOMBING", {"perp_organization_id": [["SENDERO LUMINOSO", "SL"]]})),), "d1")
    pred = TemplateSet((templates.template(("BOMBING", {"perp_organization_id": ["SHINING PATH"]})),), "d1")
    assert matched(pred=pred, ref=ref) == (0, 0, 1)
    assert matched(judged(1), pred=pred, ref=ref) == (1, 1, 1)


def test_an_answer_may_take_away_what_the_automatic_rule_gives() -> None:
    pred = document(incident_location="PERU: ICA (CITY)")
    ref = document(incident_location="PERU: LIMA (CITY)")
    one = Judgement("d1", "incident_location", ("PERU: ICA (CITY)",), ("PERU: LIMA (CITY)",), credit=0)
    assert matched(metric="all", pred=pred, ref=ref) == (2.5, 3, 3)
    assert matched(one, metric="all", pred=pred, ref=ref) == (2, 3, 3)
    assert matched(replace(one, reference=()), metric="all", pred=pred, ref=ref) == (2, 3, 3)


def test_an_answer_about_another_template_changes_nothing() -> None:
    one = judged(1)
    assert matched(replace(one, template="2")) == (1, 2, 2)


def test_a_right_filler_makes_right_what_refers_to_it() -> None:
    ref = document(hum_tgt_name=["ANA PAZ"], hum_tgt_type=[Category(("CIVILIAN",), ("ANA PAZ",))])
    pred = document(hum_tgt_name=["SHE"], hum_tgt_type=[Category(("CIVILIAN",), ("SHE",))])
    one = Judgement("d1", "hum_tgt_name", ("SHE",), ("ANA PAZ",), credit=1)
    assert matched(metric="all", pred=pred, ref=ref) == (2.5, 4, 4)
    assert matched(one, metric="all", pred=pred, ref=ref) == (4, 4, 4)
    assert matched(replace(one, credit=0.5), metric="all", pred=pred, ref=ref) == (3, 4, 4)


def test_one_response_may_stand_for_several_fillers_and_counts_as_often() -> None:
    ref, pred = document(hum_tgt_description=["GUARDS", "CLERKS"]), document(hum_tgt_description=["MEN"])
    one = Judgement("d1", "hum_tgt_description", ("MEN",), (("all-of", '"GUARDS"', '"CLERKS"'),), credit=0.5)
    assert matched(one, pred=pred, ref=ref) == (2, 3, 3)


def test_a_filler_that_is_given_twice_may_be_right_once_and_wrong_for_the_rest() -> None:
    ref, pred = document(hum_tgt_name=["LUIS PAZ", "EVA ROJAS"]), document(hum_tgt_name=["PAZ", "PAZ"])
    right = Judgement("d1", "hum_tgt_name", ("PAZ",), ("LUIS PAZ",), credit=1)
    wrong = Judgement("d1", "hum_tgt_name", ("PAZ",), (), credit=0)
    assert matched(right, wrong, pred=pred, ref=ref) == matched(wrong, right, pred=pred, ref=ref) == (2, 3, 3)
    assert matched(wrong, pred=pred, ref=ref) == (1, 3, 3)


def numbered(*names: str) -> TemplateSet:
    made = (templates.template(("BOMBING", {"hum_tgt_name": [name]})) for name in names)
    return TemplateSet(tuple(replace(one, id=str(place)) for place, one in enumerate(made, start=1)), "d1")


def test_a_person_may_change_the_pairs_of_templates() -> None:
    pred, ref = numbered("PAZ", "ROJAS"), numbered("PAZ", "LUIS ROJAS")

    def pairs(*known: Judgement) -> tuple[int, ...]:
        mine, _ = templates.suite("muc4", adjudications=known).steps[0](pred, ref)
        return mine.numbers  # type: ignore[no-any-return]  # a side of any step

    assert pairs() == (0, 1)
    assert pairs(Judgement("d1", "message_template", ("1",), ("2",), credit=1)) == (0, -3)
    assert pairs(Judgement("d1", "message_template", ("1",), ("1",), credit=0)) == (-1, 0)
    assert pairs(Judgement("d1", "message_template", (), ("2",), credit=0)) == (0, -3)
    assert pairs(Judgement("d1", "message_template", ("2",), (), credit=0)) == (0, -3)


def test_a_prediction_that_was_judged_right_once_matches_once() -> None:
    pred = document(perp_organization_id=["SHINING PATH", "SHINING PATH"])
    assert matched(judged(1), pred=pred) == (2, 3, 2)


def test_what_was_answered_is_not_asked_again_and_a_wrong_pair_makes_room_for_the_next() -> None:
    pred = document(perp_organization_id=["SHINING PATH", "TUPAC AMARU"])
    [first] = asked(pred)
    [second] = asked(pred, REF, replace(first, credit=0))
    assert {*first.predicted, *second.predicted} == {"SHINING PATH", "TUPAC AMARU"}
    assert asked(pred, REF, replace(first, credit=1)) == []


def test_the_most_alike_are_asked_about_together() -> None:
    ref = document(hum_tgt_description=["BODYGUARDS", "FARMERS"])
    found = asked(document(hum_tgt_description=["FARMER", "BODYGUARD"]), ref)
    assert [(one.predicted[0], one.reference[0], one.proposed) for one in found] == [
        ("FARMER", "FARMERS", 0.5), ("BODYGUARD", "BODYGUARDS", 0.5),
    ]  # fmt: skip


def test_the_signature_names_the_answers_whatever_their_order() -> None:
    one, two = judged(1), Judgement("d2", "phys_tgt_id", ("A",), ("B",), credit=0.5)
    signatures = {templates.suite("muc4", adjudications=some).signature for some in ((one, two), (two, one))}
    assert len(signatures) == 1
    [signature] = signatures
    assert f"adjudications:{Judgements((one, two)).digest}, 2 settled" in signature
    assert templates.suite("muc4", adjudications=(one, replace(two, credit=1))).signature != signature


def test_a_metric_with_answers_and_options_is_written_and_read_back() -> None:
    several = Judgement(
        "d1", "hum_tgt_description", ("MEN",), (("all-of", '"A"', ("optional", '"B"')),), credit=0.5, template="1"
    )
    alone = Judgement("d1", "message_template", (), ("2",), credit=0)
    suite = templates.suite(
        "muc4", adjudications=[several, alone], slots="hum_tgt_name", hierarchy={"A": "B"}, categories=["x"]
    )
    phi = suite.metrics["all"]
    assert mw.parse(str(phi)) == pickle.loads(pickle.dumps(phi)) == phi
    assert mw.parse(str(phi)).step.function == phi.step.function  # type: ignore[attr-defined]  # it has a step


def test_questions_that_are_open_change_no_digest() -> None:
    one, open_one = judged(1), Judgement("d2", "phys_tgt_id", ("A",), ("B",))
    assert Judgements((one, open_one)).digest == Judgements((one,)).digest


def test_of_two_answers_the_later_counts() -> None:
    one = judged(1)
    assert Judgements((one, replace(one, credit=0.5))).settled[one.key] == 0.5


def test_new_questions_come_after_those_there_were_and_none_comes_twice() -> None:
    one, two = judged(1), Judgement("d2", "phys_tgt_id", ("A",), ("B",))
    assert list(merge([one], [replace(one, credit=None), two, two])) == [one, two]


def test_equal_questions_are_asked_once() -> None:
    made, key = (
        [("ATTACK", {"hum_tgt_name": names, "perp_individual_id": ["X"]})] for names in (["ANA"] * 2, ["ANNA"] * 2)
    )
    [one] = templates.questions(templates.suite("muc4"), made, key)
    assert (one.predicted, one.reference, one.proposed, one.type) == (("ANA",), ("ANNA",), 0.5, "ATTACK")


def test_a_question_names_the_document_as_the_reference_does() -> None:
    slots = {"perp_organization_id": ["SHINING PATH"]}
    assert [one.document for one in asked(document("p1", **slots))] == ["d1"]
    unnamed = replace(REF, id=None)
    assert [one.document for one in asked(document("p1", **slots), unnamed)] == ["p1"]

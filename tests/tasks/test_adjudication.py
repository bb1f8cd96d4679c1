"""Judgements: what is asked, how an answer counts, and that the score says which answers it rests on."""

from dataclasses import replace
from typing import Any

import pytest

from matchwise.corpus.tally import Tally
from matchwise.tasks import templates
from matchwise.tasks.roles.fillers import TemplateSet
from matchwise.tasks.templates import Judgement, Judgements, questions
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
    assert asked(document(perp_organization_id=["LUMINOSO GROUP"])) == []


def test_templates_that_are_not_paired_and_missing_fillers_raise_no_question() -> None:
    assert asked(document()) == []
    assert asked(TemplateSet((templates.template(("BOMBING", {"perp_organization_id": ["X"]})),))) == []


def test_categories_are_never_asked_about() -> None:
    ref, pred = document(phys_tgt_type="BANK OFFICE"), document(phys_tgt_type="OTHER")
    assert asked(pred, ref) == []


def test_a_date_that_differs_is_asked_about_and_half_right_is_proposed_for_what_is_alike() -> None:
    [one] = asked(document(incident_date="03 APR 90"), document(incident_date="04 APR 90"))
    assert (one.slot, one.proposed) == ("incident_date", 0.5)


@pytest.mark.parametrize(("credit", "expected"), [(None, 1), (0, 1), (0.5, 1.5), (1, 2)])
def test_an_answer_gives_its_credit_and_changes_no_count_of_fillers(credit: float | None, expected: float) -> None:
    assert matched(judged(credit)) == (expected, 2, 2)


def test_an_answer_is_about_its_document_and_slot_only() -> None:
    one = judged(1)
    assert matched(replace(one, document="d2")) == (1, 2, 2)
    assert matched(replace(one, slot="perp_individual_id")) == (1, 2, 2)


def test_an_answer_does_not_change_the_pairing_of_templates() -> None:
    ref = TemplateSet((templates.template(("BOMBING", {"perp_organization_id": [["SENDERO LUMINOSO", "SL"]]})),), "d1")
    pred = TemplateSet((templates.template(("BOMBING", {"perp_organization_id": ["SHINING PATH"]})),), "d1")
    assert matched(judged(1), pred=pred, ref=ref) == (0, 1, 1)


def test_an_answer_takes_away_no_automatic_credit() -> None:
    pred, ref = document(perp_organization_id=["LUMINOSO"]), REF
    one = Judgement("d1", "perp_organization_id", ("LUMINOSO",), ("SENDERO LUMINOSO", "SL"), credit=0)
    assert matched(one, pred=pred, ref=ref) == (2, 2, 2)


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


def test_questions_that_are_open_change_no_digest() -> None:
    one, open_one = judged(1), Judgement("d2", "phys_tgt_id", ("A",), ("B",))
    assert Judgements((one, open_one)).digest == Judgements((one,)).digest


def test_of_two_answers_the_later_counts() -> None:
    one = judged(1)
    assert Judgements((one, replace(one, credit=0.5))).settled[one.key] == 0.5


def test_new_questions_come_after_those_there_were_and_none_comes_twice() -> None:
    one, two = judged(1), Judgement("d2", "phys_tgt_id", ("A",), ("B",))
    assert list(merge([one], [replace(one, credit=None), two, two])) == [one, two]

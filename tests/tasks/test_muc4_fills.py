"""MUC-4's fillers: how lines are read and written, when two fillers are equal, and what becomes of those of a slot."""

from typing import Any

import pytest

from matchwise.tasks.templates import muc4
from matchwise.tasks.templates.adjudication import Judgement, Judgements, fill_of, mentions_of
from matchwise.tasks.templates.muc4 import are_equal, read_fill, words_of, write_fill
from matchwise.tasks.templates.slotscore import Outcome, SlotRules, SlotScoring

A, B, C = '"A"', '"B"', '"C"'


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("attack", "element", "ATTACK"),
        ("ATTACK / BOMBING", "element", ("or", "ATTACK", "BOMBING")),
        ("(ATTACK / BOMBING) / ARSON", "element", ("or", "ATTACK", "BOMBING", "ARSON")),
        ('DEATH: "A" / "B"', "element", ("xref", "DEATH", ("or", A, B))),
        ('("A" / "B"): "C"', "string", ("xref", ("or", A, B), C)),
        ('"A"/"B"', "string", ("or", A, B)),
        ('"AND/OR: ALL"', "string", '"AND/OR: ALL"'),
        ('-: "A"', "element", ("xref", "-", A)),
        ('6 -: "A"', "number", ("xref", "6 -", A)),
        ("2 - 3", "number", ("range", "2", "3")),
        ("5", "number", "5"),
        ("03 APR 90", "date", "03 APR 90"),
        ("- 03 APR 90", "date", ("range", None, "03 APR 90")),
        ("03 APR 90 -", "date", ("range", "03 APR 90", None)),
        ("03 APR 90 - 05 APR 90", "date", ("range", "03 APR 90", "05 APR 90")),
        ("(1 MAY 90 - 2 MAY 90) / 4 MAY 90", "date", ("or", ("range", "1 MAY 90", "2 MAY 90"), "4 MAY 90")),
        (
            "1 MAY 90 - 2 MAY 90 / (3 MAY 90 - 4 MAY 90)",
            "date",
            ("or", ("range", "1 MAY 90", "2 MAY 90"), ("range", "3 MAY 90", "4 MAY 90")),
        ),
        ("PERU", "location", "PERU"),
        ("PERU: LIMA", "location", ("location", "PERU", "LIMA")),
        ("PERU: LIMA (CITY)", "location", ("location", "PERU", ("qualified", "LIMA", "CITY"))),
        (
            "PERU: LIMA (CITY): RIMAC (NEIGHBORHOOD)",
            "location",
            ("location", "PERU", ("qualified", "LIMA", "CITY"), ("qualified", "RIMAC", "NEIGHBORHOOD")),
        ),
        (
            "PERU: LIMA (CITY) - ICA (CITY)",
            "location",
            ("location", "PERU", ("between", ("qualified", "LIMA", "CITY"), ("qualified", "ICA", "CITY"))),
        ),
        ("PERU: LIMA - ICA", "location", ("location", "PERU", ("between", "LIMA", "ICA"))),
        (
            "(PERU: LIMA (CITY)) / (CHILE: ARICA)",
            "location",
            ("or", ("location", "PERU", ("qualified", "LIMA", "CITY")), ("location", "CHILE", "ARICA")),
        ),
        ("-", "element", None),
        ("*", "date", None),
        ("", "string", None),
        ("- 3 MAY 90", "date", ("range", None, "3 MAY 90")),
        ("3 MAY 90 -", "date", ("range", "3 MAY 90", None)),
        (": LIMA", "location", ("location", None, "LIMA")),
        ("PERU:", "location", "PERU"),
    ],
)
def test_a_line_is_read_by_the_kind_of_its_slot(text: str, kind: Any, expected: Any) -> None:
    assert read_fill(text, kind) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('"A', "string"),
        ('"A" "B"', "string"),
        ('("A" / "B"', "string"),
        ('("A": "B") / "C"', "string"),
        ('"A": "B": "C"', "string"),
        ("1 MAY 90 - 2 MAY 90 / 3 MAY 90 - 4 MAY 90", "date"),
        ("PERU: A - B - C", "location"),
        pytest.param("(" * 20_000 + "A" + ")" * 20_000, "string", id="deep"),
    ],
)
def test_what_cannot_be_read_is_a_filler_that_says_so(text: str, kind: Any) -> None:
    assert read_fill(text, kind) == "<ERROR>"


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ('"MAYOR OF LIMA"', '"THE MAYOR LIMA"', True),
        ('"MAYOR"', "MAYOR", False),
        ('"MAYOR"', '"MAYORS"', False),
        (("or", A, B), B, True),
        (A, ("or", A, B), True),
        (("or", A, B), ("or", B, A), True),
        (("or", A, B), ("or", A, C), False),
        (("optional", A), A, True),
        (("optional", A), None, True),
        (("xref", "DEATH", ("or", A, B)), ("xref", "DEATH", B), True),
        (("xref", "DEATH", A), "DEATH", False),
        (("range", None, "3 MAY 90"), "3 MAY 90", False),
        (("location", "PERU", "LIMA"), ("location", "PERU", "LIMA", "RIMAC"), False),
        (("all-of", A, B), ("all-of", B, A), True),
        (A, ("optional", A), True),
        (
            ("xref", "DEATH", A),
            ("optional", ("xref", "DEATH", A)),
            False,
        ),  # only a plain key is looked up in a response
        (("xref", "DEATH", A), ("or", ("xref", "DEATH", A), B), False),
    ],
)
def test_two_fillers_are_equal_without_premodifiers(key: Any, response: Any, expected: bool) -> None:
    assert are_equal(key, response) is expected


def test_premodifiers_are_taken_out_where_letters_and_a_space_end_so() -> None:
    assert are_equal("13 APR 90", "18 APR 90")
    assert not are_equal("13 APR 90", "23 APR 90")
    assert words_of(['"SANTA ANA TOWN"']) == {"SANTANTOWN"}


def test_the_words_of_fillers_include_those_of_tags() -> None:
    assert words_of([("xref", "OTHER", ("or", '"THE BUS"', A)), ("optional", "FIRE")]) == {"OTHER", "BUS", "A", "FIRE"}


@pytest.mark.parametrize(
    ("slot", "text"),
    [
        ("hum_tgt_name", '"A" / "B"'),
        ("hum_tgt_description", '"A" / "B": "C"'),
        ("incident_date", "(1 MAY 90 - 2 MAY 90) / 4 MAY 90"),
        ("incident_date", "- 4 MAY 90"),
        ("incident_location", "(PERU: LIMA (CITY) - ICA (CITY)) / CHILE"),
        ("hum_tgt_number", '6 -: "A"'),
        ("hum_tgt_type", 'CIVILIAN: "A" / "B"'),
    ],
)
def test_a_judgement_says_a_filler_so_that_it_is_read_as_the_same(slot: str, text: str) -> None:
    from matchwise.tasks.templates.muc4 import FILLED

    fill = read_fill(text, FILLED[slot].kind)
    assert write_fill(fill) == text
    assert fill_of(slot, mentions_of(fill)) == fill
    assert fill_of(slot, mentions_of(("optional", fill))) == ("optional", fill)


def judged(*judgements: Judgement) -> SlotRules:
    return SlotRules(muc4.CATEGORIES, muc4.HIERARCHY, muc4.PREMODIFIERS, Judgements(judgements))


ABOUT = "d", None


def test_of_several_keys_with_the_right_tag_the_last_is_taken() -> None:
    keys = [("xref", "GOVERNMENT OFFICIAL", A), ("xref", "FORMER GOVERNMENT OFFICIAL", A)]
    found = SlotScoring(judged(), ABOUT, "hum_tgt_type", [("xref", "POLITICAL FIGURE", A)], keys).score()
    assert found.outcomes == (Outcome(0, 1, 0.5), Outcome(None, 0))


def test_a_value_with_a_tag_that_is_not_known_to_be_right_is_half_as_a_person_would_judge() -> None:
    found = SlotScoring(judged(), ABOUT, "hum_tgt_type", [("xref", "CIVILIAN", B)], [("xref", "CIVILIAN", A)]).score()
    assert found.outcomes == (Outcome(0, 0, 0.5, True),)
    assert (found.count(0.5, judged=True), found.count(0.5, judged=False)) == (1, 0)


@pytest.mark.parametrize(("responses", "keys"), [([B], [A]), ([B, B], [A, A]), ([B, B], [A])])
def test_half_for_a_value_with_another_tag_is_given_only_when_templates_are_paired(responses: Any, keys: Any) -> None:
    mine = [("xref", value, tag) for value, tag in zip(("CIVILIAN", "DIPLOMAT"), responses, strict=False)]
    theirs = [("xref", value, tag) for value, tag in zip(("CIVILIAN", "SPY"), keys, strict=False)]
    credits = [
        [one.credit for one in SlotScoring(judged(), ABOUT, "hum_tgt_type", mine, theirs).score(final=final).outcomes]
        for final in (True, False)
    ]
    assert credits == [[0.5, 0][: len(mine)], [0, 0][: len(mine)]]


def test_a_common_word_makes_two_strings_agree_but_not_two_values_of_a_closed_list() -> None:
    assert SlotScoring(judged(), ABOUT, "hum_tgt_name", ['"LUIS PAZ"'], ['"PAZ"']).agree() is True
    assert (
        SlotScoring(judged(), ABOUT, "phys_tgt_effect_of_incident", ["NO PROPERTY TAKEN"], ["NO DAMAGE"]).agree()
        is False
    )


def test_a_judgement_that_names_a_filler_twice_takes_both_that_are_equal() -> None:
    both = Judgement("d", "hum_tgt_name", (C,), (("all-of", A, A),), credit=1)
    found = SlotScoring(judged(both), ABOUT, "hum_tgt_name", [C], [A, A]).score()
    assert found.outcomes == (Outcome(0, 0, 1, True), Outcome(0, 1, 1, True))


def test_responses_that_were_judged_wrong_are_paired_with_what_is_left_the_last_first() -> None:
    wrong = [Judgement("d", "hum_tgt_name", (one,), (), credit=0) for one in (C, '"D"')]
    found = SlotScoring(judged(*wrong), ABOUT, "hum_tgt_name", [C, '"D"'], [A, B]).score()
    assert found.outcomes == (Outcome(1, 0), Outcome(0, 1))


SLOTS = """
inc-date date 0; inc-loc location 0; inc-type element 7; inc-stage element 3; inc-instr-id string 0;
inc-instr-type element 20 incident_instrument_id; perp-inc-cat element 2; perp-ind-id string 0;
perp-org-id string 0 perp_individual_id; perp-org-conf element 6 perp_organization_id; phys-tgt-id string 0;
phys-tgt-type element 15 phys_tgt_id; phys-tgt-num number 0 phys_tgt_id; phys-tgt-nation element 76 phys_tgt_id;
phys-tgt-effect element 6 phys_tgt_id; phys-tgt-total-num number 0; hum-tgt-name string 0;
hum-tgt-desc string 0 hum_tgt_name; hum-tgt-type element 10 hum_tgt_name hum_tgt_description;
hum-tgt-num number 0 hum_tgt_name hum_tgt_description; hum-tgt-nation element 76 hum_tgt_name hum_tgt_description;
hum-tgt-effect element 9 hum_tgt_name hum_tgt_description; hum-tgt-total-num number 0
"""

ABOVE = """
ATTACK: ARSON, BOMBING, KIDNAPPING, HIJACKING, ROBBERY, FORCED WORK STOPPAGE
GUN: MACHINE GUN, MORTAR, HANDGUN, RIFLE
EXPLOSIVE: BOMB, GRENADE, MOLOTOV COCKTAIL
BOMB: VEHICLE BOMB, DYNAMITE, MINE, AERIAL BOMB
PROJECTILE: MISSILE, ROCKET
SUSPECTED OR ACCUSED: SUSPECTED OR ACCUSED BY AUTHORITIES
POLITICAL FIGURE OFFICE OR RESIDENCE: GOVERNMENT OFFICE OR RESIDENCE
DESTROYED: SOME DAMAGE
POLITICAL FIGURE: GOVERNMENT OFFICIAL
GOVERNMENT OFFICIAL: FORMER GOVERNMENT OFFICIAL
ACTIVE MILITARY: FORMER ACTIVE MILITARY
NO INJURY: NO DEATH
NO DEATH: NO INJURY OR DEATH
"""


def test_slots_and_values_are_those_of_the_final_test() -> None:
    said = [" ".join((one.row, one.kind, str(one.size), *one.refers)) for one in muc4.FILLED.values()]
    assert said == [" ".join(one.split()) for one in SLOTS.split(";")]
    above = dict(line.split(": ") for line in ABOVE.strip().splitlines())
    assert {low: high for high, lows in above.items() for low in lows.split(", ")} == muc4.HIERARCHY
    assert set(muc4.ANCHORS) == {
        *(f"phys_tgt_{name}" for name in ("id", "type")),
        *(f"hum_tgt_{name}" for name in ("name", "description", "type")),
        *(f"perp_{name}_id" for name in ("individual", "organization")),
    }
    assert muc4.WHOLE == ("incident_date", "incident_location")
    assert len(muc4.CATEGORIES) == 15
    numbers = ("ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN", " ".join(map(str, range(1, 11))))
    others = "MORE MOST MANY SEVERAL SOME ALL FEW ANY ANOTHER OTHER CERTAIN OF"
    assert " ".join(("A THE AN THIS THAT THESE THOSE", *numbers, others)) == muc4.PREMODIFIERS


def test_text_in_quotes_may_hold_quotes_and_parentheses() -> None:
    assert read_fill(r'"A \"B\" C" / D', "string") == ("or", r'"A \"B\" C"', "D")
    assert read_fill(r'("A \" ) B" / C)', "string") == ("or", r'"A \" ) B"', "C")


def test_an_optional_filler_that_is_needed_is_allowed_once() -> None:
    effect, rules = "hum_tgt_effect_of_incident", judged()
    for optional in (("optional", "D"), ("optional", ("or", "D", "E"))):
        found = SlotScoring(rules, (None, None), effect, ["A", "B"], ["C", optional]).score()
        assert (found.possible, found.wrong) == (2, 16)  # nine values, of which one is right each time
    assert SlotScoring(rules, (None, None), effect, ["A"], ["C", ("optional", "D")]).score().wrong == 8
    assert SlotScoring(rules, (None, None), effect, [], []).score().wrong == 9


def test_a_tag_that_was_judged_to_be_nobody_says_nothing_of_its_value() -> None:
    effect = "hum_tgt_effect_of_incident"
    keys = [("xref", "DEATH", '"ANA"'), ("xref", "INJURY", '"JOE"')]
    responses = [("xref", "DEATH", '"JOE"'), ("xref", "NO INJURY", '"EVA"')]
    nobody = judged(Judgement(None, "hum_tgt_name", ("JOE",), (), credit=0))
    found = SlotScoring(nobody, (None, None), effect, responses, keys).score().outcomes
    assert set(found) == {Outcome(0, 0, 0.5, True), Outcome(1, 1)}
    found = SlotScoring(judged(), (None, None), effect, responses, keys).score().outcomes
    assert set(found) == {Outcome(0, 1), Outcome(1, 0)}

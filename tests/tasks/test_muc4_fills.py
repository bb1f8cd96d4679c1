"""MUC-4's notation of fillers: how lines are read, when two fillers are equal, and how they are written."""

from typing import Any

import pytest

from matchwise.tasks.templates.adjudication import fill_of, mentions_of
from matchwise.tasks.templates.fills import are_equal, read_fill, words_of, write_fill

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

"""MUC-4 key files: slots, lines that go on, alternatives, what is optional, tags, and what is wrong with a file."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from matchwise.errors import FormatError
from matchwise.formats import muc4, recognize
from matchwise.tasks.roles.fillers import RoleEntity, Template
from matchwise.tasks.templates import Category, Judgement

HEAD = """\
0.  MESSAGE: ID                     D1
1.  MESSAGE: TEMPLATE               1
4.  INCIDENT: TYPE                  BOMBING
"""


def template(lines: str) -> Template:
    [document] = muc4.read(StringIO(HEAD + lines))
    [one] = document.templates
    return one


def values(lines: str) -> list[Any]:
    return [filler.value for filler in template(lines).fillers]


def test_a_template_has_an_id_a_type_and_its_slots_by_our_names() -> None:
    one = template('12. PHYS TGT: ID                    "A BANK"\n')
    assert (one.id, one.type, one.fillers[0].slot) == ("1", "BOMBING", "phys_tgt_id")


def test_each_line_of_a_slot_is_a_filler() -> None:
    assert values('18. HUM TGT: NAME                   "PAZ"\n                                    "ROJAS"\n') == [
        RoleEntity(("PAZ",)), RoleEntity(("ROJAS",)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "lines",
    [
        '18. HUM TGT: NAME  "PAZ" / "MARIA PAZ"\n',
        '18. HUM TGT: NAME  "PAZ" /\n                   "MARIA PAZ"\n',
        '18. HUM TGT: NAME  "PAZ"\n                   / "MARIA PAZ"\n',
        '18. HUM TGT: NAME  "PAZ" / "MARIA\n                   PAZ"\n',
        '18. HUM TGT: NAME  ("PAZ" / "MARIA PAZ")\n',
    ],
)
def test_alternatives_are_mentions_of_one_entity(lines: str) -> None:
    assert values(lines) == [RoleEntity(("PAZ", "MARIA PAZ"))]


def test_slashes_and_colons_in_quotes_are_text() -> None:
    assert values('19. HUM TGT: DESCRIPTION  "AND/OR: ALL"\n') == [RoleEntity(("AND/OR: ALL",))]


def test_a_category_may_have_alternatives_and_a_tag() -> None:
    assert values('20. HUM TGT: TYPE  CIVILIAN / OTHER: "PAZ" / "MARIA PAZ"\n') == [
        Category(("CIVILIAN", "OTHER"), ("PAZ", "MARIA PAZ"))
    ]


def test_the_tag_of_a_description_is_dropped_and_a_place_keeps_its_colon() -> None:
    assert values('19. HUM TGT: DESCRIPTION  "MAYOR": "PAZ"\n3.  INCIDENT: LOCATION  PERU: LIMA (CITY)\n') == [
        RoleEntity(("MAYOR",)), RoleEntity(("PERU: LIMA (CITY)",)),
    ]  # fmt: skip


def test_a_question_mark_makes_a_filler_optional() -> None:
    one, two = template('18. HUM TGT: NAME  "PAZ"\n                   ? "ROJAS" / "R"\n').fillers
    assert (one.optional, two.optional, two.value) == (False, True, RoleEntity(("ROJAS", "R")))


def test_an_optional_template_is_marked() -> None:
    [document] = muc4.read(
        StringIO("0. MESSAGE: ID  D1\n1. MESSAGE: TEMPLATE  2 (OPTIONAL)\n4. INCIDENT: TYPE  ARSON\n")
    )
    assert (document.templates[0].id, document.templates[0].optional) == ("2", True)


def test_a_dash_with_a_cross_reference_is_a_filler_and_so_are_empty_quotes() -> None:
    assert values('21. HUM TGT: NUMBER  -: "UNION"\n') == [Category(("-",), ("UNION",))]
    assert values('18. HUM TGT: NAME  ""\n') == [RoleEntity(('""',))]


@pytest.mark.parametrize("nothing", ["-", "*", ""])
def test_nothing_fills_no_slot(nothing: str) -> None:
    assert values(f"21. HUM TGT: NUMBER  {nothing}\n") == []


def test_a_text_without_an_incident_has_no_templates() -> None:
    [document] = muc4.read(
        StringIO("0. MESSAGE: ID  D1\n1. MESSAGE: TEMPLATE  *\n2. INCIDENT: DATE  *\n4. INCIDENT: TYPE *\n")
    )
    assert (document.id, document.templates) == ("D1", ())


def test_two_types_are_kept_as_written() -> None:
    [document] = muc4.read(StringIO("0. MESSAGE: ID  D1\n1. MESSAGE: TEMPLATE  1\n4. INCIDENT: TYPE  ATTACK / ARSON\n"))
    assert document.templates[0].type == "ATTACK / ARSON"


def test_the_templates_of_a_document_stand_together_and_its_source_is_no_part_of_its_id() -> None:
    text = HEAD.replace("D1", "D1 (NCCOSC)") + "\n; a comment\n" + HEAD + HEAD.replace("D1", "D2")
    assert [(one.id, len(one.templates)) for one in muc4.read(StringIO(text))] == [("D1", 2), ("D2", 1)]


def test_windows_line_ends_lower_case_and_a_lost_quote_are_read() -> None:
    text = HEAD.replace("\n", "\r\n") + '6.  Incident: Instrument ID  MACHINEGUNS"\r\n'
    [document] = muc4.read(StringIO(text, newline=""))
    assert document.templates[0].fillers[0].value == RoleEntity(("MACHINEGUNS",))


def test_an_empty_line_ends_a_template_and_what_stands_between_templates_is_not_read() -> None:
    text = HEAD + '18. HUM TGT: NAME  "PAZ"\n\n   * * *\nend of D1\n\n' + HEAD.replace("D1", "D2")
    one, two = muc4.read(StringIO(text))
    assert ([each.value for each in one.templates[0].fillers], two.id) == ([RoleEntity(("PAZ",))], "D2")


def test_a_filler_at_the_start_of_a_line_is_no_part_of_the_slot() -> None:
    lines = '7.  INCIDENT: INSTRUMENT TYPE  ROCKET: "ROCKETS"\nMORTAR: "MORTAR"\n18. HUM TGT: NAME  "PAZ"\n'
    assert values(lines) == [Category(("ROCKET",), ("ROCKETS",)), RoleEntity(("PAZ",))]


def test_a_filler_is_kept_as_it_is_written() -> None:
    [one] = template('19. HUM TGT: DESCRIPTION  ? "MAYOR": "PAZ"\n').fillers
    assert (one.written, one.optional, one.value) == ('"MAYOR": "PAZ"', True, RoleEntity(("MAYOR",)))


def test_a_text_that_is_said_to_have_no_incident_and_has_templates_keeps_both() -> None:
    text = "0. MESSAGE: ID  D1\n1. MESSAGE: TEMPLATE  *\n4. INCIDENT: TYPE  *\n" + HEAD
    [document] = muc4.read(StringIO(text))
    assert (len(document.templates), document.irrelevant) == (1, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "\n18. HUM TGT: NAME  X\n", r"keys.muc:5: found 'HUM TGT: NAME  X' after an empty line, which ends"),
        (HEAD + "18. HUM TGT: NMAE  X\n", r"keys.muc:4: found the slot 'HUM TGT: NMAE'; did you mean 'HUM TGT: NAME'"),
        (HEAD + "nonsense\n", r"keys.muc:4: found 'nonsense', expected a numbered slot"),
        ("4. INCIDENT: TYPE  ARSON\n", r"keys.muc:1: found 'INCIDENT: TYPE  ARSON', expected 0. MESSAGE: ID first"),
        ("0. MESSAGE: ID\n", r"keys.muc:1: found no id"),
        ("0. MESSAGE: ID D1\n1. MESSAGE: TEMPLATE 1\n", r"keys.muc:1: found a template of D1 without INCIDENT: TYPE"),
        (HEAD + HEAD.replace("D1", "D2") + HEAD, r"keys.muc:7: found document D1 again"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "keys.muc"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=said):
        list(muc4.read(path))


def test_an_empty_file_has_no_documents() -> None:
    assert list(muc4.read(StringIO("\n; nothing\n"))) == []


def test_a_key_file_is_recognised() -> None:
    assert recognize("templates", "; comment\n\n" + HEAD, "x") == "muc4"


@pytest.mark.parametrize(
    "text", ['? "PAZ"', '?"PAZ"', '? ? "PAZ"', '? "PAZ" / ? "MARIA PAZ"', '? ("PAZ" / ?"MARIA PAZ")']
)
def test_a_question_mark_is_no_part_of_a_filler(text: str) -> None:
    names = ("PAZ", "MARIA PAZ") if "/" in text else ("PAZ",)
    [filler] = template(f"18. HUM TGT: NAME  {text}\n").fillers
    assert (filler.value, filler.optional) == (RoleEntity(names), True)


def test_a_question_mark_is_no_part_of_a_category_or_its_tag() -> None:
    [filler] = template('20. HUM TGT: TYPE  ? ? CIVILIAN / ? LAW ENFORCEMENT: ? "PAZ"\n').fillers
    assert (filler.value, filler.optional) == (Category(("CIVILIAN", "LAW ENFORCEMENT"), ("PAZ",)), True)


def test_an_alternative_may_be_optional_where_the_filler_is_not() -> None:
    [filler] = template('18. HUM TGT: NAME  "PAZ" / ? "MARIA PAZ"\n').fillers
    assert (filler.value, filler.optional) == (RoleEntity(("PAZ", "MARIA PAZ")), False)


def history(text: str) -> list[Judgement]:
    return muc4.read_judgements(StringIO(text))


def test_a_history_in_lisp_is_read_as_judgements() -> None:
    text = """(("D1"
      ("2" (perp-org-id ("\\"SHINING PATH\\"" match (or "\\"SENDERO LUMINOSO\\"" "\\"SL\\"")) ("\\"ARMY\\"" fail))
           (hum-tgt-num ((xref "1" "\\"SHE\\"") partial (xref "1" "\\"ANA PAZ\\"")))
           (inc-date ((range nil "03 APR 90") fail))
           (hum-tgt-desc ("\\"MEN\\"" partial (all-of "\\"GUARDS\\"" (optional "\\"CLERK\\"")))))))"""
    assert history(text) == [
        Judgement("D1", "perp_organization_id", ("SHINING PATH",), ("SENDERO LUMINOSO", "SL"), credit=1, template="2"),
        Judgement("D1", "perp_organization_id", ("ARMY",), (), credit=0, template="2"),
        Judgement("D1", "hum_tgt_number", ('1: "SHE"',), ('1: "ANA PAZ"',), credit=0.5, template="2"),
        Judgement("D1", "incident_date", ("- 03 APR 90",), (), credit=0, template="2"),
        Judgement(
            "D1", "hum_tgt_description", ("MEN",), (("all-of", '"GUARDS"', ("optional", '"CLERK"')),), credit=0.5,
            template="2",
        ),
    ]  # fmt: skip


def test_pairs_of_templates_that_a_person_made_are_judgements_of_their_numbers() -> None:
    assert history('(("D1" (":MAP" ("1" . "2") ("2") (nil . "3"))))') == [
        Judgement("D1", "message_template", ("2",), ("1",), credit=1),
        Judgement("D1", "message_template", (), ("2",), credit=0),
        Judgement("D1", "message_template", ("3",), (), credit=0),
    ]


def test_a_history_survives_being_written_as_lines() -> None:
    known = history('(("D1" ("1" (hum-tgt-desc ("\\"MEN\\"" partial (all-of "\\"A\\"" (xref "\\"B\\"" "\\"C\\"")))))))')
    assert history(muc4.format_judgements(known)) == known
    assert '"JOSÉ"' in muc4.format_judgements([Judgement("D1", "hum_tgt_name", ("JOSÉ",), ("ANA",), credit=1)])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('(("D1" ("1" (hum-tgt-nmae ("X" fail)))))', "found the slot 'hum-tgt-nmae'; did you mean 'hum-tgt-name'"),
        ('(("D1" ("1" (hum-tgt-name ("X" maybe)))))', "found 'maybe' in the history of D1, expected match, partial"),
        ('(("D1"', "found parentheses that do not match, expected one Lisp expression$"),
        ('(("D1" nil))', "<text>: found another Lisp expression, expected a history such as"),
        ('(("D1" (":MAP" ("1" "2" "3"))))', "<text>: found another Lisp expression"),
        ('(("D1" ("1" (hum-tgt-name ("X")))))', "<text>: found another Lisp expression"),
        ('{"slot": "a", "predicted": [["or", 3]], "reference": []}', "expected text, found 3"),
        ('{"slot": "a", "template": true, "predicted": [], "reference": []}', "template: expected the number"),
    ],
)
def test_what_is_wrong_with_judgements_is_said(text: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        history(text)

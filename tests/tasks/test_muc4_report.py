"""MUC-4's score report: every column of small documents, worked by the rules of the manual, and its layout."""

from typing import Any

import pytest

import matchwise as mw
from matchwise.errors import ExpressionError
from matchwise.tasks import templates
from matchwise.tasks.roles.fillers import RoleEntity, SlotFiller, Template, TemplateSet
from matchwise.tasks.templates import Category, Judgement
from matchwise.tasks.templates.scorer import ScoreReport, report


def of(*pairs: tuple[Any, Any], **options: Any) -> ScoreReport:
    return report(templates.suite("muc4", **options), pairs)


def incident(kind: str = "BOMBING", **slots: Any) -> tuple[str, dict[str, Any]]:
    return kind, slots


KEY = [
    incident(
        incident_date="13 APR 90",
        incident_location="PERU: LIMA (CITY)",
        incident_stage_of_execution="ACCOMPLISHED",
        phys_tgt_id=["BUS", "TRUCK"],
        phys_tgt_type=[Category(("TRANSPORT VEHICLE",), ("BUS",)), Category(("TRANSPORT VEHICLE",), ("TRUCK",))],
        hum_tgt_name=["ANA PAZ"],
    ),
    incident("ARSON", phys_tgt_id=["BANK"]),
]
RUN = [
    incident(
        "ATTACK",
        incident_date="- 13 APR 90",
        incident_location="PERU",
        incident_stage_of_execution="ACCOMPLISHED",
        phys_tgt_id=["THE BUS", "CAR", "VAN"],
        phys_tgt_type=[Category(("TRANSPORT VEHICLE",), ("BUS",)), Category(("COMMERCIAL",), ("CAR",))],
    ),
    incident("ROBBERY", phys_tgt_id=["SHOP"]),
]


def test_every_column_of_a_slot() -> None:
    rows = of((RUN, KEY)).rows()
    assert rows["template-id"][:10] == (2, 2, 1, 0, 0, 0, 0, 1, 1, 0)
    assert rows["inc-date"][:13] == (1, 1, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0)
    assert rows["inc-loc"][:13] == (1, 1, 0, 1, 0, 0, 0, 0, 0, 2, 50, 50, 0)
    assert rows["phys-tgt-id"][:13] == (3, 4, 1, 0, 1, 0, 0, 2, 1, 0, 33, 25, 50)
    assert rows["hum-tgt-name"][:13] == (1, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, None, None)
    assert rows["hum-tgt-num"][:13] == (0, 0, 0, 0, 0, 0, 0, 0, 0, 3, None, None, None)


def test_fallout_counts_the_wrong_values_that_a_closed_list_has_left() -> None:
    rows = of((RUN, KEY)).rows()
    # ATTACK for BOMBING is partly right, ARSON missing, ROBBERY spurious: 1 of (7 − 1) + (7 − 1) + 7 wrong values
    assert rows["inc-type"] == (2, 2, 0, 1, 0, 0, 0, 1, 1, 0, 25, 25, 50, 5)
    # one of two vehicles right and COMMERCIAL wrong: 1 of 2 · (15 − 1) + 15 + 15
    assert rows["phys-tgt-type"] == (2, 2, 1, 0, 1, 0, 0, 0, 0, 2, 50, 50, 0, 2)


def test_the_totals_differ_in_the_templates_that_they_count() -> None:
    rows = of((RUN, KEY)).rows()
    # 23 slots; the pair fills 7 of them, the missing and the spurious template 2 each
    assert rows["MATCHED/MISSING"][:13] == (11, 9, 3, 2, 3, 0, 0, 1, 3, 16 + 21, 36, 44, 11)
    assert rows["MATCHED/SPURIOUS"][:13] == (9, 11, 3, 2, 3, 0, 0, 3, 1, 16 + 21, 44, 36, 27)
    assert rows["MATCHED ONLY"][:13] == (9, 9, 3, 2, 3, 0, 0, 1, 1, 16, 44, 44, 11)
    assert rows["ALL TEMPLATES"][:13] == (11, 11, 3, 2, 3, 0, 0, 3, 3, 16 + 21 + 21, 36, 36, 27)
    assert rows["SET FILLS ONLY"][:10] == (5, 4, 2, 1, 1, 0, 0, 0, 1, 18)
    assert rows["STRING FILLS ONLY"][:10] == (4, 3, 1, 0, 1, 0, 0, 1, 2, 9)
    assert rows["inc-total"][:10] == (5, 5, 1, 2, 1, 0, 0, 1, 1, 12)


def test_what_a_person_judged_is_counted_by_itself() -> None:
    car = Judgement("d1", "phys_tgt_id", ("CAR",), ("TRUCK",), credit=0.5)
    pred, ref = ([templates.template(one) for one in side] for side in (RUN, KEY))
    row = of((TemplateSet(tuple(pred), "d1"), TemplateSet(tuple(ref), "d1")), adjudications=[car]).rows()["phys-tgt-id"]
    assert row[:10] == (3, 4, 1, 1, 0, 0, 1, 2, 1, 0)


def test_the_columns_of_the_totals_are_the_counts_of_the_metrics() -> None:
    rows = of((RUN, KEY)).rows()
    counted = mw.evaluate(templates.suite("muc4"), [RUN], [KEY])
    names = {
        "all": "ALL TEMPLATES", "matched": "MATCHED ONLY", "matched_missing": "MATCHED/MISSING",
        "matched_spurious": "MATCHED/SPURIOUS", "sets": "SET FILLS ONLY", "strings": "STRING FILLS ONLY",
        "text_filtering": "TEXT FILTERING",
    }  # fmt: skip
    for metric, name in names.items():
        row, found = rows[name], counted[metric].counts
        expected = (row.correct + row.partial / 2, row.actual, row.possible)
        assert (found.matched, found.predicted, found.reference) == expected, name


def optional(*names: str) -> TemplateSet:
    fillers = tuple(SlotFiller("hum_tgt_name", RoleEntity((name,))) for name in names)
    return TemplateSet((Template("BOMBING", fillers, "1", optional=True),), "d1")


def test_optional_fillers_count_only_as_far_as_they_are_needed() -> None:
    fillers = [("PAZ", False), ("ROJAS", True), ("DIAZ", True)]
    ref = TemplateSet(
        (Template("BOMBING", tuple(SlotFiller("hum_tgt_name", RoleEntity((name,)), maybe) for name, maybe in fillers)),)
    )

    def row(*names: str) -> Any:
        return of(([incident(hum_tgt_name=["PAZ", *names])], ref)).rows()["hum-tgt-name"][:10]

    assert row() == (1, 1, 1, 0, 0, 0, 0, 0, 0, 0)
    assert row("ROJAS") == (2, 2, 2, 0, 0, 0, 0, 0, 0, 0)
    assert row("SOTO") == (2, 2, 1, 0, 1, 0, 0, 0, 0, 0)
    assert row("SOTO", "VEGA", "CRUZ") == (3, 4, 1, 0, 2, 0, 0, 1, 0, 0)


def test_texts_are_filtered_by_their_templates_and_optional_ones_leave_the_choice() -> None:
    one = [incident(hum_tgt_name=["PAZ"])]
    row = of((one, one), (one, []), ([], one), ([], []), (one, optional("PAZ")), ([], optional("PAZ"))).rows()
    assert row["TEXT FILTERING"] == (3, 3, 2, 0, 0, 0, 0, 1, 1, 2, 67, 67, 33, 33)
    assert row["template-id"].noncommittal == 2
    counts = mw.evaluate(templates.suite("muc4"), [one, []], [optional("PAZ")] * 2)["text_filtering"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (1, 1, 1)


def test_percentages_are_cut_to_tenths_and_halves_go_to_the_even_number() -> None:
    names = [f"N{n}" for n in range(8)]
    one = of(([incident(hum_tgt_name=names[:1])], [incident(hum_tgt_name=names)])).rows()["hum-tgt-name"]
    assert one.recall == 12
    three = of(([incident(hum_tgt_name=names[:3])], [incident(hum_tgt_name=names)])).rows()["hum-tgt-name"]
    assert three.recall == 38


def test_f_measures_are_made_of_whole_percentages() -> None:
    key = [incident(hum_tgt_name=["PAZ", "ROJAS"])]
    assert of(([incident(hum_tgt_name=["PAZ"])], key)).f_measures() == ("80.24", "91.03", "71.73")
    assert of((key, key)).f_measures() == ("100.0", "100.0", "100.0")
    assert of(([], key)).f_measures() is None


def test_the_layout_is_that_of_1992() -> None:
    text = str(of((RUN, KEY)))
    lines = text.splitlines()
    assert lines[0] == " * * * TOTAL SLOT SCORES * * *"
    assert lines[2] == "SLOT                  POS ACT|COR PAR INC|ICR IPA|SPU MIS NON|REC PRE OVG FAL"
    assert lines[5] == "inc-date                1   1|  0   0   1|  0   0|  0   0   2|  0   0   0"
    assert lines[7] == "inc-type                2   2|  0   1   0|  0   0|  1   1   0| 25  25  50   5"
    assert lines[-2:] == [
        "                                                     P&R      2P&R      P&2R",
        "F-MEASURES                                           36.0      36.0      36.0",
    ]
    assert "TEXT FILTERING          1   1|  1   *   *|  *   *|  0   0   0|100 100   0   0" in lines
    assert str(of(([], KEY))).endswith("F-MEASURES not available, Recall or Precision Nil\n")


def test_only_some_slots_may_be_reported() -> None:
    rows = of((RUN, KEY), slots="inc_date,phys_tgt_id").rows()
    assert [name for name in rows if name.islower() and "total" not in name] == ["template-id", "phys-tgt-id"]


def test_other_presets_have_no_such_report() -> None:
    with pytest.raises(ExpressionError, match="only the preset muc4 has a score report"):
        report(templates.suite("gtt"), [])


def test_a_suite_without_a_step_has_no_report() -> None:
    with pytest.raises(ExpressionError, match="only the preset muc4 has a score report"):
        report(mw.Suite(a=mw.f1("xs")), [])


OPTIONAL = TemplateSet((Template("BOMBING", (), optional=True),))


@pytest.mark.parametrize(
    ("pairs", "texts", "measures"),
    [
        ([(RUN, KEY)], (1, 1, 1, 0, 0, 0), (100, 100, 0, 0)),  # both find it relevant
        ([([], KEY)], (1, 0, 0, 0, 1, 0), (0, 0, 0, 0)),
        ([(RUN, [])], (0, 1, 0, 1, 0, 0), (0, 0, 100, 100)),
        ([([], [])], (0, 0, 0, 0, 0, 1), (0, 0, 0, 0)),
        ([(RUN, OPTIONAL)], (1, 1, 1, 0, 0, 0), (100, 100, 0, 0)),  # as it is found
        ([([], OPTIONAL)], (0, 0, 0, 0, 0, 1), (0, 0, 0, 0)),
        ([(RUN, KEY), ([], KEY), (RUN, []), (RUN, []), ([], [])], (2, 3, 1, 2, 1, 1), (50, 33, 67, 67)),
    ],
)
def test_text_filtering(pairs: Any, texts: tuple[int, ...], measures: tuple[int, ...]) -> None:
    row = of(*pairs).rows()["TEXT FILTERING"]
    assert (row.possible, row.actual, row.correct, row.spurious, row.missing, row.noncommittal) == texts
    assert (row.recall, row.precision, row.overgeneration, row.fallout) == measures

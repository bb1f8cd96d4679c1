"""GTT's JSON: data files and results, and plain JSON lines of templates."""

import json
from io import StringIO
from typing import Any

import pytest

from matchwise.errors import FormatError
from matchwise.formats import gtt, recognize, templates
from matchwise.tasks.roles.fillers import RoleEntity, SlotFiller, Template, TemplateSet

ONE = {"incident_type": "arson", "Victim": [[["mayor", 12], ["she", 40]]], "Target": []}
MADE = (Template("arson", (SlotFiller("Victim", RoleEntity(("mayor", "she"))),)),)


def read(value: Any, **options: Any) -> list[TemplateSet]:
    return list(gtt.read(StringIO(value if isinstance(value, str) else json.dumps(value)), **options))


def test_a_data_file_has_a_document_on_each_line() -> None:
    lines = "".join(json.dumps({"docid": id, "doctext": "…", "templates": [ONE]}) + "\n" for id in ("d1", "d2"))
    assert read("\n" + lines) == [TemplateSet(MADE, "d1"), TemplateSet(MADE, "d2")]


def test_a_list_of_documents_is_read_too() -> None:
    for key in ("docid", "doc_id", "id"):
        assert read([{key: "d1", "templates": [ONE]}]) == [TemplateSet(MADE, "d1")]


@pytest.mark.parametrize("indent", [None, 2])
def test_results_hold_both_sides(indent: int | None) -> None:
    results = json.dumps(
        {"d1": {"pred_templates": [{**ONE, "Victim": [["mayor", "she"]]}], "gold_templates": []}}, indent=indent
    )
    assert read(results) == [TemplateSet(MADE, "d1")]
    assert read(results, side="gold") == [TemplateSet((), "d1")]
    assert read({"d1": {"templates": [ONE], "gold_templates": []}}, side="gold") == [TemplateSet((), "d1")]


def test_the_numbers_that_results_give_to_texts_are_read_as_their_names() -> None:
    results = {id: {"pred_templates": []} for id in ("30001", "40100", "10007", "20050", "30000", "50001", "d1")}
    assert [one.id for one in read(results)] == [
        "TST3-MUC4-0001", "TST4-MUC4-0100", "TST1-MUC3-0007", "TST2-MUC4-0050", "30000", "50001", "d1",
    ]  # fmt: skip
    assert [one.id for one in read([{"docid": "TST3-MUC4-0001", "templates": []}])] == ["TST3-MUC4-0001"]


@pytest.mark.parametrize("entity", [["mayor", 12], "mayor", ["mayor"], [["mayor", 12]], [["mayor", 12], "mayor"]])
def test_an_entity_may_be_written_in_many_ways(entity: Any) -> None:
    [document] = read([{"docid": "d", "templates": [{"incident_type": "arson", "Victim": [entity]}]}])
    assert document.templates[0].fillers[0].value == RoleEntity(("mayor",))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            {"docid": "d", "templates": [{"Victim": []}]},
            r":1: templates\[0\]: expected a template with 'incident_type'",
        ),
        (
            {"docid": "d", "templates": [{**ONE, "Victim": "x"}]},
            r":1: templates\[0\]: Victim: expected a list of entities",
        ),
        (
            {"docid": "d", "templates": [{**ONE, "incident_type": None}]},
            r":1: templates\[0\]: incident_type: expected text such as \"attack\", found None",
        ),
        ({"docid": "d", "templates": [{**ONE, "Victim": [7]}]}, "expected an entity such as"),
        ({"docid": "d", "templates": [{**ONE, "Victim": [[7]]}]}, "expected a mention such as"),
        ({"docid": "d"}, "expected a document with templates, found the keys docid"),
        ({"d1": {"other": []}}, "document d1: expected pred_templates, found the keys other"),
        ('{"d1": {', "cannot read this as JSON"),
        ('{"docid": "d1"', ":1: cannot read this as JSON"),
    ],
)
def test_what_is_wrong_is_said(value: Any, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        read(value)


def test_files_are_recognised() -> None:
    assert recognize("templates", json.dumps({"docid": "d", "templates": [ONE]}), "x") == "gtt"
    assert recognize("templates", '{"d1": {"pred_templates": []}}', "x") == "gtt"
    assert recognize("templates", '{"id": 1, "templates": [{"type": "arson", "slots": {}}]}', "x") == "templates"


def test_plain_json_lines_have_templates_in_any_form() -> None:
    line = {"id": 4, "templates": [{"type": "arson", "slots": {"Victim": [["mayor", "she"]]}}]}
    assert list(templates.read(StringIO(json.dumps(line)))) == [TemplateSet(MADE, 4)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id": 1}', ":1: expected a document with templates, found the keys id"),
        ('{"id": 1, "templates": 5}', ":1: templates: expected a list, found int"),
        ('{"id": 1, "templates": [{"slots": {}}]}', r":1: templates\[0\]: expected a template with a type"),
        (
            '{"id": 1, "templates": [{"type": "t", "slots": {"a": [[[]]]}}]}',
            r":1: templates\[0\]: a: expected a mention",
        ),
    ],
)
def test_what_is_wrong_with_plain_json_lines_is_said(line: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        list(templates.read(StringIO(line)))


def test_the_spans_of_a_template_are_no_slot() -> None:
    """They are in IterX's copy of the data."""
    [document] = read([{"docid": "d", "templates": [{**ONE, "template-spans": [["a", 3]]}]}])
    assert document.templates == MADE


@pytest.mark.parametrize("kind", [None, [], 7])
def test_a_predicted_type_that_is_not_text_is_an_attack_as_for_gtt(kind: Any) -> None:
    [document] = read({"d": {"pred_templates": [{**ONE, "incident_type": kind}]}})
    assert document.templates[0].type == "attack"


@pytest.mark.parametrize("wrap", [lambda one: {"docid": "d", **one}, lambda one: {"d": one}])
def test_where_both_sides_stand_in_one_document_each_is_read_by_its_side(wrap: Any) -> None:
    both = {"templates": [], "pred_templates": [ONE], "gold_templates": [ONE, ONE]}
    sizes = {
        side: [len(one.templates) for known in (both, without) for one in read(wrap(known), side=side)]
        for without in [{"templates": [], "pred_templates": [ONE]}]
        for side in ("pred", "gold")
    }
    assert sizes == {"pred": [1, 1], "gold": [2, 0]}

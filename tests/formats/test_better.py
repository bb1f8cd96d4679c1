"""BETTER's BP JSON: span sets, events, truth values, and what is wrong with a file."""

import json
from io import StringIO
from typing import Any

import pytest

from matchwise.errors import FormatError
from matchwise.formats import better
from matchwise.tasks.roles.fillers import RoleEntity, TemplateSet
from matchwise.tasks.templates import Category, FilledEvent


def corpus(template: dict[str, Any] | None = None, **parts: Any) -> dict[str, Any]:
    found = {
        "events": {"e1": {"eventid": "e1", "event-type": "Riot", "anchors": "ss-2", "agents": []}},
        "span-sets": {
            "ss-1": {"spans": [{"start": 0, "end": 5, "string": "The m"}, {"start": 9, "end": 12}], "ssid": "ss-1"},
            "ss-2": {"spans": [{"string": "riots"}]},
        },
        "granular-templates": {
            "template-1": {"template-type": "Protestplate", "template-anchor": "ss-1", **(template or {})}
        },
        **parts,
    }
    entry = {"entry-id": "doc-1", "annotation-sets": {"basic-events": found}}
    return {"corpus-id": "ours", "format-type": "bp-corpus", "entries": {"doc-1": entry}}


def read(value: Any) -> list[TemplateSet]:
    return list(better.read(StringIO(value if isinstance(value, str) else json.dumps(value))))


def values(template: dict[str, Any]) -> list[Any]:
    return [filler.value for filler in read(corpus(template))[0].templates[0].fillers]


def test_a_slot_holds_span_sets_and_events() -> None:
    assert values({"who": [{"ssid": "ss-1", "irrealis": "possible"}], "after": [{"event-id": "e1"}]}) == [
        RoleEntity(((0, 5), (9, 12))), FilledEvent("Riot", ("riots",)),
    ]  # fmt: skip


def test_a_slot_holds_truth_values_numbers_and_categories() -> None:
    assert values({"over-time": True, "number": 3, "completion": "planned", "nothing": [], "none": None}) == [
        True, 3, Category(("planned",)),
    ]  # fmt: skip


def test_a_template_has_its_type_and_id() -> None:
    [document] = read(corpus())
    assert (document.id, document.templates[0].type, document.templates[0].id) == (
        "doc-1",
        "Protestplate",
        "template-1",
    )


def test_an_entry_without_templates_is_an_empty_document() -> None:
    assert read({"entries": {"d": {"entry-id": "d"}}}) == [TemplateSet((), "d")]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            corpus({"who": [{"ssid": "ss-9"}]}),
            "entry doc-1: template-1: found the span set 'ss-9', which the entry does not",
        ),
        (corpus({"who": [{"event-id": "e9"}]}), "found the event 'e9', which the entry does not have"),
        (corpus({"who": [["x"]]}), "who: expected a span set, an event or a plain value"),
        (
            corpus(**{"granular-templates": {"t": {}}}),
            "t: expected a template with 'template-type', found the keys none",
        ),
        (corpus(**{"span-sets": ["x"]}), "expected span-sets as a JSON object, found list"),
        ({"corpus-id": "x"}, "expected a corpus with 'entries', found the keys corpus-id"),
        ("[", "cannot read this as JSON"),
        ("[]", "expected a corpus as a JSON object, found list"),
    ],
)
def test_what_is_wrong_is_said(value: Any, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        read(value)


def test_parts_that_are_empty_may_be_anything_empty() -> None:
    assert len(read(corpus(**{"span-sets": [], "events": None}))[0].templates) == 1

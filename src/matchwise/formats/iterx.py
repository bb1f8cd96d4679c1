"""IterX: on each line one document and templates of it, `{"TST3-MUC4-0001": [{"incident_type": "attack", …}]}`.

A document has several lines, one for each type of template; they are gathered, so that a file is read whole. A slot is
a list of entities, an entity a list of mentions: `"PerpInd": [["guerrillas"], ["rebels"]]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matchwise.formats import Format
from matchwise.formats.io.entries import placing
from matchwise.formats.io.records import fields, values
from matchwise.formats.io.source import Text, name_of
from matchwise.tasks.roles import SlotFiller, Template, TemplateSet, entity

ROLES = {role.lower(): role for role in ("PerpInd", "PerpOrg", "Target", "Victim", "Weapon")}
"""The slots of MUC-4, which some predictions have in lower case."""


def read(source: Text) -> Iterator[TemplateSet]:
    """The documents of a file, each with all its templates.

    >>> from io import StringIO
    >>> lines = '{"A": [{"incident_type": "attack", "victim": [["mayor"]]}]}\\n{"A": []}\\n{"B": []}\\n'
    >>> [(document.id, len(document.templates)) for document in read(StringIO(lines))]
    [('A', 1), ('B', 0)]
    """
    name = name_of(source)
    found: dict[str, list[Template]] = {}
    for number, value in values(source):
        with placing(name, number):
            for id, templates in fields(value).items():
                if not isinstance(templates, list):
                    raise ValueError(f"{id}: expected a list of templates, found {type(templates).__name__}")
                found.setdefault(id, []).extend(_template(one) for one in templates)
    for id, several in found.items():
        yield TemplateSet(tuple(several), id)


def _template(value: Any) -> Template:
    found = fields(value, "a template")
    kind = found.get("incident_type")
    if not isinstance(kind, str):
        raise ValueError(f'expected a template with an "incident_type", found the keys {", ".join(found) or "none"}')
    fillers = [
        SlotFiller(ROLES.get(slot, slot), entity(one))
        for slot, entities in found.items()
        if slot != "incident_type"
        for one in _listed(slot, entities)
    ]
    return Template(kind, tuple(fillers))


def _listed(slot: str, value: Any) -> list[Any]:
    if isinstance(value, list) and all(isinstance(one, list) for one in value):
        return value
    raise ValueError(f'{slot}: expected a list of entities such as [["rebels"]], found {value!r:.60}')


FORMAT = Format(
    name="iterx",
    title="IterX",
    read=read,
)
